# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_compiler.a
libtp_compiler_a_SOURCES = \
	src/compiler/child.c \
	src/compiler/compiler.c src/compiler/compiler.h \
	src/compiler/child.h \
	src/compiler/store.h src/compiler/store.c \
	src/compiler/mca.c src/compiler/mca.h

PROGRAM_TESTS += tests/unit/test_compiler tests/unit/test_compiler_cache \
	tests/unit/test_compiler_find tests/unit/test_assembler tests/fuzz/replay_mca
tests_unit_test_compiler_LDADD = libtp_compiler.a libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_compiler_cache_LDADD = libtp_compiler.a libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_compiler_find_LDADD = libtp_compiler.a libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_assembler_LDADD = libtp_compiler.a libtp_base.a $(CMOCKA_LIBS)
tests_fuzz_replay_mca_SOURCES = tests/fuzz/fuzz_mca.c tests/fuzz/replay_main.c
tests_fuzz_replay_mca_LDADD = libtp_compiler.a libtp_base.a
