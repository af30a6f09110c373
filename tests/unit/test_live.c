/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs as they come in. A live run executes its own program as an engine: here that is this test,
 * which then plays an engine that does what $TPROF_TEST_ENGINE says.
 */
#include "experiments/counters/readings.h"
#include "experiments/experiment.h"
#include "record/load.h"
#include "session/live.h"
#include "session/measure.h"
#include "base/now.h"
#include "tests/unit/files.h"
#include "record/point.h"
#include "experiments/counters/classes.h"

#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PLAN "{\"v\":1,\"ev\":\"plan\",\"t\":0.0,\"points\":3,\"estimate_seconds\":1.5}\n"
#define HELLO                                                                                      \
	"{\"v\":1,\"ev\":\"hello\",\"t\":0.01,\"pid\":1,\"version\":\"0\",\"counter_ghz\":2.5,"    \
	"\"invocation\":0}\n"
#define BEGIN(t, id)                                                                               \
	"{\"v\":1,\"ev\":\"point_begin\",\"t\":" t ",\"run\":0,\"point\":" id                      \
	",\"experiment\":\"memcurve\",\"kernel\":\"load\",\"isa\":\"scalar\",\"precision\":"       \
	"\"double\",\"threads\":1,\"cpus\":\"0\",\"level\":\"\",\"working_set_bytes\":4096,"       \
	"\"loads\":1,"                                                                             \
	"\"stores\":0}\n"
#define SAMPLE(t, id, rate)                                                                        \
	"{\"v\":1,\"ev\":\"sample\",\"t\":" t ",\"point\":" id ",\"seconds\":0.001,\"rate\":" rate \
	",\"flags\":\"\",\"invocation\":0}\n"
#define END(t, id, gbps)                                                                           \
	"{\"v\":1,\"ev\":\"point_end\",\"t\":" t ",\"run\":0,\"point\":" id                        \
	",\"experiment\":\"memcurve\",\"kernel\":\"load\",\"isa\":\"scalar\",\"precision\":"       \
	"\"double\",\"threads\":1,\"cpus\":\"0\",\"level\":\"\",\"working_set_bytes\":4096,"       \
	"\"loads\":1,"                                                                             \
	"\"stores\":0,\"state\":\"done\",\"median_gbps\":" gbps ",\"samples\":1}\n"
#define PROGRESS                                                                                   \
	"{\"v\":1,\"ev\":\"progress\",\"t\":0.5,\"points\":3,\"n_done\":1,"                        \
	"\"elapsed_seconds\":0.5,\"remaining_seconds\":1.25}\n"
#define DONE "{\"v\":1,\"ev\":\"done\",\"t\":3.0,\"state\":\"complete\"}\n"

static const char first_point[] =
	BEGIN("0.1", "0") SAMPLE("0.2", "0", "10.5") END("0.3", "0", "10.5");
#define POINTS                                                                                     \
	BEGIN("0.1", "0")                                                                          \
	SAMPLE("0.2", "0", "10.5")                                                                 \
	END("1.0", "0", "10.5")                                                                    \
	BEGIN("1.1", "1")                                                                          \
	SAMPLE("1.2", "1", "20.5")                                                                 \
	END("2.0", "1", "20.5")                                                                    \
	BEGIN("2.1", "2") SAMPLE("2.2", "2", "30.5") END("3.0", "2", "30.5") DONE
static const char all_points[] = POINTS, whole_journal[] = PLAN HELLO POINTS;

/* --- the engine that is none --- */

static void say(const char *text)
{
	size_t len = strlen(text);
	ssize_t n = write(TP_ENGINE_FD, text, len);
	if (n < 0 || (size_t)n != len)
		_exit(99);
}

/* Waits for a word; ends where nobody speaks any more. */
static void hear(const char *word)
{
	char text[64];
	size_t at = 0;
	for (;;) {
		if (read(TP_ENGINE_FD, text + at, 1) != 1)
			_exit(130);
		if (text[at] == '\n' || at + 2 == sizeof(text)) {
			text[at] = '\0';
			if (strcmp(text, word) == 0)
				return;
			at = 0;
		} else {
			at++;
		}
	}
}

