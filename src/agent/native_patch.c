/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that are regions, patched in place: a jump where the function begins, and one for each
 * way out of it. Behind a jump lies the code that it took the place of, and a call of native.c.
 *
 * Every instruction of the function is decoded first. What cannot be patched for certain leaves the
 * function as it is: a jump through a table (its targets are unknown), a return that has no room
 * for a jump of 5 bytes, code that is no instruction.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/native_patch.h"
#include "agent/parts.h"
#include "agent/sys.h"

enum { RANGE_BYTES = 1 << 20 };

/* --- words --- */

static void add_text(char *to, uint64_t size, const char *text)
{
	uint64_t n = 0;

	while (n + 1 < size && to[n])
		n++;
	while (n + 1 < size && *text)
		to[n++] = *text++;
	to[n] = '\0';
}

bool tp_patch_cannot(const struct tp_patch_work *w, const char *why)
{
	struct tp_agent_shared *shared = tp_agent_shared;

	if (!w->region)
		return false;
	if (shared->words[0])
		add_text(shared->words, sizeof(shared->words), "; ");
	add_text(shared->words, sizeof(shared->words), shared->regions[w->region]);
	add_text(shared->words, sizeof(shared->words), " ");
	add_text(shared->words, sizeof(shared->words), why);
	shared->function_found[w->region] = TP_AGENT_NOT_TIMED;
	return false;
}

/* --- what the instructions are --- */

static ZydisDecoder decoder;

static struct tp_patch_range *range_with(struct tp_patch_work *w, uint64_t address)
{
	for (unsigned i = 0; i < w->n_ranges; i++)
		if (address >= w->ranges[i].start && address < w->ranges[i].end)
			return &w->ranges[i];
	return NULL;
}

bool tp_patch_decode(uint64_t at, uint64_t bytes, ZydisDecodedInstruction *in,
		     ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
	return ZYAN_SUCCESS(
		ZydisDecoderDecodeFull(&decoder, (const void *)at, bytes, in, operands));
}

enum tp_patch_kind tp_patch_kind(const ZydisDecodedInstruction *in)
{
	bool relative = in->attributes & ZYDIS_ATTRIB_IS_RELATIVE && in->raw.imm[0].is_relative;

	if (in->mnemonic == ZYDIS_MNEMONIC_NOP || in->mnemonic == ZYDIS_MNEMONIC_INT3)
		return TP_PATCH_PADDING;
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		return TP_PATCH_CALL;
	case ZYDIS_CATEGORY_RET:
		return in->mnemonic == ZYDIS_MNEMONIC_RET ? TP_PATCH_RETURN : TP_PATCH_ODD;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return relative ? TP_PATCH_JUMP : TP_PATCH_UNKNOWN_JUMP;
	case ZYDIS_CATEGORY_COND_BR:
		/* jrcxz and loop have no long form, xbegin is none at all. */
		return relative && in->mnemonic != ZYDIS_MNEMONIC_JRCXZ &&
				       in->mnemonic != ZYDIS_MNEMONIC_JECXZ &&
				       in->mnemonic != ZYDIS_MNEMONIC_LOOP &&
				       in->mnemonic != ZYDIS_MNEMONIC_LOOPE &&
				       in->mnemonic != ZYDIS_MNEMONIC_LOOPNE
			       ? TP_PATCH_BRANCH
			       : TP_PATCH_ODD;
	default:
		return relative ? TP_PATCH_ODD : TP_PATCH_PLAIN;
	}
}

static bool read_range(struct tp_patch_work *w, struct tp_patch_range *r)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t bytes = r->end - r->start;

	for (uint64_t at = r->start; at < r->end; at += in.length) {
		struct tp_patch_step *s = &r->steps[r->n++];

		if (!tp_patch_decode(at, r->end - at, &in, operands))
			return tp_patch_cannot(w, "has bytes that are no instructions");
		*s = (struct tp_patch_step){ .at = (uint32_t)(at - r->start),
					     .bytes = in.length,
					     .kind = (uint8_t)tp_patch_kind(&in) };
		if (s->kind == TP_PATCH_UNKNOWN_JUMP)
			return tp_patch_cannot(
				w, "has a jump through a table or a pointer (-fno-jump-tables "
				   "compiles it without)");
		if (s->kind == TP_PATCH_JUMP || s->kind == TP_PATCH_BRANCH)
			s->target = at + in.length + (uint64_t)in.raw.imm[0].value.s;
	}
	return bytes >= TP_PATCH_JUMP_BYTES || r->split_off || tp_patch_cannot(w, "is too short");
}

