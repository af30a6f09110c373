/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_agent AGENT [trace] [detach=BLOCKS] PROGRAM ARGUMENT...: runs a program under the agent and
 * prints what it counted to descriptor 9 if that is open, else to standard error. Its exit status
 * is the program's, 128 + the signal that ended it, or 125 if it could not run.
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

static void run(struct tp_agent_shared *shared, int fd, const char *agent, char **words)
{
	char path[64], preload[4096];
	const char *old = getenv("LD_PRELOAD");

	shared->pid = (uint32_t)getpid();
	personality(ADDR_NO_RANDOMIZE);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getppid(), fd);
	snprintf(preload, sizeof(preload), "%s%s%s", agent, old ? ":" : "", old ? old : "");
	setenv("LD_PRELOAD", preload, 1);
	setenv(TP_AGENT_ENVIRONMENT, path, 1);
	execvp(words[0], words);
	fprintf(stderr, "run_agent: %s: %s\n", words[0], strerror(errno));
	_exit(125);
}

/* region NAME ENTRIES EXITS THREADS INSTRUCTIONS FLOPS */
static void print_regions(FILE *out, const struct tp_agent_shared *shared)
{
	for (unsigned r = 0; r < shared->n_regions && r < TP_AGENT_REGIONS; r++) {
		unsigned long long entries = 0, exits = 0, instructions = 0, flops = 0;
		unsigned threads = 0;

		for (unsigned t = 0; t < shared->n_threads && t < TP_AGENT_THREADS; t++) {
			const struct tp_agent_thread *thread = &shared->threads[t];
			const struct tp_agent_sum *sum = &thread->sums[r];
			unsigned long long its = sum->mix[TP_MIX_INSTRUCTIONS];

			entries += sum->entries;
			exits += sum->exits;
			flops += tp_mix_flops(sum->mix);
			for (unsigned i = 0; thread->region == r && i < thread->n_counters; i++) {
				uint64_t rest = thread->counts[i] - thread->settled[i];

				its += rest * thread->units[i].add[TP_MIX_INSTRUCTIONS];
				flops += rest * (thread->units[i].add[TP_MIX_FLOPS_SP] +
						 thread->units[i].add[TP_MIX_FLOPS_DP]);
			}
			instructions += its;
			threads += its > 0;
		}
		fprintf(out, "region %s %llu %llu %u %llu %llu\n", r ? shared->regions[r] : "-",
			entries, exits, threads, instructions, flops);
	}
	fprintf(out, "unbalanced %u\nunended %u\nforks %u\nexecutions %u\nlost_threads %u\n",
		shared->unbalanced, shared->unended, shared->forks, shared->executions,
		shared->lost_threads);
}

static void print(const struct tp_agent_shared *shared)
{
	uint64_t sums[TP_MIX_N] = { 0 }, traced = 0;
	FILE *out = fdopen(9, "w");

	for (unsigned t = 0; t < shared->n_threads && t < TP_AGENT_THREADS; t++) {
		const struct tp_agent_thread *thread = &shared->threads[t];

		for (unsigned r = 0; r < TP_AGENT_REGIONS; r++)
			for (unsigned m = 0; m < TP_MIX_N; m++)
				sums[m] += thread->sums[r].mix[m];
		for (unsigned r = 0; r < TP_AGENT_REGIONS; r++)
			for (unsigned l = 0; l < TP_AGENT_LEVELS; l++)
				traced += thread->sums[r].level_bytes[l];
		for (unsigned i = 0; i < thread->n_counters && i < TP_AGENT_COUNTERS; i++)
			for (unsigned m = 0; m < TP_MIX_N; m++)
				sums[m] += (thread->counts[i] - thread->settled[i]) *
					   thread->units[i].add[m];
	}
	out = out ? out : stderr;
	fprintf(out, "state %u\nwords %s\nthreads %u\nblocks %llu\nflushes %u\n", shared->state,
		shared->words, shared->n_threads, (unsigned long long)shared->blocks,
		shared->flushes);
	for (unsigned m = 0; m < TP_MIX_N; m++)
		if (sums[m])
			fprintf(out, "%s %llu\n", tp_mix_names[m], (unsigned long long)sums[m]);
	print_regions(out, shared);
	if (traced)
		fprintf(out, "traced_lines %llu\n", (unsigned long long)traced / 64);
	fclose(out);
}

int main(int argc, char **argv)
{
	int fd = memfd_create("tprof-agent", MFD_CLOEXEC), status = 0;
	struct tp_agent_shared *shared;
	const char *agent = argv[1];
	pid_t child;

	if (argc < 3 || fd < 0 || ftruncate(fd, sizeof(*shared)))
		return 125;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
		      0);
	if (shared == MAP_FAILED)
		return 125;
	shared->magic = TP_AGENT_MAGIC;
	shared->version = TP_AGENT_VERSION;
	shared->bytes_of_mix = sizeof(shared->threads[0].sums[0].mix);
	argv += 2;
	if (!strcmp(*argv, "trace")) {
		shared->mode = TP_AGENT_TRACE;
		argv++;
	}
	if (*argv && !strncmp(*argv, "detach=", 7))
		shared->detach_after = strtoull(*argv++ + 7, NULL, 10);
	if (!*argv)
		return 125;
	shared->n_regions = 1;
	for (; *argv && !strncmp(*argv, "function=", 9); argv++) {
		if (shared->n_regions == TP_AGENT_REGIONS)
			return 125;
		snprintf(shared->regions[shared->n_regions++], TP_AGENT_NAME, "%s", *argv + 9);
		shared->n_functions++;
	}
	child = fork();
	if (child == 0)
		run(shared, fd, agent, argv);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 125;
	print(shared);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
