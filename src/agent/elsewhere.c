/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/elsewhere.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "agent/sys.h"

static int64_t open_at(const char *path, int flags)
{
	return tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)path,
		      (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW), 0600, 0, 0);
}

static void close_at(int64_t fd)
{
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}

/* Up to `bytes`, followed by a 0; false: fewer were read. */
static bool read_whole(const char *path, void *to, uint64_t bytes)
{
	int64_t fd = open_at(path, O_RDONLY), got;

	if (tp_sys_failed(fd))
		return false;
	got = tp_sys(SYS_read, (uint64_t)fd, (uint64_t)to, bytes, 0, 0, 0);
	close_at(fd);
	return got == (int64_t)bytes;
}

/* "pid:[4026531836]" */
static void read_processes(char link[TP_AGENT_PROCESSES_LINK])
{
	memset(link, 0, TP_AGENT_PROCESSES_LINK);
	tp_sys(SYS_readlink, (uint64_t) "/proc/self/ns/pid", (uint64_t)link,
	       TP_AGENT_PROCESSES_LINK - 1, 0, 0, 0);
}

static bool is_same(const char *a, const char *b, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

bool tp_sees_processes_of(const struct tp_agent_tree *tree)
{
	char own[TP_AGENT_PROCESSES_LINK];

	read_processes(own);
	return is_same(own, tree->processes, sizeof(own));
}

/* The difference of the two clocks, which makes times of several machines comparable. */
static int64_t clock_ns(void)
{
	struct timespec now = { 0 };

	tp_sys(SYS_clock_gettime, CLOCK_REALTIME, (uint64_t)&now, 0, 0, 0, 0);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - (int64_t)tp_now_ns();
}

static bool may_grow(void)
{
	struct rlimit most = { 0 };

	tp_sys(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (uint64_t)&most, 0, 0);
	return most.rlim_cur >= TP_AGENT_FILE_BYTES;
}

/* Writes a whole file under a temporary name, then renames it. */
static void make(const char *folder, const char *path, const char *machine, const char *processes)
{
	char from[TP_AGENT_FILE_PATH], new[TP_AGENT_FILE_PATH], pid[16], *digit = pid + 15;
	struct tp_agent_tree *tree;
	int64_t fd, at;

	*digit = '\0';
	for (uint64_t n = (uint64_t)tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0); n; n /= 10)
		*--digit = (char)('0' + n % 10);
	tp_append(tp_append(from, from + sizeof(from), folder), from + sizeof(from), "/tree");
	tp_append(tp_append(tp_append(new, new + sizeof(new), path), new + sizeof(new), "."),
		  new + sizeof(new), digit);
	fd = may_grow() ? open_at(new, O_RDWR | O_CREAT | O_EXCL) : -1;
	if (tp_sys_failed(fd))
		return;
	at = tp_sys(SYS_ftruncate, (uint64_t)fd, TP_AGENT_FILE_BYTES, 0, 0, 0, 0);
	if (!tp_sys_failed(at))
		at = tp_sys(SYS_mmap, 0, sizeof(*tree), PROT_READ | PROT_WRITE, MAP_SHARED,
			    (uint64_t)fd, 0);
	close_at(fd);
	if (!tp_sys_failed(at)) {
		tree = (struct tp_agent_tree *)at;
		if (read_whole(from, tree, TP_AGENT_TREE_GIVEN)) {
			tree->elsewhere = is_same(tree->machine, machine, sizeof(tree->machine))
						  ? 1
						  : TP_AGENT_OTHER_MACHINE;
			memcpy(tree->machine, machine, sizeof(tree->machine));
			memcpy(tree->processes, processes, sizeof(tree->processes));
			tree->clock_ns = clock_ns();
			/* Another process may have made it first. */
			tp_sys(SYS_link, (uint64_t) new, (uint64_t)path, 0, 0, 0, 0);
		}
		tp_sys(SYS_munmap, (uint64_t)tree, sizeof(*tree), 0, 0, 0, 0);
	}
	tp_sys(SYS_unlink, (uint64_t) new, 0, 0, 0, 0, 0);
}

int64_t tp_elsewhere_open(const char *folder, char path[TP_AGENT_FILE_PATH])
{
	const char *end = path + TP_AGENT_FILE_PATH;
	char machine[TP_AGENT_MACHINE] = "", processes[TP_AGENT_PROCESSES_LINK], *at;
	int64_t fd;

	if (!read_whole(TP_AGENT_MACHINE_FILE, machine, sizeof(machine) - 1))
		return -1;
	read_processes(processes);
	at = tp_append(tp_append(tp_append(path, end, folder), end, "/"), end, machine);
	tp_append(tp_append(at, end, "."), end, processes);
	fd = open_at(path, O_RDWR);
	if (!tp_sys_failed(fd))
		return fd;
	make(folder, path, machine, processes);
	return open_at(path, O_RDWR);
}
