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

check_PROGRAMS += tests/unit/test_progress
TESTS += tests/unit/test_progress
tests_unit_test_progress_SOURCES = tests/unit/test_progress.c tests/unit/files.h
tests_unit_test_progress_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_progress_LDADD = $(LESSON_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/replay_progress
TESTS += tests/fuzz/replay_progress
tests_fuzz_replay_progress_SOURCES = tests/fuzz/fuzz_progress.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_progress_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"progress"'
tests_fuzz_replay_progress_LDADD = $(LESSON_LIBS)

# Lessons: their files, and their values.
check_PROGRAMS += tests/unit/test_lesson_read
TESTS += tests/unit/test_lesson_read
tests_unit_test_lesson_read_SOURCES = tests/unit/test_lesson_read.c tests/unit/files.h
tests_unit_test_lesson_read_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_lesson_read_LDADD = $(LESSON_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_lesson_values
TESTS += tests/unit/test_lesson_values
tests_unit_test_lesson_values_SOURCES = tests/unit/test_lesson_values.c tests/unit/files.h tests/unit/report_run.h
tests_unit_test_lesson_values_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_lesson_values_LDADD = $(LESSON_LIBS) $(CMOCKA_LIBS)

# What the shipped lessons state, held against made-up measurements.
check_PROGRAMS += tests/unit/test_lesson_claims
TESTS += tests/unit/test_lesson_claims
tests_unit_test_lesson_claims_SOURCES = tests/unit/test_lesson_claims.c tests/unit/files.h
tests_unit_test_lesson_claims_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_lesson_claims_LDADD = $(LESSON_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_player
TESTS += tests/unit/test_player
tests_unit_test_player_SOURCES = tests/unit/test_player.c tests/unit/printed.h tests/unit/files.h \
	tests/unit/simulated_run.c tests/unit/simulated_run.h
tests_unit_test_player_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_player_LDADD = $(LESSON_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/replay_lesson
TESTS += tests/fuzz/replay_lesson
tests_fuzz_replay_lesson_SOURCES = tests/fuzz/fuzz_lesson.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_lesson_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"lesson"'
tests_fuzz_replay_lesson_LDADD = $(LESSON_LIBS)

# Lessons on simulated machines: see tests/bench/lessons.c.
check_PROGRAMS += tests/bench/lessons
tests_bench_lessons_SOURCES = tests/bench/lessons.c tests/unit/simulated_lesson.c tests/unit/simulated_lesson.h \
	tests/unit/simulated_run.c tests/unit/simulated_run.h tests/unit/simulated_isa.h
tests_bench_lessons_LDADD = $(LESSON_LIBS)

check_PROGRAMS += tests/unit/test_lesson_simulated
TESTS += tests/unit/test_lesson_simulated
tests_unit_test_lesson_simulated_SOURCES = tests/unit/test_lesson_simulated.c tests/unit/files.h tests/unit/seeds.h \
	tests/unit/simulated_lesson.c tests/unit/simulated_lesson.h tests/unit/simulated_run.c tests/unit/simulated_run.h tests/unit/simulated_isa.h
tests_unit_test_lesson_simulated_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_lesson_simulated_LDADD = $(LESSON_LIBS) $(CMOCKA_LIBS)
