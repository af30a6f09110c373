/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/knobs.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct tp_option *const options[TP_KNOB_COUNT] = {
	[TP_KNOB_GOVERNOR] = TP_OPT_KNOBS_GOVERNOR,
	[TP_KNOB_FREQUENCY] = TP_OPT_KNOBS_FREQUENCY,
	[TP_KNOB_TURBO] = TP_OPT_KNOBS_TURBO,
	[TP_KNOB_THP] = TP_OPT_KNOBS_THP,
	[TP_KNOB_NUMA_BALANCING] = TP_OPT_KNOBS_NUMA_BALANCING,
	[TP_KNOB_SCHEDULER] = TP_OPT_KNOBS_SCHEDULER,
	[TP_KNOB_PRIORITY] = TP_OPT_KNOBS_PRIORITY,
};

static const char *wanted_of(const struct tp_run_knobs *k, enum tp_knob_id id)
{
	return tp_config_text(k->config, options[id]);
}

static bool is_wanted(const struct tp_run_knobs *k, enum tp_knob_id id)
{
	return strcmp(wanted_of(k, id), TP_KNOB_KEEP) != 0;
}

static void fact(struct tp_run *run, enum tp_knob_id id, const char *what, const char *text)
{
	char key[64];
	snprintf(key, sizeof(key), "knobs.%s.%s", tp_knob_table[id].name, what);
	if (*text)
		tp_run_fact_text(run, key, "%s", text);
}

/*
 * The state of a knob of the system, or of this process, whose child, the engine, begins with the
 * same.
 */
static void state_of(const struct tp_run_knobs *k, enum tp_knob_id id, bool before,
		     struct tp_str *out)
{
	if (id == TP_KNOB_SCHEDULER)
		tp_scheduler_words(k->knobs.root, out);
	else if (id == TP_KNOB_PRIORITY)
		tp_priority_words(out);
	else
		tp_knobs_words(&k->knobs, id, before, out);
}

static void record_state(const struct tp_run_knobs *k, struct tp_run *run, bool before)
{
	for (enum tp_knob_id id = 0; id < TP_KNOB_COUNT; id++) {
		struct tp_str text = { 0 };
		if (!before && (tp_knob_table[id].process || !is_wanted(k, id)))
			continue;
		state_of(k, id, before, &text);
		fact(run, id, before ? "before" : "got", tp_str_text(&text));
		tp_str_release(&text);
		if (before && is_wanted(k, id))
			fact(run, id, "wanted", wanted_of(k, id));
	}
}

static void plan(struct tp_run_knobs *k, const struct tp_session *session, struct tp_diags *diags)
{
	const struct tp_machine *machine = &session->machine;
	struct tp_diag diag;
	size_t n = 0;
	unsigned *cpus = calloc(machine->n_pus + 1, sizeof(*cpus));
	for (size_t i = 0; cpus && i < machine->n_pus; i++)
		if (machine->pus[i].allowed)
			cpus[n++] = machine->pus[i].os_index;
	for (enum tp_knob_id id = 0; id < TP_KNOB_COUNT; id++) {
		if (tp_knob_table[id].process)
			continue;
		/* A knob that is only read may be missing. */
		if (tp_knobs_plan(&k->knobs, id, wanted_of(k, id), cpus, n, &diag) == TP_OK ||
		    !is_wanted(k, id))
			continue;
		tp_diags_add(diags, &diag);
		tp_knobs_plan(&k->knobs, id, TP_KNOB_KEEP, cpus, n, NULL);
	}
	free(cpus);
}

/* This machine is not what is measured: its knobs stay as they are, and are no facts of the run. */
static void refuse_simulated(struct tp_run_knobs *k, struct tp_diags *diags)
{
	struct tp_diag diag;
	for (enum tp_knob_id id = 0; id < TP_KNOB_COUNT; id++) {
		if (!is_wanted(k, id))
			continue;
		tp_fail(&diag, TP_UNSUPPORTED, options[id]->key, NULL,
			"a simulated machine has no knobs; it stays as it is");
		tp_diags_add(diags, &diag);
	}
	k->config = NULL;
}

void tp_run_knobs_begin(struct tp_run_knobs *k, const struct tp_session *session,
			struct tp_run *run, struct tp_diags *diags)
{
	struct tp_diag diag;
	*k = (struct tp_run_knobs){ .knobs.root = tp_knobs_sysroot(),
				    .held = { .record = -1, .line = -1, .keeper = -1 },
				    .config = &session->preset.runs[0] };
	if (*session->machine.simulated) {
		refuse_simulated(k, diags);
		return;
	}
	plan(k, session, diags);
	if (tp_knobs_any(&k->knobs)) {
		if (tp_held_take(&k->held, &k->knobs, diags, &diag) == TP_OK)
			tp_knobs_set(&k->knobs, diags);
		else
			tp_diags_add(diags, &diag);
	}
	record_state(k, run, true);
	record_state(k, run, false);
}

/* The engine has told which of its own knobs were refused. */
static bool was_refused(const struct tp_run *run, enum tp_knob_id id)
{
	char where[64];
	snprintf(where, sizeof(where), "knobs.%s", tp_knob_table[id].name);
	for (size_t i = 0; i < run->diags.n; i++)
		if (strcmp(run->diags.items[i].where, where) == 0)
			return true;
	return false;
}

static void record_process(const struct tp_run_knobs *k, struct tp_run *run)
{
	for (enum tp_knob_id id = 0; id < TP_KNOB_COUNT; id++) {
		struct tp_str text = { 0 };
		if (!tp_knob_table[id].process || !is_wanted(k, id))
			continue;
		double share = tp_realtime_share(k->knobs.root);
		if (was_refused(run, id))
			state_of(k, id, true, &text);
		else
			tp_str_add(&text, wanted_of(k, id));
		if (id == TP_KNOB_SCHEDULER && strcmp(tp_str_text(&text), "fifo") == 0 && share > 0)
			tp_str_printf(&text, " 1, at most %.3g %% of the time", share * 100);
		fact(run, id, "got", tp_str_text(&text));
		tp_str_release(&text);
	}
}

void tp_run_knobs_end(struct tp_run_knobs *k, struct tp_run *run, struct tp_diags *diags)
{
	if (!k->config)
		return;
	record_process(k, run);
	tp_held_give(&k->held, &k->knobs, diags);
	tp_knobs_release(&k->knobs);
}
