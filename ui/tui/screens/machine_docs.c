/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches, instruction sets, peaks, models, environment and findings as text. */
#include "ui/tui/screens/machine_docs.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "kernels/isa.h"
#include "kernels/kernel.h"
#include "report/page.h"
#include "record/roof.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- caches --- */

enum { SOURCES = 4, SOURCE_AT = 14, SOURCE_COLUMNS = 10 };

/* What differs, and the key that uses it. */
static void offered(struct tp_doc *doc, const struct tp_session *session,
		    const struct tp_run *measured)
{
	struct tp_offer offers[TP_OFFERS_MAX];
	size_t n = tp_offers(session, measured, offers);
	for (size_t i = 0; i < n; i++) {
		tp_doc_row(doc, 0, TP_UI_CHANGED, "%s", offers[i].words);
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_PLAIN, ": press ");
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_KEY, "u");
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_PLAIN, ", or");
		tp_doc_row(doc, 2, TP_UI_DIM, "--set %s=%s", offers[i].option->key,
			   offers[i].value);
	}
}

void tp_machine_caches(struct tp_doc *doc, const struct tp_session *session,
		       const struct tp_found *found, int columns)
{
	static const char *const names[] = { "", "L1d", "L2", "L3" };
	static const char *const levels[] = { "", "L1", "L2", "L3" };
	const struct tp_machine *machine = &session->machine;
	const struct tp_run *measured = machine->foreign ? NULL : tp_found_run(found);
	static const char *const sources[SOURCES] = { "reported", "measured", "given", "model" };
	char size[32];
	bool any = false;
	tp_doc_clear(doc, columns);
	tp_doc_line(doc, -1);
	tp_doc_right(doc, SOURCE_AT, TP_UI_DIM, "used");
	for (int i = 0; i < SOURCES; i++)
		tp_doc_right(doc, SOURCE_AT + (i + 1) * SOURCE_COLUMNS, TP_UI_DIM, "%s",
			     sources[i]);
	for (int level = 1; level < TP_CACHE_LEVELS; level++) {
		const struct tp_cache *c = &machine->cache[level];
		const uint64_t bytes[SOURCES] = {
			c->reported_bytes, measured ? tp_run_capacity(measured, levels[level]) : 0,
			c->given_bytes, c->model_bytes
		};
		if (!c->size_bytes)
			continue;
		any = true;
		tp_doc_row(doc, 0, TP_UI_STRONG, "%s", names[level]);
		tp_doc_right(doc, SOURCE_AT, TP_UI_STRONG, "%s",
			     tp_format_bytes(size, sizeof(size), c->size_bytes));
		for (int i = 0; i < SOURCES; i++)
			tp_doc_right(doc, SOURCE_AT + (i + 1) * SOURCE_COLUMNS,
				     bytes[i] ? i == 1 ? TP_UI_GOOD : TP_UI_PLAIN : TP_UI_OFF, "%s",
				     bytes[i] ? tp_format_bytes(size, sizeof(size), bytes[i])
					      : "-");
		tp_doc_row(doc, 5, TP_UI_DIM, "%u B lines", c->line_bytes);
		if (c->ways)
			tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, ", %u-way", c->ways);
		if (c->sharing_cores > 1)
			tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, ", shared by %u cores",
				      c->sharing_cores);
		else
			tp_doc_text(doc, TP_DOC_NEXT, TP_UI_DIM, ", one a core");
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, ", %u in all", c->instances);
	}
	if (!any) {
		tp_doc_clear(doc, columns);
		tp_doc_row(doc, 0, TP_UI_WARN, "no cache is known here");
	}
	tp_doc_line(doc, -1);
	if (measured)
		tp_doc_format(doc, 0, TP_UI_DIM, "measured in %s", found->from);
	else
		tp_doc_wrap(doc, 0, TP_UI_DIM,
			    "Measured ones come from a memory curve: preset memcurve.");
	offered(doc, session, measured);
}

/* --- instruction sets --- */

