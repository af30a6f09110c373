# SPDX-License-Identifier: GPL-3.0-or-later
libtp_preset_a_SOURCES += src/experiments/autotune/options.c src/experiments/autotune/options.h
libtp_experiments_a_SOURCES += \
	src/experiments/autotune/autotune.c \
	src/experiments/autotune/autotune.h \
	src/experiments/autotune/autotune_reduce.c \
	src/experiments/autotune/autotune_run.c \
	src/experiments/autotune/autotune_space.c \
	src/experiments/autotune/tuning.c \
	src/experiments/autotune/tuning.h \
	src/experiments/autotune/tuning_invoke.c \
	src/experiments/autotune/tuning_judge.c \
	src/experiments/autotune/tuning_levels.c \
	src/experiments/autotune/tuning_parts.h \
	src/experiments/autotune/tuning_race.c \
	src/experiments/autotune/tuning_race.h \
	src/experiments/autotune/tuning_study.c
libtp_record_a_SOURCES += \
	src/experiments/autotune/tables.c \
	src/experiments/autotune/search_row.c \
	src/experiments/autotune/search_row.h \
	src/experiments/autotune/trial.c \
	src/experiments/autotune/trial.h
libtp_report_a_SOURCES += \
	src/experiments/autotune/conclude.c \
	src/experiments/autotune/conclude.h \
	src/experiments/autotune/heat.c \
	src/experiments/autotune/pictures.c \
	src/experiments/autotune/report.c \
	src/experiments/autotune/report.h \
	src/experiments/autotune/searched.c

# The search needs nothing of a machine: its test and its bench bring an evaluator with a clock of their own.
check_PROGRAMS += tests/unit/test_racing tests/unit/test_tuning tests/bench/tuning_sim
TESTS += tests/unit/test_racing tests/unit/test_tuning
TUNING_FILES = src/experiments/autotune/tuning.c src/experiments/autotune/tuning_invoke.c src/experiments/autotune/tuning_levels.c \
	src/experiments/autotune/tuning_judge.c src/experiments/autotune/tuning_race.c src/experiments/autotune/tuning_race.h \
	src/experiments/autotune/tuning_study.c src/measure/stop.c tests/unit/tuning_space.h
tests_unit_test_racing_SOURCES = tests/unit/test_racing.c tests/unit/tuning_search.h tests/unit/near.h $(TUNING_FILES)
tests_unit_test_racing_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_racing_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_tuning_SOURCES = tests/unit/test_tuning.c tests/unit/tuning_search.h tests/unit/near.h $(TUNING_FILES)
tests_unit_test_tuning_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_tuning_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_bench_tuning_sim_SOURCES = tests/bench/tuning_sim.c $(TUNING_FILES)
tests_bench_tuning_sim_LDADD = $(TP_LIBS)
libtp_tui_a_SOURCES += \
	ui/tui/experiments/autotune.c
