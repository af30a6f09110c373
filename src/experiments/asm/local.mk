# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/asm/asm.c \
	src/experiments/asm/body.c src/experiments/asm/build.c src/experiments/asm/body.h \
	src/experiments/asm/run.c \
	src/experiments/asm/asm.h
libtp_experiments_a_SOURCES += src/experiments/asm/row.h src/experiments/asm/row.c
libtp_experiments_a_SOURCES += \
	src/experiments/asm/report.c

PROGRAM_TESTS += tests/unit/test_assembly tests/fuzz/replay_asm tests/unit/test_asm_report
tests_fuzz_replay_asm_SOURCES = tests/fuzz/fuzz_asm.c tests/fuzz/replay_main.c
