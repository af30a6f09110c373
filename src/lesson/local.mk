# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_lesson.a
libtp_lesson_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libtp_lesson_a_SOURCES = \
	src/lesson/values.c \
	src/lesson/lesson.c \
	src/lesson/learners.c src/lesson/learners.h \
	src/lesson/report.c src/lesson/report.h \
	src/lesson/progress.c \
	src/lesson/lesson.h \
	src/lesson/names.h src/lesson/names.c \
	src/lesson/player.c src/lesson/player.h \
	src/lesson/progress.h \
	src/lesson/read.c \
	src/lesson/values.h

# What a program of the two faces is linked with for lessons, before SESSION_LIBS.
LESSON_LIBS = libtp_lesson.a $(SESSION_LIBS)

PROGRAM_TESTS += tests/unit/test_progress tests/fuzz/replay_progress tests/unit/test_lesson_read \
	tests/unit/test_lesson_values tests/unit/test_lesson_claims tests/unit/test_player \
	tests/fuzz/replay_lesson tests/unit/test_lesson_simulated
tests_fuzz_replay_progress_SOURCES = tests/fuzz/fuzz_progress.c tests/fuzz/replay_main.c

tests_unit_test_player_SOURCES = tests/unit/test_player.c tests/unit/simulated_run.c
tests_fuzz_replay_lesson_SOURCES = tests/fuzz/fuzz_lesson.c tests/fuzz/replay_main.c

# Lessons on simulated machines: see tests/bench/lessons.c.
check_PROGRAMS += tests/bench/lessons
tests_bench_lessons_SOURCES = tests/bench/lessons.c tests/unit/simulated_lesson.c tests/unit/simulated_run.c
tests_unit_test_lesson_simulated_SOURCES = tests/unit/test_lesson_simulated.c tests/unit/simulated_lesson.c tests/unit/simulated_run.c
