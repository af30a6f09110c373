/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "agent/elf.h"
#include "agent/sys.h"

/*
 * --- which addresses hold code: from the kernel's list of mappings, because reading the memory
 * itself could fault inside the agent. The list is kept until mappings change. ---
 */

/* Out of descriptors, or no /proc: accept a page that can be read, but treat it as changeable. */
static bool ask_by_reading(uint64_t pc, struct tp_range *range)
{
	uint8_t byte;
	struct iovec here = { &byte, 1 }, there = { (void *)pc, 1 };
	int64_t pid = tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);

	*range = (struct tp_range){ pc & ~4095ull, (pc & ~4095ull) + 4096, true };
	return tp_sys(SYS_process_vm_readv, (uint64_t)pid, (uint64_t)&here, 1, (uint64_t)&there, 1,
		      0) == 1;
}

struct wanted {
	uint64_t pc;
	struct tp_range *range;
	bool found;
};

static bool take_mapping(void *context, const struct tp_mapping *m)
{
	struct wanted *w = context;

	w->found = m->readable && m->executable && w->pc >= m->start && w->pc < m->end;
	if (w->found)
		*w->range = (struct tp_range){ m->start, m->end, m->writable || m->shared };
	return !w->found;
}

/* The executable mapping with pc. */
static bool ask(uint64_t pc, struct tp_range *range)
{
	struct wanted w = { .pc = pc, .range = range };

	return tp_maps_walk(take_mapping, &w) ? w.found : ask_by_reading(pc, range);
}

static const struct tp_range *known(struct tp_code_cache *cache, uint64_t pc)
{
	unsigned n = cache->n_readable;

	/* Usually the same one as last time. */
	for (unsigned k = 0, i = cache->last_readable; k < n; k++, i++) {
		const struct tp_range *range = &cache->readable[i < n ? i : i % n];

		if (pc < range->start || pc >= range->end)
			continue;
		cache->last_readable = (unsigned)(range - cache->readable);
		return range;
	}
	return NULL;
}

static const struct tp_range *range_of(struct tp_code_cache *cache, uint64_t pc)
{
	const struct tp_range *range = known(cache, pc);
	struct tp_range new;

	if (range || !ask(pc, &new))
		return range;
	if (cache->n_readable == TP_READABLE_RANGES)
		cache->n_readable = 0;
	cache->readable[cache->n_readable] = new;
	return &cache->readable[cache->n_readable++];
}

unsigned tp_readable_code(struct tp_code_cache *cache, uint64_t pc, unsigned most)
{
	const struct tp_range *range = range_of(cache, pc);
	uint64_t end;

	if (!range)
		return 0;
	end = range->end;
	if (end - pc < most) {
		range = range_of(cache, end); /* an instruction may continue in the next mapping */
		if (!range)
			return (unsigned)(end - pc);
	}
	return most;
}

bool tp_readable_writable(struct tp_code_cache *cache, uint64_t pc)
{
	const struct tp_range *range = known(cache, pc);

	return range && range->writable;
}

/* --- which program address a thread stopped at in its cache corresponds to --- */

bool tp_cache_holds(const struct tp_context *context, uint64_t rip)
{
	const struct tp_code_cache *cache = context->cache;

	return rip >= (uint64_t)cache->region + TP_CACHE_STUBS_AT && rip < (uint64_t)cache->end;
}

