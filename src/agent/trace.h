/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TP_AGENT_TRACE: the addresses that a thread touches, in the order in which it does. Private to
 * src/agent.
 *
 * Generated code writes words of 64 bits into the thread's buffer, from trace_buffer to trace_next.
 * A block that touches memory by an operand begins with
 *
 *     TP_TRACE_BLOCK | index of its counter
 *
 * and then writes, for each access of its description, in the order of the program:
 *
 *     TP_TRACE_ONE       the address of its first byte
 *     TP_TRACE_REPEATED  (rep movs and its like) the address of the first element, and the number
 *                        of elements; they follow each other upwards
 *
 * A block that a signal or a fault leaves in its middle keeps its words: what it did not write is
 * of an earlier one, or 0. A word with TP_TRACE_BLOCK always begins another block, for addresses of
 * a program never have this bit. What is pushed and popped by push, pop, call and ret stays out: it
 * is in the first cache. Gathers and scatters are an access for each element, masked or not; a
 * repeated comparison that stops early counts as if it did not.
 */
#ifndef TPROF_AGENT_TRACE_H
#define TPROF_AGENT_TRACE_H

#include "agent/context.h"

#define TP_TRACE_BLOCK (1ull << 63)

enum { TP_TRACE_WORDS = 32 * 1024 };
enum tp_trace_kind { TP_TRACE_ONE, TP_TRACE_REPEATED };

struct tp_trace_access {
	uint16_t bytes; /* of the access, or of one element */
	uint8_t kind; /* enum tp_trace_kind */
	bool loads, stores;
};

/* Accesses of the block that counts with counter i; *n of them, 0 if there is no such block. */
const struct tp_trace_access *tp_trace_accesses(const struct tp_context *context, uint32_t i,
						unsigned *n);
/* Gives all words to tp_trace_drain, and empties the buffer; does nothing in other modes. */
void tp_trace_empty(struct tp_context *context);
/*
 * trace.c: takes all words from the buffer: the caller sets trace_next back. It runs in the agent,
 * on the agent's stack, when the buffer is full, before blocks are thrown away, and before the
 * thread ends; who changes the region of a thread calls tp_trace_empty first.
 */
void tp_trace_drain(struct tp_context *context, const uint64_t *words, uint64_t n);

#endif
