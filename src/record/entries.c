/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/entries.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "record/document.h"
#include "record/load.h"

enum { HEAD_BYTES = 1 << 16 };

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

/*
 * The beginning of run.json up to its first list, as a document of its own; NULL where it does not
 * look like one. Facts and counts stand there, so that thousands of runs are listed without reading
 * their windows.
 */
static json_t *read_head(const char *path)
{
	char *text = malloc(HEAD_BYTES + 1);
	int fd = -1;
	json_t *head = NULL;
	size_t len = 0;
	if (text)
		tp_file_open(AT_FDCWD, path, O_RDONLY, &fd, NULL);
	for (ssize_t n; fd >= 0 && (n = read(fd, text + len, HEAD_BYTES - len)) > 0;)
		len += (size_t)n;
	if (fd >= 0) {
		close(fd);
		text[len] = '\0';
		char *lists = strstr(text, ",\n\"roofs\": [");
		if (lists) {
			memcpy(lists, "\n}", 3);
			head = json_loads(text, 0, NULL);
		}
	}
	free(text);
	return head;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

/* A number of points, or nothing. */
static bool is_count(const json_t *value)
{
	json_int_t n = json_integer_value(value);
	return !value || json_is_null(value) ||
	       (json_is_integer(value) && n >= 0 && n <= TP_RUN_POINTS_MAX);
}

static void take_summary(struct tp_run_brief *brief, const json_t *summary)
{
	tp_copy(brief->experiments, sizeof(brief->experiments), text_of(summary, "experiments"));
	tp_copy(brief->isas, sizeof(brief->isas), text_of(summary, "isas"));
	tp_copy(brief->threads, sizeof(brief->threads), text_of(summary, "threads"));
	tp_copy(brief->figures, sizeof(brief->figures), text_of(summary, "figures"));
	for (int q = TP_QUALITY_GOOD; q < TP_QUALITY_COUNT; q++) {
		json_int_t n = json_integer_value(
			json_object_get(summary, tp_quality_name((enum tp_quality)q)));
		brief->quality[q] = n > 0 ? (size_t)n : 0;
	}
}

static bool take_head(struct tp_run_entry *entry, const json_t *head)
{
	const json_t *done = json_object_get(head, "points_done"),
		     *machine = json_object_get(head, "machine");
	if (!json_is_integer(done) || !is_count(done) ||
	    !is_count(json_object_get(head, "points_planned")) ||
	    strcmp(text_of(head, "format"), TP_RUN_FORMAT_NAME) != 0)
		return false;
	tp_copy(entry->state, sizeof(entry->state), text_of(head, "state"));
	if (*text_of(head, "name"))
		tp_copy(entry->name, sizeof(entry->name), text_of(head, "name"));
	tp_copy(entry->notes, sizeof(entry->notes), text_of(head, "notes"));
	tp_copy(entry->cpu, sizeof(entry->cpu), text_of(machine, "cpu"));
	tp_copy(entry->hostname, sizeof(entry->hostname), text_of(machine, "hostname"));
	const json_t *simulated = json_object_get(head, "simulated");
	if (simulated)
		snprintf(entry->simulated, sizeof(entry->simulated), "%.60s, %.30s",
			 text_of(simulated, "machine"), text_of(simulated, "regime"));
	take_summary(&entry->brief, json_object_get(head, "summary"));
	entry->n_done = (size_t)json_integer_value(done);
	entry->n_planned = (size_t)json_integer_value(json_object_get(head, "points_planned"));
	if (!entry->n_planned)
		entry->n_planned = (size_t)json_integer_value(
			json_object_get(json_object_get(head, "preset"), "points"));
	/* A run that lives or was killed has its points in the journal. */
	return strcmp(entry->state, "running") != 0;
}

static void take_fact(const struct tp_run *run, const char *key, char *to, size_t size)
{
	const struct tp_fact *fact = tp_run_fact(run, key);
	if (fact && *fact->text)
		tp_copy(to, size, fact->text);
}

bool tp_run_entry_head(const char *path, struct tp_run_entry *entry)
{
	json_t *head = read_head(path);
	bool enough = head && take_head(entry, head);
	json_decref(head);
	return enough;
}

/* What the run left: its result, or what the journal of a killed one holds. */
static void read_content(struct tp_run_entry *entry)
{
	char path[TP_PATH_MAX + 32];
	struct tp_run run;
	snprintf(path, sizeof(path), "%s/run.json", entry->path);
	if (tp_run_entry_head(path, entry))
		return;
	if (tp_run_load(&run, entry->path, NULL) != TP_OK) {
		tp_copy(entry->state, sizeof(entry->state), "unreadable");
		return;
	}
	tp_copy(entry->state, sizeof(entry->state), run.state);
	take_fact(&run, "name", entry->name, sizeof(entry->name));
	take_fact(&run, "notes", entry->notes, sizeof(entry->notes));
	take_fact(&run, "machine.cpu", entry->cpu, sizeof(entry->cpu));
	take_fact(&run, "machine.hostname", entry->hostname, sizeof(entry->hostname));
	tp_run_simulated(&run, entry->simulated, sizeof(entry->simulated));
	tp_run_brief(&run, &entry->brief);
	entry->n_done = 0;
	for (size_t i = 0; i < run.n_points; i++)
		entry->n_done += run.points[i].state == TP_POINT_DONE;
	entry->n_planned = TP_MAX(entry->n_planned, run.n_points);
	tp_run_release(&run);
}

bool tp_run_entry_read(const char *folder, const char *directory, struct tp_run_entry *entry)
{
	struct stat st;
	char cluster[TP_PATH_MAX + 32];
	*entry = (struct tp_run_entry){ 0 };
	tp_copy(entry->directory, sizeof(entry->directory), directory);
	int len = snprintf(entry->path, sizeof(entry->path), "%s/%s", folder, directory);
	if (len < 0 || (size_t)len >= sizeof(entry->path) || stat(entry->path, &st) != 0 ||
	    !S_ISDIR(st.st_mode))
		return false;
	snprintf(cluster, sizeof(cluster), "%s/cluster.json", entry->path);
	read_names(entry);
	if (access(cluster, F_OK) == 0)
		return false;
	read_content(entry);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void tp_run_names_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

enum tp_status tp_run_names(const char *folder, char ***names, size_t *n, struct tp_diag *diag)
{
	char **items = NULL;
	size_t cap = 0;
	enum tp_status status = TP_OK;
	*names = NULL;
	*n = 0;
	DIR *dir = opendir(folder);
	if (!dir && (errno == ENOENT || errno == ENOTDIR))
		return TP_OK;
	if (!dir)
		return tp_fail(diag, errno == EACCES ? TP_PERM : TP_IO, folder, NULL,
			       "cannot read the directory: %s", strerror(errno));
	for (struct dirent *file; status == TP_OK && (file = readdir(dir));) {
		if (*file->d_name == '.' || (file->d_type != DT_DIR && file->d_type != DT_LNK &&
					     file->d_type != DT_UNKNOWN))
			continue;
		status = tp_vec_reserve((void **)&items, &cap, *n + 1, sizeof(*items));
		if (status == TP_OK && !(items[*n] = strdup(file->d_name)))
			status = TP_NOMEM;
		if (status == TP_OK)
			(*n)++;
	}
	closedir(dir);
	if (status != TP_OK) {
		tp_run_names_free(items, *n);
		*n = 0;
		return tp_fail(diag, status, folder, NULL, "%s", tp_status_name(status));
	}
	if (*n)
		qsort(items, *n, sizeof(*items), by_name);
	*names = items;
	return TP_OK;
}

enum tp_status tp_run_entries(const char *folder, struct tp_run_entry **entries, size_t *n,
			      struct tp_diag *diag)
{
	char **names;
	size_t n_names;
	*entries = NULL;
	*n = 0;
	enum tp_status status = tp_run_names(folder, &names, &n_names, diag);
	if (status != TP_OK || !n_names)
		return status;
	struct tp_run_entry *items = calloc(n_names, sizeof(*items));
	for (size_t i = 0; items && i < n_names; i++)
		*n += tp_run_entry_read(folder, names[i], &items[*n]);
	tp_run_names_free(names, n_names);
	*entries = items;
	return items ? TP_OK : tp_fail(diag, TP_NOMEM, folder, NULL, "out of memory");
}
