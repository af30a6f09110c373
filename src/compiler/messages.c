/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What GCC, Clang and their assemblers and linkers say in the C locale. */
#include "compiler/compiler_parts.h"
#include "base/text.h"
#include "base/memory.h"

#include <string.h>

/* What stands between the place and the text of an error. */
static const char *const marks[] = { ": error: ", ": fatal error: ", ": internal compiler error: ",
				     ": Error: ", ": Fatal error: " };

/* These only say that something else has failed, which said why. */
static const char *const followers[] = { "collect2: error: ", "linker command failed",
					 "In file included", "Assembler messages" };

/* How much a line explains. */
enum rank { EMPTY, FOLLOWS, SAYS, ERROR, ERROR_WITH_PLACE };

struct said {
	enum rank rank;
	const char *line, *text; /* `text`: behind the mark, or the whole line */
	size_t len, place_len; /* of the line, and of the part before the mark */
};

static const char *find(const char *line, size_t len, const char *what)
{
	return memmem(line, len, what, strlen(what));
}

/* FILE:LINE or FILE:LINE:COLUMN. */
static bool is_place(const char *text, size_t len)
{
	size_t digits = 0;
	while (len && text[len - 1] >= '0' && text[len - 1] <= '9') {
		len--;
		digits++;
	}
	return digits && len > 1 && text[len - 1] == ':';
}

static struct said look(const char *line, size_t len)
{
	struct said said = { .rank = SAYS, .line = line, .text = line, .len = len };
	const char *trimmed = line;
	size_t n = len;
	tp_trim(&trimmed, &n);
	if (!n)
		said.rank = EMPTY;
	for (size_t i = 0; i < TP_COUNT_OF(followers); i++)
		if (find(line, len, followers[i]))
			said.rank = FOLLOWS;
	for (size_t i = 0; i < TP_COUNT_OF(marks) && said.rank == SAYS; i++) {
		const char *mark = find(line, len, marks[i]);
		if (!mark)
			continue;
		said.place_len = (size_t)(mark - line);
		said.text = mark + strlen(marks[i]);
		said.rank = is_place(line, said.place_len) ? ERROR_WITH_PLACE : ERROR;
	}
	return said;
}

/* The end of a long place says more than its beginning. */
static void show_place(char *out, size_t size, const char *place, size_t len)
{
	const char *from = place;
	size_t most = size - sizeof("...");
	if (len > most) {
		from = place + tp_utf8_after(place, len - most);
		tp_copy(out, size, "...");
		out += 3;
		size -= 3;
	}
	tp_shown(out, size, from, len - (size_t)(from - place));
}

bool tp_cc_messages_error(const char *messages, const char *program, struct tp_diag *diag)
{
	struct said best = { .rank = EMPTY };
	for (const char *line = messages; *line && best.rank < ERROR_WITH_PLACE;) {
		size_t len = strcspn(line, "\n");
		struct said said = look(line, len);
		if (said.rank > best.rank)
			best = said;
		line += len + (line[len] == '\n');
	}
	*diag = (struct tp_diag){ 0 };
	if (best.rank == ERROR_WITH_PLACE)
		show_place(diag->where, sizeof(diag->where), best.line, best.place_len);
	else
		show_place(diag->where, sizeof(diag->where), program, strlen(program));
	if (best.rank == EMPTY)
		return false;
	tp_shown(diag->what, sizeof(diag->what), best.text,
		 best.len - (size_t)(best.text - best.line));
	return true;
}

void tp_cc_messages_shorten(struct tp_str *messages, const char *prefix)
{
	struct tp_str shorter = { 0 };
	const char *from = tp_str_text(messages), *end = from + messages->len, *at;
	while ((at = find(from, (size_t)(end - from), prefix))) {
		tp_str_add_n(&shorter, from, (size_t)(at - from));
		from = at + strlen(prefix);
	}
	tp_str_add_n(&shorter, from, (size_t)(end - from));
	if (shorter.oom) {
		tp_str_release(&shorter);
		return;
	}
	tp_str_release(messages);
	*messages = shorter;
}

void tp_cc_diag_clean(struct tp_diag *diag)
{
	if (!diag)
		return;
	tp_clean(diag->where, "");
	tp_clean(diag->what, "");
	tp_clean(diag->hint, "");
}
