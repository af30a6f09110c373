/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting code of an architecture, run on any host: aarch64 on aarch64_run.h, riscv64 on
 * riscv64_machine.h.
 */
#ifndef TPROF_TESTS_FOREIGN_H
#define TPROF_TESTS_FOREIGN_H

#include "tests/unit/aarch64_run.h"
#include "tests/unit/riscv64_machine.h"
#include "kernels/emit/emit.h"

enum foreign_architecture { FOREIGN_AARCH64, FOREIGN_RISCV64, FOREIGN_ARCHITECTURES };

struct foreign_core {
	enum foreign_architecture architecture;
	struct tp_cpu cpu;
	unsigned vector_bytes;
	bool old; /* vectors of version 0.7 */
};

/* Work of one pass. */
struct foreign_counts {
	uint64_t executed, loads, stores, fp, flops, conditionals, taken, jumps;
	/* Only of riscv64: those of FP and vector registers, and integer arithmetic. */
	uint64_t fp_loads, fp_stores, integer;
};

struct foreign {
	const struct foreign_core *core;
	struct tp_code code;
	uint8_t *data;
	size_t data_bytes;
	/* How often five passes loaded and stored each byte; only of aarch64. */
	uint32_t *loaded, *stored;
	struct a64_program program;
	struct machine_dictionary dictionary;
};

const struct tp_back_end *foreign_back_end(const struct foreign_core *core);
uint64_t foreign_data_at(const struct foreign_core *core); /* where the code finds its data */

/*
 * Reads f->code and makes data of zeros. Skips the test where riscv64 has no disassembler; aarch64
 * then reads our own text.
 */
void foreign_open(struct foreign *f, const struct foreign_core *core, size_t data_bytes);
void foreign_close(struct foreign *f);
/* Runs two passes, then three, on the same data; returns the difference. */
struct foreign_counts foreign_pass(struct foreign *f);

#endif
