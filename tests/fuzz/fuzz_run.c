/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as run.json: must not crash, must say why it fails, and what is read must survive
 * writing and reading again.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_run tests/fuzz/corpus/run
 */
#include <math.h>
#include <string.h>

#include "experiments/app/run.h"
#include "experiments/experiment.h"
#include "record/run.h"
#include "tests/fuzz/promise.h"

enum { POINTS_WRITTEN = 2000 };

/* Programs are counted by what a run says of events. */
static void formulas(const struct tp_run *run)
{
	const struct tp_fact *cpu = tp_run_fact(run, "machine.cpu");
	struct tp_app_found found;
	struct tp_diag diag = { 0 };
	if (tp_app_formulas_of(run, cpu ? cpu->text : "", &found, &diag)) {
		must(diag.what[0], "a run without formulas has words for it");
		return;
	}
	must(found.formulas.n > 0 && found.formulas.n <= TP_APP_FORMULAS, "formulas fit");
	for (size_t i = 0; i < found.formulas.n; i++) {
		const struct tp_app_formula *f = &found.formulas.items[i];
		must(f->n > 0 && f->n <= TP_APP_TERMS && f->gives < TP_APP_GIVEN_N, "in bounds");
		must(f->metric && f->words && f->words[0], "with words");
		for (size_t k = 0; k < f->n; k++)
			must(f->terms[k].event && isfinite(f->terms[k].coefficient), "and terms");
	}
	tp_app_found_release(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	struct tp_run run = { 0 }, again = { 0 }, third = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 }, second = { 0 }, csv = { 0 };

	if (tp_run_parse(&run, "input", (const char *)data, size, &diag)) {
		must(diag.where[0] && diag.what[0], "a failure has a place and words");
		return 0;
	}
	/* A large number of a point makes all before it: sound, but slow to write three times. */
	if (run.n_points > POINTS_WRITTEN) {
		tp_run_release(&run);
		return 0;
	}
	formulas(&run);
	tp_run_json(&run, &text);
	tp_run_csv(&run, false, &csv);
	must(tp_run_parse(&again, "again", text.s, text.len, &diag) == TP_OK, "and read again");
	must(again.n_points == run.n_points && again.n_facts == run.n_facts, "with all of it");
	tp_run_json(&again, &second);
	/*
	 * Ratios are computed from values that the first writing rounded; from the second on
	 * nothing changes any more.
	 */
	must(tp_run_parse(&third, "third", second.s, second.len, &diag) == TP_OK, "and read");
	tp_str_clear(&text);
	tp_run_json(&third, &text);
	must(strcmp(text.s, second.s) == 0, "to the same text");
	tp_str_release(&text);
	tp_str_release(&second);
	tp_str_release(&csv);
	tp_run_release(&run);
	tp_run_release(&again);
	tp_run_release(&third);
	return 0;
}
