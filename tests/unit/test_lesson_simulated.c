/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shipped lessons on simulated machines that something disturbs: no text states what its own
 * numbers contradict, nor those of the same machine when nothing disturbs. The long form is
 * tests/bench/lessons.c.
 */
#include "experiments/experiment.h"
#include "files.h"

#include <glob.h>

#include "base/memory.h"
#include "seeds.h"
#include "simulated_lesson.h"

static const char *const regimes[] = { "zen4-vm", "noisy-memory", "smt-neighbour-half" };

struct sums {
	const char *model, *regime;
	unsigned texts, wrong;
};

static void count(void *context, const struct lesson_told *told)
{
	struct sums *s = context;
	s->texts++;
	if (!told->own && !told->quiet)
		return;
	s->wrong++;
	print_error("%s, text %zu, on %s with %s: %s: %s\n", told->step->where, told->variant,
		    s->model, s->regime,
		    told->own ? "its own numbers contradict" : "the quiet machine contradicts",
		    told->own ? told->own : told->quiet);
}

static void try_machine(const char *path, const struct simulated_machine *machine,
			struct sums *sums)
{
	static struct simulated_lesson s;
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	if (simulated_lesson_open(&s, path, machine, &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	sums->model = machine->model;
	for (size_t r = 0; r < TP_SEEDS(TP_COUNT_OF(regimes), 1) && s.n_simulated; r++) {
		const struct tp_regime *regime = tp_regime_find(regimes[r]);
		assert_non_null(regime);
		sums->regime = regime->name;
		assert_int_equal(simulated_lesson_try(&s, regime, 1, count, sums, &diag), TP_OK);
	}
	simulated_lesson_close(&s);
	tp_diags_release(&diags);
}

static void test_lessons(void **state)
{
	struct sums sums = { 0 };
	char pattern[TP_PATH_MAX];
	glob_t found;
	size_t machines = TP_SEEDS(2, 1);
	(void)state;
	snprintf(pattern, sizeof(pattern), "%s/presets/lessons/*.yaml", source_dir());
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		for (size_t m = 0; m < machines; m++)
			try_machine(found.gl_pathv[i], &simulated_machines[2 * m], &sums);
	globfree(&found);
	assert_int_equal(sums.wrong, 0);
	/* An architecture without back ends for these machines plans none of their kernels. */
	if (!sums.texts)
		print_message("# no lesson could be simulated here\n");
#ifdef TP_ARCH_X86_64
	assert_true(sums.texts > 10);
#endif
}

/* A text that its own measurement contradicts is found. */
static void test_planted(void **state)
{
	static const char text[] =
		"lesson: 1\ntitle: A\nsummary: B\nsteps:\n"
		"  - measure: m\n"
		"    preset: {experiment: memcurve, threads: 1, isa: widest, sizes: [16KiB, "
		"64MiB], "
		"stop: {max_time: 20ms}}\n"
		"    results: {a: {table: points}, b: {table: points, take: last}}\n"
		"  - explain:\n"
		"      - {text: '{a.median_gbps}', claims: [a.median_gbps < b.median_gbps]}\n";
	char folder[] = "/tmp/tprof-lesson-XXXXXX", path[64];
	struct sums sums = { 0 };
	(void)state;
	assert_non_null(mkdtemp(folder));
	put_file(folder, "a.yaml", text);
	snprintf(path, sizeof(path), "%s/a.yaml", folder);
	print_message("# expected to be told:\n");
	try_machine(path, &simulated_machines[0], &sums);
	assert_int_equal(sums.wrong, sums.texts);
#ifdef TP_ARCH_X86_64
	assert_int_equal(sums.texts, TP_SEEDS(TP_COUNT_OF(regimes), 1));
#endif
	assert_int_equal(remove_tree(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted),
		cmocka_unit_test(test_lessons),
	};
	/* The user's own configuration is not a part of the test. */
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
