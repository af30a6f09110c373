/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/run.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "table/csv.h"

enum { NAME_MAX_BYTES = 48, TRIES = 1000 };

/*
 * Letters, digits, '.', '_' and '-' stay; anything else becomes one '-'. Never hidden, never empty.
 */
static void safe_name(const char *name, char out[NAME_MAX_BYTES])
{
	size_t n = 0;

	for (const char *p = name ? name : ""; *p && n + 1 < NAME_MAX_BYTES; p++) {
		bool fine = isalnum((unsigned char)*p) || *p == '_' || *p == '.';

		if (fine && !(n == 0 && *p == '.'))
			out[n++] = *p;
		else if (n > 0 && out[n - 1] != '-')
			out[n++] = '-';
	}
	while (n > 0 && out[n - 1] == '-')
		n--;
	out[n] = '\0';
	if (n == 0)
		tp_copy(out, NAME_MAX_BYTES, "run");
}

static enum tp_status dir_fail(struct tp_diag *diag, const char *path)
{
	bool refused = errno == EACCES || errno == EPERM || errno == EROFS;
	bool full = errno == ENOSPC || errno == EDQUOT;

	return tp_fail(diag,
		       refused ? TP_PERM
		       : full  ? TP_RESOURCE
			       : TP_IO,
		       path, "choose another directory for the run",
		       "cannot make the directory: %s", strerror(errno));
}

static enum tp_status must_be_empty(const char *path, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir)
		return tp_fail(diag, errno == EACCES ? TP_PERM : TP_USAGE, path,
			       "give a new or an empty directory", "not a usable directory: %s",
			       strerror(errno));
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			status = tp_fail(diag, TP_USAGE, path, "give a new or an empty directory",
					 "the directory is not empty: it holds %.100s",
					 entry->d_name);
			break;
		}
	closedir(dir);
	return status;
}

static enum tp_status use_wanted(const char *wanted, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	char parent[TP_PATH_MAX], *slash;
	size_t n;
	enum tp_status status;

	if (wanted[0] == '\0' || !tp_copy(out, TP_PATH_MAX, wanted))
		return tp_fail(diag, TP_USAGE, wanted, NULL, "not a usable directory name");
	for (n = strlen(out); n > 1 && out[n - 1] == '/'; n--)
		out[n - 1] = '\0';
	tp_copy(parent, sizeof(parent), out);
	slash = strrchr(parent, '/');
	if (slash && slash > parent) {
		*slash = '\0';
		status = tp_dir_make(parent, diag);
		if (status)
			return status;
	}
	if (mkdir(out, 0777) == 0)
		return TP_OK;
	return errno == EEXIST ? must_be_empty(out, diag) : dir_fail(diag, out);
}

enum tp_status tp_rundir_create(const char *wanted, const char *name, char out[TP_PATH_MAX],
				struct tp_diag *diag)
{
	char runs[TP_PATH_MAX], date[32], label[NAME_MAX_BYTES];
	time_t now = time(NULL);
	struct tm local;
	enum tp_status status;

	if (wanted)
		return use_wanted(wanted, out, diag);
	status = tp_path_user_data("runs", runs, diag);
	if (status == TP_OK)
		status = tp_dir_make(runs, diag);
	if (status)
		return status;
	if (!localtime_r(&now, &local) ||
	    strftime(date, sizeof(date), "%Y-%m-%d-%H%M%S", &local) == 0)
		return tp_fail(diag, TP_INTERNAL, "clock", NULL, "the date is unknown");
	safe_name(name, label);
	for (int i = 1; i <= TRIES; i++) {
		int n = i == 1 ? snprintf(out, TP_PATH_MAX, "%s/%s-%s", runs, date, label)
			       : snprintf(out, TP_PATH_MAX, "%s/%s-%s-%d", runs, date, label, i);

		if (n < 0 || n >= TP_PATH_MAX)
			return tp_fail(diag, TP_USAGE, runs, NULL, "path too long");
		/*
		 * Two programs may start in the same second: whoever makes the directory owns it.
		 */
		if (mkdir(out, 0777) == 0)
			return TP_OK;
		if (errno != EEXIST)
			return dir_fail(diag, out);
	}
	return tp_fail(diag, TP_RESOURCE, runs, "remove old runs", "no free name for the run");
}

static enum tp_status write_one(const char *directory, const char *name, enum tp_status made,
				const struct tp_str *text, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", directory, name);

	if (n < 0 || (size_t)n >= sizeof(path))
		return tp_fail(diag, TP_USAGE, directory, NULL, "path too long");
	if (made)
		return tp_fail(diag, made, path, NULL, "%s", tp_status_name(made));
	tp_file_make_way(path);
	return tp_file_write(path, tp_str_text(text), text->len, diag);
}

static enum tp_status write_part(const char *directory, const struct tp_run *run,
				 const struct tp_part *part, struct tp_diag *diag)
{
	const struct tp_rows *rows = tp_run_rows(run, part);
	struct tp_str text = { 0 };
	enum tp_status status;

	if (!part->csv_file || rows->n == 0)
		return TP_OK;
	status = part->write_csv ? part->write_csv(rows, TP_TABLE_MAX_BYTES, &text)
				 : tp_rows_csv(rows, part->table, &text);
	if (status == TP_RESOURCE)
		status = tp_fail(diag, TP_OK, part->csv_file, NULL,
				 "the last rows are left out: with them it would be longer than %d "
				 "bytes; journal.ndjson has them",
				 TP_TABLE_MAX_BYTES);
	if (status || text.len > 0)
		status = write_one(directory, part->csv_file, status, &text, diag);
	tp_str_release(&text);
	return status;
}

enum tp_status tp_rundir_write(const char *directory, const struct tp_run *run,
			       struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	struct tp_str text = { 0 };

	/* First what run.json, once it says that the run is over, stands for. */
	for (const struct tp_part *p = tp_part_next(NULL); p && !status; p = tp_part_next(p))
		status = write_part(directory, run, p, diag);
	if (status == TP_OK)
		status = write_one(directory, "run.json",
				   tp_run_json_within(run, TP_RUN_JSON_MAX_BYTES, &text), &text,
				   diag);
	tp_str_clear(&text);
	if (status == TP_OK)
		status = write_one(directory, "points.csv", tp_run_csv(run, &text), &text, diag);
	tp_str_release(&text);
	return status;
}
