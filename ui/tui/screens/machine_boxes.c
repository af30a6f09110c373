/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The topology as boxes: packages around memory nodes around shared caches around cores. Boxes of
 * one kind stand beside each other where they have room. Of many alike, one box tells for all.
 */
#include "ui/tui/screens/machine_docs.h"
#include "ui/tui/screens/machine_parts.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/roof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Boxes that are drawn one by one; the least width of one that has others beside it. */
enum {
	ALONE_MAX = 4,
	FEW_MAX = 2, /* of a machine with many cores */
	MANY_CORES = 16,
	BESIDE_MIN = 40,
	CORE_ROWS_MAX = 2,
	CORE_LINES = 5,
	LINE_BYTES = 96,
	GAP = 1
};

/* A drawing that grows downwards. */
struct cell {
	uint32_t code;
	enum tp_role role;
};
struct grid {
	struct cell *cells;
	size_t rows, cap; /* cap in cells */
	int columns;
	bool utf8;
};

struct boxes {
	struct grid grid;
	const struct tp_machine *machine;
	const struct tp_run *measured; /* NULL = nothing is */
	unsigned *order; /* room for the CPU numbers of a node */
	bool any_measured; /* a measured size is shown */
};

static void put(struct grid *g, int row, int column, enum tp_role role, uint32_t code)
{
	size_t need = (size_t)(row + 1) * (size_t)g->columns;
	if (row < 0 || column < 0 || column >= g->columns)
		return;
	if (tp_vec_reserve((void **)&g->cells, &g->cap, need, sizeof(*g->cells)) != TP_OK)
		return;
	for (; g->rows <= (size_t)row; g->rows++)
		for (int c = 0; c < g->columns; c++)
			g->cells[g->rows * (size_t)g->columns + (size_t)c] =
				(struct cell){ ' ', TP_UI_PLAIN };
	g->cells[(size_t)row * (size_t)g->columns + (size_t)column] = (struct cell){ code, role };
}

/* At most `room` columns of a text. */
static void put_text(struct grid *g, int row, int column, int room, enum tp_role role,
		     const char *text)
{
	uint32_t code;
	for (int i = 0; i < room && (code = tp_cell_next(&text)); i++)
		put(g, row, column + i, role, code);
}

static void frame(struct grid *g, int row, int column, int rows, int columns, const char *title)
{
	static const uint32_t lines[] = { 0x2500, 0x2502, 0x250c, 0x2510, 0x2514, 0x2518 };
	static const uint32_t plain[] = { '-', '|', '+', '+', '+', '+' };
	const uint32_t *s = g->utf8 ? lines : plain;
	int bottom = row + rows - 1, right = column + columns - 1;
	for (int c = column + 1; c < right; c++) {
		put(g, row, c, TP_UI_BORDER, s[0]);
		put(g, bottom, c, TP_UI_BORDER, s[0]);
	}
	for (int r = row + 1; r < bottom; r++) {
		put(g, r, column, TP_UI_BORDER, s[1]);
		put(g, r, right, TP_UI_BORDER, s[1]);
	}
	put(g, row, column, TP_UI_BORDER, s[2]);
	put(g, row, right, TP_UI_BORDER, s[3]);
	put(g, bottom, column, TP_UI_BORDER, s[4]);
	put(g, bottom, right, TP_UI_BORDER, s[5]);
	put_text(g, row, column + 2, columns - 4, TP_UI_TITLE, title);
}

/* --- words --- */

/* "L3 480 MiB, measured 79 MiB"; a size that the user gave is what plans use. */
static void cache_words(struct boxes *b, int level, bool brief, char *out, size_t size)
{
	static const char *const names[] = { "", "L1d", "L2", "L3" };
	static const char *const levels[] = { "", "L1", "L2", "L3" };
	const struct tp_cache *c = &b->machine->cache[level];
	uint64_t bytes = c->reported_bytes ? c->reported_bytes : c->size_bytes;
	uint64_t found = b->measured ? tp_run_capacity(b->measured, levels[level]) : 0;
	char a[32];
	int n = snprintf(out, size, "%s %s", names[level], tp_format_bytes(a, sizeof(a), bytes));
	if (found && n > 0 && (size_t)n < size) {
		n += snprintf(out + n, size - (size_t)n, brief ? " ~%s" : ", measured %s",
			      tp_format_bytes(a, sizeof(a), found));
		b->any_measured |= brief;
	}
	if (c->given_bytes && c->given_bytes != bytes && n > 0 && (size_t)n < size)
		snprintf(out + n, size - (size_t)n, ", used %s",
			 tp_format_bytes(a, sizeof(a), c->given_bytes));
}

static bool is_private(const struct tp_machine *m, int level)
{
	return m->cache[level].size_bytes && m->cache[level].sharing_cores <= 1;
}

