# SPDX-License-Identifier: GPL-3.0-or-later
# What people see of the command line: reports, plots, lists, progress. Included by local.mk.
noinst_LIBRARIES += libtp_face.a
libtp_face_a_SOURCES = \
	src/cli/cli.h \
	src/cli/dump.c src/cli/dump.h \
	src/cli/list.c src/cli/list.h src/cli/list_counters.c \
	src/cli/look.c src/cli/look.h \
	src/cli/plan_text.c \
	src/cli/progress.c \
	src/cli/session.c

check_PROGRAMS += tests/unit/test_dump tests/unit/test_face tests/unit/test_tprof_man tests/unit/test_results_man
TESTS += tests/unit/test_dump tests/unit/test_face tests/unit/test_tprof_man tests/unit/test_results_man

FACE_TEST_LIBS = libtp_face.a libtp_report.a libtp_experiment.a $(ROUTINES_LIBS) libtp_measure.a libtp_counters.a libtp_preset.a libtp_record.a libtp_plot.a libtp_machine.a libtp_kernels.a libtp_analysis.a libtp_base.a \
	$(HWLOC_LIBS) $(YAML_LIBS) $(JANSSON_LIBS) $(GSL_LIBS) $(PAPI_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) $(ROUTINES_FLAGS) -lm

tests_unit_test_dump_SOURCES = tests/unit/test_dump.c
tests_unit_test_dump_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_dump_LDADD = $(FACE_TEST_LIBS)

tests_unit_test_face_SOURCES = tests/unit/test_face.c tests/unit/report_run.h
tests_unit_test_face_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_face_LDADD = $(FACE_TEST_LIBS)

man_page = tests/unit/man_page.c tests/unit/man_page.h tests/unit/files.h

tests_unit_test_tprof_man_SOURCES = tests/unit/test_tprof_man.c $(man_page)
tests_unit_test_tprof_man_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_tprof_man_LDADD = libtp_base.a $(CMOCKA_LIBS)

tests_unit_test_results_man_SOURCES = tests/unit/test_results_man.c tests/unit/class_sample.h $(man_page)
tests_unit_test_results_man_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_results_man_LDADD = libtp_record.a libtp_base.a $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
