/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How pages look, and how their tables are sorted. Private to this room. */
#ifndef TPROF_REPORT_HTML_PARTS_H
#define TPROF_REPORT_HTML_PARTS_H

/* The style sheet, but for that of pictures. Neither text holds "<" or "&". */
extern const char tp_html_rules[];
/* The only script that a page runs: it adds buttons to the heads of tables. */
extern const char tp_html_script[];
/*
 * Browsers run the script by its SHA-256 in Base64, and no other: tests/cli/html.sh says what it
 * is when the script changes.
 */
#define TP_HTML_SCRIPT_HASH "sha256-KyZtGcaHU3tPsfFBDs332tMq+l3KTzb430ovqgardko="

#endif
