/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buffers grow: each byte is touched once, and what was touched stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "kernels/arch.h"
#include "machine/machine.h"
#include "measure/buffer.h"
#include "measure/sampler.h"

enum { MIB = 1 << 20 };

static void a_reserved_buffer_has_no_memory(void **state)
{
	struct tp_buffer buffer;
	char pages[16];

	(void)state;
	assert_int_equal(tp_buffer_init(&buffer, 64 * MIB, TP_PAGES_DEFAULT, NULL), TP_OK);
	assert_int_equal(buffer.bytes, 0);
	assert_true(buffer.most_bytes >= 64 * MIB);
	assert_string_equal(tp_buffer_obtained(&buffer, pages, sizeof(pages)), "");
	tp_buffer_release(&buffer);
}

static void growing_keeps_what_was_touched(void **state)
{
	struct tp_buffer buffer;
	char pages[16];

	(void)state;
	assert_int_equal(tp_buffer_init(&buffer, 16 * MIB, TP_PAGES_THP, NULL), TP_OK);
	assert_int_equal(tp_buffer_grow(&buffer, 100, NULL), TP_OK);
	assert_int_equal(buffer.bytes, 2 * MIB); /* whole huge pages */
	char *data = buffer.data;
	memset(data, 'x', buffer.bytes);
	assert_int_equal(tp_buffer_grow(&buffer, 9 * MIB, NULL), TP_OK);
	assert_ptr_equal(buffer.data, data);
	assert_int_equal(buffer.bytes, 10 * MIB);
	for (size_t i = 0; i < 2 * MIB; i++)
		assert_int_equal(data[i], 'x');
	const double *x = (const double *)(const void *)(data + 2 * MIB);
	for (size_t i = 0; i < MIB; i++)
		assert_true(x[i] >= 1 && x[i] < 2);
	/* Smaller than it is: nothing happens. */
	assert_int_equal(tp_buffer_grow(&buffer, MIB, NULL), TP_OK);
	assert_int_equal(buffer.bytes, 10 * MIB);
	assert_true(tp_buffer_obtained(&buffer, pages, sizeof(pages))[0]);
	tp_buffer_release(&buffer);
}

static void a_buffer_does_not_outgrow_what_was_reserved(void **state)
{
	struct tp_buffer buffer;
	struct tp_diag diag;

	(void)state;
	assert_int_equal(tp_buffer_init(&buffer, 4 * MIB, TP_PAGES_DEFAULT, NULL), TP_OK);
	assert_int_equal(tp_buffer_grow(&buffer, 6 * MIB, &diag), TP_RESOURCE);
	assert_int_equal(buffer.bytes, 0);
	assert_int_equal(tp_buffer_grow(&buffer, 4 * MIB, &diag), TP_OK);
	tp_buffer_release(&buffer);
}

static void trimming_gives_memory_back(void **state)
{
	struct tp_buffer buffer;

	(void)state;
	assert_int_equal(tp_buffer_init(&buffer, 16 * MIB, TP_PAGES_DEFAULT, NULL), TP_OK);
	assert_int_equal(tp_buffer_grow(&buffer, 16 * MIB, NULL), TP_OK);
	buffer.data[0] = 'x';
	tp_buffer_trim(&buffer, 3 * MIB);
	assert_int_equal(buffer.bytes, 4 * MIB);
	assert_int_equal(buffer.data[0], 'x');
	tp_buffer_trim(&buffer, 8 * MIB);
	assert_int_equal(buffer.bytes, 4 * MIB); /* it is smaller */
	assert_int_equal(tp_buffer_grow(&buffer, 8 * MIB, NULL), TP_OK);
	const double *x = (const double *)(const void *)(buffer.data + 4 * MIB);
	assert_true(x[0] >= 1 && x[0] < 2); /* touched anew */
	tp_buffer_release(&buffer);
}

/* --- of a team --- */

struct bench {
	struct tp_cpu cpu;
	struct tp_clock clock;
	struct tp_machine machine;
	struct tp_team *team;
	unsigned cpu_number;
	unsigned told; /* how often the watch heard of touching */
	uint64_t done, total; /* what it heard last */
	bool cancel;
};

static void touching(void *context, uint64_t done, uint64_t total)
{
	struct bench *b = context;

	assert_true(done <= total);
	b->told++;
	b->done = done;
	b->total = total;
}

