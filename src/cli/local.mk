# SPDX-License-Identifier: GPL-3.0-or-later
include src/cli/face.mk

bin_PROGRAMS += tprof
tprof_SOURCES = \
	src/cli/batch.c src/cli/batch.h \
	src/cli/commands.h \
	src/cli/compare.c \
	src/cli/completion.c \
	src/cli/doctor.c \
	src/cli/facts.c src/cli/facts.h \
	src/cli/keep.c src/cli/keep.h \
	src/cli/main.c \
	src/cli/pictures.c src/cli/pictures.h \
	src/cli/resume.c \
	src/cli/session.c \
	src/cli/show.c
tprof_LDADD = libtp_face.a libtp_report.a libtp_engine.a libtp_experiment.a libtp_measure.a libtp_preset.a \
	libtp_record.a libtp_plot.a libtp_machine.a libtp_kernels.a libtp_analysis.a libtp_base.a \
	$(HWLOC_LIBS) $(YAML_LIBS) $(JANSSON_LIBS) $(GSL_LIBS) $(ZYDIS_LIBS)
