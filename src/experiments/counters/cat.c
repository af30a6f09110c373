/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of PAPI's Counter Analysis Toolkit: their lines, their formats, their folders. */
#include "experiments/counters/cat.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/file.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"

/* Reported once, however many files it holds for. */
enum {
	TOLD_HALF = 1,
	TOLD_SEQUENTIAL = 2,
	TOLD_FLOPS = 4,
	TOLD_ICACHE = 8,
	TOLD_INSTR = 16,
	TOLD_LATENCIES = 32
};

/* A file being read, line by line. */
struct cat_file {
	struct tp_cat *cat;
	const char *name; /* of the file */
	char event[TP_EVENT_NAME_MAX];
	const char *at, *end;
	unsigned line; /* of `text`, from 1 */
	char text[1024]; /* the line without its end; longer ones are reported and skipped */
	size_t n_kept; /* readings taken from it */
};

/* Counts are 64-bit integers in PAPI; what is beyond comes from an overflow. */
#define COUNT_MAX 9223372036854775808.0

static void add_note(struct cat_file *file, unsigned line, const char *hint, const char *fmt,
		     va_list args)
{
	struct tp_diag diag;
	char where[sizeof(diag.where)];

	if (line)
		snprintf(where, sizeof(where), "%.150s:%u", file->name, line);
	else
		snprintf(where, sizeof(where), "%.150s", file->name);
	tp_vfail(&diag, TP_USAGE, where, hint, fmt, args);
	tp_diags_add(&file->cat->notes, &diag);
}

/* A note about the file's present line, or about the file as a whole (line 0). */
static void note_file(struct cat_file *file, unsigned line, const char *hint, const char *fmt, ...)
{
	va_list args;

	file->cat->n_errors++;
	va_start(args, fmt);
	add_note(file, line, hint, fmt, args);
	va_end(args);
}

/* The next line that is not blank; false after the last. */
static bool next_line(struct cat_file *file)
{
	while (file->at < file->end) {
		const char *stop = memchr(file->at, '\n', (size_t)(file->end - file->at));
		size_t n = (size_t)((stop ? stop : file->end) - file->at);
		const char *line = file->at;

		file->at = stop ? stop + 1 : file->end;
		file->line++;
		if (n && line[n - 1] == '\r')
			n--;
		if (n >= sizeof(file->text)) {
			note_file(file, file->line, NULL, "a line of %zu bytes is left out", n);
			continue;
		}
		memcpy(file->text, line, n);
		file->text[n] = '\0';
		if (strlen(file->text) < n)
			note_file(file, file->line, "is this a text file?",
				  "the line holds a zero byte and is left out");
		else if (file->text[strspn(file->text, " \t")])
			return true;
	}
	return false;
}

/* The same, once a folder. */
static void note_once(struct cat_file *file, unsigned what, const char *hint, const char *fmt, ...)
{
	va_list args;

	if (file->cat->told & what)
		return;
	file->cat->told |= what;
	va_start(args, fmt);
	add_note(file, 0, hint, fmt, args);
	va_end(args);
}

/* Numbers of the current line, at most `max`; SIZE_MAX if it contains anything else (reported). */
static size_t read_numbers(struct cat_file *file, double *numbers, size_t max)
{
	size_t n = 0;

	for (char *p = file->text + strspn(file->text, " \t"); *p; p += strspn(p, " \t")) {
		char *end;
		double value = strtod(p, &end);

		if (end == p || (*end && *end != ' ' && *end != '\t')) {
			note_file(file, file->line, NULL, "\"%.40s\" is not a number", p);
			return SIZE_MAX;
		}
		if (n == max) {
			note_file(file, file->line, NULL, "more than %zu numbers in a line", max);
			return SIZE_MAX;
		}
		numbers[n++] = value;
		p = end;
	}
	return n;
}

