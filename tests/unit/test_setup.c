/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Setup form without a terminal: rows, values, steps, what is greyed, plans, presets written
 * and read again; fields and lists.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "ui/tui/widgets/text_field.h"
#include "ui/tui/widgets/form.h"
#include "ui/tui/widgets/picker.h"
#include "tests/unit/all_options.h"
#include "record/point.h"
#include "session/consent.h"

/* Two sockets of four cores: the same on every machine that runs the test. */
static const char *sets[] = { "topology=synthetic:pack:2 l3:1 l2:4 l1:1 core:1 pu:1",
			      "machine=skylake-x" };
static const struct tp_overrides foreign = { .sets = sets, .n = 2 };
static const struct tp_overrides here = { .n = 0 };

struct fixture {
	struct tp_session session;
	struct tp_form form;
	struct tp_diags problems;
};

static void open_form(struct fixture *f, const struct tp_overrides *overrides)
{
	struct tp_diags diags = { 0 };
	*f = (struct fixture){ 0 };
	if (tp_isa_count == 0)
		skip(); /* no kernels on this architecture: nothing to set up */
	assert_int_equal(tp_session_open(&f->session, overrides, NULL, false, &diags), TP_OK);
	assert_int_equal(tp_form_init(&f->form, &f->session, overrides, &diags), TP_OK);
	assert_true(tp_form_settle(&f->form, &f->problems));
	assert_int_equal(f->problems.n, 0);
	assert_true(f->session.plan.n > 0);
}

static void close_form(struct fixture *f)
{
	tp_form_release(&f->form);
	tp_diags_release(&f->problems);
	tp_session_close(&f->session);
}

static void set(struct fixture *f, const struct tp_option *option, const char *text)
{
	struct tp_diag diag = { 0 };
	if (tp_form_set(&f->form, option, text, &diag) != TP_OK)
		fail_msg("%s = %s: %s", option->key, text, diag.what);
}

static void expect_text(struct fixture *f, const struct tp_option *option, const char *expected)
{
	struct tp_str text = { 0 };
	tp_form_text(&f->form, option, &text);
	assert_string_equal(tp_str_text(&text), expected);
	tp_str_release(&text);
}

static void step(struct fixture *f, const struct tp_option *option, int direction,
		 const char *expected)
{
	struct tp_diag diag = { 0 };
	if (tp_form_step(&f->form, option, direction, &diag) != TP_OK)
		fail_msg("%s: %s", option->key, diag.what);
	expect_text(f, option, expected);
}

static bool is_listed(const struct tp_form *form, const struct tp_option *option)
{
	for (size_t i = 0; i < form->n_rows; i++)
		if (form->rows[i].option == option)
			return true;
	return false;
}

static size_t row_of(const struct tp_form *form, const struct tp_option *option)
{
	size_t i = 0;
	while (i < form->n_rows && form->rows[i].option != option)
		i++;
	assert_true(i < form->n_rows);
	return i;
}

/* --- rows --- */

static void all_shows_every_option_once(void **state)
{
	struct fixture f;
	(void)state;
	open_form(&f, &foreign);
	f.form.all = true;
	tp_form_list(&f.form);
	unsigned seen[TP_OPTIONS_MAX] = { 0 };
	for (size_t i = 0; i < f.form.n_rows; i++)
		if (f.form.rows[i].option)
			seen[tp_option_index(f.form.rows[i].option)]++;
	for (size_t i = 0; i < tp_option_count(); i++)
		if (seen[i] != 1)
			fail_msg("%s stands there %u times", tp_option_at(i)->key, seen[i]);
	close_form(&f);
}

static void few_options_follow_the_experiment(void **state)
{
	struct fixture f;
	(void)state;
	open_form(&f, &foreign);
	assert_true(is_listed(&f.form, TP_OPT_FP_OP));
	assert_false(is_listed(&f.form, TP_OPT_SIZE_MIN));
	assert_false(is_listed(&f.form, TP_OPT_SEED));
	set(&f, TP_OPT_EXPERIMENT, "memcurve");
	assert_false(is_listed(&f.form, TP_OPT_FP_OP));
	assert_true(is_listed(&f.form, TP_OPT_SIZE_MIN));
	/* What differs from the default is never out of sight. */
	set(&f, TP_OPT_SEED, "7");
	assert_true(is_listed(&f.form, TP_OPT_SEED));
	assert_true(tp_form_changed(&f.form, TP_OPT_SEED));
	set(&f, TP_OPT_SEED, "1");
	assert_false(tp_form_changed(&f.form, TP_OPT_SEED));
	assert_false(tp_form_used(&f.form, TP_OPT_FP_OP));
	close_form(&f);
}

/* Only what the experiment uses, or what differs from its default. */
static void expect_few(struct fixture *f)
{
	for (size_t i = 0; i < f->form.n_rows; i++) {
		const struct tp_option *option = f->form.rows[i].option;
		if (option && !tp_form_used(&f->form, option) && !tp_form_changed(&f->form, option))
			fail_msg("%s is not used by %s", option->key, tp_form_experiment(&f->form));
	}
	for (size_t i = 0; i < tp_option_count(); i++)
		if (tp_form_changed(&f->form, tp_option_at(i)))
			assert_true(is_listed(&f->form, tp_option_at(i)));
}

