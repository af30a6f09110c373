# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += src/experiments/traffic/traffic.c src/experiments/traffic/traffic.h
libtp_experiments_a_SOURCES += src/experiments/traffic/report.c
libtp_tui_a_SOURCES += ui/tui/experiments/traffic.c

PROGRAM_TESTS += tests/unit/test_traffic
