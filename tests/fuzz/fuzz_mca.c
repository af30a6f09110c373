/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as what llvm-mca says: must not crash, and what is read must be numbers from 0 on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/mca.h"
#include "tests/fuzz/promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { N = 3 };
	struct tp_mca_result results[N] = { 0 };
	char *text = calloc(size + 1, 1);
	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	must(tp_mca_read(text, results, N) <= N, "no more pieces than there are");
	for (size_t i = 0; i < N; i++) {
		const struct tp_mca_result *r = &results[i];
		must(r->cycles >= 0 && isfinite(r->cycles) && isfinite(r->uops), "numbers");
		must(memchr(r->pressure, '\0', sizeof(r->pressure)), "a text that ends");
	}
	free(text);
	return 0;
}
