/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ways of counting. A new one is a file with its `const struct tp_app_source tp_app_NAME`, its
 * name in app.h, and a row here; the first that supports a program is the default.
 */
#include "app/app.h"
#include "base/memory.h"

#include <string.h>

const struct tp_app_source *const tp_app_source_table[] = {
	&tp_app_agent,
	&tp_app_qemu,
	&tp_app_pmu,
};
const size_t tp_app_source_count = TP_COUNT_OF(tp_app_source_table);

const struct tp_app_source *tp_app_source_find(const char *name)
{
	for (size_t i = 0; i < tp_app_source_count; i++)
		if (strcmp(tp_app_source_table[i]->name, name) == 0)
			return tp_app_source_table[i];
	return NULL;
}
