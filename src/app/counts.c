/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What counting and timing leave, and how it goes. */
#include "app/app.h"

#include <stdlib.h>

void tp_app_counts_release(struct tp_app_counts *counts)
{
	free(counts->regions);
	free(counts->functions);
	tp_diags_release(&counts->notes);
	*counts = (struct tp_app_counts){ 0 };
}

void tp_app_time_release(struct tp_app_time *time)
{
	free(time->regions);
	free(time->spans);
	free(time->names);
	tp_diags_release(&time->notes);
	*time = (struct tp_app_time){ 0 };
}
