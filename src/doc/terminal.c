/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "doc/terminal.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { ROOM_MIN = 8, LAST_MIN = 16 };

/* --- lines --- */

struct printer {
	const struct tp_look *look;
	const struct tp_ink *ink;
	size_t columns;
};

static void put(const struct printer *p, enum tp_paint paint, const char *text, size_t n)
{
	if (n)
		p->ink->words(p->ink->context, paint, text, n);
}

static void put_blanks(const struct printer *p, size_t n)
{
	static const char blanks[] = "                                ";
	for (size_t part; n; n -= part) {
		part = TP_MIN(n, sizeof(blanks) - 1);
		put(p, TP_PAINT_PLAIN, blanks, part);
	}
}

static void end_line(const struct printer *p)
{
	p->ink->end(p->ink->context);
}

/* The bytes [from, to) of the joined spans. */
static void put_part(const struct printer *p, const struct tp_span *spans, size_t n, size_t from,
		     size_t to)
{
	for (size_t i = 0, at = 0; i < n && at < to; i++) {
		size_t len = strlen(spans[i].text), begin = TP_MAX(from, at);
		if (begin < at + len)
			put(p, spans[i].paint, spans[i].text + (begin - at),
			    TP_MIN(to, at + len) - begin);
		at += len;
	}
}

/* Broken at blanks: `used` columns of the first line are taken, further lines are indented. */
static void put_flow(const struct printer *p, const struct tp_span *spans, size_t n, size_t used,
		     size_t indent)
{
	TP_STR all = { 0 };
	for (size_t i = 0; i < n; i++)
		tp_str_add(&all, spans[i].text);
	const char *text = tp_str_text(&all), *rest = text;
	do {
		rest += strspn(rest, " ");
		const char *line = rest;
		size_t room = used + ROOM_MIN < p->columns ? p->columns - used : ROOM_MIN;
		const char *end = tp_text_line(line, room, &rest);
		put_part(p, spans, n, (size_t)(line - text), (size_t)(end - text));
		end_line(p);
		if (*rest)
			put_blanks(p, indent);
		used = indent;
	} while (*rest);
}

/* --- tables --- */

static size_t total_width(const struct tp_grid *grid, const struct tp_grid_layout *l)
{
	size_t total = 0;
	for (size_t i = 0; i < grid->n_columns; i++)
		if (!l->gone[i])
			total += l->width[i] + (total ? (size_t)TP_GRID_GAP : 0);
	return total;
}

static void measure_columns(const struct tp_grid *grid, struct tp_grid_layout *l)
{
	*l = (struct tp_grid_layout){ 0 };
	for (size_t i = 0; i < grid->n_columns; i++) {
		bool empty = true;
		for (size_t row = 0; row < tp_grid_n_rows(grid); row++) {
			const struct tp_cell *cell = tp_grid_cell(grid, row, i);
			l->width[i] = TP_MAX(l->width[i], tp_text_columns(cell->text));
			empty &= cell->is_head || !*cell->text || strcmp(cell->text, "-") == 0;
		}
		l->gone[i] = empty && grid->columns[i].give;
	}
}

static void find_last(const struct tp_grid *grid, struct tp_grid_layout *l)
{
	for (size_t i = 0; i < grid->n_columns; i++)
		if (!l->gone[i])
			l->last = i;
}

/* What a column of words needs at least: its longest word stays whole. */
static size_t longest_word(const struct tp_grid *grid, size_t column)
{
	size_t least = LAST_MIN;
	for (size_t row = 0; row < tp_grid_n_rows(grid); row++) {
		const char *text = tp_grid_cell(grid, row, column)->text;
		while (*text) {
			size_t n = strcspn(text, " ");
			least = TP_MAX(
				least,
				n); /* bytes: more than columns for other scripts, never less */
			text += n + strspn(text + n, " ");
		}
	}
	return least;
}

/* The columns by which a column can become narrower. */
static size_t slack(const struct tp_grid *grid, const struct tp_grid_layout *l, size_t column,
		    bool cut)
{
	const bool last = column == l->last;
	if (l->gone[column] || grid->columns[column].align != TP_LEFT ||
	    (!last && !(cut && grid->columns[column].least)))
		return 0;
	const size_t least = !last ? grid->columns[column].least
			     : cut ? LAST_MIN
				   : longest_word(grid, column);
	return l->width[column] > least ? l->width[column] - least : 0;
}

/* Takes `excess` columns from the last one, then from the widest. */
static void squeeze(const struct tp_grid *grid, size_t excess, bool cut, struct tp_grid_layout *l)
{
	const size_t first = TP_MIN(excess, slack(grid, l, l->last, cut));
	l->width[l->last] -= first;
	for (excess -= first; excess; excess--) {
		size_t widest = 0;
		for (size_t i = 1; i < grid->n_columns; i++)
			if (slack(grid, l, i, cut) > slack(grid, l, widest, cut))
				widest = i;
		if (!slack(grid, l, widest, cut))
			return;
		l->width[widest]--;
	}
}

