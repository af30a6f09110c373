# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_report.a
libtp_report_a_SOURCES = \
	src/report/pictures.c src/report/pictures.h \
	src/report/compare.c src/report/compare.h \
	src/report/compare_text.c \
	src/report/page.c src/report/page.h \
	src/report/pairing.c src/report/pairing.h \
	src/report/facts.c src/report/facts.h \
	src/report/svg.c \
	src/report/report.h \
	src/report/reporter.h \
	src/report/view.c src/report/view.h

check_PROGRAMS += tests/unit/test_autotune_report tests/unit/test_compare tests/unit/test_conclusion tests/unit/test_html tests/unit/test_latency_report tests/unit/test_pairing tests/unit/test_report tests/unit/test_view
TESTS += tests/unit/test_autotune_report tests/unit/test_compare tests/unit/test_conclusion tests/unit/test_html tests/unit/test_latency_report tests/unit/test_pairing tests/unit/test_report tests/unit/test_view

tests_unit_test_autotune_report_SOURCES = tests/unit/test_autotune_report.c tests/unit/printed.h tests/unit/rows.h tests/unit/text.h
tests_unit_test_autotune_report_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_autotune_report_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_compare_SOURCES = tests/unit/test_compare.c tests/unit/printed.h tests/unit/rows.h tests/unit/text.h tests/unit/compare_runs.h tests/unit/near.h
tests_unit_test_compare_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_compare_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_conclusion_SOURCES = tests/unit/test_conclusion.c tests/unit/printed.h tests/unit/report_run.h tests/unit/text.h
tests_unit_test_conclusion_CPPFLAGS = $(tests_unit_test_compare_CPPFLAGS)
tests_unit_test_conclusion_LDADD = $(tests_unit_test_compare_LDADD)

tests_unit_test_pairing_SOURCES = tests/unit/test_pairing.c tests/unit/compare_runs.h tests/unit/near.h
tests_unit_test_pairing_CPPFLAGS = $(tests_unit_test_compare_CPPFLAGS)
tests_unit_test_pairing_LDADD = $(tests_unit_test_compare_LDADD)

tests_unit_test_report_SOURCES = tests/unit/test_report.c tests/unit/printed.h tests/unit/files.h tests/unit/near.h tests/unit/report_run.h tests/unit/svg_check.h tests/unit/text.h
tests_unit_test_report_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_report_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_latency_report_SOURCES = tests/unit/test_latency_report.c tests/unit/printed.h tests/unit/rows.h
tests_unit_test_latency_report_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_latency_report_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_view_SOURCES = tests/unit/test_view.c tests/unit/rows.h
tests_unit_test_view_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_view_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_html_SOURCES = tests/unit/test_html.c
tests_unit_test_html_CPPFLAGS = $(tests_unit_test_compare_CPPFLAGS)
tests_unit_test_html_LDADD = $(tests_unit_test_compare_LDADD)
