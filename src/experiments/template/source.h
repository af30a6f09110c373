/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source of a template, and the C that is compiled. */
#ifndef TPROF_EXPERIMENTS_TEMPLATE_SOURCE_H
#define TPROF_EXPERIMENTS_TEMPLATE_SOURCE_H

#include "base/memory.h"
#include "base/file.h"
#include "base/named.h"
#include "base/str.h"
#include "experiments/template/row.h"
#include "sweep/sweep.h"

enum { TP_TEMPLATE_REGIONS = 32, TP_TEMPLATE_SOURCE_MAX = 1 << 20 };

/* A marked region: lines counted from 1. */
struct tp_template_region {
	char name[TP_TEMPLATE_NAME_BYTES];
	unsigned first_line, last_line; /* last 0 = it does not end */
};

/* All in an arena. */
struct tp_template_source {
	const char *name, *path; /* "matmul"; absolute */
	const char *folder, *header_folder; /* where includes are looked for */
	const char *text;
	size_t len;
	struct tp_template_region regions[TP_TEMPLATE_REGIONS];
	size_t n_regions;
	char hash[17];
	const char *key; /* changes with the texts of source, header and includes */
};

/*
 * Reads the source that `wish` names: a path that ends in .c, or a name. TP_NOTFOUND; TP_USAGE if
 * it is not text, too long, or marks no region; TP_IO.
 */
enum tp_status tp_template_source_read(struct tp_template_source *source, const char *wish,
				       struct tp_arena *arena, struct tp_diag *diag);
/* Fills `regions` from `text`; everything else in the source must be zero. */
void tp_template_find_regions(struct tp_template_source *source);
const struct tp_template_region *tp_template_region_find(const struct tp_template_source *source,
							 const char *name); /* NULL = none */

/* What ships, and what the user has in folders of tprof. */
enum tp_status tp_template_list(struct tp_named_file **files, size_t *n, struct tp_diag *diag);
bool tp_template_is_known(const char *wish);

/* The compiler and flags of the combination; "" = the default. */
const char *tp_template_compiler(const struct tp_sweep_at *at);
const char *tp_template_flags(const struct tp_sweep_at *at);

/* Appends the macros of a combination. */
void tp_template_macros(const struct tp_sweep_at *at, struct tp_str *out);
/* Appends the C that is compiled: macros and source. */
void tp_template_write(const struct tp_template_source *source, const struct tp_sweep_at *at,
		       struct tp_str *out);
/*
 * Appends the piece of assembly that llvm-mca predicts for a region: what its marks enclose, or, if
 * there are loops, the longest of those without a loop in it. False if the marks are not there. The
 * text of a compiler is foreign, too.
 */
bool tp_template_cut(const char *assembly, const char *region, struct tp_str *out);

/*
 * Loops of the region that became vectors, the longest vectors, and warnings, from a compiler's
 * output for the source: foreign text.
 */
void tp_template_read_report(const char *said, const struct tp_template_region *region,
			     struct tp_template_row *row);

#endif
