/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a step plot: those of its measurements, with what the learner expected in them.
 */
#include "lesson/say.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Axes whose values differ by more are read on a logarithmic scale. */
#define LOG_SPREAD 8.0
enum { GUESS_GLYPH = '?', GUESS_ROLE = TP_ROLE_SERIES_5 };

struct wall {
	const struct tp_player *player;
	const struct tp_lesson_step *step;
	const struct tp_gallery *gallery;
	size_t hung;
	bool failed;
};

/* --- what is where in a picture --- */

/* "GB/s" of "GB/s" and of "GB/s of one thread". */
static bool has_unit(const struct tp_scale *scale, const char *unit)
{
	size_t n = strlen(unit);
	const char *label = scale->label ? scale->label : "";
	if (strcmp(unit, "bytes") == 0)
		return scale->unit == TP_UNIT_BYTES;
	if (strcmp(unit, "FLOP/byte") == 0)
		return strcmp(label, "FLOP per byte") == 0;
	return n && scale->unit == TP_UNIT_PLAIN && strncmp(label, unit, n) == 0 &&
	       (!label[n] || strchr(" ,(", label[n]));
}

/* The ends of what is drawn along an axis. False where nothing is. */
static bool ends(const struct tp_picture *picture, bool along_x, double *least, double *most)
{
	const struct tp_scale *scale = along_x ? &picture->scene.x : &picture->scene.y;
	*least = INFINITY;
	*most = -INFINITY;
	for (size_t i = 0; i < picture->n_series; i++)
		for (size_t k = 0; k < picture->series[i].n; k++) {
			double value = (along_x ? picture->series[i].x : picture->series[i].y)[k];
			if (!isfinite(value) || (scale->kind != TP_SCALE_LINEAR && value <= 0))
				continue;
			*least = fmin(*least, value);
			*most = fmax(*most, value);
		}
	if (along_x && scale->min < scale->max) {
		*least = scale->min;
		*most = scale->max;
	}
	return *most > *least;
}

/* --- guesses --- */

static struct tp_series *dashes(struct tp_picture *picture, size_t n, double **x, double **y,
				const char *label)
{
	struct tp_series *s = tp_picture_series(picture, n, x, y);
	if (!s)
		return NULL;
	s->label = label;
	s->style = TP_STYLE_DASHED;
	s->role = (enum tp_plot_role)GUESS_ROLE;
	s->glyph = GUESS_GLYPH;
	*tp_picture_origin(picture, s) = (struct tp_origin){ .words = "what you expected" };
	return s;
}

static void draw_number(struct tp_picture *picture, const struct tp_question *q, double given)
{
	const struct tp_scene *scene = &picture->scene;
	double *x, *y, low, high, bottom, top;
	char value[64];
	const char *label = tp_picture_text(picture, "your guess: %s",
					    tp_lesson_format(value, sizeof(value), given, q->unit));
	if (!ends(picture, true, &low, &high) || !ends(picture, false, &bottom, &top))
		return;
	if (has_unit(&scene->x, q->unit)) {
		tp_picture_mark(picture, given, 0, false, label);
		return;
	}
	bool roofline = has_unit(&scene->x, "FLOP/byte") && has_unit(&scene->y, "GFLOP/s");
	if (has_unit(&scene->y, q->unit)) {
		if (!dashes(picture, 2, &x, &y, label))
			return;
		x[0] = low;
		x[1] = high;
		y[0] = y[1] = given;
	} else if (roofline && strcmp(q->unit, "GB/s") == 0) {
		if (!dashes(picture, 2, &x, &y, label))
			return;
		x[0] = low;
		x[1] = fmin(high, top / given);
		y[0] = given * x[0];
		y[1] = given * x[1];
	}
}

static void draw_curve(struct tp_picture *picture, const struct tp_question *q,
		       const struct tp_answer *answer)
{
	double *x, *y;
	if (!has_unit(&picture->scene.x, q->x_unit) || !has_unit(&picture->scene.y, q->unit))
		return;
	for (int dots = 0; dots <= 1; dots++) {
		struct tp_series *s = dashes(picture, q->n_x, &x, &y, dots ? "your guess" : NULL);
		if (!s)
			return;
		if (dots)
			s->style = TP_STYLE_DOTS;
		memcpy(x, q->x, q->n_x * sizeof(*x));
		memcpy(y, answer->y, q->n_x * sizeof(*y));
	}
}

