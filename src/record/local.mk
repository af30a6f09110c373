# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_record.a
libtp_record_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libtp_record_a_SOURCES = \
	src/record/dot.c src/record/dot.h \
	src/record/load.c src/record/load.h \
	src/record/event.c src/record/event.h \
	src/record/document.h \
	src/record/json.c \
	src/record/json_schema.c src/record/json_schema.h \
	src/record/point.c src/record/point.h \
	src/record/limits.h \
	src/record/json.h \
	src/record/parse.c \
	src/record/roof.c src/record/roof.h \
	src/record/rundir.c src/record/rundir.h \
	src/record/schema.c src/record/schema.h \
	src/record/run.c src/record/run.h

PROGRAM_TESTS += tests/unit/test_brief tests/unit/test_classes tests/unit/test_own_dots \
	tests/unit/test_csv tests/unit/test_event tests/unit/test_readings tests/unit/test_record \
	tests/unit/test_stored tests/unit/test_trial tests/fuzz/replay_csv tests/fuzz/replay_event \
	tests/fuzz/replay_readings tests/fuzz/replay_run

tests_fuzz_replay_csv_SOURCES = tests/fuzz/fuzz_csv.c tests/fuzz/replay_main.c
tests_fuzz_replay_event_SOURCES = tests/fuzz/fuzz_event.c tests/fuzz/replay_main.c
tests_fuzz_replay_run_SOURCES = tests/fuzz/fuzz_run.c tests/fuzz/replay_main.c
tests_fuzz_replay_readings_SOURCES = tests/fuzz/fuzz_readings.c tests/fuzz/replay_main.c
