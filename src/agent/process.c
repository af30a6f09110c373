/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/elsewhere.h"
#include "agent/sys.h"

struct tp_agent_tree *tp_agent_tree;
static char file_at[TP_AGENT_FILE_PATH]; /* where it lies */

/* --- places --- */

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

enum { WAIT_NS = 2000000, WAITS = 2000 }; /* tprof looks for ended processes 20 times a second */

/* The index of a place that was taken for `pid`; TP_AGENT_PROCESSES = all are in use. */
static unsigned take_place(struct tp_agent_tree *tree, uint32_t pid)
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };

	for (unsigned waits = 0; waits < (tree->elsewhere ? 1 : WAITS); waits++) {
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

/* A place of the file for `pid`, mapped, with the settings of the tree; NULL = no place or no
 * memory. */
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

static int64_t open_file(void)
{
	return tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)file_at, O_RDWR | O_CLOEXEC, 0, 0,
		      0);
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

/* The file that `name` (TPROF_AGENT) means for this process; NULL = none. */
static struct tp_agent_tree *find_tree(const char *name, int64_t *fd)
{
	const char *at = name;
	size_t n = 0;

	for (; *at && *at != '#' && n + 1 < sizeof(file_at); at++)
		file_at[n++] = *at;
	file_at[n] = '\0';
	*fd = open_file();
	if (!tp_sys_failed(*fd)) {
		struct tp_agent_tree *tree = map_tree(*fd, name);

		if (tree && tp_sees_processes_of(tree))
			return tree;
		if (tree)
			tp_sys(SYS_munmap, (uint64_t)tree, sizeof(*tree), 0, 0, 0, 0);
		tp_sys(SYS_close, (uint64_t)*fd, 0, 0, 0, 0, 0);
		*fd = -1;
	}
	while (*at && *at != ' ')
		at++;
	if (!*at)
		return NULL;
	*fd = tp_elsewhere_open(at + 1, file_at);
	if (tp_sys_failed(*fd))
		return NULL;
	return map_tree(*fd, name);
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

/* This process had its agent until it executed this image; its times up to now. */
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

bool tp_process_begin(const char *name, char **env)
{
	uint32_t pid = (uint32_t)tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);
	struct tp_agent_execution before;
	struct tp_agent_shared *shared = NULL;
	int64_t fd;

	tp_agent_tree = find_tree(name, &fd);
	if (tp_agent_tree) {
		before = take_execution(pid);
		shared = map_place(fd, tp_agent_tree, pid);
	}
	if (!tp_sys_failed(fd))
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
	/* There tprof sees what was written to the file system. */
	if (tp_agent_tree->elsewhere == TP_AGENT_OTHER_MACHINE) {
		tp_sys(SYS_msync, (uint64_t)shared, sizeof(*shared), MS_SYNC, 0, 0, 0);
		tp_sys(SYS_msync, (uint64_t)tp_agent_tree, sizeof(*tp_agent_tree), MS_SYNC, 0, 0,
		       0);
	}
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
	int64_t fd = open_file();

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

	place->pid = tp_sees_processes_of(tp_agent_tree) ? pid : 0;
	place->started_ns = tp_now_ns();
	place->forked = 1;
	place->state = TP_AGENT_RUNNING;
	tp_sys(SYS_mremap, (uint64_t)place, sizeof(*place), sizeof(*place),
	       MREMAP_MAYMOVE | MREMAP_FIXED, (uint64_t)tp_agent_shared, 0);
}

/*
 * --- the next image: the agent is preloaded again. Native programs in between do not see it, nor
 * does the program in its environment. ---
 */

enum { MOST = 65536, TEXT = 64 * 1024 };

struct environment {
	uint64_t variables[MOST + 4];
	char preload[TEXT + 8192], file[TP_AGENT_FILE_PATH + 64];
};

/* Whether a text of the program has this prefix. */
static bool begins(uint64_t text, const char *with, size_t bytes)
{
	char begin[sizeof(TP_AGENT_SENT)];

	if (!tp_copy_in(begin, text, bytes))
		return false;
	for (size_t i = 0; i < bytes; i++)
		if (begin[i] != with[i])
			return false;
	return true;
}

#define BEGINS(text, with) begins(text, with, sizeof(with) - 1)

/* The program's variables and ours; false: they cannot be read, or there are too many. */
static bool build(struct environment *to, uint64_t from)
{
	static const char preload[] = "LD_PRELOAD=", file[] = TP_AGENT_ENVIRONMENT "=";
	static const char sent[] = TP_AGENT_SENT, list[] = "OMPI_MCA_mca_base_env_list=";
	const char *end = to->preload + sizeof(to->preload);
	char *at = tp_append(to->preload, end, preload);
	bool has_list = false;
	unsigned n = 0;

	at = tp_append(at, end, tp_agent_tree->agent_path);
	for (uint64_t i = 0, variable; from; i++) {
		if (i == MOST || !tp_copy_in(&variable, from + 8 * i, sizeof(variable)))
			return false;
		if (!variable)
			break;
		if (BEGINS(variable, preload)) {
			at = tp_append(at, end, ":");
			if (tp_copy_text(at, variable + sizeof(preload) - 1, TEXT) < 0)
				return false;
			continue;
		}
		/* A launcher passes ours on. */
		if (BEGINS(variable, file) || BEGINS(variable, sent))
			continue;
		has_list |= BEGINS(variable, list);
		to->variables[n++] = variable;
	}
	to->variables[n++] = (uint64_t)to->preload;
	end = to->file + sizeof(to->file);
	tp_append(tp_append(to->file, end, file), end, tp_agent_tree->file_path);
	to->variables[n++] = (uint64_t)to->file;
	if (!has_list)
		to->variables[n++] = (uint64_t)sent;
	to->variables[n] = 0;
	return true;
}

/* Until an agent is loaded into it, the program counts as one that is not followed. */
static void note_execution(uint64_t folder, uint64_t path)
{
	uint32_t own = (uint32_t)tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0), pid = own;
	struct tp_agent_execution *at = NULL;

	if (!tp_sees_processes_of(tp_agent_tree)) {
		own = 0;
		pid |= TP_AGENT_OTHER_NUMBER;
	}
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
	/* Not for a child that uses its parent's place, or has none. */
	if (tp_agent_shared->pid == own) {
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
