/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/counted.h"

#include <stdlib.h>
#include <string.h>

#include "base/pairs.h"

static size_t find(const struct tp_counted *counted, const char *name)
{
	size_t i = 0;
	while (i < counted->n && strcmp(counted->names[i], name) != 0)
		i++;
	return i;
}

void tp_counted_add(struct tp_counted *counted, const char *counts)
{
	char name[TP_COUNTED_NAME], value[32];
	while (tp_pairs_next(&counts, name, sizeof(name), value, sizeof(value)))
		if (find(counted, name) == counted->n && counted->n < TP_COUNTED_COLUMNS)
			tp_copy(counted->names[counted->n++], sizeof(name), name);
}

void tp_counted_columns(const struct tp_counted *counted, struct tp_grid_column *columns)
{
	for (size_t i = 0; i < counted->n; i++)
		columns[i] = (struct tp_grid_column){ counted->names[i], TP_RIGHT, 1 };
}

void tp_counted_cells(const struct tp_counted *counted, const char *counts, struct tp_grid *grid)
{
	for (size_t i = 0; i < counted->n; i++) {
		const char *at = counts;
		char name[TP_COUNTED_NAME], value[32];
		bool found = false;
		while (!found && tp_pairs_next(&at, name, sizeof(name), value, sizeof(value)))
			found = strcmp(name, counted->names[i]) == 0;
		if (found)
			tp_grid_number(grid, TP_PAINT_PLAIN, strtod(value, NULL), TP_DECIMALS);
		else
			tp_grid_text(grid, TP_PAINT_PLAIN, "");
	}
}
