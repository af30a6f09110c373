/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/found.h"
#include "base/text.h"
#include "preset/shared_options.h"
#include "record/load.h"
#include "record/roof.h"

#include <stdio.h>
#include <string.h>

/* How many of the newest runs are searched. */
enum { RUNS_LOOKED_AT = 200 };

static bool is_of(const struct tp_run *run, const struct tp_machine *machine)
{
	const struct tp_fact *cpu = tp_run_fact(run, "machine.cpu"),
			     *host = tp_run_fact(run, "machine.hostname");
	char simulated[TP_SIMULATED_BYTES];
	return !*tp_run_simulated(run, simulated, sizeof(simulated)) && cpu && host &&
	       strcmp(cpu->text, machine->cpu_name) == 0 &&
	       strcmp(host->text, machine->hostname) == 0;
}

static void look_into(struct tp_found *found, const struct tp_machine *machine, const char *folder,
		      const char *name, bool *changed)
{
	char path[TP_PATH_MAX + 256];
	struct tp_run run;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (tp_run_load_results(&run, path, NULL) != TP_OK)
		return;
	if (!is_of(&run, machine) || !tp_run_capacity(&run, NULL)) {
		tp_run_release(&run);
		return;
	}
	found->run = run;
	tp_copy(found->from, sizeof(found->from), name);
	found->left = 0;
	*changed = true;
}

bool tp_found_go_on(struct tp_found *found, const struct tp_machine *machine, bool *changed)
{
	char folder[TP_PATH_MAX];
	*changed = false;
	if (found->looked || machine->foreign || *found->from ||
	    tp_path_user_data("runs", folder, NULL) != TP_OK)
		return false;
	if (!found->names) {
		if (tp_run_names(folder, &found->names, &found->n_names, NULL) != TP_OK)
			found->n_names = 0;
		found->left = found->n_names;
	}
	if (found->left && found->n_names - found->left < RUNS_LOOKED_AT) {
		found->left--;
		look_into(found, machine, folder, found->names[found->left], changed);
	} else {
		found->left = 0;
	}
	if (found->left)
		return true;
	tp_run_names_free(found->names, found->n_names);
	found->names = NULL;
	found->n_names = 0;
	found->looked = true;
	return false;
}

void tp_found_look_again(struct tp_found *found)
{
	if (!*found->from)
		found->looked = false;
}

void tp_found_release(struct tp_found *found)
{
	tp_run_names_free(found->names, found->n_names);
	tp_run_release(&found->run);
	*found = (struct tp_found){ 0 };
}

const struct tp_run *tp_found_run(const struct tp_found *found)
{
	return *found->from ? &found->run : NULL;
}

/* --- offers --- */

static bool offer_cache(const struct tp_machine *machine, const struct tp_run *measured, int level,
			struct tp_offer *offer)
{
	static const struct {
		const char *name;
		const struct tp_option *option;
	} levels[TP_CACHE_LEVELS] = {
		{ "", NULL },
		{ "L1", TP_OPT_CACHE_L1 },
		{ "L2", TP_OPT_CACHE_L2 },
		{ "L3", TP_OPT_CACHE_L3 },
	};
	const struct tp_cache *cache = &machine->cache[level];
	uint64_t bytes = measured ? tp_run_capacity(measured, levels[level].name) : 0;
	char found[32], reported[32];
	if (!bytes || cache->given_bytes || !tp_capacity_is_less(bytes, cache->size_bytes))
		return false;
	offer->option = levels[level].option;
	tp_capacity_option(offer->value, sizeof(offer->value), bytes);
	snprintf(offer->words, sizeof(offer->words), "%s measured %s, %s %s", levels[level].name,
		 tp_format_bytes(found, sizeof(found), bytes),
		 cache->reported_bytes ? "reported" : "by the model",
		 tp_format_bytes(reported, sizeof(reported), cache->size_bytes));
	return true;
}

size_t tp_offers(const struct tp_session *session, const struct tp_run *measured,
		 struct tp_offer offers[TP_OFFERS_MAX])
{
	const struct tp_machine *machine = &session->machine;
	size_t n = 0;
	if (machine->foreign)
		return 0;
	for (int level = 1; level < TP_CACHE_LEVELS; level++)
		n += offer_cache(machine, measured, level, &offers[n]);
	if (machine->model_found == TP_MODEL_LOOKS_LIKE) {
		struct tp_offer *offer = &offers[n++];
		offer->option = TP_OPT_MACHINE;
		tp_copy(offer->value, sizeof(offer->value), machine->model.name);
		snprintf(offer->words, sizeof(offer->words), "looks like %s", machine->model.name);
	}
	return n;
}
