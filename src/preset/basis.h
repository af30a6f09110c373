/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bases as data. For a family of counting kernels a basis defines what each ideal event counts in
 * each row, and defines metrics as combinations of ideal events. The YAML files are in
 * presets/bases/ and in `bases/` of the user's data directory; see tprof-basis(5).
 */
#ifndef TPROF_PRESET_BASIS_H
#define TPROF_PRESET_BASIS_H

#include "base/memory.h"
#include "base/named.h"
#include "base/status.h"

enum { TP_BASIS_MAX_ROWS = 4096, TP_BASIS_MAX_IDEALS = 256, TP_BASIS_MAX_METRICS = 1024 };

struct tp_basis_ideal {
	const char *name; /* "DP_256_FMA" */
	const char *title; /* "256-bit double precision FMA instructions", or "" */
	/* Names of events that should count it: shell patterns, blanks between; or "" */
	const char *called;
};

struct tp_basis_row {
	const char *name; /* "dp-256-fma 24", unique in the file */
	/* rows of one group belong to one kernel and form one curve; or "" */
	const char *group;
	double x; /* its position on the curve (buffer size in bytes, N); NaN: its number */
	int region; /* index of the region whose expectation it uses, -1 = its own */
	const double *expect; /* of each ideal event */
};

struct tp_basis_metric {
	const char *name; /* "DP operations" */
	const char *symbol; /* for PAPI: upper case letters, digits, underscores: "DP_OPS" */
	const char *unit; /* "instruction", "operation", "access", ... or "" */
	const double *signature; /* how many of each ideal event */
};

/* Rows from other tools (CAT files) get their expectation by region. */
struct tp_basis_region {
	const char *name; /* "L2" */
	const double *expect;
};

struct tp_basis {
	char name[32]; /* the family: "flops" */
	const char *title, *notes;
	const char *per; /* counts are divided by this: "iteration", "access" */
	/* the basis of the same family for arithmetic only on registers; or "" */
	const char *load_store;
	char path[TP_PATH_MAX];
	struct tp_basis_ideal *ideals;
	size_t n_ideals;
	struct tp_basis_row *rows;
	size_t n_rows;
	struct tp_basis_metric *metrics;
	size_t n_metrics;
	struct tp_basis_region *regions;
	size_t n_regions;
	double noise, residual, alpha, defined; /* limits, see analysis/classify.h; with defaults */
	struct tp_arena arena; /* owns everything */
};

/*
 * Reads a basis. Each error goes to `diags` with file:line:column: a missing or unknown key, a bad
 * number, a name used twice, a row without expectation. On failure the basis is empty. Without a
 * name in the file, the family has the name of the file.
 */
enum tp_status tp_basis_parse(struct tp_basis *basis, const char *name, const char *text,
			      size_t len, struct tp_diags *diags);
enum tp_status tp_basis_load(struct tp_basis *basis, const char *path, struct tp_diags *diags);

/*
 * Finds a basis by family name in the user's data directory, then among the shipped ones, or by
 * path if `name` holds a slash or ends in .yaml.
 */
enum tp_status tp_basis_find(struct tp_basis *basis, const char *name, struct tp_diags *diags);
/* The basis of a family for kernels of that architecture; "": unknown, as x86_64. */
enum tp_status tp_basis_find_for(struct tp_basis *basis, const char *family, const char *arch,
				 struct tp_diags *diags);
void tp_basis_release(struct tp_basis *basis);

/*
 * Replaces the rows by `n` new ones. Each has a region, whose expectation is copied. Names and
 * groups are copied too.
 */
enum tp_status tp_basis_set_rows(struct tp_basis *basis, const struct tp_basis_row *rows, size_t n,
				 struct tp_diag *diag);

/* Heap, sorted by name; caller frees. */
enum tp_status tp_basis_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag);

#endif
