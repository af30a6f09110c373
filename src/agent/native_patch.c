/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that are regions, patched in place: a jump at the beginning of the function, and one
 * for each way out of it. Each jumps to the code that it replaced and a call of native.c.
 *
 * Every instruction of the function is decoded first. If anything cannot be patched safely, the
 * function stays as it is: a jump through a table (its targets are unknown), a return that has no
 * room for a jump of 5 bytes, code that is not an instruction.
 */
#include <Zydis/Zydis.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/context.h"
#include "agent/emit.h"
#include "agent/native.h"
#include "agent/sys.h"

enum {
	TP_PATCH_RANGES = 32, /* of one region: copies, and parts that were split off */
	TP_PATCHES = 4096,
	TP_PATCH_JUMP_BYTES = 5,
	TP_PATCH_ALIGNED = 16, /* compilers put nothing but padding in front of such an address */
};

enum tp_patch_kind {
	TP_PATCH_PLAIN,
	TP_PATCH_PADDING,
	TP_PATCH_CALL,
	TP_PATCH_RETURN,
	TP_PATCH_JUMP,
	TP_PATCH_BRANCH,
	TP_PATCH_UNKNOWN_JUMP,
	TP_PATCH_ODD
};

struct tp_patch_step {
	uint32_t at; /* from the beginning of the range */
	uint8_t bytes, kind; /* enum tp_patch_kind */
	uint64_t target; /* of TP_PATCH_JUMP and TP_PATCH_BRANCH */
};

struct tp_patch_range {
	uint64_t start, end;
	bool split_off;
	uint32_t n;
	struct tp_patch_step *steps;
	uint8_t *targets; /* for each byte: some jump leads there */
	uint8_t *taken; /* by a patch */
	bool jumps_back;
};

struct tp_patch {
	uint64_t at, code; /* of the jump, and where it goes */
	struct tp_patch_range *range;
	uint32_t first, last; /* steps that it replaces; `last` is the way out, if it is one */
	bool is_entry;
};

struct tp_patch_work {
	struct tp_hooks *hooks;
	unsigned region; /* 0 = none: then no reason is reported */
	tp_native_call *entered, *left;
	unsigned n_ranges, n_patches;
	struct tp_patch_range ranges[TP_PATCH_RANGES];
	struct tp_patch patches[TP_PATCHES];
};

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

/* Reports why the region is not timed; returns false. */
static bool patch_cannot(const struct tp_patch_work *w, const char *why)
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

static bool patch_decode(uint64_t at, uint64_t bytes, ZydisDecodedInstruction *in,
			 ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
	return ZYAN_SUCCESS(
		ZydisDecoderDecodeFull(&decoder, (const void *)at, bytes, in, operands));
}

static enum tp_patch_kind patch_kind_of(const ZydisDecodedInstruction *in)
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
		/* jrcxz and loop have no long form; xbegin is not a jump. */
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

		if (!patch_decode(at, r->end - at, &in, operands))
			return patch_cannot(w, "has bytes that are not instructions");
		*s = (struct tp_patch_step){ .at = (uint32_t)(at - r->start),
					     .bytes = in.length,
					     .kind = (uint8_t)patch_kind_of(&in) };
		if (s->kind == TP_PATCH_UNKNOWN_JUMP)
			return patch_cannot(
				w, "has a jump through a table or a pointer (-fno-jump-tables "
				   "compiles it without)");
		if (s->kind == TP_PATCH_JUMP || s->kind == TP_PATCH_BRANCH)
			s->target = at + in.length + (uint64_t)in.raw.imm[0].value.s;
	}
	return bytes >= TP_PATCH_JUMP_BYTES || r->split_off || patch_cannot(w, "is too short");
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

/* Whether the bytes after a step, up to `end`, are padding. */
static bool is_padding(const struct tp_patch_range *r, uint32_t step, uint64_t end)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t at = r->start + r->steps[step].at + r->steps[step].bytes;
	uint64_t aligned = (r->end + TP_PATCH_ALIGNED - 1) / TP_PATCH_ALIGNED * TP_PATCH_ALIGNED;

	if (end > aligned)
		return false;
	for (; at < end; at += in.length)
		if (!patch_decode(at, 16, &in, operands) || patch_kind_of(&in) != TP_PATCH_PADDING)
			return false;
	return true;
}

