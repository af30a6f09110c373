/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one processor architecture gives the rest of the program: the CPU's own description, a cycle counter, and a few
 * instructions C has no words for. Everything that knows an instruction set lives in kernels/<arch>/; the table of
 * architectures and of ISAs is kernels/isa.c.
 */
#ifndef TPROF_KERNELS_ARCH_H
#define TPROF_KERNELS_ARCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/status.h"
#include "base/str.h"

struct tp_code;
struct tp_described;
struct tp_decoded;
struct tp_stepper;
struct tp_loop;
struct tp_loop_cost;

struct tp_arch {
	const char *name; /* "x86_64" */

	/* Fills `cpu` from the CPU's feature words and what the kernel lets programs use. */
	void (*identify)(struct tp_cpu *cpu);

	/*
	 * Serialised reads of the cycle counter around a window: nothing before `begin` is still under
	 * way when it returns, everything before `end` has completed. NULL: use clock_gettime.
	 */
	uint64_t (*ticks_begin)(void);
	uint64_t (*ticks_end)(void);

	void (*relax)(void); /* inside spin loops */

	/* Evicts [p, p + bytes) from every cache; NULL where the architecture cannot from user space. */
	void (*flush)(const void *p, size_t bytes);

	/* Makes freshly written code visible to instruction fetch; NULL where that is automatic. */
	void (*sync_code)(void *p, size_t bytes);

	/*
	 * Emits and seals a described loop under the convention of kernels/code.h, and tells what each operation cost. NULL where the
	 * architecture has no counting kernels. TP_UNSUPPORTED with the feature that this CPU lacks.
	 */
	enum tp_status (*emit_loop)(const struct tp_loop *loop, const struct tp_cpu *cpu,
				    struct tp_code *code, struct tp_loop_cost *cost,
				    struct tp_diag *diag);
	/* The same for code described in kernels/described.h; `instructions` of one pass. NULL likewise. */
	enum tp_status (*emit_described)(const struct tp_described *described,
					 const struct tp_cpu *cpu, struct tp_code *code,
					 uint64_t *instructions, struct tp_diag *diag);

	/* Assembly text of machine code, one instruction a line, for --dump-asm. */
	enum tp_status (*disassemble)(const void *code, size_t bytes, struct tp_str *out);

	/* Stepping (stepper.h); both NULL where the architecture cannot trap after each instruction by itself. */
	/* Reads the instruction at an offset; `item` comes empty with condition -1. */
	enum tp_status (*decode)(const struct tp_code *code, size_t at, struct tp_decoded *item,
				 struct tp_diag *diag);
	/* Runs the code and calls tp_stepper_trap() before each instruction and after the last. */
	enum tp_status (*step)(struct tp_stepper *stepper, void *data, uint64_t passes,
			       struct tp_diag *diag);
	unsigned char nop_and_return[2]; /* code that tries it out */
};

/* The architecture this program was built for; NULL where it has no back end. */
const struct tp_arch *tp_arch_host(void);

/* Describes this host's CPU; without a back end only its architecture's name is known. */
void tp_arch_identify(struct tp_cpu *cpu);

#endif
