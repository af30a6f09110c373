/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is mapped as executable: tprof uses it to name functions. In each file this module looks up
 * the symbols of functions that are regions, and sets the pointers of include/tprof_roi.h and
 * tprof_roi.f90.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include "agent/elf.h"
#include "agent/context.h"
#include "agent/sys.h"

enum { HOOKS = 64 };

static struct {
	/* Pointers of a file that the dynamic linker is mapping: its data come after its code. */
	struct {
		int fd;
		uint64_t at, bytes;
	} waiting[HOOKS];
	unsigned n_waiting;
} hooks;

static void add_module(const char *path, uint64_t start, uint64_t end, uint64_t file_offset)
{
	struct tp_agent_shared *shared = tp_agent_shared;
	uint32_t n = shared->n_modules, i;
	struct tp_agent_module *module;

	for (i = 0; i < n && i < TP_AGENT_MODULES; i++)
		if (shared->modules[i].start == start)
			break;
	if (i >= TP_AGENT_MODULES)
		return;
	module = &shared->modules[i];
	*module =
		(struct tp_agent_module){ .start = start, .end = end, .file_offset = file_offset };
	for (size_t c = 0; c + 1 < sizeof(module->path) && path[c]; c++)
		module->path[c] = path[c];
	if (i == n)
		__atomic_store_n(&shared->n_modules, n + 1, __ATOMIC_RELEASE);
}

static void set_pointers(uint64_t at, uint64_t bytes)
{
	uint64_t hook = (uint64_t)tp_region_hook;

	for (uint64_t i = 0; i + 8 <= bytes; i += 8)
		tp_copy_out(at + i, &hook, sizeof(hook));
}

static void take_pointers(int fd, uint64_t at, uint64_t bytes, bool data_is_there)
{
	if (data_is_there) {
		set_pointers(at, bytes);
	} else if (hooks.n_waiting < HOOKS) {
		hooks.waiting[hooks.n_waiting].fd = fd;
		hooks.waiting[hooks.n_waiting].at = at;
		hooks.waiting[hooks.n_waiting++].bytes = bytes;
	}
}

static void look_into(struct tp_context *context, int fd, uint64_t start, uint64_t file_offset,
		      bool data_is_there)
{
	struct tp_elf elf;
	uint64_t at, bytes;

	if (!tp_elf_open(&elf, fd))
		return;
	if (tp_elf_bias(&elf, start, file_offset)) {
		tp_region_functions(&elf, context);
		if (tp_elf_section(&elf, &at, &bytes))
			take_pointers(fd, at, bytes, data_is_there);
		if (tp_elf_fortran(&elf, &at, &bytes))
			take_pointers(fd, at, bytes, data_is_there);
	}
	tp_elf_close(&elf);
}

void tp_module_mapped(struct tp_context *context, int fd, uint64_t start, uint64_t end,
		      uint64_t file_offset)
{
	char link[40] = "/proc/thread-self/fd/", digits[12], path[256];
	unsigned n = 0, at = 21;
	int64_t bytes;

	for (unsigned rest = (unsigned)fd; rest || !n; rest /= 10)
		digits[n++] = (char)('0' + rest % 10);
	while (n)
		link[at++] = digits[--n];
	bytes = tp_sys(SYS_readlink, (uint64_t)link, (uint64_t)path, sizeof(path) - 1, 0, 0, 0);
	path[bytes > 0 ? bytes : 0] = '\0';
	tp_spin_lock(&tp_locks.modules);
	add_module(path, start, end, file_offset);
	look_into(context, fd, start, file_offset, false);
	tp_spin_unlock(&tp_locks.modules);
}

void tp_module_closed(int fd)
{
	if (!__atomic_load_n(&hooks.n_waiting, __ATOMIC_RELAXED))
		return;
	tp_spin_lock(&tp_locks.modules);
	for (unsigned i = 0; i < hooks.n_waiting;) {
		if (hooks.waiting[i].fd == fd) {
			set_pointers(hooks.waiting[i].at, hooks.waiting[i].bytes);
			hooks.waiting[i] = hooks.waiting[--hooks.n_waiting];
		} else {
			i++;
		}
	}
	tp_spin_unlock(&tp_locks.modules);
}

static bool take(void *context, const struct tp_mapping *m)
{
	int64_t fd;

	if (!m->readable || !m->executable || !*m->path)
		return true;
	add_module(m->path, m->start, m->end, m->offset);
	if (m->path[0] != '/' || tp_agent_code(m->start))
		return true;
	fd = tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)m->path, O_RDONLY | O_CLOEXEC, 0, 0,
		    0);
	if (tp_sys_failed(fd))
		return true;
	look_into(context, (int)fd, m->start, m->offset, true);
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	return true;
}

void tp_modules_start(void)
{
	tp_maps_walk(take, NULL);
}
