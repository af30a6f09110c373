/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regions: which one a thread counts for. The innermost that is open on the thread counts; a thread
 * without one counts for that of the main thread, so that a region around a parallel loop includes
 * its workers.
 *
 * Counters are not per region: when a thread changes from one to another, what was counted up to
 * then is added to the sums of the first.
 */
#include <sys/mman.h>

#include "agent/cache.h"
#include "agent/elf.h"
#include "agent/sys.h"

enum { FUNCTIONS = 512, OPEN = 512, RETURNS = 1024, NEAR = 8 * 1024 * 1024 };

struct open_region {
	uint32_t region;
	uint32_t nested; /* calls of the function within itself */
	uint64_t rsp, back; /* of a function: the address of its return address, and its value */
};

struct tp_regions {
	uint32_t depth, beyond; /* beyond: entries that found no room */
	uint32_t timed; /* 1 + the region whose clock runs; 0 = none */
	struct open_region open[OPEN];
	uint32_t entered[TP_AGENT_REGIONS]; /* how often it is in `open` */
	uint32_t n_returns;
	uint64_t returns[RETURNS]; /* hash: return addresses of functions that are regions */
};

static struct {
	uint32_t of_main; /* the region that the main thread has open */
} regions;

static struct {
	uint32_t n;
	struct {
		uint64_t pc;
		uint32_t region;
	} at[FUNCTIONS];
} functions;

static unsigned function_at(uint64_t pc)
{
	uint32_t n = __atomic_load_n(&functions.n, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++)
		if (functions.at[i].pc == pc)
			return functions.at[i].region;
	return 0;
}

static struct tp_regions *regions_of(struct tp_context *context)
{
	if (!context->regions)
		context->regions =
			tp_memory_map(0, sizeof(*context->regions), PROT_READ | PROT_WRITE, 0);
	return context->regions;
}

unsigned tp_region_of(const char *name)
{
	struct tp_agent_shared *shared = tp_agent_shared;
	unsigned i, n;

	tp_spin_lock(&tp_locks.regions);
	if (!shared->n_regions)
		shared->n_regions = 1;
	n = shared->n_regions;
	for (i = 1; i < n && i < TP_AGENT_REGIONS; i++) {
		const char *known = shared->regions[i];
		unsigned c = 0;

		while (c + 1 < TP_AGENT_NAME && name[c] && known[c] == name[c])
			c++;
		if (!known[c] && (!name[c] || c + 1 == TP_AGENT_NAME))
			break;
	}
	if (i >= TP_AGENT_REGIONS) {
		shared->lost_regions++;
		i = 0;
	} else if (i >= n) {
		for (unsigned c = 0; c + 1 < TP_AGENT_NAME && name[c]; c++)
			shared->regions[i][c] = name[c];
		shared->n_regions = i + 1;
	}
	tp_spin_unlock(&tp_locks.regions);
	return i;
}

/* From now on the thread counts for its open region. */
static void count_for_innermost(struct tp_agent_thread *thread, const struct tp_regions *of)
{
	uint32_t region = of && of->depth ? of->open[of->depth - 1].region : regions.of_main;

	if (region != thread->region)
		tp_counts_go_to(thread, region);
}

/* The clock of the innermost region runs, and all others stand still. */
static void time_innermost(struct tp_agent_thread *thread, struct tp_regions *of)
{
	uint32_t timed = of->depth ? 1 + of->open[of->depth - 1].region : 0;
	uint64_t now = timed == of->timed ? 0 : tp_now_ns();

	if (!now)
		return;
	if (of->timed) {
		struct tp_agent_sum *before = &thread->sums[of->timed - 1];

		before->time_ns += now - before->entered_ns;
		before->entered_ns = 0;
	}
	if (timed)
		thread->sums[timed - 1].entered_ns = now;
	of->timed = timed;
}

/* Threads without a region follow the main thread. */
static void lead(const struct tp_agent_thread *thread, const struct tp_regions *of)
{
	uint32_t region = of->depth ? of->open[of->depth - 1].region : 0;

	if (thread->tid != tp_agent_shared->pid || region == regions.of_main)
		return;
	regions.of_main = region;
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++) {
		struct tp_context *other = __atomic_load_n(&tp_contexts[i], __ATOMIC_ACQUIRE);

		if (other && other->shared != thread && !(other->regions && other->regions->depth))
			count_for_innermost(other->shared, other->regions);
	}
}

static void begin(struct tp_agent_thread *thread, struct tp_regions *of, unsigned region,
		  uint64_t rsp, uint64_t back)
{
	struct tp_agent_sum *sum = &thread->sums[region];

	sum->entries++;
	if (back && of->depth && of->open[of->depth - 1].region == region &&
	    of->open[of->depth - 1].back) {
		of->open[of->depth - 1].nested++;
		return;
	}
	if (of->depth == OPEN) {
		of->beyond++;
		return;
	}
	sum->open = ++of->entered[region];
	of->open[of->depth++] = (struct open_region){ .region = region, .rsp = rsp, .back = back };
	time_innermost(thread, of);
	lead(thread, of); /* first: a main thread without a region follows itself */
	count_for_innermost(thread, of);
}

/* Ends open[at], and counts its exits unless its thread ends. */
static void end(struct tp_agent_thread *thread, struct tp_regions *of, unsigned at, bool exits)
{
	struct open_region it = of->open[at];
	struct tp_agent_sum *sum = &thread->sums[it.region];

	for (unsigned i = at + 1; i < of->depth; i++)
		of->open[i - 1] = of->open[i];
	of->depth--;
	if (exits)
		sum->exits += 1 + it.nested;
	sum->open = --of->entered[it.region];
	time_innermost(thread, of);
	lead(thread, of); /* first: a main thread without a region follows itself */
	count_for_innermost(thread, of);
}

