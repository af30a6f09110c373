# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/app/app.c \
	src/experiments/app/formulas.c \
	src/experiments/app/run.c src/experiments/app/run.h \
	src/experiments/app/same.c src/experiments/app/same.h \
	src/experiments/app/streams.c src/experiments/app/streams.h
libtp_experiments_a_SOURCES += src/experiments/app/row.c src/experiments/app/row.h
libtp_experiments_a_SOURCES += \
	src/experiments/app/place.c src/experiments/app/place.h \
	src/experiments/app/processes.c src/experiments/app/processes.h \
	src/experiments/app/report.c src/experiments/app/report.h
libtp_tui_a_SOURCES += ui/tui/experiments/app.c

check_PROGRAMS += tests/unit/test_app tests/unit/test_app_advice tests/unit/test_app_found
TESTS += tests/unit/test_app tests/unit/test_app_advice tests/unit/test_app_found
tests_unit_test_app_found_SOURCES = tests/unit/test_app_found.c tests/unit/files.h
tests_unit_test_app_found_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_found_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
# A run of counter classification with blanks, for formulas that programs are counted by.
EXTRA_DIST += tests/app/classified.json
tests_unit_test_app_SOURCES = tests/unit/test_app.c tests/unit/printed.h tests/unit/all_options.h tests/unit/rows.h
tests_unit_test_app_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_app_advice_SOURCES = tests/unit/test_app_advice.c
tests_unit_test_app_advice_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_advice_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
