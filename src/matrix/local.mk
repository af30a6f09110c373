# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_matrix.a libtp_loops.a
libtp_matrix_a_CFLAGS = $(FAST_CFLAGS)
libtp_matrix_a_SOURCES = \
	src/matrix/facts.c src/matrix/facts.h \
	src/matrix/source.c src/matrix/source.h \
	src/matrix/sparse.c src/matrix/sparse.h \
	src/matrix/loops.h \
	src/matrix/matrix.c src/matrix/matrix.h

# What is measured, apart: a product and a sum may be one instruction there.
libtp_loops_a_SOURCES = src/matrix/loops.c src/matrix/loops_body.h
libtp_loops_a_CFLAGS = $(FAST_CFLAGS) -ffp-contract=fast
MATRIX_LIBS = libtp_matrix.a libtp_loops.a

check_PROGRAMS += tests/unit/test_matrix tests/unit/test_market
TESTS += tests/unit/test_matrix tests/unit/test_market
tests_unit_test_matrix_SOURCES = tests/unit/test_matrix.c tests/unit/files.h
tests_unit_test_matrix_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_matrix_LDADD = $(MATRIX_LIBS) libtp_base.a $(CMOCKA_LIBS) -lm
tests_unit_test_market_SOURCES = tests/unit/test_market.c tests/unit/files.h
tests_unit_test_market_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_market_LDADD = $(MATRIX_LIBS) libtp_base.a $(CMOCKA_LIBS) -lm

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
check_PROGRAMS += tests/fuzz/replay_matrix_market
TESTS += tests/fuzz/replay_matrix_market
tests_fuzz_replay_matrix_market_SOURCES = tests/fuzz/fuzz_matrix_market.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_matrix_market_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"matrix_market"'
tests_fuzz_replay_matrix_market_LDADD = $(MATRIX_LIBS) libtp_base.a -lm
