/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events by name from made-up sources with known counts, from the kernel, and by stepping. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "counters/stepped.h"
#include "counters/sources.h"

/* --- made-up sources --- */

/* What the code does in a pass. */
struct data {
	double hits, misses;
	uint64_t passes;
};

static void code(void *argument, uint64_t passes)
{
	struct data *data = argument;
	data->hits += 3 * (double)passes;
	data->misses += 0.5 * (double)passes;
	data->passes += passes;
}

/* Counters that are open, and how often the sources were opened. */
static int counting, most_counting, opened_first, opened_second;

static enum tp_status supported(struct tp_diag *diag)
{
	(void)diag;
	return TP_OK;
}

static enum tp_status open_made_up(struct tp_source *source, const struct tp_count_event *events,
				   size_t n)
{
	source->events = tp_arena_alloc(&source->arena, n * sizeof(*events));
	source->groups = tp_arena_alloc(&source->arena, n * sizeof(*source->groups));
	memcpy(source->events, events, n * sizeof(*events));
	source->n_events = source->n_groups = n;
	for (size_t i = 0; i < n; i++) {
		source->groups[i] =
			(struct tp_source_group){ tp_arena_alloc(&source->arena, sizeof(size_t)),
						  1 };
		source->groups[i].events[0] = i;
	}
	return TP_OK;
}

static enum tp_status open_first(struct tp_source *source, const struct tp_source_wish *wish,
				 struct tp_diag *diag)
{
	static const struct tp_count_event events[] = {
		{ .name = "first::HITS", .available = true, .reason = "", .group = 0 },
		{ .name = "first::OFF", .reason = "not permitted: ask", .group = -1 },
	};
	(void)diag;
	opened_first++;
	/* The filters find the names whole: "first::HIT" is another event. */
	assert_true(tp_source_wished(wish->filters, "first::HITS"));
	assert_false(tp_source_wished(wish->filters, "first::HITS:u"));
	return open_made_up(source, events, 2);
}

static enum tp_status open_second(struct tp_source *source, const struct tp_source_wish *wish,
				  struct tp_diag *diag)
{
	static const struct tp_count_event events[] = {
		{ .name = "2nd-misses", .available = true, .reason = "", .group = 0 },
		{ .name = "first::HITS", .available = true, .reason = "", .group = 1 },
	};
	(void)diag;
	opened_second++;
	assert_false(tp_source_wished(wish->filters, "first::HITS")); /* that one is found */
	return open_made_up(source, events, 2);
}

static enum tp_status measure(struct tp_source *source, size_t group, const struct tp_work *work,
			      size_t repetition, double *counts, struct tp_diag *diag)
{
	struct data *data = work->data;
	bool hits = source->events[source->groups[group].events[0]].name[0] == 'f';
	double before = hits ? data->hits : data->misses;
	(void)repetition;
	counting++;
	most_counting = counting > most_counting ? counting : most_counting;
	enum tp_status status = tp_work_run(work, diag);
	counts[0] = (hits ? data->hits : data->misses) - before;
	counting--;
	return status;
}

static const struct tp_source_kind first = {
	.name = "first", .supported = supported, .open = open_first, .measure = measure
};
static const struct tp_source_kind second = {
	.name = "second", .supported = supported, .open = open_second, .measure = measure
};

static void test_counts_are_those_of_one_event_and_its_passes(void **state)
{
	static const struct tp_source_kind *const kinds[] = { &first, &second };
	static const char *const names[] = { "first::HITS", "2nd-misses", "first::OFF", "none" };
	struct tp_wanted wanted;
	struct tp_diag diag = { 0 };
	struct data data = { 0 };
	struct tp_work work = { .function = code, .data = &data, .passes = 8 };
	double count = -1;
	(void)state;
	tp_wanted_open(&wanted, kinds, 2, names, 4);
	assert_string_equal(wanted.events[0].column, "first__HITS");
	assert_string_equal(wanted.events[1].column, "_2nd_misses");
	assert_int_equal(tp_wanted_measure(&wanted.events[0], &work, &count, &diag), TP_OK);
	assert_true(count == 24 && data.passes == 8);
	work.passes = 5;
	assert_int_equal(tp_wanted_measure(&wanted.events[1], &work, &count, &diag), TP_OK);
	assert_true(count == 2.5 && data.passes == 13);
	assert_int_equal(most_counting, 1);
	/* What cannot be counted says why. */
	assert_null(wanted.events[2].source);
	assert_int_equal(wanted.events[2].status, TP_UNSUPPORTED);
	assert_string_equal(wanted.events[2].diag.what,
			    "first::OFF cannot be counted: not permitted: ask");
	assert_null(wanted.events[3].source);
	assert_int_equal(wanted.events[3].status, TP_NOTFOUND);
	assert_non_null(strstr(wanted.events[3].diag.what, "none"));
	tp_wanted_close(&wanted);
}

