/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches, instruction sets, peaks, models, environment and findings as text. */
#include "ui/tui/screens/machine_docs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/str.h"
#include "base/text.h"
#include "kernels/isa.h"
#include "kernels/kernel.h"
#include "record/roof.h"
#include "report/page.h"
#include "ui/tui/keys.h"

/* --- caches --- */

static const char *const cache_names[] = { "", "L1d", "L2", "L3" };
static const char *const cache_levels[] = { "", "L1", "L2", "L3" };

struct cache_row {
	const char *name;
	uint64_t used, reported, measured, given, model;
};

#define CACHE(name) TP_SHOWS(struct cache_row, name), .words = tp_grid_bytes, .positive = true
static const struct tp_grid_column cache_columns[] = {
	{ "", TP_LEFT, 0, TP_SHOWS(struct cache_row, name), .paint = TP_PAINT_STRONG },
	{ "used", TP_RIGHT, 0, CACHE(used), .paint = TP_PAINT_STRONG },
	{ "reported", TP_RIGHT, 0, CACHE(reported) },
	{ "measured", TP_RIGHT, 0, CACHE(measured), .paint = TP_PAINT_GOOD },
	{ "given", TP_RIGHT, 0, CACHE(given) },
	{ "model", TP_RIGHT, 0, CACHE(model) },
};

/* What a run measured of a cache; 0 = nothing that may be shown as measured. */
static uint64_t measured_bytes(const struct tp_run *run, int level)
{
	const struct tp_plateau *p = run ? tp_run_cache(run, cache_levels[level]) : NULL;
	return p ? p->capacity_bytes : 0;
}

/* "measured in NAME: L1 good, L3 fair, 2026-11-23" */
static void say_source(const struct tp_run *measured, const char *from, struct tp_text *text)
{
	const char *joint = ": ";
	char when[32];
	TP_STR words = { 0 };
	for (int level = 1; level < TP_CACHE_LEVELS; level++) {
		const struct tp_plateau *p = tp_run_cache(measured, cache_levels[level]);
		if (!p)
			continue;
		tp_str_printf(&words, "%s%s %s", joint, cache_levels[level],
			      tp_measured_when(when, sizeof(when), measured, p->quality));
		joint = "; ";
	}
	tp_text_say(text, TP_PAINT_DIM, 0, 0, "measured in %s%s", from, tp_str_text(&words));
}

static void say_caches(const struct tp_machine *machine, const struct tp_run *measured,
		       struct tp_text *text)
{
	TP_GRID(grid, cache_columns);
	tp_grid_heads(&grid);
	for (int level = 1; level < TP_CACHE_LEVELS; level++) {
		const struct tp_cache *c = &machine->cache[level];
		const struct cache_row row = {
			.name = cache_names[level],
			.used = c->size_bytes,
			.reported = c->reported_bytes,
			.measured = measured_bytes(measured, level),
			.given = c->given_bytes,
			.model = c->model_bytes,
		};
		if (c->size_bytes)
			tp_grid_row(&grid, &row, NULL);
	}
	if (grid.n == grid.n_columns) {
		tp_text_wrap(text, TP_PAINT_WARN, "no cache is known here", 0, 0);
		return;
	}
	tp_grid_write(&grid, text);
	for (int level = 1; level < TP_CACHE_LEVELS; level++) {
		const struct tp_cache *c = &machine->cache[level];
		TP_STR words = { 0 };
		if (!c->size_bytes)
			continue;
		tp_str_printf(&words, "%u B lines", c->line_bytes);
		if (c->ways)
			tp_str_printf(&words, ", %u-way", c->ways);
		if (c->sharing_cores > 1)
			tp_str_printf(&words, ", shared by %u cores", c->sharing_cores);
		else
			tp_str_add(&words, ", one a core");
		tp_str_printf(&words, ", %u in all", c->instances);
		tp_text_labelled(text, cache_names[level], 5, TP_PAINT_DIM, tp_str_text(&words));
	}
}

void tp_machine_caches(struct tp_doc *doc, const struct tp_session *session,
		       const struct tp_found *found, const struct tp_look *look)
{
	const struct tp_machine *machine = &session->machine;
	const struct tp_run *measured = machine->foreign ? NULL : tp_found_run(found);
	TP_TEXT(text, look);
	say_caches(machine, measured, &text);
	if (measured)
		say_source(measured, found->from, &text);
	else
		tp_text_wrap(&text, TP_PAINT_DIM,
			     "Measured ones come from a memory curve: preset memcurve.", 0, 0);
	tp_doc_report(doc, (int)look->columns, &text);
	/* What differs, and the key that uses it. */
	struct tp_offer offers[TP_OFFERS_MAX];
	size_t n = tp_offers(session, measured, offers);
	char key[16];
	for (size_t i = 0; i < n; i++) {
		tp_doc_row(doc, 0, TP_UI_CHANGED, "%s", offers[i].words);
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_PLAIN, ": ");
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_KEY,
			    tp_keys_name(TP_ACTION_ADOPT, key, sizeof(key)));
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_PLAIN, " uses it");
	}
}

