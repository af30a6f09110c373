/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part that all assemblers share: a buffer that is filled. */
#ifndef TPROF_KERNELS_EMIT_ASSEMBLER_H
#define TPROF_KERNELS_EMIT_ASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tp_assembler {
	uint8_t *start, *at, *end;
	uint64_t instructions; /* appended so far */
	/* the buffer is full or an operand does not fit; the emitter reads it once at the end */
	bool failed;
};

static inline void tp_asm_init(struct tp_assembler *as, void *memory, size_t bytes)
{
	*as = (struct tp_assembler){ .start = memory, .at = memory };
	as->end = as->start + bytes;
}

/* Bytes from the start. */
static inline size_t tp_asm_here(const struct tp_assembler *as)
{
	return (size_t)(as->at - as->start);
}

/* Appends one instruction of 32 bits. */
static inline void tp_asm_word(struct tp_assembler *as, uint32_t word)
{
	if ((size_t)(as->end - as->at) < sizeof(word))
		as->failed = true;
	if (as->failed)
		return;
	memcpy(as->at, &word, sizeof(word));
	as->at += sizeof(word);
	as->instructions++;
}

#endif
