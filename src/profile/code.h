/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a program spends its time: the kernel's software clock takes the instruction pointer of its
 * running threads, every four milliseconds of CPU time and thread. No hardware counter is needed,
 * so this works in virtual machines, too, and separates phases that differ only in their code. Time
 * in the kernel has no samples.
 */
#ifndef TPROF_PROFILE_CODE_H
#define TPROF_PROFILE_CODE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

enum { TP_CODE_PERIOD_US = 4000, TP_CODE_NAME = 96 };

struct tp_code_samples;

/* For a running process, with later children. TP_PERM, TP_UNSUPPORTED with the reason. */
enum tp_status tp_code_open(struct tp_code_samples **code, pid_t pid, struct tp_diag *diag);
void tp_code_free(struct tp_code_samples *code); /* may be NULL */

/* Takes what came since the last call; it belongs to that tick. */
void tp_code_read(struct tp_code_samples *code, uint32_t tick);

/* Halves the resolution: ticks 2 i and 2 i + 1 become i. */
void tp_code_halve(struct tp_code_samples *code);

/*
 * After the last tick: names functions by the symbols of their files, and returns the number of
 * those with most samples, at most `max`. A function without a symbol is its file and page.
 */
struct tp_code_function {
	char name[TP_CODE_NAME]; /* "compute", "libc.so.6+0x9d000" */
	char file[TP_CODE_NAME]; /* the name of its file, without folders */
	uint64_t samples;
};

size_t tp_code_functions(struct tp_code_samples *code, struct tp_code_function *functions,
			 size_t max);

/* Adds the samples of each tick in one of these functions: counts[tick]. */
void tp_code_series(const struct tp_code_samples *code, size_t function, double *counts,
		    size_t n_ticks);

/* Samples in total, and those lost by the kernel or by the limit of this room. */
void tp_code_totals(const struct tp_code_samples *code, uint64_t *taken, uint64_t *lost);

#endif
