/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tprof --classify: analyses the readings of other programs or of a stored run. Measures nothing.
 */
#include "cli/cli.h"
#include "experiments/counters/cat.h"
#include "experiments/counters/classify.h"
#include "preset/basis.h"
#include "record/load.h"
#include "experiments/counters/report.h"
#include "session/document.h"
#include "doc/terminal.h"
#include "experiments/counters/row.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The readings, and the bases that the user gave. */
struct classifying {
	const struct tp_cli *cli;
	/* carries readings and classes, so that report and pictures work as for a run */
	struct tp_run run;
	struct tp_cat cat;
	bool is_cat;
	struct tp_basis *bases; /* of --basis */
	size_t n_bases;
	bool any_error; /* something was left out, and the user was informed */
};

/* --- readings --- */

static enum tp_status read_csv(struct classifying *c, const char *path, struct tp_diag *diag)
{
	bool is_input = strcmp(path, "-") == 0;
	TP_CLEANUP(tp_diags_release) struct tp_diags found = { 0 };
	TP_FREE char *text = NULL;
	size_t len = 0;
	enum tp_status status;

	if (is_input) {
		path = "standard input";
		status = tp_text_read(STDIN_FILENO, path, TP_READINGS_MAX_BYTES, &text, &len, diag);
	} else {
		status = tp_file_read(path, TP_READINGS_MAX_BYTES, &text, &len, diag);
	}

	if (status)
		return status;
	if (tp_readings_parse(tp_run_readings_of(&c->run), path, text, len, &found) != TP_OK) {
		c->any_error = true;
		tp_complain_all(&found);
		if (tp_run_readings(&c->run)->n == 0)
			status = tp_fail(diag, TP_USAGE, path,
					 "family,event,row,repetition,count,iterations; see "
					 "tprof-results(5)",
					 "no reading in it could be used");
	}
	return status;
}

static enum tp_status read_cat(struct classifying *c, const char *path, struct tp_diag *diag)
{
	enum tp_status status = tp_cat_read(&c->cat, path, diag);

	c->is_cat = true;
	if (!c->cli->quiet || c->cat.n_errors)
		tp_complain_all(&c->cat.notes);
	c->any_error |= c->cat.n_errors > 0;
	*tp_run_readings_of(&c->run) = c->cat.readings;
	c->cat.readings = (struct tp_readings){ 0 };
	return status;
}

/* The readings of a run. Its classes are computed again. */
static enum tp_status read_run(struct classifying *c, const char *what, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	enum tp_status status = tp_run_find(what, path, diag);

	if (status == TP_OK)
		status = tp_run_load(&c->run, path, diag);
	if (status)
		return status;
	for (size_t i = 0; i < tp_run_n_classes(&c->run); i++)
		tp_class_release(&tp_run_classes(&c->run)[i]);
	tp_run_rows_of(&c->run, &tp_class_part)->n = 0;
	if (tp_run_readings(&c->run)->n == 0)
		return tp_fail(diag, TP_USAGE, path,
			       "measure some with the experiment counters: tprof --batch counters",
			       "the run has no readings of counters");
	return TP_OK;
}

static enum tp_status read_any(struct classifying *c, struct tp_diag *diag)
{
	const char *what = tp_cli_value(c->cli);
	char inner[TP_PATH_MAX];

	if (!what || strcmp(what, "-") == 0)
		return read_csv(c, "-", diag);
	snprintf(inner, sizeof(inner), "%s/run.json", what);
	if (tp_is_folder(what) && !tp_is_file(inner)) {
		if (tp_cat_is(what))
			return read_cat(c, what, diag);
		snprintf(inner, sizeof(inner), "%s/readings.csv", what);
		if (tp_is_file(inner))
			return read_csv(c, inner, diag);
		return read_cat(c, what, diag); /* reports what belongs there */
	}
	if (tp_is_file(what))
		return read_csv(c, what, diag);
	return read_run(c, what, diag);
}

/* --- bases --- */

static enum tp_status load_bases(struct classifying *c)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags found = { 0 };
	enum tp_status status = TP_OK;

	c->bases = tp_alloc(c->cli->bases.n + 1, sizeof(*c->bases));
	for (size_t i = 0; i < c->cli->bases.n && status == TP_OK; i++) {
		status = tp_basis_load(&c->bases[i], c->cli->bases.items[i], &found);
		if (status == TP_OK)
			c->n_bases++;
	}
	tp_complain_all(&found);
	return status;
}

static struct tp_basis *given_basis(const struct classifying *c, const char *family)
{
	/* Without the "#2" of a preset's second run. */
	size_t n = strcspn(family, "#");

	for (size_t i = 0; i < c->n_bases; i++)
		if (strlen(c->bases[i].name) == n && strncmp(family, c->bases[i].name, n) == 0)
			return &c->bases[i];
	return NULL;
}

/* --- classes --- */

/* Who counted: a run has it in its points. */
static const char *source_of(const struct classifying *c)
{
	for (size_t i = 0; i < c->run.n_points; i++)
		if (tp_count_row(&c->run.points[i])->source[0])
			return tp_count_row(&c->run.points[i])->source;
	return "replay";
}

