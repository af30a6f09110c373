/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stored runs measured of the machine, and what is offered of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "experiments/experiment.h"
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
}

static void a_capacity_is_of_one_thread_and_of_bandwidth(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	assert_int_equal(tp_run_capacity(&run, NULL), 0);
	add_edge(&run, "L2", 1, 0, 300 * KIB);
	add_edge(&run, "L3", 2, 50, 20 * MIB);
	assert_int_equal(tp_run_capacity(&run, NULL), 0);
	add_edge(&run, "L3", 1, 30, 79 * MIB);
	assert_int_equal(tp_run_capacity(&run, NULL), 79 * MIB);
	assert_int_equal(tp_run_capacity(&run, "L3"), 79 * MIB);
	assert_int_equal(tp_run_capacity(&run, "L2"), 0);
	tp_run_release(&run);
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
	assert_string_equal(offers[0].words, "L3 measured 79 MiB, reported 480 MiB");

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
		cmocka_unit_test(sizes_are_written_as_options_read_them),
		cmocka_unit_test(offers_are_what_differs),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
