/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of lessons: what a good one says, and each kind of error with its place. */
#include "experiments/experiment.h"
#include "files.h"

#include <math.h>

#include "base/memory.h"
#include "lesson/names.h"
#include "session/session.h"

static const char good[] =
	"lesson: 1\n"
	"title: A title\n"
	"summary: A summary.\n"
	"after: [You know it., You can say it.]\n"
	"needs: {when: machine.threads >= 2, otherwise: Two CPUs are needed.}\n"
	"terms: {roof: a limit}\n"
	"values:\n"
	"  steep: l1.median_gbps / dram.median_gbps\n"
	"  ridge: {value: 2 * steep, unit: FLOP/byte}\n"
	"steps:\n"
	"  - text: Words {{with}} a brace about a roof.\n"
	"  - predict: guess\n"
	"    question: How many?\n"
	"    unit: GB/s\n"
	"    from: 1 MB/s\n"
	"    to: 1000\n"
	"    truth: dram.median_gbps\n"
	"  - predict: shape\n"
	"    question: Draw it.\n"
	"    curve: {of: curve, x: working_set_bytes, y: median_gbps, from: 4KiB, to: 16KiB, "
	"places: 3, where: {isa: '!= scalar', threads: '>= 1'}}\n"
	"    unit: GB/s\n"
	"    from: 1\n"
	"    to: 100\n"
	"  - measure: curve\n"
	"    seconds: 10\n"
	"    preset: {experiment: memcurve, threads: 1, stop: {max_time: 20ms}}\n"
	"    results:\n"
	"      l1: {table: plateaus, where: {level: L1}}\n"
	"      dram: {table: plateaus, where: {level: DRAM}, take: last}\n"
	"      small: {table: points, where: {working_set_bytes: <= 16KiB}, take: largest "
	"median_gbps}\n"
	"  - plot: curve\n"
	"    guesses: [guess, shape]\n"
	"  - explain:\n"
	"      - when: not curve.noisy and steep > 2\n"
	"        text: '{l1.median_gbps} {steep} {ridge} {steep | times} {l1.isa} {small.kernel}'\n"
	"        claims: [l1.median_gbps > dram.median_gbps]\n"
	"      - text: No.\n"
	"  - check: half\n"
	"    question: And half of it?\n"
	"    choices:\n"
	"      - {say: More, when: steep > 2}\n"
	"      - {say: Less, when: not steep > 2}\n"
	"    hint: You said {half.given}.\n"
	"  - try: All threads.\n"
	"    text: Now you.\n"
	"    preset: {runs: [{experiment: memcurve, stop: {max_time: 20ms}}, {experiment: "
	"roofline}]}\n"
	"  - next: end\n";

static void must_parse(struct tp_lesson *lesson, const char *text,
		       const struct tp_overrides *overrides)
{
	struct tp_diags diags = { 0 };
	if (tp_lesson_parse(lesson, "lessons/09-good.yaml", text, strlen(text), overrides,
			    &diags) != TP_OK)
		fail_msg("%s: %s", diags.n ? diags.items[0].where : "?",
			 diags.n ? diags.items[0].what : "no words");
	tp_diags_release(&diags);
}

static void test_good(void **state)
{
	struct tp_lesson l;
	(void)state;
	must_parse(&l, good, NULL);
	assert_string_equal(l.name, "09-good");
	assert_string_equal(l.title, "A title");
	assert_string_equal(l.after[1], "You can say it.");
	assert_null(l.after[2]);
	assert_string_equal(l.otherwise, "Two CPUs are needed.");
	assert_int_equal(l.n_terms, 1);
	assert_string_equal(l.terms[0].meaning, "a limit");
	assert_int_equal(l.n_values, 2);
	assert_string_equal(l.values[1].unit, "FLOP/byte");
	assert_int_equal(l.n_steps, 9);
	static const enum tp_lesson_step_kind kinds[] = {
		TP_STEP_TEXT,	 TP_STEP_PREDICT, TP_STEP_PREDICT, TP_STEP_MEASURE, TP_STEP_PLOT,
		TP_STEP_EXPLAIN, TP_STEP_CHECK,	  TP_STEP_TRY,	   TP_STEP_NEXT
	};
	for (size_t i = 0; i < TP_COUNT_OF(kinds); i++)
		assert_int_equal(l.steps[i].kind, kinds[i]);
	assert_string_equal(l.steps[3].where, "lessons/09-good.yaml:24:5");
	assert_string_equal(l.steps[7].text.text, "Now you.\n\nAll threads.");
	assert_int_equal(l.steps[7].preset->n_runs, 2);
	assert_null(l.steps[8].next);
	tp_lesson_release(&l);
}

