/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code cache of a thread: its blocks, their exits, and how indirect jumps find them. Private to
 * src/agent.
 *
 * A region lies within 2 GB of the program's own code if there is room:
 *
 *     context | stubs | code of blocks | counts of the thread's slot of the shared file
 *
 * Indirect jumps look up the lower 16 bits of the target, in rax, in a table of addresses below
 * 2 GB (the address is in the instruction). They find a landing, code that compares the whole
 * target with the one it was made for, restores rax and rcx and goes to the block, or else to the
 * next landing of the same 16 bits; the last one leaves for the agent. Nothing of that changes
 * flags.
 */
#ifndef TPROF_AGENT_CACHE_H
#define TPROF_AGENT_CACHE_H

#include <Zydis/Zydis.h>

#include "agent/context.h"
#include "agent/emit.h"
#include "agent/trace.h"

enum {
	TP_CACHE_CODE_BYTES = 32 * 1024 * 1024,
	TP_CACHE_STUBS_AT = 16 * 1024, /* after the context, on separate pages */
	TP_CACHE_CODE_AT = 24 * 1024,
	TP_CACHE_BLOCKS = TP_AGENT_COUNTERS,
	TP_CACHE_HASH = 1 << 19,
	TP_CACHE_EXITS = 3 * TP_CACHE_BLOCKS,
	TP_CACHE_ACCESSES = 4 * TP_CACHE_BLOCKS,
	TP_CACHE_BOUNDARIES = 8 * TP_CACHE_BLOCKS,
	TP_CACHE_TARGETS = 1 << 16,
	TP_CACHE_PAGES = 1 << 15, /* hash of pages that hold translated code */
	TP_CACHE_CHUNKS = 256, /* of 2 MB each, in which these pages lie */
	TP_CACHE_EXIT_BYTES = 15,
	TP_BLOCK_INSTRUCTIONS = 64,
	TP_BLOCK_ROOM = 64 * 1024, /* no block takes more code */
	TP_BLOCK_TRACE_WORDS = 1 + 16 * TP_BLOCK_INSTRUCTIONS,
	TP_VECTOR_STATE_BYTES = 4096,
	TP_READABLE_RANGES = 256,
	TP_CHANGED_BLOCKS =
		1 << 17, /* more than compilers change: translating them takes too long */
	TP_LIVENESS_AHEAD = 10, /* instructions after a block that are read for liveness */
	TP_LIVENESS_BYTES = 15 * TP_LIVENESS_AHEAD,
	TP_FLAGS = 0x8d5, /* CF PF AF ZF SF OF */
};

enum { TP_SLOT_RCX = 0, TP_SLOT_RAX = 1, TP_SLOT_SCRATCH = 2, TP_SLOT_FLAGS = 3 };

/* Registers and arithmetic flags whose values are read later. */
struct tp_liveness {
	uint16_t gprs;
	uint16_t flags;
};

struct tp_translated {
	uint64_t pc;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint8_t bytes[16];
	struct tp_liveness reads, kills; /* by it */
	uint16_t touches; /* general registers that it reads or writes */
	struct tp_liveness before; /* registers that are live before it */
};

struct tp_exit {
	uint64_t pc;
	uint32_t patch; /* offset of the displacement to link; 0 = none */
	uint32_t reason; /* enum tp_reason */
};

struct tp_boundary {
	uint16_t at, pc; /* from the beginning of the block, in the cache and in the program */
	int8_t spilled[2]; /* registers that lie in spills[slot]; -1 = none */
	uint8_t slots[2];
};

struct tp_basic_block {
	uint64_t pc;
	uint32_t start, stubs, end; /* in the region */
	uint32_t first_exit, first_boundary;
	uint16_t n_exits, n_boundaries;
	uint16_t bytes; /* of the program's code */
	/*
	 * The program may change it without notice: `sum` is a checksum of its bytes, and the block
	 * begins with code that compares them.
	 */
	bool writable;
	uint64_t sum;
	bool stops; /* begins with a jump of 5 bytes that leaves with TP_REASON_REGION */
};

struct tp_range {
	uint64_t start, end;
	bool writable;
};

/* What generated code calls, above the cache. */
struct tp_calls {
	void (*enter)(struct tp_context *context); /* generated code left; it goes on at `target` */
	/*
	 * `leave` found signals waiting: sends them again, still blocked; clears pending.
	 * leave_unblock is next, also if nothing was queued: it is how a mask is set and the
	 * program entered at once.
	 */
	void (*requeue)(struct tp_context *context);
};

