/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/asm/body.h"
#include "base/text.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * What instructions of any architecture are written with. Comments, strings and equations are for
 * files; a sign # begins a comment where registers have a mark.
 */
static const char signs[] = " \t%$,()[]*+-.:{}_!#";

/* --- registers --- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t mnemonic_bytes(const char *line)
{
	return strcspn(line, " ");
}

bool tp_asm_next_register(const struct tp_assembly *assembly, const char *line, size_t *at,
			  struct tp_register_name *name, size_t *from, size_t *len)
{
	if (*at == 0)
		*at = mnemonic_bytes(line);
	while (line[*at]) {
		char word[TP_ASM_NAME_BYTES];
		size_t n = 0, begin = *at;
		if (!is_word(line[begin])) {
			++*at;
			continue;
		}
		while (is_word(line[begin + n]))
			n++;
		*at = begin + n;
		if (n >= sizeof(word))
			continue;
		for (size_t i = 0; i < n; i++)
			word[i] = (char)tolower((unsigned char)line[begin + i]);
		if (assembly->find(word, n, name)) {
			*from = begin;
			*len = n;
			return true;
		}
	}
	return false;
}

void tp_register_map_none(struct tp_register_map *map)
{
	for (size_t i = 0; i < TP_ASM_REGISTERS; i++)
		map->to[i] = -1;
}

void tp_asm_rename(const struct tp_assembly *assembly, const char *line,
		   const struct tp_register_map *map, struct tp_str *out)
{
	struct tp_register_name name;
	size_t at = 0, from, len, done = 0;
	while (tp_asm_next_register(assembly, line, &at, &name, &from, &len)) {
		char text[TP_ASM_NAME_BYTES];
		int to = map->to[name.reg];
		if (to < 0)
			continue;
		name.reg = (unsigned)to;
		if (!assembly->name(&name, text))
			continue;
		tp_str_add_n(out, line + done, from - done);
		tp_str_add(out, text);
		done = from + len;
	}
	tp_str_add(out, line + done);
}

/* --- splitting --- */

static enum tp_status refuse(const char *line, size_t len, const char *hint, const char *what,
			     struct tp_diag *diag)
{
	char shown[80];
	return tp_fail(diag, TP_USAGE, "asm.body", hint, "\"%s\" %s",
		       tp_shown(shown, sizeof(shown), line, len), what);
}

static enum tp_status check_line(const struct tp_assembly *assembly, const char *line,
				 struct tp_diag *diag)
{
	size_t len = strlen(line), mnemonic = mnemonic_bytes(line), at = 0, from, n;
	struct tp_register_name name;
	if (line[0] == '.')
		return refuse(line, len, "instructions alone", "is a directive", diag);
	if (mnemonic && line[mnemonic - 1] == ':')
		return refuse(line, len, "a jump may say how far it goes: jmp .+2", "is a label",
			      diag);
	if (!isalpha((unsigned char)line[0]) && line[0] != '{')
		return refuse(line, len, "such as vaddps %xmm0,%xmm1,%xmm2",
			      "does not begin with an instruction", diag);
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)line[i]) &&
		    (!memchr(signs, line[i], sizeof(signs) - 1) ||
		     (line[i] == '#' && assembly->mark)))
			return refuse(line, len, NULL, "has a character that no instruction needs",
				      diag);
	while (tp_asm_next_register(assembly, line, &at, &name, &from, &n))
		if (assembly->is_reserved(name.reg)) {
			char hint[64];
			snprintf(hint, sizeof(hint), "all but %s may be used", assembly->reserved);
			return refuse(line, len, hint, "uses a register of the loop", diag);
		}
	return TP_OK;
}

/* Blanks become single, and stand neither at the ends nor at commas. */
static bool take_line(char out[TP_ASM_LINE_BYTES], const char *text, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len; i++) {
		char c = text[i] == '\t' ? ' ' : text[i];
		bool blank = c == ' ';
		if (blank && (n == 0 || out[n - 1] == ' ' || out[n - 1] == ','))
			continue;
		if (c == ',' && n && out[n - 1] == ' ')
			n--;
		if (n + 1 >= TP_ASM_LINE_BYTES)
			return false;
		out[n++] = c;
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	return true;
}

static enum tp_asm_syntax syntax_of(const struct tp_assembly *assembly, const char *text,
				    const char *word)
{
	if (strcmp(word, "intel") == 0)
		return TP_ASM_INTEL;
	if (strcmp(word, "att") == 0 || !assembly->mark)
		return TP_ASM_ATT;
	return strchr(text, assembly->mark) || strchr(text, '$') ? TP_ASM_ATT : TP_ASM_INTEL;
}

static enum tp_status no_memory(struct tp_diag *diag)
{
	return tp_fail(diag, TP_NOMEM, "asm.body", NULL, "out of memory");
}

static enum tp_status add_line(const struct tp_assembly *assembly, const char *line,
			       struct tp_arena *arena, struct tp_asm_body *body,
			       struct tp_diag *diag)
{
	if (body->n == TP_ASM_LINES_MAX)
		return tp_fail(diag, TP_USAGE, "asm.body", NULL, "more than %d instructions",
			       TP_ASM_LINES_MAX);
	enum tp_status status = check_line(assembly, line, diag);
	if (status != TP_OK)
		return status;
	body->lines[body->n] = tp_arena_strdup(arena, line);
	return body->lines[body->n++] ? TP_OK : no_memory(diag);
}