static void test_questions(void **state)
{
	struct tp_lesson l;
	(void)state;
	must_parse(&l, good, NULL);
	const struct tp_question *number = l.steps[1].question, *curve = l.steps[2].question,
				 *choice = l.steps[6].question;
	assert_int_equal(number->kind, TP_ASK_NUMBER);
	assert_true(number->from == 1e-3 && number->to == 1000);
	assert_string_equal(number->unit, "GB/s");
	assert_int_equal(curve->kind, TP_ASK_CURVE);
	assert_int_equal(curve->of, 3);
	assert_int_equal(curve->n_x, 3);
	assert_true(curve->x[0] == 4096 && curve->x[1] == 8192 && curve->x[2] == 16384);
	assert_string_equal(curve->x_unit, "bytes");
	assert_int_equal(curve->n_where, 2);
	assert_int_equal(curve->where[0].how, TP_IS_NOT);
	assert_string_equal(curve->where[0].word, "scalar");
	assert_int_equal(curve->where[1].how, TP_AT_LEAST);
	assert_true(curve->where[1].number == 1);
	assert_int_equal(choice->kind, TP_ASK_CHOICE);
	assert_int_equal(choice->n_choices, 2);
	assert_true(choice->within == 1.25);
	assert_int_equal(choice->hint.n, 3);
	tp_lesson_release(&l);
}

static void test_results_and_texts(void **state)
{
	struct tp_lesson l;
	(void)state;
	must_parse(&l, good, NULL);
	const struct tp_lesson_step *measure = &l.steps[3], *plot = &l.steps[4];
	assert_int_equal(measure->n_results, 3);
	assert_true(measure->seconds == 10);
	assert_int_equal(measure->results[1].take, TP_TAKE_LAST);
	const struct tp_result *small = &measure->results[2];
	assert_string_equal(small->table, "points");
	assert_int_equal(small->where[0].how, TP_AT_MOST);
	assert_true(small->where[0].number == 16384);
	assert_int_equal(small->take, TP_TAKE_LARGEST);
	assert_string_equal(small->column, "median_gbps");
	assert_true(plot->n_runs == 1 && plot->runs[0] == 3);
	assert_true(plot->n_guesses == 2 && plot->guesses[0] == 1 && plot->guesses[1] == 2);
	const struct tp_quoted *brace = &l.steps[0].text;
	assert_int_equal(brace->n, 2);
	assert_memory_equal(brace->pieces[0].text, "Words {", brace->pieces[0].len);
	assert_string_equal(brace->pieces[1].text, "with}} a brace about a roof.");
	static const char *const units[] = { "GB/s", "", "FLOP/byte", "times", "", "" };
	const struct tp_variant *shown = &l.steps[5].variants[0];
	assert_int_equal(shown->n_claims, 1);
	size_t found = 0;
	for (size_t i = 0; i < shown->text.n; i++)
		if (!shown->text.pieces[i].text)
			assert_string_equal(shown->text.pieces[i].unit, units[found++]);
	assert_int_equal(found, TP_COUNT_OF(units));
	assert_null(l.steps[5].variants[1].when);
	tp_lesson_release(&l);
}

static void test_overrides(void **state)
{
	static const char *const sets[] = { "machine=zen4", "simulate=quiet", "isa=avx2" };
	static const char *const unused[] = { "iterations=7" };
	const struct tp_overrides three = { sets, 3 }, none = { unused, 1 };
	struct tp_diags diags = { 0 };
	struct tp_lesson l;
	(void)state;
	must_parse(&l, good, &three);
	for (size_t i = 0; i < l.n_steps; i++)
		if (l.steps[i].preset)
			assert_string_equal(
				tp_config_text(&l.steps[i].preset->runs[0], TP_OPT_MACHINE),
				"zen4");
	tp_lesson_release(&l);
	/* An option that no preset of the lesson uses is told, and told once. */
	assert_int_equal(tp_lesson_parse(&l, "x.yaml", good, strlen(good), &none, &diags),
			 TP_USAGE);
	assert_int_equal(diags.n, 1);
	assert_string_equal(diags.items[0].where, "--set");
	tp_diags_release(&diags);
}

