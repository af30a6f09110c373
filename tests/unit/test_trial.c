/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trials and study rows: events, journal, run.json, trials.csv, and back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "experiments/experiment.h"
#include "record/event.h"
#include "record/load.h"
#include "experiments/counters/readings.h"
#include "record/run.h"
#include "experiments/autotune/row.h"
#include "table/csv.h"
#include "tests/unit/near.h"

static const struct tp_trial gemm = { .run = 1,
				      .point = 3,
				      .index = 41,
				      .position = 7,
				      .size = { 1024, 512, 128 },
				      .invocations = 3,
				      .iterations = 57,
				      .value = 55.123456789012345,
				      .best = 56.5,
				      .ci_low = 54.9,
				      .ci_high = 55.3,
				      .seconds = 0.4375,
				      .stopped = "confident",
				      .finished = true,
				      .incumbent = true,
				      .disturbed = 12 };

static const struct tp_study_row row = { .run = 1,
					 .point = 3,
					 .technique = "c+i+o/100",
					 .routine = "dgemm",
					 .scope = "machine",
					 .library = "OpenBLAS 0.3.21",
					 .index = 41,
					 .size = { 1024, 512, 128 },
					 .best = 55.5,
					 .baseline_value = 55.25,
					 .seconds = 3.5,
					 .speedup = 61.5,
					 .loss = 0.0078125,
					 .error = -0.015625,
					 .configurations = 96,
					 .invocations = 130,
					 .iterations = 1204 };

static void expect_trial(const struct tp_trial *a, const struct tp_trial *b)
{
	assert_int_equal(a->run, b->run);
	assert_int_equal(a->point, b->point);
	assert_int_equal(a->index, b->index);
	assert_int_equal(a->position, b->position);
	for (size_t i = 0; i < TP_TRIAL_DIMENSIONS; i++)
		assert_int_equal(a->size[i], b->size[i]);
	assert_int_equal(a->invocations, b->invocations);
	assert_int_equal(a->iterations, b->iterations);
	assert_near(a->value, b->value, 1e-12);
	assert_near(a->best, b->best, 1e-12);
	assert_near(a->ci_low, b->ci_low, 1e-12);
	assert_near(a->ci_high, b->ci_high, 1e-12);
	assert_near(a->seconds, b->seconds, 1e-12);
	assert_string_equal(a->stopped, b->stopped);
	assert_int_equal(a->finished, b->finished);
	assert_int_equal(a->incumbent, b->incumbent);
	assert_int_equal(a->disturbed, b->disturbed);
}

static struct tp_trial trial(unsigned point, unsigned index, double value, bool incumbent)
{
	struct tp_trial t = gemm;

	t.point = point;
	t.index = index;
	t.value = value;
	t.incumbent = incumbent;
	return t;
}

static void put(struct tp_run *run, unsigned point, unsigned index, double value, bool incumbent)
{
	struct tp_trial t = trial(point, index, value, incumbent);

	assert_int_equal(tp_trials_put(run, &t), TP_OK);
}

static void configurations_have_names(void **state)
{
	char name[TP_TRIAL_NAME_MAX];

	(void)state;
	assert_string_equal(tp_trial_name(gemm.size, name), "n 1024 m 512 k 128");
	assert_string_equal(tp_trial_name((uint64_t[]){ 32768, 0, 0 }, name), "n 32768");
	assert_string_equal(tp_trial_name((uint64_t[]){ 0, 0, 0 }, name), "");
	assert_string_equal(tp_trial_name((uint64_t[]){ UINT64_MAX, UINT64_MAX, UINT64_MAX }, name),
			    "n 18446744073709551615 m 18446744073709551615 k 18446744073709551615");
}