/* The last block that begins at or before offset `at`; NULL = none. */
static const struct tp_basic_block *block_at(const struct tp_code_cache *cache, uint64_t at)
{
	uint32_t low = 0, high = cache->n_blocks;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (cache->blocks[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || at >= cache->blocks[low - 1].end)
		return NULL;
	return &cache->blocks[low - 1];
}

static bool in_code(const struct tp_code_cache *cache, const struct tp_basic_block *block,
		    uint64_t at, struct tp_cache_state *state)
{
	for (unsigned i = 0; i < block->n_boundaries; i++) {
		const struct tp_boundary *b = &cache->boundaries[block->first_boundary + i];

		if (block->start + b->at != at)
			continue;
		state->pc = block->pc + b->pc;
		for (unsigned s = 0; s < 2; s++) {
			if (b->spilled[s] < 0)
				continue;
			state->spilled[state->n_spilled].reg = b->spilled[s];
			state->spilled[state->n_spilled++].slot = b->slots[s];
		}
		return true;
	}
	return false;
}

bool tp_cache_state(const struct tp_context *context, uint64_t rip, struct tp_cache_state *state)
{
	const struct tp_code_cache *cache = context->cache;
	const struct tp_basic_block *block;
	uint64_t at = rip - (uint64_t)cache->region;

	state->n_spilled = 0;
	if (!tp_cache_holds(context, rip))
		return false;
	if (rip == (uint64_t)context->syscall || rip == (uint64_t)context->syscall_end) {
		/* The program's pc is that of its syscall, a two-byte instruction. */
		state->pc = context->pc + (rip == (uint64_t)context->syscall_end ? 2 : 0);
		return true;
	}
	block = block_at(cache, at);
	if (!block)
		return false;
	if (at < block->stubs)
		return in_code(cache, block, at, state);
	at -= block->stubs;
	if (at / TP_CACHE_EXIT_BYTES >= block->n_exits ||
	    (at % TP_CACHE_EXIT_BYTES != 0 && at % TP_CACHE_EXIT_BYTES != 10))
		return false;
	state->pc = cache->exits[block->first_exit + at / TP_CACHE_EXIT_BYTES].pc;
	return true;
}

/*
 * Generated code between the cache and the agent, at the beginning of a thread's region. A signal
 * may come at any of these instructions: context.h says what the order means.
 */

static void bytes(struct tp_emit *e, const char *hex_bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		tp_emit_1(e, (uint8_t)hex_bytes[i]);
}

#define BYTES(e, text) bytes(e, text, sizeof(text) - 1)

/* push or pop of [at] */
static void stack_memory(struct tp_emit *e, bool push, const void *at)
{
	tp_emit_1(e, push ? 0xff : 0x8f);
	tp_emit_1(e, push ? 0x35 : 0x05);
	tp_emit_relative(e, at, 0);
}

/* lea rdi, [context] */
static void context_to_rdi(struct tp_emit *e, const struct tp_context *context)
{
	BYTES(e, "\x48\x8d\x3d");
	tp_emit_relative(e, context, 0);
}

/* Switch rsp to the agent's stack; set the flags that C expects. */
static void to_agent(struct tp_emit *e, struct tp_context *context)
{
	tp_emit_load(e, TP_RSP, &context->stack);
}

static void clean_flags(struct tp_emit *e)
{
	BYTES(e, "\x6a\x02\x9d"); /* push 2; popfq */
}

static void flags_of_program(struct tp_emit *e, struct tp_context *context)
{
	stack_memory(e, true, &context->flags);
	tp_emit_1(e, 0x9d);
}

/* Save all registers in the context, then go on in C. */
static uint8_t *emit_enter(struct tp_emit *e, struct tp_context *context,
			   const struct tp_calls *calls)
{
	uint8_t *start = e->at;

	for (unsigned i = 0; i < 16; i++)
		tp_emit_store(e, &context->gpr[i], i);
	to_agent(e, context);
	tp_emit_1(e, 0x9c); /* pushfq */
	stack_memory(e, false, &context->flags);
	clean_flags(e);
	context_to_rdi(e, context);
	tp_emit_call(e, (const void *)calls->enter);
	tp_emit_1(e, 0xe9); /* fall through into leave, which follows */
	tp_emit_4(e, 0);
	return start;
}

static void emit_leave(struct tp_emit *e, struct tp_context *context, const struct tp_calls *calls)
{
	uint8_t *none, *back;

	context->leave = e->at;
	flags_of_program(e, context);
	tp_emit_load(e, TP_RSP, &context->gpr[TP_RSP]);
	tp_emit_load(e, TP_RCX, &context->pending);
	context->leave_tested = e->at;
	BYTES(e, "\xe3\x05"); /* jrcxz over the jump */
	none = e->at + 5;
	back = tp_emit_jump(e, e->at);
	for (unsigned i = 0; i < 16; i++)
		if (i != TP_RSP)
			tp_emit_load(e, i, &context->gpr[i]);
	tp_emit_1(e, 0xff);
	tp_emit_1(e, 0x25);
	tp_emit_relative(e, &context->target, 0);

	tp_emit_patch(back, e->at);
	to_agent(e, context);
	clean_flags(e);
	context_to_rdi(e, context);
	tp_emit_call(e, (const void *)calls->requeue);
	flags_of_program(e, context);
	tp_emit_load(e, TP_RSP, &context->gpr[TP_RSP]);
	tp_emit_constant(e, TP_RAX, SYS_rt_sigprocmask);
	tp_emit_constant(e, TP_RDI, 2); /* SIG_SETMASK */
	BYTES(e, "\x48\x8d\x35"); /* lea rsi, */
	tp_emit_relative(e, &context->leave_mask, 0);
	tp_emit_constant(e, TP_RDX, 0);
	tp_emit_constant(e, 10, 8);
	context->leave_unblock = e->at;
	BYTES(e, "\x0f\x05");
	tp_emit_jump(e, none);
	context->leave_end = e->at;
}

static uint8_t *emit_reason(struct tp_emit *e, struct tp_context *context, unsigned reason,
			    const uint8_t *enter)
{
	uint8_t *start = e->at;

	tp_emit_store_4(e, &context->reason, reason);
	tp_emit_jump(e, enter);
	return start;
}

static void stubs_emit(struct tp_code_cache *cache)
{
	struct tp_context *context = cache->context;
	struct tp_emit e = { cache->region + TP_CACHE_STUBS_AT };
	uint8_t *enter = emit_enter(&e, context, &cache->calls);

	emit_leave(&e, context, &cache->calls);
	for (unsigned i = 0; i < TP_REASON_N; i++)
		cache->enter[i] = emit_reason(&e, context, i, enter);
	cache->miss = e.at;
	tp_emit_store(&e, &context->pc, TP_RAX);
	tp_emit_load(&e, TP_RCX, &context->spills[TP_SLOT_RCX]);
	tp_emit_load(&e, TP_RAX, &context->spills[TP_SLOT_RAX]);
	tp_emit_jump(&e, cache->enter[TP_REASON_INDIRECT]);
	context->syscall = e.at;
	BYTES(&e, "\x0f\x05");
	context->syscall_end = e.at;
	tp_emit_jump(&e, cache->enter[TP_REASON_SYSCALL_DONE]);
}

/* --- counts --- */

/* The caller holds the lock of the thread. */
static void settle(struct tp_agent_thread *thread)
{
	struct tp_agent_sum *sum = &thread->sums[thread->region % TP_AGENT_REGIONS];
	uint32_t n = __atomic_load_n(&thread->n_counters, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n && i < TP_AGENT_COUNTERS; i++) {
		uint64_t now = __atomic_load_n(&thread->counts[i], __ATOMIC_RELAXED);
		uint64_t more = now - thread->settled[i];

		if (!more)
			continue;
		thread->settled[i] = now;
		for (unsigned m = 0; m < TP_MIX_N; m++)
			sum->mix[m] += more * thread->units[i].add[m];
	}
}

void tp_counts_settle(struct tp_agent_thread *thread)
{
	tp_spin_lock(&thread->lock);
	settle(thread);
	tp_spin_unlock(&thread->lock);
}

void tp_counts_go_to(struct tp_agent_thread *thread, uint32_t region)
{
	tp_spin_lock(&thread->lock);
	settle(thread);
	__atomic_store_n(&thread->region, region, __ATOMIC_RELAXED);
	tp_spin_unlock(&thread->lock);
}

void tp_counts_settle_all(void)
{
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++) {
		struct tp_context *other = __atomic_load_n(&tp_contexts[i], __ATOMIC_ACQUIRE);

		if (other)
			tp_counts_settle(other->shared);
	}
}