struct tp_code_cache {
	struct tp_context *context;
	struct tp_calls calls;
	uint8_t *region; /* the context lies at its beginning */
	uint8_t *code, *next, *end;
	uint64_t *counts; /* of the shared slot, near */
	uint64_t *targets; /* TP_CACHE_TARGETS addresses of landings, below 2 GB */
	uint32_t *hash; /* index of a block + 1 */
	struct tp_basic_block *blocks;
	struct tp_exit *exits;
	struct tp_boundary *boundaries;
	struct tp_trace_access *accesses; /* these two if addresses are traced, else NULL */
	struct tp_traced *traced;
	uint64_t *trace_buffer;
	uint32_t n_accesses;
	bool decoded_writable; /* the block that is being translated */
	uint32_t n_changed; /* blocks whose code had changed */
	uint32_t n_blocks, n_exits, n_boundaries;
	uint64_t generation; /* grows with each flush */
	const char *refused; /* why there is no block at an address; NULL = no code */
	uint8_t *enter[TP_REASON_N]; /* by enum tp_reason: generated code that leaves for the agent
				      */
	uint8_t *miss; /* no landing fits */
	unsigned n_readable, last_readable;
	struct tp_range readable[TP_READABLE_RANGES];
	uint64_t pages[TP_CACHE_PAGES]; /* pages with translated code; 0 = none */
	uint64_t chunks[TP_CACHE_CHUNKS];
	unsigned n_pages, n_chunks;
	struct tp_translated instructions[TP_BLOCK_INSTRUCTIONS];
	struct tp_translated ahead; /* for liveness */
	struct tp_mix_chain chain; /* of the loop that is being translated */
	ZydisDecoder decoder;
	_Alignas(64) uint8_t vectors[TP_VECTOR_STATE_BYTES];
};

extern struct tp_context *tp_contexts[TP_AGENT_THREADS];

/* A region with a context, generated stubs, an empty cache and a stack; NULL = no memory. */
struct tp_context *tp_context_new(const struct tp_calls *calls);
/* Maps the counts of the thread's slot near its code; again in a child that has another slot. */
bool tp_cache_map_counts(struct tp_code_cache *cache);
struct tp_basic_block *tp_cache_find(struct tp_code_cache *cache, uint64_t pc);

/* The same, unless the program has changed that code: then no lookup finds it any more. */
struct tp_basic_block *tp_cache_current(struct tp_code_cache *cache, uint64_t pc);

/* Discards all blocks if there is no room for one more. */
void tp_cache_make_room(struct tp_context *context);
void tp_cache_add(struct tp_code_cache *cache, const struct tp_basic_block *block);

/* Checksum of bytes of the program's code. */
uint64_t tp_code_sum(uint64_t pc, unsigned bytes);
/* Makes indirect jumps to the block's pc find it. */
void tp_cache_land(struct tp_code_cache *cache, const struct tp_basic_block *block);
void tp_cache_forget_targets(struct tp_code_cache *cache);
void tp_cache_note_page(struct tp_code_cache *cache, uint64_t pc);

/*
 * Gives all words of the trace to tp_trace_drain: when the buffer is full, before blocks are thrown
 * away, before the region of the thread changes, and before it ends. Nothing in other modes.
 */
void tp_cache_drain(struct tp_context *context);

/* Bytes of code that can be read at pc, at most `most`; 0 = none. */
unsigned tp_readable_code(struct tp_code_cache *cache, uint64_t pc, unsigned most);
bool tp_readable_writable(struct tp_code_cache *cache, uint64_t pc);

/* --- liveness.c --- */
bool tp_decode(struct tp_code_cache *cache, uint64_t pc, struct tp_translated *to);
void tp_liveness(struct tp_translated *list, unsigned n, struct tp_liveness out);
/* What is live at pc: everything that the next instructions do not certainly overwrite. */
struct tp_liveness tp_liveness_at(struct tp_code_cache *cache, uint64_t pc);
bool tp_ends_block(const struct tp_translated *it);
/* Target of a direct branch. */
uint64_t tp_branch_target(const struct tp_translated *it);
/* 0..15; -1 = not a general register */
int tp_gpr(ZydisRegister reg);

struct tp_basic_block *tp_translate(struct tp_code_cache *cache, uint64_t pc); /* translate.c */

#endif
