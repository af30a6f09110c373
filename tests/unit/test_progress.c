/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learners' files: what is kept is there again, and nothing of anybody is lost. */
#include "files.h"

#include "lesson/progress.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char own[128];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-progress-XXXXXX");
	assert_non_null(mkdtemp(folder));
	setenv("XDG_DATA_HOME", folder, 1);
	setenv("TPROF_LEARNER", "ada", 1);
	snprintf(own, sizeof(own), "%s/tprof/lessons/progress.json", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return remove_tree(folder);
}

static char *text_of_file(void)
{
	char *text;
	size_t len;
	struct tp_diag diag;
	assert_int_equal(tp_file_read(own, 1 << 20, &text, &len, &diag), TP_OK);
	return text;
}

static void keep_some(struct tp_progress_file *file)
{
	struct tp_diag diag;
	struct tp_progress_answer number = { .step = "guess", .kind = "number", .unit = "GB/s" };
	struct tp_progress_answer curve = { .step = "shape", .kind = "curve", .n_y = 3 };
	struct tp_progress_lesson *lesson = tp_progress_begin(file, "03-roofline");
	number.answer = (struct tp_answer){ true, 20, NAN, NAN, false, 1, { 0 } };
	curve.answer = (struct tp_answer){ true, NAN, NAN, 1.5, true, 2, { 1, 2.5, 1e-3 } };
	lesson->step = 4;
	lesson->steps = 9;
	assert_int_equal(tp_progress_answer(lesson, &number), TP_OK);
	assert_int_equal(tp_progress_answer(lesson, &curve), TP_OK);
	assert_int_equal(tp_progress_run(lesson, "curve", "/tmp/a"), TP_OK);
	assert_int_equal(tp_progress_run(lesson, "curve", "/tmp/b"), TP_OK);
	assert_int_equal(tp_progress_save(file, &diag), TP_OK);
}

static void keeps_answers(void **state)
{
	struct tp_progress_file file, again;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_progress_open(&file, &diag), TP_OK);
	assert_int_equal(file.n_lessons, 0);
	assert_string_equal(file.learner, "ada");
	keep_some(&file);
	assert_int_equal(tp_progress_open(&again, &diag), TP_OK);
	const struct tp_progress_lesson *lesson = tp_progress_of(&again, "03-roofline");
	assert_non_null(lesson);
	assert_null(tp_progress_of(&again, "04-vector-width"));
	assert_int_equal(lesson->step, 4);
	assert_int_equal(lesson->steps, 9);
	assert_int_equal(lesson->n_answers, 2);
	assert_true(lesson->answers[0].answer.given == 20);
	assert_true(isnan(lesson->answers[0].answer.truth));
	assert_string_equal(lesson->answers[0].unit, "GB/s");
	assert_int_equal(lesson->answers[1].n_y, 3);
	assert_true(lesson->answers[1].answer.y[1] == 2.5 && lesson->answers[1].answer.right);
	assert_int_equal(lesson->answers[1].answer.tries, 2);
	/* A step that is measured again has one run: the last. */
	assert_int_equal(lesson->n_runs, 1);
	assert_string_equal(lesson->runs[0].run, "/tmp/b");
	/* Another answer to the step leaves nothing of the curve. */
	struct tp_progress_answer choice = { .step = "shape", .kind = "choice" };
	choice.answer = (struct tp_answer){ true, 2, NAN, NAN, true, 3, { 0 } };
	assert_int_equal(tp_progress_answer(&file.lessons[0], &choice), TP_OK);
	assert_int_equal(tp_progress_save(&file, &diag), TP_OK);
	tp_progress_release(&again);
	assert_int_equal(tp_progress_open(&again, &diag), TP_OK);
	assert_int_equal(tp_progress_of(&again, "03-roofline")->answers[1].n_y, 0);
	tp_progress_release(&file);
	tp_progress_release(&again);
}

