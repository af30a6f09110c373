/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every field of cluster.json either acts, and then a change of it asks the user again, or is on
 * the list below of those that do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "base/text.h"
#include "cluster/actions.h"
#include "table/csv.h"

static const char text[] =
	"{\"format\": \"tprof-cluster\", \"version\": 1, \"launcher\": \"slurm\", "
	"\"program\": \"tprof\", \"where\": \"all\", \"job\": \"17\", \"per\": \"numa\", "
	"\"shared\": true, \"host\": \"h\", \"seconds\": 1, \"time_limit\": \"60\", "
	"\"started\": \"2026-02-01T00:00:00Z\", \"nodes\": [{\"node\": \"n1\", "
	"\"state\": \"failed\", \"target\": \"t\", \"job\": \"17\"}]}";

/* Fields that start nothing, reach nothing and end nothing. */
static const char harmless[] = "host seconds started state points_done points_planned why changed";

static void load(struct tp_cluster *cluster)
{
	struct tp_diag diag = { 0 };
	if (tp_cluster_parse(cluster, "cluster.json", text, strlen(text), &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

static uint64_t sum_of(const struct tp_cluster *cluster, enum tp_cluster_act act)
{
	TP_CLEANUP(tp_consent_release) struct tp_consent consent = { 0 };
	return tp_cluster_acts(cluster, act, &consent);
}

/* Changes one field after the other. */
static void walk(const struct tp_table *table, bool of_node)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct tp_column *column = &table->columns[i];
		assert_true(tp_has_word(harmless, column->name) == !column->acts);
		for (unsigned act = 0; column->acts && act < TP_ACT_COUNT; act++) {
			struct tp_cluster cluster;
			const char *other = column->type == TP_COLUMN_BOOL     ? "false"
					    : strcmp(column->name, "launcher") ? "other"
									       : "ssh";
			load(&cluster);
			const uint64_t before = sum_of(&cluster, act);
			void *row = of_node ? (void *)cluster.nodes : &cluster;
			assert_true(tp_column_read_cell(column, other, row));
			const uint64_t after = sum_of(&cluster, act);
			/* Nothing is there to be fetched or ended: those acts need no word. */
			if (before && after && (before != after) != (column->acts >> act & 1))
				fail_msg("%s: asked again: %d", column->name, before != after);
			tp_cluster_release(&cluster);
		}
	}
}

static void every_field_acts_or_is_harmless(void **state)
{
	(void)state;
	walk(&tp_cluster_table, false);
	walk(&tp_cluster_node_table, true);
}

static void resume_and_cancel_need_a_word(void **state)
{
	(void)state;
	struct tp_cluster cluster;
	load(&cluster);
	assert_true(sum_of(&cluster, TP_ACT_RESUME) && sum_of(&cluster, TP_ACT_CANCEL));
	cluster.begun_here = true;
	assert_int_equal(sum_of(&cluster, TP_ACT_RESUME), 0);
	tp_cluster_release(&cluster);
}

/* What moves from one field to the next is another program in another place. */
static void fields_are_apart(void **state)
{
	(void)state;
	struct tp_cluster a, b;
	load(&a);
	load(&b);
	strcpy(a.job, "1");
	strcpy(a.program, "7tprof");
	strcpy(b.job, "17");
	strcpy(b.program, "tprof");
	assert_true(sum_of(&a, TP_ACT_RESUME) != sum_of(&b, TP_ACT_RESUME));
	tp_cluster_release(&a);
	tp_cluster_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_acts_or_is_harmless),
		cmocka_unit_test(resume_and_cancel_need_a_word),
		cmocka_unit_test(fields_are_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