/* --- instruction sets --- */

static double isa_bits(const void *row)
{
	const struct tp_isa_offer *isa = row;
	return isa->vector_bytes * 8;
}

static enum tp_paint isa_paint(const void *row)
{
	const struct tp_isa_offer *isa = row;
	return isa->offered ? TP_PAINT_STRONG : TP_PAINT_DIM;
}

static void isa_here_cell(struct tp_grid *grid, const void *row, const void *context)
{
	const struct tp_isa_offer *isa = row;
	(void)context;
	tp_grid_text(grid, isa->offered ? TP_PAINT_GOOD : TP_PAINT_DIM,
		     isa->offered     ? "yes"
		     : *isa->why.what ? "no"
				      : "?");
}

static void isa_words_cell(struct tp_grid *grid, const void *row, const void *context)
{
	const struct tp_isa_offer *isa = row;
	(void)context;
	tp_grid_text(grid, TP_PAINT_DIM,
		     isa->offered     ? isa->summary
		     : *isa->why.what ? isa->why.what
				      : "not known; can be named");
}

static const struct tp_grid_column isa_columns[] = {
	{ "ISA", TP_LEFT, 0, TP_SHOWS(struct tp_isa_offer, name), .paint_of = isa_paint },
	{ "bits", TP_RIGHT, 0, .value = isa_bits, .as = TP_AS_FIXED, .positive = true },
	{ "here", TP_LEFT, 0, .cell = isa_here_cell },
	{ "", TP_LEFT, 0, .cell = isa_words_cell },
};

void tp_machine_isas(struct tp_doc *doc, const struct tp_machine *machine,
		     const struct tp_look *look)
{
	struct tp_isa_offer isa;
	TP_TEXT(text, look);
	TP_GRID(grid, isa_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; tp_machine_isa(machine, i, &isa); i++)
		tp_grid_row(&grid, &isa, NULL);
	if (grid.n > grid.n_columns)
		tp_grid_write(&grid, &text);
	else
		tp_text_say(&text, TP_PAINT_WARN, 0, 0, "this program has no kernels for %s",
			    machine->cpu.arch);
	if (!machine->foreign) {
		tp_text_gap(&text);
		tp_text_fact(&text, "Features", TP_PAINT_PLAIN, machine->cpu.features);
	}
	tp_doc_report(doc, (int)look->columns, &text);
}

/* --- peaks --- */

/* The best figure per cycle among the roofs of a run, for an ISA and a precision. */
static double measured_peak(const struct tp_run *run, const char *isa, const char *precision,
			    bool fp)
{
	double best = 0;
	for (size_t i = 0; run && i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (tp_quality_teaches((enum tp_quality)r->quality) && strcmp(r->isa, isa) == 0 &&
		    strcmp(r->precision, precision) == 0 &&
		    (fp ? tp_level_is_fp(r->level) : strcmp(r->level, "L1") == 0) &&
		    isfinite(r->per_cycle))
			best = fmax(best, r->per_cycle);
	}
	return best;
}

/* Bytes and FLOP a cycle of a core, and rates. */
struct peak_row {
	const char *isa;
	double load, store, best, fma, add, both, core_gflops, all_gflops, found_l1, found_fp;
	unsigned loads, stores; /* of `best` */
};

static void best_cell(struct tp_grid *grid, const void *row, const void *context)
{
	const struct peak_row *p = row;
	(void)context;
	if (!(p->best > 0))
		tp_grid_text(grid, TP_PAINT_STRONG, "-");
	else if (p->loads + p->stores)
		tp_grid_printf(grid, TP_PAINT_STRONG, "%.4g %u:%u", p->best, p->loads, p->stores);
	else
		tp_grid_printf(grid, TP_PAINT_STRONG, "%.4g", p->best);
}

#define PEAK(name)                                                                                 \
	TP_SHOWS(struct peak_row, name), .as = TP_AS_DIGITS, .digits = 4, .positive = true