static void changed_options_come_first(void **state)
{
	enum { QUESTION, WHERE, CHANGED, FIRST };
	struct fixture f;
	(void)state;
	open_form(&f, &here);
	const struct tp_form_row *rows = f.form.rows;
	assert_ptr_equal(rows[QUESTION].option, TP_OPT_EXPERIMENT);
	assert_true(!rows[WHERE].option && !rows[WHERE].heading);
	assert_string_equal(rows[CHANGED].heading, "What to measure");
	/* A change moves no row, and an option that is back at its default stays until then. */
	size_t at = row_of(&f.form, TP_OPT_THREADS);
	tp_form_select(&f.form, TP_OPT_THREADS);
	set(&f, TP_OPT_THREADS, "2");
	assert_int_equal(row_of(&f.form, TP_OPT_THREADS), at);
	set(&f, TP_OPT_SEED, "7");
	set(&f, TP_OPT_SIZE_MIN, "32KiB"); /* roofline does not use it */
	expect_few(&f);
	tp_form_list(&f.form);
	assert_string_equal(rows[CHANGED].heading, "Changed");
	assert_int_equal(row_of(&f.form, TP_OPT_SIZE_MIN), FIRST);
	assert_int_equal(row_of(&f.form, TP_OPT_THREADS), FIRST + 1);
	assert_int_equal(row_of(&f.form, TP_OPT_SEED), FIRST + 2);
	assert_string_equal(rows[FIRST + 3].heading, "What to measure");
	assert_ptr_equal(tp_form_selected(&f.form), TP_OPT_THREADS);
	expect_few(&f);
	tp_form_reset(&f.form, TP_OPT_SEED);
	assert_int_equal(row_of(&f.form, TP_OPT_SEED), FIRST + 2);
	tp_form_list(&f.form);
	assert_false(is_listed(&f.form, TP_OPT_SEED));
	/* Another experiment has other rows. */
	set(&f, TP_OPT_EXPERIMENT, "memcurve");
	expect_few(&f);
	assert_ptr_equal(rows[QUESTION].option, TP_OPT_EXPERIMENT);
	close_form(&f);
}

static void every_experiment_has_a_question(void **state)
{
	enum { MOST = 36 }; /* columns that a narrow form has for it */
	const struct tp_experiment *e, *other;
	(void)state;
	for (size_t i = 0; (e = tp_experiment_at(i)); i++) {
		size_t len = e->question ? strlen(e->question) : 0;
		if (!len || len > MOST || e->question[len - 1] != '?')
			fail_msg("%s: no question that fits", e->name);
		for (size_t k = 0; k < i && (other = tp_experiment_at(k)); k++)
			assert_string_not_equal(e->question, other->question);
	}
	struct fixture f;
	TP_STR text = { 0 };
	open_form(&f, &here);
	set(&f, TP_OPT_EXPERIMENT, "memcurve");
	tp_form_value(&f.form, TP_OPT_EXPERIMENT, &text);
	assert_string_equal(tp_str_text(&text), "How fast is my memory?");
	expect_text(&f, TP_OPT_EXPERIMENT, "memcurve");
	close_form(&f);
}

static void moving_leaves_headings_out(void **state)
{
	struct fixture f;
	(void)state;
	open_form(&f, &foreign);
	assert_int_equal(tp_form_selected(&f.form), TP_OPT_EXPERIMENT);
	tp_form_move(&f.form, -1);
	assert_int_equal(tp_form_selected(&f.form), TP_OPT_EXPERIMENT);
	for (size_t i = 0; i < f.form.n_rows; i++) {
		assert_null(f.form.rows[f.form.selected].heading);
		tp_form_move(&f.form, 1);
	}
	assert_int_equal(f.form.selected, f.form.n_rows - 1);
	tp_form_select(&f.form, TP_OPT_KNOBS_TURBO); /* not in sight before */
	assert_int_equal(tp_form_selected(&f.form), TP_OPT_KNOBS_TURBO);
	close_form(&f);
}

static void finding_looks_into_keys_and_help(void **state)
{
	struct fixture f;
	(void)state;
	open_form(&f, &foreign);
	tp_copy(f.form.find, sizeof(f.form.find), "TURBO");
	tp_form_list(&f.form);
	assert_true(is_listed(&f.form, TP_OPT_KNOBS_TURBO));
	assert_false(is_listed(&f.form, TP_OPT_EXPERIMENT));
	tp_copy(f.form.find, sizeof(f.form.find), "no option has these words");
	tp_form_list(&f.form);
	assert_int_equal(f.form.n_rows, 0);
	tp_form_move(&f.form, 1);
	close_form(&f);
}

/* --- values --- */

