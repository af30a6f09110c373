/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes as text: written, read, refused; readings and classes of a run directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "experiments/counters/classes.h"
#include "experiments/experiment.h"
#include "record/event.h"
#include "record/load.h"
#include "experiments/counters/readings.h"
#include "record/run.h"
#include "tests/unit/class_sample.h"
#include "experiments/counters/pictures.h"
#include "experiments/counters/report.h"
#include "tests/unit/files.h"
#include "tests/unit/near.h"

static void same(double found, double expected)
{
	if (!(isnan(found) && isnan(expected)) && found != expected)
		fail_msg("%.17g where %.17g is expected", found, expected);
}

static void parse(struct tp_run *run, const struct tp_str *text)
{
	struct tp_diag diag;

	if (tp_run_parse(run, "run.json", tp_str_text(text), text->len, &diag))
		fail_msg("%s: %s", diag.where, diag.what);
}

/* The arena of a class_sample is empty: the run may release its copy. */
static void add_class(struct tp_run *run, const struct tp_class *class)
{
	struct tp_class *added = tp_run_add_row(run, &tp_class_part);

	assert_non_null(added);
	*added = *class;
}

static void write_run(const struct tp_class *class, struct tp_str *out)
{
	struct tp_run run = { .state = "complete" };

	add_class(&run, class);
	tp_run_json(&run, out);
	tp_run_release(&run);
}

static void every_member_comes_back(void **state)
{
	struct class_sample sample;
	struct tp_class class;
	const struct tp_class *c;
	struct tp_run back = { 0 };
	struct tp_str text = { 0 }, second = { 0 };

	(void)state;
	make_class_sample(&sample, &class);
	write_run(&class, &text);
	parse(&back, &text);
	assert_int_equal(tp_run_n_classes(&back), 1);
	assert_int_equal(back.n_facts, 0);
	c = &tp_run_classes(&back)[0];
	assert_string_equal(c->family, "small");
	assert_int_equal(c->run, 1);
	assert_string_equal(c->title, "a small family");
	assert_string_equal(c->per, "iteration");
	assert_string_equal(c->source, "replay");
	same(c->tau, 1e-10);
	same(c->residual_limit, 1e-3);
	same(c->alpha, 5e-4);
	same(c->beta, 7e-4);
	same(c->defined_limit, 1e-10);
	same(c->spectral_norm, 2.5);
	assert_int_equal(c->n_ideals, 2);
	assert_string_equal(c->ideals[1], "FMA");
	assert_int_equal(c->n_absent, 1);
	assert_string_equal(c->absent[0], "WIDE");
	assert_int_equal(c->n_rows, 6);
	assert_int_equal(c->n_used, 3);
	assert_int_equal(c->rows[2], 3);
	assert_string_equal(c->row_names[1], "add 48");
	assert_string_equal(c->row_groups[0], "add");
	assert_string_equal(c->row_groups[2], "");
	for (size_t i = 0; i < 3; i++)
		same(c->row_x[i], class.row_x[i]);
	for (size_t i = 0; i < 6; i++)
		same(c->expectations[i], class.expectations[i]);
	assert_int_equal(c->n_events, 7);
	for (size_t i = 0; i < 7; i++) {
		const struct tp_class_event *a = &class.events[i], *b = &c->events[i];

		assert_string_equal(b->name, a->name);
		assert_string_equal(b->fate, a->fate);
		same(b->noise, a->noise);
		same(b->residual, a->residual);
		same(b->score, a->score);
		same(b->norm, a->norm);
		assert_int_equal(b->order, a->order);
		assert_int_equal(b->left_out, a->left_out);
		assert_int_equal(!b->x, !a->x);
		assert_int_equal(!b->dependence, !a->dependence);
		for (size_t k = 0; k < 2 && a->x; k++)
			same(b->x[k], a->x[k]);
		for (size_t k = 0; k < 2 && a->dependence; k++)
			same(b->dependence[k], a->dependence[k]);
	}
	assert_int_equal(c->n_chosen, 2);
	assert_int_equal(c->chosen[0], 1);
	assert_int_equal(c->chosen[1], 0);
	assert_int_equal(c->n_metrics, 2);
	assert_string_equal(c->metrics[0].name, "operations");
	assert_string_equal(c->metrics[0].symbol, "FP_OPS");
	assert_string_equal(c->metrics[0].unit, "operation");
	assert_true(c->metrics[0].defined);
	assert_false(c->metrics[1].defined);
	same(c->metrics[0].error, 2e-17);
	same(c->metrics[0].rounded_error, 1e-5);
	same(c->metrics[0].row_error, 2e-3);
	same(c->metrics[0].rounded_row_error, 4e-3);
	same(c->metrics[0].row_noise, 1e-3);
	same(c->metrics[1].error, NAN);
	assert_int_equal(c->metrics[0].n_terms, 2);
	assert_int_equal(c->metrics[1].n_terms, 0);
	assert_int_equal(c->metrics[0].terms[1].chosen, 1);
	same(c->metrics[0].terms[1].coefficient, -2.0001);
	same(c->metrics[0].terms[1].rounded, -2);
	tp_run_json(&back, &second);
	assert_string_equal(tp_str_text(&second), tp_str_text(&text));
	tp_str_release(&text);
	tp_str_release(&second);
	tp_run_release(&back);
}

