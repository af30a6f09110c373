/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/report.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "report/facts.h"
#include "doc/html.h"
#include "doc/text.h"
#include "table/json.h"

/* Axes whose values differ by more are read on a logarithmic scale. */
#define LOG_SPREAD 8.0

enum { GUESS_GLYPH = '?', GUESS_ROLE = TP_ROLE_SERIES_5 };

struct wall {
	const struct tp_player *player;
	const struct tp_lesson_step *step;
	const struct tp_gallery *gallery;
	size_t hung;
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
	return n && (scale->unit == TP_UNIT_PLAIN || scale->unit == TP_UNIT_WHOLE) &&
	       strncmp(label, unit, n) == 0 && (!label[n] || strchr(" ,(", label[n]));
}

/* The extent of a drawing along an axis. False if it is empty. */
static bool find_ends(const struct tp_picture *picture, bool along_x, double *least, double *most)
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

static struct tp_series *add_dashes(struct tp_picture *picture, size_t n, double **x, double **y,
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
	if (!find_ends(picture, true, &low, &high) || !find_ends(picture, false, &bottom, &top))
		return;
	if (has_unit(&scene->x, q->unit)) {
		tp_picture_mark(picture, given, 0, false, label);
		return;
	}
	bool roofline = has_unit(&scene->x, "FLOP/byte") && has_unit(&scene->y, "GFLOP/s");
	bool level = has_unit(&scene->y, q->unit);
	if ((!level && !(roofline && strcmp(q->unit, "GB/s") == 0)) ||
	    !add_dashes(picture, 2, &x, &y, label))
		return;
	x[0] = low;
	x[1] = level ? high : fmin(high, top / given);
	for (int i = 0; i < 2; i++)
		y[i] = level ? given : given * x[i];
}

static void draw_curve(struct tp_picture *picture, const struct tp_question *q,
		       const struct tp_answer *answer)
{
	double *x, *y;
	if (!has_unit(&picture->scene.x, q->x_unit) || !has_unit(&picture->scene.y, q->unit))
		return;
	for (int dots = 0; dots <= 1; dots++) {
		struct tp_series *s =
			add_dashes(picture, q->n_x, &x, &y, dots ? "your guess" : NULL);
		if (!s)
			return;
		if (dots)
			s->style = TP_STYLE_DOTS;
		memcpy(x, q->x, q->n_x * sizeof(*x));
		memcpy(y, answer->y, q->n_x * sizeof(*y));
	}
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
	/* A narrow legend leaves out what stands last, so guesses stand first. */
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
	/* An axis that was linear for what was measured may have to hold a guess far away. */
	struct tp_scale *y = &picture->scene.y;
	double least, most;
	if (y->kind == TP_SCALE_LINEAR && y->unit == TP_UNIT_PLAIN && y->min == 0 && y->max == 0 &&
	    find_ends(picture, false, &least, &most) && least > 0 && most / least > LOG_SPREAD)
		y->kind = TP_SCALE_LOG10;
}

/* --- pictures --- */

/* A copy of the picture that shares its parts with the original, except for the overlay. */
static void hang_with_guesses(void *context, struct tp_picture *picture)
{
	struct wall *wall = context;
	wall->hung++;
	if (!wall->step->n_guesses) {
		wall->gallery->hang(wall->gallery->context, picture);
		return;
	}
	struct tp_picture *copy = tp_alloc(1, sizeof(*copy));
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

void tp_lesson_pictures(const struct tp_player *player, size_t at, const struct tp_gallery *gallery)
{
	const struct tp_lesson_step *step = &player->lesson.steps[at];
	struct wall wall = { .player = player, .step = step, .gallery = gallery };
	struct tp_gallery over = *gallery;
	const struct tp_run *runs[TP_COUNT_OF(step->runs)];
	const char *names[TP_COUNT_OF(step->runs)];
	size_t n = 0;
	if (step->kind != TP_STEP_PLOT)
		return;
	over.context = &wall;
	over.hang = hang_with_guesses;
	for (size_t i = 0; i < step->n_runs; i++) {
		const struct tp_run *run = player->runs[step->runs[i]];
		if (!run)
			continue;
		runs[n] = run;
		names[n++] = player->lesson.steps[step->runs[i]].name;
	}
	if (n > 1)
		tp_overlay_each(&(struct tp_overlay){ runs, names, n }, &over);
	/* Experiments without pictures of several runs show one after the other. */
	bool each = n == 1 || !wall.hung;
	for (size_t i = 0; i < n && each; i++)
		tp_picture_each(runs[i], &over);
}

/* --- prose --- */

/* --- asterisks --- */

static bool opens_words(const char *text, const char *at)
{
	bool apart = at == text || strchr(" (\"'", at[-1]);
	return apart && at[1] && !strchr(" *", at[1]);
}

static bool closes_words(const char *text, const char *at)
{
	return at > text && at[-1] != ' ' && !isalnum((unsigned char)at[1]) && at[1] != '*';
}

/* Where the words that stand out begin or end; NULL: no further ones. */
static const char *next_turn(const char *text, const char *at, bool strong)
{
	for (; (at = strchr(at, '*')); at++) {
		if (strong ? closes_words(text, at) : opens_words(text, at)) {
			const char *end = at + 1;
			while (!strong && (end = strchr(end, '*')) && !closes_words(text, end))
				end++;
			if (end)
				return at;
		}
	}
	return NULL;
}

/* --- words --- */

/* Words between asterisks stand out. */
static void add_paragraph(struct tp_text *doc, const char *text, size_t indent)
{
	bool turns = doc->look->colour || doc->look->html, strong = false;
	const char *at = text, *turn;
	while (turns && (turn = next_turn(text, at, strong))) {
		TP_FREE char *words = tp_strndup(at, (size_t)(turn - at));
		tp_text_flow(doc, strong ? TP_PAINT_STRONG : TP_PAINT_PLAIN, words);
		strong = !strong;
		at = turn + 1;
	}
	tp_text_wrap(doc, strong ? TP_PAINT_STRONG : TP_PAINT_PLAIN, at, indent, indent);
}

/* The end of a paragraph: a line of blanks, or the end of the text. */
static const char *paragraph_end(const char *text, const char **next)
{
	for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		const char *after = line + 1 + strspn(line + 1, " \t\r");
		if (*after == '\n' || !*after) {
			*next = after;
			return line;
		}
	}
	*next = text + strlen(text);
	return *next;
}

