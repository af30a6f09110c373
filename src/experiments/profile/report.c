/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile in words (its reliability, its phases, its meters), and its strip charts. */
#include "experiments/profile/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "profile/meters.h"
#include "report/page.h"
#include "doc/text.h"

/* Points beyond the picture's columns of dots are averaged with their neighbours. */
enum { DRAWN = 800, LANES_MAX = 24, ROWS_OF_LANE = 3, FRAME_ROWS = 6, REGIONS_SHOWN = 6 };

/* A lane is 1 high, with some space to its neighbours. */
static const double LANE_HEIGHT = 0.8;

/* What rates of bytes and large counts are divided by, and the unit that is left. */
static double factor_of(const char *of, double most, const char **unit)
{
	static const struct {
		const char *unit, *units[4];
		double step;
	} scales[] = {
		{ "B/s", { "B/s", "kB/s", "MB/s", "GB/s" }, 1e3 },
		{ "B", { "B", "KiB", "MiB", "GiB" }, 1024 },
		{ "1/s", { "1/s", "k/s", "M/s", "G/s" }, 1e3 },
	};
	*unit = of;
	for (size_t i = 0; i < TP_COUNT_OF(scales); i++)
		if (strcmp(*unit, scales[i].unit) == 0) {
			size_t k = 0;
			double factor = 1;
			for (; k < 3 && most / factor >= scales[i].step; k++)
				factor *= scales[i].step;
			*unit = scales[i].units[k];
			return factor;
		}
	return 1;
}

static const char *value_in(const char *of, double value, char *out, size_t size)
{
	const char *unit;
	double factor = factor_of(of, fabs(value), &unit);
	if (!isfinite(value))
		snprintf(out, size, "-");
	else
		snprintf(out, size, "%.3g%s%s", value / factor, *unit ? " " : "", unit);
	return out;
}

const char *tp_profile_value(enum tp_meter_id id, double value, char *out, size_t size)
{
	return value_in(tp_meter_table[id].unit, value, out, size);
}

/* Events of PAPI have their own units. */
static const char *unit_of(const struct tp_profile_meter *meter, enum tp_meter_id id)
{
	const char *unit = tp_meter_table[id].unit;
	return !unit[0] && meter ? meter->unit : unit;
}

const char *tp_profile_value_of(const struct tp_run *run, const struct tp_point *point,
				enum tp_meter_id id, double value, char *out, size_t size)
{
	return value_in(unit_of(tp_profile_meter(run, point->point, id), id), value, out, size);
}

const char *tp_profile_number(double value, char *out, size_t size)
{
	if (isfinite(value))
		snprintf(out, size, "%.2f", value);
	else
		snprintf(out, size, "-");
	return out;
}

/* The highest reading of a meter, without the top percent if known. */
static double most_of(const struct tp_profile_sample *samples, size_t n, enum tp_meter_id id)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		if (isfinite(samples[i].values[id]))
			most = fmax(most, samples[i].values[id]);
	return most;
}

bool tp_profile_says(const struct tp_run *run, const struct tp_point *point, enum tp_meter_id id)
{
	const struct tp_profile_sample *samples;
	size_t n = tp_profile_samples(run, point->point, &samples);
	return most_of(samples, n, id) > 0;
}

/* Means of neighbours, as many as can be seen. */
static size_t reduced(const struct tp_profile_sample *samples, size_t n, enum tp_meter_id id,
		      double *x, double *y)
{
	size_t step = n / DRAWN + 1, made = 0;
	for (size_t i = 0; i < n; i += step) {
		double sum = 0, time = 0;
		size_t end = TP_MIN(i + step, n);
		for (size_t k = i; k < end; k++) {
			if (!isfinite(samples[k].values[id]))
				continue;
			sum += samples[k].values[id] * samples[k].seconds;
			time += samples[k].seconds;
		}
		if (!(time > 0))
			continue;
		x[made] = samples[end - 1].at_seconds -
			  (samples[end - 1].at_seconds - samples[i].at_seconds) / 2;
		y[made++] = sum / time;
	}
	return made;
}