void tp_machine_isas(struct tp_doc *doc, const struct tp_machine *machine,
		     const struct tp_cpu *host, bool utf8, int columns)
{
	tp_doc_clear(doc, columns);
	for (size_t i = 0; i < tp_isa_count; i++) {
		const struct tp_isa *isa = tp_isa_table[i];
		struct tp_diag why = { 0 };
		bool ok = tp_isa_supported(isa, host, &why) == TP_OK;
		/* ISAs of other architectures only where a foreign machine could have them. */
		if (strcmp(isa->arch, host->arch) != 0 && strcmp(isa->arch, machine->cpu.arch) != 0)
			continue;
		tp_doc_line(doc, -1);
		tp_doc_text(doc, 0, ok ? TP_UI_GOOD : TP_UI_OFF,
			    ok	   ? utf8 ? "✓" : "y"
			    : utf8 ? "·"
				   : "-");
		tp_doc_text(doc, 2, ok ? TP_UI_STRONG : TP_UI_OFF, isa->name);
		if (isa->vector_bytes)
			tp_doc_right(doc, 16, ok ? TP_UI_PLAIN : TP_UI_OFF, "%u bit",
				     isa->vector_bytes * 8);
		if (ok)
			tp_doc_text(doc, 18, TP_UI_DIM, isa->summary);
		else
			tp_doc_wrap(doc, 18, TP_UI_OFF, why.what);
	}
	if (!doc->n)
		tp_doc_row(doc, 0, TP_UI_WARN, "this program has no kernels for %s", host->arch);
	if (machine->foreign) {
		tp_doc_paragraph(doc, 0, TP_UI_WARN, "of this host, not of the planned machine");
	}
	if (*host->features) {
		tp_doc_line(doc, -1);
		tp_doc_row(doc, 0, TP_UI_DIM, "Features");
		tp_doc_wrap(doc, 10, TP_UI_PLAIN, host->features);
	}
}

/* --- peaks --- */

/*
 * Columns of the table of peaks. Where there is no room, those with the highest `give` are dropped
 * first.
 */
enum peak_column {
	LOAD,
	STORE,
	BEST,
	FMA,
	ADD,
	BOTH,
	CORE_GFLOPS,
	ALL_GFLOPS,
	MEASURED_L1,
	MEASURED_FP,
	PEAK_COLUMNS
};
static const struct {
	const char *head;
	int columns, give;
} peak_columns[PEAK_COLUMNS] = {
	[LOAD] = { "L1 ld", 6, 3 },
	[STORE] = { "L1 st", 6, 3 },
	[BEST] = { "L1 best", 10, 0 },
	[FMA] = { "FMA", 6, 0 },
	[ADD] = { "ADD", 5, 2 },
	[BOTH] = { "FMA+ADD", 9, 1 },
	[CORE_GFLOPS] = { "GF/s", 7, 1 },
	[ALL_GFLOPS] = { "all GF/s", 10, 4 },
	[MEASURED_L1] = { "L1 found", 10, 0 },
	[MEASURED_FP] = { "FP found", 10, 0 },
};
enum { ISA_COLUMNS = 8, GIVES = 5 };

/* The best figure per cycle among the roofs of a run, for an ISA and a precision. */
static double measured_peak(const struct tp_run *run, const char *isa, const char *precision,
			    bool fp)
{
	double best = 0;
	for (size_t i = 0; run && i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (strcmp(r->isa, isa) == 0 && strcmp(r->precision, precision) == 0 &&
		    (fp ? tp_level_is_fp(r->level) : strcmp(r->level, "L1") == 0) &&
		    isfinite(r->per_cycle))
			best = fmax(best, r->per_cycle);
	}
	return best;
}

struct peaks {
	double value[PEAK_COLUMNS];
	unsigned loads, stores; /* of BEST */
};

static struct peaks peaks_of(const struct tp_model *m, const char *isa, bool single,
			     const struct tp_run *run)
{
	unsigned element = single ? 4 : 8;
	const char *precision = single ? "single" : "double";
	struct peaks p = { .loads = 0 };
	double *v = p.value;
	v[LOAD] = tp_model_l1_bytes_per_cycle(m, isa, element, 1, 0);
	v[STORE] = tp_model_l1_bytes_per_cycle(m, isa, element, 0, 1);
	v[BEST] = tp_model_l1_best(m, isa, element, &p.loads, &p.stores);
	v[FMA] = tp_model_flop_per_cycle(m, isa, element, "fma");
	v[ADD] = tp_model_flop_per_cycle(m, isa, element, "add");
	v[BOTH] = tp_model_flop_per_cycle(m, isa, element, "fma+add");
	v[CORE_GFLOPS] = m->nominal_ghz * fmax(v[FMA], v[BOTH]);
	v[ALL_GFLOPS] = fmax(tp_model_peak_gflops(m, isa, element, "fma"),
			     tp_model_peak_gflops(m, isa, element, "fma+add"));
	v[MEASURED_L1] = measured_peak(run, isa, precision, false);
	v[MEASURED_FP] = measured_peak(run, isa, precision, true);
	return p;
}

