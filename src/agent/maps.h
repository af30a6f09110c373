/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is mapped: /proc/self/maps. Private to src/agent. */
#ifndef TPROF_AGENT_MAPS_H
#define TPROF_AGENT_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct tp_mapping {
	uint64_t start, end, offset, device, inode;
	bool readable, executable;
	const char *path; /* or [vdso], or "" */
};

/* Calls `each` with every mapping, until it returns false. */
void tp_maps_walk(bool (*each)(void *context, const struct tp_mapping *m), void *context);

#endif
