/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the figures of a comparison mean, and what would have counted. */
#include <math.h>
#include <stdlib.h>

#include "analysis/stats.h"
#include "report/compare_parts.h"

/* The median over the points of a kind of what would have been seen; 0 if there is none. */
static double visible_of(const struct tp_comparison *c, enum tp_repeat repeat)
{
	double *x = malloc((c->n_points + 1) * sizeof(*x));
	size_t n = 0;
	for (size_t i = 0; i < c->n_points && x; i++)
		if (c->rows[i].repeat == repeat)
			x[n++] = c->differences[i].visible;
	if (n)
		tp_sort_doubles(x, n);
	double median = n ? x[n / 2] : 0;
	free(x);
	return median;
}

/* What stood in the way, and how often. */
static void unclear_flags(const struct tp_comparison *c, struct tp_str *text)
{
	const char *joint = " Their flags: ";
	for (int flag = 0; flag < TP_FLAG_COUNT; flag++) {
		size_t n = 0;
		for (size_t i = 0; i < c->n_points; i++)
			n += c->differences[i].verdict == TP_VERDICT_UNCLEAR &&
			     (c->rows[i].a->flags | c->rows[i].b->flags) & TP_COMPARE_HARMFUL &
				     1u << flag;
		if (!n)
			continue;
		tp_str_printf(text, "%s%s (%zu)", joint, tp_flag_name((enum tp_flag)flag), n);
		joint = ", ";
	}
	if (joint[1] != 'T')
		tp_str_add(text, ".");
}

static bool only_programs(const struct tp_comparison *c)
{
	for (size_t i = 0; i < c->n_points; i++)
		if (c->rows[i].repeat != TP_REPEAT_PROGRAM)
			return false;
	return c->n_points > 0;
}

void tp_compare_explain(const struct tp_comparison *c, const struct tp_look *look,
			struct tp_str *out)
{
	struct tp_str text = { 0 };
	const char *joint = "";
	tp_str_add(&text, "Smallest change that would count here: ");
	for (int i = 0; i < TP_REPEAT_COUNT; i++) {
		double visible = visible_of(c, (enum tp_repeat)i);
		if (!(visible > 0))
			continue;
		tp_str_printf(&text, "%s%s ", joint, tp_repeat_name((enum tp_repeat)i));
		if (isfinite(visible))
			tp_str_printf(&text, "%.1f %%", 100 * visible);
		else
			tp_str_add(&text, "none");
		joint = ", ";
	}
	tp_str_add(
		&text,
		". change: of the speed, also for latencies, so that above 0 is faster. same: the "
		"interval lies within ");
	if (c->options.tolerance > 0) {
		tp_str_printf(&text, "%.3g %%.", 100 * c->options.tolerance);
	} else {
		joint = "";
		for (int i = 0; i < TP_REPEAT_COUNT; i++) {
			if (!(visible_of(c, (enum tp_repeat)i) > 0))
				continue;
			tp_str_printf(&text, "%s%.0f %% (%s)", joint,
				      100 * tp_repeat_same_within((enum tp_repeat)i),
				      tp_repeat_name((enum tp_repeat)i));
			joint = ", ";
		}
		tp_str_add(&text, ".");
	}
	if (c->count[TP_VERDICT_UNCLEAR]) {
		tp_str_add(&text, " unclear: measure again while the machine is quiet; ");
		tp_str_add(&text,
			   only_programs(c)
				   ? "more runs of a program (program.runs) narrow it."
				   : "--set invocations=5 shows how far processes differ and "
				     "narrows it.");
		unclear_flags(c, &text);
	}
	tp_str_add(out, "\n");
	tp_text_wrap(out, look, TP_PAINT_DIM, tp_str_text(&text), 0, 0);
	tp_str_release(&text);
}
