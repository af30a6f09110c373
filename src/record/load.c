/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/load.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/document.h"
#include "record/event.h"
#include "record/point.h"

/* What the nodes of a cluster run have in common is a run in this folder of it. */
#define MERGED "merged"

static const char hint_runs[] = "see tprof --list runs, or give the path of a run directory";

static enum tp_status folder_of(char out[TP_PATH_MAX], struct tp_diag *diag)
{
	return tp_path_data("examples/runs", out, diag);
}

/* True if `what` begins as a name of an example does. */
static bool example_named(const char *what)
{
	return strncmp(what, TP_EXAMPLE_PREFIX, strlen(TP_EXAMPLE_PREFIX)) == 0;
}

/* Finds the run directory of "example/NAME"; TP_NOTFOUND with the nearest name. */
static enum tp_status example_find(const char *what, char path[TP_PATH_MAX], struct tp_diag *diag)
{
	const char *name = what + strlen(TP_EXAMPLE_PREFIX);
	char folder[TP_PATH_MAX], hint[160];
	char **names;
	size_t n;
	enum tp_status status = folder_of(folder, diag);
	if (status == TP_OK)
		status = tp_run_names(folder, &names, &n, diag);
	if (status != TP_OK)
		return status;
	/* Only names that are there: none leads out of the folder. */
	bool found = false;
	for (size_t i = 0; i < n && !found; i++)
		found = strcmp(names[i], name) == 0;
	const char *near = tp_nearest(name, (const char *const *)names, n);
	if (near)
		snprintf(hint, sizeof(hint), "did you mean %s%.80s?", TP_EXAMPLE_PREFIX, near);
	else
		snprintf(hint, sizeof(hint), "see tprof --list examples");
	tp_run_names_free(names, n);
	if (!found)
		return tp_fail(diag, TP_NOTFOUND, what, hint, "there is no such example run");
	int len = snprintf(path, TP_PATH_MAX, "%s/%s", folder, name);
	if (len < 0 || len >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, what, NULL, "path too long");
	return TP_OK;
}

static bool holds(const char *folder, const char *name, const char *file)
{
	char path[TP_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s/%s", folder, name, file);

	return n > 0 && (size_t)n < sizeof(path) && access(path, F_OK) == 0;
}

/* Other programs may put folders there. A cluster run counts from its merge. */
static bool is_run(const char *folder, const char *name)
{
	return holds(folder, name, "run.json") || holds(folder, name, "journal.ndjson") ||
	       holds(folder, name, MERGED "/run.json");
}

/* "last" is the newest run by its name, which begins with the date. */
static const char *choose(const char *folder, char *const *names, size_t n, const char *what,
			  size_t *hits)
{
	const char *found = NULL;
	bool last = strcmp(what, "last") == 0;

	*hits = 0;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], what) == 0) {
			*hits = 1;
			return names[i];
		}
		if (last) {
			if ((found && strcmp(names[i], found) < 0) || !is_run(folder, names[i]))
				continue;
			found = names[i];
			*hits = 1;
		} else if (tp_ends_with(names[i], what)) {
			if (!found || strcmp(names[i], found) > 0)
				found = names[i];
			++*hits;
		}
	}
	return found;
}

/* A run directory among the user's, by its name or the end of it. */
static enum tp_status find_named(const char *what, char path[TP_PATH_MAX], struct tp_diag *diag)
{
	char folder[TP_PATH_MAX], **names = NULL;
	size_t n = 0, hits = 0;
	enum tp_status status = tp_path_user_data("runs", folder, diag);

	if (status)
		return status;
	tp_run_names(folder, &names, &n, NULL);
	const char *found = choose(folder, names, n, what, &hits);
	if (hits == 1) {
		int len = snprintf(path, TP_PATH_MAX, "%s/%s", folder, found);
		if (len < 0 || len >= TP_PATH_MAX)
			status = tp_fail(diag, TP_USAGE, what, NULL, "path too long");
	} else if (hits > 1) {
		status = tp_fail(
			diag, TP_USAGE, what, "give more of its name; see tprof --list runs",
			"%zu names of runs end like this, the newest is %.100s", hits, found);
	} else if (n == 0 || strcmp(what, "last") == 0) {
		status = tp_fail(diag, TP_NOTFOUND, what, "measure one: tprof --batch quick",
				 "there are no runs in %s", folder);
	} else {
		const char *near = tp_nearest(what, (const char *const *)names, n);
		char hint[256];
		if (near)
			snprintf(hint, sizeof(hint), "did you mean %.160s?", near);
		status = tp_fail(diag, TP_NOTFOUND, what, near ? hint : hint_runs,
				 "there is no such run");
	}
	tp_run_names_free(names, n);
	return status;
}

