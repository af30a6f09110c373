/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored runs: --show prints one as report and plots, data or pictures; --compare several. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "record/json_schema.h"
#include "record/load.h"
#include "record/roof.h"
#include "report/compare.h"
#include "doc/terminal.h"
#include "session/document.h"
#include "session/import.h"

int tp_cli_show(const struct tp_cli *cli)
{
	char path[TP_PATH_MAX];
	TP_CLEANUP(tp_run_release) struct tp_run run = { 0 };
	struct tp_diag diag;
	struct tp_look look;
	TP_STR out = { 0 };
	enum tp_document kind = cli->json		 ? TP_DOCUMENT_JSON
				: cli->csv == TP_CSV_ALL ? TP_DOCUMENT_CSV_ALL
				: cli->csv		 ? TP_DOCUMENT_CSV
							 : TP_DOCUMENT_REPORT;
	enum tp_status status = tp_run_find(tp_cli_value(cli), path, &diag);
	if (status == TP_OK)
		status = tp_run_load(&run, path, &diag);
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	tp_look_init(&look, &cli->look, tp_is_stdout(cli->output) ? STDOUT_FILENO : -1);
	for (size_t i = 0; i < cli->dots.n && status == TP_OK; i++)
		status = tp_run_add_own_dot(&run, cli->dots.items[i], &diag);
	look.full = cli->report == TP_FULL;
	if (status == TP_OK && cli->svg)
		status = tp_document_write(TP_DOCUMENT_SVG, &run, TP_TYPED_FILE, cli->svg, &diag);
	if (status == TP_OK && cli->html)
		status = tp_document_write(TP_DOCUMENT_HTML, &run, TP_TYPED_FILE, cli->html, &diag);
	/* Only pictures or the page, if nothing else was requested. */
	if (status == TP_OK &&
	    ((!cli->svg && !cli->html) || kind != TP_DOCUMENT_REPORT || cli->output)) {
		tp_document_make(kind, &run, &look, &out);
		status = tp_text_write(cli->output, &out, &diag);
	}
	return status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, &diag);
}

int tp_cli_import(const struct tp_cli *cli)
{
	TP_CLEANUP(tp_import_release) struct tp_import import = { 0 };
	struct tp_diag diag;
	TP_STR out = { 0 };
	enum tp_status status = tp_import_read(&import, tp_cli_value(cli), &diag);
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	if (tp_import_left_out(&import, tp_cli_value(cli), &diag))
		tp_complain(&diag);
	tp_import_write(&import, &out);
	status = tp_text_write(cli->output, &out, &diag);
	return status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, &diag);
}

int tp_cli_dump_schema(const struct tp_cli *cli)
{
	TP_STR out = { 0 };
	struct tp_diag diag;
	tp_run_json_schema(&out);
	enum tp_status status = tp_text_write(cli->output, &out, &diag);
	return status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, &diag);
}

/* --- --compare: stored runs, or tables of their points --- */

enum { RUNS_MAX = 26 }; /* each has a letter */

struct compared_runs {
	struct tp_run runs[RUNS_MAX];
	const struct tp_run *pointers[RUNS_MAX];
	const char *names[RUNS_MAX]; /* as the user called them */
	size_t n;
};

/* "2%" or 0.02. */
static enum tp_status parse_tolerance(const char *text, double *tolerance, struct tp_diag *diag)
{
	char number[32];
	bool fits = tp_copy(number, sizeof(number), text);
	size_t n = strlen(number);
	bool percent = n && number[n - 1] == '%';
	if (percent)
		number[n - 1] = '\0';
	if (fits && tp_parse_double(number, tolerance)) {
		*tolerance /= percent ? 100 : 1;
		if (*tolerance > 0 && *tolerance < 1)
			return TP_OK;
	}
	return tp_fail(diag, TP_USAGE, "--tolerance",
		       "a relative difference that does not matter: 2% or 0.02",
		       "\"%.40s\" is not a tolerance", text);
}

