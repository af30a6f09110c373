/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/native.h"

#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "agent/context.h"
#include "agent/elf.h"
#include "agent/process.h"
#include "agent/shared.h"
#include "agent/sys.h"

enum { OBJECTS = 2048, DYNAMIC_MAX = 256 };

struct tp_hooks_object {
	uint64_t base, device, inode; /* base: the address of the file's first byte */
	bool seen; /* during this walk */
};

struct search {
	struct tp_hooks *hooks;
	struct tp_agent_shared *shared;
	const struct tp_elf *elf; /* being examined */
	uint64_t base;
	bool is_mpi; /* it is an MPI library */
};

static void mark(const struct search *s, uint64_t at, uint64_t bytes)
{
	for (uint64_t i = 0; i + sizeof(s->hooks->hook) <= bytes; i += sizeof(s->hooks->hook))
		tp_copy_out(at + i, &s->hooks->hook, sizeof(s->hooks->hook));
}

static bool begins(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

static void add_code(struct tp_hooks_code *list, unsigned *n, unsigned most,
		     const struct tp_hooks_code *code)
{
	for (unsigned i = 0; i < *n; i++)
		if (list[i].start == code->start)
			return;
	if (*n < most)
		list[(*n)++] = *code;
}

static void take_mpi(struct tp_hooks *hooks, const struct tp_hooks_code *code, const char *name)
{
	if (tp_symbol_is(name, "MPI_Init") || tp_symbol_is(name, "MPI_Init_thread"))
		add_code(hooks->mpi_starts, &hooks->n_mpi_starts, TP_HOOK_STARTS, code);
	else if (begins(name, "MPI_") && !begins(name, "MPI_Wti"))
		add_code(hooks->mpi, &hooks->n_mpi, TP_HOOK_FUNCTIONS, code);
}

static void take_function(void *context, const Elf64_Sym *symbol, const char *name)
{
	const struct search *s = context;
	struct tp_hooks *hooks = s->hooks;
	struct tp_hooks_code code = { symbol->st_value + s->elf->bias,
				      symbol->st_value + s->elf->bias + symbol->st_size };

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_value)
		return;
	if (!hooks->execve.start && tp_symbol_is(name, "execve"))
		hooks->execve = code;
	if (!hooks->exit.start && tp_symbol_is(name, "_exit"))
		hooks->exit = code;
	if (s->is_mpi)
		take_mpi(hooks, &code, name);
	for (unsigned r = 1; r <= s->shared->n_functions && r < TP_AGENT_REGIONS; r++) {
		struct tp_hook_function f = { .start = symbol->st_value + s->elf->bias,
					      .base = s->base,
					      .region = r };
		bool known = hooks->n_functions == TP_HOOK_FUNCTIONS;

		if (!tp_symbol_is(name, s->shared->regions[r]))
			continue;
		f.end = f.start + symbol->st_size;
		f.split_off = tp_symbol_is_part(name);
		if (!s->shared->function_found[r])
			s->shared->function_found[r] = 1;
		/* The same place may have other names. */
		for (unsigned i = 0; i < hooks->n_functions && !known; i++)
			known = hooks->functions[i].start == f.start;
		if (!known)
			hooks->functions[hooks->n_functions++] = f;
	}
}

/* The dynamic linker leaves its address only in the program's .dynamic section. */
static void look_for_linker(const struct search *s)
{
	const struct tp_elf *elf = s->elf;
	const Elf64_Phdr *parts = (const Elf64_Phdr *)(elf->bytes + elf->head->e_phoff);

	for (unsigned i = 0; i < elf->head->e_phnum && !s->hooks->changed; i++) {
		uint64_t at = parts[i].p_vaddr + elf->bias;
		Elf64_Dyn dynamic;
		struct r_debug debug;

		if (parts[i].p_type != PT_DYNAMIC)
			continue;
		for (unsigned k = 0; k < DYNAMIC_MAX; k++) {
			if (!tp_copy_in(&dynamic, at + k * sizeof(dynamic), sizeof(dynamic)) ||
			    dynamic.d_tag == DT_NULL)
				break;
			if (dynamic.d_tag == DT_DEBUG && dynamic.d_un.d_ptr &&
			    tp_copy_in(&debug, dynamic.d_un.d_ptr, sizeof(debug)))
				s->hooks->changed = debug.r_brk;
		}
	}
}

