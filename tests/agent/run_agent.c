/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_agent AGENT [trace] [detach=BLOCKS] PROGRAM ARGUMENT...: runs a program under the agent and
 * prints what it counted, in all of its processes, to descriptor 9 if that is open, else to
 * standard error. Its exit status is the program's, 128 + the signal that ended it, or 125 if it
 * could not run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/shared.h"

static void run(struct tp_agent_tree *tree, int fd, const char *agent, char **words)
{
	char path[64], preload[4096];
	const char *old = getenv("LD_PRELOAD");

	tree->executed[0].pid = (uint32_t)getpid();
	snprintf(tree->executed[0].path, sizeof(tree->executed[0].path), "%s", words[0]);
	personality(ADDR_NO_RANDOMIZE);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getppid(), fd);
	snprintf(preload, sizeof(preload), "%s%s%s", agent, old ? ":" : "", old ? old : "");
	snprintf(tree->agent_path, sizeof(tree->agent_path), "%s", agent);
	snprintf(tree->file_path, sizeof(tree->file_path), "%s", path);
	setenv("LD_PRELOAD", preload, 1);
	setenv(TP_AGENT_ENVIRONMENT, path, 1);
	execvp(words[0], words);
	fprintf(stderr, "run_agent: %s: %s\n", words[0], strerror(errno));
	_exit(125);
}

/* What all processes have in common, by name. */
static struct {
	char name[TP_AGENT_NAME];
	unsigned long long entries, exits, instructions, flops;
	unsigned threads;
} regions[TP_AGENT_REGIONS];
static unsigned n_regions;

static unsigned region_of(const char *name)
{
	unsigned i = 0;

	while (i < n_regions && strcmp(regions[i].name, name) != 0)
		i++;
	if (i == TP_AGENT_REGIONS)
		return 0;
	if (i == n_regions)
		snprintf(regions[n_regions++].name, TP_AGENT_NAME, "%s", name);
	return i;
}

static void add_regions(const struct tp_agent_shared *shared)
{
	for (unsigned r = 0; r < shared->n_regions && r < TP_AGENT_REGIONS; r++) {
		unsigned at = region_of(r ? shared->regions[r] : "-");

		for (unsigned t = 0; t < shared->n_threads && t < TP_AGENT_THREADS; t++) {
			const struct tp_agent_thread *thread = &shared->threads[t];
			const struct tp_agent_sum *sum = &thread->sums[r];
			unsigned long long its = sum->mix[TP_MIX_INSTRUCTIONS];

			regions[at].entries += sum->entries;
			regions[at].exits += sum->exits;
			regions[at].flops += tp_mix_flops(sum->mix);
			for (unsigned i = 0; thread->region == r && i < thread->n_counters; i++) {
				uint64_t rest = thread->counts[i] - thread->settled[i];

				its += rest * thread->units[i].add[TP_MIX_INSTRUCTIONS];
				regions[at].flops += rest * (thread->units[i].add[TP_MIX_FLOPS_SP] +
							     thread->units[i].add[TP_MIX_FLOPS_DP]);
			}
			regions[at].instructions += its;
			regions[at].threads += its > 0;
		}
	}
}

static struct {
	uint64_t mix[TP_MIX_N], traced, blocks;
	unsigned state, threads, flushes, unbalanced, unended, lost_threads, processes, ended;
	char words[512];
} sums;

static void add_place(const struct tp_agent_shared *shared)
{
	for (unsigned t = 0; t < shared->n_threads && t < TP_AGENT_THREADS; t++) {
		const struct tp_agent_thread *thread = &shared->threads[t];

		for (unsigned r = 0; r < TP_AGENT_REGIONS; r++)
			for (unsigned m = 0; m < TP_MIX_N; m++)
				sums.mix[m] += thread->sums[r].mix[m];
		for (unsigned r = 0; r < TP_AGENT_REGIONS; r++)
			for (unsigned l = 0; l < TP_AGENT_LEVELS; l++)
				sums.traced += thread->sums[r].level_bytes[l];
		for (unsigned i = 0; i < thread->n_counters && i < TP_AGENT_COUNTERS; i++)
			for (unsigned m = 0; m < TP_MIX_N; m++)
				sums.mix[m] += (thread->counts[i] - thread->settled[i]) *
					       thread->units[i].add[m];
	}
	add_regions(shared);
	sums.processes++;
	sums.ended += shared->ended_ns != 0;
	sums.state = shared->state > sums.state ? shared->state : sums.state;
	sums.threads += shared->n_threads;
	sums.blocks += shared->blocks;
	sums.flushes += shared->flushes;
	sums.unbalanced += shared->unbalanced;
	sums.unended += shared->unended;
	sums.lost_threads += shared->lost_threads;
	if (!sums.words[0])
		memcpy(sums.words, shared->words, sizeof(sums.words));
}

