/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gathers of AVX2, whose mask is a vector register, and of AVX-512, whose mask is one of k1 to k7.
 * Both clear their mask, so it is set again before each. Private to kernels/x86.
 */
#ifndef TPROF_KERNELS_X86_GATHER_H
#define TPROF_KERNELS_X86_GATHER_H

#include "kernels/emit/emit.h"

/* As begin_gathers and gather of a back end. */
void tp_x86_begin_gathers(struct tp_emitter *e);
void tp_x86_gather_from(struct tp_emitter *e, unsigned reg, unsigned base);

#endif
