# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_plot.a
libtp_plot_a_CFLAGS = $(FAST_CFLAGS)
libtp_plot_a_SOURCES = \
	src/plot/canvas.c src/plot/canvas.h \
	src/plot/layout.c src/plot/layout.h \
	src/plot/plot.c src/plot/plot.h \
	src/plot/scale.c src/plot/scale.h \
	src/plot/svg.c src/plot/svg.h \
	src/plot/svg_medium.c src/plot/svg_medium.h \
	src/plot/trace.c src/plot/trace.h

PROGRAM_TESTS += tests/unit/test_scale tests/unit/test_plot tests/unit/test_svg \
	tests/unit/test_arrows
check_PROGRAMS += tests/unit/plot_demo
tests_unit_test_scale_LDADD = libtp_plot.a libtp_base.a $(CMOCKA_LIBS) -lm
tests_unit_test_plot_LDADD = libtp_plot.a libtp_base.a $(CMOCKA_LIBS) -lm
tests_unit_test_svg_LDADD = libtp_plot.a libtp_base.a $(CMOCKA_LIBS) -lm
tests_unit_test_arrows_LDADD = libtp_plot.a libtp_base.a $(CMOCKA_LIBS) -lm
tests_unit_plot_demo_LDADD = libtp_plot.a libtp_base.a -lm

# Made by tests/unit/plot_demo; looked at before they are committed.
EXTRA_DIST += \
	tests/golden/plot-roofline-80x24-braille.txt tests/golden/plot-roofline-80x24-ascii.txt \
	tests/golden/plot-roofline-120x40-braille.txt tests/golden/plot-roofline-40x10-ascii.txt \
	tests/golden/plot-curve-80x24-braille.txt tests/golden/plot-curve-80x24-ascii.txt \
	tests/golden/plot-curve-120x40-braille.txt tests/golden/plot-curve-80x24-colour.txt \
	tests/golden/plot-roofline-80x24-block.txt tests/golden/plot-curve-80x24-block.txt \
	tests/golden/plot-roofline-560x380.svg
