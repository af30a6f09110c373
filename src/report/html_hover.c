/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pictures of a page say under the pointer: values with units, interval, quality. */
#include "base/text.h"
#include "record/point.h"
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "0.26 FLOP per byte", "32 KiB", or the name at that place. */
static void add_value(struct tp_str *out, const struct tp_scale *scale,
		      const struct tp_names *names, double value)
{
	char bytes[32];
	size_t at = value >= 0 ? (size_t)lround(value) : 0;
	if (scale->unit == TP_UNIT_NAMES) {
		tp_str_add(out, at < names->n && names->items[at] ? names->items[at] : "");
		return;
	}
	if (scale->unit == TP_UNIT_BYTES && value >= 0 && value < 1e18) {
		tp_str_add(out, tp_format_bytes(bytes, sizeof(bytes), (uint64_t)value));
		return;
	}
	/* Of "element_ns, ns" the unit stands behind the comma. */
	const char *unit = scale->label ? scale->label : "", *comma = strrchr(unit, ',');
	tp_str_printf(out, "%.4g%s%s", value, *unit ? " " : "",
		      comma ? comma + 1 + strspn(comma + 1, " ") : unit);
}

static void add_interval(struct tp_str *out, double value, const double *low, const double *high,
			 size_t k)
{
	double half = low && high ? 50 * (high[k] - low[k]) / value : NAN;
	if (value > 0 && half >= 0 && isfinite(half))
		tp_str_printf(out, " \u00b1%.1f %%", half);
}

static void add_quality(struct tp_str *out, const struct tp_point *point)
{
	char words[128];
	if (point &&
	    *tp_quality_words(point->quality, tp_quality_reasons(point->quality, point->flags),
			      words, sizeof(words)))
		tp_str_printf(out, ", %s", words);
}

static void say_point(const struct tp_picture *picture, size_t series, size_t k, struct tp_str *out)
{
	const struct tp_series *s = &picture->series[series];
	const struct tp_origin *origin = &picture->origins[series];
	const struct tp_scene *scene = &picture->scene;
	bool bars = s->style == TP_STYLE_BARS, tiles = s->style == TP_STYLE_TILES;
	if (origin->said) {
		add_value(out, &scene->x, &scene->x_names, s->x[k]);
		tp_str_printf(out, ": %s", origin->said[k]);
		return;
	}
	/* Lanes: the height is no value. */
	if (!bars && !tiles && scene->y.unit == TP_UNIT_NAMES)
		return;
	if (s->label && *s->label && !tiles)
		tp_str_printf(out, "%s: ", s->label);
	if (bars || tiles)
		add_value(out, &scene->y, &scene->y_names, s->y[k]);
	if (!bars) {
		tp_str_add(out, tiles ? ", " : "");
		add_value(out, &scene->x, &scene->x_names, s->x[k]);
	}
	tp_str_add(out, bars || tiles ? ": " : ", ");
	if ((bars || tiles) && s->tiles && s->tiles[k].text)
		tp_str_add(out, s->tiles[k].text);
	else if (bars)
		add_value(out, &scene->x, &scene->x_names, s->x[k]);
	else if (tiles && isfinite(s->tiles[k].share))
		tp_str_printf(out, "%.0f %% of the best", 100 * s->tiles[k].share);
	else if (!tiles)
		add_value(out, &scene->y, &scene->y_names, s->y[k]);
	add_interval(out, bars ? s->x[k] : s->y[k], s->low, s->high, k);
	if (origin->reads == TP_READS_POINTS && origin->points)
		add_quality(out, origin->points[k]);
}

static void say_line(const struct tp_picture *picture, const struct tp_run *run, size_t series,
		     struct tp_str *out)
{
	const struct tp_origin *origin = &picture->origins[series];
	const struct tp_roof *roof = origin->roof;
	const char *label = picture->series[series].label;
	if (origin->reads != TP_READS_LINE || (!roof && !origin->words))
		return;
	tp_str_add(out, label ? label : "");
	if (roof) {
		const double low[] = { roof->ci_low }, high[] = { roof->ci_high };
		add_interval(out, roof->median, low, high, 0);
		if (run && roof->point < run->n_points)
			tp_str_printf(out, ", %s, %s", roof->isa, run->points[roof->point].kernel);
		if (roof->ridge_flop_per_byte > 0)
			tp_str_printf(out, ", ridge at %.3g FLOP/byte", roof->ridge_flop_per_byte);
		add_quality(out,
			    run && roof->point < run->n_points ? &run->points[roof->point] : NULL);
	} else {
		tp_str_printf(out, "%s%s", label ? ": " : "", origin->words);
	}
}

const char *tp_html_say(const void *context, size_t series, size_t point, char *out, size_t size)
{
	const struct tp_html_said *said = context;
	const struct tp_series *s = &said->picture->series[series];
	struct tp_str text = { 0 };
	if (point == TP_SVG_LINE)
		say_line(said->picture, said->run, series, &text);
	/* Lines of theory and ends of roofs are no points. */
	else if (s->style != TP_STYLE_DASHED &&
		 said->picture->origins[series].reads != TP_READS_LINE)
		say_point(said->picture, series, point, &text);
	tp_copy(out, size, tp_str_text(&text));
	tp_str_release(&text);
	return out;
}
