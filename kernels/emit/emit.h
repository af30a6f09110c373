/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shared emitter turns descriptions (kernel.h, loop.h) into machine code. It handles loops,
 * streams of addresses, schedules and register plans, independent of instruction sets.
 *
 * An architecture provides one struct tp_back_end:
 *
 *   - limits: how long instructions are, which offsets fit, which detours are needed
 *   - a role for each integer register that the emitter uses (struct tp_emit_registers)
 *   - a budget of vector registers (struct tp_register_budget)
 *   - operations: each appends the few instructions that do one thing, such as a load, an addition,
 *     or the end of a loop
 *
 * An architecture whose instructions are words of 32 bits writes down its encodings as a table
 * (assembler.h); another one brings its own assembler and the operations open, fill and land.
 *
 * Only the back end interprets the numbers of integer registers. Vector registers are counted from
 * 0 up to the budget. An operation may be NULL only where its comment says so. An operation that
 * cannot encode an operand sets as->failed, which the emitter reads once, at the end.
 */
#ifndef TPROF_KERNELS_EMIT_EMIT_H
#define TPROF_KERNELS_EMIT_EMIT_H

#include "kernels/emit/assembler.h"
#include "kernels/kernel.h"
#include "kernels/loop.h"

enum tp_arithmetic {
	TP_DO_ADD, /* x += a */
	TP_DO_MUL, /* x *= a */
	TP_DO_DIV, /* x /= a */
	TP_DO_FMA, /* x += a * b */
	TP_DO_SCALE, /* x = x * a + b; x += a * b where that form is missing */
	TP_DO_SCALE_BACK, /* x = x * a + b; x -= a * b where that form is missing */
	TP_ARITHMETICS
};

enum tp_integer_op { TP_INTEGER_ADD, TP_INTEGER_MUL, TP_INTEGER_AND, TP_INTEGER_OPS };

enum { TP_EMIT_POINTERS = 16, TP_EMIT_WIDTH = 8, TP_EMIT_LINE_BYTES = 64 };

enum {
	TP_EMIT_ODD = 5, /* the number that loops add, multiply by, and store */
	/* The operands of a loop's FP instructions: vector registers after the results. */
	TP_EMIT_LOOP_A = TP_LOOP_FP_REGISTERS,
	TP_EMIT_LOOP_B
};

/* Constants of scattered stores. */
enum tp_scatter_constant {
	TP_SCATTER_MULTIPLIER,
	TP_SCATTER_INCREMENT,
	TP_SCATTER_OFFSET_MASK,
	TP_SCATTER_BLOCK_BYTES,
	TP_SCATTER_BLOCK_MASK,
	TP_SCATTER_CONSTANTS
};

/*
 * The integer register of each role. Different kinds of code may use one register for different
 * roles. A scratch register may be overwritten by any operation.
 */
struct tp_emit_registers {
	uint16_t data, passes; /* the two arguments of emitted code */
	struct {
		uint16_t scratch;
		uint16_t rounds; /* of the inner loop */
		uint16_t addend, chain; /* of dependent additions */
		uint16_t width[TP_EMIT_WIDTH],
			n_width; /* independent additions take turns on these */
		uint16_t chase; /* the pointer */
		uint16_t pointers[TP_EMIT_POINTERS]; /* they walk through memory */
		uint16_t
			steps[2]; /* distances of load and store pointers that are not immediates */
		uint16_t
			slots; /* walks through the data block of an FP kernel (slots_by_pointer) */
	} kernel;
	struct {
		uint16_t scratch;
		uint16_t cells; /* points to the cells; may be the data's register */
		uint16_t byte; /* of the stream */
		uint16_t chain; /* of multiplications before a random branch */
		uint16_t loaded, changed; /* targets of loads, and of loads that are stored back */
		uint16_t odd, factor; /* TP_EMIT_ODD for everything else, and for the chain */
		uint16_t results[2];
	} loop;
	uint16_t traversal_scratch;
	struct {
		uint16_t pointer, rounds;
	} chase;
	struct {
		uint16_t offset, block, base, rounds, blocks;
		/* Constants kept in registers, in the order of loading. Others are immediates. */
		struct {
			enum tp_scatter_constant constant;
			uint16_t reg;
		} held[TP_SCATTER_CONSTANTS];
		unsigned n_held;
	} scatter;
	struct {
		uint16_t pointers[3]; /* to a, b, c */
		uint16_t rounds[4]; /* of depth, columns, rows, batches */
		uint16_t steps[2]; /* of a and b, where offsets are short */
	} nest;
};

