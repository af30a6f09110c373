/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes of several runs on each other. */
#ifndef TPROF_REPORT_OVERLAY_H
#define TPROF_REPORT_OVERLAY_H

#include "report/pictures.h"

/*
 * What is laid on each other: runs of at most TP_REPORT_RUNS_MAX, each with the colour and the
 * glyph of its number.
 */
struct tp_overlay {
	const struct tp_run *const *runs;
	const char *const *names;
	size_t n;
};

#endif
