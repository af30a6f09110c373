/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every lesson on simulated machines, quiet and under every regime of disturbance: which of its
 * texts are shown, and whether what they claim holds on their own numbers and on those of the same
 * machine when nothing disturbs. Ends with 1 if a text contradicts its own numbers.
 *
 *     lessons [-s SEEDS] [-r REGIME] [-m MODEL] [-v] [LESSON.yaml...]	-v lists every text
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/experiment.h"
#include "tests/unit/simulated_lesson.h"

static bool verbose;

struct sums {
	const char *lesson, *model, *regime;
	unsigned seed;
	unsigned texts, own, quiet; /* shown, and contradicted by which numbers */
};

static void count(void *context, const struct lesson_told *told)
{
	struct sums *s = context;
	s->texts++;
	s->own += told->own != NULL;
	s->quiet += told->quiet != NULL;
	if (!verbose && !told->own && !told->quiet)
		return;
	printf("  %-28s %-15s %-20s %2u  %-4s text %zu%s%s%s%s\n", s->lesson, s->model, s->regime,
	       s->seed, strrchr(told->step->where, '/') ? strchr(told->step->where, ':') + 1 : "",
	       told->variant, told->own ? "  own numbers contradict: " : "",
	       told->own ? told->own : "", told->quiet ? "  quiet machine contradicts: " : "",
	       told->quiet ? told->quiet : "");
}

static void add(struct sums *to, const struct sums *from)
{
	to->texts += from->texts;
	to->own += from->own;
	to->quiet += from->quiet;
}

static bool bench(const char *path, const char *only_model, const char *only_regime, unsigned seeds,
		  struct sums *all)
{
	static struct simulated_lesson s;
	for (size_t m = 0; m < SIMULATED_MACHINES; m++) {
		struct tp_diags diags = { 0 };
		struct tp_diag diag;
		if (only_model && strcmp(only_model, simulated_machines[m].model) != 0)
			continue;
		bool good =
			simulated_lesson_open(&s, path, &simulated_machines[m], &diags) == TP_OK;
		struct sums sums = { s.lesson.name, simulated_machines[m].model, "", 0, 0, 0, 0 };
		for (size_t i = 0; i < diags.n; i++)
			fprintf(stderr, "%s: %s\n", diags.items[i].where, diags.items[i].what);
		for (size_t r = 0; r < tp_regime_count && good && s.n_simulated; r++)
			for (unsigned seed = 1; seed <= seeds; seed++) {
				sums.regime = tp_regime_table[r].name;
				sums.seed = seed;
				if ((!only_regime || strcmp(only_regime, sums.regime) == 0) &&
				    simulated_lesson_try(&s, &tp_regime_table[r], seed, count,
							 &sums, &diag) != TP_OK)
					fprintf(stderr, "%s: %s\n", diag.where, diag.what);
			}
		printf("%-30s %-15s %4zu of %zu %8u %14u %16u\n",
		       *s.lesson.name ? s.lesson.name : path, sums.model, s.n_simulated,
		       s.n_measured, sums.texts, sums.own, sums.quiet);
		fflush(stdout);
		add(all, &sums);
		simulated_lesson_close(&s);
		tp_diags_release(&diags);
		if (!good)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	tp_experiments_begin();
	const char *model = NULL, *regime = NULL, *top = getenv("TPROF_SRCDIR");
	unsigned seeds = 1;
	struct sums all = { 0 };
	char pattern[4096];
	glob_t found = { 0 };
	bool good = true;
	int option;
	while ((option = getopt(argc, argv, "s:r:m:v")) != -1) {
		if (option == 's')
			seeds = (unsigned)atoi(optarg);
		else if (option == 'r')
			regime = optarg;
		else if (option == 'm')
			model = optarg;
		else if (option == 'v')
			verbose = true;
		else
			return 2;
	}
	snprintf(pattern, sizeof(pattern), "%s/presets/lessons/*.yaml", top ? top : ".");
	printf("%-30s %-15s %9s %8s %14s %16s\n", "lesson", "machine", "simulated", "texts",
	       "contradicted", "by quiet numbers");
	for (int i = optind; i < argc; i++)
		good &= bench(argv[i], model, regime, seeds, &all);
	if (optind == argc && glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			good &= bench(found.gl_pathv[i], model, regime, seeds, &all);
	globfree(&found);
	printf("%-30s %-15s %9s %8u %14u %16u\n", "all", "", "", all.texts, all.own, all.quiet);
	return good && all.own == 0 ? 0 : 1;
}
