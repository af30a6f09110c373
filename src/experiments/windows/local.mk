# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/windows/bench.c src/experiments/windows/bench.h \
	src/experiments/windows/bodies.c \
	src/experiments/windows/compiled.c src/experiments/windows/compiled.h \
	src/experiments/windows/counting.c src/experiments/windows/counting.h \
	src/experiments/windows/curve.c src/experiments/windows/curve.h \
	src/experiments/windows/planner.c src/experiments/windows/planner.h \
	src/experiments/windows/repeat.c src/experiments/windows/repeat.h \
	src/experiments/windows/sweep.c src/experiments/windows/sweep.h \
	src/experiments/windows/roofs.c src/experiments/windows/roofs.h
libtp_experiments_a_SOURCES += src/experiments/windows/quality.c src/experiments/windows/quality.h
libtp_experiments_a_SOURCES += src/experiments/windows/report.c src/experiments/windows/report.h
libtp_tui_a_SOURCES += ui/tui/experiments/windows.c

PROGRAM_TESTS += tests/unit/test_race tests/unit/test_large tests/unit/test_papers \
	tests/unit/test_level_bytes tests/unit/test_quality tests/unit/test_counting \
	tests/unit/test_repeat tests/unit/test_edges
tests_unit_test_papers_SOURCES = tests/unit/test_papers.c tests/unit/simulated.c
tests_unit_test_large_SOURCES = tests/unit/test_large.c tests/unit/simulated.c
tests_unit_test_race_SOURCES = tests/unit/test_race.c tests/unit/simulated.c
