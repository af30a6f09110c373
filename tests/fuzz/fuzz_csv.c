/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as points.csv: must not crash, must say why and in which line it fails, and what is
 * read must survive writing and reading again.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_csv tests/fuzz/corpus/csv
 */
#include <string.h>

#include "experiments/experiment.h"
#include "record/load.h"
#include "tests/fuzz/promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	struct tp_run run = { 0 }, again = { 0 }, third = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 }, second = { 0 };

	if (tp_run_parse_csv(&run, "input", (const char *)data, size, &diag)) {
		must(diag.where[0] && diag.what[0], "a failure has a place and words");
		must(run.n_points == 0 && !run.points, "and leaves the run alone");
		return 0;
	}
	tp_run_csv(&run, true, &text);
	must(tp_run_parse_csv(&again, "again", text.s, text.len, &diag) == TP_OK, "and read again");
	must(again.n_points == run.n_points, "with all of it");
	/*
	 * The first writing rounds to the digits of the table, and what is computed from a rounded
	 * value may differ in its last one. From then on nothing changes any more.
	 */
	tp_run_csv(&again, true, &second);
	must(tp_run_parse_csv(&third, "third", second.s, second.len, &diag) == TP_OK, "and read");
	tp_str_clear(&text);
	tp_run_csv(&third, true, &text);
	must(strcmp(text.s, second.s) == 0, "to the same text");
	tp_str_release(&text);
	tp_str_release(&second);
	tp_run_release(&run);
	tp_run_release(&again);
	tp_run_release(&third);
	return 0;
}
