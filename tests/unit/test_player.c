/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lesson from its first step to its last, on a simulated machine: what it waits for, what it says
 * of answers, where predictions stand in pictures, and what is there again the next time.
 */
#include "experiments/experiment.h"
#include "files.h"

#include "lesson/report.h"
#include "tests/unit/printed.h"
#include "tests/unit/simulated_run.h"

#include <math.h>

static const char *const sets[] = {
	"machine=neoverse-v1", "simulate=quiet", "isa=neon",
	"experiment=memcurve", "threads=1",	 "ratio=1:0",
	"size_min=8KiB",       "size_max=1MiB",	 "points_per_octave=1",
};

static const char text[] =
	"lesson: 1\n"
	"title: A small one\n"
	"summary: Two sizes.\n"
	"needs: {when: machine.cores < 100000, otherwise: Too large.}\n"
	"values: {drop: small.median_gbps / large.median_gbps}\n"
	"steps:\n"
	"  - text: |\n"
	"      First *words* of 2 * 3 lines.\n"
	"\n"
	"      A second paragraph.\n"
	"  - predict: guess\n"
	"    question: How many?\n"
	"    unit: GB/s\n"
	"    from: 1\n"
	"    to: 10000\n"
	"    truth: small.median_gbps\n"
	"  - predict: side\n"
	"    question: Which?\n"
	"    choices: [{say: One, when: drop < 1}, {say: Two, when: drop >= 1}]\n"
	"  - predict: shape\n"
	"    question: Draw it.\n"
	"    curve: {of: curve, x: working_set_bytes, y: median_gbps, from: 8KiB, to: 1MiB, "
	"places: "
	"4}\n"
	"    unit: GB/s\n"
	"    from: 1\n"
	"    to: 1000\n"
	"  - measure: curve\n"
	"    seconds: 1\n"
	"    preset: {experiment: memcurve, threads: 1, isa: neon, ratio: '1:0', size_min: 8KiB, "
	"size_max: 1MiB, points_per_octave: 1}\n"
	"    results:\n"
	"      small: {table: points, take: smallest working_set_bytes}\n"
	"      large: {table: points, take: largest working_set_bytes}\n"
	"  - plot: curve\n"
	"    guesses: [guess, shape]\n"
	"  - explain:\n"
	"      - {when: drop < 0, text: Never.}\n"
	"      - {when: drop > 1000, text: Hardly.}\n"
	"  - check: again\n"
	"    question: By which factor?\n"
	"    from: 0.01\n"
	"    to: 1000\n"
	"    truth: drop\n"
	"    within: 1.1\n"
	"    hint: Divide {small.median_gbps}.\n"
	"  - next: end\n";

static char folder[64], path[128], run_directory[128];
static struct simulated_run simulated;

static int set_up_all(void **state)
{
	struct tp_diags diags = { 0 };
	struct tp_diag diag = { 0 };
	static const struct tp_regime quiet = { .name = "quiet" };
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-player-XXXXXX");
	assert_non_null(mkdtemp(folder));
	setenv("XDG_DATA_HOME", folder, 1);
	setenv("XDG_CONFIG_HOME", folder, 1);
	put_file(folder, "small.yaml", text);
	snprintf(path, sizeof(path), "%s/small.yaml", folder);
	snprintf(run_directory, sizeof(run_directory), "%s/run", folder);
	assert_int_equal(simulated_open(&simulated, sets, sizeof(sets) / sizeof(*sets), &diags),
			 TP_OK);
	assert_int_equal(simulated_measure(&simulated, &quiet, 1, &diag), TP_OK);
	tp_copy(simulated.run.state, sizeof(simulated.run.state), "complete");
	assert_int_equal(tp_dir_make(run_directory, &diag), TP_OK);
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, run_directory, &simulated.run, &diag),
			 TP_OK);
	return 0;
}

static int tear_down_all(void **state)
{
	(void)state;
	simulated_close(&simulated);
	return remove_tree(folder);
}

static void open_lesson(struct tp_player *player, struct tp_progress_file *progress)
{
	static const char *const machine[] = { "machine=neoverse-v1", "simulate=quiet" };
	const struct tp_overrides overrides = { machine, 2 };
	struct tp_diags diags = { 0 };
	enum tp_status status = tp_player_open(player, path, &overrides, progress, &diags);
	if (diags.n)
		print_message("%s: %s\n", diags.items[0].where, diags.items[0].what);
	assert_int_equal(status, TP_OK);
	assert_int_equal(diags.n, 0);
}