struct tp_register_range {
	unsigned least, most;
};

/* The vector registers that a kernel can have for each purpose. */
struct tp_register_budget {
	unsigned registers; /* all of them */
	unsigned a, b, source; /* operands, and the value that stores write */
	unsigned memory_targets, mixed_targets; /* of loads */
	/* Accumulators of FP kernels: of one kind of instruction, or of both kinds of a pair. */
	struct tp_register_range fp, fp_first, fp_second;
	struct tp_register_range mixed; /* of mixed kernels; a pair takes the most */
	unsigned mixed_first; /* how many of those the first kind of a pair gets */
};

/* The vector registers of one kernel: accumulators from 0, then the targets of loads. */
struct tp_register_plan {
	unsigned registers, a, b, source;
	unsigned accumulators, targets;
	/*
	 * Two kinds of FP instructions take turns: `first` on the first accumulators, additions on
	 * the others.
	 */
	bool pair;
	enum tp_arithmetic first;
	unsigned first_accumulators;
};

/* One access of a memory or mixed kernel. */
struct tp_access {
	bool store, nontemporal;
	bool tail; /* of tail_bytes, shorter than an operand */
	unsigned reg, base;
	int64_t offset;
};

struct tp_back_end;

/* Code that is being emitted. */
struct tp_emitter {
	struct tp_assembler *as;
	const struct tp_back_end *be;
	const struct tp_cpu *cpu;
	struct tp_code *code; /* gets loop_begin and loop_end */
	const struct tp_kernel *k; /* NULL for counting code */
	const struct tp_narrow *narrow; /* the kernel's; NULL if it has none */
	/* Shape of FP operands. The form is the back end's number of it; 0 = scalar. */
	unsigned form, element_bytes, operand_bytes;
	unsigned scratch; /* an integer register */
	struct tp_register_plan plan;
	unsigned tail_bytes; /* of the last access of a pass; 0: as long as the others */
	unsigned fp_issued, first_issued, load_issued; /* since the body began */
};

struct tp_back_end {
	/* --- limits --- */
	size_t assembler_bytes; /* size of the assembler, which begins with struct tp_assembler */
	unsigned instruction_bytes; /* of the longest instruction */
	/* Most instructions of an access, of a loop's operation, of a step of a traversal. */
	unsigned access_instructions, operation_instructions, step_instructions;
	const struct tp_emit_registers *registers;
	const struct tp_word_table *words; /* NULL: instructions are not words */
	unsigned nop; /* row of the table that fills up code */
	bool pads_outside; /* code is padded before a pass, so that the padding is not executed */
	bool slots_by_pointer; /* vectors are loaded from the data block without offsets */
	bool operands_last; /* a loop loads its operands after its results */
	bool scales_back; /* of TP_DO_SCALE every second round has to be TP_DO_SCALE_BACK */

	/* --- frame --- */
	/* TP_UNSUPPORTED with the reason if the kernel cannot be emitted. NULL: all can. */
	enum tp_status (*supported)(const struct tp_emitter *e, struct tp_diag *diag);
	/* Sets the form of a loop's FP instructions, or ends in tp_emit_lacks(). */
	enum tp_status (*loop_form)(struct tp_emitter *e, const struct tp_loop_fp *fp,
				    struct tp_diag *diag);
	/* `vectors`: the code uses vector registers. enter can be NULL; leave also returns. */
	void (*enter)(struct tp_emitter *e, bool vectors);
	void (*leave)(struct tp_emitter *e, bool vectors);

