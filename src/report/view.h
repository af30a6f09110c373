/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part of a run that looks like a run: what pictures and tables are made from when only some
 * ISAs, precisions or thread counts are selected.
 */
#ifndef TPROF_REPORT_VIEW_H
#define TPROF_REPORT_VIEW_H

#include "record/run.h"

/* What distinguishes the parts of a run. */
struct tp_slice {
	unsigned run, threads;
	const char *isa, *precision;
	const char *kernel; /* "2ld1st"; "" = none */
};

typedef bool tp_slice_wanted(const void *context, const struct tp_slice *part);

/*
 * The selected points and rows of result tables; other points stay in their places as skipped ones,
 * because rows refer to them by number. Facts, warnings and samples belong to the run: use them
 * only while the run is unchanged.
 */
void tp_run_view(struct tp_run *view, const struct tp_run *run, tp_slice_wanted *wanted,
		 const void *context);
/* Releases the view's own memory. Do not use tp_run_release. */
void tp_run_view_release(struct tp_run *view);

#endif