static void steps(void **state)
{
	struct fixture f;
	struct tp_diag diag;
	(void)state;
	open_form(&f, &foreign);
	step(&f, TP_OPT_THREADS, 1, "2");
	step(&f, TP_OPT_THREADS, 1, "4");
	step(&f, TP_OPT_THREADS, 1, "8");
	step(&f, TP_OPT_THREADS, 1, "all");
	step(&f, TP_OPT_THREADS, 1, "all");
	step(&f, TP_OPT_THREADS, -1, "8");
	set(&f, TP_OPT_THREADS, "3");
	step(&f, TP_OPT_THREADS, 1, "4");
	set(&f, TP_OPT_THREADS, "3");
	step(&f, TP_OPT_THREADS, -1, "2");
	step(&f, TP_OPT_RATIO, 1, "1:1");
	step(&f, TP_OPT_RATIO, 1, "0:1");
	step(&f, TP_OPT_RATIO, 1, "best");
	step(&f, TP_OPT_RATIO, 1, "1:0"); /* words go round */
	step(&f, TP_OPT_RATIO, -1, "best");
	step(&f, TP_OPT_SIZE_MIN, 1, "4KiB");
	step(&f, TP_OPT_SIZE_MIN, -1, "2KiB");
	set(&f, TP_OPT_SIZE_MIN, "3000");
	step(&f, TP_OPT_SIZE_MIN, 1, "4KiB");
	set(&f, TP_OPT_SIZE_MIN, "64");
	step(&f, TP_OPT_SIZE_MIN, -1, "64B"); /* the least there is */
	step(&f, TP_OPT_STOP_MAX_SAMPLES, 1, "2000");
	step(&f, TP_OPT_STOP_MAX_SAMPLES, 1, "5000");
	step(&f, TP_OPT_STOP_MAX_SAMPLES, -1, "2000");
	step(&f, TP_OPT_STOP_ERROR, -1, "0.5%");
	step(&f, TP_OPT_SHUFFLE, 1, "true");
	step(&f, TP_OPT_SHUFFLE, 1, "false");
	/* A list becomes the neighbour of its first. */
	set(&f, TP_OPT_PRECISION, "double,single");
	step(&f, TP_OPT_PRECISION, 1, "single");
	assert_int_equal(tp_form_step(&f.form, TP_OPT_NOTES, 1, &diag), TP_UNSUPPORTED);
	close_form(&f);
}

/*
 * Every option can be stepped from its default both ways without an error, and what comes out is a
 * value.
 */
static void every_step_is_a_value(void **state)
{
	struct fixture f;
	(void)state;
	open_form(&f, &foreign);
	for (size_t i = 0; i < tp_option_count(); i++)
		for (int n = 0; n < 24; n++) {
			struct tp_diag diag = { 0 };
			enum tp_status status =
				tp_form_step(&f.form, tp_option_at(i), n < 12 ? 1 : -1, &diag);
			if (status != TP_OK && status != TP_UNSUPPORTED)
				fail_msg("%s: %s", tp_option_at(i)->key, diag.what);
		}
	close_form(&f);
}

static bool never_goes_on(void *asked)
{
	++*(unsigned *)asked;
	return false;
}

/* How long the plan takes is found apart, and the work gives way when asked to. */
static void estimates_give_way(void **state)
{
	(void)state;
	struct fixture f;
	unsigned asked = 0;
	open_form(&f, NULL);
	assert_non_null(strstr(f.form.time_text, "estimating"));
	assert_false(tp_form_estimate(&f.form, never_goes_on, &asked));
	assert_int_equal(asked, 1);
	assert_non_null(strstr(f.form.time_text, "estimating"));
	assert_true(tp_form_estimate(&f.form, NULL, NULL));
	assert_non_null(strstr(f.form.time_text, "about"));
	assert_true(f.session.plan.estimate_seconds > 0);
	assert_false(tp_form_estimate(&f.form, NULL, NULL)); /* it is known */
	close_form(&f);
}

static void wrong_values_change_nothing(void **state)
{
	static const struct {
		const struct tp_option *option;
		const char *text;
	} wrong[] = {
		{ TP_OPT_EXPERIMENT, "roofing" }, { TP_OPT_THREADS, "0" },
		{ TP_OPT_THREADS, "1,1" },	  { TP_OPT_RATIO, "2" },
		{ TP_OPT_LEVEL, "L9" },		  { TP_OPT_STOP_ERROR, "" },
		{ TP_OPT_SIZE_MAX, "1KB" },	  { TP_OPT_NAME, "\xff" },
	};
	struct fixture f;
	(void)state;
	open_form(&f, &foreign);
	for (size_t i = 0; i < TP_COUNT_OF(wrong); i++) {
		struct tp_str before = { 0 };
		struct tp_diag diag = { 0 };
		tp_form_text(&f.form, wrong[i].option, &before);
		assert_int_not_equal(tp_form_set(&f.form, wrong[i].option, wrong[i].text, &diag),
				     TP_OK);
		assert_true(diag.what[0] != '\0');
		expect_text(&f, wrong[i].option, tp_str_text(&before));
		tp_str_release(&before);
	}
	assert_false(tp_form_settle(&f.form, &f.problems)); /* nothing is stale */
	close_form(&f);
}

static void defaults_come_back(void **state)
{
	struct fixture f;
	(void)state;
	open_form(&f, &foreign);
	set(&f, TP_OPT_THREADS, "4");
	assert_true(f.form.edited);
	tp_form_reset(&f.form, TP_OPT_THREADS);
	expect_text(&f, TP_OPT_THREADS, "1");
	assert_int_equal(tp_config_value(tp_form_config(&f.form), TP_OPT_THREADS)->source,
			 TP_FROM_DEFAULT);
	set(&f, TP_OPT_EXPERIMENT, "mixed");
	assert_int_equal(tp_form_reset_all(&f.form), TP_OK);
	expect_text(&f, TP_OPT_EXPERIMENT, "roofline");
	expect_text(&f, TP_OPT_TOPOLOGY, "");
	close_form(&f);
}

