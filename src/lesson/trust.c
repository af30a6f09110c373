/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/trust.h"
#include "report/facts.h"

struct tp_trust tp_trust_of(const struct tp_run *run)
{
	struct tp_trust t = { 0 };
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->state != TP_POINT_DONE)
			continue;
		t.points++;
		t.good += p->quality == TP_QUALITY_GOOD;
		t.fair += p->quality == TP_QUALITY_FAIR;
		t.poor += p->quality == TP_QUALITY_POOR;
	}
	if (!t.points || 3 * t.poor > t.points)
		t.quality = TP_QUALITY_POOR;
	else if (3 * (t.fair + t.poor) > t.points)
		t.quality = TP_QUALITY_FAIR;
	else if (t.good)
		t.quality = TP_QUALITY_GOOD;
	return t;
}

static bool is_simulated(const struct tp_run *run)
{
	char words[TP_SIMULATED_BYTES + 16];
	return *tp_fact_simulated(run, words, sizeof(words)) != '\0';
}

bool tp_trust_counts(const struct tp_run *const *runs, size_t n, size_t at)
{
	if (!runs[at] || !is_simulated(runs[at]))
		return runs[at] != NULL;
	for (size_t i = 0; i < n; i++)
		if (runs[i] && !is_simulated(runs[i]))
			return false;
	return true;
}

void tp_trust_words(const struct tp_run *run, struct tp_str *out)
{
	static const char *const means[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = "",
		[TP_QUALITY_GOOD] = " You can trust these numbers.",
		[TP_QUALITY_FAIR] = " Something else ran at times, so do not read much into "
				    "differences below ten percent.",
		[TP_QUALITY_POOR] = " The machine was too busy with other things: these numbers "
				    "may be far off. Measure again when it is quieter.",
	};
	const struct tp_trust t = tp_trust_of(run);
	char count[32], qualities[64], simulated[TP_SIMULATED_BYTES + 16];
	if (!t.points) {
		tp_str_add(out, "No point could be measured.");
		return;
	}
	tp_str_printf(out, "Measured %s", tp_text_count(count, sizeof(count), t.points, "point"));
	if (t.points < run->n_points)
		tp_str_printf(out, " of %zu", run->n_points);
	if (*tp_fact_qualities(run, NULL, qualities, sizeof(qualities)))
		tp_str_printf(out, ": %s", qualities);
	tp_str_printf(out, ".%s", means[t.quality]);
	if (*tp_fact_simulated(run, simulated, sizeof(simulated)))
		tp_str_printf(out, " This was no real machine (%s).", simulated);
}
