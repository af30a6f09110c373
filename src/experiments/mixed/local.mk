# SPDX-License-Identifier: GPL-3.0-or-later
libtp_preset_a_SOURCES += src/experiments/mixed/options.c src/experiments/mixed/options.h
libtp_experiments_a_SOURCES += \
	src/experiments/mixed/mixed.c
libtp_record_a_SOURCES += \
	src/experiments/mixed/tables.c \
	src/experiments/mixed/dot.c \
	src/record/dot.h
libtp_report_a_SOURCES += src/experiments/mixed/report.c
libtp_tui_a_SOURCES += \
	src/experiments/mixed/screen.c \
	src/experiments/mixed/screen.h \
	src/experiments/mixed/screen_dot.c
