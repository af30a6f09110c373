/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/cores.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "base/memory.h"

void tp_cores_tell(struct tp_cores *cores, const struct tp_bench *bench, struct tp_event *event)
{
	uint64_t ticks[TP_EVENT_CORES] = { 0 };
	double now = tp_now_seconds(), hz = (double)sysconf(_SC_CLK_TCK);
	if (!bench || !bench->team)
		return;
	size_t n = TP_MIN((size_t)tp_team_size(bench->team), (size_t)TP_EVENT_CORES);
	bool known = cores->stolen_from == bench->team && now > cores->stolen_at;
	if (!bench->simulation)
		tp_machine_steal_each(bench->team_cpus, n, ticks);
	for (size_t i = 0; i < n; i++) {
		struct tp_core_now *core = &event->cores[event->n_cores];
		double own, taken = known && ticks[i] > cores->stolen[i]
					    ? (double)(ticks[i] - cores->stolen[i]) / hz
					    : 0;
		core->cpu = bench->team_cpus[i];
		core->stolen = fmin(taken / (now - cores->stolen_at), 1);
		if (!tp_team_core(bench->team, (unsigned)i, &core->ghz, &own))
			continue;
		core->others = 1 - own;
		event->n_cores++;
	}
	memcpy(cores->stolen, ticks, sizeof(ticks));
	cores->stolen_from = bench->team;
	cores->stolen_at = now;
}
