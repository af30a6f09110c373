# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_session.a
libtp_session_a_SOURCES = \
	src/session/consent.c src/session/consent.h \
	src/session/session.c src/session/session.h \
	src/session/document.c src/session/document.h \
	src/session/doctor.c src/session/doctor.h \
	src/session/facts.c src/session/facts.h \
	src/session/hardware.c src/session/hardware.h \
	src/session/topology.c \
	src/session/learned.c src/session/learned.h \
	src/session/import.c src/session/import.h \
	src/session/keep.c src/session/keep.h \
	src/session/measure.c src/session/measure.h \
	src/session/live.c src/session/live.h

# What a program of the two faces is linked with, behind its face.
SESSION_LIBS = libtp_session.a libtp_engine.a $(TP_LIBS)

# The run as it comes in: the test is its own engine.
PROGRAM_TESTS += tests/unit/test_live tests/unit/test_printed tests/unit/test_found \
	tests/unit/test_estimate tests/unit/test_regimes tests/unit/test_made_up \
	tests/unit/test_curve_levels tests/unit/test_learned tests/unit/test_import tests/fuzz/replay_stored tests/fuzz/replay_learned
tests_fuzz_replay_stored_SOURCES = tests/fuzz/fuzz_stored.c tests/fuzz/replay_main.c
tests_fuzz_replay_learned_SOURCES = tests/fuzz/fuzz_learned.c tests/fuzz/replay_main.c

# Rules of measuring on simulated machines: see tests/bench/matrix.c.
check_PROGRAMS += tests/bench/matrix
tests_bench_matrix_SOURCES = tests/bench/matrix.c tests/unit/simulated_run.c

# Estimates of a plan, against simulated runs of it.
tests_unit_test_estimate_SOURCES = tests/unit/test_estimate.c tests/unit/simulated_run.c
tests_unit_test_regimes_SOURCES = tests/unit/test_regimes.c tests/unit/simulated_run.c
# Searches on simulated machines, whose best configuration is known.
tests_unit_test_made_up_SOURCES = tests/unit/test_made_up.c tests/unit/simulated_run.c
tests_unit_test_curve_levels_SOURCES = tests/unit/test_curve_levels.c tests/unit/simulated_run.c
