/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run says of its patterns, in a sentence or two for each. */
#include "experiments/pattern/conclude.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pairs.h"
#include "base/tally.h"
#include "base/text.h"
#include "experiments/pattern/roofs.h"
#include "experiments/pattern/row.h"
#include "experiments/pattern/views.h"
#include "report/text.h"

/* Times that differ by less are no difference. */
#define ALIKE 1.05
/* Counts for an element that may explain a difference: so many times as many, and so many. */
#define UNLIKE	    1.5
#define LEAST_COUNT 0.1

static bool is_of(const struct tp_point *p, const struct tp_point *first)
{
	return p->state == TP_POINT_DONE && p->run == first->run &&
	       strcmp(p->experiment, "pattern") == 0 &&
	       strcmp(tp_pattern_row(p)->pattern, tp_pattern_row(first)->pattern) == 0 &&
	       tp_pattern_row(p)->element_ns > 0;
}

/* The same work in other ways: elements of one kind, as many of them, by as many threads. */
static bool is_same_work(const struct tp_point *a, const struct tp_point *b)
{
	const struct tp_pattern_row *x = tp_pattern_row(a), *y = tp_pattern_row(b);
	return is_of(a, b) && a->threads == b->threads && x->n == y->n &&
	       x->elements == y->elements && x->bytes_per_element == y->bytes_per_element &&
	       x->flop_per_element == y->flop_per_element;
}

/* Points by their work. Every point is an item, so items count as points do; others have no text.
 */
static void group_works(const struct tp_run *run, const struct tp_point *first,
			struct tp_tally *works)
{
	TP_STR key = { 0 };
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_pattern_row *row = tp_pattern_row(p);
		tp_str_clear(&key);
		if (is_of(p, first))
			tp_str_printf(&key, "%u %" PRIu64 " %a %a %a", p->threads, row->n,
				      row->elements, row->bytes_per_element, row->flop_per_element);
		status = tp_tally_add(works, tp_str_text(&key));
	}
}

/* The point whose work most others do, too; of several the one with the largest arrays. */
static const struct tp_point *most_compared(const struct tp_run *run, const struct tp_point *first)
{
	const struct tp_point *found = NULL;
	struct tp_tally works = { 0 };
	size_t most = 1;
	group_works(run, first, &works);
	for (size_t g = 0; g < works.n; g++) {
		const struct tp_point *p = &run->points[works.groups[g].first];
		size_t n = works.groups[g].n;
		bool larger = found &&
			      tp_pattern_row(p)->array_bytes > tp_pattern_row(found)->array_bytes;
		if (is_of(p, first) && (n > most || (n == most && larger))) {
			most = n;
			found = p;
		}
	}
	tp_tally_release(&works);
	return found;
}

/* "with tile_i=16 tile_j=32" of "n=4000 tile_i=16 tile_j=32": n is the same in all. */
static const char *way(const struct tp_point *p, char *out, size_t size)
{
	const char *parameters = tp_pattern_row(p)->parameters, *blank = strchr(parameters, ' ');
	bool sized = strncmp(parameters, "n=", 2) == 0;
	if (sized && !blank)
		tp_copy(out, size, "without");
	else
		snprintf(out, size, "with %s", sized ? blank + 1 : parameters);
	return out;
}

/* "For an element the fastest has 3.75 stepped_instructions, the slowest 61.9." */
static void compare_counts(const struct tp_pattern_row *fast, const struct tp_pattern_row *slow,
			   struct tp_conclusion *conclusion)
{
	const char *at = fast->counts;
	char name[64], other[64], value[32], other_value[32];
	while (tp_pairs_next(&at, name, sizeof(name), value, sizeof(value))) {
		const char *there = slow->counts;
		bool found = false;
		while (!found && tp_pairs_next(&there, other, sizeof(other), other_value,
					       sizeof(other_value)))
			found = strcmp(name, other) == 0;
		/* Few events are many for one and none for another by chance. */
		double less = strtod(value, NULL), more = found ? strtod(other_value, NULL) : 0;
		if (more > UNLIKE * less && more > LEAST_COUNT)
			tp_conclude_add(&conclusion->limits,
					"For an element the fastest has %.3g %s, the slowest %.3g.",
					less, name, more);
	}
}