/* An experiment may mean all threads by default: one thread is then a choice. */
/* What a preset names is its word; what is typed is the user's, and is not asked for again. */
static void typed_is_the_users_word(void **state)
{
	static const char theirs[] = "experiment: autotune\nroutine: dgemm\nblas: /tmp/evil.so\n";
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	struct tp_preset copy;
	struct fixture f;
	char path[] = "/tmp/tprof-theirs-XXXXXX";
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0 && write(fd, theirs, sizeof(theirs) - 1) > 0);
	close(fd);
	open_form(&f, &here);
	assert_int_equal(tp_form_load(&f.form, path, &diags), TP_OK);
	assert_true(tp_preset_acts(&f.session.preset));
	/* To leave it as it stands, or to add to it, is not a word for it. */
	set(&f, TP_OPT_BLAS, "/tmp/evil.so");
	assert_true(tp_preset_acts(&f.session.preset));
	set(&f, TP_OPT_BLAS, "/tmp/evil.so,/tmp/mine.so");
	assert_true(tp_preset_acts(&f.session.preset));
	set(&f, TP_OPT_BLAS, "/tmp/mine.so");
	assert_false(tp_preset_acts(&f.session.preset));
	set(&f, TP_OPT_BLAS, "/tmp/mine.so,/tmp/evil.so");
	assert_false(tp_preset_acts(&f.session.preset));
	tp_preset_copy(&copy, &f.session.preset);
	assert_false(tp_preset_acts(&copy));
	tp_preset_release(&copy);
	/* What stands in a file is not the user's word. */
	assert_int_equal(tp_form_load(&f.form, path, &diags), TP_OK);
	assert_true(tp_preset_acts(&f.session.preset));
	unlink(path);
	close_form(&f);
}

static void all_threads_by_default(void **state)
{
	struct fixture f;
	(void)state;
	open_form(&f, &foreign);
	set(&f, TP_OPT_EXPERIMENT, "loaded-latency");
	expect_text(&f, TP_OPT_THREADS, "all");
	assert_false(tp_form_changed(&f.form, TP_OPT_THREADS));
	step(&f, TP_OPT_THREADS, -1, "8");
	set(&f, TP_OPT_THREADS, "1");
	expect_text(&f, TP_OPT_THREADS, "1");
	assert_true(tp_form_changed(&f.form, TP_OPT_THREADS));
	close_form(&f);
}

/* --- words to choose from --- */

static void words_say_why(void **state)
{
	struct fixture f;
	struct tp_words words;
	(void)state;
	open_form(&f, &foreign);
	assert_int_equal(tp_words_make(&words, TP_OPT_ISA, &f.session.machine), TP_OK);
	assert_int_equal(tp_words_find(&words, "auto"), 0);
	assert_true(words.items[0].alone);
	for (size_t i = 2; i < words.n; i++) {
		bool has = tp_model_isa(&f.session.machine.model, words.items[i].word) != NULL;
		assert_int_equal(words.items[i].off, !has);
		assert_int_equal(words.items[i].why[0] != '\0', !has);
	}
	tp_words_release(&words);
	/* Narrow precisions and their operations are there where the model gives a peak. */
	const struct tp_model *model = &f.session.machine.model;
	assert_int_equal(tp_words_make(&words, TP_OPT_PRECISION, &f.session.machine), TP_OK);
	assert_int_equal(words.n, TP_PRECISIONS);
	for (size_t i = 0; i < words.n; i++) {
		bool wide = i < 2, has = wide;
		for (size_t k = 0; k < model->n_isas; k++)
			for (int op = TP_FP_ADD; op < TP_FP_OP_COUNT; op++)
				has |= tp_model_peak_flop_per_cycle(
					       model, model->isas[k].name, words.items[i].word,
					       tp_fp_op_name((enum tp_fp_op)op)) > 0;
		assert_string_equal(words.items[i].word, tp_precision_table[i].name);
		assert_int_equal(words.items[i].off, !has);
	}
	tp_words_release(&words);
	assert_int_equal(tp_words_make(&words, TP_OPT_FP_OP, &f.session.machine), TP_OK);
	assert_false(words.items[tp_words_find(&words, "fma")].off);
	assert_int_equal(words.items[tp_words_find(&words, "tile")].off,
			 !(tp_model_narrow_flop_per_cycle(model, "avx512", "bf16", "tile") > 0));
	tp_words_release(&words);
	assert_int_equal(tp_words_make(&words, TP_OPT_THREADS, &f.session.machine), TP_OK);
	assert_int_equal(words.n, 5); /* 1 2 4 8 all */
	tp_words_release(&words);
	assert_int_equal(tp_words_make(&words, TP_OPT_MACHINE, &f.session.machine), TP_OK);
	assert_true(tp_words_find(&words, "zen4") > 0);
	tp_words_release(&words);
	/* Without a machine every name of a registry is offered. */
	assert_int_equal(tp_words_make(&words, TP_OPT_ISA, NULL), TP_OK);
	assert_int_equal(words.n, tp_isa_count + 2);
	for (size_t k = 0; k < words.n; k++)
		assert_false(words.items[k].off);
	tp_words_release(&words);
	assert_int_equal(tp_words_make(&words, TP_OPT_THREADS, NULL), TP_OK);
	assert_int_equal(words.n, 1);
	assert_string_equal(words.items[0].word, "all");
	tp_words_release(&words);
	/* A machine without L3 offers it greyed, with the way out. */
	set(&f, TP_OPT_MACHINE, "detected");
	set(&f, TP_OPT_TOPOLOGY, "synthetic:l2:2 l1:1 core:1 pu:1");
	tp_form_settle(&f.form, &f.problems);
	assert_int_equal(tp_words_make(&words, TP_OPT_LEVEL, &f.session.machine), TP_OK);
	long l3 = tp_words_find(&words, "L3");
	assert_true(l3 >= 0);
	if (f.session.machine.cache[3].size_bytes == 0) {
		assert_true(words.items[l3].off);
		assert_non_null(strstr(words.items[l3].why, "cache_size.L3"));
	}
	tp_words_release(&words);
	close_form(&f);
}