/* An axis that was linear for what was measured may have to hold a guess far away. */
static void widen(struct tp_picture *picture)
{
	struct tp_scale *y = &picture->scene.y;
	double least, most;
	if (y->kind == TP_SCALE_LINEAR && y->unit == TP_UNIT_PLAIN && y->min == 0 && y->max == 0 &&
	    ends(picture, false, &least, &most) && least > 0 && most / least > LOG_SPREAD)
		y->kind = TP_SCALE_LOG10;
}

/* A narrow legend leaves out what stands last, so guesses stand first. */
static void put_first(struct tp_picture *picture, size_t before)
{
	struct tp_series series[TP_PICTURE_SERIES];
	struct tp_origin origins[TP_PICTURE_SERIES];
	size_t n = picture->n_series, guesses = n - before;
	for (size_t i = 0; i < n; i++) {
		size_t from = i < guesses ? before + i : i - guesses;
		series[i] = picture->series[from];
		origins[i] = picture->origins[from];
	}
	memcpy(picture->series, series, n * sizeof(*series));
	memcpy(picture->origins, origins, n * sizeof(*origins));
}

static void draw_guesses(const struct wall *wall, struct tp_picture *picture)
{
	size_t before = picture->n_series;
	for (size_t i = 0; i < wall->step->n_guesses; i++) {
		size_t at = wall->step->guesses[i];
		const struct tp_question *q = wall->player->lesson.steps[at].question;
		const struct tp_answer answer = tp_player_answer_of(wall->player, at);
		if (!q || !answer.there)
			continue;
		if (q->kind == TP_ASK_NUMBER && answer.given > 0)
			draw_number(picture, q, answer.given);
		else if (q->kind == TP_ASK_CURVE)
			draw_curve(picture, q, &answer);
	}
	if (picture->n_series == before)
		return;
	put_first(picture, before);
	widen(picture);
}

/* --- pictures --- */

/* A copy of the picture, whose parts stay the original's but for what is drawn over them. */
static void hang(void *context, const struct tp_picture *picture)
{
	struct wall *wall = context;
	wall->hung++;
	struct tp_picture *copy = wall->step->n_guesses ? malloc(sizeof(*copy)) : NULL;
	if (!copy) {
		wall->failed |= wall->step->n_guesses > 0;
		wall->gallery->hang(wall->gallery->context, picture);
		return;
	}
	*copy = *picture;
	copy->arena = (struct tp_arena){ 0 };
	draw_guesses(wall, copy);
	copy->scene.series = copy->series;
	copy->scene.n_series = copy->n_series;
	copy->scene.marks = copy->marks;
	copy->scene.n_marks = copy->n_marks;
	wall->gallery->hang(wall->gallery->context, copy);
	tp_picture_free(copy);
}

bool tp_lesson_pictures(const struct tp_player *player, size_t at, const struct tp_gallery *gallery)
{
	const struct tp_lesson_step *step = &player->lesson.steps[at];
	struct wall wall = { .player = player, .step = step, .gallery = gallery };
	struct tp_gallery over = *gallery;
	const struct tp_run *runs[TP_COUNT_OF(step->runs)];
	const char *names[TP_COUNT_OF(step->runs)];
	size_t n = 0;
	bool good = true;
	if (step->kind != TP_STEP_PLOT)
		return true;
	over.context = &wall;
	over.hang = hang;
	for (size_t i = 0; i < step->n_runs; i++) {
		const struct tp_run *run = player->runs[step->runs[i]];
		if (!run)
			continue;
		runs[n] = run;
		names[n++] = player->lesson.steps[step->runs[i]].name;
	}
	if (n > 1)
		good = tp_overlay_each(&(struct tp_overlay){ runs, names, n }, &over);
	/* Experiments without pictures of several runs show one after the other. */
	bool each = n == 1 || !wall.hung;
	for (size_t i = 0; i < n && good && each; i++)
		good = tp_picture_each(runs[i], &over);
	return good && !wall.failed;
}
