/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bases as data: for a family of counting kernels, what each ideal event counts in each row, and the metrics people want as combinations of
 * ideal events. YAML files of presets/bases/ (and of the user's data directory, `bases/`), see tprof-basis(5).
 */
#ifndef TPROF_PRESET_BASIS_H
#define TPROF_PRESET_BASIS_H

#include "base/arena.h"
#include "base/named.h"
#include "base/status.h"

enum { TP_BASIS_MAX_ROWS = 4096, TP_BASIS_MAX_IDEALS = 256, TP_BASIS_MAX_METRICS = 1024 };

struct tp_basis_ideal {
	const char *name; /* "DP_256_FMA" */
	const char *title; /* "256-bit double precision FMA instructions", or "" */
};

struct tp_basis_row {
	const char *name; /* "dp-256-fma 24", unique in the file */
	const char *
		group; /* rows of one group belong to one kernel and are drawn as one curve, or "" */
	double x; /* where it stands in its curve (buffer size in bytes, N); NaN = by number */
	int region; /* index of the region whose expectation it has, -1 = its own */
};

struct tp_basis_metric {
	const char *name; /* "DP operations" */
	const char *symbol; /* for PAPI: upper case letters, digits, underscores: "DP_OPS" */
	const char *unit; /* "instruction", "operation", "access", ... or "" */
};

struct tp_basis_region {
	const char
		*name; /* "L2": rows made elsewhere (CAT files) get their expectation by region */
};

struct tp_basis {
	char name[32]; /* the family: "flops" */
	const char *title, *notes;
	const char *per; /* what counts are divided by: "iteration", "access" */
	char path[TP_PATH_MAX];
	struct tp_basis_ideal *ideals;
	size_t n_ideals;
	struct tp_basis_row *rows;
	double *expectations; /* n_rows x n_ideals */
	size_t n_rows;
	struct tp_basis_metric *metrics;
	double *signatures; /* n_metrics x n_ideals */
	size_t n_metrics;
	struct tp_basis_region *regions;
	double *region_expectations; /* n_regions x n_ideals */
	size_t n_regions;
	double noise, residual, alpha, defined; /* limits, see analysis/classify.h; with defaults */
	struct tp_arena arena; /* owns everything */
};

/*
 * Every error with file:line:column. A missing or unknown key, a wrong number, a name twice, a row of no expectation ... On failure the
 * basis is empty. The family's name is that of the file where the file does not tell another.
 */
enum tp_status tp_basis_parse(struct tp_basis *basis, const char *name, const char *text,
			      size_t len, struct tp_diags *diags);
enum tp_status tp_basis_load(struct tp_basis *basis, const char *path, struct tp_diags *diags);
/* By family name from the user's data directory, then the shipped ones; or a path if `name` holds a slash or ends in .yaml. */
enum tp_status tp_basis_find(struct tp_basis *basis, const char *name, struct tp_diags *diags);
void tp_basis_release(struct tp_basis *basis);

/* Replaces the rows by `n` new ones of given regions (expectations are copied from the regions). Names and groups are copied. */
enum tp_status tp_basis_set_rows(struct tp_basis *basis, const struct tp_basis_row *rows, size_t n,
				 struct tp_diag *diag);

/* Heap, sorted by name; caller frees. */
enum tp_status tp_basis_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag);

#endif
