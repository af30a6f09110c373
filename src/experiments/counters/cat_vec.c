/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * EVENT.vec: loops of floating point instructions. Its rows are those of the basis "flops": three
 * loops each of single and double precision, scalar, 128, 256, 512 bit, first all that are not
 * fused, then all that are.
 */
#include "experiments/counters/cat_file.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum precision { HALF, SINGLE, DOUBLE, N_PRECISIONS };
enum { LOOPS = 3, WIDTHS = 4, LINES_MAX = 4096 };

/* PAPI up to 7.1 runs every loop so often and prints the expectation of one run. */
#define OLD_ITERATIONS 1e6

static const char family[] = "flops";

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
 * "# DP Non-FMA Vector AVX256". Vectors without a width are those of architectures that have one
 * only: 128 bit.
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

static enum tp_status add_loop(struct tp_cat_file *file, const struct section *section, int loop,
			       double count, double iterations, struct tp_diag *diag)
{
	size_t position = section->width + (section->precision == DOUBLE ? WIDTHS : 0) +
			  (section->fma ? 2 * WIDTHS : 0);

	if (section->precision == HALF) {
		if (count != 0)
			tp_cat_note_once(file, TP_CAT_TOLD_HALF, NULL,
					 "half precision loops have no rows in the basis %s: their "
					 "counts are left out",
					 family);
		return TP_OK;
	}
	return tp_cat_add(file, family, LOOPS * position + (size_t)loop, count, iterations, diag);
}

/* "expected count"; false if it is told and left out. */
static bool parse_line(struct tp_cat_file *file, struct vec_line *line)
{
	double numbers[2];
	size_t n = tp_cat_numbers(file, numbers, TP_COUNT_OF(numbers));

	if (n != SIZE_MAX && n != TP_COUNT_OF(numbers))
		tp_cat_note(file, file->line, NULL,
			    "%zu number, where an expectation and a count belong", n);
	*line = (struct vec_line){ .number = file->line };
	if (n != TP_COUNT_OF(numbers))
		return false;
	line->expected = numbers[0];
	line->count = numbers[1];
	line->usable = tp_cat_count(file, numbers[1]);
	return true;
}

/*
 * Without titles: the number of widths is told by where the loops with FMA begin, those of 12
 * instructions being the first; no file of this form has scalar loops.
 */
static enum tp_status untitled(struct tp_cat_file *file, const struct vec_line *lines, size_t n,
			       struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	size_t before = 0, widths;

	while (before < n && lines[before].expected != 12)
		before++;
	widths = before / (LOOPS * N_PRECISIONS);
	if (before == n || before % (LOOPS * N_PRECISIONS) || widths < 1 || widths >= WIDTHS)
		return tp_fail(diag, TP_USAGE, file->name, "measure again; a run was interrupted?",
			       "the file has no titles, and its %zu lines do not tell which loop "
			       "is which",
			       n);
	if (n != 2 * before)
		tp_cat_note(file, 0, "measure again",
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
			tp_cat_note(file, lines[i].number, NULL,
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

static void end_section(struct tp_cat_file *file, const struct vec_state *state)
{
	if (state->known && state->seen != 7)
		tp_cat_note(file, file->line, "was the file cut off?",
			    "the section that ends here lacks loops");
}

static enum tp_status titled_line(struct tp_cat_file *file, struct vec_state *state,
				  const struct vec_line *line, struct tp_diag *diag)
{
	int loop = state->known ? loop_of(state->section.fma, line->expected) : -1;

	if (!state->known)
		return TP_OK; /* the title was told */
	if (loop < 0 || state->seen & 1u << loop) {
		tp_cat_note(file, line->number, NULL, "%s of %g instructions in its section",
			    loop < 0 ? "there is no loop" : "a second loop", line->expected);
		return TP_OK;
	}
	state->seen |= 1u << loop;
	return line->usable ? add_loop(file, &state->section, loop, line->count, 1, diag) : TP_OK;
}

enum tp_status tp_cat_vec(struct tp_cat_file *file, struct tp_diag *diag)
{
	struct vec_line *lines = calloc(LINES_MAX, sizeof(*lines));
	struct vec_state state = { .titled = false };
	enum tp_status status = TP_OK;
	size_t n = 0;

	if (!lines)
		return tp_fail(diag, TP_NOMEM, file->name, NULL, "out of memory");
	while (status == TP_OK && tp_cat_next(file)) {
		struct vec_line line;

		if (file->text[0] == '#') {
			if (strstr(file->text, "ExpectedInstrs"))
				continue;
			end_section(file, &state);
			state.titled = true;
			state.seen = 0;
			state.known = parse_title(file->text, &state.section);
			if (!state.known)
				tp_cat_note(file, file->line, "its loops are left out",
					    "there is no section \"%.60s\"", file->text);
		} else if (parse_line(file, &line) && state.titled) {
			status = titled_line(file, &state, &line, diag);
		} else if (!state.titled && n < LINES_MAX) {
			lines[n++] = line; /* also one that is told: the place counts */
		}
	}
	end_section(file, &state);
	if (status == TP_OK && !state.titled)
		status = untitled(file, lines, n, diag);
	free(lines);
	return status;
}
