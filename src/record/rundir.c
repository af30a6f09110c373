/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/rundir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
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
	status = tp_dir_new(out, diag);
	return status != TP_OK && errno == EEXIST ? must_be_empty(out, diag) : status;
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
		 * Two programs may start in the same second: the one that makes the directory owns
		 * it.
		 */
		status = tp_dir_new(out, diag);
		if (status == TP_OK || errno != EEXIST)
			return status;
	}
	return tp_fail(diag, TP_RESOURCE, runs, "remove old runs", "no free name for the run");
}

static enum tp_status write_one(enum tp_typed typed, const char *directory, const char *name,
				const struct tp_str *text, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", directory, name);

	if (n < 0 || (size_t)n >= sizeof(path))
		return tp_fail(diag, TP_USAGE, directory, NULL, "path too long");
	return tp_file_write(typed, path, tp_str_text(text), text->len, diag);
}

static enum tp_status write_part(enum tp_typed typed, const char *directory,
				 const struct tp_run *run, const struct tp_part *part,
				 struct tp_diag *diag)
{
	const struct tp_rows *rows = tp_run_rows(run, part);
	TP_STR text = { 0 };

	if (!part->csv_file || rows->n == 0)
		return TP_OK;
	if (!part->write_csv)
		tp_rows_csv(rows, part->table, &text);
	else if (!part->write_csv(rows, TP_TABLE_MAX_BYTES, &text))
		tp_fail(diag, TP_OK, part->csv_file, NULL,
			"the last rows are left out: with them it would be longer than %d "
			"bytes; journal.ndjson has them",
			TP_TABLE_MAX_BYTES);
	return text.len ? write_one(typed, directory, part->csv_file, &text, diag) : TP_OK;
}

enum tp_status tp_rundir_write(enum tp_typed typed, const char *directory, const struct tp_run *run,
			       struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	TP_STR text = { 0 };

	/* First the files that run.json replaces once it reports the end of the run. */
	for (const struct tp_part *p = tp_part_next(NULL); p && !status; p = tp_part_next(p))
		status = write_part(typed, directory, run, p, diag);
	if (status)
		return status;
	tp_run_json_within(run, TP_RUN_JSON_MAX_BYTES, &text);
	status = write_one(typed, directory, "run.json", &text, diag);
	if (status)
		return status;
	tp_str_clear(&text);
	tp_run_csv(run, true, &text);
	return write_one(typed, directory, "points.csv", &text, diag);
}

const char *const tp_run_file_names[] = {
	"points.csv",	     "readings.csv",	"trials.csv",	   "study.csv",
	"gathers.csv",	     "app_regions.csv", "app_classes.csv", "app_functions.csv",
	"app_processes.csv", "table.csv",	"plots.svg",	   "profile.csv",
	"phases.csv",	     "metrics.papi",	"output.txt",	   "errors.txt",
	"preset.yaml",	     "journal.ndjson",	"run.json",	   NULL
};

/*
 * One of the above, or the temporary file of one that was being written when the program was killed
 * ("run.json.XXXXXX").
 */
static bool is_ours(const char *name)
{
	for (size_t i = 0; tp_run_file_names[i]; i++) {
		size_t n = strlen(tp_run_file_names[i]);
		const char *at = *name == '.' ? name + 1 : name;
		if (strncmp(at, tp_run_file_names[i], n) == 0 && (!at[n] || at[n] == '.'))
			return true;
	}
	return false;
}

/* The open directory again, from its first entry; NULL after an error message. */
static DIR *open_again(int fd, const char *directory, struct tp_diag *diag)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again >= 0 ? fdopendir(again) : NULL;
	if (!dir)
		tp_fail(diag, TP_IO, directory, NULL, "cannot read it: %s", strerror(errno));
	if (!dir && again >= 0)
		close(again);
	return dir;
}

/* Every entry of the open directory; the first that is not ours is named in `diag`. */
static enum tp_status check_content(int fd, const char *directory, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	DIR *dir = open_again(fd, directory, diag);
	bool is_run = false;
	if (!dir)
		return TP_IO;
	for (struct dirent *file; status == TP_OK && (file = readdir(dir));) {
		struct stat st;
		const char *name = file->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (!is_ours(name) || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode))
			status = tp_fail(
				diag, TP_USAGE, directory, "look at it, and remove it yourself",
				"holds \"%.60s\", which is not tprof's: nothing was removed", name);
		is_run |= strcmp(name, "run.json") == 0 || strcmp(name, "journal.ndjson") == 0;
	}
	closedir(dir);
	if (status == TP_OK && !is_run)
		status = tp_fail(diag, TP_USAGE, directory, NULL,
				 "is not a run: it has neither run.json nor journal.ndjson");
	return status;
}

