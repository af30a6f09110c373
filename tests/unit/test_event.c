/* SPDX-License-Identifier: GPL-3.0-or-later */
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
#include "record/point.h"
#include "experiments/counters/readings.h"
#include "record/run.h"
#include "tests/unit/near.h"

/* Every test that writes a journal writes this file and removes it. */
static char path[] = "/tmp/tprof-test-event-XXXXXX";

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static enum tp_status parse(struct tp_event *event, const char *line, struct tp_diag *diag)
{
	return tp_event_parse(event, line, strlen(line), diag);
}

/* Writes and parses back. */
static void again(const struct tp_event *event, struct tp_event *back)
{
	struct tp_str line = { 0 };
	struct tp_diag diag;

	tp_event_write(event, &line);
	assert_int_equal(line.s[line.len - 1], '\n');
	assert_ptr_equal(strchr(line.s, '\n'), &line.s[line.len - 1]);
	if (tp_event_parse(back, line.s, line.len - 1, &diag) != TP_OK)
		fail_msg("%s: %s", line.s, diag.what);
	assert_int_equal(back->kind, event->kind);
	assert_near(back->t, event->t, 1e-12);
	tp_str_release(&line);
}

static struct tp_kernel_row dram_row = { .isa = "avx2",
					 .precision = "double",
					 .level = "DRAM",
					 .working_set_bytes = 134217728,
					 .loads = 2,
					 .stores = 1,
					 .nontemporal = true,
					 .best_ratio = true,
					 .body = "u256 two-streams +1024 B",
					 .pages = "thp",
					 .median_gbps = 60.900000000000006,
					 .best_gbps = 61.25,
					 .bytes_per_cycle = 8.3,
					 .ipc = 0.26 };
static const struct tp_point dram = { .run = 1,
				      .point = 17,
				      .experiment = "roofline",
				      .kernel = "2ld1st-nt",
				      .threads = 2,
				      .cpus = "0,1",
				      .estimate_seconds = 1.5,
				      .state = TP_POINT_DONE,
				      .median = 60.900000000000006,
				      .best = 61.25,
				      .unit = "GB/s",
				      .core_ghz = 3.694,
				      .core_ghz_after = 3.693,
				      .mean = 60.7,
				      .stddev = 0.3,
				      .mad = 0.1,
				      .ci_low = 60.8,
				      .ci_high = 61,
				      .seconds = 0.75,
				      .bound = 76.8,
				      .flags = TP_FLAG(DISTURBED) | TP_FLAG(STEAL),
				      .kept = 90,
				      .invocations = 1,
				      .row = &dram_row };

static void process_events_come_back(void **state)
{
	struct tp_event event = { .kind = TP_EVENT_HELLO,
				  .t = 0.001,
				  .pid = 4711,
				  .version = "0.1",
				  .counter_ghz = 2.596,
				  .invocation = 2 },
			back;

	(void)state;
	again(&event, &back);
	assert_int_equal(back.pid, 4711);
	assert_string_equal(back.version, "0.1");
	assert_near(back.counter_ghz, 2.596, 1e-12);
	assert_int_equal(back.invocation, 2);

	event = (struct tp_event){ .kind = TP_EVENT_PLAN, .n_points = 40, .estimate_seconds = 12 };
	again(&event, &back);
	assert_int_equal(back.n_points, 40);
	assert_near(back.estimate_seconds, 12, 0);

	event = (struct tp_event){ .kind = TP_EVENT_PROGRESS,
				   .n_done = 3,
				   .n_points = 40,
				   .elapsed_seconds = 1.5,
				   .remaining_seconds = 10,
				   .cores = { { 4, 2.5, 0.25, 0 }, { 6, 2.5, 0, 0.125 } },
				   .n_cores = 2,
				   .point = { .point = 3, .median = 100, .unit = "GB/s" } };
	again(&event, &back);
	assert_int_equal(back.n_done, 3);
	assert_near(back.remaining_seconds, 10, 0);
	assert_int_equal(back.n_cores, 2);
	assert_int_equal(back.cores[0].cpu, 4);
	assert_near(back.cores[0].others, 0.25, 0);
	assert_near(back.cores[1].stolen, 0.125, 0);
	assert_int_equal(back.point.point, 3);
	assert_near(back.point.median, 100, 0);
	assert_string_equal(back.point.unit, "GB/s");
	assert_false(back.point.less_is_better);

	event = (struct tp_event){ .kind = TP_EVENT_DONE, .state = "cancelled" };
	again(&event, &back);
	assert_string_equal(back.state, "cancelled");

	event = (struct tp_event){ .kind = TP_EVENT_DIAG,
				   .status = TP_PERM,
				   .diag = { "cpu 1", "says \"no\"\n", "become root" } };
	again(&event, &back);
	assert_int_equal(back.status, TP_PERM);
	assert_string_equal(back.diag.where, "cpu 1");
	assert_string_equal(back.diag.what, "says \"no\" "); /* cleaned */
	assert_string_equal(back.diag.hint, "become root");
}

