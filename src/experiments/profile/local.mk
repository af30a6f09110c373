# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/profile/bands.c src/experiments/profile/bands.h \
	src/experiments/profile/profile.c
libtp_experiments_a_SOURCES += src/experiments/profile/row.c src/experiments/profile/row.h
libtp_experiments_a_SOURCES += src/experiments/profile/report.c src/experiments/profile/report.h
libtp_tui_a_SOURCES += ui/tui/experiments/profile.c

PROGRAM_TESTS += tests/unit/test_profile_bands