static void peak_row(struct tp_doc *doc, const char *isa, const struct peaks *p, const bool *wanted)
{
	int at = ISA_COLUMNS;
	tp_doc_row(doc, 0, TP_UI_PLAIN, "%s", isa);
	for (int c = 0; c < PEAK_COLUMNS; c++) {
		double v = p->value[c];
		enum tp_role role = c >= MEASURED_L1	    ? TP_UI_GOOD
				    : c == BEST || c == FMA ? TP_UI_STRONG
							    : TP_UI_PLAIN;
		if (!wanted[c])
			continue;
		at += peak_columns[c].columns;
		if (!(v > 0))
			tp_doc_right(doc, at, TP_UI_OFF, "-");
		else if (c == BEST && p->loads + p->stores)
			tp_doc_right(doc, at, role, "%.4g %u:%u", v, p->loads, p->stores);
		else if (c == CORE_GFLOPS || c == ALL_GFLOPS)
			tp_doc_right(doc, at, role, v < 100 ? "%.1f" : "%.0f", v);
		else
			tp_doc_right(doc, at, role, "%.4g", v);
	}
}

enum { NARROW_FLOP_AT = 30, NARROW_GFLOPS_AT = 46 };

/* One line for each that the model gives: FLOP a cycle of a core, as above, and its rate. */
static void narrow_peaks(struct tp_doc *doc, const struct tp_model *model)
{
	const struct tp_narrow *row;
	bool any = false;
	for (size_t i = 0; (row = tp_narrow_row(model->arch, i)); i++) {
		const char *op = tp_fp_op_name(row->op);
		double flop = tp_model_narrow_flop_per_cycle(model, row->isa, row->precision, op);
		if (!(flop > 0))
			continue;
		if (!any)
			tp_doc_row(doc, 0, TP_UI_STRONG, "half, bf16, int8");
		any = true;
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%s %s in %s", row->isa, op, row->precision);
		tp_doc_right(doc, NARROW_FLOP_AT, TP_UI_STRONG, "%.4g", flop);
		if (model->nominal_ghz > 0)
			tp_doc_right(doc, NARROW_GFLOPS_AT, TP_UI_PLAIN, "%.0f GFLOP/s",
				     model->nominal_ghz * flop);
	}
}

