/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/learned.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/file.h"
#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"
#include "preset/shared_options.h"
#include "record/load.h"
#include "record/roof.h"
#include "record/schema.h"
#include "table/csv.h"

/*
 * A line of the file: its subject (a hash of the words that describe it), then the values of the
 * last runs, the newest first. The newest lines come first, and the oldest are dropped.
 */
#define HEAD "tprof estimates 1\n"

enum { VALUES_MAX = 5, LINES_MAX = 8192, SLOTS = 4 * LINES_MAX, FILE_MAX_BYTES = 1 << 20 };

/* No point takes longer: anything else is damage. */
#define SECONDS_MAX 1e7

/* More than this is the fixed part of a point that the model takes for nothing: no factor of
 * others. */
#define RATIO_MAX 4.0

struct entry {
	uint64_t key; /* 0 = a free slot */
	unsigned n;
	long age; /* place in the file; those of this run come before all others */
	double values[VALUES_MAX];
};

struct learned {
	struct entry *slots; /* SLOTS of them: a hash table */
	size_t n;
	long newest;
	char path[TP_PATH_MAX];
};

/* --- what a value is about --- */

/* Never 0. */
static uint64_t hash_of(const struct tp_str *words)
{
	uint64_t hash = tp_hash_text(TP_HASH_START, tp_str_text(words));
	return hash ? hash : 1;
}

/*
 * Options that decide how much is measured at a point. Choices of points are in the points
 * themselves, unless they belong only to the experiment.
 */
static bool matters(const struct tp_option *option, const char *experiment)
{
	static const struct tp_option *const others[] = { TP_OPT_NAME,
							  TP_OPT_NOTES,
							  TP_OPT_SEED,
							  TP_OPT_SHUFFLE,
							  TP_OPT_SIZE_MIN,
							  TP_OPT_SIZE_MAX,
							  TP_OPT_POINTS_PER_OCTAVE };
	for (size_t i = 0; i < TP_COUNT_OF(others); i++)
		if (option == others[i])
			return false;
	return tp_option_belongs(option, experiment) &&
	       (!option->list || tp_option_owner(option) != NULL);
}

static void add_identity(struct tp_str *words, const struct tp_point *point)
{
	const struct tp_point_layout *layout = tp_point_layout(point);
	for (size_t i = 0; i < layout->n; i++) {
		const struct tp_column *column = layout->at[i].column;
		if (!(column->where & TP_IN_IDENTITY) || column->role == TP_ROLE_IDENTITY ||
		    layout->at[i].from == TP_FROM_NOTHING ||
		    strcmp(column->name, "estimate_seconds") == 0)
			continue;
		tp_column_cell(column, tp_point_record(layout, i, point), words);
		tp_str_add(words, "|");
	}
}

/* The keys of a point: itself, and its kind. */
struct keys {
	uint64_t self, kind;
};

/* Makes keys of one point after the other. What they have in common is written once. */
struct key_maker {
	const struct tp_machine *machine;
	const struct tp_config *config; /* of the last point */
	struct tp_str words;
	size_t common; /* of the words */
	/* A run's overhead besides its points (engines, memory, writing) is known for all of them.
	 */
	uint64_t rest;
};

static struct keys make_keys(struct key_maker *maker, const struct tp_planned *p)
{
	struct tp_str *words = &maker->words;
	struct keys keys;
	if (maker->config != p->config) {
		maker->config = p->config;
		tp_str_clear(words);
		tp_str_printf(words, "%s|", p->point.experiment);
		const struct tp_machine *m = maker->machine;
		tp_str_printf(words, "%s|%s|%zu|%s|%s|", m->cpu_name, m->cpu.hypervisor,
			      m->n_allowed, m->simulated, m->simulated[0] ? m->source : "");
		for (size_t i = 0; i < tp_option_count(); i++) {
			const struct tp_option *option = tp_option_at(i);
			if (!matters(option, p->point.experiment))
				continue;
			tp_value_text(option, tp_config_value(p->config, option), words);
			tp_str_add(words, "|");
		}
		maker->common = words->len;
	}
	words->len = maker->common;
	tp_str_add(words, "point|");
	add_identity(words, &p->point);
	keys.self = hash_of(words);
	words->len = maker->common;
	tp_str_printf(words, "kind|%s|%u", tp_point_word(&p->point, "level"), p->point.threads);
	keys.kind = hash_of(words);
	maker->rest = maker->rest * TP_HASH_PRIME ^ keys.self;
	return keys;
}

/* --- the file --- */

/* The slot of a key, or the one where it belongs. */
static struct entry *slot_of(const struct learned *l, uint64_t key)
{
	size_t at = key % SLOTS;
	while (l->slots[at].key && l->slots[at].key != key)
		at = (at + 1) % SLOTS;
	return &l->slots[at];
}

