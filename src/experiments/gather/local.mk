# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += src/experiments/gather/gather.c
libtp_experiments_a_SOURCES += src/experiments/gather/row.c src/experiments/gather/row.h
libtp_experiments_a_SOURCES += src/experiments/gather/report.c src/experiments/gather/report.h

PROGRAM_TESTS += tests/unit/test_gather tests/unit/test_gather_report
