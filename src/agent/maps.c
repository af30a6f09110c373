/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/maps.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "agent/sys.h"

enum { LINE_BYTES = 4608 };

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

/* start-end rwxp offset major:minor inode path */
static bool parse(const char *line, struct tp_mapping *m)
{
	*m = (struct tp_mapping){ 0 };
	uint64_t minor = 0;
	const char *at = hexadecimal(line, &m->start);

	at = *at ? hexadecimal(at + 1, &m->end) : at;
	if (*at != ' ' || !at[1] || !at[2] || !at[3] || !at[4] || at[5] != ' ')
		return false;
	m->readable = at[1] == 'r';
	m->executable = at[3] == 'x';
	at = hexadecimal(at + 6, &m->offset);
	at = *at ? hexadecimal(at + 1, &m->device) : at;
	at = *at ? hexadecimal(at + 1, &minor) : at;
	m->device = m->device << 32 | minor;
	while (*at == ' ')
		at++;
	for (m->inode = 0; *at >= '0' && *at <= '9'; at++)
		m->inode = m->inode * 10 + (unsigned)(*at - '0');
	while (*at == ' ')
		at++;
	m->path = at;
	return true;
}

void tp_maps_walk(bool (*each)(void *context, const struct tp_mapping *m), void *context)
{
	char line[LINE_BYTES];
	unsigned n = 0;
	bool goes_on = true;
	int64_t got,
		fd = tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t) "/proc/thread-self/maps",
			    O_RDONLY | O_CLOEXEC, 0, 0, 0);

	if (tp_sys_failed(fd))
		return;
	while (goes_on && (got = tp_sys(SYS_read, (uint64_t)fd, (uint64_t)(line + n),
					sizeof(line) - 1 - n, 0, 0, 0)) > 0) {
		unsigned start = 0, end = n + (unsigned)got;
		struct tp_mapping m;

		for (unsigned i = n; i < end && goes_on; i++) {
			if (line[i] != '\n')
				continue;
			line[i] = '\0';
			if (parse(line + start, &m))
				goes_on = each(context, &m);
			start = i + 1;
		}
		n = end - start;
		for (unsigned i = 0; i < n; i++)
			line[i] = line[start + i];
		if (n == sizeof(line) - 1)
			n = 0; /* no path is so long */
	}
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}
