/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel descriptions: what a micro-kernel does, for any instruction set. The emitter turns a
 * description into machine code. The counts below are what that code does by construction, and
 * tests hold the code to them.
 *
 * Memory kernels walk `working_set_bytes` once per pass. Access i is a load if i mod (loads +
 * stores) < loads, else a store. In one region all accesses follow each other upward. With two
 * streams the loads walk the lower part of the buffer, and the stores the upper part. A pass
 * touches every byte of the working set exactly once (stride 1). If the last operand would be too
 * long, and the ISA has short tails, the last access is shorter.
 *
 * FP kernels keep everything in registers. Their data block holds operands of
 * tp_kernel_operand_bytes each: a, b, then TP_KERNEL_ACCUMULATORS accumulators, which are loaded at
 * the start and stored at the end:
 *
 *     add: acc += a    mul: acc *= a    div: acc /= a    fma: acc += a * b
 *     fma+add: both in turn, on separate accumulators
 *     dot, tile: sums of products of narrow numbers, and of matrices (struct tp_narrow)
 *
 * Without FMA instructions fma becomes mul and add in turn.
 *
 * Mixed kernels interleave `fp_count` FP instructions with every `mem_count` accesses of a memory
 * kernel, on registers that do not depend on loads.
 *
 * A chase follows pointers, one dependent load at a time. Its data is a cell that holds the address
 * of the first pointer. A pass is `unroll` loads of 8 bytes, each from the address that the load
 * before it returned. The cell gets the last address, so the next call continues there. Callers
 * write the pointers (measure/chase.h).
 *
 * A gather kernel loads elements from several places with each instruction (struct tp_gather). A
 * pass is `gather->gathers` of them.
 *
 * A chain is a run of dependent integer additions, one core cycle each. A width kernel is a run of
 * independent ones, as many in a cycle as the core issues.
 */
#ifndef TPROF_KERNELS_KERNEL_H
#define TPROF_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/status.h"
#include "kernels/code.h"
#include "kernels/counting.h"
#include "kernels/isa.h"

/* --- the kinds of numbers that kernels compute with --- */

enum tp_format {
	TP_FORMAT_IEEE, /* floating point of 8, 4 or 2 bytes */
	TP_FORMAT_BFLOAT, /* the upper half of a float of 4 bytes */
	TP_FORMAT_INTEGER
};

/*
 * Below 4 bytes a precision is narrow: few instructions compute with it, and those are struct
 * tp_narrow.
 */
struct tp_precision {
	const char *name; /* "double", as in presets and results */
	unsigned element_bytes;
	enum tp_format format;
};

enum { TP_PRECISIONS = 5, TP_LEAST_ELEMENT_BYTES = 4 /* of what is not narrow */ };

extern const struct tp_precision tp_precision_table[TP_PRECISIONS]; /* from wide to narrow */

const struct tp_precision *tp_precision_find(const char *name); /* NULL if there is none */
/* Never NULL: double for what no row is, such as the pointers of a chase. */
const struct tp_precision *tp_precision_of(unsigned element_bytes, enum tp_format format);

static inline int tp_precision_is_narrow(const struct tp_precision *precision)
{
	return precision->element_bytes < TP_LEAST_ELEMENT_BYTES;
}

/* --- kernels --- */

enum tp_kernel_kind {
	TP_KERNEL_MEMORY,
	TP_KERNEL_FP,
	TP_KERNEL_MIXED,
	TP_KERNEL_CHASE,
	TP_KERNEL_CHAIN,
	TP_KERNEL_WIDTH,
	TP_KERNEL_GATHER
};

/*
 * id, preset name, FLOP per lane, summary for --list kernels; from dot on for narrow numbers only
 */
