/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stored runs measured of the machine, and what is offered of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "experiments/windows/quality.h"
#include "preset/shared_options.h"
#include "record/roof.h"
#include "session/learned.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

static void add_edge(struct tp_run *run, const char *level, unsigned threads, double gbps,
		     uint64_t bytes)
{
	struct tp_plateau *p = tp_run_add_row(run, &tp_plateau_part);
	assert_non_null(p);
	strcpy(p->level, level);
	p->threads = threads;
	p->gbps = gbps;
	p->ns = gbps > 0 ? 0 : 5;
	p->capacity_bytes = bytes;
	p->quality = TP_QUALITY_GOOD;
}

static uint64_t capacity(const struct tp_run *run, const char *level)
{
	const struct tp_plateau *p = tp_run_cache(run, level);
	return p ? p->capacity_bytes : 0;
}

static void a_capacity_is_of_one_thread_and_of_bandwidth(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	assert_int_equal(capacity(&run, NULL), 0);
	add_edge(&run, "L2", 1, 0, 300 * KIB);
	add_edge(&run, "L3", 2, 50, 20 * MIB);
	assert_int_equal(capacity(&run, NULL), 0);
	add_edge(&run, "L3", 1, 30, 79 * MIB);
	assert_int_equal(capacity(&run, NULL), 79 * MIB);
	assert_int_equal(capacity(&run, "L3"), 79 * MIB);
	assert_int_equal(capacity(&run, "L2"), 0);
	/* What is poor, or of unknown quality, is nothing that was measured. */
	struct tp_plateau *last = &tp_run_plateaus(&run)[tp_run_n_plateaus(&run) - 1];
	last->quality = TP_QUALITY_FAIR;
	assert_int_equal(capacity(&run, "L3"), 79 * MIB);
	last->quality = TP_QUALITY_POOR;
	assert_int_equal(capacity(&run, "L3"), 0);
	last->quality = TP_QUALITY_NONE;
	assert_int_equal(capacity(&run, "L3"), 0);
	tp_run_release(&run);
}

/* A curve of 61 points of 2 KiB and more, of which every `every`th has another quality. */
static unsigned judged(enum tp_quality most, enum tp_quality other, size_t every)
{
	static struct tp_kernel_row rows[61];
	static struct tp_point points[61];
	struct tp_run run = { .points = points, .n_points = TP_COUNT_OF(points) };
	struct tp_plateau plateau = { .threads = 1,
				      .level = "L1",
				      .gbps = 300,
				      .from_bytes = 2 * KIB,
				      .to_bytes = 40 * KIB,
				      .capacity_bytes = 48 * KIB };
	for (size_t i = 0; i < TP_COUNT_OF(points); i++) {
		rows[i] = (struct tp_kernel_row){ .working_set_bytes = (2 + i) * KIB };
		points[i] = (struct tp_point){ .kind = tp_point_kind_find("memcurve"),
					       .threads = 1,
					       .state = TP_POINT_DONE,
					       .quality = i % every ? most : other,
					       .row = &rows[i] };
	}
	tp_plateau_judge(&run, &plateau);
	return plateau.quality;
}

static void a_plateau_is_as_good_as_its_points(void **state)
{
	(void)state;
	assert_int_equal(judged(TP_QUALITY_POOR, TP_QUALITY_POOR, 1), TP_QUALITY_POOR);
	assert_int_equal(judged(TP_QUALITY_GOOD, TP_QUALITY_POOR, 10), TP_QUALITY_GOOD);
	assert_int_equal(judged(TP_QUALITY_GOOD, TP_QUALITY_POOR, 2), TP_QUALITY_POOR);
	assert_int_equal(judged(TP_QUALITY_GOOD, TP_QUALITY_FAIR, 2), TP_QUALITY_FAIR);
	assert_int_equal(judged(TP_QUALITY_NONE, TP_QUALITY_NONE, 1), TP_QUALITY_NONE);
}