static int play(const char *what)
{
	hear("end-of-job");
	say(HELLO);
	if (strcmp(what, "killed") == 0) {
		say(first_point);
		say(BEGIN("0.4", "1"));
		raise(SIGKILL);
	} else if (strcmp(what, "garbage") == 0) {
		say("no json\n{\"v\":1,\"ev\":\"sample\"\n\n{}\n[1,2\n{\"v\":9,\"ev\":\"plan\"}\n");
		say("{\"v\":1,\"ev\":\"sample\",\"t\":0.2,\"point\":4000000000,\"rate\":1}\n");
		say(all_points);
	} else if (strcmp(what, "touching") == 0) {
		say(BEGIN("0.1", "0"));
		say("{\"v\":1,\"ev\":\"progress\",\"t\":0.5,\"points\":3,\"n_done\":1,"
		    "\"elapsed_seconds\":0.5,\"remaining_seconds\":1.25,\"touch_bytes\":4096,"
		    "\"touched_bytes\":1024}\n");
		hear("cancel");
	} else if (strcmp(what, "control") == 0) {
		say(first_point);
		hear("pause");
		say(BEGIN("0.4", "1") SAMPLE("0.5", "1", "1.5"));
		hear("go");
		say(PROGRESS);
		hear("painted");
		say(END("0.7", "1", "1.5"));
		hear("skip");
		say(BEGIN("0.8", "2"));
		hear("cancel");
	} else {
		say(all_points);
	}
	return 0;
}

/* --- helpers --- */

struct fixture {
	char directory[64], path[128];
	struct tp_live live;
	void (*look)(struct fixture *f); /* between the news of the engine */
	unsigned stage;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	strcpy(f->directory, "/tmp/test-live-XXXXXX");
	tp_live_init(&f->live);
	*state = f;
	setenv("TPROF_DATADIR", source_dir(), 1);
	if (!mkdtemp(f->directory))
		return -1;
	return setenv("XDG_DATA_HOME", f->directory, 1) ||
	       setenv("XDG_CONFIG_HOME", f->directory, 1);
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	tp_live_release(&f->live);
	int rc = remove_tree(f->directory);
	free(f);
	return rc;
}

static void make_run(struct fixture *f, const char *name)
{
	snprintf(f->path, sizeof(f->path), "%s/%s", f->directory, name);
	assert_int_equal(mkdir(f->path, 0700), 0);
}

static void write_file(struct fixture *f, const char *name, const char *text, size_t len)
{
	char path[256];
	struct tp_diag diag;
	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, text, len, &diag), TP_OK);
}

