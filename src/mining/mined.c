/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/mined.h"

#include <string.h>

#include "mining/from_run.h"
#include "mining/options.h"
#include "mining/say.h"

/* The unit of the headline value of the points: "ns", "GB/s"; "" if none has one. */
static const char *headline_unit(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state == TP_POINT_DONE && *run->points[i].unit)
			return run->points[i].unit;
	return "";
}

static bool has_unit(const struct tp_frame_column *column, const char *unit)
{
	return column->unit && strcmp(column->unit, unit) == 0;
}

const char *tp_mine_headline(const struct tp_frame *frame, const struct tp_run *run)
{
	const struct tp_frame_column *best = NULL;
	const char *unit = headline_unit(run);
	for (size_t i = 0; i < frame->n_columns; i++) {
		const struct tp_frame_column *c = &frame->columns[i];
		if (c->role != TP_ROLE_METRIC || strncmp(c->name, "median", 6) != 0 || c->is_words)
			continue;
		/* Points of several experiments may be there: most of them are to be explained. */
		if (!best || c->n_missing < best->n_missing ||
		    (c->n_missing == best->n_missing && has_unit(c, unit) && !has_unit(best, unit)))
			best = c;
	}
	return best ? best->name : NULL;
}

static enum tp_status job_of(struct tp_mined *mined, const struct tp_config *config,
			     struct tp_mine_job *job, struct tp_diag *diag)
{
	enum tp_status status = tp_mine_job_of_config(job, config, &mined->arena, diag);
	job->listener = mined->listener;
	job->max_bytes = mined->max_bytes;
	return status;
}

enum tp_status tp_mine_frame(struct tp_mined *mined, const struct tp_config *config,
			     struct tp_diag *diag)
{
	struct tp_mine_job job;
	enum tp_status status = job_of(mined, config, &job, diag);
	return status == TP_OK ? tp_mine(&mined->mining, &mined->frame, &job, diag) : status;
}

static enum tp_status mine_points(struct tp_mined *mined, const struct tp_run *run,
				  struct tp_config *config, struct tp_diag *diag)
{
	struct tp_mine_job job;
	enum tp_status status = tp_mine_config_of_run(config, run, &mined->arena, diag);
	if (status == TP_OK)
		status = job_of(mined, config, &job, diag);
	if (status == TP_OK)
		status = tp_frame_of_run(&mined->frame, run, diag);
	if (status != TP_OK)
		return status;
	if (!*job.target)
		job.target = tp_mine_headline(&mined->frame, run);
	if (!job.target)
		return tp_fail(
			diag, TP_USAGE, mined->frame.name,
			"name a column: --target NAME; points.csv in the run's directory has "
			"them",
			"has no median to explain");
	return tp_mine(&mined->mining, &mined->frame, &job, diag);
}

enum tp_status tp_mine_run(struct tp_mined *mined, const struct tp_run *run,
			   struct tp_config *config, struct tp_diag *diag)
{
	if (config)
		return mine_points(mined, run, config, diag);
	TP_FREE struct tp_config *defaults = tp_alloc(1, sizeof(*defaults));
	enum tp_status status = tp_config_defaults(defaults, &mined->arena, diag);
	if (status == TP_OK)
		status = mine_points(mined, run, defaults, diag);
	return status;
}

void tp_mined_release(struct tp_mined *mined)
{
	tp_mining_release(&mined->mining);
	tp_frame_release(&mined->frame);
	tp_arena_release(&mined->arena);
}

bool tp_run_is_mined(const struct tp_run *run)
{
	return tp_run_fact(run, TP_OPT_MINE_TARGET->key) != NULL;
}

/* A run that goes on is mined when it has ended; the screen Tree does it meanwhile. */
static bool is_ready(const struct tp_run *run)
{
	return tp_run_is_mined(run) && run->n_points && *run->state &&
	       strcmp(run->state, "running") != 0;
}

static void add_page(struct tp_page *page)
{
	struct tp_diag diag;
	if (!is_ready(page->run))
		return;
	if (page->look->quick) {
		tp_page_title(page, "Mining", NULL);
		tp_text_wrap(page->doc, TP_PAINT_PLAIN,
			     "The screen Tree shows what decides the target.", 0, 2);
		return;
	}
	TP_FREE struct tp_mined *mined = tp_alloc(1, sizeof(*mined));
	if (tp_mine_run(mined, page->run, NULL, &diag) == TP_OK) {
		tp_mine_text(&mined->mining, page->doc);
	} else {
		tp_page_title(page, "Mining", NULL);
		tp_text_say(page->doc, TP_PAINT_WARN, 0, 2, "%s: %s%s%s", diag.where, diag.what,
			    *diag.hint ? "; " : "", diag.hint);
	}
	tp_mined_release(mined);
}

static void hang_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	struct tp_diag diag;
	if (!is_ready(run))
		return;
	TP_FREE struct tp_mined *mined = tp_alloc(1, sizeof(*mined));
	/* The page says why nothing was learned. */
	if (tp_mine_run(mined, run, NULL, &diag) == TP_OK)
		tp_mine_pictures(&mined->mining, gallery);
	tp_mined_release(mined);
}

const struct tp_reporter tp_reporter_mining = {
	.experiment = "mine",
	.place = 1000,
	.page = add_page,
	.pictures = hang_pictures,
};
