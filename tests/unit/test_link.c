/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines to a terminal, slow and fast, near and far, as a clock of our own runs them: on a slow one
 * little is under way when a key is pressed, and a fast one is filled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/memory.h"
#include "ui/tui/link.h"

/* A key is answered within 0.3 s at 2 kB/s; half of that for what is under way before it. */
enum { SLOW_BYTES_PER_SECOND = 2000, MOST_UNDER_WAY = 300, QUERY_BYTES = 4 };

static struct tp_link link;
static double now, rate, round_trip; /* bytes a second, seconds */
static size_t most; /* that was under way at once */

static void start(double bytes_per_second, double seconds)
{
	link = (struct tp_link){ 0 };
	now = 1000;
	rate = bytes_per_second;
	round_trip = seconds;
	most = 0;
}

/* Writes so many bytes as the line allows, waiting for every answer; returns the seconds. */
static double send(size_t bytes)
{
	double begin = now;
	while (bytes) {
		size_t piece = TP_MIN(bytes, tp_link_room(&link, now));
		assert_true(piece > 0);
		bytes -= piece;
		most = TP_MAX(most, piece);
		assert_true(tp_link_wrote(&link, piece, now));
		now += (double)(piece + QUERY_BYTES) / rate + round_trip;
		tp_link_heard(&link, now);
	}
	return now - begin;
}

static void a_slow_line_is_never_full(void **state)
{
	static const double round_trips[] = { 0, 0.02, 0.1, 0.6 };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(round_trips); i++) {
		start(SLOW_BYTES_PER_SECOND, round_trips[i]);
		/* Frames of any size, with a short piece at their end. */
		for (size_t frame = 1; frame < 9000; frame += 97)
			send(frame);
		assert_in_range(most, 1, MOST_UNDER_WAY);
	}
}

static void a_fast_line_is_filled(void **state)
{
	(void)state;
	/* Near: a frame is one piece after a few of them. */
	start(1e8, 0.001);
	send(10000);
	send(10000);
	assert_true(tp_link_room(&link, now) >= 10000);
	/* Far: a frame takes less than two round trips. */
	start(1e6, 0.3);
	send(10000);
	send(10000);
	assert_true(send(10000) < 0.6);
}

static void a_line_that_becomes_slow_or_far_is_noticed(void **state)
{
	(void)state;
	start(1e6, 0.01);
	send(100000);
	rate = SLOW_BYTES_PER_SECOND;
	send(20000); /* one large piece was not to be known */
	most = 0;
	send(20000);
	assert_in_range(most, 1, MOST_UNDER_WAY);
	rate = 1e6;
	round_trip = 0.3;
	send(20000);
	send(20000);
	assert_true(send(10000) < 0.9);
}

static void what_fits_needs_no_answer(void **state)
{
	(void)state;
	start(1e6, 0.01);
	send(10000);
	size_t room = tp_link_room(&link, now);
	assert_true(tp_link_wrote(&link, 100, now));
	assert_int_equal(tp_link_room(&link, now), room - 100);
	assert_false(tp_link_wrote(&link, 200, now)); /* a key while a frame is under way */
	assert_int_equal(tp_link_room(&link, now), room - 300);
	tp_link_heard(&link, now + 0.01);
	assert_true(tp_link_room(&link, now) >= room);
}

static void a_silent_terminal_is_not_asked_again(void **state)
{
	(void)state;
	start(1e6, 0.01);
	assert_true(isinf(tp_link_due(&link)));
	assert_true(tp_link_wrote(&link, 50, now));
	assert_true(tp_link_due(&link) > now && tp_link_due(&link) < now + 1);
	assert_true(tp_link_room(&link, now) < 1000);
	now = tp_link_due(&link);
	assert_int_equal(tp_link_room(&link, now), SIZE_MAX);
	assert_true(isinf(tp_link_due(&link)));
	assert_false(tp_link_wrote(&link, 100000, now));
	/* It was late. */
	tp_link_heard(&link, now + 5);
	assert_true(tp_link_room(&link, now) < 1000);
	assert_true(tp_link_wrote(&link, 50, now));
}

static void a_lost_answer_is_not_waited_for(void **state)
{
	(void)state;
	start(1e6, 0.01);
	send(10000);
	assert_true(tp_link_wrote(&link, tp_link_room(&link, now), now));
	assert_int_equal(tp_link_room(&link, now + 1), 0);
	now = tp_link_due(&link);
	assert_true(tp_link_room(&link, now) > 0);
	assert_true(tp_link_room(&link, now) < SIZE_MAX);
	assert_true(tp_link_wrote(&link, 50, now));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_line_is_never_full),
		cmocka_unit_test(a_fast_line_is_filled),
		cmocka_unit_test(a_line_that_becomes_slow_or_far_is_noticed),
		cmocka_unit_test(what_fits_needs_no_answer),
		cmocka_unit_test(a_silent_terminal_is_not_asked_again),
		cmocka_unit_test(a_lost_answer_is_not_waited_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
