/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What step.c shares with the architecture folders: decoded code and the state of a run. Private to this room. */
#ifndef TPROF_KERNELS_STEPPER_H
#define TPROF_KERNELS_STEPPER_H

#include "kernels/step.h"

/*
 * Where an operand lies: the sum of a constant and up to two registers. Registers are numbered as in the array that the
 * architecture's trap handler hands to tp_stepper_trap().
 */
struct tp_address_form {
	int8_t base, index; /* -1 = none */
	uint8_t scale; /* of the index */
	int64_t displacement; /* for addresses relative to the code: the address itself */
};

/* What decoding finds besides what a listener may know. */
struct tp_decoded {
	struct tp_instruction instruction;
	size_t at; /* offset in the code */
	struct tp_address_form form[TP_STEP_OPERANDS];
	/*
	 * A conditional branch to the instruction after it: where execution goes on does not tell whether it was taken, so its condition
	 * (the architecture's number) is judged before it runs. -1 for everything else.
	 */
	int8_t condition;
};

struct tp_stepper {
	const struct tp_code *code;
	uintptr_t code_begin;
	struct tp_decoded *items;
	size_t n;
	/* The architecture's: a copy of the code that tells of itself, if `prepared` and it could be made. */
	struct tp_code copy;
	bool prepared;
	bool by_traps; /* the copy is not wanted (tests) */
	uint32_t *
		number_at; /* for each byte of the code: 1 + number of the instruction that begins there, 0 = none */

	/* Of the run under way. */
	tp_step_listener listener;
	void *context;
	const struct tp_decoded *current; /* runs now; NULL before the first one */
	struct tp_step step;
	bool ended; /* the code was left */
	bool lost; /* something was executed that was not decoded */
};

/*
 * To be called with the registers as they are before the instruction at `pc` runs. False when there is nothing more to step. In
 * signal context.
 */
bool tp_stepper_trap(struct tp_stepper *stepper, uintptr_t pc, const uint64_t *registers);

#endif
