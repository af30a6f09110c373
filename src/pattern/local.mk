# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_pattern.a
libtp_pattern_a_CPPFLAGS = $(AM_CPPFLAGS) $(ISL_CFLAGS)
libtp_pattern_a_SOURCES = \
	src/pattern/poly.h src/pattern/poly_none.c

check_PROGRAMS += tests/unit/test_poly
TESTS += tests/unit/test_poly
tests_unit_test_poly_SOURCES = tests/unit/test_poly.c
tests_unit_test_poly_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_poly_LDADD = libtp_pattern.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS)