static bool is_value(double value)
{
	/* Up to and with the limit: a value near it may be rounded to it when it is written. */
	return value > 0 && value <= SECONDS_MAX;
}

static void take_line(struct learned *l, const char *line, long age)
{
	uint64_t key;
	int used = 0;
	if (sscanf(line, "%16" SCNx64 "%n", &key, &used) != 1 || !key || l->n == LINES_MAX)
		return;
	struct entry *e = slot_of(l, key), found = { .key = key, .age = age };
	for (const char *at = line + used; *at == ' ' && found.n < VALUES_MAX;) {
		char *end;
		double value = strtod(at, &end);
		if (end == at || !is_value(value))
			return;
		found.values[found.n++] = value;
		at = end;
	}
	if (!found.n || e->key)
		return;
	*e = found;
	l->n++;
}

static bool open_learned(struct learned *l)
{
	TP_FREE char *text = NULL;
	size_t len = 0;
	*l = (struct learned){ .slots = tp_alloc(SLOTS, sizeof(*l->slots)) };
	if (tp_path_user_data("estimates", l->path, NULL) != TP_OK) {
		free(l->slots);
		return false;
	}
	if (tp_file_read(l->path, FILE_MAX_BYTES, &text, &len, NULL) == TP_OK &&
	    strncmp(text, HEAD, strlen(HEAD)) == 0) {
		char *rest = text + strlen(HEAD);
		for (long age = 0; rest && *rest; age++)
			take_line(l, strsep(&rest, "\n"), age);
	}
	return true;
}

static int newest_first(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
	return (x->age > y->age) - (x->age < y->age);
}

static void save_learned(const struct learned *l)
{
	char folder[TP_PATH_MAX];
	TP_STR out = { 0 };
	TP_FREE struct entry **entries = tp_alloc(l->n + 1, sizeof(struct entry *));
	size_t n = 0;
	for (size_t i = 0; i < SLOTS; i++)
		if (l->slots[i].key)
			entries[n++] = &l->slots[i];
	qsort(entries, n, sizeof(*entries), newest_first);
	tp_str_add(&out, HEAD);
	for (size_t i = 0; i < TP_MIN(n, (size_t)LINES_MAX); i++) {
		tp_str_printf(&out, "%016" PRIx64, entries[i]->key);
		for (unsigned k = 0; k < entries[i]->n; k++)
			tp_str_printf(&out, " %.4g", entries[i]->values[k]);
		tp_str_add(&out, "\n");
	}
	if (tp_path_user_data("", folder, NULL) == TP_OK && tp_dir_make(folder, NULL) == TP_OK)
		tp_file_write(TP_TYPED_NOTHING, l->path, tp_str_text(&out), out.len, NULL);
}

/* One value a run: a value already stored by this run stays. */
static void add_value(struct learned *l, uint64_t key, double value)
{
	if (!is_value(value) || l->n >= SLOTS / 2)
		return;
	struct entry *e = slot_of(l, key);
	if (e->key && e->age < 0)
		return;
	l->n += !e->key;
	e->key = key;
	e->age = --l->newest;
	memmove(e->values + 1, e->values, (VALUES_MAX - 1) * sizeof(*e->values));
	e->values[0] = value;
	e->n = TP_MIN(e->n + 1, (unsigned)VALUES_MAX);
}

/*
 * The median of what is known of a key; 0 = nothing. *runs grows to the number of values. Times err
 * by factors, so what lies between two of them is their geometric mean.
 */
static double known_value(const struct learned *l, uint64_t key, unsigned *runs)
{
	const struct entry *e = slot_of(l, key);
	double sorted[VALUES_MAX];
	if (!e->key)
		return 0;
	memcpy(sorted, e->values, sizeof(sorted));
	tp_sort_doubles(sorted, e->n);
	*runs = TP_MAX(*runs, e->n);
	return sqrt(sorted[(e->n - 1) / 2] * sorted[e->n / 2]);
}

/* --- correcting and learning --- */

void tp_learned_correct(struct tp_plan *plan, const struct tp_machine *machine)
{
	struct learned l;
	struct key_maker maker = { .machine = machine };
	double points = 0, model_points = 0;
	plan->learned_runs = 0;
	plan->n_learned = 0;
	if (!open_learned(&l))
		return;
	for (size_t i = 0; i < plan->n && l.n; i++) {
		struct tp_planned *p = &plan->items[i];
		struct keys keys = make_keys(&maker, p);
		double seconds = known_value(&l, keys.self, &plan->learned_runs), ratio;
		if (!(seconds > 0) && (ratio = known_value(&l, keys.kind, &plan->learned_runs)) > 0)
			seconds = fmin(fmax(ratio, 1 / RATIO_MAX), RATIO_MAX) * p->model_seconds;
		if (seconds > 0) {
			p->point.estimate_seconds = seconds;
			plan->n_learned++;
		}
		points += p->point.estimate_seconds;
		model_points += p->model_seconds;
	}
	if (plan->n_learned) {
		unsigned ignored = 0;
		double rest = known_value(&l, maker.rest, &ignored);
		if (!(rest > 0))
			rest = fmax(0, plan->estimate_seconds - model_points);
		plan->estimate_seconds = points + rest;
	}
	tp_str_release(&maker.words);
	free(l.slots);
}

