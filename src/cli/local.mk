# SPDX-License-Identifier: GPL-3.0-or-later
include src/cli/face.mk

bin_PROGRAMS += tprof
tprof_SOURCES = \
	src/cli/batch.c src/cli/batch.h \
	src/cli/classify.c \
	src/cli/commands.h \
	src/cli/compare.c \
	src/cli/completion.c src/cli/completion.bash src/cli/completion.zsh \
	src/cli/doctor.c \
	src/cli/facts.c src/cli/facts.h \
	src/cli/keep.c src/cli/keep.h \
	src/cli/knobs.c src/cli/knobs.h \
	src/cli/main.c \
	src/cli/pictures.c src/cli/pictures.h \
	src/cli/resume.c \
	src/cli/show.c
# The scripts of the shells as text inside the program.
nodist_tprof_SOURCES = src/cli/completion_text.h
src/cli/completion_text.h: src/cli/completion.bash src/cli/completion.zsh src/cli/local.mk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && for shell in bash zsh; do \
		echo "static const char tp_completion_$$shell[] =" && \
		sed 's/[\\"]/\\&/g; s/^/	"/; s/$$/\\n"/' "$(srcdir)/src/cli/completion.$$shell" && echo '	;' || exit 1; \
	done >$@.new && mv $@.new $@
src/cli/completion.$(OBJEXT): src/cli/completion_text.h
CLEANFILES += src/cli/completion_text.h src/cli/completion_text.h.new
tprof_LDADD = libtp_tui.a libtp_face.a libtp_report.a libtp_engine.a libtp_experiment.a $(ROUTINES_LIBS) libtp_measure.a libtp_counters.a libtp_preset.a \
	libtp_record.a libtp_plot.a libtp_machine.a libtp_kernels.a libtp_analysis.a libtp_base.a \
	$(HWLOC_LIBS) $(YAML_LIBS) $(JANSSON_LIBS) $(GSL_LIBS) $(PAPI_LIBS) $(ZYDIS_LIBS) $(NCURSESW_LIBS) \
	$(ROUTINES_FLAGS)
