/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a gather kernel loads. Each of its instructions gathers `elements` elements of memory into a
 * vector register: element k from base + index[k] * element_bytes. Bases come from a list, one a
 * gather, in its order. No gather waits for another one.
 *
 * A vector may have more lanes than there are elements. With `masked` those lanes are switched off.
 * Otherwise they load element 0 again: all lanes work, on no further line.
 *
 * The code depends on the ISA, the width and the type of elements alone. Indexes, mask and bases
 * are read from the kernel's data, struct tp_gather_data.
 */
#ifndef TPROF_KERNELS_GATHER_H
#define TPROF_KERNELS_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/status.h"
#include "kernels/isa.h"

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
 * TP_OK, or TP_UNSUPPORTED with words: whether the CPU has gathers of an ISA in that width. `cpu`
 * NULL: whether the ISA has.
 */
enum tp_status tp_gather_supported(const struct tp_isa *isa, unsigned vector_bytes,
				   const struct tp_cpu *cpu, struct tp_diag *diag);

/* TP_USAGE with words if the kernel makes no sense. */
enum tp_status tp_gather_check(const struct tp_kernel *kernel, struct tp_diag *diag);

/* The data for `bases`, which is borrowed. */
void tp_gather_fill(const struct tp_gather *gather, unsigned element_bytes,
		    const void *const *bases, struct tp_gather_data *data);

#endif
