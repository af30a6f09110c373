/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search for the fastest configuration came to. */
#include "experiments/autotune/report.h"
#include "base/memory.h"
#include "record/point.h"
#include "experiments/autotune/search_row.h"
#include "experiments/autotune/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word, *help;
	bool cut;
} stop_words[TP_STOP_WORD_COUNT + 1] = {
#define STOP_ROW(id, word, words, cut) [TP_STOP_WORD_##id] = { word, words, cut },
	TP_STOP_WORD_LIST(STOP_ROW)
#undef STOP_ROW
		[TP_STOP_WORD_COUNT] = { "", "under way", false },
};

enum tp_stop_word tp_stop_word_of(const struct tp_trial *trial)
{
	for (int i = 0; i < TP_STOP_WORD_COUNT; i++)
		if (strcmp(trial->stopped, stop_words[i].word) == 0)
			return (enum tp_stop_word)i;
	return TP_STOP_WORD_COUNT;
}

const char *tp_stop_word_help(enum tp_stop_word word)
{
	return stop_words[word].help;
}

bool tp_stop_word_is_cut(enum tp_stop_word word)
{
	return stop_words[word].cut;
}

bool tp_point_is_search(const struct tp_point *point)
{
	return strcmp(point->experiment, "autotune") == 0;
}

static bool is_triad(const char *routine)
{
	return strcmp(routine, "triad") == 0;
}

/*
 * "dgemm" and "openblas" of "dgemm/openblas"; the title of the library is better where there is
 * one.
 */
static void name_routine(struct tp_searched *search)
{
	const struct tp_point *p = search->point;
	size_t n = strcspn(p->kernel, "/");
	snprintf(search->routine, sizeof(search->routine), "%.*s", (int)n, p->kernel);
	tp_copy(search->library, sizeof(search->library),
		*tp_search_row(p)->library ? tp_search_row(p)->library
		: p->kernel[n]		   ? p->kernel + n + 1
					   : "");
	bool level = *tp_kernel_row(p)->level && !tp_level_is_fp(tp_kernel_row(p)->level);
	snprintf(search->where, sizeof(search->where), "%s%s%s",
		 level ? tp_kernel_row(p)->level : "", *tp_search_row(p)->scope && level ? " " : "",
		 tp_search_row(p)->scope);
}

/* The winner; as long as nothing was finished, the largest of what is known. */
static const struct tp_trial *best_of(const struct tp_run *run, const struct tp_searched *search)
{
	const struct tp_trial *best = tp_trials_best(run, search->point->point);
	if (best)
		return best;
	for (size_t i = 0; i < search->n; i++) {
		const struct tp_trial *t = &search->trials[i];
		if (t->value > 0 && tp_stop_word_of(t) != TP_STOP_WORD_FAILED &&
		    (!best || t->value > best->value))
			best = t;
	}
	return best;
}

/*
 * Others advance all configurations together: the time that those before the best took says
 * nothing.
 */
static bool goes_in_turn(const char *technique)
{
	static const char *const together[] = { "default", "hand-accuracy", "racing" };
	size_t n = strcspn(technique, "/");
	for (size_t i = 0; i < TP_COUNT_OF(together); i++)
		if (strlen(together[i]) == n && memcmp(together[i], technique, n) == 0)
			return false;
	return true;
}

bool tp_searched_of(const struct tp_run *run, unsigned point, struct tp_searched *search)
{
	*search = (struct tp_searched){ .found_seconds = NAN };
	if (point >= run->n_points || !tp_point_is_search(&run->points[point]))
		return false;
	const struct tp_point *p = search->point = &run->points[point];
	search->trials = tp_trials_of(run, p->point, &search->n);
	search->n_all = TP_MAX(search->n, (size_t)tp_search_row(p)->configurations);
	name_routine(search);
	search->unit = is_triad(search->routine) ? "GB/s" : "GFLOP/s";
	search->best = best_of(run, search);
	search->theory = p->bound > 0 && isfinite(p->bound) ? p->bound : 0;
	if (search->best) {
		search->value = search->best->value;
		search->ci_low = search->best->ci_low;
		search->ci_high = search->best->ci_high;
	}
	/*
	 * The point's own figures are those of the end: they may come from a longer look at the
	 * winner.
	 */
	double own = tp_classic_value(p);
	if (p->state == TP_POINT_DONE && own > 0) {
		search->value = own;
		search->ci_low = p->ci_low;
		search->ci_high = p->ci_high;
	}
	double until = 0;
	for (size_t i = 0; i < search->n; i++) {
		const struct tp_trial *t = &search->trials[i];
		search->seconds += t->seconds;
		search->n_finished += t->finished;
		search->stopped[t->finished ? tp_stop_word_of(t) : TP_STOP_WORD_COUNT]++;
		if (search->best && t->position <= search->best->position)
			until += t->seconds;
	}
	if (search->best && goes_in_turn(tp_search_row(p)->technique))
		search->found_seconds = until;
	if (p->state == TP_POINT_DONE && p->seconds > search->seconds)
		search->seconds = p->seconds;
	return true;
}

void tp_searched_stops(const struct tp_searched *search, struct tp_str *out)
{
	bool told[TP_STOP_WORD_COUNT] = { false };
	for (;;) {
		int most = -1;
		for (int i = 0; i < TP_STOP_WORD_COUNT; i++)
			if (!told[i] && search->stopped[i] &&
			    (most < 0 || search->stopped[i] > search->stopped[most]))
				most = i;
		if (most < 0)
			return;
		tp_str_printf(out, "%s%zu %s", out->len ? ", " : "", search->stopped[most],
			      stop_words[most].word);
		told[most] = true;
	}
}
