/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/loops.h"
#include "base/memory.h"

/* Fixed, so that the loops do not depend on the flags of the build. */
#pragma GCC optimize("O3")

/* Rows whose y stays in the nearest cache. */
enum { STRIP = 256 };

/* As in tp_block_shapes. */
#define TP_BCSR_SHAPES(X)                                                                          \
	X(2, 1) X(4, 1) X(8, 1) X(2, 2) X(3, 3) X(4, 2) X(4, 4) X(6, 6) X(8, 4) X(8, 8)

#define LOOP(name) plain_##name
#define TARGET
#include "matrix/loops_body.h"
#undef LOOP
#undef TARGET

#ifdef TP_TRIAD_TARGETS
#define LOOP(name) avx2_##name
#define TARGET	   __attribute__((target("avx2,fma")))
#include "matrix/loops_body.h"
#undef LOOP
#undef TARGET

#define LOOP(name) avx512_##name
#define TARGET	   __attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma,prefer-vector-width=512")))
#include "matrix/loops_body.h"
#undef LOOP
#undef TARGET
#endif

struct loops {
	struct tp_spmv_loop csr[3], coo, dia, ell;
	struct {
		struct tp_block_shape shape;
		tp_spmv_fn *run;
	} bcsr[10];
	const char *name;
};

#define SHAPE_plain(R, C)  { { R, C }, plain_bcsr_##R##x##C },
#define SHAPE_avx2(R, C)   { { R, C }, avx2_bcsr_##R##x##C },
#define SHAPE_avx512(R, C) { { R, C }, avx512_bcsr_##R##x##C },
#define LOOPS(set)                                                                                 \
	{                                                                                          \
		.csr = { { #set, set##_csr_1 },                                                    \
			 { #set " 4 sums", set##_csr_4 },                                          \
			 { #set " 8 sums", set##_csr_8 } },                                        \
		.coo = { #set, set##_coo }, .dia = { #set, set##_dia },                            \
		.ell = { #set, set##_ell }, .bcsr = { TP_BCSR_SHAPES(SHAPE_##set) }, .name = #set, \
	}

static const struct loops sets[] = {
	LOOPS(plain),
#ifdef TP_TRIAD_TARGETS
	LOOPS(avx2),
	LOOPS(avx512),
#endif
};

/* How many of the sets this CPU can run. */
static size_t supported(void)
{
	size_t n = 1;
#ifdef TP_TRIAD_TARGETS
	__builtin_cpu_init();
	n += __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
	n += n > 1 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#endif
	return n;
}

unsigned tp_spmv_loops(const struct tp_sparse *l, struct tp_spmv_loop loops[TP_SPMV_LOOPS_MAX])
{
	unsigned n = 0;
	for (size_t s = 0; s < supported(); s++) {
		const struct loops *set = &sets[s];
		switch (l->format) {
		case TP_SPARSE_COO:
			loops[n++] = set->coo;
			break;
		case TP_SPARSE_DIA:
			loops[n++] = set->dia;
			break;
		case TP_SPARSE_ELL:
			loops[n++] = set->ell;
			break;
		case TP_SPARSE_BCSR:
			for (size_t i = 0; i < TP_COUNT_OF(set->bcsr); i++)
				if (set->bcsr[i].shape.rows == l->block.rows &&
				    set->bcsr[i].shape.columns == l->block.columns)
					loops[n++] = (struct tp_spmv_loop){ set->name,
									    set->bcsr[i].run };
			break;
		default:
			for (size_t i = 0; i < TP_COUNT_OF(set->csr); i++)
				loops[n++] = set->csr[i];
		}
	}
	return n;
}
