/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screens/mined_learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/process.h"
#include "mining/mined.h"
#include "mining/options.h"
#include "report/page.h"

/* --- requests --- */

static const struct tp_option *const options[TP_MINED_WISH_COUNT] = {
	[TP_MINED_WISH_TARGET] = TP_OPT_MINE_TARGET,
	[TP_MINED_WISH_FEATURES] = TP_OPT_MINE_FEATURES,
	[TP_MINED_WISH_CUTS] = TP_OPT_MINE_CUTS,
	[TP_MINED_WISH_CRITERION] = TP_OPT_MINE_CRITERION,
	[TP_MINED_WISH_DEPTH] = TP_OPT_MINE_DEPTH,
	[TP_MINED_WISH_PLOT] = TP_OPT_MINE_PLOT,
};

void tp_mined_wishes_release(struct tp_mined_wishes *wishes)
{
	for (size_t i = 0; i < TP_MINED_WISH_COUNT; i++)
		free(wishes->text[i]);
	*wishes = (struct tp_mined_wishes){ .version = wishes->version + 1 };
}

void tp_mined_wish(struct tp_mined_wishes *wishes, enum tp_mined_wish wish, const char *text)
{
	char *copy = text && *text ? tp_strdup(text) : NULL;
	free(wishes->text[wish]);
	wishes->text[wish] = copy;
	wishes->version++;
}

void tp_mined_wishes_text(const struct tp_mined_wishes *wishes, struct tp_str *out)
{
	for (size_t i = 0; i < TP_MINED_WISH_COUNT; i++) {
		if (wishes->text[i])
			tp_str_printf(out, "%s%s=%s", out->len ? ", " : "", options[i]->key,
				      wishes->text[i]);
	}
}

static enum tp_status apply(const struct tp_mined_wishes *wishes, struct tp_config *config,
			    struct tp_arena *arena, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < TP_MINED_WISH_COUNT && status == TP_OK; i++) {
		const struct tp_option *option = options[i];
		struct tp_value value;
		if (!wishes->text[i])
			continue;
		status = tp_option_parse(option, wishes->text[i], arena, &value, diag);
		if (status != TP_OK)
			break;
		value.source = TP_FROM_COMMAND_LINE;
		*tp_config_at(config, option) = value;
	}
	return status;
}

/* --- learning --- */

static enum tp_status prepare(struct tp_learned *learned, const struct tp_run *run,
			      const struct tp_mined_wishes *wishes, struct tp_config *config)
{
	struct tp_diag *diag = &learned->diag;
	struct tp_mine_job *job = &learned->job;
	enum tp_status status = tp_config_defaults(config, &learned->arena, diag);
	if (status == TP_OK)
		status = tp_mine_config_of_run(config, run, &learned->arena, diag);
	if (status == TP_OK)
		status = apply(wishes, config, &learned->arena, diag);
	if (status == TP_OK)
		status = tp_frame_of_run(&learned->frame, run, diag);
	if (status == TP_OK)
		status = tp_mine_job_of_config(job, config, &learned->arena, diag);
	if (status != TP_OK)
		return status;
	const char *headline = tp_mine_headline(&learned->frame, run);
	if (!*job->target && headline)
		job->target = headline;
	job->learn = learned->whole ? job->learn | TP_MINE_TREE | TP_MINE_FOREST : TP_MINE_TREE;
	return TP_OK;
}

struct tp_learned *tp_learned_new(const struct tp_run *run, const struct tp_mined_wishes *wishes,
				  bool whole)
{
	struct tp_learned *learned = tp_alloc(1, sizeof(*learned));
	TP_FREE struct tp_config *config = tp_alloc(1, sizeof(*config));
	learned->whole = whole;
	learned->version = wishes->version;
	learned->n_points = tp_run_n_done(run);
	learned->status = prepare(learned, run, wishes, config);
	return learned;
}

