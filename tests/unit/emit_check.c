/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/emit_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/memory.h"

#define FULL "sse2 sse4_1 avx fma avx2 avx512f avx512dq avx512bw avx512vl"

const struct emit_target emit_targets[] = {
	{ "full", "scalar", FULL, ENCODED_VEX, true },
	{ "full", "sse", FULL, ENCODED_VEX, true },
	{ "full", "avx2", FULL, ENCODED_VEX, true },
	{ "full", "avx512", FULL, ENCODED_EVEX, true },
	{ "SSE2 only", "scalar", "sse2", ENCODED_LEGACY, false },
	{ "SSE2 only", "sse", "sse2", ENCODED_LEGACY, false },
	{ "AVX without FMA", "scalar", "sse2 sse4_1 avx", ENCODED_VEX, false },
	{ "AVX without FMA", "sse", "sse2 sse4_1 avx", ENCODED_VEX, false },
};
const size_t emit_target_count = TP_COUNT_OF(emit_targets);

enum {
	NONE = -1,
	MOST_OVERHEAD = 5, /* of a loop: two pointers, their sum, count, jump */
	/*
	 * FP instructions between two on one accumulator: two units of four cycles need that many
	 * results under way. A body with more additions than FMAs has fewer accumulators for them,
	 * but must keep one unit busy.
	 */
	LEAST_DISTANCE = 8,
	LEAST_DISTANCE_OF_MANY_ADDS = 4,
	LEAST_STEPS = 8, /* the same in instructions of any kind, if FP instructions are rare */
	LONG_BODY = 64, /* bodies with so many FP instructions must keep that distance */
};

struct pass {
	struct tp_kernel_counts counts;
	uint64_t accesses;
	int64_t last[16]; /* highest offset yet: per lane, or loads and stores of two streams */
};

struct check {
	csh capstone;
	const struct emit_target *target;
	const struct tp_kernel *k;
	struct tp_code code;
	struct program program;
	struct tp_kernel_counts counts; /* promised */
	unsigned operand_bytes, lanes, stride;
	unsigned char *touched; /* per operand of the working set */
	char *why;

	/* state of one walk */
	const struct walk *walk;
	struct pass pass;
	int slot[32]; /* FP: operand of the data block that a register was loaded from */
	int source; /* register that stores take */
	int operand; /* register that a mixed kernel loads as its operand a */
	bool source_general;
	bool loaded[32]; /* in the body */
	uint64_t fp_total, fp_last[32]; /* 1-based index of the last FP instruction that wrote it */
	uint64_t steps, fp_step[32]; /* the same, counted in all instructions */
	uint64_t jumped_at; /* FP instructions before the last jump */
	enum decoded_class fp_class[32];
	int chain;
};

struct tp_cpu emit_target_cpu(const struct emit_target *target)
{
	struct tp_cpu cpu = { .arch = "x86_64", .family = -1, .model = -1, .stepping = -1 };
	tp_copy(cpu.features, sizeof(cpu.features), target->features);
	return cpu;
}

void emit_describe(const struct emit_target *target, const struct tp_kernel *k, char *out,
		   size_t size)
{
	char name[64], body[64];
	snprintf(out, size, "%s %s %s%s of %llu bytes, %s, stride %u (%s)", k->isa->name,
		 k->element_bytes == 8 ? "double" : "single", tp_kernel_name(k, name, sizeof(name)),
		 k->nontemporal ? " nt" : "", (unsigned long long)k->working_set_bytes,
		 tp_body_name(&k->body, body, sizeof(body)), k->stride, target->name);
}

__attribute__((format(printf, 3, 4))) static bool wrong(struct check *c, const struct decoded *d,
							const char *fmt, ...)
{
	char kernel[256], reason[384];
	va_list args;
	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	emit_describe(c->target, c->k, kernel, sizeof(kernel));
	if (d)
		snprintf(c->why, EMIT_WHY_BYTES, "%s: at %zx: %.80s: %s", kernel, d->at, d->text,
			 reason);
	else
		snprintf(c->why, EMIT_WHY_BYTES, "%s: %s", kernel, reason);
	return false;
}

static bool is_chase(const struct check *c)
{
	return c->k->kind == TP_KERNEL_CHASE;
}

