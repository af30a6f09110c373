# SPDX-License-Identifier: GPL-3.0-or-later
libtp_preset_a_SOURCES += src/experiments/pattern/options.c src/experiments/pattern/options.h
libtp_experiments_a_SOURCES += \
	src/experiments/pattern/code.c \
	src/experiments/pattern/memory.c src/experiments/pattern/memory.h \
	src/experiments/pattern/pattern.c \
	src/experiments/pattern/plan.c src/experiments/pattern/plan_row.h \
	src/experiments/pattern/run.c \
	src/experiments/pattern/sweep.c src/experiments/pattern/sweep.h \
	src/experiments/pattern/validate.c src/experiments/pattern/validate.h
libtp_record_a_SOURCES += src/experiments/pattern/tables.c src/experiments/pattern/row.h
libtp_report_a_SOURCES += src/experiments/pattern/report.c
libtp_tui_a_SOURCES += src/experiments/pattern/screen.c
