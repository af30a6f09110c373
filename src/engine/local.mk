# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_engine.a
libtp_engine_a_SOURCES = \
	src/engine/client.c \
	src/engine/server.c \
	src/engine/engine.h \
	src/engine/job.c src/engine/job.h

# The fuzz target over its corpus, with a main of our own; libFuzzer brings another (see the file).
PROGRAM_TESTS += tests/fuzz/replay_job
tests_fuzz_replay_job_SOURCES = tests/fuzz/fuzz_job.c tests/fuzz/replay_main.c
