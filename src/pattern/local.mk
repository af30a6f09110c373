# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_pattern.a
libtp_pattern_a_CPPFLAGS = $(AM_CPPFLAGS) $(ISL_CFLAGS)
libtp_pattern_a_CFLAGS = $(FAST_CFLAGS)
libtp_pattern_a_SOURCES = \
	src/pattern/pattern.c \
	src/pattern/document.c \
	src/pattern/pattern.h \
	src/pattern/poly.h \
	src/pattern/poly_here.h
POLY_SOURCES = \
	src/pattern/poly.c \
	src/pattern/poly_here.c
if HAVE_ISL
libtp_pattern_a_SOURCES += $(POLY_SOURCES)
else
libtp_pattern_a_SOURCES += src/pattern/poly_none.c
endif

check_PROGRAMS += tests/unit/test_poly tests/unit/test_poly_loops
TESTS += tests/unit/test_poly tests/unit/test_poly_loops
PATTERN_TEST_LIBS = libtp_pattern.a libtp_schema.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS)

tests_unit_test_poly_SOURCES = tests/unit/test_poly.c
tests_unit_test_poly_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_poly_LDADD = $(PATTERN_TEST_LIBS)

tests_unit_test_poly_loops_SOURCES = tests/unit/test_poly_loops.c tests/unit/files.h
tests_unit_test_poly_loops_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_poly_loops_LDADD = $(PATTERN_TEST_LIBS)

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
check_PROGRAMS += tests/fuzz/replay_poly
TESTS += tests/fuzz/replay_poly
tests_fuzz_replay_poly_SOURCES = tests/fuzz/fuzz_poly.c tests/fuzz/poly_texts.h tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_poly_CPPFLAGS = $(AM_CPPFLAGS) $(ISL_CFLAGS) -DTP_FUZZ_CORPUS='"poly"'
tests_fuzz_replay_poly_LDADD = libtp_pattern.a libtp_schema.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS)

check_PROGRAMS += tests/fuzz/replay_pattern
TESTS += tests/fuzz/replay_pattern
tests_fuzz_replay_pattern_SOURCES = tests/fuzz/fuzz_pattern.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_pattern_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"pattern"'
tests_fuzz_replay_pattern_LDADD = libtp_pattern.a libtp_schema.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS) -lm

check_PROGRAMS += tests/unit/test_pattern
TESTS += tests/unit/test_pattern
tests_unit_test_pattern_SOURCES = tests/unit/test_pattern.c
tests_unit_test_pattern_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_pattern_LDADD = $(PATTERN_TEST_LIBS) -lm

check_PROGRAMS += tests/unit/test_strides
TESTS += tests/unit/test_strides
tests_unit_test_strides_SOURCES = tests/unit/test_strides.c tests/unit/compiled_pattern.h tests/unit/files.h
tests_unit_test_strides_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_strides_LDADD = libtp_pattern.a libtp_compiler.a libtp_schema.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/test_pattern_lines
TESTS += tests/unit/test_pattern_lines
tests_unit_test_pattern_lines_SOURCES = tests/unit/test_pattern_lines.c tests/unit/compiled_pattern.h tests/unit/files.h
tests_unit_test_pattern_lines_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_pattern_lines_LDADD = libtp_counters.a libtp_pattern.a libtp_compiler.a libtp_machine.a libtp_kernels.a libtp_schema.a libtp_base.a \
	$(PAPI_LIBS) $(ZYDIS_LIBS) $(HWLOC_LIBS) $(ISL_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS) -lm
