/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run says in the end, in two to four lines: how good its points are, what limits where,
 * what contradicts itself, and the command worth typing next. An experiment says its part through
 * `conclude` of its reporter; quality and command are the same for all.
 */
#ifndef TPROF_REPORT_CONCLUSION_H
#define TPROF_REPORT_CONCLUSION_H

#include "base/str.h"
#include "record/run.h"

struct tp_page;

/* Plain text, not cleaned: names of a stranger's run may stand in it. */
struct tp_conclusion {
	struct tp_str quality; /* "27 good, 2 fair, 1 poor of 33 points; 3 were not measured." */
	struct tp_str limits; /* sentences of the experiments */
	struct tp_str odd; /* sentences: what cannot be as it was measured */
	struct tp_str next; /* a command line */
};

/* Zero-initialise; release. */
void tp_conclude(const struct tp_run *run, struct tp_conclusion *conclusion);
void tp_conclusion_release(struct tp_conclusion *conclusion);
/* The section of the page. */
void tp_page_conclusion(struct tp_page *page);
/* What has room in one line below a plot: what is odd, else what limits, else the quality. */
void tp_conclusion_line(const struct tp_run *run, struct tp_str *out);

/* --- for reporters --- */

/* A sentence at the end of one of the texts. */
void tp_conclude_add(struct tp_str *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * "tprof --batch quick --set KEY=VALUE": the run's preset again, simulated as the run was. `set`
 * may be NULL. Nothing is added if the run does not say what its preset was.
 */
void tp_conclude_again(const struct tp_run *run, const char *set, struct tp_str *command);
/* A word of a command line, in single quotes where a shell would change it. */
void tp_conclude_word(struct tp_str *command, const char *word);

#endif
