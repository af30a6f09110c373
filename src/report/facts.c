/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/facts.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>

const char *tp_fact_text(const struct tp_run *run, const char *key)
{
	const struct tp_fact *fact = tp_run_fact(run, key);
	return fact && !fact->is_number ? fact->text : "";
}

double tp_fact_number(const struct tp_run *run, const char *key, double fallback)
{
	const struct tp_fact *fact = tp_run_fact(run, key);
	return fact && fact->is_number && isfinite(fact->number) ? fact->number : fallback;
}

uint64_t tp_fact_count(const struct tp_run *run, const char *key)
{
	double number = tp_fact_number(run, key, 0);
	return number >= 1 && number < 9e15 ? (uint64_t)number : 0;
}

uint64_t tp_fact_cache(const struct tp_run *run, int level, const char *name)
{
	char key[64];
	snprintf(key, sizeof(key), "machine.cache.L%d.%s", level, name);
	return tp_fact_count(run, key);
}

uint64_t tp_fact_share_bytes(const struct tp_run *run, int level, unsigned threads)
{
	uint64_t sharers = TP_MAX(tp_fact_cache(run, level, "sharing_cores"), UINT64_C(1));
	uint64_t users = TP_MAX(threads, 1u);
	return tp_fact_cache(run, level, "size_bytes") / TP_MIN(users, sharers);
}
