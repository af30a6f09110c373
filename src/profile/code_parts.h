/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of samples of code. Private to src/profile. */
#ifndef TPROF_PROFILE_CODE_PARTS_H
#define TPROF_PROFILE_CODE_PARTS_H

#include "profile/code.h"
#include "profile/proc.h"

enum { TP_CODE_INDEX = 1 << 17 };
#define TP_CODE_NOWHERE UINT32_MAX

struct tp_code_ring {
	int fd;
	void *page; /* struct perf_event_mmap_page, and the ring behind it */
	size_t bytes;
};
struct tp_code_module {
	char *path;
};
struct tp_code_range { /* of code in a process */
	uint32_t pid, module;
	uint64_t start, end, offset;
};
struct tp_code_place {
	uint64_t offset; /* in the file of the module */
	uint32_t module;
	uint32_t function; /* of `named`, once there is one */
};
struct tp_code_sample {
	uint32_t tick, place;
};

struct tp_code_samples {
	struct tp_code_ring *rings;
	size_t n_rings;
	struct tp_code_module *modules;
	size_t n_modules, cap_modules;
	struct tp_code_range *ranges;
	size_t n_ranges, cap_ranges;
	struct tp_code_place *places;
	size_t n_places, cap_places;
	uint32_t *index; /* hash table of places: number + 1 */
	struct tp_code_sample *samples;
	size_t n_samples, cap_samples;
	struct tp_code_function *named;
	size_t n_named, cap_named;
	uint64_t taken, lost;
	uint32_t looked_tick, looked_pid;
	char *maps;
};

#endif
