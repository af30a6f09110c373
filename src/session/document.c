/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/document.h"

#include <errno.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/memory.h"
#include "doc/terminal.h"
#include "experiments/experiment.h"
#include "mining/from_run.h"
#include "report/report.h"

static const struct tp_look wide = { .utf8 = true, .columns = 100, .rows = 40 };

void tp_document_make(enum tp_document kind, const struct tp_run *run, const struct tp_look *look,
		      struct tp_str *out)
{
	switch (kind) {
	case TP_DOCUMENT_SVG:
		tp_report_svg(run, TP_SVG_AUTO, out);
		break;
	case TP_DOCUMENT_CSV:
	case TP_DOCUMENT_CSV_ALL:
		tp_run_csv(run, kind == TP_DOCUMENT_CSV_ALL, out);
		break;
	case TP_DOCUMENT_JSON:
		tp_run_json(run, out);
		break;
	case TP_DOCUMENT_HTML:
		tp_report_html(run, out);
		break;
	case TP_DOCUMENT_REPORT: {
		TP_TEXT(text, look ? look : &wide);
		tp_report_plots(run, &text);
		tp_report_text(run, &text);
		tp_text_print(&text, out);
		break;
	}
	}
}

bool tp_is_stdout(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

enum tp_status tp_text_write(const char *path, const struct tp_str *text, struct tp_diag *diag)
{
	if (!tp_is_stdout(path))
		return tp_file_write(TP_TYPED_FILE, path, tp_str_text(text), text->len, diag);
	fflush(stdout);
	if (tp_write_all(STDOUT_FILENO, tp_str_text(text), text->len))
		return TP_OK;
	return tp_fail(diag, TP_RESOURCE, "standard output", NULL, "%s", strerror(errno));
}

static enum tp_status write_text(enum tp_typed typed, const char *path, const struct tp_str *text,
				 struct tp_diag *diag)
{
	return typed == TP_TYPED_FILE
		       ? tp_text_write(path, text, diag)
		       : tp_file_write(typed, path, tp_str_text(text), text->len, diag);
}

enum tp_status tp_document_write(enum tp_document kind, const struct tp_run *run,
				 enum tp_typed typed, const char *path, struct tp_diag *diag)
{
	TP_STR out = { 0 };
	tp_document_make(kind, run, NULL, &out);
	return write_text(typed, path, &out, diag);
}

const struct tp_experiment_document *tp_document_own(size_t i)
{
	static const struct tp_experiment_document table = { "table.csv", "table.csv",
							     tp_run_has_table, tp_run_table };
	size_t n = 0;
	while (tp_experiment_document(n))
		n++;
	return i < n ? tp_experiment_document(i) : i == n ? &table : NULL;
}

static enum tp_status write_own(const struct tp_experiment_document *own, const struct tp_run *run,
				enum tp_typed typed, const char *path, struct tp_diag *diag)
{
	TP_STR out = { 0 };
	enum tp_status status = own->make(run, &out);
	if (status == TP_OK)
		status = write_text(typed, path, &out, diag);
	else
		tp_fail(diag, status, path, NULL, "%s", tp_status_name(status));
	return status;
}

enum tp_status tp_document_write_own(const char *ending, const struct tp_run *run,
				     enum tp_typed typed, const char *path, struct tp_diag *diag)
{
	const struct tp_experiment_document *own;
	for (size_t i = 0; (own = tp_document_own(i)); i++)
		if (strcmp(own->ending, ending) == 0)
			return write_own(own, run, typed, path, diag);
	return tp_fail(diag, TP_USAGE, ending, NULL, "there is no such document");
}

/* --- export --- */

static const struct {
	const char *ending;
	enum tp_document kind;
} files[] = {
	{ "html", TP_DOCUMENT_HTML }, { "svg", TP_DOCUMENT_SVG },    { "csv", TP_DOCUMENT_CSV },
	{ "json", TP_DOCUMENT_JSON }, { "txt", TP_DOCUMENT_REPORT },
};

/* folder/stem.ending, or without `ending` the folder. */
static enum tp_status path_of(char path[TP_PATH_MAX], const char *folder, const char *stem,
			      const char *ending, struct tp_diag *diag)
{
	char typed[TP_PATH_MAX];
	int n = !tp_path_typed(folder, typed) ? 0
		: ending ? snprintf(path, TP_PATH_MAX, "%s/%s.%s", typed, stem, ending)
			 : snprintf(path, TP_PATH_MAX, "%s", typed);
	return n > 0 && n < TP_PATH_MAX ? TP_OK
					: tp_fail(diag, TP_USAGE, "export", NULL, "no such folder");
}

static enum tp_status must_be_new(const char *path, struct tp_diag *diag)
{
	struct stat st;
	return lstat(path, &st) != 0 ? TP_OK
				     : tp_fail(diag, TP_USAGE, path, "choose another folder",
					       "is there already; nothing was written");
}

enum tp_status tp_document_export(const struct tp_run *run, const char *folder, const char *stem,
				  struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	enum tp_status status = path_of(path, folder, stem, NULL, diag);
	if (status == TP_OK)
		status = tp_dir_make(path, diag);
	for (int write = 0; write <= 1; write++) {
		for (size_t i = 0; i < TP_COUNT_OF(files) && status == TP_OK; i++) {
			status = path_of(path, folder, stem, files[i].ending, diag);
			if (status == TP_OK)
				status = write ? tp_document_write(files[i].kind, run,
								   TP_TYPED_FOLDER, path, diag)
					       : must_be_new(path, diag);
		}
		const struct tp_experiment_document *own;
		for (size_t i = 0; (own = tp_document_own(i)) && status == TP_OK; i++) {
			if (!own->has(run))
				continue;
			status = path_of(path, folder, stem, own->ending, diag);
			if (status == TP_OK)
				status = write ? write_own(own, run, TP_TYPED_FOLDER, path, diag)
					       : must_be_new(path, diag);
		}
	}
	return status;
}

enum { SIDE_MAX = 10000 };

/* A number from the environment that could be the side of a terminal, else 0. */
static unsigned side_from(const char *name)
{
	const char *text = getenv(name);
	uint64_t value;
	return text && tp_parse_u64(text, &value) && value <= SIDE_MAX ? (unsigned)value : 0;
}

void tp_look_size(struct tp_look *look, int fd)
{
	struct winsize size = { 0 };
	unsigned columns = 0, rows = 0;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0) {
		columns = size.ws_col;
		rows = size.ws_row;
	}
	if (!columns)
		columns = side_from("COLUMNS");
	if (!rows)
		rows = side_from("LINES");
	look->columns = columns ? columns : 80;
	look->rows = rows ? rows : 24;
}

