/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents made of a run, and where text is written. */
#ifndef TPROF_SESSION_DOCUMENT_H
#define TPROF_SESSION_DOCUMENT_H

#include "record/run.h"
#include "report/text.h"

enum tp_document {
	TP_DOCUMENT_SVG, /* all pictures */
	TP_DOCUMENT_CSV,
	TP_DOCUMENT_JSON,
	TP_DOCUMENT_HTML, /* everything, as one page for a browser */
	TP_DOCUMENT_REPORT, /* plots and tables as text */
};

/* `look` is for the report; NULL: UTF-8 in 100 columns. `where` is what a diagnosis is about. */
enum tp_status tp_document_make(enum tp_document kind, const struct tp_run *run,
				const struct tp_look *look, const char *where, struct tp_str *out,
				struct tp_diag *diag);
/* Makes the document and writes it (see tp_text_write). */
enum tp_status tp_document_write(enum tp_document kind, const struct tp_run *run, const char *path,
				 struct tp_diag *diag);
struct tp_experiment_document;
/* The i-th document besides these: those of experiments, and table.csv. NULL behind the last. */
const struct tp_experiment_document *tp_document_own(size_t i);
/* The same of such a document, called by its ending ("papi"). TP_USAGE where there is none. */
enum tp_status tp_document_write_own(const char *ending, const struct tp_run *run, const char *path,
				     struct tp_diag *diag);
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

#endif
