/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mining of made-up tables whose answers are known: what is prepared, learned and said. */
#include "experiments/experiment.h"
#include "tests/unit/files.h"
#include "tests/unit/near.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mining/mined.h"
#include "mining/options.h"
#include "tests/unit/printed.h"
#include "mining/say.h"

/* --- what is common --- */

/* Options as on the command line, "mine.target=time", up to NULL. */
static enum tp_status mine(struct tp_mined *mined, const char *text, const char *const *sets,
			   struct tp_diag *diag)
{
	struct tp_config *config = calloc(1, sizeof(*config));
	*mined = (struct tp_mined){ 0 };
	assert_non_null(config);
	assert_int_equal(tp_config_defaults(config, &mined->arena, diag), TP_OK);
	for (; *sets; sets++) {
		char key[64];
		const char *equals = strchr(*sets, '=');
		snprintf(key, sizeof(key), "%.*s", (int)(equals - *sets), *sets);
		const struct tp_option *option = tp_option_find(key);
		assert_non_null(option);
		assert_int_equal(tp_option_parse(option, equals + 1, &mined->arena,
						 tp_config_at(config, option), diag),
				 TP_OK);
	}
	assert_int_equal(tp_frame_read_text(&mined->frame, "a.csv", text, strlen(text), NULL, diag),
			 TP_OK);
	enum tp_status status = tp_mine_frame(mined, config, diag);
	free(config);
	return status;
}
#define MINE(mined, text, ...)                                                                     \
	do {                                                                                       \
		struct tp_diag diag_ = { 0 };                                                      \
		if (mine(mined, text, (const char *const[]){ __VA_ARGS__, NULL }, &diag_))         \
			fail_msg("%s: %s", diag_.where, diag_.what);                               \
	} while (0)

static void refused(const char *text, const char *const *sets, const char *where, const char *what,
		    const char *hint)
{
	struct tp_mined mined;
	struct tp_diag diag = { 0 };
	assert_int_equal(mine(&mined, text, sets, &diag), TP_USAGE);
	assert_string_equal(diag.where, where);
	if (!strstr(diag.what, what) || !strstr(diag.hint, hint))
		fail_msg("\"%s\", \"%s\"", diag.what, diag.hint);
	assert_int_equal(mined.mining.n_rows, 0);
	tp_mined_release(&mined);
}
#define REFUSED(text, where, what, hint, ...)                                                      \
	refused(text, (const char *const[]){ __VA_ARGS__, NULL }, where, what, hint)

static void noted(const struct tp_mining *m, const char *where, const char *what)
{
	for (size_t i = 0; i < m->notes.n; i++)
		if (strcmp(m->notes.items[i].where, where) == 0 &&
		    strstr(m->notes.items[i].what, what))
			return;
	fail_msg("no note at %s: %s", where, what);
}

static bool has_feature(const struct tp_mining *m, const char *name)
{
	for (size_t i = 0; i < m->n_features; i++)
		if (strcmp(m->features[i].name, name) == 0)
			return true;
	return false;
}

/*
 * 240 rows: lines 1 to 6, width 128 or 256, isa a, b or c. The time is 50 up to two lines, 200 up
 * to four, beyond them 200 with width 128 and 500 with 256; each a little more in each row.
 */
static const char *planted(struct tp_str *out)
{
	tp_str_clear(out);
	tp_str_add(out, "lines,width,isa,time\n");
	for (unsigned i = 0; i < 240; i++) {
		unsigned lines = 1 + i % 6, width = i / 6 % 2 ? 256 : 128;
		double time = lines <= 2 ? 50 : lines <= 4 || width == 128 ? 200 : 500;
		tp_str_printf(out, "%u,%u,%c,%.3f\n", lines, width, "abc"[i / 12 % 3],
			      time * (1 + 0.0001 * (i * 7 % 100)));
	}
	return tp_str_text(out);
}

/* A table that has its rows four times: enough for a tree. */
static const char *repeated(struct tp_str *out, const char *names, const char *rows)
{
	tp_str_clear(out);
	tp_str_add(out, names);
	for (unsigned i = 0; i < 4; i++)
		tp_str_add(out, rows);
	return tp_str_text(out);
}

static void says(const struct tp_mining *m, const char *want)
{
	const struct tp_look look = { .columns = 100, .rows = 40 };
	struct tp_str out = { 0 };
	PRINTED(&look, &out, tp_mine_text(m, doc));
	if (!strstr(tp_str_text(&out), want))
		fail_msg("\"%s\" is not in:\n%s", want, tp_str_text(&out));
	tp_str_release(&out);
}

/* --- preparing --- */