/* Bands of the phases that are not of the first kind, as far as there is room for them. */
static void add_bands(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_point *point)
{
	const struct tp_profile_phase *phases;
	size_t n = tp_profile_phases(run, point->point, &phases), wanted = 0;
	for (size_t i = 0; i < n; i++)
		wanted += strcmp(phases[i].letter, "A") != 0;
	if (wanted > TP_PICTURE_MARKS)
		return;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(phases[i].letter, "A") == 0)
			continue;
		size_t before = picture->n_marks;
		tp_picture_mark(picture, phases[i].start_seconds, 0, false,
				tp_picture_text(picture, "%s", phases[i].letter));
		if (picture->n_marks > before)
			picture->marks[before].until = phases[i].start_seconds + phases[i].seconds;
	}
}

static void finish(struct tp_picture *picture, const struct tp_profile_sample *samples, size_t n)
{
	const struct tp_profile_sample *last = &samples[n - 1];
	const struct tp_scale time = { TP_SCALE_LINEAR, TP_UNIT_PLAIN,
				       samples[0].at_seconds - samples[0].seconds, last->at_seconds,
				       "s" };
	tp_picture_finish(picture, time, picture->scene.y);
}

/* --- all meters --- */

/* Letters as steps: A lowest. */
static bool add_letters(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_point *point, size_t lane)
{
	const struct tp_profile_phase *phases;
	size_t n = tp_profile_phases(run, point->point, &phases);
	double *x, *y, highest = 1;
	struct tp_series *s = n > 1 ? tp_picture_series(picture, 2 * n, &x, &y) : NULL;
	if (!s)
		return false;
	for (size_t i = 0; i < n; i++) {
		double level = phases[i].letter[1] ? 26 : phases[i].letter[0] - 'A';
		highest = fmax(highest, level);
		x[2 * i] = phases[i].start_seconds;
		x[2 * i + 1] = phases[i].start_seconds + phases[i].seconds;
		y[2 * i] = y[2 * i + 1] = level;
	}
	for (size_t i = 0; i < 2 * n; i++)
		y[i] = (double)lane - LANE_HEIGHT / 2 + LANE_HEIGHT * y[i] / highest;
	s->style = TP_STYLE_SOLID;
	s->role = TP_ROLE_MARK;
	s->glyph = '=';
	return true;
}

static void add_lane(struct tp_picture *picture, const struct tp_run *run,
		     const struct tp_point *point, enum tp_meter_id id, size_t lane)
{
	const struct tp_profile_sample *samples;
	size_t n = tp_profile_samples(run, point->point, &samples);
	double most = most_of(samples, n, id), *x, *y;
	struct tp_series *s = tp_picture_series(picture, TP_MIN(n, (size_t)DRAWN + 1), &x, &y);
	if (!s)
		return;
	s->n = reduced(samples, n, id, x, y);
	double highest = 0;
	for (size_t i = 0; i < s->n; i++)
		highest = fmax(highest, y[i]);
	/* The values, before they become heights of a lane. */
	const char **said = tp_arena_alloc(&picture->arena, (s->n + 1) * sizeof(*said));
	char value[48];
	for (size_t i = 0; i < s->n; i++)
		said[i] = tp_picture_text(picture, "%s %s", tp_meter_table[id].name,
					  tp_profile_value(id, s->y[i], value, sizeof(value)));
	tp_picture_origin(picture, s)->said = said;
	for (size_t i = 0; i < s->n; i++)
		y[i] = (double)lane - LANE_HEIGHT / 2 +
		       LANE_HEIGHT * fmax(0, y[i]) / (highest > 0 ? highest : most);
	s->style = TP_STYLE_SOLID;
	s->role = (enum tp_plot_role)(lane % 6);
	s->glyph = '*';
}

