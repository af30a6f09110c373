/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread of a program under the agent, and what the modules of the agent do for each other. Each
 * module uses only those listed above it.
 *
 * The program never runs its own code: the agent translates each basic block into the thread's code
 * cache, with a counter, and goes from block to block there. All that the program sees is its own:
 * registers, stack, return addresses, code bytes. So it can stop at any boundary of a block and go
 * on natively (tp_agent_detach): what cannot be handled is never worse than not counted.
 *
 * Each thread has its own cache, so that blocks are linked and thrown away without locking others
 * out, and so that its counters need no lock prefix. The context lies at the beginning of the
 * cache's region: generated code reaches it relative to rip. A thread that ends leaves its region,
 * with blocks and counters, to the next one that starts.
 *
 * The agent calls no function of libc that allocates, locks or uses vector registers, uses no
 * thread-local storage, and is compiled with -mgeneral-regs-only: the program's vector registers
 * stay where they are. Only translating saves them, because Zydis uses them.
 *
 * The instruction pointer gives the state of a thread:
 *   in a block of its cache     the program's state is in the registers, except those that
 *                               tp_cache_state says are spilled
 *   in `leave`, after its test of `pending`    it is in the context
 *   anywhere else in the agent  a signal waits: the handler queues it, blocks all others, sets
 *                               `pending`, and `leave` sees it
 */
#ifndef TPROF_AGENT_CONTEXT_H
#define TPROF_AGENT_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TP_RAX, TP_RCX, TP_RDX, TP_RBX, TP_RSP, TP_RBP, TP_RSI, TP_RDI }; /* and 8..15 */
enum { TP_SPILLS = 4, TP_QUEUED_SIGNALS = 8, TP_AGENT_STACK_BYTES = 256 * 1024 };

/* Why generated code left for the agent. */
enum tp_reason {
	TP_REASON_LINK, /* an exit that is not linked yet: `exit` is its index */
	TP_REASON_INDIRECT, /* the target is in `pc`, but not in the table */
	TP_REASON_SYSCALL, /* before a syscall instruction: `pc` is its address */
	TP_REASON_SYSCALL_DONE, /* after it: `pc` is the next instruction's */
	TP_REASON_REGION, /* a block that begins or ends a region by function */
	TP_REASON_CHANGED, /* the code of a block has changed */
	TP_REASON_FULL, /* trace: the buffer has no room for the next block */
	TP_REASON_START, /* a new thread's first step */
	TP_REASON_NATIVE, /* an instruction that cannot be translated: it detaches */
	TP_REASON_STEPS, /* before a popf that sets the trap flag: it detaches */
	TP_REASON_N
};

struct tp_queued_signal {
	int number;
	uint64_t mask; /* of the program when it came */
	uint8_t info[128]; /* siginfo_t */
};

struct tp_code_cache; /* cache.c */
struct tp_regions; /* regions.c */
struct tp_trace_model; /* trace.c */

struct tp_context {
	/* --- read and written by generated code, whose instructions contain the offsets --- */
	uint64_t gpr[16]; /* the program's registers, while in the agent */
	uint64_t flags;
	uint64_t pc; /* of the program: where it continues */
	uint64_t target; /* of the cache: where `leave` jumps to */
	uint64_t spills[TP_SPILLS];
	uint64_t pending; /* not 0: signals are queued */
	uint64_t reason, exit;
	uint64_t trace_next, trace_end; /* TP_AGENT_TRACE: the buffer of addresses */
	uint8_t lanes[64]; /* TP_AGENT_TRACE: indices of a gather or scatter */
	uint8_t *stack; /* top of the agent's own stack for this thread */
	/* --- used by the agent only --- */
	uint32_t tid, slot; /* of shared->threads */
	struct tp_agent_thread *shared;
	struct tp_code_cache *cache;
	struct tp_regions *regions;
	struct tp_trace_model *trace_model; /* NULL until the buffer is first drained */
	/* Generated at the beginning of the region. */
	uint8_t *leave, *leave_tested, *leave_unblock, *leave_end, *syscall, *syscall_end;
	uint64_t flush_wanted; /* another thread changed code: discard all blocks */
	uint64_t call, call_since; /* the system call that the thread is in, and since when */
	bool native; /* the thread runs natively since it detached */
	bool stepping; /* a trap after each instruction, up to a boundary */
	bool ending; /* its thread is about to end: free it when the kernel reports the end */
	bool borrows; /* it is a child of vfork: another process in this memory */
	uint64_t *variables; /* of tp_exec_variables, while it executes another program */
	/*
	 * If `pending`, all signals are blocked, and this is the mask to go on with:
	 * `leave_unblock` sets it by rt_sigprocmask(SIG_SETMASK, &leave_mask, NULL, 8), with the
	 * program's rsp.
	 */
	uint64_t leave_mask;
	unsigned n_queued;
	struct tp_queued_signal queue[TP_QUEUED_SIGNALS];
	/* The program's alternate stack; the kernel's is off while the program runs on it. */
	uint64_t alternate, alternate_bytes;
	uint32_t alternate_flags;
	bool alternate_off;
};

/*
 * `leave` sets rsp to the program's and loads `pending`. From leave_tested up to leave_end all of
 * the program's state except rsp is still in the context: a signal there is delivered with it, and
 * its pc is context->pc. If something was pending it goes back to the agent's stack, calls
 * tp_signals_requeue, and comes here again by leave_unblock.
 */

/* --- the code cache (cache.c): what other modules need --- */