/* Any order of arrival costs what sorting costs: nothing moves until somebody reads. */
static void trials_in_descending_order_are_sorted_once(void **state)
{
	enum { N = TP_RUN_TRIALS_MAX };
	struct tp_run run = { 0 };

	(void)state;
	for (unsigned i = N; i-- > 0;)
		put(&run, 0, i, 1 + i, false);
	/* Until somebody reads, nothing has moved: the last one put stands at the end. */
	const struct tp_rows *raw = tp_run_rows_of(&run, &tp_trial_part);
	assert_int_equal(raw->n, N);
	assert_int_equal(((const struct tp_trial *)raw->rows)[N - 1].index, 0);
	assert_int_equal(((const struct tp_trial *)raw->rows)[0].index, N - 1);
	/* What came twice, in and out of order, counts once: the later one. */
	put(&run, 0, 7, 1000, true);
	put(&run, 0, 7, 2000, true);
	assert_int_equal(tp_run_n_trials(&run), N);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(tp_run_trials(&run)[i].index, i);
	assert_near(tp_run_trials(&run)[7].value, 2000, 0);
	put(&run, 0, 7, 3000, true);
	assert_near(tp_trials_best(&run, 0)->value, 3000, 0);
	assert_int_equal(tp_run_n_trials(&run), N);
	/* One more than any run has. */
	const struct tp_trial more = { .index = N };
	assert_int_equal(tp_trials_put(&run, &more), TP_RESOURCE);
	assert_int_equal(tp_run_n_trials(&run), N);
	tp_run_release(&run);
}

/* Whatever the order of arrival: sorted, the last one of a point and index counts. */
static void trials_are_kept_by_point_and_index(void **state)
{
	static const unsigned arrivals[][2] = { { 2, 5 }, { 0, 9 }, { 2, 1 }, { 0, 0 }, { 1, 3 },
						{ 2, 5 }, { 0, 4 }, { 2, 0 }, { 0, 9 } };
	static const unsigned kept[][2] = { { 0, 0 }, { 0, 4 }, { 0, 9 }, { 1, 3 },
					    { 2, 0 }, { 2, 1 }, { 2, 5 } };
	struct tp_run run = { 0 };
	size_t n;

	(void)state;
	for (unsigned i = 0; i < TP_COUNT_OF(arrivals); i++)
		put(&run, arrivals[i][0], arrivals[i][1], i, false);
	assert_int_equal(tp_run_n_trials(&run), TP_COUNT_OF(kept));
	for (size_t i = 0; i < TP_COUNT_OF(kept); i++) {
		assert_int_equal(tp_run_trials(&run)[i].point, kept[i][0]);
		assert_int_equal(tp_run_trials(&run)[i].index, kept[i][1]);
	}
	assert_near(tp_run_trials(&run)[2].value, 8, 0);
	assert_near(tp_run_trials(&run)[6].value, 5, 0);
	assert_ptr_equal(tp_trials_of(&run, 2, &n), &tp_run_trials(&run)[4]);
	assert_int_equal(n, 3);
	tp_run_forget_rows(&run, &tp_trial_part, 0);
	assert_int_equal(tp_run_n_trials(&run), 4);
	assert_int_equal(tp_run_trials(&run)[0].point, 1);
	assert_null(tp_trials_of(&run, 0, &n));
	assert_int_equal(n, 0);
	tp_run_forget_rows(&run, &tp_trial_part, 7);
	tp_run_forget_rows(&run, &tp_trial_part, 2);
	assert_int_equal(tp_run_n_trials(&run), 1);
	tp_run_release(&run);
}

/* A trial that was never the best is none, however fast it looked. */
static void the_winner_is_the_fastest_incumbent(void **state)
{
	struct tp_run run = { 0 };

	(void)state;
	assert_null(tp_trials_best(&run, 0));
	put(&run, 0, 0, 90, false);
	assert_null(tp_trials_best(&run, 0));
	put(&run, 0, 1, 50, true);
	put(&run, 0, 2, 60, true);
	put(&run, 0, 3, 55, true);
	put(&run, 1, 0, 99, true);
	assert_int_equal(tp_trials_best(&run, 0)->index, 2);
	assert_int_equal(tp_trials_best(&run, 1)->index, 0);
	tp_run_release(&run);
}

