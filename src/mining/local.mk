# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_mining.a
libtp_mining_a_CFLAGS = $(FAST_CFLAGS)
libtp_mining_a_SOURCES = \
	src/mining/prepare.c \
	src/mining/frame.c \
	src/mining/csv.c \
	src/mining/learn.c \
	src/mining/say.c \
	src/mining/export.c \
	src/mining/frame.h \
	src/mining/from_run.c src/mining/from_run.h \
	src/mining/pictures.c \
	src/mining/job.c src/mining/job.h \
	src/mining/mined.c src/mining/mined.h \
	src/mining/prepare.h \
	src/mining/result.h \
	src/mining/say.h

# Options are data that the preset room works on; it links without mining.
libtp_preset_a_SOURCES += src/mining/options.c src/mining/options.h

check_PROGRAMS += tests/unit/test_frame tests/unit/test_from_run tests/unit/test_mining
TESTS += tests/unit/test_frame tests/unit/test_from_run tests/unit/test_mining
tests_unit_test_frame_SOURCES = tests/unit/test_frame.c tests/unit/files.h
tests_unit_test_frame_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_frame_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_from_run_SOURCES = tests/unit/test_from_run.c tests/unit/files.h
tests_unit_test_from_run_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_from_run_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_mining_SOURCES = tests/unit/test_mining.c tests/unit/printed.h tests/unit/files.h
tests_unit_test_mining_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_mining_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

# How long reading takes, by rows.
check_PROGRAMS += tests/bench/csv_time
tests_bench_csv_time_SOURCES = tests/bench/csv_time.c
tests_bench_csv_time_LDADD = $(TP_LIBS)

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
check_PROGRAMS += tests/fuzz/replay_frame
TESTS += tests/fuzz/replay_frame
tests_fuzz_replay_frame_SOURCES = tests/fuzz/fuzz_frame.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_frame_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"frame"'
tests_fuzz_replay_frame_LDADD = $(TP_LIBS)