/* --- errors: a line of the good file is another one --- */

static char *changed(const char *from, const char *to)
{
	const char *at = strstr(good, from);
	assert_non_null(at);
	char *text = malloc(sizeof(good) + strlen(to) + 1);
	sprintf(text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
	return text;
}

static void test_errors(void **state)
{
	static const struct {
		const char *from, *to, *told;
	} rows[] = {
		{ "lesson: 1", "lesson: 2", "1:9: lesson: this version" },
		{ "title: A title\n", "", "1:1: title is missing in a lesson" },
		{ "title: A title", "titel: A title", "2:1: unknown key \"titel\"" },
		{ "{roof: a limit}", "[roof]", "6:8: terms: expected terms" },
		{ "when: machine.threads", "when: machine.thread",
		  "5:15: \"machine.thread >= 2\", column 1: there is no machine.thread" },
		{ "l1.median_gbps / dram", "l1.median_gbbs / dram",
		  "8:10: \"l1.median_gbbs / dram.median_gbps\", column 1: there is no "
		  "l1.median_gbbs" },
		{ "value: 2 * steep", "value: 2 * ridge",
		  "9:18: \"2 * ridge\", column 5: there is no ridge" },
		{ "unit: FLOP/byte}", "unit: FLOP/bite}", "9:35: unit: there is no unit" },
		{ "2 * steep", "2 * (steep", "9:18: \"2 * (steep\", column 11: expected )" },
		{ "2 * steep", "2 * l1.isa", "a word where a number should be" },
		{ "  - text: Words", "  - tekst: Words", "11:5: unknown key \"tekst\"" },
		{ "Words {{with}}", "Words {with", "11:11: \"{with a brace about a roof.\"" },
		{ "Words {{with}}", "Words {l1.median_gbps}",
		  "11:11: \"l1.median_gbps\", column 1: l1.median_gbps is known only later" },
		{ "Words {{with}}", "Words {guess.factor}", "guess.factor is known only later" },
		{ "predict: guess", "predict: l1", "28:7: results: the name l1 is given twice" },
		{ "predict: guess", "predict: 2nd", "12:14: predict: \"2nd\" cannot be a name" },
		{ "predict: guess", "predict: machine", "12:14: predict: \"machine\" cannot" },
		{ "    to: 1000\n", "", "12:5: to is missing in a question" },
		{ "to: 1000", "to: 0.0001", "15:11: from and to are not a range" },
		{ "to: 1000", "to: 10 ns", "16:9: to: \"10 ns\" has another unit" },
		{ "    truth: dram.median_gbps\n", "", "12:5: truth is missing in a question" },
		{ "    truth: dram", "    within: 2\n    truth: dram",
		  "17:5: within has no place in a step predict" },
		{ "    truth: dram", "    measure: x\n    truth: dram",
		  "12:5: a step is of one kind" },
		{ "{of: curve", "{of: curv", "20:17: of: there is no step measure \"curv\"" },
		{ "x: working_set_bytes", "x: working_set",
		  "20:27: the rows of points here have no column working_set" },
		{ "y: median_gbps", "y: isa", "20:49: y: isa holds no numbers" },
		{ "places: 3", "places: 30", "20:12: curve: from, to and places" },
		{ "threads: '>= 1'", "threads: many", "threads: \"many\" is not a number" },
		{ "isa: '!= scalar'", "isa: '< scalar'", "isa holds words" },
		{ "seconds: 10", "seconds: -1", "25:14: seconds: -1 is out of range" },
		{ "experiment: memcurve, threads: 1,", "experiment: memcurv, threads: 1,",
		  "26:14: experiment: \"memcurv\" is not known" },
		{ "threads: 1, stop", "threds: 1, stop", "26:36: unknown option \"threds\"" },
		{ "    preset: {experiment: memcurve, threads: 1, stop: {max_time: 20ms}}\n", "",
		  "24:5: preset is missing in a step measure" },
		{ "{table: plateaus, where: {level: L1}}", "{table: plateau}",
		  "28:19: this measurement has no table \"plateau\"" },
		{ "{table: plateaus, where: {level: L1}}", "{table: roofs}",
		  "28:19: this measurement has no table \"roofs\"" },
		{ "{level: L1}", "{lewel: L1}", "28:37: the rows of plateaus here" },
		{ "take: last", "take: second", "29:59: take: \"second\" is not understood" },
		{ "take: largest median_gbps", "take: largest", "take: \"largest\" is not" },
		{ "take: largest median_gbps", "take: largest isa", "take: isa holds no numbers" },
		{ "plot: curve", "plot: guess", "31:11: plot: there is no step measure \"guess\"" },
		{ "[guess, shape]", "[guess, shapes]", "32:22: guesses: there is no question" },
		{ "- text: No.", "- text: No.\n      - text: Never.",
		  "37:9: the texts after this one are never shown" },
		{ "{ridge}", "{ridge | m}", "35:15: \"{ridge |m}\": there is no such unit" },
		{ "[l1.median_gbps > dram.median_gbps]", "l1.median_gbps > 1",
		  "36:17: claims: expected a list" },
		{ "      - {say: Less, when: not steep > 2}\n", "",
		  "41:7: choices: expected a list of 2 to 9 choices" },
		{ "    hint: You", "    unit: ns\n    hint: You",
		  "43:5: unit has no place in a question with choices" },
		{ "next: end\n", "next: end\n  - text: More.\n", "48:5: a step follows next" },
		{ "next: end", "next: ../x", "47:11: next: \"../x\" is not a name of a lesson" },
		{ "next: end", "next: &x end", "47:11: anchors (&name) are not used in lessons" },
		{ "title: A title", "title: \"\\e[2J\"", "2:8: title holds a control character" },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_diags diags = { 0 };
		struct tp_lesson lesson;
		char *text = changed(rows[i].from, rows[i].to), all[4096] = "";
		assert_int_equal(
			tp_lesson_parse(&lesson, "x.yaml", text, strlen(text), NULL, &diags),
			TP_USAGE);
		assert_int_equal(lesson.n_steps, 0);
		for (size_t k = 0; k < diags.n; k++)
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s: %s\n",
				 diags.items[k].where, diags.items[k].what);
		if (!strstr(all, rows[i].told))
			fail_msg("\"%s\" instead of \"%s\": no \"%s\" in\n%s", rows[i].to,
				 rows[i].from, rows[i].told, all);
		free(text);
		tp_diags_release(&diags);
	}
}