static void trial_events_come_back(void **state)
{
	struct tp_event event = { .kind = TP_EVENT_ROW,
				  .t = 1.5,
				  .row_event = &tp_trial_event,
				  .row = &gemm },
			back;
	struct tp_str line = { 0 };
	struct tp_diag diag;

	(void)state;
	tp_event_write(&event, &line);
	assert_int_equal(tp_event_parse(&back, line.s, line.len - 1, &diag), TP_OK);
	assert_int_equal(back.kind, TP_EVENT_ROW);
	assert_ptr_equal(back.row_event, &tp_trial_event);
	assert_int_equal(back.point.point, 3);
	expect_trial(back.row, &gemm);
	tp_str_release(&line);
}

static void trial_events_need_point_and_index(void **state)
{
	static const char *const lines[] = {
		"{\"v\":1,\"ev\":\"trial\",\"t\":0,\"index\":1}",
		"{\"v\":1,\"ev\":\"trial\",\"t\":0,\"point\":1}",
		"{\"v\":1,\"ev\":\"trial\",\"t\":0,\"point\":-1,\"index\":1}",
		"{\"v\":1,\"ev\":\"trial\",\"t\":0,\"point\":1,\"index\":\"a\"}",
		"{\"v\":1,\"ev\":\"trial\",\"t\":0,\"point\":1,\"index\":-4}",
		"{\"v\":1,\"ev\":\"trial\",\"t\":0,\"point\":1,\"index\":1,\"n\":\"x\"}"
	};
	struct tp_event event;
	struct tp_diag diag;

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(lines); i++)
		assert_int_equal(tp_event_parse(&event, lines[i], strlen(lines[i]), &diag),
				 TP_USAGE);
}

static void say(struct tp_journal *journal, enum tp_event_kind kind, unsigned point, unsigned index,
		double value)
{
	struct tp_trial t = trial(point, index, value, false);
	struct tp_event event = {
		.kind = kind, .point = { .point = point }, .row_event = &tp_trial_event, .row = &t
	};
	struct tp_diag diag;

	assert_int_equal(tp_journal_take(journal, &event, &diag), TP_OK);
}

/*
 * A point that begins anew after a crash loses what the attempt before had tried; one that ended
 * keeps it.
 */
static void a_journal_keeps_the_last_of_each(void **state)
{
	struct tp_run run = { 0 };
	struct tp_journal *journal = tp_journal_new(&run);
	struct tp_trial far_trial = { .point = 1u << 20 };
	struct tp_event far = { .kind = TP_EVENT_ROW,
				.point = { .point = 1u << 20 },
				.row_event = &tp_trial_event,
				.row = &far_trial };
	struct tp_diag diag;

	(void)state;
	assert_non_null(journal);
	say(journal, TP_EVENT_POINT_BEGIN, 0, 0, 0);
	say(journal, TP_EVENT_ROW, 0, 5, 1);
	say(journal, TP_EVENT_ROW, 0, 6, 2);
	say(journal, TP_EVENT_POINT_BEGIN, 0, 0, 0);
	assert_int_equal(tp_run_n_trials(&run), 0);
	say(journal, TP_EVENT_ROW, 0, 5, 3);
	say(journal, TP_EVENT_ROW, 0, 5, 4);
	say(journal, TP_EVENT_POINT_END, 0, 0, 0);
	say(journal, TP_EVENT_POINT_BEGIN, 0, 0, 0);
	say(journal, TP_EVENT_ROW, 1, 0, 7);
	assert_int_equal(tp_run_n_trials(&run), 2);
	assert_near(tp_run_trials(&run)[0].value, 4, 0);
	assert_near(tp_run_trials(&run)[1].value, 7, 0);
	assert_int_equal(tp_journal_take(journal, &far, &diag), TP_USAGE);
	tp_journal_free(journal);
	tp_run_release(&run);
}

static void count(struct tp_run *run, const char *family)
{
	struct tp_reading reading = { family, "A", 0, 0, 7, 1 };
	struct tp_diag diag;

	assert_int_equal(tp_readings_add(tp_run_readings_of(run), &reading, &diag), TP_OK);
}