static bool has_memory(const struct check *c)
{
	return c->k->kind == TP_KERNEL_MEMORY || c->k->kind == TP_KERNEL_MIXED;
}

/* --- forms: what each instruction is, wherever it stands --- */

static bool fp_class_fits(const struct check *c, enum decoded_class class)
{
	bool fused = c->target->fused;
	if (c->k->kind != TP_KERNEL_FP && c->k->kind != TP_KERNEL_MIXED)
		return false;
	switch (c->k->fp_op) {
	case TP_FP_ADD:
		return class == DECODED_ADD;
	case TP_FP_MUL:
		return class == DECODED_MUL;
	case TP_FP_DIV:
		return class == DECODED_DIV;
	case TP_FP_FMA:
		return fused ? class == DECODED_FMA : class == DECODED_MUL || class == DECODED_ADD;
	case TP_FP_FMA_ADD:
		return class == DECODED_ADD || class == (fused ? DECODED_FMA : DECODED_MUL);
	default:
		return false;
	}
}

static bool check_vector_form(struct check *c, const struct decoded *d)
{
	bool scalar = c->k->isa->vector_bytes == 0;
	if (d->encoding != c->target->encoding)
		return wrong(c, d, "encoding %d, not %d", d->encoding, c->target->encoding);
	if (d->element_bytes != c->k->element_bytes || d->scalar != scalar)
		return wrong(c, d, "not of the kernel's precision");
	if (d->register_bytes != (scalar ? 16 : c->operand_bytes))
		return wrong(c, d, "registers of %u bytes", d->register_bytes);
	return true;
}

static bool check_form(struct check *c, const struct decoded *d)
{
	bool nt = has_memory(c) && c->k->nontemporal;
	bool integer = nt && c->k->isa->vector_bytes == 0;
	switch (d->class) {
	case DECODED_OTHER:
		return wrong(c, d, "no instruction of a kernel");
	case DECODED_LOAD:
	case DECODED_STORE:
	case DECODED_NT_STORE:
		if (d->memory_bytes != c->operand_bytes)
			return wrong(c, d, "operand of %u bytes", d->memory_bytes);
		if (d->class != DECODED_LOAD && nt != (d->class == DECODED_NT_STORE))
			return wrong(c, d, "store of the wrong kind");
		if (d->general)
			return integer || is_chase(c) || wrong(c, d, "general register");
		if (is_chase(c))
			return wrong(c, d, "vector register");
		return check_vector_form(c, d);
	case DECODED_ADD:
	case DECODED_MUL:
	case DECODED_DIV:
	case DECODED_FMA:
		if (!fp_class_fits(c, d->class))
			return wrong(c, d, "not an operation of this kernel");
		/* dst op= a, or dst += a * b */
		if ((d->class == DECODED_FMA) == (d->dst == d->first) || d->dst == d->second)
			return wrong(c, d, "operands in the wrong places");
		return check_vector_form(c, d);
	case DECODED_ZERO:
		if ((d->encoding == ENCODED_LEGACY) != (c->target->encoding == ENCODED_LEGACY))
			return wrong(c, d, "mixes legacy and VEX forms");
		return true;
	default:
		return true;
	}
}

/* Prologue, body and epilogue contain nothing else. */
static bool check_place(struct check *c, size_t i)
{
	const struct decoded *d = &c->program.items[i];
	bool before = i<c->program.first_target, after = i> c->program.last_jump;
	switch (d->class) {
	case DECODED_ZERO:
		return before || wrong(c, d, "clears a register outside the prologue");
	case DECODED_SFENCE:
	case DECODED_VZEROUPPER:
	case DECODED_RET:
		return after || wrong(c, d, "not at the end");
	case DECODED_NOP:
		return !after || wrong(c, d, "nop after the loop");
	default:
		if (decoded_is_fp(d) && (before || after))
			return wrong(c, d, "computes outside the loop");
		return true;
	}
}