static void the_document_says_what_the_manual_says(void **state)
{
	static const char *const lines[] = {
		"{\n\"format\": \"tprof-classes\",\n\"version\": 1,\n\"families\": {\n \"small\": "
		"{\n",
		"  \"chosen\": [\"FMA\", \"FP, \\\"all\\\"\"],\n",
		"   {\"event\": \"SUM\", \"reason\": \"dependent\", \"value\": 1e-17},\n",
		"   {\"event\": \"ODD\", \"reason\": \"not representable\", \"value\": 0.25},\n",
		"   {\"event\": \"CYCLES\", \"reason\": \"noisy\", \"value\": 0.125},\n",
		"   {\"event\": \"ZERO\", \"reason\": \"irrelevant\", \"value\": 0.0},\n",
		"   {\"event\": \"CUT\", \"reason\": \"invalid\", \"value\": null}\n",
		"{\"name\": \"operations\", \"symbol\": \"FP_OPS\", \"unit\": \"operation\", "
		"\"defined\": true, "
		"\"backward_error\": 2e-17, \"rounded_error\": 1e-5, \"row_error\": 0.002, "
		"\"rounded_row_error\": 0.004, \"row_noise\": 0.001, \"terms\": [{\"event\": "
		"\"FMA\", "
		"\"coefficient\": 0.9999, \"rounded\": 1.0}, ",
		"\n \"small#2\": {\n",
	};
	struct class_sample sample;
	struct tp_class classes[2];
	struct tp_str text = { 0 };

	(void)state;
	make_class_sample(&sample, &classes[0]);
	classes[1] = classes[0];
	tp_copy(classes[1].family, sizeof(classes[1].family), "small#2");
	tp_classes_json(classes, 2, &text);
	for (size_t i = 0; i < TP_COUNT_OF(lines); i++)
		if (!strstr(tp_str_text(&text), lines[i]))
			fail_msg("%s\nis not in\n%s", lines[i], tp_str_text(&text));
	tp_str_clear(&text);
	tp_classes_json(NULL, 0, &text);
	assert_string_equal(tp_str_text(&text),
			    "{\n\"format\": \"tprof-classes\",\n\"version\": 1,\n"
			    "\"families\": {\n}\n}\n");
	tp_str_release(&text);
}

static void the_table_has_a_row_for_each_event(void **state)
{
	struct class_sample sample;
	struct tp_class class;
	struct tp_str text = { 0 };

	(void)state;
	make_class_sample(&sample, &class);
	sample.x[0][0] = 1e-12; /* rounding left it */
	tp_classes_csv(&class, 1, &text);
	assert_string_equal(
		tp_str_text(&text),
		"family,event,fate,order,noise,residual,score,norm,representation,dependence,"
		"metrics,left_out\n"
		"small,\"FP, \"\"all\"\"\",chosen,1,0,1e-16,3,2.2,2*FMA,,FP_OPS,3\n"
		"small,FMA,chosen,0,0,0,1,1,1*FMA,,FP_OPS,0\n"
		"small,SUM,dependent,,0,1e-15,4,1e-17,1*ADD 3*FMA,\"1*FMA 1*FP, \"\"all\"\"\",,1\n"
		"small,ODD,not representable,,0,0.25,,,0.5*ADD 0.25*FMA,,,0\n"
		"small,CYCLES,noisy,,0.125,,,,,,,0\n"
		"small,ZERO,irrelevant,,0,,,,,,,0\n"
		"small,CUT,invalid,,,,,,,,,0\n");
	tp_str_release(&text);
}

