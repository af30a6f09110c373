# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_mining.a
libtp_mining_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libtp_mining_a_CFLAGS = $(FAST_CFLAGS)
libtp_mining_a_SOURCES = \
	src/mining/prepare.c \
	src/mining/frame.c \
	src/mining/csv.c \
	src/mining/learn.c \
	src/mining/say.c \
	src/mining/export.c \
	src/mining/frame.h \
	src/mining/json_table.c src/mining/json_table.h \
	src/mining/from_run.c src/mining/from_run.h \
	src/mining/pictures.c \
	src/mining/plots.c src/mining/plots.h \
	src/mining/job.c src/mining/job.h \
	src/mining/mined.c src/mining/mined.h \
	src/mining/prepare.h \
	src/mining/result.h \
	src/mining/say.h

# Options are data that the preset room works on; it links without mining.
libtp_preset_a_SOURCES += src/mining/options.c src/mining/options.h

PROGRAM_TESTS += tests/unit/test_frame tests/unit/test_from_run tests/unit/test_mining tests/unit/test_tables \
	tests/fuzz/replay_frame

# How long reading takes, by rows.
check_PROGRAMS += tests/bench/csv_time

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
tests_fuzz_replay_frame_SOURCES = tests/fuzz/fuzz_frame.c tests/fuzz/replay_main.c
