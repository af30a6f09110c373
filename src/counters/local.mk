# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_counters.a
libtp_counters_a_SOURCES = \
	src/counters/cat.c src/counters/cat.h \
	src/counters/cat_data.c \
	src/counters/cat_file.c src/counters/cat_file.h \
	src/counters/cat_vec.c \
	src/counters/classify.h \
	src/counters/crew.c src/counters/crew.h \
	src/counters/emulation.h \
	src/counters/papi_file.h \
	src/counters/source.c src/counters/source.h \
	src/counters/sources.h