static void mark_targets(struct tp_patch_work *w)
{
	for (unsigned i = 0; i < w->n_ranges; i++)
		for (uint32_t s = 0; s < w->ranges[i].n; s++) {
			const struct tp_patch_step *step = &w->ranges[i].steps[s];
			struct tp_patch_range *to =
				step->kind == TP_PATCH_JUMP || step->kind == TP_PATCH_BRANCH
					? range_with(w, step->target)
					: NULL;

			if (!to)
				continue;
			to->targets[step->target - to->start] = 1;
			to->jumps_back |= step->target == to->start && !to->split_off;
		}
}

/* --- where patches go --- */

static bool is_free(const struct tp_patch_range *r, uint32_t from, uint32_t bytes)
{
	for (uint32_t i = from; i < from + bytes; i++) {
		if (r->start + i < r->end && r->taken[i])
			return false;
		if (i > from && r->start + i < r->end && r->targets[i])
			return false;
	}
	return true;
}

static bool add_patch(struct tp_patch_work *w, struct tp_patch_range *r, uint32_t first,
		      uint32_t last, bool is_entry)
{
	uint32_t from = r->steps[first].at;
	uint32_t bytes = r->steps[last].at + r->steps[last].bytes - from;

	if (bytes < TP_PATCH_JUMP_BYTES)
		bytes = TP_PATCH_JUMP_BYTES;
	if (w->n_patches == TP_PATCHES || !is_free(r, from, bytes))
		return false;
	for (uint32_t i = from; i < from + bytes && r->start + i < r->end; i++)
		r->taken[i] = 1;
	w->patches[w->n_patches++] = (struct tp_patch){ .at = r->start + from,
							.range = r,
							.first = first,
							.last = last,
							.is_entry = is_entry };
	return true;
}

/* Whether the bytes behind a step up to `end` are there to fill room. */
static bool is_padding(const struct tp_patch_range *r, uint32_t step, uint64_t end)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t at = r->start + r->steps[step].at + r->steps[step].bytes;
	uint64_t aligned = (r->end + TP_PATCH_ALIGNED - 1) / TP_PATCH_ALIGNED * TP_PATCH_ALIGNED;

	if (end > aligned)
		return false;
	for (; at < end; at += in.length)
		if (!tp_patch_decode(at, 16, &in, operands) ||
		    tp_patch_kind(&in) != TP_PATCH_PADDING)
			return false;
	return true;
}

static bool patch_entry(struct tp_patch_work *w, struct tp_patch_range *r)
{
	uint32_t last = 0;

	while (last + 1 < r->n && r->steps[last].at + r->steps[last].bytes < TP_PATCH_JUMP_BYTES) {
		enum tp_patch_kind kind = r->steps[last].kind;

		/* Whatever does not go on to the next one ends what can be moved. */
		if (kind != TP_PATCH_PLAIN && kind != TP_PATCH_PADDING && kind != TP_PATCH_BRANCH)
			return tp_patch_cannot(w, "leaves no room for a jump where it begins");
		last++;
	}
	if (r->steps[last].kind == TP_PATCH_ODD ||
	    r->steps[last].at + r->steps[last].bytes < TP_PATCH_JUMP_BYTES ||
	    (r->steps[last].kind == TP_PATCH_RETURN || r->steps[last].kind == TP_PATCH_JUMP) ||
	    !add_patch(w, r, 0, last, true))
		return tp_patch_cannot(w, "leaves no room for a jump where it begins");
	return true;
}

/* A return takes the place of what stands behind it, if that is padding, or in front. */
static bool patch_return(struct tp_patch_work *w, struct tp_patch_range *r, uint32_t step)
{
	const struct tp_patch_step *s = &r->steps[step];
	uint32_t first = step;

	if (is_padding(r, step, r->start + s->at + TP_PATCH_JUMP_BYTES) &&
	    add_patch(w, r, step, step, false))
		return true;
	while (first > 0 && r->steps[first - 1].kind == TP_PATCH_PLAIN &&
	       !r->targets[r->steps[first].at] &&
	       s->at + s->bytes - r->steps[first].at < TP_PATCH_JUMP_BYTES)
		first--;
	if (s->at + s->bytes - r->steps[first].at >= TP_PATCH_JUMP_BYTES &&
	    add_patch(w, r, first, step, false))
		return true;
	return tp_patch_cannot(w, "has a return without room for a jump");
}

