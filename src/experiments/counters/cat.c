/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/counters/cat_file.h"

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCH_ROWS = 11, FILE_MAX_BYTES = 1 << 24, FILES_MAX = 200000, COLUMNS_MAX = 16 };

/* --- the simple formats --- */

/* A number a line, an iteration each. */
static enum tp_status branch(struct tp_cat_file *file, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	size_t row = 0;

	while (status == TP_OK && tp_cat_next(file)) {
		double count;
		size_t n = file->text[0] == '#' ? 0 : tp_cat_numbers(file, &count, 1);

		if (n == 0)
			continue;
		if (row == BRANCH_ROWS) {
			tp_cat_note(file, file->line, "are these two files in one?",
				    "more than %d rows: left out", BRANCH_ROWS);
			break;
		}
		if (n == 1 && tp_cat_count(file, count))
			status = tp_cat_add(file, "branch", row, count, 1, diag);
		row++;
	}
	if (status == TP_OK && row < BRANCH_ROWS)
		tp_cat_note(file, file->line, "measure the event again",
			    "the file ends after %zu of %d rows", row, BRANCH_ROWS);
	return status;
}

/* A column of a table, all rows in the order of the file: for bases of the user's own. */
static enum tp_status column(struct tp_cat_file *file, const char *family, size_t which,
			     size_t n_columns, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	size_t row = 0;

	while (status == TP_OK && tp_cat_next(file)) {
		double numbers[COLUMNS_MAX];
		size_t n = file->text[0] == '#'
				   ? 0
				   : tp_cat_numbers(file, numbers, TP_COUNT_OF(numbers));

		if (n == 0)
			continue;
		if (n != SIZE_MAX && n != n_columns)
			tp_cat_note(file, file->line, "was the file cut off?",
				    "%zu numbers, where %zu belong", n, n_columns);
		else if (n == n_columns && tp_cat_count(file, numbers[which]))
			status = tp_cat_add(file, family, row, numbers[which], 1, diag);
		row++;
	}
	return status;
}

/* Numbers in the first line that has any. */
static size_t columns_of(const struct tp_cat_file *file)
{
	struct tp_cat quiet = { .n_files = 0 };
	struct tp_cat_file copy = *file;
	size_t n = 0;

	copy.cat = &quiet;
	while (n == 0 && tp_cat_next(&copy)) {
		double numbers[COLUMNS_MAX];

		if (copy.text[0] != '#')
			n = tp_cat_numbers(&copy, numbers, TP_COUNT_OF(numbers));
	}
	tp_diags_release(&quiet.notes);
	return n == SIZE_MAX ? 0 : n;
}

static enum tp_status flops(struct tp_cat_file *file, struct tp_diag *diag)
{
	tp_cat_note_once(file, TP_CAT_TOLD_FLOPS,
			 "EVENT.vec has the kernels of known instructions; cat_collect -vec",
			 "what these loops execute depends on the compiler: the family cat-flops "
			 "has no basis");
	/* Since 7.1: size, count, and what is expected; before, the count alone. */
	if (columns_of(file) >= 2)
		return column(file, "cat-flops", 1, 10, diag);
	return column(file, "cat-flops", 0, 1, diag);
}

static enum tp_status icache(struct tp_cat_file *file, struct tp_diag *diag)
{
	tp_cat_note_once(file, TP_CAT_TOLD_ICACHE, NULL,
			 "how many bytes of code a block has depends on the compiler: the family "
			 "cat-icache has no basis");
	return column(file, "cat-icache", 0, 1, diag);
}

/*
 * Since 7.1 a mix of instructions; before, that was the suffix of the instruction cache, a number a
 * line.
 */
static enum tp_status instr(struct tp_cat_file *file, struct tp_diag *diag)
{
	if (columns_of(file) == 1)
		return icache(file, diag);
	tp_cat_note_once(file, TP_CAT_TOLD_INSTR, NULL,
			 "what these loops execute depends on the compiler: the family cat-instr "
			 "has no basis");
	return column(file, "cat-instr", 1, 4, diag);
}

static enum tp_status data_reads(struct tp_cat_file *file, struct tp_diag *diag)
{
	return tp_cat_data(file, false, diag);
}

static enum tp_status data_writes(struct tp_cat_file *file, struct tp_diag *diag)
{
	return tp_cat_data(file, true, diag);
}

