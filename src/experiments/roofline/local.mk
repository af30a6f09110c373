# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += src/experiments/roofline/roofline.c
libtp_experiments_a_SOURCES += \
	src/experiments/roofline/pictures.c src/experiments/roofline/pictures.h \
	src/experiments/roofline/report.c
libtp_tui_a_SOURCES += ui/tui/experiments/roofline.c ui/tui/experiments/roofline.h