static void test_columns_are_chosen(void **state)
{
	(void)state;
	struct tp_mined mined;
	struct tp_str text = { 0 };
	tp_str_add(&text, "id,name,same,rare,size,kind,time\n");
	for (unsigned i = 0; i < 24; i++)
		tp_str_printf(&text, "%u,n%u,5,%s,%u,%s,%s\n", i + 1, i,
			      i == 7  ? "2"
			      : i < 3 ? "1"
				      : "",
			      i % 5 * 10, i % 2 ? "x" : "y", i % 2 ? "slow" : "fast");
	MINE(&mined, tp_str_text(&text), "mine.target=time");
	const struct tp_mining *m = &mined.mining;
	assert_int_equal(m->n_features, 2);
	assert_true(has_feature(m, "size") && has_feature(m, "kind"));
	noted(m, "id", "different in each row");
	noted(m, "name", "different in each row");
	noted(m, "same", "the same everywhere");
	noted(m, "rare", "missing in most rows");
	tp_mined_release(&mined);
	MINE(&mined, tp_str_text(&text), "mine.target=time", "mine.without=kind");
	assert_int_equal(mined.mining.n_features, 1);
	assert_false(has_feature(&mined.mining, "kind"));
	tp_mined_release(&mined);
	/* What is asked for is taken. */
	MINE(&mined, tp_str_text(&text), "mine.target=time", "mine.features=id,same");
	assert_true(has_feature(&mined.mining, "id") && has_feature(&mined.mining, "same"));
	tp_mined_release(&mined);
	tp_str_release(&text);
}

static void test_what_repeats_parameters_is_left_out(void **state)
{
	struct tp_mined mined;
	struct tp_str text = { 0 };
	(void)state;
	MINE(&mined,
	     repeated(&text, "what,also,n,t\n",
		      "sort n=1,a=1,1,a\nsort n=2,a=2,2,b\nsort n=1,a=1,3,a\n"
		      "sort n=2,a=2,1,b\nsort n=1,a=1,2,a\nsort n=2,a=2,3,b\n"),
	     "mine.target=t");
	/* There is a column n, and none called a. */
	assert_int_equal(mined.mining.n_features, 2);
	assert_string_equal(mined.mining.features[0].name, "also");
	assert_string_equal(mined.mining.features[1].name, "n");
	noted(&mined.mining, "what", "left out: says what other columns say");
	tp_mined_release(&mined);
	tp_str_release(&text);
}

static void test_rows_are_left_out_and_counted(void **state)
{
	(void)state;
	struct tp_mined mined;
	struct tp_str text = { 0 };
	MINE(&mined,
	     repeated(&text, "size,kind,time\n",
		      "1,x,a\n2,,a\n3,y,b\n,y,b\n5,x,a\n6,y,b\n7,x,\n8,y,b\n9,x,a\n10,y,b\n"),
	     "mine.target=time", "mine.filter=size < 10", "mine.test_share=0");
	const struct tp_mining *m = &mined.mining;
	/* A missing value meets no condition: row 4 goes with row 10, four times. */
	assert_int_equal(m->n_given, 40);
	assert_int_equal(m->n_filtered, 8);
	assert_int_equal(m->n_missing, 8);
	assert_int_equal(m->n_rows, 24);
	noted(m, "kind", "4 rows have no value");
	noted(m, "time", "4 rows have no value");
	assert_int_equal(m->origin[0], 0);
	assert_int_equal(m->origin[1], 2);
	says(m, "The conditions leave out 8 of 40 rows.");
	says(m, "No row was held out");
	tp_mined_release(&mined);
	tp_str_release(&text);
}

