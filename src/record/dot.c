/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/dot.h"

#include <stdio.h>
#include <string.h>

#include "record/point.h"
#include "record/limits.h"

/* clang-format off */
#define C(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_dot, member, name, type, rule, TP_ROLE_##role, TP_IN_JSON, __VA_ARGS__)
static const struct tp_column columns[] = {
	C(run, "run", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C(point, "point", UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1),
	C(isa, "isa", TEXT, ALWAYS, DIMENSION),
	C(precision, "precision", TEXT, ALWAYS, DIMENSION),
	C(threads, "threads", UNSIGNED, ALWAYS, DIMENSION, .most = TP_RUN_THREADS_MAX),
	C(level, "level", TEXT, ALWAYS, DIMENSION),
	C(fp_op, "fp_op", TEXT, ALWAYS, DIMENSION,
	  .help = "The point; fp_op is the format and the order of the matrix if it is one of spmv, "
		  "and the name of the pattern if it is one of a pattern."),
	C(ai_flop_per_byte, "ai_flop_per_byte", REAL, ALWAYS, DIMENSION),
	C(gflops, "median_gflops", REAL, ALWAYS, METRIC,
	  .help = "Its position."),
	C(roof_gflops, "roof_gflops", REAL, NONZERO, METRIC,
	  .help = "What the measured roofs allow at its intensity; null without roofs."),
	C(distance_percent, "distance_percent", REAL, ALWAYS, METRIC,
	  .help = "Distance from the roof; negative below it."),
};
/* clang-format on */

static const struct tp_table table = {
	.name = "dots",
	TP_TABLE(struct tp_dot, columns),
};

const struct tp_part tp_dot_part = { .table = &table, .place = 3, .derived = true };

struct tp_dot *tp_dot_add(struct tp_run *run, const struct tp_point *p, const char *fp_op)
{
	const struct tp_kernel_row *k = tp_kernel_row(p);
	struct tp_dot *dot = tp_run_add_row(run, &tp_dot_part);
	*dot = (struct tp_dot){ .run = p->run,
				.point = p->point,
				.threads = p->threads,
				.ai_flop_per_byte = k->ai_flop_per_byte,
				.gflops = k->median_gflops };
	tp_copy(dot->isa, sizeof(dot->isa), k->isa);
	tp_copy(dot->precision, sizeof(dot->precision), k->precision);
	tp_copy(dot->level, sizeof(dot->level), k->level);
	tp_copy(dot->fp_op, sizeof(dot->fp_op), fp_op);
	return dot;
}

void tp_dot_set_roof(struct tp_dot *dot, double roof_gflops)
{
	dot->roof_gflops = roof_gflops;
	dot->distance_percent = 100 * (dot->gflops / roof_gflops - 1);
}

bool tp_dot_is_mixed(const struct tp_run *run, const struct tp_dot *dot)
{
	const struct tp_point *p = tp_run_point(run, dot->point);
	return !p || strcmp(p->experiment, "mixed") == 0;
}

/* From this distance in percent on a dot is far below its roof. */
#define FAR (-10.0)
/* Fewer instructions a cycle than this: the core waits most of the time. */
#define WAITS 1.0

const char *tp_dot_reason(const struct tp_run *run, const struct tp_dot *dot, char *out,
			  size_t size)
{
	const struct tp_point *p = dot->point < run->n_points ? &run->points[dot->point] : NULL;
	char quality[256];
	snprintf(out, size, "%s", "");
	if (!p || !tp_dot_is_mixed(run, dot) || !(dot->roof_gflops > 0) ||
	    !(dot->distance_percent < FAR))
		return out;
	double ipc = tp_kernel_row(p)->ipc;
	if (p->quality > TP_QUALITY_GOOD)
		snprintf(out, size, "its quality is %s: measure it again",
			 tp_quality_words(p->quality, p->flags, quality, sizeof(quality)));
	else if (ipc > 0 && ipc < WAITS)
		snprintf(out, size,
			 "latency-bound: %.2g instructions a cycle, so the core waits for data or "
			 "results",
			 ipc);
	else if (ipc > 0)
		snprintf(out, size,
			 "undisturbed: at %.2g instructions a cycle, memory and FP work do not "
			 "overlap fully",
			 ipc);
	else
		snprintf(out, size,
			 "nothing disturbed it, so memory and FP work do not overlap fully");
	return out;
}

bool tp_dot_is_odd(const struct tp_dot *dot)
{
	return dot->roof_gflops > 0 && dot->distance_percent > 5;
}
