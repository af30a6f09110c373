# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += src/experiments/latency/latency.c
libtp_experiments_a_SOURCES += src/experiments/latency/report.c
