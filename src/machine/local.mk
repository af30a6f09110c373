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

PROGRAM_TESTS += tests/unit/test_environ tests/unit/test_health tests/unit/test_knobs \
	tests/unit/test_machine tests/unit/test_model tests/unit/test_model_match \
	tests/unit/test_model_ports tests/fuzz/replay_model tests/fuzz/replay_knobs tests/unit/test_aside
tests_unit_test_environ_LDADD = $(MACHINE_TEST_LIBS)
tests_unit_test_health_LDADD = $(MACHINE_TEST_LIBS)
tests_unit_test_knobs_LDADD = $(MACHINE_TEST_LIBS)
tests_unit_test_machine_LDADD = $(MACHINE_TEST_LIBS)
tests_unit_test_model_LDADD = $(MACHINE_TEST_LIBS)
tests_unit_test_model_match_LDADD = $(MACHINE_TEST_LIBS)
tests_unit_test_model_ports_LDADD = $(MACHINE_TEST_LIBS)

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
tests_fuzz_replay_model_SOURCES = tests/fuzz/fuzz_model.c tests/fuzz/replay_main.c
tests_fuzz_replay_knobs_SOURCES = tests/fuzz/fuzz_knobs.c tests/fuzz/replay_main.c
tests_fuzz_replay_knobs_LDADD = libtp_machine.a libtp_schema.a libtp_base.a $(HWLOC_LIBS) $(YAML_LIBS)
tests_fuzz_replay_model_LDADD = libtp_machine.a libtp_schema.a libtp_base.a $(HWLOC_LIBS) $(YAML_LIBS)
