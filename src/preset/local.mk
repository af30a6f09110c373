# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_preset.a
libtp_preset_a_SOURCES = \
	src/preset/reader.c \
	src/preset/basis.c src/preset/basis.h \
	src/preset/preset.c \
	src/preset/options.c src/preset/options.h \
	src/preset/preset.h \
	src/preset/reader.h \
	src/preset/shared_options.c src/preset/shared_options.h \
	src/preset/write.c

PRESET_TEST_LIBS = $(TP_LIBS)

check_PROGRAMS += tests/unit/test_basis tests/unit/test_options tests/unit/test_preset
tests_unit_test_basis_SOURCES = tests/unit/test_basis.c tests/unit/files.h
tests_unit_test_basis_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_basis_LDADD = $(PRESET_TEST_LIBS) $(CMOCKA_LIBS)
tests_unit_test_options_SOURCES = tests/unit/test_options.c tests/unit/all_options.h
tests_unit_test_options_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_options_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
tests_unit_test_preset_SOURCES = tests/unit/test_preset.c tests/unit/files.h
tests_unit_test_preset_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_preset_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
TESTS += tests/unit/test_basis tests/unit/test_options tests/unit/test_preset

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
check_PROGRAMS += tests/fuzz/replay_preset
tests_fuzz_replay_preset_SOURCES = tests/fuzz/fuzz_preset.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_preset_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"preset"'
tests_fuzz_replay_preset_LDADD = $(TP_LIBS)
TESTS += tests/fuzz/replay_preset

check_PROGRAMS += tests/fuzz/replay_basis
tests_fuzz_replay_basis_SOURCES = tests/fuzz/fuzz_basis.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_basis_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"basis"'
tests_fuzz_replay_basis_LDADD = $(PRESET_TEST_LIBS) -lm
TESTS += tests/fuzz/replay_basis
