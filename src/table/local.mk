# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_table.a
libtp_table_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libtp_table_a_SOURCES = \
	src/table/csv.c src/table/csv.h \
	src/table/json.c src/table/json.h \
	src/table/lists.c src/table/lists.h \
	src/table/table.c src/table/table.h

check_PROGRAMS += tests/unit/test_json_lists tests/unit/test_table
TESTS += tests/unit/test_json_lists tests/unit/test_table

tests_unit_test_table_SOURCES = tests/unit/test_table.c tests/unit/near.h
tests_unit_test_table_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_test_table_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

tests_unit_test_json_lists_SOURCES = tests/unit/test_json_lists.c
tests_unit_test_json_lists_CPPFLAGS = $(tests_unit_test_table_CPPFLAGS)
tests_unit_test_json_lists_LDADD = $(tests_unit_test_table_LDADD)
