/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/roofline/choice.h"
#include "base/vec.h"
#include "record/dot.h"
#include "kernels/isa.h"
#include "record/roof.h"

#include <math.h>
#include <string.h>

/* Room to the left of the lowest and to the right of the highest ridge, as factors. */
#define LEFT_OF_RIDGES	6.0
#define RIGHT_OF_RIDGES 6.0

const char *const tp_roofs_level[ROOFS_LEVELS] = { "L1", "L2", "L3", "DRAM" };

static bool usable(const struct tp_roofs_shown *v, const struct tp_roof *r)
{
	return r->median > 0 && isfinite(r->median) && !tp_roof_is_tuned(v->run, r);
}

bool tp_roofs_belongs(const struct tp_roofs_shown *v, unsigned run, unsigned threads,
		      const char *precision)
{
	return run == v->index && threads == v->threads && strcmp(precision, v->precision) == 0;
}

/*
 * Place in the table of ISAs, which goes from narrow to wide; those of another architecture are
 * none narrower.
 */
static size_t width_rank(const char *isa)
{
	for (size_t i = 0; i < tp_isa_count; i++)
		if (strcmp(tp_isa_table[i]->name, isa) == 0)
			return i;
	return tp_isa_count;
}

static void add_peak(struct tp_roofs *roofs, const struct tp_roof *r)
{
	size_t i = roofs->n_peaks;
	for (size_t k = 0; k < i; k++)
		if (strcmp(roofs->peak[k]->fp_op, r->fp_op) == 0)
			return;
	if (i == ROOFS_PEAKS)
		return;
	for (; i > 0 && roofs->peak[i - 1]->median > r->median; i--)
		roofs->peak[i] = roofs->peak[i - 1];
	roofs->peak[i] = r;
	roofs->n_peaks++;
}

static void collect(const struct tp_roofs_shown *v, const char *isa, struct tp_roofs *roofs)
{
	*roofs = (struct tp_roofs){ .isa = isa };
	for (size_t i = 0; i < tp_run_n_roofs(v->run); i++) {
		const struct tp_roof *r = &tp_run_roofs(v->run)[i];
		if (!usable(v, r) || !tp_roofs_belongs(v, r->run, r->threads, r->precision) ||
		    strcmp(r->isa, isa) != 0)
			continue;
		if (tp_level_is_fp(r->level))
			add_peak(roofs, r);
		for (size_t l = 0; l < ROOFS_LEVELS; l++)
			if (strcmp(r->level, tp_roofs_level[l]) == 0 &&
			    (!roofs->level[l] || roofs->level[l]->median < r->median))
				roofs->level[l] = r;
	}
}

double tp_roofs_top_peak(const struct tp_roofs *roofs)
{
	return roofs->n_peaks ? roofs->peak[roofs->n_peaks - 1]->median : 0;
}

size_t tp_roofs_top_level(const struct tp_roofs *roofs)
{
	size_t top = ROOFS_LEVELS;
	for (size_t l = 0; l < ROOFS_LEVELS; l++)
		if (roofs->level[l] &&
		    (top == ROOFS_LEVELS || roofs->level[l]->median > roofs->level[top]->median))
			top = l;
	return top;
}

double tp_roofs_top_bandwidth(const struct tp_roofs *roofs)
{
	size_t top = tp_roofs_top_level(roofs);
	return top < ROOFS_LEVELS ? roofs->level[top]->median : 0;
}

static bool has_dots(const struct tp_roofs_shown *v, unsigned threads)
{
	for (size_t i = 0; i < tp_run_n_dots(v->run); i++) {
		const struct tp_dot *d = &tp_run_dots(v->run)[i];
		if (d->run == v->index && strcmp(d->precision, v->precision) == 0 &&
		    (!threads || d->threads == threads))
			return true;
	}
	return false;
}

