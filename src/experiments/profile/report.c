/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile says in words: how far to trust it, its phases, its meters. */
#include "base/text.h"
#include "base/memory.h"
#include "experiments/profile/pictures.h"
#include "report/page.h"
#include "report/reporter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES_SHOWN = 24, KINDS_MAX = 64 };

/* Above this share of the time the sampler is said to disturb. */
static const double SAMPLER_BAR = 0.01;

/* All phases of one letter. */
struct kind {
	const char *letter;
	size_t times;
	double seconds, share, means[TP_METERS];
};

static size_t find_kinds(const struct tp_profile_phase *phases, size_t n, struct kind *kinds)
{
	size_t n_kinds = 0;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < n_kinds && strcmp(kinds[k].letter, phases[i].letter) != 0)
			k++;
		if (k == KINDS_MAX)
			continue;
		if (k == n_kinds)
			kinds[n_kinds++] = (struct kind){ .letter = phases[i].letter };
		struct kind *kind = &kinds[k];
		double before = kind->seconds;
		kind->times++;
		kind->seconds += phases[i].seconds;
		kind->share += phases[i].share;
		for (int m = 0; m < TP_METERS && kind->seconds > 0; m++)
			kind->means[m] =
				(kind->means[m] * before + phases[i].means[m] * phases[i].seconds) /
				kind->seconds;
	}
	return n_kinds;
}

/* The function that a phase spends most of its time in; NULL = unknown. */
static const struct tp_profile_meter *code_of(const struct tp_run *run, unsigned point,
					      const double means[TP_METERS])
{
	int best = -1;
	for (int m = TP_METER_CODE_1; m < TP_METER_CODE_1 + TP_METER_CODES; m++)
		if (means[m] > 0.05 && (best < 0 || means[m] > means[best]))
			best = m;
	const struct tp_profile_meter *meter =
		best < 0 ? NULL : tp_profile_meter(run, point, (enum tp_meter_id)best);
	return meter && meter->about[0] ? meter : NULL;
}

/* What the CPUs do in a phase: the sentence of the report. */
static void add_limit(struct tp_str *out, const struct tp_run *run, unsigned point,
		      const double means[TP_METERS])
{
	char text[48], name[64];
	double cpus = means[TP_METER_CPUS], system = means[TP_METER_SYSTEM];
	double moved = fmax(means[TP_METER_READ], 0) + fmax(means[TP_METER_WRITTEN], 0);
	const struct tp_profile_meter *code = code_of(run, point, means);
	if (!isfinite(cpus))
		tp_str_add(out, "its CPU time was not asked for");
	else if (cpus < 0.1)
		tp_str_add(out, "it waits: hardly any CPU time");
	else if (system > 0.5 * cpus)
		tp_str_printf(out, "%.2g CPUs busy, most of it in the kernel", cpus);
	else
		tp_str_printf(out, "%.2g CPUs busy in its own code", cpus);
	if (code && system <= 0.5 * cpus)
		tp_str_printf(out, " (%s)",
			      tp_shown(name, sizeof(name), code->about, strcspn(code->about, " ")));
	if (moved > 1e6)
		tp_str_printf(out, ", %s through read and write",
			      tp_profile_value(TP_METER_READ, moved, text, sizeof(text)));
	if (means[TP_METER_MINOR_FAULTS] > 10000)
		tp_str_printf(out, ", %s page faults",
			      tp_profile_value(TP_METER_MINOR_FAULTS, means[TP_METER_MINOR_FAULTS],
					       text, sizeof(text)));
	if (means[TP_METER_MEMORY_READ] > 0)
		tp_str_printf(out, ", %s from memory",
			      tp_profile_value(TP_METER_MEMORY_READ, means[TP_METER_MEMORY_READ],
					       text, sizeof(text)));
}

/* --- the page --- */

static void show_trust(struct tp_page *page, const struct tp_point *p)
{
	const struct tp_profile_row *row = tp_profile_row(p);
	struct tp_str text = { 0 };
	char time[48];
	tp_str_printf(&text,
		      "%u samples in %s, %.3g ms apart; %u late. The sampler took %.2g %% of ",
		      row->samples, tp_format_seconds(time, sizeof(time), row->time_seconds),
		      1e3 * row->last_interval_seconds, row->late, 100 * row->sampler_share);
	tp_str_add(&text, row->sampler_share > SAMPLER_BAR
				  ? "a CPU: it may have disturbed; raise profile.interval."
				  : "a CPU.");
	if (row->code_samples > 0)
		tp_str_printf(&text, " %.0f samples of its code, %.2g %% lost.", row->code_samples,
			      100 * row->code_lost / row->code_samples);
	if (row->signal)
		tp_str_printf(&text, " It was killed by signal %u.", row->signal);
	else if (row->exit_status)
		tp_str_printf(&text, " It ended with status %u.", row->exit_status);
	tp_page_explain(page, tp_str_text(&text));
	tp_str_release(&text);
}

