/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is mapped to be executed: tprof names functions by it. Of each file the symbols of functions
 * that are regions are looked up, and the pointers of include/tprof_roi.h are set.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include "agent/elf.h"
#include "agent/parts.h"
#include "agent/sys.h"

enum { HOOKS = 64, LINE = 512 };

static struct {
	uint32_t lock;
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

static void look_into(struct tp_context *context, int fd, uint64_t start, uint64_t file_offset,
		      bool data_is_there)
{
	struct tp_elf elf;
	uint64_t at, bytes;

	if (!tp_elf_open(&elf, fd))
		return;
	if (tp_elf_bias(&elf, start, file_offset)) {
		tp_elf_functions(&elf, context);
		if (tp_elf_section(&elf, "tprof_roi", &at, &bytes)) {
			if (data_is_there) {
				set_pointers(at, bytes);
			} else if (hooks.n_waiting < HOOKS) {
				hooks.waiting[hooks.n_waiting].fd = fd;
				hooks.waiting[hooks.n_waiting].at = at;
				hooks.waiting[hooks.n_waiting++].bytes = bytes;
			}
		}
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
	tp_spin_lock(&hooks.lock);
	add_module(path, start, end, file_offset);
	look_into(context, fd, start, file_offset, false);
	tp_spin_unlock(&hooks.lock);
}

void tp_module_closed(int fd)
{
	if (!__atomic_load_n(&hooks.n_waiting, __ATOMIC_RELAXED))
		return;
	tp_spin_lock(&hooks.lock);
	for (unsigned i = 0; i < hooks.n_waiting;) {
		if (hooks.waiting[i].fd == fd) {
			set_pointers(hooks.waiting[i].at, hooks.waiting[i].bytes);
			hooks.waiting[i] = hooks.waiting[--hooks.n_waiting];
		} else {
			i++;
		}
	}
	tp_spin_unlock(&hooks.lock);
}

static const char *hexadecimal(const char *at, uint64_t *value)
{
	for (*value = 0;; at++) {
		if (*at >= '0' && *at <= '9')
			*value = *value << 4 | (unsigned)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			*value = *value << 4 | (unsigned)(*at - 'a' + 10);
		else
			return at;
	}
}

/* start-end rwxp offset device inode path */
static void take_line(struct tp_context *context, const char *line)
{
	uint64_t start, end, offset;
	const char *at = hexadecimal(line, &start);
	int64_t fd;

	at = hexadecimal(at + (*at == '-'), &end);
	if (*at != ' ' || at[1] != 'r' || at[3] != 'x')
		return;
	at = hexadecimal(at + 6, &offset);
	for (unsigned words = 0; words < 3 && *at; at++)
		words += *at == ' ' && at[1] != ' ';
	while (*at == ' ')
		at++;
	if (!*at)
		return;
	add_module(at, start, end, offset);
	if (*at != '/' || tp_agent_code(start))
		return;
	fd = tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)at, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (tp_sys_failed(fd))
		return;
	look_into(context, (int)fd, start, offset, true);
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}

void tp_modules_start(struct tp_context *context)
{
	char line[LINE], buffer[1024];
	int64_t fd = tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t) "/proc/thread-self/maps",
			    O_RDONLY | O_CLOEXEC, 0, 0, 0);
	int64_t got;
	unsigned n = 0;

	if (tp_sys_failed(fd))
		return;
	while ((got = tp_sys(SYS_read, (uint64_t)fd, (uint64_t)buffer, sizeof(buffer), 0, 0, 0)) >
	       0) {
		for (int64_t i = 0; i < got; i++) {
			if (buffer[i] != '\n') {
				if (n + 1 < sizeof(line))
					line[n++] = buffer[i];
				continue;
			}
			line[n] = '\0';
			n = 0;
			take_line(context, line);
		}
	}
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}