/* The end is sfence after non-temporal stores, vzeroupper if wide registers were used, ret. */
static bool check_end(struct check *c)
{
	const struct program *p = &c->program;
	bool vex = false, nt = false;
	for (size_t i = 0; i < p->n; i++) {
		const struct decoded *d = &p->items[i];
		vex = vex || (d->class != DECODED_VZEROUPPER && d->encoding != ENCODED_LEGACY);
		nt = nt || d->class == DECODED_NT_STORE;
	}
	size_t i = p->n;
	if (i == 0 || p->items[--i].class != DECODED_RET)
		return wrong(c, NULL, "does not end in ret");
	bool zeroes = i > 0 && p->items[i - 1].class == DECODED_VZEROUPPER;
	i -= zeroes;
	if (vex && !zeroes)
		return wrong(c, &p->items[i], "no vzeroupper before ret");
	if (zeroes && c->target->encoding == ENCODED_LEGACY)
		return wrong(c, &p->items[i], "vzeroupper on a CPU without AVX");
	bool fences = i > 0 && p->items[i - 1].class == DECODED_SFENCE;
	i -= fences;
	if (nt && !fences)
		return wrong(c, &p->items[i], "non-temporal stores without sfence");
	if (fences && !c->k->nontemporal)
		return wrong(c, &p->items[i], "sfence without non-temporal stores");
	size_t stores = c->k->kind == TP_KERNEL_FP ? i - 1 - p->last_jump : is_chase(c) ? 1 : 0;
	for (size_t s = 0; s < stores; s++)
		if (p->items[p->last_jump + 1 + s].class != DECODED_STORE)
			return wrong(c, &p->items[p->last_jump + 1 + s], "not a result's store");
	return i == p->last_jump + 1 + stores || wrong(c, &p->items[i], "more after the loop");
}

/*
 * The marked loop is aligned, has no padding and the promised depth, and contains little besides
 * the instructions of the kernel.
 */
static bool check_loop(struct check *c)
{
	const struct program *p = &c->program;
	size_t first = 0, last;
	while (first < p->n && p->items[first].at != c->code.loop_begin)
		first++;
	for (last = first; last + 1 < p->n && p->items[last + 1].at < c->code.loop_end; last++)
		;
	if (last + 1 >= p->n || p->items[last + 1].at != c->code.loop_end ||
	    p->items[last].class != DECODED_JUMP || p->items[last].target != first)
		return wrong(c, NULL, "loop marks %zx..%zx are not those of a loop",
			     c->code.loop_begin, c->code.loop_end);
	if (c->code.loop_begin % 64)
		return wrong(c, &p->items[first], "loop does not begin a line of code");
	size_t accesses = 0, fp = 0, other = 0;
	for (size_t i = first; i <= last; i++) {
		const struct decoded *d = &p->items[i];
		accesses += decoded_is_access(d);
		fp += decoded_is_fp(d);
		other += !decoded_is_access(d) && !decoded_is_fp(d);
		if (d->class == DECODED_NOP)
			return wrong(c, d, "nop inside the loop");
	}
	uint64_t unroll = tp_kernel_unroll(c->k), total = c->counts.loads + c->counts.stores;
	uint64_t depth = !has_memory(c) || total / unroll > 1 ? unroll : total;
	uint64_t body = has_memory(c) || is_chase(c) ? accesses
			: c->k->kind == TP_KERNEL_FP ? fp
						     : other - 2;
	if (body != depth)
		return wrong(c, NULL, "loop of %llu instructions, not %llu",
			     (unsigned long long)body, (unsigned long long)depth);
	if (other > MOST_OVERHEAD && c->k->kind != TP_KERNEL_CHAIN)
		return wrong(c, NULL, "%zu instructions of overhead in the loop", other);
	return true;
}

/* --- the walk: what is executed, in order --- */

