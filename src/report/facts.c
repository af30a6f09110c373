/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/facts.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *tp_fact_text(const struct tp_run *run, const char *key)
{
	const struct tp_fact *fact = tp_run_fact(run, key);
	return fact && !fact->is_number ? fact->text : "";
}

double tp_fact_number(const struct tp_run *run, const char *key, double fallback)
{
	const struct tp_fact *fact = tp_run_fact(run, key);
	return fact && fact->is_number && isfinite(fact->number) ? fact->number : fallback;
}

uint64_t tp_fact_count(const struct tp_run *run, const char *key)
{
	double number = tp_fact_number(run, key, 0);
	return number >= 1 && number < 9e15 ? (uint64_t)number : 0;
}

const char *tp_fact_simulated(const struct tp_run *run, char *out, size_t size)
{
	char what[TP_SIMULATED_BYTES];
	snprintf(out, size, "%s%s", *tp_run_simulated(run, what, sizeof(what)) ? "simulated: " : "",
		 what);
	return out;
}

uint64_t tp_fact_cache(const struct tp_run *run, int level, const char *name)
{
	char key[64];
	snprintf(key, sizeof(key), "machine.cache.L%d.%s", level, name);
	return tp_fact_count(run, key);
}

uint64_t tp_fact_share_bytes(const struct tp_run *run, int level, unsigned threads)
{
	uint64_t sharers = TP_MAX(tp_fact_cache(run, level, "sharing_cores"), UINT64_C(1));
	uint64_t users = TP_MAX(threads, 1u);
	return tp_fact_cache(run, level, "size_bytes") / TP_MIN(users, sharers);
}

int tp_fact_level(const struct tp_run *run, double bytes, unsigned threads)
{
	for (int level = 1; level <= TP_FACT_LEVELS; level++) {
		uint64_t share = tp_fact_share_bytes(run, level, threads);
		if (!share || bytes <= (double)share)
			return share ? level : 0;
	}
	return TP_FACT_LEVELS + 1;
}

const char *tp_fact_qualities(const struct tp_run *run, const char *experiment, char *out,
			      size_t size)
{
	size_t count[TP_QUALITY_COUNT] = { 0 };
	TP_STR text = { 0 };
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state == TP_POINT_DONE &&
		    (!experiment || strcmp(run->points[i].experiment, experiment) == 0))
			count[run->points[i].quality]++;
	for (int q = TP_QUALITY_GOOD; q < TP_QUALITY_COUNT; q++)
		if (count[q])
			tp_str_printf(&text, "%s%zu %s", text.len ? ", " : "", count[q],
				      tp_quality_name((enum tp_quality)q));
	tp_copy(out, size, tp_str_text(&text));
	return out;
}

void tp_fact_model(const struct tp_run *run, struct tp_str *out)
{
	const char *model = tp_fact_text(run, "machine.model");
	/* Only a guess has a basis to report. */
	const char *by = tp_fact_text(run, "machine.model_found_by");
	if (*model && *by)
		tp_str_printf(out, "%s %s (%s)", tp_fact_text(run, "machine.model_found"), model,
			      by);
	else
		tp_str_add(out, model);
}

const char *tp_fact_name(const struct tp_run *run, char *out, size_t size)
{
	const char *name = tp_fact_text(run, "name"), *path = tp_fact_text(run, "preset.path");
	const char *slash = strrchr(path, '/');
	tp_copy(out, size, *name ? name : *path ? (slash ? slash + 1 : path) : "tprof");
	char *dot = strrchr(out, '.');
	if (!*name && dot && strcmp(dot, ".yaml") == 0)
		*dot = '\0';
	return out;
}

const char *tp_fact_date(const struct tp_run *run, char *out, size_t size)
{
	const char *when = tp_fact_text(run, "started");
	if (strlen(when) == 20 && when[10] == 'T' && when[19] == 'Z')
		snprintf(out, size, "%.10s %.5s UTC", when, when + 11);
	else
		tp_copy(out, size, when);
	return out;
}

void tp_fact_when_where(const struct tp_run *run, struct tp_str *out)
{
	char date[40];
	const char *const parts[] = { tp_fact_date(run, date, sizeof(date)),
				      tp_fact_text(run, "machine.cpu"),
				      tp_fact_text(run, "machine.hostname") };
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (*parts[i])
			tp_str_printf(out, "%s%s", out->len ? " \u00b7 " : "", parts[i]);
}
