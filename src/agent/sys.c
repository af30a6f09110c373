/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/sys.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

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

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));
struct tp_agent_shared *tp_agent_shared;
uint32_t tp_agent_detached;
uint64_t tp_program_base;
struct tp_locks tp_locks;

static bool copy(uint64_t number, void *here, uint64_t there, size_t bytes)
{
	struct iovec local = { here, bytes }, remote = { (void *)there, bytes };
	uint64_t pid = (uint64_t)tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);

	return tp_sys(number, pid, (uint64_t)&local, 1, (uint64_t)&remote, 1, 0) == (int64_t)bytes;
}

bool tp_copy_in(void *to, uint64_t from, size_t bytes)
{
	return copy(SYS_process_vm_readv, to, from, bytes);
}

bool tp_copy_out(uint64_t to, const void *from, size_t bytes)
{
	return copy(SYS_process_vm_writev, (void *)from, to, bytes);
}

int64_t tp_copy_text(char *to, uint64_t from, size_t bytes)
{
	size_t n = 0;

	while (n < bytes) {
		/* Up to the end of the page: the next one may not be mapped. */
		size_t part = 4096 - (from + n) % 4096;

		if (part > bytes - n)
			part = bytes - n;
		if (!tp_copy_in(to + n, from + n, part))
			return -1;
		for (size_t end = n + part; n < end; n++)
			if (!to[n])
				return (int64_t)n;
	}
	return -1;
}

char *tp_append(char *to, const char *end, const char *text)
{
	while (*text && to + 1 < end)
		*to++ = *text++;
	*to = '\0';
	return to;
}

uint64_t tp_now_ns(void)
{
	struct timespec now = { 0 };

	tp_sys(SYS_clock_gettime, CLOCK_MONOTONIC, (uint64_t)&now, 0, 0, 0, 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void tp_spin_lock(uint32_t *lock)
{
	/* The program may have overwritten it: never wait without a limit. */
	for (unsigned i = 0; i < 100000 && __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); i++)
		tp_sys(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

void tp_spin_unlock(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

bool tp_agent_code(uint64_t address)
{
	uint64_t base = (uint64_t)&__ehdr_start;
	const Elf64_Phdr *segment = (const Elf64_Phdr *)(base + __ehdr_start.e_phoff);

	for (unsigned i = 0; i < __ehdr_start.e_phnum; i++)
		if (segment[i].p_type == PT_LOAD && address - base >= segment[i].p_vaddr &&
		    address - base - segment[i].p_vaddr < segment[i].p_memsz)
			return true;
	return false;
}