static void look_at(struct search *s, const struct tp_mapping *m)
{
	struct tp_elf elf;
	struct stat st;
	uint64_t at, bytes;
	int64_t fd = tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)m->path, O_RDONLY | O_CLOEXEC,
			    0, 0, 0);

	if (tp_sys_failed(fd))
		return;
	/* The file of that name may have been replaced. */
	if (!tp_sys_failed(tp_sys(SYS_fstat, (uint64_t)fd, (uint64_t)&st, 0, 0, 0, 0)) &&
	    st.st_ino == m->inode && tp_elf_open(&elf, (int)fd)) {
		s->elf = &elf;
		if (tp_elf_bias(&elf, m->start, m->offset)) {
			if (tp_elf_section(&elf, &at, &bytes))
				mark(s, at, bytes);
			if (tp_elf_fortran(&elf, &at, &bytes))
				mark(s, at, bytes);
			tp_elf_symbols(&elf, take_function, s);
			look_for_linker(s);
		}
		tp_elf_close(&elf);
	}
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}

/* --- all objects --- */

/* A mapping is split where it is patched. */
static bool is_known(struct tp_hooks *hooks, const struct tp_mapping *m)
{
	for (unsigned i = 0; i < hooks->n_objects; i++) {
		struct tp_hooks_object *o = &hooks->objects[i];

		if (o->base == m->start - m->offset && o->inode == m->inode &&
		    o->device == m->device)
			return o->seen = true;
	}
	return false;
}

/* A file that is mapped only for reading is not an object of the program. */
static bool is_object(const struct tp_mapping *m)
{
	return m->executable && m->path[0] == '/' && !tp_agent_code(m->start);
}

static bool look_for_known(void *context, const struct tp_mapping *m)
{
	const struct search *s = context;

	if (is_object(m))
		is_known(s->hooks, m);
	return true;
}

/* libmpi.so.40 of Open MPI, libmpich.so.12 of MPICH. */
static bool is_mpi(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return begins(name, "libmpi");
}

static bool take(void *context, const struct tp_mapping *m)
{
	struct search *s = context;
	struct tp_hooks *hooks = s->hooks;

	if (!is_object(m) || is_known(hooks, m))
		return true;
	s->base = m->start - m->offset;
	s->is_mpi = is_mpi(m->path);
	if (hooks->n_objects < OBJECTS)
		hooks->objects[hooks->n_objects++] =
			(struct tp_hooks_object){ .base = m->start - m->offset,
						  .device = m->device,
						  .inode = m->inode,
						  .seen = true };
	look_at(s, m);
	return true;
}

static bool is_gone(const struct tp_hooks *hooks, uint64_t base)
{
	for (unsigned i = 0; i < hooks->n_objects; i++)
		if (hooks->objects[i].base == base)
			return false;
	return true;
}

/*
 * Looks at all objects loaded since the last call: stores `hook` into their pointers, finds
 * functions of shared->regions[1..n_functions] in their symbol tables (tp_symbol_is), and sets
 * shared->function_found. Returns the index of the first of them. Drops functions of unloaded
 * objects. Takes some microseconds an object.
 */
static unsigned hooks_find(struct tp_hooks *hooks, struct tp_agent_shared *shared)
{
	struct search search = { .hooks = hooks, .shared = shared };
	unsigned first;

	if (!hooks->objects)
		hooks->objects = tp_memory_map(0, OBJECTS * sizeof(*hooks->objects),
					       PROT_READ | PROT_WRITE, 0);
	if (!hooks->objects)
		return 0;
	for (unsigned i = 0; i < hooks->n_objects; i++)
		hooks->objects[i].seen = false;
	tp_maps_walk(look_for_known, &search);
	/*
	 * An unloaded object may come back at the same place, with pointers of 0 and unpatched
	 * functions.
	 */
	unsigned n = 0;
	for (unsigned i = 0; i < hooks->n_objects; i++)
		if (hooks->objects[i].seen)
			hooks->objects[n++] = hooks->objects[i];
	hooks->n_objects = n;
	n = 0;
	for (unsigned i = 0; i < hooks->n_functions; i++)
		if (!is_gone(hooks, hooks->functions[i].base))
			hooks->functions[n++] = hooks->functions[i];
	hooks->n_functions = n;
	first = hooks->n_functions;
	tp_maps_walk(take, &search);
	return first;
}