static void title_of(struct boxes *b, enum tp_tree_level level, size_t from, size_t count,
		     char *out, size_t size)
{
	static const char *const names[] = { "Package", "NUMA node", "L3", "L2", "Core" };
	const struct tp_machine *m = b->machine;
	char words[LINE_BYTES] = "", memory[32];
	if (level == TP_TREE_L3 || level == TP_TREE_L2) {
		cache_words(b, level == TP_TREE_L3 ? 3 : 2, false, words, sizeof(words));
		if (count > 1)
			snprintf(out, size, " %zu x %s ", count, words);
		else
			snprintf(out, size, " %s ", words);
		return;
	}
	for (unsigned i = 0; level == TP_TREE_NUMA && i < m->n_numa; i++)
		if (m->nodes[i].os_index == m->pus[from].numa && m->nodes[i].memory_bytes)
			snprintf(words, sizeof(words), ", %s",
				 tp_format_bytes(memory, sizeof(memory), m->nodes[i].memory_bytes));
	if (level == TP_TREE_PACKAGE && m->n_packages == 1 && m->memory_bytes)
		snprintf(words, sizeof(words), ", %s",
			 tp_format_bytes(memory, sizeof(memory), m->memory_bytes));
	if (count > 1)
		snprintf(out, size, " %zu x %s%s ", count, names[level], words);
	else
		snprintf(out, size, " %s %u%s ", names[level], tp_tree_key(&m->pus[from], level),
			 words);
}

/* --- cores --- */

struct core {
	char lines[CORE_LINES][LINE_BYTES];
	int n, columns;
};

static void core_lines(struct boxes *b, size_t from, size_t to, struct core *core)
{
	const struct tp_machine *m = b->machine;
	*core = (struct core){ 0 };
	snprintf(core->lines[core->n++], LINE_BYTES, "Core %u", m->pus[from].core);
	for (int level = 2; level >= 1; level--)
		if (is_private(m, level))
			cache_words(b, level, true, core->lines[core->n++], LINE_BYTES);
	char *cpus = core->lines[core->n++];
	int n = snprintf(cpus, LINE_BYTES, to - from == 1 ? "CPU" : "CPUs");
	for (size_t i = from; i < to && n < LINE_BYTES; i++)
		n += snprintf(cpus + n, (size_t)(LINE_BYTES - n), " %u%s", m->pus[i].os_index,
			      m->pus[i].allowed ? "" : " (not ours)");
	for (int i = 0; i < core->n; i++)
		core->columns = TP_MAX(core->columns, (int)tp_cell_columns(core->lines[i]));
}

static size_t next_of(const struct tp_machine *m, enum tp_tree_level level, size_t from, size_t to)
{
	size_t next = from + 1;
	while (next < to && tp_tree_key(&m->pus[next], level) == tp_tree_key(&m->pus[from], level))
		next++;
	return next;
}

static size_t count_of(const struct tp_machine *m, enum tp_tree_level level, size_t from, size_t to)
{
	size_t n = 0;
	for (; from < to; n++)
		from = next_of(m, level, from, to);
	return n;
}

/* "16 cores: CPUs 0-15,128-143", and what each of them has. */
static int draw_many(struct boxes *b, enum tp_tree_level level, size_t from, size_t to, int row,
		     int column, int columns)
{
	const struct tp_machine *m = b->machine;
	int first = row;
	for (size_t at = from, next; at < to; at = next) {
		struct tp_str line = { 0 };
		next = level == TP_TREE_CORE ? to : next_of(m, level, at, to);
		size_t cores = count_of(m, TP_TREE_CORE, at, next);
		tp_str_printf(&line, "%zu core%s: ", cores, cores == 1 ? "" : "s");
		tp_tree_cpu_ranges(m, at, next, b->order, b->grid.utf8, &line);
		put_text(&b->grid, row++, column, columns, TP_UI_PLAIN, tp_str_text(&line));
		tp_str_release(&line);
	}
	for (int l = 2; l >= 1; l--)
		if (is_private(m, l)) {
			char words[LINE_BYTES];
			cache_words(b, l, false, words, sizeof(words));
			put_text(&b->grid, row, column, columns, TP_UI_DIM, "each core: ");
			put_text(&b->grid, row++, column + 11, columns - 11, TP_UI_DIM, words);
		}
	return row - first;
}

