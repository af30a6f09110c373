/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Presets without measuring: --check, --dry-run, --print-config. */
#include "cli/cli.h"
#include "lesson/lesson.h"
#include "session/consent.h"
#include "session/session.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Code that a run would execute is announced before there is a run. */
static void tell_code(const struct tp_session *session, const struct tp_cli *cli)
{
	TP_CLEANUP(tp_consent_release) struct tp_consent code = { 0 };
	tp_consent_add_preset(&code, &session->preset, true);
	if (!cli->quiet)
		tp_consent_say(&code);
}

static int check_lesson(const struct tp_cli *cli, const char *path)
{
	TP_CLEANUP(tp_lesson_release) struct tp_lesson lesson = { 0 };
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 }, remarks = { 0 };
	enum tp_status status = tp_lesson_load(&lesson, path, &cli->overrides, &diags);
	tp_complain_all(&diags);
	if (status == TP_OK && !cli->quiet) {
		tp_lesson_remarks(&lesson, &remarks);
		tp_complain_all(&remarks);
		tp_say("%s: ok, a lesson of %zu step%s", path, lesson.n_steps,
		       lesson.n_steps == 1 ? "" : "s");
	}
	return (int)tp_status_exit(status);
}

int tp_cli_check(const struct tp_cli *cli)
{
	char path[TP_PATH_MAX];
	if (tp_cli_is_lesson(tp_cli_value(cli), path))
		return check_lesson(cli, path);
	if (tp_cli_no_lesson(tp_cli_value(cli)))
		return TP_EXIT_USAGE;
	TP_CLEANUP(tp_session_close) struct tp_session session = { 0 };
	int code = tp_cli_open(&session, cli, tp_cli_value(cli), true);
	if (code != TP_EXIT_OK)
		return code;
	tell_code(&session, cli);
	code = tp_cli_check_session(&session, cli);
	if (code == TP_EXIT_OK && !cli->quiet)
		tp_say("%s: ok, %zu points in %zu run%s", session.preset.path, session.plan.n,
		       session.preset.n_runs, session.preset.n_runs == 1 ? "" : "s");
	return code;
}

int tp_cli_dry_run(const struct tp_cli *cli)
{
	TP_CLEANUP(tp_session_close) struct tp_session session = { 0 };
	TP_STR out = { 0 };
	char lesson[TP_PATH_MAX];
	if (tp_cli_is_lesson(tp_cli_value(cli), lesson))
		return tp_cli_lesson_plan(cli, lesson);
	if (tp_cli_no_lesson(tp_cli_value(cli)))
		return TP_EXIT_USAGE;
	int code = tp_cli_open(&session, cli, tp_cli_value(cli), true);
	if (code != TP_EXIT_OK)
		return code;
	tell_code(&session, cli);
	code = tp_cli_check_session(&session, cli);
	if (code != TP_EXIT_OK)
		return code;
	tp_cli_estimate(&session, cli);
	tp_session_plan_text(&session.plan, &session.machine, &out);
	fputs(tp_str_text(&out), stdout);
	return TP_EXIT_OK;
}

/* The source of each point, once if several share it. */
static enum tp_status show_sources(const struct tp_plan *plan, struct tp_diag *diag)
{
	TP_STR last = { 0 }, source = { 0 };
	enum tp_status status = TP_OK;
	bool any = false;
	for (size_t i = 0; i < plan->n && status == TP_OK; i++) {
		const struct tp_planned *p = &plan->items[i];
		if (!p->experiment->source)
			continue;
		any = true;
		tp_str_clear(&source);
		status = p->experiment->source(p, &source, diag);
		if (status != TP_OK || strcmp(tp_str_text(&source), tp_str_text(&last)) == 0)
			continue;
		printf("/* point %zu: %s */\n", i, p->point.kernel);
		tp_str_clear(&last);
		tp_str_add(&last, tp_str_text(&source));
		if (source.s)
			tp_clean(source.s, "\n\t");
		fputs(tp_str_text(&source), stdout);
	}
	if (status == TP_OK && !any)
		status = tp_fail(diag, TP_USAGE, "--show-code", "see --dump-asm for other kernels",
				 "no point of the preset runs code that is compiled");
	return status;
}

int tp_cli_show_code(const struct tp_cli *cli)
{
	TP_CLEANUP(tp_session_close) struct tp_session session = { 0 };
	struct tp_diag diag = { 0 };
	int code = tp_cli_open(&session, cli, tp_cli_value(cli), true);
	if (code != TP_EXIT_OK)
		return code;
	enum tp_status status = show_sources(&session.plan, &diag);
	return status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, &diag);
}

int tp_cli_print_config(const struct tp_cli *cli)
{
	TP_CLEANUP(tp_session_close) struct tp_session session = { 0 };
	TP_STR out = { 0 };
	int code = tp_cli_open(&session, cli, tp_cli_value(cli), false);
	if (code != TP_EXIT_OK)
		return code;
	enum tp_status status = tp_preset_write(&session.preset, true, &out);
	fputs(tp_str_text(&out), stdout);
	return (int)tp_status_exit(status);
}
