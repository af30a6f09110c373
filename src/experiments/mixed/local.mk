# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += src/experiments/mixed/mixed.c
libtp_experiments_a_SOURCES += src/experiments/mixed/report.c
libtp_tui_a_SOURCES += ui/tui/experiments/mixed.c
