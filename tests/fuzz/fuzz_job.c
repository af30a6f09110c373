/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the job that the engine gets: must not crash, must not take memory that the text
 * does not account for, must say why it fails, and what is read must survive writing and reading
 * again.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_job tests/fuzz/corpus/job
 */
#include <string.h>

#include "engine/job.h"
#include "experiments/experiment.h"
#include "tests/fuzz/promise.h"

static void write_and_read(const struct tp_job *job)
{
	struct tp_job again;
	struct tp_str text = { 0 }, second = { 0 };
	struct tp_diag diag = { 0 };
	tp_job_write(job, &text);
	must(tp_job_parse(&again, tp_str_text(&text), &diag) == TP_OK, "a job can be read again");
	must(again.n_configs == job->n_configs && again.n_ids == job->n_ids, "with all of it");
	tp_job_write(&again, &second);
	must(strcmp(tp_str_text(&text), tp_str_text(&second)) == 0, "and is the same text");
	tp_arena_release(&again.arena);
	tp_str_release(&text);
	tp_str_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	struct tp_str text = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_job job;
	tp_str_add_n(&text, (const char *)data, size);
	if (tp_job_parse(&job, tp_str_text(&text), &diag) == TP_OK)
		write_and_read(&job);
	else
		must(diag.what[0], "a failure has words");
	tp_arena_release(&job.arena);
	tp_str_release(&text);
	return 0;
}
