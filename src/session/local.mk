# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_session.a
libtp_session_a_SOURCES = \
	src/session/consent.c src/session/consent.h \
	src/session/session.c src/session/session.h \
	src/session/document.c src/session/document.h \
	src/session/doctor.c src/session/doctor.h \
	src/session/facts.c src/session/facts.h \
	src/session/learned.c src/session/learned.h \
	src/session/keep.c src/session/keep.h \
	src/session/measure.c src/session/measure.h \
	src/session/live.c src/session/live.h

# What a program of the two faces is linked with, behind its face.
SESSION_LIBS = libtp_session.a libtp_engine.a $(TP_LIBS)

# The run as it comes in: the test is its own engine.
check_PROGRAMS += tests/unit/test_live
TESTS += tests/unit/test_live
tests_unit_test_live_SOURCES = tests/unit/test_live.c tests/unit/files.h
tests_unit_test_live_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_live_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)

# What programs of a run print.
check_PROGRAMS += tests/unit/test_printed
TESTS += tests/unit/test_printed
tests_unit_test_printed_SOURCES = tests/unit/test_printed.c tests/unit/files.h
tests_unit_test_printed_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_printed_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)

# What stored runs found out about the machine.
check_PROGRAMS += tests/unit/test_found
TESTS += tests/unit/test_found
tests_unit_test_found_SOURCES = tests/unit/test_found.c
tests_unit_test_found_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_found_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)

# Rules of measuring on simulated machines: see tests/bench/matrix.c.
check_PROGRAMS += tests/bench/matrix
tests_bench_matrix_SOURCES = tests/bench/matrix.c tests/unit/simulated_run.c tests/unit/simulated_run.h tests/unit/simulated_isa.h
tests_bench_matrix_LDADD = $(SESSION_LIBS)

# Estimates of a plan, against simulated runs of it.
check_PROGRAMS += tests/unit/test_estimate
TESTS += tests/unit/test_estimate
tests_unit_test_estimate_SOURCES = tests/unit/test_estimate.c tests/unit/files.h \
	tests/unit/simulated_run.c tests/unit/simulated_run.h tests/unit/simulated_isa.h
tests_unit_test_estimate_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_estimate_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_regimes
TESTS += tests/unit/test_regimes
tests_unit_test_regimes_SOURCES = tests/unit/test_regimes.c tests/unit/seeds.h tests/unit/simulated_run.c tests/unit/simulated_run.h tests/unit/simulated_isa.h
tests_unit_test_regimes_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_regimes_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
# Searches on simulated machines, whose best configuration is known.
check_PROGRAMS += tests/unit/test_made_up
TESTS += tests/unit/test_made_up
tests_unit_test_made_up_SOURCES = tests/unit/test_made_up.c tests/unit/near.h tests/unit/simulated_run.c tests/unit/simulated_run.h tests/unit/simulated_isa.h
tests_unit_test_made_up_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_made_up_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_curve_levels
TESTS += tests/unit/test_curve_levels
tests_unit_test_curve_levels_SOURCES = tests/unit/test_curve_levels.c tests/unit/seeds.h \
	tests/unit/simulated_run.c tests/unit/simulated_run.h tests/unit/simulated_isa.h
tests_unit_test_curve_levels_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_curve_levels_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)

# Estimates that earlier runs correct.
check_PROGRAMS += tests/unit/test_learned
TESTS += tests/unit/test_learned
tests_unit_test_learned_SOURCES = tests/unit/test_learned.c tests/unit/files.h
tests_unit_test_learned_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_learned_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