static void point_begin_carries_the_identity_only(void **state)
{
	struct tp_event event = { .kind = TP_EVENT_POINT_BEGIN, .t = 2, .point = dram }, back;

	(void)state;
	again(&event, &back);
	assert_int_equal(back.point.run, 1);
	assert_int_equal(back.point.point, 17);
	assert_string_equal(back.point.experiment, "roofline");
	assert_string_equal(back.point.kernel, "2ld1st-nt");
	assert_string_equal(back.point.cpus, "0,1");
	assert_string_equal(tp_kernel_row(&back.point)->level, "DRAM");
	assert_int_equal(tp_kernel_row(&back.point)->working_set_bytes, 134217728);
	assert_int_equal(tp_kernel_row(&back.point)->loads, 2);
	assert_int_equal(tp_kernel_row(&back.point)->stores, 1);
	assert_true(tp_kernel_row(&back.point)->nontemporal &&
		    tp_kernel_row(&back.point)->best_ratio);
	assert_near(back.point.estimate_seconds, 1.5, 0);
	assert_int_equal(back.point.state, TP_POINT_PLANNED);
	assert_near(tp_kernel_row(&back.point)->median_gbps, 0, 0);
	assert_near(back.point.median, 0, 0);
}

static void point_end_carries_all_but_samples(void **state)
{
	struct tp_event event = { .kind = TP_EVENT_POINT_END, .t = 3, .point = dram }, back;
	struct tp_kernel_row expected_row = dram_row;
	struct tp_point expected = dram;

	(void)state;
	again(&event, &back);
	assert_near(tp_kernel_row(&back.point)->median_gbps, dram_row.median_gbps, 1e-12);
	expected_row.median_gbps = tp_kernel_row(&back.point)->median_gbps;
	assert_memory_equal(tp_kernel_row(&back.point), &expected_row, sizeof(expected_row));
	assert_near(back.point.median, dram.median, 1e-12);
	assert_ptr_equal(back.point.kind, tp_point_kind_find("roofline"));
	expected.median = back.point.median;
	expected.estimate_seconds = back.point.estimate_seconds;
	expected.kind = back.point.kind;
	expected.row = back.point.row;
	assert_memory_equal(&back.point, &expected, sizeof(expected));

	event.point.state = TP_POINT_FAILED;
	event.point.diag = (struct tp_diag){ "point 17", "SIGILL", "choose another isa" };
	again(&event, &back);
	assert_int_equal(back.point.state, TP_POINT_FAILED);
	assert_string_equal(back.point.diag.what, "SIGILL");
}

static void sample_keeps_its_flags(void **state)
{
	struct tp_event event = { .kind = TP_EVENT_SAMPLE,
				  .point = { .point = 17 },
				  .sample = { 0.0005, 60.5, 3.69, TP_FLAG(CTX_SWITCH), 1 } },
			back;

	(void)state;
	again(&event, &back);
	assert_int_equal(back.point.point, 17);
	assert_near(back.sample.seconds, 0.0005, 1e-15);
	assert_near(back.sample.rate, 60.5, 0);
	assert_near(back.sample.core_ghz, 3.69, 1e-12);
	assert_int_equal(back.sample.flags, TP_FLAG(CTX_SWITCH));
	assert_int_equal(back.sample.invocation, 1);
}