static enum tp_status load_all(struct compared_runs *r, const struct tp_cli *cli,
			       struct tp_diag *diag)
{
	if (cli->values.n > RUNS_MAX)
		return tp_fail(diag, TP_USAGE, "--compare", NULL, "at most %d runs at once",
			       RUNS_MAX);
	for (; r->n < cli->values.n; r->n++) {
		char path[TP_PATH_MAX];
		enum tp_status status = tp_run_find(cli->values.items[r->n], path, diag);
		if (status == TP_OK)
			status = tp_run_load(&r->runs[r->n], path, diag);
		if (status != TP_OK)
			return status;
		r->pointers[r->n] = &r->runs[r->n];
		r->names[r->n] = cli->values.items[r->n];
	}
	return TP_OK;
}

/*
 * Writes the comparison. The verdict is the last line of the text; with data it goes to standard
 * error.
 */
static enum tp_status write_out(const struct tp_comparison *c, const struct tp_cli *cli,
				struct tp_diag *diag)
{
	bool to_file = !tp_is_stdout(cli->output);
	/* Standard output is taken by pictures or a page. */
	bool picture =
		(cli->svg && tp_is_stdout(cli->svg)) || (cli->html && tp_is_stdout(cli->html));
	bool text = !cli->json && !cli->csv, quiet = cli->quiet && text && !to_file;
	struct tp_look look;
	TP_STR out = { 0 }, verdict = { 0 };
	tp_look_init(&look, &cli->look, to_file || !text ? -1 : STDOUT_FILENO);
	tp_str_add(&verdict, "tprof: ");
	tp_compare_verdict(c, &look, &verdict);
	tp_str_add(&verdict, "\n");
	if (cli->json)
		tp_compare_json(c, &out);
	else if (cli->csv)
		tp_compare_csv(c, &out);
	else if (!quiet && !picture) {
		TP_TEXT(words, &look);
		tp_compare_text(c, &words);
		tp_text_print(&words, &out);
	}
	if (text && !quiet && !picture)
		tp_str_printf(&out, "\n%s", tp_str_text(&verdict));
	else if (!cli->quiet)
		fputs(tp_str_text(&verdict), stderr);
	return out.len ? tp_text_write(cli->output, &out, diag) : TP_OK;
}

static int exit_code(const struct tp_comparison *c, enum tp_strict strict)
{
	if (c->no_verdict[0])
		return TP_EXIT_OK;
	if (c->count[TP_VERDICT_SLOWER])
		return TP_EXIT_FAILED;
	return strict != TP_STRICT_NOT && (c->count[TP_VERDICT_UNCLEAR] || c->n_unpaired)
		       ? TP_EXIT_UNSTABLE
		       : TP_EXIT_OK;
}

int tp_cli_compare(const struct tp_cli *cli)
{
	TP_FREE struct compared_runs *r = tp_alloc(1, sizeof(*r));
	TP_CLEANUP(tp_comparison_release) struct tp_comparison c = { 0 };
	TP_STR svg = { 0 }, page = { 0 };
	struct tp_compare_options options = { .across = TP_ACROSS_NONE };
	struct tp_diag diag = { .what = "" };
	char hint[sizeof(diag.hint)];
	int code = TP_EXIT_OK;
	enum tp_status status = TP_OK;
	if (cli->across && !tp_dimension_parse(cli->across, &options.across, hint, sizeof(hint)))
		status = tp_fail(&diag, TP_USAGE, "--across", hint, "points have no \"%.40s\"",
				 cli->across);
	else if (cli->tolerance)
		status = parse_tolerance(cli->tolerance, &options.tolerance, &diag);
	if (status == TP_OK)
		status = load_all(r, cli, &diag);
	if (status == TP_OK)
		status = tp_compare_runs(&c, r->pointers, r->names, r->n, &options, &diag);
	if (status == TP_OK && cli->svg) {
		status = tp_compare_svg(&c, TP_SVG_AUTO, &svg, &diag);
		status = status == TP_OK ? tp_text_write(cli->svg, &svg, &diag) : status;
	}
	if (status == TP_OK && cli->html) {
		tp_compare_html(&c, &page);
		status = tp_text_write(cli->html, &page, &diag);
	}
	if (status == TP_OK)
		status = write_out(&c, cli, &diag);
	if (status == TP_OK) {
		code = exit_code(&c, cli->strict);
	} else {
		tp_complain(&diag);
		/* Exit code 1 means only that something is slower. */
		code = (int)tp_status_exit(status);
		code = code == TP_EXIT_FAILED ? TP_EXIT_USAGE : code;
	}
	for (size_t i = 0; i < r->n; i++)
		tp_run_release(&r->runs[i]);
	return code;
}