static void test_sources_open_while_names_are_left(void **state)
{
	static const struct tp_source_kind *const kinds[] = { &first, &second };
	static const char *const names[] = { "first::HITS" };
	struct tp_wanted wanted;
	(void)state;
	opened_first = opened_second = 0;
	tp_wanted_open(&wanted, kinds, 2, names, 1);
	assert_int_equal(opened_first, 1);
	assert_int_equal(opened_second, 0);
	tp_wanted_close(&wanted);
}

/* --- the kernel's events --- */

enum { PAGES = 64, PAGE = 4096 };

/* A page fault for each page of fresh memory, a pass. */
static void touch(void *argument, uint64_t passes)
{
	(void)argument;
	for (uint64_t pass = 0; pass < passes; pass++) {
		char *map = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(map != MAP_FAILED);
		madvise(map, PAGES * PAGE, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < PAGES; i++)
			((volatile char *)map)[i * PAGE] = 1;
		munmap(map, PAGES * PAGE);
	}
}

static void test_page_faults(void **state)
{
	static const char *const names[] = { "page-faults", "cycles" };
	struct tp_wanted wanted;
	struct tp_diag diag = { 0 };
	struct tp_work work = { .function = touch, .passes = 4 };
	double count = 0;
	(void)state;
	tp_wanted_open(&wanted, tp_wanted_kinds, 1, names, 2);
	const struct tp_wanted_event *faults = &wanted.events[0], *cycles = &wanted.events[1];
	if (!faults->source) {
		assert_true(faults->diag.what[0]);
		tp_wanted_close(&wanted);
		skip(); /* a container without perf events */
	}
	assert_int_equal(tp_wanted_measure(faults, &work, &count, &diag), TP_OK);
	assert_true(count >= 4 * PAGES && count < 4 * PAGES + 16);
	/* Cycles count, or say what would let them. */
	if (cycles->source) {
		assert_int_equal(tp_wanted_measure(cycles, &work, &count, &diag), TP_OK);
		assert_true(count > 4 * PAGES);
	} else {
		assert_non_null(strstr(cycles->diag.what, "cycles cannot be counted: "));
	}
	tp_wanted_close(&wanted);
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

static void call_library(void *context)
{
	char text[32];
	(void)context;
	for (int i = 0; i < 10; i++)
		snprintf(text, sizeof(text), "%d", i);
}

static void crash(void *context)
{
	(void)context;
	raise(SIGSEGV);
}

static void never_end(void *context)
{
	(void)context;
	for (;;)
		__asm__ volatile("");
}

static enum tp_status refuse(void *context, struct tp_diag *diag)
{
	(void)context;
	return tp_fail(diag, TP_RESOURCE, "memory", NULL, "there is none");
}

/* Of what `more` does beyond `less`; skips where nothing can be stepped. */
static enum tp_status steps(void (*less)(void *), void (*more)(void *), double *count,
			    struct tp_diag *diag)
{
	const struct tp_stepped stepped = { .less = less, .more = more };
	enum tp_status status = tp_stepped_count(&stepped, 20, count, diag);
	if (status == TP_UNSUPPORTED)
		skip();
	return status;
}

static void test_stepped_instructions(void **state)
{
	struct tp_diag diag = { 0 };
	double count = 0;
	(void)state;
	if (getenv("TPROF_EMULATOR"))
		skip(); /* emulated processes cannot be stepped */
	assert_int_equal(steps(nothing, hundred, &count, &diag), TP_OK);
	assert_true(count == 100);
	assert_int_equal(steps(hundred, hundred, &count, &diag), TP_OK);
	assert_true(count == 0);
	/* Libraries are stepped, too. */
	assert_int_equal(steps(nothing, call_library, &count, &diag), TP_OK);
	assert_true(count > 200);
}

static void test_code_that_cannot_be_stepped(void **state)
{
	const struct tp_stepped unready = { .prepare = refuse, .less = nothing, .more = hundred };
	const struct tp_stepped endless = { .less = nothing, .more = never_end };
	struct tp_diag diag = { 0 };
	double count = 0;
	(void)state;
	if (getenv("TPROF_EMULATOR"))
		skip();
	assert_int_equal(tp_stepped_count(&unready, 20, &count, &diag), TP_RESOURCE);
	assert_string_equal(diag.what, "there is none");
	assert_int_equal(steps(nothing, crash, &count, &diag), TP_CRASHED);
	assert_non_null(strstr(diag.what, "signal 11"));
	assert_int_equal(tp_stepped_count(&endless, 0.2, &count, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.what, "too many instructions"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_are_those_of_one_event_and_its_passes),
		cmocka_unit_test(test_sources_open_while_names_are_left),
		cmocka_unit_test(test_page_faults),
		cmocka_unit_test(test_stepped_instructions),
		cmocka_unit_test(test_code_that_cannot_be_stepped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
