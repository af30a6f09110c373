/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine of a run. A run can be read anywhere, so the machine that makes the report does not
 * matter.
 */
#ifndef TPROF_REPORT_FACTS_H
#define TPROF_REPORT_FACTS_H

#include "base/str.h"
#include "record/run.h"

enum { TP_FACT_LEVELS = 3 }; /* caches: L1, L2, L3 */

/* "" if the run has no such fact; borrowed from the run. */
const char *tp_fact_text(const struct tp_run *run, const char *key);
/* `fallback` if the run has no such fact, or not a number. */
double tp_fact_number(const struct tp_run *run, const char *key, double fallback);
/* A non-negative number as a count; 0 if the run has no such fact. */
uint64_t tp_fact_count(const struct tp_run *run, const char *key);

/* "simulated: zen4, quiet", or "" for a run of a real machine. Every head shows it. */
const char *tp_fact_simulated(const struct tp_run *run, char *out, size_t size);

/* The run's own name, else its preset file's, else "tprof". Returns out. */
enum { TP_RUN_NAME_BYTES = 160 };
const char *tp_fact_name(const struct tp_run *run, char *out, size_t size);
/*
 * When it began: "2026-11-21 11:48 UTC" from the record's 2026-11-21T11:48:05Z; other forms as they
 * are. Returns out.
 */
const char *tp_fact_date(const struct tp_run *run, char *out, size_t size);
/* "2026-11-21 11:48 UTC · AMD EPYC · node7", as far as the run has them. */
void tp_fact_when_where(const struct tp_run *run, struct tp_str *out);

/* machine.cache.L1.<name> of level 1..3. */
uint64_t tp_fact_cache(const struct tp_run *run, int level, const char *name);
/*
 * Capacity of a cache that each thread gets, one thread a core: size / min(threads,
 * cores that share it); 0 = unknown.
 */
uint64_t tp_fact_share_bytes(const struct tp_run *run, int level, unsigned threads);

/*
 * 1 for a working set of a thread in L1, up to 4 for one beyond L3; 0 where a cache is not reported
 * that it may lie in.
 */
int tp_fact_level(const struct tp_run *run, double bytes, unsigned threads);

/*
 * How good its points are, those of an experiment or all (NULL): "71 good, 10 fair, 3 poor"; "" if
 * none has a quality. Returns out.
 */
const char *tp_fact_qualities(const struct tp_run *run, const char *experiment, char *out,
			      size_t size);

/*
 * "zen4", or of a machine that only looks like its model "looks like zen4 (by features and caches;
 * CPUID says family 6 model 167)". Nothing if the run names no model.
 */
void tp_fact_model(const struct tp_run *run, struct tp_str *out);

#endif