/* True if the step that is shown says these words. */
static bool says(const struct tp_player *player, const char *words)
{
	const struct tp_look look = { .columns = 1000, .rows = 40 };
	struct tp_str out = { 0 };
	PRINTED(&look, &out, tp_lesson_say(player, player->step, doc));
	bool found = strstr(tp_str_text(&out), words) != NULL;
	if (!found)
		print_message("no \"%s\" in: %s\n", words, tp_str_text(&out));
	tp_str_release(&out);
	return found;
}

static void go_to(struct tp_player *player, size_t step)
{
	while (player->step > step)
		assert_true(tp_player_back(player));
	while (player->step < step)
		assert_true(tp_player_forward(player));
}

static double small_gbps(const struct tp_player *player)
{
	const struct tp_lesson_state state = tp_player_state(player);
	double value;
	return tp_lesson_compute(&state, player->lesson.steps[1].question->truth, &value) ? value
											  : NAN;
}

enum { TEXT, GUESS, SIDE, SHAPE, MEASURE, PLOT, EXPLAIN, CHECK, NEXT };

static void waits_and_answers(void **state)
{
	struct tp_player player;
	struct tp_diag diag = { 0 };
	(void)state;
	open_lesson(&player, NULL);
	assert_int_equal(tp_player_waits(&player), TP_WAITS_NOTHING);
	assert_false(tp_player_back(&player));
	assert_int_equal(tp_player_answer(&player, "1", &diag), TP_USAGE);
	go_to(&player, GUESS);
	assert_int_equal(tp_player_waits(&player), TP_WAITS_ANSWER);
	assert_int_equal(tp_player_answer(&player, "many", &diag), TP_USAGE);
	assert_int_equal(tp_player_answer(&player, "100000", &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "10000 GB/s"));
	assert_false(tp_player_answer_of(&player, GUESS).there);
	assert_int_equal(tp_player_answer(&player, "20", &diag), TP_OK);
	assert_true(says(&player, "You said 20 GB/s. The measurement will show."));
	/* As long as nothing is measured, one may think again. */
	assert_int_equal(tp_player_answer(&player, "30 GB/s", &diag), TP_OK);
	assert_true(tp_player_answer_of(&player, GUESS).given == 30);
	assert_int_equal(tp_player_waits(&player), TP_WAITS_NOTHING);
	go_to(&player, SIDE);
	assert_int_equal(tp_player_answer(&player, "3", &diag), TP_USAGE);
	assert_int_equal(tp_player_answer(&player, "1", &diag), TP_OK);
	go_to(&player, MEASURE);
	assert_int_equal(tp_player_waits(&player), TP_WAITS_MEASUREMENT);
	assert_true(says(&player, "This takes about 1 s."));
	assert_int_equal(tp_player_measured(&player, MEASURE, folder, &diag), TP_NOTFOUND);
	assert_int_equal(tp_player_waits(&player), TP_WAITS_MEASUREMENT);
	assert_int_equal(tp_player_measured(&player, MEASURE, run_directory, &diag), TP_OK);
	assert_int_equal(tp_player_waits(&player), TP_WAITS_NOTHING);
	assert_true(says(&player, "You can trust these numbers."));
	go_to(&player, GUESS);
	double truth = small_gbps(&player);
	assert_true(truth > 31);
	const struct tp_answer answer = tp_player_answer_of(&player, GUESS);
	assert_true(fabs(answer.factor - truth / 30) < 1e-9);
	assert_true(says(&player, "off by a factor of "));
	assert_int_equal(tp_player_answer(&player, "40", &diag), TP_USAGE);
	go_to(&player, SIDE);
	assert_true(says(&player, "You chose 1; here it is 2."));
	tp_player_close(&player);
}