static bool check_address(struct check *c, const struct decoded *d, int64_t at)
{
	struct pass *pass = &c->pass;
	int64_t operand = c->operand_bytes, step = operand * c->stride;
	int64_t total = (int64_t)(c->counts.loads + c->counts.stores);
	int64_t low = 0, high = total * step;
	bool load = d->class == DECODED_LOAD;
	size_t stream = 0;
	if (c->k->body.two_streams) {
		stream = load ? 0 : 1;
		*(load ? &high : &low) = (int64_t)c->counts.loads * step;
	} else if (c->lanes > 1) {
		stream = pass->accesses % c->lanes;
		low = (int64_t)stream * (total / c->lanes) * step;
		high = low + total / c->lanes * step;
	}
	if (at < 0 || at + operand > (int64_t)c->k->working_set_bytes)
		return wrong(c, d, "offset %lld is outside the working set", (long long)at);
	if (at % step)
		return wrong(c, d, "offset %lld is not on the stride", (long long)at);
	if (at < low || at >= high || at <= pass->last[stream])
		return wrong(c, d, "access %llu at offset %lld is not upward in %lld..%lld",
			     (unsigned long long)pass->accesses, (long long)at, (long long)low,
			     (long long)high);
	pass->last[stream] = at;
	if (c->touched[at / operand]++)
		return wrong(c, d, "offset %lld touched twice in a pass", (long long)at);
	return true;
}

/* A load of a chase takes its address from the load before it, in any pass or call. */
static bool body_chase(struct check *c, const struct decoded *d)
{
	if (d->class != DECODED_LOAD || !c->walk->follows)
		return wrong(c, d, "does not follow a pointer");
	if (c->walk->offset != c->walk->loads - 1)
		return wrong(c, d, "load %lld follows load %lld", (long long)c->walk->loads,
			     (long long)c->walk->offset);
	c->pass.counts.loads++;
	c->pass.counts.loaded_bytes += d->memory_bytes;
	return true;
}

static bool body_access(struct check *c, const struct decoded *d, int64_t at)
{
	struct pass *pass = &c->pass;
	const struct tp_kernel *k = c->k;
	bool load = d->class == DECODED_LOAD;
	if (is_chase(c))
		return body_chase(c, d);
	if (!has_memory(c) || c->walk->follows)
		return wrong(c, d, "memory access in the loop");
	if (load != (pass->accesses % (k->loads + k->stores) < k->loads))
		return wrong(c, d, "access %llu is not a %s", (unsigned long long)pass->accesses,
			     load ? "load" : "store");
	if (k->kind == TP_KERNEL_MIXED &&
	    pass->counts.fp != pass->accesses * k->fp_count / k->mem_count)
		return wrong(c, d, "%llu FP instructions before access %llu",
			     (unsigned long long)pass->counts.fp,
			     (unsigned long long)pass->accesses);
	if (!check_address(c, d, at))
		return false;
	pass->accesses++;
	if (load) {
		pass->counts.loads++;
		pass->counts.loaded_bytes += d->memory_bytes;
		if (d->general || (d->dst == c->source && !c->source_general))
			return wrong(c, d, "loads into the register that is stored");
		c->loaded[d->dst] = true;
	} else {
		pass->counts.stores++;
		pass->counts.stored_bytes += d->memory_bytes;
		if (d->first != c->source || d->general != c->source_general)
			return wrong(c, d, "stores something else than the first operand");
	}
	return true;
}

static bool body_fp(struct check *c, const struct decoded *d)
{
	bool fp_kernel = c->k->kind == TP_KERNEL_FP;
	c->pass.counts.fp++;
	c->pass.counts.flops +=
		c->operand_bytes / c->k->element_bytes * (d->class == DECODED_FMA ? 2u : 1u);
	int a = d->class == DECODED_FMA ? d->first : d->second, b = d->second;
	if (fp_kernel && d->class == DECODED_FMA && c->slot[a] == 1) {
		a = d->second;
		b = d->first;
	}
	/* Where accumulators take all other registers, there is one operand. */
	bool alike = c->k->body.fma_registers && a == b;
	if (fp_kernel &&
	    (c->slot[a] != 0 || (d->class == DECODED_FMA && c->slot[b] != 1 && !alike)))
		return wrong(c, d, "operands are not a and b of the data block");
	if (fp_kernel && c->slot[d->dst] < 2)
		return wrong(c, d, "result does not go to an accumulator");
	if (c->loaded[a] || c->loaded[b] || c->loaded[d->dst])
		return wrong(c, d, "depends on what is loaded");
	if (c->fp_last[a] || c->fp_last[b])
		return wrong(c, d, "depends on another result");
	if (!fp_kernel && a != c->operand && b != c->operand)
		return wrong(c, d, "a mixed kernel must compute with the operand it loaded");
	if (!fp_kernel && !c->source_general &&
	    (c->source == a || c->source == b || c->source == d->dst))
		return wrong(c, d, "uses the register that is stored");
	if (c->fp_last[d->dst] && c->fp_class[d->dst] != d->class)
		return wrong(c, d, "accumulator takes two kinds of operations");
	c->fp_class[d->dst] = d->class;

	uint64_t distance = ++c->fp_total - c->fp_last[d->dst];
	uint64_t steps = c->steps - c->fp_step[d->dst];
	bool first = c->fp_last[d->dst] == 0;
	c->fp_last[d->dst] = c->fp_total;
	c->fp_step[d->dst] = c->steps;
	if (first || c->counts.fp < LEAST_DISTANCE)
		return true;
	/* Bodies of a mixed kernel may end anywhere in the rotation. */
	if (distance < 2 && steps < LEAST_STEPS &&
	    (fp_kernel || c->fp_total - distance > c->jumped_at))
		return wrong(c, d, "depends on the FP instruction directly before");
	const struct tp_body *body = &c->k->body;
	uint64_t least =
		body->add_run > body->fma_run ? LEAST_DISTANCE_OF_MANY_ADDS : LEAST_DISTANCE;
	if (fp_kernel && c->counts.fp >= LONG_BODY && distance < least)
		return wrong(c, d, "accumulator again after %llu FP instructions",
			     (unsigned long long)distance);
	return true;
}