bool tp_roofs_choose(struct tp_roofs_shown *v)
{
	const char *widest = NULL;
	bool any_threads = !v->threads;
	/* Roofs without a dot say less than those that have some. */
	bool with_dots = any_threads && has_dots(v, 0);
	for (size_t i = 0; any_threads && i < tp_run_n_roofs(v->run); i++) {
		const struct tp_roof *r = &tp_run_roofs(v->run)[i];
		if (usable(v, r) && r->run == v->index && strcmp(r->precision, v->precision) == 0 &&
		    (!with_dots || has_dots(v, r->threads)))
			v->threads = TP_MAX(v->threads, r->threads);
	}
	for (size_t i = 0; i < tp_run_n_roofs(v->run); i++) {
		const struct tp_roof *r = &tp_run_roofs(v->run)[i];
		if (!usable(v, r) || !tp_roofs_belongs(v, r->run, r->threads, r->precision))
			continue;
		/*
		 * A run from another architecture was planned from narrow to wide as well: its last
		 * is its widest.
		 */
		if (!widest || width_rank(r->isa) >= width_rank(widest))
			widest = r->isa;
	}
	if (!widest)
		return false;
	collect(v, widest, &v->main);
	for (size_t i = tp_run_n_roofs(v->run); i-- > 0;) {
		const struct tp_roof *r = &tp_run_roofs(v->run)[i];
		bool known = strcmp(r->isa, widest) == 0;
		for (size_t k = 0; k < v->n_others; k++)
			known |= strcmp(v->others[k].isa, r->isa) == 0;
		if (known || v->n_others == ROOFS_OTHERS || !usable(v, r) ||
		    !tp_roofs_belongs(v, r->run, r->threads, r->precision))
			continue;
		collect(v, r->isa, &v->others[v->n_others++]);
	}
	return true;
}

static void widen(struct tp_roofs_shown *v, double ai, double left, double right)
{
	if (!(ai > 0) || !isfinite(ai))
		return;
	v->ai_low = v->ai_low > 0 ? fmin(v->ai_low, ai / left) : ai / left;
	v->ai_high = fmax(v->ai_high, ai * right);
}

void tp_roofs_choose_range(struct tp_roofs_shown *v, const struct tp_picture *picture)
{
	v->peak_gflops = v->main.n_peaks ? 0 : picture->peak_gflops;
	widen(v, picture->ai_low, 1, 1);
	widen(v, picture->ai_high, 1, 1);
	for (size_t l = 0; l < ROOFS_LEVELS; l++)
		if (v->main.level[l] && v->peak_gflops > 0)
			widen(v, v->peak_gflops / v->main.level[l]->median, LEFT_OF_RIDGES,
			      RIGHT_OF_RIDGES);
	for (size_t l = 0; l < ROOFS_LEVELS; l++)
		for (size_t p = 0; v->main.level[l] && p < v->main.n_peaks; p++)
			widen(v, v->main.peak[p]->median / v->main.level[l]->median, LEFT_OF_RIDGES,
			      RIGHT_OF_RIDGES);
	for (size_t i = 0; i < tp_run_n_dots(v->run); i++) {
		const struct tp_dot *d = &tp_run_dots(v->run)[i];
		if (tp_roofs_belongs(v, d->run, d->threads, d->precision) &&
		    strcmp(d->isa, v->main.isa) == 0)
			widen(v, d->ai_flop_per_byte, 1.3, 1.3);
	}
	struct tp_own_dot own[TP_OWN_DOTS_MAX];
	size_t n_own = tp_run_own_dots(v->run, own);
	for (size_t i = 0; i < n_own; i++)
		widen(v, own[i].ai_flop_per_byte, 1.5, 1.5);
	for (size_t l = 0; l < TP_CLASSIC_LEVELS; l++) {
		double gbps = tp_classic_value(v->classic.level[l]);
		if (gbps > 0)
			widen(v, tp_classic_value(v->classic.peak) / gbps, LEFT_OF_RIDGES,
			      RIGHT_OF_RIDGES);
	}
	if (!(v->ai_low > 0)) {
		v->ai_low = 1.0 / 64;
		v->ai_high = 64;
	}
}