void tp_machine_peaks(struct tp_doc *doc, const struct tp_model *model, const struct tp_run *run,
		      const char *from, int columns)
{
	bool wanted[PEAK_COLUMNS], measured = run && tp_run_n_roofs(run);
	int needed;
	tp_doc_clear(doc, columns);
	if (!*model->name) {
		tp_doc_paragraph(
			doc, 0, TP_UI_WARN,
			"No model is known for this CPU, so there are no theoretical peaks. "
			"tprof-machine(5) says how to write a model.");
		return;
	}
	for (int give = GIVES;; give--) {
		needed = ISA_COLUMNS;
		for (int c = 0; c < PEAK_COLUMNS; c++) {
			wanted[c] = peak_columns[c].give < give && (c < MEASURED_L1 || measured);
			needed += wanted[c] ? peak_columns[c].columns : 0;
		}
		if (needed <= columns || give == 1)
			break;
	}
	for (int single = 0; single < 2; single++) {
		int at = ISA_COLUMNS;
		tp_doc_row(doc, 0, TP_UI_STRONG, "%s", single ? "single" : "double");
		for (int c = 0; c < PEAK_COLUMNS; c++) {
			if (!wanted[c])
				continue;
			at += peak_columns[c].columns;
			tp_doc_right(doc, at, TP_UI_DIM, "%s", peak_columns[c].head);
		}
		for (size_t i = 0; i < model->n_isas; i++) {
			struct peaks p = peaks_of(model, model->isas[i].name, single, run);
			peak_row(doc, model->isas[i].name, &p, wanted);
		}
	}
	narrow_peaks(doc, model);
	struct tp_str note = { 0 };
	tp_str_printf(&note, "%s: %s. Bytes (L1) and FLOP a cycle of one core", model->name,
		      model->title);
	if (model->nominal_ghz > 0)
		tp_str_printf(&note, ", GFLOP/s at %.2f GHz", model->nominal_ghz);
	if (wanted[ALL_GFLOPS] && model->sockets && model->cores_per_socket)
		tp_str_printf(&note, ", machine: %u x %u cores", model->sockets,
			      model->cores_per_socket);
	if (tp_model_dram_gbps(model) > 0)
		tp_str_printf(&note, ". DRAM %.0f GB/s a socket", tp_model_dram_gbps(model));
	tp_str_add(&note, ".");
	if (measured)
		tp_str_printf(&note, " Found: measured in %s.", from);
	tp_doc_paragraph(doc, 0, TP_UI_DIM, tp_str_text(&note));
	tp_str_release(&note);
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

static void fact(struct tp_doc *doc, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void fact(struct tp_doc *doc, const char *label, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tp_doc_fact(doc, 0, ENVIRONMENT_AT, label, *text ? text : "unknown");
}

void tp_machine_environment(struct tp_doc *doc, const struct tp_machine *m, int columns)
{
	char a[32], b[32];
	struct tp_str model = { 0 };
	tp_doc_clear(doc, columns);
	if (m->foreign) {
		tp_doc_paragraph(doc, 0, TP_UI_WARN,
				 *m->simulated ? "A simulated machine: nothing of it is measured."
					       : "Another machine: tprof can plan for it, but not "
						 "measure it.");
		fact(doc, "Topology from", "%s", m->source);
	}
	fact(doc, "CPU", "%s", m->cpu_name);
	if (m->cpu.family >= 0 && m->cpu.model >= 0)
		fact(doc, "", "%s family %d model %d stepping %d, %s", m->cpu.vendor, m->cpu.family,
		     m->cpu.model, m->cpu.stepping, m->cpu.arch);
	else
		fact(doc, "Architecture", "%s", m->cpu.arch);
	tp_model_named(m, &model);
	fact(doc, "Model", "%s", model.len ? tp_str_text(&model) : "none known for this CPU");
	tp_str_release(&model);
	if (m->memory_bytes)
		fact(doc, "Memory", "%s, %s usable", tp_format_bytes(a, sizeof(a), m->memory_bytes),
		     tp_format_bytes(b, sizeof(b), m->available_bytes));
	else
		fact(doc, "Memory", "unknown");
	if (m->foreign)
		return;
	fact(doc, "Pages", "%s and %s, transparent: %s, reserved: %llu",
	     tp_format_bytes(a, sizeof(a), m->page_bytes),
	     tp_format_bytes(b, sizeof(b), m->huge_page_bytes), *m->thp ? m->thp : "unknown",
	     (unsigned long long)m->hugetlb_free);
	fact(doc, "Frequency", "governor %s, turbo %s", *m->governor ? m->governor : "unknown",
	     m->turbo > 0    ? "on"
	     : m->turbo == 0 ? "off"
			     : "unknown");
	fact(doc, "Cycle counter", "%s",
	     m->cpu.invariant_counter ? "invariant" : "not known to be invariant");
	fact(doc, "Host", "%s", m->hostname);
	fact(doc, "Kernel", "%s", m->kernel);
	fact(doc, "Hypervisor", "%s", *m->cpu.hypervisor ? m->cpu.hypervisor : "none");
	fact(doc, "Container", "%s", *m->container ? m->container : "none");
}

/* --- findings --- */

static const enum tp_role severity_roles[TP_SEVERITY_COUNT] = {
	[TP_FINE] = TP_UI_GOOD,
	[TP_NOTE] = TP_UI_TITLE,
	[TP_WARNING] = TP_UI_WARN,
	[TP_PROBLEM] = TP_UI_BAD,
};

static void finding(struct tp_doc *doc, const struct tp_finding *f)
{
	enum { TEXT = 2 };
	tp_doc_line(doc, -1);
	tp_doc_text(doc, 0, severity_roles[f->severity], tp_severity_name(f->severity));
	tp_doc_text(doc, 9, TP_UI_STRONG, f->title);
	tp_doc_paragraph(doc, TEXT, TP_UI_PLAIN, f->what);
	if (*f->means)
		tp_doc_paragraph(doc, TEXT, TP_UI_DIM, f->means);
	if (*f->remedy) {
		tp_doc_row(doc, TEXT, TP_UI_KEY, "$");
		tp_doc_wrap(doc, TEXT + 2, TP_UI_KEY, f->remedy);
	}
}

void tp_machine_findings(struct tp_doc *doc, const struct tp_finding *findings, size_t n,
			 int columns)
{
	tp_doc_clear(doc, columns);
	for (int severity = TP_SEVERITY_COUNT - 1; severity > TP_FINE; severity--)
		for (size_t i = 0; i < n; i++)
			if (findings[i].severity == (enum tp_severity)severity)
				finding(doc, &findings[i]);
	/* All checks that pass share a line. */
	for (size_t i = 0; i < n; i++) {
		if (findings[i].severity != TP_FINE)
			continue;
		tp_doc_row(doc, 0, TP_UI_GOOD, "%s", tp_severity_name(TP_FINE));
		tp_doc_text(doc, 9, TP_UI_PLAIN, findings[i].title);
		tp_doc_text(doc, TP_MAX(34, doc->end + 2), TP_UI_DIM, findings[i].what);
	}
}

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
