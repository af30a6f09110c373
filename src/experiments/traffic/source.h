/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whoever counts the traffic: events of the machine, or a model of its caches. Private to the
 * experiment. */
#ifndef TPROF_EXPERIMENTS_TRAFFIC_SOURCE_H
#define TPROF_EXPERIMENTS_TRAFFIC_SOURCE_H

#include "counters/sources.h"
#include "preset/options.h"

enum tp_traffic_way { TP_TRAFFIC_EMULATED, TP_TRAFFIC_COUNTERS, TP_TRAFFIC_NONE };

struct tp_traffic_source {
	struct tp_source source;
	struct tp_emulated_machine emulated;
	double unit_bytes; /* of a count */
};

enum tp_traffic_way tp_traffic_way(const struct tp_config *config);
/* The last cache that a core has for itself, of the model or of the machine; 0 = not known. */
uint64_t tp_traffic_cache(const struct tp_config *config, const struct tp_machine *machine,
			  unsigned threads);
/*
 * Opens it. TP_UNSUPPORTED where no event can be counted, with the reason and what would allow it.
 * Close with tp_source_close.
 */
enum tp_status tp_traffic_source_open(struct tp_traffic_source *traffic,
				      const struct tp_config *config,
				      const struct tp_machine *machine, struct tp_diag *diag);
/*
 * Bytes by the counts of all events, as tp_crew_count leaves them for one repetition, of one of
 * `threads` cores. False if no event counts what is read (or written).
 */
bool tp_traffic_bytes_of(const struct tp_traffic_source *traffic, const struct tp_config *config,
			 const double *counts, bool written, unsigned threads, double *bytes);

#endif