/* Whether it is a valid count; reported if not. */
static bool is_count(struct cat_file *file, double count)
{
	static const char hint[] = "the reading is left out; the event lacks this row";

	if (isnan(count))
		note_file(file, file->line, hint, "the count is not a number (NaN)");
	else if (count < 0)
		note_file(file, file->line, hint,
			  "the count %g is negative: PAPI could not count, or the counter was "
			  "corrupted",
			  count);
	else if (!(count < COUNT_MAX))
		note_file(file, file->line, hint,
			  "the count %g is beyond 2^63: the counter overflowed", count);
	else
		return true;
	return false;
}

/* Adds a reading of this file's event. */
static enum tp_status add_reading(struct cat_file *file, const char *family, size_t row,
				  double count, double iterations, struct tp_diag *diag)
{
	/* "-0.00" is what rounding leaves of a count of nothing. */
	const struct tp_reading reading = {
		family, file->event, row, file->cat->repetition, count == 0 ? 0 : count, iterations
	};
	enum tp_status status = tp_readings_add(&file->cat->readings, &reading, diag);

	if (status == TP_OK)
		file->n_kept++;
	return status;
}

/*
 * EVENT.data.reads and EVENT.data.writes: pointer chases through buffers of growing size, sections
 * by stride and block. The rows are the folder's own: each gets the expectation of the cache that
 * its buffer fits into.
 */
enum { THREADS_MAX = 1024, RANDOM_PATTERN = 3, POINTS_MAX = 16384 };

static const char *const families[] = { "dcache-read", "dcache-write" };

struct point {
	struct tp_cat_row row;
	unsigned line;
	double first, median; /* of thread 0; of all */
	bool usable;
};

struct data_state {
	double cache_bytes[TP_CAT_LEVELS];
	unsigned levels;
	struct tp_cat_row section; /* stride, block */
	bool titled; /* a section has begun, */
	bool known, random; /* which can be used; it is of the random pattern */
	unsigned threads;
	struct point *points;
	size_t n, cap;
	bool others; /* a thread other than the first counted anything */
};

/* "# L1:32768 L2:1048576": what one thread has. */
static void parse_caches(struct cat_file *file, struct data_state *state)
{
	const char *p = file->text + 1;

	state->levels = 0;
	for (p += strspn(p, " \t"); *p; p += strspn(p, " \t")) {
		unsigned level;
		double bytes;
		int used = 0;

		if (sscanf(p, "L%u:%lf%n", &level, &bytes, &used) != 2 ||
		    level != state->levels + 1 || level > TP_CAT_LEVELS || !(bytes > 0) ||
		    !isfinite(bytes)) {
			note_file(file, file->line, NULL,
				  "\"%.40s\" is not a size of the next cache", p);
			return;
		}
		state->cache_bytes[state->levels++] = bytes;
		p += used;
	}
}

/* "# PTRN=3, STRIDE=64, PPB=512.000000, ThreadCount=2" */
static bool parse_section(struct cat_file *file, struct data_state *state)
{
	unsigned pattern, stride, threads;
	double block;

	if (sscanf(file->text, "# PTRN=%u, STRIDE=%u, PPB=%lf, ThreadCount=%u", &pattern, &stride,
		   &block, &threads) != 4 ||
	    stride == 0 || !(block > 0 && block <= 1e9) || threads == 0 || threads > THREADS_MAX) {
		note_file(file, file->line, "what follows it is left out",
			  "no stride, block and threads in \"%.60s\"", file->text);
		return false;
	}
	state->section =
		(struct tp_cat_row){ .stride_bytes = stride, .pages_per_block = (unsigned)block };
	state->threads = threads;
	state->random = pattern == RANDOM_PATTERN;
	if (!state->random)
		note_once(file, TOLD_SEQUENTIAL, NULL,
			  "sections of the sequential pattern are left out: prefetching makes "
			  "their misses unpredictable, no basis describes them");
	return true;
}

static unsigned level_of(const struct data_state *state, double bytes)
{
	for (unsigned i = 0; i < state->levels; i++)
		if (bytes <= state->cache_bytes[i])
			return i + 1;
	return state->levels ? state->levels + 1 : 0;
}

