# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_table.a
libtp_table_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libtp_table_a_SOURCES = \
	src/table/cells.c src/table/cells.h \
	src/table/csv.c src/table/csv.h \
	src/table/encoding.c src/table/encoding.h \
	src/table/written.c src/table/written.h \
	src/table/json.c src/table/json.h \
	src/table/lists.c src/table/lists.h \
	src/table/table.c src/table/table.h

PROGRAM_TESTS += tests/unit/test_json_lists tests/unit/test_table
tests_unit_test_table_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_unit_test_json_lists_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