void tp_grid_fit(const struct tp_grid *grid, size_t columns, bool cut, struct tp_grid_layout *l)
{
	measure_columns(grid, l);
	for (;;) {
		find_last(grid, l);
		size_t total = total_width(grid, l), victim = grid->n_columns, give = 0;
		if (total <= columns)
			return;
		for (size_t i = 0; i < grid->n_columns; i++) {
			give += slack(grid, l, i, cut);
			if (!l->gone[i] && grid->columns[i].give &&
			    (victim == grid->n_columns ||
			     grid->columns[i].give > grid->columns[victim].give))
				victim = i;
		}
		if (total - give <= columns || (cut && victim == grid->n_columns))
			squeeze(grid, total - columns, cut, l);
		if (total - give <= columns || victim == grid->n_columns)
			return;
		l->gone[victim] = true;
	}
}

static void put_row(const struct printer *p, const struct tp_grid *grid,
		    const struct tp_grid_layout *l, size_t row)
{
	size_t at = 0, blanks = 0;
	for (size_t i = 0; i < grid->n_columns; i++) {
		const struct tp_cell *cell = tp_grid_cell(grid, row, i);
		if (l->gone[i])
			continue;
		if (at) {
			blanks += TP_GRID_GAP;
			at += TP_GRID_GAP;
		}
		const char *text = cell->again ? "" : cell->text;
		size_t used = tp_text_columns(text);
		if (i == l->last && used > l->width[i]) {
			put_blanks(p, blanks);
			put_flow(p, &(struct tp_span){ cell->paint, text }, 1, at, at);
			return;
		}
		size_t room = l->width[i] > used ? l->width[i] - used : 0;
		bool right = grid->columns[i].align == TP_RIGHT;
		blanks += right ? room : 0;
		/* Blanks at the end of a line are left out. */
		if (text[strspn(text, " ")]) {
			put_blanks(p, blanks);
			put(p, cell->paint, text, strlen(text));
			blanks = 0;
		} else {
			blanks += used;
		}
		blanks += right ? 0 : room;
		at += l->width[i];
	}
	end_line(p);
}

static void put_grid(const struct printer *p, const struct tp_grid *grid)
{
	struct tp_grid_layout l;
	tp_grid_fit(grid, p->columns, false, &l);
	for (size_t row = 0; row < tp_grid_n_rows(grid); row++)
		put_row(p, grid, &l, row);
}

/* --- blocks --- */

static void put_spans(const struct printer *p, const struct tp_text *text,
		      const struct tp_block *block)
{
	const struct tp_span *spans = text->spans + block->from;
	size_t fixed = block->n - block->n_flow;
	for (size_t i = 0; i < fixed; i++)
		put(p, spans[i].paint, spans[i].text, strlen(spans[i].text));
	put_flow(p, spans + fixed, block->n_flow, block->used, block->indent);
}

void tp_text_lay(const struct tp_text *text, size_t columns, const struct tp_ink *ink)
{
	const struct printer p = { text->look, ink, columns };
	for (size_t i = 0; i < text->n; i++) {
		const struct tp_block *block = &text->blocks[i];
		switch (block->kind) {
		case TP_BLOCK_GAP:
			end_line(&p);
			break;
		case TP_BLOCK_GRID:
			put_grid(&p, &block->grid);
			break;
		case TP_BLOCK_VERBATIM:
			if (ink->verbatim)
				ink->verbatim(ink->context, text->spans[block->from].text);
			break;
		default:
			put_spans(&p, text, block);
			break;
		}
	}
}

/* --- streams --- */

struct stream {
	struct tp_str *out;
	bool colour;
};

static const char *codes_of(enum tp_paint paint)
{
	static const char *const sgr[] = {
		[TP_PAINT_PLAIN] = "",	       [TP_PAINT_TITLE] = "\033[1;36m",
		[TP_PAINT_HEAD] = "\033[4m",   [TP_PAINT_DIM] = "\033[2m",
		[TP_PAINT_STRONG] = "\033[1m", [TP_PAINT_GOOD] = "\033[32m",
		[TP_PAINT_WARN] = "\033[33m",  [TP_PAINT_BAD] = "\033[1;31m",
	};
	return sgr[paint];
}

static void add_words(void *context, enum tp_paint paint, const char *text, size_t n)
{
	const struct stream *s = context;
	const char *begin = s->colour ? codes_of(paint) : "";
	tp_str_add(s->out, begin);
	tp_str_add_n(s->out, text, n);
	if (*begin)
		tp_str_add(s->out, "\033[0m");
}

static void add_end(void *context)
{
	const struct stream *s = context;
	tp_str_add(s->out, "\n");
}

static void add_lines(void *context, const char *lines)
{
	const struct stream *s = context;
	tp_str_add(s->out, lines);
}

void tp_text_print(const struct tp_text *text, struct tp_str *out)
{
	struct stream stream = { out, text->look->colour };
	const struct tp_ink ink = { &stream, add_words, add_end, add_lines };
	tp_text_lay(text, tp_look_columns(text->look), &ink);
}
