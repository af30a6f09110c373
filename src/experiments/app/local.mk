# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/app/app.c \
	src/experiments/app/formulas.c \
	src/experiments/app/run.c src/experiments/app/run.h \
	src/experiments/app/same.c src/experiments/app/same.h \
	src/experiments/app/streams.c src/experiments/app/streams.h
libtp_experiments_a_SOURCES += src/experiments/app/row.c src/experiments/app/row.h
libtp_experiments_a_SOURCES += \
	src/experiments/app/place.c src/experiments/app/place.h \
	src/experiments/app/processes.c src/experiments/app/processes.h \
	src/experiments/app/report.c src/experiments/app/report.h
libtp_tui_a_SOURCES += ui/tui/experiments/app.c

PROGRAM_TESTS += tests/unit/test_app tests/unit/test_app_advice tests/unit/test_app_found
# A run of counter classification with blanks, for formulas that programs are counted by.
EXTRA_DIST += tests/app/classified.json
