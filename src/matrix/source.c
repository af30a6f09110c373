/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/source.h"
#include "base/str.h"
#include "base/units.h"
#include "matrix/generate.h"
#include "matrix/market.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *summary, *form;
	unsigned least, most; /* numbers behind the colon */
} kinds[TP_MATRIX_KINDS] = {
	[TP_MATRIX_LAPLACE2D] = { "laplace2d", "5-point stencil on N x N points", "laplace2d:N", 1,
				  1 },
	[TP_MATRIX_LAPLACE3D] = { "laplace3d", "7-point stencil on N x N x N points", "laplace3d:N",
				  1, 1 },
	[TP_MATRIX_BANDED] = { "banded", "W full diagonals on either side of the main one",
			       "banded:N,W", 2, 2 },
	[TP_MATRIX_BLOCKS] = { "blocks", "dense blocks of B x B, K in each row of blocks",
			       "blocks:N,B or blocks:N,B,K", 2, 3 },
	[TP_MATRIX_RANDOM] = { "random", "NNZ random places", "random:N,NNZ", 2, 2 },
	[TP_MATRIX_POWERLAW] = { "powerlaw", "rows of very different lengths", "powerlaw:N,NNZ", 2,
				 2 },
};

enum { BLOCKS_A_ROW = 4 };

/* Reads numbers between commas; how many, or 0 if it is no such list. */
static unsigned take_numbers(const char *text, uint64_t number[3])
{
	unsigned n = 0;
	while (n < 3) {
		char digits[20];
		size_t len = strcspn(text, ",");
		if (!len || len >= sizeof(digits))
			return 0;
		memcpy(digits, text, len);
		digits[len] = '\0';
		if (!tp_parse_u64(digits, &number[n]))
			return 0;
		n++;
		if (!text[len])
			return n;
		text += len + 1;
	}
	return 0;
}

static enum tp_status refuse(const struct tp_matrix_source *s, struct tp_diag *diag,
			     const char *what)
{
	char hint[96];
	snprintf(hint, sizeof(hint), "%s: %s", kinds[s->kind].form, kinds[s->kind].summary);
	return tp_fail(diag, TP_USAGE, s->text, hint, "%s", what);
}

/* Rows, columns and non-zeros of what will be generated. */
static enum tp_status size_up(struct tp_matrix_source *s, unsigned n_numbers, struct tp_diag *diag)
{
	const uint64_t *n = s->number;
	char what[160];
	for (unsigned i = 0; i < n_numbers; i++)
		if (n[i] > UINT32_MAX || (!n[i] && !(i == 1 && s->kind != TP_MATRIX_BLOCKS)))
			return refuse(s, diag, n[i] ? "a number is too large" : "a number is 0");
	double rows = (double)n[0], entries = (double)n[1];
	switch (s->kind) {
	case TP_MATRIX_LAPLACE2D:
		rows = rows * rows;
		entries = 5 * rows - 4 * (double)n[0];
		break;
	case TP_MATRIX_LAPLACE3D:
		rows = rows * rows * rows;
		entries = 7 * rows - 6 * (double)n[0] * (double)n[0];
		break;
	case TP_MATRIX_BANDED:
		if (n[1] >= n[0])
			return refuse(s, diag,
				      "there are fewer diagonals than W beside the main one");
		entries = rows * (2 * (double)n[1] + 1) - (double)n[1] * ((double)n[1] + 1);
		break;
	case TP_MATRIX_BLOCKS:
		if (n_numbers < 3)
			s->number[2] = BLOCKS_A_ROW;
		if (n[1] > n[0])
			return refuse(s, diag, "a block is larger than the matrix");
		if (s->number[2] > (n[0] + n[1] - 1) / n[1])
			s->number[2] = (n[0] + n[1] - 1) / n[1];
		entries = rows * (double)n[1] * (double)s->number[2];
		break;
	default:
		if (entries > rows * rows)
			return refuse(s, diag, "there are fewer places than non-zeros");
	}
	if (rows > TP_MATRIX_SIDE_MAX || entries > TP_MATRIX_ENTRIES_MAX) {
		snprintf(what, sizeof(what),
			 "that is %.3g rows with %.3g non-zeros; at most %d rows and %d non-zeros "
			 "are taken",
			 rows, entries, TP_MATRIX_SIDE_MAX, TP_MATRIX_ENTRIES_MAX);
		return refuse(s, diag, what);
	}
	s->n_rows = s->n_columns = (uint32_t)rows;
	s->entries = (uint64_t)entries;
	return TP_OK;
}

enum tp_status tp_matrix_source_parse(struct tp_matrix_source *s, const char *text,
				      struct tp_diag *diag)
{
	*s = (struct tp_matrix_source){ .text = text };
	const char *colon = strchr(text, ':');
	for (size_t i = 0; colon && i < TP_MATRIX_KINDS; i++)
		if (kinds[i].name && strlen(kinds[i].name) == (size_t)(colon - text) &&
		    strncmp(text, kinds[i].name, (size_t)(colon - text)) == 0) {
			s->kind = (enum tp_matrix_kind)i;
			unsigned n = take_numbers(colon + 1, s->number);
			if (n < kinds[i].least || n > kinds[i].most)
				return refuse(s, diag,
					      "other numbers are expected behind the colon");
			return size_up(s, n, diag);
		}
	struct tp_market market;
	enum tp_status status = tp_market_head(text, &market, diag);
	if (status == TP_NOTFOUND && diag)
		tp_copy(diag->hint, sizeof(diag->hint), TP_MATRIX_SOURCE_HINT);
	if (status != TP_OK)
		return status;
	s->n_rows = market.n_rows;
	s->n_columns = market.n_columns;
	s->entries = market.n_entries * (market.symmetric || market.skew ? 2 : 1);
	return TP_OK;
}

enum tp_status tp_matrix_load(const struct tp_matrix_source *s, uint64_t seed,
			      struct tp_matrix *matrix, size_t *summed, struct tp_diag *diag)
{
	struct tp_market market = { 0 };
	enum tp_status status;
	if (s->kind == TP_MATRIX_FILE)
		status = tp_market_read(s->text, &market, matrix, diag);
	else
		status = tp_matrix_generate(s, seed, matrix, diag);
	*summed = market.summed;
	return status;
}