/* --- the plan --- */

static void changes_replan(void **state)
{
	struct fixture f;
	(void)state;
	open_form(&f, &foreign);
	size_t before = f.session.plan.n;
	set(&f, TP_OPT_THREADS, "1,2");
	assert_true(tp_form_settle(&f.form, &f.problems));
	assert_int_equal(f.session.plan.n, 2 * before);
	assert_int_equal(f.problems.n, 0);
	assert_int_equal(f.form.n_point_lines, TP_MIN(2 * before, (size_t)TP_FORM_POINTS) + 1);
	assert_false(tp_form_settle(&f.form, &f.problems));
	char count[32];
	snprintf(count, sizeof(count), "%zu", 2 * before);
	assert_string_equal(f.form.points_text, count);
	close_form(&f);
}

/* A name that presets know, that this program has no kernels for, and that Skylake-X lacks. */
static const char *foreign_isa(void)
{
	return tp_isa_find("neon") ? "rvv1.0" : "neon";
}

static void problems_are_all_told_and_go_away(void **state)
{
	struct fixture f;
	struct tp_diag diag;
	(void)state;
	open_form(&f, &foreign);
	assert_int_equal(tp_form_set(&f.form, TP_OPT_ISA, "nosuch", &diag), TP_USAGE);
	set(&f, TP_OPT_THREADS, "64");
	set(&f, TP_OPT_ISA, foreign_isa());
	tp_form_settle(&f.form, &f.problems);
	assert_int_equal(f.problems.n, 2);
	assert_non_null(tp_form_problem(TP_OPT_THREADS, &f.problems));
	assert_non_null(tp_form_problem(TP_OPT_ISA, &f.problems));
	assert_null(tp_form_problem(TP_OPT_RATIO, &f.problems));
	expect_text(&f, TP_OPT_THREADS, "64"); /* the form keeps what was set */
	set(&f, TP_OPT_THREADS, "2");
	set(&f, TP_OPT_ISA, "auto");
	tp_form_settle(&f.form, &f.problems);
	assert_int_equal(f.problems.n, 0);
	/* What only the reader of presets checks is a problem here, too. */
	set(&f, TP_OPT_KNOBS_PRIORITY, "1.5");
	tp_form_settle(&f.form, &f.problems);
	assert_int_equal(f.problems.n, 1);
	assert_non_null(tp_form_problem(TP_OPT_KNOBS_PRIORITY, &f.problems));
	set(&f, TP_OPT_KNOBS_PRIORITY, "keep");
	set(&f, TP_OPT_EXPERIMENT, "memcurve");
	set(&f, TP_OPT_SIZE_MIN, "1MiB");
	set(&f, TP_OPT_SIZE_MAX, "64KiB");
	tp_form_settle(&f.form, &f.problems);
	assert_int_equal(f.problems.n, 1);
	assert_non_null(tp_form_problem(TP_OPT_SIZE_MIN, &f.problems));
	close_form(&f);
}

static void a_wrong_machine_leaves_the_old_one(void **state)
{
	struct fixture f;
	(void)state;
	open_form(&f, &foreign);
	size_t n_pus = f.session.machine.n_pus;
	set(&f, TP_OPT_MACHINE, "no-such-machine");
	tp_form_settle(&f.form, &f.problems);
	assert_int_equal(f.problems.n, 1);
	assert_int_equal(f.session.machine.n_pus, n_pus);
	set(&f, TP_OPT_MACHINE, "zen4");
	tp_form_settle(&f.form, &f.problems);
	assert_int_equal(f.problems.n, 0);
	assert_string_equal(f.session.machine.model.name, "zen4");
	close_form(&f);
}

/* --- runs of a preset --- */

static void runs_are_added_edited_and_removed(void **state)
{
	struct fixture f;
	struct tp_diag diag;
	(void)state;
	open_form(&f, &foreign);
	size_t before = f.session.plan.n;
	assert_int_equal(tp_form_add_run(&f.form, &diag), TP_OK);
	assert_int_equal(f.form.run, 1);
	tp_form_settle(&f.form, &f.problems);
	assert_int_equal(f.session.plan.n, 2 * before);
	set(&f, TP_OPT_PRECISION, "single");
	set(&f, TP_OPT_MACHINE, "zen4"); /* of all runs */
	assert_string_equal(tp_config_text(&f.session.preset.runs[0], TP_OPT_PRECISION), "double");
	assert_string_equal(tp_config_text(&f.session.preset.runs[0], TP_OPT_MACHINE), "zen4");
	f.form.run = 0;
	assert_int_equal(tp_form_remove_run(&f.form, &diag), TP_OK);
	expect_text(&f, TP_OPT_PRECISION, "single");
	tp_form_settle(&f.form, &f.problems);
	assert_int_equal(f.session.plan.n, before);
	assert_int_equal(tp_form_remove_run(&f.form, &diag), TP_USAGE);
	close_form(&f);
}

