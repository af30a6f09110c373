/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * app_count SOURCE [function=NAME]... PROGRAM ARGUMENT...: runs a program under one way of counting
 * and prints what it found, one number a line: of each region, and of each file with code. It says
 * why on standard error if it cannot, and ends with 77; else with the exit code of the program, or
 * 128 + its signal.
 */
#include "app/app.h"
#include "base/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS = 32, CANNOT = 77 };

static int cannot(const struct tp_diag *diag)
{
	fprintf(stderr, "%s: %s%s%s\n", diag->where, diag->what, diag->hint[0] ? "; " : "",
		diag->hint);
	return CANNOT;
}

/* All functions of a file, if the i-th is the first of them. */
static void print_module(const struct tp_app_counts *counts, const char *module, size_t i)
{
	uint64_t mix[TP_MIX_N] = { 0 };
	for (size_t k = 0; k < counts->n_functions; k++) {
		if (strcmp(counts->functions[k].module, module) != 0)
			continue;
		if (k < i)
			return;
		for (unsigned m = 0; m < TP_MIX_N; m++)
			mix[m] += counts->functions[k].mix[m];
	}
	for (unsigned m = 0; m < TP_MIX_N; m++)
		if (mix[m])
			printf("module %s %s %llu\n", module[0] ? module : "-", tp_mix_names[m],
			       (unsigned long long)mix[m]);
}

static void print(const struct tp_app_counts *counts)
{
	for (size_t i = 0; i < counts->n_regions; i++) {
		const struct tp_app_region *r = &counts->regions[i];
		const char *name = r->name[0] ? r->name : "-";
		if (r->thread != TP_APP_ALL)
			continue;
		printf("%s entries %llu\n", name, (unsigned long long)r->entries);
		for (unsigned k = 0; k < TP_MIX_N; k++)
			if (r->mix[k])
				printf("%s %s %llu\n", name, tp_mix_names[k],
				       (unsigned long long)r->mix[k]);
	}
	for (size_t i = 0; i < counts->n_functions; i++)
		print_module(counts, counts->functions[i].module, i);
	printf("threads %u\ncomplete %d\n", counts->n_threads, counts->complete);
	for (size_t i = 0; i < counts->notes.n; i++)
		printf("note %s\n", counts->notes.items[i].what);
}

int main(int argc, char **argv)
{
	struct tp_app_counts counts;
	struct tp_diag diag;
	char *functions[FUNCTIONS + 1] = { NULL }, path[TP_PATH_MAX];
	unsigned n = 0;
	const struct tp_app_source *source = argc > 2 ? tp_app_source_find(argv[1]) : NULL;
	if (!source)
		return 2;
	argv += 2;
	for (; *argv && strncmp(*argv, "function=", 9) == 0 && n < FUNCTIONS; argv++)
		functions[n++] = *argv + 9;
	struct tp_app_command command = { .words = argv,
					  .output = STDERR_FILENO,
					  .errors = STDERR_FILENO,
					  .input = "/dev/null",
					  .functions = functions,
					  .limit_seconds = 300 };
	if (!*argv || source->supported(tp_program_find(*argv, path) ? path : NULL, NULL, &diag) ||
	    source->count(&command, &counts, &diag))
		return *argv ? cannot(&diag) : 2;
	print(&counts);
	int code = counts.end.signal ? 128 + counts.end.signal : counts.end.code;
	tp_app_counts_release(&counts);
	return code;
}