static bool is_measured(int fd)
{
	int journal = -1;
	tp_file_open(fd, "journal.ndjson", O_RDONLY | O_NOFOLLOW, &journal, NULL);
	bool held = journal >= 0 && flock(journal, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (journal >= 0)
		close(journal);
	return held;
}

static enum tp_status remove_content(int fd, const char *directory, struct tp_diag *diag)
{
	DIR *dir = open_again(fd, directory, diag);
	int failed = 0;
	if (!dir)
		return TP_IO;
	/* Temporaries first, then the table in its order. */
	for (struct dirent *file; (file = readdir(dir));) {
		bool in_table = false;
		for (size_t i = 0; tp_run_file_names[i]; i++)
			in_table |= strcmp(file->d_name, tp_run_file_names[i]) == 0;
		if (!in_table && is_ours(file->d_name) && unlinkat(fd, file->d_name, 0) != 0)
			failed = errno;
	}
	closedir(dir);
	for (size_t i = 0; tp_run_file_names[i] && !failed; i++)
		if (unlinkat(fd, tp_run_file_names[i], 0) != 0 && errno != ENOENT)
			failed = errno;
	return failed ? tp_fail(diag, failed == EACCES || failed == EPERM ? TP_PERM : TP_IO,
				directory, NULL, "cannot be removed: %s", strerror(failed))
		      : TP_OK;
}

enum tp_status tp_run_remove(const char *folder, const char *directory, struct tp_diag *diag)
{
	int fd = -1, parent = -1;
	enum tp_status status = TP_OK;
	if (!*directory || strchr(directory, '/') || strcmp(directory, ".") == 0 ||
	    strcmp(directory, "..") == 0)
		return tp_fail(diag, TP_USAGE, directory, NULL, "is not a name of a run directory");
	parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent >= 0)
		fd = openat(parent, directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		struct stat st;
		int error = errno;
		bool link = parent >= 0 &&
			    fstatat(parent, directory, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			    S_ISLNK(st.st_mode);
		status = link ? tp_fail(diag, TP_USAGE, directory, NULL,
					"is a symbolic link: nothing was removed")
			      : tp_fail(diag, error == ENOENT ? TP_NOTFOUND : TP_IO, directory,
					NULL, "cannot be removed: %s", strerror(error));
	}
	if (status == TP_OK)
		status = check_content(fd, directory, diag);
	if (status == TP_OK && is_measured(fd))
		status = tp_fail(diag, TP_RESOURCE, directory, "stop it first",
				 "is being measured by a tprof");
	if (status == TP_OK)
		status = remove_content(fd, directory, diag);
	if (status == TP_OK && unlinkat(parent, directory, AT_REMOVEDIR) != 0)
		status = tp_fail(diag, errno == EACCES || errno == EPERM ? TP_PERM : TP_IO,
				 directory, NULL, "cannot be removed: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	if (parent >= 0)
		close(parent);
	return status;
}

static const char *const names[TP_PRINTED_FILES] = { "output", "errors" };

enum { KEY_BYTES = 48 };

static const char *key_of(char out[KEY_BYTES], size_t stream, const char *what)
{
	snprintf(out, KEY_BYTES, "program.%s.%s", names[stream], what);
	return out;
}

static uint64_t number(const struct tp_run *run, size_t stream, const char *what)
{
	char key[KEY_BYTES];
	const struct tp_fact *fact = tp_run_fact(run, key_of(key, stream, what));
	/* No file of a run is that long. */
	return fact && fact->number > 0 && fact->number < 0x1p62 ? (uint64_t)fact->number : 0;
}

const char *tp_printed_file(size_t stream)
{
	static const char *const files[TP_PRINTED_FILES] = { "output.txt", "errors.txt" };
	return files[stream];
}

enum tp_status tp_run_printed_set(struct tp_run *run, size_t stream, uint64_t bytes, uint64_t cut)
{
	char key[KEY_BYTES];
	enum tp_status status =
		tp_run_fact_number(run, key_of(key, stream, "bytes"), (double)bytes);
	if (status == TP_OK && cut)
		status = tp_run_fact_number(run, key_of(key, stream, "cut_bytes"), (double)cut);
	return status;
}

uint64_t tp_run_printed_cut(const struct tp_run *run, size_t stream)
{
	return number(run, stream, "cut_bytes");
}

bool tp_run_printed_text(const struct tp_run *run, const char *directory, struct tp_str *out)
{
	const char *join = "What the program printed is in ";
	char bytes[32];
	bool any = false;
	for (size_t i = 0; i < TP_PRINTED_FILES; i++) {
		if (!number(run, i, "bytes"))
			continue;
		tp_str_printf(out, "%s%s", join, tp_printed_file(i));
		join = " and ";
		any = true;
	}
	if (!any)
		return false;
	tp_str_printf(out, " of %s", directory ? directory : "the run's directory");
	for (size_t i = 0; i < TP_PRINTED_FILES; i++)
		if (tp_run_printed_cut(run, i))
			tp_str_printf(
				out, "; the last %s of %s are cut off",
				tp_format_bytes(bytes, sizeof(bytes), tp_run_printed_cut(run, i)),
				tp_printed_file(i));
	tp_str_add(out, ".");
	return true;
}