static bool go_on(void *context)
{
	const struct bench *b = context;

	return !b->cancel;
}

static enum tp_status buffers(struct bench *b, size_t bytes, size_t most_bytes)
{
	const struct tp_watch watch = { .context = b, .go_on = go_on, .touching = touching };
	struct tp_diag diag;

	b->told = 0;
	return tp_team_buffers(b->team, bytes, most_bytes, TP_PAGES_DEFAULT, &watch, &diag);
}

static void new_team(struct bench *b)
{
	struct tp_diag diag = { .what = "" };

	*b = (struct bench){ .team = NULL };
	tp_arch_identify(&b->cpu);
	tp_clock_init(&b->clock, &b->cpu, 0);
	if (tp_machine_init(&b->machine, &b->cpu, NULL, "detected", NULL, &diag) != TP_OK ||
	    tp_machine_place(&b->machine, "compact", 1, &b->cpu_number, &diag) != TP_OK ||
	    tp_team_new(&b->team, &b->clock, &b->cpu, &b->cpu_number, 1, &diag) != TP_OK)
		fail_msg("%s", diag.what);
}

static void drop_team(struct bench *b)
{
	tp_team_free(b->team);
	tp_machine_release(&b->machine);
}

/* Small points do not pay for the large ones behind them, and those only for what is new. */
static void a_team_touches_what_a_point_needs(void **state)
{
	struct bench b;

	(void)state;
	new_team(&b);
	assert_int_equal(buffers(&b, MIB, 64 * MIB), TP_OK);
	char *data = tp_team_data(b.team, 0);
	assert_true(b.told > 0 && b.done == b.total); /* over */
	memset(data, 'x', MIB);
	assert_int_equal(buffers(&b, 40 * MIB, 64 * MIB), TP_OK);
	assert_true(b.told > 3);
	assert_ptr_equal(tp_team_data(b.team, 0), data);
	assert_int_equal(data[MIB - 1], 'x');
	assert_int_equal(buffers(&b, 2 * MIB, 64 * MIB), TP_OK);
	assert_int_equal(b.told, 0); /* nothing is new */
	assert_int_equal(data[MIB - 1], 'x');
	drop_team(&b);
}

static void the_first_touch_can_be_cancelled(void **state)
{
	struct bench b;

	(void)state;
	new_team(&b);
	b.cancel = true;
	assert_int_equal(buffers(&b, 64 * MIB, 64 * MIB), TP_CANCELLED);
	assert_int_equal(b.done, b.total);
	b.cancel = false;
	assert_int_equal(buffers(&b, 64 * MIB, 64 * MIB), TP_OK);
	drop_team(&b);
}

/* Another team on the same CPU goes on with its memory, but keeps no more than it may need. */
static void a_team_takes_over_what_was_touched(void **state)
{
	struct bench b;
	struct tp_team *next = NULL;
	struct tp_diag diag;

	(void)state;
	new_team(&b);
	assert_int_equal(buffers(&b, 40 * MIB, 64 * MIB), TP_OK);
	char *data = tp_team_data(b.team, 0);
	data[0] = 'x';
	assert_int_equal(tp_team_new(&next, &b.clock, &b.cpu, &b.cpu_number, 1, &diag), TP_OK);
	tp_team_inherit(next, b.team);
	tp_team_free(b.team);
	b.team = next;
	assert_int_equal(buffers(&b, 20 * MIB, 20 * MIB), TP_OK);
	assert_int_equal(b.told, 0);
	assert_int_equal(tp_team_touched_bytes(b.team), 20 * MIB);
	assert_ptr_equal(tp_team_data(b.team, 0), data);
	assert_int_equal(data[0], 'x');
	/* Other pages are other memory. */
	assert_int_equal(tp_team_buffers(b.team, MIB, MIB, TP_PAGES_SMALL, NULL, &diag), TP_OK);
	assert_int_not_equal(tp_team_data(b.team, 0)[0], 'x');
	drop_team(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reserved_buffer_has_no_memory),
		cmocka_unit_test(growing_keeps_what_was_touched),
		cmocka_unit_test(a_buffer_does_not_outgrow_what_was_reserved),
		cmocka_unit_test(trimming_gives_memory_back),
		cmocka_unit_test(a_team_touches_what_a_point_needs),
		cmocka_unit_test(a_team_takes_over_what_was_touched),
		cmocka_unit_test(the_first_touch_can_be_cancelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
