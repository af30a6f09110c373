/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/words.h"
#include "base/memory.h"
#include "base/named.h"
#include "base/text.h"
#include "experiments/experiment.h"
#include "kernels/kernel.h"
#include "measure/simulation.h"
#include "preset/shared_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tp_words_release(struct tp_words *words)
{
	free(words->items);
	*words = (struct tp_words){ 0 };
}

long tp_words_find(const struct tp_words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (strcmp(words->items[i].word, word) == 0)
			return (long)i;
	return -1;
}

static struct tp_word *add_word(struct tp_words *words, const char *word, const char *note)
{
	TP_RESERVE(words->items, words->cap, words->n + 1);
	struct tp_word *w = &words->items[words->n++];
	*w = (struct tp_word){ 0 };
	tp_copy(w->word, sizeof(w->word), word);
	tp_copy(w->note, sizeof(w->note), note);
	return w;
}

static void switch_off(struct tp_word *w, const struct tp_diag *why)
{
	w->off = true;
	snprintf(w->why, sizeof(w->why), "%s%s%s", why->what, why->hint[0] ? "; " : "", why->hint);
}

static void add_row(struct tp_words *words, const struct tp_option *option)
{
	const char *at = tp_option_offered(option, &words->open);
	while (*at) {
		char word[sizeof(words->items->word)];
		size_t n = strcspn(at, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, at);
		char meaning[sizeof(words->items->note)];
		const char *note = option == TP_OPT_FP_OP ? tp_fp_op_summary(tp_fp_op_find(word))
							  : tp_option_meaning(option, word, meaning,
									      sizeof(meaning));
		add_word(words, word, note);
		at += n;
		at += strspn(at, " ");
	}
}

static void add_experiments(struct tp_words *words, const struct tp_machine *machine)
{
	const struct tp_experiment *e;
	for (size_t i = 0; (e = tp_experiment_at(i)); i++) {
		struct tp_word *w = add_word(words, e->name, e->summary);
		struct tp_diag why = { 0 };
		if (machine && tp_experiment_supported(e, machine, &why) != TP_OK)
			switch_off(w, &why);
	}
}

static const struct tp_option_names *names_of(const struct tp_option *option)
{
	const struct tp_experiment *e;
	for (size_t i = 0; (e = tp_experiment_at(i)); i++)
		for (const struct tp_option_names *n = e->names; n && n->option; n++)
			if (n->option == option)
				return n;
	return NULL;
}

static enum tp_status add_files(struct tp_words *words, const struct tp_option_names *names)
{
	TP_FREE struct tp_named_file *files = NULL;
	size_t n = 0;
	enum tp_status status = names->files(&files, &n, NULL);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		add_word(words, files[i].name, files[i].title);
	return status;
}

static enum tp_status add_names(struct tp_words *words, const struct tp_option_names *names)
{
	const char *word, *note;
	words->open = names->open;
	if (names->files)
		return add_files(words, names);
	for (size_t i = 0; (word = names->name(i, &note)); i++)
		add_word(words, word, note);
	return TP_OK;
}

static void add_isas(struct tp_words *words, const struct tp_machine *machine)
{
	static const char *const choices[][2] = {
		{ "auto", "every one that works here" },
		{ "widest", "the one with the longest vectors" },
	};
	struct tp_word *w;
	for (size_t i = 0; i < TP_COUNT_OF(choices); i++) {
		w = add_word(words, choices[i][0], choices[i][1]);
		w->alone = true;
	}
	struct tp_isa_offer offer;
	for (size_t i = 0; machine && tp_machine_isa(machine, i, &offer); i++) {
		w = add_word(words, offer.name, offer.summary);
		if (offer.why.what[0])
			switch_off(w, &offer.why);
	}
	for (size_t i = 0; !machine && i < tp_isa_count; i++)
		add_word(words, tp_isa_table[i]->name, tp_isa_table[i]->summary);
}

/* Whether the machine has an instruction of that precision (or any), and that operation (or any).
 */
static bool has_narrow(const struct tp_machine *machine, const char *precision, enum tp_fp_op op)
{
	const struct tp_narrow *row;
	for (size_t i = 0; (row = tp_narrow_row(machine->cpu.arch, i)); i++) {
		if ((precision && strcmp(row->precision, precision) != 0) || (op && row->op != op))
			continue;
		if (tp_machine_has_narrow(machine, row))
			return true;
	}
	return false;
}

