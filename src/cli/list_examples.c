/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --list examples: the stored runs that ship with the program. */
#include "cli/list.h"
#include "record/load.h"

#include <stdio.h>
#include <stdlib.h>

enum tp_status tp_list_examples(struct tp_list_sink *s, struct tp_diag *diag)
{
	struct tp_run_entry *entries;
	size_t n;
	enum tp_status status = tp_example_entries(&entries, &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		const struct tp_run_entry *e = &entries[i];
		char name[sizeof(TP_EXAMPLE_PREFIX) + sizeof(e->directory)];
		snprintf(name, sizeof(name), "%s%s", TP_EXAMPLE_PREFIX, e->directory);
		tp_list_name(s, name);
		tp_list_text(s, "isas", e->brief.isas);
		tp_list_text(s, "figures", e->brief.figures);
		tp_list_text(s, "title", e->notes);
		tp_listing_text(s->json, "experiments", e->brief.experiments);
		tp_listing_text(s->json, "cpu", e->cpu);
		tp_listing_text(s->json, "simulated", *e->simulated ? e->simulated : NULL);
		tp_listing_count(s->json, "points", e->n_done);
		tp_listing_text(s->json, "path", e->path);
	}
	if (n)
		tp_str_add(&s->remarks, "One of them: tprof --show example/roofline, or --replay, "
					"--compare, --mine\n");
	free(entries);
	return status;
}
