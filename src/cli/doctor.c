/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tprof doctor: tells what on this machine would disturb a measurement, and the command that helps.
 */
#include "cli/cli.h"
#include "base/memory.h"
#include "doc/terminal.h"
#include "machine/knobs_held.h"
#include "record/json.h"
#include "session/doctor.h"

#include <time.h>
#include <unistd.h>

static void print_json(const struct tp_examination *e, struct tp_str *out)
{
	struct tp_listing *json = tp_listing_new();
	for (const struct tp_finding *f = e->findings; f < e->findings + e->n; f++) {
		tp_listing_row(json);
		tp_listing_text(json, "id", f->id);
		tp_listing_text(json, "title", f->title);
		tp_listing_text(json, "severity", tp_severity_name(f->severity));
		tp_listing_text(json, "what", f->what);
		tp_listing_text(json, "means", f->means);
		tp_listing_text(json, "remedy", f->remedy);
	}
	tp_listing_write(json, out);
	tp_listing_free(json);
}

/*
 * tprof doctor --restore: puts back what killed runs left changed. Every place that can hold a
 * record is looked at.
 */
static int restore(const struct tp_cli *cli, const char *root)
{
	struct tp_leftover left;
	int code = TP_EXIT_OK;
	size_t restored = 0;
	for (unsigned n = 0; tp_leftover_look(&left, n, root); n++) {
		TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
		if (left.state == TP_LEFTOVER_HELD)
			tp_diags_note(&diags, left.path, "it restores them when it ends",
				      "a tprof that is measuring has set the knobs");
		else if (left.state == TP_LEFTOVER_DOUBTFUL)
			tp_diags_note(&diags, left.path, "look at it, then remove it",
				      "this record was not made by tprof, or by another user: left "
				      "alone");
		if (left.state == TP_LEFTOVER_THERE && tp_leftover_restore(&left, &diags) == TP_OK)
			restored += left.knobs.n;
		else if (left.state != TP_LEFTOVER_NONE)
			code = TP_EXIT_RESOURCE;
		tp_complain_all(&diags);
		tp_knobs_release(&left.knobs);
	}
	if (code == TP_EXIT_OK && !cli->quiet)
		fprintf(stderr,
			restored ? "tprof: %zu settings put back\n"
				 : "tprof: nothing was left changed (%zu settings)\n",
			restored);
	return code;
}

int tp_cli_doctor(const struct tp_cli *cli)
{
	const struct timespec wait = { .tv_nsec = (long)(TP_EXAMINATION_SECONDS * 1e9) };
	struct tp_diag diag = { 0 };
	struct tp_look look;
	TP_STR out = { 0 };
	if (cli->restore)
		return restore(cli, tp_knobs_sysroot());
	TP_FREE struct tp_examination *e = tp_alloc(1, sizeof(*e));
	tp_look_init(&look, &cli->look, STDOUT_FILENO);
	if (!look.terminal)
		look.columns = 1000; /* for programs: an entry is one line */
	enum tp_status status = tp_examination_begin(e, &diag);
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	nanosleep(&wait, NULL);
	tp_examination_end(e, &look);
	if (cli->json) {
		print_json(e, &out);
	} else {
		TP_TEXT(text, &look);
		tp_findings_say(e->findings, e->n, &text);
		tp_text_print(&text, &out);
	}
	fputs(tp_str_text(&out), stdout);
	for (size_t i = 0; cli->strict != TP_STRICT_NOT && i < e->n; i++)
		if (e->findings[i].severity >= TP_WARNING)
			return TP_EXIT_UNSTABLE;
	return TP_EXIT_OK;
}