/* --- presets --- */

static void expect_same_runs(const struct tp_preset *a, const struct tp_preset *b)
{
	assert_int_equal(a->n_runs, b->n_runs);
	for (size_t r = 0; r < a->n_runs; r++)
		for (size_t i = 0; i < tp_option_count(); i++)
			if (!tp_value_equal(&a->runs[r].values[i], &b->runs[r].values[i]))
				fail_msg("%s of run %zu differs", tp_option_at(i)->key, r);
}

static char folder[] = "/tmp/tprof-test-setup-XXXXXX";

static void saved_is_what_batch_reads(void **state)
{
	struct fixture f;
	struct tp_session batch;
	struct tp_diag diag = { 0 };
	char path[128];
	(void)state;
	open_form(&f, &here);
	set(&f, TP_OPT_ISA, "scalar");
	set(&f, TP_OPT_RATIO, "1:0,2:1");
	set(&f, TP_OPT_NOTES, "two\nlines, \"quoted\": [x] # y");
	set(&f, TP_OPT_STOP_ERROR, "0.5%");
	set(&f, TP_OPT_SIZE_MAX, "1MiB"); /* of no use to roofline: kept, above the runs */
	assert_int_equal(tp_form_add_run(&f.form, &diag), TP_OK);
	set(&f, TP_OPT_EXPERIMENT, "memcurve");
	set(&f, TP_OPT_SIZE_MIN, "32KiB");
	tp_form_settle(&f.form, &f.problems);
	for (size_t i = 0; i < f.problems.n; i++)
		fail_msg("%s", f.problems.items[i].what);
	snprintf(path, sizeof(path), "%s/sub/mine.yaml", folder);
	assert_int_equal(tp_form_save(&f.form, path, &diag), TP_OK);
	assert_false(f.form.edited);
	struct tp_diags diags = { 0 };
	assert_int_equal(tp_session_open(&batch, &here, path, true, &diags), TP_OK);
	expect_same_runs(&f.session.preset, &batch.preset);
	assert_int_equal(f.session.plan.n, batch.plan.n);
	for (size_t i = 0; i < batch.plan.n; i++) {
		const struct tp_point *a = &f.session.plan.items[i].point,
				      *b = &batch.plan.items[i].point;
		assert_string_equal(a->kernel, b->kernel);
		assert_int_equal(tp_kernel_row(a)->working_set_bytes,
				 tp_kernel_row(b)->working_set_bytes);
		assert_int_equal(a->threads, b->threads);
	}
	/* And back into a form that has other things in it. */
	struct fixture g;
	open_form(&g, &here);
	set(&g, TP_OPT_SEED, "9");
	assert_int_equal(tp_form_load(&g.form, path, &diags), TP_OK);
	expect_same_runs(&g.session.preset, &f.session.preset);
	close_form(&g);
	tp_session_close(&batch);
	close_form(&f);
	unlink(path);
	snprintf(path, sizeof(path), "%s/sub", folder);
	rmdir(path);
}

static void shipped_presets_load_and_plan(void **state)
{
	struct fixture f;
	struct tp_named_file *entries;
	size_t n;
	(void)state;
	open_form(&f, &here);
	assert_int_equal(tp_preset_entries(&entries, &n, NULL), TP_OK);
	assert_true(n >= 5);
	for (size_t i = 0; i < n; i++) {
		struct tp_diags diags = { 0 };
		assert_int_equal(tp_form_load(&f.form, entries[i].path, &diags), TP_OK);
		assert_int_equal(diags.n, 0);
		assert_int_equal(f.form.run, 0);
		assert_true(tp_form_settle(&f.form, &f.problems));
		assert_true(f.session.plan.n > 0 || f.problems.n > 0);
		assert_false(f.form.edited);
	}
	free(entries);
	close_form(&f);
}

static void broken_presets_change_nothing(void **state)
{
	static const char text[] = "experiment: roofline\nthredas: 2\nratio: 3\nlevel: L9\n";
	struct fixture f;
	struct tp_diags diags = { 0 };
	char path[128], where[160];
	(void)state;
	open_form(&f, &foreign);
	set(&f, TP_OPT_THREADS, "4");
	snprintf(path, sizeof(path), "%s/broken.yaml", folder);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, text, sizeof(text) - 1, NULL), TP_OK);
	assert_int_not_equal(tp_form_load(&f.form, path, &diags), TP_OK);
	assert_int_equal(diags.n, 3);
	snprintf(where, sizeof(where), "%s:2:1", path);
	assert_string_equal(diags.items[0].where, where);
	expect_text(&f, TP_OPT_THREADS, "4");
	assert_true(f.form.edited);
	tp_diags_release(&diags);
	unlink(path);
	close_form(&f);
}