static void checks_until_it_is_right(void **state)
{
	struct tp_player player;
	struct tp_diag diag = { 0 };
	char right[48];
	(void)state;
	open_lesson(&player, NULL);
	go_to(&player, EXPLAIN);
	assert_true(says(&player, "was not measured yet"));
	assert_int_equal(tp_player_measured(&player, MEASURE, run_directory, &diag), TP_OK);
	assert_true(says(&player, "fits none of the explanations"));
	go_to(&player, CHECK);
	assert_int_equal(tp_player_answer(&player, "999", &diag), TP_OK);
	assert_int_equal(tp_player_waits(&player), TP_WAITS_ANSWER);
	assert_true(says(&player, "That is too large. Try again."));
	assert_true(says(&player, "Divide "));
	const struct tp_answer wrong = tp_player_answer_of(&player, CHECK);
	snprintf(right, sizeof(right), "%.3g", wrong.truth);
	assert_true(isfinite(wrong.truth));
	assert_true(says(&player, "You said 999. That"));
	assert_int_equal(tp_player_answer(&player, right, &diag), TP_OK);
	assert_int_equal(tp_player_waits(&player), TP_WAITS_NOTHING);
	assert_true(says(&player, "Right. You said "));
	assert_int_equal(tp_player_answer_of(&player, CHECK).tries, 2);
	assert_int_equal(tp_player_answer(&player, "1", &diag), TP_USAGE);
	go_to(&player, NEXT);
	assert_true(says(&player, "the end of the course"));
	assert_false(tp_player_forward(&player));
	tp_player_close(&player);
}

static const double drawn[] = { 300, 200, 100, 5 };

/* What hangs: the guesses among the series. */
struct seen {
	size_t pictures, lines, places;
	bool log_y;
};

static void hang(void *context, struct tp_picture *picture)
{
	struct seen *seen = context;
	seen->pictures++;
	seen->log_y = picture->scene.y.kind == TP_SCALE_LOG10;
	for (size_t i = 0; i < picture->scene.n_series; i++) {
		const struct tp_series *s = &picture->scene.series[i];
		if (s->label && strcmp(s->label, "your guess: 30 GB/s") == 0) {
			assert_int_equal(s->n, 2);
			assert_true(s->y[0] == 30 && s->y[1] == 30 && s->x[0] < s->x[1]);
			assert_int_equal(s->style, TP_STYLE_DASHED);
			seen->lines++;
		}
		if (s->label && strcmp(s->label, "your guess") == 0) {
			assert_int_equal(s->n, 4);
			assert_true(s->x[0] == 8192 && fabs(s->x[3] - 1048576) < 1);
			assert_true(s->y[3] == drawn[3]);
			seen->places++;
		}
	}
}

static void draws_guesses(void **state)
{
	struct tp_player player;
	struct tp_diag diag = { 0 };
	struct seen seen = { 0 };
	const struct tp_gallery gallery = {
		.context = &seen, .hang = hang, .columns = 80, .rows = 24
	};
	(void)state;
	open_lesson(&player, NULL);
	go_to(&player, GUESS);
	assert_int_equal(tp_player_answer(&player, "30", &diag), TP_OK);
	go_to(&player, SHAPE);
	assert_int_equal(tp_player_answer(&player, "30", &diag), TP_USAGE);
	assert_int_equal(tp_player_draw(&player, drawn, 3, &diag), TP_USAGE);
	assert_int_equal(tp_player_draw(&player, (double[]){ 0, 1, 1, 1 }, 4, &diag), TP_USAGE);
	assert_int_equal(tp_player_draw(&player, drawn, 4, &diag), TP_OK);
	tp_lesson_pictures(&player, PLOT, &gallery);
	assert_int_equal(seen.pictures, 0);
	assert_int_equal(tp_player_measured(&player, MEASURE, run_directory, &diag), TP_OK);
	assert_true(says(&player, "Half of your curve is within a factor of "));
	tp_lesson_pictures(&player, PLOT, &gallery);
	assert_int_equal(seen.pictures, 1);
	assert_int_equal(seen.lines, 1);
	assert_int_equal(seen.places, 1);
	/* A guess of 5 beside hundreds needs a logarithmic axis. */
	assert_true(seen.log_y);
	tp_player_close(&player);
}

