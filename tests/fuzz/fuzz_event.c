/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as one event and as a whole journal: must not crash, must say why it fails, and what is
 * read must survive writing and reading again.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_event tests/fuzz/corpus/event
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "experiments/experiment.h"
#include "record/event.h"
#include "record/run.h"
#include "tests/fuzz/promise.h"

static void one_event(const char *text, size_t len)
{
	struct tp_event event, again;
	struct tp_diag diag = { 0 };
	struct tp_str line = { 0 }, second = { 0 };
	enum tp_status status = tp_event_parse(&event, text, len, &diag);

	if (status) {
		must(diag.what[0], "a failure has words");
		return;
	}
	tp_event_write(&event, &line);
	must(tp_event_parse(&again, line.s, line.len - 1, &diag) == TP_OK, "and read again");
	tp_event_write(&again, &second);
	must(strcmp(line.s, second.s) == 0, "to the same line");
	tp_str_release(&line);
	tp_str_release(&second);
}

static void whole_journal(const uint8_t *data, size_t size)
{
	struct tp_run run = { 0 };
	struct tp_diag diag = { 0 };
	char path[32];
	int fd = memfd_create("journal", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (tp_journal_read(&run, path, &diag))
		must(diag.what[0], "a failure has words");
	for (size_t i = 0; i < run.n_points; i++)
		must(run.points[i].n_samples <= run.points[i].cap_samples, "samples have room");
	tp_run_release(&run);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	one_event((const char *)data, size);
	whole_journal(data, size);
	return 0;
}