enum {
	OPEN = 512,
	FRAMES = 256,
	CALLS = 64,
	VARIABLES = 64,
	NAMES = 64 /* a power of two */,
	NEAR = 8 * 1024 * 1024
};

/* A function that is a region and has not returned. */
struct frame {
	const uint64_t *back;
	uint32_t region;
};

/* A function of MPI that has not returned, or was left by a longjmp. */
struct call {
	const uint64_t *back; /* where its return address lies */
	uint64_t returns; /* the original return address */
	bool starts; /* MPI_Init: time in MPI counts from its end on */
};

struct native_thread {
	struct tp_agent_thread *shared;
	uint32_t n_open, beyond; /* beyond: entries that found no room */
	uint32_t timed; /* 1 + the region whose clock runs; 0 = none */
	uint8_t open[OPEN]; /* regions, the innermost last */
	uint32_t n_frames;
	struct frame frames[FRAMES];
	uint32_t n_calls;
	struct call calls[CALLS];
	uint64_t mpi_since_ns, mpi_ns;
	/* Names used last, by address: comparing the text is then enough. */
	struct {
		const char *name;
		uint32_t region;
	} names[NAMES];
};

static struct {
	struct tp_hooks hooks;
	/* 1; a child of fork reads 0: the mapping is its parent's place. */
	uint32_t *here;
	bool lost; /* no place for this process */
	uint32_t lock;
	struct native_thread *threads; /* by slot */
	/* Of the next images. A child of vfork leaves them here; they are freed later. */
	uint64_t *variables[VARIABLES];
	uint32_t n_variables;
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

/* A slot that was never used, or whose thread has ended; TP_AGENT_THREADS = none. */
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
		memset(t, 0, sizeof(*t));
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

/* A child of fork takes its own place when it first needs one; false: all are in use. */
static bool is_here(void)
{
	struct tp_agent_shared *place;

	if (*native.here || native.lost)
		return *native.here;
	memset(&tp_locks, 0, sizeof(tp_locks));
	native.lock = 0;
	place = tp_process_child_place(own ? (unsigned)(own - native.threads) : 0, own != NULL);
	native.lost = !place;
	if (!place)
		return false;
	tp_process_child_begins(place);
	*native.here = 1;
	if (own) {
		own->shared->tid = (uint32_t)tp_sys(SYS_gettid, 0, 0, 0, 0, 0, 0);
		own->shared->runs = 1;
		own->mpi_ns = 0;
		if (own->timed)
			own->shared->sums[own->timed - 1].entered_ns = now_ns();
	}
	return true;
}

/* NULL = the thread is not timed. */
static struct native_thread *this_thread(void)
{
	if (!is_here())
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

/* Once the table is full nothing shared is written: threads then do not wait for each other. */
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

/*
 * The clock of the innermost region runs, and all others stand still. The time; 0 = not requested.
 */
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

static void entered(uint64_t region_and_flags, const uint64_t *back)
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
		/* Of a recursion only the outermost call is timed, so few entries are needed. */
		t->shared->sums[region].entries++;
		return;
	}
	t->frames[t->n_frames++] = (struct frame){ .back = back, .region = region };
	begin(t, region);
}

static void left(uint64_t region_and_flags, const uint64_t *back)
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
	/* The return address lies above the frame pointer: no function that still runs has it. */
	drop_frames(t, (const uint64_t *)__builtin_frame_address(0) + 1, true);
	if (what == TP_HOOK_BEGIN)
		begin(t, region);
	else if (!end(t, region))
		__atomic_fetch_add(&tp_agent_shared->unbalanced, 1, __ATOMIC_RELAXED);
}

/*
 * --- MPI: a patch enters its functions, and they return through mpi_back. So their callers must
 * return in the usual way, as C and Fortran do ---
 */

void tp_native_mpi_back(void);
uint64_t tp_native_mpi_left(const uint64_t *back);

/* On entry the return address has been popped; rax, rdx and vectors hold the result. */
__asm__(".pushsection .text\n"
	".globl tp_native_mpi_back\n"
	".hidden tp_native_mpi_back\n"
	".type tp_native_mpi_back, @function\n"
	"tp_native_mpi_back:\n"
	"	sub $8, %rsp\n"
	"	mov %rsp, %rdi\n"
	"	push %rax\n"
	"	push %rdx\n"
	"	sub $8, %rsp\n"
	"	call tp_native_mpi_left\n"
	"	add $8, %rsp\n"
	"	mov %rax, 16(%rsp)\n"
	"	pop %rdx\n"
	"	pop %rax\n"
	"	ret\n"
	".size tp_native_mpi_back, . - tp_native_mpi_back\n"
	".popsection\n");

