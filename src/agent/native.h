/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TP_AGENT_TIME: the program runs natively, and its regions are timed. Private to src/agent.
 *
 * A function that is a region is patched where it begins and wherever it ends: its return address
 * stays where it is, so that exceptions, longjmp and whoever walks the stack see nothing new. A
 * frame that was left in another way is noticed when the thread next enters or leaves such a
 * function.
 */
#ifndef TPROF_AGENT_NATIVE_H
#define TPROF_AGENT_NATIVE_H

#include "agent/hooks.h"

void tp_native_start(void);

/*
 * Patches functions[first..]: those with the same region belong together if they are parts of one
 * function. What cannot be patched stays as it is, and shared->words say why.
 */
void tp_patch_functions(struct tp_hooks *hooks, unsigned first);
/*
 * Patches the beginning of a function alone. What is called may change the registers that a call
 * need not keep: rax is back[-1], rcx back[-2], rdx back[-3].
 */
bool tp_patch_entry(uint64_t start, uint64_t end,
		    void (*entered)(uint64_t region_and_flags, const uint64_t *back));
/* Patches the empty function that the dynamic linker calls, such that it calls `then`. */
bool tp_patch_empty(uint64_t at, void (*then)(void));

/* Called by patched functions: `back` is where the return address lies. */
void tp_native_entered(uint64_t region_and_flags, const uint64_t *back);
void tp_native_left(uint64_t region_and_flags, const uint64_t *back);
/* The function jumps to its own beginning, which is no call. */
#define TP_NATIVE_JUMPS_BACK (1ull << 32)

#endif