static bool body_instruction(struct check *c, const struct decoded *d, int64_t at)
{
	if (decoded_is_access(d))
		return body_access(c, d, at);
	if (decoded_is_fp(d))
		return body_fp(c, d);
	if (d->class == DECODED_JUMP)
		c->jumped_at = c->fp_total;
	if (c->k->kind == TP_KERNEL_CHAIN && d->class == DECODED_COUNT && d->second >= 0) {
		if (c->chain != NONE && d->dst != c->chain)
			return wrong(c, d, "is not part of one chain");
		if (d->second == d->dst)
			return wrong(c, d, "adds the chain to itself");
		c->chain = d->dst;
		c->pass.counts.other++;
	}
	return true;
}

static bool end_pass(struct check *c)
{
	const struct tp_kernel_counts *got = &c->pass.counts, *due = &c->counts;
#define SAME(field)                                                                                \
	if (got->field != due->field)                                                              \
	return wrong(c, NULL, "%s: %llu executed, %llu promised", #field,                          \
		     (unsigned long long)got->field, (unsigned long long)due->field)
	SAME(loads);
	SAME(stores);
	SAME(loaded_bytes);
	SAME(stored_bytes);
	SAME(fp);
	SAME(flops);
	SAME(other);
#undef SAME
	if (has_memory(c)) {
		uint64_t operands = c->k->working_set_bytes / c->operand_bytes;
		for (uint64_t i = 0; i < operands / c->stride; i++)
			if (!c->touched[i * c->stride])
				return wrong(c, NULL, "operand %llu is not touched",
					     (unsigned long long)i);
		memset(c->touched, 0, operands);
	}
	c->pass = (struct pass){ 0 };
	memset(c->pass.last, 0xff, sizeof(c->pass.last)); /* -1 */
	return true;
}

static bool setup_access(struct check *c, const struct decoded *d, int64_t at)
{
	int64_t slot = at / c->operand_bytes;
	if (is_chase(c))
		return (d->class == DECODED_LOAD && at == 0 && c->walk->loads == 1) ||
		       wrong(c, d, "not the cell's address");
	if (c->k->kind == TP_KERNEL_FP) {
		if (d->class != DECODED_LOAD || at % c->operand_bytes || slot < 0 ||
		    slot >= 2 + TP_KERNEL_ACCUMULATORS)
			return wrong(c, d, "not an operand of the data block");
		c->slot[d->dst] = (int)slot;
		return true;
	}
	if (d->class != DECODED_LOAD || at != 0)
		return wrong(c, d, "setup is more than loads of the first operand");
	/*
	 * A mixed kernel computes with it, so that no unit sees zeros only; stores write it back.
	 */
	if (c->k->kind == TP_KERNEL_MIXED && c->operand == NONE) {
		c->operand = d->dst;
		return true;
	}
	if (c->k->stores == 0 || c->source != NONE)
		return wrong(c, d, "setup is more than loads of the first operand");
	c->source = d->dst;
	c->source_general = d->general;
	return true;
}