	/* --- integers and branches --- */
	void (*constant)(struct tp_emitter *e, unsigned reg, int64_t value);
	void (*copy)(struct tp_emitter *e, unsigned to, unsigned from);
	/* x = a op b */
	void (*integer)(struct tp_emitter *e, enum tp_integer_op op, unsigned x, unsigned a,
			unsigned b);
	/* reg = reg op value. NULL: address() adds, and all other constants are in registers. */
	void (*immediate)(struct tp_emitter *e, enum tp_integer_op op, unsigned reg, int64_t value);
	/* to = from + bytes */
	void (*address)(struct tp_emitter *e, unsigned to, unsigned from, int64_t bytes);
	/* reg = 2 * reg */
	void (*shift)(struct tp_emitter *e, unsigned reg);
	/* Loads or stores the 8 bytes at base + offset. */
	void (*cell)(struct tp_emitter *e, bool store, unsigned reg, unsigned base, int64_t offset);
	/* Loads reg from where it points to. NULL: cell() does that. */
	void (*follow)(struct tp_emitter *e, unsigned reg);
	/* Stores the 8 bytes at base + index. */
	void (*store_indexed)(struct tp_emitter *e, unsigned reg, unsigned base, unsigned index);
	/*
	 * Counts reg down and goes back to `top` unless it is zero. True if a separate jump goes
	 * back, which the last round does not execute.
	 */
	bool (*loop_end)(struct tp_emitter *e, unsigned reg, size_t top);
	/* The branch of a loop's operation to a place ahead: that of tp_emit_land(result). */
	size_t (*forward)(struct tp_emitter *e, enum tp_loop_op_kind kind);

	/* --- vectors, or scalars in FP registers --- */
	struct tp_register_budget (*budget)(const struct tp_emitter *e);
	void (*move)(struct tp_emitter *e, bool store, unsigned reg, unsigned base, int64_t offset);
	void (*clear)(struct tp_emitter *e, unsigned reg);
	void (*arithmetic)(struct tp_emitter *e, enum tp_arithmetic what, unsigned x, unsigned a,
			   unsigned b);
	/* The instruction of e->narrow, x += a * b. NULL where no ISA has such rows. */
	void (*narrow)(struct tp_emitter *e, unsigned x, unsigned a, unsigned b);

	/* --- walks through memory --- */
	void (*access)(struct tp_emitter *e, const struct tp_access *access);
	/*
	 * How far the pointer has to move before the access; 0: its offset fits. NULL: all offsets
	 * fit, so one pointer serves all lanes.
	 */
	int64_t (*reach)(const struct tp_emitter *e, const struct tp_access *access);
	/* Whether a distance is an immediate. NULL: all distances are. */
	bool (*fits)(int64_t bytes);
	/* Whether accesses at this distance can have offsets. NULL: all can. */
	bool (*has_offsets)(const struct tp_emitter *e, int64_t step_bytes);
	/* to = from + bytes for any distance; the first `from` is data. NULL: address(). */
	void (*point)(struct tp_emitter *e, unsigned to, unsigned from, int64_t bytes);
	/* Loads what stores write, if that is not one vector register. NULL: it always is. */
	bool (*load_source)(struct tp_emitter *e);
	/*
	 * Short accesses. Either a mask is set up once per call, and access() uses it; or operands
	 * have this many bytes from here.
	 */
	void (*mask_tail)(struct tp_emitter *e);
	void (*shorten)(struct tp_emitter *e, unsigned bytes);
	/*
	 * Saves or restores those of the first n pointers that are the caller's. NULL: there are
	 * none.
	 */
	void (*keep)(struct tp_emitter *e, unsigned n, bool restore);
	/* After non-temporal stores. Can be NULL. */
	void (*fence)(struct tp_emitter *e);

