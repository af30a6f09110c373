/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TP_AGENT_TIME: the program runs natively, and its regions are timed.
 *
 * A function that is a region is patched where it begins and wherever it ends: its return address
 * stays where it is, so that exceptions, longjmp and stack walkers are not affected. A
 * frame that was left in another way is noticed when the thread next enters or leaves such a
 * function.
 */
#ifndef TPROF_AGENT_NATIVE_H
#define TPROF_AGENT_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/shared.h"

/*
 * Where the program marks its regions: the pointers that tprof_roi.h and tprof_roi.f90 define, and
 * functions that --region names.
 */

enum { TP_HOOK_BEGIN = 1, TP_HOOK_END = 2, TP_HOOK_FUNCTIONS = 512, TP_HOOK_STARTS = 8 };
typedef void tp_hook(int what, const char *name);

/* A function that is a region. A name may fit several: static ones, and copies by the compiler. */
struct tp_hook_function {
	uint64_t start, end;
	uint64_t base; /* of its object */
	uint32_t region; /* index of shared->regions */
	/* Not 0: a part that the compiler split off a function of this region. */
	uint32_t split_off;
};

struct tp_hooks {
	tp_hook *hook; /* stored into the pointers */
	unsigned n_functions;
	struct tp_hook_function functions[TP_HOOK_FUNCTIONS];
	/*
	 * The dynamic linker calls this function after it has loaded or unloaded objects (r_brk of
	 * <link.h>); 0 = not known yet.
	 */
	uint64_t changed;
	/* libc's functions; 0 = not found yet */
	struct tp_hooks_code {
		uint64_t start, end;
	} execve, exit;
	/* Of the MPI library, except those that read the clock; and those of them that start it. */
	unsigned n_mpi, n_mpi_starts;
	struct tp_hooks_code mpi[TP_HOOK_FUNCTIONS], mpi_starts[TP_HOOK_STARTS];
	struct tp_hooks_object *objects; /* known already */
	unsigned n_objects;
};

void tp_native_start(void);

/* Called by patched functions: `back` is the address of the return address. */
typedef void tp_native_call(uint64_t region_and_flags, const uint64_t *back);

/*
 * Patches functions[first..]: those with the same region belong together if they are parts of one
 * function. What cannot be patched stays as it is; shared->words gives the reason.
 */
void tp_patch_functions(struct tp_hooks *hooks, unsigned first, tp_native_call *entered,
			tp_native_call *left);

/*
 * Patches the beginnings of functions alone, where that is possible. The callee may change
 * caller-saved registers: rax is back[-1], rcx back[-2], rdx back[-3], rsi back[-4], rdi back[-5].
 */
void tp_patch_entries(const struct tp_hooks_code *codes, unsigned n, tp_native_call *entered);

/* Patches the empty function that the dynamic linker calls, such that it calls `then`. */
bool tp_patch_empty(uint64_t at, void (*then)(void));

/* The function jumps to its own beginning, which is not a call. */
#define TP_NATIVE_JUMPS_BACK (1ull << 32)

#endif
