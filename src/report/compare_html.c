/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as a page: the verdict and its runs, pictures of the runs on each other, tables. */
#include "report/compare_parts.h"
#include "report/facts.h"
#include "report/html.h"
#include "report/overlay.h"
#include "report/reporter.h"

#include <stdio.h>
#include <string.h>

static bool overlays(const void *what, const struct tp_gallery *gallery)
{
	return tp_overlay_each(what, gallery);
}

static void verdict(const struct tp_comparison *c, struct tp_str *body)
{
	static const struct tp_look plain = { .utf8 = true };
	struct tp_str text = { 0 };
	tp_text_title(body, &tp_html_look, "Verdict");
	tp_compare_verdict(c, &plain, &text);
	const char *words = tp_str_text(&text);
	size_t prefix = strncmp(words, "tprof: ", 7) == 0 ? 7 : 0;
	tp_text_wrap(body, &tp_html_look, TP_PAINT_STRONG, words + prefix, 0, 0);
	if (!c->no_verdict[0])
		tp_compare_rest_line(c, &tp_html_look, body);
	tp_compare_run_lines(c, &tp_html_look, body);
	body->oom |= text.oom;
	tp_str_release(&text);
}

static void pictures(const struct tp_comparison *c, struct tp_str *body)
{
	const struct tp_overlay overlay = { c->runs, c->names, c->n_runs };
	char text[96];
	tp_text_title(body, &tp_html_look, "Pictures");
	snprintf(text, sizeof(text), "At most %d runs go into a picture; these are %zu.",
		 TP_REPORT_RUNS_MAX, c->n_runs);
	if (c->n_runs > TP_REPORT_RUNS_MAX)
		tp_text_wrap(body, &tp_html_look, TP_PAINT_DIM, text, 0, 0);
	else
		tp_pictures_text(overlays, &overlay, NULL, &tp_html_look, body);
}

enum tp_status tp_compare_html(const struct tp_comparison *c, struct tp_str *out)
{
	struct tp_str body = { 0 }, names = { 0 };
	for (size_t i = 0; i < c->n_runs; i++)
		tp_str_printf(&names, "%s%s", i ? " \u00b7 " : "", c->names[i]);
	verdict(c, &body);
	pictures(c, &body);
	tp_compare_tables(c, &tp_html_look, &body);
	const struct tp_html_page page = {
		"Comparison of runs", tp_str_text(&names),
		"Runs of tprof side by side: which differences are real.", true
	};
	enum tp_status status = names.oom ? TP_NOMEM : tp_html_page_make(&page, &body, out);
	tp_str_release(&body);
	tp_str_release(&names);
	return status;
}
