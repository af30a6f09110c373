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

PROGRAM_TESTS += tests/unit/test_claim tests/unit/test_buffer tests/unit/test_walk \
	tests/unit/test_core_width tests/unit/test_gauge tests/unit/test_sampler tests/unit/test_chase \
	tests/unit/test_compiled tests/unit/test_steady tests/unit/test_simulation \
	tests/unit/test_disturbances tests/unit/test_simulated_code tests/unit/test_settle
tests_unit_test_compiled_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_unit_test_simulation_SOURCES = tests/unit/test_simulation.c tests/unit/simulated.c
tests_unit_test_disturbances_SOURCES = tests/unit/test_disturbances.c tests/unit/simulated.c
tests_unit_test_simulated_code_SOURCES = tests/unit/test_simulated_code.c tests/unit/simulated.c
tests_unit_test_settle_SOURCES = tests/unit/test_settle.c tests/unit/simulated.c

# By hand, from tests/bench/latency.sh.
check_PROGRAMS += tests/bench/hand_chase
tests_bench_hand_chase_LDADD =

# By hand: what disturbs this machine, as a regime of the simulated one.
check_PROGRAMS += tests/bench/gaps
