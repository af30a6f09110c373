/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "doc/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { TITLE_INDENT = 2, ITEM_INDENT = 4 };

void tp_text_release(struct tp_text *text)
{
	for (size_t i = 0; i < text->n; i++)
		tp_grid_release(&text->blocks[i].grid);
	free(text->blocks);
	free(text->spans);
	tp_arena_release(&text->arena);
	*text = (struct tp_text){ .look = text->look };
}

static struct tp_block *add_block(struct tp_text *text, enum tp_block_kind kind)
{
	TP_RESERVE(text->blocks, text->cap, text->n + 1);
	text->blocks[text->n] = (struct tp_block){ .kind = kind, .from = text->n_spans };
	return &text->blocks[text->n++];
}

static void add_span(struct tp_text *text, enum tp_paint paint, const char *words)
{
	TP_RESERVE(text->spans, text->cap_spans, text->n_spans + 1);
	text->spans[text->n_spans++] =
		(struct tp_span){ paint, tp_arena_strdup(&text->arena, words) };
}

void tp_text_gap(struct tp_text *text)
{
	add_block(text, TP_BLOCK_GAP);
}

void tp_text_indent(struct tp_text *text, size_t columns)
{
	TP_STR blanks = { 0 };
	tp_str_pad(&blanks, ' ', columns);
	add_span(text, TP_PAINT_PLAIN, tp_str_text(&blanks));
}

void tp_text_run(struct tp_text *text, enum tp_paint paint, const char *words)
{
	add_span(text, paint, words);
}

void tp_text_flow(struct tp_text *text, enum tp_paint paint, const char *words)
{
	add_span(text, paint, words);
	text->n_flow++;
}

/* Of all spans since the last block, and of these words. */
static void end_block(struct tp_text *text, enum tp_block_kind kind, enum tp_paint paint,
		      const char *words, size_t used, size_t indent)
{
	struct tp_block *block = add_block(text, kind);
	add_span(text, paint, words);
	block->from = text->line;
	block->n = text->n_spans - text->line;
	block->n_flow = text->n_flow + 1;
	block->used = used;
	block->indent = indent;
	text->line = text->n_spans;
	text->n_flow = 0;
}

void tp_text_wrap(struct tp_text *text, enum tp_paint paint, const char *words, size_t used,
		  size_t indent)
{
	end_block(text, TP_BLOCK_LINE, paint, words, used, indent);
}

void tp_text_say(struct tp_text *text, enum tp_paint paint, size_t used, size_t indent,
		 const char *fmt, ...)
{
	TP_STR words = { 0 }, clean = { 0 };
	va_list ap;
	va_start(ap, fmt);
	tp_str_vprintf(&words, fmt, ap);
	va_end(ap);
	tp_text_clean(&clean, tp_str_text(&words), text->look);
	tp_text_wrap(text, paint, tp_str_text(&clean), used, indent);
}

static void gap_after_others(struct tp_text *text)
{
	if (text->n)
		tp_text_gap(text);
}

void tp_text_title(struct tp_text *text, const char *words)
{
	TP_STR clean = { 0 };
	tp_text_clean(&clean, words, text->look);
	gap_after_others(text);
	end_block(text, TP_BLOCK_TITLE, TP_PAINT_TITLE, tp_str_text(&clean), 0, TITLE_INDENT);
}

void tp_text_head(struct tp_text *text, const char *words)
{
	TP_STR clean = { 0 };
	tp_text_clean(&clean, words, text->look);
	gap_after_others(text);
	end_block(text, TP_BLOCK_HEAD, TP_PAINT_STRONG, tp_str_text(&clean), 0, 0);
}

void tp_text_labelled(struct tp_text *text, const char *label, size_t columns, enum tp_paint paint,
		      const char *words)
{
	TP_STR padded = { 0 };
	tp_str_printf(&padded, "%-*s", (int)columns, label);
	add_span(text, TP_PAINT_DIM, tp_str_text(&padded));
	end_block(text, TP_BLOCK_FACT, paint, words, columns, columns);
}

void tp_text_fact(struct tp_text *text, const char *label, enum tp_paint paint, const char *words)
{
	TP_STR clean = { 0 };
	if (!*words)
		return;
	tp_text_clean(&clean, words, text->look);
	tp_text_labelled(text, label, TP_LABEL_COLUMNS, paint, tp_str_text(&clean));
}

void tp_text_item(struct tp_text *text, enum tp_paint paint, const char *words)
{
	add_span(text, TP_PAINT_PLAIN, "  - ");
	end_block(text, TP_BLOCK_ITEM, paint, words, ITEM_INDENT, ITEM_INDENT);
}

void tp_grid_write(struct tp_grid *grid, struct tp_text *text)
{
	tp_grid_spell(grid, text->look);
	size_t bytes = grid->n_columns * sizeof(*grid->columns);
	struct tp_grid *kept = &add_block(text, TP_BLOCK_GRID)->grid;
	*kept = *grid;
	kept->columns = memcpy(tp_arena_alloc(&text->arena, bytes), grid->columns, bytes);
	*grid = (struct tp_grid){ .columns = grid->columns, .n_columns = grid->n_columns };
}

void tp_text_verbatim(struct tp_text *text, const char *lines)
{
	struct tp_block *block = add_block(text, TP_BLOCK_VERBATIM);
	add_span(text, TP_PAINT_PLAIN, lines);
	block->n = 1;
	text->verbatim_bytes += strlen(lines);
	text->line = text->n_spans;
}