static const struct tp_grid_column peak_columns[] = {
	{ "", TP_LEFT, 0, TP_SHOWS(struct peak_row, isa) },
	{ "L1 ld", TP_RIGHT, 3, PEAK(load) },
	{ "L1 st", TP_RIGHT, 3, PEAK(store) },
	{ "L1 best", TP_RIGHT, 0, .cell = best_cell },
	{ "FMA", TP_RIGHT, 0, PEAK(fma), .paint = TP_PAINT_STRONG },
	{ "ADD", TP_RIGHT, 2, PEAK(add) },
	{ "FMA+ADD", TP_RIGHT, 1, PEAK(both) },
	{ "GF/s", TP_RIGHT, 1, TP_SHOWS(struct peak_row, core_gflops), .positive = true },
	{ "all GF/s", TP_RIGHT, 4, TP_SHOWS(struct peak_row, all_gflops), .positive = true },
	{ "L1 found", TP_RIGHT, 1, PEAK(found_l1), .paint = TP_PAINT_GOOD },
	{ "FP found", TP_RIGHT, 1, PEAK(found_fp), .paint = TP_PAINT_GOOD },
};

static struct peak_row peaks_of(const struct tp_model *m, const char *isa, bool single,
				const struct tp_run *run)
{
	unsigned element = single ? 4 : 8;
	const char *precision = single ? "single" : "double";
	struct peak_row p = {
		.isa = isa,
		.load = tp_model_l1_bytes_per_cycle(m, isa, element, 1, 0),
		.store = tp_model_l1_bytes_per_cycle(m, isa, element, 0, 1),
		.fma = tp_model_flop_per_cycle(m, isa, element, "fma"),
		.add = tp_model_flop_per_cycle(m, isa, element, "add"),
		.both = tp_model_flop_per_cycle(m, isa, element, "fma+add"),
		.all_gflops = fmax(tp_model_peak_gflops(m, isa, element, "fma"),
				   tp_model_peak_gflops(m, isa, element, "fma+add")),
		.found_l1 = measured_peak(run, isa, precision, false),
		.found_fp = measured_peak(run, isa, precision, true),
	};
	p.best = tp_model_l1_best(m, isa, element, &p.loads, &p.stores);
	p.core_gflops = m->nominal_ghz * fmax(p.fma, p.both);
	return p;
}

struct narrow_row {
	char name[64];
	double flop, gflops;
};

#define NARROW(name) TP_SHOWS(struct narrow_row, name)
static const struct tp_grid_column narrow_columns[] = {
	{ "half, bf16, int8", TP_LEFT, 0, NARROW(name) },
	{ "FLOP/cycle", TP_RIGHT, 0, NARROW(flop), .as = TP_AS_DIGITS, .digits = 4,
	  .paint = TP_PAINT_STRONG },
	{ "GF/s", TP_RIGHT, 1, NARROW(gflops), .as = TP_AS_FIXED, .positive = true },
};

/* One line for each that the model gives: FLOP a cycle of a core, as above, and its rate. */
static void say_narrow_peaks(const struct tp_model *model, struct tp_text *text)
{
	const struct tp_narrow *row;
	TP_GRID(grid, narrow_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; (row = tp_narrow_row(model->arch, i)); i++) {
		const char *op = tp_fp_op_name(row->op);
		struct narrow_row r = {
			.flop = tp_model_narrow_flop_per_cycle(model, row->isa, row->precision, op),
		};
		r.gflops = model->nominal_ghz * r.flop;
		snprintf(r.name, sizeof(r.name), "%s %s in %s", row->isa, op, row->precision);
		if (r.flop > 0)
			tp_grid_row(&grid, &r, NULL);
	}
	if (grid.n > grid.n_columns)
		tp_grid_write(&grid, text);
}