static void goes_on_the_next_time(void **state)
{
	struct tp_progress_file progress;
	struct tp_player player;
	struct tp_diag diag = { 0 };
	char copy[160], command[400];
	(void)state;
	snprintf(copy, sizeof(copy), "%s/copy", folder);
	snprintf(command, sizeof(command), "cp -r '%s' '%s'", run_directory, copy);
	assert_int_equal(system(command), 0);
	for (int time = 0; time < 3; time++) {
		assert_int_equal(tp_progress_open(&progress, &diag), TP_OK);
		open_lesson(&player, &progress);
		if (time == 0) {
			go_to(&player, GUESS);
			assert_int_equal(tp_player_answer(&player, "30", &diag), TP_OK);
			go_to(&player, SHAPE);
			assert_int_equal(tp_player_draw(&player, drawn, 4, &diag), TP_OK);
			go_to(&player, MEASURE);
			assert_int_equal(tp_player_measured(&player, MEASURE, copy, &diag), TP_OK);
			go_to(&player, PLOT);
		}
		assert_int_equal(player.step, PLOT);
		assert_true(tp_player_answer_of(&player, GUESS).given == 30);
		assert_true(tp_player_answer_of(&player, SHAPE).y[3] == drawn[3]);
		assert_false(tp_player_answer_of(&player, SIDE).there);
		/* A run that is gone is measured again; what is known of the answer stays. */
		assert_true((player.runs[MEASURE] != NULL) == (time < 2));
		assert_true(tp_player_answer_of(&player, GUESS).truth > 31);
		const struct tp_progress_lesson *kept = tp_progress_of(&progress, "small");
		assert_string_equal(kept->trust, "good");
		assert_int_equal(kept->steps, 9);
		assert_false(kept->finished);
		if (time == 1)
			assert_int_equal(remove_tree(copy), 0);
		if (time == 2) {
			go_to(&player, NEXT);
			assert_true(tp_progress_of(&progress, "small")->finished);
			tp_player_restart(&player);
			assert_int_equal(player.step, 0);
			assert_false(tp_player_answer_of(&player, GUESS).there);
			assert_int_equal(tp_progress_of(&progress, "small")->n_answers, 0);
		}
		tp_player_close(&player);
		tp_progress_release(&progress);
	}
}

static void plans_a_measurement(void **state)
{
	struct tp_player player;
	struct tp_session session;
	struct tp_diags diags = { 0 };
	struct tp_diag diag = { 0 };
	(void)state;
	open_lesson(&player, NULL);
	assert_int_equal(tp_player_session(&player, &session, &diags), TP_USAGE);
	tp_diags_release(&diags);
	go_to(&player, MEASURE);
	diags = (struct tp_diags){ 0 };
	assert_int_equal(tp_player_session(&player, &session, &diags), TP_OK);
	assert_int_equal(session.plan.n, simulated.run.n_points);
	assert_string_equal(session.machine.simulated, "quiet");
	assert_int_equal(tp_player_works(&player, &session.machine, &diag), TP_OK);
	session.machine.n_cores = 100000;
	assert_int_equal(tp_player_works(&player, &session.machine, &diag), TP_UNSUPPORTED);
	assert_string_equal(diag.what, "Too large.");
	/* The copy outlives the lesson. */
	tp_player_close(&player);
	assert_string_equal(tp_config_text(&session.preset.runs[0], TP_OPT_EXPERIMENT), "memcurve");
	tp_session_close(&session);
}

static void words_stand_out(void **state)
{
	const struct tp_look colour = { .colour = true, .columns = 80 }, plain = { .columns = 80 };
	struct tp_player player;
	struct tp_str out = { 0 };
	(void)state;
	open_lesson(&player, NULL);
	PRINTED(&colour, &out, tp_lesson_say(&player, TEXT, doc));
	assert_string_equal(out.s,
			    "First \033[1mwords\033[0m of 2 * 3 lines.\n\nA second paragraph.\n");
	tp_str_clear(&out);
	PRINTED(&plain, &out, tp_lesson_say(&player, TEXT, doc));
	assert_string_equal(out.s, "First *words* of 2 * 3 lines.\n\nA second paragraph.\n");
	tp_str_release(&out);
	tp_player_close(&player);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_and_answers),   cmocka_unit_test(checks_until_it_is_right),
		cmocka_unit_test(draws_guesses),       cmocka_unit_test(goes_on_the_next_time),
		cmocka_unit_test(plans_a_measurement), cmocka_unit_test(words_stand_out),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
