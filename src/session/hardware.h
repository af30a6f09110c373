/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of a machine, in sections of text, for the command line and the screens. */
#ifndef TPROF_SESSION_HARDWARE_H
#define TPROF_SESSION_HARDWARE_H

#include "doc/text.h"
#include "machine/machine.h"
#include "record/run.h"
#include "session/learned.h"

/* Caches: reported, given, of the model, and measured by the run that was found. */
void tp_hardware_caches(const struct tp_machine *machine, const struct tp_found *found,
			struct tp_text *text);
void tp_hardware_isas(const struct tp_machine *machine, struct tp_text *text);
/*
 * Peaks for each core and cycle: of the model, and measured by `run` (may be NULL), whose name is
 * `from`.
 */
void tp_hardware_peaks(const struct tp_model *model, const struct tp_run *run, const char *from,
		       struct tp_text *text);
/* CPU, memory, pages, frequency, host, kernel. */
void tp_hardware_environment(const struct tp_machine *machine, struct tp_text *text);

/*
 * The topology as boxes: packages around memory nodes around shared caches around cores, each with
 * its caches, reported and measured by `measured` (may be NULL). Of many alike one box stands for
 * all.
 */
void tp_hardware_topology(const struct tp_machine *machine, const struct tp_run *measured,
			  struct tp_text *text);

/* --- for the two sources of these texts --- */

/* By level: "L1d", "L2", "L3". */
extern const char *const tp_cache_names[];
/* A run's measurement of a cache; 0 = nothing that may be shown as measured. */
uint64_t tp_measured_bytes(const struct tp_run *run, int level);

#endif