/* Three points of a machine that is none. */
static void start(struct fixture *f, const char *engine, struct tp_session *planned)
{
	static const char *const sets[] = {
		"experiment=memcurve", "machine=zen4", "simulate=quiet",       "isa=scalar",
		"threads=1",	       "ratio=1:0",    "sizes=4KiB,8KiB,16KiB"
	};
	const struct tp_overrides overrides = { sets, sizeof(sets) / sizeof(*sets) };
	struct tp_session session;
	struct tp_diags diags = { 0 };
	struct tp_keep keep;
	struct tp_diag diag;
	setenv("TPROF_TEST_ENGINE", engine, 1);
	snprintf(f->path, sizeof(f->path), "%s/%s", f->directory, engine);
	if (tp_session_open(&session, &overrides, NULL, true, &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	assert_int_equal(session.plan.n, 3);
	session.plan.estimate_seconds = 7;
	if (planned)
		assert_int_equal(tp_session_copy(planned, &session, &diags), TP_OK);
	assert_int_equal(tp_keep_create(&keep, f->path, engine, &session.preset, &diag), TP_OK);
	tp_live_start(&f->live, &session, &keep, NULL);
	assert_int_equal(session.plan.n, 0);
	assert_int_equal(f->live.state, TP_LIVE_RUNNING);
	assert_true(f->live.waits);
	tp_diags_release(&diags);
}

/* Goes on with the run that has ended. */
static void go_on(struct fixture *f, const char *engine)
{
	struct tp_session session = { 0 };
	struct tp_keep keep = { .journal = -1 };
	struct tp_run earlier = { 0 };
	struct tp_diags diags = { 0 };
	setenv("TPROF_TEST_ENGINE", engine, 1);
	if (tp_session_continue(&session, &keep, &earlier, f->path, &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	tp_live_start(&f->live, &session, &keep, &earlier);
	tp_diags_release(&diags);
}

static void wait_for(void *context, int fd, int ms)
{
	struct fixture *f = context;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	tp_live_take(&f->live, tp_now_seconds());
	if (f->look)
		f->look(f);
	poll(&p, 1, ms);
}

static void measure(struct fixture *f)
{
	tp_live_measure(&f->live, wait_for, f);
	assert_int_equal(f->live.state, TP_LIVE_DONE);
	assert_int_equal(f->live.current, -1);
	assert_false(f->live.waits);
}

static void to_end(struct tp_live *live)
{
	while (live->state != TP_LIVE_DONE)
		tp_live_take(live, tp_now_seconds());
	assert_int_equal(live->current, -1);
}

static void expect_first_point(const struct tp_live *live)
{
	assert_true(live->run.n_points >= 1);
	assert_int_equal(live->run.points[0].state, TP_POINT_DONE);
	assert_true(tp_kernel_row(&live->run.points[0])->median_gbps == 10.5);
	assert_int_equal(live->run.points[0].n_samples, 1);
}

/* --- measuring --- */

static void test_events(void **state)
{
	struct fixture *f = *state;
	start(f, "plain", NULL);
	measure(f);
	assert_int_equal(f->live.exit_code, 0);
	assert_int_equal(f->live.n_points, 3);
	assert_int_equal(f->live.n_done, 3);
	assert_true(f->live.estimate_seconds == 7);
	assert_string_equal(f->live.run.state, "complete");
	assert_string_equal(f->live.directory, f->path);
	expect_first_point(&f->live);
	/* The run directory has the same. */
	struct tp_run stored;
	assert_int_equal(tp_run_load(&stored, f->path, NULL), TP_OK);
	assert_string_equal(stored.state, "complete");
	assert_int_equal(tp_run_n_done(&stored), 3);
	tp_run_release(&stored);
}

/* The engine dies at the second point, and again before the third one. */
static void test_killed(void **state)
{
	struct fixture *f = *state;
	start(f, "killed", NULL);
	measure(f);
	assert_int_equal(f->live.exit_code, TP_EXIT_SKIPPED);
	assert_string_equal(f->live.remark.what, "the engine measured nothing");
	expect_first_point(&f->live);
	assert_int_equal(f->live.run.points[1].state, TP_POINT_FAILED);
	assert_int_equal(f->live.run.points[2].state, TP_POINT_SKIPPED);
	/* and the same run goes on */
	go_on(f, "plain");
	measure(f);
	assert_string_equal(f->live.directory, f->path);
	assert_int_equal(f->live.exit_code, 0);
	expect_first_point(&f->live);
	assert_true(tp_kernel_row(&f->live.run.points[2])->median_gbps == 30.5);
}

static void test_garbage(void **state)
{
	struct fixture *f = *state;
	start(f, "garbage", NULL);
	measure(f);
	assert_int_equal(f->live.run.n_points, 3);
	assert_int_equal(f->live.exit_code, 0);
	expect_first_point(&f->live);
}

static void wish(struct fixture *f)
{
	struct tp_live *live = &f->live;
	switch (f->stage) {
	case 0:
		if (live->n_done < 1)
			return;
		expect_first_point(live);
		tp_live_pause(live, false); /* is not paused */
		assert_int_equal(live->state, TP_LIVE_RUNNING);
		tp_live_pause(live, true);
		assert_int_equal(live->state, TP_LIVE_PAUSED);
		break;
	case 1:
		if (live->current != 1 || live->run.points[1].n_samples < 1)
			return;
		tp_live_pause(live, false);
		assert_int_equal(live->state, TP_LIVE_RUNNING);
		break;
	case 2:
		if (!live->moment)
			return;
		assert_true(live->remaining_seconds <= 1.25 && live->remaining_seconds > 0);
		tp_live_painted(live);
		assert_false(live->moment);
		break;
	case 3:
		if (live->n_done < 2)
			return;
		tp_live_skip(live);
		break;
	case 4:
		if (live->current != 2)
			return;
		tp_live_stop(live);
		assert_int_equal(live->state, TP_LIVE_STOPPING);
		break;
	default:
		return;
	}
	f->stage++;
}

static void test_wishes(void **state)
{
	struct fixture *f = *state;
	struct tp_live *live = &f->live;
	start(f, "control", NULL);
	f->look = wish;
	measure(f);
	assert_int_equal(f->stage, 5);
	assert_int_equal(live->exit_code, TP_EXIT_INTERRUPTED);
	assert_string_equal(live->run.state, "interrupted");
	assert_int_equal(live->run.points[2].state, TP_POINT_SKIPPED);
	/* A finished run has no wishes. */
	tp_live_stop(live);
	tp_live_pause(live, true);
	tp_live_skip(live);
	tp_live_painted(live);
	assert_int_equal(live->state, TP_LIVE_DONE);
}

static void allow_late(struct fixture *f)
{
	struct tp_live *live = &f->live;
	wish(f);
	if (f->stage < 3 && live->n_done)
		assert_true(live->unreduced && isinf(live->reduces_at));
	if (f->stage == 3 && isinf(live->reduces_at))
		live->reduces_at = 0;
	if (f->stage >= 4)
		assert_true(live->reduces_at > 0 && isfinite(live->reduces_at));
}

/* Results so far that were put off come with the next event that may bring them. */
static void test_put_off(void **state)
{
	struct fixture *f = *state;
	start(f, "control", NULL);
	f->live.reduces_at = INFINITY;
	f->look = allow_late;
	measure(f);
	assert_int_equal(f->stage, 5);
}

/* What is planned is known before it is measured; a copy of the plan is the same. */
static void test_plan(void **state)
{
	struct fixture *f = *state;
	struct tp_session copy;
	start(f, "plain", &copy);
	assert_int_equal(f->live.n_points, 3);
	assert_int_equal(f->live.n_done, 0);
	assert_int_equal(f->live.run.n_points, 3);
	assert_true(f->live.remaining_seconds == 7);
	assert_true(copy.plan.estimate_seconds == 7);
	for (unsigned i = 0; i < 3; i++) {
		const struct tp_point *p = &f->live.run.points[i];
		assert_int_equal(p->state, TP_POINT_PLANNED);
		assert_int_equal(tp_kernel_row(p)->working_set_bytes, 4096u << i);
		assert_int_equal(tp_kernel_row(&copy.plan.items[i].point)->working_set_bytes,
				 4096u << i);
	}
	tp_session_close(&copy);
}

static void touch(struct fixture *f)
{
	if (!f->live.touch_bytes)
		return;
	assert_int_equal(f->live.touch_bytes, 4096);
	assert_int_equal(f->live.touched_bytes, 1024);
	tp_live_stop(&f->live);
}

static void test_touching(void **state)
{
	struct fixture *f = *state;
	start(f, "touching", NULL);
	f->look = touch;
	measure(f);
	assert_int_equal(f->live.touch_bytes, 4096);
}

/* The clocks need nothing from the engine. */
static void test_clocks(void **state)
{
	struct fixture *f = *state;
	struct tp_live *live = &f->live;
	start(f, "plain", NULL);
	double begun = live->started, told = live->told_at - begun;
	assert_true(tp_live_due(live, begun + 0.25) > 0.74 && tp_live_due(live, begun) <= 1);
	assert_false(tp_live_tick(live, begun + 0.75));
	assert_true(tp_live_tick(live, begun + 2.5));
	assert_true(fabs(live->elapsed_seconds - 2.5) < 1e-6);
	assert_true(fabs(live->remaining_seconds - (4.5 + told)) < 1e-6);
	assert_false(tp_live_tick(live, begun + 2.75));
	assert_true(tp_live_due(live, begun + 2.75) > 0.24 &&
		    tp_live_due(live, begun + 2.75) < 0.26);
	assert_true(tp_live_tick(live, begun + 60));
	assert_true(live->remaining_seconds == 0);
	measure(f);
	assert_false(tp_live_tick(live, begun + 70));
	assert_true(tp_live_due(live, begun + 70) < 0);
}

/* --- replay --- */

static void open_replay(struct fixture *f, const char *journal, size_t len, double speed)
{
	struct tp_diag diag = { 0 };
	make_run(f, "replay");
	write_file(f, "journal.ndjson", journal, len);
	if (tp_live_replay(&f->live, f->path, speed, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	assert_int_equal(f->live.n_done, 0);
}

/* Plays what is due. One call takes no longer than a screen may stand still, which may be too short
 * for all of it. */
static void play_to(struct tp_live *live, double now)
{
	while (tp_live_due(live, now) <= 0 && live->state == TP_LIVE_RUNNING)
		tp_live_take(live, now);
	tp_live_take(live, now);
}

static void test_replay_at_once(void **state)
{
	struct fixture *f = *state;
	open_replay(f, whole_journal, strlen(whole_journal), 0);
	to_end(&f->live);
	assert_int_equal(f->live.n_done, 3);
	expect_first_point(&f->live);
	assert_true(tp_kernel_row(&f->live.run.points[2])->median_gbps == 30.5);
	assert_int_equal(f->live.exit_code, -1);
}

/* The clock is the test's: a replay knows the time only from what it is told. */
static void test_replay_in_steps(void **state)
{
	struct fixture *f = *state;
	struct tp_live *live = &f->live;
	open_replay(f, whole_journal, strlen(whole_journal), 10);
	double start = live->base;
	assert_true(live->total_seconds == 3.0);
	play_to(live, start + 0.015);
	assert_int_equal(live->current, 0);
	assert_int_equal(live->n_done, 0);
	assert_true(tp_live_due(live, start + 0.015) > 0.0049);
	assert_true(tp_live_due(live, start + 0.015) < 0.0051);
	play_to(live, start + 0.105);
	assert_int_equal(live->n_done, 1);
	assert_int_equal(live->current, -1);
	assert_true(live->remaining_seconds == 2.0);
	play_to(live, start + 0.115);
	assert_int_equal(live->current, 1);
	assert_int_equal(live->run.points[2].state, TP_POINT_PLANNED);
	assert_int_equal(tp_kernel_row(&live->run.points[2])->working_set_bytes,
			 4096); /* known from the start */
	play_to(live, start + 1);
	assert_int_equal(live->state, TP_LIVE_DONE);
}

/*
 * Counts are told as they come; what the events count is known as soon as the last kernel of the
 * family is over.
 */
static void test_replay_counts(void **state)
{
	static const double conditional[] = { 2, 2, 2, 2, 2.5, 2.5, 2, 2.5, 2.5, 2, 1 };
	enum { KERNELS = sizeof(conditional) / sizeof(conditional[0]) };
	struct fixture *f = *state;
	struct tp_live *live = &f->live;
	struct tp_str text = { 0 };
	setenv("TPROF_DATADIR", source_dir(), 1);
	tp_str_printf(&text, "{\"v\":1,\"ev\":\"plan\",\"t\":0,\"points\":%d}\n", KERNELS);
	for (int k = 0; k < KERNELS; k++) {
		char point[256];
		snprintf(point, sizeof(point),
			 "\"run\":0,\"point\":%d,\"experiment\":\"counters\",\"kernel\":"
			 "\"branch/kernel %d\",\"threads\":1",
			 k, k);
		tp_str_printf(&text, "{\"v\":1,\"ev\":\"point_begin\",\"t\":%d.1,%s}\n", k + 1,
			      point);
		tp_str_printf(&text,
			      "{\"v\":1,\"ev\":\"counts\",\"t\":%d.2,\"point\":%d,\"family\":"
			      "\"branch\",\"event\":\"COND\",\"row\":%d,\"iterations\":1000,"
			      "\"first\":0,\"counts\":[%.0f,%.0f]}\n",
			      k + 1, k, k, 1000 * conditional[k], 1000 * conditional[k]);
		tp_str_printf(&text,
			      "{\"v\":1,\"ev\":\"point_end\",\"t\":%d.3,%s,\"state\":\"done\","
			      "\"variant\":\"emulated\"}\n",
			      k + 1, point);
	}
	tp_str_add(&text, "{\"v\":1,\"ev\":\"done\",\"t\":99,\"state\":\"complete\"}\n");
	open_replay(f, text.s, text.len, 1);
	tp_str_release(&text);
	double start = live->base;
	play_to(live, start + 5.25);
	assert_int_equal(live->current, 4);
	assert_int_equal(live->n_values, 2);
	assert_int_equal(tp_run_n_classes(&live->run), 0);
	play_to(live, start + KERNELS + 0.5);
	assert_int_equal(live->n_done, KERNELS);
	assert_int_equal(tp_run_n_classes(&live->run), 1);
	const struct tp_class *class = &tp_run_classes(&live->run)[0];
	assert_string_equal(class->family, "branch");
	assert_string_equal(class->source, "emulated");
	assert_int_equal(class->n_chosen, 1);
	assert_int_equal(class->n_used, KERNELS);
}

static void test_replay_pause(void **state)
{
	struct fixture *f = *state;
	struct tp_live *live = &f->live;
	open_replay(f, whole_journal, strlen(whole_journal), 1);
	double base = live->base;
	tp_live_pause(live, true);
	assert_true(tp_live_take(live, base + 1000)); /* it is paused now, and nothing else */
	assert_false(tp_live_take(live, base + 1000));
	assert_int_equal(live->current, -1);
	assert_true(tp_live_due(live, base + 1000) < 0);
	poll(NULL, 0, 2);
	tp_live_pause(live, false);
	assert_true(live->base > base);
	/* faster, and so fast that it is at once; slower again */
	for (int i = 0; i < 7; i++)
		tp_live_pace(live, true);
	assert_true(live->speed == 128);
	tp_live_pace(live, true);
	assert_true(live->speed == 0);
	tp_live_pace(live, false);
	assert_true(live->speed == 128);
	for (int i = 0; i < 20; i++)
		tp_live_pace(live, false);
	assert_true(live->speed == 0.125);
	tp_live_pause(live, true);
	tp_live_stop(live); /* to the end, paused or not */
	to_end(live);
	assert_int_equal(live->n_done, 3);
}

static void test_replay_torn(void **state)
{
	struct fixture *f = *state;
	const char *cut = strstr(whole_journal, "\"median_gbps\":20.5");
	open_replay(f, whole_journal, (size_t)(cut - whole_journal) + 8, 0);
	to_end(&f->live);
	assert_int_equal(f->live.n_points, 3);
	assert_int_equal(f->live.n_done, 1);
	assert_string_equal(f->live.run.state, "interrupted");
}

static void test_replay_garbage(void **state)
{
	struct fixture *f = *state;
	struct tp_str text = { 0 };
	tp_str_add(&text, "\n{}\nnoise \"t\":1e300\n\"t\":nan\n" PLAN);
	tp_str_add(&text, strchr(whole_journal, '\n') + 1);
	tp_str_pad(&text, 'x', 3 << 20);
	open_replay(f, text.s, text.len, 1000);
	assert_true(f->live.total_seconds == 3.0);
	to_end(&f->live);
	assert_int_equal(f->live.n_done, 3);
	tp_str_release(&text);
}

/* Of a run that goes on, the second process' clock begins again. */
static void test_replay_two_processes(void **state)
{
	struct fixture *f = *state;
	static const char text[] = PLAN HELLO BEGIN("0.1", "0") SAMPLE("0.2", "0", "10.5")
		END("2.0", "0", "10.5") PLAN HELLO BEGIN("0.1", "2") SAMPLE("0.2", "2", "30.5")
			END("1.0", "2", "30.5") DONE;
	open_replay(f, text, strlen(text), 1);
	assert_true(f->live.total_seconds == 5.0);
	play_to(&f->live, f->live.base + 2.005);
	assert_int_equal(f->live.n_done, 1);
	play_to(&f->live, f->live.base + 2.5);
	assert_int_equal(f->live.current, 2);
	tp_live_stop(&f->live);
	to_end(&f->live);
	assert_int_equal(f->live.n_done, 2);
}

static void test_replay_without_journal(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = { 0 };
	struct tp_str json = { 0 };
	struct tp_diag diag;
	struct tp_point points[2] = { 0 };
	for (unsigned i = 0; i < 2; i++) {
		struct tp_point *p = &points[i];
		*p = (struct tp_point){ .point = i, .threads = 1, .state = TP_POINT_DONE };
		tp_point_begin(p, "memcurve", &run.arena);
		strcpy(p->kernel, "load");
		strcpy(tp_kernel_row_of(p)->isa, "scalar");
		strcpy(tp_kernel_row_of(p)->precision, "double");
		tp_kernel_row_of(p)->loads = 1;
		tp_kernel_row_of(p)->working_set_bytes = 4096;
		tp_kernel_row_of(p)->median_gbps = 10.5;
		tp_kernel_headline(p);
		p->seconds = 2;
		p->kept = 1;
		p->invocations = 1;
		tp_point_add_sample(p, &(struct tp_sample){ .seconds = 0.001, .rate = 10.5 });
	}
	run.points = points;
	run.n_points = 2;
	strcpy(run.state, "complete");
	tp_run_json(&run, &json);
	make_run(f, "old");
	write_file(f, "run.json", json.s, json.len);
	assert_int_equal(tp_live_replay(&f->live, f->path, 1, &diag), TP_OK);
	assert_true(f->live.total_seconds > 3.99 && f->live.total_seconds < 4.01);
	play_to(&f->live, f->live.base + 2.5);
	assert_int_equal(f->live.n_done, 1);
	assert_int_equal(f->live.current, 1);
	expect_first_point(&f->live);
	tp_live_stop(&f->live);
	to_end(&f->live);
	assert_int_equal(f->live.n_done, 2);
	tp_str_release(&json);
	for (int i = 0; i < 2; i++)
		tp_point_release(&points[i]);
	tp_arena_release(&run.arena);
}

static void test_replay_of_nothing(void **state)
{
	struct fixture *f = *state;
	struct tp_diag diag = { 0 };
	make_run(f, "empty");
	assert_int_not_equal(tp_live_replay(&f->live, f->path, 1, &diag), TP_OK);
	assert_true(diag.what[0]);
	assert_int_equal(f->live.state, TP_LIVE_NONE);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--engine") == 0)
		return play(getenv("TPROF_TEST_ENGINE"));
	signal(SIGPIPE, SIG_IGN);
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_events),
		TEST(test_killed),
		TEST(test_garbage),
		TEST(test_wishes),
		TEST(test_put_off),
		TEST(test_plan),
		TEST(test_clocks),
		TEST(test_touching),
		TEST(test_replay_at_once),
		TEST(test_replay_in_steps),
		TEST(test_replay_counts),
		TEST(test_replay_pause),
		TEST(test_replay_torn),
		TEST(test_replay_garbage),
		TEST(test_replay_two_processes),
		TEST(test_replay_without_journal),
		TEST(test_replay_of_nothing),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