static void add_places(const struct tp_agent_tree *tree, int fd)
{
	for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++) {
		struct tp_agent_shared *shared;

		if (!tree->taken[i])
			continue;
		shared = mmap(NULL, sizeof(*shared), PROT_READ, MAP_SHARED | MAP_NORESERVE, fd,
			      (off_t)TP_AGENT_PLACE_AT(i));
		if (shared == MAP_FAILED)
			exit(125);
		if (shared->state != TP_AGENT_ABSENT)
			add_place(shared);
		munmap(shared, sizeof(*shared));
	}
}

/* region NAME ENTRIES EXITS THREADS INSTRUCTIONS FLOPS; unfollowed PROGRAM */
static void print(const struct tp_agent_tree *tree)
{
	FILE *out = fdopen(9, "w");

	out = out ? out : stderr;
	fprintf(out, "state %u\nwords %s\nthreads %u\nblocks %llu\nflushes %u\n", sums.state,
		sums.words, sums.threads, (unsigned long long)sums.blocks, sums.flushes);
	for (unsigned m = 0; m < TP_MIX_N; m++)
		if (sums.mix[m])
			fprintf(out, "%s %llu\n", tp_mix_names[m], (unsigned long long)sums.mix[m]);
	for (unsigned r = 0; r < n_regions; r++)
		fprintf(out, "region %s %llu %llu %u %llu %llu\n", regions[r].name,
			regions[r].entries, regions[r].exits, regions[r].threads,
			regions[r].instructions, regions[r].flops);
	fprintf(out, "unbalanced %u\nunended %u\nlost_threads %u\nprocesses %u\nended %u\n",
		sums.unbalanced, sums.unended, sums.lost_threads, sums.processes, sums.ended);
	for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++)
		if (tree->executed[i].pid)
			fprintf(out, "unfollowed %s\n", tree->executed[i].path);
	if (sums.traced)
		fprintf(out, "traced_lines %llu\n", (unsigned long long)sums.traced / 64);
	fclose(out);
}

int main(int argc, char **argv)
{
	int fd = memfd_create("tprof-agent", MFD_CLOEXEC), status = 0;
	struct tp_agent_tree *tree;
	const char *agent = argv[1];
	pid_t child;

	if (argc < 3 || fd < 0 || ftruncate(fd, (off_t)TP_AGENT_FILE_BYTES))
		return 125;
	tree = mmap(NULL, sizeof(*tree), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (tree == MAP_FAILED)
		return 125;
	tree->magic = TP_AGENT_MAGIC;
	tree->version = TP_AGENT_VERSION;
	tree->bytes_of_mix = sizeof(sums.mix);
	if (readlink("/proc/self/ns/pid", tree->processes, sizeof(tree->processes) - 1) < 0)
		return 125;
	argv += 2;
	if (!strcmp(*argv, "trace")) {
		tree->mode = TP_AGENT_TRACE;
		argv++;
	}
	if (*argv && !strncmp(*argv, "detach=", 7))
		tree->detach_after = strtoull(*argv++ + 7, NULL, 10);
	if (!*argv)
		return 125;
	for (; *argv && !strncmp(*argv, "function=", 9); argv++) {
		if (tree->n_functions + 1 == TP_AGENT_REGIONS)
			return 125;
		snprintf(tree->functions[++tree->n_functions], TP_AGENT_NAME, "%s", *argv + 9);
	}
	child = fork();
	if (child == 0)
		run(tree, fd, agent, argv);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 125;
	add_places(tree, fd);
	print(tree);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
