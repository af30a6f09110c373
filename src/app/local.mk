# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_app.a
libtp_app_a_SOURCES = \
	src/app/app.h \
	src/app/counts.c \
	src/app/program.c src/app/program.h \
	src/app/run.c src/app/run.h

check_PROGRAMS += tests/unit/test_app_run
TESTS += tests/unit/test_app_run
tests_unit_test_app_run_SOURCES = tests/unit/test_app_run.c tests/unit/files.h
tests_unit_test_app_run_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_run_LDADD = libtp_app.a libtp_base.a $(CMOCKA_LIBS) -lm