/* A step, or a whole lesson, being written. */
struct telling {
	const struct tp_player *player;
	struct tp_text *doc;
	size_t before; /* where the step begins in `doc` */
	bool blank; /* a handout: without values, answers, pictures and explanations */
};

/*
 * Adds paragraphs, a blank line between them. *Words* between asterisks stand out where the look
 * can show that; else the asterisks stay. Lines are indented by `indent`; the first one stands
 * there already.
 */
static void add_prose(const struct telling *t, const char *text, size_t indent)
{
	for (bool first = true; *(text += strspn(text, " \t\r\n")); first = false) {
		const char *next, *end = paragraph_end(text, &next);
		TP_STR raw = { 0 }, clean = { 0 };
		if (!first) {
			tp_text_gap(t->doc);
			tp_text_indent(t->doc, indent);
		}
		tp_str_add_n(&raw, text, (size_t)(end - text));
		tp_text_clean(&clean, tp_str_text(&raw), t->doc->look);
		add_paragraph(t->doc, tp_str_text(&clean), indent);
		text = next;
	}
}

/* One paragraph of plain words, painted. */
static void add_prose_line(const struct telling *t, enum tp_paint paint, const char *text)
{
	TP_STR clean = { 0 };
	tp_text_clean(&clean, text, t->doc->look);
	tp_text_wrap(t->doc, paint, tp_str_text(&clean), 0, 0);
}

static void add_filled(const struct telling *t, const struct tp_quoted *text, size_t indent)
{
	const struct tp_lesson_state state = tp_player_state(t->player);
	TP_STR words = { 0 };
	if (t->blank)
		tp_lesson_blank(text, &words);
	else
		tp_lesson_fill(&state, text, &words);
	add_prose(t, tp_str_text(&words), indent);
}

/* A paragraph after others of the same step. */
static void gap_behind(const struct telling *t)
{
	if (t->doc->n > t->before)
		tp_text_gap(t->doc);
}

static void add_line(const struct telling *t, enum tp_paint paint, const struct tp_str *text)
{
	gap_behind(t);
	add_prose_line(t, paint, tp_str_text(text));
}

/* --- questions --- */

/* The right choice, from 1; 0 if none is, or nothing was measured. */
static size_t right_choice(const struct tp_player *player, const struct tp_question *q)
{
	const struct tp_lesson_state state = tp_player_state(player);
	for (size_t i = 0; i < q->n_choices; i++)
		if (tp_lesson_holds(&state, q->choices[i].when))
			return i + 1;
	return 0;
}

static void add_choices(const struct telling *t, const struct tp_question *q)
{
	char number[32];
	tp_text_gap(t->doc);
	for (size_t i = 0; i < q->n_choices; i++) {
		snprintf(number, sizeof(number), "  %zu  ", i + 1);
		tp_text_run(t->doc, t->doc->look->html ? TP_PAINT_STRONG : TP_PAINT_PLAIN, number);
		add_filled(t, &q->choices[i].text, strlen(number));
	}
}

