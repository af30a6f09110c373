/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --classify: readings from elsewhere, or of a stored run, analysed without measuring. */
#include "cli/cli.h"
#include "cli/pictures.h"
#include "counters/cat.h"
#include "counters/classify.h"
#include "preset/basis.h"
#include "record/load.h"
#include "report/counters_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READINGS_MAX_BYTES = 1 << 30 };

/* Readings with the families of bases that the user gave. */
struct classifying {
	const struct tp_cli *cli;
	struct tp_run
		run; /* carries readings and classes, so that report and pictures are those of a run */
	struct tp_cat cat;
	bool is_cat;
	struct tp_basis *bases; /* of --basis */
	size_t n_bases;
	bool any_error; /* something was told that was left out */
};

/* --- readings --- */

static enum tp_status read_csv(struct classifying *c, const char *path, struct tp_diag *diag)
{
	struct tp_diags found = { 0 };
	char *text = NULL;
	size_t len = 0;
	enum tp_status status = tp_file_read(path, READINGS_MAX_BYTES, &text, &len, diag);

	if (status)
		return status;
	if (tp_readings_parse(&c->run.readings, path, text, len, &found) != TP_OK) {
		c->any_error = true;
		tp_cli_complain_all(&found);
		if (c->run.readings.n == 0)
			status = tp_fail(diag, TP_USAGE, path,
					 "family,event,row,repetition,count,iterations; see "
					 "tprof-results(5)",
					 "no reading in it could be used");
	}
	tp_diags_release(&found);
	free(text);
	return status;
}

static enum tp_status read_cat(struct classifying *c, const char *path, struct tp_diag *diag)
{
	enum tp_status status = tp_cat_read(&c->cat, path, diag);
	char more[64];

	c->is_cat = true;
	if (!c->cli->quiet || c->cat.n_errors)
		tp_cli_complain_all(&c->cat.notes);
	if (c->cat.n_dropped_notes) {
		struct tp_diag rest;

		tp_text_count(more, sizeof(more), c->cat.n_dropped_notes, "more remark");
		tp_fail(&rest, TP_USAGE, path, NULL, "%s", more);
		tp_cli_complain(&rest);
	}
	c->any_error |= c->cat.n_errors > 0;
	c->run.readings = c->cat.readings;
	c->cat.readings = (struct tp_readings){ 0 };
	return status;
}

static void drop_classes(struct tp_run *run)
{
	for (size_t i = 0; i < run->n_classes; i++)
		tp_class_release(&run->classes[i]);
	run->n_classes = 0;
}

/* The readings of a run; what was made of them is made anew. */
static enum tp_status read_run(struct classifying *c, const char *what, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	enum tp_status status = tp_run_find(what, path, diag);

	if (status == TP_OK)
		status = tp_run_load(&c->run, path, diag);
	if (status)
		return status;
	drop_classes(&c->run);
	if (c->run.readings.n == 0)
		return tp_fail(diag, TP_USAGE, path,
			       "measure some with the experiment counters: tprof --batch counters",
			       "the run has no readings of counters");
	return TP_OK;
}

static enum tp_status read_any(struct classifying *c, struct tp_diag *diag)
{
	const char *what = c->cli->classify;
	char inner[TP_PATH_MAX];

	snprintf(inner, sizeof(inner), "%s/run.json", what);
	if (strcmp(what, "-") == 0)
		return read_csv(c, "/dev/stdin", diag);
	if (tp_is_folder(what) && !tp_is_file(inner)) {
		if (tp_cat_is(what))
			return read_cat(c, what, diag);
		snprintf(inner, sizeof(inner), "%s/readings.csv", what);
		if (tp_is_file(inner))
			return read_csv(c, inner, diag);
		return read_cat(c, what, diag); /* says what belongs there */
	}
	if (tp_is_file(what))
		return read_csv(c, what, diag);
	return read_run(c, what, diag);
}

/* --- bases --- */

static enum tp_status load_bases(struct classifying *c)
{
	struct tp_diags found = { 0 };
	enum tp_status status = TP_OK;

	c->bases = calloc(c->cli->n_bases + 1, sizeof(*c->bases));
	if (!c->bases)
		return TP_NOMEM;
	for (size_t i = 0; i < c->cli->n_bases && status == TP_OK; i++) {
		status = tp_basis_load(&c->bases[i], c->cli->bases[i], &found);
		if (status == TP_OK)
			c->n_bases++;
	}
	tp_cli_complain_all(&found);
	tp_diags_release(&found);
	return status;
}

/* Name of the family without the "#2" of a preset's second run. */
static bool is_family(const char *readings, const char *basis)
{
	size_t n = strcspn(readings, "#");

	return strlen(basis) == n && strncmp(readings, basis, n) == 0;
}

static struct tp_basis *given_basis(const struct classifying *c, const char *family)
{
	for (size_t i = 0; i < c->n_bases; i++)
		if (is_family(family, c->bases[i].name))
			return &c->bases[i];
	return NULL;
}

/* --- classes --- */