/* "bytes count count ...", a count for each thread. */
static void parse_point(struct cat_file *file, struct data_state *state)
{
	double numbers[THREADS_MAX + 1];
	size_t n = read_numbers(file, numbers, TP_COUNT_OF(numbers));
	struct point *p;

	if (n == SIZE_MAX)
		return;
	if (n != state->threads + 1 || !(numbers[0] >= 1 && numbers[0] <= 1e18)) {
		note_file(file, file->line, "was the file cut off?",
			  "a size and %u counts belong here", state->threads);
		return;
	}
	if (state->n >= POINTS_MAX) {
		note_file(file, file->line, NULL, "more than %d rows in a file", POINTS_MAX);
		return;
	}
	TP_RESERVE(state->points, state->cap, state->n + 1);
	p = &state->points[state->n++];
	*p = (struct point){ .row = state->section, .line = file->line, .first = numbers[1] };
	p->row.bytes = numbers[0];
	p->row.level = level_of(state, numbers[0]);
	p->row.memory = state->levels && p->row.level > state->levels;
	p->usable = true;
	for (size_t i = 1; i < n && p->usable; i++) {
		p->usable = is_count(file, numbers[i]);
		state->others |= i > 1 && numbers[i] != 0;
	}
	if (p->usable) {
		p->median = tp_median(&numbers[1], n - 1);
	}
}

static size_t row_of(struct tp_cat_rows *rows, const struct tp_cat_row *row, size_t guess)
{
	for (size_t i = 0; i < rows->n; i++) {
		/* Files of a folder have the same rows in the same order. */
		size_t at = (guess + i) % rows->n;
		const struct tp_cat_row *r = &rows->items[at];

		if (r->stride_bytes == row->stride_bytes &&
		    r->pages_per_block == row->pages_per_block && r->bytes == row->bytes)
			return at;
	}
	TP_RESERVE(rows->items, rows->cap, rows->n + 1);
	rows->items[rows->n] = *row;
	return rows->n++;
}

static enum tp_status add_points(struct cat_file *file, const struct data_state *state, bool writes,
				 struct tp_diag *diag)
{
	/*
	 * Only the first thread reads counts of the whole package, divided by the accesses of all;
	 * the others then stay at 0, and a median over them would be 0, too.
	 */
	struct tp_cat_rows *rows = &file->cat->rows[writes];
	enum tp_status status = TP_OK;
	size_t known = rows->n;

	for (size_t i = 0; i < state->n && status == TP_OK; i++) {
		const struct point *p = &state->points[i];
		size_t index = row_of(rows, &p->row, i);

		if (p->usable)
			status = add_reading(file, families[writes], index,
					     state->others ? p->median : p->first, 1, diag);
	}
	if (status == TP_OK && known && rows->n > known)
		note_file(file, 0, "events of other buffer sizes cannot be analysed together",
			  "%zu rows that earlier files of the folder do not have", rows->n - known);
	return status;
}

static enum tp_status read_data(struct cat_file *file, struct tp_diag *diag)
{
	bool writes = strcmp(strrchr(file->name, '.'), ".writes") == 0;
	struct data_state state = { .levels = 0 };
	bool stray = false;

	while (next_line(file)) {
		const char *text = file->text;

		if (text[0] == '#' && strstr(text, "PTRN")) {
			state.titled = true;
			state.known = parse_section(file, &state);
		} else if (text[0] == '#' &&
			   strncmp(text + 1 + strspn(text + 1, " "), "L1:", 3) == 0)
			parse_caches(file, &state);
		else if (text[0] == '#')
			continue; /* the cores of the threads */
		else if (state.known && state.random)
			parse_point(file, &state);
		else if (!state.titled && !stray) {
			note_file(file, file->line,
				  "files of PAPI before 7.0 lack stride and block",
				  "rows before the first \"# PTRN=\" are left out");
			stray = true;
		}
	}
	enum tp_status status = add_points(file, &state, writes, diag);
	free(state.points);
	return status;
}

/* --- rows of the basis --- */