/* A factor in words: "1.6", "25". */
static const char *factor_text(char out[32], double factor)
{
	snprintf(out, 32, factor < 9.95 ? "%.2g" : "%.0f", factor);
	return out;
}

/* The kinder half of a judgement. */
static const char *kind_words(double factor)
{
	static const struct {
		double up_to;
		const char *words;
	} rows[] = {
		{ 1.1, "Spot on." },
		{ 1.6, "Close." },
		{ 3.2, "Not far: it is the right order of magnitude." },
		{ 10, "Within a factor of ten. Now you have a number to remember." },
		{ INFINITY, "A surprise, so this one is worth remembering." },
	};
	size_t i = 0;
	while (i + 1 < TP_COUNT_OF(rows) && !(factor <= rows[i].up_to))
		i++;
	return rows[i].words;
}

/* For an answer that cannot be compared with anything. */
static const char *no_truth(const struct tp_player *player, bool check)
{
	for (size_t i = 0; i < player->lesson.n_steps; i++)
		if (player->lesson.steps[i].kind == TP_STEP_MEASURE && !player->runs[i])
			return check ? "What it has to be compared with was not measured."
				     : "The measurement will show.";
	return "What was measured on this machine does not decide it.";
}

static void number_words(const struct tp_question *q, const struct tp_answer *a, bool check,
			 const char *open, struct tp_str *out)
{
	char given[64], truth[64], factor[32];
	tp_lesson_format(given, sizeof(given), a->given, q->unit);
	tp_lesson_format(truth, sizeof(truth), a->truth, q->unit);
	if (!isfinite(a->truth))
		tp_str_printf(out, "You said %s. %s", given, open);
	else if (check && !a->right)
		tp_str_printf(out, "You said %s. That is too %s. Try again.", given,
			      a->given > a->truth ? "large" : "small");
	else if (check)
		tp_str_printf(out, "Right. You said %s; it is %s.", given, truth);
	else if (isfinite(a->factor) && a->factor < 1.005)
		tp_str_printf(out, "You said %s, and that is right.", given);
	else if (isfinite(a->factor))
		tp_str_printf(out, "You said %s; it is %s: off by a factor of %s. %s", given, truth,
			      factor_text(factor, a->factor), kind_words(a->factor));
	else
		tp_str_printf(out, "You said %s; it is %s.", given, truth);
}

static void add_judgement(const struct telling *t, size_t at)
{
	const struct tp_lesson_step *step = &t->player->lesson.steps[at];
	const struct tp_question *q = step->question;
	const struct tp_answer a = tp_player_answer_of(t->player, at);
	TP_STR text = { 0 };
	char factor[32];
	bool check = step->kind == TP_STEP_CHECK, judged = tp_player_is_judged(t->player, at);
	const char *open = no_truth(t->player, check);
	switch (q->kind) {
	case TP_ASK_NUMBER:
		number_words(q, &a, check, open, &text);
		break;
	case TP_ASK_CHOICE:
		tp_str_printf(&text, "You chose %u", (unsigned)a.given);
		if (judged && !a.right && !check)
			tp_str_printf(&text, "; here it is %zu.",
				      a.truth >= 1 ? (size_t)a.truth : 0);
		else
			tp_str_printf(&text, ". %s",
				      !judged	? open
				      : a.right ? "That is right."
						: "That is not it. Try again.");
		break;
	case TP_ASK_CURVE:
		if (isfinite(a.factor))
			tp_str_printf(&text,
				      "Half of your curve is within a factor of %s of what was "
				      "measured. %s",
				      factor_text(factor, a.factor), kind_words(a.factor));
		else
			tp_str_printf(&text, "Your curve is drawn. %s", open);
		break;
	}
	add_line(t, judged && a.right ? TP_PAINT_GOOD : TP_PAINT_STRONG, &text);
	if (check && judged && !a.right && q->hint.n) {
		tp_text_gap(t->doc);
		add_filled(t, &q->hint, 0);
	}
}

/* --- room to write and to draw --- */

