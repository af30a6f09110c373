/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrix Market files: entries are read into three lists, then sorted into rows. */
#include "matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whatever is larger would not leave room for the matrix and its copy in 16 GB. */
enum { MOST_ENTRIES = 500 * 1000 * 1000 };

struct entries {
	uint32_t rows;
	uint64_t n;
	uint32_t *row, *column;
	double *value;
};

static bool sort_into_rows(struct matrix *matrix, const struct entries *entries)
{
	uint64_t *next = calloc((size_t)entries->rows + 1, sizeof *next);

	*matrix = (struct matrix){ .rows = entries->rows };
	matrix->begin = calloc((size_t)entries->rows + 1, sizeof *matrix->begin);
	matrix->columns = malloc((entries->n + 1) * sizeof *matrix->columns);
	matrix->values = malloc((entries->n + 1) * sizeof *matrix->values);
	if (!next || !matrix->begin || !matrix->columns || !matrix->values) {
		free(next);
		matrix_free(matrix);
		return false;
	}
	for (uint64_t i = 0; i < entries->n; i++)
		matrix->begin[entries->row[i] + 1]++;
	for (uint32_t row = 0; row < entries->rows; row++) {
		matrix->begin[row + 1] += matrix->begin[row];
		next[row] = matrix->begin[row];
	}
	for (uint64_t i = 0; i < entries->n; i++) {
		const uint64_t at = next[entries->row[i]]++;

		matrix->columns[at] = entries->column[i];
		matrix->values[at] = entries->value[i];
	}
	free(next);
	return true;
}

/* The two lines that say what follows. Fills what a line of an entry holds. */
static bool read_head(FILE *file, struct entries *entries, bool *pattern, bool *symmetric,
		      uint64_t *lines, char *why, unsigned why_size)
{
	char line[1100], field[32], symmetry[32];
	uint64_t rows, columns;

	if (!fgets(line, sizeof line, file) ||
	    sscanf(line, "%%%%MatrixMarket matrix coordinate %31s %31s", field, symmetry) != 2) {
		snprintf(why, why_size,
			 "its first line is not that of a sparse matrix: expected "
			 "%%%%MatrixMarket matrix coordinate ...");
		return false;
	}
	*pattern = !strcasecmp(field, "pattern");
	*symmetric = !strcasecmp(symmetry, "symmetric");
	if ((!*pattern && strcasecmp(field, "real") && strcasecmp(field, "integer")) ||
	    (!*symmetric && strcasecmp(symmetry, "general"))) {
		snprintf(why, why_size,
			 "it is %s and %s; allowed are real, integer and pattern, "
			 "general and symmetric",
			 field, symmetry);
		return false;
	}
	do {
		if (!fgets(line, sizeof line, file)) {
			snprintf(why, why_size, "it ends before the line with its size");
			return false;
		}
	} while (line[0] == '%' || !line[strspn(line, " \t\r\n")]);
	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &rows, &columns, lines) != 3 ||
	    rows != columns || !rows || rows > INT32_MAX || *lines > MOST_ENTRIES) {
		snprintf(why, why_size,
			 "its size is not allowed: it must be square, with at most "
			 "%d rows and %d entries",
			 INT32_MAX, MOST_ENTRIES);
		return false;
	}
	entries->rows = (uint32_t)rows;
	return true;
}

static bool read_entries(FILE *file, struct entries *entries, bool pattern, bool symmetric,
			 uint64_t lines, char *why, unsigned why_size)
{
	for (uint64_t i = 0; i < lines; i++) {
		uint64_t row, column;
		double value = 1;

		if (fscanf(file, "%" SCNu64 " %" SCNu64, &row, &column) != 2 ||
		    (!pattern && fscanf(file, "%lf", &value) != 1) || !row || !column ||
		    row > entries->rows || column > entries->rows) {
			snprintf(why, why_size,
				 "its entry %" PRIu64 " of %" PRIu64
				 " is missing or not in the matrix",
				 i + 1, lines);
			return false;
		}
		for (unsigned k = 0; k < (symmetric && row != column ? 2 : 1); k++) {
			entries->row[entries->n] = (uint32_t)(k ? column : row) - 1;
			entries->column[entries->n] = (uint32_t)(k ? row : column) - 1;
			entries->value[entries->n++] = value;
		}
	}
	return true;
}

bool matrix_read(struct matrix *matrix, const char *path, char *why, unsigned why_size)
{
	FILE *file = fopen(path, "r");
	struct entries entries = { 0 };
	bool pattern, symmetric, done = false;
	uint64_t lines;

	if (!file) {
		snprintf(why, why_size, "it cannot be opened");
		return false;
	}
	if (read_head(file, &entries, &pattern, &symmetric, &lines, why, why_size)) {
		const size_t room = (symmetric ? 2 : 1) * lines + 1;

		entries.row = malloc(room * sizeof *entries.row);
		entries.column = malloc(room * sizeof *entries.column);
		entries.value = malloc(room * sizeof *entries.value);
		snprintf(why, why_size, "there is not enough memory for it");
		done = entries.row && entries.column && entries.value &&
		       read_entries(file, &entries, pattern, symmetric, lines, why, why_size) &&
		       sort_into_rows(matrix, &entries);
	}
	free(entries.row);
	free(entries.column);
	free(entries.value);
	fclose(file);
	return done;
}