static bool plan_range(struct tp_patch_work *w, struct tp_patch_range *r)
{
	if (!r->split_off && !patch_entry(w, r))
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct tp_patch_step *s = &r->steps[i];
		bool leaves = (s->kind == TP_PATCH_JUMP || s->kind == TP_PATCH_BRANCH) &&
			      !range_with(w, s->target);

		if (s->kind == TP_PATCH_RETURN && !patch_return(w, r, i))
			return false;
		if (leaves && (s->bytes < TP_PATCH_JUMP_BYTES || !add_patch(w, r, i, i, false)))
			return tp_patch_cannot(w, "has a short jump to another function");
	}
	return true;
}

/* --- one region --- */

static bool take_range(struct tp_patch_work *w, const struct tp_hook_function *f)
{
	struct tp_patch_range *r = &w->ranges[w->n_ranges];
	uint64_t bytes = f->end - f->start;

	if (w->n_ranges == TP_PATCH_RANGES)
		return tp_patch_cannot(w, "has too many copies");
	if (bytes == 0 || bytes > RANGE_BYTES)
		return tp_patch_cannot(w, bytes ? "is too long"
						: "has no length in the table of symbols");
	*r = (struct tp_patch_range){ .start = f->start, .end = f->end, .split_off = f->split_off };
	r->steps = tp_memory_map(0, bytes * (sizeof(*r->steps) + 2), PROT_READ | PROT_WRITE, 0);
	if (!r->steps)
		return tp_patch_cannot(w, "finds no memory");
	r->targets = (uint8_t *)(r->steps + bytes);
	r->taken = r->targets + bytes;
	w->n_ranges++;
	return true;
}

static void drop_ranges(struct tp_patch_work *w)
{
	for (unsigned i = 0; i < w->n_ranges; i++)
		tp_sys(SYS_munmap, (uint64_t)w->ranges[i].steps,
		       (w->ranges[i].end - w->ranges[i].start) * (sizeof(struct tp_patch_step) + 2),
		       0, 0, 0, 0);
}

static void patch_region(struct tp_patch_work *w, unsigned first)
{
	bool fine = true;

	for (unsigned i = first; i < w->hooks->n_functions && fine; i++)
		if (w->hooks->functions[i].region == w->region)
			fine = take_range(w, &w->hooks->functions[i]);
	for (unsigned i = 0; i < w->n_ranges && fine; i++)
		fine = read_range(w, &w->ranges[i]);
	if (fine)
		mark_targets(w);
	for (unsigned i = 0; i < w->n_ranges && fine; i++)
		fine = plan_range(w, &w->ranges[i]);
	if (fine && w->n_patches)
		tp_patch_all(w);
	drop_ranges(w);
}

void tp_patch_functions(struct tp_hooks *hooks, unsigned first)
{
	struct tp_patch_work *w = NULL;

	for (unsigned region = 1; region <= tp_agent_shared->n_functions; region++) {
		bool any = false;

		for (unsigned i = first; i < hooks->n_functions && !any; i++)
			any = hooks->functions[i].region == region;
		if (!any || region >= TP_AGENT_REGIONS)
			continue;
		if (!w)
			w = tp_memory_map(0, sizeof(*w), PROT_READ | PROT_WRITE, 0);
		if (!w)
			return;
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		w->hooks = hooks;
		w->region = region;
		w->entered = tp_native_entered;
		w->n_ranges = w->n_patches = 0;
		patch_region(w, first);
	}
	if (w)
		tp_sys(SYS_munmap, (uint64_t)w, sizeof(*w), 0, 0, 0, 0);
}

bool tp_patch_entry(uint64_t start, uint64_t end,
		    void (*entered)(uint64_t region_and_flags, const uint64_t *back))
{
	const struct tp_hook_function f = { .start = start, .end = end };
	struct tp_patch_work *w = tp_memory_map(0, sizeof(*w), PROT_READ | PROT_WRITE, 0);
	bool fine = w && start;

	if (fine) {
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		w->entered = entered;
		fine = take_range(w, &f) && read_range(w, &w->ranges[0]);
	}
	if (fine) {
		mark_targets(w);
		fine = patch_entry(w, &w->ranges[0]) && tp_patch_all(w);
	}
	if (w) {
		drop_ranges(w);
		tp_sys(SYS_munmap, (uint64_t)w, sizeof(*w), 0, 0, 0, 0);
	}
	return fine;
}
