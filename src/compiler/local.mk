# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_compiler.a
libtp_compiler_a_SOURCES = \
	src/compiler/child.c \
	src/compiler/compiler.c src/compiler/compiler.h \
	src/compiler/child.h \
	src/compiler/store.h src/compiler/store.c \
	src/compiler/mca.c src/compiler/mca.h

check_PROGRAMS += tests/unit/test_compiler tests/unit/test_compiler_cache tests/unit/test_compiler_find
TESTS += tests/unit/test_compiler tests/unit/test_compiler_cache tests/unit/test_compiler_find
tests_unit_test_compiler_SOURCES = tests/unit/test_compiler.c tests/unit/fake_compiler.h tests/unit/files.h
tests_unit_test_compiler_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_compiler_LDADD = libtp_compiler.a libtp_base.a $(CMOCKA_LIBS)
tests_unit_test_compiler_cache_SOURCES = tests/unit/test_compiler_cache.c tests/unit/fake_compiler.h tests/unit/files.h
tests_unit_test_compiler_cache_CPPFLAGS = $(tests_unit_test_compiler_CPPFLAGS)
tests_unit_test_compiler_cache_LDADD = $(tests_unit_test_compiler_LDADD)
tests_unit_test_compiler_find_SOURCES = tests/unit/test_compiler_find.c tests/unit/fake_compiler.h tests/unit/files.h
tests_unit_test_compiler_find_CPPFLAGS = $(tests_unit_test_compiler_CPPFLAGS)
tests_unit_test_compiler_find_LDADD = $(tests_unit_test_compiler_LDADD)

check_PROGRAMS += tests/unit/test_assembler tests/fuzz/replay_mca
TESTS += tests/unit/test_assembler tests/fuzz/replay_mca
tests_unit_test_assembler_SOURCES = tests/unit/test_assembler.c tests/unit/near.h
tests_unit_test_assembler_CPPFLAGS = $(tests_unit_test_compiler_CPPFLAGS)
tests_unit_test_assembler_LDADD = $(tests_unit_test_compiler_LDADD)
tests_fuzz_replay_mca_SOURCES = tests/fuzz/fuzz_mca.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_mca_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"mca"'
tests_fuzz_replay_mca_LDADD = libtp_compiler.a libtp_base.a
