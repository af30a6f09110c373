/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a processor architecture gives to the rest of the program: a description of the CPU, a cycle
 * counter, and a few instructions that C cannot express. Everything that depends on an instruction
 * set lives in kernels/<architecture>/. The tables of architectures and of ISAs are in
 * kernels/arch.c.
 */
#ifndef TPROF_KERNELS_ARCH_H
#define TPROF_KERNELS_ARCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/status.h"
#include "base/str.h"

struct tp_assembly;
struct tp_back_end;
struct tp_code;
struct tp_decoded;
struct tp_stepper;

struct tp_arch {
	const char *name; /* "x86_64" */

	/* Describes the CPU by the features that it has and that the kernel lets programs use. */
	void (*identify)(struct tp_cpu *cpu);

	/*
	 * Serialised reads of the cycle counter around a window: everything before `begin` has
	 * completed when it returns, and everything before `end` has completed when it reads.
	 * NULL: use clock_gettime.
	 */
	uint64_t (*ticks_begin)(void);
	uint64_t (*ticks_end)(void);

	void (*relax)(void); /* inside spin loops */

	/* Evicts [p, p + bytes) from every cache. NULL where programs may not do that. */
	void (*flush)(const void *p, size_t bytes);

	/*
	 * The same at n places, `bytes` at each, faster than one by one. NULL where that would make
	 * no difference.
	 */
	void (*flush_places)(const void *const *places, size_t n, size_t bytes);

	/* Emits kernels. NULL where the architecture has no counting kernels. */
	const struct tp_back_end *back_end;

	/* Assembly text of machine code, one instruction a line, for --dump-asm. */
	enum tp_status (*disassemble)(const void *code, size_t bytes, struct tp_str *out);

	/* Stepping (step.h). Both are NULL if traps cannot follow each instruction. */
	/* Reads the instruction at an offset. `item` comes empty, with condition -1. */
	enum tp_status (*decode)(const struct tp_code *code, size_t at, struct tp_decoded *item,
				 struct tp_diag *diag);
	/* Runs the code and calls stepper->trap before each instruction and after the last. */
	enum tp_status (*step)(struct tp_stepper *stepper, void *data, uint64_t passes,
			       struct tp_diag *diag);
	unsigned char nop_and_return[2]; /* tries stepping out */

	/* Users' own instructions (assembly.h). NULL if they cannot run. */
	const struct tp_assembly *assembly;
};

/* The architecture that this program was built for. NULL: it has no back end. */
const struct tp_arch *tp_arch_host(void);

/* Describes this host's CPU. Without a back end only the name of the architecture is known. */
void tp_arch_identify(struct tp_cpu *cpu);

#endif
