# SPDX-License-Identifier: GPL-3.0-or-later
libtp_preset_a_SOURCES += src/experiments/template/options.c src/experiments/template/options.h
libtp_experiments_a_SOURCES += \
	src/experiments/template/known.c \
	src/experiments/template/plan.c src/experiments/template/plan_row.h \
	src/experiments/template/run.c \
	src/experiments/template/source.c src/experiments/template/source.h \
	src/experiments/template/template.c \
	src/experiments/template/variant.c
libtp_record_a_SOURCES += src/experiments/template/row.h src/experiments/template/tables.c
libtp_report_a_SOURCES += src/experiments/template/report.c
libtp_tui_a_SOURCES += src/experiments/template/screen.c

# The header of templates, which compilers look for in a folder of its own.
benchdir = $(pkgdatadir)/include
dist_bench_DATA = include/tprof_bench.h
