# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_machine.a
libtp_machine_a_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
libtp_machine_a_SOURCES = \
	src/machine/place.c src/machine/place.h \
	src/machine/environ.c \
	src/machine/detect.h \
	src/machine/machine.c \
	src/machine/topology.c \
	src/machine/health.c src/machine/health.h \
	src/machine/knobs.c src/machine/knobs.h \
	src/machine/knobs_held.c src/machine/knobs_held.h \
	src/machine/machine.h \
	src/machine/model.c \
	src/machine/model_choose.c

MACHINE_TEST_LIBS = libtp_machine.a libtp_schema.a libtp_base.a $(CMOCKA_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) -lm

check_PROGRAMS += tests/unit/test_environ tests/unit/test_health tests/unit/test_knobs \
	tests/unit/test_machine tests/unit/test_model tests/unit/test_model_match \
	tests/unit/test_model_ports
TESTS += tests/unit/test_environ tests/unit/test_health tests/unit/test_knobs \
	tests/unit/test_machine tests/unit/test_model tests/unit/test_model_match \
	tests/unit/test_model_ports

tests_unit_test_environ_SOURCES = tests/unit/test_environ.c tests/unit/files.h
tests_unit_test_environ_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_environ_LDADD = $(MACHINE_TEST_LIBS)

tests_unit_test_health_SOURCES = tests/unit/test_health.c tests/unit/files.h
tests_unit_test_health_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_health_LDADD = $(MACHINE_TEST_LIBS)

tests_unit_test_knobs_SOURCES = tests/unit/test_knobs.c tests/unit/files.h
tests_unit_test_knobs_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_knobs_LDADD = $(MACHINE_TEST_LIBS)

tests_unit_test_machine_SOURCES = tests/unit/test_machine.c tests/unit/files.h
tests_unit_test_machine_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_machine_LDADD = $(MACHINE_TEST_LIBS)

tests_unit_test_model_SOURCES = tests/unit/test_model.c tests/unit/files.h tests/unit/near.h
tests_unit_test_model_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_model_LDADD = $(MACHINE_TEST_LIBS)

tests_unit_test_model_match_SOURCES = tests/unit/test_model_match.c tests/unit/files.h
tests_unit_test_model_match_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_model_match_LDADD = $(MACHINE_TEST_LIBS)

tests_unit_test_model_ports_SOURCES = tests/unit/test_model_ports.c tests/unit/files.h tests/unit/near.h
tests_unit_test_model_ports_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_model_ports_LDADD = $(MACHINE_TEST_LIBS)

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
check_PROGRAMS += tests/fuzz/replay_model
TESTS += tests/fuzz/replay_model
tests_fuzz_replay_model_SOURCES = tests/fuzz/fuzz_model.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_model_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"model"'
tests_fuzz_replay_model_LDADD = libtp_machine.a libtp_schema.a libtp_base.a $(HWLOC_LIBS) $(YAML_LIBS)

check_PROGRAMS += tests/unit/test_aside
TESTS += tests/unit/test_aside
tests_unit_test_aside_SOURCES = tests/unit/test_aside.c
tests_unit_test_aside_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_aside_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
