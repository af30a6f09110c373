/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/asm/chain.h"
#include "base/memory.h"

#include <string.h>

/* --- how long the chain is --- */

static unsigned longest(const struct tp_register_set *set, const unsigned *depth)
{
	unsigned most = 0;
	for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
		if (tp_registers_have(set, r))
			most = TP_MAX(most, depth[r]);
	return most;
}

double tp_asm_chain(const struct tp_asm_effect *effects, size_t n)
{
	enum { ROUNDS = 16 };
	unsigned depth[TP_ASM_REGISTERS] = { 0 }, most = 0, half = 0;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < n; i++) {
			unsigned d = longest(&effects[i].reads, depth) + 1;
			for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
				if (tp_registers_have(&effects[i].writes, r))
					depth[r] = d;
			most = TP_MAX(most, d);
		}
		if (round == ROUNDS / 2 - 1)
			half = most;
	}
	return (double)(most - half) / (ROUNDS / 2);
}

/* --- copies --- */

/* The form of a register in the text, which names registers of the same width. */
static bool form_of(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		    unsigned reg, struct tp_register_name *name)
{
	for (size_t i = 0; i < body->n; i++) {
		size_t at = 0, from, len;
		while (tp_asm_next_register(assembly, body->lines[i], &at, name, &from, &len))
			if (name->reg == reg)
				return true;
	}
	return false;
}

/* Registers that the body writes and that other ones can replace, in the order of the text. */
static size_t written(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		      const struct tp_asm_effect *effects, struct tp_register_name *out,
		      size_t most)
{
	struct tp_register_set seen = { { 0 } };
	size_t n = 0;
	for (size_t i = 0; i < body->n; i++)
		for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
			if (tp_registers_have(&effects[i].hidden, r))
				tp_registers_add(&seen, r);
	for (size_t i = 0; i < body->n; i++)
		for (unsigned k = 0; k < effects[i].n_operands && n < most; k++) {
			const struct tp_asm_operand *o = &effects[i].operands[k];
			if (!o->is_register || !o->written || tp_registers_have(&seen, o->reg) ||
			    !form_of(assembly, body, o->reg, &out[n]))
				continue;
			tp_registers_add(&seen, o->reg);
			n++;
		}
	return n;
}

static void mentioned(const struct tp_asm_body *body, const struct tp_asm_effect *effects,
		      struct tp_register_set *out)
{
	*out = (struct tp_register_set){ { 0 } };
	for (size_t i = 0; i < body->n; i++)
		for (size_t k = 0; k < TP_COUNT_OF(out->bits); k++)
			out->bits[k] |= effects[i].reads.bits[k] | effects[i].writes.bits[k];
}

/* Takes a free register of the kind; -1 = none is left. */
static int take(const struct tp_assembly *assembly, const struct tp_register_name *name,
		struct tp_register_set *used)
{
	struct tp_register_set alike;
	assembly->alike(name, &alike);
	for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
		if (tp_registers_have(&alike, r) && !tp_registers_have(used, r)) {
			tp_registers_add(used, r);
			return (int)r;
		}
	return -1;
}

static void add_body(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		     const struct tp_register_map *map, struct tp_str *out)
{
	for (size_t i = 0; i < body->n; i++) {
		tp_asm_rename(assembly, body->lines[i], map, out);
		tp_str_add(out, "\n");
	}
}

size_t tp_asm_copies(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		     const struct tp_asm_effect *effects, struct tp_str *out)
{
	struct tp_register_name names[TP_ASM_LINES_MAX];
	struct tp_register_set used;
	struct tp_register_map map;
	size_t n = written(assembly, body, effects, names, TP_COUNT_OF(names)), copies = 0;
	mentioned(body, effects, &used);
	tp_register_map_none(&map);
	for (;;) {
		add_body(assembly, body, &map, out);
		copies++;
		if (n == 0 || copies == TP_ASM_COPIES_MAX)
			return copies;
		for (size_t i = 0; i < n; i++) {
			map.to[names[i].reg] = take(assembly, &names[i], &used);
			if (map.to[names[i].reg] < 0)
				return copies;
		}
	}
}

/* --- chains --- */

/* Registers of one kind have the same first register that is alike. */
static int kind_of(const struct tp_assembly *assembly, unsigned reg)
{
	const struct tp_register_name name = { reg, 0 };
	struct tp_register_set alike;
	assembly->alike(&name, &alike);
	for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
		if (tp_registers_have(&alike, r))
			return (int)r;
	return -1;
}

static const struct tp_asm_operand *result(const struct tp_asm_effect *effect)
{
	for (unsigned k = 0; k < effect->n_operands; k++)
		if (effect->operands[k].is_register && effect->operands[k].written &&
		    !tp_registers_have(&effect->hidden, effect->operands[k].reg))
			return &effect->operands[k];
	return NULL;
}

/* The register of that kind through which the instruction can take a result: -1 = none. */
static int source(const struct tp_assembly *assembly, const struct tp_asm_effect *effect, int kind)
{
	int found = -1;
	for (unsigned k = 0; k < effect->n_operands; k++) {
		const struct tp_asm_operand *o = &effect->operands[k];
		if (!o->is_register || !o->read || kind_of(assembly, o->reg) != kind)
			continue;
		if (o->written)
			return (int)o->reg;
		if (found < 0 && !tp_registers_have(&effect->hidden, o->reg))
			found = (int)o->reg;
	}
	if (found < 0 && effect->base >= 0 && kind_of(assembly, (unsigned)effect->base) == kind)
		return effect->base;
	return found;
}

void tp_asm_chained(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		    const struct tp_asm_effect *effects, struct tp_str *out)
{
	int link[TP_ASM_REGISTERS]; /* by kind: the register that carries the chain */
	for (size_t i = 0; i < TP_ASM_REGISTERS; i++)
		link[i] = -1;
	/* A pointer stays where it is; else the first result carries. */
	for (size_t i = 0; i < body->n; i++) {
		int base = effects[i].base;
		int kind = base >= 0 ? kind_of(assembly, (unsigned)base) : -1;
		if (kind >= 0 && link[kind] < 0 && result(&effects[i]) &&
		    source(assembly, &effects[i], kind) == base)
			link[kind] = base;
	}
	for (size_t i = 0; i < body->n; i++) {
		const struct tp_asm_operand *o = result(&effects[i]);
		int kind = o ? kind_of(assembly, o->reg) : -1;
		if (kind >= 0 && link[kind] < 0)
			link[kind] = (int)o->reg;
	}
	for (size_t i = 0; i < body->n; i++) {
		const struct tp_asm_operand *before = result(&effects[(i + body->n - 1) % body->n]);
		const struct tp_asm_operand *o = result(&effects[i]);
		struct tp_register_map map;
		tp_register_map_none(&map);
		int kind = before ? kind_of(assembly, before->reg) : -1;
		int from = kind >= 0 ? source(assembly, &effects[i], kind) : -1;
		if (from >= 0)
			map.to[from] = link[kind];
		if (o && kind_of(assembly, o->reg) >= 0)
			map.to[o->reg] = link[kind_of(assembly, o->reg)];
		tp_asm_rename(assembly, body->lines[i], &map, out);
		tp_str_add(out, "\n");
	}
}
