# SPDX-License-Identifier: GPL-3.0-or-later
# What people see of the command line: reports, plots, lists, progress. Included by local.mk.
noinst_LIBRARIES += libtp_face.a
libtp_face_a_SOURCES = \
	src/cli/cli.h \
	src/cli/dump.c src/cli/dump.h \
	src/cli/grid.c src/cli/grid.h \
	src/cli/list.c \
	src/cli/look.c src/cli/look.h \
	src/cli/plan_text.c \
	src/cli/plot_curves.c \
	src/cli/plot_roofline.c \
	src/cli/plots.c src/cli/plots.h \
	src/cli/progress.c \
	src/cli/report.c src/cli/report.h \
	src/cli/report_head.c \
	src/cli/report_tables.c \
	src/cli/runs.c src/cli/runs.h \
	src/cli/text.c src/cli/text.h
