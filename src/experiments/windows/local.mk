# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/windows/bench.c src/experiments/windows/bench.h \
	src/experiments/windows/bodies.c \
	src/experiments/windows/compiled.c src/experiments/windows/compiled.h \
	src/experiments/windows/counting.c src/experiments/windows/counting.h \
	src/experiments/windows/curve.c src/experiments/windows/curve.h \
	src/experiments/windows/planner.c src/experiments/windows/planner.h \
	src/experiments/windows/repeat.c src/experiments/windows/repeat.h \
	src/experiments/windows/sweep.c src/experiments/windows/sweep.h \
	src/experiments/windows/roofs.c src/experiments/windows/roofs.h
libtp_experiments_a_SOURCES += src/experiments/windows/quality.c src/experiments/windows/quality.h
libtp_experiments_a_SOURCES += src/experiments/windows/report.c src/experiments/windows/report.h
libtp_tui_a_SOURCES += ui/tui/experiments/windows.c

check_PROGRAMS += tests/unit/test_race tests/unit/test_large tests/unit/test_papers
TESTS += tests/unit/test_race tests/unit/test_large tests/unit/test_papers
tests_unit_test_papers_SOURCES = tests/unit/test_papers.c tests/unit/simulated.c tests/unit/simulated.h tests/unit/simulated_isa.h
tests_unit_test_papers_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_papers_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_large_SOURCES = tests/unit/test_large.c tests/unit/simulated.c tests/unit/simulated.h tests/unit/simulated_isa.h
tests_unit_test_large_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_large_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_race_SOURCES = tests/unit/test_race.c tests/unit/seeds.h tests/unit/simulated.c tests/unit/simulated.h tests/unit/simulated_isa.h
tests_unit_test_race_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_race_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_level_bytes
TESTS += tests/unit/test_level_bytes
tests_unit_test_level_bytes_SOURCES = tests/unit/test_level_bytes.c
tests_unit_test_level_bytes_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_level_bytes_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_quality
TESTS += tests/unit/test_quality
tests_unit_test_quality_SOURCES = tests/unit/test_quality.c
tests_unit_test_quality_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_quality_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_counting
TESTS += tests/unit/test_counting
tests_unit_test_counting_SOURCES = tests/unit/test_counting.c tests/unit/printed.h
tests_unit_test_counting_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_counting_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_repeat
TESTS += tests/unit/test_repeat
tests_unit_test_repeat_SOURCES = tests/unit/test_repeat.c tests/unit/all_options.h
tests_unit_test_repeat_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_repeat_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_edges
TESTS += tests/unit/test_edges
tests_unit_test_edges_SOURCES = tests/unit/test_edges.c tests/unit/files.h tests/unit/report_run.h tests/unit/rows.h
tests_unit_test_edges_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_edges_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
