/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes that share no file system with this one. tprof there reads the preset from its standard
 * input and prints its events, which become the journal here; its run.json follows at the end.
 */
#include "cluster/parts.h"
#include "record/run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a shell answers for its command. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

const char tp_remote_script[] =
	"if test -s \"$1/run.json\" && test -f \"$1/journal.ndjson\"; then "
	"exec \"$0\" --resume \"$1\" --quiet --events $2; fi; "
	"rm -rf -- \"$1\"; mkdir -p -- \"$1\" && cat >\"$1.yaml\" && "
	"exec \"$0\" --batch \"$1.yaml\" --run-dir \"$1\" --quiet --events $2";

/* An earlier try may have left half a line, which would spoil the next event. */
static void end_line(const char *path)
{
	char last = '\n';
	int fd = open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	off_t end = lseek(fd, 0, SEEK_END);
	if (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n')
		tp_write_all(fd, "\n", 1);
	close(fd);
}

enum tp_status tp_remote_begin(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			       char journal[TP_PATH_MAX], struct tp_diag *diag)
{
	char directory[TP_PATH_MAX];
	if (!tp_node_path(cluster, node, "", directory) ||
	    !tp_node_path(cluster, node, "/journal.ndjson", journal))
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL, "path too long");
	enum tp_status status = tp_dir_make(directory, diag);
	if (status == TP_OK)
		end_line(journal);
	return status;
}

/* The table of finished points beside it, as every run directory has it. */
static bool write_table(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			const struct tp_run *run)
{
	struct tp_str csv = { 0 };
	char path[TP_PATH_MAX];
	bool good = true;
	if (tp_node_path(cluster, node, "/points.csv", path) && tp_run_csv(run, &csv) == TP_OK)
		good = tp_file_write(path, tp_str_text(&csv), csv.len, NULL) == TP_OK;
	tp_str_release(&csv);
	return good;
}

static bool sync_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool good = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return good;
}

bool tp_remote_take(const struct tp_cluster *cluster, const struct tp_cluster_node *node)
{
	struct tp_run run = { 0 };
	char *text, path[TP_PATH_MAX], to[TP_PATH_MAX];
	size_t len;
	if (!tp_node_path(cluster, node, TP_REMOTE_COMING, path) ||
	    !tp_node_path(cluster, node, "/run.json", to) || !tp_is_file(path))
		return false;
	bool good = tp_file_read(path, TP_RUN_JSON_MAX_BYTES, &text, &len, NULL) == TP_OK;
	if (good) {
		good = tp_run_parse(&run, path, text, len, NULL) == TP_OK;
		free(text);
	}
	good = good && write_table(cluster, node, &run) && sync_file(path) && rename(path, to) == 0;
	tp_run_release(&run);
	if (!good)
		unlink(path);
	return good;
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