/* What JSON cannot say must not make the line unreadable. */
static void counts_come_back(void **state)
{
	static const double counts[] = {
		0, 1, 9007199254740991.0, 4611686018427387904.0, 1.0 / 3, -0.5, NAN, 1e300
	};
	struct tp_counts row = { .family = "flops",
				 .event = "perf::FP_ARITH:\"x\",y",
				 .row = 47,
				 .first = 16,
				 .n = TP_COUNT_OF(counts),
				 .iterations = 1048576 };
	struct tp_event event = { .kind = TP_EVENT_ROW,
				  .t = 0.5,
				  .point = { .point = 12 },
				  .row_event = &tp_counts_event,
				  .row = &row },
			back;
	const struct tp_counts *found;
	struct tp_str line = { 0 };

	(void)state;
	memcpy(row.counts, counts, sizeof(counts));
	again(&event, &back);
	assert_int_equal(back.point.point, 12);
	assert_ptr_equal(back.row_event, &tp_counts_event);
	found = back.row;
	assert_string_equal(found->family, "flops");
	assert_string_equal(found->event, row.event);
	assert_int_equal(found->row, 47);
	assert_int_equal(found->first, 16);
	assert_int_equal(found->n, TP_COUNT_OF(counts));
	assert_true(found->iterations == 1048576);
	for (size_t i = 0; i < TP_COUNT_OF(counts); i++)
		assert_true(isnan(counts[i]) ? isnan(found->counts[i])
					     : found->counts[i] == counts[i]);
	row.n = 2;
	tp_copy(row.event, sizeof(row.event), "A");
	tp_event_write(&event, &line);
	assert_string_equal(
		tp_str_text(&line),
		"{\"v\":1,\"ev\":\"counts\",\"t\":0.5,\"point\":12,\"family\":\"flops\","
		"\"event\":\"A\",\"row\":47,\"iterations\":1048576.0,\"first\":16,"
		"\"counts\":[0,1]}\n");
	tp_str_release(&line);
}

static void not_a_number_becomes_null(void **state)
{
	struct tp_event event = { .kind = TP_EVENT_SAMPLE,
				  .sample = { NAN, INFINITY, -INFINITY, 0, 0 } },
			back;

	(void)state;
	again(&event, &back);
	assert_near(back.sample.seconds, 0, 0);
	assert_near(back.sample.rate, 0, 0);
	event = (struct tp_event){ .kind = TP_EVENT_DIAG, .diag = { .what = "bad \xff byte" } };
	again(&event, &back);
	assert_string_equal(back.diag.what, "bad ? byte");
}

static void lines_are_told_apart(void **state)
{
	static const struct {
		const char *line;
		enum tp_status status;
	} rows[] = {
		{ "", TP_USAGE },
		{ "{", TP_USAGE },
		{ "[1]", TP_USAGE },
		{ "hello", TP_USAGE },
		{ "{\"ev\":\"done\"}", TP_USAGE },
		{ "{\"v\":1}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"done\"}", TP_OK },
		{ "{\"v\":1,\"ev\":\"done\",\"state\":\"complete\",\"colour\":[1]}", TP_OK },
		{ "{\"v\":1,\"ev\":\"done\",\"state\":5}", TP_USAGE },
		{ "{\"v\":2,\"ev\":\"done\"}", TP_UNSUPPORTED },
		{ "{\"v\":1,\"ev\":\"party\"}", TP_UNSUPPORTED },
		{ "{\"v\":1,\"ev\":\"row\",\"point\":1}", TP_UNSUPPORTED },
		{ "{\"v\":1,\"ev\":\"sample\",\"rate\":1}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"sample\",\"point\":-1}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"sample\",\"point\":4294967296}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"sample\",\"point\":1,\"rate\":\"fast\"}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"sample\",\"point\":1,\"rate\":1e999}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"sample\",\"point\":1,\"rate\":null}", TP_OK },
		{ "{\"v\":1,\"ev\":\"point_end\",\"point\":1,\"threads\":-2}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"point_end\",\"point\":1,\"state\":\"great\"}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"point_end\",\"point\":1,\"flags\":\"new|steal\"}", TP_OK },
		{ "{\"v\":1,\"ev\":\"diag\",\"status\":\"odd\"}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"counts\",\"point\":1,\"counts\":[1,null]}", TP_OK },
		{ "{\"v\":1,\"ev\":\"counts\",\"counts\":[1]}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"counts\",\"point\":1}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"counts\",\"point\":1,\"counts\":[true]}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"counts\",\"point\":1,\"counts\":1}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"counts\",\"point\":1,\"row\":-1,\"counts\":[]}", TP_USAGE },
		{ "{\"v\":1,\"ev\":\"counts\",\"point\":1,"
		  "\"counts\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}",
		  TP_USAGE },
	};

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_diag diag = { 0 };
		struct tp_event event;
		enum tp_status status = parse(&event, rows[i].line, &diag);

		if (status != rows[i].status)
			fail_msg("%s: %s", rows[i].line, tp_status_name(status));
		assert_true((status == TP_OK) == (diag.what[0] == '\0'));
	}
}

