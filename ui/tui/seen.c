/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/seen.h"

void tp_seen_mix(uint64_t *seen, uint64_t value)
{
	*seen = tp_hash_step(*seen, value);
}

void tp_seen_text(uint64_t *seen, const char *text)
{
	*seen = tp_hash_text(*seen, text);
}

uint64_t tp_seen_runs(const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t seen = TP_SEEN_START, over = 0;
	tp_seen_mix(&seen, (uint64_t)app->live.state);
	tp_seen_mix(&seen, app->n_runs);
	tp_seen_text(&seen, tp_app_run_label(app));
	for (size_t i = 0; i < app->n_runs; i++)
		tp_seen_text(&seen, app->runs[i].label);
	if (!run)
		return seen;
	tp_seen_mix(&seen, (uintptr_t)run->facts);
	tp_seen_mix(&seen, run->n_facts);
	tp_seen_mix(&seen, (uintptr_t)run->diags.items);
	tp_seen_mix(&seen, (uintptr_t)run->points);
	for (size_t i = 0; i < run->n_points; i++)
		over += run->points[i].state != TP_POINT_PLANNED;
	tp_seen_mix(&seen, over);
	for (size_t i = 0; i < run->n_parts; i++) {
		/* Rows that come while a point is under way are no results yet. */
		if (run->parts[i].part->measured)
			continue;
		tp_seen_mix(&seen, (uintptr_t)run->parts[i].rows.rows);
		tp_seen_mix(&seen, run->parts[i].rows.n);
	}
	return seen;
}