/* Each changes one place of a sound document so that an index or a length would be wrong. */
static void what_does_not_fit_is_refused(void **state)
{
	static const struct {
		const char *from, *to, *where, *what;
	} rows[] = {
		{ "\"families\": {", "\"families\": [], \"other\": {", "families",
		  "not an object" },
		{ "\"small\": {", "\"small\": 5, \"x\": {", "families.small", "not an object" },
		{ "\"small\": {", "\"\": {", "families.", "1 to 31 bytes" },
		{ "\"run\": 1", "\"run\": -1", "families.small", "not a run of a preset" },
		{ "\"row\": 3", "\"row\": -3", "rows[2]", "not a row of a basis" },
		{ "\"row\": 3", "\"row\": 70000", "rows[2]", "not a row of a basis" },
		{ "\"expect\": [24.0, 0.0]", "\"expect\": [24.0]", "rows[0]", "\"expect\"" },
		{ "\"expect\": [24.0, 0.0]", "\"expect\": [24.0, \"x\"]", "rows[0]", "\"expect\"" },
		{ "\"order\": 0", "\"order\": 2", "events[1]", "\"order\"" },
		{ "\"order\": 0", "\"order\": -1", "events[1]", "\"order\"" },
		{ "\"order\": 0", "\"order\": 1", "events[1]", "\"order\"" },
		{ "\"order\": 0", "\"order\": null", "families.small", "a chosen event" },
		{ "\"representation\": [0.5, 0.25]", "\"representation\": [0.5]", "events[3]",
		  "\"representation\"" },
		{ "\"dependence\": [1.0, 1.0]", "\"dependence\": 1", "events[2]",
		  "\"dependence\"" },
		{ "\"terms\": [{\"event\": \"FMA\"", "\"terms\": [{\"event\": \"SUM\"",
		  "metrics[0]", "not chosen" },
		{ "\"terms\": [{\"event\": \"FMA\"", "\"terms\": [5, {\"event\": \"FMA\"",
		  "metrics[0]", "not chosen" },
		{ "\"chosen\": [\"FMA\", ", "\"chosen\": [\"FMA\", \"A\", \"B\", ",
		  "families.small", "more chosen events" },
		{ "   {\"event\": \"SUM\", \"fate\"", "   5, {\"event\": \"SUM\", \"fate\"",
		  "events[2]", "not an object" },
	};
	struct class_sample sample;
	struct tp_class class;
	struct tp_str text = { 0 };

	(void)state;
	make_class_sample(&sample, &class);
	write_run(&class, &text);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		const char *at = strstr(text.s, rows[i].from);
		struct tp_run run = { .state = "kept" };
		struct tp_str spoilt = { 0 };
		struct tp_diag diag = { 0 };

		if (!at)
			fail_msg("%s is not in the document", rows[i].from);
		tp_str_add_n(&spoilt, text.s, (size_t)(at - text.s));
		tp_str_add(&spoilt, rows[i].to);
		tp_str_add(&spoilt, at + strlen(rows[i].from));
		if (tp_run_parse(&run, "run.json", spoilt.s, spoilt.len, &diag) != TP_USAGE)
			fail_msg("%s was taken", rows[i].to);
		if (!strstr(diag.where, rows[i].where) || !strstr(diag.what, rows[i].what))
			fail_msg("%s: %s: %s", rows[i].to, diag.where, diag.what);
		assert_string_equal(run.state, "kept");
		tp_str_release(&spoilt);
	}
	tp_str_release(&text);
}

/* Thousands of events, in the shape of a server's list. */
static void many_events_come_back(void **state)
{
	enum { EVENTS = 5000, IDEALS = 16 };
	static const char *const letters[IDEALS] = { "A", "B", "C", "D", "E", "F", "G", "H",
						     "I", "J", "K", "L", "M", "N", "O", "P" };
	struct class_sample sample;
	struct tp_class class;
	struct tp_class_event *events = calloc(EVENTS, sizeof(*events));
	double *x = calloc((size_t)EVENTS * IDEALS, sizeof(*x));
	char(*names)[64] = calloc(EVENTS, sizeof(*names));
	struct tp_str text = { 0 };
	struct tp_run back = { 0 };

	(void)state;
	assert_true(events && x && names);
	make_class_sample(&sample, &class);
	for (size_t i = 0; i < EVENTS; i++) {
		snprintf(names[i], sizeof(names[i]), "perf::UNIT_%zu:EVENT_%zu:u", i % 97, i);
		for (size_t k = 0; k < IDEALS; k++)
			x[i * IDEALS + k] = (double)(i * k % 11) / 7;
		events[i] =
			(struct tp_class_event){ names[i], "dependent",	   0,	 1e-3, 5,
						 1,	   &x[i * IDEALS], NULL, -1,   (long)i };
	}
	class.events = events;
	class.n_events = EVENTS;
	class.n_chosen = class.n_used = class.n_metrics = 0;
	class.ideals = (const char **)letters;
	class.n_ideals = IDEALS;
	write_run(&class, &text);
	parse(&back, &text);
	assert_int_equal(tp_run_classes(&back)[0].n_events, EVENTS);
	assert_string_equal(tp_run_classes(&back)[0].events[EVENTS - 1].name, names[EVENTS - 1]);
	for (size_t k = 0; k < IDEALS; k++)
		assert_near(tp_run_classes(&back)[0].events[EVENTS - 1].x[k],
			    x[(EVENTS - 1) * IDEALS + k], 1e-14);
	tp_str_release(&text);
	tp_run_release(&back);
	free(events);
	free(x);
	free(names);
}

