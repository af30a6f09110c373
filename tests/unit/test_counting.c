/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of compiled code on a team: sums over threads, for an element, one event at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/experiment.h"
#include "experiments/windows/report.h"
#include "experiments/windows/counting.h"
#include "tests/unit/printed.h"
#include "preset/shared_options.h"

enum { THREADS = 2, PASSES = 6, ELEMENTS = 4 };

/* --- code with known events --- */

/* What happened on a thread since it began. */
static _Thread_local double hits, misses;

struct part {
	unsigned thread;
	uint64_t passes;
};

static void code(void *data, uint64_t passes)
{
	struct part *part = data;
	part->passes += passes;
	hits += 10 * (part->thread + 1) * (double)passes; /* 10 on the first, 20 on the second */
	misses += 0.5 * (double)passes;
}

/* The same where each call does more than its passes, which count in a mark that is not set. */
static struct tp_window_mark marks[THREADS];

static void marked_code(void *data, uint64_t passes)
{
	struct tp_window_mark *mark = &marks[((struct part *)data)->thread];
	hits += 1000;
	code(data, mark->end ? 0 : passes);
	mark->end = 1;
}

/* --- a source that sees them --- */

static atomic_int under_way[2]; /* readings of each event */
static atomic_bool together; /* two events at the same time */
static atomic_int readings;

static enum tp_status supported(struct tp_diag *diag)
{
	(void)diag;
	return TP_OK;
}

static enum tp_status open_source(struct tp_source *source, const struct tp_source_wish *wish,
				  struct tp_diag *diag)
{
	static size_t numbers[] = { 0, 1 };
	static struct tp_count_event events[] = {
		{ .name = "fake:hits", .available = true, .reason = "", .group = 0 },
		{ .name = "fake:misses", .available = true, .reason = "", .group = 1 },
		{ .name = "fake:locked", .reason = "ask for the key", .group = -1 },
	};
	static struct tp_source_group groups[] = { { &numbers[0], 1 }, { &numbers[1], 1 } };
	(void)wish;
	(void)diag;
	source->events = events;
	source->n_events = 3;
	source->groups = groups;
	source->n_groups = 2;
	return TP_OK;
}

static enum tp_status measure(struct tp_source *source, size_t group, const struct tp_work *work,
			      size_t repetition, double *counts, struct tp_diag *diag)
{
	const double *counter = group ? &misses : &hits;
	(void)source;
	(void)repetition;
	atomic_fetch_add(&under_way[group], 1);
	if (atomic_load(&under_way[!group]))
		atomic_store(&together, true);
	double before = *counter;
	enum tp_status status = tp_work_run(work, diag);
	/* One wild reading on each thread is not what is kept. */
	counts[0] = *counter - before + (atomic_fetch_add(&readings, 1) < THREADS ? 1e9 : 0);
	atomic_fetch_sub(&under_way[group], 1);
	return status;
}

/* The second thread cannot open its counter, and does not run the work. */
static _Thread_local bool is_second;

static enum tp_status measure_but_second(struct tp_source *source, size_t group,
					 const struct tp_work *work, size_t repetition,
					 double *counts, struct tp_diag *diag)
{
	if (is_second)
		return tp_fail(diag, TP_FAILED, "fake", NULL, "no counter is free");
	return measure(source, group, work, repetition, counts, diag);
}

static const struct tp_source_kind fake = {
	.name = "fake", .supported = supported, .open = open_source, .measure = measure
};
static const struct tp_source_kind halting = { .name = "halting",
					       .supported = supported,
					       .open = open_source,
					       .measure = measure_but_second };

/* --- a bench --- */

struct fixture {
	struct tp_machine machine;
	struct tp_bench bench;
	struct tp_watch watch;
	struct tp_arena arena;
	struct tp_config config;
	struct tp_planned planned;
	struct tp_team *team;
	unsigned n;
	struct part parts[THREADS];
	void *data[THREADS];
	struct tp_str notes;
	char counts[256];
};

static void take_note(void *context, const struct tp_diag *note)
{
	struct fixture *f = context;
	tp_str_printf(&f->notes, "%s\n", note->what);
}

static void mark_second(void *data, uint64_t passes)
{
	(void)passes;
	is_second = ((struct part *)data)->thread == 1;
}

