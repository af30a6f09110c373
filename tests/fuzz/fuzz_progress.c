/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a learner's file: must not crash, must say why it fails, and what is read must
 * survive writing and reading again.
 */
#include <string.h>

#include "lesson/progress.h"
#include "tests/fuzz/promise.h"

static void same(const struct tp_progress_file *a, const struct tp_progress_file *b)
{
	must(a->n_lessons == b->n_lessons, "as many lessons");
	must(strcmp(a->learner, b->learner) == 0, "of the same learner");
	for (size_t i = 0; i < a->n_lessons; i++) {
		const struct tp_progress_lesson *x = &a->lessons[i], *y = &b->lessons[i];
		must(strcmp(x->name, y->name) == 0, "a lesson by its name");
		must(x->step == y->step && x->finished == y->finished, "as far");
		must(x->n_answers == y->n_answers && x->n_runs == y->n_runs, "with all answers");
		for (size_t k = 0; k < x->n_answers; k++)
			must(strcmp(x->answers[k].step, y->answers[k].step) == 0 &&
				     x->answers[k].n_y == y->answers[k].n_y,
			     "an answer");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_progress_file file, again;
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 };
	if (tp_progress_parse(&file, "input", (const char *)data, size, &diag) != TP_OK) {
		must(diag.where[0] && diag.what[0], "a failure has a place and words");
		must(!file.lessons, "a failure leaves nothing");
		return 0;
	}
	for (size_t i = 0; i < file.n_lessons; i++)
		file.lessons[i].touched = true;
	must(tp_progress_text(&file, (const char *)data, size, &text, &diag) == TP_OK,
	     "what is read can be written");
	must(tp_progress_parse(&again, "again", tp_str_text(&text), text.len, &diag) == TP_OK,
	     "and read again");
	same(&file, &again);
	tp_progress_release(&file);
	tp_progress_release(&again);
	tp_str_release(&text);
	return 0;
}