#define TP_FP_OP_LIST(X)                                                                           \
	X(NONE, "", 0, "")                                                                         \
	X(ADD, "add", 1, "independent additions")                                                  \
	X(MUL, "mul", 1, "independent multiplications")                                            \
	X(DIV, "div", 1, "independent divisions")                                                  \
	X(FMA, "fma", 2, "independent fused multiply-adds")                                        \
	X(FMA_ADD, "fma+add", 0,                                                                   \
	  "fused multiply-adds and additions together: the true peak of cores with separate "      \
	  "adders")                                                                                \
	X(DOT, "dot", 2,                                                                           \
	  "sums of products of neighbours, in bf16 and int8 (BF16, VNNI, Arm's BFDOT and SDOT)")   \
	X(TILE, "tile", 2,                                                                         \
	  "matrix products: half, bf16, int8 (AMX, Arm's BFMMLA and SMMLA), all precisions (SME)")

enum tp_fp_op {
#define TP_FP_OP_ENUM(id, name, flops, summary) TP_FP_##id,
	TP_FP_OP_LIST(TP_FP_OP_ENUM)
#undef TP_FP_OP_ENUM
		TP_FP_OP_COUNT
};

const char *tp_fp_op_name(enum tp_fp_op op);
const char *tp_fp_op_summary(enum tp_fp_op op);
enum tp_fp_op tp_fp_op_find(const char *name); /* TP_FP_NONE if there is none */

enum { TP_KERNEL_ACCUMULATORS = 30, TP_KERNEL_DATA_BYTES = 32 * 256 };

/* The layout of a body. Every choice does the same work; zero means the tuned default. */
struct tp_body {
	unsigned unroll; /* memory or FP instructions in the inner body */
	bool two_streams; /* loads and stores in separate regions */
	/* the region is cut into this many parts, walked side by side; 1 = one upward walk */
	unsigned lanes;
	unsigned fma_run, add_run; /* fma+add: FMAs and adds in a row; 1:1 by default */
	/*
	 * fma+add: accumulators of each; 0: the usual share. Where registers are few, FMAs need
	 * more of them than adds, which are ready sooner. The operands are one for all except one
	 * accumulator.
	 */
	unsigned fma_registers, add_registers;
	unsigned lmul; /* vector registers that one instruction works on; 0 or 1: one */
};

struct tp_array_kernel;
struct tp_gather;

struct tp_kernel {
	enum tp_kernel_kind kind;
	const struct tp_isa *isa;
	unsigned element_bytes; /* 8 double, 4 single; FP alone: 2 and 1 are narrow */
	enum tp_format format; /* of the elements */
	unsigned loads, stores; /* ratio of a memory or mixed kernel */
	bool nontemporal; /* stores go past the caches */
	unsigned stride; /* in operands; 0 or 1: every byte */
	/* multiple of 64; for a chase, the memory that its pointers lead through */
	uint64_t working_set_bytes;
	enum tp_fp_op fp_op;
	unsigned fp_count, mem_count; /* mixed: FP instructions per memory accesses */
	/* a kernel with a familiar name, which is measured in bytes; NULL = none */
	const struct tp_array_kernel *array;
	const struct tp_gather *gather; /* of a gather kernel, borrowed; else NULL */
	struct tp_body body;
};

/*
 * Work of one pass. `other` are the additions of a chain or a width kernel, or the instructions of
 * a gather kernel, whose loads are the elements that it gathers.
 */
struct tp_kernel_counts {
	uint64_t loads, stores, fp;
	uint64_t loaded_bytes, stored_bytes;
	uint64_t flops;
	uint64_t other;
};

/*
 * "load", "store", "2ld1st", "2ld1st-nt", "triad", "fma", "mixed-fma-2ld1st-3:2", "chase", "chain",
 * "gather"; returns out.
 */
const char *tp_kernel_name(const struct tp_kernel *kernel, char *out, size_t size);
/* "u256 two-streams", "u512"; returns out. */
const char *tp_body_name(const struct tp_body *body, char *out, size_t size);

/* TP_USAGE with the reason if a description is invalid (sizes, ratios, operations). */
enum tp_status tp_kernel_check(const struct tp_kernel *kernel, struct tp_diag *diag);

