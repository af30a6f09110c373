/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/proc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Behind blanks; false if there is no digit. Larger numbers than fit become the largest. */
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
		/* Some, such as priorities, may be negative: none that is asked for. */
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

/* The number behind "key:" at the beginning of a line. */
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

/* "sda1" behind "sda", "nvme0n1p2" behind "nvme0n1". */
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