static void flags_have_names(void **state)
{
	char text[256], small[12];
	uint32_t flags;

	(void)state;
	assert_string_equal(tp_flags_text(0, text, sizeof(text)), "");
	assert_string_equal(tp_flags_text(TP_FLAG(CTX_SWITCH) | TP_FLAG(NOISY), text, sizeof(text)),
			    "ctx-switch|noisy");
	assert_string_equal(tp_flags_text(TP_FLAG(CTX_SWITCH) | TP_FLAG(NOISY), small, 12),
			    "ctx-switch");
	tp_flags_text((1u << TP_FLAG_COUNT) - 1, text, sizeof(text));
	assert_true(tp_words_split(&tp_flag_set, text, &flags));
	assert_int_equal(flags, (1u << TP_FLAG_COUNT) - 1);
	assert_true(tp_words_split(&tp_flag_set, "", &flags));
	assert_int_equal(flags, 0);
	assert_false(tp_words_split(&tp_flag_set, "steal|unheard", &flags));
	assert_int_equal(flags, TP_FLAG(STEAL));
	assert_false(tp_words_split(&tp_flag_set, "steal|", &flags));
	assert_false(tp_words_split(&tp_flag_set, "stea", &flags));
}

/* --- journals --- */

static void say(struct tp_str *journal, const struct tp_event *event)
{
	tp_event_write(event, journal);
}

static void say_hello(struct tp_str *journal, unsigned invocation)
{
	say(journal, &(struct tp_event){ .kind = TP_EVENT_HELLO, .invocation = invocation });
}

static void say_begin(struct tp_str *journal, unsigned id)
{
	say(journal,
	    &(struct tp_event){ .kind = TP_EVENT_POINT_BEGIN,
				.t = 1,
				.point = { .point = id, .kernel = "load", .threads = 1 } });
}

static void say_samples(struct tp_str *journal, unsigned id, unsigned n, double rate,
			unsigned invocation)
{
	for (unsigned i = 0; i < n; i++)
		say(journal, &(struct tp_event){ .kind = TP_EVENT_SAMPLE,
						 .t = 2,
						 .point = { .point = id },
						 .sample = { .seconds = 1e-3,
							     .rate = rate + i,
							     .invocation = invocation } });
}

static void say_end(struct tp_str *journal, unsigned id, double median)
{
	struct tp_kernel_row row = { .median_gbps = median };

	say(journal, &(struct tp_event){ .kind = TP_EVENT_POINT_END,
					 .t = 3,
					 .point = { .point = id,
						    .kernel = "load",
						    .threads = 1,
						    .state = TP_POINT_DONE,
						    .row = &row } });
}

static void read_back(struct tp_str *journal, struct tp_run *run)
{
	struct tp_diag diag;

	assert_int_equal(
		tp_file_write(TP_TYPED_FILE, path, tp_str_text(journal), journal->len, &diag),
		TP_OK);
	if (tp_journal_read(run, path, &diag))
		fail_msg("%s: %s", diag.where, diag.what);
	tp_str_release(journal);
}

