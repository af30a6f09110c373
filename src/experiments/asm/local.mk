# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/asm/asm.c \
	src/experiments/asm/body.c src/experiments/asm/body.h \
	src/experiments/asm/run.c \
	src/experiments/asm/asm.h
libtp_experiments_a_SOURCES += src/experiments/asm/row.h src/experiments/asm/row.c
libtp_experiments_a_SOURCES += \
	src/experiments/asm/report.c

check_PROGRAMS += tests/unit/test_assembly
TESTS += tests/unit/test_assembly
tests_unit_test_assembly_SOURCES = tests/unit/test_assembly.c tests/unit/near.h
tests_unit_test_assembly_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_assembly_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/replay_asm
TESTS += tests/fuzz/replay_asm
tests_fuzz_replay_asm_SOURCES = tests/fuzz/fuzz_asm.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_asm_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"asm"'
tests_fuzz_replay_asm_LDADD = $(SESSION_LIBS)

check_PROGRAMS += tests/unit/test_asm_report
TESTS += tests/unit/test_asm_report
tests_unit_test_asm_report_SOURCES = tests/unit/test_asm_report.c tests/unit/printed.h tests/unit/near.h tests/unit/rows.h
tests_unit_test_asm_report_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_asm_report_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
