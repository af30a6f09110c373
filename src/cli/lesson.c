/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lessons without screens: --batch and --dry-run of a lesson, --lesson-report. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/measure.h"
#include "cli/cli.h"
#include "lesson/learners.h"
#include "lesson/report.h"
#include "preset/preset.h"
#include "doc/terminal.h"
#include "session/document.h"

bool tp_cli_is_lesson(const char *typed, char path[TP_PATH_MAX])
{
	struct tp_diag diag;
	if (!typed)
		return false;
	if (tp_is_file(typed))
		return tp_copy(path, TP_PATH_MAX, typed) && tp_lesson_is(path);
	return tp_preset_find(typed, path, &diag) != TP_OK &&
	       tp_lesson_find(typed, path, &diag) == TP_OK;
}

bool tp_cli_no_lesson(const char *typed)
{
	char path[TP_PATH_MAX];
	struct tp_diag diag;
	if (!typed || strncmp(typed, "lessons/", 8) != 0 || tp_is_file(typed) ||
	    tp_lesson_find(typed, path, &diag) == TP_OK)
		return false;
	tp_complain(&diag);
	return true;
}

/* --- every measurement of a lesson --- */

struct course {
	const struct tp_cli *cli;
	struct tp_player player;
	size_t n; /* measurements */
};

static int open_session(struct course *c, size_t step, struct tp_session *session)
{
	struct tp_diags diags = { 0 };
	c->player.step = step;
	enum tp_status status = tp_player_session(&c->player, session, &diags);
	int code = tp_cli_opened(session, c->cli, status, &diags);
	/* A lesson that cannot work gives the reason; that is not a user error. */
	return status == TP_UNSUPPORTED ? TP_EXIT_SKIPPED : code;
}

static bool measures(const struct course *c, size_t step)
{
	return c->player.lesson.steps[step].kind == TP_STEP_MEASURE;
}

/* All errors are reported before the first measurement. */
static int open_course(struct course *c, const char *path, bool check)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	enum tp_status status = tp_player_open(&c->player, path, &c->cli->overrides, NULL, &diags);
	int code = (int)tp_status_exit(status);
	tp_complain_all(&diags);
	for (size_t i = 0; i < c->player.lesson.n_steps && code == TP_EXIT_OK; i++) {
		TP_CLEANUP(tp_session_close) struct tp_session session = { 0 };
		if (!measures(c, i))
			continue;
		code = open_session(c, i, &session);
		if (code != TP_EXIT_OK)
			break;
		if (check)
			code = tp_batch_check(c->cli, &session);
		c->n++;
	}
	return code;
}

/* --- measuring --- */

/* The run directory of a step: below --run-dir, or a new one of the user. */
static enum tp_status make_directory(const struct course *c, size_t step,
				     const struct tp_session *session, struct tp_keep *keep,
				     struct tp_diag *diag)
{
	const char *name = c->player.lesson.steps[step].name;
	char wanted[TP_PATH_MAX], called[2 * TP_NAME_MAX];
	int n = snprintf(wanted, sizeof(wanted), "%s/%s", c->cli->run_dir ? c->cli->run_dir : "",
			 name);
	if (n < 0 || (size_t)n >= sizeof(wanted))
		return tp_fail(diag, TP_USAGE, "--run-dir", NULL, "path too long");
	snprintf(called, sizeof(called), "%s-%s", c->player.lesson.name, name);
	if (c->cli->run_dir && tp_dir_make(c->cli->run_dir, diag) != TP_OK)
		return TP_RESOURCE;
	return tp_keep_create(keep, c->cli->run_dir ? wanted : NULL, called, &session->preset,
			      diag);
}

