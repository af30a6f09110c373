/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where there is code: the kernel's list of mappings is asked, because to look there might be a
 * fault of the agent's own. Ranges are kept until mappings change.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "agent/cache.h"
#include "agent/sys.h"

struct lines {
	int64_t fd;
	unsigned n, at;
	char buffer[1024];
};

static int next_char(struct lines *from)
{
	if (from->at == from->n) {
		int64_t got = tp_sys(SYS_read, (uint64_t)from->fd, (uint64_t)from->buffer,
				     sizeof(from->buffer), 0, 0, 0);

		if (got <= 0)
			return -1;
		from->n = (unsigned)got;
		from->at = 0;
	}
	return (unsigned char)from->buffer[from->at++];
}

static int number(struct lines *from, uint64_t *value)
{
	int c;

	*value = 0;
	for (;;) {
		c = next_char(from);
		if (c >= '0' && c <= '9')
			*value = *value << 4 | (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*value = *value << 4 | (unsigned)(c - 'a' + 10);
		else
			return c;
	}
}

/* No descriptor is left, or /proc is not there: a page that can be read is as good as known. */
static bool ask_by_reading(uint64_t pc, struct tp_range *range)
{
	uint8_t byte;
	struct iovec here = { &byte, 1 }, there = { (void *)pc, 1 };
	int64_t pid = tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);

	*range = (struct tp_range){ pc & ~4095ull, (pc & ~4095ull) + 4096, false };
	return tp_sys(SYS_process_vm_readv, (uint64_t)pid, (uint64_t)&here, 1, (uint64_t)&there, 1,
		      0) == 1;
}

/* The executable mapping with pc. A line: start-end rwxp ... */
static bool ask(uint64_t pc, struct tp_range *range)
{
	struct lines from = { .fd = tp_sys(SYS_openat, (uint64_t)AT_FDCWD,
					   (uint64_t) "/proc/thread-self/maps",
					   O_RDONLY | O_CLOEXEC, 0, 0, 0) };
	bool found = false;
	int c = 0;

	if (tp_sys_failed(from.fd))
		return ask_by_reading(pc, range);
	while (c >= 0 && !found) {
		int r, w, x;

		c = number(&from, &range->start);
		if (c < 0)
			break;
		number(&from, &range->end);
		r = next_char(&from);
		w = next_char(&from);
		x = next_char(&from);
		range->writable = w == 'w';
		found = r == 'r' && x == 'x' && pc >= range->start && pc < range->end;
		do
			c = next_char(&from);
		while (c >= 0 && c != '\n');
	}
	tp_sys(SYS_close, (uint64_t)from.fd, 0, 0, 0, 0, 0);
	return found;
}

static const struct tp_range *known(const struct tp_code_cache *cache, uint64_t pc)
{
	for (unsigned i = 0; i < cache->n_readable; i++)
		if (pc >= cache->readable[i].start && pc < cache->readable[i].end)
			return &cache->readable[i];
	return NULL;
}

static const struct tp_range *range_of(struct tp_code_cache *cache, uint64_t pc)
{
	const struct tp_range *range = known(cache, pc);
	struct tp_range new;

	if (range || !ask(pc, &new))
		return range;
	if (cache->n_readable == TP_READABLE_RANGES)
		cache->n_readable = 0;
	cache->readable[cache->n_readable] = new;
	return &cache->readable[cache->n_readable++];
}

unsigned tp_readable_code(struct tp_code_cache *cache, uint64_t pc, unsigned most)
{
	const struct tp_range *range = range_of(cache, pc);
	uint64_t end;

	if (!range)
		return 0;
	end = range->end;
	if (end - pc < most) {
		range = range_of(cache, end); /* an instruction may go on in the next mapping */
		if (!range)
			return (unsigned)(end - pc);
	}
	return most;
}

bool tp_readable_writable(const struct tp_code_cache *cache, uint64_t pc)
{
	const struct tp_range *range = known(cache, pc);

	return range && range->writable;
}
