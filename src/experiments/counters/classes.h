/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the events of one family turned out to count: plain data for run.json, reports, screens, and
 * the PAPI file.
 */
#ifndef TPROF_EXPERIMENTS_COUNTERS_CLASSES_H
#define TPROF_EXPERIMENTS_COUNTERS_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "record/run.h"

struct tp_class_event {
	const char *name;
	char fate[24]; /* tp_fate_name: "chosen", "noisy", ... */
	double noise, residual, score, norm; /* NaN where not computed */
	double *x; /* n_ideals: its representation; NULL if it has none */
	/* n_chosen: as a combination of the chosen events; NULL unless dependent */
	double *dependence;
	int order; /* position among the chosen, -1 = not chosen */
	long left_out; /* readings that were disturbed; -1 in runs of earlier versions */
};

struct tp_class_term {
	unsigned chosen; /* index into `chosen` */
	double coefficient, rounded;
};

struct tp_class_metric {
	const char *name, *symbol, *unit;
	double error, rounded_error; /* backward errors */
	/*
	 * On the rows that it was made from, relative to its largest expectation, and what the
	 * noise of its events explains of the first. NaN in runs of earlier versions.
	 */
	double row_error, rounded_row_error, row_noise;
	bool defined;
	struct tp_class_term *terms; /* those whose coefficient is not negligible, in pivot order */
	size_t n_terms;
};

struct tp_class {
	char family[32];
	unsigned run; /* of the preset */
	const char *title, *per; /* of the basis */
	const char *source; /* "papi", "emulated", "replay" */
	double tau, residual_limit, alpha, beta, defined_limit;
	double spectral_norm;
	const char **ideals;
	size_t n_ideals;
	size_t n_rows; /* of the basis */
	unsigned *rows; /* the measured and used ones */
	const char **row_names; /* of the used rows */
	const char **row_groups;
	double *row_x; /* NaN = by number */
	double *expectations; /* n_used x n_ideals */
	size_t n_used;
	/* ideal events that no measured row exercises: left out of basis and signatures */
	const char **absent;
	size_t n_absent;
	struct tp_class_event *events;
	size_t n_events;
	unsigned *chosen; /* event indexes in pivot order */
	size_t n_chosen;
	struct tp_class_metric *metrics;
	size_t n_metrics;
	struct tp_arena arena; /* owns everything above */
};

void tp_class_release(struct tp_class *class);
/* True if the rounded coefficients are as good a metric. */
bool tp_class_is_round(const struct tp_class *class, const struct tp_class_metric *metric);

extern const struct tp_part tp_class_part; /* one row a family: "families" of run.json */
#define tp_run_classes(run)   TP_ROWS(run, tp_class_part, tp_class)
#define tp_run_n_classes(run) TP_N(run, tp_class_part)

/*
 * {"format": "tprof-classes", "version": 1, "families": {...}}: the families as in run.json, see
 * tprof-results(5).
 */
void tp_classes_json(const struct tp_class *classes, size_t n, struct tp_str *out);
/* One row an event; the columns are those of tprof-results(5), section CLASSES.CSV. */
void tp_classes_csv(const struct tp_class *classes, size_t n, struct tp_str *out);

#endif
