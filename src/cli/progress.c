/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The progress line. It is drawn with carriage returns and blanks only, so it works on any
 * terminal, and at most five times a second, because drawing costs time on the machine that is
 * being measured.
 */
#include "cli/cli.h"
#include "report/text.h"
#include "base/units.h"
#include "base/now.h"
#include "base/vec.h"
#include "record/kernel_row.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REDRAW_SECONDS 0.2

enum { LINE_MAX_COLUMNS = 400 };

static void describe(const struct tp_point *point, const struct tp_look *look, struct tp_str *line)
{
	char size[32], threads[32];
	if (!point->experiment[0])
		return;
	tp_str_add(line, tp_text_dot(look));
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

/* The estimate of the running point, once there is one. */
static void value(const struct tp_point *point, const struct tp_look *look, struct tp_str *line)
{
	if (point->median > 0)
		tp_str_printf(line, "%s%.4g %s", tp_text_dot(look), point->median, point->unit);
}

/* The first touch of memory can take seconds for each GiB. */
static void touching(const struct tp_event *event, const struct tp_look *look, struct tp_str *line)
{
	char size[32];
	tp_str_printf(line, "%spreparing %s, %.0f %%", tp_text_dot(look),
		      tp_format_bytes(size, sizeof(size), event->touch_bytes),
		      100.0 * (double)event->touched_bytes / (double)event->touch_bytes);
}

void tp_progress_line(const struct tp_event *event, const struct tp_point *point,
		      const struct tp_look *look, size_t columns, struct tp_str *line)
{
	char left[48];
	unsigned total = TP_MAX(event->n_points, event->n_done);
	struct tp_str head = { 0 }, tail = { 0 };
	tp_str_printf(&head, "%u/%u", event->n_done, total);
	if (point->point == event->point.point)
		describe(point, look, &head);
	if (event->touch_bytes)
		touching(event, look, &head);
	else
		value(&event->point, look, &head);
	if (event->remaining_seconds > 0)
		tp_str_printf(&tail, "%s%s left", tp_text_dot(look),
			      tp_format_seconds(left, sizeof(left),
						(double)(long long)(event->remaining_seconds + 1)));
	/* Where the line is too narrow, the description is cut and the time stays. */
	const char *text = tp_str_text(&head);
	size_t tail_columns = tp_text_columns(tp_str_text(&tail));
	size_t room = columns > tail_columns ? columns - tail_columns : 0;
	if (room < 8) {
		tp_str_clear(&tail);
		room = columns;
	}
	tp_str_add_n(line, text, tp_text_cut(text, room));
	tp_str_add(line, tp_str_text(&tail));
	tp_str_release(&head);
	tp_str_release(&tail);
}

static void put(struct tp_progress *progress, const char *text)
{
	struct tp_str out = { 0 };
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
	tp_str_release(&out);
}

void tp_progress_event(struct tp_progress *progress, const struct tp_event *event)
{
	if (event->kind == TP_EVENT_DONE)
		tp_progress_clear(progress);
	if (event->kind == TP_EVENT_POINT_BEGIN) {
		progress->point = event->point;
		progress->point.samples = NULL;
		progress->point.n_samples = progress->point.cap_samples = 0;
	}
	if (event->kind != TP_EVENT_PROGRESS || !progress->look.terminal)
		return;
	double now = tp_now_seconds();
	if (progress->shown && now - progress->last < REDRAW_SECONDS)
		return;
	if (!tp_look_foreground(STDERR_FILENO))
		return;
	tp_look_size(&progress->look, STDERR_FILENO);
	if (progress->look.columns < 2)
		return;
	struct tp_str line = { 0 };
	tp_progress_line(event, &progress->point, &progress->look,
			 TP_MIN(progress->look.columns, (unsigned)LINE_MAX_COLUMNS) - 1, &line);
	put(progress, tp_str_text(&line));
	tp_str_release(&line);
	progress->last = now;
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