void tp_kernel_count(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
		     struct tp_kernel_counts *counts);

/* What the rate of a kernel counts: FLOP, or bytes if it has none or has a familiar name. */
double tp_kernel_work(const struct tp_kernel *kernel, const struct tp_kernel_counts *counts);

/* Checks, emits, seals. On success the caller owns `code`. */
enum tp_status tp_kernel_emit(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
			      struct tp_code *code, struct tp_diag *diag);

/* --- for the emitter --- */

/* Bytes of a memory or FP operand: of all registers that the body groups, or of a tile. */
unsigned tp_kernel_operand_bytes(const struct tp_kernel *kernel);
/* Bytes of the data block of an FP kernel, a multiple of 64. */
size_t tp_kernel_data_bytes(const struct tp_kernel *kernel);
/* Bytes of the last access of a pass if it is shorter than the others, else 0. */
unsigned tp_kernel_tail_bytes(const struct tp_kernel *kernel);
/* Number of accesses of a pass of a memory or mixed kernel, and of the loads among them. */
void tp_kernel_accesses(const struct tp_kernel *kernel, uint64_t *accesses, uint64_t *loads);
/* Number of FP instructions of a mixed kernel that go before access `accesses_done`. */
uint64_t tp_kernel_fp_due(const struct tp_kernel *kernel, uint64_t accesses_done);
/*
 * True if FP instruction `i` of fma+add is the FMA, or of fma the multiplication on a CPU without
 * FMA.
 */
bool tp_kernel_fp_first(const struct tp_kernel *kernel, uint64_t i);
/* Unroll depth: whole groups of the kernel, with the default filled in. */
unsigned tp_kernel_unroll(const struct tp_kernel *kernel);

/*
 * Kernels over arrays, by their familiar names. Each is a memory kernel of a ratio of loads to
 * stores, with the arithmetic of its name on registers, parallel to the accesses: the arithmetic
 * occupies the core, but its operands are not the loaded values.
 */

struct tp_array_kernel {
	const char *name, *summary;
	unsigned loads, stores;
	/* one operation for `loads` + `stores` accesses; TP_FP_NONE: no arithmetic */
	enum tp_fp_op op;
	/*
	 * Loads and stores have separate regions, as arrays that are read and arrays that are
	 * written. Without this they share one region, as an array that is updated.
	 */
	bool apart;
};

extern const struct tp_array_kernel tp_array_kernels[]; /* ends with a row without a name */

const struct tp_array_kernel *tp_array_kernel_find(const char *name); /* NULL if there is none */
/*
 * Fills in what the name stands for: kind, ratio, arithmetic, regions. kernel->isa is set; where it
 * has no multiply-add on this CPU, a multiplication and an addition take its place.
 */
void tp_array_kernel_set(const struct tp_array_kernel *array, const struct tp_cpu *cpu,
			 struct tp_kernel *kernel);

/*
 * What a gather kernel loads. Each of its instructions gathers `elements` elements of memory into a
 * vector register: element k from base + index[k] * element_bytes. Bases come from a list, one a
 * gather, in its order. No gather waits for another one.
 *
 * A vector may have more lanes than there are elements. With `masked` those lanes are switched off.
 * Otherwise they load element 0 again: all lanes work, without another line.
 *
 * The code depends only on the ISA, the width and the type of elements. Indexes, mask and bases are
 * read from the kernel's data, struct tp_gather_data.
 */

struct tp_kernel;

enum {
	TP_GATHER_LANES = 16, /* of the longest vector of the shortest elements */
	TP_GATHER_GROUP = 4, /* gathers of a round of the inner loop, each into its own register */
	TP_GATHER_INDEX_MAX = 1 << 20,
	TP_GATHER_LINE_BYTES = 64
};

struct tp_gather {
	unsigned elements; /* 1 to the lanes of the vector */
	unsigned vector_bytes;
	bool masked;
	unsigned gathers; /* of a pass: a multiple of TP_GATHER_GROUP */
	uint32_t index[TP_GATHER_LANES]; /* of each element, in elements from the base */
};

