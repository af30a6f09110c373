# SPDX-License-Identifier: GPL-3.0-or-later
libtp_preset_a_SOURCES += src/experiments/mixed/mixed.c src/experiments/mixed/mixed.h
libtp_experiments_a_SOURCES += \
	src/experiments/mixed/mixed.c
libtp_record_a_SOURCES += src/experiments/mixed/mixed.c
libtp_report_a_SOURCES += src/experiments/mixed/report.c
libtp_tui_a_SOURCES += ui/tui/experiments/mixed.c