/* "quick-cluster/nodes/node-1": what lies in one of the user's directories. */
static bool find_within(const char *what, char path[TP_PATH_MAX])
{
	char name[256], outer[TP_PATH_MAX];
	size_t n = strcspn(what, "/");

	if (n == 0 || n >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)n, what);
	if (find_named(name, outer, NULL) != TP_OK)
		return false;
	int len = snprintf(path, TP_PATH_MAX, "%s%s", outer, what + n);
	return len > 0 && len < TP_PATH_MAX && access(path, F_OK) == 0;
}

static enum tp_status find_any(const char *what, char path[TP_PATH_MAX], struct tp_diag *diag)
{
	if (!*what)
		return tp_fail(diag, TP_USAGE, "run", hint_runs, "no run is named");
	if (!strchr(what, '/') && access(what, F_OK) != 0)
		return find_named(what, path, diag);
	if (!tp_copy(path, TP_PATH_MAX, what))
		return tp_fail(diag, TP_USAGE, what, NULL, "path too long");
	if (access(path, F_OK) == 0)
		return TP_OK;
	int error = errno;
	if (example_named(what))
		return example_find(what, path, diag);
	return find_within(what, path)
		       ? TP_OK
		       : tp_fail(diag, TP_NOTFOUND, what, hint_runs, "%s", strerror(error));
}

static bool is_cluster(const char *path)
{
	return holds(path, ".", "cluster.json");
}

/* The name of a cluster run stands for the run of its nodes together. */
static enum tp_status enter_cluster(char path[TP_PATH_MAX], struct tp_diag *diag)
{
	size_t n = strlen(path);

	if (!is_cluster(path) || holds(path, ".", "run.json"))
		return TP_OK;
	if (!holds(path, MERGED, "run.json"))
		return tp_fail(diag, TP_NOTFOUND, path,
			       "tprof --cluster collect makes one run of what the nodes have",
			       "a cluster run whose nodes are not merged yet");
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n + sizeof("/" MERGED) > TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, path, NULL, "path too long");
	memcpy(path + n, "/" MERGED, sizeof("/" MERGED));
	return TP_OK;
}

enum tp_status tp_run_find(const char *what, char path[TP_PATH_MAX], struct tp_diag *diag)
{
	enum tp_status status = find_any(what, path, diag);

	return status ? status : enter_cluster(path, diag);
}

void tp_run_call(struct tp_run *run, const char *directory)
{
	char folder[TP_PATH_MAX], path[TP_PATH_MAX];
	size_t n;

	if (tp_example_called(directory, run->called, sizeof(run->called)))
		return;
	if (tp_ends_with(directory, "/" MERGED) && tp_copy(path, sizeof(path), directory)) {
		path[strlen(path) - strlen("/" MERGED)] = '\0';
		if (is_cluster(path))
			directory = path;
	}
	if (tp_path_user_data("runs", folder, NULL) == TP_OK && (n = strlen(folder)) &&
	    strncmp(directory, folder, n) == 0 && directory[n] == '/')
		directory += n + 1;
	if (!tp_copy(run->called, sizeof(run->called), directory))
		run->called[0] = '\0';
}

static enum tp_status load_text(struct tp_run *run, const char *path,
				enum tp_status (*parse)(struct tp_run *, const char *, const char *,
							size_t, struct tp_diag *),
				struct tp_diag *diag)
{
	char *text = NULL;
	size_t len = 0;
	enum tp_status status = tp_file_read(path, TP_RUN_JSON_MAX_BYTES, &text, &len, diag);

	if (status == TP_OK)
		status = parse(run, path, text, len, diag);
	free(text);
	return status;
}

/* True while a tprof writes it: it holds a lock on the journal. */
static bool is_held(const char *journal)
{
	int fd;
	bool held;

	if (tp_file_open(AT_FDCWD, journal, O_RDONLY, &fd, NULL) != TP_OK)
		return false;
	held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(fd);
	return held;
}

/*
 * Loads an unfinished run: facts from run.json (possibly none), points from the journal. `damage`
 * is the error of an unreadable run.json: then the journal shows whether the run ended. NULL: no
 * error.
 */
