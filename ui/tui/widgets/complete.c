/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/complete.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/str.h"

void tp_completion_release(struct tp_completion *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->files[i].path);
	free(c->files);
	*c = (struct tp_completion){ 0 };
}

/* The word before the cursor without its quotes (see tp_command_split); returns where it begins. */
static size_t word_before(const struct tp_text_field *field, struct tp_str *word)
{
	size_t from = 0;
	bool quoted = false;
	for (size_t i = 0; i < field->at; i++) {
		char c = field->text[i];
		if (c == ' ' && !quoted) {
			from = i + 1;
			tp_str_clear(word);
			continue;
		}
		if (c == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && c == '\\' && i + 1 < field->at)
			c = field->text[++i];
		tp_str_add_n(word, &c, 1);
	}
	return from;
}

static void replace(struct tp_text_field *field, size_t from, const char *path, bool ends)
{
	TP_STR text = { 0 }, word = { 0 };
	tp_command_join(&word, path);
	/* A folder in quotes goes on within them. */
	if (!ends && word.len && word.s[word.len - 1] == '"')
		word.s[--word.len] = '\0';
	tp_str_add_n(&text, field->text, from);
	tp_str_add(&text, tp_str_text(&word));
	size_t at = text.len;
	tp_str_add(&text, field->text + field->at);
	if (text.len >= TP_TEXT_FIELD_BYTES)
		return;
	tp_text_field_set(field, tp_str_text(&text));
	field->at = at;
}

static void add_file(struct tp_completion *c, const char *folder, const char *name)
{
	TP_STR path = { 0 };
	tp_str_printf(&path, "%s%s", folder, name);
	bool is_folder = tp_is_folder(tp_str_text(&path));
	bool program = !is_folder && access(tp_str_text(&path), X_OK) == 0;
	tp_str_add(&path, is_folder ? "/" : "");
	TP_RESERVE(c->files, c->cap, c->n + 1);
	c->files[c->n++] =
		(struct tp_completion_file){ tp_strdup(tp_str_text(&path)), is_folder, program };
}

static int by_kind_and_name(const void *x, const void *y)
{
	const struct tp_completion_file *a = x, *b = y;
	int order = (b->folder || b->program) - (a->folder || a->program);
	return order ? order : strcmp(a->path, b->path);
}

/* Files of the word's folder that begin as it does; hidden ones only where it begins with a dot. */
static void find_files(struct tp_completion *c, const char *word)
{
	const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
	TP_STR folder = { 0 };
	tp_str_add_n(&folder, word, (size_t)(name - word));
	DIR *dir = opendir(folder.len ? tp_str_text(&folder) : ".");
	for (struct dirent *e; dir && c->n < TP_COMPLETIONS_MAX && (e = readdir(dir));)
		if (strncmp(e->d_name, name, strlen(name)) == 0 &&
		    (*e->d_name != '.' || *name == '.') && strcmp(e->d_name, ".") != 0 &&
		    strcmp(e->d_name, "..") != 0)
			add_file(c, tp_str_text(&folder), e->d_name);
	if (dir)
		closedir(dir);
	if (c->n)
		qsort(c->files, c->n, sizeof(*c->files), by_kind_and_name);
}

bool tp_complete(struct tp_completion *c, struct tp_text_field *field)
{
	TP_STR word = { 0 }, path = { 0 };
	char file[TP_PATH_MAX];
	tp_completion_release(c);
	c->from = word_before(field, &word);
	const char *typed = tp_str_text(&word);
	const bool first = strspn(field->text, " ") >= c->from;
	/* No shell reads the command: a home is written out, and a program here needs its "./". */
	tp_path_typed(typed, file);
	tp_str_printf(&path, "%s%s", first && !strchr(file, '/') ? "./" : "", file);
	find_files(c, tp_str_text(&path));
	while (first && c->n && (c->files[0].folder || c->files[0].program) &&
	       !(c->files[c->n - 1].folder || c->files[c->n - 1].program))
		free(c->files[--c->n].path);
	if (!c->n)
		return false;
	size_t common = strlen(c->files[0].path);
	for (size_t i = 1; i < c->n; i++)
		for (size_t k = 0; k < common; k++)
			if (c->files[i].path[k] != c->files[0].path[k])
				common = k;
	/* Not within a character. */
	while (common && ((unsigned char)c->files[0].path[common] & 0xc0) == 0x80)
		common--;
	if (common <= path.len && strcmp(tp_str_text(&path), typed) == 0)
		return false;
	tp_str_clear(&path);
	tp_str_add_n(&path, c->files[0].path, common);
	replace(field, c->from, tp_str_text(&path), c->n == 1 && !c->files[0].folder);
	return true;
}

void tp_complete_take(const struct tp_completion *c, size_t i, struct tp_text_field *field)
{
	replace(field, c->from, c->files[i].path, !c->files[i].folder);
}
