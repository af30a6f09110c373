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

PROGRAM_TESTS += tests/unit/test_template tests/fuzz/replay_template
tests_fuzz_replay_template_SOURCES = tests/fuzz/fuzz_template.c tests/fuzz/replay_main.c
