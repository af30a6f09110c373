/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screens/mined_learn.h"
#include "base/now.h"
#include "base/process.h"
#include "base/memory.h"
#include "mining/mined.h"
#include "mining/options.h"
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

/*
 * A forest of many rows has fewer trees: what matters is seen from few, and all of them would take
 * minutes.
 */
enum { ROWS_OF_ALL_TREES = 1 << 20, TREES_MIN = 10 };

/* --- wishes --- */

static const struct tp_option *option_of(enum tp_mined_wish wish)
{
	static const struct tp_option *const options[] = {
#define WISH_ROW(id, option) option,
		TP_MINED_WISHES(WISH_ROW)
#undef WISH_ROW
	};
	return options[wish];
}

void tp_mined_wishes_release(struct tp_mined_wishes *wishes)
{
	for (size_t i = 0; i < TP_MINED_WISH_COUNT; i++)
		free(wishes->text[i]);
	*wishes = (struct tp_mined_wishes){ .version = wishes->version + 1 };
}

void tp_mined_wish(struct tp_mined_wishes *wishes, enum tp_mined_wish wish, const char *text)
{
	char *copy = text && *text ? strdup(text) : NULL;
	free(wishes->text[wish]);
	wishes->text[wish] = copy;
	wishes->version++;
}

void tp_mined_wishes_text(const struct tp_mined_wishes *wishes, struct tp_str *out)
{
	for (size_t i = 0; i < TP_MINED_WISH_COUNT; i++) {
		const char *text = wishes->text[i];
		if (!text)
			continue;
		struct tp_str word = { 0 };
		tp_str_printf(&word, "%s=%s", option_of((enum tp_mined_wish)i)->key, text);
		tp_str_add(out, out->len ? " --set" : "--set");
		tp_conclude_word(out, tp_str_text(&word));
		tp_str_release(&word);
	}
}

static enum tp_status apply(const struct tp_mined_wishes *wishes, struct tp_config *config,
			    struct tp_arena *arena, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < TP_MINED_WISH_COUNT && status == TP_OK; i++) {
		const struct tp_option *option = option_of((enum tp_mined_wish)i);
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
	size_t trees = TP_MAX((size_t)TREES_MIN,
			      ROWS_OF_ALL_TREES / TP_MAX(learned->frame.n_rows, (size_t)1));
	job->n_trees = TP_MIN(job->n_trees, (unsigned)trees);
	job->learn = learned->whole ? job->learn | TP_MINE_TREE | TP_MINE_FOREST : TP_MINE_TREE;
	return TP_OK;
}

struct tp_learned *tp_learned_new(const struct tp_run *run, const struct tp_mined_wishes *wishes,
				  bool whole)
{
	struct tp_learned *learned = calloc(1, sizeof(*learned));
	struct tp_config *config = calloc(1, sizeof(*config));
	if (learned && config) {
		learned->whole = whole;
		learned->version = wishes->version;
		for (size_t i = 0; i < run->n_points; i++)
			learned->n_points += run->points[i].state == TP_POINT_DONE;
		learned->status = prepare(learned, run, wishes, config);
	} else {
		free(learned);
		learned = NULL;
	}
	free(config);
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
	/* Nothing else of this process looks there: it does not measure. */
	sig_atomic_t before = tp_stop_asked;
	tp_stop_asked = 1;
	if (learner->threaded)
		pthread_join(learner->thread, NULL);
	tp_stop_asked = before;
	tp_learned_free(learner->under_way);
	learner->under_way = NULL;
}