/* --- run directories --- */

static char home[] = "/tmp/tprof-test-classes-XXXXXX";

static int make_home(void **state)
{
	(void)state;
	return mkdtemp(home) ? setenv("XDG_DATA_HOME", home, 1) : -1;
}

static int remove_home(void **state)
{
	(void)state;
	return remove_tree(home);
}

static void add(struct tp_readings *readings, const char *event, size_t row, double count)
{
	struct tp_reading r = { "small", event, row, 0, count, 10 };
	struct tp_diag diag;

	assert_int_equal(tp_readings_add(readings, &r, &diag), TP_OK);
}

static void a_run_directory_holds_readings_and_classes(void **state)
{
	char directory[TP_PATH_MAX], path[TP_PATH_MAX + 32];
	struct class_sample sample;
	struct tp_class class;
	struct tp_run run = { .state = "complete" }, back;
	const struct tp_reading_family *f;
	struct tp_diag diag;

	(void)state;
	make_class_sample(&sample, &class);
	add_class(&run, &class);
	add(tp_run_readings_of(&run), "A", 0, 240);
	add(tp_run_readings_of(&run), "A", 3, 120);
	add(tp_run_readings_of(&run), "B", 0,
	    -5); /* a difference that went below 0 is not a count */
	assert_int_equal(tp_rundir_create(NULL, "counted", directory, &diag), TP_OK);
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, directory, &run, &diag), TP_OK);
	assert_int_equal(tp_run_load(&back, directory, &diag), TP_OK);
	assert_int_equal(tp_run_n_classes(&back), 1);
	assert_int_equal(back.diags.n, 0);
	f = tp_readings_family(tp_run_readings(&back), "small");
	assert_non_null(f);
	assert_int_equal(f->n_events, 1);
	assert_near(tp_reading_value(f, &f->events[0], 0, 3), 12, 0);
	tp_run_release(&back);
	/* For previews the classes are enough. */
	assert_int_equal(tp_run_load_results(&back, directory, &diag), TP_OK);
	assert_int_equal(tp_run_n_classes(&back), 1);
	assert_int_equal(tp_run_readings(&back)->n, 0);
	tp_run_release(&back);
	/* A spoilt line is told and costs only itself. */
	snprintf(path, sizeof(path), "%s/readings.csv", directory);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path,
				       "family,event,row,repetition,count,iterations\n"
				       "small,A,0,0,x,10\nsmall,A,1,0,7,10\n",
				       sizeof("family,event,row,repetition,count,iterations\n"
					      "small,A,0,0,x,10\nsmall,A,1,0,7,10\n") -
					       1,
				       &diag),
			 TP_OK);
	assert_int_equal(tp_run_load(&back, directory, &diag), TP_OK);
	assert_int_equal(back.diags.n, 1);
	assert_string_equal(strrchr(back.diags.items[0].where, '/'), "/readings.csv:2");
	assert_int_equal(tp_run_readings(&back)->families[0].n_rows, 2);
	tp_run_release(&back);
	/* Nothing counted, no file. */
	tp_readings_release(tp_run_readings_of(&run));
	assert_int_equal(tp_rundir_create(NULL, "nothing", directory, &diag), TP_OK);
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, directory, &run, &diag), TP_OK);
	snprintf(path, sizeof(path), "%s/readings.csv", directory);
	assert_int_not_equal(access(path, F_OK), 0);
	tp_run_release(&run);
}