void tp_learned_free(struct tp_learned *learned)
{
	if (!learned)
		return;
	tp_mining_release(&learned->mining);
	tp_frame_release(&learned->frame);
	tp_arena_release(&learned->arena);
	free(learned);
}

void tp_learned_make(struct tp_learned *learned)
{
	double begun = tp_now_seconds();
	if (learned->status == TP_OK)
		learned->status =
			tp_mine(&learned->mining, &learned->frame, &learned->job, &learned->diag);
	learned->seconds = tp_now_seconds() - begun;
}

/* --- the thread --- */

static void *work(void *context)
{
	struct tp_learner *learner = context;
	tp_learned_make(learner->under_way);
	atomic_store(&learner->done, true);
	return NULL;
}

void tp_learner_start(struct tp_learner *learner, struct tp_learned *learned)
{
	learner->under_way = learned;
	atomic_store(&learner->done, false);
	learner->threaded = pthread_create(&learner->thread, NULL, work, learner) == 0;
	if (!learner->threaded)
		work(learner);
}

struct tp_learned *tp_learner_take(struct tp_learner *learner)
{
	struct tp_learned *learned = learner->under_way;
	if (!learned || !atomic_load(&learner->done))
		return NULL;
	if (learner->threaded)
		pthread_join(learner->thread, NULL);
	learner->under_way = NULL;
	return learned;
}

void tp_learner_stop(struct tp_learner *learner)
{
	if (!learner->under_way)
		return;
	/* Nothing else in this process uses it: it does not measure. */
	sig_atomic_t before = tp_stop_asked;
	tp_stop_asked = 1;
	if (learner->threaded)
		pthread_join(learner->thread, NULL);
	tp_stop_asked = before;
	tp_learned_free(learner->under_way);
	learner->under_way = NULL;
}

enum { STEPS = 200, DIGITS_MIN = 2, DIGITS_MAX = 12, NUMBER_BYTES = 32 };

/* Values on the ruler that steps are even on. */
static double warp(const struct tp_mined_cuts *cuts, double value)
{
	return cuts->log ? log10(value) : value;
}

static double unwarp(const struct tp_mined_cuts *cuts, double value)
{
	return cuts->log ? pow(10, value) : value;
}

static double step_of(const struct tp_mined_cuts *cuts)
{
	return (warp(cuts, cuts->high) - warp(cuts, cuts->low)) / STEPS;
}

/* As few digits as distinguish a tenth of a step, so that a cut reads well and is exact. */
static void write_cut(const struct tp_mined_cuts *cuts, double value, char out[NUMBER_BYTES])
{
	double step = step_of(cuts), fine = cuts->log ? value * (pow(10, step) - 1) : step;
	double digits = fine > 0 && value != 0 ? ceil(log10(fabs(value) / fine)) + 1 : DIGITS_MAX;
	digits = fmin(fmax(digits, DIGITS_MIN), DIGITS_MAX);
	snprintf(out, NUMBER_BYTES, "%.*g", (int)digits, value);
	snprintf(out, NUMBER_BYTES, "%.15g", strtod(out, NULL)); /* 1000, not 1e+03 */
}

static double rounded(const struct tp_mined_cuts *cuts, double value)
{
	char text[NUMBER_BYTES];
	write_cut(cuts, value, text);
	return strtod(text, NULL);
}

void tp_mined_cuts_take(struct tp_mined_cuts *cuts, const struct tp_mining *mining)
{
	size_t chosen = cuts->chosen;
	*cuts = (struct tp_mined_cuts){ .low = INFINITY, .high = -INFINITY };
	if (!mining->continuous || !mining->categories.n)
		return;
	for (size_t i = 0; i < mining->n_rows; i++) {
		cuts->low = fmin(cuts->low, mining->target_values[i]);
		cuts->high = fmax(cuts->high, mining->target_values[i]);
	}
	cuts->log = mining->density && mining->density->log && cuts->low > 0;
	cuts->n = mining->categories.n - 1;
	memcpy(cuts->at, mining->categories.cuts, cuts->n * sizeof(cuts->at[0]));
	cuts->chosen = TP_MIN(chosen, cuts->n ? cuts->n - 1 : 0);
}

