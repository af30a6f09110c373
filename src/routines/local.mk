# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_routines.a
libtp_routines_a_CFLAGS = $(FAST_CFLAGS)
libtp_routines_a_SOURCES = \
	src/routines/parts.c \
	src/routines/gemm.c \
	src/routines/parts.h \
	src/routines/routine.c src/routines/routine.h \
	src/routines/worker.c src/routines/worker.h
ROUTINES_LIBS = libtp_routines.a

# What OpenMP compiles, apart, because it has flags of its own.
if HAVE_OPENMP
noinst_LIBRARIES += libtp_triad.a
libtp_triad_a_SOURCES = src/routines/triad.c
libtp_triad_a_CFLAGS = $(FAST_CFLAGS) $(OPENMP_CFLAGS) -ffp-contract=fast
ROUTINES_LIBS += libtp_triad.a
else
EXTRA_DIST += src/routines/triad.c
endif
# Whoever links them: their libraries before libtp_base.a, and the flag last.
ROUTINES_FLAGS = $(OPENMP_CFLAGS)

PROGRAM_TESTS += tests/unit/test_routines
