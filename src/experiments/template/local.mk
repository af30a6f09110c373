# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/template/run.c \
	src/experiments/template/template.c \
	src/experiments/template/source.c \
	src/experiments/template/template.h \
	src/experiments/template/source.h
libtp_experiments_a_SOURCES += src/experiments/template/row.h src/experiments/template/row.c
libtp_experiments_a_SOURCES += \
	src/experiments/template/report.c

# The header of templates, which compilers look for in a folder of its own.
benchdir = $(pkgdatadir)/include
dist_bench_DATA = include/tprof_bench.h

check_PROGRAMS += tests/unit/test_template
TESTS += tests/unit/test_template
tests_unit_test_template_SOURCES = tests/unit/test_template.c tests/unit/printed.h tests/unit/files.h tests/unit/rows.h
tests_unit_test_template_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_template_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/replay_template
TESTS += tests/fuzz/replay_template
tests_fuzz_replay_template_SOURCES = tests/fuzz/fuzz_template.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_template_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"template"'
tests_fuzz_replay_template_LDADD = $(TP_LIBS)