/* The errors of a file are told together, in the order of its lines. */
static void test_all_errors(void **state)
{
	struct tp_diags diags = { 0 };
	struct tp_lesson lesson;
	static const char text[] = "lesson: 1\ntitle: A\nsummary: B\nsteps:\n"
				   "  - measure: a\n    preset: {experiment: memcurv}\n"
				   "  - plot: b\n"
				   "  - explain: [{text: \"{a.nois}\"}]\n"
				   "  - next: c/d\n";
	(void)state;
	tp_lesson_parse(&lesson, "x.yaml", text, strlen(text), NULL, &diags);
	assert_int_equal(diags.n, 4);
	assert_string_equal(diags.items[0].where, "x.yaml:6:14");
	assert_string_equal(diags.items[1].where, "x.yaml:7:11");
	assert_string_equal(diags.items[2].where, "x.yaml:8:22");
	assert_string_equal(diags.items[2].hint, "did you mean .noisy?");
	assert_string_equal(diags.items[3].where, "x.yaml:9:11");
	tp_diags_release(&diags);
}

/* --- remarks --- */

static void test_remarks(void **state)
{
	static const char *const told[] = { "the term height is in no text",
					    "the value unused is never used",
					    "the question asked is never explained",
					    "the measurement alone is never used",
					    "the result row is never used",
					    "next: the lesson 99-none does not exist here" };
	struct tp_diags remarks = { 0 };
	struct tp_lesson lesson;
	(void)state;
	must_parse(&lesson, good, NULL);
	tp_lesson_remarks(&lesson, &remarks);
	assert_int_equal(remarks.n, 0);
	tp_lesson_release(&lesson);
	must_parse(&lesson,
		   "lesson: 1\ntitle: A\nsummary: B\nterms: {height: how high it is}\n"
		   "values: {unused: 1}\nsteps:\n"
		   "  - {predict: asked, question: Why?, from: 1, to: 2, truth: 1.5}\n"
		   "  - {measure: alone, preset: {experiment: memcurve}, results: {row: {table: "
		   "points}}}\n"
		   "  - next: 99-none\n",
		   NULL);
	tp_lesson_remarks(&lesson, &remarks);
	assert_int_equal(remarks.n, TP_COUNT_OF(told));
	for (size_t i = 0; i < TP_COUNT_OF(told); i++)
		assert_string_equal(remarks.items[i].what, told[i]);
	tp_diags_release(&remarks);
	tp_lesson_release(&lesson);
}