static void test_categories(void **state)
{
	(void)state;
	struct tp_mined mined;
	struct tp_str text = { 0 };
	const struct tp_mining *m = &mined.mining;
	/* Words by frequency. */
	MINE(&mined, repeated(&text, "x,t\n", "1,b\n2,a\n3,a\n4,b\n5,a\n6,a\n"), "mine.target=t");
	assert_int_equal(m->n_labels, 2);
	assert_string_equal(m->labels_of[0].name, "a");
	assert_int_equal(m->labels_of[0].rows, 16);
	assert_false(m->continuous);
	tp_mined_release(&mined);
	/* Few whole numbers as they are. */
	MINE(&mined, repeated(&text, "x,t\n", "1,8\n2,4\n3,4\n4,8\n5,16\n6,16\n"), "mine.target=t");
	assert_int_equal(m->n_labels, 3);
	assert_string_equal(m->labels_of[2].name, "16");
	assert_null(m->density);
	tp_mined_release(&mined);
	/* Heaps, called by their peaks. */
	MINE(&mined, planted(&text), "mine.target=time");
	assert_true(m->continuous);
	assert_int_equal(m->n_labels, 3);
	assert_int_equal(m->categories.n, 3);
	assert_int_equal(m->labels_of[0].rows, 80);
	assert_int_equal(m->labels_of[1].rows, 120);
	assert_in_range((int)m->labels_of[1].peak, 200, 202);
	assert_true(m->labels_of[1].low > 51 && m->labels_of[1].high < 500);
	tp_mined_release(&mined);
	/* Cuts of one's own; an empty range is none. */
	MINE(&mined, planted(&text), "mine.target=time", "mine.cuts=100,150,300");
	assert_int_equal(m->n_labels, 3);
	assert_true(m->labels_of[0].high == 100 || m->labels_of[0].high == 150);
	assert_true(m->labels_of[2].low == 300);
	tp_mined_release(&mined);
	MINE(&mined, planted(&text), "mine.target=time", "mine.categories=quantiles",
	     "mine.bins=2");
	assert_int_equal(m->n_labels, 2);
	tp_mined_release(&mined);
	tp_str_release(&text);
}

static void test_density_without_valleys(void **state)
{
	(void)state;
	struct tp_mined mined;
	struct tp_str text = { 0 };
	tp_str_add(&text, "x,t\n");
	/* Evenly spread values: whatever the estimate does, no valley is sure. */
	for (unsigned i = 0; i < 90; i++)
		tp_str_printf(&text, "%u,%.2f\n", i * 31 % 90, 10 + 0.37 * i);
	MINE(&mined, tp_str_text(&text), "mine.target=t");
	assert_true(mined.mining.one_peak);
	assert_int_equal(mined.mining.n_labels, 3);
	assert_in_range(mined.mining.labels_of[1].rows, 29, 31);
	noted(&mined.mining, "t", "no sure valley");
	tp_mined_release(&mined);
	tp_str_release(&text);
}

/* --- learning --- */

static void way_of_label(const struct tp_mining *m, unsigned label, size_t nth, const char *want)
{
	struct tp_str way = { 0 };
	for (size_t i = 0; i < m->tree.n; i++)
		if (m->tree.nodes[i].leaf && m->tree.nodes[i].label == label && nth-- == 0)
			tp_mine_way(m, i, &way);
	assert_string_equal(tp_str_text(&way), want);
	tp_str_release(&way);
}

static void test_planted_tree(void **state)
{
	(void)state;
	struct tp_mined mined;
	struct tp_str text = { 0 }, question = { 0 };
	MINE(&mined, planted(&text), "mine.target=time");
	const struct tp_mining *m = &mined.mining;
	assert_int_equal(m->tree.n_leaves, 4);
	assert_int_equal(m->n_test, 48);
	assert_int_equal(m->test.right, 48);
	assert_int_equal(m->all.right, 240);
	assert_int_equal(m->n_missed, 0);
	assert_int_equal(m->trust.quality, TP_QUALITY_GOOD);
	way_of_label(m, 0, 0, "lines <= 2");
	way_of_label(m, 2, 0, "lines > 4 and width = 256");
	tp_mine_question(m, 0, true, &question);
	assert_string_equal(tp_str_text(&question), "lines <= 2");
	tp_str_clear(&question);
	tp_mine_question(m, 0, false, &question);
	assert_string_equal(tp_str_text(&question), "lines > 2");
	assert_int_equal(tp_mine_count(m, 0, 0), 64);
	/* What decides comes first, what says nothing last. */
	assert_true(m->forest.impurity_importance[0] > m->forest.impurity_importance[1]);
	assert_true(m->forest.impurity_importance[1] > m->forest.impurity_importance[2]);
	assert_true(m->forest.permutation_importance[2] < 0.05);
	says(m, "Quality  good");
	says(m, "100% of 48 held-out rows right");
	says(m, "lines > 4 and width = 256: ");
	says(m, "What matters most is lines.");
	says(m, "held-out rows  48 of 48 rows right, 100.0%");
	tp_mined_release(&mined);
	tp_str_release(&text);
	tp_str_release(&question);
}

static void test_words_as_questions(void **state)
{
	(void)state;
	struct tp_mined mined;
	struct tp_str text = { 0 };
	tp_str_add(&text, "isa,fast\n");
	for (unsigned i = 0; i < 60; i++)
		tp_str_printf(&text, "%s,%s\n",
			      (const char *const[]){ "sse", "avx2", "avx512" }[i % 3],
			      i % 3 == 1 ? "yes" : "no");
	MINE(&mined, tp_str_text(&text), "mine.target=fast");
	assert_int_equal(mined.mining.tree.n_leaves, 2);
	assert_int_equal(mined.mining.labels_of[0].rows, 40);
	way_of_label(&mined.mining, 1, 0, "isa = avx2");
	way_of_label(&mined.mining, 0, 0, "isa is not avx2");
	tp_mined_release(&mined);
	tp_str_release(&text);
}

