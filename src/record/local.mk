# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_record.a
libtp_record_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libtp_record_a_SOURCES = \
	src/record/dot.c src/record/dot.h \
	src/record/load.c src/record/load.h \
	src/record/event.c src/record/event.h \
	src/record/document.h \
	src/record/json.c \
	src/record/point.c src/record/point.h \
	src/record/limits.h \
	src/record/json.h \
	src/record/parse.c \
	src/record/roof.c src/record/roof.h \
	src/record/rundir.c src/record/rundir.h \
	src/record/schema.c src/record/schema.h \
	src/record/run.c src/record/run.h

check_PROGRAMS += tests/unit/test_brief
TESTS += tests/unit/test_brief
tests_unit_test_brief_SOURCES = tests/unit/test_brief.c tests/unit/files.h
tests_unit_test_brief_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_brief_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_classes tests/unit/test_own_dots tests/unit/test_csv tests/unit/test_event tests/unit/test_readings \
	tests/unit/test_record tests/unit/test_stored tests/unit/test_trial
TESTS += tests/unit/test_classes tests/unit/test_own_dots tests/unit/test_csv tests/unit/test_event tests/unit/test_readings tests/unit/test_record \
	tests/unit/test_stored tests/unit/test_trial

tests_unit_test_classes_SOURCES = tests/unit/test_classes.c tests/unit/files.h tests/unit/class_sample.h tests/unit/near.h
tests_unit_test_classes_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_classes_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_own_dots_SOURCES = tests/unit/test_own_dots.c
tests_unit_test_own_dots_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_own_dots_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_csv_SOURCES = tests/unit/test_csv.c tests/unit/near.h
tests_unit_test_csv_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_csv_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_event_SOURCES = tests/unit/test_event.c tests/unit/near.h
tests_unit_test_event_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_event_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_readings_SOURCES = tests/unit/test_readings.c
tests_unit_test_readings_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_readings_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_record_SOURCES = tests/unit/test_record.c tests/unit/files.h tests/unit/near.h
tests_unit_test_record_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_record_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_stored_SOURCES = tests/unit/test_stored.c tests/unit/files.h
tests_unit_test_stored_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_stored_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_trial_SOURCES = tests/unit/test_trial.c tests/unit/near.h
tests_unit_test_trial_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_trial_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

# The fuzz targets over their corpora, with a main of our own; libFuzzer brings another (see the files).
check_PROGRAMS += tests/fuzz/replay_csv tests/fuzz/replay_event tests/fuzz/replay_readings \
	tests/fuzz/replay_run
TESTS += tests/fuzz/replay_csv tests/fuzz/replay_event tests/fuzz/replay_readings \
	tests/fuzz/replay_run

tests_fuzz_replay_csv_SOURCES = tests/fuzz/fuzz_csv.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_csv_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"csv"'
tests_fuzz_replay_csv_LDADD = $(TP_LIBS)

tests_fuzz_replay_event_SOURCES = tests/fuzz/fuzz_event.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_event_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"event"'
tests_fuzz_replay_event_LDADD = $(TP_LIBS)

tests_fuzz_replay_run_SOURCES = tests/fuzz/fuzz_run.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_run_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"run"'
tests_fuzz_replay_run_LDADD = $(TP_LIBS)

tests_fuzz_replay_readings_SOURCES = tests/fuzz/fuzz_readings.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_readings_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"readings"'
tests_fuzz_replay_readings_LDADD = $(TP_LIBS)