static int measure_step(struct course *c, size_t step)
{
	/* Results belong to the lesson, not to each run. */
	struct tp_cli cli = *c->cli;
	TP_CLEANUP(tp_session_close) struct tp_session session = { 0 };
	TP_CLEANUP(tp_keep_close) struct tp_keep keep = { .journal = -1 };
	struct tp_diag diag = { 0 };
	cli.json = cli.events = cli.control = false;
	cli.csv = TP_CSV_NOT;
	cli.output = cli.svg = cli.html = cli.papi_file = NULL;
	cli.report = TP_NEVER;
	cli.part = true;
	int code = open_session(c, step, &session);
	if (code != TP_EXIT_OK)
		return code;
	tp_cli_estimate(&session, &cli);
	enum tp_status status = make_directory(c, step, &session, &keep, &diag);
	if (status == TP_OK) {
		code = tp_batch_measure(&cli, &session, &keep, NULL);
		status = tp_player_measured(&c->player, step, keep.directory, &diag);
		if (status != TP_OK)
			tp_complain(&diag);
	} else {
		tp_complain(&diag);
		code = status == TP_USAGE ? TP_EXIT_USAGE : TP_EXIT_RESOURCE;
	}
	return code;
}

/* --- results --- */

static int write_outputs(const struct course *c)
{
	const struct tp_cli *cli = c->cli;
	const struct {
		bool wanted;
		const char *path;
		void (*make)(const struct tp_player *player, struct tp_str *out);
	} outputs[] = {
		{ cli->svg, cli->svg, tp_lesson_svg },
		{ cli->html, cli->html, tp_lesson_html },
		{ cli->json || cli->output, cli->output, tp_lesson_json },
	};
	int code = TP_EXIT_OK;
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		TP_STR out = { 0 };
		struct tp_diag diag;
		if (!outputs[i].wanted)
			continue;
		outputs[i].make(&c->player, &out);
		if (tp_text_write(outputs[i].path, &out, &diag) == TP_OK)
			continue;
		tp_complain(&diag);
		code = TP_EXIT_RESOURCE;
	}
	return code;
}

static void report(const struct course *c)
{
	const struct tp_cli *cli = c->cli;
	struct tp_look look;
	TP_STR out = { 0 };
	tp_look_init(&look, &cli->look, STDERR_FILENO);
	look.full = cli->report == TP_FULL;
	if (cli->quiet)
		return;
	if (cli->report == TP_ALWAYS || look.full || (cli->report == TP_AUTO && look.terminal)) {
		TP_TEXT(text, &look);
		tp_lesson_report(&c->player, &text);
		tp_text_print(&text, &out);
		fputs(tp_str_text(&out), stderr);
	} else if (!cli->json && !cli->output && !cli->html) {
		tp_say("%s: %zu measurement%s (--report=always, --json or --html FILE print the "
		       "lesson)",
		       c->player.lesson.name, c->n, c->n == 1 ? "" : "s");
	}
}

/* In the order that scripts need: interruption, then failures, then doubtful results. */
static int worse(int a, int b)
{
	static const int order[] = { TP_EXIT_INTERRUPTED, TP_EXIT_USAGE,   TP_EXIT_RESOURCE,
				     TP_EXIT_FAILED,	  TP_EXIT_SKIPPED, TP_EXIT_UNSTABLE };
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return TP_EXIT_OK;
}

/* The lesson without answers: as a page, else as text on standard output. */
static int write_handout(const struct tp_cli *cli, const char *path)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	struct tp_player player = { 0 };
	struct tp_look look;
	struct tp_diag diag;
	TP_STR out = { 0 };
	if (cli->json || cli->svg)
		return tp_cli_usage("--html FILE writes a page, -o FILE text",
				    "--blank and --%s exclude each other",
				    cli->json ? "json" : "svg");
	enum tp_status status = tp_player_open(&player, path, &cli->overrides, NULL, &diags);
	tp_complain_all(&diags);
	if (status != TP_OK)
		return (int)tp_status_exit(status);
	if (cli->html) {
		tp_lesson_handout_html(&player, &out);
	} else {
		tp_look_init(&look, &cli->look, tp_is_stdout(cli->output) ? STDOUT_FILENO : -1);
		TP_TEXT(text, &look);
		tp_lesson_handout(&player, &text);
		tp_text_print(&text, &out);
	}
	status = tp_text_write(cli->html ? cli->html : cli->output, &out, &diag);
	tp_player_close(&player);
	return status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, &diag);
}