static int region_of(const struct tp_basis *basis, const struct tp_cat_row *row)
{
	char name[16];

	/* Memory is the level after the last cache, whatever its name in the basis. */
	if (row->memory)
		return (int)basis->n_regions - 1;
	snprintf(name, sizeof(name), "L%u", row->level);
	for (size_t i = 0; i < basis->n_regions; i++)
		if (strcmp(basis->regions[i].name, name) == 0)
			return (int)i;
	return -1;
}

static enum tp_status check_rows(const struct tp_cat_rows *rows, const struct tp_basis *basis,
				 struct tp_diag *diag)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->items[i].level == 0)
			return tp_fail(diag, TP_USAGE, basis->name,
				       "add \"# L1:BYTES L2:BYTES L3:BYTES\", what one thread has "
				       "of each, as the first line of the files",
				       "files of PAPI before 7.1 lack the cache sizes: the cache "
				       "of a buffer is unknown");
	if (!basis->n_regions)
		return tp_fail(diag, TP_USAGE, basis->name, "give another with --basis",
			       "the basis has no regions");
	return TP_OK;
}

enum tp_status tp_cat_basis(const struct tp_cat *cat, struct tp_basis *basis, struct tp_diag *diag)
{
	const struct tp_cat_rows *rows = NULL;
	struct tp_basis_row *made;
	TP_CLEANUP(tp_arena_release) struct tp_arena names = { 0 };
	enum tp_status status = TP_OK;

	for (size_t i = 0; i < TP_COUNT_OF(families); i++)
		if (strcmp(families[i], basis->name) == 0)
			rows = &cat->rows[i];
	if (!rows || !rows->n)
		return TP_OK;
	status = check_rows(rows, basis, diag);
	if (status)
		return status;
	made = tp_arena_alloc(&names, rows->n * sizeof(*made));
	for (size_t i = 0; i < rows->n && status == TP_OK; i++) {
		const struct tp_cat_row *r = &rows->items[i];
		char text[96], group[48];

		snprintf(group, sizeof(group), "stride %u, %u pages", r->stride_bytes,
			 r->pages_per_block);
		snprintf(text, sizeof(text), "%s, %.0f bytes", group, r->bytes);
		made[i] = (struct tp_basis_row){ tp_arena_strdup(&names, text),
						 tp_arena_strdup(&names, group), r->bytes,
						 region_of(basis, r), NULL };
		if (made[i].region < 0)
			status = tp_fail(diag, TP_USAGE, basis->name, "give another with --basis",
					 "the basis has no region L%u", r->level);
	}
	if (status == TP_OK)
		status = tp_basis_set_rows(basis, made, rows->n, diag);
	return status;
}

/*
 * EVENT.vec: loops of floating point instructions. Its rows are those of the basis "flops": three
 * loops each of single and double precision, scalar, 128, 256, 512 bit, first the unfused, then the
 * fused ones.
 */
enum precision { HALF, SINGLE, DOUBLE, N_PRECISIONS };
enum { LOOPS = 3, WIDTHS = 4, LINES_MAX = 4096 };

/* PAPI up to 7.1 runs every loop so often and prints the expectation of one run. */
#define OLD_ITERATIONS 1e6

static const char flops_family[] = "flops";

struct section {
	enum precision precision;
	bool fma;
	unsigned width; /* 0 = scalar, 1..3 = 128, 256, 512 bit */
};

struct vec_line {
	unsigned number; /* in the file */
	double expected, count;
	bool usable;
};

/* The instructions of the three loops. */
static int loop_of(bool fma, double expected)
{
	for (int i = 0; i < LOOPS; i++)
		if (expected == (fma ? 12 : 24) << i)
			return i;
	return -1;
}

/*
 * "# DP Non-FMA Vector AVX256". Vectors without a width belong to architectures that have only one:
 * 128 bit.
 */
