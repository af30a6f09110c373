/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/native.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "agent/parts.h"
#include "agent/sys.h"

enum { OPEN = 512, FRAMES = 256, NAMES = 64 /* a power of two */, NEAR = 8 * 1024 * 1024 };

/* A function that is a region and has not returned. */
struct frame {
	const uint64_t *back;
	uint32_t region;
};

struct native_thread {
	struct tp_agent_thread *shared;
	uint32_t n_open, beyond; /* beyond: entries that found no room */
	uint32_t timed; /* 1 + the region whose clock runs; 0 = none */
	uint8_t open[OPEN]; /* regions, the innermost last */
	uint32_t n_frames;
	struct frame frames[FRAMES];
	/* Names that it used last, by their addresses: to look at the text is enough then. */
	struct {
		const char *name;
		uint32_t region;
	} names[NAMES];
};

static struct {
	struct tp_hooks hooks;
	/* 1; a child of fork finds 0 there and times nothing. */
	uint32_t *here;
	uint32_t lock;
	struct native_thread *threads; /* by slot */
	uint64_t *variables; /* of the image that comes next */
} native;

/*
 * The program runs its own code in this mode, so thread-local storage is set up. It is 0 for each
 * new thread.
 */
static __thread struct native_thread *own __attribute__((tls_model("initial-exec")));

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- threads --- */

static void clear(void *what, uint64_t bytes)
{
	uint8_t *at = what;

	for (uint64_t i = 0; i < bytes; i++)
		at[i] = 0;
}

/* What the last thread of a slot left open. */
static void end_all(struct native_thread *t)
{
	for (unsigned r = 0; r < TP_AGENT_REGIONS; r++) {
		if (!t->shared || !t->shared->sums[r].open)
			continue;
		t->shared->sums[r].entered_ns = t->shared->sums[r].open = 0;
		__atomic_fetch_add(&tp_agent_shared->unended, 1, __ATOMIC_RELAXED);
	}
}

/* A slot that nobody had, or whose thread is gone; TP_AGENT_THREADS = there is none. */
static unsigned free_slot(void)
{
	struct tp_agent_shared *shared = tp_agent_shared;
	unsigned n = shared->n_threads;

	for (unsigned i = 0; i < n && i < TP_AGENT_THREADS; i++)
		if (tp_sys(SYS_tgkill, shared->pid, shared->threads[i].tid, 0, 0, 0, 0) < 0) {
			end_all(&native.threads[i]);
			return i;
		}
	if (n < TP_AGENT_THREADS)
		shared->n_threads = n + 1;
	return n;
}

static struct native_thread *take_thread(void)
{
	struct tp_agent_shared *shared = tp_agent_shared;
	struct native_thread *t = NULL;
	unsigned slot;

	tp_spin_lock(&native.lock);
	slot = free_slot();
	if (slot < TP_AGENT_THREADS) {
		t = &native.threads[slot];
		clear(t, sizeof(*t));
		t->shared = &shared->threads[slot];
		t->shared->tid = (uint32_t)tp_sys(SYS_gettid, 0, 0, 0, 0, 0, 0);
		t->shared->runs++;
	} else {
		shared->lost_threads++;
	}
	tp_spin_unlock(&native.lock);
	own = t;
	return t;
}

/* NULL = the thread is not timed. */
static struct native_thread *this_thread(void)
{
	if (!*native.here)
		return NULL;
	return own ? own : take_thread();
}

/* --- names --- */

static bool is_name(const char *known, const char *name)
{
	unsigned i = 0;

	while (i + 1 < TP_AGENT_NAME && name[i] && known[i] == name[i])
		i++;
	return !known[i] && (!name[i] || i + 1 == TP_AGENT_NAME);
}

/* The same address may hold another name next time. */
static unsigned region_of(struct native_thread *t, const char *name)
{
	uint64_t hash = (uint64_t)name * 0x9e3779b97f4a7c15ull >> 58;
	unsigned region = t->names[hash % NAMES].region;

	if (t->names[hash % NAMES].name == name && is_name(tp_agent_shared->regions[region], name))
		return region;
	region = tp_region_of(name);
	if (region) {
		t->names[hash % NAMES].name = name;
		t->names[hash % NAMES].region = region;
	}
	return region;
}

/* --- regions --- */

/* Once the room is full nothing shared is written: threads do not wait for each other then. */
static void tell(const struct native_thread *t, unsigned region, bool is_end, uint64_t time_ns)
{
	struct tp_agent_shared *shared = tp_agent_shared;
	struct tp_agent_event *event;
	uint32_t i;

	if (__atomic_load_n(&shared->n_events, __ATOMIC_RELAXED) > TP_AGENT_EVENTS) {
		t->shared->untold++;
		return;
	}
	i = __atomic_fetch_add(&shared->n_events, 1, __ATOMIC_RELAXED);
	if (i >= TP_AGENT_EVENTS) {
		t->shared->untold++;
		return;
	}
	event = &shared->events[i];
	event->thread = (uint16_t)(t - native.threads);
	event->region = (uint16_t)region;
	event->is_end = is_end;
	__atomic_store_n(&event->time_ns, time_ns, __ATOMIC_RELEASE);
}

/* The clock of the innermost region runs, and all others stand. The time; 0 = it was not asked. */
static uint64_t time_innermost(struct native_thread *t)
{
	struct tp_agent_sum *sums = t->shared->sums;
	uint32_t timed = t->n_open ? 1u + t->open[t->n_open - 1] : 0;
	uint64_t now;

	if (timed == t->timed)
		return 0;
	now = now_ns();
	if (t->timed) {
		sums[t->timed - 1].time_ns += now - sums[t->timed - 1].entered_ns;
		sums[t->timed - 1].entered_ns = 0;
	}
	if (timed)
		sums[timed - 1].entered_ns = now;
	t->timed = timed;
	return now;
}

