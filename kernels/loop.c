/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/loop.h"

#include <string.h>

static bool skips(enum tp_loop_op_kind kind, unsigned byte)
{
	switch (kind) {
	case TP_LOOP_JUMP:
	case TP_LOOP_ALWAYS:
		return true;
	case TP_LOOP_ALTERNATE:
		return byte & TP_LOOP_ALTERNATE_BIT;
	case TP_LOOP_RANDOM:
		return byte & TP_LOOP_RANDOM_BIT;
	default:
		return false;
	}
}

uint64_t tp_loop_instructions(const struct tp_loop *loop, const struct tp_loop_cost *cost)
{
	enum { BYTES = 4 }; /* every combination of the two bits, equally often */
	uint64_t sum = 0;
	for (unsigned byte = 0; byte < BYTES; byte++) {
		sum += cost->overhead;
		for (size_t i = 0; i < loop->n_ops; i++) {
			sum += cost->op[i];
			if (skips(loop->ops[i].kind, byte))
				i += loop->ops[i].n;
		}
	}
	return (sum << loop->pass_log2) / BYTES;
}

/*
 * Exponents of primitive polynomials x^k + x^a + x^b + x^c + 1 over GF(2), k from 2, as in tables
 * of shift registers of longest period. A test counts the states.
 */
static const uint8_t primitive[][3] = {
	{ 1 },	       { 2 },  { 3 },	      { 3 },  { 5 },	      { 6 },
	{ 6, 5, 4 },   { 5 },  { 7 },	      { 9 },  { 11, 10, 4 },  { 12, 11, 8 },
	{ 13, 12, 2 }, { 14 }, { 15, 13, 4 }, { 14 }, { 11 },	      { 18, 17, 14 },
	{ 17 },	       { 19 }, { 21 },	      { 18 }, { 23, 22, 17 },
};

/*
 * A shift register of k bits that goes through all of its 2^k states. The linear one leaves out
 * zero, so zero is put between 1 and its successor. The stream begins after the k zeros: a
 * predictor without history begins in the state that the end of a period leaves.
 */
static void fill_stream(uint8_t *stream, unsigned k)
{
	const uint8_t *exponents = primitive[k - TP_LOOP_STREAM_LOG2_MIN];
	size_t n = (size_t)1 << k;
	uint32_t taps = 1, state = 0;
	for (size_t i = 0; i < 3 && exponents[i]; i++)
		taps |= UINT32_C(1) << exponents[i];
	for (size_t i = 0; i < n; i++) {
		unsigned bit = state & 1;
		uint32_t next = (uint32_t)__builtin_parity(state & taps) ^ (state >> 1 == 0);
		state = state >> 1 | next << (k - 1);
		/* The first k bits are the zeros of the first state. */
		size_t at = (i + n - k) & (n - 1);
		stream[at] = (uint8_t)((bit ? TP_LOOP_RANDOM_BIT : 0) |
				       (at & 1 ? TP_LOOP_ALTERNATE_BIT : 0));
	}
}

static void fill_slot(unsigned char *slot, unsigned element_bytes, double value)
{
	for (size_t at = 0; at < TP_LOOP_SLOT_BYTES; at += element_bytes) {
		float single = (float)value;
		if (element_bytes == sizeof(single))
			memcpy(slot + at, &single, sizeof(single));
		else
			memcpy(slot + at, &value, sizeof(value));
	}
}

size_t tp_loop_data_bytes(const struct tp_loop *loop)
{
	return TP_LOOP_OPERANDS_BYTES + (loop->stream ? (size_t)1 << loop->pass_log2 : 0);
}

void tp_loop_fill(void *data, unsigned element_bytes, unsigned stream_log2)
{
	unsigned char *bytes = data;
	memset(bytes, 0, TP_LOOP_OPERANDS_BYTES);
	if (element_bytes) {
		fill_slot(bytes, element_bytes, 0.5);
		fill_slot(bytes + TP_LOOP_SLOT_BYTES, element_bytes, 1);
		/* Close to their limit, but not equal: never large and never tiny. */
		for (size_t i = 0; i < TP_LOOP_FP_REGISTERS; i++)
			fill_slot(bytes + (2 + i) * TP_LOOP_SLOT_BYTES, element_bytes,
				  1.5 + (double)i / 16);
	}
	if (stream_log2)
		fill_stream(bytes + TP_LOOP_OPERANDS_BYTES, stream_log2);
}
