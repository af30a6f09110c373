/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/counters/row.h"

#include <stdio.h>
#include <string.h>

#include "experiments/counters/classes.h"
#include "experiments/counters/readings.h"

TP_COUNTERS_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_counters = {
	.experiment = "counters",
	.heading = "Counters",
	.uses = "threads",
	.place = 50,
	.rows = { TP_COUNTERS_OPTIONS(TP_OPTION_ROW) NULL },
};

static const struct tp_column columns[] = {
	TP_COLUMN(struct tp_count_row, source, "variant", TEXT, ALWAYS, TP_ROLE_NOTE,
		  TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON, ),
};

static const struct tp_table count_table = { TP_TABLE(struct tp_count_row, columns) };

const struct tp_count_row *tp_count_row(const struct tp_point *point)
{
	return tp_point_row(point, &count_table);
}

const char *tp_count_family(const struct tp_point *point, char *family, size_t size)
{
	size_t n = strcspn(point->kernel, "/");
	snprintf(family, size, "%.*s", (int)n, point->kernel);
	return point->kernel + n + (point->kernel[n] == '/');
}

bool tp_count_same_family(const struct tp_point *a, const struct tp_point *b)
{
	char of_a[sizeof(a->kernel)], of_b[sizeof(b->kernel)];
	tp_count_family(a, of_a, sizeof(of_a));
	tp_count_family(b, of_b, sizeof(of_b));
	return a->run == b->run && strcmp(of_a, of_b) == 0;
}

const struct tp_schema_row tp_schema_counters = {
	.points = { "counters", &count_table, NULL, NULL },
	TP_PARTS(&tp_class_part, &tp_readings_part),
	TP_ROW_EVENTS(&tp_counts_event),
};
