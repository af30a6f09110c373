/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of a run that get no streams of tprof print into memory (base/output.h), which goes into
 * files of the run directory when the run has ended.
 */
#ifndef TPROF_SESSION_PRINTED_H
#define TPROF_SESSION_PRINTED_H

#include "record/run.h"

struct tp_output;

struct tp_printed {
	int fd; /* of the memory; -1 = there is none, and what programs print is discarded */
	struct tp_output *output;
};

/* `earlier`: a run that goes on, whose files in `directory` go on, too; NULL = none. */
void tp_printed_begin(struct tp_printed *printed, const char *directory,
		      const struct tp_run *earlier);
/* How much there is, as facts of the run. */
void tp_printed_tell(const struct tp_printed *printed, struct tp_run *run);
/* Files of what there is, each whole or not at all; none for a stream that nobody used. */
enum tp_status tp_printed_write(const struct tp_printed *printed, const char *directory,
				struct tp_diag *diag);
void tp_printed_release(struct tp_printed *printed);

#endif
