# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/spmv/spmv.c
libtp_experiments_a_SOURCES += \
	src/experiments/spmv/row.c src/experiments/spmv/row.h
libtp_experiments_a_SOURCES += src/experiments/spmv/report.c
libtp_tui_a_SOURCES += ui/tui/experiments/others.c

PROGRAM_TESTS += tests/unit/test_spmv
