/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What counting and timing leave, and how it goes. */
#include "app/app.h"
#include "app/shared_file.h"
#include "base/now.h"

#include <stdlib.h>

void tp_app_counts_release(struct tp_app_counts *counts)
{
	free(counts->regions);
	free(counts->functions);
	tp_diags_release(&counts->notes);
	*counts = (struct tp_app_counts){ 0 };
}

enum tp_status tp_app_shared_counts(int fd, const struct tp_agent_shared *head,
				    const struct tp_app_command *command, const char *never,
				    struct tp_app_counts *counts, struct tp_diag *diag)
{
	struct tp_app_regions regions = { 0 };
	uint64_t now_ns = (uint64_t)(1e9 * tp_now_seconds());
	enum tp_status status = tp_app_shared_regions(fd, head, now_ns, &regions, diag);
	if (status == TP_OK)
		status = tp_app_shared_functions(fd, head, &counts->functions, &counts->n_functions,
						 diag);
	if (status != TP_OK) {
		free(regions.items);
		return status;
	}
	counts->regions = regions.items;
	counts->n_regions = regions.n;
	counts->n_threads = regions.n_threads;
	counts->complete = tp_app_shared_notes(head, command, &regions, never, &counts->notes);
	return TP_OK;
}

void tp_app_time_release(struct tp_app_time *time)
{
	free(time->regions);
	free(time->spans);
	free(time->names);
	tp_diags_release(&time->notes);
	*time = (struct tp_app_time){ 0 };
}
