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
		time->lost_marks = tp_app_shared_untold(shared->fd, head);
	}
	tp_app_shared_head_free(head);
	return status;
}

/* Whoever wants to know hears of marks while the program runs. */
struct watching {
	const struct tp_app_command *command;
	int fd;
	struct tp_app_follow follow;
};

static bool watch(void *context)
{
	struct watching *w = context;
	const struct tp_app_command *command = w->command;
	struct tp_app_mark marks[TP_APP_FOLLOWED];
	size_t n;
	do {
		n = tp_app_shared_follow(w->fd, &w->follow, marks);
		command->marks(command->context, marks, n, w->follow.names);
	} while (n > 0);
	return !command->go_on || command->go_on(command->context);
}

static enum tp_status run_watched(const struct tp_app_command *command,
				  struct tp_app_shared *shared, struct tp_command_run *ran,
				  struct tp_diags *notes, struct tp_diag *diag)
{
	struct tp_app_command watched = *command;
	if (!command->marks)
		return tp_app_agent_run(command, shared, ran, notes, diag);
	struct watching *w = calloc(1, sizeof(*w));
	if (!w)
		return tp_fail(diag, TP_NOMEM, command->words[0], NULL, "out of memory");
	w->command = command;
	w->fd = shared->fd;
	watched.go_on = watch;
	watched.context = w;
	enum tp_status status = tp_app_agent_run(&watched, shared, ran, notes, diag);
	free(w);
	return status;
}

enum tp_status tp_app_time(const struct tp_app_command *command, struct tp_app_time *time,
			   struct tp_diag *diag)
{
	struct tp_app_shared shared = { .fd = -1 };
	struct tp_command_run ran = { 0 };
	struct tp_diag why;
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
			status = run_watched(command, &shared, &ran, &time->notes, diag);
		if (status == TP_OK)
			status = read_times(command, &shared, time, diag);
		tp_app_shared_release(&shared);
	} else {
		status = tp_app_execute(command, NULL, &ran, diag);
		if (status == TP_OK) {
			tp_app_note_late(command, &ran, &time->notes);
			tp_diags_note(&time->notes, why.where, why.hint,
				      "regions are not timed: %s", why.what);
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