/* Rows that no column tells apart: the tree is no better than a guess, and says so. */
static void test_chance_is_poor(void **state)
{
	(void)state;
	struct tp_mined mined;
	struct tp_str text = { 0 };
	uint32_t draw = 12345;
	tp_str_add(&text, "x,y,t\n");
	for (unsigned i = 0; i < 300; i++) {
		draw = draw * 1664525u + 1013904223u;
		tp_str_printf(&text, "%u,%u,%c\n", draw >> 20 & 15, draw >> 26,
			      "ab"[draw >> 15 & 1]);
	}
	MINE(&mined, tp_str_text(&text), "mine.target=t");
	assert_int_equal(mined.mining.trust.quality, TP_QUALITY_POOR);
	says(&mined.mining, "Quality  poor");
	says(&mined.mining, "hardly better");
	tp_mined_release(&mined);
	tp_str_release(&text);
}

/* Each row that is missed has the reason that was planted. */
static void test_missed_rows(void **state)
{
	(void)state;
	struct tp_mined mined;
	struct tp_str text = { 0 }, why = { 0 };
	const struct tp_mining *m = &mined.mining;
	/* Beside the cut at 100, on the side that its neighbours are not. */
	tp_str_add(&text, "x,t\n");
	for (unsigned i = 0; i < 40; i++)
		tp_str_printf(&text, "%u,%.1f\n", i, i == 5 ? 100.5 : i < 20 ? 60.0 : 140.0);
	MINE(&mined, tp_str_text(&text), "mine.target=t", "mine.features=x", "mine.cuts=100",
	     "mine.test_share=0", "mine.depth=1");
	assert_int_equal(m->n_missed, 1);
	assert_int_equal(m->missed[0].why, TP_MISSED_CUT);
	assert_int_equal(m->origin[m->missed[0].row], 5);
	assert_true(fabs(m->missed[0].cut_distance - 0.5) < 1e-9);
	tp_mine_missed_words(m, &m->missed[0], &why);
	assert_string_equal(tp_str_text(&why), "t is 100.5, just above the cut at 100");
	tp_mined_release(&mined);
	/* Words have no cuts: one value next to the threshold, one far from it. */
	tp_str_clear(&text);
	tp_str_clear(&why);
	tp_str_add(&text, "x,t\n");
	for (unsigned i = 0; i < 40; i++)
		tp_str_printf(&text, "%u,%s\n", i, (i < 20) != (i == 18 || i == 3) ? "a" : "b");
	MINE(&mined, tp_str_text(&text), "mine.target=t", "mine.features=x", "mine.test_share=0",
	     "mine.depth=1", "mine.min_samples=20");
	assert_int_equal(m->n_missed, 2);
	assert_int_equal(m->missed[0].why, TP_MISSED_MIXED);
	assert_int_equal(m->missed[1].why, TP_MISSED_QUESTION);
	assert_true(fabs(m->missed[1].distance + 1.5) < 1e-9);
	tp_mine_missed_words(m, &m->missed[1], &why);
	assert_string_equal(tp_str_text(&why),
			    "x is 18, next to the question x <= 19; the other answer leads to b");
	says(m, "2 of 20 learned rows of its leaf are b as well");
	tp_mined_release(&mined);
	tp_str_release(&text);
	tp_str_release(&why);
}