/* The innermost of that name that the program began itself. */
static void end_named(struct tp_agent_thread *thread, struct tp_regions *of, unsigned region)
{
	if (of->beyond) {
		of->beyond--;
		thread->sums[region].exits++;
		return;
	}
	for (unsigned i = of->depth; i-- > 0;) {
		if (of->open[i].region == region && !of->open[i].back) {
			end(thread, of, i, true);
			return;
		}
	}
	__atomic_fetch_add(&tp_agent_shared->unbalanced, 1, __ATOMIC_RELAXED);
}

static void region_enter(struct tp_context *context, unsigned region)
{
	struct tp_regions *of = regions_of(context);

	if (of)
		begin(context->shared, of, region % TP_AGENT_REGIONS, 0, 0);
}

static void region_leave(struct tp_context *context, unsigned region)
{
	struct tp_regions *of = regions_of(context);

	if (of)
		end_named(context->shared, of, region % TP_AGENT_REGIONS);
}

void tp_regions_thread(struct tp_context *context)
{
	struct tp_regions *of = regions_of(context);

	if (of)
		of->depth = of->beyond = 0;
	count_for_innermost(context->shared, of);
}

void tp_regions_forked(struct tp_context *context)
{
	const struct tp_regions *of = context->regions;

	/* Regions that were open are open in the child, too. */
	if (of && of->timed)
		context->shared->sums[of->timed - 1].entered_ns = tp_now_ns();
	regions.of_main = of && of->depth ? of->open[of->depth - 1].region : 0;
}

void tp_regions_end(struct tp_context *context)
{
	struct tp_regions *of = context->regions;

	while (of && of->depth) {
		__atomic_fetch_add(&tp_agent_shared->unended, 1, __ATOMIC_RELAXED);
		end(context->shared, of, of->depth - 1, false);
	}
}

/* --- stops: the program's code that begins or ends a region --- */

static void add_function(struct tp_context *context, uint64_t pc, unsigned region)
{
	if (function_at(pc) || functions.n == FUNCTIONS)
		return;
	functions.at[functions.n].pc = pc;
	functions.at[functions.n].region = region;
	__atomic_store_n(&functions.n, functions.n + 1, __ATOMIC_RELEASE);
	tp_agent_shared->function_found[region]++;
	if (context)
		tp_cache_stop_at(context, pc);
}

struct looking {
	const struct tp_elf *elf;
	struct tp_context *context;
};

static void take_function(void *context, const Elf64_Sym *symbol, const char *name)
{
	const struct looking *l = context;
	const struct tp_agent_shared *shared = tp_agent_shared;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || tp_symbol_is_part(name))
		return;
	for (unsigned i = 1; i <= shared->n_functions && i < TP_AGENT_REGIONS; i++)
		if (tp_symbol_is(name, shared->regions[i]))
			add_function(l->context, l->elf->bias + symbol->st_value, i);
}

void tp_region_functions(const struct tp_elf *elf, struct tp_context *context)
{
	struct looking l = { .elf = elf, .context = context };

	if (tp_agent_shared->n_functions)
		tp_elf_symbols(elf, take_function, &l);
}

static bool returned_to(const struct tp_regions *of, uint64_t pc)
{
	if (!of || !of->n_returns)
		return false;
	for (uint64_t i = pc % RETURNS; of->returns[i]; i = (i + 1) % RETURNS)
		if (of->returns[i] == pc)
			return true;
	return false;
}

/* True if it is new. */
static bool note_return(struct tp_regions *of, uint64_t pc)
{
	uint64_t i = pc % RETURNS;

	if (returned_to(of, pc) || of->n_returns > RETURNS / 2)
		return false;
	while (of->returns[i])
		i = (i + 1) % RETURNS;
	of->returns[i] = pc;
	of->n_returns++;
	return true;
}

bool tp_region_stop(const struct tp_context *context, uint64_t pc)
{
	return pc == (uint64_t)tp_region_hook || function_at(pc) ||
	       returned_to(context->regions, pc);
}

static void hooked(struct tp_context *context)
{
	const uint64_t *gpr = context->gpr;
	unsigned region = tp_region_of((const char *)gpr[TP_RSI]);

	if (gpr[TP_RDI] == 1)
		region_enter(context, region);
	else
		region_leave(context, region);
	context->pc = *(const uint64_t *)gpr[TP_RSP];
	context->gpr[TP_RSP] += 8;
}

void tp_region_stopped(struct tp_context *context)
{
	struct tp_regions *of = regions_of(context);
	uint64_t rsp = context->gpr[TP_RSP], back;
	unsigned region = function_at(context->pc);
	bool marks = context->pc == (uint64_t)tp_region_hook;

	/* Functions that returned, or that a longjmp or an exception left. */
	while (of && of->depth) {
		const struct open_region *top = &of->open[of->depth - 1];

		if (!top->back || rsp < top->rsp + !marks || rsp - top->rsp > NEAR)
			break;
		end(context->shared, of, of->depth - 1, true);
	}
	if (marks) {
		hooked(context);
		return;
	}
	if (!of || !region)
		return;
	back = *(const uint64_t *)rsp;
	begin(context->shared, of, region, rsp, back);
	if (note_return(of, back))
		tp_cache_stop_at(context, back);
}

/*
 * Programs call this. In the cache it does not run: tp_region_stopped does its work, and its
 * instructions are not counted.
 */
void tp_region_hook(int what __attribute__((unused)), const char *name __attribute__((unused)))
{
}