static void names_of_presets(void **state)
{
	char path[TP_PATH_MAX], expected[160];
	struct tp_diag diag;
	(void)state;
	snprintf(expected, sizeof(expected), "%s/tprof/presets/mine.yaml", folder);
	assert_int_equal(tp_form_file("mine", path, &diag), TP_OK);
	assert_string_equal(path, expected);
	assert_int_equal(tp_form_file("mine.yaml", path, &diag), TP_OK);
	assert_string_equal(path, expected);
	assert_int_equal(tp_form_file("./mine", path, &diag), TP_OK);
	assert_string_equal(path, "./mine.yaml");
	assert_int_equal(tp_form_file("", path, &diag), TP_USAGE);
	assert_int_equal(tp_form_file(".hidden", path, &diag), TP_USAGE);
	assert_int_equal(tp_form_file("folder/", path, &diag), TP_USAGE);
}

/* --- field --- */

static void keys(struct tp_text_field *field, const char *text)
{
	for (; *text; text++)
		assert_int_equal(tp_text_field_key(field, (unsigned char)*text),
				 TP_TEXT_FIELD_EDITED);
}

static void editing(void **state)
{
	static struct tp_text_field field;
	(void)state;
	tp_text_field_set(&field, "1,2");
	keys(&field, ",all");
	assert_string_equal(field.text, "1,2,all");
	tp_text_field_key(&field, TP_KEY_HOME);
	tp_text_field_key(&field, TP_KEY_DELETE);
	tp_text_field_key(&field, TP_KEY_DELETE);
	tp_text_field_key(&field, TP_KEY_BACKSPACE); /* nothing before */
	assert_string_equal(field.text, "2,all");
	tp_text_field_key(&field, TP_KEY_END);
	tp_text_field_key(&field, 23); /* ^W: the last word */
	assert_string_equal(field.text, "2,");
	/* Characters of several bytes are one. */
	tp_text_field_key(&field, 0xb5);
	tp_text_field_key(&field, 0x20ac);
	tp_text_field_key(&field, 0x1f600);
	assert_string_equal(field.text, "2,\xc2\xb5\xe2\x82\xac\xf0\x9f\x98\x80");
	tp_text_field_key(&field, TP_KEY_LEFT);
	tp_text_field_key(&field, TP_KEY_BACKSPACE);
	assert_string_equal(field.text, "2,\xc2\xb5\xf0\x9f\x98\x80");
	tp_text_field_key(&field, 21); /* ^U: what is before */
	assert_string_equal(field.text, "\xf0\x9f\x98\x80");
	assert_int_equal(tp_text_field_key(&field, TP_KEY_ENTER), TP_TEXT_FIELD_TAKEN);
	assert_int_equal(tp_text_field_key(&field, TP_KEY_ESCAPE), TP_TEXT_FIELD_LEFT);
}

static void garbage_is_no_text(void **state)
{
	static struct tp_text_field field;
	(void)state;
	tp_text_field_set(&field, "\xff\x1b[31mred\n\xc3");
	assert_string_equal(field.text, "\xef\xbf\xbd?[31mred?\xef\xbf\xbd");
	tp_text_field_set(&field, "");
	static const uint32_t bad[] = { 7, 0x7f, 0x9b, 0xd800, TP_KEY_UP, 0x110000, 0xffffffff };
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++)
		assert_int_equal(tp_text_field_key(&field, bad[i]), TP_TEXT_FIELD_IGNORED);
	assert_int_equal(field.len, 0);
	for (size_t i = 0; i < TP_TEXT_FIELD_BYTES + 10; i++)
		tp_text_field_key(&field, 'x');
	assert_int_equal(field.len, TP_TEXT_FIELD_BYTES - 1);
}

/* --- picker --- */

static void choosing(void **state)
{
	struct tp_picker p = { .many = true, .open = true };
	(void)state;
	tp_picker_add(&p, "auto", "")->alone = true;
	tp_picker_add(&p, "sse", "");
	tp_picker_add(&p, "avx2", "");
	tp_picker_add(&p, "avx512", "")->off = true;
	p.items[0].marked = true;
	/* Enter without marks by hand: this one alone. */
	tp_picker_key(&p, TP_KEY_DOWN);
	assert_int_equal(tp_picker_key(&p, TP_KEY_ENTER), TP_PICKER_TAKEN);
	assert_true(!p.items[0].marked && p.items[1].marked && !p.items[2].marked);
	/* Marks: auto stands alone. */
	tp_picker_key(&p, TP_KEY_DOWN);
	assert_int_equal(tp_picker_key(&p, ' '), TP_PICKER_NONE);
	assert_true(p.items[1].marked && p.items[2].marked);
	tp_picker_key(&p, TP_KEY_HOME);
	tp_picker_key(&p, ' ');
	assert_true(p.items[0].marked && !p.items[1].marked && !p.items[2].marked);
	tp_picker_key(&p, TP_KEY_DOWN);
	tp_picker_key(&p, ' ');
	assert_true(!p.items[0].marked && p.items[1].marked);
	/* What cannot be had is not had. */
	p.list.at = 3;
	tp_picker_key(&p, ' ');
	assert_false(p.items[3].marked);
	assert_int_equal(tp_picker_key(&p, TP_KEY_ENTER), TP_PICKER_TAKEN);
	assert_true(p.items[1].marked && !p.items[3].marked);
	tp_picker_key(&p, TP_KEY_END);
	assert_int_equal(tp_picker_key(&p, TP_KEY_ENTER), TP_PICKER_OTHER); /* the last row */
	tp_picker_key(&p, TP_KEY_DOWN);
	assert_int_equal(p.list.at, 4);
	assert_int_equal(tp_picker_key(&p, ' '), TP_PICKER_OTHER);
	assert_int_equal(tp_picker_key(&p, TP_KEY_ESCAPE), TP_PICKER_LEFT);
	tp_picker_release(&p);
	/* One of them: an item that is off is not taken. */
	tp_picker_add(&p, "hugetlb", "")->off = true;
	assert_int_equal(tp_picker_key(&p, TP_KEY_ENTER), TP_PICKER_NONE);
	assert_int_equal(tp_picker_key(&p, ' '), TP_PICKER_NONE);
	tp_picker_release(&p);
}

