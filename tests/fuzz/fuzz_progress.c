/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a learner's file: must not crash, must say why it fails, and what is read must
 * survive writing and reading again. A teacher can see it, and the learner goes on with it: its
 * first lesson is the one below, with a run that is not there.
 */
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "experiments/experiment.h"
#include "lesson/learners.h"
#include "lesson/report.h"
#include "tests/fuzz/promise.h"
#include "tests/unit/printed.h"

static const char lesson[] =
	"lesson: 1\n"
	"title: A small one\n"
	"summary: Two sizes.\n"
	"steps:\n"
	"  - text: Words.\n"
	"  - predict: guess\n"
	"    question: How many?\n"
	"    unit: GB/s\n"
	"    from: 1\n"
	"    to: 10000\n"
	"    truth: small.median_gbps\n"
	"  - predict: side\n"
	"    question: Which?\n"
	"    choices: [{say: One, when: small.median_gbps < 1}, {say: Two, when: small.median_gbps "
	">= 1}]\n"
	"  - predict: shape\n"
	"    question: Draw it.\n"
	"    curve: {of: curve, x: working_set_bytes, y: median_gbps, from: 8KiB, to: 1MiB, "
	"places: "
	"3}\n"
	"    unit: GB/s\n"
	"    from: 1\n"
	"    to: 1000\n"
	"  - measure: curve\n"
	"    preset: {experiment: memcurve, threads: 1, isa: neon, ratio: '1:0', sizes: [8KiB]}\n"
	"    results: {small: {table: points, take: smallest working_set_bytes}}\n"
	"  - plot: curve\n"
	"    guesses: [guess, shape]\n"
	"  - next: end\n";
static char lesson_path[] = "/tmp/tprof-fuzz-progress-XXXXXX.yaml";

static void clean_up(void)
{
	unlink(lesson_path);
}

static void set_up(void)
{
	tp_experiments_begin();
	int fd = mkstemps(lesson_path, 5);
	must(fd >= 0 && write(fd, lesson, sizeof(lesson) - 1) == sizeof(lesson) - 1,
	     "there is a lesson");
	close(fd);
	atexit(clean_up);
}

static void see(const struct tp_progress_file *file)
{
	struct tp_look look = { .columns = 80 };
	struct tp_progress_file one = *file;
	const struct tp_learners learners = { .files = &one, .n = 1, .cap = 1 };
	TP_STR out = { 0 };
	PRINTED(&look, &out, tp_learners_text(&learners, doc));
	must(!tp_text_fault(tp_str_text(&out), out.len, "\n"), "a teacher sees text");
	tp_learners_csv(&learners, &out);
	tp_learners_json(&learners, &out);
	tp_learners_html(&learners, &out);
}

static void go_on(struct tp_progress_file *file)
{
	static const char *const machine[] = { "machine=neoverse-v1", "simulate=quiet" };
	const struct tp_overrides overrides = { machine, TP_COUNT_OF(machine) };
	struct tp_diags diags = { 0 };
	TP_FREE struct tp_player *player = tp_alloc(1, sizeof(*player));
	TP_STR out = { 0 };
	if (!file->n_lessons)
		return;
	snprintf(file->lessons[0].name, sizeof(file->lessons[0].name), "%.*s",
		 (int)strcspn(tp_path_last(lesson_path), "."), tp_path_last(lesson_path));
	for (size_t i = 0; i < file->lessons[0].n_runs; i++)
		strcpy(file->lessons[0].runs[i].run, "/nonexistent");
	file->path[0] = '\0'; /* nothing is kept */
	must(tp_player_open(player, lesson_path, &overrides, file, &diags) == TP_OK,
	     "the lesson is there, whatever the learner did");
	must(strcmp(player->lesson.name, file->lessons[0].name) == 0, "by this name");
	must(player->step < player->lesson.n_steps && player->reached < player->lesson.n_steps,
	     "the learner is at a step");
	tp_lesson_html(player, &out);
	tp_lesson_json(player, &out);
	while (tp_player_forward(player))
		must(tp_lesson_ask(player) != NULL, "each step waits for something, or nothing");
	tp_player_restart(player);
	must(player->step == 0, "or begins again");
	tp_player_close(player);
	tp_diags_release(&diags);
}

static void same(const struct tp_progress_file *a, const struct tp_progress_file *b)
{
	must(a->n_lessons == b->n_lessons, "as many lessons");
	must(strcmp(a->learner, b->learner) == 0, "of the same learner");
	for (size_t i = 0; i < a->n_lessons; i++) {
		const struct tp_progress_lesson *x = &a->lessons[i], *y = &b->lessons[i];
		must(strcmp(x->name, y->name) == 0, "a lesson by its name");
		must(x->step == y->step && x->finished == y->finished, "as far");
		must(x->n_answers == y->n_answers && x->n_runs == y->n_runs, "with all answers");
		for (size_t k = 0; k < x->n_answers; k++)
			must(strcmp(x->answers[k].step, y->answers[k].step) == 0 &&
				     x->answers[k].n_y == y->answers[k].n_y,
			     "an answer");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_progress_file file, again;
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 };
	static bool begun;
	if (!begun)
		set_up();
	begun = true;
	if (tp_progress_parse(&file, "input", (const char *)data, size, &diag) != TP_OK) {
		must(diag.where[0] && diag.what[0], "a failure has a place and words");
		must(!file.lessons, "a failure leaves nothing");
		return 0;
	}
	for (size_t i = 0; i < file.n_lessons; i++)
		file.lessons[i].touched = true;
	must(tp_progress_text(&file, (const char *)data, size, &text, &diag) == TP_OK,
	     "what is read can be written");
	must(tp_progress_parse(&again, "again", tp_str_text(&text), text.len, &diag) == TP_OK,
	     "and read again");
	same(&file, &again);
	see(&file);
	go_on(&file);
	tp_progress_release(&file);
	tp_progress_release(&again);
	tp_str_release(&text);
	return 0;
}
