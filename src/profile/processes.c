/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "base/str.h"

/* After blanks; false if there is no digit. Numbers that are too large become the largest. */
static bool take_number(const char **at, int base, uint64_t *number)
{
	const char *p = *at + strspn(*at, " \t");
	char *end;
	if (!isxdigit((unsigned char)*p) || (base == 10 && !isdigit((unsigned char)*p)))
		return false;
	*number = strtoull(p, &end, base);
	*at = end;
	return true;
}

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : NULL;
}

bool tp_proc_stat_parse(const char *text, struct tp_proc_stat *stat)
{
	enum { MINOR = 10, MAJOR = 12, USER = 14, SYSTEM = 15, THREADS = 20, RESIDENT = 24 };
	/* The name stands in brackets, and may hold brackets and blanks. */
	const char *at = strrchr(text, ')');
	*stat = (struct tp_proc_stat){ 0 };
	if (!at || at[1] != ' ' || !isalpha((unsigned char)at[2]))
		return false;
	stat->state = at[2];
	at += 3;
	for (int field = 4; field <= RESIDENT; field++) {
		uint64_t value = 0;
		at += strspn(at, " ");
		/*
		 * Some fields, such as priorities, may be negative, but none that is requested
		 * here.
		 */
		if (*at == '-')
			at += 1 + strspn(at + 1, "0123456789");
		else if (!take_number(&at, 10, &value))
			return false;
		if (field == MINOR)
			stat->minor_faults = value;
		else if (field == MAJOR)
			stat->major_faults = value;
		else if (field == USER)
			stat->user_ticks = value;
		else if (field == SYSTEM)
			stat->system_ticks = value;
		else if (field == THREADS)
			stat->threads = value;
		else if (field == RESIDENT)
			stat->resident_pages = value;
	}
	return true;
}

/* The number after "key:" at the beginning of a line. */
static bool keyed(const char *text, const char *key, uint64_t *value)
{
	size_t len = strlen(key);
	for (const char *line = text; line; line = next_line(line))
		if (strncmp(line, key, len) == 0 && line[len] == ':') {
			const char *at = line + len + 1;
			return take_number(&at, 10, value);
		}
	return false;
}

bool tp_proc_io_parse(const char *text, struct tp_proc_bytes *bytes)
{
	*bytes = (struct tp_proc_bytes){ 0 };
	return keyed(text, "rchar", &bytes->in) && keyed(text, "wchar", &bytes->out);
}

bool tp_proc_switches_parse(const char *text, struct tp_proc_switches *switches)
{
	*switches = (struct tp_proc_switches){ 0 };
	return keyed(text, "voluntary_ctxt_switches", &switches->waits) &&
	       keyed(text, "nonvoluntary_ctxt_switches", &switches->preemptions);
}

bool tp_proc_net_parse(const char *text, struct tp_proc_bytes *bytes)
{
	enum { SENT = 8 };
	bool any = false;
	*bytes = (struct tp_proc_bytes){ 0 };
	for (const char *line = text; line; line = next_line(line)) {
		const char *name = line + strspn(line, " ");
		size_t len = strcspn(name, ": |\n");
		uint64_t value = 0, in = 0;
		if (name[len] != ':')
			continue;
		const char *at = name + len + 1;
		bool whole = true;
		for (int field = 0; field <= SENT && whole; field++) {
			whole = take_number(&at, 10, &value);
			in = field == 0 ? value : in;
		}
		if (!whole)
			continue;
		any = true;
		if (len == 2 && strncmp(name, "lo", 2) == 0)
			continue;
		bytes->in += in;
		bytes->out += value;
	}
	return any;
}

/* "sda1" after "sda", "nvme0n1p2" after "nvme0n1". */
static bool is_partition(const char *name, size_t len, const char *disk, size_t disk_len)
{
	if (!disk_len || len <= disk_len || strncmp(name, disk, disk_len) != 0)
		return false;
	name += disk_len;
	len -= disk_len;
	if (*name == 'p' && len > 1)
		name++, len--;
	return strspn(name, "0123456789") >= len;
}