/* The words of the option's row; those that this machine cannot compute with are off. */
static void add_numbers(struct tp_words *words, const struct tp_option *option,
			const struct tp_machine *machine)
{
	add_row(words, option);
	for (size_t i = 0; machine && i < words->n; i++) {
		struct tp_word *w = &words->items[i];
		const struct tp_precision *precision =
			option == TP_OPT_PRECISION ? tp_precision_find(w->word) : NULL;
		enum tp_fp_op op = precision ? TP_FP_NONE : tp_fp_op_find(w->word);
		bool narrow = precision ? tp_precision_is_narrow(precision)
					: op == TP_FP_DOT || op == TP_FP_TILE;
		struct tp_diag why = { 0 };
		if (!narrow || has_narrow(machine, precision ? w->word : NULL, op))
			continue;
		tp_fail(&why, TP_UNSUPPORTED, NULL, NULL,
			"no instruction here does that; see tprof --list precisions");
		switch_off(w, &why);
	}
}

static void add_threads(struct tp_words *words, const struct tp_machine *machine)
{
	size_t most = machine ? machine->n_allowed : 0;
	char word[24], note[64] = "one on every CPU";
	for (size_t n = 1; most > 1 && n <= most; n = n < most ? TP_MIN(n * 2, most) : n + 1) {
		snprintf(word, sizeof(word), "%zu", n);
		add_word(words, word, n == 1 ? "one thread" : "");
	}
	if (machine)
		snprintf(note, sizeof(note), "one on every CPU: %zu here", most);
	add_word(words, "all", note);
}

static void check_level(struct tp_word *w, const struct tp_machine *machine)
{
	int level = w->word[0] == 'L' ? w->word[1] - '0' : 0;
	char bytes[32];
	struct tp_diag why;
	if (level < 1 || level >= TP_CACHE_LEVELS) {
		tp_copy(w->note, sizeof(w->note), "beyond the last cache");
		return;
	}
	const struct tp_cache *cache = &machine->cache[level];
	if (cache->size_bytes) {
		snprintf(w->note, sizeof(w->note), "%s, shared by %u core%s",
			 tp_format_bytes(bytes, sizeof(bytes), cache->size_bytes),
			 cache->sharing_cores, cache->sharing_cores == 1 ? "" : "s");
		return;
	}
	tp_fail(&why, TP_UNSUPPORTED, NULL, NULL,
		"this machine reports no such cache; give its capacity with cache_size.%s",
		w->word);
	switch_off(w, &why);
}

static void add_levels(struct tp_words *words, const struct tp_machine *machine)
{
	add_row(words, TP_OPT_LEVEL);
	for (size_t i = 0; machine && i < words->n; i++)
		check_level(&words->items[i], machine);
}

static void add_pages(struct tp_words *words, const struct tp_machine *machine)
{
	add_row(words, TP_OPT_PAGES);
	long i = tp_words_find(words, "hugetlb");
	if (i < 0 || !machine || machine->foreign || machine->hugetlb_free)
		return;
	struct tp_diag why;
	tp_fail(&why, TP_UNSUPPORTED, NULL, "as root: sysctl vm.nr_hugepages=512",
		"no huge pages are set aside and free");
	switch_off(&words->items[i], &why);
}

static enum tp_status add_models(struct tp_words *words)
{
	TP_FREE struct tp_named_file *entries = NULL;
	size_t n = 0;
	words->open = true;
	enum tp_status status = tp_model_entries(&entries, &n, NULL);
	add_word(words, "detected", "the model that fits this machine");
	for (size_t i = 0; i < n && status == TP_OK; i++)
		add_word(words, entries[i].name, entries[i].title);
	return status;
}

static void add_regimes(struct tp_words *words,
			const struct tp_machine *machine __attribute__((unused)))
{
	add_word(words, "off", "measures");
	for (size_t i = 0; i < tp_regime_count; i++)
		add_word(words, tp_regime_table[i].name, tp_regime_table[i].summary);
}

/* Options with words that are not in their rows. */
static const struct {
	const struct tp_option *option;
	bool open;
	void (*add)(struct tp_words *words, const struct tp_machine *machine);
} providers[] = {
	{ TP_OPT_EXPERIMENT, false, add_experiments },
	{ TP_OPT_ISA, false, add_isas },
	{ TP_OPT_THREADS, true, add_threads },
	{ TP_OPT_LEVEL, false, add_levels },
	{ TP_OPT_PAGES, false, add_pages },
	{ TP_OPT_SIMULATE, false, add_regimes },
};

enum tp_status tp_words_make(struct tp_words *words, const struct tp_option *option,
			     const struct tp_machine *machine)
{
	*words = (struct tp_words){ 0 };
	for (size_t i = 0; i < TP_COUNT_OF(providers); i++)
		if (providers[i].option == option) {
			words->open = providers[i].open;
			providers[i].add(words, machine);
			return TP_OK;
		}
	if (option == TP_OPT_MACHINE)
		return add_models(words);
	const struct tp_option_names *names = names_of(option);
	if (names)
		return add_names(words, names);
	if (option == TP_OPT_PRECISION || option == TP_OPT_FP_OP)
		add_numbers(words, option, machine);
	else
		add_row(words, option);
	return TP_OK;
}
