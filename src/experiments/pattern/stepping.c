/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/pattern/stepping.h"

#include <stdio.h>

#include "base/text.h"
#include "experiments/pattern/plan_row.h"

/* Arrays of a thread: some thousand elements, and some ten thousand instructions. */
static const uint64_t stepped_bytes[TP_PATTERN_STEPPED] = { 32 << 10, 64 << 10 };

/* --- in the child --- */

static enum tp_status prepare(void *context, struct tp_diag *diag)
{
	struct tp_pattern_stepping *s = context;
	enum tp_status status = TP_OK;
	for (int i = 0; i < TP_PATTERN_STEPPED && status == TP_OK; i++) {
		status = tp_pattern_memory_init(&s->memory[i], &s->configurations[i],
						TP_PAGES_DEFAULT, diag);
		if (status != TP_OK)
			break;
		tp_pattern_memory_arguments(&s->memory[i], 0, &s->arguments[i]);
		tp_openmp_alone(s->functions->init, &s->arguments[i], 1);
	}
	return status;
}

static void less(void *context)
{
	struct tp_pattern_stepping *s = context;
	tp_openmp_alone(s->functions->run, &s->arguments[0], s->passes[0]);
}

static void more(void *context)
{
	struct tp_pattern_stepping *s = context;
	tp_openmp_alone(s->functions->run, &s->arguments[1], s->passes[1]);
}

/* --- what is stepped --- */

/* Values of n for both, where the code takes n as an argument. */
static bool shrink(struct tp_pattern_stepping *s)
{
	const struct tp_pattern *p = s->configurations[0].pattern;
	int n = tp_pattern_find_parameter(p, "n", 1);
	if (n < 0 || !p->parameters[n].runtime)
		return false;
	for (int i = 0; i < TP_PATTERN_STEPPED; i++)
		s->configurations[i].values[n] =
			tp_pattern_n_for(&s->configurations[i], n, stepped_bytes[i]);
	return s->configurations[0].values[n] > 0 &&
	       s->configurations[0].values[n] < s->configurations[1].values[n];
}

static enum tp_status elements_between(const struct tp_pattern_stepping *s, double *elements,
				       struct tp_diag *diag)
{
	*elements = 0;
	for (int i = 0; i < TP_PATTERN_STEPPED; i++) {
		struct tp_pattern_work work;
		enum tp_status status = tp_pattern_config_work(&s->configurations[i], &work, diag);
		if (status != TP_OK)
			return status;
		*elements += (i ? 1 : -1) * work.elements * (double)s->passes[i];
	}
	return *elements > 0 ? TP_OK
			     : tp_fail(diag, TP_UNSUPPORTED, "events", NULL,
				       "this pattern has no elements to count instructions for");
}

enum tp_status tp_pattern_step(struct tp_pattern_stepping *s,
			       const struct tp_pattern_running *running,
			       struct tp_window_stepping *wanted, struct tp_diag *diag)
{
	uint64_t bytes;
	char size[32];
	*s = (struct tp_pattern_stepping){ .functions = &running->functions, .passes = { 1, 1 } };
	for (int i = 0; i < TP_PATTERN_STEPPED; i++) {
		s->configurations[i] = *running->configuration;
		s->configurations[i].threads = 1;
	}
	enum tp_status status = tp_pattern_config_bytes(&s->configurations[0], &bytes, diag);
	if (status != TP_OK)
		return status;
	if (bytes <= stepped_bytes[1])
		s->passes[1] = 2;
	else if (!shrink(s))
		return tp_fail(
			diag, TP_UNSUPPORTED, "events",
			"choose smaller parameters, or give n runtime: true",
			"%s of arrays are too many to step through, and the code of %s takes "
			"no smaller n",
			tp_format_bytes(size, sizeof(size), bytes),
			running->configuration->pattern->name);
	wanted->code =
		(struct tp_stepped){ .prepare = prepare, .less = less, .more = more, .context = s };
	return elements_between(s, &wanted->elements, diag);
}