/* A region's bands: up while a thread is in it. */
static void add_region(struct tp_picture *picture, const struct tp_run *run,
		       const struct tp_point *point, const char *name, double until, size_t lane)
{
	const struct tp_profile_region *rows;
	size_t n = tp_profile_regions(run, point->point, &rows), made = 0;
	double low = (double)lane - LANE_HEIGHT / 2, high = low + LANE_HEIGHT, end = 0, *x, *y;
	struct tp_series *s = tp_picture_series(picture, 4 * n + 2, &x, &y);
	if (!s)
		return;
	x[made] = 0;
	y[made++] = low;
	for (size_t i = 0; i < n; i++) {
		double start = fmin(fmax(rows[i].start_seconds, 0), until);
		double stop = fmin(rows[i].start_seconds + rows[i].seconds, until);
		if (strcmp(rows[i].region, name) != 0 || stop <= end)
			continue;
		/* Threads that are in it at once make one band: the last edge goes. */
		if (made > 1 && start <= end) {
			made -= 2;
		} else {
			x[made] = x[made + 1] = start;
			y[made] = low;
			y[made + 1] = high;
			made += 2;
		}
		x[made] = x[made + 1] = end = stop;
		y[made] = high;
		y[made + 1] = low;
		made += 2;
	}
	x[made] = until;
	y[made++] = low;
	s->n = made;
	s->style = TP_STYLE_SOLID;
	s->role = TP_ROLE_MARK;
	s->glyph = '=';
}

const char *tp_profile_short(enum tp_meter_id id, char *out, size_t size)
{
	const char *name = tp_meter_table[id].name;
	size_t len = strlen(name);
	if (len > 6 && strcmp(name + len - 6, "_per_s") == 0)
		len -= 6;
	snprintf(out, size, "%.*s", (int)len, name);
	return out;
}

/* Those with most time that are shown, as many as fit. */
static size_t regions_of(const struct tp_run *run, const struct tp_point *point,
			 const struct tp_profile_shown *shown, size_t max,
			 struct tp_profile_region *regions)
{
	struct tp_profile_region all[LANES_MAX];
	size_t n = tp_profile_region_sums(run, point->point, all, LANES_MAX), kept = 0;
	for (size_t i = 0; i < n && kept < max; i++)
		if (!shown || shown->region(shown->context, all[i].region))
			regions[kept++] = all[i];
	return kept;
}

/* "cpus 1.98 CPUs", "compute 0.99 CPUs" */
static const char *lane_name(struct tp_picture *picture, const struct tp_run *run,
			     const struct tp_point *point, enum tp_meter_id id, double most)
{
	const struct tp_profile_meter *meter = tp_profile_meter(run, point->point, id);
	char value[48], about[20] = "";
	/* "ENERGY_UJ:ZONE0" of "powercap:::ENERGY_UJ:ZONE0" */
	const char *colons = meter ? strstr(meter->about, ":::") : NULL;
	const char *from = colons && colons[3] ? colons + 3 : meter ? meter->about : "";
	tp_shown(about, sizeof(about), from, strcspn(from, " "));
	if (!about[0])
		tp_profile_short(id, about, sizeof(about));
	return tp_picture_text(picture, "%.18s %s", about,
			       tp_profile_value_of(run, point, id, most, value, sizeof(value)));
}

bool tp_profile_lanes(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_point *point, const struct tp_profile_shown *shown,
		      size_t most)
{
	const struct tp_profile_sample *samples;
	const struct tp_profile_phase *phases;
	size_t n = tp_profile_samples(run, point->point, &samples), lanes = 0, left_out = 0;
	enum tp_meter_id drawn[LANES_MAX];
	char count[32];
	bool letters = tp_profile_phases(run, point->point, &phases) > 1;
	struct tp_profile_region regions[REGIONS_SHOWN];
	most = TP_MIN(TP_MAX(most, (size_t)2), (size_t)LANES_MAX) - letters;
	size_t n_regions =
		regions_of(run, point, shown, TP_MIN(most / 2, (size_t)REGIONS_SHOWN), regions);
	most -= n_regions;
	for (int m = 0; m < TP_METERS && n > 1; m++) {
		if (!(most_of(samples, n, (enum tp_meter_id)m) > 0) ||
		    (shown && !shown->meter(shown->context, (enum tp_meter_id)m)))
			continue;
		if (lanes < most)
			drawn[lanes++] = (enum tp_meter_id)m;
		else
			left_out++;
	}
	if (!lanes)
		return false;
	const char **names =
		tp_arena_alloc(&picture->arena, (lanes + n_regions + 1) * sizeof(*names));
	for (size_t k = 0; k < lanes; k++) {
		size_t lane = lanes - 1 - k;
		names[lane] =
			lane_name(picture, run, point, drawn[k], most_of(samples, n, drawn[k]));
		add_lane(picture, run, point, drawn[k], lane);
	}
	for (size_t k = n_regions; k-- > 0; lanes++) {
		names[lanes] = tp_picture_text(picture, "%.18s %.3g s", regions[k].region,
					       regions[k].seconds);
		add_region(picture, run, point, regions[k].region, samples[n - 1].at_seconds,
			   lanes);
	}
	if (letters && add_letters(picture, run, point, lanes))
		names[lanes++] = "phase";
	add_bands(picture, run, point);
	finish(picture, samples, n);
	picture->scene.y =
		(struct tp_scale){ TP_SCALE_LINEAR, TP_UNIT_NAMES, -0.5, (double)lanes - 0.5, "" };
	picture->scene.y_names = (struct tp_names){ names, lanes };
	picture->scene.title =
		tp_picture_text(picture, "%s over time, each from 0 to the most", point->kernel);
	picture->tall = true;
	if (left_out)
		picture->left_out = tp_picture_text(
			picture, "Left out: %s; profile.csv has all.",
			tp_text_count(count, sizeof(count), (unsigned)left_out, "meter"));
	return true;
}

