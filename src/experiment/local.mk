# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_experiment.a
libtp_experiment_a_SOURCES = \
	src/experiment/autotune.c src/experiment/autotune.h \
	src/experiment/autotune_reduce.c \
	src/experiment/autotune_run.c \
	src/experiment/autotune_space.c \
	src/experiment/bench.c src/experiment/bench.h \
	src/experiment/bodies.c src/experiment/bodies.h \
	src/experiment/choices.c \
	src/experiment/count_bench.c src/experiment/count_bench.h \
	src/experiment/counters.c \
	src/experiment/curve.c src/experiment/curve.h \
	src/experiment/experiment.h \
	src/experiment/latency.c \
	src/experiment/loaded.c \
	src/experiment/memcurve.c \
	src/experiment/mixed.c \
	src/experiment/plan.c \
	src/experiment/planner.c src/experiment/planner.h \
	src/experiment/reduce.h \
	src/experiment/roofline.c \
	src/experiment/rows.h \
	src/experiment/setup.c \
	src/experiment/tuning.c src/experiment/tuning.h src/experiment/tuning_parts.h \
	src/experiment/tuning_invoke.c src/experiment/tuning_levels.c \
	src/experiment/tuning_judge.c src/experiment/tuning_race.c src/experiment/tuning_race.h \
	src/experiment/tuning_study.c

# The search needs nothing of a machine: its test and its bench bring an evaluator with a clock of their own.
check_PROGRAMS += tests/unit/test_racing tests/unit/test_tuning tests/bench/tuning_sim
TESTS += tests/unit/test_racing tests/unit/test_tuning
TUNING_FILES = src/experiment/tuning.c src/experiment/tuning_invoke.c src/experiment/tuning_levels.c \
	src/experiment/tuning_judge.c src/experiment/tuning_race.c src/experiment/tuning_race.h \
	src/experiment/tuning_study.c src/measure/stop.c tests/unit/tuning_space.h
tests_unit_test_racing_SOURCES = tests/unit/test_racing.c tests/unit/tuning_search.h tests/unit/near.h $(TUNING_FILES)
tests_unit_test_racing_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_racing_LDADD = libtp_record.a libtp_analysis.a libtp_base.a $(JANSSON_LIBS) $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_tuning_SOURCES = tests/unit/test_tuning.c tests/unit/tuning_search.h tests/unit/near.h $(TUNING_FILES)
tests_unit_test_tuning_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_tuning_LDADD = libtp_record.a libtp_analysis.a libtp_base.a $(JANSSON_LIBS) $(CMOCKA_LIBS) $(GSL_LIBS)
tests_bench_tuning_sim_SOURCES = tests/bench/tuning_sim.c $(TUNING_FILES)
tests_bench_tuning_sim_LDADD = libtp_record.a libtp_analysis.a libtp_base.a $(JANSSON_LIBS) $(GSL_LIBS)