static void set_up(struct fixture *f, const char *events)
{
	struct tp_diag diag = { 0 };
	struct tp_cpu cpu;
	unsigned cpus[THREADS];
	memset(f, 0, sizeof(*f));
	tp_arch_identify(&cpu);
	assert_int_equal(tp_machine_init(&f->machine, &cpu, NULL, NULL, NULL, &diag), TP_OK);
	f->watch = (struct tp_watch){ .context = f, .note = take_note };
	assert_int_equal(
		tp_bench_init(&f->bench, &f->machine, &f->machine.cpu, 1e9, &f->watch, &diag),
		TP_OK);
	for (size_t i = 0; i < f->machine.n_pus && f->n < THREADS; i++)
		if (f->machine.pus[i].allowed)
			cpus[f->n++] = f->machine.pus[i].os_index;
	for (unsigned t = 0; t < f->n; t++) {
		f->parts[t].thread = t;
		f->data[t] = &f->parts[t];
	}
	assert_int_equal(tp_team_new(&f->team, &f->bench.clock, &f->machine.cpu, cpus, f->n, &diag),
			 TP_OK);
	tp_team_run(f->team, mark_second, f->data);
	assert_int_equal(tp_config_defaults(&f->config, &f->arena, &diag), TP_OK);
	struct tp_value *value = &f->config.values[tp_option_index(TP_OPT_EVENTS)];
	if (tp_option_parse(TP_OPT_EVENTS, events, &f->arena, value, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	f->planned.config = &f->config;
}

static void tear_down(struct fixture *f)
{
	tp_team_free(f->team);
	tp_bench_release(&f->bench);
	tp_arena_release(&f->arena);
	tp_machine_release(&f->machine);
	tp_str_release(&f->notes);
}

static enum tp_status count(struct fixture *f, const struct tp_source_kind *kind,
			    struct tp_window_counting counting, struct tp_diag *diag)
{
	const struct tp_compiled compiled = {
		.function = code, .data = f->data, .work_per_pass = 1, .passes = PASSES
	};
	counting.counts = f->counts;
	counting.counts_bytes = counting.counts_bytes ? counting.counts_bytes : sizeof(f->counts);
	counting.kinds = &kind;
	counting.n_kinds = 1;
	return tp_window_count(&f->bench, &f->planned, f->team, &compiled, &counting, diag);
}

static void expect(const struct fixture *f, const char *one, const char *two)
{
	assert_string_equal(f->counts, f->n == 1 ? one : two);
}

static void test_counts_of_a_team(void **state)
{
	struct fixture f;
	struct tp_diag diag = { 0 };
	(void)state;
	atomic_store(&readings, 0);
	set_up(&f, "fake:hits,fake:misses");
	assert_int_equal(count(&f, &fake, (struct tp_window_counting){ 0 }, &diag), TP_OK);
	/* A pass: 10 on the first thread, 20 on the second, half a miss on each. */
	expect(&f, "fake_hits=10 fake_misses=0.5", "fake_hits=30 fake_misses=1");
	assert_false(atomic_load(&together));
	/* Each reading of each event took the passes of a window. */
	int taken = atomic_load(&readings);
	for (unsigned t = 0; t < f.n; t++)
		assert_int_equal(f.parts[t].passes, PASSES * taken / (int)f.n);
	/* The same for an element. */
	assert_int_equal(
		count(&f, &fake, (struct tp_window_counting){ .elements = ELEMENTS }, &diag),
		TP_OK);
	expect(&f, "fake_hits=2.5 fake_misses=0.125", "fake_hits=7.5 fake_misses=0.25");
	assert_int_equal(f.notes.len, 0);
	tear_down(&f);
}

static void test_what_cannot_be_counted(void **state)
{
	struct fixture f;
	struct tp_diag diag = { 0 };
	(void)state;
	set_up(&f, "fake:locked,fake:misses,fake:other");
	for (int point = 0; point < 3; point++) {
		assert_int_equal(count(&f, &fake, (struct tp_window_counting){ 0 }, &diag), TP_OK);
		expect(&f, "fake_misses=0.5", "fake_misses=1");
	}
	/* Once a run, not once a point. */
	assert_string_equal(tp_str_text(&f.notes),
			    "fake:locked cannot be counted: ask for the key\n"
			    "fake:other: no source has an event of that name here\n");
	tear_down(&f);
	/* No room in the row. */
	set_up(&f, "fake:misses,fake:hits");
	assert_int_equal(count(&f, &fake, (struct tp_window_counting){ .counts_bytes = 18 }, &diag),
			 TP_OK);
	expect(&f, "fake_misses=0.5", "fake_misses=1");
	assert_non_null(strstr(tp_str_text(&f.notes), "fake:hits does not fit"));
	tear_down(&f);
}

/* A thread that cannot count does its part all the same: others may wait for it. */
static void test_threads_stay_together(void **state)
{
	struct fixture f;
	struct tp_diag diag = { 0 };
	(void)state;
	set_up(&f, "fake:hits");
	assert_int_equal(count(&f, &halting, (struct tp_window_counting){ 0 }, &diag), TP_OK);
	if (f.n == THREADS) {
		assert_string_equal(f.counts, "");
		assert_non_null(strstr(tp_str_text(&f.notes), "no counter is free"));
		assert_int_equal(f.parts[0].passes, f.parts[1].passes);
	}
	tear_down(&f);
}

/* Of code that marks a part of itself, that part is counted. */
static void test_marked_code(void **state)
{
	struct fixture f;
	struct tp_diag diag = { 0 };
	const struct tp_source_kind *kind = &fake;
	struct tp_window_counting wish = {
		.counts = f.counts, .counts_bytes = sizeof(f.counts), .kinds = &kind, .n_kinds = 1
	};
	(void)state;
	set_up(&f, "fake:hits");
	struct tp_compiled compiled = { .function = marked_code,
					.data = f.data,
					.work_per_pass = 1,
					.passes = PASSES,
					.marks = marks };
	assert_int_equal(tp_window_count(&f.bench, &f.planned, f.team, &compiled, &wish, &diag),
			 TP_OK);
	expect(&f, "fake_hits=10", "fake_hits=30");
	compiled.passes = 1;
	assert_int_equal(tp_window_count(&f.bench, &f.planned, f.team, &compiled, &wish, &diag),
			 TP_OK);
	assert_string_equal(f.counts, "");
	assert_non_null(strstr(tp_str_text(&f.notes), "a step cannot be separated"));
	tear_down(&f);
}

/* --- stepping --- */

static void nothing(void *context)
{
	(void)context;
	__asm__ volatile("");
}

static void hundred(void *context)
{
	(void)context;
	__asm__ volatile(".rept 100\n\tnop\n\t.endr");
}

static enum tp_status step_hundred(void *context, struct tp_window_stepping *stepping,
				   struct tp_diag *diag)
{
	(void)context;
	(void)diag;
	stepping->code = (struct tp_stepped){ .less = nothing, .more = hundred };
	stepping->elements = 40;
	return TP_OK;
}

static enum tp_status step_never(void *context, struct tp_window_stepping *stepping,
				 struct tp_diag *diag)
{
	(void)context;
	(void)stepping;
	return tp_fail(diag, TP_UNSUPPORTED, "fake", NULL, "it is too large to step");
}

static void test_stepped_instructions(void **state)
{
	struct fixture f;
	struct tp_diag diag = { 0 };
	(void)state;
	if (getenv("TPROF_EMULATOR") || tp_stepped_supported(NULL) != TP_OK)
		skip();
	set_up(&f, "stepped_instructions,fake:misses");
	assert_int_equal(
		count(&f, &fake, (struct tp_window_counting){ .step = step_hundred }, &diag),
		TP_OK);
	expect(&f, "stepped_instructions=2.5 fake_misses=0.5",
	       "stepped_instructions=2.5 fake_misses=1");
	assert_int_equal(count(&f, &fake, (struct tp_window_counting){ .step = step_never }, &diag),
			 TP_OK);
	expect(&f, "fake_misses=0.5", "fake_misses=1");
	assert_string_equal(tp_str_text(&f.notes), "it is too large to step\n");
	tear_down(&f);
}

/* --- columns --- */

static const void *counts_of(const void *row)
{
	return row;
}

static void test_columns(void **state)
{
	static const char *const counts[] = { "a=1 b=2.5", "", "b=3 c=4" };
	struct tp_counted counted = { 0 };
	struct tp_grid_column columns[TP_COUNTED_COLUMNS];
	struct tp_grid grid;
	struct tp_look look = { .columns = 80 };
	struct tp_str text = { 0 };
	(void)state;
	for (int i = 0; i < 3; i++)
		tp_counted_add(&counted, counts[i]);
	assert_int_equal(counted.n, 3);
	tp_counted_columns(&counted, counts_of, columns);
	tp_grid_init(&grid, columns, counted.n);
	tp_grid_heads(&grid);
	for (int i = 0; i < 3; i++)
		tp_grid_row(&grid, counts[i], NULL);
	PRINTED(&look, &text, tp_grid_write(&grid, doc));
	assert_string_equal(tp_str_text(&text), "   a     b     c\n"
						"1.00  2.50\n"
						"\n"
						"      3.00  4.00\n");
	tp_grid_release(&grid);
	tp_str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_of_a_team),
		cmocka_unit_test(test_what_cannot_be_counted),
		cmocka_unit_test(test_threads_stay_together),
		cmocka_unit_test(test_marked_code),
		cmocka_unit_test(test_stepped_instructions),
		cmocka_unit_test(test_columns),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
