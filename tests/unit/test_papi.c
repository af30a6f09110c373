/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source "papi": what it finds, what it says of the rest, counting by several threads and
 * through software-defined events, and events that crash or hang. Which hardware events start
 * depends on the machine; what holds for all of them is tested everywhere.
 */
#include "counters/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef HAVE_PAPI

static void says_what_would_help(void **state)
{
	(void)state;
	struct tp_source source;
	struct tp_source_wish wish = { 0 };
	struct tp_diag diag = { 0 };
	assert_int_equal(tp_source_open(&source, &tp_source_papi, &wish, &diag), TP_UNSUPPORTED);
	assert_string_equal(diag.what, "this tprof was built without PAPI");
	assert_non_null(strstr(diag.hint, "libpapi-dev"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(says_what_would_help) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include "base/memory.h"
#include "counters/papi.h"
#include "counters/papi_probe.h"
#include "kernels/arch.h"
#include "kernels/counting.h"

#include <errno.h>
#include <papi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_SDE
#include <sde_lib.h>
#endif

/*
 * PAPI 7.0.0 crashes on some CPUs (seen on Skylake-X) when it starts a second time in a process or
 * its children. So each test has a process of its own, and on such a machine a test ends as skipped
 * where it would start PAPI again.
 */
static bool starts_once, has_started;

static void start_papi(void)
{
	if (starts_once && has_started) {
		print_message("SKIPPED: this PAPI crashes when it starts again\n");
		skip();
	}
	has_started = true;
}

static bool papi_starts_once(void)
{
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		PAPI_library_init(PAPI_VER_CURRENT);
		PAPI_shutdown();
		PAPI_library_init(PAPI_VER_CURRENT);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status);
}

static void open_it(struct tp_source *source, const struct tp_source_wish *wish)
{
	struct tp_diag diag = { 0 };
	start_papi();
	if (tp_source_open(source, &tp_source_papi, wish, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

static const struct tp_count_event *find(const struct tp_source *source, const char *name)
{
	for (size_t i = 0; i < source->n_events; i++)
		if (strcmp(source->events[i].name, name) == 0)
			return &source->events[i];
	return NULL;
}

/* --- meters --- */

static void meters_that_are_not_there_say_why(void **state)
{
	(void)state;
	static const char *const names[] = { "no_such_component:::X", "rocm_smi:::power",
					     "perf::PAGE-FAULTS", "sde:::nobody::X" };
	struct tp_papi_meters *m;
	struct tp_diag diag = { 0 };
	double values[TP_COUNT_OF(names)];
	if (tp_papi_meters_find(names, TP_COUNT_OF(names), true, &m, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		assert_false(tp_papi_meters_at(m, i)->there);
		assert_true(*tp_papi_meters_at(m, i)->why.what);
	}
	assert_non_null(strstr(tp_papi_meters_at(m, 0)->why.what, "without a component no_such"));
	assert_non_null(strstr(tp_papi_meters_at(m, 2)->why.what, "the thread that reads"));
	assert_non_null(strstr(tp_papi_meters_at(m, 2)->why.hint, "profile.events"));
	assert_true(*tp_papi_meters_at(m, 0)->why.hint);
	/* Nothing is there, and nothing happens. */
	tp_papi_meters_start(m);
	tp_papi_meters_read(m, values);
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		assert_true(values[i] != values[i]);
	tp_papi_meters_stop(m);
	tp_papi_meters_free(m);
}

#ifdef HAVE_SDE
static void *read_meters(void *context)
{
	double(*values)[2] = context;
	static const char *const names[] = { "sde:::meters::steps", "sde:::meters::none" };
	struct tp_papi_meters *m;
	struct tp_diag diag = { 0 };
	papi_handle_t library = papi_sde_init("meters");
	void *counter = papi_sde_get_counter_handle(library, "steps");
	if (!counter &&
	    papi_sde_create_counter(library, "steps", PAPI_SDE_DELTA, &counter) != SDE_OK)
		return "no counter";
	/* Of a program, it would be the wrong process. */
	if (tp_papi_meters_find(names, 2, true, &m, &diag) != TP_OK)
		return "not found";
	bool refused = !tp_papi_meters_at(m, 0)->there &&
		       strstr(tp_papi_meters_at(m, 0)->why.what, "process that reads");
	tp_papi_meters_free(m);
	if (!refused || tp_papi_meters_find(names, 2, false, &m, &diag) != TP_OK)
		return "not refused, or not found again";
	bool there = tp_papi_meters_at(m, 0)->there && !tp_papi_meters_at(m, 1)->there &&
		     !tp_papi_meters_at(m, 0)->gauge;
	tp_papi_meters_start(m);
	for (int i = 0; i < 3; i++) {
		papi_sde_inc_counter(counter, 5);
		tp_papi_meters_read(m, values[i]);
	}
	there &= tp_papi_meters_at(m, 0)->there;
	tp_papi_meters_stop(m);
	tp_papi_meters_free(m);
	return there ? NULL : "not there";
}

static void meters_are_read_by_a_thread(void **state)
{
	(void)state;
	has_started = true; /* the thread finds its meters twice */
	start_papi();
	pthread_t thread;
	double values[3][2];
	void *wrong;
	assert_int_equal(pthread_create(&thread, NULL, read_meters, values), 0);
	assert_int_equal(pthread_join(thread, &wrong), 0);
	if (wrong)
		fail_msg("%s", (const char *)wrong);
	for (int i = 1; i < 3; i++) {
		assert_true(values[i][0] - values[i - 1][0] == 5);
		assert_true(values[i][1] != values[i][1]);
	}
}
#endif

/*
 * What holds whatever the machine: reasons, and groups that are a partition of what is available.
 */
static void is_consistent(const struct tp_source *source, size_t largest_group)
{
	size_t n = 0;
	for (size_t i = 0; i < source->n_events; i++) {
		const struct tp_count_event *e = &source->events[i];
		if (!*e->name || !*e->component || e->available != (*e->reason == '\0') ||
		    e->available != (e->group >= 0) || strcmp(e->reason, "not tried") == 0)
			fail_msg("%s (%s): available %d, group %d, reason \"%s\"", e->name,
				 e->component, e->available, e->group, e->reason);
		for (size_t j = 0; j < i; j++)
			if (strcmp(source->events[j].name, e->name) == 0)
				fail_msg("%s is listed twice", e->name);
	}
	for (size_t g = 0; g < source->n_groups; g++) {
		const struct tp_source_group *group = &source->groups[g];
		assert_in_range(group->n, 1, largest_group);
		for (size_t i = 0; i < group->n; i++, n++) {
			assert_true(group->events[i] < source->n_events);
			assert_int_equal(source->events[group->events[i]].group, g);
			assert_string_equal(source->events[group->events[i]].component,
					    source->events[group->events[0]].component);
		}
	}
	for (size_t i = 0; i < source->n_events; i++)
		n -= source->events[i].available;
	assert_int_equal(n, 0);
	for (size_t i = 0; i < source->notes.n; i++)
		assert_true(*source->notes.items[i].where && *source->notes.items[i].what);
}

static void every_event_counts_or_has_a_reason(void **state)
{
	(void)state;
	struct tp_source source;
	struct tp_source_wish wish = { 0 };
	open_it(&source, &wish);
	is_consistent(&source, 1);
	size_t open = 0;
	for (size_t i = 0; i < source.n_events; i++)
		open += source.events[i].available;
	print_message("%zu events, %zu count\n", source.n_events, open);
	/* Whoever has the one has the other: they are names of one event of the kernel. */
	const struct tp_count_event *a = find(&source, "perf::TASK-CLOCK"),
				    *b = find(&source, "perf::PERF_COUNT_SW_TASK_CLOCK");
	assert_int_equal(a != NULL, b != NULL);
	assert_true(!a || a->available == b->available);
	if (a)
		assert_string_equal(a->component, "perf_event");
	/* Values of qualifiers say nothing about code. */
	for (size_t i = 0; i < source.n_events; i++)
		assert_null(strchr(source.events[i].name, '='));
	tp_source_close(&source);
}

static void filters_choose_by_name(void **state)
{
	(void)state;
	static const char *const parts[] = { "PAGE-FAULTS", "perf::*TASK?CLOCK", NULL };
	static const char *const nothing[] = { "no such event", NULL };
	static const char *const values[] = { "perf::TASK-CLOCK:*=0", NULL };
	struct tp_source source;
	struct tp_source_wish wish = { .filters = parts };
	open_it(&source, &wish);
	is_consistent(&source, 1);
	for (size_t i = 0; i < source.n_events; i++)
		assert_true(strstr(source.events[i].name, "PAGE-FAULTS") ||
			    strstr(source.events[i].name, "TASK"));
	tp_source_close(&source);

	wish.filters = nothing;
	open_it(&source, &wish);
	assert_int_equal(source.n_events, 0);
	assert_int_equal(source.n_groups, 0);
	tp_source_close(&source);

	wish.filters = values;
	open_it(&source, &wish);
	is_consistent(&source, 1);
	for (size_t i = 0; i < source.n_events; i++)
		assert_non_null(strchr(source.events[i].name, '='));
	tp_source_close(&source);
}

static void refusals_say_what_would_allow_it(void **state)
{
	(void)state;
	static const struct tp_perf_host closed = { .paranoid = 3, .perf_error = EACCES },
					 strict = { .paranoid = 2, .perf_error = 0 },
					 virtual = { .paranoid = 2,
						     .perf_error = ENOENT,
						     .hypervisor = "KVM" };
	static const struct {
		const struct tp_perf_host *host;
		const char *component, *event;
		int code;
		const char *has, *lacks;
	} rows[] = {
		{ &closed, "perf_event", "zen::X", PAPI_EPERM, "perf_event_paranoid=1", "virtual" },
		{ &closed, "perf_event", "perf::CYCLES", PAPI_ENOEVNT, "CAP_PERFMON", "virtual" },
		{ &strict, "perf_event_uncore", "unc::X", PAPI_EPERM, "perf_event_paranoid=0", "" },
		{ &strict, "rapl", "rapl:::X", PAPI_EPERM, "root", "paranoid" },
		{ &strict, "perf_event", "zen::X", PAPI_ECNFLCT, "words", "paranoid" },
		{ &virtual, "perf_event", "zen::X", PAPI_ENOEVNT, "virtual machine (KVM)",
		  "paranoid" },
		{ &virtual, "perf_event", "perf::PERF_COUNT_SW_X", PAPI_ENOEVNT, "words",
		  "virtual" },
	};
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		char out[384];
		tp_papi_refusal(rows[i].host, rows[i].component, rows[i].event, rows[i].code,
				"words", out, sizeof(out));
		assert_int_equal(strncmp(out, "words", 5), 0);
		if (!strstr(out, rows[i].has) || (*rows[i].lacks && strstr(out, rows[i].lacks)))
			fail_msg("row %zu: %s", i, out);
	}
	static const char why[] = "perf_event support disabled by Linux with paranoid=3";
	assert_non_null(strstr(tp_papi_component_hint(&closed, "perf_event", why),
			       "sudo sysctl kernel.perf_event_paranoid=2"));
	assert_non_null(strstr(tp_papi_component_hint(&virtual, "perf_event", "none"), "PMU"));
	assert_string_equal(tp_papi_component_hint(&strict, "nvml", "no library"), "");
}

/* --- counting --- */

struct row {
	struct tp_counting counting;
	void *data;
	struct tp_work work;
};

/* Code of some kernel that every machine with a back end can run; false where there is none. */
static bool make_row(struct row *row, uint64_t passes)
{
	struct tp_cpu cpu = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_counting_machine machine = { .cache_bytes = { 0, 32768, 1 << 20, 1 << 23 },
					       .icache_bytes = 32768,
					       .line_bytes = 64,
					       .page_bytes = 4096,
					       .stream_log2 = 10 };
	*row = (struct row){ 0 };
	tp_arch_identify(&cpu);
	const struct tp_family *family = tp_family_find("branch");
	if (!family || tp_counting_make(family, 10, &cpu, &machine, &row->counting, &diag) != TP_OK)
		return false;
	size_t bytes = (row->counting.data_bytes | 4095) + 1;
	row->data = aligned_alloc(4096, bytes);
	assert_non_null(row->data);
	memset(row->data, 0, bytes);
	if (row->counting.fill)
		row->counting.fill(&row->counting, row->data, 1);
	row->work = (struct tp_work){ .code = &row->counting.code,
				      .data = row->data,
				      .passes = passes };
	return true;
}

static void drop_row(struct row *row)
{
	tp_counting_release(&row->counting);
	free(row->data);
}

static const char *const clock_only[] = { "perf::TASK-CLOCK", NULL };

struct counting_thread {
	struct tp_source *source;
	struct row *row;
	double least;
	bool failed;
};

static void *count_often(void *context)
{
	struct counting_thread *t = context;
	struct tp_diag diag;
	t->least = 1e300;
	for (size_t i = 0; i < 50; i++) {
		double count = -1;
		if (t->source->kind->measure(t->source, 0, &t->row->work, i, &count, &diag) !=
		    TP_OK)
			t->failed = true;
		if (count < t->least)
			t->least = count;
	}
	t->source->kind->thread_end(t->source);
	return NULL;
}

static void threads_count_at_the_same_time(void **state)
{
	(void)state;
	enum { THREADS = 3 };
	struct tp_source source;
	struct tp_source_wish wish = { .filters = clock_only };
	struct row row;
	open_it(&source, &wish);
	if (!make_row(&row, 200) || source.n_groups == 0) {
		print_message("SKIPPED: no back end, or the kernel's events do not count here\n");
		drop_row(&row);
		tp_source_close(&source);
		skip();
	}
	/* Threads come and go; the calling one counts before and after. */
	for (int round = 0; round < 3; round++) {
		pthread_t threads[THREADS];
		struct counting_thread contexts[THREADS + 1];
		for (size_t i = 0; i <= THREADS; i++)
			contexts[i] = (struct counting_thread){ &source, &row, 0, false };
		for (size_t i = 0; i < THREADS; i++)
			assert_int_equal(
				pthread_create(&threads[i], NULL, count_often, &contexts[i]), 0);
		count_often(&contexts[THREADS]);
		for (size_t i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		for (size_t i = 0; i <= THREADS; i++) {
			assert_false(contexts[i].failed);
			assert_true(contexts[i].least > 0);
		}
	}
	struct tp_diag diag;
	assert_int_equal(source.kind->measure(&source, 99, &row.work, 0, NULL, &diag), TP_INTERNAL);
	drop_row(&row);
	tp_source_close(&source);
}

/* More groups than a thread keeps sets of, again and again. */
static void sets_are_made_anew_when_there_are_many(void **state)
{
	(void)state;
	static const char *const software[] = { "perf::PERF_COUNT_SW_*", "perf::*FAULTS", NULL };
	struct tp_source source;
	struct tp_source_wish wish = { .filters = software };
	struct row row;
	struct tp_diag diag = { 0 };
	open_it(&source, &wish);
	if (!make_row(&row, 1) || source.n_groups <= TP_PAPI_SETS) {
		print_message("SKIPPED: %zu groups\n", source.n_groups);
		drop_row(&row);
		tp_source_close(&source);
		skip();
	}
	for (int round = 0; round < 3; round++)
		for (size_t g = 0; g < source.n_groups; g++) {
			double count = -1;
			if (source.kind->measure(&source, g, &row.work, 0, &count, &diag) != TP_OK)
				fail_msg("%s: %s", diag.where, diag.what);
			assert_true(count >= 0);
		}
	drop_row(&row);
	tp_source_close(&source);

	wish.group = true;
	open_it(&source, &wish);
	is_consistent(&source, TP_PAPI_GROUP_MAX);
	size_t largest = 0;
	for (size_t g = 0; g < source.n_groups; g++)
		largest = TP_MAX(largest, source.groups[g].n);
	assert_true(largest > 1);
	tp_source_close(&source);
}

/* --- software-defined events --- */

#ifdef HAVE_SDE

static long long quiet(void *parameter)
{
	(void)parameter;
	return 1;
}

static long long crash(void *parameter)
{
	(void)parameter;
	raise(SIGKILL); /* as a driver would; no sanitizer takes it */
	return 0;
}

static long long hang(void *parameter)
{
	(void)parameter;
	for (;;)
		pause();
	return 0;
}

static void an_event_that_crashes_or_hangs_costs_itself(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		papi_sde_fptr_t read;
		const char *reason;
	} rows[] = {
		{ "A_CRASH", crash, "PAPI crashed on it: Killed" },
		{ "B_QUIET", quiet, "" },
		{ "C_HANG", hang, "PAPI hung on it" },
		{ "D_QUIET", quiet, "" },
		{ "E_CRASH", crash, "PAPI crashed on it: Killed" },
	};
	static const char *const filters[] = { "sde:::broken::*", NULL };
	struct tp_diag diag = { 0 };
	char pmus[64];
	/* They stay: libsde cannot take events away without harm. */
	papi_handle_t library = papi_sde_init("broken");
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		assert_int_equal(papi_sde_register_counter_cb(
					 library, rows[i].name, PAPI_SDE_RO | PAPI_SDE_DELTA,
					 PAPI_SDE_long_long, rows[i].read, NULL),
				 SDE_OK);
	for (int grouped = 0; grouped < 2; grouped++) {
		struct tp_source source = { 0 };
		bool *is_real = NULL;
		assert_int_equal(tp_papi_enumerate(&source, filters, TP_PAPI_SILENCE_SECONDS,
						   &is_real, pmus, sizeof(pmus), &diag),
				 TP_OK);
		assert_int_equal(source.n_events, TP_COUNT_OF(rows));
		assert_int_equal(tp_papi_probe(&source, grouped, 2, &diag), TP_OK);
		for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
			char name[64];
			snprintf(name, sizeof(name), "sde:::broken::%s", rows[i].name);
			const struct tp_count_event *event = find(&source, name);
			assert_non_null(event);
			assert_int_equal(event->available, !*rows[i].reason);
			if (strncmp(event->reason, rows[i].reason, strlen(rows[i].reason)) != 0)
				fail_msg("%s: %s", name, event->reason);
		}
		is_consistent(&source, TP_PAPI_GROUP_MAX);
		free(is_real);
		tp_diags_release(&source.notes);
		tp_arena_release(&source.arena);
	}
}

struct stepping {
	struct tp_source *source;
	struct row row;
	struct tp_emulation *emulation;
	bool failed;
	size_t wrong;
};

/* Every group: PAPI's counts are what the emulation added meanwhile. */
static void *count_stepped(void *context)
{
	struct stepping *s = context;
	struct tp_source *source = s->source;
	struct tp_diag diag;
	for (size_t g = 0; g < source->n_groups; g++) {
		double counts[TP_PAPI_GROUP_MAX];
		uint64_t before[TP_EMULATED_COUNT];
		memcpy(before, tp_emulation_counts(s->emulation), sizeof(before));
		if (source->kind->measure(source, g, &s->row.work, 0, counts, &diag) != TP_OK)
			s->failed = true;
		const uint64_t *after = tp_emulation_counts(s->emulation);
		for (size_t i = 0; i < source->groups[g].n; i++) {
			const char *name = source->events[source->groups[g].events[i]].name;
			for (int c = 0; c < TP_EMULATED_COUNT; c++)
				if (strcmp(name + strlen("sde:::tprof::"),
					   tp_emulated_name((enum tp_emulated_count)c)) == 0 &&
				    counts[i] != (double)(after[c] - before[c]))
					s->wrong++;
		}
	}
	source->kind->thread_end(source);
	return NULL;
}

static void emulated_counts_come_back_through_papi(void **state)
{
	(void)state;
	enum { THREADS = 2 };
	struct tp_emulated_machine machine = {
		.data = { { 0 }, { 32768, 64, 8 }, { 1 << 20, 64, 8 }, { 1 << 23, 64, 16 } },
		.code = { 32768, 64, 8 },
		.history_bits = 8,
		.wrong_path_instructions = 64
	};
	/* Twice: what was registered must be gone with the source, and come again. */
	for (int round = 0; round < 2; round++) {
		struct tp_source source;
		struct tp_source_wish wish = { .emulate = true };
		struct tp_diag diag = { 0 };
		struct stepping steps[THREADS] = { 0 };
		pthread_t threads[THREADS];
		open_it(&source, &wish);
		assert_true(source.needs_emulation);
		is_consistent(&source, TP_PAPI_GROUP_MAX);
		assert_int_equal(source.n_events, TP_EMULATED_COUNT);
		const struct tp_count_event *loads = find(&source, "sde:::tprof::LOADS");
		assert_non_null(loads);
		assert_true(loads->available);
		assert_string_equal(loads->component, "sde");
		assert_non_null(strstr(loads->description, "load instructions"));
		for (size_t i = 0; i < THREADS; i++) {
			struct stepping *s = &steps[i];
			s->source = &source;
			if (!tp_arch_host() || !tp_arch_host()->step || !make_row(&s->row, 3 + i)) {
				print_message("SKIPPED: nothing can be stepped here\n");
				drop_row(&s->row);
				tp_source_close(&source);
				skip();
			}
			s->emulation = tp_emulation_new(&machine);
			/* Without an emulation there is nothing to count. */
			double counts[TP_PAPI_GROUP_MAX];
			assert_int_equal(
				source.kind->measure(&source, 0, &s->row.work, 0, counts, &diag),
				TP_INTERNAL);
			s->row.work.emulation = s->emulation;
		}
		for (size_t i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, count_stepped, &steps[i]);
		for (size_t i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		for (size_t i = 0; i < THREADS; i++) {
			assert_false(steps[i].failed);
			assert_int_equal(steps[i].wrong, 0);
			const uint64_t *counts = tp_emulation_counts(steps[i].emulation);
			assert_true(counts[TP_EMULATED_INSTRUCTIONS] > 0);
			assert_true(counts[TP_EMULATED_COND] > 0);
			tp_emulation_free(steps[i].emulation);
			drop_row(&steps[i].row);
		}
		tp_source_close(&source);
	}
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_counts_or_has_a_reason),
		cmocka_unit_test(filters_choose_by_name),
		cmocka_unit_test(meters_that_are_not_there_say_why),
		cmocka_unit_test(refusals_say_what_would_allow_it),
		cmocka_unit_test(threads_count_at_the_same_time),
		cmocka_unit_test(sets_are_made_anew_when_there_are_many),
#ifdef HAVE_SDE
		cmocka_unit_test(an_event_that_crashes_or_hangs_costs_itself),
		cmocka_unit_test(meters_are_read_by_a_thread),
		cmocka_unit_test(emulated_counts_come_back_through_papi),
#endif
	};
	int failed = 0;
	starts_once = papi_starts_once();
	for (size_t i = 0; i < TP_COUNT_OF(tests); i++) {
		int status = 0;
		pid_t child = fork();
		if (child == 0)
			exit(_cmocka_run_group_tests(tests[i].name, &tests[i], 1, NULL, NULL));
		failed += waitpid(child, &status, 0) != child || status != 0;
	}
	return failed;
}

#endif