static int draw_cores(struct boxes *b, size_t from, size_t to, int row, int column, int columns)
{
	const struct tp_machine *m = b->machine;
	size_t n = count_of(m, TP_TREE_CORE, from, to);
	struct core core;
	int width = 0, lines = 0, first = row;
	/* Cores of a machine with many need not be looked at one by one. */
	for (size_t at = from, next; at < to && n <= MANY_CORES; at = next) {
		next = next_of(m, TP_TREE_CORE, at, to);
		core_lines(b, at, next, &core);
		width = TP_MAX(width, core.columns + 4);
		lines = TP_MAX(lines, core.n);
	}
	int across = width ? (columns + GAP) / (width + GAP) : 0;
	if (!across || (int)n > across * CORE_ROWS_MAX)
		return draw_many(b, TP_TREE_CORE, from, to, row, column, columns);
	int at_column = 0;
	for (size_t at = from, next; at < to; at = next) {
		next = next_of(m, TP_TREE_CORE, at, to);
		core_lines(b, at, next, &core);
		if (at_column == across) {
			at_column = 0;
			row += lines + 2;
		}
		int x = column + at_column++ * (width + GAP);
		frame(&b->grid, row, x, lines + 2, width, "");
		for (int i = 0; i < core.n; i++)
			put_text(&b->grid, row + 1 + i, x + 2, width - 4,
				 i == 0		      ? TP_UI_STRONG
				 : i + 1 < core.n     ? TP_UI_DIM
				 : m->pus[at].allowed ? TP_UI_GOOD
						      : TP_UI_OFF,
				 core.lines[i]);
	}
	return row + lines + 2 - first;
}

/* --- boxes of boxes --- */

/* Draws what lies below a level, and returns its rows. */
static int draw_level(struct boxes *b, enum tp_tree_level level, size_t from, size_t to, int row,
		      int column, int columns)
{
	const struct tp_machine *m = b->machine;
	char title[LINE_BYTES + 48];
	while (level < TP_TREE_CORE && !tp_tree_has_level(m, level))
		level++;
	if (level == TP_TREE_CORE)
		return draw_cores(b, from, to, row, column, columns);
	size_t n = count_of(m, level, from, to);
	if (n > ALONE_MAX || (n > FEW_MAX && m->n_cores > MANY_CORES)) {
		int rows = 2 + draw_many(b, level, from, to, row + 1, column + 2, columns - 4);
		title_of(b, level, from, n, title, sizeof(title));
		frame(&b->grid, row, column, rows, columns, title);
		return rows;
	}
	int across = (columns + GAP) / (int)n - GAP >= BESIDE_MIN ? (int)n : 1;
	int width = (columns + GAP) / across - GAP, height = 0, first = row;
	size_t starts[ALONE_MAX];
	int tops[ALONE_MAX], heights[ALONE_MAX], i = 0;
	for (size_t at = from, next; at < to; at = next, i++) {
		int x = column + (across > 1 ? i * (width + GAP) : 0);
		next = next_of(m, level, at, to);
		starts[i] = at;
		tops[i] = row;
		heights[i] = 2 + draw_level(b, level + 1, at, next, row + 1, x + 2, width - 4);
		height = TP_MAX(height, heights[i]);
		if (across == 1)
			row += heights[i];
	}
	for (int k = 0; k < i; k++) {
		int x = column + (across > 1 ? k * (width + GAP) : 0);
		title_of(b, level, starts[k], 1, title, sizeof(title));
		frame(&b->grid, tops[k], x, across > 1 ? height : heights[k], width, title);
	}
	return across > 1 ? height : row - first;
}

/* Cells of one role beside each other become a span. */
static void add_lines(const struct grid *g, struct tp_doc *doc)
{
	for (size_t r = 0; r < g->rows; r++) {
		const struct cell *row = g->cells + r * (size_t)g->columns;
		tp_doc_line(doc, -1);
		for (int c = 0, from; c < g->columns;) {
			struct tp_str text = { 0 };
			for (from = c; c < g->columns && row[c].role == row[from].role; c++) {
				char letter[4];
				tp_str_add_n(&text, letter, tp_utf8_encode(letter, row[c].code));
			}
			tp_doc_text(doc, from, row[from].role, tp_str_text(&text));
			tp_str_release(&text);
		}
	}
}

void tp_machine_boxes(struct tp_doc *doc, const struct tp_machine *machine,
		      const struct tp_run *measured, bool utf8, int columns)
{
	struct boxes b = { .grid = { .columns = columns, .utf8 = utf8 },
			   .machine = machine,
			   .measured = machine->foreign ? NULL : measured };
	tp_doc_clear(doc, columns);
	b.order = calloc(machine->n_pus + 1, sizeof(*b.order));
	if (b.order && machine->n_pus)
		draw_level(&b, TP_TREE_PACKAGE, 0, machine->n_pus, 0, 0, columns);
	add_lines(&b.grid, doc);
	if (b.any_measured)
		tp_doc_row(doc, 0, TP_UI_DIM, "~ measured");
	free(b.grid.cells);
	free(b.order);
}
