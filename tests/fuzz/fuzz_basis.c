/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a basis: must not crash, must say what is wrong and where, and what is taken must
 * keep the promises of the header, whatever is made of it afterwards.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_basis tests/fuzz/corpus/basis
 */
#include <math.h>
#include <stdint.h>

#include "preset/basis.h"
#include "tests/fuzz/promise.h"

static void check(const struct tp_basis *b)
{
	must(b->name[0] && b->title[0] && b->per[0], "a basis has a name and a title");
	must(b->n_ideals > 0 && b->n_ideals <= TP_BASIS_MAX_IDEALS, "1 to 256 ideal events");
	must(b->n_rows > 0 && b->n_rows <= TP_BASIS_MAX_ROWS, "1 to 4096 rows");
	must(b->n_metrics > 0 && b->n_metrics <= TP_BASIS_MAX_METRICS, "1 to 1024 metrics");
	must(b->noise >= 0 && b->residual >= 0 && b->alpha > 0 && b->defined >= 0,
	     "limits are no less than 0");
	for (size_t i = 0; i < b->n_ideals; i++)
		must(b->ideals[i].name[0], "ideal events have names");
	for (size_t i = 0; i < b->n_rows; i++) {
		must(b->rows[i].name[0], "rows have names");
		must(b->rows[i].region < (int)b->n_regions, "regions are known");
	}
	for (size_t i = 0; i < b->n_rows * b->n_ideals; i++) {
		double expected = b->rows[i / b->n_ideals].expect[i % b->n_ideals];
		must(isfinite(expected) && expected >= 0,
		     "expectations are finite and not negative");
	}
	for (size_t i = 0; i < b->n_metrics; i++)
		must(b->metrics[i].name[0] && b->metrics[i].symbol[0], "metrics have names");
	for (size_t i = 0; i < b->n_metrics * b->n_ideals; i++)
		must(isfinite(b->metrics[i / b->n_ideals].signature[i % b->n_ideals]),
		     "signatures are finite");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_basis basis;
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	struct tp_basis_row rows[2] = { { "one", "", 1, 0, NULL },
					{ "two", "group", NAN, 0, NULL } };

	if (tp_basis_parse(&basis, "input.yaml", (const char *)data, size, &diags)) {
		must(diags.n > 0, "a failure is told");
		for (size_t i = 0; i < diags.n; i++)
			must((diags.items[i].where[0] || i == TP_DIAGS_MAX) &&
				     diags.items[i].what[0],
			     "with a place and words");
		must(!basis.rows && !basis.arena.head, "and leaves nothing");
		tp_diags_release(&diags);
		return 0;
	}
	must(diags.n == 0, "a sound basis has no errors");
	check(&basis);
	must(tp_basis_set_rows(&basis, rows, 2, &diag) == (basis.n_regions ? TP_OK : TP_USAGE),
	     "rows of regions can be made elsewhere");
	check(&basis);
	tp_basis_release(&basis);
	return 0;
}