static void test_lines_and_groups(void **state)
{
	(void)state;
	struct tp_mined mined;
	struct tp_str text = { 0 };
	tp_str_add(&text, "x,k,t\n");
	for (unsigned i = 0; i < 60; i++)
		tp_str_printf(&text, "%u,%s,%.4f\n", i % 20 + (i < 30 ? 0 : 100), i % 2 ? "u" : "v",
			      3.0 * (i % 20 + (i < 30 ? 0 : 100)) + (i % 2 ? 7 : 0) + 1);
	MINE(&mined, tp_str_text(&text), "mine.target=t",
	     "mine.learn=regression,correlation,kmeans", "mine.clusters=2");
	const struct tp_mining *m = &mined.mining;
	assert_true(m->has_regression && m->has_correlation && m->has_kmeans && !m->has_tree);
	assert_int_equal(m->linear.n, 3);
	assert_string_equal(m->terms[1].name, "x");
	assert_true(fabs(m->terms[1].coefficient - 3) < 1e-6);
	/* v comes first, so u has a coefficient. */
	assert_string_equal(m->terms[2].name, "k = u");
	assert_true(fabs(m->terms[2].coefficient - 7) < 1e-6);
	assert_true(m->correlation[0] > 0.99 && isnan(m->correlation[1]));
	assert_int_equal(m->kmeans.k, 2);
	assert_int_equal(m->n_kmeans_columns, 3);
	assert_int_equal(m->trust.quality, TP_QUALITY_GOOD);
	says(m, "Regression of t");
	says(m, "Groups of similar rows");
	says(m, "Spearman's rho");
	tp_mined_release(&mined);
	/* Groups explain no column. */
	MINE(&mined, tp_str_text(&text), "mine.learn=kmeans", "mine.clusters=2", "mine.features=x",
	     "mine.normalise=no");
	assert_null(m->target);
	assert_int_equal(m->kmeans.sizes[0], 30);
	tp_mined_release(&mined);
	tp_str_release(&text);
}

/* --- what is refused --- */

static void test_refused(void **state)
{
	(void)state;
	static const char small[] = "size,isa,time\n1,a,5\n2,b,5\n3,a,5\n4,b,5\n";
	REFUSED(small, "mine.target", "no column \"tme\"", "did you mean time", "mine.target=tme");
	REFUSED(small, "mine.target", "no column \"zzzzz\"", "size, isa, time",
		"mine.target=zzzzz");
	REFUSED(small, "time", "is 5 in all 4 rows", "choose another", "mine.target=time");
	REFUSED(small, "mine.filter", "leave out all 4", "ask for less", "mine.target=isa",
		"mine.filter=size>9");
	REFUSED(small, "mine.filter", "there is no sise", "", "mine.target=isa",
		"mine.filter=sise>9");
	REFUSED(small, "mine.features", "cannot explain itself", "leave it out", "mine.target=isa",
		"mine.features=isa");
	REFUSED(small, "mine.without", "no column \"sise\"", "did you mean size", "mine.target=isa",
		"mine.without=sise");
	REFUSED(small, "isa", "a single category, a", "let more rows in", "mine.target=isa",
		"mine.features=size", "mine.filter=isa == \"a\"");
	REFUSED("x,t\n1,a\n2,b\n3,c\n4,d\n", "t", "4 categories in 4 rows", "come back",
		"mine.target=t");
	REFUSED("x,t\n1,a\n1,b\n1,a\n1,b\n", "mine.features", "no column left", "name the columns",
		"mine.target=t");
	REFUSED("x,t\n,a\n1,\n,b\n", "a.csv", "no rows have a value", "mine.without",
		"mine.target=t", "mine.features=x");
	REFUSED(small, "mine.cuts", "2 is not above 3", "smallest to the largest",
		"mine.target=size", "mine.cuts=3,2");
}

/* --- runs --- */

static void test_a_run_remembers(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_arena arena = { 0 };
	struct tp_diag diag;
	struct tp_config *given = calloc(2, sizeof(*given)), *found = given + 1;
	static const char *const sets[][2] = {
		{ "mine.target", "median_gbps" },
		{ "mine.features", "isa,threads" },
		{ "mine.depth", "3" },
		{ "mine.cuts", "10,20.5" },
	};
	assert_non_null(given);
	assert_int_equal(tp_config_defaults(given, &arena, &diag), TP_OK);
	assert_int_equal(tp_config_defaults(found, &arena, &diag), TP_OK);
	tp_mine_facts(&run, given);
	assert_false(tp_run_is_mined(&run));
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		const struct tp_option *option = tp_option_find(sets[i][0]);
		struct tp_value *value = tp_config_at(given, option);
		assert_int_equal(tp_option_parse(option, sets[i][1], &arena, value, &diag), TP_OK);
		value->source = TP_FROM_PRESET;
	}
	tp_mine_facts(&run, given);
	assert_true(tp_run_is_mined(&run));
	assert_int_equal(tp_mine_config_of_run(found, &run, &arena, &diag), TP_OK);
	struct tp_mine_job job;
	assert_int_equal(tp_mine_job_of_config(&job, found, &arena, &diag), TP_OK);
	assert_string_equal(job.target, "median_gbps");
	assert_int_equal(job.features.n, 2);
	assert_string_equal(job.features.items[1], "threads");
	assert_int_equal(job.rules.max_depth, 3);
	assert_int_equal(job.n_cuts, 2);
	assert_true(job.cuts[1] == 20.5);
	assert_int_equal(job.learn, TP_MINE_TREE | TP_MINE_FOREST);
	assert_int_equal(job.bandwidth_rule, TP_BANDWIDTH_ISJ);
	/* Another target of the command line starts anew. */
	assert_int_equal(tp_config_defaults(found, &arena, &diag), TP_OK);
	struct tp_value *target = tp_config_at(found, TP_OPT_MINE_TARGET);
	assert_int_equal(tp_option_parse(TP_OPT_MINE_TARGET, "other", &arena, target, &diag),
			 TP_OK);
	target->source = TP_FROM_COMMAND_LINE;
	assert_int_equal(tp_mine_config_of_run(found, &run, &arena, &diag), TP_OK);
	assert_int_equal(tp_config_value(found, TP_OPT_MINE_FEATURES)->n, 0);
	assert_string_equal(tp_config_text(found, TP_OPT_MINE_TARGET), "other");
	tp_run_release(&run);
	tp_arena_release(&arena);
	free(given);
}

