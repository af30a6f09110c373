/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands share: complaints, sessions, and the progress line. */
#include "cli/commands.h"
#include "doc/text.h"
#include "base/text.h"
#include "base/now.h"
#include "base/memory.h"
#include "record/point.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool tp_cli_does(const struct tp_cli *cli, const char *command)
{
	return cli->command && strcmp(cli->command->name, command) == 0;
}

int tp_cli_fail(enum tp_status status, const struct tp_diag *diag)
{
	tp_complain(diag);
	return (int)tp_status_exit(status);
}

int tp_cli_usage(const char *hint, const char *fmt, ...)
{
	struct tp_diag diag;
	va_list ap;
	va_start(ap, fmt);
	tp_vfail(&diag, TP_USAGE, "", hint, fmt, ap);
	va_end(ap);
	tp_complain(&diag);
	return TP_EXIT_USAGE;
}

void tp_command_words(const struct tp_command *command, struct tp_str *out)
{
	for (size_t i = 0; command->listed(i); i++)
		tp_str_printf(out, "%s%s",
			      i == 0		       ? ""
			      : command->listed(i + 1) ? ", "
						       : " or ",
			      command->listed(i));
}

void tp_command_text(const struct tp_command *command, const char *text, struct tp_str *out)
{
	const char *gap = strstr(text, "%s");
	if (!gap) {
		tp_str_add(out, text);
		return;
	}
	tp_str_add_n(out, text, (size_t)(gap - text));
	tp_command_words(command, out);
	tp_str_add(out, gap + 2);
}

void tp_command_help(const struct tp_command *command, struct tp_str *out)
{
	tp_command_text(command, command->help, out);
}

/* Variables that look like a misspelt option; doctor lists the others, which modulefiles set. */
static void remark_on_environment(void)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags strangers = { 0 };
	tp_environment_strangers(environ, &strangers);
	for (size_t i = 0; i < strangers.n; i++)
		if (strangers.items[i].hint[0])
			tp_complain(&strangers.items[i]);
}

int tp_cli_open(struct tp_session *session, const struct tp_cli *cli, const char *preset, bool plan)
{
	struct tp_diags diags = { 0 };
	if (!cli->quiet)
		remark_on_environment();
	enum tp_status status = tp_session_open(session, &cli->overrides, preset, plan, &diags);
	return tp_cli_opened(session, cli, status, &diags);
}

int tp_cli_opened(struct tp_session *session, const struct tp_cli *cli, enum tp_status status,
		  struct tp_diags *diags)
{
	if (!cli->quiet)
		tp_complain_all(&session->plan.notes);
	tp_complain_all(diags);
	tp_diags_release(diags);
	if (status != TP_OK)
		tp_session_close(session);
	return (int)tp_status_exit(status);
}

int tp_cli_check_session(struct tp_session *session, const struct tp_cli *cli)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	enum tp_status status = tp_session_check(session, &diags);
	if (status != TP_OK || !cli->quiet)
		tp_complain_all(&diags);
	return (int)tp_status_exit(status);
}

/*
 * --- the progress line ---
 *
 * It is drawn with carriage returns and blanks only, so it works on any
 * terminal, and at most five times a second, because drawing costs time on the machine that is
 * being measured.
 */

#define REDRAW_SECONDS 0.2
/* Shorter work needs no line. */
#define FIRST_SECONDS 0.3

enum { LINE_MAX_COLUMNS = 400, DESCRIPTION_COLUMNS = 40 };

static void describe(const struct tp_point *point, const struct tp_look *look, struct tp_str *line)
{
	char size[32], threads[32];
	if (!point->experiment[0])
		return;
	tp_str_add(line, tp_text_dot(look));
	/* A program has no precision; the roofs above it do. */
	if (strcmp(point->experiment, "app") == 0 && !*tp_kernel_row(point)->precision) {
		tp_str_add(line, point->n_samples ? "timing " : "counting ");
		tp_text_clean(line, point->kernel, look);
		if (point->n_samples)
			tp_str_printf(line, ", run %zu", point->n_samples + 1);
		return;
	}
	tp_str_printf(line, "%s %s %s %s", point->experiment, tp_kernel_row(point)->isa,
		      tp_kernel_row(point)->precision, point->kernel);
	if (tp_kernel_row(point)->level[0])
		tp_str_printf(line, " %s", tp_kernel_row(point)->level);
	if (tp_kernel_row(point)->working_set_bytes)
		tp_str_printf(line, " %s",
			      tp_format_bytes(size, sizeof(size),
					      tp_kernel_row(point)->working_set_bytes));
	tp_str_printf(line, ", %s",
		      tp_text_count(threads, sizeof(threads), point->threads, "thread"));
}

static void add_clock(double seconds, const char *what, const struct tp_look *look,
		      struct tp_str *line)
{
	char text[48];
	tp_str_printf(line, "%s%s %s", tp_text_dot(look),
		      tp_format_seconds(text, sizeof(text), (double)(long long)seconds), what);
}

static void clocks(const struct tp_event *event, const struct tp_look *look, bool both,
		   struct tp_str *line)
{
	if (both && event->elapsed_seconds >= 1)
		add_clock(event->elapsed_seconds, "elapsed", look, line);
	if (event->remaining_seconds > 0)
		add_clock(event->remaining_seconds + 1, "left", look, line);
}