/* --- one meter --- */

bool tp_profile_strip(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_point *point, enum tp_meter_id id)
{
	const struct tp_profile_sample *samples;
	const struct tp_profile_meter *meter = tp_profile_meter(run, point->point, id);
	size_t n = tp_profile_samples(run, point->point, &samples);
	double *x, *y, most = most_of(samples, n, id);
	const char *unit;
	double factor = factor_of(unit_of(meter, id), most, &unit);
	struct tp_series *s =
		n > 1 && most > 0 ? tp_picture_series(picture, TP_MIN(n, (size_t)DRAWN + 1), &x, &y)
				  : NULL;
	if (!s)
		return false;
	s->n = reduced(samples, n, id, x, y);
	for (size_t i = 0; i < s->n; i++)
		y[i] /= factor;
	s->style = TP_STYLE_SOLID;
	s->role = (enum tp_plot_role)(id % 6);
	s->glyph = '*';
	const struct tp_point **points =
		tp_arena_alloc(&picture->arena, (s->n + 1) * sizeof(const struct tp_point *));
	for (size_t i = 0; i < s->n; i++)
		points[i] = point;
	*tp_picture_origin(picture, s) = (struct tp_origin){ .reads = TP_READS_POINTS,
							     .points = points,
							     .words = tp_meter_table[id].counts };
	add_bands(picture, run, point);
	finish(picture, samples, n);
	picture->scene.y =
		(struct tp_scale){ TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 1.05 * most / factor, unit };
	picture->scene.title =
		meter && meter->about[0]
			? tp_picture_text(picture, "%s: %s", tp_meter_table[id].name, meter->about)
			: tp_picture_text(picture, "%s: %s", tp_meter_table[id].name,
					  tp_meter_table[id].counts);
	return true;
}

/* The lanes; where everything is shown, each meter as well. */
static void profile_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	size_t rows = gallery->rows > FRAME_ROWS ? gallery->rows - FRAME_ROWS : 1;
	TP_EACH_POINT (p, run) {
		if (!tp_point_is_profile(p) || p->state != TP_POINT_DONE)
			continue;
		for (int m = -1; m < TP_METERS; m++) {
			if (m >= 0 && gallery->brief)
				break;
			struct tp_picture *picture = tp_picture_new();
			tp_gallery_hang(
				gallery, picture,
				m < 0 ? tp_profile_lanes(picture, run, p, NULL, rows / ROWS_OF_LANE)
				      : tp_profile_strip(picture, run, p, (enum tp_meter_id)m));
		}
	}
}

enum { PHASES_SHOWN = 24, KINDS_MAX = 64 };

/* Above this share of the time the sampler is reported as a disturbance. */
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
	tp_str_add(out, ".");
}

/* --- the page --- */

