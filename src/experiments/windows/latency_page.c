/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/latency_page.h"

/* "Latency · DRAM · 2 threads · run 2 of the preset" */
void tp_page_latency_title(struct tp_page *page, const char *name, const char *level,
			   unsigned threads, unsigned run)
{
	struct tp_str text = { 0 };
	const char *dot = tp_text_dot(page->look);
	char count[32];
	tp_str_add(&text, name);
	if (*level)
		tp_str_printf(&text, "%s%s", dot, level);
	tp_str_printf(&text, "%s%s", dot, tp_text_count(count, sizeof(count), threads, "thread"));
	if (page->many_runs)
		tp_str_printf(&text, "%srun %u of the preset", dot, run + 1);
	tp_page_title(page, tp_str_text(&text), NULL);
	tp_str_release(&text);
}

void tp_page_latency_heads(struct tp_page *page, struct tp_grid *grid,
			   const struct tp_grid_column *columns, size_t n)
{
	tp_grid_init(grid, columns, n);
	for (size_t c = 0; c < n; c++)
		tp_grid_head(grid, tp_page_column_head(page, columns[c].head));
}
