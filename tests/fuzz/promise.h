/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What all fuzz targets share: their entry, and how they report that a promise of a reader was
 * broken.
 */
#ifndef TPROF_TESTS_PROMISE_H
#define TPROF_TESTS_PROMISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * A broken promise ends the run, which is the signal for a fuzzer. `text` (may be NULL) is what it
 * was broken on, where that is not the input.
 */
static inline void must_of(bool promise, const char *words, const char *text)
{
	if (promise)
		return;
	fprintf(stderr, "broken promise: %s\n%s%s", words, text ? text : "", text ? "\n" : "");
	abort();
}

static inline void must(bool promise, const char *words)
{
	must_of(promise, words, NULL);
}

#endif
