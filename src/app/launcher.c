/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/launcher.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "agent/shared.h"
#include "base/command.h"
#include "base/file.h"
#include "base/process.h"
#include "base/str.h"

enum { ANCESTORS_MAX = 8, CPUS_MAX = 8192, TEXT_MAX = 4 << 20 };

/* --- ranks --- */

/* How a job is launched again if the launcher is not among the ancestors. */
static const char *const again[TP_AGENT_LAUNCHERS][3] = { { "mpirun", "-n" },
							  { "mpiexec", "-n" },
							  { "srun", "--overlap", "-n" } };

static bool read_number(const char *name, unsigned *number)
{
	const char *text = getenv(name);
	char *end;
	if (!text || *text < '0' || *text > '9')
		return false;
	unsigned long value = strtoul(text, &end, 10);
	*number = (unsigned)value;
	return !*end && value < 1u << 30;
}

/* The launcher whose variables are set; TP_AGENT_LAUNCHERS = none, or of a single rank. */
static unsigned find_rank(unsigned *rank, unsigned *ranks)
{
#define VARIABLES(rank, ranks, job) { rank, ranks },
	static const char *const variables[][2] = { TP_AGENT_LAUNCHER_LIST(VARIABLES) };
	for (unsigned i = 0; i < TP_AGENT_LAUNCHERS; i++)
		if (read_number(variables[i][0], rank) && read_number(variables[i][1], ranks) &&
		    *ranks > 1 && *rank < *ranks)
			return i;
	return TP_AGENT_LAUNCHERS;
}

/* --- the launcher --- */

/* A file of /proc with texts that end with 0 each, as a list up to NULL. */
static char **read_texts(pid_t pid, const char *name, struct tp_arena *arena, size_t *n)
{
	char path[64];
	struct stat st;
	int fd;
	*n = 0;
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	/* Only this process's own command line shows what to run. */
	if (tp_file_open(AT_FDCWD, path, O_RDONLY, &fd, NULL) != TP_OK)
		return NULL;
	char *text = tp_arena_alloc(arena, TEXT_MAX + 1), **list = NULL;
	size_t len = 0;
	for (ssize_t got; len < TEXT_MAX; len += (size_t)got)
		if ((got = read(fd, text + len, TEXT_MAX - len)) <= 0)
			break;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && len > 0 && len < TEXT_MAX) {
		text[len] = '\0';
		list = tp_arena_alloc(arena, (len + 2) * sizeof(*list));
		for (size_t at = 0; at < len; at += strlen(text + at) + 1)
			list[(*n)++] = text + at;
		list[*n] = NULL;
	}
	close(fd);
	return list;
}

/* Where this process's command line begins in its ancestors', which end with it; 0 = not found. */
static size_t where_own_words(char *const *words, size_t n, char *const *own, size_t n_own)
{
	if (!n_own || n <= n_own ||
	    strcmp(tp_path_last(words[n - n_own]), tp_path_last(own[0])) != 0)
		return 0;
	for (size_t i = 1; i < n_own; i++)
		if (strcmp(words[n - n_own + i], own[i]) != 0)
			return 0;
	return n - n_own;
}

/*
 * Hydra cuts lists at their commas in its own memory, so that /proc shows "-hosts a,b" as "-hosts",
 * "a", "b".
 */
static void join_lists(char **words, struct tp_arena *arena)
{
	static const char *const lists[] = { "-hosts", "-host", "-genvlist", "-envlist" };
	size_t n = 0;
	for (size_t i = 0; words[i]; i++) {
		const char *option = words[i] + (strncmp(words[i], "--", 2) == 0);
		bool is_list = false;
		for (size_t k = 0; k < TP_COUNT_OF(lists); k++)
			is_list |= strcmp(option, lists[k]) == 0;
		words[n++] = words[i];
		if (!is_list || !words[i + 1])
			continue;
		TP_STR list = { 0 };
		tp_str_add(&list, words[++i]);
		while (words[i + 1] && words[i + 1][0] != '-')
			tp_str_printf(&list, ",%s", words[++i]);
		words[n++] = tp_arena_strdup(arena, tp_str_text(&list));
	}
	words[n] = NULL;
}

/* --- leaving the job --- */

/* Variables that identify a process to its launcher. */
static bool is_of_job(const char *variable)
{
	static const char *const begin[] = { "OMPI_",
					     "OPAL_",
					     "ORTE_",
					     "PRTE_",
					     "PMIX_",
					     "PMI_",
					     "HYDRA_",
					     "HYDI_",
					     "MPI_LOCAL",
					     "SLURM_PROCID",
					     "SLURM_LOCALID",
					     "SLURM_NODEID",
					     "SLURM_STEP",
					     "SLURM_TASK_PID",
					     "SLURM_GTIDS",
					     "SLURM_SRUN_",
					     "SLURM_LAUNCH_NODE" };
	for (size_t i = 0; i < TP_COUNT_OF(begin); i++)
		if (strncmp(variable, begin[i], strlen(begin[i])) == 0)
			return true;
	return false;
}

static void leave_job(pid_t launcher, struct tp_arena *arena)
{
	size_t n = 0;
	char **theirs = launcher ? read_texts(launcher, "environ", arena, &n) : NULL;
	for (char **at = environ; *at;) {
		size_t len = strcspn(*at, "=");
		char *name = tp_arena_alloc(arena, len + 1);
		memcpy(name, *at, len);
		name[len] = '\0';
		/* A removed entry makes room for the next one. */
		if (is_of_job(name) && unsetenv(name) == 0)
			continue;
		at++;
	}
	for (size_t i = 0; i < n; i++)
		if (is_of_job(theirs[i]) && strchr(theirs[i], '='))
			putenv(theirs[i]);
	/* A rank is often bound to one CPU. */
	cpu_set_t *cpus = CPU_ALLOC(CPUS_MAX);
	if (cpus &&
	    sched_getaffinity(launcher ? launcher : getppid(), CPU_ALLOC_SIZE(CPUS_MAX), cpus) == 0)
		sched_setaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), cpus);
	CPU_FREE(cpus);
}

struct tp_app_launch tp_app_launch(struct tp_arena *arena)
{
	struct tp_app_launch launch = { 0 };
	unsigned kind = find_rank(&launch.rank, &launch.ranks);
	if (kind == TP_AGENT_LAUNCHERS)
		return (struct tp_app_launch){ 0 };
	if (launch.rank > 0)
		return launch;
	size_t n_own;
	char **own = read_texts(getpid(), "cmdline", arena, &n_own);
	struct tp_process_look look;
	pid_t pid = getppid();
	for (unsigned i = 0; i < ANCESTORS_MAX && pid > 1 && !launch.words; i++) {
		size_t n;
		char **words = read_texts(pid, "cmdline", arena, &n);
		size_t at = words && own ? where_own_words(words, n, own, n_own) : 0;
		if (at) {
			words[at] = NULL;
			join_lists(words, arena);
			launch.words = (const char **)words;
		} else {
			pid = tp_process_look(pid, &look) ? look.parent : 0;
		}
	}
	if (!launch.words) {
		char *number = tp_arena_alloc(arena, 16);
		size_t n = 0;
		pid = 0;
		snprintf(number, 16, "%u", launch.ranks);
		launch.words = tp_arena_alloc(arena, 5 * sizeof(*launch.words));
		for (size_t i = 0; i < TP_COUNT_OF(again[kind]) && again[kind][i]; i++)
			launch.words[n++] = again[kind][i];
		launch.words[n++] = number;
	}
	leave_job(pid, arena);
	return launch;
}