/* Who counted: the points of a run say so. */
static const char *source_of(const struct classifying *c)
{
	for (size_t i = 0; i < c->run.n_points; i++)
		if (strcmp(c->run.points[i].experiment, "counters") == 0 &&
		    c->run.points[i].variant[0])
			return c->run.points[i].variant;
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

static enum tp_status classify_one(struct classifying *c, const struct tp_reading_family *family)
{
	struct tp_basis own = { .n_rows = 0 };
	const struct tp_basis *basis = NULL;
	struct tp_diags found = { 0 };
	unsigned number = 1;
	const char *mark = strchr(family->name, '#');
	enum tp_status status;

	/* What no basis of ours describes was told when the folder was read. */
	if (c->is_cat && strncmp(family->name, "cat-", 4) == 0 && !given_basis(c, family->name))
		return TP_OK;
	if (mark && (sscanf(mark + 1, "%u", &number) != 1 || number < 1))
		number = 1;
	status = prepare(c, family->name, &own, &basis, &found);
	if (status == TP_OK)
		status = tp_classify_into(&c->run, family, basis, source_of(c), number - 1, &found);
	tp_cli_complain_all(&found);
	tp_diags_release(&found);
	tp_basis_release(&own);
	c->any_error |= status != TP_OK;
	return status == TP_NOMEM ? status : TP_OK;
}

static enum tp_status classify_all(struct classifying *c, struct tp_diag *diag)
{
	for (size_t i = 0; i < c->run.readings.n; i++)
		if (classify_one(c, &c->run.readings.families[i]) != TP_OK)
			return tp_fail(diag, TP_NOMEM, c->cli->classify, NULL, "out of memory");
	if (c->run.n_classes == 0)
		return tp_fail(diag, TP_USAGE, c->cli->classify,
			       "give the basis of a family with --basis FILE",
			       "no family in it could be analysed");
	return TP_OK;
}

/* --- output --- */

/* Decision paths that were asked for; false if no event has that name. */
static bool explain(const struct classifying *c, const struct tp_look *look, struct tp_str *out)
{
	const char *pattern = strcmp(c->cli->explain, "chosen") == 0 ? NULL : c->cli->explain;
	size_t told = 0;

	for (size_t i = 0; i < c->run.n_classes; i++)
		told += tp_report_decisions(&c->run.classes[i], pattern, look, out);
	return told > 0 || !pattern;
}

static enum tp_status text_of(struct classifying *c, struct tp_str *out, struct tp_diag *diag)
{
	const struct tp_cli *cli = c->cli;
	bool to_file = cli->output && strcmp(cli->output, "-") != 0;
	struct tp_look look;

	tp_look_init(&look, cli, to_file ? -1 : STDOUT_FILENO);
	tp_report_plots(&c->run, &look, out);
	for (size_t i = 0; i < c->run.n_classes; i++) {
		const struct tp_class *class = &c->run.classes[i];

		tp_str_add(out, out->len ? "\n" : "");
		tp_report_class(class, tp_report_readings(&c->run, class), &look, out);
	}
	if (cli->explain && !explain(c, &look, out))
		return tp_fail(diag, TP_USAGE, "--explain",
			       "a shell pattern such as \"*BRANCH*\", or chosen",
			       "no event is called \"%.80s\"", cli->explain);
	return out->oom ? TP_NOMEM : TP_OK;
}

static enum tp_status write_to(const char *path, const struct tp_str *text, struct tp_diag *diag)
{
	if (path && strcmp(path, "-") != 0)
		return tp_file_write(path, tp_str_text(text), text->len, diag);
	fwrite(tp_str_text(text), 1, text->len, stdout); /* its errors show when it is flushed */
	return TP_OK;
}

static enum tp_status write_out(struct classifying *c, struct tp_diag *diag)
{
	const struct tp_cli *cli = c->cli;
	struct tp_str out = { 0 };
	enum tp_status status = TP_OK;
	/* A picture or a PAPI file on standard output is what was asked for. */
	bool taken = (cli->svg && strcmp(cli->svg, "-") == 0) ||
		     (cli->papi_file && strcmp(cli->papi_file, "-") == 0);

	if (cli->svg)
		status = tp_cli_write_svg(&c->run, cli->svg, diag);
	if (status == TP_OK && cli->papi_file)
		status = tp_cli_write_papi(&c->run, cli->papi_file, diag);
	if (status || (taken && !cli->json && !cli->csv && !cli->output))
		return status;
	if (cli->json)
		status = tp_classes_json(c->run.classes, c->run.n_classes, &out);
	else if (cli->csv)
		status = tp_classes_csv(c->run.classes, c->run.n_classes, &out);
	else
		status = text_of(c, &out, diag);
	if (status && status != TP_USAGE)
		tp_fail(diag, status, cli->classify, NULL, "%s", tp_status_name(status));
	/* What was analysed is shown, even if one of the questions about it has no answer. */
	if (status == TP_OK || status == TP_USAGE) {
		enum tp_status written = write_to(cli->output, &out, status ? NULL : diag);
		status = status ? status : written;
	}
	tp_str_release(&out);
	return status;
}

int tp_cli_classify(const struct tp_cli *cli)
{
	struct classifying *c = calloc(1, sizeof(*c));
	struct tp_diag diag = { .what = "" };
	int code = TP_EXIT_OK;
	enum tp_status status = TP_NOMEM;

	if (!c) {
		tp_fail(&diag, status, "--classify", NULL, "out of memory");
		goto out;
	}
	c->cli = cli;
	status = load_bases(c);
	if (status == TP_NOMEM)
		tp_fail(&diag, status, "--basis", NULL, "out of memory");
	if (status == TP_OK)
		status = read_any(c, &diag);
	if (status == TP_OK)
		status = classify_all(c, &diag);
	if (status == TP_OK)
		status = write_out(c, &diag);
	if (status == TP_OK && c->any_error)
		code = TP_EXIT_FAILED;
out:
	if (status != TP_OK) {
		if (*diag.what)
			tp_cli_complain(&diag);
		code = (int)tp_status_exit(status);
	}
	if (c) {
		for (size_t i = 0; i < cli->n_bases && c->bases; i++)
			tp_basis_release(&c->bases[i]);
		free(c->bases);
		tp_cat_release(&c->cat);
		tp_run_release(&c->run);
		free(c);
	}
	return code;
}
