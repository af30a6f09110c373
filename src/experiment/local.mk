# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_experiment.a
libtp_experiment_a_SOURCES = \
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
	src/experiment/setup.c
