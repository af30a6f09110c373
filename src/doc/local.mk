# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_doc.a
libtp_doc_a_SOURCES = \
	src/doc/grid.c src/doc/grid.h \
	src/doc/html.c src/doc/html.h \
	src/doc/look.c src/doc/look.h \
	src/doc/terminal.c src/doc/terminal.h \
	src/doc/text.c src/doc/text.h
