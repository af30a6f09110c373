# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/autotune/autotune.c src/experiments/autotune/autotune.h \
	src/experiments/autotune/run.c \
	src/experiments/autotune/simulated.c \
	src/experiments/autotune/space.c \
	src/experiments/autotune/tuning.c src/experiments/autotune/tuning.h \
	src/experiments/autotune/search.c src/experiments/autotune/search.h \
	src/experiments/autotune/racing.c
libtp_experiments_a_SOURCES += \
	src/experiments/autotune/row.c src/experiments/autotune/row.h
libtp_experiments_a_SOURCES += \
	src/experiments/autotune/report.c \
	src/experiments/autotune/searches.c src/experiments/autotune/searches.h \
	src/experiments/autotune/pictures.c src/experiments/autotune/pictures.h

# The search needs nothing of a machine: its test and its bench bring an evaluator with a clock of their own.
PROGRAM_TESTS += tests/unit/test_racing tests/unit/test_tuning
check_PROGRAMS += tests/bench/tuning_sim
libtp_tui_a_SOURCES += \
	ui/tui/experiments/autotune.c
