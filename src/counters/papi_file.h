/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The defined metrics of classes as a PAPI derived-event file, see PAPI_derived_event_files(5). */
#ifndef TPROF_COUNTERS_PAPI_FILE_H
#define TPROF_COUNTERS_PAPI_FILE_H

#include "base/str.h"
#include "record/classes.h"

/* What was left out, and why, stands in comments of the file. */
enum tp_status tp_papi_file(const struct tp_class *classes, size_t n, struct tp_str *out);

#endif
