/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes that share no file system with this one. tprof there reads the preset from its standard
 * input and prints its events, which become the journal here. Its other files follow at the end:
 * one after another, each after a line "NAME BYTES", and run.json last. Files are accepted only if
 * all of them arrived complete.
 */
#include "cluster/remote.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cluster/cluster.h"
#include "cluster/detached.h"
#include "record/run.h"
#include "record/rundir.h"

/* The answer of a shell to its command. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, HEAD_BYTES = 64 };

static const char result_name[] = "run.json";

/* Other nodes may have the same home, and remove what they left while this one begins. */
const char tp_remote_script[] =
	"command -v \"$0\" >/dev/null || { echo \"$0: not found\" >&2; exit 127; }; "
	"if test -s \"$1/run.json\" && test -f \"$1/journal.ndjson\"; then "
	"exec \"$0\" --resume \"$1\" --quiet --events $2; fi; "
	"if test -d \"$1\"; then rm -f -- \"$1/journal.ndjson\" \"$1/preset.yaml\"; fi; "
	"{ mkdir -p -- \"$1\" || mkdir -p -- \"$1\"; } && cat >\"$1.yaml\" && "
	"exec \"$0\" --batch \"$1.yaml\" --run-dir \"$1\" --quiet --events $2";

/* Skips those that are made here, or already present. */
static bool is_printed(const char *file)
{
	static const char *const not_printed[] = { "points.csv", "plots.svg", "preset.yaml",
						   "journal.ndjson" };
	for (size_t i = 0; i < TP_COUNT_OF(not_printed); i++)
		if (strcmp(file, not_printed[i]) == 0)
			return false;
	return true;
}

void tp_remote_add_print(struct tp_str *out)
{
	tp_str_add(out, "cd -- \"$1\" && for f in");
	for (size_t i = 0; tp_run_file_names[i]; i++)
		if (is_printed(tp_run_file_names[i]))
			tp_str_printf(out, " %s", tp_run_file_names[i]);
	tp_str_add(out, "; do if test -f \"$f\"; then "
			"echo \"$f\" $(wc -c <\"$f\") && cat -- \"$f\" || exit 1; fi; done");
}

enum tp_status tp_remote_begin(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			       char journal[TP_PATH_MAX], struct tp_diag *diag)
{
	char directory[TP_PATH_MAX];
	enum tp_status status = tp_dir_make(tp_node_path(cluster, node, "", directory), diag);
	if (status == TP_OK) {
		/* An earlier try may have left half a line, which would spoil the next event. */
		char last = '\n';
		int fd;
		tp_node_path(cluster, node, "/journal.ndjson", journal);
		if (tp_file_create(TP_TYPED_NOTHING, journal, O_RDWR | O_APPEND, &fd, NULL) ==
		    TP_OK) {
			off_t end = lseek(fd, 0, SEEK_END);
			if (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n')
				tp_write_all(fd, "\n", 1);
			close(fd);
		}
	}
	return status;
}

bool tp_remote_next(const char *text, size_t len, size_t *at, char name[TP_REMOTE_NAME_BYTES],
		    size_t *bytes)
{
	char head[HEAD_BYTES];
	const char *end = memchr(text + *at, '\n', TP_MIN(len - *at, HEAD_BYTES - 1));
	unsigned long long n;
	int used = 0;
	bool ours = false;
	if (!end)
		return false;
	snprintf(head, sizeof(head), "%.*s", (int)(end - text - (ptrdiff_t)*at), text + *at);
	if (sscanf(head, "%31s %20llu%n", name, &n, &used) != 2 || head[used])
		return false;
	for (size_t i = 0; tp_run_file_names[i]; i++)
		ours |= strcmp(name, tp_run_file_names[i]) == 0;
	*at = (size_t)(end - text) + 1;
	*bytes = (size_t)n;
	return ours && is_printed(name) && n <= len - *at;
}

static enum tp_status write_file(const struct tp_cluster *cluster,
				 const struct tp_cluster_node *node, const char *name,
				 const char *text, size_t len, struct tp_diag *diag)
{
	char tail[HEAD_BYTES + 1], path[TP_PATH_MAX];
	snprintf(tail, sizeof(tail), "/%s", name);
	return tp_file_write(TP_TYPED_NOTHING, tp_node_path(cluster, node, tail, path), text, len,
			     diag);
}

/* Writes only if all of it is good. */
static enum tp_status take(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			   char *text, size_t len, struct tp_diag *diag)
{
	char name[TP_REMOTE_NAME_BYTES] = "";
	size_t at = 0, bytes = 0, whole = 0;
	TP_CLEANUP(tp_run_release) struct tp_run run = { 0 };
	TP_STR csv = { 0 };
	while (whole < len && tp_remote_next(text, len, &at, name, &bytes))
		whole = at += bytes;
	if (!len || whole != len || strcmp(name, result_name) != 0)
		return tp_fail(diag, TP_FAILED, node->name, NULL, "%s",
			       len ? "they arrived incomplete" : "there are none");
	enum tp_status status = tp_run_parse(&run, result_name, text + len - bytes, bytes, diag);
	if (status != TP_OK)
		return status;
	/* The tables first: once run.json reports the end, it replaces them. */
	tp_run_csv(&run, true, &csv);
	status = write_file(cluster, node, "points.csv", tp_str_text(&csv), csv.len, diag);
	for (at = 0; status == TP_OK && tp_remote_next(text, len, &at, name, &bytes); at += bytes)
		status = write_file(cluster, node, name, text + at, bytes, diag);
	return status;
}

enum tp_status tp_remote_take(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			      struct tp_diag *diag)
{
	TP_FREE char *text = NULL;
	char path[TP_PATH_MAX];
	size_t len;
	enum tp_status status = tp_node_own_folder(cluster, node, diag);
	if (status != TP_OK)
		return status;
	tp_node_path(cluster, node, TP_REMOTE_COMING, path);
	status = tp_file_read(path, TP_REMOTE_MAX_BYTES, &text, &len, diag);
	if (status == TP_OK)
		status = take(cluster, node, text, len, diag);
	unlink(path);
	return status;
}

bool tp_remote_lacks_program(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			     char *out, size_t size)
{
	int number;
	bool signal;
	if (!tp_node_exit(cluster, node, &number, &signal) || signal ||
	    (number != NOT_FOUND && number != NOT_EXECUTABLE))
		return false;
	snprintf(out, size,
		 "there is no program %.100s on the node: install it there, or name its path with "
		 "--program",
		 cluster->program);
	return true;
}