/* --- files --- */

static void test_is(void **state)
{
	char folder[] = "/tmp/tprof-lesson-XXXXXX", path[64];
	(void)state;
	assert_non_null(mkdtemp(folder));
	put_file(folder, "a.yaml", good);
	put_file(folder, "b.yaml", "experiment: memcurve\n");
	put_file(folder, "c.yaml", "{[\n");
	snprintf(path, sizeof(path), "%s/a.yaml", folder);
	assert_true(tp_lesson_is(path));
	snprintf(path, sizeof(path), "%s/b.yaml", folder);
	assert_false(tp_lesson_is(path));
	snprintf(path, sizeof(path), "%s/c.yaml", folder);
	assert_false(tp_lesson_is(path));
	assert_false(tp_lesson_is(folder));
	assert_int_equal(remove_tree(folder), 0);
}

static void test_find(void **state)
{
	char folder[] = "/tmp/tprof-lesson-XXXXXX", path[TP_PATH_MAX];
	struct tp_diag diag = { 0 };
	(void)state;
	assert_non_null(mkdtemp(folder));
	put_file(folder, "tprof/presets/lessons/70-own.yaml", good);
	setenv("XDG_CONFIG_HOME", folder, 1);
	assert_int_equal(tp_lesson_find("lessons/70-own", path, &diag), TP_OK);
	assert_non_null(strstr(path, "70-own.yaml"));
	assert_int_equal(tp_lesson_find("70-own", path, &diag), TP_OK);
	assert_int_equal(tp_lesson_find("70-onw", path, &diag), TP_NOTFOUND);
	assert_non_null(strstr(diag.hint, "did you mean 70-own?"));
	assert_int_equal(tp_lesson_find("../70-own", path, &diag), TP_NOTFOUND);
	unsetenv("XDG_CONFIG_HOME");
	assert_int_equal(remove_tree(folder), 0);
}

/* --- the manual --- */

/* True if the page has that word. */
static bool is_told(const char *page, const char *word)
{
	size_t len = strlen(word);
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	for (const char *at = page; (at = strstr(at, word)); at++)
		if ((at == page || !strchr(letters, at[-1])) && !strchr(letters, at[len] | ' '))
			return true;
	return false;
}

static void test_manual(void **state)
{
	char path[TP_PATH_MAX];
	char *page;
	size_t len;
	struct tp_diag diag;
	(void)state;
	snprintf(path, sizeof(path), "%s/man/tprof-lesson.5", source_dir());
	assert_int_equal(tp_file_read(path, 1 << 20, &page, &len, &diag), TP_OK);
	for (size_t i = 0; tp_lesson_fact(i); i++)
		if (!is_told(page, tp_lesson_fact(i)->name))
			fail_msg("tprof-lesson(5) does not tell of machine.%s",
				 tp_lesson_fact(i)->name);
	for (size_t i = 0; tp_lesson_unit(i); i++)
		if (!strstr(strstr(page, ".Sh UNITS"), tp_lesson_unit(i)))
			fail_msg("tprof-lesson(5) does not tell of %s", tp_lesson_unit(i));
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_results_and_texts),
		cmocka_unit_test(test_overrides),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_all_errors),
		cmocka_unit_test(test_remarks),
		cmocka_unit_test(test_is),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_manual),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
