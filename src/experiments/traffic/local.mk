# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += src/experiments/traffic/traffic.c src/experiments/traffic/traffic.h
libtp_experiments_a_SOURCES += src/experiments/traffic/report.c
libtp_tui_a_SOURCES += ui/tui/experiments/traffic.c

check_PROGRAMS += tests/unit/test_traffic
TESTS += tests/unit/test_traffic
tests_unit_test_traffic_SOURCES = tests/unit/test_traffic.c tests/unit/printed.h tests/unit/rows.h
tests_unit_test_traffic_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_traffic_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
