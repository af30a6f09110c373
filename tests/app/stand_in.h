/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a place of the shared file, the first one, as an agent does: into a file with holes, so
 * that it takes no room.
 */
#ifndef TPROF_TESTS_STAND_IN_H
#define TPROF_TESTS_STAND_IN_H

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "agent/shared.h"
#include "app/shared_file.h"
#include "base/str.h"

static inline void put_bytes(int fd, const void *bytes, size_t n, size_t offset)
{
	if (pwrite(fd, bytes, n, (off_t)(TP_AGENT_PLACE_AT(0) + offset)) != (ssize_t)n)
		_exit(99);
}

static inline void put_u32(int fd, size_t offset, uint32_t value)
{
	put_bytes(fd, &value, sizeof(value), offset);
}

#define PUT_HEAD(fd, field, value)                                                                 \
	put_u32((fd), offsetof(struct tp_agent_shared, field), (uint32_t)(value))

static inline void put_region(int fd, unsigned index, const char *name)
{
	char text[TP_AGENT_NAME] = "";
	tp_copy(text, sizeof(text), name);
	put_bytes(fd, text, sizeof(text),
		  offsetof(struct tp_agent_shared, regions) + index * sizeof(text));
}

static inline void put_thread(int fd, unsigned index, uint32_t region, uint32_t n_counters)
{
	const uint32_t first[] = { 1000 + index, region, n_counters, 0, 1 };
	put_bytes(fd, first, sizeof(first), TP_APP_THREAD_AT(index));
}

static inline void put_sum(int fd, unsigned thread, unsigned region, const struct tp_agent_sum *sum)
{
	put_bytes(fd, sum, sizeof(*sum), TP_APP_FIELD_AT(thread, sums) + region * sizeof(*sum));
}

static inline void put_counter(int fd, unsigned thread, unsigned index, uint64_t count,
			       uint64_t settled, const struct tp_agent_unit *unit)
{
	put_bytes(fd, &count, sizeof(count),
		  TP_APP_FIELD_AT(thread, counts) + index * sizeof(count));
	put_bytes(fd, &settled, sizeof(settled),
		  TP_APP_FIELD_AT(thread, settled) + index * sizeof(settled));
	put_bytes(fd, unit, sizeof(*unit), TP_APP_FIELD_AT(thread, units) + index * sizeof(*unit));
}

static inline void put_module(int fd, unsigned index, uint64_t start, uint64_t end, uint64_t offset,
			      const char *path)
{
	struct tp_agent_module module = { .start = start, .end = end, .file_offset = offset };
	tp_copy(module.path, sizeof(module.path), path);
	put_bytes(fd, &module, sizeof(module),
		  offsetof(struct tp_agent_shared, modules) + index * sizeof(module));
}

#endif