static enum tp_status load_unfinished(struct tp_run *run, const char *journal,
				      const struct tp_diag *damage, struct tp_diag *diag)
{
	struct tp_run points = { 0 };
	enum tp_status status = tp_journal_read(&points, journal, diag);

	if (status)
		return status;
	tp_run_copy_facts(&points, run);
	if (is_held(journal))
		tp_copy(points.state, sizeof(points.state), "running");
	else if (!damage || !*points.state)
		tp_copy(points.state, sizeof(points.state), "interrupted");
	if (damage)
		tp_run_remark(&points, damage);
	return tp_run_replace(run, &points, TP_OK);
}

/*
 * The tables that exist only as separate files. A damaged one costs only its own lines, which the
 * run's remarks name.
 */
static enum tp_status load_parts(struct tp_run *run, const char *directory, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;

	for (const struct tp_part *p = tp_part_next(NULL); p && !status; p = tp_part_next(p)) {
		char path[TP_PATH_MAX + 32], *text = NULL;
		size_t len = 0;
		struct tp_diag why;
		TP_STR words = { 0 };

		if (!p->read_csv)
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, p->csv_file);
		if (access(path, F_OK) != 0)
			continue;
		status = tp_file_read(path, TP_TABLE_MAX_BYTES, &text, &len, &why);
		if (status == TP_OK) {
			status = p->read_csv(run, path, text, len);
		} else if (status == TP_USAGE) {
			tp_str_printf(&words, "%s: its rows are missing here", why.what);
			tp_fail(&why, status, path, "journal.ndjson may have them", "%s",
				tp_str_text(&words));
			tp_run_remark(run, &why);
		} else if (diag) {
			*diag = why;
		}
		free(text);
		if (status == TP_USAGE)
			status = TP_OK;
	}
	return status;
}

static enum tp_status load_directory(struct tp_run *run, const char *path, struct tp_diag *diag)
{
	char json[TP_PATH_MAX + 32], journal[TP_PATH_MAX + 32];
	struct tp_diag why = { 0 }, damage;
	enum tp_status status;

	snprintf(json, sizeof(json), "%s/run.json", path);
	snprintf(journal, sizeof(journal), "%s/journal.ndjson", path);
	status = load_text(run, json, tp_run_parse, &why);
	if (diag)
		*diag = why;
	if (status == TP_OK && strcmp(run->state, "running") != 0)
		return load_parts(run, path, diag);
	if (access(journal, F_OK) == 0) {
		tp_fail(&damage, status, why.where, "the facts of the run are lost",
			"cannot be read, so this is what the journal holds: %.250s", why.what);
		return load_unfinished(run, journal,
				       status == TP_OK || status == TP_NOTFOUND ? NULL : &damage,
				       diag);
	}
	if (status == TP_NOTFOUND)
		return tp_fail(diag, TP_NOTFOUND, path, hint_runs,
			       "not a run directory: it has neither run.json nor journal.ndjson");
	return status;
}

/* run.json up to its lists of points and trials, as a separate document. */
static enum tp_status parse_results(struct tp_run *run, const char *name, const char *text,
				    size_t len, struct tp_diag *diag)
{
	static const char points[] = ",\n\"points\": [";
	const char *at = memmem(text, len, points, sizeof(points) - 1);
	if (!at)
		return tp_run_parse(run, name, text, len, diag);
	TP_STR head = { 0 };
	tp_str_add_n(&head, text, (size_t)(at - text));
	tp_str_add(&head, "\n}");
	return tp_run_parse(run, name, head.s, head.len, diag);
}

enum tp_status tp_run_load_results(struct tp_run *run, const char *directory, struct tp_diag *diag)
{
	char json[TP_PATH_MAX + 32];
	*run = (struct tp_run){ 0 };
	snprintf(json, sizeof(json), "%s/run.json", directory);
	if (load_text(run, json, parse_results, diag) == TP_OK &&
	    strcmp(run->state, "running") != 0)
		return TP_OK;
	tp_run_release(run);
	return tp_run_load(run, directory, diag);
}

enum tp_status tp_run_load(struct tp_run *run, const char *path, struct tp_diag *diag)
{
	enum tp_status status;

