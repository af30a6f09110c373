/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * System calls without libc: the agent runs before libc is set up, and inside of its functions.
 * Private to src/agent.
 */
#ifndef TPROF_AGENT_SYS_H
#define TPROF_AGENT_SYS_H

#include <stdint.h>

/* The result of the kernel: -4095..-1 are errors. */
static inline int64_t tp_sys(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
			     uint64_t e, uint64_t f)
{
	int64_t result;
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline bool tp_sys_failed(int64_t result)
{
	return result < 0 && result >= -4095;
}

/* memory.c: what gcc calls by itself, too. Hidden: the program has its own. */
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
/* mmap of new private memory, reserved alone; NULL = refused. `where` 0 = anywhere. */
void *tp_memory_map(uint64_t where, uint64_t bytes, int protection, int more_flags);

#endif
