/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent's replacement for libc: it runs before libc is set up, and inside libc's functions. */
#ifndef TPROF_AGENT_SYS_H
#define TPROF_AGENT_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/shared.h"

/* The kernel's result: -4095..-1 are errors. */
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

/* gcc calls these implicitly, too. Hidden: the program has its own. */
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
/* mmap of new private memory, only reserved; NULL = refused. `where` 0 = anywhere. */
void *tp_memory_map(uint64_t where, uint64_t bytes, int protection, int more_flags);

enum { TP_EPERM = 1, TP_EAGAIN = 11, TP_EFAULT = 14, TP_EINVAL = 22, TP_ESRCH = 3, TP_ENOSYS = 38 };

/* Memory of the program, which may not be mapped; false = it is not. */
bool tp_copy_in(void *to, uint64_t from, size_t bytes);
bool tp_copy_out(uint64_t to, const void *from, size_t bytes);
/* A text with its 0 of less than `bytes`; its length, or -1. */
int64_t tp_copy_text(char *to, uint64_t from, size_t bytes);
/* Copies a text, writing nothing beyond `end`; returns the address of its 0. */
char *tp_append(char *to, const char *end, const char *text);
/* Of CLOCK_MONOTONIC. */
uint64_t tp_now_ns(void);
/* A thread that holds it must not be interrupted by a handler that takes it, too. */
void tp_spin_lock(uint32_t *lock);
void tp_spin_unlock(uint32_t *lock);
/* Locks that a thread may hold while another one forks; the child resets them. */
extern struct tp_locks {
	uint32_t contexts, regions, actions, modules;
} tp_locks;
/* True if `address` lies in the agent's own object. */
bool tp_agent_code(uint64_t address);

/* The only mutable globals that all modules of the agent read. */
extern struct tp_agent_shared *tp_agent_shared; /* with tprof; NULL until it is mapped */
extern uint32_t tp_agent_detached; /* it gave up: the program goes on natively */
extern uint64_t tp_program_base; /* first address of the program's own code; 0 = unknown */

#endif
