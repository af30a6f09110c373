/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What llvm-mca predicts for pieces of assembly: a static view in addition to the measurement. The
 * program is optional and found at run time (package llvm of Debian). It has a model for each CPU,
 * and a version without this CPU predicts nothing: another CPU's numbers would mislead.
 */
#ifndef TPROF_COMPILER_MCA_H
#define TPROF_COMPILER_MCA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file.h"
#include "base/status.h"
#include "base/str.h"

#define TP_MCA_NONE "none" /* requests no prediction */
#define TP_MCA_HERE "auto" /* requests this CPU */

/* Plain data; nothing to release. */
struct tp_mca {
	char program[TP_PATH_MAX]; /* absolute */
	char cpu[32]; /* the model: "znver3" */
};

/*
 * Finds llvm-mca in PATH. `cpu` is a CPU as LLVM calls it ("znver3"), TP_MCA_HERE, or TP_MCA_NONE.
 * TP_NOTFOUND: no llvm-mca, or not requested. TP_UNSUPPORTED: it lacks this CPU; the hint names the
 * option for another one. TP_USAGE: `cpu` is not a name. TP_FAILED: it does not answer.
 * TP_CANCELLED.
 */
enum tp_status tp_mca_find(struct tp_mca *mca, const char *cpu, struct tp_diag *diag);

/*
 * A prediction for a piece of assembly that runs again and again. All is for one round of it.
 * `known` false: llvm-mca did not take the text; everything else is 0 then.
 */
struct tp_mca_result {
	bool known;
	char cpu[16]; /* the model, cut */
	double cycles, instructions, uops;
	double ipc; /* instructions in a cycle */
	double rthroughput; /* cycles by ports only, as if nothing waited: "block RThroughput" */
	char pressure[96]; /* cycles that ports are busy, the busiest first: "P0 0.50 P1 0.50" */
};

/*
 * Predicts n pieces for a CPU, as tp_mca_find takes it. `text` appends the i-th, lines with their
 * syntax directive, if it needs one, or returns false for one that has no prediction. No text may
 * begin a line with a comment of llvm-mca ("# LLVM-MCA-"). TP_OK: look at each result; it is
 * unknown if llvm-mca is missing, lacks the CPU, or fails. TP_CANCELLED: tp_stop_asked. Programs
 * are forked, so call it before the process holds large buffers.
 */
enum tp_status tp_mca_predict(const char *cpu, size_t n,
			      bool (*text)(void *context, size_t i, struct tp_str *out),
			      void *context, struct tp_mca_result *results, struct tp_diag *diag);

/*
 * Parses llvm-mca's output for n pieces into their results: foreign text. Regions are called by
 * their index. Returns how many it found.
 */
size_t tp_mca_read(const char *said, struct tp_mca_result *results, size_t n);

#endif