/* Discards all blocks of this thread after settling its counts. Only from the agent. */
void tp_cache_flush(struct tp_context *context);
/* True if `rip` lies in the generated code of this context. */
bool tp_cache_holds(const struct tp_context *context, uint64_t rip);
/*
 * The program's state if a thread stopped at `rip` of its cache: its pc, and the register that lies
 * in spills[slot]. False if `rip` is not at a boundary of the program's instructions: step on. The
 * syscall stub is a boundary, too (the syscall's pc before it ran, and the next one after it).
 */
struct tp_cache_state {
	uint64_t pc;
	struct {
		int8_t reg; /* 0..15 */
		uint8_t slot;
	} spilled[TP_SPILLS];
	unsigned n_spilled;
};
bool tp_cache_state(const struct tp_context *context, uint64_t rip, struct tp_cache_state *state);
/* Pages of [start, end) are no longer code, or may change: no thread continues in their blocks. */
void tp_cache_code_changed(struct tp_context *context, uint64_t start, uint64_t end);
/* Whether a thread has, or may have, blocks made from these pages. */
bool tp_cache_has_code(uint64_t start, uint64_t end);
/* tp_region_stop gives another answer for pc now: an existing block there is discarded. */
void tp_cache_stop_at(struct tp_context *context, uint64_t pc);
/* Adds the counts since the last call to the sums of the open region. */
void tp_counts_settle(struct tp_agent_thread *thread);
void tp_counts_settle_all(void);
/* The same, and later counts go to the sums of that region. */
void tp_counts_go_to(struct tp_agent_thread *thread, uint32_t region);
struct tp_context *tp_context_of(uint32_t tid); /* NULL = not a thread under the agent */
struct tp_context *tp_context_here(void); /* of the calling thread; NULL = it has none */

/* --- regions.c --- */

unsigned tp_region_of(const char *name); /* its index, made if need be; 0 if there is no room */
void tp_regions_thread(struct tp_context *context); /* a thread begins */
void tp_regions_end(struct tp_context *context); /* a thread ends: all open regions end, too */
void tp_regions_forked(struct tp_context *context); /* a child has only the thread that forked */
/* The hook that programs call by include/tprof_roi.h. */
void tp_region_hook(int what, const char *name); /* 1 = begins, 2 = ends */
/* Looks in a file for the functions that are regions; context NULL = before the program runs. */
struct tp_elf;
void tp_region_functions(const struct tp_elf *elf, struct tp_context *context);
/*
 * Whether a block begins at pc and leaves with TP_REASON_REGION each time, before it runs: asked
 * when code is translated, and while it runs. tp_region_stopped: the program is at context->pc, and
 * that is such a place. Function by name: one at its entry, one at its return address.
 */
bool tp_region_stop(const struct tp_context *context, uint64_t pc);
void tp_region_stopped(struct tp_context *context);

/* --- dispatch.c --- */

/* Block for `pc`, translated if need be; NULL if there is no readable code at that address. */
uint8_t *tp_cache_block(struct tp_context *context, uint64_t pc);
/* Sets `target` to where the program goes on at pc: in the cache, or natively (NULL). */
struct tp_basic_block *tp_aim(struct tp_context *context);
/* Goes on in the program at context->pc with the registers of the context. */
_Noreturn void tp_dispatch(struct tp_context *context);
/*
 * The thread goes on natively from context->pc on, with its registers; so do all others when they
 * next come by. The first reason stays in shared->words.
 */
void tp_agent_detach(struct tp_context *context, const char *why);

/* --- signals.c --- */

extern const char tp_words_steps[]; /* why it detaches when the program sets the trap flag */
void tp_signals_start(void);
/*
 * The program's sigaction (rt_sigaction), with the kernel's structure; returns what the system call
 * would.
 */
int64_t tp_signals_action(struct tp_context *context, int number, const void *action, void *old,
			  size_t mask_bytes);
/* Before the real rt_sigreturn runs: replaces the program's pc in the frame at rsp with the
 * cache's. */
void tp_signals_return(struct tp_context *context);
void tp_signals_requeue(struct tp_context *context); /* as struct tp_calls says */
/*
 * Blocks all signals of this thread until it leaves for the program; context->leave_mask is the
 * program's mask then.
 */
void tp_signals_block(struct tp_context *context);
/* sigaltstack of the program; returns what the system call would. */
int64_t tp_signals_stack(struct tp_context *context, uint64_t set, uint64_t old);
/* The kernel's alternate stack is switched on again if the program left its own by longjmp. */
void tp_signals_check_stack(struct tp_context *context);

/* --- modules.c --- */

/* A file was mapped to be executed at [start, end), from file_offset on. */
void tp_module_mapped(struct tp_context *context, int fd, uint64_t start, uint64_t end,
		      uint64_t file_offset);
void tp_module_closed(int fd);
/* All modules that are already mapped. */
void tp_modules_start(void);

/* --- threads.c: threads, children, and the next image --- */

enum tp_syscall_way {
	TP_SYSCALL_RUN, /* the stub runs it with the registers of the context */
	TP_SYSCALL_DONE, /* its result is in gpr[TP_RAX]; go on after it */
	TP_SYSCALL_NATIVE, /* run it natively and do not return: detach at the instruction */
};
/* clone, clone3, fork, vfork of the program. */
enum tp_syscall_way tp_agent_clone(struct tp_context *context);
void tp_thread_end(struct tp_context *context); /* before its last syscall, maybe several times */
/* Returns only on failure: the kernel's result. */
int64_t tp_agent_exec(struct tp_context *context);

/* --- syscalls.c --- */

/*
 * Called from generated code: context->reason says why. The program continues at context->target.
 */
void tp_agent_enter(struct tp_context *context);

#endif