/* --- pictures and data --- */

struct seen {
	size_t n;
	char titles[8][TP_PICTURE_TITLE_BYTES];
};

static void hang(void *context, struct tp_picture *picture)
{
	struct seen *seen = context;
	assert_true(seen->n < 8);
	snprintf(seen->titles[seen->n++], TP_PICTURE_TITLE_BYTES, "%s", picture->scene.title);
}

static void test_pictures(void **state)
{
	(void)state;
	struct tp_mined mined;
	struct tp_str text = { 0 }, out = { 0 };
	struct seen seen = { 0 };
	const struct tp_gallery gallery = {
		.context = &seen, .hang = hang, .columns = 100, .rows = 30
	};
	MINE(&mined, planted(&text), "mine.target=time");
	tp_mine_pictures(&mined.mining, &gallery);
	assert_int_equal(seen.n, 4);
	assert_string_equal(seen.titles[0], "Density of time, 3 categories");
	assert_string_equal(seen.titles[1], "Mean of time over lines");
	assert_string_equal(seen.titles[2], "Mean of time by lines and width");
	assert_string_equal(seen.titles[3], "What decides time: importance in the forest");
	tp_mine_svg(&mined.mining, TP_SVG_LIGHT, &out);
	assert_non_null(strstr(tp_str_text(&out), ">&lt;= 2<"));
	assert_non_null(strstr(tp_str_text(&out), ">The tree<"));
	tp_str_clear(&out);
	tp_mine_json(&mined.mining, &out);
	assert_non_null(strstr(tp_str_text(&out), "\"question\": \"lines <= 2\""));
	assert_non_null(strstr(tp_str_text(&out), "\"quality\": \"good\""));
	tp_str_clear(&out);
	tp_mine_csv(&mined.mining, &mined.frame, &out);
	assert_memory_equal(tp_str_text(&out),
			    "lines,width,isa,time,category,said,held_out,group\n",
			    strlen("lines,width,isa,time,category,said,held_out,group\n"));
	tp_mined_release(&mined);
	tp_str_release(&text);
	tp_str_release(&out);
}

/* --- pictures that were asked for --- */

/* What a picture has: its title, axes and points. */
struct shown {
	char title[80];
	size_t n_series, n_points, n_marks;
	enum tp_scale_kind x, y;
	double first_x, last_x, first_y, last_y, sum_y; /* of the last series */
	double area; /* below the first series */
	char label[80], left_out[160];
};

static void show(void *context, struct tp_picture *picture)
{
	struct shown *shown = context;
	const struct tp_series *first = &picture->series[0],
			       *last = &picture->series[picture->n_series - 1];
	*shown = (struct shown){ .n_series = picture->n_series,
				 .n_marks = picture->n_marks,
				 .x = picture->scene.x.kind,
				 .y = picture->scene.y.kind };
	tp_copy(shown->title, sizeof(shown->title), picture->scene.title);
	tp_copy(shown->label, sizeof(shown->label), last->label ? last->label : "");
	tp_copy(shown->left_out, sizeof(shown->left_out),
		picture->left_out ? picture->left_out : "");
	for (size_t i = 0; i < picture->n_series; i++)
		shown->n_points += picture->series[i].n;
	for (size_t i = 1; i < first->n; i++)
		shown->area +=
			(first->x[i] - first->x[i - 1]) * (first->y[i] + first->y[i - 1]) / 2;
	for (size_t i = 0; i < last->n; i++)
		shown->sum_y += last->y[i];
	shown->first_x = last->x[0];
	shown->first_y = last->y[0];
	shown->last_x = last->x[last->n - 1];
	shown->last_y = last->y[last->n - 1];
}