void tp_machine_peaks(struct tp_doc *doc, const struct tp_model *model, const struct tp_run *run,
		      const char *from, const struct tp_look *look)
{
	const bool measured = run && tp_run_n_roofs(run);
	TP_TEXT(text, look);
	TP_GRID(grid, peak_columns);
	TP_STR note = { 0 };
	for (int single = 0; *model->name && single < 2; single++) {
		tp_grid_head(&grid, single ? "single" : "double");
		for (size_t c = 1; c < grid.n_columns; c++)
			tp_grid_head(&grid, peak_columns[c].head);
		for (size_t i = 0; i < model->n_isas; i++) {
			struct peak_row p = peaks_of(model, model->isas[i].name, single, run);
			tp_grid_row(&grid, &p, NULL);
		}
	}
	if (*model->name) {
		tp_grid_write(&grid, &text);
		say_narrow_peaks(model, &text);
		tp_str_printf(&note, "%s: %s. Bytes (L1) and FLOP a cycle of one core", model->name,
			      model->title);
		if (model->nominal_ghz > 0)
			tp_str_printf(&note, ", GFLOP/s at %.2f GHz", model->nominal_ghz);
		if (model->sockets && model->cores_per_socket)
			tp_str_printf(&note, ", all: %u x %u cores", model->sockets,
				      model->cores_per_socket);
		if (tp_model_dram_gbps(model) > 0)
			tp_str_printf(&note, ". DRAM %.0f GB/s a socket",
				      tp_model_dram_gbps(model));
		tp_str_add(&note, ".");
		if (measured)
			tp_str_printf(&note, " Found: measured in %s.", from);
	} else {
		tp_str_add(&note, "No model is known for this CPU, so there are no theoretical "
				  "peaks. tprof-machine(5) says how to write a model.");
	}
	tp_text_say(&text, *model->name ? TP_PAINT_DIM : TP_PAINT_WARN, 0, 0, "%s",
		    tp_str_text(&note));
	tp_doc_report(doc, (int)look->columns, &text);
}

/* --- models --- */

void tp_machine_models(struct tp_doc *doc, const struct tp_known_model *models, size_t n,
		       const char *used, const char *shown, bool utf8, int columns)
{
	tp_doc_clear(doc, columns);
	for (size_t i = 0; i < n; i++) {
		const struct tp_known_model *m = &models[i];
		bool is_used = strcmp(m->name, used) == 0, is_shown = strcmp(m->name, shown) == 0;
		tp_doc_line(doc, (int)i);
		if (is_shown)
			tp_doc_text(doc, 0, TP_UI_TITLE, utf8 ? "▸" : ">");
		tp_doc_text(doc, 2, is_used ? TP_UI_STRONG : TP_UI_PLAIN, m->name);
		tp_doc_text(doc, 18,
			    !m->model		     ? TP_UI_BAD
			    : m->matches || m->alike ? TP_UI_GOOD
						     : TP_UI_DIM,
			    !m->model	 ? "broken"
			    : m->matches ? "fits"
			    : m->alike	 ? "alike"
					 : "");
		tp_doc_text(doc, 25, TP_UI_DIM, m->title);
	}
	if (!n)
		tp_doc_row(doc, 0, TP_UI_DIM, "%s", utf8 ? "…" : "...");
}

/* --- environment --- */

enum { ENVIRONMENT_AT = 15 };

static void __attribute__((format(printf, 3, 4)))
fact(struct tp_text *text, const char *label, const char *fmt, ...)
{
	char words[256];
	TP_STR clean = { 0 };
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	tp_text_clean(&clean, *words ? words : "unknown", text->look);
	tp_text_labelled(text, label, ENVIRONMENT_AT, TP_PAINT_PLAIN, tp_str_text(&clean));
}

static void say_environment(struct tp_text *text, const struct tp_machine *m)
{
	char a[32], b[32];
	TP_STR model = { 0 };
	if (m->foreign) {
		tp_text_wrap(text, TP_PAINT_WARN,
			     *m->simulated ? "A simulated machine: nothing of it is measured."
					   : "Another machine: tprof can plan for it, but not "
					     "measure it.",
			     0, 0);
		fact(text, "Topology from", "%s", m->source);
	}
	fact(text, "CPU", "%s", m->cpu_name);
	if (m->cpu.family >= 0 && m->cpu.model >= 0)
		fact(text, "", "%s family %d model %d stepping %d, %s", m->cpu.vendor,
		     m->cpu.family, m->cpu.model, m->cpu.stepping, m->cpu.arch);
	else
		fact(text, "Architecture", "%s", m->cpu.arch);
	tp_model_named(m, &model);
	fact(text, "Model", "%s", model.len ? tp_str_text(&model) : "none known for this CPU");
	if (m->memory_bytes)
		fact(text, "Memory", "%s, %s usable",
		     tp_format_bytes(a, sizeof(a), m->memory_bytes),
		     tp_format_bytes(b, sizeof(b), m->available_bytes));
	else
		fact(text, "Memory", "unknown");
	for (size_t i = 0; (tp_str_clear(&model), tp_machine_part(m, i, &model)); i++)
		fact(text, i ? "" : "Parts", "%s", tp_str_text(&model));
	if (m->foreign)
		return;
	fact(text, "Pages", "%s and %s, transparent: %s, reserved: %llu",
	     tp_format_bytes(a, sizeof(a), m->page_bytes),
	     tp_format_bytes(b, sizeof(b), m->huge_page_bytes), *m->thp ? m->thp : "unknown",
	     (unsigned long long)m->hugetlb_free);
	fact(text, "Frequency", "governor %s, turbo %s", *m->governor ? m->governor : "unknown",
	     m->turbo > 0    ? "on"
	     : m->turbo == 0 ? "off"
			     : "unknown");
	fact(text, "Cycle counter", "%s",
	     m->cpu.invariant_counter ? "invariant" : "not known to be invariant");
	fact(text, "Host", "%s", m->hostname);
	fact(text, "Kernel", "%s", m->kernel);
	fact(text, "Hypervisor", "%s", *m->cpu.hypervisor ? m->cpu.hypervisor : "none");
	fact(text, "Container", "%s", *m->container ? m->container : "none");
}