static bool parse_title(const char *text, struct section *section)
{
	static const char *const precisions[] = { "HP ", "SP ", "DP " };
	static const char *const widths[] = { "Scalar", "Vector AVX128", "Vector AVX256",
					      "Vector AVX512" };
	size_t i;

	text += strspn(text, "# \t");
	for (i = 0; i < TP_COUNT_OF(precisions); i++)
		if (strncmp(text, precisions[i], strlen(precisions[i])) == 0)
			break;
	if (i == TP_COUNT_OF(precisions))
		return false;
	section->precision = (enum precision)i;
	text += strlen(precisions[i]);
	section->fma = strncmp(text, "FMA ", 4) == 0;
	if (!section->fma && strncmp(text, "Non-FMA ", 8) != 0)
		return false;
	text += section->fma ? 4 : 8;
	for (unsigned w = 0; w < TP_COUNT_OF(widths); w++)
		if (strcmp(text, widths[w]) == 0) {
			section->width = w;
			return true;
		}
	section->width = 1;
	return strcmp(text, "Vector") == 0;
}

static enum tp_status add_loop(struct cat_file *file, const struct section *section, int loop,
			       double count, double iterations, struct tp_diag *diag)
{
	size_t position = section->width + (section->precision == DOUBLE ? WIDTHS : 0) +
			  (section->fma ? 2 * WIDTHS : 0);

	if (section->precision == HALF) {
		if (count != 0)
			note_once(file, TOLD_HALF, NULL,
				  "half precision loops have no rows in the basis %s: their "
				  "counts are left out",
				  flops_family);
		return TP_OK;
	}
	return add_reading(file, flops_family, LOOPS * position + (size_t)loop, count, iterations,
			   diag);
}

/* "expected count"; false if it is reported and left out. */
static bool parse_line(struct cat_file *file, struct vec_line *line)
{
	double numbers[2];
	size_t n = read_numbers(file, numbers, TP_COUNT_OF(numbers));

	if (n != SIZE_MAX && n != TP_COUNT_OF(numbers))
		note_file(file, file->line, NULL,
			  "%zu number, where an expectation and a count belong", n);
	*line = (struct vec_line){ .number = file->line };
	if (n != TP_COUNT_OF(numbers))
		return false;
	line->expected = numbers[0];
	line->count = numbers[1];
	line->usable = is_count(file, numbers[1]);
	return true;
}

/*
 * Without titles: the number of widths follows from where the loops with FMA begin, with 12
 * instructions; files of this form have no scalar loops.
 */
static enum tp_status read_untitled(struct cat_file *file, const struct vec_line *lines, size_t n,
				    struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	size_t before = 0, widths;

	while (before < n && lines[before].expected != 12)
		before++;
	widths = before / (LOOPS * N_PRECISIONS);
	if (before == n || before % (LOOPS * N_PRECISIONS) || widths < 1 || widths >= WIDTHS)
		return tp_fail(
			diag, TP_USAGE, file->name, "measure again; a run was interrupted?",
			"the file has no titles, and its %zu lines do not identify the loops", n);
	if (n != 2 * before)
		note_file(file, 0, "measure again",
			  "%zu of %zu loops: the file was cut off, or holds more than one run", n,
			  2 * before);
	for (size_t i = 0; i < n && i < 2 * before && status == TP_OK; i++) {
		bool fma = i >= before;
		size_t k = fma ? i - before : i;
		const struct section section = { (enum precision)(k / (LOOPS * widths)), fma,
						 (unsigned)(k / LOOPS % widths) + 1 };
		int loop = loop_of(fma, lines[i].expected);

		if (!lines[i].expected)
			continue; /* told already */
		if (loop != (int)(k % LOOPS))
			note_file(file, lines[i].number, NULL,
				  "a loop of %g instructions where one of %d belongs: left out",
				  lines[i].expected, (fma ? 12 : 24) << k % LOOPS);
		else if (lines[i].usable)
			status = add_loop(file, &section, loop, lines[i].count, OLD_ITERATIONS,
					  diag);
	}
	return status;
}

struct vec_state {
	struct section section;
	bool titled, known; /* a title was seen; the present one is known */
	unsigned seen; /* loops of the present section, by bits */
};

static void end_section(struct cat_file *file, const struct vec_state *state)
{
	if (state->known && state->seen != 7)
		note_file(file, file->line, "was the file cut off?",
			  "the section that ends here lacks loops");
}