/* A range of numbers, "{0..19}", from `text` on; its length, 0 if there is none. */
static size_t range_at(const char *text, unsigned *from, unsigned *to)
{
	int len = 0;
	if (text[0] != '{' || !isdigit((unsigned char)text[1]) ||
	    sscanf(text, "{%3u..%3u}%n", from, to, &len) != 2)
		return 0;
	return (size_t)len;
}

/* A line with a range stands for one line each number. */
static enum tp_status add_expanded(const struct tp_assembly *assembly, const char *line,
				   struct tp_arena *arena, struct tp_asm_body *body,
				   struct tp_diag *diag)
{
	unsigned from = 0, to = 0;
	const char *range = line;
	size_t len = 0;
	while (*range && !(len = range_at(range, &from, &to)))
		range++;
	if (!len)
		return add_line(assembly, line, arena, body, diag);
	if (from > to)
		return refuse(line, strlen(line), "such as %xmm{0..7}", "has an empty range", diag);
	enum tp_status status = TP_OK;
	for (unsigned number = from; number <= to && status == TP_OK; number++) {
		char one[TP_ASM_LINE_BYTES];
		snprintf(one, sizeof(one), "%.*s%u%s", (int)(range - line), line, number,
			 range + len);
		/* What is left may have another range. */
		status = add_expanded(assembly, one, arena, body, diag);
	}
	return status;
}

enum tp_status tp_asm_split(const struct tp_assembly *assembly, const char *text,
			    const char *syntax, struct tp_arena *arena, struct tp_asm_body *body,
			    struct tp_diag *diag)
{
	*body = (struct tp_asm_body){ .syntax = syntax_of(assembly, text, syntax) };
	body->lines = tp_arena_alloc(arena, TP_ASM_LINES_MAX * sizeof(*body->lines));
	if (!body->lines)
		return no_memory(diag);
	while (*text) {
		char line[TP_ASM_LINE_BYTES];
		size_t len = strcspn(text, ";\n");
		if (!take_line(line, text, len))
			return refuse(text, len, NULL, "is too long for an instruction", diag);
		text += len + (text[len] != '\0');
		if (!line[0])
			continue;
		enum tp_status status = add_expanded(assembly, line, arena, body, diag);
		if (status != TP_OK)
			return status;
	}
	if (!body->n)
		return tp_fail(diag, TP_USAGE, "asm.body",
			       "such as asm.body: vaddps %xmm0,%xmm1,%xmm2",
			       "there is no instruction");
	return TP_OK;
}

/* --- a name --- */

static bool same_mnemonic(const char *a, const char *b)
{
	size_t len = mnemonic_bytes(a);
	return len == mnemonic_bytes(b) && memcmp(a, b, len) == 0;
}

/* The kind of vector that the line works on: the letters of its last vector register. */
static void add_width(const struct tp_assembly *assembly, const char *line, struct tp_str *out)
{
	struct tp_register_name name;
	char text[TP_ASM_NAME_BYTES] = "";
	size_t at = 0, from, len;
	while (tp_asm_next_register(assembly, line, &at, &name, &from, &len))
		if (assembly->is_vector(name.reg))
			snprintf(text, sizeof(text), "%.*s", (int)TP_MIN(len, sizeof(text) - 1),
				 line + from);
	size_t letters = strcspn(text, "0123456789");
	if (letters)
		tp_str_printf(out, " %.*s", (int)letters, text);
}

/* The end says that there would be more. */
static void mark_cut(char *out, size_t size)
{
	memcpy(out + size - sizeof("..."), "...", sizeof("..."));
}

void tp_asm_add_lines(const struct tp_asm_body *body, struct tp_str *out)
{
	for (size_t i = 0; i < body->n; i++)
		tp_str_printf(out, "%s\n", body->lines[i]);
}

void tp_asm_join(const char *lines, char *out, size_t size)
{
	struct tp_str text = { 0 };
	while (*lines) {
		size_t len = strcspn(lines, "\n");
		tp_str_printf(&text, "%s%.*s", text.len ? "; " : "", (int)len, lines);
		lines += len + (lines[len] == '\n');
	}
	snprintf(out, size, "%s", tp_str_text(&text));
	if (text.len >= size)
		mark_cut(out, size);
	tp_str_release(&text);
}

const char *tp_asm_title(const struct tp_assembly *assembly, const struct tp_asm_body *body,
			 char *out, size_t size)
{
	struct tp_str text = { 0 };
	bool alike = true;
	for (size_t i = 1; i < body->n; i++)
		alike &= same_mnemonic(body->lines[0], body->lines[i]);
	for (size_t i = 0; i < (alike ? 1 : body->n); i++)
		tp_str_printf(&text, "%s%.*s", i ? "+" : "", (int)mnemonic_bytes(body->lines[i]),
			      body->lines[i]);
	if (alike)
		add_width(assembly, body->lines[0], &text);
	snprintf(out, size, "%s", tp_str_text(&text));
	if (text.len >= size)
		mark_cut(out, size);
	tp_str_release(&text);
	return out;
}
