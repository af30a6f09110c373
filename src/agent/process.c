/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/sys.h"

struct tp_agent_tree *tp_agent_tree;

/* --- places --- */

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

enum { WAIT_NS = 2000000, WAITS = 2000 }; /* tprof looks for ended processes 20 times a second */

/* The index of a place that is taken for `pid`; TP_AGENT_PROCESSES = all are in use. */
static unsigned take_place(struct tp_agent_tree *tree, uint32_t pid)
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };

	for (unsigned waits = 0; waits < WAITS; waits++) {
		for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++) {
			uint32_t free = 0;

			if (__atomic_compare_exchange_n(&tree->taken[i], &free, pid, false,
							__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
				return i;
		}
		tp_sys(SYS_nanosleep, (uint64_t)&pause, 0, 0, 0, 0, 0);
	}
	return TP_AGENT_PROCESSES;
}

static void *map(int64_t fd, uint64_t bytes, uint64_t offset)
{
	int64_t at = tp_sys(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			    (uint64_t)fd, offset);

	return tp_sys_failed(at) ? NULL : (void *)at;
}

/* A place of the file for `pid`, mapped, with the settings of the tree; NULL = no place, no memory.
 */
static struct tp_agent_shared *map_place(int64_t fd, struct tp_agent_tree *tree, uint32_t pid)
{
	unsigned i = take_place(tree, pid);
	struct tp_agent_shared *shared;

	if (i == TP_AGENT_PROCESSES) {
		__atomic_fetch_add(&tree->lost, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	shared = map(fd, sizeof(*shared), TP_AGENT_PLACE_AT(i));
	if (!shared) {
		__atomic_fetch_add(&tree->refused, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&tree->taken[i], 0, __ATOMIC_RELEASE);
		return NULL;
	}
	tp_sys(SYS_madvise, (uint64_t)shared, sizeof(*shared), MADV_DONTDUMP, 0, 0, 0);
	shared->pid = pid;
	shared->mode = tree->mode;
	shared->n_functions = tree->n_functions;
	shared->n_regions = 1 + tree->n_functions;
	shared->sample_shift = tree->sample_shift;
	shared->detach_after = tree->detach_after;
	memcpy(shared->caches, tree->caches, sizeof(shared->caches));
	for (unsigned r = 1; r < shared->n_regions && r < TP_AGENT_REGIONS; r++)
		memcpy(shared->regions[r], tree->functions[r], TP_AGENT_NAME);
	return shared;
}

/* Of "PATH#NUMBER" the path. */
static int64_t open_file(const char *name)
{
	char path[TP_AGENT_PATH] = "";

	for (size_t i = 0; i + 1 < sizeof(path) && name[i] && name[i] != '#'; i++)
		path[i] = name[i];
	return tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)path, O_RDWR | O_CLOEXEC, 0, 0, 0);
}

static struct tp_agent_tree *map_tree(int64_t fd, const char *name)
{
	struct tp_agent_tree *tree = map(fd, sizeof(*tree), 0);

	if (tree && is_same(tree->file_path, name) && tree->magic == TP_AGENT_MAGIC &&
	    tree->version == TP_AGENT_VERSION &&
	    tree->bytes_of_mix == sizeof(tp_agent_shared->threads[0].sums[0].mix))
		return tree;
	if (tree)
		tp_sys(SYS_munmap, (uint64_t)tree, sizeof(*tree), 0, 0, 0, 0);
	return NULL;
}

/* --- ranks --- */

#define LAUNCHER(rank, ranks, job) { rank, ranks, job },
static const struct {
	const char *rank, *ranks, *job;
} launchers[TP_AGENT_LAUNCHERS] = { TP_AGENT_LAUNCHER_LIST(LAUNCHER) };

static const char *value_of(char **env, const char *name)
{
	for (; *env; env++) {
		const char *at = *env, *n = name;

		while (*n && *at == *n)
			at++, n++;
		if (!*n && *at == '=')
			return at + 1;
	}
	return NULL;
}

static bool read_number(const char *text, uint32_t *number)
{
	uint64_t value = 0;

	if (!text || !*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || value > 100000000)
			return false;
		value = value * 10 + (uint64_t)(*text - '0');
	}
	*number = (uint32_t)value;
	return true;
}