/* Two processes: each writes its own lesson, and neither takes the other's away. */
static void keeps_the_lessons_of_others(void **state)
{
	struct tp_progress_file one, two;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_progress_open(&one, &diag), TP_OK);
	assert_int_equal(tp_progress_open(&two, &diag), TP_OK);
	keep_some(&one);
	tp_progress_begin(&two, "05-fma")->step = 2;
	assert_int_equal(tp_progress_save(&two, &diag), TP_OK);
	tp_progress_begin(&one, "03-roofline")->step = 6;
	assert_int_equal(tp_progress_save(&one, &diag), TP_OK);
	tp_progress_release(&one);
	tp_progress_release(&two);
	assert_int_equal(tp_progress_load(&one, folder, &diag), TP_OK);
	assert_int_equal(tp_progress_of(&one, "03-roofline")->step, 6);
	assert_int_equal(tp_progress_of(&one, "03-roofline")->n_answers, 2);
	assert_int_equal(tp_progress_of(&one, "05-fma")->step, 2);
	tp_progress_release(&one);
}

static void keeps_what_it_does_not_know(void **state)
{
	struct tp_progress_file file;
	struct tp_diag diag;
	(void)state;
	put_file(folder, "tprof/lessons/progress.json",
		 "{\"format\": \"tprof-progress\", \"version\": 7, \"stars\": 3, \"lessons\": ["
		 "{\"lesson\": \"03-roofline\", \"mood\": \"glad\", \"answers\": "
		 "[{\"step\": \"guess\", \"kind\": \"number\", \"given\": 1, \"sure\": true}]},"
		 "{\"lesson\": \"99-later\", \"answers\": [{\"step\": \"q\", \"kind\": "
		 "\"song\"}]}]}");
	assert_int_equal(tp_progress_open(&file, &diag), TP_OK);
	keep_some(&file);
	tp_progress_release(&file);
	char *text = text_of_file();
	assert_non_null(strstr(text, "\"version\": 7"));
	assert_non_null(strstr(text, "\"stars\": 3"));
	assert_non_null(strstr(text, "\"mood\": \"glad\""));
	assert_non_null(strstr(text, "\"sure\": true"));
	assert_non_null(strstr(text, "\"song\""));
	assert_non_null(strstr(text, "\"given\": 20"));
	free(text);
}

static void never_overwrites_a_damaged_file(void **state)
{
	static const char *const texts[] = {
		"{\"format\": \"tprof-progress\", \"lessons\": [",
		"{\"lessons\": []}",
		"[]",
		"",
		"{\"format\": \"tprof-progress\", \"lessons\": 5}",
		"{\"format\": \"tprof-progress\", \"lessons\": [{\"lesson\": \"a\", \"step\": "
		"\"x\"}]}",
	};
	struct tp_progress_file file, good = { 0 };
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_progress_open(&good, &diag), TP_OK);
	tp_progress_begin(&good, "03-roofline");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		diag = (struct tp_diag){ 0 };
		put_file(folder, "tprof/lessons/progress.json", texts[i]);
		assert_int_equal(tp_progress_open(&file, &diag), TP_USAGE);
		assert_non_null(strstr(diag.where, "progress.json"));
		assert_true(diag.what[0] != '\0');
		assert_non_null(strstr(diag.hint, "stays as it is"));
		if (i < 4) {
			assert_int_equal(tp_progress_save(&good, &diag), TP_USAGE);
			char *text = text_of_file();
			assert_string_equal(text, texts[i]);
			free(text);
		}
	}
	tp_progress_release(&good);
}

