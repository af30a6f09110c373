/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents made of a run, and where text is written. */
#ifndef TPROF_SESSION_DOCUMENT_H
#define TPROF_SESSION_DOCUMENT_H

#include "base/status.h"
#include "record/run.h"
#include "doc/look.h"

enum tp_document {
	TP_DOCUMENT_SVG, /* all pictures */
	TP_DOCUMENT_CSV, /* without columns that are empty in the whole run */
	TP_DOCUMENT_CSV_ALL,
	TP_DOCUMENT_JSON,
	TP_DOCUMENT_HTML, /* everything, as one page for a browser */
	TP_DOCUMENT_REPORT, /* plots and tables as text */
};

/* `look` is for the report; NULL: UTF-8 in 100 columns. */
void tp_document_make(enum tp_document kind, const struct tp_run *run, const struct tp_look *look,
		      struct tp_str *out);

/* Makes the document and writes it; a TP_TYPED_FILE may be standard output (see tp_text_write). */
enum tp_status tp_document_write(enum tp_document kind, const struct tp_run *run,
				 enum tp_typed typed, const char *path, struct tp_diag *diag);

struct tp_experiment_document;

/* The i-th document besides these: those of experiments, and table.csv. NULL after the last. */
const struct tp_experiment_document *tp_document_own(size_t i);

/* The same of such a document, called by its ending ("papi"). TP_USAGE if there is none. */
enum tp_status tp_document_write_own(const char *ending, const struct tp_run *run,
				     enum tp_typed typed, const char *path, struct tp_diag *diag);

/* Writes a text to a file, or to standard output where `path` is NULL or "-". */
enum tp_status tp_text_write(const char *path, const struct tp_str *text, struct tp_diag *diag);

/* True for paths that mean standard output. */
bool tp_is_stdout(const char *path);

/*
 * Writes <stem>.html, .svg, .csv, .json and .txt into `folder`, and the other documents that the
 * run has. The folder is made if needed; "~/" is the home directory. If one of the files exists,
 * nothing is written (TP_USAGE).
 */
enum tp_status tp_document_export(const struct tp_run *run, const char *folder, const char *stem,
				  struct tp_diag *diag);

/* What a stream can show, and how diagnoses are printed. */

/* TP_FULL: only for reports. Always, with every table and picture. */
enum tp_when { TP_AUTO, TP_ALWAYS, TP_NEVER, TP_FULL };

/* What the user asked for. */
struct tp_look_wish {
	enum tp_when colour;
	bool ascii;
};

bool tp_locale_is_utf8(void);
void tp_look_init(struct tp_look *look, const struct tp_look_wish *wish, int fd);

/* Columns and rows as they are now: the terminal's, else $COLUMNS and $LINES, else 80 x 24. */
void tp_look_size(struct tp_look *look, int fd);

/*
 * True if `fd` is a terminal and this process is in its foreground: a job in the background keeps
 * quiet.
 */
bool tp_look_foreground(int fd);

/*
 * A line to standard error: "tprof: TEXT". Text that may contain a foreign path, name or word is
 * printed with this or the functions below: no control character gets through.
 */
void tp_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same without "tprof: ": a command to type. */
void tp_say_command(const char *command);

/* One diagnosis to standard error: "tprof: where: what", and the hint on a line of its own. */
void tp_complain(const struct tp_diag *diag);
void tp_complain_all(const struct tp_diags *diags);

#endif
