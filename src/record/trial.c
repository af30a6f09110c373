/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "record/field.h"
#include "record/run.h"

/* clang-format off */
#define T(member, name, type, rule) \
	TP_FIELD(struct tp_trial, member, name, TP_FIELD_##type, TP_FIELD_##rule, \
		 TP_IN_JSON | TP_IN_CSV)
/* Order of the columns of trials.csv: new ones go to the end. */
static const struct tp_field trial_fields[] = {
	T(run,         "run",         UNSIGNED, ALWAYS),
	T(point,       "point",       UNSIGNED, ALWAYS),
	T(index,       "index",       UNSIGNED, ALWAYS),
	T(position,    "position",    UNSIGNED, ALWAYS),
	T(size[0],     "n",           U64,      NONZERO),
	T(size[1],     "m",           U64,      NONZERO),
	T(size[2],     "k",           U64,      NONZERO),
	T(invocations, "invocations", UNSIGNED, ALWAYS),
	T(iterations,  "iterations",  UNSIGNED, ALWAYS),
	T(value,       "value",       REAL,     NONZERO),
	T(best,        "best",        REAL,     NONZERO),
	T(ci_low,      "ci_low",      REAL,     NONZERO),
	T(ci_high,     "ci_high",     REAL,     NONZERO),
	T(seconds,     "seconds",     REAL,     ALWAYS),
	T(stopped,     "stopped",     TEXT,     ALWAYS),
	T(finished,    "finished",    BOOL,     ALWAYS),
	T(incumbent,   "incumbent",   BOOL,     ALWAYS),
	T(disturbed,   "disturbed",   UNSIGNED, NONZERO),
};

#define S(member, name, type, rule) \
	TP_FIELD(struct tp_study_row, member, name, TP_FIELD_##type, TP_FIELD_##rule, TP_IN_JSON)
static const struct tp_field study_fields[] = {
	S(run,            "run",            UNSIGNED, ALWAYS),
	S(point,          "point",          UNSIGNED, ALWAYS),
	S(technique,      "technique",      TEXT,     ALWAYS),
	S(routine,        "routine",        TEXT,     ALWAYS),
	S(library,        "library",        TEXT,     ALWAYS),
	S(scope,          "scope",          TEXT,     ALWAYS),
	S(index,          "index",          UNSIGNED, ALWAYS),
	S(size[0],        "n",              U64,      NONZERO),
	S(size[1],        "m",              U64,      NONZERO),
	S(size[2],        "k",              U64,      NONZERO),
	S(best,           "best",           REAL,     NONZERO),
	S(baseline_value, "baseline_value", REAL,     NONZERO),
	S(seconds,        "seconds",        REAL,     ALWAYS),
	S(speedup,        "speedup",        REAL,     NONZERO),
	S(loss,           "loss",           REAL,     ALWAYS),
	S(configurations, "configurations", UNSIGNED, ALWAYS),
	S(invocations,    "invocations",    UNSIGNED, ALWAYS),
	S(iterations,     "iterations",     UNSIGNED, ALWAYS),
};
/* clang-format on */

const struct tp_table tp_trial_table = { trial_fields, TP_COUNT_OF(trial_fields) };
const struct tp_table tp_study_table = { study_fields, TP_COUNT_OF(study_fields) };

const char *tp_trial_name(const uint64_t size[TP_TRIAL_DIMENSIONS], char out[TP_TRIAL_NAME_MAX])
{
	static const char letters[TP_TRIAL_DIMENSIONS] = { 'n', 'm', 'k' };
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < TP_TRIAL_DIMENSIONS; i++)
		if (size[i] > 0)
			len += (size_t)snprintf(&out[len], TP_TRIAL_NAME_MAX - len, "%s%c %" PRIu64,
						len > 0 ? " " : "", letters[i], size[i]);
	return out;
}

/* First trial that is not before (point, index). */
static size_t place_of(const struct tp_run *run, unsigned point, unsigned index)
{
	size_t low = 0, high = run->n_trials;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct tp_trial *t = &run->trials[middle];

		if (t->point < point || (t->point == point && t->index < index))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum tp_status tp_trials_put(struct tp_run *run, const struct tp_trial *trial)
{
	size_t at = place_of(run, trial->point, trial->index);
	enum tp_status status;

	if (at == run->n_trials || run->trials[at].point != trial->point ||
	    run->trials[at].index != trial->index) {
		status = tp_vec_reserve((void **)&run->trials, &run->cap_trials, run->n_trials + 1,
					sizeof(*run->trials));
		if (status)
			return status;
		memmove(&run->trials[at + 1], &run->trials[at],
			(run->n_trials - at) * sizeof(*run->trials));
		run->n_trials++;
	}
	run->trials[at] = *trial;
	return TP_OK;
}

const struct tp_trial *tp_trials_of(const struct tp_run *run, unsigned point, size_t *n)
{
	size_t from = place_of(run, point, 0), to = from;

	while (to < run->n_trials && run->trials[to].point == point)
		to++;
	*n = to - from;
	return *n > 0 ? &run->trials[from] : NULL;
}

const struct tp_trial *tp_trials_best(const struct tp_run *run, unsigned point)
{
	const struct tp_trial *best = NULL, *trials;
	size_t n;

	trials = tp_trials_of(run, point, &n);
	for (size_t i = 0; i < n; i++)
		if (trials[i].incumbent && (!best || trials[i].value > best->value))
			best = &trials[i];
	return best;
}

void tp_trials_remove(struct tp_run *run, unsigned point)
{
	size_t n, from = place_of(run, point, 0);

	if (!tp_trials_of(run, point, &n))
		return;
	memmove(&run->trials[from], &run->trials[from + n],
		(run->n_trials - from - n) * sizeof(*run->trials));
	run->n_trials -= n;
}

enum tp_status tp_trials_csv(const struct tp_run *run, struct tp_str *out)
{
	const struct tp_table *table = &tp_trial_table;

	for (size_t f = 0; f < table->n; f++)
		tp_str_printf(out, "%s%s", f > 0 ? "," : "", table->fields[f].name);
	tp_str_add(out, "\n");
	for (size_t i = 0; i < run->n_trials; i++) {
		for (size_t f = 0; f < table->n; f++) {
			tp_str_add(out, f > 0 ? "," : "");
			tp_field_cell(table, &table->fields[f], &run->trials[i], out);
		}
		tp_str_add(out, "\n");
	}
	return out->oom ? TP_NOMEM : TP_OK;
}