static enum tp_status read_titled(struct cat_file *file, struct vec_state *state,
				  const struct vec_line *line, struct tp_diag *diag)
{
	int loop = state->known ? loop_of(state->section.fma, line->expected) : -1;

	if (!state->known)
		return TP_OK; /* the title was reported */
	if (loop < 0 || state->seen & 1u << loop) {
		note_file(file, line->number, NULL, "%s of %g instructions in its section",
			  loop < 0 ? "there is no loop" : "a second loop", line->expected);
		return TP_OK;
	}
	state->seen |= 1u << loop;
	return line->usable ? add_loop(file, &state->section, loop, line->count, 1, diag) : TP_OK;
}

static enum tp_status read_vec(struct cat_file *file, struct tp_diag *diag)
{
	TP_FREE struct vec_line *lines = tp_alloc(LINES_MAX, sizeof(*lines));
	struct vec_state state = { .titled = false };
	enum tp_status status = TP_OK;
	size_t n = 0;

	while (status == TP_OK && next_line(file)) {
		struct vec_line line;

		if (file->text[0] == '#') {
			if (strstr(file->text, "ExpectedInstrs"))
				continue;
			end_section(file, &state);
			state.titled = true;
			state.seen = 0;
			state.known = parse_title(file->text, &state.section);
			if (!state.known)
				note_file(file, file->line, "its loops are left out",
					  "there is no section \"%.60s\"", file->text);
		} else if (parse_line(file, &line) && state.titled) {
			status = read_titled(file, &state, &line, diag);
		} else if (!state.titled && n < LINES_MAX) {
			lines[n++] = line; /* also one that is reported: the place counts */
		}
	}
	end_section(file, &state);
	if (status == TP_OK && !state.titled)
		status = read_untitled(file, lines, n, diag);
	return status;
}

enum { BRANCH_ROWS = 11, FILE_MAX_BYTES = 1 << 24, FILES_MAX = 200000, COLUMNS_MAX = 16 };

/* --- the simple formats --- */

/* A number a line, an iteration each. */
static enum tp_status read_branch(struct cat_file *file, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	size_t row = 0;

	while (status == TP_OK && next_line(file)) {
		double count;
		size_t n = file->text[0] == '#' ? 0 : read_numbers(file, &count, 1);

		if (n == 0)
			continue;
		if (row == BRANCH_ROWS) {
			note_file(file, file->line, "are these two files in one?",
				  "more than %d rows: left out", BRANCH_ROWS);
			break;
		}
		if (n == 1 && is_count(file, count))
			status = add_reading(file, "branch", row, count, 1, diag);
		row++;
	}
	if (status == TP_OK && row < BRANCH_ROWS)
		note_file(file, file->line, "measure the event again",
			  "the file ends after %zu of %d rows", row, BRANCH_ROWS);
	return status;
}

/* A column of a table, all rows in the order of the file: for bases of the user's own. */
static enum tp_status read_column(struct cat_file *file, const char *family, size_t which,
				  size_t n_columns, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	size_t row = 0;

	while (status == TP_OK && next_line(file)) {
		double numbers[COLUMNS_MAX];
		size_t n = file->text[0] == '#' ? 0
						: read_numbers(file, numbers, TP_COUNT_OF(numbers));

		if (n == 0)
			continue;
		if (n != SIZE_MAX && n != n_columns)
			note_file(file, file->line, "was the file cut off?",
				  "%zu numbers, where %zu belong", n, n_columns);
		else if (n == n_columns && is_count(file, numbers[which]))
			status = add_reading(file, family, row, numbers[which], 1, diag);
		row++;
	}
	return status;
}

/* Numbers in the first line that has any. */
static size_t columns_of(const struct cat_file *file)
{
	struct tp_cat quiet = { .n_files = 0 };
	struct cat_file copy = *file;
	size_t n = 0;

	copy.cat = &quiet;
	while (n == 0 && next_line(&copy)) {
		double numbers[COLUMNS_MAX];

		if (copy.text[0] != '#')
			n = read_numbers(&copy, numbers, TP_COUNT_OF(numbers));
	}
	tp_diags_release(&quiet.notes);
	return n == SIZE_MAX ? 0 : n;
}

