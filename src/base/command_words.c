/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands as lists of words, and where their programs are. */
#include "base/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usual_path[] = "/usr/local/bin:/usr/bin:/bin";

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* The word at *at, which moves behind it; false if a quote does not end. */
static bool take_word(const char **at, struct tp_str *word)
{
	bool quoted = false;
	const char *c = *at;
	for (; *c && (quoted || !is_blank(*c)); c++) {
		if (*c == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && *c == '\\' && (c[1] == '"' || c[1] == '\\'))
			c++;
		tp_str_add_n(word, c, 1);
	}
	*at = c;
	return !quoted;
}

enum tp_status tp_command_split(const char *text, struct tp_arena *arena, char ***words, size_t *n,
				struct tp_diag *diag)
{
	/* A word and the blank behind it take two bytes at least. */
	char **list = tp_arena_alloc(arena, (strlen(text) / 2 + 2) * sizeof(*list));
	enum tp_status status = list ? TP_OK : TP_NOMEM;
	*n = 0;
	for (const char *at = text; status == TP_OK;) {
		struct tp_str word = { 0 };
		while (is_blank(*at))
			at++;
		if (!*at)
			break;
		if (!take_word(&at, &word))
			status = TP_USAGE;
		else if (word.oom || !(list[(*n)++] = tp_arena_strdup(arena, tp_str_text(&word))))
			status = TP_NOMEM;
		tp_str_release(&word);
	}
	if (status == TP_NOMEM)
		return tp_fail(diag, status, NULL, NULL, "out of memory");
	if (status == TP_USAGE || *n == 0)
		return tp_fail(diag, TP_USAGE, NULL,
			       "write a program and its arguments with blanks between them; an "
			       "argument with blanks stands in double quotes",
			       status == TP_USAGE ? "a double quote does not end"
						  : "there is no word");
	*words = list;
	return TP_OK;
}

void tp_command_join(struct tp_str *out, const char *word)
{
	if (out->len)
		tp_str_add(out, " ");
	if (*word && !strpbrk(word, " \t\n\"")) {
		tp_str_add(out, word);
		return;
	}
	tp_str_add(out, "\"");
	for (; *word; word++)
		tp_str_printf(out, "%s%c", *word == '"' || *word == '\\' ? "\\" : "", *word);
	tp_str_add(out, "\"");
}

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool join(char out[TP_PATH_MAX], const char *folder, size_t len, const char *name)
{
	int n = snprintf(out, TP_PATH_MAX, "%.*s/%s", (int)len, folder, name);
	return n > 0 && n < TP_PATH_MAX && is_program(out);
}

bool tp_program_find(const char *name, char out[TP_PATH_MAX])
{
	char here[TP_PATH_MAX];
	if (name[0] == '/')
		return tp_copy(out, TP_PATH_MAX, name) && is_program(out);
	if (strchr(name, '/'))
		return getcwd(here, sizeof(here)) && join(out, here, strlen(here), name);
	const char *path = getenv("PATH");
	path = path && *path ? path : usual_path;
	while (*name && *path) {
		size_t len = strcspn(path, ":");
		/* A relative folder would be another one for each caller. */
		if (path[0] == '/' && join(out, path, len, name))
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}