/* The basis of a family, with the rows of a CAT folder where it has its own. */
static enum tp_status prepare(struct classifying *c, const char *family, struct tp_basis *own,
			      const struct tp_basis **basis, struct tp_diags *diags)
{
	struct tp_basis *given = given_basis(c, family);
	struct tp_diag diag = { .what = "" };
	enum tp_status status = TP_OK;

	*basis = given;
	if (!c->is_cat)
		return TP_OK; /* without one it is found by name */
	if (!given)
		status = tp_basis_find(own, family, diags);
	if (status)
		return status;
	*basis = given ? given : own;
	status = tp_cat_basis(&c->cat, given ? given : own, &diag);
	if (status)
		tp_diags_add(diags, &diag);
	return status;
}

static void classify_one(struct classifying *c, const struct tp_reading_family *family)
{
	TP_CLEANUP(tp_basis_release) struct tp_basis own = { .n_rows = 0 };
	const struct tp_basis *basis = NULL;
	TP_CLEANUP(tp_diags_release) struct tp_diags found = { 0 };
	unsigned number = 1;
	const char *mark = strchr(family->name, '#');
	enum tp_status status;

	/* Reading the folder has already reported families without a basis. */
	if (c->is_cat && strncmp(family->name, "cat-", 4) == 0 && !given_basis(c, family->name))
		return;
	if (mark && (sscanf(mark + 1, "%u", &number) != 1 || number < 1))
		number = 1;
	status = prepare(c, family->name, &own, &basis, &found);
	if (status == TP_OK)
		status = tp_classify_into(&c->run, family, basis, source_of(c), number - 1, &found);
	tp_complain_all(&found);
	c->any_error |= status != TP_OK;
}

/* --- output --- */

/* The decision paths that the user asked for. False if no event has that name. */
static bool explain(const struct classifying *c, struct tp_text *doc)
{
	const char *pattern = strcmp(c->cli->explain, "chosen") == 0 ? NULL : c->cli->explain;
	size_t told = 0;

	for (size_t i = 0; i < tp_run_n_classes(&c->run); i++)
		told += tp_report_decisions(&tp_run_classes(&c->run)[i], pattern, doc);
	return told > 0 || !pattern;
}

static enum tp_status text_of(struct classifying *c, struct tp_str *out, struct tp_diag *diag)
{
	const struct tp_cli *cli = c->cli;
	bool to_file = !tp_is_stdout(cli->output);
	struct tp_look look;
	TP_TEXT(text, &look);

	tp_look_init(&look, &cli->look, to_file ? -1 : STDOUT_FILENO);
	look.full = cli->report == TP_FULL;
	if (cli->report != TP_NEVER) {
		tp_report_plots(&c->run, &text);
		tp_report_classes(&c->run, &text);
	}
	bool explained = !cli->explain || explain(c, &text);
	tp_text_print(&text, out);
	if (!explained)
		return tp_fail(diag, TP_USAGE, "--explain",
			       "a shell pattern such as \"*BRANCH*\", or chosen",
			       "no event is called \"%.80s\"", cli->explain);
	return TP_OK;
}

static enum tp_status write_out(struct classifying *c, struct tp_diag *diag)
{
	const struct tp_cli *cli = c->cli;
	TP_STR out = { 0 };
	enum tp_status status = TP_OK;
	/* Standard output is taken by a picture, a page or a PAPI file. */
	bool taken = (cli->svg && tp_is_stdout(cli->svg)) ||
		     (cli->html && tp_is_stdout(cli->html)) ||
		     (cli->papi_file && tp_is_stdout(cli->papi_file));

	if (cli->svg)
		status = tp_document_write(TP_DOCUMENT_SVG, &c->run, TP_TYPED_FILE, cli->svg, diag);
	if (status == TP_OK && cli->html)
		status = tp_document_write(TP_DOCUMENT_HTML, &c->run, TP_TYPED_FILE, cli->html,
					   diag);
	if (status == TP_OK && cli->papi_file)
		status =
			tp_document_write_own("papi", &c->run, TP_TYPED_FILE, cli->papi_file, diag);
	if (status || (taken && !cli->json && !cli->csv && !cli->output))
		return status;
	if (cli->json)
		tp_classes_json(tp_run_classes(&c->run), tp_run_n_classes(&c->run), &out);
	else if (cli->csv)
		tp_classes_csv(tp_run_classes(&c->run), tp_run_n_classes(&c->run), &out);
	else
		status = text_of(c, &out, diag);
	/* The analysis is shown even if --explain names no event. */
	enum tp_status written = tp_text_write(cli->output, &out, status ? NULL : diag);
	return status ? status : written;
}

int tp_cli_classify(const struct tp_cli *cli)
{
	TP_FREE struct classifying *c = tp_alloc(1, sizeof(*c));
	struct tp_diag diag = { .what = "" };

	c->cli = cli;
	enum tp_status status = load_bases(c);

	if (status == TP_OK)
		status = read_any(c, &diag);
	for (size_t i = 0; status == TP_OK && i < tp_run_readings(&c->run)->n; i++)
		classify_one(c, &tp_run_readings(&c->run)->families[i]);
	if (status == TP_OK && tp_run_n_classes(&c->run) == 0)
		status = tp_fail(&diag, TP_USAGE, tp_cli_value(cli),
				 "give the basis of a family with --basis FILE",
				 "no family in it could be analysed");
	if (status == TP_OK)
		status = write_out(c, &diag);
	if (status != TP_OK && *diag.what)
		tp_complain(&diag);
	int code = status == TP_OK && c->any_error ? TP_EXIT_FAILED : (int)tp_status_exit(status);

	for (size_t i = 0; i < c->cli->bases.n; i++)
		tp_basis_release(&c->bases[i]);
	free(c->bases);
	tp_cat_release(&c->cat);
	tp_run_release(&c->run);
	return code;
}
