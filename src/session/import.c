/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/import.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/csv.h"

enum { FILE_BYTES_MAX = 64 << 20, COLUMN_NONE = -1 };

void tp_import_release(struct tp_import *import)
{
	free(import->dots);
	free(import->roofs);
	*import = (struct tp_import){ 0 };
}

/* --- dots and roofs --- */

/* A name as dots have it: without the characters that separate its parts. */
static bool add_dot(struct tp_import *import, const char *name, double ai, double gflops)
{
	if (!(ai > 0) || !(gflops > 0) || !isfinite(ai) || !isfinite(gflops))
		return false;
	TP_RESERVE(import->dots, import->dots_cap, import->n_dots + 1);
	struct tp_own_dot *dot = &import->dots[import->n_dots++];
	*dot = (struct tp_own_dot){ .ai_flop_per_byte = ai, .gflops = gflops };
	tp_copy(dot->name, sizeof(dot->name), *name ? name : "dot");
	for (char *c = dot->name; *c; c++)
		if (*c == ':' || *c == ',' || iscntrl((unsigned char)*c))
			*c = '_';
	return true;
}

static void add_roof(struct tp_import *import, const struct tp_import_roof *roof)
{
	if (!(roof->gbps > 0) && !(roof->gflops > 0))
		return;
	TP_RESERVE(import->roofs, import->roofs_cap, import->n_roofs + 1);
	import->roofs[import->n_roofs++] = *roof;
}

/* --- reading --- */

struct reader {
	struct tp_csv csv;
	struct tp_import *import;
	/* Files with a heading: the columns of name, intensity and rate. */
	int name, ai, gflops;
	/* LIKWID: the table under way. */
	char region[64];
	double mflops, mbytes, intensity;
	bool in_metrics, is_stat;
};

static bool is_cell(const struct reader *r, size_t i, const char *word)
{
	return strcasecmp(tp_csv_cell(&r->csv, i), word) == 0;
}

static int column_of(const struct reader *r, const char *begins)
{
	for (size_t i = 0; i < r->csv.n; i++)
		if (strncasecmp(tp_csv_cell(&r->csv, i), begins, strlen(begins)) == 0)
			return (int)i;
	return COLUMN_NONE;
}

/* What these tools write where nothing was measured; "< 0.001": too little to be. */
static bool is_empty(const char *text)
{
	static const char *const words[] = { "", "-", "nan", "N/A" };
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return *text == '<';
}

/* A number of a cell; NaN for an empty one. */
static enum tp_status read_number(struct reader *r, size_t i, double *number)
{
	char what[96], shown[48];
	const char *text = tp_csv_cell(&r->csv, i);
	*number = NAN;
	if (is_empty(text) || tp_parse_double(text, number))
		return TP_OK;
	snprintf(what, sizeof(what), "\"%s\" is not a number",
		 tp_shown(shown, sizeof(shown), text, strlen(text)));
	return tp_csv_refuse(&r->csv, "numbers have a point and no unit", what);
}

/* --- CARM Tool and Advisor: a row for each dot, below a heading --- */

static const struct {
	const char *tool, *name, *ai, *gflops; /* how their columns begin */
} dot_files[] = { { "CARM Tool", "Name", "AI", "Gflops" },
		  { "Intel Advisor", "Function Call Sites", "Self AI", "Self GFLOPS" } };

static enum tp_status read_dot(struct reader *r)
{
	double ai, gflops;
	enum tp_status status = read_number(r, (size_t)r->ai, &ai);
	if (status == TP_OK)
		status = read_number(r, (size_t)r->gflops, &gflops);
	if (status == TP_OK)
		r->import->n_left_out +=
			!add_dot(r->import, tp_csv_cell(&r->csv, (size_t)r->name), ai, gflops);
	return status;
}

/* --- CARM Tool: a row for each roofline, with fixed columns below two headings --- */

static const struct {
	const char *level;
	size_t column;
} carm_levels[] = { { "L1", 9 }, { "L2", 11 }, { "L3", 13 }, { "DRAM", 15 } };
enum {
	CARM_ISA = 1,
	CARM_PRECISION,
	CARM_THREADS,
	CARM_LOADS,
	CARM_STORES,
	CARM_OPERATION = 8,
	CARM_PEAK = 17,
	CARM_FMA = 19
};