static void find_rank(struct tp_agent_shared *shared, char **env)
{
	for (unsigned i = 0; i < TP_AGENT_LAUNCHERS && !shared->ranks; i++) {
		const char *job = value_of(env, launchers[i].job);
		uint32_t rank, ranks;

		if (!job || is_same(job, tp_agent_tree->jobs[i]) ||
		    !read_number(value_of(env, launchers[i].rank), &rank) ||
		    !read_number(value_of(env, launchers[i].ranks), &ranks) || rank >= ranks)
			continue;
		shared->rank = rank;
		shared->ranks = ranks;
	}
}

/* --- images --- */

/* This process has its agent, for what it was about to execute; its times up to now. */
static struct tp_agent_execution take_execution(uint32_t pid)
{
	struct tp_agent_execution times = { 0 };

	for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++) {
		struct tp_agent_execution *it = &tp_agent_tree->executed[i];

		if (it->pid != pid)
			continue;
		times.user_ns = it->user_ns;
		times.system_ns = it->system_ns;
		__atomic_store_n(&it->pid, 0, __ATOMIC_RELEASE);
	}
	return times;
}

bool tp_process_begin(const char *path, char **env)
{
	uint32_t pid = (uint32_t)tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);
	struct tp_agent_execution before;
	struct tp_agent_shared *shared = NULL;
	int64_t fd = open_file(path);

	if (tp_sys_failed(fd))
		return false;
	tp_agent_tree = map_tree(fd, path);
	if (tp_agent_tree) {
		before = take_execution(pid);
		shared = map_place(fd, tp_agent_tree, pid);
	}
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	if (!shared)
		return false;
	tp_agent_shared = shared;
	shared->started_ns = tp_now_ns();
	tp_sys(SYS_readlink, (uint64_t) "/proc/self/exe", (uint64_t)shared->program,
	       sizeof(shared->program) - 1, 0, 0, 0);
	find_rank(shared, env);
	shared->user_before_ns = before.user_ns;
	shared->system_before_ns = before.system_ns;
	return true;
}

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

static void note_times(struct tp_agent_shared *shared)
{
	struct rusage used = { 0 };

	tp_sys(SYS_getrusage, 0 /* RUSAGE_SELF */, (uint64_t)&used, 0, 0, 0, 0);
	shared->user_ns = ns_of(&used.ru_utime);
	shared->system_ns = ns_of(&used.ru_stime);
	shared->ended_ns = tp_now_ns();
}

void tp_process_end(void)
{
	struct tp_agent_shared *shared = tp_agent_shared;

	note_times(shared);
	shared->executes = 0; /* that failed */
	if (shared->state == TP_AGENT_RUNNING)
		shared->state = TP_AGENT_ENDED;
}

/* --- children --- */

struct tp_agent_shared *tp_process_child_place(unsigned first, unsigned n)
{
	const struct tp_agent_shared *parent = tp_agent_shared;
	struct tp_agent_shared *child;
	uint32_t modules = __atomic_load_n(&parent->n_modules, __ATOMIC_ACQUIRE);
	int64_t fd = open_file(tp_agent_tree->file_path);

	if (tp_sys_failed(fd))
		return NULL;
	child = map_place(fd, tp_agent_tree, parent->pid);
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	if (!child)
		return NULL;
	child->rank = parent->rank;
	child->ranks = parent->ranks;
	child->n_regions = parent->n_regions;
	memcpy(child->regions, parent->regions, parent->n_regions * sizeof(*child->regions));
	memcpy(child->function_found, parent->function_found, sizeof(child->function_found));
	memcpy(child->program, parent->program, sizeof(child->program));
	memcpy(child->modules, parent->modules, modules * sizeof(*child->modules));
	child->n_modules = modules;
	child->n_threads = first + n;
	for (unsigned t = first; t < first + n; t++) {
		const struct tp_agent_thread *of = &parent->threads[t];
		struct tp_agent_thread *to = &child->threads[t];

		to->region = of->region;
		to->n_counters = of->n_counters;
		memcpy(to->units, of->units, of->n_counters * sizeof(*to->units));
	}
	return child;
}

void tp_process_parent_goes_on(struct tp_agent_shared *place, bool forked)
{
	if (!forked)
		place->state = TP_AGENT_ENDED;
	tp_sys(SYS_munmap, (uint64_t)place, sizeof(*place), 0, 0, 0, 0);
}

