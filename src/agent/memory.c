/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/sys.h"

__attribute__((visibility("hidden"))) void *memcpy(void *restrict to, const void *restrict from,
						   size_t bytes)
{
	void *start = to;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
	return start;
}

__attribute__((visibility("hidden"))) void *memset(void *to, int value, size_t bytes)
{
	void *start = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
	return start;
}

void *tp_memory_map(uint64_t where, uint64_t bytes, int protection, int more_flags)
{
	int64_t at = tp_sys(SYS_mmap, where, bytes, (uint64_t)protection,
			    (uint64_t)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more_flags),
			    (uint64_t)-1, 0);

	return tp_sys_failed(at) ? NULL : (void *)at;
}
