/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/groups.h"

#include <string.h>

static bool same_group(const struct tp_group *a, const struct tp_group *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       strcmp(a->precision, b->precision) == 0;
}

void tp_groups_show(struct tp_page *page, const struct tp_grouped *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct tp_group group = table->group_of(page->run, i);
		bool known = table->leave_out && table->leave_out(page->run, i);
		for (size_t k = 0; k < i && !known; k++) {
			struct tp_group other = table->group_of(page->run, k);
			known = same_group(&group, &other) &&
				!(table->leave_out && table->leave_out(page->run, k));
		}
		if (!known)
			table->show(page, &group);
	}
}

bool tp_groups_has(const struct tp_page *page, const struct tp_grouped *table, size_t i,
		   const struct tp_group *group)
{
	struct tp_group own = table->group_of(page->run, i);
	return same_group(&own, group);
}

void tp_page_isa(struct tp_grid *grid, const char *isa, const char **above)
{
	tp_grid_again(grid, TP_PAINT_STRONG, isa, *above && strcmp(*above, isa) == 0);
	*above = isa;
}

void tp_page_explain(struct tp_page *page, const char *text)
{
	tp_text_wrap(page->out, page->look, TP_PAINT_DIM, text, 0, 0);
}
