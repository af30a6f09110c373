# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_sweep.a
libtp_sweep_a_SOURCES = \
	src/sweep/sweep.c src/sweep/sweep.h

PROGRAM_TESTS += tests/unit/test_sweep tests/fuzz/replay_sweep
tests_unit_test_sweep_LDADD = libtp_sweep.a libtp_base.a $(CMOCKA_LIBS) -lm
tests_fuzz_replay_sweep_SOURCES = tests/fuzz/fuzz_sweep.c tests/fuzz/replay_main.c
tests_fuzz_replay_sweep_LDADD = libtp_sweep.a libtp_base.a -lm
