/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/look.h"
#include "base/text.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { SIDE_MAX = 10000 };

/* A number from the environment that could be the side of a terminal, else 0. */
static unsigned side_from(const char *name)
{
	const char *text = getenv(name);
	uint64_t value;
	return text && tp_parse_u64(text, &value) && value <= SIDE_MAX ? (unsigned)value : 0;
}

void tp_look_size(struct tp_look *look, int fd)
{
	struct winsize size = { 0 };
	unsigned columns = 0, rows = 0;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0) {
		columns = size.ws_col;
		rows = size.ws_row;
	}
	if (!columns)
		columns = side_from("COLUMNS");
	if (!rows)
		rows = side_from("LINES");
	look->columns = columns ? columns : 80;
	look->rows = rows ? rows : 24;
}

bool tp_look_foreground(int fd)
{
	return isatty(fd) && tcgetpgrp(fd) == getpgrp();
}

static bool can_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return isatty(fd) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

static bool is_utf8(void)
{
	const char *codeset = nl_langinfo(CODESET);
	return strcasecmp(codeset, "UTF-8") == 0 || strcasecmp(codeset, "UTF8") == 0;
}

void tp_look_init(struct tp_look *look, const struct tp_look_wish *wish, int fd)
{
	*look = (struct tp_look){ .terminal = tp_look_foreground(fd),
				  .colour = wish->colour == TP_ALWAYS ||
					    (wish->colour == TP_AUTO && can_colour(fd)),
				  .utf8 = !wish->ascii && is_utf8() };
	tp_look_size(look, fd);
}

static void say(const char *lead, const char *text)
{
	struct tp_str line = { 0 };
	tp_str_add(&line, lead);
	tp_str_add_clean(&line, text, false);
	fprintf(stderr, "%s\n", tp_str_text(&line));
	tp_str_release(&line);
}

void tp_say(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	say("tprof: ", text);
	free(text);
}

void tp_say_command(const char *command)
{
	say("", command);
}

void tp_complain(const struct tp_diag *diag)
{
	tp_say("%s%s%s", diag->where, diag->where[0] ? ": " : "", diag->what);
	if (diag->hint[0])
		say("       ", diag->hint);
}

void tp_complain_all(const struct tp_diags *diags)
{
	for (size_t i = 0; i < diags->n; i++)
		tp_complain(&diags->items[i]);
}
