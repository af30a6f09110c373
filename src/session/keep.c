/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/keep.h"
#include "record/load.h"
#include "report/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 32, TAIL_BYTES = 4096 };

static enum tp_status path_in(const char *directory, const char *name, char path[TP_PATH_MAX],
			      struct tp_diag *diag)
{
	int n = snprintf(path, TP_PATH_MAX, "%s/%s", directory, name);
	if (n < 0 || n >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, directory, NULL, "path too long");
	return TP_OK;
}

static enum tp_status write_preset(const struct tp_keep *keep, const struct tp_preset *preset,
				   struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	TP_STR yaml = { 0 };
	enum tp_status status = path_in(keep->directory, "preset.yaml", path, diag);
	if (status == TP_OK && (status = tp_preset_write(preset, true, &yaml)) != TP_OK)
		tp_fail(diag, status, path, NULL, "%s", tp_status_name(status));
	if (status == TP_OK)
		status = tp_file_write(keep->typed, path, tp_str_text(&yaml), yaml.len, diag);
	return status;
}

static enum tp_status open_journal(struct tp_keep *keep, int flags, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	enum tp_status status = path_in(keep->directory, "journal.ndjson", path, diag);
	if (status != TP_OK)
		return status;
	status = tp_file_create(keep->typed, path, O_RDWR | O_APPEND | flags, &keep->journal, diag);
	if (status != TP_OK)
		return status;
	/* Without locks in the file system, the run is measured anyway. */
	if (flock(keep->journal, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		tp_keep_close(keep);
		return tp_fail(diag, TP_RESOURCE, keep->directory,
			       "wait for its end, or stop it first",
			       "another tprof is measuring this run");
	}
	return TP_OK;
}

const char *tp_keep_common_name(const struct tp_preset *preset)
{
	const char *name = tp_config_text(&preset->runs[0], TP_OPT_NAME);
	for (size_t i = 1; i < preset->n_runs; i++)
		if (strcmp(name, tp_config_text(&preset->runs[i], TP_OPT_NAME)) != 0)
			return "";
	return name;
}

const char *tp_keep_name(const struct tp_preset *preset, char *out, size_t size)
{
	const char *name = tp_keep_common_name(preset);
	const char *slash = strrchr(preset->path, '/');
	if (*name)
		return name;
	/* Set up on the screens, or only by options: the title is what it measures. */
	if (!*preset->path) {
		tp_copy(out, size, tp_config_text(&preset->runs[0], TP_OPT_EXPERIMENT));
		return out;
	}
	tp_copy(out, size, slash ? slash + 1 : preset->path);
	char *dot = strrchr(out, '.');
	if (dot && dot != out)
		*dot = '\0';
	return out;
}

enum tp_status tp_keep_create(struct tp_keep *keep, const char *wanted, const char *name,
			      const struct tp_preset *preset, struct tp_diag *diag)
{
	*keep = (struct tp_keep){ .journal = -1,
				  .typed = wanted ? TP_TYPED_FOLDER : TP_TYPED_NOTHING };
	enum tp_status status = tp_rundir_create(wanted, name, keep->directory, diag);
	if (status == TP_OK)
		status = write_preset(keep, preset, diag);
	if (status == TP_OK)
		status = open_journal(keep, O_CREAT, diag);
	return status;
}

/* A killed program may have left half a line, which would spoil the next event. */
enum tp_status tp_keep_reopen(struct tp_keep *keep, struct tp_diag *diag)
{
	char tail[TAIL_BYTES];
	struct stat st;
	if (fstat(keep->journal, &st) != 0)
		goto failed;
	off_t end = st.st_size;
	while (end > 0) {
		off_t from = end > TAIL_BYTES ? end - TAIL_BYTES : 0;
		ssize_t n = pread(keep->journal, tail, (size_t)(end - from), from);
		if (n != end - from)
			goto failed;
		const char *newline = memrchr(tail, '\n', (size_t)n);
		if (newline) {
			end = from + (newline - tail) + 1;
			break;
		}
		end = from;
	}
	if (end == st.st_size || ftruncate(keep->journal, end) == 0)
		return TP_OK;
failed:
	return tp_fail(diag, TP_IO, keep->directory, NULL, "journal.ndjson: %s", strerror(errno));
}

enum tp_status tp_keep_lock(struct tp_keep *keep, const char *directory, struct tp_diag *diag)
{
	*keep = (struct tp_keep){ .journal = -1, .typed = TP_TYPED_NOTHING };
	if (!tp_copy(keep->directory, sizeof(keep->directory), directory))
		return tp_fail(diag, TP_USAGE, directory, NULL, "path too long");
	return open_journal(keep, 0, diag);
}

void tp_keep_close(struct tp_keep *keep)
{
	if (keep->journal >= 0)
		close(keep->journal);
	keep->journal = -1;
}

void tp_keep_resume_command(const char *directory, struct tp_str *out)
{
	char last[TP_PATH_MAX];
	bool is_last = tp_run_find("last", last, NULL) == TP_OK && strcmp(last, directory) == 0;
	tp_str_add(out, "tprof --resume");
	tp_conclude_word(out, is_last ? "last" : directory);
}

enum tp_status tp_keep_begin(const struct tp_keep *keep, struct tp_run *run, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	TP_STR text = { 0 };
	struct tp_run facts = *run; /* borrowed */
	facts.n_points = facts.n_parts = 0;
	tp_copy(facts.state, sizeof(facts.state), "running");
	enum tp_status status = path_in(keep->directory, "run.json", path, diag);
	if (status == TP_OK) {
		tp_run_json(&facts, &text);
		status = tp_file_write(keep->typed, path, tp_str_text(&text), text.len, diag);
	}
	return status;
}

bool tp_keep_append(struct tp_keep *keep, const char *lines, size_t len)
{
	struct stat st;
	if (keep->journal_failed)
		return true;
	/* A longer journal could not be read again. */
	bool fits = fstat(keep->journal, &st) != 0 ||
		    (unsigned long long)st.st_size + len <= TP_JOURNAL_MAX_BYTES;
	if (fits && tp_write_all(keep->journal, lines, len))
		return true;
	if (!fits)
		errno = EFBIG;
	keep->journal_failed = true;
	return false;
}

/* When the directory has gone, the descriptor still holds the journal. */
static enum tp_status copy_journal(const struct tp_keep *keep, struct tp_diag *diag)
{
	char path[TP_PATH_MAX], proc[NAME_BYTES], *text = NULL;
	size_t len = 0;
	struct stat st;
	enum tp_status status = path_in(keep->directory, "journal.ndjson", path, diag);
	if (status != TP_OK || fstat(keep->journal, &st) != 0)
		return status;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", keep->journal);
	status = tp_file_read(proc, (size_t)st.st_size + 1, &text, &len, diag);
	if (status == TP_OK)
		status = tp_file_write(keep->typed, path, text, len, diag);
	free(text);
	return status;
}

/* Writes the results to another place rather than lose them. */
static enum tp_status write_elsewhere(struct tp_keep *keep, const struct tp_run *run)
{
	const char *const folders[] = { getenv("TMPDIR"), "/tmp", "/dev/shm" };
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char path[TP_PATH_MAX];
		int n = snprintf(path, sizeof(path), "%s/tprof-run-XXXXXX",
				 folders[i] ? folders[i] : "");
		if (!folders[i] || !*folders[i] || n < 0 || (size_t)n >= sizeof(path) ||
		    !mkdtemp(path))
			continue;
		if (tp_rundir_write(TP_TYPED_NOTHING, path, run, NULL) == TP_OK) {
			tp_copy(keep->directory, sizeof(keep->directory), path);
			return TP_OK;
		}
		rmdir(path);
	}
	return TP_IO;
}

