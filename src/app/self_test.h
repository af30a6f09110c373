/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the ways of counting count right? Kernels that tprof emits itself do a known number of
 * everything. A subject runs them (subject.c), each way of counting counts it, and the two must
 * agree in every number: kinds of floating-point instructions, FLOPs, loads, stores, bytes,
 * gathers.
 */
#ifndef TPROF_APP_SELF_TEST_H
#define TPROF_APP_SELF_TEST_H

#include <stdbool.h>

#include "base/status.h"
#include "base/str.h"

struct tp_app_self_test {
	const char *source; /* of tp_app_source_table; NULL = all that work here */
	const char *isa; /* of tp_isa_table; NULL = all that this CPU has */
	/* Asked several times a second; false ends it. NULL = not asked. */
	bool (*go_on)(void *context);
	void *context;
};

/*
 * Writes one table for each ISA to `out`, and remarks on ISAs and ways that are left out. TP_OK:
 * all is exact. TP_FAILED: something is not, as listed in `out`. TP_USAGE: an unknown name.
 * TP_UNSUPPORTED: nothing could be counted. TP_CANCELLED.
 */
enum tp_status tp_app_self_test(const struct tp_app_self_test *ask, struct tp_str *out,
				struct tp_diag *diag);

#endif