bool tp_proc_disks_parse(const char *text, struct tp_proc_bytes *bytes)
{
	enum { SECTOR = 512, READ = 2, WRITTEN = 6 };
	static const char *const others[] = { "loop", "ram", "dm-", "md", "zram", "sr", "fd" };
	const char *disk = "";
	size_t disk_len = 0;
	bool any = false;
	*bytes = (struct tp_proc_bytes){ 0 };
	for (const char *line = text; line; line = next_line(line)) {
		const char *at = line;
		uint64_t value, read = 0;
		if (!take_number(&at, 10, &value) || !take_number(&at, 10, &value))
			continue;
		const char *name = at + strspn(at, " ");
		size_t len = strcspn(name, " \n");
		bool other = !len || is_partition(name, len, disk, disk_len);
		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			other |= strncmp(name, others[i], strlen(others[i])) == 0;
		at = name + len;
		bool whole = true;
		for (int field = 0; field <= WRITTEN && whole; field++) {
			whole = take_number(&at, 10, &value);
			read = field == READ ? value : read;
		}
		if (!whole)
			continue;
		any = true;
		if (other)
			continue;
		disk = name;
		disk_len = len;
		bytes->in += SECTOR * read;
		bytes->out += SECTOR * value;
	}
	return any;
}

size_t tp_proc_numbers_parse(const char *text, unsigned *numbers, size_t max)
{
	size_t n = 0;
	uint64_t value;
	while (n < max && take_number(&text, 10, &value))
		if (value && value <= INT32_MAX)
			numbers[n++] = (unsigned)value;
	return n;
}

bool tp_proc_mapping_next(const char **at, struct tp_proc_mapping *m)
{
	for (const char *line = *at; line && *line; line = next_line(line)) {
		const char *p = line, *end = line + strcspn(line, "\n");
		uint64_t skipped;
		*at = *end ? end + 1 : end;
		if (!take_number(&p, 16, &m->start) || *p++ != '-' ||
		    !take_number(&p, 16, &m->end) || *p++ != ' ' || end - p < 5 ||
		    m->end <= m->start)
			continue;
		bool runs = p[2] == 'x';
		p += 4;
		if (!runs || !take_number(&p, 16, &m->offset))
			continue;
		/* The device, and the number of the file. */
		p += strspn(p, " ");
		p += strcspn(p, " \n");
		if (!take_number(&p, 10, &skipped))
			continue;
		m->path = p + strspn(p, " ");
		m->path_len = m->path < end ? (size_t)(end - m->path) : 0;
		return true;
	}
	return false;
}

bool tp_pmu_format_put(const char *format, uint64_t value, struct tp_sysfs_event *event)
{
	static const char *const words[] = { "config", "config1", "config2" };
	size_t len = strcspn(format, ":"), word = 0;
	while (word < 3 && (strlen(words[word]) != len || strncmp(words[word], format, len) != 0))
		word++;
	if (word == 3 || format[len] != ':')
		return false;
	const char *at = format + len;
	do {
		uint64_t low, high;
		at++;
		if (!take_number(&at, 10, &low))
			return false;
		high = low;
		if (*at == '-') {
			at++;
			if (!take_number(&at, 10, &high))
				return false;
		}
		if (high > 63 || low > high)
			return false;
		for (uint64_t bit = low; bit <= high; bit++, value >>= 1)
			event->config[word] |= (value & 1) << bit;
	} while (*at == ',');
	return value == 0;
}

bool tp_pmu_term_next(const char **at, char name[32], uint64_t *value)
{
	const char *p = *at + strspn(*at, ", \n");
	size_t len = strcspn(p, "=,\n");
	if (!len || len >= 32)
		return false;
	memcpy(name, p, len);
	name[len] = '\0';
	p += len;
	*value = 1;
	if (*p == '=') {
		char *end;
		p++;
		if (!isxdigit((unsigned char)*p))
			return false;
		*value = strtoull(p, &end, 0);
		p = end;
	}
	*at = p;
	return *p == ',' || *p == '\n' || !*p;
}

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
	/* Its run time is read at a fraction of the cost of its status. */
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

/* Threads of a process, and the processes that they started. */
static void look_at(struct tp_processes *t, pid_t pid, uint64_t n_threads)
{
	uint64_t known = 0;
	for (size_t i = 0; i < t->n_threads; i++)
		known += t->threads[i].process == pid;
	/* All threads of a process, where not all of them are known. */
	if (known != n_threads) {
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
	t->cpus = TP_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
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

/* False if the process has ended. */
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
		t->found_cpu_seconds += cpu_seconds - p->cpu_seconds;
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
 * were counted before, so they are subtracted from the growth, in this reading or in the next one.
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
	/* Processes found on the way are read as well. */
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
	double now = tp_now_seconds(), most = (double)t->cpus * (now - t->read_at);
	t->cpu_seconds += fmin(t->found_cpu_seconds - t->cpu_seconds, most);
	t->read_at = now;
	t->bytes_in += less_by(t->grown.in, &t->credit.in, ended.in);
	t->bytes_out += less_by(t->grown.out, &t->credit.out, ended.out);
	if (t->lost < t->lost_now)
		t->lost = t->lost_now;
}
