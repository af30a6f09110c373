/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/arch.h"

static enum tp_status decode_all(struct tp_stepper *stepper, const struct tp_arch *arch,
				 struct tp_diag *diag)
{
	const struct tp_code *code = stepper->code;
	size_t cap = 0;
	stepper->number_at = tp_alloc(code->bytes + 1, sizeof(*stepper->number_at));
	for (size_t at = 0; at < code->bytes;) {
		TP_RESERVE(stepper->items, cap, stepper->n + 1);
		struct tp_decoded *item = &stepper->items[stepper->n];
		*item = (struct tp_decoded){ .condition = -1, .at = at };
		enum tp_status status = arch->decode(code, at, item, diag);
		if (status != TP_OK)
			return status;
		item->instruction.number = (uint32_t)stepper->n++;
		stepper->number_at[at] = (uint32_t)stepper->n;
		at += item->instruction.length;
	}
	return TP_OK;
}

static uint64_t address_of(const struct tp_address_form *form, const uint64_t *registers)
{
	uint64_t address = (uint64_t)form->displacement;
	if (form->base >= 0)
		address += registers[form->base];
	if (form->index >= 0)
		address += registers[form->index] * form->scale;
	return address;
}

static void finish_current(struct tp_stepper *stepper, size_t next)
{
	const struct tp_decoded *done = stepper->current;
	stepper->step.next = next;
	if (done->condition < 0)
		stepper->step.taken = done->instruction.branch != TP_BRANCH_NONE &&
				      next != stepper->step.at + done->instruction.length;
	stepper->current = NULL;
	stepper->listener(stepper->context, &stepper->step);
}

static bool trap(struct tp_stepper *stepper, uintptr_t pc, const uint64_t *registers)
{
	size_t at = pc - stepper->code_begin; /* wraps to something huge below the code */
	bool inside = at < stepper->code->bytes;
	if (stepper->current)
		finish_current(stepper, inside ? at : SIZE_MAX);
	else if (!inside)
		return !stepper->ended; /* still on the way into the code */
	if (!inside) {
		stepper->ended = true;
		return false;
	}
	const struct tp_decoded *next = tp_stepper_decoded(stepper, at);
	if (!next) {
		stepper->lost = true;
		return false;
	}
	stepper->current = next;
	stepper->step =
		(struct tp_step){ .instruction = &next->instruction, .at = at, .code_address = pc };
	for (unsigned i = 0; i < next->instruction.n_operands; i++)
		stepper->step.address[i] = address_of(&next->form[i], registers);
	return true;
}

static enum tp_status stepper_new(struct tp_stepper **out, const struct tp_code *code,
				  const struct tp_arch *arch, struct tp_diag *diag)
{
	struct tp_stepper *stepper = tp_alloc(1, sizeof(*stepper));
	*out = NULL;
	stepper->code = code;
	stepper->trap = trap;
	stepper->code_begin = (uintptr_t)code->map;
	enum tp_status status = decode_all(stepper, arch, diag);
	if (status != TP_OK) {
		tp_stepper_free(stepper);
		return status;
	}
	*out = stepper;
	return TP_OK;
}

static enum tp_status run(struct tp_stepper *stepper, const struct tp_arch *arch, void *data,
			  uint64_t passes, tp_step_listener listener, void *context,
			  struct tp_diag *diag)
{
	stepper->listener = listener;
	stepper->context = context;
	stepper->current = NULL;
	stepper->ended = stepper->lost = false;
	return arch->step(stepper, data, passes, diag);
}

static void count_steps(void *context, const struct tp_step *step __attribute__((unused)))
{
	++*(unsigned *)context;
}

enum tp_status tp_stepper_supported(struct tp_diag *diag)
{
	const struct tp_arch *arch = tp_arch_host();
	if (!arch || !arch->decode || !arch->step)
		return tp_fail(diag, TP_UNSUPPORTED, "stepping",
			       "analyse counts that were taken elsewhere (--classify), or use PAPI",
			       "code cannot be stepped on %s", arch ? arch->name : "this CPU");
	/* Tries whether a trap follows each instruction, with two of them: a nop and the return. */
	struct tp_code code = { 0 };
	struct tp_stepper *stepper = NULL;
	unsigned steps = 0;
	enum tp_status status = tp_code_init(&code, sizeof(arch->nop_and_return), diag);
	if (status != TP_OK)
		return status;
	memcpy(code.map, arch->nop_and_return, sizeof(arch->nop_and_return));
	status = tp_code_seal(&code, sizeof(arch->nop_and_return), diag);
	if (status == TP_OK)
		status = stepper_new(&stepper, &code, arch, diag);
	if (status == TP_OK) {
		status = run(stepper, arch, NULL, 1, count_steps, &steps, NULL);
		if (status != TP_OK || steps != 2)
			status = tp_fail(
				diag, TP_UNSUPPORTED, "stepping",
				"no debugger may be attached, and the program must not run under "
				"an "
				"emulator or a sandbox that hides the trap flag",
				"code cannot be stepped here: of 2 instructions %u came to a trap",
				steps);
	}
	tp_stepper_free(stepper);
	tp_code_release(&code);
	return status;
}

enum tp_status tp_stepper_new(struct tp_stepper **stepper, const struct tp_code *code,
			      struct tp_diag *diag)
{
	*stepper = NULL;
	enum tp_status status = tp_stepper_supported(diag);
	return status == TP_OK ? stepper_new(stepper, code, tp_arch_host(), diag) : status;
}

void tp_stepper_free(struct tp_stepper *stepper)
{
	if (!stepper)
		return;
	free(stepper->items);
	free(stepper->number_at);
	tp_code_release(&stepper->copy);
	free(stepper);
}

size_t tp_stepper_instructions(const struct tp_stepper *stepper)
{
	return stepper->n;
}

const struct tp_instruction *tp_stepper_at(const struct tp_stepper *stepper, size_t offset)
{
	const struct tp_decoded *item = tp_stepper_decoded(stepper, offset);
	return item ? &item->instruction : NULL;
}

enum tp_status tp_stepper_run(struct tp_stepper *stepper, void *data, uint64_t passes,
			      tp_step_listener listener, void *context, struct tp_diag *diag)
{
	return run(stepper, tp_arch_host(), data, passes, listener, context, diag);
}
