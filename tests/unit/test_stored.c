/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored runs: listed in two steps, read without points, removed and never anything else. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "record/load.h"
#include "record/point.h"
#include "record/rundir.h"
#include "record/roof.h"
#include "tests/unit/files.h"

struct place {
	char folder[64];
};

static const char *in(const struct place *place, const char *name)
{
	static char path[2][512];
	static int turn;
	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", place->folder, name);
	return path[turn];
}

static void put(const struct place *place, const char *name, const char *text)
{
	FILE *f = fopen(in(place, name), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static bool there(const struct place *place, const char *name)
{
	struct stat st;
	return lstat(in(place, name), &st) == 0;
}

/* A run with one point and one roof. */
static void make_run(const struct place *place, const char *directory)
{
	struct tp_run run = { 0 };
	struct tp_kernel_row row = { .isa = "avx2" };
	struct tp_point point = { .experiment = "roofline", .state = TP_POINT_DONE, .row = &row };
	struct tp_roof *roof = tp_run_add_row(&run, &tp_roof_part);
	*roof = (struct tp_roof){ .isa = "avx2", .level = "L1", .threads = 1, .median = 123 };
	struct tp_diag diag;
	tp_copy(run.state, sizeof(run.state), "complete");
	tp_run_fact_text(&run, "name", "%s", "nice name");
	tp_run_fact_text(&run, "machine.cpu", "%s", "a CPU");
	run.points = &point;
	run.n_points = 1;
	assert_int_equal(mkdir(in(place, directory), 0777), 0);
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, in(place, directory), &run, &diag),
			 TP_OK);
	run.points = NULL;
	run.n_points = 0;
	tp_run_release(&run);
}

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));
	snprintf(place->folder, sizeof(place->folder), "/tmp/tprof-stored-XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	assert_int_equal(remove_tree(place->folder), 0);
	free(place);
	return 0;
}

static void names_then_content(void **state)
{
	struct place *place = *state;
	char **names;
	size_t n;
	struct tp_diag diag;
	struct tp_run_entry *entry = calloc(1, sizeof(*entry));
	make_run(place, "2026-11-21-120000-b");
	make_run(place, "2026-11-20-120000-a");
	mkdir(in(place, "no-run"), 0777);
	put(place, "file", "x");
	assert_int_equal(tp_run_names(place->folder, &names, &n, &diag), TP_OK);
	assert_int_equal(n, 3);
	assert_string_equal(names[0], "2026-11-20-120000-a");
	assert_string_equal(names[1], "2026-11-21-120000-b");
	tp_run_names_free(names, n);
	assert_true(tp_run_entry_read(place->folder, "2026-11-21-120000-b", entry));
	assert_string_equal(entry->date, "2026-11-21 12:00");
	assert_string_equal(entry->name, "nice name");
	assert_string_equal(entry->cpu, "a CPU");
	assert_int_equal(entry->n_done, 1);
	assert_true(tp_run_entry_ended(place->folder, "2026-11-21-120000-b", entry));
	assert_string_equal(entry->cpu, "a CPU");
	assert_false(tp_run_entry_ended(place->folder, "no-run", entry));
	assert_false(tp_run_entry_ended(place->folder, "gone", entry));
	assert_true(tp_run_entry_read(place->folder, "no-run", entry));
	assert_string_equal(entry->state, "unreadable");
	assert_false(tp_run_entry_read(place->folder, "gone", entry));
	assert_false(tp_run_entry_read(place->folder, "file", entry));
	free(entry);
}

static void results_without_points(void **state)
{
	struct place *place = *state;
	struct tp_run run;
	struct tp_diag diag;
	make_run(place, "r");
	assert_int_equal(tp_run_load_results(&run, in(place, "r"), &diag), TP_OK);
	assert_int_equal(run.n_points, 0);
	assert_int_equal(tp_run_n_roofs(&run), 1);
	assert_true(tp_run_roofs(&run)[0].median == 123);
	assert_string_equal(tp_run_fact(&run, "machine.cpu")->text, "a CPU");
	assert_string_equal(run.state, "complete");
	tp_run_release(&run);
	assert_int_not_equal(tp_run_load_results(&run, in(place, "gone"), &diag), TP_OK);
}

static void a_run_is_removed(void **state)
{
	struct place *place = *state;
	struct tp_diag diag;
	make_run(place, "r");
	put(place, "r/journal.ndjson", "");
	put(place, "r/output.txt", "words of a program");
	put(place, "r/run.json.tmpAbc", "");
	assert_int_equal(tp_run_remove(place->folder, "r", &diag), TP_OK);
	assert_false(there(place, "r"));
	assert_int_equal(tp_run_remove(place->folder, "r", &diag), TP_NOTFOUND);
}

static void only_runs_are_removed(void **state)
{
	struct place *place = *state;
	struct tp_diag diag;
	static const char *const no_names[] = { "", ".", "..", "../x", "r/", "/tmp", "a/b" };
	make_run(place, "r");
	for (size_t i = 0; i < sizeof(no_names) / sizeof(*no_names); i++)
		assert_int_equal(tp_run_remove(place->folder, no_names[i], &diag), TP_USAGE);
	mkdir(in(place, "empty"), 0777);
	assert_int_equal(tp_run_remove(place->folder, "empty", &diag), TP_USAGE);
	assert_true(there(place, "empty"));
	put(place, "r/thesis.tex", "years of work");
	assert_int_equal(tp_run_remove(place->folder, "r", &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "thesis.tex"));
	assert_true(there(place, "r/thesis.tex"));
	assert_true(there(place, "r/run.json"));
	unlink(in(place, "r/thesis.tex"));
	mkdir(in(place, "r/plots.svg"), 0777); /* a directory of that name is none of ours */
	assert_int_equal(tp_run_remove(place->folder, "r", &diag), TP_USAGE);
	assert_true(there(place, "r/run.json"));
}

static void links_are_not_followed(void **state)
{
	struct place *place = *state;
	struct tp_diag diag;
	make_run(place, "r");
	make_run(place, "victim");
	assert_int_equal(symlink(in(place, "victim"), in(place, "link")), 0);
	assert_int_equal(tp_run_remove(place->folder, "link", &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "symbolic link"));
	assert_true(there(place, "victim/run.json"));
	assert_int_equal(symlink(in(place, "victim/run.json"), in(place, "r/plots.svg")), 0);
	assert_int_equal(tp_run_remove(place->folder, "r", &diag), TP_USAGE);
	assert_true(there(place, "victim/run.json"));
	assert_true(there(place, "r/run.json"));
}

static void a_run_under_way_stays(void **state)
{
	struct place *place = *state;
	struct tp_diag diag;
	make_run(place, "r");
	put(place, "r/journal.ndjson", "");
	int fd = open(in(place, "r/journal.ndjson"), O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(tp_run_remove(place->folder, "r", &diag), TP_RESOURCE);
	assert_true(there(place, "r/run.json"));
	close(fd);
	assert_int_equal(tp_run_remove(place->folder, "r", &diag), TP_OK);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_then_content, setup, teardown),
		cmocka_unit_test_setup_teardown(results_without_points, setup, teardown),
		cmocka_unit_test_setup_teardown(a_run_is_removed, setup, teardown),
		cmocka_unit_test_setup_teardown(only_runs_are_removed, setup, teardown),
		cmocka_unit_test_setup_teardown(links_are_not_followed, setup, teardown),
		cmocka_unit_test_setup_teardown(a_run_under_way_stays, setup, teardown),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
