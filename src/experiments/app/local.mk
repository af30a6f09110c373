# SPDX-License-Identifier: GPL-3.0-or-later
libtp_record_a_SOURCES += \
	src/experiments/app/app_row.c src/experiments/app/app_row.h \
	src/experiments/app/tables.c
