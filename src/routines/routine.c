/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "routines/parts.h"
#include "base/memory.h"

#include <stdlib.h>

/* A reading shorter than this would be mostly clock and start. */
#define READING_SECONDS 200e-6
/* A first call that took so long needs no calibration, even if caches were cold. */
#define LONG_SECONDS 5e-3

static const struct tp_routine_kind *const kinds[TP_ROUTINE_COUNT] = {
	[TP_ROUTINE_DGEMM] = &tp_routine_gemm,
	[TP_ROUTINE_SGEMM] = &tp_routine_gemm,
#ifdef TP_HAVE_OPENMP
	[TP_ROUTINE_TRIAD] = &tp_routine_triad,
#endif
};

struct tp_routine {
	const struct tp_routine_kind *kind;
	void *state;
	uint64_t calls; /* in one reading */
	double call_seconds; /* of the last one */
};

enum tp_status tp_routine_supported(enum tp_routine_id id, struct tp_diag *diag)
{
	if (kinds[id])
		return TP_OK;
	return tp_fail(diag, TP_UNSUPPORTED, tp_routine_name(id),
		       "build tprof with a compiler that has OpenMP (Debian package gcc)",
		       "this tprof was built without OpenMP");
}

static enum tp_status check_config(const struct tp_routine_config *config, struct tp_diag *diag)
{
	unsigned dimensions = config->id == TP_ROUTINE_TRIAD ? 1 : TP_ROUTINE_DIMENSIONS;
	for (unsigned i = 0; i < dimensions; i++)
		if (!config->size[i])
			return tp_fail(diag, TP_USAGE, tp_routine_name(config->id),
				       "every size is at least 1", "the size %c is 0", "nmk"[i]);
	if (!config->n_cpus || config->n_cpus > TP_ROUTINE_CPUS_MAX)
		return tp_fail(diag, TP_USAGE, tp_routine_name(config->id), "1 to 1024 CPUs",
			       "%u CPUs cannot be used", config->n_cpus);
	return tp_routine_supported(config->id, diag);
}

enum tp_status tp_routine_new(struct tp_routine **routine, const struct tp_routine_config *config,
			      struct tp_diag *diag)
{
	*routine = NULL;
	enum tp_status status = check_config(config, diag);
	if (status != TP_OK)
		return status;
	struct tp_routine *made = tp_alloc(1, sizeof(*made));
	made->kind = kinds[config->id];
	made->calls = 1;
	status = made->kind->open(&made->state, config, &made->call_seconds, diag);
	if (status != TP_OK) {
		tp_routine_free(made);
		return status;
	}
	/* Doubles the calls until a reading is long enough. */
	if (made->call_seconds < LONG_SECONDS) {
		double seconds;

		while ((seconds = tp_routine_run(made) * (double)made->calls) < READING_SECONDS) {
			double grow = seconds > 0 ? 1.1 * READING_SECONDS / seconds : 8;
			made->calls = (uint64_t)((double)made->calls * (grow < 2   ? 2
									: grow > 8 ? 8
										   : grow));
		}
	}
	*routine = made;
	return TP_OK;
}

void tp_routine_settle(struct tp_routine *routine)
{
	routine->kind->settle(routine->state);
}

double tp_routine_run(struct tp_routine *routine)
{
	double seconds = routine->kind->run(routine->state, routine->calls);
	return routine->call_seconds = seconds / (double)routine->calls;
}

double tp_routine_call_seconds(const struct tp_routine *routine)
{
	return routine->call_seconds;
}

void tp_routine_free(struct tp_routine *routine)
{
	if (!routine)
		return;
	if (routine->state)
		routine->kind->free(routine->state);
	free(routine);
}