/* "jacobi-2d-tiles, n=4000: fastest with tile_i=16, 1.12 ns an element, 2.8 times as fast as ..."
 */
static void compare(const struct tp_run *run, const struct tp_point *like,
		    struct tp_conclusion *conclusion)
{
	const struct tp_point *best = like, *worst = like;
	char threads[32], size[48] = "";
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!is_same_work(p, like))
			continue;
		if (tp_pattern_row(p)->element_ns < tp_pattern_row(best)->element_ns)
			best = p;
		if (tp_pattern_row(p)->element_ns > tp_pattern_row(worst)->element_ns)
			worst = p;
	}
	const struct tp_pattern_row *b = tp_pattern_row(best), *w = tp_pattern_row(worst);
	if (b->n)
		snprintf(size, sizeof(size), ", n=%llu", (unsigned long long)b->n);
	double ratio = w->element_ns / b->element_ns;
	char text[32], fast[192], slow[192];
	snprintf(text, sizeof(text), ratio < 10 ? "%.2f" : "%.0f", ratio);
	tp_text_count(threads, sizeof(threads), best->threads, "thread");
	if (ratio < ALIKE)
		tp_conclude_add(&conclusion->limits,
				"%s%s, %s: all ways take the same time within %.0f %%, %.3g ns an "
				"element (%.3g GB/s).",
				b->pattern, size, threads, 100 * (ratio - 1), b->element_ns,
				b->kernel.median_gbps);
	else
		tp_conclude_add(&conclusion->limits,
				"%s%s, %s: fastest %s, %.3g ns an element (%.3g GB/s), %s times as "
				"fast as %s.",
				b->pattern, size, threads, way(best, fast, sizeof(fast)),
				b->element_ns, b->kernel.median_gbps, text,
				way(worst, slow, sizeof(slow)));
	if (ratio >= ALIKE)
		compare_counts(b, w, conclusion);
	struct tp_pattern_roof roof;
	char words[160];
	if (tp_pattern_roof_of(run, best, &roof))
		tp_conclude_add(&conclusion->limits, "There it is %s.",
				tp_pattern_roof_words(&roof, words, sizeof(words)));
}

/* The fastest of a level with the threads of the first point; NULL = none. */
static const struct tp_point *fastest_of(const struct tp_run *run, const struct tp_point *first,
					 const char *level)
{
	const struct tp_point *best = NULL;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (is_of(p, first) && p->threads == first->threads &&
		    strcmp(tp_pattern_level(run, p), level) == 0 &&
		    (!best || p->median > best->median))
			best = p;
	}
	return best;
}

/* "triad, 1 thread: 306 GB/s in L1, 121 in L2, 12.8 in DRAM." */
static void list_levels(const struct tp_run *run, const struct tp_point *first,
			struct tp_conclusion *conclusion)
{
	static const char *const levels[] = { "L1", "L2", "L3", "DRAM", "" };
	TP_STR text = { 0 };
	char threads[32];
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		const struct tp_point *p = fastest_of(run, first, levels[i]);
		if (!p)
			continue;
		tp_str_printf(&text, "%s%.3g%s", text.len ? ", " : "", p->median,
			      text.len ? "" : " GB/s");
		if (*levels[i])
			tp_str_printf(&text, " in %s", levels[i]);
	}
	if (text.len)
		tp_conclude_add(&conclusion->limits, "%s, %s: %s.", tp_pattern_row(first)->pattern,
				tp_text_count(threads, sizeof(threads), first->threads, "thread"),
				tp_str_text(&text));
}

void tp_pattern_conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	enum { MOST = 4 };
	const struct tp_point *told[MOST];
	unsigned n_told = 0;
	for (size_t i = 0; i < run->n_points && n_told < MOST; i++) {
		const struct tp_point *p = &run->points[i];
		bool known = !is_of(p, p);
		for (size_t k = 0; k < n_told && !known; k++)
			known = is_of(p, told[k]);
		if (known)
			continue;
		const struct tp_point *like = most_compared(run, p);
		if (like)
			compare(run, like, conclusion);
		else
			list_levels(run, p, conclusion);
		told[n_told++] = p;
	}
}
