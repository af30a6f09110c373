/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stepping on x86-64: the copy with calls (watch.c) and the traps (step.c). Private to this folder.
 */
#ifndef TPROF_KERNELS_X86_WATCH_H
#define TPROF_KERNELS_X86_WATCH_H

#include "kernels/stepper.h"

struct ZydisDecodedInstruction_;

/* Makes stepper->copy once, and leaves it empty if that is not possible. */
void tp_x86_watch_prepare(struct tp_stepper *stepper);
void tp_x86_watch_call(const struct tp_stepper *stepper, void *data, uint64_t passes);
/* Called by the copy before each instruction; registers as in a signal's context. */
void tp_x86_watched(uint64_t number, const uint64_t *registers);
/* The number of the condition of a conditional jump on flags; -1 for everything else. */
int tp_x86_condition(const struct ZydisDecodedInstruction_ *in);

#endif