static void only_good_and_fair_points_teach(void **state)
{
	static const struct tp_point_kind judged = { .judge = tp_window_judge };
	struct tp_point p = { .kind = &judged, .state = TP_POINT_DONE };
	(void)state;
	assert_false(tp_point_teaches(&p));
	p.quality = TP_QUALITY_POOR;
	assert_false(tp_point_teaches(&p));
	p.quality = TP_QUALITY_FAIR;
	assert_true(tp_point_teaches(&p));
	p.quality = TP_QUALITY_GOOD;
	assert_true(tp_point_teaches(&p));
	p.state = TP_POINT_FAILED;
	assert_false(tp_point_teaches(&p));
	/* Of a kind that nobody judges. */
	p = (struct tp_point){ .state = TP_POINT_DONE };
	assert_true(tp_point_teaches(&p));
}

static void sizes_are_written_as_options_read_them(void **state)
{
	(void)state;
	char text[32];
	assert_string_equal(tp_capacity_option(text, sizeof(text), 79 * MIB + 5 * KIB), "79MiB");
	assert_string_equal(tp_capacity_option(text, sizeof(text), 3 * MIB + 5), "3072KiB");
	assert_string_equal(tp_capacity_option(text, sizeof(text), 5000), "4KiB");
	assert_true(tp_capacity_is_less(79 * MIB, 480ull * MIB));
	assert_false(tp_capacity_is_less(30 * MIB, 32 * MIB));
	assert_false(tp_capacity_is_less(0, 32 * MIB));
	assert_false(tp_capacity_is_less(64 * MIB, 32 * MIB));
}

static struct tp_session session_with_l3(uint64_t reported, uint64_t given)
{
	struct tp_session session = { .cpu = { .family = -1 } };
	session.machine.cache[3].reported_bytes = reported;
	session.machine.cache[3].given_bytes = given;
	session.machine.cache[3].size_bytes = given ? given : reported;
	return session;
}

static void offers_are_what_differs(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_offer offers[TP_OFFERS_MAX];
	add_edge(&run, "L1", 1, 300, 31 * KIB);
	add_edge(&run, "L3", 1, 30, 79 * MIB);

	struct tp_session session = session_with_l3(480ull * MIB, 0);
	session.machine.cache[1].reported_bytes = session.machine.cache[1].size_bytes = 32 * KIB;
	assert_int_equal(tp_offers(&session, NULL, offers), 0);
	assert_int_equal(tp_offers(&session, &run, offers), 1);
	assert_ptr_equal(offers[0].option, TP_OPT_CACHE_L3);
	assert_string_equal(offers[0].value, "79MiB");
	assert_string_equal(offers[0].words, "L3 measured 79 MiB (good), reported 480 MiB");
	tp_run_fact_text(&run, "started", "%s", "2026-11-28T03:30:40Z");
	assert_int_equal(tp_offers(&session, &run, offers), 1);
	assert_string_equal(offers[0].words,
			    "L3 measured 79 MiB (good, 2026-11-28), reported 480 MiB");
	/* A poor run offers nothing. */
	tp_run_plateaus(&run)[1].quality = TP_QUALITY_POOR;
	assert_int_equal(tp_offers(&session, &run, offers), 0);
	tp_run_plateaus(&run)[1].quality = TP_QUALITY_GOOD;

	/* Not of another machine. */
	session.machine.foreign = true;
	assert_int_equal(tp_offers(&session, &run, offers), 0);

	/* User-given wins. */
	session = session_with_l3(480ull * MIB, 470ull * MIB);
	assert_int_equal(tp_offers(&session, &run, offers), 0);

	/* A model that is only guessed is offered; one that matches or was chosen is not. */
	session = session_with_l3(80 * MIB, 0);
	strcpy(session.machine.model.name, "granite-rapids");
	session.machine.model_found = TP_MODEL_MATCHED;
	assert_int_equal(tp_offers(&session, &run, offers), 0);
	session.machine.model_found = TP_MODEL_LOOKS_LIKE;
	assert_int_equal(tp_offers(&session, &run, offers), 1);
	assert_ptr_equal(offers[0].option, TP_OPT_MACHINE);
	assert_string_equal(offers[0].value, "granite-rapids");
	assert_string_equal(offers[0].words, "looks like granite-rapids");
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_capacity_is_of_one_thread_and_of_bandwidth),
		cmocka_unit_test(a_plateau_is_as_good_as_its_points),
		cmocka_unit_test(only_good_and_fair_points_teach),
		cmocka_unit_test(sizes_are_written_as_options_read_them),
		cmocka_unit_test(offers_are_what_differs),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
