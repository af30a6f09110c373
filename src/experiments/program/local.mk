# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/program/program.c src/experiments/program/program.h \
	src/experiments/program/readings.c src/experiments/program/readings.h
libtp_experiments_a_SOURCES += src/experiments/program/row.h
libtp_experiments_a_SOURCES += src/experiments/program/report.c src/experiments/program/report.h
libtp_tui_a_SOURCES += ui/tui/experiments/program.c

check_PROGRAMS += tests/unit/test_program
TESTS += tests/unit/test_program
tests_unit_test_program_SOURCES = tests/unit/test_program.c tests/unit/printed.h tests/unit/rows.h
tests_unit_test_program_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_program_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/replay_program
TESTS += tests/fuzz/replay_program
tests_fuzz_replay_program_SOURCES = tests/fuzz/fuzz_program.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_program_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"program"'
tests_fuzz_replay_program_LDADD = $(TP_LIBS)