/* The ratios of all points of a kind, as this run shows them. */
struct ratio {
	uint64_t kind;
	double ratio;
};

static int by_kind(const void *a, const void *b)
{
	const struct ratio *x = a, *y = b;
	if (x->kind != y->kind)
		return (x->kind > y->kind) - (x->kind < y->kind);
	return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

void tp_learned_take(const struct tp_plan *plan, const struct tp_machine *machine,
		     const struct tp_run *run, const bool *old)
{
	struct learned l;
	struct key_maker maker = { .machine = machine };
	size_t n = TP_MIN(plan->n, run->n_points), n_ratios = 0, n_done = 0;
	TP_FREE struct ratio *ratios = tp_alloc(n + 1, sizeof(*ratios));
	double points = 0;
	if (!open_learned(&l))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct tp_point *found = &run->points[i];
		const struct tp_planned *p = &plan->items[i];
		if (!tp_point_teaches(found) || (old && old[i]))
			continue;
		struct keys keys = make_keys(&maker, p);
		add_value(&l, keys.self, found->seconds);
		if (p->model_seconds > 0 && found->seconds > 0)
			ratios[n_ratios++] =
				(struct ratio){ keys.kind, found->seconds / p->model_seconds };
		points += found->seconds;
		n_done++;
	}
	qsort(ratios, n_ratios, sizeof(*ratios), by_kind);
	for (size_t from = 0, to; from < n_ratios; from = to) {
		for (to = from; to < n_ratios && ratios[to].kind == ratios[from].kind; to++)
			;
		add_value(&l, ratios[from].kind, ratios[from + (to - from) / 2].ratio);
	}
	if (n_done == plan->n && n_done) /* none is old */
		add_value(&l, maker.rest, run->wall_seconds - points);
	if (n_done)
		save_learned(&l);
	tp_str_release(&maker.words);
	free(l.slots);
}

/* How many of the newest runs are searched. */
enum { RUNS_LOOKED_AT = 200 };

static bool is_of(const struct tp_run_entry *entry, const struct tp_machine *machine)
{
	return !*entry->simulated && strcmp(entry->cpu, machine->cpu_name) == 0 &&
	       strcmp(entry->hostname, machine->hostname) == 0;
}

static void look_into(struct tp_found *found, const struct tp_machine *machine, const char *folder,
		      const char *name, bool *changed)
{
	struct tp_run_entry entry;
	struct tp_run run;
	if (!tp_run_entry_ended(folder, name, &entry) || !is_of(&entry, machine) ||
	    tp_run_load_results(&run, entry.path, NULL) != TP_OK)
		return;
	if (!tp_run_cache(&run, NULL)) {
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

const char *tp_measured_when(char *out, size_t size, const struct tp_run *run, unsigned quality)
{
	enum { DATE_COLUMNS = 10 }; /* of "2026-11-23T22:47:17Z" */
	const struct tp_fact *started = tp_run_fact(run, "started");
	snprintf(out, size, "%s%s%.*s", tp_quality_name((enum tp_quality)quality),
		 started ? ", " : "", DATE_COLUMNS, started ? started->text : "");
	return out;
}

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
	const struct tp_plateau *p = measured ? tp_run_cache(measured, levels[level].name) : NULL;
	const uint64_t bytes = p ? p->capacity_bytes : 0;
	char found[32], reported[32], when[32];
	if (cache->given_bytes || !tp_capacity_is_less(bytes, cache->size_bytes))
		return false;
	offer->option = levels[level].option;
	tp_capacity_option(offer->value, sizeof(offer->value), bytes);
	snprintf(offer->words, sizeof(offer->words), "%s measured %s (%s), %s %s",
		 levels[level].name, tp_format_bytes(found, sizeof(found), bytes),
		 tp_measured_when(when, sizeof(when), measured, p->quality),
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

const char *tp_offers_words(char *out, size_t size, const struct tp_offer *offers, size_t n)
{
	size_t at = 0;
	out[0] = '\0';
	for (size_t i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s", i ? "; " : "", offers[i].words);
	return out;
}
