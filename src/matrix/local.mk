# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_matrix.a libtp_loops.a
libtp_matrix_a_CFLAGS = $(FAST_CFLAGS) $(ZLIB_CFLAGS)
libtp_matrix_a_SOURCES = \
	src/matrix/facts.c src/matrix/facts.h \
	src/matrix/market.c src/matrix/market.h \
	src/matrix/source.c src/matrix/source.h \
	src/matrix/sparse.c src/matrix/sparse.h \
	src/matrix/loops.h \
	src/matrix/matrix.c src/matrix/matrix.h

# What is measured, apart: a product and a sum may be one instruction there.
libtp_loops_a_SOURCES = src/matrix/loops.c src/matrix/loops_body.h
libtp_loops_a_CFLAGS = $(FAST_CFLAGS) -ffp-contract=fast
MATRIX_LIBS = libtp_matrix.a libtp_loops.a
MATRIX_TEST_LIBS = $(MATRIX_LIBS) libtp_base.a $(ZLIB_LIBS)

PROGRAM_TESTS += tests/unit/test_matrix tests/unit/test_market tests/fuzz/replay_matrix_market
tests_unit_test_matrix_LDADD = $(MATRIX_TEST_LIBS) $(CMOCKA_LIBS) -lm
tests_unit_test_market_LDADD = $(MATRIX_TEST_LIBS) $(CMOCKA_LIBS) -lm

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
tests_fuzz_replay_matrix_market_SOURCES = tests/fuzz/fuzz_matrix_market.c tests/fuzz/replay_main.c
tests_fuzz_replay_matrix_market_LDADD = $(MATRIX_TEST_LIBS) -lm

# How fast a matrix is checked and read, beside reading its bytes.
check_PROGRAMS += tests/bench/market_time
tests_bench_market_time_LDADD = $(MATRIX_TEST_LIBS) -lm