/* --- threads --- */

struct tp_context *tp_context_of(uint32_t tid)
{
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++) {
		struct tp_context *context = __atomic_load_n(&tp_contexts[i], __ATOMIC_ACQUIRE);

		if (context && __atomic_load_n(&context->tid, __ATOMIC_RELAXED) == tid)
			return context;
	}
	return NULL;
}

struct tp_context *tp_context_here(void)
{
	/* A child that is not followed shares or copies our memory, but has another thread id. */
	if (!tp_agent_shared)
		return NULL;
	return tp_context_of((uint32_t)tp_sys(SYS_gettid, 0, 0, 0, 0, 0, 0));
}

enum {
	PAGE = 4096,
	CHUNK_PAGES = 512,
	NO_REPLACE = 0x100000 /* MAP_FIXED_NOREPLACE */,
	GUARD = 64 * 1024,
	DROPPED_OTHERS = 16,
};

struct tp_context *tp_contexts[TP_AGENT_THREADS];

static uint64_t up_to_page(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* Just below the program's own code: there is room, and nothing grows into it. */
static uint8_t *map_near(uint64_t bytes)
{
	const int protection = PROT_READ | PROT_WRITE | PROT_EXEC;

	if (tp_program_base >> 32)
		for (unsigned i = 1; i <= 40; i++) {
			uint64_t where = (tp_program_base - i * (bytes + PAGE)) & ~(PAGE - 1ull);
			void *at = tp_memory_map(where, bytes, protection, NO_REPLACE);

			if ((uint64_t)at == where)
				return at;
			if (at)
				tp_sys(SYS_munmap, (uint64_t)at, bytes, 0, 0, 0, 0);
		}
	return tp_memory_map(0, bytes, protection, 0);
}

static uint64_t bytes_of_counts(void)
{
	return up_to_page(sizeof(tp_agent_shared->threads[0].counts)) + PAGE;
}

bool tp_cache_map_counts(struct tp_code_cache *cache)
{
	uint64_t counts = (uint64_t)cache->context->shared->counts, bytes = bytes_of_counts();
	uint64_t start = counts & ~(PAGE - 1ull);
	uint8_t *where = cache->end;

	/* An old size of 0 maps the same pages of a shared file a second time. */
	if (tp_sys_failed(tp_sys(SYS_mremap, start, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
				 (uint64_t)where, 0)))
		return false;
	cache->counts = (uint64_t *)(where + (counts - start));
	return true;
}

static void *part(uint8_t **next, uint64_t bytes)
{
	uint8_t *at = *next;

	*next += up_to_page(bytes);
	return at;
}

static uint64_t bytes_of_trace(void)
{
	if (tp_agent_shared->mode != TP_AGENT_TRACE)
		return 0;
	return up_to_page(TP_CACHE_ACCESSES * sizeof(struct tp_trace_access)) +
	       up_to_page(TP_AGENT_COUNTERS * sizeof(struct tp_traced)) +
	       up_to_page((TP_TRACE_WORDS + TP_BLOCK_TRACE_WORDS) * sizeof(uint64_t));
}

static uint64_t bytes_of_tables(void)
{
	return bytes_of_trace() + up_to_page(sizeof(struct tp_code_cache)) +
	       up_to_page(TP_CACHE_HASH * sizeof(uint32_t)) +
	       up_to_page(TP_CACHE_BLOCKS * sizeof(struct tp_basic_block)) +
	       up_to_page(TP_CACHE_EXITS * sizeof(struct tp_exit)) +
	       up_to_page(TP_CACHE_BOUNDARIES * sizeof(struct tp_boundary)) + GUARD +
	       TP_AGENT_STACK_BYTES;
}

/* Tables below 2 GB: their address is part of the jumps. */
static uint64_t *map_targets(void)
{
	uint64_t bytes = TP_CACHE_TARGETS * sizeof(uint64_t);
	void *at = tp_memory_map(0, bytes, PROT_READ | PROT_WRITE, MAP_32BIT);

	if (at && (uint64_t)at + bytes > INT32_MAX) {
		tp_sys(SYS_munmap, (uint64_t)at, bytes, 0, 0, 0, 0);
		return NULL;
	}
	return at;
}

struct tp_context *tp_context_new(const struct tp_calls *calls)
{
	uint32_t slot = __atomic_fetch_add(&tp_agent_shared->n_threads, 1, __ATOMIC_RELAXED);
	uint64_t bytes = TP_CACHE_CODE_AT + TP_CACHE_CODE_BYTES + bytes_of_counts();
	struct tp_context *context;
	struct tp_code_cache *cache;
	uint8_t *tables, *next, *region;

	if (slot >= TP_AGENT_THREADS) {
		__atomic_fetch_sub(&tp_agent_shared->n_threads, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	tables = tp_memory_map(0, bytes_of_tables(), PROT_READ | PROT_WRITE, 0);
	region = map_near(bytes);
	if (!tables || !region)
		goto failed;
	next = tables;
	cache = part(&next, sizeof(*cache));
	cache->hash = part(&next, TP_CACHE_HASH * sizeof(uint32_t));
	cache->blocks = part(&next, TP_CACHE_BLOCKS * sizeof(struct tp_basic_block));
	cache->exits = part(&next, TP_CACHE_EXITS * sizeof(struct tp_exit));
	cache->boundaries = part(&next, TP_CACHE_BOUNDARIES * sizeof(struct tp_boundary));
	context = (struct tp_context *)region;
	cache->context = context;
	cache->calls = *calls;
	if (tp_agent_shared->mode == TP_AGENT_TRACE) {
		cache->accesses = part(&next, TP_CACHE_ACCESSES * sizeof(struct tp_trace_access));
		cache->traced = part(&next, TP_AGENT_COUNTERS * sizeof(struct tp_traced));
		cache->trace_buffer =
			part(&next, (TP_TRACE_WORDS + TP_BLOCK_TRACE_WORDS) * sizeof(uint64_t));
		cache->context->trace_next = (uint64_t)cache->trace_buffer;
		cache->context->trace_end = (uint64_t)(cache->trace_buffer + TP_TRACE_WORDS);
	}
	tp_sys(SYS_mprotect, (uint64_t)next, GUARD, PROT_NONE, 0, 0, 0);
	context->stack = next + GUARD + TP_AGENT_STACK_BYTES;
	context->slot = slot;
	context->shared = &tp_agent_shared->threads[slot];
	context->cache = cache;
	cache->region = region;
	cache->code = region + TP_CACHE_CODE_AT;
	cache->end = cache->code + TP_CACHE_CODE_BYTES;
	cache->targets = map_targets();
	if (!cache->targets || !tp_cache_map_counts(cache))
		goto failed;
	stubs_emit(cache);
	cache->next = cache->code;
	tp_cache_forget_targets(cache);
	ZydisDecoderInit(&cache->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	__atomic_store_n(&tp_contexts[slot], context, __ATOMIC_RELEASE);
	return context;
failed:
	if (tables)
		tp_sys(SYS_munmap, (uint64_t)tables, bytes_of_tables(), 0, 0, 0, 0);
	if (region)
		tp_sys(SYS_munmap, (uint64_t)region, bytes, 0, 0, 0, 0);
	return NULL;
}

static uint32_t hash(uint64_t pc)
{
	return (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 45); /* 19 bits */
}

struct tp_basic_block *tp_cache_find(struct tp_code_cache *cache, uint64_t pc)
{
	for (uint32_t i = hash(pc);; i = (i + 1) % TP_CACHE_HASH) {
		if (!cache->hash[i])
			return NULL;
		if (cache->blocks[cache->hash[i] - 1].pc == pc)
			return &cache->blocks[cache->hash[i] - 1];
	}
}

uint64_t tp_code_sum(uint64_t pc, unsigned bytes)
{
	const uint8_t *code = (const uint8_t *)pc;
	uint64_t sum = 0, word;

	for (; bytes >= 8; bytes -= 8, code += sizeof(word)) {
		__builtin_memcpy(&word, code, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
		sum ^= sum >> 32;
	}
	for (; bytes > 0; bytes--)
		sum = (sum ^ *code++) * 0x9e3779b97f4a7c15ull;
	return sum;
}

struct tp_basic_block *tp_cache_current(struct tp_code_cache *cache, uint64_t pc)
{
	struct tp_basic_block *block = tp_cache_find(cache, pc);

	if (!block || !block->writable ||
	    (tp_readable_code(cache, pc, block->bytes) == block->bytes &&
	     tp_code_sum(pc, block->bytes) == block->sum))
		return block;
	block->pc = 0; /* no lookup finds it any more */
	cache->n_changed++;
	return NULL;
}

void tp_cache_make_room(struct tp_context *context)
{
	const struct tp_code_cache *cache = context->cache;

	if (cache->end - cache->next < TP_BLOCK_ROOM ||
	    context->shared->n_counters + TP_BLOCK_INSTRUCTIONS + 1 > TP_AGENT_COUNTERS ||
	    cache->n_blocks + 1 > TP_CACHE_BLOCKS ||
	    cache->n_accesses + TP_BLOCK_TRACE_WORDS > TP_CACHE_ACCESSES ||
	    cache->n_exits + 8 > TP_CACHE_EXITS ||
	    cache->n_boundaries + 6 * TP_BLOCK_INSTRUCTIONS > TP_CACHE_BOUNDARIES)
		tp_cache_flush(context);
}

void tp_cache_add(struct tp_code_cache *cache, const struct tp_basic_block *block)
{
	uint32_t i = hash(block->pc);

	while (cache->hash[i] && cache->blocks[cache->hash[i] - 1].pc)
		i = (i + 1) % TP_CACHE_HASH; /* a discarded block leaves its place unused */
	cache->hash[i] = (uint32_t)(block - cache->blocks) + 1;
}

void tp_cache_land(struct tp_code_cache *cache, const struct tp_basic_block *block)
{
	uint64_t *target = &cache->targets[block->pc & (TP_CACHE_TARGETS - 1)];
	struct tp_emit e = { cache->next };
	uint8_t *other;

	if (cache->end - cache->next < TP_BLOCK_ROOM)
		return; /* the next block flushes */
	/* rax is the target: movabs rcx, -pc; lea rcx, [rcx + rax]; jrcxz over the jump */
	tp_emit_constant(&e, TP_RCX, -block->pc);
	tp_emit_lea(&e, TP_RCX, TP_RCX, TP_RAX, 0);
	tp_emit_1(&e, 0xe3);
	tp_emit_1(&e, 5);
	other = tp_emit_jump(&e, e.at);
	tp_emit_patch(other, (const void *)*target);
	tp_emit_load(&e, TP_RCX, &cache->context->spills[TP_SLOT_RCX]);
	tp_emit_load(&e, TP_RAX, &cache->context->spills[TP_SLOT_RAX]);
	tp_emit_jump(&e, cache->region + block->start);
	__atomic_store_n(target, (uint64_t)cache->next, __ATOMIC_RELEASE);
	cache->next = e.at;
}

/* Another thread may do this, too: each store is a whole address. */
void tp_cache_forget_targets(struct tp_code_cache *cache)
{
	for (unsigned i = 0; i < TP_CACHE_TARGETS; i++)
		__atomic_store_n(&cache->targets[i], (uint64_t)cache->miss, __ATOMIC_RELAXED);
}

void tp_cache_drain(struct tp_context *context)
{
	const struct tp_code_cache *cache = context->cache;
	uint64_t start = (uint64_t)cache->trace_buffer;

	if (!start || context->trace_next == start)
		return;
	tp_trace_drain(context, cache->traced, cache->accesses, cache->trace_buffer,
		       (context->trace_next - start) / sizeof(uint64_t));
	context->trace_next = start;
}

void tp_cache_flush(struct tp_context *context)
{
	struct tp_code_cache *cache = context->cache;
	struct tp_agent_thread *shared = context->shared;

	__atomic_store_n(&context->flush_wanted, 0, __ATOMIC_SEQ_CST);
	tp_cache_drain(context);
	if (cache->traced)
		memset(cache->traced, 0, shared->n_counters * sizeof(cache->traced[0]));
	cache->n_accesses = 0;
	/* The same, for a thread whose counters are gone. Only the thread itself calls this. */
	uint32_t n = shared->n_counters;
	/* The main thread settles the counts of others, too, when it changes its region. */
	tp_spin_lock(&shared->lock);
	settle(shared);
	memset(shared->units, 0, n * sizeof(shared->units[0]));
	memset(shared->counts, 0, n * sizeof(shared->counts[0]));
	memset(shared->settled, 0, n * sizeof(shared->settled[0]));
	shared->n_counters = 0;
	tp_spin_unlock(&shared->lock);
	memset(cache->hash, 0, TP_CACHE_HASH * sizeof(cache->hash[0]));
	memset(cache->pages, 0, sizeof(cache->pages));
	cache->n_pages = cache->n_chunks = 0;
	cache->n_blocks = cache->n_exits = cache->n_boundaries = 0;
	cache->n_readable = 0;
	cache->next = cache->code;
	cache->generation++;
	tp_cache_forget_targets(cache);
	__atomic_fetch_add(&tp_agent_shared->flushes, 1, __ATOMIC_RELAXED);
}

static uint64_t page_at(uint64_t page)
{
	return (page * 0x9e3779b97f4a7c15ull) >> 32 & (TP_CACHE_PAGES - 1);
}

static void note_chunk(struct tp_code_cache *cache, uint64_t chunk)
{
	for (unsigned i = 0; i < cache->n_chunks; i++)
		if (cache->chunks[i] == chunk)
			return;
	if (cache->n_chunks < TP_CACHE_CHUNKS)
		cache->chunks[cache->n_chunks++] = chunk;
	else
		cache->n_pages = TP_CACHE_PAGES;
}

void tp_cache_note_page(struct tp_code_cache *cache, uint64_t pc)
{
	uint64_t page = pc / PAGE;

	if (cache->n_pages > TP_CACHE_PAGES / 2)
		return; /* too many to list: every page counts as changed */
	for (uint64_t i = page_at(page);; i = (i + 1) % TP_CACHE_PAGES) {
		if (cache->pages[i] == page)
			return;
		if (!cache->pages[i]) {
			cache->pages[i] = page;
			cache->n_pages++;
			note_chunk(cache, page / CHUNK_PAGES);
			return;
		}
	}
}

static bool has_page(const struct tp_code_cache *cache, uint64_t page)
{
	for (uint64_t i = page_at(page); cache->pages[i]; i = (i + 1) % TP_CACHE_PAGES)
		if (cache->pages[i] == page)
			return true;
	return false;
}

/* Another thread may add pages at the same time; they are handled here or the next time. */
static bool has_pages(const struct tp_code_cache *cache, uint64_t start, uint64_t end)
{
	if (cache->n_pages > TP_CACHE_PAGES / 2)
		return true;
	for (unsigned i = 0; i < cache->n_chunks; i++) {
		uint64_t from = cache->chunks[i] * CHUNK_PAGES * PAGE;
		uint64_t to = from + CHUNK_PAGES * PAGE;

		from = from > start ? from : start & ~(PAGE - 1ull);
		to = to < end ? to : end;
		for (uint64_t at = from; at < to; at += PAGE)
			if (has_page(cache, at / PAGE))
				return true;
	}
	return false;
}

bool tp_cache_has_code(uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++) {
		const struct tp_context *other = __atomic_load_n(&tp_contexts[i], __ATOMIC_ACQUIRE);

		if (other && has_pages(other->cache, start, end))
			return true;
	}
	return false;
}

static bool is_made_of(const struct tp_basic_block *block, uint64_t start, uint64_t end)
{
	return block->pc < end && block->pc + block->bytes > start;
}

/* Whether some jump depends on the code there: it may have been read to find dead flags. */
static bool leads_to(const struct tp_code_cache *cache, const struct tp_basic_block *block,
		     uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < block->n_exits; i++) {
		const struct tp_exit *x = &cache->exits[block->first_exit + i];

		if (x->reason == TP_REASON_LINK && x->pc < end && x->pc + TP_LIVENESS_BYTES > start)
			return true;
	}
	return false;
}

/* What is dropped: blocks of [start, end), and those that depend on them. */
struct dropped {
	uint64_t start, end;
	uint64_t others[DROPPED_OTHERS];
	unsigned n;
};

static bool is_dropped(const struct dropped *dropped, uint64_t pc)
{
	if (pc < dropped->end && pc + TP_BLOCK_INSTRUCTIONS * 15 > dropped->start)
		return true;
	for (unsigned i = 0; i < dropped->n; i++)
		if (dropped->others[i] == pc)
			return true;
	return false;
}

/* Unlink direct jumps of the remaining blocks: they go to their exits again. */
static void cut_links(const struct tp_code_cache *cache, const struct dropped *dropped)
{
	for (uint32_t b = 0; b < cache->n_blocks; b++) {
		const struct tp_basic_block *block = &cache->blocks[b];

		for (unsigned i = 0; block->pc && i < block->n_exits; i++) {
			const struct tp_exit *x = &cache->exits[block->first_exit + i];

			if (x->patch && x->reason == TP_REASON_LINK && is_dropped(dropped, x->pc))
				tp_emit_patch(cache->region + x->patch,
					      cache->region + block->stubs +
						      i * TP_CACHE_EXIT_BYTES);
		}
	}
}

/* Their counts are already in the sums; other code at these addresses gets its own. */
static void drop_counters(struct tp_context *context, uint64_t start, uint64_t end)
{
	struct tp_agent_thread *shared = context->shared;

	tp_cache_drain(context);
	tp_spin_lock(&shared->lock);
	settle(shared);
	for (uint32_t i = 0; i < shared->n_counters; i++) {
		if (shared->units[i].pc < start || shared->units[i].pc >= end)
			continue;
		shared->units[i] = (struct tp_agent_unit){ 0 };
		shared->counts[i] = shared->settled[i] = 0;
	}
	tp_spin_unlock(&shared->lock);
}

/*
 * Discards only what was made from [start, end) or depends on it, so that a program that loads and
 * unloads modules by the hundred does not translate everything again each time.
 */
static void drop(struct tp_context *context, uint64_t start, uint64_t end)
{
	struct tp_code_cache *cache = context->cache;
	struct dropped dropped = { .start = start, .end = end };
	uint32_t n = 0;

	for (uint32_t b = 0; b < cache->n_blocks; b++) {
		struct tp_basic_block *block = &cache->blocks[b];
		bool inside = is_made_of(block, start, end);

		if (!block->pc || (!inside && !leads_to(cache, block, start, end)))
			continue;
		if (!inside && dropped.n == DROPPED_OTHERS) {
			tp_cache_flush(context);
			return;
		}
		if (!inside)
			dropped.others[dropped.n++] = block->pc;
		__atomic_store_n(&cache->targets[block->pc & (TP_CACHE_TARGETS - 1)],
				 (uint64_t)cache->miss, __ATOMIC_RELEASE);
		block->pc = 0; /* no lookup finds it */
		n++;
	}
	if (!n)
		return;
	cut_links(cache, &dropped);
	drop_counters(context, start, end);
	cache->generation++;
}

static void forget_readable(struct tp_code_cache *cache, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < cache->n_readable; i++)
		if (cache->readable[i].start < end && cache->readable[i].end > start)
			__atomic_store_n(&cache->n_readable, 0, __ATOMIC_RELAXED);
}

void tp_cache_code_changed(struct tp_context *context, uint64_t start, uint64_t end)
{
	start &= ~(PAGE - 1ull);
	end = up_to_page(end);
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++) {
		struct tp_context *other = __atomic_load_n(&tp_contexts[i], __ATOMIC_ACQUIRE);

		if (!other)
			continue;
		forget_readable(other->cache, start, end);
		if (!has_pages(other->cache, start, end))
			continue;
		if (other == context) {
			drop(context, start, end);
			continue;
		}
		__atomic_store_n(&other->flush_wanted, 1, __ATOMIC_SEQ_CST);
		tp_cache_forget_targets(other->cache);
	}
}

void tp_cache_stop_at(struct tp_context *context, uint64_t pc)
{
	if (tp_cache_find(context->cache, pc))
		tp_cache_flush(context);
}
