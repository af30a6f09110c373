/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/gather.h"
#include "kernels/gather.h"
#include "kernels/x86/encode.h"

#include <stddef.h>

#define M(name) ZYDIS_MNEMONIC_##name
#define R(name) ZYDIS_REGISTER_##name

/* Vector registers behind the results: one mask for each result, the indexes, the mask to copy. */
enum { MASKS = TP_GATHER_GROUP, INDEX = 2 * TP_GATHER_GROUP, ALL };
enum { INDEX_BYTES = 4, KMASK_BYTES = 2 };

static struct tp_x86_asm *x86(struct tp_emitter *e)
{
	return (struct tp_x86_asm *)e->as;
}

/* AVX-512 has k masks for vectors of every length, AVX2 has vectors for masks. */
static bool has_kmasks(const struct tp_emitter *e)
{
	return e->k->isa->gather_most_bytes == 64;
}

static ZydisRegister sized(unsigned bytes, unsigned i)
{
	ZydisRegister zero = bytes == 64 ? R(ZMM0) : bytes == 32 ? R(YMM0) : R(XMM0);
	return zero + (ZydisRegister)i;
}

/* Indexes of doubles take half the vector, at least an xmm register. */
static unsigned index_bytes(const struct tp_emitter *e)
{
	unsigned bytes = e->operand_bytes / e->element_bytes * INDEX_BYTES;
	return bytes < 16 ? 16 : bytes;
}

void tp_x86_begin_gathers(struct tp_emitter *e)
{
	unsigned bytes = index_bytes(e), data = e->be->registers->data;
	tp_x86_load(x86(e), M(VMOVAPS), sized(bytes, INDEX), data,
		    offsetof(struct tp_gather_data, index), bytes);
	if (has_kmasks(e))
		tp_x86_load(x86(e), M(KMOVW), R(K2), data,
			    offsetof(struct tp_gather_data, lanes_on), KMASK_BYTES);
	else
		tp_x86_load(x86(e), M(VMOVAPS), sized(e->operand_bytes, ALL), data,
			    offsetof(struct tp_gather_data, mask), e->operand_bytes);
}

void tp_x86_gather_from(struct tp_emitter *e, unsigned reg, unsigned base)
{
	unsigned bytes = e->operand_bytes;
	bool single = e->element_bytes == 4;
	const struct tp_x86_address at = { base, sized(index_bytes(e), INDEX), e->element_bytes,
					   0 };
	ZydisRegister mask = has_kmasks(e) ? R(K1) : sized(bytes, MASKS + reg);
	/* Lanes that are off keep what is there, so a gather would wait for the one before. */
	e->be->clear(e, reg);
	if (has_kmasks(e))
		tp_x86_op(x86(e), M(KMOVW), mask, R(K2), R(NONE));
	else
		tp_x86_op(x86(e), M(VMOVAPS), mask, sized(bytes, ALL), R(NONE));
	tp_x86_gather(x86(e), single ? M(VGATHERDPS) : M(VGATHERDPD), sized(bytes, reg), mask, &at,
		      e->element_bytes);
}

#endif
