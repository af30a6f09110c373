/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/facts.h"

#include <string.h>
#include <time.h>

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

void tp_facts_collect(struct tp_run *run, const struct tp_session *session)
{
	const struct tp_machine *m = &session->machine;
	const struct tp_config *first = &session->preset.runs[0];
	char when[40];
	time_t now = time(NULL);
	struct tm broken;
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &broken));

	text(run, "tprof.version", PACKAGE_VERSION);
	text(run, "started", when);
	text(run, "name", tp_config_text(first, TP_OPT_NAME));
	text(run, "notes", tp_config_text(first, TP_OPT_NOTES));
	text(run, "preset.path", session->preset.path);
	tp_run_fact_number(run, "preset.runs", (double)session->preset.n_runs);
	tp_run_fact_number(run, "seed", (double)tp_config_count(first, TP_OPT_SEED));

	text(run, "machine.hostname", m->hostname);
	text(run, "machine.cpu", m->cpu_name);
	text(run, "machine.arch", m->cpu.arch);
	text(run, "machine.vendor", m->cpu.vendor);
	tp_run_fact_number(run, "machine.family", m->cpu.family);
	tp_run_fact_number(run, "machine.model_number", m->cpu.model);
	tp_run_fact_number(run, "machine.stepping", m->cpu.stepping);
	text(run, "machine.features", m->cpu.features);
	text(run, "machine.model", m->model.name);
	text(run, "machine.model_title", m->model.title);
	text(run, "machine.hypervisor", m->cpu.hypervisor);
	text(run, "machine.container", m->container);
	text(run, "machine.kernel", m->kernel);
	text(run, "machine.thp", m->thp);
	text(run, "machine.governor", m->governor);
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
}
