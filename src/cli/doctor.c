/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine: what on it would disturb a measurement and the command against it (tprof doctor),
 * and what it consists of (tprof hardware).
 */
#include "cli/cli.h"
#include "base/memory.h"
#include "doc/terminal.h"
#include "machine/knobs_held.h"
#include "record/json.h"
#include "session/doctor.h"
#include "session/facts.h"
#include "session/hardware.h"

#include <string.h>
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

/* The facts of the machine under the names that they have in run.json, without "machine.". */
static void print_facts(const struct tp_session *session, struct tp_str *out)
{
	static const char prefix[] = "machine.";
	TP_CLEANUP(tp_run_release) struct tp_run run = { 0 };
	struct tp_listing *json = tp_listing_new();
	tp_facts_collect(&run, session);
	tp_listing_row(json);
	for (const struct tp_fact *f = run.facts; f < run.facts + run.n_facts; f++) {
		if (strncmp(f->key, prefix, strlen(prefix)) != 0)
			continue;
		if (f->is_number)
			tp_listing_real(json, f->key + strlen(prefix), f->number);
		else
			tp_listing_text(json, f->key + strlen(prefix), f->text);
	}
	tp_listing_write(json, out);
	tp_listing_free(json);
}

int tp_cli_hardware(const struct tp_cli *cli)
{
	TP_FREE struct tp_session *session = tp_alloc(1, sizeof(*session));
	TP_CLEANUP(tp_found_release) struct tp_found found = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_look look;
	bool changed;
	TP_STR out = { 0 };
	int code = tp_cli_open(session, cli, NULL, false);
	if (code != TP_EXIT_OK)
		return code;
	enum tp_status status = tp_session_machine(session, &diag);
	if (status != TP_OK) {
		tp_session_close(session);
		return tp_cli_fail(status, &diag);
	}
	const struct tp_machine *machine = &session->machine;
	tp_look_init(&look, &cli->look, STDOUT_FILENO);
	TP_TEXT(text, &look);
	if (cli->json) {
		print_facts(session, &out);
	} else {
		while (!machine->foreign && tp_found_go_on(&found, machine, &changed))
			;
		const struct tp_run *measured = tp_found_run(&found);
		tp_hardware_environment(machine, &text);
		tp_text_title(&text, "Topology");
		tp_hardware_topology(machine, measured, &text);
		tp_text_title(&text, "Caches");
		tp_hardware_caches(machine, &found, &text);
		tp_text_title(&text, "Theoretical peaks");
		tp_hardware_peaks(&machine->model, measured, found.from, &text);
		tp_text_title(&text, "Instruction sets");
		tp_hardware_isas(machine, &text);
		tp_text_print(&text, &out);
	}
	fputs(tp_str_text(&out), stdout);
	tp_session_close(session);
	return TP_EXIT_OK;
}