/* Killed: run.json says "running", and what was counted is in the journal. */
static void a_killed_run_keeps_its_counts(void **state)
{
	char directory[TP_PATH_MAX], path[TP_PATH_MAX + 32];
	struct tp_run run = { .state = "running" }, back;
	struct tp_counts counts = { .family = "small",
				    .event = "A",
				    .row = 2,
				    .n = 2,
				    .iterations = 4,
				    .counts = { 8, 12 } };
	struct tp_event event = { .kind = TP_EVENT_ROW,
				  .row_event = &tp_counts_event,
				  .row = &counts };
	struct tp_str journal = { 0 };
	struct tp_diag diag;

	(void)state;
	assert_int_equal(tp_rundir_create(NULL, "killed", directory, &diag), TP_OK);
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, directory, &run, &diag), TP_OK);
	tp_event_write(&event, &journal);
	tp_str_add(&journal, "{\"v\":1,\"ev\":\"counts\",\"t\":1,\"poi");
	snprintf(path, sizeof(path), "%s/journal.ndjson", directory);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, journal.s, journal.len, &diag), TP_OK);
	assert_int_equal(tp_run_load(&back, directory, &diag), TP_OK);
	assert_string_equal(back.state, "interrupted");
	assert_int_equal(tp_run_readings(&back)->n, 1);
	assert_near(tp_reading_value(&tp_run_readings(&back)->families[0],
				     &tp_run_readings(&back)->families[0].events[0], 1, 2),
		    3, 0);
	tp_run_release(&back);
	tp_str_release(&journal);
}

/* The first two lines of a decision. */
static void assert_answer(const struct tp_class *class, size_t event, const char *first,
			  const char *second)
{
	struct tp_str text = { 0 };
	char both[512];
	tp_report_decision(class, event, &text);
	snprintf(both, sizeof(both), "%s\n%s\nmeasured in 3 rows by replay\n", first, second);
	if (strncmp(tp_str_text(&text), both, strlen(both)) != 0)
		fail_msg("expected %s, not %s", both, tp_str_text(&text));
	tp_str_release(&text);
}

static void a_decision_answers_first(void **state)
{
	struct class_sample s;
	struct tp_class class;
	(void)state;
	make_class_sample(&s, &class);
	assert_answer(&class, 1,
		      "Chosen, 1st of 2: it counts FMA, which no event chosen before it counts.",
		      "It is part of operations (1 x).");
	assert_answer(&class, 2, "Dropped, it counts nothing new: it is FMA + FP, \"all\".",
		      "It counts ADD + 3 x FMA.");
	assert_answer(&class, 3, "Dropped, it counts something that these kernels do not exercise.",
		      "No combination of what they do comes nearer than 0.25; allowed 0.001.");
	assert_answer(&class, 4, "Dropped, its readings do not repeat: noise 0.12, allowed 1e-10.",
		      "What it counts here is unknown.");
	assert_answer(&class, 5, "Dropped, it stays at 0 in every row.",
		      "Nothing that these kernels do makes it count.");
	assert_answer(&class, 6, "Dropped, its readings cannot be used.",
		      "A count is missing, negative or not a number.");
}

static void what_rounds_to_nothing_is_left_out(void **state)
{
	struct class_sample s;
	struct tp_class class;
	struct tp_str text = { 0 };
	char small[32];
	(void)state;
	make_class_sample(&s, &class);
	tp_report_formula(&class, &s.metrics[0], false, &text);
	assert_string_equal(tp_str_text(&text), "0.9999 x FMA - 2.0001 x FP, \"all\"");
	s.terms[0] = (struct tp_class_term){ 0, 2e-5, 0 };
	tp_str_clear(&text);
	tp_report_formula(&class, &s.metrics[0], false, &text);
	assert_string_equal(tp_str_text(&text), "-2.0001 x FP, \"all\"");
	assert_string_equal(tp_report_small(small, sizeof(small), 3e-19), "exact");
	assert_string_equal(tp_report_small(small, sizeof(small), 0), "exact");
	assert_string_equal(tp_report_small(small, sizeof(small), 0.031), "0.031");
	assert_string_equal(tp_report_small(small, sizeof(small), 2e-10), "2e-10");
	assert_string_equal(tp_report_small(small, sizeof(small), NAN), "-");
	tp_str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_comes_back),
		cmocka_unit_test(the_document_says_what_the_manual_says),
		cmocka_unit_test(the_table_has_a_row_for_each_event),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(many_events_come_back),
		cmocka_unit_test(a_run_directory_holds_readings_and_classes),
		cmocka_unit_test(a_killed_run_keeps_its_counts),
		cmocka_unit_test(a_decision_answers_first),
		cmocka_unit_test(what_rounds_to_nothing_is_left_out),
	};

	tp_experiments_begin();
	return cmocka_run_group_tests(tests, make_home, remove_home);
}