static void show_phases(struct tp_page *page, const struct tp_point *p)
{
	static const struct tp_grid_column columns[] = {
		{ "phase", TP_LEFT, 0 },     { "start", TP_RIGHT, 0 },	{ "length", TP_RIGHT, 0 },
		{ "CPUs", TP_RIGHT, 0 },     { "kernel", TP_RIGHT, 4 }, { "memory", TP_RIGHT, 5 },
		{ "faults/s", TP_RIGHT, 6 }, { "read", TP_RIGHT, 7 },	{ "written", TP_RIGHT, 8 },
		{ "mostly in", TP_LEFT, 2 },
	};
	const struct tp_profile_phase *phases;
	size_t n = tp_profile_phases(page->run, p->point, &phases);
	struct tp_grid grid;
	char text[48];
	if (!n)
		return;
	tp_page_title(page, "Phases", NULL);
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < n && (i < PHASES_SHOWN || page->look->full); i++) {
		const struct tp_profile_phase *f = &phases[i];
		const double *v = f->means;
		const struct tp_profile_meter *code = code_of(page->run, p->point, v);
		tp_grid_text(&grid, TP_PAINT_STRONG, f->letter);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.2f s", f->start_seconds);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.2f s", f->seconds);
		tp_grid_text(&grid, TP_PAINT_PLAIN,
			     tp_profile_number(v[TP_METER_CPUS], text, sizeof(text)));
		tp_grid_text(&grid, TP_PAINT_PLAIN,
			     tp_profile_number(v[TP_METER_SYSTEM], text, sizeof(text)));
		tp_grid_text(&grid, TP_PAINT_PLAIN,
			     tp_profile_value(TP_METER_RESIDENT, v[TP_METER_RESIDENT], text,
					      sizeof(text)));
		if (isfinite(v[TP_METER_MINOR_FAULTS]))
			tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.3g", v[TP_METER_MINOR_FAULTS]);
		else
			tp_grid_text(&grid, TP_PAINT_PLAIN, "-");
		tp_grid_text(&grid, TP_PAINT_PLAIN,
			     tp_profile_value(TP_METER_READ, v[TP_METER_READ], text, sizeof(text)));
		tp_grid_text(&grid, TP_PAINT_PLAIN,
			     tp_profile_value(TP_METER_WRITTEN, v[TP_METER_WRITTEN], text,
					      sizeof(text)));
		tp_grid_clean(&grid, page->look, TP_PAINT_PLAIN, code ? code->about : "");
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	if (n > PHASES_SHOWN && !page->look->full) {
		char more[64];
		snprintf(more, sizeof(more), "%zu more phases: phases.csv has all.",
			 n - PHASES_SHOWN);
		tp_page_explain(page, more);
	}
	tp_page_explain(page,
			"Phases with one letter are alike. CPUs: kept busy by the program and "
			"its children; kernel: of these, in the kernel.");
}

static void show_regions(struct tp_page *page, const struct tp_point *p)
{
	static const struct tp_grid_column columns[] = {
		{ "region", TP_LEFT, 0 }, { "entered", TP_RIGHT, 0 }, { "first at", TP_RIGHT, 0 },
		{ "time", TP_RIGHT, 0 },  { "share", TP_RIGHT, 0 },
	};
	struct tp_profile_region sums[PHASES_SHOWN];
	size_t n = tp_profile_region_sums(page->run, p->point, sums, PHASES_SHOWN);
	double whole = tp_profile_row(p)->time_seconds;
	struct tp_grid grid;
	char text[48];
	if (!n)
		return;
	tp_page_title(page, "Regions over time", NULL);
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < n; i++) {
		tp_grid_clean(&grid, page->look, TP_PAINT_STRONG, sums[i].region);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%u", sums[i].times);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.2f s", sums[i].start_seconds);
		tp_grid_text(&grid, TP_PAINT_PLAIN,
			     tp_format_seconds(text, sizeof(text), sums[i].seconds));
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.0f %%",
			       whole > 0 ? 100 * sums[i].seconds / whole : 0);
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	tp_page_explain(page, "Times of all threads together; regions may lie in others. "
			      "profile_regions of run.json has when each began and ended.");
	if (tp_profile_row(p)->lost_marks > 0) {
		struct tp_str words = { 0 };
		tp_str_printf(&words,
			      "%.0f entries and exits came after the first 65,536: they have no "
			      "bands, and are not in this table.",
			      tp_profile_row(p)->lost_marks);
		tp_page_explain(page, tp_str_text(&words));
		tp_str_release(&words);
	}
}

