# SPDX-License-Identifier: GPL-3.0-or-later
# Each experiment has a folder and a fragment of its own; a new one is a line here.
noinst_LIBRARIES += libtp_experiments.a
libtp_experiments_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libtp_experiments_a_SOURCES = \
	src/experiments/bench.c src/experiments/bench.h \
	src/experiments/experiment.h \
	src/experiments/list.h \
	src/experiments/estimate.c \
	src/experiments/plan.c \
	src/experiments/registry.c \
	src/experiments/setup.c \
	src/experiments/words.c src/experiments/words.h

include src/experiments/windows/local.mk
include src/experiments/memcurve/local.mk
include src/experiments/latency/local.mk
include src/experiments/loaded/local.mk
include src/experiments/roofline/local.mk
include src/experiments/mixed/local.mk
include src/experiments/gather/local.mk
include src/experiments/asm/local.mk
include src/experiments/spmv/local.mk
include src/experiments/counters/local.mk
include src/experiments/autotune/local.mk
include src/experiments/pattern/local.mk
include src/experiments/program/local.mk
include src/experiments/template/local.mk
include src/experiments/traffic/local.mk
include src/experiments/app/local.mk
include src/experiments/profile/local.mk
