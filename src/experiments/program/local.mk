# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/program/program.c src/experiments/program/program.h \
	src/experiments/program/readings.c src/experiments/program/readings.h
libtp_experiments_a_SOURCES += src/experiments/program/row.h
libtp_experiments_a_SOURCES += src/experiments/program/report.c src/experiments/program/report.h
libtp_tui_a_SOURCES += ui/tui/experiments/program.c

PROGRAM_TESTS += tests/unit/test_program tests/fuzz/replay_program
tests_fuzz_replay_program_SOURCES = tests/fuzz/fuzz_program.c tests/fuzz/replay_main.c
