# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_counters.a
libtp_counters_a_SOURCES = \
	src/counters/crew.c src/counters/crew.h \
	src/counters/emulation.c src/counters/emulation.h \
	src/counters/emulated.c src/counters/emulated.h \
	src/counters/papi.h \
	src/counters/papi_probe.h \
	src/counters/perf.c \
	src/counters/source.c src/counters/source.h \
	src/counters/stepped.c src/counters/stepped.h \
	src/counters/sources.c src/counters/sources.h
if HAVE_PAPI
libtp_counters_a_SOURCES += \
	src/counters/papi.c \
	src/counters/papi_probe.c
else
libtp_counters_a_SOURCES += src/counters/papi_none.c
endif

check_PROGRAMS += tests/unit/test_papi tests/unit/test_papi_file
TESTS += tests/unit/test_papi tests/unit/test_papi_file
tests_unit_test_papi_SOURCES = tests/unit/test_papi.c
tests_unit_test_papi_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_papi_LDADD = libtp_counters.a libtp_machine.a libtp_kernels.a libtp_schema.a libtp_base.a \
	$(PAPI_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) -lm
tests_unit_test_papi_file_SOURCES = tests/unit/test_papi_file.c
tests_unit_test_papi_file_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_papi_file_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

if HAVE_PAPI
# What reads the file that test_papi_file writes: a program that knows PAPI alone.
check_PROGRAMS += tests/unit/papi_check
tests_unit_papi_check_SOURCES = tests/unit/papi_check.c
tests_unit_papi_check_LDADD = $(PAPI_LIBS)
endif

check_PROGRAMS += tests/unit/test_emulation
TESTS += tests/unit/test_emulation
tests_unit_test_emulation_SOURCES = tests/unit/test_emulation.c tests/unit/files.h
tests_unit_test_emulation_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_emulation_LDADD = \
	libtp_counters.a libtp_preset.a libtp_machine.a libtp_kernels.a libtp_schema.a libtp_base.a \
	$(PAPI_LIBS) $(ZYDIS_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/test_emulated
TESTS += tests/unit/test_emulated
tests_unit_test_emulated_SOURCES = tests/unit/test_emulated.c
tests_unit_test_emulated_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_emulated_LDADD = \
	libtp_counters.a libtp_machine.a libtp_kernels.a libtp_schema.a libtp_base.a \
	$(PAPI_LIBS) $(ZYDIS_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/test_crew
TESTS += tests/unit/test_crew
tests_unit_test_crew_SOURCES = tests/unit/test_crew.c
tests_unit_test_crew_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_crew_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_wanted
TESTS += tests/unit/test_wanted
tests_unit_test_wanted_SOURCES = tests/unit/test_wanted.c
tests_unit_test_wanted_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_wanted_LDADD = \
	libtp_counters.a libtp_machine.a libtp_kernels.a libtp_schema.a libtp_base.a \
	$(PAPI_LIBS) $(ZYDIS_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS) -lm