/* Of finished points what was tried; counts as a whole; results that are made anew stay behind. */
static void a_run_that_goes_on_keeps_what_was_measured(void **state)
{
	struct tp_point points[] = { { .point = 0, .state = TP_POINT_DONE },
				     { .point = 1, .state = TP_POINT_PLANNED } };
	struct tp_run from = { .points = points, .n_points = TP_COUNT_OF(points) }, run = { 0 };

	(void)state;
	put(&from, 0, 3, 30, true);
	put(&from, 0, 4, 40, true);
	put(&from, 1, 0, 10, true);
	put(&from, 7, 0, 70, true); /* no such point */
	put(&run, 0, 3, 1, false);
	count(&from, "flops");
	count(&run, "branch");
	assert_non_null(tp_run_add_row(&from, &tp_study_part));
	assert_int_equal(tp_run_take_measured(&run, &from), TP_OK);
	assert_int_equal(tp_run_n_trials(&run), 2);
	assert_near(tp_run_trials(&run)[0].value, 30, 0);
	assert_near(tp_run_trials(&run)[1].value, 40, 0);
	assert_int_equal(tp_run_readings(&run)->n, 1);
	assert_string_equal(tp_run_readings(&run)->families[0].name, "flops");
	assert_int_equal(tp_run_n_study(&run), 0);
	tp_run_forget(&run, 0);
	assert_int_equal(tp_run_n_trials(&run), 0);
	assert_int_equal(tp_run_readings(&run)->n, 1);
	from.points = NULL;
	from.n_points = 0;
	tp_run_release(&from);
	tp_run_release(&run);
}

static void make_run(struct tp_run *run)
{
	struct tp_study_row *rows;
	struct tp_trial open = { .point = 4, .index = 0, .size = { 32768, 0, 0 }, .stopped = "" };

	*run = (struct tp_run){ .state = "complete" };
	for (unsigned i = 0; i < 2; i++)
		assert_non_null(tp_run_add_row(run, &tp_study_part));
	rows = tp_run_study(run);
	rows[0] = row;
	rows[1] = row;
	rows[1].speedup = rows[1].baseline_value = 0;
	rows[1].loss = rows[1].error = NAN;
	assert_int_equal(tp_trials_put(run, &open), TP_OK);
	assert_int_equal(tp_trials_put(run, &gemm), TP_OK);
}

static void expect_row(const struct tp_study_row *a, const struct tp_study_row *b)
{
	assert_int_equal(a->run, b->run);
	assert_int_equal(a->point, b->point);
	assert_string_equal(a->technique, b->technique);
	assert_string_equal(a->routine, b->routine);
	assert_string_equal(a->scope, b->scope);
	assert_string_equal(a->library, b->library);
	assert_int_equal(a->index, b->index);
	for (size_t i = 0; i < TP_TRIAL_DIMENSIONS; i++)
		assert_int_equal(a->size[i], b->size[i]);
	assert_near(a->best, b->best, 1e-12);
	assert_near(a->baseline_value, b->baseline_value, 1e-12);
	assert_near(a->seconds, b->seconds, 1e-12);
	assert_near(a->speedup, b->speedup, 1e-12);
	assert_int_equal(isnan(a->loss), isnan(b->loss));
	assert_int_equal(isnan(a->error), isnan(b->error));
	if (!isnan(b->error))
		assert_near(a->error, b->error, 1e-12);
	if (!isnan(b->loss))
		assert_near(a->loss, b->loss, 1e-12);
	assert_int_equal(a->configurations, b->configurations);
	assert_int_equal(a->invocations, b->invocations);
	assert_int_equal(a->iterations, b->iterations);
}

