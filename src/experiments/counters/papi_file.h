/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The defined metrics of classes as a PAPI derived-event file, see PAPI_derived_event_files(1).
 * PAPI reads the file that the environment variable PAPI_USER_EVENTS_FILE names while
 * PAPI_library_init starts the component of the CPU (perf_event): at that moment the native events
 * must resolve, and only events of that component can be combined. A metric is then added by name
 * (PAPI_add_named_event).
 *
 * What PAPI 7 takes: at most 50 events, 8 natives each, constants that are whole numbers below
 * 2^31, lines of less than 2048 bytes, no signs. So a real coefficient becomes a fraction, all
 * terms over one denominator, and a negative term is subtracted. PAPI cuts the value to a whole
 * number.
 */
#ifndef TPROF_COUNTERS_PAPI_FILE_H
#define TPROF_COUNTERS_PAPI_FILE_H

#include <stdbool.h>

#include "base/str.h"
#include "experiments/counters/classes.h"

/*
 * Comments of the file list what was left out, and why. The file's CPU lines name the PMUs from the
 * events' names, or else the PMUs of this machine as PAPI lists them.
 */
void tp_papi_file(const struct tp_class *classes, size_t n, struct tp_str *out);
/* The same for given PMUs, names as PAPI spells them, separated by blanks. */
void tp_papi_file_for(const struct tp_class *classes, size_t n, const char *pmus,
		      struct tp_str *out);

#endif
