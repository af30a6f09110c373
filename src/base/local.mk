# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_base.a
libtp_base_a_SOURCES = \
	src/base/memory.c src/base/memory.h \
	src/base/command.c src/base/command.h \
	src/base/cpu.h \
	src/base/expression.c src/base/expression.h \
	src/base/status.c src/base/status.h \
	src/base/progress.h \
	src/base/file.c src/base/file.h \
	src/base/named.c src/base/named.h \
	src/base/now.c src/base/now.h \
	src/base/pages.h \
	src/base/pairs.c src/base/pairs.h \
	src/base/process.c src/base/process.h \
	src/base/suspend.c src/base/suspend.h \
	src/base/random.c src/base/random.h \
	src/base/str.c src/base/str.h \
	src/base/tally.c src/base/tally.h \
	src/base/text.c src/base/text.h \
	src/base/own_dot.c src/base/own_dot.h
libtp_base_a_CFLAGS = $(FAST_CFLAGS)
# Where the program's data lie: beside the sources, and where they are installed.
nodist_libtp_base_a_SOURCES = src/base/paths.h
src/base/paths.h: Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { \
		echo '#define TP_SOURCE_DIR  "$(abs_top_srcdir)"' && \
		echo '#define TP_BUILD_DIR   "$(abs_top_builddir)"' && \
		echo '#define TP_PKGLIB_DIR  "$(pkglibdir)"' && \
		echo '#define TP_PKGDATA_DIR "$(pkgdatadir)"'; } >$@.new && mv $@.new $@
src/base/libtp_base_a-file.$(OBJEXT): src/base/paths.h
CLEANFILES += src/base/paths.h src/base/paths.h.new

PROGRAM_TESTS += tests/unit/test_base tests/unit/test_command tests/unit/test_tally \
	tests/unit/test_self tests/unit/test_named tests/unit/test_write tests/unit/test_random \
	tests/unit/test_text tests/unit/test_process tests/fuzz/replay_expression
tests_unit_test_base_LDADD = libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_command_LDADD = libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_tally_LDADD = libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_self_LDADD = libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_named_LDADD = libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_write_LDADD = libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_random_LDADD = libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_text_LDADD = libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_process_LDADD = libtp_base.a $(CMOCKA_LIBS)
tests_fuzz_replay_expression_SOURCES = tests/fuzz/fuzz_expression.c tests/fuzz/replay_main.c
tests_fuzz_replay_expression_LDADD = libtp_base.a -lm