static const struct {
	const char *suffix;
	enum tp_status (*read)(struct tp_cat_file *file, struct tp_diag *diag);
} formats[] = {
	{ ".branch", branch },	       { ".vec", tp_cat_vec },
	{ ".data.reads", data_reads }, { ".data.writes", data_writes },
	{ ".flops", flops },	       { ".icache", icache },
	{ ".instr", instr },
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
	struct tp_cat_file file = { .cat = cat, .name = name, .at = text, .end = text + len };
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
		tp_cat_note_once(&file, TP_CAT_TOLD_LATENCIES, NULL,
				 "nanoseconds, not counts: left out");
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

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static enum tp_status scan(const char *folder, struct dirent ***entries, int *n,
			   struct tp_diag *diag)
{
	*n = scandir(folder, entries, visible, by_name);
	if (*n >= 0)
		return TP_OK;
	*entries = NULL;
	*n = 0;
	return tp_fail(diag,
		       errno == EACCES	 ? TP_PERM
		       : errno == ENOMEM ? TP_NOMEM
					 : TP_NOTFOUND,
		       folder, NULL, "the folder cannot be read: %s", strerror(errno));
}

static void free_entries(struct dirent **entries, int n)
{
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
}

/*
 * Whatever is wrong with one file is told, and the next one is read. Only the end of memory ends
 * it.
 */
static enum tp_status read_file(struct tp_cat *cat, const char *folder, const char *prefix,
				const char *name, struct tp_diag *diag)
{
	char path[TP_PATH_MAX], shown[TP_PATH_MAX];
	char *text = NULL;
	size_t len = 0, unused;
	struct tp_diag own = { .what = "" };
	enum tp_status status = TP_OK;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		status = tp_fail(&own, TP_USAGE, name, NULL, "the path is too long");
	else if (format_of(name, &unused) >= 0)
		status = tp_file_read(path, FILE_MAX_BYTES, &text, &len, &own);
	if (status == TP_OK)
		status = tp_cat_parse(cat, name, text, len, &own);
	free(text);
	if (status == TP_NOMEM) {
		*diag = own;
		return status;
	}
	cat->n_errors += status && status != TP_UNSUPPORTED;
	if (status) {
		snprintf(shown, sizeof(shown), "%s%s", prefix, name);
		tp_copy(own.where, sizeof(own.where), shown);
		tp_diags_add(&cat->notes, &own);
	}
	return TP_OK;
}

/* Files of one output folder; `n_known` counts those that look like the toolkit's. */
static enum tp_status read_files(struct tp_cat *cat, const char *folder, const char *prefix,
				 struct dirent **entries, int n, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	char path[TP_PATH_MAX];

	for (int i = 0; i < n && i < FILES_MAX && status == TP_OK; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (!tp_is_folder(path))
			status = read_file(cat, folder, prefix, entries[i]->d_name, diag);
	}
	return status;
}

static bool has_files(struct dirent **entries, int n)
{
	size_t unused;

	for (int i = 0; i < n; i++)
		if (format_of(entries[i]->d_name, &unused) >= 0)
			return true;
	return false;
}

/* One output folder below the one that was given: a repetition. */
static enum tp_status read_below(struct tp_cat *cat, const char *folder, const char *name,
				 bool *is_one, struct tp_diag *diag)
{
	char path[TP_PATH_MAX], prefix[280];
	struct dirent **entries;
	int n;
	enum tp_status status;

	*is_one = false;
	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) ||
	    !tp_is_folder(path) || scan(path, &entries, &n, diag) != TP_OK)
		return TP_OK;
	*is_one = has_files(entries, n);
	snprintf(prefix, sizeof(prefix), "%.255s/", name);
	status = *is_one ? read_files(cat, path, prefix, entries, n, diag) : TP_OK;
	free_entries(entries, n);
	return status;
}

enum tp_status tp_cat_read(struct tp_cat *cat, const char *folder, struct tp_diag *diag)
{
	struct dirent **entries;
	int n;
	enum tp_status status = scan(folder, &entries, &n, diag);

	if (status)
		return status;
	if (has_files(entries, n)) {
		status = read_files(cat, folder, "", entries, n, diag);
	} else {
		for (int i = 0; i < n && status == TP_OK; i++) {
			bool is_one;

			status = read_below(cat, folder, entries[i]->d_name, &is_one, diag);
			cat->repetition += is_one;
			if (cat->repetition == TP_READINGS_MAX_REPETITIONS)
				break;
		}
	}
	free_entries(entries, n);
	if (status == TP_OK && cat->n_files == 0)
		status = tp_fail(diag, TP_USAGE, folder,
				 "give the folder that cat_collect -out has written, or one that "
				 "holds several of them",
				 "no output of PAPI's Counter Analysis Toolkit that could be used");
	return status;
}

bool tp_cat_is(const char *folder)
{
	struct dirent **entries, **inner;
	struct tp_diag diag;
	char path[TP_PATH_MAX];
	int n, n_inner;
	bool found;

	if (scan(folder, &entries, &n, &diag) != TP_OK)
		return false;
	found = has_files(entries, n);
	for (int i = 0; i < n && !found; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) >=
			    (int)sizeof(path) ||
		    !tp_is_folder(path) || scan(path, &inner, &n_inner, &diag) != TP_OK)
			continue;
		found = has_files(inner, n_inner);
		free_entries(inner, n_inner);
	}
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
