/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's own dots: drawn, and held against the measured roofs. */
#include "experiments/roofline/choice.h"
#include "record/roof.h"

#include <math.h>
#include <string.h>

/* A dot this near to a roof is on it: intervals and the clock differ by more between runs. */
#define ON_ROOF 0.02

struct place {
	const char *under, *above; /* names of roofs, or NULL */
	double gflops; /* of the roof that it is under, at its intensity; of the highest one where
			  it is above all */
	bool computes; /* the roof is a peak there */
};

/* The lowest roof that allows the dot, and the highest that does not. */
static struct place place_of(const struct tp_roofs_shown *v, const struct tp_own_dot *dot)
{
	double peak = tp_roofs_top_peak(&v->main), below = 0, top = 0;
	struct place place = { .gflops = INFINITY };
	for (size_t l = 0; l < ROOFS_LEVELS; l++) {
		const struct tp_roof *r = v->main.level[l];
		if (!r)
			continue;
		double slope = r->median * dot->ai_flop_per_byte;
		double roof = peak > 0 ? fmin(peak, slope) : slope;
		bool allows = dot->gflops <= roof * (1 + ON_ROOF);
		top = fmax(top, roof);
		if (allows && roof < place.gflops)
			place = (struct place){ r->level, place.above, roof,
						peak > 0 && slope >= peak };
		if (!allows && roof > below) {
			below = roof;
			place.above = r->level;
		}
	}
	if (!tp_roofs_top_bandwidth(&v->main) && peak > 0) {
		place.gflops = top = peak;
		place.computes = true;
		place.under = dot->gflops <= peak * (1 + ON_ROOF) ? "FP" : NULL;
		place.above = place.under ? NULL : "FP";
	}
	if (!place.under)
		place.gflops = top;
	return place;
}

void tp_roofs_place(const struct tp_roofs_shown *v, const struct tp_own_dot *dot,
		    struct tp_str *out)
{
	const struct place p = place_of(v, dot);
	double share = p.gflops > 0 ? 100 * dot->gflops / p.gflops : NAN;
	if (!p.under && !p.above) {
		tp_str_add(out, "no roof was measured that it could stand under");
		return;
	}
	if (!p.under) {
		tp_str_printf(out,
			      "above every measured roof (%.4g GFLOP/s there), at %.0f %% of the "
			      "highest: check its FLOP/byte and its GFLOP/s",
			      p.gflops, share);
		return;
	}
	if (p.computes)
		tp_str_printf(out, "under the peak (%.4g GFLOP/s), at %.3g %% of it: compute-bound",
			      p.gflops, share);
	else
		tp_str_printf(out, "under the %s roof (%.4g GFLOP/s there), at %.3g %% of it",
			      p.under, p.gflops, share);
	if (p.above && !p.computes)
		tp_str_printf(out, "; above that of %s, so part of its data comes from caches",
			      p.above);
}

void tp_roofs_draw_own(struct tp_picture *picture, const struct tp_roofs_shown *v)
{
	struct tp_own_dot dots[TP_OWN_DOTS_MAX];
	size_t n = tp_run_own_dots(v->run, dots);
	for (size_t i = 0; i < n; i++) {
		double *x, *y;
		struct tp_str words = { 0 };
		struct tp_series *s = tp_picture_series(picture, 1, &x, &y);
		if (!s)
			return;
		tp_roofs_place(v, &dots[i], &words);
		x[0] = dots[i].ai_flop_per_byte;
		y[0] = dots[i].gflops;
		s->label = tp_picture_text(picture, "%s", dots[i].name);
		s->style = TP_STYLE_DOTS;
		s->role = TP_ROLE_MARK;
		/* The first six also have shapes of their own in SVG. */
		s->glyph = "@#*x+o789abcdefg"[i];
		*tp_picture_origin(picture, s) = (struct tp_origin){
			.reads = TP_READS_POINTS,
			.words = tp_picture_text(picture, "%s", tp_str_text(&words)),
		};
		tp_str_release(&words);
	}
}