static enum tp_status read_flops(struct cat_file *file, struct tp_diag *diag)
{
	note_once(file, TOLD_FLOPS,
		  "EVENT.vec has the kernels of known instructions; cat_collect -vec",
		  "what these loops execute depends on the compiler: the family cat-flops "
		  "has no basis");
	/* Since 7.1: size, count, and expectation; before, only the count. */
	if (columns_of(file) >= 2)
		return read_column(file, "cat-flops", 1, 10, diag);
	return read_column(file, "cat-flops", 0, 1, diag);
}

static enum tp_status read_icache(struct cat_file *file, struct tp_diag *diag)
{
	note_once(file, TOLD_ICACHE, NULL,
		  "how many bytes of code a block has depends on the compiler: the family "
		  "cat-icache has no basis");
	return read_column(file, "cat-icache", 0, 1, diag);
}

/*
 * Since 7.1 a mix of instructions; before, that was the suffix of the instruction cache, a number a
 * line.
 */
static enum tp_status read_instr(struct cat_file *file, struct tp_diag *diag)
{
	if (columns_of(file) == 1)
		return read_icache(file, diag);
	note_once(file, TOLD_INSTR, NULL,
		  "what these loops execute depends on the compiler: the family cat-instr "
		  "has no basis");
	return read_column(file, "cat-instr", 1, 4, diag);
}

static const struct {
	const char *suffix;
	enum tp_status (*read)(struct cat_file *file, struct tp_diag *diag);
} formats[] = {
	{ ".branch", read_branch },    { ".vec", read_vec },	 { ".data.reads", read_data },
	{ ".data.writes", read_data }, { ".flops", read_flops }, { ".icache", read_icache },
	{ ".instr", read_instr },
};

/* Index of the format, and the event's part of the name; -1: another file. */
static int format_of(const char *name, size_t *event_length)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < TP_COUNT_OF(formats); i++) {
		size_t n = strlen(formats[i].suffix);

		if (len > n && strcmp(name + len - n, formats[i].suffix) == 0) {
			*event_length = len - n;
			return (int)i;
		}
	}
	return -1;
}

enum tp_status tp_cat_parse(struct tp_cat *cat, const char *name, const char *text, size_t len,
			    struct tp_diag *diag)
{
	struct cat_file file = { .cat = cat, .name = name, .at = text, .end = text + len };
	enum tp_status status;
	size_t event_length;
	int format = format_of(name, &event_length);

	if (format < 0)
		return tp_fail(diag, TP_UNSUPPORTED, name,
			       ".branch, .vec, .data.reads, .data.writes, .flops, .icache, .instr",
			       "a file of an unknown kind");
	if (event_length >= sizeof(file.event))
		return tp_fail(diag, TP_USAGE, name, NULL, "the name of the event is too long");
	memcpy(file.event, name, event_length);
	file.event[event_length] = '\0';
	tp_clean(file.event, "");
	if (strcmp(file.event, "cat::latencies") == 0) {
		note_once(&file, TOLD_LATENCIES, NULL, "nanoseconds, not counts: left out");
		return TP_OK;
	}
	if (len == 0)
		return tp_fail(diag, TP_USAGE, name, "PAPI could not count this event",
			       "the file is empty");
	status = formats[format].read(&file, diag);
	if (status)
		return status;
	if (file.n_kept == 0)
		return tp_fail(diag, TP_USAGE, name, NULL, "no reading in it could be used");
	cat->n_files++;
	return TP_OK;
}

