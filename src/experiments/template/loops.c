/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The piece of a compiler's assembly that stands for a region. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/template/source.h"

/* Regions with more lines have no loop that a prediction would mean something for. */
enum { LINES_MAX = 20000 };

struct line {
	const char *text;
	size_t len;
	enum { OTHER, LABEL, INSTRUCTION } kind;
	size_t name; /* length of a label's name */
};

struct lines {
	struct line *items;
	size_t n, cap;
};

/* A line "# LLVM-MCA-BEGIN region", from `at` on; NULL = there is none. */
static const char *find_mark(const char *at, const char *mark, const char *region)
{
	size_t len = strlen(mark), name = strlen(region);
	while ((at = strstr(at, mark))) {
		at += len;
		if (strncmp(at, region, name) == 0 && (!at[name] || strchr(" \t\r\n", at[name])))
			return at + name;
	}
	return NULL;
}

static struct line line_of(const char *text, size_t len)
{
	while (len && strchr(" \t", *text)) {
		text++;
		len--;
	}
	struct line line = { text, len, OTHER, 0 };
	size_t name = 0;
	while (name < len && text[name] != ':' && !strchr(" \t\"", text[name]))
		name++;
	if (len == 0 || *text == '#' || (len > 1 && text[0] == '/' && text[1] == '/'))
		return line;
	if (name && name < len && text[name] == ':') {
		line.kind = LABEL;
		line.name = name;
	} else if (*text != '.') {
		line.kind = INSTRUCTION;
	}
	return line;
}

static bool split(const char *begin, const char *end, struct lines *lines)
{
	while (begin < end) {
		const char *stop = memchr(begin, '\n', (size_t)(end - begin));
		stop = stop ? stop : end;
		if (lines->n == LINES_MAX ||
		    tp_vec_reserve((void **)&lines->items, &lines->cap, lines->n + 1,
				   sizeof(*lines->items)) != TP_OK)
			return false;
		lines->items[lines->n++] = line_of(begin, (size_t)(stop - begin));
		begin = stop + 1;
	}
	return true;
}

/* The last word of an instruction: where a jump goes. */
static size_t target_of(const struct line *line, const char **target)
{
	size_t end = line->len, begin;
	while (end && strchr(" \t\r", line->text[end - 1]))
		end--;
	for (begin = end; begin && !strchr(" \t,", line->text[begin - 1]);)
		begin--;
	*target = line->text + begin;
	return begin ? end - begin : 0;
}

/* The label before line i that this instruction jumps back to; -1 = it does not. */
static long jump_of(const struct lines *lines, size_t i)
{
	const char *target;
	size_t len = lines->items[i].kind == INSTRUCTION ? target_of(&lines->items[i], &target) : 0;
	for (size_t k = i; len && k-- > 0;)
		if (lines->items[k].kind == LABEL && lines->items[k].name == len &&
		    memcmp(lines->items[k].text, target, len) == 0)
			return (long)k;
	return -1;
}

static size_t count(const struct lines *lines, size_t from, size_t to)
{
	size_t n = 0;
	for (size_t i = from; i <= to; i++)
		n += lines->items[i].kind == INSTRUCTION;
	return n;
}

/* The longest loop without another in it; false if there is none. */
static bool find_loop(const struct lines *lines, size_t *from, size_t *to)
{
	size_t most = 0;
	long last = -1; /* where the loop before began: one around it is no innermost one */
	for (size_t i = 0; i < lines->n; i++) {
		long label = jump_of(lines, i);
		if (label < 0)
			continue;
		bool innermost = label > last;
		last = last > label ? last : label;
		size_t n = innermost ? count(lines, (size_t)label, i) : 0;
		if (n > most) {
			most = n;
			*from = (size_t)label;
			*to = i;
		}
	}
	return most > 0;
}

bool tp_template_cut(const char *assembly, const char *region, struct tp_str *out)
{
	const char *begin = find_mark(assembly, "LLVM-MCA-BEGIN ", region);
	const char *end = begin ? find_mark(begin, "LLVM-MCA-END ", region) : NULL;
	struct lines lines = { 0 };
	bool good = end && split(begin, end, &lines);
	size_t from = 0, to = lines.n ? lines.n - 1 : 0;
	if (good)
		find_loop(&lines, &from, &to);
	good = good && lines.n && count(&lines, from, to);
	/* Labels and directives mean nothing to the prediction. */
	for (size_t i = from; good && i <= to; i++)
		if (lines.items[i].kind == INSTRUCTION) {
			tp_str_add(out, "\t");
			tp_str_add_n(out, lines.items[i].text, lines.items[i].len);
			tp_str_add(out, "\n");
		}
	free(lines.items);
	return good && !out->oom;
}
