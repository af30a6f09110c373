# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_measure.a
libtp_measure_a_SOURCES = \
	src/measure/buffer.c src/measure/buffer.h \
	src/measure/clock.c src/measure/clock.h \
	src/measure/race.c \
	src/measure/runner.c src/measure/runner.h \
	src/measure/sampler.c src/measure/sampler.h \
	src/measure/stop.c src/measure/stop.h \
	src/measure/team.c src/measure/team.h