/* --- folders --- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static enum tp_status scan_folder(const char *folder, struct dirent ***entries, int *n,
				  struct tp_diag *diag)
{
	*n = scandir(folder, entries, is_visible, by_name);
	if (*n >= 0)
		return TP_OK;
	*entries = NULL;
	*n = 0;
	return tp_fail(diag, errno == EACCES ? TP_PERM : TP_NOTFOUND, folder, NULL,
		       "the folder cannot be read: %s", strerror(errno));
}

static void free_entries(struct dirent **entries, int n)
{
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
}

/* Errors of a file are reported, and the next one is read. */
static void read_file(struct tp_cat *cat, const char *folder, const char *prefix, const char *name)
{
	char path[TP_PATH_MAX], shown[TP_PATH_MAX];
	TP_FREE char *text = NULL;
	size_t len = 0, unused;
	struct tp_diag own = { .what = "" };
	enum tp_status status = TP_OK;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		status = tp_fail(&own, TP_USAGE, name, NULL, "the path is too long");
	else if (format_of(name, &unused) >= 0)
		status = tp_file_read(path, FILE_MAX_BYTES, &text, &len, &own);
	if (status == TP_OK)
		status = tp_cat_parse(cat, name, text, len, &own);
	cat->n_errors += status && status != TP_UNSUPPORTED;
	if (status) {
		snprintf(shown, sizeof(shown), "%s%s", prefix, name);
		tp_copy(own.where, sizeof(own.where), shown);
		tp_diags_add(&cat->notes, &own);
	}
}

/* Files of one output folder; `n_known` counts those that look like the toolkit's. */
static void read_files(struct tp_cat *cat, const char *folder, const char *prefix,
		       struct dirent **entries, int n)
{
	char path[TP_PATH_MAX];

	for (int i = 0; i < n && i < FILES_MAX; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (!tp_is_folder(path))
			read_file(cat, folder, prefix, entries[i]->d_name);
	}
}

static bool has_files(struct dirent **entries, int n)
{
	size_t unused;

	for (int i = 0; i < n; i++)
		if (format_of(entries[i]->d_name, &unused) >= 0)
			return true;
	return false;
}

/* One output folder below another: a repetition, read if `cat` is given. False if it is none. */
static bool read_below(struct tp_cat *cat, const char *folder, const char *name)
{
	char path[TP_PATH_MAX], prefix[280];
	struct dirent **entries;
	struct tp_diag diag;
	int n;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) ||
	    !tp_is_folder(path) || scan_folder(path, &entries, &n, &diag) != TP_OK)
		return false;
	bool is_one = has_files(entries, n);
	snprintf(prefix, sizeof(prefix), "%.255s/", name);
	if (is_one && cat)
		read_files(cat, path, prefix, entries, n);
	free_entries(entries, n);
	return is_one;
}

enum tp_status tp_cat_read(struct tp_cat *cat, const char *folder, struct tp_diag *diag)
{
	struct dirent **entries;
	int n;
	enum tp_status status = scan_folder(folder, &entries, &n, diag);

	if (status)
		return status;
	if (has_files(entries, n)) {
		read_files(cat, folder, "", entries, n);
	} else {
		for (int i = 0; i < n; i++) {
			cat->repetition += read_below(cat, folder, entries[i]->d_name);
			if (cat->repetition == TP_READINGS_MAX_REPETITIONS)
				break;
		}
	}
	free_entries(entries, n);
	if (cat->n_files == 0)
		status = tp_fail(diag, TP_USAGE, folder,
				 "give the folder that cat_collect -out has written, or one that "
				 "holds several of them",
				 "no output of PAPI's Counter Analysis Toolkit that could be used");
	return status;
}

bool tp_cat_is(const char *folder)
{
	struct dirent **entries;
	struct tp_diag diag;
	int n;

	if (scan_folder(folder, &entries, &n, &diag) != TP_OK)
		return false;
	bool found = has_files(entries, n);
	for (int i = 0; i < n && !found; i++)
		found = read_below(NULL, folder, entries[i]->d_name);
	free_entries(entries, n);
	return found;
}

void tp_cat_release(struct tp_cat *cat)
{
	tp_readings_release(&cat->readings);
	for (size_t i = 0; i < TP_COUNT_OF(cat->rows); i++)
		free(cat->rows[i].items);
	tp_diags_release(&cat->notes);
	*cat = (struct tp_cat){ .n_files = 0 };
}