static void show_trust(struct tp_page *page, const struct tp_point *p)
{
	const struct tp_profile_row *row = tp_profile_row(p);
	TP_STR text = { 0 };
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
	if (row->signal) {
		tp_str_add(&text, " The program ");
		tp_process_end_text((struct tp_process_end){ .signal = (int)row->signal }, &text);
		tp_str_add(&text, ".");
	} else if (row->exit_status) {
		tp_str_printf(&text, " The program ended with status %u.", row->exit_status);
	}
	tp_page_explain(page, tp_str_text(&text));
}

static const char *as_bytes(char *out, size_t size, double value)
{
	return tp_profile_value(TP_METER_RESIDENT, value, out, size);
}

static const char *as_rate(char *out, size_t size, double value)
{
	return tp_profile_value(TP_METER_READ, value, out, size);
}

static void code_cell(struct tp_grid *grid, const void *row, const void *page)
{
	const struct tp_profile_phase *phase = row;
	const struct tp_profile_meter *code =
		code_of(((const struct tp_page *)page)->run, phase->point, phase->means);
	tp_grid_text(grid, TP_PAINT_PLAIN, code ? code->about : "");
}

#define PHASE(name) TP_SHOWS(struct tp_profile_phase, name)
#define MEAN(id)    PHASE(means[TP_METER_##id])
#define FIXED	    .as = TP_AS_FIXED, .digits = 2
static const struct tp_grid_column phase_columns[] = {
	{ "phase", TP_LEFT, 0, PHASE(letter), .paint = TP_PAINT_STRONG },
	{ "start", TP_RIGHT, 0, PHASE(start_seconds), FIXED, .unit = " s" },
	{ "length", TP_RIGHT, 0, PHASE(seconds), FIXED, .unit = " s" },
	{ "CPUs", TP_RIGHT, 0, MEAN(CPUS), FIXED },
	{ "kernel", TP_RIGHT, 4, MEAN(SYSTEM), FIXED },
	{ "memory", TP_RIGHT, 5, MEAN(RESIDENT), .words = as_bytes },
	{ "faults/s", TP_RIGHT, 6, MEAN(MINOR_FAULTS), .as = TP_AS_DIGITS, .digits = 3 },
	{ "read", TP_RIGHT, 7, MEAN(READ), .words = as_rate },
	{ "written", TP_RIGHT, 8, MEAN(WRITTEN), .words = as_rate },
	{ "mostly in", TP_LEFT, 2, .cell = code_cell },
};

static void show_phases(struct tp_page *page, const struct tp_point *p)
{
	const struct tp_profile_phase *phases;
	size_t n = tp_profile_phases(page->run, p->point, &phases);
	if (!n)
		return;
	tp_page_title(page, "Phases", NULL);
	TP_GRID(grid, phase_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < n && (i < PHASES_SHOWN || page->look->full); i++) {
		tp_grid_row(&grid, &phases[i], page);
		tp_grid_about(&grid, &phases[i]);
	}
	tp_grid_write(&grid, page->doc);
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

static void share_cell(struct tp_grid *grid, const void *row, const void *point)
{
	const double whole = tp_profile_row(point)->time_seconds;
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%.0f %%",
		       whole > 0 ? 100 * ((const struct tp_profile_region *)row)->seconds / whole
				 : 0);
}

#define REGION(name) TP_SHOWS(struct tp_profile_region, name)
static const struct tp_grid_column region_columns[] = {
	{ "region", TP_LEFT, 0, REGION(region), .paint = TP_PAINT_STRONG },
	{ "entered", TP_RIGHT, 0, REGION(times) },
	{ "first at", TP_RIGHT, 0, REGION(start_seconds), FIXED, .unit = " s" },
	{ "time", TP_RIGHT, 0, REGION(seconds), .as = TP_AS_SECONDS },
	{ "share", TP_RIGHT, 0, .cell = share_cell },
};