static void a_document_comes_back(void **state)
{
	struct tp_run run, back = { 0 };
	struct tp_str json = { 0 }, again = { 0 };
	struct tp_diag diag;

	(void)state;
	make_run(&run);
	tp_run_json(&run, &json);
	assert_non_null(strstr(json.s, "\"configuration\": \"n 1024 m 512 k 128\""));
	if (tp_run_parse(&back, "run.json", json.s, json.len, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	assert_int_equal(tp_run_n_trials(&back), 2);
	expect_trial(&tp_run_trials(&back)[0], &gemm);
	expect_trial(&tp_run_trials(&back)[1], &tp_run_trials(&run)[1]);
	assert_int_equal(tp_run_n_study(&back), 2);
	expect_row(&tp_run_study(&back)[0], &tp_run_study(&run)[0]);
	expect_row(&tp_run_study(&back)[1], &tp_run_study(&run)[1]);
	tp_run_json(&back, &again);
	assert_string_equal(json.s, again.s);
	tp_str_release(&json);
	tp_str_release(&again);
	tp_run_release(&run);
	tp_run_release(&back);
}

static void a_spoilt_document_is_refused(void **state)
{
	static const char *const lists[] = { "\"trials\": 4",
					     "\"trials\": [3]",
					     "\"trials\": [{\"point\": 1}]",
					     "\"trials\": [{\"point\": -1, \"index\": 1}]",
					     "\"trials\": [{\"index\": 1, \"value\": \"fast\"}]",
					     "\"study\": {}",
					     "\"study\": [[]]",
					     "\"study\": [{\"loss\": \"little\"}]" };
	char text[256];
	struct tp_run run = { .state = "kept" };
	struct tp_diag diag;

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(lists); i++) {
		int n = snprintf(text, sizeof(text),
				 "{\"format\": \"tprof-run\", \"version\": 1, %s}", lists[i]);
		assert_int_equal(tp_run_parse(&run, "run.json", text, (size_t)n, &diag), TP_USAGE);
		assert_string_equal(run.state, "kept");
		assert_true(diag.what[0] != '\0');
	}
	tp_run_release(&run);
}

static void the_table_has_a_row_a_trial(void **state)
{
	struct tp_run run;
	struct tp_str csv = { 0 };

	(void)state;
	make_run(&run);
	tp_rows_csv(tp_run_rows(&run, &tp_trial_part), tp_trial_part.table, &csv);
	assert_string_equal(
		csv.s, "run,point,index,position,n,m,k,invocations,iterations,value,best,ci_low,"
		       "ci_high,seconds,stopped,finished,incumbent,disturbed\n"
		       "1,3,41,7,1024,512,128,3,57,55.12345679,56.5,54.9,55.3,0.4375,confident,"
		       "true,true,12\n"
		       "0,4,0,0,32768,,,0,0,,,,,0,,false,false,\n");
	tp_str_release(&csv);
	tp_run_release(&run);
}

/* Written to a directory, loaded whole, and as a preview: without the trials, with the study. */
static void a_directory_holds_them(void **state)
{
	char directory[] = "/tmp/tprof-test-trial-XXXXXX", path[TP_PATH_MAX];
	static const char *const files[] = { "trials.csv", "study.csv", "points.csv", "run.json" };
	struct tp_run run, back;
	struct tp_diag diag;

	(void)state;
	assert_non_null(mkdtemp(directory));
	make_run(&run);
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, directory, &run, &diag), TP_OK);
	assert_int_equal(tp_run_load(&back, directory, &diag), TP_OK);
	assert_int_equal(tp_run_n_trials(&back), 2);
	assert_int_equal(tp_run_n_study(&back), 2);
	tp_run_release(&back);
	assert_int_equal(tp_run_load_results(&back, directory, &diag), TP_OK);
	assert_int_equal(tp_run_n_trials(&back), 0);
	assert_int_equal(tp_run_n_study(&back), 2);
	tp_run_release(&back);
	tp_run_release(&run);
	for (size_t i = 0; i < TP_COUNT_OF(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(configurations_have_names),
		cmocka_unit_test(trials_are_kept_by_point_and_index),
		cmocka_unit_test(trials_in_descending_order_are_sorted_once),
		cmocka_unit_test(the_winner_is_the_fastest_incumbent),
		cmocka_unit_test(trial_events_come_back),
		cmocka_unit_test(trial_events_need_point_and_index),
		cmocka_unit_test(a_journal_keeps_the_last_of_each),
		cmocka_unit_test(a_run_that_goes_on_keeps_what_was_measured),
		cmocka_unit_test(a_document_comes_back),
		cmocka_unit_test(a_spoilt_document_is_refused),
		cmocka_unit_test(the_table_has_a_row_a_trial),
		cmocka_unit_test(a_directory_holds_them),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
