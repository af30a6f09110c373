/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CPUs at work, for events of progress. Private to this room. */
#ifndef TPROF_ENGINE_CORES_H
#define TPROF_ENGINE_CORES_H

#include "experiments/bench.h"
#include "record/event.h"

/* Stolen ticks of the CPUs of a team, and when they were read last; 0 = never. */
struct tp_cores {
	uint64_t stolen[TP_EVENT_CORES];
	const struct tp_team *stolen_from;
	double stolen_at;
};

/*
 * Adds to the event what the gauges say of each CPU of the bench's team, and what share of its time
 * the hypervisor took since the last call.
 */
void tp_cores_tell(struct tp_cores *cores, const struct tp_bench *bench, struct tp_event *event);

#endif
