/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How pages look, how their tables are sorted, what their pictures say. Private to this room. */
#ifndef TPROF_REPORT_HTML_PARTS_H
#define TPROF_REPORT_HTML_PARTS_H

#include "plot/svg.h"
#include "report/pictures.h"

/* The style sheet, but for that of pictures. Neither text holds "<" or "&". */
extern const char tp_html_rules[];
/* The only script that a page runs: it adds buttons to the heads of tables. */
extern const char tp_html_script[];
/*
 * Browsers run the script by its SHA-256 in Base64, and no other: tests/cli/html.sh says what it
 * is when the script changes.
 */
#define TP_HTML_SCRIPT_HASH "sha256-KyZtGcaHU3tPsfFBDs332tMq+l3KTzb430ovqgardko="

/* A picture whose values are said; `run` may be NULL. */
struct tp_html_said {
	const struct tp_picture *picture;
	const struct tp_run *run;
};
/* `say` of struct tp_svg_hover for a struct tp_html_said. */
const char *tp_html_say(const void *context, size_t series, size_t point, char *out, size_t size);

#endif
