/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/conclusion.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/facts.h"
#include "report/reporter.h"

enum { SENTENCE_MAX = 512, LABEL_COLUMNS = 9 };

void tp_conclusion_release(struct tp_conclusion *c)
{
	tp_str_release(&c->quality);
	tp_str_release(&c->limits);
	tp_str_release(&c->odd);
	tp_str_release(&c->next);
}

void tp_conclude_add(struct tp_str *text, const char *fmt, ...)
{
	char sentence[SENTENCE_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	tp_str_printf(text, "%s%s", text->len ? " " : "", sentence);
}

/* --- commands --- */

void tp_conclude_word(struct tp_str *command, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_./+:,=@%-";
	if (*word && word[strspn(word, plain)] == '\0') {
		tp_str_printf(command, " %s", word);
		return;
	}
	tp_str_add(command, " '");
	for (; *word; word++)
		if (*word == '\'')
			tp_str_add(command, "'\\''");
		else
			tp_str_add_n(command, word, 1);
	tp_str_add(command, "'");
}

static bool ends_with(const char *text, size_t n, const char *end)
{
	return n >= strlen(end) && memcmp(text + n - strlen(end), end, strlen(end)) == 0;
}

/* Presets of a folder that tprof looks into, installed or in a build tree, go by their names. */
static void add_preset(const char *path, struct tp_str *command)
{
	static const char ending[] = ".yaml";
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t before = (size_t)(base - path), n = strlen(base);
	char name[64];
	if (n > strlen(ending) && n < sizeof(name) && ends_with(base, n, ending) &&
	    (ends_with(path, before, "tprof/presets/") ||
	     ends_with(path, before, "/../presets/"))) {
		snprintf(name, sizeof(name), "%.*s", (int)(n - strlen(ending)), base);
		path = name;
	}
	tp_conclude_word(command, path);
}

void tp_conclude_again(const struct tp_run *run, const char *set, struct tp_str *command)
{
	const char *path = tp_fact_text(run, "preset.path");
	if (!*path)
		return;
	tp_str_add(command, "tprof --batch");
	add_preset(path, command);
	if (*tp_fact_text(run, "simulated.regime")) {
		tp_str_add(command, " --machine");
		tp_conclude_word(command, tp_fact_text(run, "simulated.machine"));
		tp_str_add(command, " --simulate");
		tp_conclude_word(command, tp_fact_text(run, "simulated.regime"));
	}
	if (set) {
		tp_str_add(command, " --set");
		tp_conclude_word(command, set);
	}
}

static void of_run(const struct tp_run *run, const char *what, const char *options,
		   struct tp_str *command)
{
	tp_str_add(command, what);
	tp_conclude_word(command, run->called);
	tp_str_add(command, options);
}

/* --- the frame --- */

struct counts {
	size_t done, missing, by[TP_QUALITY_COUNT];
};

static struct counts count(const struct tp_run *run)
{
	struct counts n = { 0 };
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		bool done = p->state == TP_POINT_DONE;
		n.done += done;
		n.missing += !done;
		n.by[p->quality] += done;
	}
	return n;
}

static void add_quality(const struct tp_run *run, const struct counts *n, struct tp_str *text)
{
	char qualities[64], points[32];
	if (*tp_fact_qualities(run, NULL, qualities, sizeof(qualities)))
		tp_str_printf(text, "%s of %s", qualities,
			      tp_text_count(points, sizeof(points), n->done, "point"));
	else
		tp_str_printf(text, "%s, which are not judged",
			      tp_text_count(points, sizeof(points), n->done, "point"));
	if (n->missing)
		tp_str_printf(text, "; %zu %s not measured", n->missing,
			      n->missing == 1 ? "was" : "were");
	tp_str_add(text, ".");
}

/* The run was to measure more: not a table by itself, and not one that goes on. */
static bool is_cut_off(const struct tp_run *run, const struct counts *n)
{
	return n->missing && *run->state && strcmp(run->state, "running") != 0;
}

/* What to set for the first poor point. */
static const char *setting_for_poor(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->state != TP_POINT_DONE || p->quality != TP_QUALITY_POOR)
			continue;
		const struct tp_reporter *r = tp_reporter_find(p->experiment);
		return r && r->again ? r->again : "invocations=3";
	}
	return NULL;
}

static void choose_next(const struct tp_run *run, const struct counts *n, struct tp_str *own,
			struct tp_str *next)
{
	size_t poor = n->by[TP_QUALITY_POOR];
	/* This machine is none of the nodes. */
	bool merged = tp_run_fact(run, TP_MERGED_NODES);
	if (merged && own->len) {
		tp_str_add(next, tp_str_text(own));
	} else if (merged && *run->called) {
		of_run(run, "tprof --show", " --html nodes.html", next);
	} else if (is_cut_off(run, n) && *run->called) {
		of_run(run, "tprof --resume", "", next);
	} else if (2 * poor > n->done) {
		tp_str_add(next, "tprof doctor");
	} else {
		if (poor)
			tp_conclude_again(run, setting_for_poor(run), next);
		else if (own->len)
			tp_str_add(next, tp_str_text(own));
		if (!next->len && *run->called) {
			tp_conclude_again(run, NULL, next);
			of_run(run, next->len ? " && tprof --compare" : "tprof --show",
			       next->len ? " last" : " --svg plots.svg", next);
		}
	}
}

void tp_conclude(const struct tp_run *run, struct tp_conclusion *c)
{
	struct counts n = count(run);
	struct tp_str own = { 0 };
	*c = (struct tp_conclusion){ 0 };
	if (!run->n_points)
		return;
	add_quality(run, &n, &c->quality);
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->conclude)
			r->conclude(run, c);
	own = c->next;
	c->next = (struct tp_str){ 0 };
	if (strcmp(run->state, "running") != 0)
		choose_next(run, &n, &own, &c->next);
	tp_str_release(&own);
}

static void line(struct tp_page *page, const char *label, enum tp_paint paint,
		 const struct tp_str *text)
{
	struct tp_str clean = { 0 };
	if (!text->len)
		return;
	tp_text_clean(&clean, tp_str_text(text), page->look);
	tp_text_labelled(page->out, page->look, label, LABEL_COLUMNS, paint, tp_str_text(&clean));
	tp_str_release(&clean);
}

void tp_page_conclusion(struct tp_page *page)
{
	struct tp_conclusion c;
	tp_conclude(page->run, &c);
	if (c.quality.len)
		tp_page_title(page, "Verdict", NULL);
	line(page, "Quality", TP_PAINT_PLAIN, &c.quality);
	line(page, "Limits", TP_PAINT_STRONG, &c.limits);
	line(page, "Odd", TP_PAINT_WARN, &c.odd);
	line(page, "Next", TP_PAINT_GOOD, &c.next);
	tp_conclusion_release(&c);
}

void tp_conclusion_line(const struct tp_run *run, struct tp_str *out)
{
	struct tp_conclusion c;
	tp_conclude(run, &c);
	tp_str_add(out, tp_str_text(c.odd.len ? &c.odd : c.limits.len ? &c.limits : &c.quality));
	tp_conclusion_release(&c);
}
