# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += src/experiments/gather/gather.c
libtp_experiments_a_SOURCES += src/experiments/gather/row.c src/experiments/gather/row.h
libtp_experiments_a_SOURCES += src/experiments/gather/report.c src/experiments/gather/report.h

check_PROGRAMS += tests/unit/test_gather tests/unit/test_gather_report
TESTS += tests/unit/test_gather tests/unit/test_gather_report
tests_unit_test_gather_SOURCES = tests/unit/test_gather.c tests/unit/files.h
tests_unit_test_gather_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_gather_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
tests_unit_test_gather_report_SOURCES = tests/unit/test_gather_report.c tests/unit/printed.h tests/unit/rows.h
tests_unit_test_gather_report_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_gather_report_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