void tp_machine_environment(struct tp_doc *doc, const struct tp_machine *machine,
			    const struct tp_look *look)
{
	TP_TEXT(text, look);
	say_environment(&text, machine);
	tp_doc_report(doc, (int)look->columns, &text);
}

/* --- findings --- */

static const enum tp_role severity_roles[TP_SEVERITY_COUNT] = {
	[TP_FINE] = TP_UI_GOOD,
	[TP_NOTE] = TP_UI_TITLE,
	[TP_WARNING] = TP_UI_WARN,
	[TP_PROBLEM] = TP_UI_BAD,
};

enum tp_role tp_machine_findings_summary(const struct tp_finding *findings, size_t n, char *out,
					 size_t size)
{
	size_t count[TP_SEVERITY_COUNT] = { 0 };
	enum tp_role role = TP_UI_GOOD;
	size_t at = 0;
	out[0] = '\0';
	for (size_t i = 0; i < n; i++)
		count[findings[i].severity]++;
	for (int s = TP_SEVERITY_COUNT - 1; s > TP_FINE; s--) {
		if (!count[s] || at >= size)
			continue;
		if (!at)
			role = severity_roles[s];
		at += (size_t)snprintf(out + at, size - at, "%s%zu %s%s", at ? ", " : "", count[s],
				       tp_severity_name((enum tp_severity)s),
				       count[s] == 1 ? "" : "s");
	}
	if (!at)
		snprintf(out, size, "all in order");
	return role;
}

/*
 * The topology as boxes: packages around memory nodes around shared caches around cores. Boxes of
 * one kind stand beside each other where they have room. Of many alike, one box tells for all.
 */

enum { RANGES_MAX = 40 };

enum level { LEVEL_PACKAGE, LEVEL_NUMA, LEVEL_L3, LEVEL_L2, LEVEL_CORE };

static const char *const level_names[] = { "Package", "NUMA node", "L3", "L2", "Core" };

/* The node of a level that a hardware thread belongs to. */
static unsigned level_key(const struct tp_pu *pu, enum level level)
{
	return level == LEVEL_PACKAGE ? pu->package
	       : level == LEVEL_NUMA  ? pu->numa
	       : level == LEVEL_L3    ? pu->cache[3]
	       : level == LEVEL_L2    ? pu->cache[2]
				      : pu->core;
}

/* Levels with nothing to show are left out. */
static bool has_level(const struct tp_machine *m, enum level level)
{
	return level == LEVEL_NUMA ? m->n_numa > 1
	       : level == LEVEL_L3 ? m->cache[3].size_bytes > 0
	       : level == LEVEL_L2 ? m->cache[2].size_bytes && m->cache[2].sharing_cores > 1
				   : true;
}

static size_t next_of(const struct tp_machine *m, enum level level, size_t from, size_t to)
{
	size_t next = from + 1;
	while (next < to && level_key(&m->pus[next], level) == level_key(&m->pus[from], level))
		next++;
	return next;
}

static size_t count_of(const struct tp_machine *m, enum level level, size_t from, size_t to)
{
	size_t n = 0;
	for (; from < to; n++)
		from = next_of(m, level, from, to);
	return n;
}

static bool is_private(const struct tp_machine *m, int level)
{
	return m->cache[level].size_bytes && m->cache[level].sharing_cores <= 1;
}

