# SPDX-License-Identifier: GPL-3.0-or-later
# A back end's files are empty on every other architecture, so they are always listed.
noinst_LIBRARIES += libtp_kernels.a
libtp_kernels_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS)
libtp_kernels_a_SOURCES = \
	kernels/arch.h \
	kernels/code.c kernels/code.h \
	kernels/isa.c kernels/isa.h \
	kernels/kernel.c kernels/kernel.h \
	kernels/x86/arch.c \
	kernels/x86/cpu.c \
	kernels/x86/disasm.c \
	kernels/x86/emit.c \
	kernels/x86/encode.c kernels/x86/encode.h \
	kernels/x86/x86.h