static void a_whole_journal_is_a_run(void **state)
{
	struct tp_str journal = { 0 };
	struct tp_run run = { 0 };

	(void)state;
	say_hello(&journal, 0);
	say_begin(&journal, 1); /* plans may be shuffled */
	say_samples(&journal, 1, 3, 10, 0);
	say_end(&journal, 1, 11);
	say_begin(&journal, 0);
	say_samples(&journal, 0, 2, 20, 0);
	say_end(&journal, 0, 20.5);
	say(&journal, &(struct tp_event){ .kind = TP_EVENT_DIAG,
					  .status = TP_PERM,
					  .diag = { .what = "no turbo" } });
	say(&journal, &(struct tp_event){ .kind = TP_EVENT_DONE, .t = 4.5, .state = "complete" });
	read_back(&journal, &run);
	assert_string_equal(run.state, "complete");
	assert_near(run.wall_seconds, 4.5, 1e-12);
	assert_int_equal(run.n_points, 2);
	assert_int_equal(run.points[1].state, TP_POINT_DONE);
	assert_int_equal(run.points[1].n_samples, 3);
	assert_near(run.points[1].samples[2].rate, 12, 0);
	assert_near(tp_kernel_row(&run.points[0])->median_gbps, 20.5, 0);
	assert_int_equal(run.diags.n, 1);
	tp_run_release(&run);
}

/* A run that was killed early has as many points as its plan, however few it began. */
static void a_plan_counts_all_its_points(void **state)
{
	struct tp_str journal = { 0 };
	struct tp_run run = { 0 };

	(void)state;
	say_hello(&journal, 0);
	say(&journal, &(struct tp_event){ .kind = TP_EVENT_PLAN, .n_points = 72 });
	say_begin(&journal, 0);
	read_back(&journal, &run);
	assert_int_equal(run.n_points, 1);
	assert_int_equal(tp_run_n_done(&run), 0);
	assert_int_equal(tp_run_n_needed(&run), 72);
	tp_run_release(&run);
}

static void a_cut_last_line_loses_only_itself(void **state)
{
	struct tp_str whole = { 0 };
	size_t begin;

	(void)state;
	say_hello(&whole, 0);
	say_begin(&whole, 0);
	say_samples(&whole, 0, 2, 20, 0);
	say_end(&whole, 0, 20.5);
	begin = whole.len;
	say_begin(&whole, 1);
	for (size_t cut = begin; cut < whole.len - 1; cut++) {
		struct tp_str journal = { 0 };
		struct tp_run run = { 0 };

		tp_str_add_n(&journal, whole.s, cut);
		read_back(&journal, &run);
		assert_string_equal(run.state, "interrupted");
		assert_int_equal(run.n_points, 1);
		assert_int_equal(run.points[0].n_samples, 2);
		assert_int_equal(run.diags.n, 0);
		tp_run_release(&run);
	}
	tp_str_release(&whole);
}

static void garbage_lines_are_named_and_passed_over(void **state)
{
	struct tp_str journal = { 0 };
	struct tp_run run = { 0 };

	(void)state;
	say_hello(&journal, 0);
	say_begin(&journal, 0);
	tp_str_add(&journal, "{\"v\":1,\"ev\":\"sam\n\n"); /* line 3; line 4 is empty */
	say_samples(&journal, 0, 1, 20, 0);
	tp_str_add_n(&journal, "\0\0\xff\xfe\n", 5); /* line 6 */
	tp_str_add(&journal, "{\"v\":1,\"ev\":\"sample\",\"point\":4000000000}\n");
	tp_str_add(&journal, "{\"v\":1,\"ev\":\"newer\"}\n");
	say_end(&journal, 0, 20);
	read_back(&journal, &run);
	assert_int_equal(run.n_points, 1);
	assert_int_equal(run.points[0].state, TP_POINT_DONE);
	assert_int_equal(run.points[0].n_samples, 1);
	assert_int_equal(run.diags.n, 4);
	assert_string_equal(strrchr(run.diags.items[0].where, ':'), ":3");
	assert_string_equal(strrchr(run.diags.items[1].where, ':'), ":6");
	assert_string_equal(strrchr(run.diags.items[3].where, ':'), ":8");
	tp_run_release(&run);
}

/*
 * Killed in the middle of point 0, then resumed: the samples of the broken attempt are not counted
 * twice.
 */
