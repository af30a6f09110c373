/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a program that runs natively marks its regions: the pointers that tprof_roi.h and
 * tprof_roi.f90 leave in it, and functions that --region names. Private to src/agent.
 */
#ifndef TPROF_AGENT_HOOKS_H
#define TPROF_AGENT_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/shared.h"

enum { TP_HOOK_BEGIN = 1, TP_HOOK_END = 2, TP_HOOK_FUNCTIONS = 512 };
typedef void tp_hook(int what, const char *name);

/* A function that is a region. A name may fit several: static ones, and copies by the compiler. */
struct tp_hook_function {
	uint64_t start, end;
	uint64_t base; /* of its object */
	uint32_t region; /* index of shared->regions */
	/* Not 0: a part that the compiler split off from a function of this region. */
	uint32_t split_off;
};

struct tp_hooks {
	tp_hook *hook; /* what the pointers become */
	unsigned n_functions;
	struct tp_hook_function functions[TP_HOOK_FUNCTIONS];
	/*
	 * The dynamic linker calls this function after it has loaded or unloaded objects (r_brk of
	 * <link.h>); 0 = unknown as yet.
	 */
	uint64_t changed;
	uint64_t execve, execve_end; /* libc's function; 0 = not found as yet */
	struct tp_hooks_object *objects; /* known already */
	unsigned n_objects;
};

/*
 * Looks at all objects that were loaded since the last call: stores `hook` into their pointers, and
 * finds functions of shared->regions[1..n_functions] in their tables of symbols (tp_symbol_is) and
 * sets shared->function_found. Returns the index of the first of them. Functions of objects that
 * are not there any more are forgotten. Takes some microseconds an object.
 */
unsigned tp_hooks_find(struct tp_hooks *hooks, struct tp_agent_shared *shared);

#endif
