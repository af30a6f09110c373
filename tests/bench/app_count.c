/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * app_count SOURCE [function=NAME]... PROGRAM ARGUMENT...: runs a program under one way of counting
 * and prints what it found, one number a line. It says why on standard error if it cannot, and ends
 * with 77; else with the exit code of the program, or 128 + its signal.
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
	for (size_t i = 0; i < counts->n_functions && i < FUNCTIONS; i++)
		printf("function %s %s %llu\n", counts->functions[i].name,
		       counts->functions[i].module,
		       (unsigned long long)counts->functions[i].mix[TP_MIX_INSTRUCTIONS]);
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
	if (!*argv || source->supported(tp_program_find(*argv, path) ? path : NULL, &diag) ||
	    source->count(&command, &counts, &diag))
		return *argv ? cannot(&diag) : 2;
	print(&counts);
	int code = counts.end.signal ? 128 + counts.end.signal : counts.end.code;
	tp_app_counts_release(&counts);
	return code;
}
