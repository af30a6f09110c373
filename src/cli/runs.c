/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/runs.h"
#include "base/vec.h"
#include "record/event.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { RUN_JSON_MAX_BYTES = 1 << 28 };

/* Run directories are named YYYY-MM-DD-HHMMSS-name; 0 if this one is not. */
static size_t date_length(const char *directory)
{
	static const char pattern[] = "dddd-dd-dd-dddddd-";
	for (size_t i = 0; pattern[i]; i++)
		if (pattern[i] == 'd' ? !isdigit((unsigned char)directory[i])
				      : directory[i] != pattern[i])
			return 0;
	return sizeof(pattern) - 1;
}

static void read_names(struct tp_run_entry *entry)
{
	const char *d = entry->directory;
	size_t n = date_length(d);
	struct stat st;
	struct tm local;
	tp_copy(entry->name, sizeof(entry->name), d + n);
	if (n)
		snprintf(entry->date, sizeof(entry->date), "%.10s %.2s:%.2s", d, d + 11, d + 13);
	else if (stat(entry->path, &st) == 0 && localtime_r(&st.st_mtime, &local))
		strftime(entry->date, sizeof(entry->date), "%Y-%m-%d %H:%M", &local);
}

static bool read_json(struct tp_run *run, const char *path)
{
	char *text = NULL;
	size_t len = 0;
	bool ok = tp_file_read(path, RUN_JSON_MAX_BYTES, &text, &len, NULL) == TP_OK &&
		  tp_run_parse(run, path, text, len, NULL) == TP_OK;
	free(text);
	return ok;
}

/* What the run left: its result, or what the journal of a killed one holds. */
static void read_content(struct tp_run_entry *entry)
{
	char path[TP_PATH_MAX + 32];
	struct tp_run run = { 0 };
	const struct tp_fact *name;
	snprintf(path, sizeof(path), "%s/run.json", entry->path);
	if (read_json(&run, path)) {
		tp_copy(entry->state, sizeof(entry->state), run.state);
		if ((name = tp_run_fact(&run, "name")) && *name->text)
			tp_copy(entry->name, sizeof(entry->name), name->text);
	} else {
		tp_run_release(&run);
		snprintf(path, sizeof(path), "%s/journal.ndjson", entry->path);
		bool ok = tp_journal_read(&run, path, NULL) == TP_OK;
		tp_copy(entry->state, sizeof(entry->state), ok ? "unfinished" : "unreadable");
	}
	for (size_t i = 0; i < run.n_points; i++)
		entry->n_done += run.points[i].state == TP_POINT_DONE;
	tp_run_release(&run);
}

static int by_directory(const void *a, const void *b)
{
	const struct tp_run_entry *x = a, *y = b;
	return strcmp(x->directory, y->directory);
}

enum tp_status tp_run_entries(const char *folder, struct tp_run_entry **entries, size_t *n,
			      struct tp_diag *diag)
{
	struct tp_run_entry *items = NULL;
	size_t cap = 0;
	enum tp_status status = TP_OK;
	*entries = NULL;
	*n = 0;
	DIR *dir = opendir(folder);
	if (!dir && (errno == ENOENT || errno == ENOTDIR))
		return TP_OK;
	if (!dir)
		return tp_fail(diag, errno == EACCES ? TP_PERM : TP_IO, folder, NULL,
			       "cannot read the directory: %s", strerror(errno));
	for (struct dirent *file; (file = readdir(dir));) {
		struct tp_run_entry entry = { 0 };
		struct stat st;
		int len = snprintf(entry.path, sizeof(entry.path), "%s/%s", folder, file->d_name);
		if (*file->d_name == '.' || len < 0 || (size_t)len >= sizeof(entry.path) ||
		    stat(entry.path, &st) != 0 || !S_ISDIR(st.st_mode))
			continue;
		status = tp_vec_reserve((void **)&items, &cap, *n + 1, sizeof(*items));
		if (status != TP_OK)
			break;
		tp_copy(entry.directory, sizeof(entry.directory), file->d_name);
		read_names(&entry);
		read_content(&entry);
		items[(*n)++] = entry;
	}
	closedir(dir);
	if (status != TP_OK) {
		free(items);
		*n = 0;
		return tp_fail(diag, status, folder, NULL, "%s", tp_status_name(status));
	}
	if (*n)
		qsort(items, *n, sizeof(*items), by_directory);
	*entries = items;
	return TP_OK;
}