void tp_mined_cuts_choose(struct tp_mined_cuts *cuts, bool next)
{
	if (cuts->n)
		cuts->chosen = (cuts->chosen + (next ? 1 : cuts->n - 1)) % cuts->n;
}

/* Whether a value lies between its neighbours; `from` is the cut below it plus one. */
static bool has_room(const struct tp_mined_cuts *cuts, double value, size_t from, size_t to)
{
	double low = from ? cuts->at[from - 1] : cuts->low;
	double high = to < cuts->n ? cuts->at[to] : cuts->high;
	return value > low && (to < cuts->n ? value < high : value <= high);
}

bool tp_mined_cuts_put(struct tp_mined_cuts *cuts, double value)
{
	if (!cuts->n || !isfinite(value))
		return false;
	size_t i = cuts->chosen;
	double low = i ? cuts->at[i - 1] : cuts->low;
	double high = i + 1 < cuts->n ? cuts->at[i + 1] : cuts->high;
	double step = step_of(cuts), before = cuts->at[i];
	/* A step away from the neighbours there is room, unless they are nearer to each other. */
	value = fmax(value, unwarp(cuts, warp(cuts, low) + step));
	value = rounded(cuts, fmin(value, unwarp(cuts, warp(cuts, high) - step)));
	if (value == before || !has_room(cuts, value, i, i + 1))
		return false;
	cuts->at[i] = value;
	return true;
}

bool tp_mined_cuts_move(struct tp_mined_cuts *cuts, int steps)
{
	return cuts->n && tp_mined_cuts_put(cuts, unwarp(cuts, warp(cuts, cuts->at[cuts->chosen]) +
								       steps * step_of(cuts)));
}

bool tp_mined_cuts_add(struct tp_mined_cuts *cuts, double value)
{
	size_t i = 0;
	if (!(cuts->low < cuts->high) || !isfinite(value) || cuts->n == TP_COUNT_OF(cuts->at))
		return false;
	value = rounded(cuts, value);
	while (i < cuts->n && cuts->at[i] <= value)
		i++;
	if (!has_room(cuts, value, i, i))
		return false;
	memmove(&cuts->at[i + 1], &cuts->at[i], (cuts->n - i) * sizeof(cuts->at[0]));
	cuts->at[i] = value;
	cuts->chosen = i;
	cuts->n++;
	return true;
}

bool tp_mined_cuts_halve(struct tp_mined_cuts *cuts)
{
	double low = cuts->n ? cuts->at[cuts->chosen] : cuts->low;
	double high = cuts->chosen + 1 < cuts->n ? cuts->at[cuts->chosen + 1] : cuts->high;
	return tp_mined_cuts_add(cuts, unwarp(cuts, (warp(cuts, low) + warp(cuts, high)) / 2));
}

bool tp_mined_cuts_remove(struct tp_mined_cuts *cuts)
{
	size_t i = cuts->chosen;
	if (cuts->n < 2)
		return false;
	cuts->n--;
	memmove(&cuts->at[i], &cuts->at[i + 1], (cuts->n - i) * sizeof(cuts->at[0]));
	cuts->chosen = TP_MIN(i, cuts->n - 1);
	return true;
}

void tp_mined_cuts_text(const struct tp_mined_cuts *cuts, struct tp_str *out)
{
	char number[NUMBER_BYTES];
	double before = 0;
	for (size_t i = 0; i < cuts->n; i++) {
		write_cut(cuts, cuts->at[i], number);
		/* Cuts by a rule may be nearer to each other than steps. */
		if (i && !(strtod(number, NULL) > before))
			snprintf(number, sizeof(number), "%.17g", cuts->at[i]);
		before = strtod(number, NULL);
		tp_str_printf(out, "%s%s", i ? "," : "", number);
	}
}
