# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_tui.a
libtp_tui_a_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSESW_CFLAGS)
libtp_tui_a_CFLAGS = $(FAST_CFLAGS)
libtp_tui_a_SOURCES = \
	ui/tui/app.c ui/tui/app.h \
	ui/tui/box.c ui/tui/box.h \
	ui/tui/decode.c ui/tui/decode.h \
	ui/tui/keys.c ui/tui/keys.h \
	ui/tui/link.c ui/tui/link.h \
	ui/tui/ncurses.h \
	ui/tui/paint.c ui/tui/paint.h \
	ui/tui/palette.c ui/tui/palette.h \
	ui/tui/screen.h \
	ui/tui/shown.c ui/tui/shown.h \
	ui/tui/term.c ui/tui/term.h \
	ui/tui/tui.c \
	ui/tui/running.c ui/tui/running.h \
	ui/tui/screens/compared.c ui/tui/screens/compared.h \
	ui/tui/screens/cluster.c \
	ui/tui/screens/cluster_view.c ui/tui/screens/cluster_view.h \
	ui/tui/screens/cluster_work.c ui/tui/screens/cluster_work.h \
	ui/tui/screens/help.c \
	ui/tui/screens/home.c \
	ui/tui/screens/lessons.c ui/tui/screens/lessons.h \
	ui/tui/screens/machine.c ui/tui/screens/machine.h \
	ui/tui/screens/mined.c \
	ui/tui/screens/mined_density.c ui/tui/screens/mined_density.h \
	ui/tui/screens/mined_learn.c ui/tui/screens/mined_learn.h \
	ui/tui/screens/mined_view.c ui/tui/screens/mined_view.h \
	ui/tui/screens/run.c \
	ui/tui/screens/run_view.c ui/tui/screens/run_view.h \
	ui/tui/screens/runs.c \
	ui/tui/screens/setup.c ui/tui/screens/setup.h \
	ui/tui/screens/setup_paint.c ui/tui/screens/setup_paint.h \
	ui/tui/screens/stored.c ui/tui/screens/stored.h \
	ui/tui/widgets/complete.c ui/tui/widgets/complete.h \
	ui/tui/widgets/doc.c ui/tui/widgets/doc.h \
	ui/tui/widgets/form.c ui/tui/widgets/form.h \
	ui/tui/widgets/list.c ui/tui/widgets/list.h \
	ui/tui/widgets/outline.c ui/tui/widgets/outline.h \
	ui/tui/widgets/picker.c ui/tui/widgets/picker.h \
	ui/tui/widgets/plot.c ui/tui/widgets/plot.h \
	ui/tui/widgets/plotview.c ui/tui/widgets/plotview.h \
	ui/tui/widgets/gridview.c ui/tui/widgets/gridview.h \
	ui/tui/widgets/text_field.c ui/tui/widgets/text_field.h

PROGRAM_TESTS += tests/unit/test_decode tests/unit/test_link tests/unit/test_keys tests/unit/test_setup tests/unit/test_lists \
	tests/unit/test_plot_cursor tests/unit/test_outline tests/unit/test_mined_cuts tests/unit/test_complete
tests_unit_test_decode_LDADD = libtp_tui.a libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_link_LDADD = libtp_tui.a libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_keys_LDADD = libtp_tui.a libtp_base.a $(CMOCKA_LIBS)

# Built with the tests, run by tests/bench/screens.sh and tests/tui/slow.sh.
check_PROGRAMS += tests/bench/screen_time tests/tui/slow_line

# The form, its fields and lists without a terminal.
tests_unit_test_setup_LDADD = libtp_tui.a $(CLUSTER_LIBS) $(LESSON_LIBS) $(NCURSESW_LIBS) $(CMOCKA_LIBS)

# Lists, stored runs, the machine as text: without a terminal.
tests_unit_test_lists_LDADD = libtp_tui.a $(CLUSTER_LIBS) libtp_lesson.a $(SESSION_LIBS) $(NCURSESW_LIBS) $(CMOCKA_LIBS)

# The cursor of plots, without a terminal.
tests_unit_test_plot_cursor_LDADD = libtp_tui.a $(CLUSTER_LIBS) libtp_lesson.a $(SESSION_LIBS) $(NCURSESW_LIBS) $(CMOCKA_LIBS)

# Outlines that fold, without a terminal.
tests_unit_test_outline_LDADD = libtp_tui.a $(CLUSTER_LIBS) libtp_lesson.a $(SESSION_LIBS) $(NCURSESW_LIBS) $(CMOCKA_LIBS)

# Cuts between categories as they are moved, without a terminal.
tests_unit_test_mined_cuts_LDADD = libtp_tui.a $(CLUSTER_LIBS) libtp_lesson.a $(SESSION_LIBS) $(NCURSESW_LIBS) $(CMOCKA_LIBS)

# Paths that complete a command, without a terminal.
tests_unit_test_complete_LDADD = libtp_tui.a $(CLUSTER_LIBS) libtp_lesson.a $(SESSION_LIBS) $(NCURSESW_LIBS) $(CMOCKA_LIBS)