static void a_resumed_point_starts_afresh(void **state)
{
	struct tp_str journal = { 0 };
	struct tp_run run = { 0 };

	(void)state;
	say_hello(&journal, 0);
	say_begin(&journal, 0);
	say_samples(&journal, 0, 5, 1, 0);
	say_hello(&journal, 0);
	say_begin(&journal, 0);
	say_samples(&journal, 0, 2, 20, 0);
	say_end(&journal, 0, 20.5);
	say(&journal, &(struct tp_event){ .kind = TP_EVENT_DONE, .t = 4, .state = "complete" });
	read_back(&journal, &run);
	assert_string_equal(run.state, "complete");
	assert_near(run.wall_seconds, 2 + 4, 1e-12);
	assert_int_equal(run.points[0].n_samples, 2);
	assert_near(run.points[0].samples[0].rate, 20, 0);
	tp_run_release(&run);
}

static void invocations_add_up(void **state)
{
	struct tp_str journal = { 0 };
	struct tp_run run = { 0 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		say_hello(&journal, i);
		say_begin(&journal, 0);
		say_samples(&journal, 0, 2, 10 * i, i);
		say_end(&journal, 0, 10 * i + 0.5);
	}
	say_hello(&journal, 3); /* killed in its first window */
	say_begin(&journal, 0);
	say_samples(&journal, 0, 1, 99, 3);
	read_back(&journal, &run);
	assert_string_equal(run.state, "interrupted");
	assert_int_equal(run.points[0].n_samples, 6);
	assert_int_equal(run.points[0].samples[5].invocation, 2);
	assert_near(tp_kernel_row(&run.points[0])->median_gbps, 20.5, 0);
	tp_run_release(&run);
}

/*
 * A run goes on: what was finished stays, what was not is gone, and a later attempt that never ends
 * leaves no samples behind.
 */
static void a_run_goes_on(void **state)
{
	struct tp_str text = { 0 };
	struct tp_run earlier = { 0 }, run = { 0 };
	struct tp_journal *journal = tp_journal_new(&run);
	struct tp_event events[] = {
		{ .kind = TP_EVENT_HELLO, .invocation = 1 },
		{ .kind = TP_EVENT_DIAG, .diag = { .where = "turbo", .what = "refused" } },
		{ .kind = TP_EVENT_DIAG, .diag = { .where = "turbo", .what = "refused" } },
		{ .kind = TP_EVENT_POINT_BEGIN, .point = { .point = 0, .kernel = "load" } },
		{ .kind = TP_EVENT_SAMPLE, .sample = { .rate = 99, .invocation = 1 } },
	};

	(void)state;
	say_hello(&text, 0);
	say_begin(&text, 0);
	say_samples(&text, 0, 2, 20, 0);
	say_end(&text, 0, 20.5);
	say_begin(&text, 1);
	say_samples(&text, 1, 3, 30, 0);
	read_back(&text, &earlier);
	assert_non_null(journal);
	const struct tp_sample *samples = earlier.points[0].samples;
	assert_int_equal(tp_journal_continue(journal, &earlier), TP_OK);
	/* Windows of a long run take much memory: they are not there twice. */
	assert_ptr_equal(run.points[0].samples, samples);
	assert_int_equal(earlier.n_points, 0);
	for (size_t i = 0; i < TP_COUNT_OF(events); i++)
		assert_int_equal(tp_journal_take(journal, &events[i], NULL), TP_OK);
	assert_int_equal(run.points[0].n_samples, 3);
	tp_journal_end(journal);
	assert_int_equal(run.n_points, 1);
	assert_int_equal(run.points[0].state, TP_POINT_DONE);
	assert_int_equal(run.points[0].n_samples, 2);
	assert_int_equal(run.diags.n, 1); /* said by both engines */
	tp_journal_free(journal);
	tp_run_release(&earlier);
	tp_run_release(&run);
}

static void say_counts(struct tp_str *journal, unsigned id, const char *name, unsigned row,
		       unsigned first, double count)
{
	struct tp_counts counts = { .family = "flops",
				    .row = row,
				    .first = first,
				    .n = 2,
				    .iterations = 10,
				    .counts = { count, count + 1 } };

	tp_copy(counts.event, sizeof(counts.event), name);
	say(journal, &(struct tp_event){ .kind = TP_EVENT_ROW,
					 .point = { .point = id },
					 .row_event = &tp_counts_event,
					 .row = &counts });
}

/*
 * Point 0 was measured, point 1 was killed in its middle; then it is measured again and counts
 * otherwise.
 */