/* The data of such a kernel. */
struct tp_gather_data {
	const void *const *bases; /* as many as gathers */
	uint64_t lanes_on; /* a bit for each lane */
	unsigned char unused[48];
	uint32_t index[TP_GATHER_LANES]; /* of each lane */
	unsigned char mask[64]; /* all bits of the lanes that are on */
	/* what the last gather of each place in the group found */
	unsigned char found[TP_GATHER_GROUP][64];
} __attribute__((aligned(64)));

unsigned tp_gather_lanes(const struct tp_gather *gather, unsigned element_bytes);
/* Distinct cache lines of a gather whose base lies at the beginning of a line. */
unsigned tp_gather_lines(const struct tp_gather *gather, unsigned element_bytes);
/* From the base to the end of the element that is furthest away. */
size_t tp_gather_bytes(const struct tp_gather *gather, unsigned element_bytes);

/*
 * TP_OK, or TP_UNSUPPORTED with the reason: whether the CPU has gathers of an ISA in that width.
 * `cpu` NULL: whether the ISA has.
 */
enum tp_status tp_gather_supported(const struct tp_isa *isa, unsigned vector_bytes,
				   const struct tp_cpu *cpu, struct tp_diag *diag);

/* The data for `bases`, which is borrowed. */
void tp_gather_fill(const struct tp_gather *gather, unsigned element_bytes,
		    const void *const *bases, struct tp_gather_data *data);

/*
 * Instructions on narrow numbers (half, bf16, int8) and on matrices, one row for each that an ISA
 * may have. They are not features of the ISA itself: a CPU with AVX-512 may lack all of them.
 *
 *     fma    each element: acc += a * b
 *     dot    each 4 bytes of acc += sum of the 2 or 4 products of the elements beside them
 *     tile   a matrix product: acc += A * B
 *
 * Accumulators of dot and tile have 4 bytes: floats, or integers for int8. A multiply-add counts as
 * two operations, of floats and of integers alike.
 *
 * Outer products (SME) are tiles, too: a is a column, b a row, and the accumulators are squares
 * with as many rows and columns as a vector has sums. They have rows here in double and single as
 * well; sums of double have 8 bytes. They begin at zero in each call. The call stores the matrix of
 * sums after a and b, row by row: tp_kernel_data_bytes.
 */

enum { TP_NARROW_OUTER = 0 };

struct tp_narrow {
	const char *isa, *precision;
	enum tp_fp_op op;
	const char *needs; /* features besides those of the ISA */
	/*
	 * How often each element of an operand is used: columns of the product; 1 for fma and dot,
	 * TP_NARROW_OUTER for as many as a vector has sums.
	 */
	unsigned columns;
	unsigned tile_bytes; /* of an operand that is a tile; 0: it is a vector */
	unsigned instruction; /* the back end's number of it */
};

static inline bool tp_narrow_is_outer(const struct tp_narrow *row)
{
	return row->columns == TP_NARROW_OUTER;
}

/* The rows of an architecture. */
struct tp_narrow_rows {
	const char *arch;
	const struct tp_narrow *rows;
	size_t n;
};

/* The row of an ISA, by its name and architecture; NULL if it has no such instruction. */
const struct tp_narrow *tp_narrow_find(const struct tp_isa *isa,
				       const struct tp_precision *precision, enum tp_fp_op op);
/* The row of a kernel; NULL: it uses none of these instructions. */
const struct tp_narrow *tp_narrow_of(const struct tp_kernel *kernel);
/* All rows of an architecture, in the order of its ISAs; NULL after the last. */
const struct tp_narrow *tp_narrow_row(const char *arch, size_t i);

/* TP_OK, or TP_UNSUPPORTED with the missing feature. */
enum tp_status tp_narrow_supported(const struct tp_narrow *row, const struct tp_cpu *cpu,
				   struct tp_diag *diag);

#endif