int tp_cli_lesson(const struct tp_cli *cli, const char *path)
{
	struct course c = { .cli = cli };
	const char *one_run = cli->csv	       ? "csv"
			      : cli->events    ? "events"
			      : cli->control   ? "control"
			      : cli->papi_file ? "papi-file"
					       : NULL;
	if (one_run)
		return tp_cli_usage("--json, --html FILE, --svg FILE and --report=always do",
				    "--%s does not go with a lesson", one_run);
	if (cli->blank)
		return write_handout(cli, path);
	int code = open_course(&c, path, true);
	if (code == TP_EXIT_OK) {
		tp_batch_catch_signals();
		bool go_on = true;
		for (size_t i = 0; i < c.player.lesson.n_steps && go_on; i++) {
			if (!measures(&c, i))
				continue;
			code = worse(code, measure_step(&c, i));
			/* A directory that one step cannot have, the next cannot have either. */
			go_on = code != TP_EXIT_INTERRUPTED && code != TP_EXIT_USAGE;
		}
		if (code != TP_EXIT_USAGE) {
			code = worse(code, write_outputs(&c));
			report(&c);
		}
	}
	tp_player_close(&c.player);
	return code;
}

int tp_cli_lesson_plan(const struct tp_cli *cli, const char *path)
{
	struct course c = { .cli = cli };
	TP_STR out = { 0 };
	double seconds = 0;
	size_t points = 0;
	char count[32], time[48];
	int code = open_course(&c, path, false);
	for (size_t i = 0; i < c.player.lesson.n_steps && code == TP_EXIT_OK; i++) {
		TP_CLEANUP(tp_session_close) struct tp_session session = { 0 };
		if (!measures(&c, i))
			continue;
		code = open_session(&c, i, &session);
		if (code != TP_EXIT_OK)
			break;
		tp_cli_estimate(&session, cli);
		tp_str_printf(&out, "%smeasurement %s\n", points ? "\n" : "",
			      c.player.lesson.steps[i].name);
		tp_session_plan_text(&session.plan, &session.machine, &out);
		points += session.plan.n;
		seconds += session.plan.estimate_seconds;
	}
	if (code == TP_EXIT_OK)
		tp_str_printf(&out, "%s%zu measurement%s, %s, about %s\n", points ? "\n" : "", c.n,
			      c.n == 1 ? "" : "s",
			      tp_text_count(count, sizeof(count), points, "point"),
			      tp_format_seconds(time, sizeof(time), seconds));
	fputs(tp_str_text(&out), stdout);
	tp_player_close(&c.player);
	return code;
}

/* --- --lesson-report: the files of many learners on one page --- */

int tp_cli_lesson_report(const struct tp_cli *cli)
{
	TP_CLEANUP(tp_learners_release) struct tp_learners learners = { 0 };
	TP_STR page = { 0 }, out = { 0 };
	struct tp_look look;
	struct tp_diag diag = { 0 };
	size_t damaged = 0;
	enum tp_status status = TP_OK, last = TP_OK;
	for (size_t i = 0; i < cli->values.n; i++) {
		status = tp_learners_add(&learners, cli->values.items[i], &diag);
		if (status == TP_OK)
			continue;
		last = status;
		damaged++;
		tp_complain(&diag);
	}
	if (!learners.n)
		return (int)tp_status_exit(last);
	if (damaged && !cli->quiet)
		tp_say("%zu of %zu files are left out", damaged, cli->values.n);
	status = TP_OK;
	if (cli->html) {
		tp_learners_html(&learners, &page);
		status = tp_text_write(cli->html, &page, &diag);
	}
	if (status == TP_OK && (!cli->html || cli->json || cli->csv || cli->output)) {
		tp_look_init(&look, &cli->look, tp_is_stdout(cli->output) ? STDOUT_FILENO : -1);
		if (cli->json)
			tp_learners_json(&learners, &out);
		else if (cli->csv)
			tp_learners_csv(&learners, &out);
		else {
			TP_TEXT(text, &look);
			tp_learners_text(&learners, &text);
			tp_text_print(&text, &out);
		}
		status = tp_text_write(cli->output, &out, &diag);
	}
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	return damaged ? TP_EXIT_SKIPPED : TP_EXIT_OK;
}
