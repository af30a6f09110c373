/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the few x86-64 instructions that the agent puts between those of the program. None of them
 * changes the arithmetic flags, except tp_emit_add_one.
 */
#ifndef TPROF_AGENT_EMIT_H
#define TPROF_AGENT_EMIT_H

#include <stdbool.h>
#include <stdint.h>

struct tp_emit {
	uint8_t *at;
};

static inline void tp_emit_1(struct tp_emit *e, unsigned byte)
{
	*e->at++ = (uint8_t)byte;
}

static inline void tp_emit_4(struct tp_emit *e, uint32_t value)
{
	__builtin_memcpy(e->at, &value, 4);
	e->at += 4;
}

static inline void tp_emit_8(struct tp_emit *e, uint64_t value)
{
	__builtin_memcpy(e->at, &value, 8);
	e->at += 8;
}

/* Whether 32 bits reach `to` from the end of an instruction at `end`. */
static inline bool tp_emit_reaches(const void *end, uint64_t to)
{
	int64_t distance = (int64_t)(to - (uint64_t)end);

	return distance == (int32_t)distance;
}

/* displacement of 32 bits to `to`; `behind` bytes of the instruction follow it. */
void tp_emit_relative(struct tp_emit *e, const void *to, unsigned behind);
/* jmp rel32; returns the offset of its displacement. */
uint8_t *tp_emit_jump(struct tp_emit *e, const void *to);
void tp_emit_patch(uint8_t *displacement, const void *to);
/* mov [at], reg; mov reg, [at]; mov dword [at], value: `at` within reach of 32 bits */
void tp_emit_store(struct tp_emit *e, const void *at, unsigned reg);
void tp_emit_load(struct tp_emit *e, unsigned reg, const void *at);
void tp_emit_store_4(struct tp_emit *e, const void *at, uint32_t value);
/* mov reg, value */
void tp_emit_constant(struct tp_emit *e, unsigned reg, uint64_t value);
/* lea reg, [base + index + displacement]; index -1 = none */
void tp_emit_lea(struct tp_emit *e, unsigned reg, unsigned base, int index, int8_t displacement);
void tp_emit_mov(struct tp_emit *e, unsigned to, unsigned from);
/* add qword [at], 1: changes the flags */
void tp_emit_add_one(struct tp_emit *e, const void *at);
/* add qword [at], reg: changes the flags */
void tp_emit_add(struct tp_emit *e, const void *at, unsigned reg);
void tp_emit_not(struct tp_emit *e, unsigned reg);
/* push of 64 bits, as a call pushes its return address */
void tp_emit_push(struct tp_emit *e, uint64_t value);
/* call of a C function of the agent, through rax */
void tp_emit_call(struct tp_emit *e, const void *function);

#endif
