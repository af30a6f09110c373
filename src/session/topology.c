/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The topology of a machine as boxes. Boxes of one kind are side by side if they fit. */
#include "session/hardware.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/str.h"
#include "base/text.h"

enum { RANGES_MAX = 40 };

enum level { LEVEL_PACKAGE, LEVEL_NUMA, LEVEL_L3, LEVEL_L2, LEVEL_CORE };

static const char *const level_names[] = { "Package", "NUMA node", "L3", "L2", "Core" };

/* The node of a level that a hardware thread belongs to. */
static unsigned level_key(const struct tp_pu *pu, enum level level)
{
	return level == LEVEL_PACKAGE ? pu->package
	       : level == LEVEL_NUMA  ? pu->numa
	       : level == LEVEL_L3    ? pu->cache[3]
	       : level == LEVEL_L2    ? pu->cache[2]
				      : pu->core;
}

/* Levels with nothing to show are left out. */
static bool has_level(const struct tp_machine *m, enum level level)
{
	return level == LEVEL_NUMA ? m->n_numa > 1
	       : level == LEVEL_L3 ? m->cache[3].size_bytes > 0
	       : level == LEVEL_L2 ? m->cache[2].size_bytes && m->cache[2].sharing_cores > 1
				   : true;
}

static size_t next_of(const struct tp_machine *m, enum level level, size_t from, size_t to)
{
	size_t next = from + 1;
	while (next < to && level_key(&m->pus[next], level) == level_key(&m->pus[from], level))
		next++;
	return next;
}

static size_t count_of(const struct tp_machine *m, enum level level, size_t from, size_t to)
{
	size_t n = 0;
	for (; from < to; n++)
		from = next_of(m, level, from, to);
	return n;
}

static bool is_private(const struct tp_machine *m, int level)
{
	return m->cache[level].size_bytes && m->cache[level].sharing_cores <= 1;
}

