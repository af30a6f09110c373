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

PROGRAM_TESTS += tests/unit/test_basis tests/unit/test_options tests/unit/test_preset \
	tests/fuzz/replay_preset tests/fuzz/replay_basis

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
tests_fuzz_replay_preset_SOURCES = tests/fuzz/fuzz_preset.c tests/fuzz/replay_main.c
tests_fuzz_replay_basis_SOURCES = tests/fuzz/fuzz_basis.c tests/fuzz/replay_main.c