static void add_ruled_lines(const struct telling *t, size_t n)
{
	char line[64 + 1];
	memset(line, '_', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	for (size_t i = 0; i < n; i++) {
		tp_text_gap(t->doc);
		add_prose_line(t, TP_PAINT_PLAIN, line);
	}
}

/* Axes with a grid of decades; lines where nothing can be drawn. */
static void add_frame(const struct telling *t)
{
	enum { LEFT = 30, TOP = 8, CELL = 60, COLUMNS = 10, ROWS = 4 };
	TP_STR svg = { 0 };
	if (!t->doc->look->html) {
		add_ruled_lines(t, ROWS);
		return;
	}
	tp_str_printf(&svg,
		      "<figure><svg width=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
		      "aria-label=\"room to draw\"><g fill=\"none\" stroke=\"currentColor\">"
		      "<path d=\"M%d %dv%dh%d\"/><path stroke-opacity=\".25\" d=\"",
		      LEFT + COLUMNS * CELL, LEFT + COLUMNS * CELL, 2 * TOP + ROWS * CELL, LEFT,
		      TOP, ROWS * CELL, COLUMNS * CELL - 1);
	for (int i = 1; i < COLUMNS; i++)
		tp_str_printf(&svg, "M%d %dv%d", LEFT + i * CELL, TOP, ROWS * CELL);
	for (int i = 0; i < ROWS; i++)
		tp_str_printf(&svg, "M%d %dh%d", LEFT, TOP + i * CELL, COLUMNS * CELL);
	tp_str_add(&svg, "\"/></g></svg></figure>\n");
	tp_text_verbatim(t->doc, tp_str_text(&svg));
}

/* Of a handout: where the answer is written or drawn. */
static void add_room(const struct telling *t, const struct tp_lesson_step *step)
{
	const struct tp_question *q = step->question;
	TP_STR text = { 0 };
	char low[64], high[64], least[64], most[64];
	if (q->kind == TP_ASK_CURVE) {
		tp_str_printf(&text, "Draw %s to %s over %s to %s, both logarithmic:",
			      tp_lesson_format(low, sizeof(low), q->from, q->unit),
			      tp_lesson_format(high, sizeof(high), q->to, q->unit),
			      tp_lesson_format(least, sizeof(least), q->x[0], q->x_unit),
			      tp_lesson_format(most, sizeof(most), q->x[q->n_x - 1], q->x_unit));
	} else {
		tp_str_add(&text, step->kind == TP_STEP_CHECK ? "Answer: " : "Your guess: ");
		tp_lesson_room(q->unit, &text);
	}
	add_line(t, TP_PAINT_STRONG, &text);
	if (q->kind == TP_ASK_CURVE)
		add_frame(t);
}

/* --- other steps --- */

static void add_measurement(const struct telling *t, size_t at)
{
	static const enum tp_paint paints[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = TP_PAINT_PLAIN,
		[TP_QUALITY_GOOD] = TP_PAINT_PLAIN,
		[TP_QUALITY_FAIR] = TP_PAINT_WARN,
		[TP_QUALITY_POOR] = TP_PAINT_BAD,
	};
	const struct tp_lesson_step *step = &t->player->lesson.steps[at];
	const struct tp_run *run = t->player->runs[at];
	TP_STR text = { 0 };
	char seconds[48];
	enum tp_paint paint = TP_PAINT_DIM;
	if (run) {
		tp_trust_words(run, &text);
		paint = paints[tp_trust_of(run).quality];
	} else if (step->seconds > 0) {
		tp_str_printf(&text, "This takes about %s.",
			      tp_format_seconds(seconds, sizeof(seconds), step->seconds));
	}
	if (text.len)
		add_line(t, paint, &text);
}

static void add_explanation(const struct telling *t, size_t at)
{
	const struct tp_lesson_state state = tp_player_state(t->player);
	const struct tp_variant *variant = tp_lesson_variant(&state, &t->player->lesson.steps[at]);
	TP_STR text = { 0 };
	if (variant) {
		gap_behind(t);
		add_filled(t, &variant->text, 0);
		return;
	}
	/* Why no explanation holds. */
	bool missing = false, poor = false;
	for (size_t i = 0; i < at; i++) {
		if (t->player->lesson.steps[i].kind != TP_STEP_MEASURE)
			continue;
		missing |= !t->player->runs[i];
		poor |= t->player->runs[i] &&
			tp_trust_of(t->player->runs[i]).quality == TP_QUALITY_POOR;
	}
	tp_str_add(
		&text,
		missing ? "What this explains was not measured yet. Go back to the "
			  "measurement first."
		: poor	? "The machine was too busy to show anything that could be "
			  "explained. Measure again when it is quieter."
			: "No explanation of this lesson fits the measurement, so it gives none.");
	add_line(t, TP_PAINT_WARN, &text);
}

static void say_step(const struct telling *t, size_t at)
{
	const struct tp_lesson_step *step = &t->player->lesson.steps[at];
	TP_STR next = { 0 };
	add_filled(t, &step->text, 0);
	switch (step->kind) {
	case TP_STEP_PREDICT:
	case TP_STEP_CHECK:
		gap_behind(t);
		add_filled(t, &step->question->text, 0);
		if (step->question->kind == TP_ASK_CHOICE)
			add_choices(t, step->question);
		if (t->blank)
			add_room(t, step);
		else if (tp_player_answer_of(t->player, at).there)
			add_judgement(t, at);
		break;
	case TP_STEP_MEASURE:
		add_measurement(t, at);
		break;
	case TP_STEP_PLOT:
		if (t->blank)
			add_frame(t);
		break;
	case TP_STEP_EXPLAIN:
		if (t->blank) {
			gap_behind(t);
			add_prose_line(t, TP_PAINT_STRONG, "What do you see, and why?");
			add_ruled_lines(t, 4);
		} else {
			add_explanation(t, at);
		}
		break;
	case TP_STEP_TRY:
		if (t->blank)
			add_ruled_lines(t, 2);
		break;
	case TP_STEP_NEXT:
		tp_str_printf(&next,
			      step->next ? "Next lesson: %s" : "This is the end of the course.",
			      step->next);
		add_line(t, TP_PAINT_STRONG, &next);
		break;
	default:
		break;
	}
}

void tp_lesson_say(const struct tp_player *player, size_t at, struct tp_text *doc)
{
	const struct telling t = { .player = player, .doc = doc, .before = doc->n };
	say_step(&t, at);
}

const char *tp_lesson_ask(const struct tp_player *player)
{
	const struct tp_lesson_step *step = tp_player_step(player);
	switch (tp_player_waits(player)) {
	case TP_WAITS_ANSWER:
		return step->question->kind == TP_ASK_NUMBER   ? "type a number"
		       : step->question->kind == TP_ASK_CHOICE ? "choose one of them by its number"
							       : "draw the curve with the cursor";
	case TP_WAITS_MEASUREMENT:
		return "measure this step";
	case TP_WAITS_NOTHING:
		break;
	}
	return step->kind == TP_STEP_NEXT ? "the lesson is done" : "go on";
}

/* --- the head --- */

static const struct tp_run *any_run(const struct tp_player *player)
{
	for (size_t i = player->lesson.n_steps; i--;)
		if (tp_trust_counts(player->runs, player->lesson.n_steps, i))
			return player->runs[i];
	return NULL;
}

/* "Example CPU 9000, node7, 2026-11-23T22:40:00Z, simulated: zen4, quiet" */
static void add_machine(const struct telling *t)
{
	static const char *const facts[] = { "machine.cpu", "machine.hostname", "started" };
	const struct tp_run *run = any_run(t->player);
	TP_STR text = { 0 };
	char simulated[TP_SIMULATED_BYTES + 16];
	if (!run)
		return;
	for (size_t i = 0; i < TP_COUNT_OF(facts); i++)
		if (*tp_fact_text(run, facts[i]))
			tp_str_printf(&text, "%s%s", text.len ? ", " : "",
				      tp_fact_text(run, facts[i]));
	if (*tp_fact_simulated(run, simulated, sizeof(simulated)))
		tp_str_printf(&text, "%s%s", text.len ? ", " : "", simulated);
	if (text.len)
		add_prose_line(t, TP_PAINT_DIM, tp_str_text(&text));
}

/* Over all measurements; the quality is the worst one's. */
static struct tp_trust trust_of_all(const struct tp_player *player)
{
	struct tp_trust all = { 0 };
	for (size_t i = 0; i < player->lesson.n_steps; i++) {
		if (!tp_trust_counts(player->runs, player->lesson.n_steps, i))
			continue;
		const struct tp_trust t = tp_trust_of(player->runs[i]);
		all.points += t.points;
		all.good += t.good;
		all.fair += t.fair;
		all.poor += t.poor;
		all.quality = TP_MAX(all.quality, t.quality);
	}
	return all;
}

/* How quiet the machine was, over all measurements. */
static void add_noise(const struct telling *t)
{
	static const enum tp_paint paints[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = TP_PAINT_PLAIN,
		[TP_QUALITY_GOOD] = TP_PAINT_GOOD,
		[TP_QUALITY_FAIR] = TP_PAINT_WARN,
		[TP_QUALITY_POOR] = TP_PAINT_BAD,
	};
	static const char *const words[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = "How quiet the machine was is unknown.",
		[TP_QUALITY_GOOD] = "The machine was quiet enough for this lesson.",
		[TP_QUALITY_FAIR] = "The machine was not always quiet: small differences mean "
				    "nothing.",
		[TP_QUALITY_POOR] = "The machine was too busy for part of this lesson.",
	};
	const struct tp_trust trust = trust_of_all(t->player);
	TP_STR text = { 0 };
	if (!any_run(t->player))
		return;
	tp_str_printf(&text, "%s Points: %zu, of which %zu good, %zu fair, %zu poor.",
		      words[trust.quality], trust.points, trust.good, trust.fair, trust.poor);
	add_prose_line(t, paints[trust.quality], tp_str_text(&text));
}

/* --- steps --- */

/* The truth, for an unanswered question. */
static void add_answer(const struct telling *t, size_t at)
{
	const struct tp_question *q = t->player->lesson.steps[at].question;
	const struct tp_lesson_state state = tp_player_state(t->player);
	TP_STR text = { 0 };
	char value[64];
	double truth;
	switch (q->kind) {
	case TP_ASK_NUMBER:
		if (tp_lesson_compute(&state, q->truth, &truth))
			tp_str_printf(&text, "Answer: %s",
				      tp_lesson_format(value, sizeof(value), truth, q->unit));
		break;
	case TP_ASK_CHOICE:
		if (right_choice(t->player, q))
			tp_str_printf(&text, "Answer: %zu", right_choice(t->player, q));
		break;
	case TP_ASK_CURVE:
		tp_str_add(&text, "The answer is the curve that was measured.");
		break;
	}
	if (!text.len)
		tp_str_add(&text, "This machine gave no answer to it.");
	tp_text_gap(t->doc);
	add_prose_line(t, TP_PAINT_STRONG, tp_str_text(&text));
}

struct plot {
	const struct tp_player *player;
	size_t step;
};

static void pictures_of(const void *what, const struct tp_gallery *gallery)
{
	const struct plot *plot = what;
	tp_lesson_pictures(plot->player, plot->step, gallery);
}

static void add_step(struct telling *t, size_t at)
{
	static const char *const heads[TP_STEP_KIND_COUNT] = {
		[TP_STEP_PREDICT] = "Question",	 [TP_STEP_MEASURE] = "Measurement",
		[TP_STEP_PLOT] = "Picture",	 [TP_STEP_EXPLAIN] = "Explanation",
		[TP_STEP_CHECK] = "Check",	 [TP_STEP_TRY] = "To try",
		[TP_STEP_NEXT] = "How to go on",
	};
	const struct tp_lesson_step *s = &t->player->lesson.steps[at];
	char text[64];
	snprintf(text, sizeof(text), "%zu. %s", at + 1, heads[s->kind] ? heads[s->kind] : "Text");
	if (t->doc->look->html)
		tp_text_title(t->doc, text);
	else
		tp_text_head(t->doc, text);
	t->before = t->doc->n;
	say_step(t, at);
	if (t->blank)
		return;
	if (s->question && !tp_player_answer_of(t->player, at).there)
		add_answer(t, at);
	if (s->kind == TP_STEP_PLOT) {
		const struct plot plot = { t->player, at };
		bool any = false;

		for (size_t i = 0; i < s->n_runs; i++)
			any |= t->player->runs[s->runs[i]] != NULL;
		if (any)
			tp_pictures_text(pictures_of, &plot,
					 s->n_runs == 1 ? t->player->runs[s->runs[0]] : NULL,
					 t->doc);
	}
}

/* --- glossary --- */

struct terms {
	struct term {
		const char *name, *meaning;
	} * items;
	size_t n, cap;
	struct tp_arena arena; /* of the words */
};

static void add_terms(struct terms *terms, const struct tp_lesson *lesson)
{
	for (size_t i = 0; i < lesson->n_terms; i++) {
		const struct tp_lesson_term *term = &lesson->terms[i];
		size_t k = 0;
		while (k < terms->n && strcmp(terms->items[k].name, term->name) != 0)
			k++;
		if (k < terms->n)
			continue;
		TP_RESERVE(terms->items, terms->cap, k + 1);
		terms->items[terms->n++] =
			(struct term){ tp_arena_strdup(&terms->arena, term->name),
				       tp_arena_strdup(&terms->arena, term->meaning) };
	}
}

static int by_name(const void *a, const void *b)
{
	return strcasecmp(((const struct term *)a)->name, ((const struct term *)b)->name);
}

/* Writes them by name, and releases them. */
static void write_terms(struct terms *terms, struct tp_text *doc)
{
	TP_STR text = { 0 };
	if (terms->n)
		qsort(terms->items, terms->n, sizeof(*terms->items), by_name);
	for (size_t i = 0; i < terms->n; i++) {
		tp_str_clear(&text);
		tp_text_clean(&text, terms->items[i].name, doc->look);
		tp_text_run(doc, TP_PAINT_STRONG, tp_str_text(&text));
		size_t used = tp_text_columns(tp_str_text(&text));
		tp_str_clear(&text);
		tp_text_clean(&text, terms->items[i].meaning, doc->look);
		tp_text_run(doc, TP_PAINT_PLAIN, ": ");
		tp_text_wrap(doc, TP_PAINT_PLAIN, tp_str_text(&text), used + 2, 2);
	}
	free(terms->items);
	tp_arena_release(&terms->arena);
}

void tp_lesson_glossary(const struct tp_player *player, struct tp_text *doc)
{
	struct terms terms = { 0 };
	TP_FREE struct tp_named_file *entries = NULL;
	size_t n = 0;
	/* A term has the meaning of the current lesson, not of an earlier one. */
	add_terms(&terms, &player->lesson);
	tp_lesson_entries(&entries, &n, NULL);
	for (size_t i = 0; i < n; i++) {
		struct tp_lesson before;
		TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
		if (strcmp(entries[i].name, player->lesson.name) >= 0)
			continue;
		if (tp_lesson_load(&before, entries[i].path, NULL, &diags) == TP_OK) {
			add_terms(&terms, &before);
			tp_lesson_release(&before);
		}
	}
	write_terms(&terms, doc);
}

/* --- the report --- */

static void tell_lesson(struct telling *t)
{
	const struct tp_player *player = t->player;
	struct tp_text *doc = t->doc;
	struct terms terms = { 0 };
	const struct tp_lesson *lesson = &player->lesson;
	/* The page has the title already. */
	if (!doc->look->html)
		tp_text_title(doc, lesson->title);
	if (lesson->summary)
		add_prose_line(t, TP_PAINT_PLAIN, lesson->summary);
	if (t->blank) {
		tp_text_gap(doc);
		add_prose_line(t, TP_PAINT_PLAIN,
			       "Name: ____________________ Machine: ____________________");
	}
	add_machine(t);
	add_noise(t);
	if (lesson->after && lesson->after[0]) {
		tp_text_gap(doc);
		add_prose_line(t, TP_PAINT_PLAIN, "Afterwards:");
		for (size_t i = 0; lesson->after[i]; i++)
			tp_text_item(doc, TP_PAINT_PLAIN, lesson->after[i]);
	}
	for (size_t i = 0; i < player->lesson.n_steps; i++)
		add_step(t, i);
	if (player->lesson.n_terms) {
		tp_text_title(doc, "Words of this lesson");
		add_terms(&terms, &player->lesson);
		write_terms(&terms, doc);
	}
}

void tp_lesson_report(const struct tp_player *player, struct tp_text *doc)
{
	tell_lesson(&(struct telling){ .player = player, .doc = doc });
}

void tp_lesson_handout(const struct tp_player *player, struct tp_text *doc)
{
	tell_lesson(&(struct telling){ .player = player, .doc = doc, .blank = true });
}

static const char description[] = "A lesson of tprof, with what was measured on one machine.";

static void make_page(const struct tp_player *player, const char *about,
		      void (*tell)(const struct tp_player *, struct tp_text *), struct tp_str *out)
{
	const struct tp_html_page page = { .title = player->lesson.title,
					   .subtitle = player->lesson.name,
					   .description = about };
	TP_TEXT(body, &tp_html_look);
	tell(player, &body);
	tp_html_page_make(&page, &body, out);
}

void tp_lesson_html(const struct tp_player *player, struct tp_str *out)
{
	make_page(player, description, tp_lesson_report, out);
}

void tp_lesson_handout_html(const struct tp_player *player, struct tp_str *out)
{
	make_page(player, "A lesson of tprof, to be filled in.", tp_lesson_handout, out);
}

static void all_pictures(const void *what, const struct tp_gallery *gallery)
{
	const struct tp_player *player = what;
	for (size_t i = 0; i < player->lesson.n_steps; i++)
		tp_lesson_pictures(player, i, gallery);
}

void tp_lesson_svg(const struct tp_player *player, struct tp_str *out)
{
	const char *lines[] = { player->lesson.summary ? player->lesson.summary : "" };
	const struct tp_svg_sheet sheet = { .title = player->lesson.title,
					    .description = description,
					    .lines = lines,
					    .n_lines = player->lesson.summary ? 1 : 0,
					    .pictures = all_pictures,
					    .what = player };
	tp_svg_sheet_make(&sheet, TP_SVG_AUTO, out);
}

static void put_filled(json_t *object, const char *key, const struct tp_lesson_state *state,
		       const struct tp_quoted *text)
{
	TP_STR words = { 0 };
	tp_lesson_fill(state, text, &words);
	if (words.len)
		tp_json_set(object, key, tp_json_text(tp_str_text(&words)));
}

static json_t *truth_of(const struct tp_lesson_state *state, const struct tp_expression *truth)
{
	double value;
	return truth && tp_lesson_compute(state, truth, &value) ? tp_json_real(value) : json_null();
}

static void put_question(json_t *object, const struct tp_player *player, size_t at)
{
	const struct tp_lesson_state state = tp_player_state(player);
	const struct tp_question *q = player->lesson.steps[at].question;
	const struct tp_answer answer = tp_player_answer_of(player, at);
	tp_json_set(object, "ask", tp_json_text(tp_lesson_ask_name(q->kind)));
	put_filled(object, "question", &state, &q->text);
	if (q->kind == TP_ASK_CHOICE) {
		json_t *choices = json_array();
		for (size_t i = 0; i < q->n_choices; i++) {
			TP_STR words = { 0 };
			tp_lesson_fill(&state, &q->choices[i].text, &words);
			tp_json_append(choices, tp_json_text(tp_str_text(&words)));
		}
		tp_json_set(object, "choices", choices);
		size_t right = right_choice(player, q);
		tp_json_set(object, "truth", right ? json_integer((json_int_t)right) : json_null());
	} else {
		tp_json_set(object, "unit", tp_json_text(q->unit ? q->unit : ""));
		tp_json_set(object, "truth",
			    q->kind == TP_ASK_NUMBER ? truth_of(&state, q->truth) : json_null());
	}
	if (answer.there) {
		tp_json_set(object, "given", tp_json_real(answer.given));
		tp_json_set(object, "factor", tp_json_real(answer.factor));
		tp_json_set(object, "right", json_boolean(answer.right));
	}
}

static json_t *step_json(const struct tp_player *player, size_t at)
{
	const struct tp_lesson_step *step = &player->lesson.steps[at];
	const struct tp_lesson_state state = tp_player_state(player);
	json_t *object = json_object();
	tp_json_set(object, "step", json_integer((json_int_t)at + 1));
	tp_json_set(object, "kind", tp_json_text(tp_step_kind_name(step->kind)));
	if (step->name && *step->name)
		tp_json_set(object, "name", tp_json_text(step->name));
	put_filled(object, "text", &state, &step->text);
	if (step->question)
		put_question(object, player, at);
	if (player->runs[at]) {
		const struct tp_run *run = player->runs[at];
		const struct tp_trust t = tp_trust_of(run);

		tp_json_set(object, "run", tp_json_text(run->called));
		tp_json_set(object, "state", tp_json_text(run->state));
		tp_json_set(object, "points", json_integer((json_int_t)t.points));
		tp_json_set(object, "good", json_integer((json_int_t)t.good));
		tp_json_set(object, "fair", json_integer((json_int_t)t.fair));
		tp_json_set(object, "poor", json_integer((json_int_t)t.poor));
		tp_json_set(object, "trust", tp_json_text(tp_quality_name(t.quality)));
		tp_json_set(object, "seconds", tp_json_real(run->wall_seconds));
	}
	if (step->kind == TP_STEP_EXPLAIN) {
		const struct tp_variant *variant = tp_lesson_variant(&state, step);
		tp_json_set(object, "variants", json_integer((json_int_t)step->n_variants));
		tp_json_set(object, "shown",
			    variant ? json_integer(variant - step->variants + 1) : json_null());
		if (variant)
			put_filled(object, "explanation", &state, &variant->text);
	}
	if (step->kind == TP_STEP_NEXT)
		tp_json_set(object, "next", step->next ? tp_json_text(step->next) : json_null());
	return object;
}

void tp_lesson_json(const struct tp_player *player, struct tp_str *out)
{
	const struct tp_lesson *lesson = &player->lesson;
	const struct tp_trust t = trust_of_all(player);
	const struct tp_lesson_state s = tp_player_state(player);
	json_t *root = json_object(), *steps = json_array(), *values = json_object();
	bool simulated = false;
	char words[TP_SIMULATED_BYTES + 16];
	const char *cpu = "";
	for (size_t i = 0; i < lesson->n_steps; i++) {
		tp_json_append(steps, step_json(player, i));
		if (!tp_trust_counts(player->runs, lesson->n_steps, i))
			continue;
		simulated |= *tp_fact_simulated(player->runs[i], words, sizeof(words)) != '\0';
		cpu = tp_fact_text(player->runs[i], "machine.cpu");
	}
	for (size_t i = 0; i < lesson->n_values; i++) {
		const struct tp_lesson_value *v = &lesson->values[i];
		json_t *value = json_object();
		tp_json_set(value, "value", truth_of(&s, v->value));
		tp_json_set(value, "unit", tp_json_text(v->unit ? v->unit : ""));
		tp_json_set(values, v->name, value);
	}
	tp_json_set(root, "lesson", tp_json_text(lesson->name));
	tp_json_set(root, "title", tp_json_text(lesson->title));
	tp_json_set(root, "machine", tp_json_text(cpu));
	tp_json_set(root, "simulated", json_boolean(simulated));
	tp_json_set(root, "trust", tp_json_text(tp_quality_name(t.quality)));
	tp_json_set(root, "noisy", json_boolean(t.quality == TP_QUALITY_POOR));
	tp_json_set(root, "points", json_integer((json_int_t)t.points));
	tp_json_set(root, "steps", steps);
	tp_json_set(root, "values", values);
	tp_json_add(out, root, JSON_INDENT(2));
	tp_str_add(out, "\n");
}