	*run = (struct tp_run){ 0 };
	if (tp_is_folder(path))
		status = load_directory(run, path, diag);
	else if (tp_ends_with(path, ".ndjson"))
		status = tp_journal_read(run, path, diag);
	else if (tp_ends_with(path, ".csv"))
		status = load_text(run, path, tp_run_parse_csv, diag);
	else
		status = load_text(run, path, tp_run_parse, diag);
	if (status) {
		tp_run_release(run);
		return status;
	}
	if (tp_is_folder(path))
		tp_run_call(run, path);
	/* Runs of earlier versions have no quality; their windows determine it. */
	for (size_t i = 0; i < tp_schema()->n; i++)
		if (tp_schema()->rows[i]->points.judge)
			tp_schema()->rows[i]->points.judge(run, &tp_schema()->rows[i]->points);
	return TP_OK;
}

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
 * The beginning of run.json up to its first list, as a separate document; NULL if it does not look
 * like one. Facts and counts are there, so that thousands of runs are listed without reading their
 * windows.
 */
static json_t *read_head(const char *path)
{
	TP_FREE char *text = tp_alloc(HEAD_BYTES + 1, 1);
	int fd = -1;
	json_t *head = NULL;
	size_t len = 0;
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
	brief->headline = json_number_value(json_object_get(summary, "headline"));
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

/* What the journal of a killed run holds. */
static void read_journal(struct tp_run_entry *entry)
{
	struct tp_run run;
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
	entry->n_done = tp_run_n_done(&run);
	entry->n_planned = TP_MAX(entry->n_planned, tp_run_n_needed(&run));
	tp_run_release(&run);
}

/* False if there is no run; *ended: its head has been read. */
static bool read_entry(const char *folder, const char *directory, struct tp_run_entry *entry,
		       bool *ended)
{
	struct stat st;
	char file[TP_PATH_MAX + 32];
	*entry = (struct tp_run_entry){ 0 };
	tp_copy(entry->directory, sizeof(entry->directory), directory);
	int len = snprintf(entry->path, sizeof(entry->path), "%s/%s", folder, directory);
	if (len < 0 || (size_t)len >= sizeof(entry->path) || stat(entry->path, &st) != 0 ||
	    !S_ISDIR(st.st_mode))
		return false;
	snprintf(file, sizeof(file), "%s/cluster.json", entry->path);
	read_names(entry);
	if (access(file, F_OK) == 0)
		return false;
	snprintf(file, sizeof(file), "%s/run.json", entry->path);
	*ended = tp_run_entry_head(file, entry);
	return true;
}

bool tp_run_entry_read(const char *folder, const char *directory, struct tp_run_entry *entry)
{
	bool ended;
	if (!read_entry(folder, directory, entry, &ended))
		return false;
	if (!ended)
		read_journal(entry);
	return true;
}

bool tp_run_entry_ended(const char *folder, const char *directory, struct tp_run_entry *entry)
{
	bool ended;
	return read_entry(folder, directory, entry, &ended) && ended;
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
	*names = NULL;
	*n = 0;
	DIR *dir = opendir(folder);
	if (!dir && (errno == ENOENT || errno == ENOTDIR))
		return TP_OK;
	if (!dir)
		return tp_fail(diag, errno == EACCES ? TP_PERM : TP_IO, folder, NULL,
			       "cannot read the directory: %s", strerror(errno));
	for (struct dirent *file; (file = readdir(dir));) {
		if (*file->d_name == '.' || (file->d_type != DT_DIR && file->d_type != DT_LNK &&
					     file->d_type != DT_UNKNOWN))
			continue;
		TP_RESERVE(items, cap, *n + 1);
		items[(*n)++] = tp_strdup(file->d_name);
	}
	closedir(dir);
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
	struct tp_run_entry *items = tp_alloc(n_names, sizeof(*items));
	for (size_t i = 0; i < n_names; i++)
		*n += tp_run_entry_read(folder, names[i], &items[*n]);
	tp_run_names_free(names, n_names);
	*entries = items;
	return TP_OK;
}

enum tp_status tp_example_entries(struct tp_run_entry **entries, size_t *n, struct tp_diag *diag)
{
	char folder[TP_PATH_MAX];
	*entries = NULL;
	*n = 0;
	enum tp_status status = folder_of(folder, diag);
	return status == TP_OK ? tp_run_entries(folder, entries, n, diag) : status;
}

bool tp_example_called(const char *path, char *out, size_t size)
{
	char folder[TP_PATH_MAX];
	if (folder_of(folder, NULL) != TP_OK)
		return false;
	size_t len = strlen(folder);
	if (strncmp(path, folder, len) != 0 || path[len] != '/' || strchr(path + len + 1, '/'))
		return false;
	int n = snprintf(out, size, "%s%s", TP_EXAMPLE_PREFIX, path + len + 1);
	return n > 0 && (size_t)n < size;
}
