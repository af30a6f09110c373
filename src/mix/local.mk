# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_mix.a
libtp_mix_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS)
libtp_mix_a_SOURCES = src/mix/mix.h src/mix/names.c
if TP_ARCH_X86_64
# src/agent compiles them again, without vector registers.
MIX_X86 = src/mix/x86.c src/mix/x86_fp.c src/mix/x86_memory.c src/mix/x86_parts.h
libtp_mix_a_SOURCES += $(MIX_X86)
endif
