/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Levels from one end to the other: the agent traces a kernel that walks 12 KiB, and the bytes come
 * from the cache that holds them, at any size that the caches are declared to have.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "app/kernel_list.h"
#include "base/file.h"

enum { KIB = 1024, WALK_BYTES = 12 * KIB, REGION_COST = 64 * KIB };

static const char kernel[] = "sse double load";

/* Bytes by level of the region with many passes. */
static void trace(const struct tp_app_cache caches[3], double bytes[TP_APP_LEVELS])
{
	char subject[TP_PATH_MAX], isa[] = "sse", name[TP_APP_NAME];
	char *const words[] = { subject, isa, NULL };
	const struct tp_app_command command = {
		.words = words, .output = -1, .errors = -1, .limit_seconds = 120
	};
	struct tp_app_counts counts;
	struct tp_diag diag = { .what = "" };
	bool found = false;

	snprintf(name, sizeof(name), "%s x%d", kernel, TP_APP_PASSES_MANY);
	assert_int_equal(tp_path_library("tprof-subject", subject, &diag), TP_OK);
	if (tp_app_trace(&command, caches, &counts, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	assert_int_equal(counts.end.code, 0);
	assert_int_equal(counts.end.signal, 0);
	for (size_t i = 0; i < counts.n_regions; i++) {
		if (counts.regions[i].thread != TP_APP_ALL || strcmp(counts.regions[i].name, name))
			continue;
		memcpy(bytes, counts.regions[i].level_bytes, sizeof(counts.regions[i].level_bytes));
		found = true;
	}
	assert_true(found);
	tp_app_counts_release(&counts);
}

static void bytes_come_from_the_cache_that_holds_them(void **state)
{
	static const struct {
		uint64_t bytes[3];
		unsigned level;
	} rows[] = {
		{ { 32 * KIB, 256 * KIB, 4096 * KIB }, 1 },
		{ { 4 * KIB, 256 * KIB, 4096 * KIB }, 2 },
		{ { 4 * KIB, 4 * KIB, 4096 * KIB }, 3 },
		{ { 4 * KIB, 4 * KIB, 4 * KIB }, 4 },
	};

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* the agent cannot be loaded into programs with sanitizers */
#endif
	if (tp_app_source_find("agent")->supported(NULL, NULL, NULL) != TP_OK)
		skip();
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct tp_app_cache caches[3];
		double bytes[TP_APP_LEVELS], want = TP_APP_PASSES_MANY * WALK_BYTES;
		for (unsigned l = 0; l < 3; l++)
			caches[l] = (struct tp_app_cache){ .bytes = rows[r].bytes[l],
							   .ways = 8,
							   .line_bytes = 64,
							   .shared = l == 2 };
		trace(caches, bytes);
		/* Marks of the region, calls and the first passes may touch a line that is sampled.
		 */
		for (unsigned l = 1; l < TP_APP_LEVELS; l++)
			if (fabs(bytes[l] - (l == rows[r].level ? want : 0)) > REGION_COST)
				fail_msg("caches %u: %.0f bytes from level %u", r, bytes[l], l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_come_from_the_cache_that_holds_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
