# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_mix.a
libtp_mix_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS)
libtp_mix_a_SOURCES = src/mix/mix.h src/mix/names.c
if TP_ARCH_X86_64
# src/agent compiles them again, without vector registers.
MIX_X86 = src/mix/chain.c src/mix/x86.c
libtp_mix_a_SOURCES += $(MIX_X86)
endif

# --- tests ---

if TP_ARCH_X86_64
check_PROGRAMS += tests/unit/test_mix tests/fuzz/replay_mix
TESTS += tests/unit/test_mix tests/fuzz/replay_mix
tests_unit_test_mix_SOURCES = tests/unit/test_mix.c tests/unit/mix_promise.h tests/unit/mix_rows.h
tests_unit_test_mix_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_mix_LDADD = libtp_mix.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)
tests_fuzz_replay_mix_SOURCES = tests/fuzz/fuzz_mix.c tests/fuzz/promise.h tests/fuzz/replay_main.c tests/unit/mix_promise.h
tests_fuzz_replay_mix_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS) -DTP_FUZZ_CORPUS='"mix"'
tests_fuzz_replay_mix_LDADD = libtp_mix.a $(ZYDIS_LIBS)
endif