static void type_into(struct tp_picker *p, const char *text)
{
	for (; *text; text++)
		tp_picker_key(p, (unsigned char)*text);
}

/* The word under the cursor. */
static const char *chosen(struct tp_picker *p)
{
	size_t at = tp_picker_at(p);
	return at < p->n ? p->items[at].word : "";
}

static void choosing_by_letters(void **state)
{
	struct tp_picker p = { .open = true };
	(void)state;
	tp_picker_add(&p, "study-strides", "a study");
	tp_picker_add(&p, "stream", "bandwidth of memory");
	tp_picker_add(&p, "quick", "a first roofline, no stream of numbers");
	p.list.at = 2;
	assert_string_equal(chosen(&p), "quick");
	/* The best is under the cursor; what has the word in its note comes last. */
	type_into(&p, "str");
	assert_string_equal(chosen(&p), "stream");
	tp_picker_key(&p, TP_KEY_DOWN);
	assert_string_equal(chosen(&p), "study-strides");
	tp_picker_key(&p, TP_KEY_DOWN);
	assert_string_equal(chosen(&p), "quick");
	/* Below them the offer to type another word; and letters that moved before are letters. */
	tp_picker_key(&p, TP_KEY_DOWN);
	assert_int_equal(tp_picker_key(&p, TP_KEY_ENTER), TP_PICKER_OTHER);
	type_into(&p, "j q");
	assert_string_equal(p.field.text, "strj q");
	assert_int_equal(p.n_shown, 0);
	assert_int_equal(tp_picker_key(&p, TP_KEY_ENTER), TP_PICKER_OTHER);
	/* Every word counts, in any order. */
	tp_picker_key(&p, 21);
	type_into(&p, "memory st");
	assert_int_equal(p.n_shown, 1);
	assert_int_equal(tp_picker_key(&p, TP_KEY_ENTER), TP_PICKER_TAKEN);
	assert_true(p.items[1].marked && !p.items[0].marked && !p.items[2].marked);
	tp_picker_release(&p);
	/* Marks stay on rows that are not shown; Space marks. */
	p.many = true;
	tp_picker_add(&p, "sse", "");
	tp_picker_add(&p, "avx2", "");
	type_into(&p, "avx ");
	tp_picker_key(&p, TP_KEY_BACKSPACE);
	tp_picker_key(&p, TP_KEY_BACKSPACE);
	tp_picker_key(&p, TP_KEY_BACKSPACE);
	assert_string_equal(p.field.text, "");
	type_into(&p, "ss ");
	assert_true(p.items[0].marked && p.items[1].marked);
	tp_picker_release(&p);
	/* Nothing fits, and nothing else is offered. */
	tp_picker_add(&p, "sse", "");
	type_into(&p, "x");
	assert_int_equal(tp_picker_key(&p, TP_KEY_ENTER), TP_PICKER_NONE);
	tp_picker_release(&p);
}

static int prepare(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	/* No configuration files and no options but the test's own. */
	setenv("XDG_CONFIG_HOME", folder, 1);
	setenv("XDG_DATA_HOME", folder, 1);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_give_way),
		cmocka_unit_test(all_shows_every_option_once),
		cmocka_unit_test(few_options_follow_the_experiment),
		cmocka_unit_test(changed_options_come_first),
		cmocka_unit_test(every_experiment_has_a_question),
		cmocka_unit_test(moving_leaves_headings_out),
		cmocka_unit_test(finding_looks_into_keys_and_help),
		cmocka_unit_test(steps),
		cmocka_unit_test(every_step_is_a_value),
		cmocka_unit_test(wrong_values_change_nothing),
		cmocka_unit_test(defaults_come_back),
		cmocka_unit_test(typed_is_the_users_word),
		cmocka_unit_test(all_threads_by_default),
		cmocka_unit_test(words_say_why),
		cmocka_unit_test(changes_replan),
		cmocka_unit_test(problems_are_all_told_and_go_away),
		cmocka_unit_test(a_wrong_machine_leaves_the_old_one),
		cmocka_unit_test(runs_are_added_edited_and_removed),
		cmocka_unit_test(saved_is_what_batch_reads),
		cmocka_unit_test(shipped_presets_load_and_plan),
		cmocka_unit_test(broken_presets_change_nothing),
		cmocka_unit_test(names_of_presets),
		cmocka_unit_test(editing),
		cmocka_unit_test(garbage_is_no_text),
		cmocka_unit_test(choosing),
		cmocka_unit_test(choosing_by_letters),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, prepare, clean);
}
