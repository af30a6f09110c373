# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/counters/cat.c src/experiments/counters/cat.h \
	src/experiments/counters/classify.c src/experiments/counters/classify.h \
	src/experiments/counters/counters.c \
	src/experiments/counters/papi_file.c src/experiments/counters/papi_file.h
libtp_experiments_a_SOURCES += \
	src/experiments/counters/row.c \
	src/experiments/counters/classes.c src/experiments/counters/classes.h \
	src/experiments/counters/row.h \
	src/experiments/counters/readings.c src/experiments/counters/readings.h
libtp_experiments_a_SOURCES += \
	src/experiments/counters/pictures.c src/experiments/counters/pictures.h \
	src/experiments/counters/report.c src/experiments/counters/report.h \
	src/experiments/counters/words.c src/experiments/counters/words.h
libtp_tui_a_SOURCES += \
	ui/tui/experiments/counters.c \
	ui/tui/experiments/counters_pages.c \
	ui/tui/experiments/counters_pages.h

PROGRAM_TESTS += tests/unit/test_class tests/unit/test_cat tests/fuzz/replay_cat

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
tests_fuzz_replay_cat_SOURCES = tests/fuzz/fuzz_cat.c tests/fuzz/replay_main.c