static bool result_store(struct check *c, const struct decoded *d, int64_t at)
{
	if (is_chase(c)) {
		struct walk_value stored = c->walk->general[d->first];
		return (d->class == DECODED_STORE && !c->walk->follows && at == 0 &&
			stored.kind == WALK_LOADED && stored.n == c->walk->loads) ||
		       wrong(c, d, "does not leave the last address in the cell");
	}
	if (d->class != DECODED_STORE || c->slot[d->first] < 2 ||
	    at != (int64_t)c->slot[d->first] * c->operand_bytes)
		return wrong(c, d, "not an accumulator going back to its place");
	c->slot[d->first] = NONE;
	return true;
}

static bool walk_passes(struct check *c, uint64_t passes)
{
	struct walk walk;
	uint64_t done = 0;
	c->walk = &walk;
	memset(c->slot, 0xff, sizeof(c->slot)); /* NONE */
	memset(c->loaded, 0, sizeof(c->loaded));
	memset(c->fp_last, 0, sizeof(c->fp_last));
	c->fp_total = c->jumped_at = 0;
	c->source = c->chain = c->operand = NONE;
	c->source_general = false;
	c->pass = (struct pass){ 0 };
	memset(c->pass.last, 0xff, sizeof(c->pass.last));
	walk_init(&walk, &c->program, passes);
	for (const struct decoded *d; (d = walk_next(&walk));) {
		size_t i = (size_t)(d - c->program.items);
		bool ok = true;
		c->steps = walk.steps;
		if (i >= c->program.first_target && i <= c->program.last_jump)
			ok = body_instruction(c, d, walk.offset);
		else if (decoded_is_access(d) && i < c->program.first_target)
			ok = setup_access(c, d, walk.offset);
		else if (decoded_is_access(d))
			ok = result_store(c, d, walk.offset);
		if (ok && i == c->program.last_jump) {
			done++;
			ok = end_pass(c);
		}
		if (!ok)
			return false;
	}
	if (walk.error[0])
		return wrong(c, NULL, "%s", walk.error);
	if (done != passes)
		return wrong(c, NULL, "%llu passes instead of %llu", (unsigned long long)done,
			     (unsigned long long)passes);
	for (int r = 0; r < 32; r++)
		if (c->fp_last[r] && c->k->kind == TP_KERNEL_FP && c->slot[r] != NONE)
			return wrong(c, NULL, "accumulator in register %d is not stored back", r);
	return true;
}

static bool check_program(struct check *c)
{
	char reason[256];
	if (!program_init(&c->program, c->capstone, &c->code, reason))
		return wrong(c, NULL, "%s", reason);
	for (size_t i = 0; i < c->program.n; i++)
		if (!check_form(c, &c->program.items[i]) || !check_place(c, i))
			return false;
	return check_end(c) && check_loop(c) && walk_passes(c, 1) && walk_passes(c, 2);
}

bool emit_check(csh capstone, const struct emit_target *target, const struct tp_kernel *k,
		char *why)
{
	struct check c = { .capstone = capstone, .target = target, .k = k, .why = why };
	struct tp_cpu cpu = emit_target_cpu(target);
	struct tp_diag diag;
	if (tp_kernel_emit(k, &cpu, &c.code, &diag) != TP_OK)
		return wrong(&c, NULL, "refused: %s", diag.what);
	tp_kernel_count(k, &cpu, &c.counts);
	c.operand_bytes = is_chase(&c) ? 8
				       : tp_isa_operand_bytes(k->isa, k->kind == TP_KERNEL_CHAIN
									      ? 8
									      : k->element_bytes);
	c.lanes = k->body.lanes ? k->body.lanes : 1;
	c.stride = k->stride ? k->stride : 1;
	c.touched = calloc(1, k->working_set_bytes / c.operand_bytes + 1);
	bool ok = c.touched ? check_program(&c) : wrong(&c, NULL, "out of memory");
	free(c.touched);
	program_release(&c.program);
	tp_code_release(&c.code);
	return ok;
}