static bool patch_entry(struct tp_patch_work *w, struct tp_patch_range *r)
{
	uint32_t last = 0;

	while (last + 1 < r->n && r->steps[last].at + r->steps[last].bytes < TP_PATCH_JUMP_BYTES) {
		enum tp_patch_kind kind = r->steps[last].kind;

		/* Instructions that do not continue with the next one end what can be moved. */
		if (kind != TP_PATCH_PLAIN && kind != TP_PATCH_PADDING && kind != TP_PATCH_BRANCH)
			return patch_cannot(w, "leaves no room for a jump where it begins");
		last++;
	}
	if (r->steps[last].kind == TP_PATCH_ODD ||
	    r->steps[last].at + r->steps[last].bytes < TP_PATCH_JUMP_BYTES ||
	    (r->steps[last].kind == TP_PATCH_RETURN || r->steps[last].kind == TP_PATCH_JUMP) ||
	    !add_patch(w, r, 0, last, true))
		return patch_cannot(w, "leaves no room for a jump where it begins");
	return true;
}

/* A return is patched over the padding after it, or before it. */
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
	return patch_cannot(w, "has a return without room for a jump");
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
			return patch_cannot(w, "has a short jump to another function");
	}
	return true;
}

/* --- one region --- */

static bool take_range(struct tp_patch_work *w, const struct tp_hook_function *f)
{
	struct tp_patch_range *r = &w->ranges[w->n_ranges];
	uint64_t bytes = f->end - f->start;

	if (w->n_ranges == TP_PATCH_RANGES)
		return patch_cannot(w, "has too many copies");
	if (bytes == 0 || bytes > RANGE_BYTES)
		return patch_cannot(w, bytes ? "is too long"
					     : "has no length in the table of symbols");
	*r = (struct tp_patch_range){ .start = f->start, .end = f->end, .split_off = f->split_off };
	r->steps = tp_memory_map(0, bytes * (sizeof(*r->steps) + 2), PROT_READ | PROT_WRITE, 0);
	if (!r->steps)
		return patch_cannot(w, "finds no memory");
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

enum { PATCH_ROOM = 256 /* no patch takes more code */ };

/* Registers that a call may change; the stack is 8 bytes off an alignment of 16 here. */
static void emit_told(struct tp_emit *e, const void *function, uint64_t region_and_flags)
{
	static const uint8_t saved[] = { 0x50, 0x51, 0x52, 0x56, 0x57, 0x41, 0x50,
					 0x41, 0x51, 0x41, 0x52, 0x41, 0x53 };
	static const uint8_t back[] = { 0x48, 0x8d, 0x74, 0x24, 9 * 8 }; /* lea rsi, [rsp + 72] */
	static const uint8_t restored[] = { 0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41,
					    0x58, 0x5f, 0x5e, 0x5a, 0x59, 0x58 };

	for (unsigned i = 0; i < sizeof(saved); i++)
		tp_emit_1(e, saved[i]);
	tp_emit_constant(e, TP_RDI, region_and_flags);
	for (unsigned i = 0; i < sizeof(back); i++)
		tp_emit_1(e, back[i]);
	tp_emit_call(e, function);
	for (unsigned i = 0; i < sizeof(restored); i++)
		tp_emit_1(e, restored[i]);
}

/* jcc to an address, of an instruction whose last opcode byte has the condition */
static uint8_t *emit_branch(struct tp_emit *e, unsigned condition, uint64_t to)
{
	uint8_t *displacement;

	tp_emit_1(e, 0x0f);
	tp_emit_1(e, 0x80 | condition);
	displacement = e->at;
	tp_emit_4(e, 0);
	tp_emit_patch(displacement, (const void *)to);
	return displacement;
}

/* The same instruction at another address; false if it cannot be moved. */
static bool emit_moved(struct tp_emit *e, uint64_t at)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	const uint8_t *bytes = (const uint8_t *)at;
	uint8_t *to = e->at;
	uint64_t target;

	if (!patch_decode(at, 16, &in, operands))
		return false;
	target = at + in.length + (uint64_t)in.raw.imm[0].value.s;
	if (in.attributes & ZYDIS_ATTRIB_IS_RELATIVE && in.raw.imm[0].is_relative) {
		if (patch_kind_of(&in) == TP_PATCH_BRANCH) {
			emit_branch(e, in.opcode & 15, target);
			return true;
		}
		if (patch_kind_of(&in) != TP_PATCH_CALL)
			return false;
		/* Its return address stays the original one for stack unwinders. */
		tp_emit_push(e, at + in.length);
		tp_emit_jump(e, (const void *)target);
		return true;
	}
	if (patch_kind_of(&in) == TP_PATCH_CALL)
		return false;
	for (unsigned i = 0; i < in.length; i++)
		tp_emit_1(e, bytes[i]);
	for (unsigned i = 0; i < in.operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    operands[i].mem.base == ZYDIS_REGISTER_RIP) {
			uint64_t meant = at + in.length + (uint64_t)operands[i].mem.disp.value;
			int64_t distance = (int64_t)(meant - (uint64_t)e->at);
			int32_t value = (int32_t)distance;

			if (distance != value || in.raw.disp.size != 32)
				return false;
			__builtin_memcpy(to + in.raw.disp.offset, &value, sizeof(value));
		}
	return true;
}