static void refuses_what_is_no_file(void **state)
{
	struct tp_progress_file file;
	struct tp_diag diag;
	char path[160];
	(void)state;
	snprintf(path, sizeof(path), "%s/tprof/lessons", folder);
	assert_int_equal(tp_dir_make(path, &diag), TP_OK);
	assert_int_equal(tp_progress_load(&file, path, &diag), TP_NOTFOUND);
	assert_int_equal(mkfifo(own, 0600), 0);
	assert_int_equal(tp_progress_load(&file, own, &diag), TP_USAGE);
	assert_int_equal(tp_progress_open(&file, &diag), TP_USAGE);
	unlink(own);
	/* A file that never ends in any sense: 4 MiB and one. */
	int fd = open(own, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(ftruncate(fd, TP_PROGRESS_MAX_BYTES + 1), 0);
	close(fd);
	assert_int_equal(tp_progress_load(&file, own, &diag), TP_USAGE);
}

static void nothing_is_written_where_others_can(void **state)
{
	struct tp_progress_file file;
	struct tp_diag diag;
	struct stat st, before;
	char lessons[160], outside[160];
	(void)state;
	snprintf(lessons, sizeof(lessons), "%s/tprof/lessons", folder);
	snprintf(outside, sizeof(outside), "%s/outside", folder);
	assert_int_equal(tp_dir_make(lessons, &diag), TP_OK);
	assert_int_equal(tp_progress_open(&file, &diag), TP_OK);
	assert_non_null(tp_progress_begin(&file, "one"));
	assert_int_equal(chmod(lessons, 0757), 0);
	assert_int_equal(tp_progress_save(&file, &diag), TP_PERM);
	assert_non_null(strstr(diag.what, "others can write into the directory"));
	assert_int_not_equal(access(own, F_OK), 0);
	assert_int_equal(chmod(lessons, 0755), 0);
	/* A link is replaced, and what it leads to stays. */
	assert_int_equal(tp_progress_save(&file, &diag), TP_OK);
	assert_int_equal(rename(own, outside), 0);
	assert_int_equal(symlink(outside, own), 0);
	assert_int_equal(lstat(outside, &before), 0);
	assert_non_null(tp_progress_begin(&file, "two"));
	assert_int_equal(tp_progress_save(&file, &diag), TP_OK);
	assert_int_equal(lstat(outside, &st), 0);
	assert_int_equal(st.st_size, before.st_size);
	assert_int_equal(lstat(own, &st), 0);
	assert_true(S_ISREG(st.st_mode) && st.st_size > before.st_size);
	unlink(outside);
	unlink(own);
	tp_progress_release(&file);
}

static void has_bounds(void **state)
{
	struct tp_progress_file file = { 0 }, again;
	struct tp_progress_answer answer = { .kind = "number" };
	struct tp_diag diag;
	char name[TP_NAME_MAX];
	struct tp_str text = { 0 };
	(void)state;
	for (int i = 0; i < TP_PROGRESS_LESSONS_MAX; i++) {
		snprintf(name, sizeof(name), "lesson-%d", i);
		assert_non_null(tp_progress_begin(&file, name));
	}
	assert_null(tp_progress_begin(&file, "one-more"));
	for (int i = 0; i < TP_PROGRESS_ANSWERS_MAX; i++) {
		snprintf(answer.step, sizeof(answer.step), "q%d", i);
		assert_int_equal(tp_progress_answer(&file.lessons[0], &answer), TP_OK);
	}
	snprintf(answer.step, sizeof(answer.step), "more");
	assert_int_equal(tp_progress_answer(&file.lessons[0], &answer), TP_RESOURCE);
	assert_int_equal(tp_progress_text(&file, NULL, 0, &text, &diag), TP_OK);
	assert_int_equal(tp_progress_parse(&again, "x", text.s, text.len, &diag), TP_OK);
	assert_int_equal(again.n_lessons, TP_PROGRESS_LESSONS_MAX);
	tp_progress_release(&again);
	/* One more of either is not a file of ours. */
	char *entry = strstr(text.s, "\"lessons\": [");
	struct tp_str more = { 0 };
	tp_str_add_n(&more, text.s, (size_t)(entry - text.s) + 12);
	tp_str_add(&more, "{\"lesson\": \"one-more\"},");
	tp_str_add(&more, entry + 12);
	assert_int_equal(tp_progress_parse(&again, "x", more.s, more.len, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "256"));
	tp_str_release(&more);
	tp_str_release(&text);
	tp_progress_release(&file);
}

/* Nothing that a stranger writes reaches a terminal as a command. */
static void cleans_texts(void **state)
{
	static const char text[] = "{\"format\": \"tprof-progress\", \"learner\": \"a\\u001b[2Jb\","
				   "\"lessons\": [{\"lesson\": \"x\", \"title\": \"t\\u0007\","
				   "\"answers\": [{\"step\": \"q\\u009b1m\"}]}]}";
	struct tp_progress_file file;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(tp_progress_parse(&file, "x", text, sizeof(text) - 1, &diag), TP_OK);
	assert_string_equal(file.learner, "a?[2Jb");
	assert_string_equal(file.lessons[0].title, "t?");
	assert_null(strstr(file.lessons[0].answers[0].step, "\xc2\x9b"));
	tp_progress_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(keeps_answers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keeps_the_lessons_of_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keeps_what_it_does_not_know, set_up, tear_down),
		cmocka_unit_test_setup_teardown(never_overwrites_a_damaged_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_is_no_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_written_where_others_can, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(has_bounds, set_up, tear_down),
		cmocka_unit_test(cleans_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
