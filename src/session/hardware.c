/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/hardware.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"
#include "kernels/isa.h"
#include "kernels/kernel.h"
#include "record/roof.h"
#include "report/page.h"

/* --- caches --- */

const char *const tp_cache_names[] = { "", "L1d", "L2", "L3" };
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

uint64_t tp_measured_bytes(const struct tp_run *run, int level)
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
			.name = tp_cache_names[level],
			.used = c->size_bytes,
			.reported = c->reported_bytes,
			.measured = tp_measured_bytes(measured, level),
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
		tp_text_labelled(text, tp_cache_names[level], 5, TP_PAINT_DIM, tp_str_text(&words));
	}
}

void tp_hardware_caches(const struct tp_machine *machine, const struct tp_found *found,
			struct tp_text *text)
{
	const struct tp_run *measured = machine->foreign ? NULL : tp_found_run(found);
	say_caches(machine, measured, text);
	if (measured)
		say_source(measured, found->from, text);
	else if (!machine->foreign)
		tp_text_wrap(text, TP_PAINT_DIM,
			     "Measured ones come from a memory curve: preset memcurve.", 0, 0);
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

void tp_hardware_isas(const struct tp_machine *machine, struct tp_text *text)
{
	struct tp_isa_offer isa;
	TP_GRID(grid, isa_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; tp_machine_isa(machine, i, &isa); i++)
		tp_grid_row(&grid, &isa, NULL);
	if (grid.n > grid.n_columns)
		tp_grid_write(&grid, text);
	else
		tp_text_say(text, TP_PAINT_WARN, 0, 0, "this program has no kernels for %s",
			    machine->cpu.arch);
	if (!machine->foreign) {
		tp_text_gap(text);
		tp_text_fact(text, "Features", TP_PAINT_PLAIN, machine->cpu.features);
	}
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

void tp_hardware_peaks(const struct tp_model *model, const struct tp_run *run, const char *from,
		       struct tp_text *text)
{
	const bool measured = run && tp_run_n_roofs(run);
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
		tp_grid_write(&grid, text);
		say_narrow_peaks(model, text);
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
				  "peaks. tprof-machine(5) explains how to write a model.");
	}
	tp_text_say(text, *model->name ? TP_PAINT_DIM : TP_PAINT_WARN, 0, 0, "%s",
		    tp_str_text(&note));
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

void tp_hardware_environment(const struct tp_machine *m, struct tp_text *text)
{
	char a[32], b[32];
	TP_STR model = { 0 };
	if (m->foreign) {
		tp_text_wrap(text, TP_PAINT_WARN,
			     *m->simulated ? "A simulated machine: not measured."
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
