# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/autotune/autotune.c src/experiments/autotune/autotune.h \
	src/experiments/autotune/run.c \
	src/experiments/autotune/simulated.c \
	src/experiments/autotune/space.c \
	src/experiments/autotune/tuning.c src/experiments/autotune/tuning.h \
	src/experiments/autotune/search.c src/experiments/autotune/search.h \
	src/experiments/autotune/racing.c
libtp_experiments_a_SOURCES += \
	src/experiments/autotune/row.c src/experiments/autotune/row.h
libtp_experiments_a_SOURCES += \
	src/experiments/autotune/report.c src/experiments/autotune/report.h \
	src/experiments/autotune/searches.c src/experiments/autotune/searches.h \
	src/experiments/autotune/pictures.c src/experiments/autotune/pictures.h

# The search needs nothing of a machine: its test and its bench bring an evaluator with a clock of their own.
check_PROGRAMS += tests/unit/test_racing tests/unit/test_tuning tests/bench/tuning_sim
TESTS += tests/unit/test_racing tests/unit/test_tuning
tests_unit_test_racing_SOURCES = tests/unit/test_racing.c tests/unit/tuning_search.h tests/unit/near.h tests/unit/tuning_space.h
tests_unit_test_racing_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_racing_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_tuning_SOURCES = tests/unit/test_tuning.c tests/unit/tuning_search.h tests/unit/near.h tests/unit/tuning_space.h
tests_unit_test_tuning_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_tuning_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_bench_tuning_sim_SOURCES = tests/bench/tuning_sim.c tests/unit/tuning_space.h
tests_bench_tuning_sim_LDADD = $(TP_LIBS)
libtp_tui_a_SOURCES += \
	ui/tui/experiments/autotune.c