static bool emit_patch(const struct tp_patch_work *w, const struct tp_patch *p, struct tp_emit *e)
{
	const struct tp_patch_range *r = p->range;
	const struct tp_patch_step *last = &r->steps[p->last];
	uint64_t next = r->start + last->at + last->bytes;
	uint64_t flags = w->region | (r->jumps_back ? TP_NATIVE_JUMPS_BACK : 0);
	const uint8_t *bytes = (const uint8_t *)(r->start + last->at);
	uint8_t *around;

	if (p->is_entry)
		emit_told(e, (const void *)w->entered, flags);
	for (uint32_t i = p->first; i < p->last + p->is_entry; i++)
		if (!emit_moved(e, r->start + r->steps[i].at))
			return false;
	if (p->is_entry) {
		if (last->kind != TP_PATCH_CALL)
			tp_emit_jump(e, (const void *)next);
	} else if (last->kind == TP_PATCH_BRANCH) {
		around = emit_branch(e, (bytes[1] & 15) ^ 1, next);
		emit_told(e, (const void *)w->left, flags);
		tp_emit_jump(e, (const void *)last->target);
		tp_emit_patch(around, e->at);
		tp_emit_jump(e, (const void *)next);
	} else {
		emit_told(e, (const void *)w->left, flags);
		if (last->kind == TP_PATCH_JUMP)
			tp_emit_jump(e, (const void *)last->target);
		else
			for (unsigned i = 0; i < last->bytes; i++)
				tp_emit_1(e, bytes[i]);
	}
	return true;
}

/* --- memory --- */

/* Within reach of 32-bit jumps: below the code first, because the heap grows above. */
static uint8_t *map_near(uint64_t code, uint64_t bytes)
{
	const uint64_t step = 1 << 20, most = 1u << 30;

	for (uint64_t away = step; away < 2 * most; away += step) {
		uint64_t at = (code & ~(step - 1)) - away;
		uint8_t *got;

		if (away >= most)
			at = (code & ~(step - 1)) + (away - most) + step;
		got = tp_memory_map(at, bytes, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE);
		if (got == (uint8_t *)at)
			return got;
		if (got)
			tp_sys(SYS_munmap, (uint64_t)got, bytes, 0, 0, 0, 0);
	}
	return NULL;
}

static bool protect(uint64_t from, uint64_t to, int protection)
{
	from &= ~4095ull;
	to = (to + 4095) & ~4095ull;
	return !tp_sys_failed(tp_sys(SYS_mprotect, from, to - from, (uint64_t)protection, 0, 0, 0));
}

static bool write_jump(uint64_t at, uint64_t code)
{
	struct tp_emit e = { (uint8_t *)at };

	if (!protect(at, at + TP_PATCH_JUMP_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC) &&
	    !protect(at, at + TP_PATCH_JUMP_BYTES, PROT_READ | PROT_WRITE))
		return false;
	tp_emit_jump(&e, (const void *)code);
	return protect(at, at + TP_PATCH_JUMP_BYTES, PROT_READ | PROT_EXEC);
}

