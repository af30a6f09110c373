# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_report.a
libtp_report_a_SOURCES = \
	src/report/pictures.c src/report/pictures.h \
	src/report/compare.c src/report/compare.h \
	src/report/compare_pictures.c \
	src/report/compare_text.c \
	src/report/page.c src/report/page.h \
	src/report/pairing.c src/report/pairing.h \
	src/report/facts.c src/report/facts.h \
	src/report/svg.c \
	src/report/report.h \
	src/report/reporter.h \
	src/report/view.c src/report/view.h

PROGRAM_TESTS += tests/unit/test_autotune_report tests/unit/test_compare \
	tests/unit/test_conclusion tests/unit/test_html tests/unit/test_latency_report \
	tests/unit/test_pairing tests/unit/test_report tests/unit/test_view
