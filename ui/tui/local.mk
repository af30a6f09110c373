# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_tui.a
libtp_tui_a_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSESW_CFLAGS)
libtp_tui_a_SOURCES = \
	ui/tui/app.c ui/tui/app.h \
	ui/tui/app_frame.c ui/tui/app_frame.h \
	ui/tui/autotune_map.c \
	ui/tui/autotune_view.h \
	ui/tui/autotune_words.c \
	ui/tui/cell.h \
	ui/tui/comparison.c ui/tui/comparison.h \
	ui/tui/control.c ui/tui/control.h \
	ui/tui/counters_events.c \
	ui/tui/counters_formulas.c \
	ui/tui/counters_head.c \
	ui/tui/counters_plots.c \
	ui/tui/counters_progress.c ui/tui/counters_progress.h \
	ui/tui/counters_view.h \
	ui/tui/doc.c ui/tui/doc.h \
	ui/tui/export_run.c ui/tui/export_run.h \
	ui/tui/field.c ui/tui/field.h \
	ui/tui/form.c ui/tui/form.h \
	ui/tui/form_change.c \
	ui/tui/keys.c ui/tui/keys.h \
	ui/tui/list.c ui/tui/list.h \
	ui/tui/live.c ui/tui/live.h ui/tui/live_parts.h \
	ui/tui/live_child.c \
	ui/tui/live_replay.c \
	ui/tui/machine_docs.c ui/tui/machine_docs.h \
	ui/tui/machine_survey.c ui/tui/machine_survey.h \
	ui/tui/machine_tree.c \
	ui/tui/ncurses.h \
	ui/tui/offers.c ui/tui/offers.h \
	ui/tui/paint.c ui/tui/paint.h \
	ui/tui/picker.c ui/tui/picker.h \
	ui/tui/preview.c ui/tui/preview.h \
	ui/tui/run_list.c \
	ui/tui/run_point.c \
	ui/tui/run_summary.c \
	ui/tui/run_view.h \
	ui/tui/run_whole.c \
	ui/tui/plot_dot.h \
	ui/tui/plotview.c ui/tui/plotview.h \
	ui/tui/plotview_cursor.c \
	ui/tui/plotview_parts.c \
	ui/tui/plotview_picture.c \
	ui/tui/runs_paint.c \
	ui/tui/runs_view.h \
	ui/tui/screen.h \
	ui/tui/screen_autotune.c \
	ui/tui/screen_counters.c \
	ui/tui/screen_curve.c \
	ui/tui/screen_help.c \
	ui/tui/screen_machine.c \
	ui/tui/screen_mixed.c \
	ui/tui/screen_roofline.c \
	ui/tui/screen_run.c \
	ui/tui/screen_runs.c \
	ui/tui/screen_setup.c \
	ui/tui/screens.c \
	ui/tui/seen.h \
	ui/tui/setup.h \
	ui/tui/setup_detail.c \
	ui/tui/setup_over.c \
	ui/tui/setup_paint.c \
	ui/tui/stored.c ui/tui/stored.h \
	ui/tui/term.c ui/tui/term.h \
	ui/tui/theme.c ui/tui/theme.h

check_PROGRAMS += tests/unit/test_keys
TESTS += tests/unit/test_keys
tests_unit_test_keys_SOURCES = tests/unit/test_keys.c tests/unit/files.h
tests_unit_test_keys_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_keys_LDADD = libtp_tui.a libtp_base.a $(CMOCKA_LIBS)

# Built with the tests, run by tests/bench/screens.sh.
check_PROGRAMS += tests/bench/screen_time
tests_bench_screen_time_SOURCES = tests/bench/screen_time.c

# The run as it comes in, without the rest of the screens: the test is its own measuring program.
check_PROGRAMS += tests/unit/test_live
TESTS += tests/unit/test_live
tests_unit_test_live_SOURCES = tests/unit/test_live.c tests/unit/files.h ui/tui/live.c ui/tui/live_child.c ui/tui/live_replay.c src/cli/keep.c
tests_unit_test_live_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_live_LDADD = libtp_experiment.a $(ROUTINES_LIBS) libtp_measure.a libtp_counters.a libtp_preset.a libtp_record.a libtp_machine.a \
	libtp_kernels.a libtp_analysis.a libtp_base.a $(HWLOC_LIBS) $(YAML_LIBS) $(JANSSON_LIBS) $(GSL_LIBS) $(PAPI_LIBS) $(ZYDIS_LIBS) \
	$(CMOCKA_LIBS) $(ROUTINES_FLAGS)

# The form, its fields and lists without a terminal.
check_PROGRAMS += tests/unit/test_setup
TESTS += tests/unit/test_setup
tests_unit_test_setup_SOURCES = tests/unit/test_setup.c
tests_unit_test_setup_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_setup_LDADD = libtp_tui.a libtp_face.a libtp_report.a libtp_experiment.a $(ROUTINES_LIBS) libtp_measure.a libtp_counters.a libtp_preset.a \
	libtp_record.a libtp_plot.a libtp_machine.a libtp_kernels.a libtp_analysis.a libtp_base.a $(HWLOC_LIBS) $(YAML_LIBS) \
	$(JANSSON_LIBS) $(GSL_LIBS) $(PAPI_LIBS) $(ZYDIS_LIBS) $(NCURSESW_LIBS) $(CMOCKA_LIBS) $(ROUTINES_FLAGS)

# Lists, stored runs, the machine as text: without a terminal.
check_PROGRAMS += tests/unit/test_lists
TESTS += tests/unit/test_lists
tests_unit_test_lists_SOURCES = tests/unit/test_lists.c tests/unit/files.h
tests_unit_test_lists_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_lists_LDADD = libtp_tui.a libtp_report.a libtp_counters.a libtp_record.a libtp_plot.a libtp_machine.a libtp_kernels.a \
	libtp_analysis.a libtp_base.a $(HWLOC_LIBS) $(YAML_LIBS) $(JANSSON_LIBS) $(GSL_LIBS) $(PAPI_LIBS) $(ZYDIS_LIBS) $(NCURSESW_LIBS) \
	$(CMOCKA_LIBS)
