# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_measure.a
libtp_measure_a_CFLAGS = $(FAST_CFLAGS)
libtp_measure_a_SOURCES = \
	src/measure/buffer.c src/measure/buffer.h \
	src/measure/chase.c src/measure/chase.h \
	src/measure/clock.c src/measure/clock.h \
	src/measure/gauge.c src/measure/gauge.h \
	src/measure/sampler.c src/measure/sampler.h \
	src/measure/race.c \
	src/measure/runner.c src/measure/runner.h \
	src/measure/settle.c src/measure/settle.h \
	src/measure/simulation.h \
	src/measure/simulated/simulated_parts.h \
	src/measure/simulated/truth.c \
	src/measure/simulated/team.c \
	src/measure/simulated/window.c \
	src/measure/simulated/simulation.c \
	src/measure/stop.c src/measure/stop.h \
	src/measure/team.c src/measure/team.h \
	src/measure/team_parts.h \
	src/measure/threads.c

# Threads of OpenMP, apart, because it has flags of its own.
noinst_LIBRARIES += libtp_openmp.a
libtp_openmp_a_SOURCES = src/measure/openmp.c
libtp_openmp_a_CFLAGS = $(FAST_CFLAGS) $(OPENMP_CFLAGS)
MEASURE_LIBS = libtp_measure.a libtp_openmp.a

check_PROGRAMS += tests/unit/test_claim
TESTS += tests/unit/test_claim
tests_unit_test_claim_SOURCES = tests/unit/test_claim.c
tests_unit_test_claim_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_claim_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_buffer tests/unit/test_walk
TESTS += tests/unit/test_buffer tests/unit/test_walk
tests_unit_test_buffer_SOURCES = tests/unit/test_buffer.c
tests_unit_test_buffer_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_buffer_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_walk_SOURCES = tests/unit/test_walk.c
tests_unit_test_walk_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_walk_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_core_width tests/unit/test_gauge tests/unit/test_sampler tests/unit/test_chase
TESTS += tests/unit/test_core_width tests/unit/test_gauge tests/unit/test_sampler tests/unit/test_chase
tests_unit_test_core_width_SOURCES = tests/unit/test_core_width.c tests/unit/near.h
tests_unit_test_core_width_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_core_width_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_gauge_SOURCES = tests/unit/test_gauge.c tests/unit/near.h
tests_unit_test_gauge_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_gauge_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_sampler_SOURCES = tests/unit/test_sampler.c tests/unit/near.h
tests_unit_test_sampler_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sampler_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_chase_SOURCES = tests/unit/test_chase.c
tests_unit_test_chase_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_chase_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_compiled
TESTS += tests/unit/test_compiled
tests_unit_test_compiled_SOURCES = tests/unit/test_compiled.c
tests_unit_test_compiled_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_compiled_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_unit_test_compiled_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_steady
TESTS += tests/unit/test_steady
tests_unit_test_steady_SOURCES = tests/unit/test_steady.c
tests_unit_test_steady_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_steady_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_simulation tests/unit/test_disturbances
TESTS += tests/unit/test_simulation tests/unit/test_disturbances
tests_unit_test_simulation_SOURCES = tests/unit/test_simulation.c tests/unit/simulated.c tests/unit/files.h \
	tests/unit/simulated.h tests/unit/simulated_isa.h tests/unit/near.h
tests_unit_test_simulation_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_simulation_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_disturbances_SOURCES = tests/unit/test_disturbances.c tests/unit/simulated.c \
	tests/unit/simulated.h tests/unit/simulated_isa.h tests/unit/near.h
tests_unit_test_disturbances_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_disturbances_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_simulated_code
TESTS += tests/unit/test_simulated_code
tests_unit_test_simulated_code_SOURCES = tests/unit/test_simulated_code.c tests/unit/simulated.c \
	tests/unit/simulated.h tests/unit/simulated_isa.h tests/unit/near.h
tests_unit_test_simulated_code_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_simulated_code_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_settle
TESTS += tests/unit/test_settle
tests_unit_test_settle_SOURCES = tests/unit/test_settle.c tests/unit/simulated.c \
	tests/unit/simulated.h tests/unit/simulated_isa.h
tests_unit_test_settle_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_settle_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

# By hand, from tests/bench/latency.sh.
check_PROGRAMS += tests/bench/hand_chase
tests_bench_hand_chase_SOURCES = tests/bench/hand_chase.c
tests_bench_hand_chase_LDADD =

# By hand: what disturbs this machine, as a regime of the simulated one.
check_PROGRAMS += tests/bench/gaps
tests_bench_gaps_SOURCES = tests/bench/gaps.c
tests_bench_gaps_LDADD = $(TP_LIBS)
