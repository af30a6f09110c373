/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A class made by hand: three ideal events, one of them absent, and an event of every fate. Nothing
 * of it is on the heap.
 */
#ifndef TPROF_TESTS_CLASS_SAMPLE_H
#define TPROF_TESTS_CLASS_SAMPLE_H

#include <math.h>
#include <stdio.h>

#include "experiments/counters/classes.h"

struct class_sample {
	const char *ideals[2], *absent[1], *row_names[3], *row_groups[3];
	unsigned rows[3], chosen[2];
	double row_x[3], expectations[6], x[7][2], dependence[2];
	struct tp_class_event events[7];
	struct tp_class_term terms[2];
	struct tp_class_metric metrics[2];
};

/* `class` points into `s`; it is not to be released. */
static inline void make_class_sample(struct class_sample *s, struct tp_class *class)
{
	*s = (struct class_sample){
		.ideals = { "ADD", "FMA" },
		.absent = { "WIDE" },
		.row_names = { "add 24", "add 48", "fma 12" },
		.row_groups = { "add", "add", "" },
		.rows = { 0, 1, 3 },
		.row_x = { 24, 48, NAN },
		.expectations = { 24, 0, 48, 0, 0, 12 },
		.x = { { 1, 2 }, { 0, 1 }, { 1, 3 }, { 0.5, 0.25 } },
		.dependence = { 1, 1 },
		.chosen = { 1, 0 },
		.terms = { { 0, 0.9999, 1 }, { 1, -2.0001, -2 } },
	};
	s->events[0] = (struct tp_class_event){ "FP, \"all\"", "chosen", 0,    1e-16, 3,
						2.2,	       s->x[0],	 NULL, 1,     3 };
	s->events[1] = (struct tp_class_event){ "FMA", "chosen", 0, 0, 1, 1, s->x[1], NULL, 0, 0 };
	s->events[2] = (struct tp_class_event){ "SUM",	 "dependent",	0,  1e-15, 4, 1e-17,
						s->x[2], s->dependence, -1, 1 };
	s->events[3] = (struct tp_class_event){
		"ODD", "not representable", 0, 0.25, NAN, NAN, s->x[3], NULL, -1, 0
	};
	s->events[4] = (struct tp_class_event){ "CYCLES", "noisy", 0.125, NAN, NAN,
						NAN,	  NULL,	   NULL,  -1,  0 };
	s->events[5] = (struct tp_class_event){ "ZERO", "irrelevant", 0,    NAN, NAN,
						NAN,	NULL,	      NULL, -1,	 0 };
	s->events[6] =
		(struct tp_class_event){ "CUT", "invalid", NAN, NAN, NAN, NAN, NULL, NULL, -1, -1 };
	s->metrics[0] = (struct tp_class_metric){ .name = "operations",
						  .symbol = "FP_OPS",
						  .unit = "operation",
						  .error = 2e-17,
						  .rounded_error = 1e-5,
						  .row_error = 2e-3,
						  .rounded_row_error = 4e-3,
						  .row_noise = 1e-3,
						  .defined = true,
						  .terms = s->terms,
						  .n_terms = 2 };
	s->metrics[1] = (struct tp_class_metric){ .name = "wide",
						  .symbol = "WIDE_OPS",
						  .unit = "",
						  .error = NAN,
						  .rounded_error = NAN,
						  .row_error = NAN,
						  .rounded_row_error = NAN,
						  .row_noise = NAN };
	*class = (struct tp_class){ .family = "small",
				    .run = 1,
				    .title = "a small family",
				    .per = "iteration",
				    .source = "replay",
				    .tau = 1e-10,
				    .residual_limit = 1e-3,
				    .alpha = 5e-4,
				    .beta = 7e-4,
				    .defined_limit = 1e-10,
				    .spectral_norm = 2.5,
				    .ideals = s->ideals,
				    .n_ideals = 2,
				    .n_rows = 6,
				    .rows = s->rows,
				    .row_names = s->row_names,
				    .row_groups = s->row_groups,
				    .row_x = s->row_x,
				    .expectations = s->expectations,
				    .n_used = 3,
				    .absent = s->absent,
				    .n_absent = 1,
				    .events = s->events,
				    .n_events = 7,
				    .chosen = s->chosen,
				    .n_chosen = 2,
				    .metrics = s->metrics,
				    .n_metrics = 2 };
}

#endif