/* The picture of a text like "mine.plot=box x=isa". */
static struct shown plot(const char *table, const char *set)
{
	struct shown shown = { 0 };
	const struct tp_gallery gallery = { .context = &shown, .hang = show, .tables_too = true };
	struct tp_mined mined;
	MINE(&mined, table, "mine.target=time", "mine.trees=5", set);
	/* And importance. */
	assert_int_equal(tp_pictures_count(tp_mine_pictures, &mined.mining, 100, 30), 2);
	tp_mine_pictures(&mined.mining, &gallery);
	tp_mined_release(&mined);
	return shown;
}

/* Rows i = 0..239 of the planted table: lines 1 + i % 6, width by i / 6 % 2, isa by i / 12 % 3. */
static void test_plots(void **state)
{
	struct tp_str text = { 0 };
	(void)state;
	planted(&text);
	struct shown s =
		plot(tp_str_text(&text), "mine.plot=scatter x=lines y=time colour=isa log=y");
	assert_string_equal(s.title, "time over lines");
	assert_int_equal(s.n_series, 3);
	assert_int_equal(s.n_points, 240);
	assert_true(s.x == TP_SCALE_LINEAR && s.y == TP_SCALE_LOG10);
	assert_string_equal(s.label, "isa c");
	/* Without a colour, the categories; y is the target. */
	s = plot(tp_str_text(&text), "mine.plot=scatter x=lines log=no");
	assert_string_equal(s.title, "time over lines");
	assert_int_equal(s.n_series, 3);
	assert_true(s.x == TP_SCALE_LINEAR && s.y == TP_SCALE_LINEAR);
	assert_non_null(strstr(s.label, "50"));
	/* Means: 20 rows a point, whose times are 500 (1 + 0.0001 (7 i mod 100)) from 5 lines on.
	 */
	s = plot(tp_str_text(&text), "mine.plot=line x=lines y=time colour=width log=x");
	assert_string_equal(s.title, "Mean of time over lines");
	assert_int_equal(s.n_series, 2);
	assert_int_equal(s.n_points, 12);
	assert_true(s.x == TP_SCALE_LOG10 && s.y == TP_SCALE_LINEAR);
	assert_string_equal(s.label, "width 256");
	double mean = 0;
	for (unsigned i = 11; i < 240; i += 12)
		mean += 500 * (1 + 0.0001 * (i * 7 % 100)) / 20;
	assert_near(s.last_y, mean, 1e-3);
	assert_true(s.first_x == 1 && s.last_x == 6);
	/* Boxes: the last series has the smallest and the largest of each. */
	s = plot(tp_str_text(&text), "mine.plot=box x=isa y=time");
	assert_string_equal(s.title, "time by isa");
	assert_int_equal(s.n_points, 3 + 6);
	assert_near(s.first_y, 50, 0.5);
	assert_near(s.last_y, 505, 1);
	s = plot(tp_str_text(&text), "mine.plot=heat x=lines y=width");
	assert_string_equal(s.title, "Mean of time by lines and width");
	assert_non_null(strstr(s.left_out, "from the smallest mean, 50."));
	s = plot(tp_str_text(&text), "mine.plot=heat x=isa y=width colour=lines");
	assert_string_equal(s.title, "Mean of lines by isa and width");
	assert_non_null(strstr(s.left_out, "from the smallest mean, 3.5, to the largest, 3.5"));
	/* The target's density has the categories of the tree; each density holds one. */
	s = plot(tp_str_text(&text), "mine.plot=density");
	assert_string_equal(s.title, "Density of time, 3 categories");
	assert_int_equal(s.n_marks, 2 + 3);
	assert_near(s.area, 1, 0.01);
	s = plot(tp_str_text(&text), "mine.plot=density x=time colour=width log=no");
	assert_string_equal(s.title, "Density of time by width");
	assert_int_equal(s.n_series, 2);
	assert_near(s.area, 1, 0.01);
	tp_str_release(&text);
}

/* Many values and missing ones. */
static void test_plots_of_many_values(void **state)
{
	struct tp_str text = { 0 };
	(void)state;
	tp_str_add(&text, "n,half,k,time\n");
	for (unsigned i = 0; i < 3000; i++)
		tp_str_printf(&text, "%u,%s,w%u,%s\n", i, i % 2 ? "" : "1", i % 30,
			      i % 3 ? "fast" : "slow");
	/* A line has at most 512 points, and keeps the mean. */
	struct shown s = plot(tp_str_text(&text), "mine.plot=line x=n y=n log=no");
	assert_true(s.n_points > 400 && s.n_points <= 512);
	assert_near(s.sum_y / (double)s.n_points, 1499.5, 3);
	/* A colour of many numbers is cut into ranges. */
	s = plot(tp_str_text(&text), "mine.plot=scatter x=n y=n colour=n");
	assert_int_equal(s.n_series, 4);
	assert_string_equal(s.label, "n from 2250 to 2999");
	assert_string_equal(s.left_out, "One of 2 rows is drawn.");
	s = plot(tp_str_text(&text), "mine.plot=line x=n y=half");
	assert_non_null(strstr(s.left_out, "1500 of 3000 rows lack one of these values."));
	REFUSED(tp_str_text(&text), "mine.plot", "k has more than 24 different values", "line and",
		"mine.target=time", "mine.plot=scatter x=n y=n colour=k");
	tp_str_release(&text);
}