static int ascending(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

/* Appends "CPUs 0-7,64-71". `order` has room for a number for each. */
static void cpu_ranges(const struct tp_machine *m, size_t from, size_t to, unsigned *order,
		       bool utf8, struct tp_str *out)
{
	size_t n = to - from, start = out->len;
	for (size_t i = 0; i < n; i++)
		order[i] = m->pus[from + i].os_index;
	qsort(order, n, sizeof(*order), ascending);
	tp_str_add(out, n == 1 ? "CPU " : "CPUs ");
	for (size_t i = 0; i < n; i++) {
		size_t first = i;
		while (i + 1 < n && order[i + 1] == order[i] + 1)
			i++;
		if (out->len - start > RANGES_MAX) {
			tp_str_add(out, utf8 ? ",…" : ",...");
			return;
		}
		tp_str_printf(out, first == i ? "%s%u" : "%s%u-%u", first ? "," : "", order[first],
			      order[i]);
	}
}

/* Boxes that are drawn one by one; the least width of one that has others beside it. */
enum {
	ALONE_MAX = 4,
	FEW_MAX = 2, /* of a machine with many cores */
	BOXES_MANY_CORES = 16,
	BESIDE_MIN = 40,
	CORE_ROWS_MAX = 2,
	CORE_LINES = 5,
	LINE_BYTES = 96,
	GAP = 1
};

/* A drawing that grows downwards. */
struct cell {
	uint32_t code;
	enum tp_role role;
};
struct grid {
	struct cell *cells;
	size_t rows, cap; /* cap in cells */
	int columns;
	bool utf8;
};

struct boxes {
	struct grid grid;
	const struct tp_machine *machine;
	const struct tp_run *measured; /* NULL = nothing is */
	unsigned *order; /* room for the CPU numbers of a node */
	bool any_measured; /* a measured size is shown */
};

static void put(struct grid *g, int row, int column, enum tp_role role, uint32_t code)
{
	size_t need = (size_t)(row + 1) * (size_t)g->columns;
	if (row < 0 || column < 0 || column >= g->columns)
		return;
	TP_RESERVE(g->cells, g->cap, need);
	for (; g->rows <= (size_t)row; g->rows++)
		for (int c = 0; c < g->columns; c++)
			g->cells[g->rows * (size_t)g->columns + (size_t)c] =
				(struct cell){ ' ', TP_UI_PLAIN };
	g->cells[(size_t)row * (size_t)g->columns + (size_t)column] = (struct cell){ code, role };
}

/* At most `room` columns of a text. */
static void put_text(struct grid *g, int row, int column, int room, enum tp_role role,
		     const char *text)
{
	uint32_t code;
	for (int i = 0; i < room && (code = tp_cell_next(&text)); i++)
		put(g, row, column + i, role, code);
}

static void frame(struct grid *g, int row, int column, int rows, int columns, const char *title)
{
	static const uint32_t lines[] = { 0x2500, 0x2502, 0x250c, 0x2510, 0x2514, 0x2518 };
	static const uint32_t plain[] = { '-', '|', '+', '+', '+', '+' };
	const uint32_t *s = g->utf8 ? lines : plain;
	int bottom = row + rows - 1, right = column + columns - 1;
	for (int c = column + 1; c < right; c++) {
		put(g, row, c, TP_UI_BORDER, s[0]);
		put(g, bottom, c, TP_UI_BORDER, s[0]);
	}
	for (int r = row + 1; r < bottom; r++) {
		put(g, r, column, TP_UI_BORDER, s[1]);
		put(g, r, right, TP_UI_BORDER, s[1]);
	}
	put(g, row, column, TP_UI_BORDER, s[2]);
	put(g, row, right, TP_UI_BORDER, s[3]);
	put(g, bottom, column, TP_UI_BORDER, s[4]);
	put(g, bottom, right, TP_UI_BORDER, s[5]);
	put_text(g, row, column + 2, columns - 4, TP_UI_TITLE, title);
}

/* --- words --- */

/* "L3 480 MiB, measured 79 MiB"; a size that the user gave is what plans use. */
static void cache_words(struct boxes *b, int level, bool brief, char *out, size_t size)
{
	const struct tp_cache *c = &b->machine->cache[level];
	uint64_t bytes = c->reported_bytes ? c->reported_bytes : c->size_bytes;
	uint64_t found = measured_bytes(b->measured, level);
	char a[32];
	int n = snprintf(out, size, "%s %s", cache_names[level],
			 tp_format_bytes(a, sizeof(a), bytes));
	if (found && n > 0 && (size_t)n < size) {
		n += snprintf(out + n, size - (size_t)n, brief ? " ~%s" : ", measured %s",
			      tp_format_bytes(a, sizeof(a), found));
		b->any_measured |= brief;
	}
	if (c->given_bytes && c->given_bytes != bytes && n > 0 && (size_t)n < size)
		snprintf(out + n, size - (size_t)n, ", used %s",
			 tp_format_bytes(a, sizeof(a), c->given_bytes));
}

static void title_of(struct boxes *b, enum level level, size_t from, size_t count, char *out,
		     size_t size)
{
	const struct tp_machine *m = b->machine;
	char words[LINE_BYTES] = "", memory[32];
	if (level == LEVEL_L3 || level == LEVEL_L2) {
		cache_words(b, level == LEVEL_L3 ? 3 : 2, false, words, sizeof(words));
		if (count > 1)
			snprintf(out, size, " %zu x %s ", count, words);
		else
			snprintf(out, size, " %s ", words);
		return;
	}
	for (unsigned i = 0; level == LEVEL_NUMA && i < m->n_numa; i++)
		if (m->nodes[i].os_index == m->pus[from].numa && m->nodes[i].memory_bytes)
			snprintf(words, sizeof(words), ", %s",
				 tp_format_bytes(memory, sizeof(memory), m->nodes[i].memory_bytes));
	if (level == LEVEL_PACKAGE && m->n_packages == 1 && m->memory_bytes)
		snprintf(words, sizeof(words), ", %s",
			 tp_format_bytes(memory, sizeof(memory), m->memory_bytes));
	if (count > 1)
		snprintf(out, size, " %zu x %s%s ", count, level_names[level], words);
	else
		snprintf(out, size, " %s %u%s ", level_names[level],
			 level_key(&m->pus[from], level), words);
}

/* --- cores --- */

struct core {
	char lines[CORE_LINES][LINE_BYTES];
	int n, columns;
};

static void core_lines(struct boxes *b, size_t from, size_t to, struct core *core)
{
	const struct tp_machine *m = b->machine;
	*core = (struct core){ 0 };
	snprintf(core->lines[core->n++], LINE_BYTES, "Core %u", m->pus[from].core);
	for (int level = 2; level >= 1; level--)
		if (is_private(m, level))
			cache_words(b, level, true, core->lines[core->n++], LINE_BYTES);
	char *cpus = core->lines[core->n++];
	int n = snprintf(cpus, LINE_BYTES, to - from == 1 ? "CPU" : "CPUs");
	for (size_t i = from; i < to && n < LINE_BYTES; i++)
		n += snprintf(cpus + n, (size_t)(LINE_BYTES - n), " %u%s", m->pus[i].os_index,
			      m->pus[i].allowed ? "" : " (not ours)");
	for (int i = 0; i < core->n; i++)
		core->columns = TP_MAX(core->columns, (int)tp_cell_columns(core->lines[i]));
}

/* "16 cores: CPUs 0-15,128-143, 2 a core", and what each of them has. */
static int draw_many(struct boxes *b, enum level level, size_t from, size_t to, int row, int column,
		     int columns)
{
	const struct tp_machine *m = b->machine;
	int first = row;
	for (size_t at = from, next; at < to; at = next) {
		TP_STR line = { 0 };
		next = level == LEVEL_CORE ? to : next_of(m, level, at, to);
		size_t cores = count_of(m, LEVEL_CORE, at, next), usable = 0;
		for (size_t i = at; i < next; i++)
			usable += m->pus[i].allowed;
		tp_str_printf(&line, "%zu core%s: ", cores, cores == 1 ? "" : "s");
		cpu_ranges(m, at, next, b->order, b->grid.utf8, &line);
		if (next - at > cores && (next - at) % cores == 0)
			tp_str_printf(&line, ", %zu a core", (next - at) / cores);
		if (usable < next - at)
			tp_str_printf(&line, ", %zu usable", usable);
		put_text(&b->grid, row++, column, columns, TP_UI_PLAIN, tp_str_text(&line));
	}
	for (int l = 2; l >= 1; l--)
		if (is_private(m, l)) {
			char words[LINE_BYTES];
			cache_words(b, l, false, words, sizeof(words));
			put_text(&b->grid, row, column, columns, TP_UI_DIM, "each core: ");
			put_text(&b->grid, row++, column + 11, columns - 11, TP_UI_DIM, words);
		}
	return row - first;
}

static int draw_cores(struct boxes *b, size_t from, size_t to, int row, int column, int columns)
{
	const struct tp_machine *m = b->machine;
	size_t n = count_of(m, LEVEL_CORE, from, to);
	struct core core;
	int width = 0, lines = 0, first = row;
	/* Cores of a machine with many need not be looked at one by one. */
	for (size_t at = from, next; at < to && n <= BOXES_MANY_CORES; at = next) {
		next = next_of(m, LEVEL_CORE, at, to);
		core_lines(b, at, next, &core);
		width = TP_MAX(width, core.columns + 4);
		lines = TP_MAX(lines, core.n);
	}
	int across = width ? (columns + GAP) / (width + GAP) : 0;
	if (!across || (int)n > across * CORE_ROWS_MAX)
		return draw_many(b, LEVEL_CORE, from, to, row, column, columns);
	int at_column = 0;
	for (size_t at = from, next; at < to; at = next) {
		next = next_of(m, LEVEL_CORE, at, to);
		core_lines(b, at, next, &core);
		if (at_column == across) {
			at_column = 0;
			row += lines + 2;
		}
		int x = column + at_column++ * (width + GAP);
		frame(&b->grid, row, x, lines + 2, width, "");
		for (int i = 0; i < core.n; i++)
			put_text(&b->grid, row + 1 + i, x + 2, width - 4,
				 i == 0		      ? TP_UI_STRONG
				 : i + 1 < core.n     ? TP_UI_DIM
				 : m->pus[at].allowed ? TP_UI_GOOD
						      : TP_UI_OFF,
				 core.lines[i]);
	}
	return row + lines + 2 - first;
}

/* --- boxes of boxes --- */

/* Draws what lies below a level, and returns its rows. */
static int draw_level(struct boxes *b, enum level level, size_t from, size_t to, int row,
		      int column, int columns)
{
	const struct tp_machine *m = b->machine;
	char title[LINE_BYTES + 48];
	while (level < LEVEL_CORE && !has_level(m, level))
		level++;
	if (level == LEVEL_CORE)
		return draw_cores(b, from, to, row, column, columns);
	size_t n = count_of(m, level, from, to);
	if (n > ALONE_MAX || (n > FEW_MAX && m->n_cores > BOXES_MANY_CORES)) {
		int rows = 2 + draw_many(b, level, from, to, row + 1, column + 2, columns - 4);
		title_of(b, level, from, n, title, sizeof(title));
		frame(&b->grid, row, column, rows, columns, title);
		return rows;
	}
	int across = (columns + GAP) / (int)n - GAP >= BESIDE_MIN ? (int)n : 1;
	int width = (columns + GAP) / across - GAP, height = 0, first = row;
	size_t starts[ALONE_MAX];
	int tops[ALONE_MAX], heights[ALONE_MAX], i = 0;
	for (size_t at = from, next; at < to; at = next, i++) {
		int x = column + (across > 1 ? i * (width + GAP) : 0);
		next = next_of(m, level, at, to);
		starts[i] = at;
		tops[i] = row;
		heights[i] = 2 + draw_level(b, level + 1, at, next, row + 1, x + 2, width - 4);
		height = TP_MAX(height, heights[i]);
		if (across == 1)
			row += heights[i];
	}
	for (int k = 0; k < i; k++) {
		int x = column + (across > 1 ? k * (width + GAP) : 0);
		title_of(b, level, starts[k], 1, title, sizeof(title));
		frame(&b->grid, tops[k], x, across > 1 ? height : heights[k], width, title);
	}
	return across > 1 ? height : row - first;
}

void tp_machine_boxes(struct tp_doc *doc, const struct tp_machine *machine,
		      const struct tp_run *measured, bool utf8, int columns)
{
	struct boxes b = { .grid = { .columns = columns, .utf8 = utf8 },
			   .machine = machine,
			   .measured = machine->foreign ? NULL : measured };
	tp_doc_clear(doc, columns);
	b.order = tp_alloc(machine->n_pus + 1, sizeof(*b.order));
	if (machine->n_pus)
		draw_level(&b, LEVEL_PACKAGE, 0, machine->n_pus, 0, 0, columns);
	/* Cells of one role beside each other become a span. */
	const struct grid *g = &b.grid;
	for (size_t r = 0; r < g->rows; r++) {
		const struct cell *row = g->cells + r * (size_t)g->columns;
		tp_doc_line(doc, -1);
		for (int c = 0, from; c < g->columns;) {
			TP_STR text = { 0 };
			for (from = c; c < g->columns && row[c].role == row[from].role; c++) {
				char letter[4];
				tp_str_add_n(&text, letter, tp_utf8_encode(letter, row[c].code));
			}
			tp_doc_text(doc, from, row[from].role, tp_str_text(&text));
		}
	}
	if (b.any_measured)
		tp_doc_row(doc, 0, TP_UI_DIM, "~ measured");
	free(b.grid.cells);
	free(b.order);
}
