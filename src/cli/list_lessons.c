/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --list lessons. */
#include "cli/list.h"
#include "lesson/lesson.h"

#include <stdlib.h>

/* About how long all its measurements take. */
static double seconds_of(const struct tp_lesson *lesson)
{
	double seconds = 0;
	for (size_t i = 0; i < lesson->n_steps; i++)
		seconds += lesson->steps[i].seconds;
	return seconds;
}

static void list_lesson(struct tp_list_sink *s, const struct tp_named_file *file)
{
	struct tp_lesson lesson;
	struct tp_diags errors = { 0 };
	char name[TP_NAME_MAX + 16];
	snprintf(name, sizeof(name), "lessons/%s", file->name);
	tp_list_called(s, name, name);
	if (s->only_names)
		return;
	bool reads = tp_lesson_load(&lesson, file->path, NULL, &errors) == TP_OK;
	double seconds = seconds_of(&lesson);
	if (reads)
		tp_grid_printf(&s->grid, TP_PAINT_PLAIN, "%.1f min", seconds / 60);
	else
		tp_grid_text(&s->grid, TP_PAINT_BAD, "broken");
	tp_list_text(s, "title", file->title);
	tp_list_cell(s, TP_PAINT_PLAIN, reads ? lesson.summary : "tprof --check says why");
	tp_listing_text(s->json, "summary", reads ? lesson.summary : NULL);
	if (reads)
		tp_listing_real(s->json, "seconds", seconds);
	tp_listing_bool(s->json, "reads", reads);
	tp_listing_text(s->json, "path", file->path);
	tp_diags_release(&errors);
	tp_lesson_release(&lesson);
}

enum tp_status tp_list_lessons(struct tp_list_sink *s, struct tp_diag *diag)
{
	struct tp_named_file *files = NULL;
	size_t n = 0;
	enum tp_status status = tp_lesson_entries(&files, &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		list_lesson(s, &files[i]);
	if (status == TP_OK && !n)
		tp_str_add(&s->remarks, "There are no lessons.\n");
	free(files);
	return status;
}
