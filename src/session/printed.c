/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/printed.h"
#include "base/file.h"
#include "base/memory.h"
#include "record/rundir.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool path_of(const char *directory, size_t stream, char path[TP_PATH_MAX])
{
	int n = snprintf(path, TP_PATH_MAX, "%s/%s", directory, tp_printed_file(stream));
	return n > 0 && n < TP_PATH_MAX;
}

/* The file of a run that goes on: not through a link of a stranger's run. */
static void take_file(struct tp_output *output, size_t stream, const char *directory, uint64_t cut)
{
	char path[TP_PATH_MAX], *text = NULL;
	size_t len = 0;
	int fd;
	if (!path_of(directory, stream, path) ||
	    tp_file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, &fd, NULL) != TP_OK)
		return;
	if (tp_stream_read(fd, path, TP_OUTPUT_BYTES, &text, &len, NULL) == TP_OK) {
		tp_output_add(output, stream, text, len);
		output->stream[stream].lost = cut;
	}
	free(text);
	close(fd);
}

void tp_printed_begin(struct tp_printed *printed, const char *directory,
		      const struct tp_run *earlier)
{
	printed->fd = tp_output_make();
	printed->output = printed->fd >= 0 ? tp_output_map(printed->fd) : NULL;
	if (!printed->output)
		tp_printed_release(printed);
	for (size_t i = 0; printed->output && earlier && i < TP_OUTPUT_STREAMS; i++)
		take_file(printed->output, i, directory, tp_run_printed_cut(earlier, i));
}

static uint64_t length(const struct tp_output *output, size_t stream)
{
	return TP_MIN(output->stream[stream].n, (uint64_t)TP_OUTPUT_BYTES);
}

void tp_printed_tell(const struct tp_printed *printed, struct tp_run *run)
{
	const struct tp_output *output = printed->output;
	for (size_t i = 0; output && i < TP_OUTPUT_STREAMS; i++)
		if (length(output, i))
			tp_run_printed_set(run, i, length(output, i), output->stream[i].lost);
}

enum tp_status tp_printed_write(const struct tp_printed *printed, const char *directory,
				struct tp_diag *diag)
{
	const struct tp_output *output = printed->output;
	enum tp_status status = TP_OK;
	for (size_t i = 0; output && i < TP_OUTPUT_STREAMS && status == TP_OK; i++) {
		char path[TP_PATH_MAX];
		if (!length(output, i))
			continue;
		if (!path_of(directory, i, path))
			return tp_fail(diag, TP_USAGE, directory, NULL, "path too long");
		tp_file_make_way(path);
		status = tp_file_write(path, output->stream[i].text, length(output, i), diag);
	}
	return status;
}

void tp_printed_release(struct tp_printed *printed)
{
	tp_output_unmap(printed->output);
	if (printed->fd >= 0)
		close(printed->fd);
	*printed = (struct tp_printed){ .fd = -1 };
}