	/* --- gathers; both are NULL where no ISA has them --- */
	/* Loads indexes and mask from the data (struct tp_gather_data), once a call. */
	void (*begin_gathers)(struct tp_emitter *e);
	/* Gathers from `base` into vector register `reg`, below TP_GATHER_GROUP, cleared before. */
	void (*gather)(struct tp_emitter *e, unsigned reg, unsigned base);

	/* --- traversals --- */
	/* Before lines of code are filled up to begin at a line. Can be NULL. */
	void (*begin_lines)(struct tp_emitter *e, unsigned line_bytes);
	/* Instructions from `at` bytes after the beginning of a line to its end. */
	void (*fill_line)(struct tp_emitter *e, size_t at, size_t line_bytes);
	/* The end of the loop over all lines. NULL: loop_end() reaches that far. */
	void (*end_lines)(struct tp_emitter *e);

	/* --- loops --- */
	/* Sets all registers, with tp_emit_loop_operands() if there are FP instructions. */
	void (*begin_loop)(struct tp_emitter *e, const struct tp_loop *loop);
	/* Adds reg to the cell at base + offset in one instruction. NULL: it takes three. */
	void (*modify)(struct tp_emitter *e, unsigned reg, unsigned base, int64_t offset);
	void (*next)(struct tp_emitter *e, unsigned pass_log2); /* TP_LOOP_NEXT */
	void (*barrier)(struct tp_emitter *e); /* TP_LOOP_BARRIER */
	/* The condition of forward(). NULL: branches test by themselves. */
	void (*test)(struct tp_emitter *e, enum tp_loop_op_kind kind);

	/* --- only where instructions are not words --- */
	void (*open)(struct tp_emitter *e); /* prepares e->as; else NULL */
	void (*fill)(struct tp_emitter *e, size_t bytes); /* with instructions that do nothing */
	void (*land)(struct tp_emitter *e, size_t branch);
};

/* Reports that the CPU lacks a feature; returns TP_UNSUPPORTED. */
enum tp_status tp_emit_lacks(const char *feature, struct tp_diag *diag);
/* Loads the operands of a loop's FP instructions, or stores them back. */
void tp_emit_loop_operands(struct tp_emitter *e, bool store);

/* --- entries besides tp_kernel_emit(): on success the caller owns the sealed code --- */
/* Also counts the instructions of each operation. TP_UNSUPPORTED with the missing feature. */
enum tp_status tp_emit_loop(const struct tp_back_end *be, const struct tp_loop *loop,
			    const struct tp_cpu *cpu, struct tp_code *code,
			    struct tp_loop_cost *cost, struct tp_diag *diag);
/* Also counts the instructions of a pass. */
enum tp_status tp_emit_traversal(const struct tp_back_end *be, const struct tp_traversal *traversal,
				 const struct tp_cpu *cpu, struct tp_code *code,
				 uint64_t *instructions, struct tp_diag *diag);

/* --- what the parts of the emitter share --- */

/* Gives a buffer and an assembler to the emitter, calls `body` to fill it, and seals it. */
enum tp_status tp_emit_run(struct tp_emitter *e, size_t capacity_bytes,
			   void (*body)(struct tp_emitter *e, void *context), void *context,
			   struct tp_diag *diag);
/* Fills up so that the place `ahead` bytes from here becomes a multiple of `bytes`. */
void tp_emit_align(struct tp_emitter *e, size_t bytes, size_t ahead);
void tp_emit_land(struct tp_emitter *e, size_t branch); /* a branch forward comes here */
void tp_emit_follow(struct tp_emitter *e, unsigned reg); /* a pointer */
void tp_emit_advance(struct tp_emitter *e, unsigned reg, int64_t bytes); /* nothing for 0 */

static inline size_t tp_emit_here(const struct tp_emitter *e)
{
	return tp_asm_here(e->as);
}

#endif