void tp_progress_line(const struct tp_event *event, const struct tp_point *point,
		      const struct tp_look *look, size_t columns, struct tp_str *line)
{
	unsigned total = TP_MAX(event->n_points, event->n_done);
	TP_STR head = { 0 }, tail = { 0 };
	char words[48];
	if (total)
		tp_str_printf(&head, "%u/%u", event->n_done, total);
	else
		tp_str_add(&head, "planning");
	if (point->point == event->point.point)
		describe(point, look, &head);
	if (event->n_sources)
		tp_str_printf(&head, "%s%s", tp_text_dot(look),
			      tp_text_compiling(words, sizeof(words), event->n_compiled,
						event->n_sources));
	else if (event->touch_bytes) /* it can take seconds for each GiB */
		tp_str_printf(&head, "%spreparing %s, %.0f %%", tp_text_dot(look),
			      tp_format_bytes(words, sizeof(words), event->touch_bytes),
			      100.0 * (double)event->touched_bytes / (double)event->touch_bytes);
	else if (event->point.median > 0)
		tp_str_printf(&head, "%s%.4g %s", tp_text_dot(look), event->point.median,
			      event->point.unit);
	/* Where the line is too narrow, the description is cut and the time stays. */
	const char *text = tp_str_text(&head);
	clocks(event, look, true, &tail);
	if (tp_text_columns(tp_str_text(&tail)) + DESCRIPTION_COLUMNS > columns) {
		tp_str_clear(&tail);
		clocks(event, look, false, &tail);
	}
	size_t tail_columns = tp_text_columns(tp_str_text(&tail));
	size_t room = columns > tail_columns ? columns - tail_columns : 0;
	if (room < 8) {
		tp_str_clear(&tail);
		room = columns;
	}
	tp_str_add_n(line, text, tp_text_cut(text, room));
	tp_str_add(line, tp_str_text(&tail));
}

static void put(struct tp_progress *progress, const char *text)
{
	TP_STR out = { 0 };
	/* The last column stays free: some terminals wrap there. */
	size_t columns = TP_MIN(progress->look.columns, (unsigned)LINE_MAX_COLUMNS) - 1;
	size_t used = tp_text_columns(text);
	tp_str_add(&out, "\r");
	tp_str_add(&out, text);
	if (used < columns)
		tp_str_pad(&out, ' ', columns - used);
	tp_str_add(&out, "\r");
	fwrite(tp_str_text(&out), 1, out.len, stderr);
	fflush(stderr);
}

static void draw(struct tp_progress *progress, double now)
{
	struct tp_event event = progress->state;
	if (progress->held || !tp_look_foreground(STDERR_FILENO))
		return;
	tp_look_size(&progress->look, STDERR_FILENO);
	if (progress->look.columns < 2)
		return;
	TP_STR line = { 0 };
	event.elapsed_seconds = now - progress->started;
	event.remaining_seconds -= now - progress->heard;
	tp_progress_line(&event, &progress->point, &progress->look,
			 TP_MIN(progress->look.columns, (unsigned)LINE_MAX_COLUMNS) - 1, &line);
	put(progress, tp_str_text(&line));
	progress->last = now;
	progress->shown = true;
}

void tp_progress_start(struct tp_progress *progress, const struct tp_look *look)
{
	*progress = (struct tp_progress){ .look = *look };
	progress->started = progress->heard = tp_now_seconds();
}

void tp_progress_tick(struct tp_progress *progress)
{
	double now = tp_now_seconds(), elapsed = now - progress->started;
	bool due = progress->shown ? floor(elapsed) > floor(progress->last - progress->started)
				   : elapsed >= FIRST_SECONDS;
	if (progress->look.terminal && due)
		draw(progress, now);
}

void tp_progress_event(struct tp_progress *progress, const struct tp_event *event)
{
	double now = tp_now_seconds();
	switch (event->kind) {
	case TP_EVENT_DONE:
		tp_progress_clear(progress);
		return;
	case TP_EVENT_PLAN:
		progress->state = (struct tp_event){ .n_points = event->n_points,
						     .remaining_seconds = event->estimate_seconds };
		progress->heard = now;
		break;
	case TP_EVENT_POINT_BEGIN:
		progress->point = event->point;
		progress->point.samples = NULL;
		progress->point.n_samples = progress->point.cap_samples = 0;
		/* The row of the event goes with the event. */
		if (event->point.row)
			progress->point.row = memcpy(&progress->room, event->point.row,
						     event->point.kind->table->row_bytes);
		progress->state.point = progress->point;
		break;
	case TP_EVENT_SAMPLE:
		progress->point.n_samples++;
		break;
	case TP_EVENT_PROGRESS:
		progress->state = *event;
		progress->state.point.row = NULL;
		progress->heard = now;
		if (progress->look.terminal &&
		    !(progress->shown && now - progress->last < REDRAW_SECONDS))
			draw(progress, now);
		return;
	default:
		break;
	}
	tp_progress_tick(progress);
}

void tp_progress_say(struct tp_progress *progress, const char *text)
{
	if (!progress->look.terminal || !tp_look_foreground(STDERR_FILENO))
		return;
	tp_look_size(&progress->look, STDERR_FILENO);
	if (tp_text_columns(text) >= progress->look.columns)
		return;
	put(progress, text);
	progress->shown = true;
}

void tp_progress_clear(struct tp_progress *progress)
{
	if (progress->shown && tp_look_foreground(STDERR_FILENO)) {
		tp_look_size(&progress->look, STDERR_FILENO);
		put(progress, "");
	}
	progress->shown = false;
}

/* --- before a run --- */

static bool still_planning(void *context)
{
	tp_progress_tick(context);
	return true;
}

void tp_cli_estimate(struct tp_session *session, const struct tp_cli *cli)
{
	struct tp_progress progress;
	struct tp_look look;
	tp_look_init(&look, &cli->look, STDERR_FILENO);
	look.terminal &= !cli->quiet;
	tp_progress_start(&progress, &look);
	tp_session_estimate(session, still_planning, &progress);
	tp_progress_clear(&progress);
}