enum tp_status tp_keep_results(struct tp_keep *keep, const struct tp_preset *preset,
			       const struct tp_run *run, struct tp_diag *diag)
{
	char planned[TP_PATH_MAX];
	*diag = (struct tp_diag){ 0 };
	enum tp_status status = tp_rundir_write(keep->typed, keep->directory, run, diag);
	if (status == TP_OK)
		return TP_OK;
	tp_copy(planned, sizeof(planned), keep->directory);
	if (access(keep->directory, F_OK) != 0 && errno == ENOENT) {
		status = tp_dir_make(keep->directory, diag);
		if (status == TP_OK)
			status = write_preset(keep, preset, diag);
		if (status == TP_OK)
			status = copy_journal(keep, diag);
		if (status == TP_OK)
			status = tp_rundir_write(keep->typed, keep->directory, run, diag);
		if (status == TP_OK) {
			tp_fail(diag, TP_OK, planned, NULL,
				"was removed during the run; it has been made again with "
				"everything");
			return TP_OK;
		}
	}
	if (write_elsewhere(keep, run) == TP_OK) {
		const struct tp_diag why = *diag;
		tp_fail(diag, status, why.where, "move them to a place of your choice",
			"%.150s; the results are in %.180s instead", why.what, keep->directory);
	}
	return status;
}
