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

PROGRAM_TESTS += tests/unit/test_papi tests/unit/test_papi_file tests/unit/test_emulation \
	tests/unit/test_emulated tests/unit/test_crew tests/unit/test_wanted
tests_unit_test_papi_LDADD = libtp_counters.a libtp_machine.a libtp_kernels.a libtp_schema.a libtp_base.a $(PAPI_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) -lm

if HAVE_PAPI
# What reads the file that test_papi_file writes: a program that knows PAPI alone.
check_PROGRAMS += tests/unit/papi_check
tests_unit_papi_check_LDADD = $(PAPI_LIBS)
# Packages build only what the unit tests need.
EXTRA_tests_unit_test_papi_file_DEPENDENCIES = tests/unit/papi_check$(EXEEXT)
endif

tests_unit_test_emulation_LDADD = libtp_counters.a libtp_preset.a libtp_machine.a libtp_kernels.a libtp_schema.a libtp_base.a $(PAPI_LIBS) $(ZYDIS_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS) -lm
tests_unit_test_emulated_LDADD = libtp_counters.a libtp_machine.a libtp_kernels.a libtp_schema.a libtp_base.a $(PAPI_LIBS) $(ZYDIS_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS) -lm
tests_unit_test_wanted_LDADD = libtp_counters.a libtp_machine.a libtp_kernels.a libtp_schema.a libtp_base.a $(PAPI_LIBS) $(ZYDIS_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS) -lm
