/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/facts.h"

#include "base/memory.h"
#include "base/now.h"
#include "mining/from_run.h"
#include "mining/job.h"
#include "record/roof.h"
#include "session/keep.h"

#include <string.h>

/* Kinds of cores and memory nodes that are reported. */
enum { PARTS_MAX = 64 };

static void text(struct tp_run *run, const char *key, const char *value)
{
	if (value[0])
		tp_run_fact_text(run, key, "%s", value);
}

static void cache_facts(struct tp_run *run, const struct tp_machine *m)
{
	static const char *const names[] = { "", "L1", "L2", "L3" };
	for (int level = 1; level <= 3; level++) {
		const struct tp_cache *c = &m->cache[level];
		if (!c->size_bytes)
			continue;
		const struct {
			const char *key;
			double value;
		} facts[] = {
			{ "size_bytes", (double)c->size_bytes },
			{ "reported_bytes", (double)c->reported_bytes },
			{ "given_bytes", (double)c->given_bytes },
			{ "model_bytes", (double)c->model_bytes },
			{ "line_bytes", c->line_bytes },
			{ "ways", c->ways },
			{ "sharing_cores", c->sharing_cores },
			{ "instances", c->instances },
		};
		for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
			char key[64];
			snprintf(key, sizeof(key), "machine.cache.%s.%s", names[level],
				 facts[i].key);
			if (facts[i].value > 0)
				tp_run_fact_number(run, key, facts[i].value);
		}
	}
}

static void part_facts(struct tp_run *run, const struct tp_machine *m)
{
	TP_STR words = { 0 };
	char key[48];
	for (size_t i = 0; i < PARTS_MAX && tp_machine_part(m, i, &words); i++) {
		snprintf(key, sizeof(key), "machine.part.%zu", i);
		text(run, key, tp_str_text(&words));
		tp_str_clear(&words);
	}
}

/* Rooflines of all runs of the preset show the dots of each. */
static void dot_facts(struct tp_run *run, const struct tp_session *session)
{
	struct tp_diag diag;
	for (size_t r = 0; r < session->preset.n_runs; r++) {
		const struct tp_value *dots =
			tp_config_value(&session->preset.runs[r], TP_OPT_DOTS);
		for (size_t i = 0; i < dots->n; i++)
			if (tp_run_add_own_dot(run, dots->items[i].text, &diag) != TP_OK)
				tp_diags_add(&run->diags, &diag);
	}
}

/* What the runs of the preset derive, each definition once. */
static void derived_facts(struct tp_run *run, const struct tp_session *session)
{
	size_t n = 0;
	for (size_t r = 0; r < session->preset.n_runs; r++) {
		const struct tp_value *derived =
			tp_config_value(&session->preset.runs[r], TP_OPT_DERIVED);
		for (size_t i = 0; i < derived->n; i++) {
			const char *key;
			char room[TP_DERIVED_KEY_BYTES];
			size_t known = 0;
			while (known < n &&
			       strcmp(tp_run_fact(run, tp_derived_key(room, known))->text,
				      derived->items[i].text) != 0)
				known++;
			key = tp_derived_key(room, n);
			if (known == n &&
			    tp_run_fact_text(run, key, "%s", derived->items[i].text) == TP_OK)
				n++;
		}
	}
}

