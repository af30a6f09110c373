# SPDX-License-Identifier: GPL-3.0-or-later
libtp_preset_a_SOURCES += src/experiments/gather/options.c src/experiments/gather/options.h
libtp_experiments_a_SOURCES += \
	src/experiments/gather/gather.c \
	src/experiments/gather/lists.c src/experiments/gather/lists.h \
	src/experiments/gather/plan.c src/experiments/gather/plan.h
libtp_record_a_SOURCES += src/experiments/gather/found.c \
	src/experiments/gather/gather_row.h src/experiments/gather/tables.c
libtp_report_a_SOURCES += \
	src/experiments/gather/pictures.c \
	src/experiments/gather/report.c src/experiments/gather/report.h \
	src/experiments/gather/summary.c src/experiments/gather/summary.h


check_PROGRAMS += tests/unit/test_gather tests/unit/test_gather_report
TESTS += tests/unit/test_gather tests/unit/test_gather_report
tests_unit_test_gather_SOURCES = tests/unit/test_gather.c tests/unit/files.h
tests_unit_test_gather_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_gather_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
tests_unit_test_gather_report_SOURCES = tests/unit/test_gather_report.c tests/unit/rows.h
tests_unit_test_gather_report_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_gather_report_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
