/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/processes.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 4096 };

/* The whole text of a small file of /proc from its beginning; false at its end. */
static bool read_text(int fd, char text[TEXT_BYTES])
{
	ssize_t n = fd < 0 ? -1 : pread(fd, text, TEXT_BYTES - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static int open_of(pid_t pid, const char *name)
{
	char path[96];
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void close_process(struct tp_followed *p)
{
	if (p->stat >= 0)
		close(p->stat);
	if (p->io >= 0)
		close(p->io);
}

static void close_thread(struct tp_followed_thread *thread)
{
	close(thread->status);
	if (thread->schedstat >= 0)
		close(thread->schedstat);
	if (thread->children >= 0)
		close(thread->children);
}

static bool add_process(struct tp_processes *t, pid_t pid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->processes[i].pid == pid)
			return true;
	if (t->n == TP_FOLLOWED_MAX) {
		t->lost_now++;
		return false;
	}
	struct tp_followed *p = &t->processes[t->n];
	*p = (struct tp_followed){ .pid = pid, .stat = open_of(pid, "stat") };
	if (p->stat < 0)
		return false;
	p->io = open_of(pid, "io");
	p->has_clock = clock_getcpuclockid(pid, &p->clock) == 0;
	t->may_read_io |= p->io >= 0;
	t->n++;
	return true;
}

static double grown(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

static bool read_thread(struct tp_processes *t, struct tp_followed_thread *thread)
{
	char text[TEXT_BYTES];
	struct tp_proc_switches now;
	/* The time that it ran is told in a fraction of what its status takes. */
	if (read_text(thread->schedstat, text)) {
		if (t->skips_switches || strcmp(text, thread->ran) == 0)
			return true;
		tp_copy(thread->ran, sizeof(thread->ran), text);
	}
	if (!read_text(thread->status, text) || !tp_proc_switches_parse(text, &now))
		return false;
	t->waits += grown(now.waits, thread->now.waits);
	t->preemptions += grown(now.preemptions, thread->now.preemptions);
	thread->now = now;
	return true;
}

static int open_of_thread(pid_t process, pid_t thread, const char *name)
{
	char path[64];
	snprintf(path, sizeof(path), "task/%d/%s", (int)thread, name);
	return open_of(process, path);
}

/* NULL: it is gone, or there is no room for it. */
static struct tp_followed_thread *add_thread(struct tp_processes *t, pid_t process, pid_t thread)
{
	for (size_t i = 0; i < t->n_threads; i++)
		if (t->threads[i].thread == thread)
			return &t->threads[i];
	if (t->n_threads == TP_FOLLOWED_THREADS_MAX) {
		t->lost_now++;
		return NULL;
	}
	struct tp_followed_thread *at = &t->threads[t->n_threads];
	*at = (struct tp_followed_thread){ .process = process,
					   .thread = thread,
					   .status = open_of_thread(process, thread, "status"),
					   .schedstat = -1,
					   .children = -1 };
	/* Each thread takes three descriptors. */
	if (at->status < 0) {
		t->lost_now += errno == EMFILE || errno == ENFILE;
		return NULL;
	}
	at->schedstat = open_of_thread(process, thread, "schedstat");
	at->children = open_of_thread(process, thread, "children");
	read_thread(t, at);
	t->n_threads++;
	return at;
}

static void add_children(struct tp_processes *t, int fd)
{
	char text[TEXT_BYTES];
	unsigned children[TP_FOLLOWED_MAX];
	size_t n = read_text(fd, text) ? tp_proc_numbers_parse(text, children, TP_FOLLOWED_MAX) : 0;
	for (size_t i = 0; i < n; i++)
		add_process(t, (pid_t)children[i]);
}

/* All threads of a process, where not all of them are known. */
static void list_threads(struct tp_processes *t, pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *folder = opendir(path);
	struct dirent *entry;
	while (folder && (entry = readdir(folder))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		if (add_thread(t, pid, thread))
			continue;
		int fd = open_of_thread(pid, thread, "children");
		add_children(t, fd);
		if (fd >= 0)
			close(fd);
	}
	if (folder)
		closedir(folder);
}

/* Threads of a process, and the processes that they started. */
static void look_at(struct tp_processes *t, pid_t pid, uint64_t n_threads)
{
	uint64_t known = 0;
	for (size_t i = 0; i < t->n_threads; i++)
		known += t->threads[i].process == pid;
	if (known != n_threads)
		list_threads(t, pid);
	for (size_t i = 0; i < t->n_threads; i++)
		if (t->threads[i].process == pid)
			add_children(t, t->threads[i].children);
}

bool tp_processes_init(struct tp_processes *t, pid_t pid)
{
	long ticks = sysconf(_SC_CLK_TCK);
	memset(t, 0, sizeof(*t));
	t->tick_seconds = ticks > 0 ? 1.0 / (double)ticks : 0.01;
	t->page_bytes = (double)sysconf(_SC_PAGESIZE);
	return add_process(t, pid);
}

void tp_processes_release(struct tp_processes *t)
{
	for (size_t i = 0; i < t->n; i++)
		close_process(&t->processes[i]);
	for (size_t i = 0; i < t->n_threads; i++)
		close_thread(&t->threads[i]);
	t->n = t->n_threads = 0;
}

/* False when the process is gone. */
static bool read_process(struct tp_processes *t, struct tp_followed *p)
{
	char text[TEXT_BYTES];
	struct tp_proc_stat stat;
	struct tp_proc_bytes bytes;
	struct timespec cpu;
	if (!read_text(p->stat, text) || !tp_proc_stat_parse(text, &stat))
		return false;
	double user = t->tick_seconds * grown(stat.user_ticks, p->now.user_ticks);
	double system = t->tick_seconds * grown(stat.system_ticks, p->now.system_ticks);
	double cpu_seconds = p->cpu_seconds + user + system;
	if (p->has_clock && clock_gettime(p->clock, &cpu) == 0)
		cpu_seconds = (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
	if (cpu_seconds > p->cpu_seconds)
		t->cpu_seconds += cpu_seconds - p->cpu_seconds;
	p->cpu_seconds = cpu_seconds;
	t->user_seconds += user;
	t->system_seconds += system;
	t->minor_faults += grown(stat.minor_faults, p->now.minor_faults);
	t->major_faults += grown(stat.major_faults, p->now.major_faults);
	t->resident_bytes += t->page_bytes * (double)stat.resident_pages;
	t->running_threads += stat.state == 'Z' ? 0 : (double)stat.threads;
	p->now = stat;
	if (!t->skips_io && read_text(p->io, text) && tp_proc_io_parse(text, &bytes)) {
		t->grown.in += bytes.in > p->bytes.in ? bytes.in - p->bytes.in : 0;
		t->grown.out += bytes.out > p->bytes.out ? bytes.out - p->bytes.out : 0;
		p->bytes = bytes;
	}
	return true;
}

/*
 * The kernel adds the bytes of a process to those of its parent once that has waited for it. They
 * were counted before: what has grown is less by them, in this reading or in the next one.
 */
static double less_by(uint64_t grown, uint64_t *credit, uint64_t fresh)
{
	uint64_t all = *credit + fresh, used = grown < all ? grown : all;
	*credit = all - used < fresh ? all - used : fresh;
	return (double)(grown - used);
}

void tp_processes_read(struct tp_processes *t, bool look)
{
	struct tp_proc_bytes ended = { 0 };
	t->resident_bytes = t->running_threads = 0;
	t->grown = ended;
	t->lost_now = 0;
	for (size_t i = 0; look && i < t->n_threads;)
		if (read_thread(t, &t->threads[i])) {
			i++;
		} else {
			close_thread(&t->threads[i]);
			t->threads[i] = t->threads[--t->n_threads];
		}
	/* Those that are found on the way are read as well. */
	for (size_t i = 0; i < t->n;)
		if (read_process(t, &t->processes[i])) {
			if (look)
				look_at(t, t->processes[i].pid, t->processes[i].now.threads);
			i++;
		} else {
			ended.in += t->processes[i].bytes.in;
			ended.out += t->processes[i].bytes.out;
			close_process(&t->processes[i]);
			t->processes[i] = t->processes[--t->n];
		}
	t->bytes_in += less_by(t->grown.in, &t->credit.in, ended.in);
	t->bytes_out += less_by(t->grown.out, &t->credit.out, ended.out);
	if (t->lost < t->lost_now)
		t->lost = t->lost_now;
}