bool tp_look_foreground(int fd)
{
	return isatty(fd) && tcgetpgrp(fd) == getpgrp();
}

static bool can_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return isatty(fd) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

bool tp_locale_is_utf8(void)
{
	const char *codeset = nl_langinfo(CODESET);
	return strcasecmp(codeset, "UTF-8") == 0 || strcasecmp(codeset, "UTF8") == 0;
}

void tp_look_init(struct tp_look *look, const struct tp_look_wish *wish, int fd)
{
	*look = (struct tp_look){ .terminal = tp_look_foreground(fd),
				  .colour = wish->colour == TP_ALWAYS ||
					    (wish->colour == TP_AUTO && can_colour(fd)),
				  .utf8 = !wish->ascii && tp_locale_is_utf8() };
	tp_look_size(look, fd);
}

static void say(const char *lead, const char *text)
{
	TP_STR line = { 0 };
	tp_str_add(&line, lead);
	tp_str_add_clean(&line, text, false);
	fprintf(stderr, "%s\n", tp_str_text(&line));
}

void tp_say(const char *fmt, ...)
{
	TP_FREE char *text = NULL;
	va_list ap;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	say("tprof: ", text);
}

void tp_say_command(const char *command)
{
	say("", command);
}

void tp_complain(const struct tp_diag *diag)
{
	tp_say("%s%s%s", diag->where, diag->where[0] ? ": " : "", diag->what);
	if (diag->hint[0])
		say("       ", diag->hint);
}

void tp_complain_all(const struct tp_diags *diags)
{
	for (size_t i = 0; i < diags->n; i++)
		tp_complain(&diags->items[i]);
}
