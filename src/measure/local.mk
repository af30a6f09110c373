# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_measure.a
libtp_measure_a_SOURCES = \
	src/measure/buffer.c src/measure/buffer.h \
	src/measure/claim.c src/measure/claim.h \
	src/measure/chase.c src/measure/chase.h \
	src/measure/clock.c src/measure/clock.h \
	src/measure/gauge.c src/measure/gauge.h \
	src/measure/race.c \
	src/measure/runner.c src/measure/runner.h \
	src/measure/sampler.c src/measure/sampler.h \
	src/measure/stop.c src/measure/stop.h \
	src/measure/team.c src/measure/team.h

check_PROGRAMS += tests/unit/test_claim
TESTS += tests/unit/test_claim
tests_unit_test_claim_SOURCES = tests/unit/test_claim.c
tests_unit_test_claim_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_claim_LDADD = libtp_measure.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_core_width tests/unit/test_sampler tests/unit/test_chase
TESTS += tests/unit/test_core_width tests/unit/test_sampler tests/unit/test_chase
tests_unit_test_core_width_SOURCES = tests/unit/test_core_width.c tests/unit/near.h
tests_unit_test_core_width_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_core_width_LDADD = \
	libtp_measure.a libtp_kernels.a libtp_machine.a libtp_record.a libtp_analysis.a libtp_base.a \
	$(ZYDIS_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(JANSSON_LIBS) $(GSL_LIBS) $(CMOCKA_LIBS)
tests_unit_test_sampler_SOURCES = tests/unit/test_sampler.c tests/unit/near.h
tests_unit_test_sampler_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sampler_LDADD = \
	libtp_measure.a libtp_kernels.a libtp_machine.a libtp_record.a libtp_analysis.a libtp_base.a \
	$(ZYDIS_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(JANSSON_LIBS) $(GSL_LIBS) $(CMOCKA_LIBS)

tests_unit_test_chase_SOURCES = tests/unit/test_chase.c
tests_unit_test_chase_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_chase_LDADD = \
	libtp_measure.a libtp_kernels.a libtp_machine.a libtp_record.a libtp_analysis.a libtp_base.a \
	$(ZYDIS_LIBS) $(HWLOC_LIBS) $(YAML_LIBS) $(JANSSON_LIBS) $(GSL_LIBS) $(CMOCKA_LIBS)
