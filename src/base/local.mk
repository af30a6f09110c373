# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_base.a
libtp_base_a_SOURCES = \
	src/base/arena.c src/base/arena.h \
	src/base/cpu.h \
	src/base/file.c src/base/file.h \
	src/base/named.c src/base/named.h \
	src/base/now.c src/base/now.h \
	src/base/random.c src/base/random.h \
	src/base/self.c src/base/self.h \
	src/base/status.c src/base/status.h \
	src/base/str.c src/base/str.h \
	src/base/units.c src/base/units.h \
	src/base/vec.c src/base/vec.h

check_PROGRAMS += tests/unit/test_base
tests_unit_test_base_SOURCES = tests/unit/test_base.c
tests_unit_test_base_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_base_LDADD = libtp_base.a $(CMOCKA_LIBS)
TESTS += tests/unit/test_base

check_PROGRAMS += tests/unit/test_self
tests_unit_test_self_SOURCES = tests/unit/test_self.c
tests_unit_test_self_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_self_LDADD = libtp_base.a $(CMOCKA_LIBS)
TESTS += tests/unit/test_self

check_PROGRAMS += tests/unit/test_named
tests_unit_test_named_SOURCES = tests/unit/test_named.c tests/unit/files.h
tests_unit_test_named_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_named_LDADD = libtp_base.a $(CMOCKA_LIBS)
TESTS += tests/unit/test_named

check_PROGRAMS += tests/unit/test_write
tests_unit_test_write_SOURCES = tests/unit/test_write.c
tests_unit_test_write_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_write_LDADD = libtp_base.a $(CMOCKA_LIBS)
TESTS += tests/unit/test_write

check_PROGRAMS += tests/unit/test_random
tests_unit_test_random_SOURCES = tests/unit/test_random.c
tests_unit_test_random_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_random_LDADD = libtp_base.a $(CMOCKA_LIBS)
TESTS += tests/unit/test_random
