# SPDX-License-Identifier: GPL-3.0-or-later
libtp_preset_a_SOURCES += src/experiments/loaded/options.c src/experiments/loaded/options.h
libtp_experiments_a_SOURCES += \
	src/experiments/loaded/loaded.c
libtp_record_a_SOURCES += src/experiments/loaded/tables.c
libtp_report_a_SOURCES += \
	src/experiments/loaded/pictures.c \
	src/experiments/loaded/report.c src/experiments/loaded/report.h
