# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_cli.a
libtp_cli_a_SOURCES = \
	src/cli/batch.c \
	src/cli/classify.c \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cluster.c \
	src/cli/commands.c src/cli/commands.h \
	src/cli/doctor.c \
	src/cli/dump.c \
	src/cli/help.c src/cli/completion.bash src/cli/completion.fish src/cli/completion.zsh \
	src/cli/lesson.c \
	src/cli/list.c \
	src/cli/measure.c src/cli/measure.h \
	src/cli/mine.c \
	src/cli/options.c \
	src/cli/presets.c \
	src/cli/show.c
# The scripts of the shells as text inside the program.
nodist_libtp_cli_a_SOURCES = src/cli/completion_text.h
src/cli/completion_text.h: src/cli/completion.bash src/cli/completion.fish src/cli/completion.zsh src/cli/local.mk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && for shell in bash fish zsh; do \
		echo "static const char tp_completion_$$shell[] =" && \
		sed 's/[\\"]/\\&/g; s/^/	"/; s/$$/\\n"/' "$(srcdir)/src/cli/completion.$$shell" && echo '	;' || exit 1; \
	done >$@.new && mv $@.new $@
src/cli/help.$(OBJEXT): src/cli/completion_text.h
CLEANFILES += src/cli/completion_text.h src/cli/completion_text.h.new

bin_PROGRAMS += tprof
tprof_SOURCES = src/cli/main.c
tprof_LDADD = libtp_tui.a libtp_cli.a $(CLUSTER_LIBS) $(LESSON_LIBS) $(NCURSESW_LIBS)

PROGRAM_TESTS += tests/unit/test_dump tests/unit/test_face

CLI_TEST_LIBS = libtp_cli.a $(CLUSTER_LIBS) $(LESSON_LIBS) $(CMOCKA_LIBS)

tests_unit_test_dump_LDADD = $(CLI_TEST_LIBS)
tests_unit_test_face_LDADD = $(CLI_TEST_LIBS)
