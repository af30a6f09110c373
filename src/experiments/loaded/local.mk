# SPDX-License-Identifier: GPL-3.0-or-later
libtp_preset_a_SOURCES += src/experiments/loaded/loaded.c src/experiments/loaded/loaded.h
libtp_experiments_a_SOURCES += \
	src/experiments/loaded/loaded.c
libtp_record_a_SOURCES += src/experiments/loaded/loaded.c
libtp_report_a_SOURCES += \
	src/experiments/loaded/report.c
