/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a file of PAPI's Counter Analysis Toolkit: must not crash, must say where and why,
 * and what is read must be counts. The first byte chooses the kind of file.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_cat tests/fuzz/corpus/cat
 */
#include <math.h>
#include <stdint.h>

#include "experiments/counters/cat.h"
#include "experiments/experiment.h"
#include "tests/fuzz/promise.h"
#include "experiments/counters/readings.h"

static void check_readings(const struct tp_readings *readings)
{
	for (size_t i = 0; i < readings->n; i++) {
		const struct tp_reading_family *f = &readings->families[i];

		for (size_t e = 0; e < f->n_events; e++)
			for (size_t row = 0; row < f->n_rows; row++) {
				double v = tp_reading_value(f, &f->events[e], 0, row);
				must(isnan(v) || (v >= 0 && v < 9.3e18), "readings are counts");
			}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	static const char *const names[] = { "E.branch",      "E.vec",	 "E.data.reads",
					     "E.data.writes", "E.flops", "E.icache",
					     "E.instr",	      "E" };
	struct tp_cat cat = { .n_files = 0 };
	struct tp_diag diag = { .what = "" };

	if (size == 0)
		return 0;
	const char *name = names[data[0] % 8];
	if (tp_cat_parse(&cat, name, (const char *)data + 1, size - 1, &diag) == TP_OK)
		must(cat.n_files == 1 && cat.readings.n == 1, "a file that was read left readings");
	else
		must(diag.where[0] && diag.what[0], "a failure has a place and words");
	for (size_t i = 0; i < cat.notes.n; i++)
		must((cat.notes.items[i].where[0] || i == TP_DIAGS_MAX) &&
			     cat.notes.items[i].what[0],
		     "a note has a place and words");
	check_readings(&cat.readings);
	tp_cat_release(&cat);
	return 0;
}