static void test_plots_are_refused(void **state)
{
	struct tp_str text = { 0 };
	(void)state;
	planted(&text);
	static const struct {
		const char *set, *what, *hint;
	} rows[] = {
		{ "pie x=lines", "\"pie\" is not a kind of picture",
		  "scatter, line, density, box or heat" },
		{ "scatter", "scatter needs x=COLUMN", "scatter takes x, y, colour and log" },
		{ "heat x=lines", "heat needs y=COLUMN", "x, y and colour" },
		{ "density y=time", "density does not take y", "x, colour and log=x" },
		{ "box x=isa log=x", "box does not take log=x", "x, y and log=y" },
		{ "scatter x=line", "a.csv has no column \"line\"", "did you mean lines?" },
		{ "scatter x=zzzzzz", "a.csv has no column \"zzzzzz\"", "lines, width, isa, time" },
		{ "scatter x=isa", "isa is words, and x of scatter must be numbers",
		  "box and heat" },
		{ "box x=lines y=isa", "isa is words, and y of box must be numbers", "" },
		{ "box x=time", "time has more than 24 different values", "line and scatter" },
		{ "scatter x=lines log=z", "\"z\" is not an axis", "log=xy" },
		{ "scatter x=lines size=3", "\"size\" is not allowed", "x, y, colour and log" },
		{ "scatter x=lines y", "\"y\" is not NAME=VALUE", "double quotes" },
	};
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		char set[120];
		snprintf(set, sizeof(set), "mine.plot=%s", rows[i].set);
		REFUSED(tp_str_text(&text), "mine.plot", rows[i].what, rows[i].hint,
			"mine.target=time", set);
	}
	REFUSED("x,time\n0,a\n1,b\n0,a\n2,b\n", "mine.plot",
		"the smallest x is 0, which a log axis", "mine.filter=x > 0", "mine.target=time",
		"mine.plot=density x=x log=x");
	tp_str_release(&text);
}

/* The limit holds before anything is learned, and only for trees. */
static void test_a_tree_needs_rows(void **state)
{
	struct tp_mined mined;
	struct tp_str text = { 0 };
	(void)state;
	tp_str_add(&text, "x,t\n");
	for (unsigned i = 0; i < TP_MINE_TREE_ROWS - 1; i++)
		tp_str_printf(&text, "%u,%g\n", i * i % 7, i % 2 * 8 + i / 100.0);
	REFUSED(tp_str_text(&text), "a.csv", "19 rows are too few for a tree, which needs 20",
		"mine.learn=regression,correlation", "mine.target=t");
	REFUSED(tp_str_text(&text), "a.csv", "19 rows are too few", "give more rows",
		"mine.target=t", "mine.learn=forest");
	MINE(&mined, tp_str_text(&text), "mine.target=t", "mine.learn=regression");
	assert_true(mined.mining.has_regression);
	tp_mined_release(&mined);
	tp_str_add(&text, "3,8.5\n");
	MINE(&mined, tp_str_text(&text), "mine.target=t");
	assert_true(mined.mining.has_tree && mined.mining.n_rows == 20);
	tp_mined_release(&mined);
	tp_str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_are_chosen),
		cmocka_unit_test(test_what_repeats_parameters_is_left_out),
		cmocka_unit_test(test_rows_are_left_out_and_counted),
		cmocka_unit_test(test_categories),
		cmocka_unit_test(test_density_without_valleys),
		cmocka_unit_test(test_planted_tree),
		cmocka_unit_test(test_words_as_questions),
		cmocka_unit_test(test_chance_is_poor),
		cmocka_unit_test(test_missed_rows),
		cmocka_unit_test(test_lines_and_groups),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_a_run_remembers),
		cmocka_unit_test(test_pictures),
		cmocka_unit_test(test_plots),
		cmocka_unit_test(test_plots_of_many_values),
		cmocka_unit_test(test_plots_are_refused),
		cmocka_unit_test(test_a_tree_needs_rows),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
