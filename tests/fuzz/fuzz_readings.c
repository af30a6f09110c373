/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as readings.csv: must not crash, must say what is wrong and in which line, must not ask
 * for much more memory than the text is long, and what was read must survive writing and reading
 * again.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_readings tests/fuzz/corpus/readings
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "experiments/counters/readings.h"
#include "experiments/experiment.h"
#include "tests/fuzz/promise.h"

static size_t n_counts(const struct tp_readings *readings, size_t size)
{
	size_t n = 0, cells = 0;

	for (size_t f = 0; f < readings->n; f++) {
		const struct tp_reading_family *family = &readings->families[f];

		must(tp_readings_family(readings, family->name) == family, "families are found");
		cells += family->n_events * family->cap_rows * family->cap_repetitions;
		for (size_t e = 0; e < family->n_events; e++) {
			must(tp_reading_event_find(family, family->events[e].name) ==
				     &family->events[e],
			     "events are found");
			for (size_t row = 0; row < family->n_rows; row++)
				for (size_t k = 0; k < family->n_repetitions; k++) {
					double value = tp_reading_value(family, &family->events[e],
									k, row);

					must(isnan(value) || value >= 0, "no count is below 0");
					if (!isnan(value))
						n++;
				}
		}
	}
	/*
	 * Every family may be a little wide; together they are bounded by the text, with the room
	 * for growth.
	 */
	must(cells <= (size + (readings->n + 1) * 16384) * 64, "memory is bounded by the text");
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	struct tp_readings readings = { 0 }, again = { 0 };
	struct tp_diags diags = { 0 }, none = { 0 };
	struct tp_str text = { 0 }, second = { 0 };
	enum tp_status status =
		tp_readings_parse(&readings, "input", (const char *)data, size, &diags);
	size_t n = n_counts(&readings, size);

	must((status == TP_OK) == (diags.n == 0), "every failure is told");
	must(diags.n <= 51, "but not too many");
	for (size_t i = 0; i < diags.n; i++)
		must((diags.items[i].where[0] || i == TP_DIAGS_MAX) && diags.items[i].what[0],
		     "a failure has a place and words");
	must(n > 0 || status != TP_OK, "nothing is not taken for a table");
	must(tp_readings_csv(&readings, SIZE_MAX, &text) == TP_OK, "readings can be written");
	status = tp_readings_parse(&again, "again", text.s, text.len, &none);
	must(status == (n ? TP_OK : TP_USAGE), "and read again");
	must(n_counts(&again, text.len) == n, "with all of them");
	must(tp_readings_csv(&again, SIZE_MAX, &second) == TP_OK, "and written again");
	must(strcmp(text.s, second.s) == 0, "to the same text");
	tp_str_release(&text);
	tp_str_release(&second);
	tp_diags_release(&diags);
	tp_diags_release(&none);
	tp_readings_release(&readings);
	tp_readings_release(&again);
	return 0;
}