static void enter_mpi(const uint64_t *back, bool starts)
{
	struct native_thread *t = this_thread();

	if (!t)
		return;
	/* Calls further down the stack were left by a longjmp. */
	while (t->n_calls && t->calls[t->n_calls - 1].back <= back)
		t->n_calls--;
	if (t->n_calls == CALLS)
		return;
	t->calls[t->n_calls++] = (struct call){ back, *back, starts };
	*(uint64_t *)back = (uint64_t)tp_native_mpi_back;
	if (t->n_calls == 1)
		t->mpi_since_ns = now_ns();
}

static void mpi_entered(uint64_t unused __attribute__((unused)), const uint64_t *back)
{
	enter_mpi(back, false);
}

static void mpi_starts(uint64_t unused __attribute__((unused)), const uint64_t *back)
{
	enter_mpi(back, true);
}

/* The address to return to. */
__attribute__((used)) uint64_t tp_native_mpi_left(const uint64_t *back)
{
	struct tp_agent_shared *shared = tp_agent_shared;
	struct native_thread *t = own;
	const struct call *call;
	uint64_t now = now_ns();

	while (t->n_calls > 1 && t->calls[t->n_calls - 1].back != back)
		t->n_calls--;
	call = &t->calls[--t->n_calls];
	if (!t->n_calls)
		t->mpi_ns += now - t->mpi_since_ns;
	if (call->starts) {
		shared->mpi_ready_ns = t->mpi_since_ns = now;
		shared->mpi_ns = t->mpi_ns = 0;
	} else if (t->mpi_ns > shared->mpi_ns) {
		shared->mpi_ns = t->mpi_ns;
	}
	return call->returns;
}

/* --- the start, and objects that are loaded later --- */

static void find(void)
{
	struct tp_hooks *hooks = &native.hooks;
	unsigned first_mpi = hooks->n_mpi, first_start = hooks->n_mpi_starts;
	unsigned first = hooks_find(hooks, tp_agent_shared);

	tp_patch_functions(hooks, first, entered, left);
	tp_patch_entries(hooks->mpi + first_mpi, hooks->n_mpi - first_mpi, mpi_entered);
	tp_patch_entries(hooks->mpi_starts + first_start, hooks->n_mpi_starts - first_start,
			 mpi_starts);
}

static void objects_changed(void)
{
	if (is_here())
		find();
}

/*
 * execve(path, arguments, variables): the next image is timed as well. A child that is about to
 * execute something may be another process that still shares our memory.
 */
static void executes(uint64_t unused __attribute__((unused)), const uint64_t *back)
{
	uint64_t *rdx = (uint64_t *)back - 3;
	uint64_t *variables = tp_exec_variables((uint64_t)AT_FDCWD, back[-5], *rdx);
	uint32_t at = __atomic_fetch_add(&native.n_variables, 1, __ATOMIC_RELAXED) % VARIABLES;

	tp_exec_drop(__atomic_exchange_n(&native.variables[at], variables, __ATOMIC_RELAXED));
	if (variables)
		*rdx = (uint64_t)variables;
}

static void exits(uint64_t unused __attribute__((unused)),
		  const uint64_t *back __attribute__((unused)))
{
	/* A child of vfork uses its parent's place. */
	if (is_here() && (uint32_t)tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0) == tp_agent_shared->pid)
		tp_process_end();
}

void tp_native_start(void)
{
	native.here = tp_memory_map(0, 4096, PROT_READ | PROT_WRITE, 0);
	native.threads = tp_memory_map(0, TP_AGENT_THREADS * sizeof(*native.threads),
				       PROT_READ | PROT_WRITE, 0);
	/* Otherwise children would count as their parent. */
	if (!native.here || !native.threads ||
	    tp_sys_failed(
		    tp_sys(SYS_madvise, (uint64_t)native.here, 4096, MADV_WIPEONFORK, 0, 0, 0)))
		return;
	*native.here = 1;
	native.hooks.hook = hook;
	find();
	tp_patch_empty(native.hooks.changed, objects_changed);
	tp_patch_entries(&native.hooks.execve, 1, executes);
	tp_patch_entries(&native.hooks.exit, 1, exits);
}