void tp_facts_collect(struct tp_run *run, const struct tp_session *session)
{
	const struct tp_machine *m = &session->machine;
	const struct tp_config *first = &session->preset.runs[0];
	char when[32];
	TP_STR found_by = { 0 };
	tp_now_utc(when);

	text(run, "tprof.version", PACKAGE_VERSION);
	text(run, "started", when);
	text(run, "name", tp_keep_common_name(&session->preset));
	text(run, "notes", tp_config_text(first, TP_OPT_NOTES));
	text(run, "preset.path", session->preset.path);
	tp_run_fact_number(run, "preset.runs", (double)session->preset.n_runs);
	tp_run_fact_number(run, "preset.points", (double)session->plan.n);
	tp_run_fact_number(run, "seed", (double)tp_config_count(first, TP_OPT_SEED));

	if (m->simulated[0]) {
		text(run, "simulated.machine", *m->model.name ? m->model.name : m->source);
		text(run, "simulated.regime", m->simulated);
		tp_run_fact_number(run, "simulated.seed",
				   (double)tp_config_count(first, TP_OPT_SEED));
	}
	text(run, "machine.hostname", m->hostname);
	text(run, "machine.cpu", m->cpu_name);
	text(run, "machine.arch", m->cpu.arch);
	text(run, "machine.vendor", m->cpu.vendor);
	tp_run_fact_number(run, "machine.family", m->cpu.family);
	tp_run_fact_number(run, "machine.model_number", m->cpu.model);
	tp_run_fact_number(run, "machine.stepping", m->cpu.stepping);
	text(run, "machine.microcode", m->microcode);
	text(run, "machine.firmware", m->firmware);
	text(run, "machine.features", m->cpu.features);
	text(run, "machine.model", m->model.name);
	text(run, "machine.model_title", m->model.title);
	text(run, "machine.model_found", tp_model_found_word(m->model_found));
	tp_model_found_by(m, &found_by);
	text(run, "machine.model_found_by", tp_str_text(&found_by));
	text(run, "machine.hypervisor", m->cpu.hypervisor);
	text(run, "machine.container", m->container);
	text(run, "machine.kernel", m->kernel);
	text(run, "machine.thp", m->thp);
	text(run, "machine.governor", m->governor);
	if (m->max_ghz > 0)
		tp_run_fact_number(run, "machine.max_ghz", m->max_ghz);
	if (m->turbo >= 0)
		tp_run_fact_number(run, "machine.turbo", m->turbo);
	tp_run_fact_number(run, "machine.packages", m->n_packages);
	tp_run_fact_number(run, "machine.cores", m->n_cores);
	tp_run_fact_number(run, "machine.numa_nodes", m->n_numa);
	tp_run_fact_number(run, "machine.cpus", (double)m->n_pus);
	tp_run_fact_number(run, "machine.cpus_allowed", (double)m->n_allowed);
	tp_run_fact_number(run, "machine.memory_bytes", (double)m->memory_bytes);
	tp_run_fact_number(run, "machine.available_bytes", (double)m->available_bytes);
	tp_run_fact_number(run, "machine.page_bytes", (double)m->page_bytes);
	tp_run_fact_number(run, "machine.huge_page_bytes", (double)m->huge_page_bytes);
	tp_run_fact_number(run, "machine.hugetlb_free", (double)m->hugetlb_free);
	cache_facts(run, m);
	part_facts(run, m);
	text(run, "machine.model_reached_source", m->model.reached_source);
	dot_facts(run, session);
	derived_facts(run, session);
	tp_mine_facts(run, first);
}

/* A run that goes on keeps these facts of its first part. */
static const char *const facts_of_start[] = { "started", "preset.path", "name", "notes" };

void tp_facts_resume(struct tp_run *run, const struct tp_run *earlier)
{
	if (!earlier || (!earlier->n_facts && !earlier->n_points))
		return; /* a new run of the screens goes on from an empty one */
	for (size_t i = 0; i < TP_COUNT_OF(facts_of_start); i++) {
		const struct tp_fact *f = tp_run_fact(earlier, facts_of_start[i]);
		if (f && !f->is_number)
			text(run, f->key, f->text);
	}
	const struct tp_fact *version = tp_run_fact(earlier, "tprof.version"),
			     *count = tp_run_fact(earlier, "resumed.count");
	if (version)
		text(run, "resumed.from_version", version->text);
	tp_run_fact_number(run, "resumed.count", (count ? count->number : 0) + 1);
}

/* Facts that decide what is measured and do not change by themselves. */
static const char *const facts_of_machine[] = {
	"machine.hostname",
	"machine.cpu",
	"machine.arch",
	"machine.vendor",
	"machine.family",
	"machine.model_number",
	"machine.stepping",
	"machine.hypervisor",
	"machine.packages",
	"machine.cores",
	"machine.numa_nodes",
	"machine.cpus",
	"machine.cpus_allowed",
	"machine.page_bytes",
	"machine.cache.L1.size_bytes",
	"machine.cache.L2.size_bytes",
	"machine.cache.L3.size_bytes",
	"machine.model",
	"simulated.machine",
	"simulated.regime",
	"simulated.seed",
};

static const char *fact_text(const struct tp_fact *fact, char *out, size_t size)
{
	if (!fact->is_number)
		return fact->text;
	snprintf(out, size, "%.15g", fact->number);
	return out;
}

void tp_facts_differ(const struct tp_run *then, const struct tp_run *now, struct tp_diags *diags)
{
	for (size_t i = 0; i < TP_COUNT_OF(facts_of_machine); i++) {
		const struct tp_fact *a = tp_run_fact(then, facts_of_machine[i]),
				     *b = tp_run_fact(now, facts_of_machine[i]);
		char x[32], y[32];
		struct tp_diag diag;
		if (!a || !b)
			continue;
		const char *was = fact_text(a, x, sizeof(x)), *is = fact_text(b, y, sizeof(y));
		if (strcmp(was, is) == 0)
			continue;
		tp_fail(&diag, TP_USAGE, facts_of_machine[i], NULL, "was %.150s, is %.150s", was,
			is);
		tp_diags_add(diags, &diag);
	}
}
