# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_analysis.a
libtp_analysis_a_CPPFLAGS = $(AM_CPPFLAGS) $(GSL_CFLAGS)
# Trees of a forest are shared out over threads: programs that use forests link with these flags, too.
libtp_analysis_a_CFLAGS = $(FAST_CFLAGS) $(OPENMP_CFLAGS)
libtp_analysis_a_SOURCES = \
	src/analysis/density.c \
	src/analysis/tree.c \
	src/analysis/changes.c src/analysis/changes.h \
	src/analysis/classify.c src/analysis/classify.h \
	src/analysis/linear.c \
	src/analysis/dataset.h \
	src/analysis/density.h \
	src/analysis/difference.c src/analysis/difference.h \
	src/analysis/forest.c src/analysis/forest.h \
	src/analysis/kmeans.c src/analysis/kmeans.h \
	src/analysis/plateau.c src/analysis/plateau.h \
	src/analysis/linear.h \
	src/analysis/outliers.c src/analysis/outliers.h \
	src/analysis/quality.c src/analysis/quality.h \
	src/analysis/stats.c src/analysis/stats.h \
	src/analysis/stencil.c src/analysis/stencil.h \
	src/analysis/tree.h \
	src/analysis/tree_parts.h

check_PROGRAMS += tests/bench/classify_bench tests/bench/learn_compare tests/bench/tree_time
PROGRAM_TESTS += tests/unit/test_changes tests/unit/test_classify tests/unit/test_classify_planted \
	tests/unit/test_density tests/unit/test_difference tests/unit/test_forest tests/unit/test_kmeans \
	tests/unit/test_last_level tests/unit/test_learn tests/unit/test_linear tests/unit/test_outliers \
	tests/unit/test_plateau tests/unit/test_plateau_soft tests/unit/test_roofs tests/unit/test_stats \
	tests/unit/test_stencil tests/unit/test_stop tests/unit/test_tlb tests/unit/test_tree
tests_bench_classify_bench_LDADD = libtp_analysis.a libtp_base.a $(GSL_LIBS)
tests_bench_learn_compare_SOURCES = tests/bench/learn_compare.c tests/unit/learn_reference.c
tests_bench_learn_compare_LDADD = libtp_analysis.a libtp_base.a $(GSL_LIBS) $(OPENMP_CFLAGS)
tests_bench_tree_time_LDADD = libtp_analysis.a libtp_base.a $(GSL_LIBS)
tests_unit_test_changes_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_classify_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_classify_planted_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_density_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_difference_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_forest_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_unit_test_forest_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_kmeans_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_learn_SOURCES = tests/unit/test_learn.c tests/unit/learn_reference.c
tests_unit_test_learn_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS) $(OPENMP_CFLAGS)
tests_unit_test_linear_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_last_level_LDADD = libtp_analysis.a libtp_base.a $(GSL_LIBS) $(CMOCKA_LIBS)
tests_unit_test_outliers_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_plateau_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_plateau_soft_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_roofs_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_stats_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_stencil_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS)

# The stop rules belong to measure, but need nothing from it.
tests_unit_test_stop_SOURCES = tests/unit/test_stop.c src/measure/stop.c
tests_unit_test_stop_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_tlb_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
tests_unit_test_tree_LDADD = libtp_analysis.a libtp_base.a $(CMOCKA_LIBS) $(GSL_LIBS)
