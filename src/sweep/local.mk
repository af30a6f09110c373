# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_sweep.a
libtp_sweep_a_SOURCES = \
	src/sweep/sweep.c src/sweep/sweep.h

check_PROGRAMS += tests/unit/test_sweep
TESTS += tests/unit/test_sweep
tests_unit_test_sweep_SOURCES = tests/unit/test_sweep.c
tests_unit_test_sweep_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sweep_LDADD = libtp_sweep.a libtp_base.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/fuzz/replay_sweep
TESTS += tests/fuzz/replay_sweep
tests_fuzz_replay_sweep_SOURCES = tests/fuzz/fuzz_sweep.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_sweep_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"sweep"'
tests_fuzz_replay_sweep_LDADD = libtp_sweep.a libtp_base.a -lm