static void show_regions(struct tp_page *page, const struct tp_point *p)
{
	struct tp_profile_region sums[PHASES_SHOWN];
	size_t n = tp_profile_region_sums(page->run, p->point, sums, PHASES_SHOWN);
	if (!n)
		return;
	tp_page_title(page, "Regions over time", NULL);
	TP_GRID(grid, region_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < n; i++)
		tp_grid_row(&grid, &sums[i], p);
	tp_grid_write(&grid, page->doc);
	tp_page_explain(page, "Times of all threads together; regions may lie in others. "
			      "profile_regions of run.json has when each began and ended.");
	if (tp_profile_row(p)->lost_marks > 0) {
		TP_STR words = { 0 };
		tp_str_printf(&words,
			      "%.0f entries and exits came after the first 65,536: they have no "
			      "bands, and are not in this table.",
			      tp_profile_row(p)->lost_marks);
		tp_page_explain(page, tp_str_text(&words));
	}
}

/* What is not there, and what would permit it; reasons that several share once. */
static void show_missing(struct tp_page *page, const struct tp_point *p)
{
	const struct tp_profile_meter *rows = tp_run_profile_meters(page->run);
	const char *last = "";
	for (size_t i = 0; i < tp_run_n_profile_meters(page->run); i++) {
		const struct tp_profile_meter *m = &rows[i];
		TP_STR words = { 0 };
		if (m->point != p->point || m->there || strcmp(m->why, last) == 0)
			continue;
		last = m->why;
		/* Some libraries end their words with a period. */
		size_t len = strlen(m->why), end = len && m->why[len - 1] == '.';
		tp_str_printf(&words, "No %s: %.*s%s%s.", m->about[0] ? m->about : m->name,
			      (int)(len - end), m->why, m->hint[0] ? "; " : "", m->hint);
		tp_page_explain(page, tp_str_text(&words));
	}
}

static void meter_cell(struct tp_grid *grid, const struct tp_profile_meter *m, double value)
{
	char text[48];
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     value_in(unit_of(m, (enum tp_meter_id)m->number), value, text, sizeof(text)));
}

static void mean_cell(struct tp_grid *grid, const void *row, const void *context)
{
	(void)context;
	meter_cell(grid, row, ((const struct tp_profile_meter *)row)->mean);
}

static void most_cell(struct tp_grid *grid, const void *row, const void *context)
{
	(void)context;
	meter_cell(grid, row, ((const struct tp_profile_meter *)row)->most);
}

static void about_cell(struct tp_grid *grid, const void *row, const void *context)
{
	const struct tp_profile_meter *m = row;
	(void)context;
	tp_grid_text(grid, TP_PAINT_PLAIN, m->about[0] ? m->about : m->counts);
}

static const struct tp_grid_column meter_columns[] = {
	{ "meter", TP_LEFT, 0, TP_SHOWS(struct tp_profile_meter, name), .paint = TP_PAINT_STRONG },
	{ "mean", TP_RIGHT, 0, .cell = mean_cell },
	{ "99 %", TP_RIGHT, 3, .cell = most_cell },
	{ "meaning", TP_LEFT, 0, .cell = about_cell },
};

static void show_meters(struct tp_page *page, const struct tp_point *p)
{
	const struct tp_profile_meter *rows = tp_run_profile_meters(page->run);
	tp_page_title(page, "Meters", NULL);
	TP_GRID(grid, meter_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < tp_run_n_profile_meters(page->run); i++) {
		const struct tp_profile_meter *m = &rows[i];
		if (m->point == p->point && m->there && (m->mean > 0 || page->look->full))
			tp_grid_row(&grid, m, page);
	}
	tp_grid_write(&grid, page->doc);
	show_missing(page, p);
}

static void page_of_profiles(struct tp_page *page)
{
	TP_EACH_POINT (p, page->run) {
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
	TP_FREE struct kind *kinds = tp_alloc(KINDS_MAX, sizeof(*kinds));
	TP_STR text = { 0 };
	char time[48];
	if (!n)
		return;
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
		tp_conclude_add(&conclusion->limits, "%s", tp_str_text(&text));
	}
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	TP_EACH_POINT (p, run) {
		if (tp_point_is_profile(p) && p->state == TP_POINT_DONE)
			conclude_point(run, p, conclusion);
	}
}

const struct tp_reporter tp_reporter_profile = {
	.experiment = "profile",
	.place = 37,
	.page = page_of_profiles,
	.conclude = conclude,
	.again = "profile.interval=10ms",
	.pictures = profile_pictures,
};
