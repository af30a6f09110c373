/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run in a line: made from its points, kept in the head of run.json, read by lists. */
#include "experiments/experiment.h"
#include "tests/unit/files.h"

#include <unistd.h>

#include "record/load.h"
#include "record/point.h"

static struct tp_point *add_point(struct tp_run *run, const char *isa, unsigned threads,
				  double median, const char *unit, enum tp_quality quality)
{
	struct tp_point *p = &run->points[run->n_points];
	tp_point_begin(p, "memcurve", &run->arena);
	p->point = (unsigned)run->n_points++;
	strcpy(p->experiment, "memcurve");
	strcpy(p->kernel, "load");
	strcpy(tp_kernel_row_of(p)->isa, isa);
	p->threads = threads;
	p->median = median;
	strcpy(p->unit, unit);
	p->quality = quality;
	p->state = TP_POINT_DONE;
	return p;
}

static struct tp_run some_run(void)
{
	struct tp_run run = { .state = "complete" };
	run.points = calloc(8, sizeof(*run.points));
	assert_non_null(run.points);
	run.cap_points = 8;
	add_point(&run, "avx2", 1, 335.1, "GB/s", TP_QUALITY_GOOD);
	add_point(&run, "avx2", 1, 28.94, "GB/s", TP_QUALITY_FAIR);
	add_point(&run, "scalar", 2, 52.14, "GFLOP/s", TP_QUALITY_GOOD);
	add_point(&run, "sse", 4, 9999, "GB/s", TP_QUALITY_POOR)->state = TP_POINT_FAILED;
	return run;
}

static void finished_points_make_it(void **state)
{
	(void)state;
	struct tp_run run = some_run();
	struct tp_run_brief brief;
	char words[256];
	tp_run_brief(&run, &brief);
	assert_string_equal(brief.experiments, "memcurve");
	assert_string_equal(brief.isas, "avx2, scalar");
	assert_string_equal(brief.threads, "1, 2");
	assert_string_equal(brief.figures, "28.9-335 GB/s, 52.1 GFLOP/s");
	assert_true(brief.headline == 335.1);
	assert_int_equal(brief.quality[TP_QUALITY_GOOD], 2);
	assert_int_equal(brief.quality[TP_QUALITY_FAIR], 1);
	assert_int_equal(brief.quality[TP_QUALITY_POOR], 0);
	assert_string_equal(tp_brief_words(&brief, "quick", words, sizeof(words)),
			    "memcurve, avx2, scalar, 1, 2 threads, 28.9-335 GB/s, 52.1 GFLOP/s, "
			    "2 good, 1 fair");
	/* The experiment is left out where the name says it already. */
	assert_memory_equal(tp_brief_words(&brief, "memcurve", words, sizeof(words)), "avx2,", 5);
	/* Never beyond the room. */
	tp_brief_words(&brief, "quick", words, 12);
	assert_string_equal(words, "memcurve, a");

	/* Nothing is finished: what was planned. */
	for (size_t i = 0; i < run.n_points; i++)
		run.points[i].state = TP_POINT_PLANNED;
	tp_run_brief(&run, &brief);
	assert_string_equal(brief.isas, "avx2, scalar, sse");
	assert_string_equal(brief.figures, "");
	tp_run_release(&run);
	tp_run_brief(&run, &brief);
	assert_string_equal(tp_brief_words(&brief, "", words, sizeof(words)), "");
}

static void many_words_end_where_the_room_does(void **state)
{
	(void)state;
	struct tp_run run = { .points = calloc(300, sizeof(struct tp_point)), .cap_points = 300 };
	struct tp_run_brief brief;
	assert_non_null(run.points);
	for (unsigned i = 0; i < 300; i++)
		add_point(&run, "avx2", i + 1, 1, "GB/s", TP_QUALITY_NONE);
	tp_run_brief(&run, &brief);
	assert_memory_equal(brief.threads, "1, 2, 3", 7);
	assert_true(strlen(brief.threads) < sizeof(brief.threads));
	assert_string_equal(brief.figures, "1 GB/s");
	tp_run_release(&run);
}

static void lists_read_it_from_the_head(void **state)
{
	(void)state;
	char folder[] = "/tmp/tprof-brief-XXXXXX", path[TP_PATH_MAX];
	struct tp_run run = some_run();
	struct tp_run_entry *entry = calloc(1, sizeof(*entry));
	struct tp_run_brief brief;
	struct tp_diag diag = { 0 };
	assert_non_null(mkdtemp(folder));
	assert_non_null(entry);
	snprintf(path, sizeof(path), "%s/one", folder);
	assert_int_equal(tp_dir_make(path, &diag), TP_OK);
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, path, &run, &diag), TP_OK);
	assert_true(tp_run_entry_read(folder, "one", entry));
	tp_run_brief(&run, &brief);
	assert_memory_equal(&entry->brief.quality, &brief.quality, sizeof(brief.quality));
	assert_string_equal(entry->brief.figures, brief.figures);
	assert_string_equal(entry->brief.isas, brief.isas);
	assert_string_equal(entry->brief.threads, brief.threads);
	assert_string_equal(entry->brief.experiments, brief.experiments);
	tp_run_release(&run);

	/* Foreign heads: other types, numbers below 0. */
	put_file(folder, "two/run.json",
		 "{\n\"format\": \"tprof-run\",\n\"version\": 1,\n\"state\": \"complete\",\n"
		 "\"points_done\": 1,\n\"summary\": {\"isas\": 7, \"good\": -4, \"fair\": \"x\"},\n"
		 "\"roofs\": [\n]\n}\n");
	assert_true(tp_run_entry_read(folder, "two", entry));
	assert_string_equal(entry->brief.isas, "");
	assert_int_equal(entry->brief.quality[TP_QUALITY_GOOD], 0);
	assert_int_equal(entry->brief.quality[TP_QUALITY_FAIR], 0);
	free(entry);
	assert_int_equal(remove_tree(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finished_points_make_it),
		cmocka_unit_test(many_words_end_where_the_room_does),
		cmocka_unit_test(lists_read_it_from_the_head),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