/* Writes the code of the patches, then the jumps to it. */
static bool patch_all(struct tp_patch_work *w)
{
	uint64_t bytes = (uint64_t)w->n_patches * PATCH_ROOM;
	uint8_t *code = map_near(w->ranges[0].start, bytes);
	struct tp_emit e = { code };

	if (!code)
		return patch_cannot(w, "has no free memory near it");
	for (unsigned i = 0; i < w->n_patches; i++) {
		w->patches[i].code = (uint64_t)e.at;
		if (!emit_patch(w, &w->patches[i], &e)) {
			tp_sys(SYS_munmap, (uint64_t)code, bytes, 0, 0, 0, 0);
			return patch_cannot(
				w, "begins or ends with an instruction that cannot be moved");
		}
	}
	if (!protect((uint64_t)code, (uint64_t)code + bytes, PROT_READ | PROT_EXEC))
		return patch_cannot(w, "cannot be changed: code may not be written here");
	for (unsigned i = 0; i < w->n_patches; i++)
		if (!write_jump(w->patches[i].at, w->patches[i].code))
			return patch_cannot(w, "cannot be changed: its code may not be written");
	return true;
}

void tp_patch_functions(struct tp_hooks *hooks, unsigned first, tp_native_call *entered,
			tp_native_call *left)
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
		w->entered = entered;
		w->left = left;
		w->n_ranges = w->n_patches = 0;
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
			patch_all(w);
		drop_ranges(w);
	}
	if (w)
		tp_sys(SYS_munmap, (uint64_t)w, sizeof(*w), 0, 0, 0, 0);
}

/* Takes as many of n as fit into one batch; returns how many. */
static unsigned patch_some(struct tp_patch_work *w, const struct tp_hooks_code *codes, unsigned n)
{
	unsigned i;
	bool fine = true;

	w->n_ranges = w->n_patches = 0;
	for (i = 0; i < n && w->n_ranges < TP_PATCH_RANGES; i++) {
		const struct tp_hook_function f = { .start = codes[i].start, .end = codes[i].end };

		if (f.start && take_range(w, &f))
			fine &= read_range(w, &w->ranges[w->n_ranges - 1]);
	}
	mark_targets(w);
	for (unsigned r = 0; r < w->n_ranges && fine; r++)
		fine = patch_entry(w, &w->ranges[r]);
	fine = fine && w->n_patches && patch_all(w);
	drop_ranges(w);
	/* One function that cannot be patched must not hold up the others. */
	for (unsigned k = 0; k < i && i > 1 && !fine; k++)
		patch_some(w, &codes[k], 1);
	return i;
}

void tp_patch_entries(const struct tp_hooks_code *codes, unsigned n, tp_native_call *entered)
{
	struct tp_patch_work *w =
		n ? tp_memory_map(0, sizeof(*w), PROT_READ | PROT_WRITE, 0) : NULL;

	if (!w)
		return;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	w->entered = entered;
	for (unsigned i = 0; i < n;)
		i += patch_some(w, &codes[i], n - i);
	tp_sys(SYS_munmap, (uint64_t)w, sizeof(*w), 0, 0, 0, 0);
}

/* The code that patches of native_patch.c jump to. */

bool tp_patch_empty(uint64_t at, void (*then)(void))
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *code = (const uint8_t *)at;
	struct tp_emit e;
	unsigned n = 0;

	if (!at || at % TP_PATCH_ALIGNED)
		return false;
	while (n < sizeof(endbr) && code[n] == endbr[n])
		n++;
	/* It returns at once, so no thread is ever in its other bytes, which are padding. */
	if (code[n == sizeof(endbr) ? n : 0] != 0xc3)
		return false;
	e.at = map_near(at, 4096);
	if (!e.at)
		return false;
	code = e.at;
	emit_told(&e, (const void *)then, 0);
	tp_emit_1(&e, 0xc3);
	return protect((uint64_t)code, (uint64_t)code + 4096, PROT_READ | PROT_EXEC) &&
	       write_jump(at, (uint64_t)code);
}