static enum tp_status read_carm_roofs(struct reader *r)
{
	double threads, loads, stores, rate;
	if (is_cell(r, 0, "Date"))
		return TP_OK;
	struct tp_import_roof like = { .gbps = NAN, .gflops = NAN };
	const char *isa = tp_csv_cell(&r->csv, CARM_ISA);
	tp_copy(like.isa, sizeof(like.isa), strcasecmp(isa, "avx") == 0 ? "avx2" : isa);
	tp_copy(like.precision, sizeof(like.precision),
		is_cell(r, CARM_PRECISION, "sp") ? "single" : "double");
	enum tp_status status = read_number(r, CARM_THREADS, &threads);
	if (status == TP_OK)
		status = read_number(r, CARM_LOADS, &loads);
	if (status == TP_OK)
		status = read_number(r, CARM_STORES, &stores);
	if (status != TP_OK)
		return status;
	if (!(threads >= 1 && threads <= 1e5) || !(loads >= 0 && loads <= 1000) ||
	    !(stores >= 0 && stores <= 1000))
		return tp_csv_refuse(&r->csv, "columns Threads, Loads and Stores of the CARM Tool",
				     "threads, loads and stores are not counts");
	like.threads = (unsigned)threads;
	for (size_t i = 0; i < TP_COUNT_OF(carm_levels) && status == TP_OK; i++) {
		struct tp_import_roof roof = like;
		roof.loads = (unsigned)loads;
		roof.stores = (unsigned)stores;
		snprintf(roof.kernel, sizeof(roof.kernel), "%uld%ust", roof.loads, roof.stores);
		tp_copy(roof.level, sizeof(roof.level), carm_levels[i].level);
		if ((status = read_number(r, carm_levels[i].column, &roof.gbps)) == TP_OK)
			add_roof(r->import, &roof);
	}
	for (int fma = 0; fma < 2 && status == TP_OK; fma++) {
		struct tp_import_roof roof = like;
		tp_copy(roof.level, sizeof(roof.level), "FP");
		tp_copy(roof.kernel, sizeof(roof.kernel),
			fma ? "fma" : tp_csv_cell(&r->csv, CARM_OPERATION));
		status = read_number(r, fma ? CARM_FMA : CARM_PEAK, &rate);
		roof.gflops = rate;
		if (status == TP_OK)
			add_roof(r->import, &roof);
	}
	return status;
}

/* --- LIKWID: tables of metrics, of each hardware thread or with their sums --- */

static void end_likwid_table(struct reader *r)
{
	if (!r->in_metrics)
		return;
	double ai = r->mbytes > 0 ? r->mflops / r->mbytes : r->intensity;
	/* The sums of a region replace what was added up from its threads. */
	if (r->is_stat && r->import->n_dots &&
	    strcmp(r->import->dots[r->import->n_dots - 1].name, r->region) == 0)
		r->import->n_dots--;
	bool is_dot = add_dot(r->import, r->region, ai, r->mflops / 1000);
	r->import->n_left_out += !is_dot && !r->is_stat;
	r->in_metrics = false;
}

/* "TABLE,Region triad,Group 1 Metric,MEM_DP,19" or, without regions, "TABLE,Group 1
 * Metric,MEM_DP,19". */
static void begin_likwid_table(struct reader *r)
{
	end_likwid_table(r);
	int kind = column_of(r, "Group ");
	const char *region = tp_csv_cell(&r->csv, 1);
	if (kind < 0 || !strstr(tp_csv_cell(&r->csv, (size_t)kind), "Metric"))
		return;
	r->in_metrics = true;
	r->is_stat = strstr(tp_csv_cell(&r->csv, (size_t)kind), "STAT") != NULL;
	r->mflops = r->mbytes = 0;
	r->intensity = NAN;
	tp_copy(r->region, TP_OWN_DOT_NAME_BYTES,
		strncmp(region, "Region ", 7) == 0 ? region + 7
						   : tp_csv_cell(&r->csv, (size_t)kind + 1));
}

static enum tp_status add_up(struct reader *r, double *sum)
{
	double number;
	enum tp_status status = TP_OK;
	const size_t end = r->is_stat ? 2 : r->csv.n; /* the first column of STAT is the sum */
	for (size_t i = 1; i < end && status == TP_OK; i++)
		if ((status = read_number(r, i, &number)) == TP_OK && isfinite(number))
			*sum += number;
	return status;
}

static enum tp_status read_likwid(struct reader *r)
{
	static const char bandwidth[] = "Memory bandwidth [MBytes/s]";
	const char *metric = tp_csv_cell(&r->csv, 0);
	if (strcmp(metric, "TABLE") == 0) {
		begin_likwid_table(r);
		return TP_OK;
	}
	if (strcmp(metric, "STRUCT") == 0) {
		end_likwid_table(r);
		return TP_OK;
	}
	if (!r->in_metrics)
		return TP_OK;
	/* "DP [MFLOP/s]" and "SP [MFLOP/s]", not the AVX ones. */
	if (strncmp(metric + (*metric != '\0'), "P [MFLOP/s]", 11) == 0)
		return add_up(r, &r->mflops);
	if (strncmp(metric, bandwidth, sizeof(bandwidth) - 1) == 0)
		return add_up(r, &r->mbytes);
	if (strncmp(metric, "Operational intensity", 21) == 0 && !r->is_stat)
		return read_number(r, 1, &r->intensity);
	return TP_OK;
}

/* --- the tool --- */

