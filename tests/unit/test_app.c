/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The experiment app: its plan, the choice of a way to count, a point that is run with made-up
 * ways, and the report of a run that is written down here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/suspend.h"
#include "experiments/app/place.h"
#include "experiments/app/row.h"
#include "experiments/app/report.h"
#include "experiments/app/place.h"
#include "experiments/app/run.h"
#include "experiments/app/same.h"
#include "experiments/bench.h"
#include "experiments/experiment.h"
#include "record/dot.h"
#include "kernels/arch.h"
#include "preset/shared_options.h"
#include "record/event.h"
#include "record/roof.h"
#include "report/report.h"
#include "report/reporter.h"
#include "tests/unit/all_options.h"
#include "tests/unit/printed.h"
#include "tests/unit/rows.h"

static void expect(const struct tp_str *text, const char *part)
{
	if (!strstr(tp_str_text(text), part))
		fail_msg("\"%s\" is not in:\n%s", part, tp_str_text(text));
}

/* --- a plan --- */

static struct tp_machine machine;
static struct tp_config config;

struct given {
	const struct tp_option *option;
	const char *text;
};

static enum tp_status plan(const struct given *given, size_t n, struct tp_plan *plan,
			   struct tp_diags *diags)
{
	static struct tp_cpu cpu;
	static struct tp_arena arena;
	struct tp_diag diag = { 0 };
	tp_machine_release(&machine);
	tp_arch_identify(&cpu);
	assert_int_equal(tp_machine_init(&machine, &cpu, "synthetic:Package:1 Core:4 PU:1", NULL,
					 NULL, &diag),
			 TP_OK);
	assert_int_equal(tp_config_defaults(&config, &arena, &diag), TP_OK);
	assert_int_equal(tp_option_parse(TP_OPT_EXPERIMENT, "app", &arena,
					 tp_config_at(&config, TP_OPT_EXPERIMENT), &diag),
			 TP_OK);
	for (size_t i = 0; i < n; i++)
		if (tp_option_parse(given[i].option, given[i].text, &arena,
				    tp_config_at(&config, given[i].option), &diag) != TP_OK)
			fail_msg("%s: %s", diag.where, diag.what);
	return tp_plan_make(plan, &machine, &cpu, &config, 1, diags);
}

static bool has_variable(const struct tp_planned *p, const char *text)
{
	for (char **v = tp_app_plan(p)->variables; *v; v++)
		if (strcmp(*v, text) == 0)
			return true;
	return false;
}

