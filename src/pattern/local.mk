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

PROGRAM_TESTS += tests/unit/test_poly tests/unit/test_poly_loops tests/fuzz/replay_poly \
	tests/fuzz/replay_pattern tests/unit/test_pattern tests/unit/test_strides \
	tests/unit/test_pattern_lines
PATTERN_TEST_LIBS = libtp_pattern.a libtp_schema.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS)

tests_unit_test_poly_LDADD = $(PATTERN_TEST_LIBS)
tests_unit_test_poly_loops_LDADD = $(PATTERN_TEST_LIBS)

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
tests_fuzz_replay_poly_SOURCES = tests/fuzz/fuzz_poly.c tests/fuzz/replay_main.c
tests_fuzz_replay_poly_CPPFLAGS = $(AM_CPPFLAGS) $(ISL_CFLAGS)
tests_fuzz_replay_poly_LDADD = libtp_pattern.a libtp_schema.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS)
tests_fuzz_replay_pattern_SOURCES = tests/fuzz/fuzz_pattern.c tests/fuzz/replay_main.c
tests_fuzz_replay_pattern_LDADD = libtp_pattern.a libtp_schema.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS) -lm
tests_unit_test_pattern_LDADD = $(PATTERN_TEST_LIBS) -lm
tests_unit_test_strides_LDADD = libtp_pattern.a libtp_compiler.a libtp_schema.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS) -lm
tests_unit_test_pattern_lines_LDADD = libtp_counters.a libtp_pattern.a libtp_compiler.a libtp_machine.a libtp_kernels.a libtp_schema.a libtp_base.a $(PAPI_LIBS) $(ZYDIS_LIBS) $(HWLOC_LIBS) $(ISL_LIBS) $(YAML_LIBS) $(CMOCKA_LIBS) -lm