void tp_process_child_begins(struct tp_agent_shared *place)
{
	uint32_t pid = (uint32_t)tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);

	place->pid = pid;
	place->started_ns = tp_now_ns();
	place->forked = 1;
	place->state = TP_AGENT_RUNNING;
	tp_sys(SYS_mremap, (uint64_t)place, sizeof(*place), sizeof(*place),
	       MREMAP_MAYMOVE | MREMAP_FIXED, (uint64_t)tp_agent_shared, 0);
}

/*
 * --- the next image: the agent is preloaded again. What natively runs in between, and the
 * program's own view of its environment, have no trace of us. ---
 */

enum { MOST = 65536, TEXT = 64 * 1024 };

struct environment {
	uint64_t variables[MOST + 4];
	char preload[TEXT + 8192], file[512];
};

static const char preload_name[] = "LD_PRELOAD=";

static char *append(char *to, const char *end, const char *text)
{
	while (*text && to + 1 < end)
		*to++ = *text++;
	*to = '\0';
	return to;
}

static bool is_preload(const char *text)
{
	for (unsigned i = 0; i + 1 < sizeof(preload_name); i++)
		if (text[i] != preload_name[i])
			return false;
	return true;
}

/* The program's variables and ours; false: they cannot be read, or there are too many. */
static bool build(struct environment *to, uint64_t from)
{
	const char *end = to->preload + sizeof(to->preload);
	char *at = append(to->preload, end, preload_name);
	char begin[sizeof(preload_name)];
	unsigned n = 0;

	at = append(at, end, tp_agent_tree->agent_path);
	for (uint64_t i = 0, variable; from; i++) {
		if (i == MOST || !tp_copy_in(&variable, from + 8 * i, sizeof(variable)))
			return false;
		if (!variable)
			break;
		if (tp_copy_in(begin, variable, sizeof(begin) - 1) && is_preload(begin)) {
			at = append(at, end, ":");
			if (tp_copy_text(at, variable + sizeof(begin) - 1, TEXT) < 0)
				return false;
			continue;
		}
		to->variables[n++] = variable;
	}
	to->variables[n++] = (uint64_t)to->preload;
	at = append(to->file, to->file + sizeof(to->file), TP_AGENT_ENVIRONMENT "=");
	append(at, to->file + sizeof(to->file), tp_agent_tree->file_path);
	to->variables[n++] = (uint64_t)to->file;
	to->variables[n] = 0;
	return true;
}

/* Until an agent is loaded into it, the program counts as one that is not followed. */
static void note_execution(uint64_t folder, uint64_t path)
{
	uint32_t pid = (uint32_t)tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);
	struct tp_agent_execution *at = NULL;

	/* A shell tries one folder of $PATH after the other. */
	if (tp_sys(SYS_faccessat, folder, path, X_OK, 0, 0, 0) != 0)
		return;
	for (unsigned i = 0; i < TP_AGENT_PROCESSES && !at; i++)
		if (tp_agent_tree->executed[i].pid == pid)
			at = &tp_agent_tree->executed[i];
	for (unsigned i = 0; i < TP_AGENT_PROCESSES && !at; i++) {
		uint32_t free = 0;

		if (__atomic_compare_exchange_n(&tp_agent_tree->executed[i].pid, &free, pid, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			at = &tp_agent_tree->executed[i];
	}
	if (!at)
		return;
	at->user_ns = at->system_ns = 0;
	/* Not a child that borrows its parent's place, or has none. */
	if (tp_agent_shared->pid == pid) {
		note_times(tp_agent_shared);
		tp_agent_shared->executes = 1;
		at->user_ns = tp_agent_shared->user_ns;
		at->system_ns = tp_agent_shared->system_ns;
	}
	if (tp_copy_text(at->path, path, sizeof(at->path)) < 0)
		at->path[sizeof(at->path) - 1] = '\0';
}

uint64_t *tp_exec_variables(uint64_t folder, uint64_t path, uint64_t from)
{
	struct environment *ours = tp_memory_map(0, sizeof(*ours), PROT_READ | PROT_WRITE, 0);

	note_execution(folder, path);
	if (ours && build(ours, from))
		return ours->variables;
	tp_exec_drop(ours ? ours->variables : NULL);
	return NULL;
}

void tp_exec_drop(uint64_t *variables)
{
	if (variables)
		tp_sys(SYS_munmap, (uint64_t)variables, sizeof(struct environment), 0, 0, 0, 0);
}