/* What is not there, and what would permit it; reasons that several share once. */
static void show_missing(struct tp_page *page, const struct tp_point *p)
{
	const struct tp_profile_meter *rows = tp_run_profile_meters(page->run);
	const char *last = "";
	for (size_t i = 0; i < tp_run_n_profile_meters(page->run); i++) {
		const struct tp_profile_meter *m = &rows[i];
		struct tp_str words = { 0 }, clean = { 0 };
		if (m->point != p->point || m->there || strcmp(m->why, last) == 0)
			continue;
		last = m->why;
		/* Some libraries end their words with a period. */
		size_t len = strlen(m->why), end = len && m->why[len - 1] == '.';
		tp_str_printf(&words, "No %s: %.*s%s%s.", m->about[0] ? m->about : m->name,
			      (int)(len - end), m->why, m->hint[0] ? "; " : "", m->hint);
		tp_text_clean(&clean, tp_str_text(&words), page->look);
		tp_page_explain(page, tp_str_text(&clean));
		tp_str_release(&words);
		tp_str_release(&clean);
	}
}

static void show_meters(struct tp_page *page, const struct tp_point *p)
{
	static const struct tp_grid_column columns[] = {
		{ "meter", TP_LEFT, 0 },
		{ "mean", TP_RIGHT, 0 },
		{ "99 %", TP_RIGHT, 3 },
		{ "what it tells", TP_LEFT, 0 },
	};
	const struct tp_profile_meter *rows = tp_run_profile_meters(page->run);
	struct tp_grid grid;
	char text[48];
	tp_page_title(page, "Meters", NULL);
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < tp_run_n_profile_meters(page->run); i++) {
		const struct tp_profile_meter *m = &rows[i];
		enum tp_meter_id id = (enum tp_meter_id)m->number;
		if (m->point != p->point || !m->there || (!(m->mean > 0) && !page->look->full))
			continue;
		tp_grid_clean(&grid, page->look, TP_PAINT_STRONG, m->name);
		tp_grid_text(&grid, TP_PAINT_PLAIN,
			     tp_profile_value_of(page->run, p, id, m->mean, text, sizeof(text)));
		tp_grid_text(&grid, TP_PAINT_PLAIN,
			     tp_profile_value_of(page->run, p, id, m->most, text, sizeof(text)));
		tp_grid_clean(&grid, page->look, TP_PAINT_PLAIN,
			      m->about[0] ? m->about : m->counts);
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	show_missing(page, p);
}

static void page_of_profiles(struct tp_page *page)
{
	for (size_t i = 0; i < page->run->n_points; i++) {
		const struct tp_point *p = &page->run->points[i];
		if (!tp_point_is_profile(p) || p->state != TP_POINT_DONE)
			continue;
		tp_page_title(page, "Profile", NULL);
		show_trust(page, p);
		show_phases(page, p);
		show_regions(page, p);
		show_meters(page, p);
	}
}

/* --- the sentence --- */

static void conclude_point(const struct tp_run *run, const struct tp_point *p,
			   struct tp_conclusion *conclusion)
{
	const struct tp_profile_phase *phases;
	size_t n = tp_profile_phases(run, p->point, &phases), best = 0;
	struct kind *kinds = calloc(KINDS_MAX, sizeof(*kinds));
	struct tp_str text = { 0 };
	char time[48];
	if (!kinds || !n) {
		free(kinds);
		return;
	}
	size_t n_kinds = find_kinds(phases, n, kinds);
	for (size_t k = 1; k < n_kinds; k++)
		if (kinds[k].share > kinds[best].share)
			best = k;
	tp_format_seconds(time, sizeof(time), kinds[best].seconds);
	if (n == 1)
		tp_str_printf(&text, "%s is one phase: ", p->kernel);
	else
		tp_str_printf(&text,
			      "%s has %zu phases of %zu kinds; %s takes %s (%.0f %%): ", p->kernel,
			      n, n_kinds, kinds[best].letter, time, 100 * kinds[best].share);
	add_limit(&text, run, p->point, kinds[best].means);
	tp_str_add(&text, ".");
	tp_conclude_add(&conclusion->limits, "%s", tp_str_text(&text));
	/* The next one in length. */
	size_t next = n_kinds;
	for (size_t k = 0; k < n_kinds; k++)
		if (k != best && (next == n_kinds || kinds[k].share > kinds[next].share))
			next = k;
	if (next < n_kinds) {
		tp_str_clear(&text);
		tp_str_printf(&text, "%s, %.0f %%: ", kinds[next].letter, 100 * kinds[next].share);
		add_limit(&text, run, p->point, kinds[next].means);
		tp_str_add(&text, ".");
		tp_conclude_add(&conclusion->limits, "%s", tp_str_text(&text));
	}
	tp_str_release(&text);
	free(kinds);
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (tp_point_is_profile(&run->points[i]) && run->points[i].state == TP_POINT_DONE)
			conclude_point(run, &run->points[i], conclusion);
}

const struct tp_reporter tp_reporter_profile = {
	.experiment = "profile",
	.place = 37,
	.page = page_of_profiles,
	.conclude = conclude,
	.again = "profile.interval=10ms",
	.pictures = tp_profile_pictures,
};