static enum tp_status (*reader_of(struct reader *r))(struct reader *)
{
	if (is_cell(r, 0, "TABLE") || is_cell(r, 0, "STRUCT")) {
		r->import->tool = "LIKWID";
		return read_likwid;
	}
	if (is_cell(r, 0, "Name:") && column_of(r, "L1 Size:") >= 0) {
		r->import->tool = "CARM Tool";
		return read_carm_roofs;
	}
	for (size_t i = 0; i < TP_COUNT_OF(dot_files); i++) {
		r->name = column_of(r, dot_files[i].name);
		r->ai = column_of(r, dot_files[i].ai);
		r->gflops = column_of(r, dot_files[i].gflops);
		if (r->name >= 0 && r->ai >= 0 && r->gflops >= 0) {
			r->import->tool = dot_files[i].tool;
			return read_dot;
		}
	}
	return NULL;
}

enum tp_status tp_import_parse(struct tp_import *import, const char *name, const char *text,
			       size_t len, struct tp_diag *diag)
{
	struct reader r = { .import = import };
	enum tp_status (*read_row)(struct reader *) = NULL;
	bool done = false;
	*import = (struct tp_import){ 0 };
	tp_csv_begin(&r.csv, name, text, len, diag);
	enum tp_status status = TP_OK;
	while (status == TP_OK && (status = tp_csv_next(&r.csv, &done)) == TP_OK && !done) {
		if (!read_row) {
			read_row = reader_of(&r);
			if (read_row != read_likwid)
				continue; /* the heading */
		}
		status = read_row(&r);
	}
	if (status == TP_OK && read_row == read_likwid)
		end_likwid_table(&r);
	tp_csv_release(&r.csv);
	if (status == TP_OK && !read_row)
		status = tp_fail(diag, TP_USAGE, name,
				 "known are likwid-perfctr -O, the survey of Intel Advisor as CSV, "
				 "and the files of the CARM Tool",
				 "is not a result of a tool that can be imported");
	if (status == TP_OK && !import->n_dots && !import->n_roofs)
		status = tp_fail(diag, TP_USAGE, name,
				 read_row == read_likwid
					 ? "measure a group with FLOPs and memory, such as MEM_DP"
					 : NULL,
				 "this file of %s has no rate with its intensity", import->tool);
	if (status != TP_OK)
		tp_import_release(import);
	return status;
}

enum tp_status tp_import_read(struct tp_import *import, const char *path, struct tp_diag *diag)
{
	char *text;
	size_t len;
	*import = (struct tp_import){ 0 };
	enum tp_status status = tp_file_read(path, FILE_BYTES_MAX, &text, &len, diag);
	if (status != TP_OK)
		return status;
	status = tp_import_parse(import, path, text, len, diag);
	free(text);
	return status;
}

bool tp_import_left_out(const struct tp_import *import, const char *path, struct tp_diag *diag)
{
	if (!import->n_left_out)
		return false;
	tp_fail(diag, TP_OK, path, NULL, "%zu %s without a rate and an intensity left out",
		import->n_left_out, import->n_left_out == 1 ? "entry" : "entries");
	return true;
}

/* --- writing --- */

static void write_roof(size_t i, const struct tp_import_roof *roof, struct tp_str *out)
{
	const bool moves = roof->gbps > 0;
	tp_str_printf(out, "0,%zu,roofline,", i);
	tp_cell_text(out, roof->kernel);
	tp_str_add(out, ",");
	tp_cell_text(out, roof->isa);
	tp_str_printf(out, ",%s,%u,%s,,", roof->precision, roof->threads, roof->level);
	if (moves) {
		tp_str_printf(out, "%u,%u,,", roof->loads, roof->stores);
	} else {
		tp_str_add(out, ",,");
		tp_cell_text(out, roof->kernel);
		tp_str_add(out, ",");
	}
	for (int best = 0; best < 2; best++) {
		tp_cell_real(out, moves ? roof->gbps : NAN);
		tp_str_add(out, ",");
	}
	for (int best = 0; best < 2; best++) {
		tp_cell_real(out, moves ? NAN : roof->gflops);
		tp_str_add(out, ",");
	}
	/* One value, without an interval. */
	tp_str_add(out, ",,,\n");
}

void tp_import_write(const struct tp_import *import, struct tp_str *out)
{
	char text[TP_OWN_DOT_BYTES];
	for (size_t i = 0; i < import->n_dots; i++)
		tp_str_printf(out, "%s\n", tp_own_dot_text(&import->dots[i], text));
	if (import->n_roofs)
		tp_str_add(out, "run,point,experiment,kernel,isa,precision,threads,level,"
				"working_set_bytes,loads,stores,fp_op,median_gbps,best_gbps,"
				"median_gflops,best_gflops,ci_low,ci_high,samples,flags\n");
	for (size_t i = 0; i < import->n_roofs; i++)
		write_roof(i, &import->roofs[i], out);
}
