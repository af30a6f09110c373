# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_engine.a
libtp_engine_a_SOURCES = \
	src/engine/child.c src/engine/child.h \
	src/engine/client.c \
	src/engine/engine.h \
	src/engine/job.c src/engine/job.h \
	src/engine/server.c
