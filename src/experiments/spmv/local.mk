# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/spmv/spmv.c
libtp_experiments_a_SOURCES += \
	src/experiments/spmv/row.c src/experiments/spmv/row.h
libtp_experiments_a_SOURCES += src/experiments/spmv/report.c
libtp_tui_a_SOURCES += ui/tui/experiments/others.c

check_PROGRAMS += tests/unit/test_spmv
TESTS += tests/unit/test_spmv
tests_unit_test_spmv_SOURCES = tests/unit/test_spmv.c tests/unit/printed.h tests/unit/all_options.h tests/unit/rows.h
tests_unit_test_spmv_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_spmv_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