static int ascending(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

/* Appends "CPUs 0-7,64-71". `order` has room for a number for each. */
static void cpu_ranges(const struct tp_machine *m, size_t from, size_t to, unsigned *order,
		       bool utf8, struct tp_str *out)
{
	size_t n = to - from, start = out->len;
	for (size_t i = 0; i < n; i++)
		order[i] = m->pus[from + i].os_index;
	qsort(order, n, sizeof(*order), ascending);
	tp_str_add(out, n == 1 ? "CPU " : "CPUs ");
	for (size_t i = 0; i < n; i++) {
		size_t first = i;
		while (i + 1 < n && order[i + 1] == order[i] + 1)
			i++;
		if (out->len - start > RANGES_MAX) {
			tp_str_add(out, utf8 ? ",…" : ",...");
			return;
		}
		tp_str_printf(out, first == i ? "%s%u" : "%s%u-%u", first ? "," : "", order[first],
			      order[i]);
	}
}

/* Boxes that are drawn one by one; the least width of one with neighbours. */
enum {
	ALONE_MAX = 4,
	FEW_MAX = 2, /* of a machine with many cores */
	BOXES_MANY_CORES = 16,
	BESIDE_MIN = 40,
	CORE_ROWS_MAX = 2,
	CORE_LINES = 5,
	LINE_BYTES = 96,
	GAP = 1
};

/* A drawing that grows downwards. */
struct cell {
	uint32_t code;
	enum tp_paint paint;
};
struct drawing {
	struct cell *cells;
	size_t rows, cap; /* cap in cells */
	int columns;
	bool utf8;
};

struct boxes {
	struct drawing drawing;
	const struct tp_machine *machine;
	const struct tp_run *measured; /* NULL = nothing */
	unsigned *order; /* room for the CPU numbers of a node */
	bool any_measured; /* a measured size is shown */
};

static void put(struct drawing *g, int row, int column, enum tp_paint paint, uint32_t code)
{
	size_t need = (size_t)(row + 1) * (size_t)g->columns;
	if (row < 0 || column < 0 || column >= g->columns)
		return;
	TP_RESERVE(g->cells, g->cap, need);
	for (; g->rows <= (size_t)row; g->rows++)
		for (int c = 0; c < g->columns; c++)
			g->cells[g->rows * (size_t)g->columns + (size_t)c] =
				(struct cell){ ' ', TP_PAINT_PLAIN };
	g->cells[(size_t)row * (size_t)g->columns + (size_t)column] = (struct cell){ code, paint };
}

/* At most `room` columns of a text. */
static void put_text(struct drawing *g, int row, int column, int room, enum tp_paint paint,
		     const char *text)
{
	uint32_t code;
	for (int i = 0; i < room && (code = tp_cell_next(&text)); i++)
		put(g, row, column + i, paint, code);
}

static void frame(struct drawing *g, int row, int column, int rows, int columns, const char *title)
{
	static const uint32_t lines[] = { 0x2500, 0x2502, 0x250c, 0x2510, 0x2514, 0x2518 };
	static const uint32_t plain[] = { '-', '|', '+', '+', '+', '+' };
	const uint32_t *s = g->utf8 ? lines : plain;
	int bottom = row + rows - 1, right = column + columns - 1;
	for (int c = column + 1; c < right; c++) {
		put(g, row, c, TP_PAINT_DIM, s[0]);
		put(g, bottom, c, TP_PAINT_DIM, s[0]);
	}
	for (int r = row + 1; r < bottom; r++) {
		put(g, r, column, TP_PAINT_DIM, s[1]);
		put(g, r, right, TP_PAINT_DIM, s[1]);
	}
	put(g, row, column, TP_PAINT_DIM, s[2]);
	put(g, row, right, TP_PAINT_DIM, s[3]);
	put(g, bottom, column, TP_PAINT_DIM, s[4]);
	put(g, bottom, right, TP_PAINT_DIM, s[5]);
	put_text(g, row, column + 2, columns - 4, TP_PAINT_TITLE, title);
}

/* --- words --- */

/* "L3 480 MiB, measured 79 MiB"; a size that the user gave is what plans use. */
static void cache_words(struct boxes *b, int level, bool brief, char *out, size_t size)
{
	const struct tp_cache *c = &b->machine->cache[level];
	uint64_t bytes = c->reported_bytes ? c->reported_bytes : c->size_bytes;
	uint64_t found = tp_measured_bytes(b->measured, level);
	char a[32];
	int n = snprintf(out, size, "%s %s", tp_cache_names[level],
			 tp_format_bytes(a, sizeof(a), bytes));
	if (found && n > 0 && (size_t)n < size) {
		n += snprintf(out + n, size - (size_t)n, brief ? " ~%s" : ", measured %s",
			      tp_format_bytes(a, sizeof(a), found));
		b->any_measured |= brief;
	}
	if (c->given_bytes && c->given_bytes != bytes && n > 0 && (size_t)n < size)
		snprintf(out + n, size - (size_t)n, ", used %s",
			 tp_format_bytes(a, sizeof(a), c->given_bytes));
}

static void title_of(struct boxes *b, enum level level, size_t from, size_t count, char *out,
		     size_t size)
{
	const struct tp_machine *m = b->machine;
	char words[LINE_BYTES] = "", memory[32];
	if (level == LEVEL_L3 || level == LEVEL_L2) {
		cache_words(b, level == LEVEL_L3 ? 3 : 2, false, words, sizeof(words));
		if (count > 1)
			snprintf(out, size, " %zu x %s ", count, words);
		else
			snprintf(out, size, " %s ", words);
		return;
	}
	for (unsigned i = 0; level == LEVEL_NUMA && i < m->n_numa; i++)
		if (m->nodes[i].os_index == m->pus[from].numa && m->nodes[i].memory_bytes)
			snprintf(words, sizeof(words), ", %s",
				 tp_format_bytes(memory, sizeof(memory), m->nodes[i].memory_bytes));
	if (level == LEVEL_PACKAGE && m->n_packages == 1 && m->memory_bytes)
		snprintf(words, sizeof(words), ", %s",
			 tp_format_bytes(memory, sizeof(memory), m->memory_bytes));
	if (count > 1)
		snprintf(out, size, " %zu x %s%s ", count, level_names[level], words);
	else
		snprintf(out, size, " %s %u%s ", level_names[level],
			 level_key(&m->pus[from], level), words);
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

/* "16 cores: CPUs 0-15,128-143, 2 a core", and what each of them has. */
static int draw_many(struct boxes *b, enum level level, size_t from, size_t to, int row, int column,
		     int columns)
{
	const struct tp_machine *m = b->machine;
	int first = row;
	for (size_t at = from, next; at < to; at = next) {
		TP_STR line = { 0 };
		next = level == LEVEL_CORE ? to : next_of(m, level, at, to);
		size_t cores = count_of(m, LEVEL_CORE, at, next), usable = 0;
		for (size_t i = at; i < next; i++)
			usable += m->pus[i].allowed;
		tp_str_printf(&line, "%zu core%s: ", cores, cores == 1 ? "" : "s");
		cpu_ranges(m, at, next, b->order, b->drawing.utf8, &line);
		if (next - at > cores && (next - at) % cores == 0)
			tp_str_printf(&line, ", %zu a core", (next - at) / cores);
		if (usable < next - at)
			tp_str_printf(&line, ", %zu usable", usable);
		put_text(&b->drawing, row++, column, columns, TP_PAINT_PLAIN, tp_str_text(&line));
	}
	for (int l = 2; l >= 1; l--)
		if (is_private(m, l)) {
			char words[LINE_BYTES];
			cache_words(b, l, false, words, sizeof(words));
			put_text(&b->drawing, row, column, columns, TP_PAINT_DIM, "each core: ");
			put_text(&b->drawing, row++, column + 11, columns - 11, TP_PAINT_DIM,
				 words);
		}
	return row - first;
}

static int draw_cores(struct boxes *b, size_t from, size_t to, int row, int column, int columns)
{
	const struct tp_machine *m = b->machine;
	size_t n = count_of(m, LEVEL_CORE, from, to);
	struct core core;
	int width = 0, lines = 0, first = row;
	/* Cores of a machine with many need not be looked at one by one. */
	for (size_t at = from, next; at < to && n <= BOXES_MANY_CORES; at = next) {
		next = next_of(m, LEVEL_CORE, at, to);
		core_lines(b, at, next, &core);
		width = TP_MAX(width, core.columns + 4);
		lines = TP_MAX(lines, core.n);
	}
	int across = width ? (columns + GAP) / (width + GAP) : 0;
	if (!across || (int)n > across * CORE_ROWS_MAX)
		return draw_many(b, LEVEL_CORE, from, to, row, column, columns);
	int at_column = 0;
	for (size_t at = from, next; at < to; at = next) {
		next = next_of(m, LEVEL_CORE, at, to);
		core_lines(b, at, next, &core);
		if (at_column == across) {
			at_column = 0;
			row += lines + 2;
		}
		int x = column + at_column++ * (width + GAP);
		frame(&b->drawing, row, x, lines + 2, width, "");
		for (int i = 0; i < core.n; i++)
			put_text(&b->drawing, row + 1 + i, x + 2, width - 4,
				 i == 0		      ? TP_PAINT_STRONG
				 : i + 1 < core.n     ? TP_PAINT_DIM
				 : m->pus[at].allowed ? TP_PAINT_GOOD
						      : TP_PAINT_DIM,
				 core.lines[i]);
	}
	return row + lines + 2 - first;
}

/* --- boxes of boxes --- */

/* Draws what lies below a level, and returns its rows. */
static int draw_level(struct boxes *b, enum level level, size_t from, size_t to, int row,
		      int column, int columns)
{
	const struct tp_machine *m = b->machine;
	char title[LINE_BYTES + 48];
	while (level < LEVEL_CORE && !has_level(m, level))
		level++;
	if (level == LEVEL_CORE)
		return draw_cores(b, from, to, row, column, columns);
	size_t n = count_of(m, level, from, to);
	if (n > ALONE_MAX || (n > FEW_MAX && m->n_cores > BOXES_MANY_CORES)) {
		int rows = 2 + draw_many(b, level, from, to, row + 1, column + 2, columns - 4);
		title_of(b, level, from, n, title, sizeof(title));
		frame(&b->drawing, row, column, rows, columns, title);
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
		frame(&b->drawing, tops[k], x, across > 1 ? height : heights[k], width, title);
	}
	return across > 1 ? height : row - first;
}

void tp_hardware_topology(const struct tp_machine *machine, const struct tp_run *measured,
			  struct tp_text *text)
{
	const int columns = (int)text->look->columns;
	struct boxes b = { .drawing = { .columns = columns, .utf8 = text->look->utf8 },
			   .machine = machine,
			   .measured = machine->foreign ? NULL : measured };
	const struct drawing *d = &b.drawing;
	b.order = tp_alloc(machine->n_pus + 1, sizeof(*b.order));
	if (machine->n_pus)
		draw_level(&b, LEVEL_PACKAGE, 0, machine->n_pus, 0, 0, columns);
	/* Adjacent cells of one paint are a piece of the line. */
	for (size_t r = 0; r < d->rows; r++) {
		const struct cell *row = d->cells + r * (size_t)columns;
		for (int c = 0, from; c < columns;) {
			TP_STR words = { 0 };
			for (from = c; c < columns && row[c].paint == row[from].paint; c++) {
				char letter[4];
				tp_str_add_n(&words, letter, tp_utf8_encode(letter, row[c].code));
			}
			if (c < columns)
				tp_text_run(text, row[from].paint, tp_str_text(&words));
			else
				tp_text_wrap(text, row[from].paint, tp_str_text(&words),
					     (size_t)from, 0);
		}
	}
	if (b.any_measured)
		tp_text_wrap(text, TP_PAINT_DIM, "~ measured", 0, 0);
	free(b.drawing.cells);
	free(b.order);
}
