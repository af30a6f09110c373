# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_mix.a
libtp_mix_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS)
libtp_mix_a_SOURCES = src/mix/mix.h src/mix/names.c
if TP_ARCH_X86_64
# src/agent compiles them again, without vector registers.
MIX_X86 = src/mix/chain.c src/mix/x86.c
libtp_mix_a_SOURCES += $(MIX_X86)
endif

if TP_ARCH_X86_64
PROGRAM_TESTS += tests/unit/test_mix tests/fuzz/replay_mix
tests_unit_test_mix_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS)
tests_unit_test_mix_LDADD = libtp_mix.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)
tests_fuzz_replay_mix_SOURCES = tests/fuzz/fuzz_mix.c tests/fuzz/replay_main.c
tests_fuzz_replay_mix_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS)
tests_fuzz_replay_mix_LDADD = libtp_mix.a $(ZYDIS_LIBS)
endif
