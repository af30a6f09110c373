/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/document.h"
#include "lesson/say.h"
#include "report/html.h"

static const char description[] = "A lesson of tprof, with what was measured on one machine.";

enum tp_status tp_lesson_html(const struct tp_player *player, struct tp_str *out)
{
	const struct tp_html_page page = { .title = player->lesson.title,
					   .subtitle = player->lesson.name,
					   .description = description };
	struct tp_str body = { 0 };
	enum tp_status status = tp_lesson_report(player, &tp_html_look, &body);
	if (status == TP_OK)
		status = tp_html_page_make(&page, &body, out);
	tp_str_release(&body);
	return status;
}

static bool pictures_of(const void *what, const struct tp_gallery *gallery)
{
	const struct tp_player *player = what;
	bool good = true;
	for (size_t i = 0; i < player->lesson.n_steps && good; i++)
		good = tp_lesson_pictures(player, i, gallery);
	return good;
}

enum tp_status tp_lesson_svg(const struct tp_player *player, struct tp_str *out)
{
	const char *lines[] = { player->lesson.summary ? player->lesson.summary : "" };
	const struct tp_svg_sheet sheet = { .title = player->lesson.title,
					    .description = description,
					    .lines = lines,
					    .n_lines = player->lesson.summary ? 1 : 0,
					    .pictures = pictures_of,
					    .what = player };
	return tp_svg_sheet_make(&sheet, TP_SVG_AUTO, out);
}