static void begin(struct native_thread *t, unsigned region)
{
	_Static_assert(TP_AGENT_REGIONS <= 256, "`open` has bytes");
	struct tp_agent_sum *sum = &t->shared->sums[region];
	uint64_t now;

	sum->entries++;
	if (t->n_open == OPEN) {
		t->beyond++;
		return;
	}
	sum->open++;
	t->open[t->n_open++] = (uint8_t)region;
	now = time_innermost(t);
	if (sum->open == 1)
		tell(t, region, false, now ? now : now_ns());
}

/* The innermost of that name; false if none is open. */
static bool end(struct native_thread *t, unsigned region)
{
	struct tp_agent_sum *sum = &t->shared->sums[region];
	unsigned at = t->n_open;
	uint64_t now;

	while (at > 0 && t->open[at - 1] != region)
		at--;
	if (!at && !t->beyond)
		return false;
	sum->exits++;
	if (t->beyond) {
		t->beyond--;
		return true;
	}
	for (t->n_open--; at <= t->n_open; at++)
		t->open[at - 1] = t->open[at];
	sum->open--;
	now = time_innermost(t);
	if (!sum->open)
		tell(t, region, true, now ? now : now_ns());
	return true;
}

/* --- functions --- */

/* Frames below `back` were left by an exception or a longjmp, unless they lie on another stack. */
static void drop_frames(struct native_thread *t, const uint64_t *back, bool and_itself)
{
	while (t->n_frames) {
		const struct frame *top = &t->frames[t->n_frames - 1];
		uint64_t below = (uint64_t)back - (uint64_t)top->back;

		if (top->back > back || below > NEAR || (top->back == back && !and_itself))
			return;
		t->n_frames--;
		end(t, top->region);
	}
}

void tp_native_entered(uint64_t region_and_flags, const uint64_t *back)
{
	struct native_thread *t = this_thread();
	uint32_t region = (uint32_t)region_and_flags;
	const struct frame *top;

	if (!t)
		return;
	top = t->n_frames ? &t->frames[t->n_frames - 1] : NULL;
	if (top && top->back == back && (region_and_flags & TP_NATIVE_JUMPS_BACK))
		return;
	drop_frames(t, back, true);
	top = t->n_frames ? &t->frames[t->n_frames - 1] : NULL;
	if (t->n_frames == FRAMES || t->n_open == OPEN || (top && top->region == region)) {
		/* Of a recursion the outermost call is timed, and there is room for few others. */
		t->shared->sums[region].entries++;
		return;
	}
	t->frames[t->n_frames++] = (struct frame){ .back = back, .region = region };
	begin(t, region);
}

void tp_native_left(uint64_t region_and_flags, const uint64_t *back)
{
	struct native_thread *t = this_thread();

	if (!t)
		return;
	drop_frames(t, back, false);
	if (t->n_frames && t->frames[t->n_frames - 1].back == back) {
		t->n_frames--;
		end(t, t->frames[t->n_frames].region);
	} else if (t->n_frames && t->frames[t->n_frames - 1].region == (uint32_t)region_and_flags) {
		t->shared->sums[(uint32_t)region_and_flags].exits++;
	}
}

/* --- marks --- */

static void hook(int what, const char *name)
{
	struct native_thread *t = this_thread();
	unsigned region = t ? region_of(t, name) : 0;

	if (!region)
		return;
	/* Behind the frame pointer lies the return address: no function that goes on has it. */
	drop_frames(t, (const uint64_t *)__builtin_frame_address(0) + 1, true);
	if (what == TP_HOOK_BEGIN)
		begin(t, region);
	else if (!end(t, region))
		__atomic_fetch_add(&tp_agent_shared->unbalanced, 1, __ATOMIC_RELAXED);
}

/* --- the start, and objects that come later --- */

static void find(void)
{
	unsigned first = tp_hooks_find(&native.hooks, tp_agent_shared);

	tp_patch_functions(&native.hooks, first);
}

static void objects_changed(void)
{
	if (*native.here)
		find();
}

/*
 * execve(path, arguments, variables): the next image is timed as well. A child that is about to
 * execute something is another process, even if it still has our memory.
 */
static void executes(uint64_t unused, const uint64_t *back)
{
	uint64_t *rdx = (uint64_t *)back - 3;

	(void)unused;
	if ((uint32_t)tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0) != tp_agent_shared->pid)
		return;
	/* The last try failed. */
	tp_exec_drop(native.variables);
	native.variables = tp_exec_variables(*rdx);
	if (native.variables)
		*rdx = (uint64_t)native.variables;
}

void tp_native_start(void)
{
	native.here = tp_memory_map(0, 4096, PROT_READ | PROT_WRITE, 0);
	native.threads = tp_memory_map(0, TP_AGENT_THREADS * sizeof(*native.threads),
				       PROT_READ | PROT_WRITE, 0);
	/* Without that, children would count as their parent. */
	if (!native.here || !native.threads ||
	    tp_sys_failed(
		    tp_sys(SYS_madvise, (uint64_t)native.here, 4096, MADV_WIPEONFORK, 0, 0, 0)))
		return;
	*native.here = 1;
	native.hooks.hook = hook;
	find();
	tp_patch_empty(native.hooks.changed, objects_changed);
	tp_patch_entry(native.hooks.execve, native.hooks.execve_end, executes);
}