static void test_plan(void **state)
{
	(void)state;
	const struct given given[] = {
		{ TP_OPT_APP_COMMAND, "/bin/sh -c \"exit 0\"" },
		{ TP_OPT_APP_THREADS, "1,all" },
		{ TP_OPT_APP_ENV, "OMP_NUM_THREADS=7,A=b" },
		{ TP_OPT_APP_REGIONS, "function=f,function=g" },
		{ TP_OPT_APP_ROOFS, "none" },
	};
	struct tp_plan p;
	struct tp_diags diags = { 0 };
	if (plan(given, 5, &p, &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.items[0].point.threads, 1);
	assert_int_equal(p.items[1].point.threads, 4);
	assert_string_equal(p.items[0].point.kernel, "sh");
	assert_string_equal(tp_app_row(&p.items[0].point)->command, "/bin/sh -c \"exit 0\"");
	const struct tp_app_plan *row = tp_app_plan(&p.items[1]);
	assert_string_equal(row->words[2], "exit 0");
	assert_null(row->words[3]);
	assert_string_equal(row->functions[1], "g");
	assert_null(row->functions[2]);
	/* What the user writes himself wins over the number of threads. */
	assert_true(has_variable(&p.items[1], "OPENBLAS_NUM_THREADS=4"));
	assert_true(has_variable(&p.items[1], "OMP_NUM_THREADS=7"));
	assert_false(has_variable(&p.items[1], "OMP_NUM_THREADS=4"));
	assert_true(has_variable(&p.items[1], "A=b"));
	tp_plan_release(&p);
	tp_diags_release(&diags);
}

static void test_environment_as_it_is(void **state)
{
	(void)state;
	const struct given given[] = { { TP_OPT_APP_COMMAND, "/bin/sh" },
				       { TP_OPT_APP_ROOFS, "none" } };
	struct tp_plan p;
	struct tp_diags diags = { 0 };
	assert_int_equal(plan(given, 2, &p, &diags), TP_OK);
	assert_int_equal(p.n, 1);
	assert_null(tp_app_plan(&p.items[0])->variables[0]);
	assert_int_equal(tp_app_row(&p.items[0].point)->wanted_threads, 0);
	assert_int_equal(p.items[0].point.threads, 4);
	tp_plan_release(&p);
	tp_diags_release(&diags);
}

static void test_bad_options_are_refused(void **state)
{
	(void)state;
	static const struct {
		struct given given[2];
		const char *what;
	} cases[] = {
		{ { { TP_OPT_APP_COMMAND, "" }, { TP_OPT_APP_ROOFS, "none" } },
		  "no program to run" },
		{ { { TP_OPT_APP_COMMAND, "/bin/sh" }, { TP_OPT_APP_REGIONS, "spmv" } },
		  "\"spmv\" is not a region" },
		{ { { TP_OPT_APP_COMMAND, "/bin/sh" }, { TP_OPT_APP_REGIONS, "function=" } },
		  "\"function=\" is not a region" },
		{ { { TP_OPT_APP_COMMAND, "/bin/sh" }, { TP_OPT_APP_ENV, "1=2" } },
		  "\"1=2\" is not NAME=VALUE" },
		{ { { TP_OPT_APP_COMMAND, "/bin/sh" }, { TP_OPT_APP_THREADS, "9" } }, "9" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_plan p;
		struct tp_diags diags = { 0 };
		assert_int_not_equal(plan(cases[i].given, 2, &p, &diags), TP_OK);
		assert_true(diags.n > 0);
		if (!strstr(diags.items[0].what, cases[i].what))
			fail_msg("\"%s\" is not in: %s", cases[i].what, diags.items[0].what);
		tp_plan_release(&p);
		tp_diags_release(&diags);
	}
}

/* --- ways of counting that a test makes up --- */

static bool agent_refuses;
static struct tp_process_end made_end;
static size_t n_timed;
static bool timed_otherwise;
static unsigned made_thread = TP_APP_ALL; /* the only one in its function */
static double dram_gbps = 20, peak_gflops = 100; /* roofs that are measured */
static size_t suspended_at; /* this run is stopped for a while; 0 = none */
extern const struct tp_reporter tp_reporter_app;

static const char *counted_text, *timed_texts[2]; /* what runs print: the last one goes on */

static enum tp_status agent_supports(const char *path, const struct tp_app_formulas *formulas,
				     struct tp_diag *diag)
{
	(void)formulas;
	(void)path;
	return agent_refuses ? tp_fail(diag, TP_UNSUPPORTED, path, "link it dynamically",
				       "it is statically linked")
			     : TP_OK;
}

static enum tp_status supports(const char *path, const struct tp_app_formulas *formulas,
			       struct tp_diag *diag)
{
	(void)formulas;
	(void)path;
	(void)diag;
	return TP_OK;
}

/* 2 GFLOP in scalar additions and 16 GB in "loop", as much integer work outside; two threads. */
static enum tp_status count(const struct tp_app_command *command, struct tp_app_counts *counts,
			    struct tp_diag *diag)
{
	(void)diag;
	if (counted_text && *counted_text)
		command->heard(command->listener, 0, counted_text, strlen(counted_text));
	*counts = (struct tp_app_counts){ .n_regions = 4,
					  .n_functions = 1,
					  .n_threads = 2,
					  .end = made_end,
					  .wall_seconds = 3,
					  .complete = true };
	counts->regions = calloc(4, sizeof(*counts->regions));
	counts->functions = calloc(1, sizeof(*counts->functions));
	for (int i = 0; i < 4; i++) {
		struct tp_app_region *r = &counts->regions[i];
		uint64_t share = i < 2 ? 1000000000 : 500000000;
		r->thread = i < 2 ? TP_APP_ALL : (unsigned)i - 2;
		r->mix[TP_MIX_INSTRUCTIONS] = 3 * share;
		if (i == 0) {
			r->mix[TP_MIX_INT] = 3 * share;
			continue;
		}
		strcpy(r->name, "loop\n\033");
		r->entries = 10;
		r->mix[TP_MIX_FP_DP_SCALAR] = r->mix[TP_MIX_FLOPS_DP] = 2 * share;
		r->mix[TP_MIX_BYTES_LOADED] = 16 * share;
		r->mix[TP_MIX_LOADS] = 2 * share;
	}
	strcpy(counts->functions[0].name, "spmv");
	strcpy(counts->functions[0].module, "prog");
	counts->functions[0].thread = made_thread;
	/* Calls of less than a fifth of the time are not named. */
	counts->calls[0] = (struct tp_app_call){ SYS_futex, 7, 1.5 };
	counts->calls[1] = (struct tp_app_call){ 9999, 3, 0.61 };
	counts->calls[2] = (struct tp_app_call){ SYS_read, 3, 0.59 };
	counts->call_seconds[0] = 0.6;
	counts->call_seconds[1] = 2.1;
	counts->children = 2;
	memcpy(counts->functions[0].mix, counts->regions[1].mix, sizeof(counts->regions[1].mix));
	return TP_OK;
}

static enum tp_status made_time(const struct tp_app_command *command, struct tp_app_time *time,
				struct tp_diag *diag)
{
	(void)diag;
	/* A timed run prints nowhere and reads nothing of ours. */
	assert_int_equal(command->output, -1);
	assert_string_equal(command->input, "/dev/null");
	const char *text = timed_texts[n_timed > 0];
	if (text)
		command->heard(command->listener, 0, text, strlen(text));
	n_timed++;
	tp_suspended_seconds += n_timed == suspended_at;
	*time = (struct tp_app_time){ .n_regions = 1, .wall_seconds = 1.25, .user_seconds = 1 };
	time->regions = calloc(1, sizeof(*time->regions));
	strcpy(time->regions[0].name, "loop\n\033");
	time->regions[0].thread = TP_APP_ALL;
	time->regions[0].entries = timed_otherwise ? 12 : 10;
	time->regions[0].seconds = 1;
	return TP_OK;
}

static const struct tp_app_source agent = { "agent", "", agent_supports, count },
				  qemu = { "qemu", "", supports, count },
				  pmu = { "pmu", "", supports, count };
static const struct tp_app_source *const sources[] = { &agent, &qemu, &pmu };
static const struct tp_app_ways ways = { .sources = sources, .n = 3, .time = made_time };

static void test_ways_are_chosen(void **state)
{
	(void)state;
	static const struct {
		const char *word, *first, *second;
		bool refuses;
		size_t n;
	} cases[] = {
		{ "auto", "agent", NULL, false, 1 },	 { "auto", "qemu", NULL, true, 1 },
		{ "instrument", "qemu", NULL, true, 1 }, { "pmu", "pmu", NULL, true, 1 },
		{ "both", "agent", "pmu", false, 2 },	 { "both", "qemu", "pmu", true, 2 },
		{ "agent", NULL, NULL, true, 0 },	 { "none", NULL, NULL, false, 0 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tp_app_source *chosen[TP_APP_CHOSEN_MAX];
		struct tp_diag diag = { 0 };
		size_t n;
		agent_refuses = cases[i].refuses;
		enum tp_status status =
			tp_app_choose(&ways, cases[i].word, "/p", NULL, chosen, &n, &diag);
		assert_int_equal(n, cases[i].n);
		assert_int_equal(status == TP_OK, n > 0);
		if (n)
			assert_string_equal(chosen[0]->name, cases[i].first);
		if (n > 1)
			assert_string_equal(chosen[1]->name, cases[i].second);
		if (strcmp(cases[i].word, "agent") == 0)
			assert_string_equal(diag.what, "it is statically linked");
		if (strcmp(cases[i].word, "none") == 0)
			assert_non_null(strstr(diag.hint, "agent, qemu and pmu"));
	}
	agent_refuses = false;
}

/* --- a point --- */

/* Each time that the program had its place: after how many runs, and how many its row spoke of. */
static size_t n_told;
static struct {
	size_t after, runs;
} told[8];

static bool take_row(void *context, const struct tp_row_event *kind, const void *row)
{
	struct tp_diag diag;
	/* As an engine sends it and a client reads it. */
	struct tp_str line = { 0 };
	struct tp_event event = { .kind = TP_EVENT_ROW, .row_event = kind, .row = row }, again;
	tp_event_write(&event, &line);
	if (tp_event_parse(&again, line.s, line.len, &diag) != TP_OK)
		fail_msg("%s: %s in %s", diag.where, diag.what, line.s);
	const struct tp_app_region_row *region = row;
	if (kind == &tp_app_region_event && strcmp(region->region, TP_APP_PROGRAM) == 0 &&
	    n_told < TP_COUNT_OF(told)) {
		told[n_told].after = n_timed;
		told[n_told++].runs = region->timed_runs;
	}
	if (kind->put)
		assert_int_equal(kind->put(context, again.row, &diag), TP_OK);
	else
		assert_int_equal(tp_run_put_row(context, kind->part, again.row), TP_OK);
	tp_str_release(&line);
	return true;
}

static struct tp_kernel_row *add_roof(struct tp_run *run, const char *level, const char *fp_op,
				      double rate)
{
	struct tp_point *p = add_run_point(run, "app");
	struct tp_kernel_row *row = tp_kernel_row_of(p);
	p->threads = 4;
	p->state = TP_POINT_DONE;
	p->quality = TP_QUALITY_GOOD;
	strcpy(row->isa, "avx2");
	strcpy(row->precision, "double");
	strcpy(row->level, level);
	strcpy(row->fp_op, fp_op);
	if (*fp_op)
		row->median_gflops = row->best_gflops = rate;
	else
		row->median_gbps = row->best_gbps = rate;
	p->kind->headline(p);
	return row;
}

/* A run with the point measured by the ways above, and two roofs beside it. */
static enum tp_status make_run(struct tp_run *run, struct tp_diag *diag)
{
	const struct given given[] = { { TP_OPT_APP_COMMAND, "/bin/sh -c true" },
				       { TP_OPT_APP_THREADS, "4" },
				       { TP_OPT_APP_RUNS, "3" },
				       { TP_OPT_APP_ROOFS, "none" } };
	const struct tp_watch watch = { .context = run, .row = take_row };
	struct tp_bench bench = { .machine = &machine, .watch = &watch };
	struct tp_plan p;
	struct tp_diags diags = { 0 };
	*run = (struct tp_run){ 0 };
	n_timed = n_told = 0;
	assert_int_equal(plan(given, 4, &p, &diags), TP_OK);
	struct tp_point *point = add_run_point(run, "app");
	tp_point_take(point, &p.items[0].point, &run->arena);
	enum tp_status status = tp_app_measure(&ways, &bench, &p.items[0], point, diag);
	add_roof(run, "L2", "", 200);
	add_roof(run, "DRAM", "", dram_gbps);
	add_roof(run, "FP", "fma", peak_gflops);
	tp_experiment_find("app")->reduce(NULL, run, 0);
	tp_plan_release(&p);
	tp_diags_release(&diags);
	return status;
}

static const struct tp_app_region_row *find_row(const struct tp_run *run, const char *region,
						const char *thread)
{
	for (size_t i = 0; i < tp_run_n_app_regions(run); i++) {
		const struct tp_app_region_row *row = &tp_run_app_regions(run)[i];
		if (strcmp(row->region, region) == 0 && strcmp(row->thread, thread) == 0)
			return row;
	}
	fail_msg("no row of %s on %s", region, thread);
	return NULL;
}

static void test_point_is_counted_and_timed(void **state)
{
	(void)state;
	struct tp_run run;
	struct tp_diag diag = { 0 };
	if (make_run(&run, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	/* Its place after one run, and whenever these have doubled; an interval of 99 % after 8. */
	static const size_t places[] = { 1, 2, 4, 8, 8 };
	assert_int_equal(n_told, TP_COUNT_OF(places));
	for (size_t i = 0; i < n_told; i++) {
		assert_int_equal(told[i].after, places[i]);
		assert_int_equal(told[i].runs, places[i]);
	}
	assert_int_equal(n_timed, 8);
	const struct tp_point *p = &run.points[0];
	assert_int_equal(p->state, TP_POINT_DONE);
	assert_string_equal(p->unit, "s");
	assert_true(p->median == 1.25 && p->less_is_better);
	assert_string_equal(tp_app_row(p)->source, "agent");
	assert_true(tp_app_row(p)->counted_seconds == 3);
	/* Everything, what is in no region, the region, and the region on each of two threads. */
	assert_int_equal(tp_run_n_app_regions(&run), 5);
	const struct tp_app_region_row *all = find_row(&run, TP_APP_PROGRAM, "all");
	assert_int_equal(all->timed_runs, 8);
	assert_int_equal(all->instructions, 6000000000);
	assert_int_equal(tp_app_flops(all), 2000000000);
	assert_true(all->seconds == 1.25 && all->gflops == 1.6);
	/* Control characters of a program do not reach a terminal. */
	const struct tp_app_region_row *loop = find_row(&run, "loop??", "all");
	assert_int_equal(loop->bytes_loaded, 16000000000);
	assert_true(loop->scalar_percent == 100 && loop->fma_percent == 0);
	assert_string_equal(loop->isa, "scalar");
	assert_int_equal(loop->busy_threads, 2);
	assert_int_equal(loop->timed_runs, 8);
	assert_true(loop->gflops == 2 && loop->ai_flop_per_byte == 0.125);
	assert_string_equal(loop->roof, "DRAM");
	assert_true(loop->roof_percent == 80 && loop->roof_threads == 4);
	assert_string_equal(loop->trust, "good");
	assert_int_equal(find_row(&run, "loop??", "1")->flops_dp, 1000000000);
	assert_true(find_row(&run, TP_APP_OUTSIDE, "all")->seconds == 0);
	assert_int_equal(tp_run_n_app_functions(&run), 1);
	assert_true(tp_run_app_functions(&run)[0].flops_percent == 100);
	/* One dot for the program and one for the region. */
	assert_int_equal(tp_run_n_dots(&run), 2);
	assert_string_equal(tp_run_dots(&run)[1].fp_op, "loop??");
	assert_string_equal(tp_run_dots(&run)[1].level, "DRAM");
	assert_true(tp_run_dots(&run)[1].roof_gflops == 2.5);
	assert_string_equal(tp_run_dots(&run)[1].limit, "");
	tp_run_release(&run);
}

/* The label of a dot names what its sentence names: here scalar instructions, not memory. */
static void test_dots_name_their_limit(void **state)
{
	(void)state;
	struct tp_run run;
	struct tp_diag diag = { 0 };
	dram_gbps = 100, peak_gflops = 50;
	assert_int_equal(make_run(&run, &diag), TP_OK);
	dram_gbps = 20, peak_gflops = 100;
	const struct tp_app_region_row *loop = find_row(&run, "loop??", "all");
	const struct tp_dot *dot = &tp_run_dots(&run)[1];
	assert_string_equal(loop->bound, "compute");
	assert_string_equal(loop->roof, "DRAM");
	assert_string_equal(dot->limit, "scalar FP");
	assert_true(fabs(dot->limit_gflops * loop->explained_percent / 100 - loop->gflops) < 1e-9);
	assert_true(dot->limit_gflops < dot->roof_gflops);
	tp_run_release(&run);
}

/* No roof of this host is that of a part that ran elsewhere, and no dot stands below it. */
static void test_other_hosts_have_other_roofs(void **state)
{
	(void)state;
	struct tp_run run;
	struct tp_diag diag = { 0 };
	TP_STR text = { 0 };
	assert_int_equal(make_run(&run, &diag), TP_OK);
	struct tp_app_region_row *loop =
		(struct tp_app_region_row *)find_row(&run, "loop??", "all");
	loop->other_hosts_percent = 50;
	struct tp_app_roofs roofs;
	tp_app_find_roofs(&run, loop, &roofs);
	tp_app_place(loop, &roofs);
	assert_string_equal(loop->roof, "");
	assert_string_equal(loop->bound, "");
	assert_int_equal(loop->roof_threads, 0);
	assert_int_equal(tp_app_level(loop, &roofs), -1);
	tp_app_sentence(loop, &text);
	assert_string_equal(tp_str_text(&text),
			    "50 % of its instructions were executed on other hosts, and the roofs "
			    "belong to this one; 0.125 FLOP/byte, 2 GFLOP/s");
	tp_run_release(&run);
}

static void test_report(void **state)
{
	(void)state;
	struct tp_run run;
	struct tp_str text = { 0 };
	struct tp_diag diag = { 0 };
	assert_int_equal(make_run(&run, &diag), TP_OK);
	PRINTED((&(struct tp_look){ .columns = 200 }), &text, tp_report_text(&run, doc));
	expect(&text, "Program /bin/sh -c true");
	expect(&text, "Counted by agent on 2 threads, in 2.4 times the time; timed without that 8 "
		      "times: 1.25 s");
	expect(&text, "loop??: memory-bound: under the DRAM roof, at 80 % of it; 0.125 FLOP/byte.");
	expect(&text, "Block its loops so that data stay in L2");
	expect(&text, "fp_dp_scalar");
	expect(&text, "spmv");
	tp_str_release(&text);
	tp_run_release(&run);
}

static void test_runs_are_compared(void **state)
{
	(void)state;
	struct tp_run a, b;
	const struct tp_run *const runs[] = { &a, &b };
	struct tp_str text = { 0 };
	struct tp_diag diag = { 0 };
	assert_int_equal(make_run(&a, &diag), TP_OK);
	assert_int_equal(make_run(&b, &diag), TP_OK);
	struct tp_app_region_row *loop = (struct tp_app_region_row *)find_row(&b, "loop??", "all");
	loop->seconds = loop->seconds_low = loop->seconds_high = 0.5;
	loop->gflops = 4;
	PRINTED((&(struct tp_look){ .columns = 200 }), &text,
		tp_reporter_app.compare(runs, 2, doc));
	expect(&text, "B against A, regions of programs");
	expect(&text, "loop??           4     1 s  500 ms     2x  faster        2.00       4.00  "
		      "0.12  0.12");
	expect(&text, "same");
	tp_str_release(&text);
	tp_run_release(&a);
	tp_run_release(&b);
}

/* What is stored comes back; a point that is measured again begins without its rows. */
static void test_rows_are_kept(void **state)
{
	(void)state;
	struct tp_run run, again = { 0 };
	struct tp_str json = { 0 };
	struct tp_diag diag = { 0 };
	assert_int_equal(make_run(&run, &diag), TP_OK);
	tp_run_json(&run, &json);
	if (tp_run_parse(&again, "run.json", json.s, json.len, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	assert_int_equal(tp_run_n_app_regions(&again), 5);
	assert_true(memcmp(tp_run_app_regions(&again), tp_run_app_regions(&run),
			   sizeof(struct tp_app_region_row)) == 0 ||
		    find_row(&again, "loop??", "all")->gflops == 2);
	assert_int_equal(tp_run_n_app_classes(&again), tp_run_n_app_classes(&run));
	assert_string_equal(tp_app_row(&again.points[0])->command, "/bin/sh -c true");
	tp_run_forget(&again, 0);
	assert_int_equal(tp_run_n_app_regions(&again), 0);
	assert_int_equal(tp_run_n_app_classes(&again), 0);
	assert_int_equal(tp_run_n_app_functions(&again), 0);
	tp_str_release(&json);
	tp_run_release(&run);
	tp_run_release(&again);
}

/* A point that is skipped under way leaves neither its early rows nor a dot. */
static void test_skipped_point(void **state)
{
	static const enum tp_point_state ends[] = { TP_POINT_DONE, TP_POINT_SKIPPED };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(ends); i++) {
		struct tp_run run;
		struct tp_diag diag = { 0 };
		assert_int_equal(make_run(&run, &diag), TP_OK);
		struct tp_journal *journal = tp_journal_new(&run);
		struct tp_event event = { .kind = TP_EVENT_POINT_END, .point = run.points[0] };
		event.point.row = memcpy(&event.room, run.points[0].row, sizeof(struct tp_app_row));
		event.point.state = ends[i];
		assert_int_equal(tp_journal_take(journal, &event, &diag), TP_OK);
		tp_run_drop_derived(&run);
		tp_experiment_find("app")->reduce(NULL, &run, 0);
		bool done = ends[i] == TP_POINT_DONE;
		assert_int_equal(tp_run_n_app_regions(&run), done ? 5 : 0);
		assert_int_equal(tp_run_n_app_functions(&run), done);
		assert_int_equal(tp_run_n_app_classes(&run) > 0, done);
		assert_true(done || tp_run_n_dots(&run) == 0);
		tp_journal_free(journal);
		tp_run_release(&run);
	}
}

/* Whether a roof that is still planned is left out, and why. */
static bool is_unneeded(struct tp_run *run, const char *fp_op, const char *precision,
			unsigned threads, struct tp_diag *why)
{
	const struct tp_experiment *app = tp_experiment_find("app");
	struct tp_app_plan row = { 0 };
	struct tp_kernel_row *kernel = add_roof(run, *fp_op ? "FP" : "L1", fp_op, 0);
	struct tp_point *point = &run->points[run->n_points - 1];
	strcpy(kernel->precision, precision);
	point->state = TP_POINT_PLANNED;
	point->threads = threads;
	const struct tp_planned planned = { .point = *point, .config = &config, .row = &row };
	*why = (struct tp_diag){ 0 };
	bool unneeded = app->unneeded(run, &planned, why);
	run->n_points--;
	return unneeded;
}

/* Roofs that the program does not need are left out, once it has been timed. */
static void test_unneeded_roofs(void **state)
{
	(void)state;
	struct tp_run run;
	struct tp_diag why = { 0 };
	assert_int_equal(make_run(&run, &why), TP_OK);
	const struct tp_app_region_row *loop = find_row(&run, "loop??", "all");
	assert_int_equal(tp_app_team(&run, loop), 4);
	assert_false(is_unneeded(&run, "", "double", 4, &why));
	assert_false(is_unneeded(&run, "fma", "double", 4, &why));
	assert_true(is_unneeded(&run, "fma", "single", 4, &why));
	assert_string_equal(why.what, "no part of the program computes in single precision");
	assert_true(is_unneeded(&run, "", "double", 1, &why));
	assert_string_equal(why.what, "no part of the program runs on 1 thread");
	assert_string_equal(why.hint, "app.roofs=all measures it anyway");

	/* What works decides, not how many threads there could be. */
	struct tp_app_row *row = run.points[0].row;
	row->wanted_threads = 0;
	assert_true(is_unneeded(&run, "", "double", 1, &why));
	for (size_t i = 0; i < tp_run_n_app_regions(&run); i++)
		tp_run_app_regions(&run)[i].busy_threads = 1;
	assert_false(is_unneeded(&run, "", "double", 1, &why));

	/* A thread by itself has no place under the roofs of several. */
	struct tp_app_roofs roofs;
	tp_app_find_roofs(&run, find_row(&run, "loop??", "1"), &roofs);
	assert_int_equal(roofs.threads, 0);

	/* What was not timed has no place; what is under way may have one. */
	for (size_t i = 0; i < tp_run_n_app_regions(&run); i++)
		tp_run_app_regions(&run)[i].seconds = 0;
	assert_true(is_unneeded(&run, "", "double", 4, &why));
	assert_string_equal(why.what, "the program was not timed, so it has no place under roofs");
	run.points[0].state = TP_POINT_PLANNED;
	assert_false(is_unneeded(&run, "", "double", 1, &why));

	run.points[0].state = TP_POINT_DONE;
	assert_int_equal(tp_option_parse(TP_OPT_APP_ROOFS, "all", &run.arena,
					 tp_config_at(&config, TP_OPT_APP_ROOFS), &why),
			 TP_OK);
	assert_false(is_unneeded(&run, "", "double", 1, &why));
	tp_run_release(&run);
}

/* The report names thread counts that were left out. */
static void test_words_on_unneeded_roofs(void **state)
{
	(void)state;
	struct tp_run run;
	struct tp_diag diag = { 0 };
	TP_STR text = { 0 };
	assert_int_equal(make_run(&run, &diag), TP_OK);
	assert_false(tp_app_roofs_text(&run, &text));
	add_roof(&run, "FP", "fma", 0);
	run.points[run.n_points - 1].state = TP_POINT_UNNEEDED;
	/* The other roofs of that team are there. */
	assert_false(tp_app_roofs_text(&run, &text));
	for (unsigned threads = 1; threads <= 2; threads++) {
		add_roof(&run, "L1", "", 0);
		run.points[run.n_points - 1].state = TP_POINT_UNNEEDED;
		run.points[run.n_points - 1].threads = threads;
	}
	assert_true(tp_app_roofs_text(&run, &text));
	assert_string_equal(tp_str_text(&text), "Roofs of 1 and 2 threads were not needed; "
						"app.roofs=all measures them, too.");
	assert_int_equal(tp_run_n_needed(&run), run.n_points - 3);
	tp_run_release(&run);
}

/* What the whole program has besides: of its threads, its system calls, its CPU time. */
static void test_evidence_of_the_program(void **state)
{
	(void)state;
	struct tp_run run;
	struct tp_diag diag = { 0 };
	assert_int_equal(make_run(&run, &diag), TP_OK);
	const struct tp_app_region_row *all = find_row(&run, TP_APP_PROGRAM, "all");
	assert_string_equal(all->calls, "futex 50 %, system call 9999 20 %");
	assert_true(all->calls_percent > 19.9 && all->calls_percent < 20.1);
	assert_int_equal(all->children, 2);
	assert_true(all->mean_cpus == 0.8);
	assert_true(all->most_percent == 50 && all->alone_percent == 0);
	assert_int_equal(all->loads, 2000000000);
	assert_string_not_equal(all->bound, "serial");
	tp_run_release(&run);
	/* All FLOPs are in a function of one thread. */
	made_thread = 0;
	assert_int_equal(make_run(&run, &diag), TP_OK);
	made_thread = TP_APP_ALL;
	all = find_row(&run, TP_APP_PROGRAM, "all");
	assert_true(all->alone_percent == 100);
	assert_string_equal(all->bound, "serial");
	tp_run_release(&run);
}

static void test_program_that_dies(void **state)
{
	(void)state;
	struct tp_run run;
	struct tp_str text = { 0 };
	struct tp_diag diag = { 0 };
	made_end = (struct tp_process_end){ .signal = 11 };
	enum tp_status status = make_run(&run, &diag);
	made_end = (struct tp_process_end){ 0 };
	assert_int_equal(status, TP_OK);
	assert_int_equal(n_timed, 0);
	assert_int_equal(tp_app_row(&run.points[0])->signal, 11);
	const struct tp_app_region_row *all = find_row(&run, TP_APP_PROGRAM, "all");
	assert_int_equal(tp_app_flops(all), 2000000000);
	assert_string_equal(all->trust, "poor");
	PRINTED((&(struct tp_look){ .columns = 200 }), &text, tp_report_text(&run, doc));
	expect(&text, "The program died of signal 11 (Segmentation fault); what it did "
		      "before is counted");
	tp_str_release(&text);
	tp_run_release(&run);
}

static void test_runs_that_differ(void **state)
{
	(void)state;
	struct tp_run run;
	struct tp_diag diag = { 0 };
	timed_otherwise = true;
	enum tp_status status = make_run(&run, &diag);
	timed_otherwise = false;
	assert_int_equal(status, TP_OK);
	const struct tp_app_region_row *loop = find_row(&run, "loop??", "all");
	assert_string_equal(loop->trust, "poor");
	assert_string_equal(loop->reasons, "it was entered 10 times when counted, 12 when timed");
	tp_run_release(&run);
}

/* A run that was stopped is done again, and prints again. */
static void test_suspended_run_is_dropped(void **state)
{
	(void)state;
	struct tp_run run;
	struct tp_diag diag = { 0 };
	suspended_at = 2;
	counted_text = timed_texts[0] = timed_texts[1] = "the same";
	enum tp_status status = make_run(&run, &diag);
	suspended_at = 0;
	counted_text = timed_texts[0] = timed_texts[1] = NULL;
	assert_int_equal(status, TP_OK);
	assert_int_equal(n_timed, 9);
	const struct tp_app_region_row *all = find_row(&run, TP_APP_PROGRAM, "all");
	assert_int_equal(all->timed_runs, 8);
	assert_false(all->differs);
	assert_int_equal(find_row(&run, "loop??", "all")->timed_runs, 8);
	tp_run_release(&run);
}

static void test_output_is_compared(void **state)
{
	(void)state;
	static const struct {
		const char *counted, *timed[2];
		bool differs;
		size_t early_after;
	} cases[] = {
		{ "sum 1\n", { "sum 1\n", "sum 1\n" }, false, 1 },
		{ "sum 2\n", { "sum 1\n", "sum 1\n" }, true, 1 },
		{ "", { "a line\n", "a line\n" }, true, 2 },
		{ "at 0x7ff1: -1.5e-3 s\n", { "at 0x1f:  12 s\n", "at 7:   3.25 s\n" }, false, 1 },
		{ "bad: 3 s\n", { "good: 1 s\n", "good: 2 s\n" }, true, 2 },
		{ "tmp.abc\n", { "tmp.def\n", "tmp.ghi\n" }, false, 2 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_run run;
		struct tp_diag diag = { 0 };
		struct tp_str text = { 0 };
		counted_text = cases[i].counted;
		memcpy(timed_texts, cases[i].timed, sizeof(timed_texts));
		assert_int_equal(make_run(&run, &diag), TP_OK);
		const struct tp_app_region_row *all = find_row(&run, TP_APP_PROGRAM, "all");
		if (all->differs != cases[i].differs || all->prints_otherwise != cases[i].differs)
			fail_msg("case %zu: differs is %d", i, all->differs);
		/* Where numbers alone decide, they do so after the second run. */
		assert_int_equal(told[0].after, cases[i].early_after);
		PRINTED((&(struct tp_look){ .columns = 200 }), &text, tp_report_text(&run, doc));
		if (cases[i].differs) {
			expect(&text, "no verdict: the counted run printed differently");
			expect(&text, "Usual causes: times, process numbers");
		}
		tp_str_release(&text);
		tp_run_release(&run);
	}
	counted_text = timed_texts[0] = timed_texts[1] = NULL;
}

/* What is written after the limit counts by its length. */
static void test_long_output_is_compared(void **state)
{
	(void)state;
	struct tp_app_same same = { .compared = { true, true } };
	static char block[1 << 16];
	memset(block, 'x', sizeof(block));
	for (int run = 0; run < 3; run++) {
		tp_app_same_begin(&same);
		for (int i = 0; i < 100; i++)
			tp_app_same_hear(&same, 1, block, sizeof(block));
		tp_app_same_hear(&same, 1, block, run == 0);
		(run ? tp_app_same_end_timed : tp_app_same_end_counted)(&same);
	}
	assert_true(same.text[1].cap <= 2 * TP_APP_SAME_BYTES);
	assert_string_equal(tp_app_same_differs(&same), "standard error");
	/* Its reader went: what it printed is not comparable. */
	tp_app_same_hear(&same, 1, NULL, 0);
	tp_app_same_end_counted(&same);
	assert_null(tp_app_same_differs(&same));
	tp_app_same_release(&same);
}

int main(void)
{
	tp_experiments_begin();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_environment_as_it_is),
		cmocka_unit_test(test_bad_options_are_refused),
		cmocka_unit_test(test_ways_are_chosen),
		cmocka_unit_test(test_point_is_counted_and_timed),
		cmocka_unit_test(test_dots_name_their_limit),
		cmocka_unit_test(test_other_hosts_have_other_roofs),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_runs_are_compared),
		cmocka_unit_test(test_rows_are_kept),
		cmocka_unit_test(test_skipped_point),
		cmocka_unit_test(test_unneeded_roofs),
		cmocka_unit_test(test_words_on_unneeded_roofs),
		cmocka_unit_test(test_evidence_of_the_program),
		cmocka_unit_test(test_program_that_dies),
		cmocka_unit_test(test_runs_that_differ),
		cmocka_unit_test(test_suspended_run_is_dropped),
		cmocka_unit_test(test_output_is_compared),
		cmocka_unit_test(test_long_output_is_compared),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	tp_machine_release(&machine);
	return failed;
}
