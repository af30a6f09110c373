/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the file of what earlier runs took: must not crash, estimates stay times, and what
 * is learned then is there the next time. "$0" to "$9" stand for the keys of the plan.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "experiments/experiment.h"
#include "session/learned.h"
#include "tests/fuzz/promise.h"

enum { KEYS = 10, KEY_BYTES = 16, FILE_BYTES = 1 << 20 };

static struct tp_session session;
static char folder[] = "/tmp/tprof-fuzz-learned-XXXXXX", file[sizeof(folder) + 32],
	    keys[KEYS][KEY_BYTES + 1];

static void clean_up(void)
{
	tp_session_close(&session);
	unlink(file);
	*strrchr(file, '/') = '\0';
	rmdir(file);
	rmdir(folder);
}

/* A run of the plan whose points took what the model says. */
static void learn(void)
{
	struct tp_run run = { .n_points = session.plan.n, .wall_seconds = 1 };
	TP_FREE struct tp_point *points = tp_alloc(run.n_points, sizeof(*points));
	run.points = points;
	for (size_t i = 0; i < run.n_points; i++) {
		points[i] = session.plan.items[i].point;
		points[i].state = TP_POINT_DONE;
		points[i].quality = TP_QUALITY_GOOD;
		points[i].seconds = session.plan.items[i].model_seconds;
		run.wall_seconds += points[i].seconds;
	}
	tp_learned_take(&session.plan, &session.machine, &run, NULL);
}

/* The file, which is as the header says. */
static char *read_learned(void)
{
	char *text = NULL;
	size_t len;
	must(tp_file_read(file, FILE_BYTES, &text, &len, NULL) == TP_OK, "it is written");
	must(strncmp(text, "tprof estimates 1\n", 18) == 0, "with its head");
	return text;
}

static void set_up(void)
{
	static const char *const sets[] = { "simulate=quiet",
					    "machine=zen4",
					    "topology=synthetic:pack:1 l3:1(size=33554432) "
					    "l2:2(size=1048576) l1:1(size=32768) core:1 pu:1",
					    "experiment=memcurve",
					    "isa=avx2",
					    "size_max=64KiB" };
	const struct tp_overrides overrides = { sets, TP_COUNT_OF(sets) };
	struct tp_diags diags = { 0 };
	tp_experiments_begin();
	must(mkdtemp(folder), "there is a folder");
	must(setenv("XDG_DATA_HOME", folder, 1) == 0, "which the user has");
	snprintf(file, sizeof(file), "%s/tprof/estimates", folder);
	must(tp_session_open(&session, &overrides, NULL, true, &diags) == TP_OK, "a plan");
	must(tp_session_estimate(&session, NULL, NULL), "with estimates");
	learn();
	TP_FREE char *text = read_learned();
	const char *line = strchr(text, '\n');
	for (size_t i = 0; i < KEYS && line && line[1]; i++, line = strchr(line + 1, '\n'))
		memcpy(keys[i], line + 1, KEY_BYTES);
	atexit(clean_up);
}

static void put(const char *data, size_t size)
{
	TP_STR text = { 0 };
	for (size_t i = 0; i < size; i++)
		if (data[i] == '$' && i + 1 < size && data[i + 1] >= '0' && data[i + 1] <= '9')
			tp_str_add(&text, keys[data[++i] - '0']);
		else
			tp_str_add_n(&text, data + i, 1);
	FILE *out = fopen(file, "w");
	must(out && fwrite(tp_str_text(&text), 1, text.len, out) == text.len && fclose(out) == 0,
	     "a file is written");
}

static void correct(void)
{
	for (size_t i = 0; i < session.plan.n; i++)
		session.plan.items[i].point.estimate_seconds = session.plan.items[i].model_seconds;
	tp_learned_correct(&session.plan, &session.machine);
	must(session.plan.n_learned <= session.plan.n, "points of the plan are known");
	for (size_t i = 0; i < session.plan.n; i++) {
		double seconds = session.plan.items[i].point.estimate_seconds;
		must(isfinite(seconds) && seconds >= 0, "an estimate is a time");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!session.plan.n)
		set_up();
	put((const char *)data, size);
	correct();
	learn();
	free(read_learned());
	correct();
	must(session.plan.n_learned == session.plan.n, "every point is known now");
	return 0;
}