static void counts_become_readings(void **state)
{
	struct tp_str journal = { 0 };
	struct tp_run run = { 0 };
	const struct tp_reading_family *f;
	const struct tp_reading_event *a, *b;

	(void)state;
	say_hello(&journal, 0);
	say_begin(&journal, 0);
	say_counts(&journal, 0, "A", 0, 0, 10);
	say_counts(&journal, 0, "A", 0, 2, 12);
	say_counts(&journal, 0, "B", 0, 0, 100);
	say_end(&journal, 0, 1);
	say_begin(&journal, 1);
	say_counts(&journal, 1, "A", 1, 0, 7);
	say_hello(&journal, 0);
	say_begin(&journal, 1);
	say_counts(&journal, 1, "A", 1, 0, 20);
	tp_str_add(&journal,
		   "{\"v\":1,\"ev\":\"counts\",\"point\":1,\"family\":\"flops\","
		   "\"event\":\"A\",\"row\":65536,\"iterations\":1,\"first\":0,\"counts\":[1]}\n");
	read_back(&journal, &run);
	assert_int_equal(tp_run_readings(&run)->n, 1);
	f = &tp_run_readings(&run)->families[0];
	a = tp_reading_event_find(f, "A");
	b = tp_reading_event_find(f, "B");
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(f->n_rows, 2);
	assert_int_equal(f->n_repetitions, 4);
	assert_near(tp_reading_value(f, a, 3, 0), 1.3, 1e-12);
	assert_near(tp_reading_value(f, a, 1, 1), 2.1, 1e-12);
	assert_near(tp_reading_value(f, b, 1, 0), 10.1, 1e-12);
	assert_true(isnan(tp_reading_value(f, b, 0, 1)));
	assert_int_equal(run.diags.n, 1); /* the row that cannot be, with its line */
	assert_string_equal(strrchr(run.diags.items[0].where, ':'), ":12");
	tp_run_release(&run);
}

static void an_unfinished_point_keeps_what_it_has(void **state)
{
	struct tp_str journal = { 0 };
	struct tp_run run = { 0 };

	(void)state;
	say_begin(&journal, 2);
	say_samples(&journal, 2, 4, 1, 0);
	read_back(&journal, &run);
	assert_int_equal(run.n_points, 3);
	assert_int_equal(run.points[2].state, TP_POINT_PLANNED);
	assert_int_equal(run.points[2].n_samples, 4);
	assert_int_equal(run.points[1].point, 1);
	tp_run_release(&run);
}

static void another_file_is_no_journal(void **state)
{
	struct tp_diag diag;
	struct tp_run run = { .state = "running" };

	(void)state;
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, "name: quick\nlevel: L1\n", 22, &diag),
			 TP_OK);
	assert_int_equal(tp_journal_read(&run, path, &diag), TP_USAGE);
	assert_string_equal(run.state, "running");
	assert_int_equal(tp_journal_read(&run, "/nonexistent/journal.ndjson", &diag), TP_NOTFOUND);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, "", 0, &diag), TP_OK);
	assert_int_equal(tp_journal_read(&run, path, &diag), TP_OK); /* killed before it spoke */
	assert_int_equal(run.n_points, 0);
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_events_come_back),
		cmocka_unit_test(point_begin_carries_the_identity_only),
		cmocka_unit_test(point_end_carries_all_but_samples),
		cmocka_unit_test(sample_keeps_its_flags),
		cmocka_unit_test(counts_come_back),
		cmocka_unit_test(not_a_number_becomes_null),
		cmocka_unit_test(lines_are_told_apart),
		cmocka_unit_test(flags_have_names),
		cmocka_unit_test(a_whole_journal_is_a_run),
		cmocka_unit_test(a_plan_counts_all_its_points),
		cmocka_unit_test(a_cut_last_line_loses_only_itself),
		cmocka_unit_test(garbage_lines_are_named_and_passed_over),
		cmocka_unit_test(a_resumed_point_starts_afresh),
		cmocka_unit_test(invocations_add_up),
		cmocka_unit_test(a_run_goes_on),
		cmocka_unit_test(counts_become_readings),
		cmocka_unit_test(an_unfinished_point_keeps_what_it_has),
		cmocka_unit_test(another_file_is_no_journal),
	};

	tp_experiments_begin();
	return cmocka_run_group_tests(tests, make_path, remove_path);
}
