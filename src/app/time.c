/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native runs: what takes how long. */
#include "app/agent.h"
#include "app/sources.h"
#include "base/now.h"

#include <stdlib.h>

/* Regions alone: the whole program has its times already. */
static enum tp_status read_times(const struct tp_app_command *command,
				 const struct tp_app_shared *shared, struct tp_app_time *time,
				 struct tp_diag *diag)
{
	struct tp_agent_shared *head;
	struct tp_app_regions regions = { 0 };
	struct tp_diag why;
	uint64_t now_ns = (uint64_t)(1e9 * tp_now_seconds());
	enum tp_status status = tp_app_shared_head(shared->fd, &head, diag);
	if (status != TP_OK)
		return status;
	status = tp_app_shared_regions(shared->fd, head, now_ns, &regions, diag);
	if (status == TP_OK) {
		tp_app_shared_notes(head, command, &regions, tp_app_agent_never(command, &why),
				    &time->notes);
		for (size_t i = 0; i < regions.n; i++)
			if (regions.items[i].name[0])
				regions.items[time->n_regions++] = regions.items[i];
		time->regions = regions.items;
		status = tp_app_shared_spans(head, now_ns, time, diag);
	}
	tp_app_shared_head_free(head);
	return status;
}

enum tp_status tp_app_time(const struct tp_app_command *command, struct tp_app_time *time,
			   struct tp_diag *diag)
{
	struct tp_app_shared shared = { .fd = -1 };
	struct tp_command_run ran = { 0 };
	struct tp_diag why, note;
	char path[TP_PATH_MAX];
	*time = (struct tp_app_time){ 0 };
	enum tp_status status = tp_app_program(command->words[0], path, diag);
	if (status != TP_OK)
		return status;
	/* Nobody knows beforehand whether it marks regions. */
	bool with_agent = tp_app_agent.supported(path, NULL, &why) == TP_OK;
	if (with_agent) {
		status = tp_app_shared_make(&shared, TP_AGENT_TIME, command, diag);
		if (status == TP_OK)
			status = tp_app_agent_run(command, &shared, &ran, &time->notes, diag);
		if (status == TP_OK)
			status = read_times(command, &shared, time, diag);
		tp_app_shared_release(&shared);
	} else {
		status = tp_app_execute(command, NULL, &ran, diag);
		if (status == TP_OK) {
			tp_app_note_late(command, &ran, &time->notes);
			tp_fail(&note, TP_OK, why.where, why.hint, "regions are not timed: %s",
				why.what);
			tp_diags_add(&time->notes, &note);
		}
	}
	if (status != TP_OK) {
		tp_app_time_release(time);
		return status;
	}
	time->wall_seconds = ran.wall_seconds;
	time->user_seconds = ran.user_seconds;
	time->system_seconds = ran.system_seconds;
	time->max_rss_bytes = ran.max_rss_bytes;
	time->end = ran.end;
	return TP_OK;
}
