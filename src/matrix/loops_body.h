/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to loops.c, which includes this file once for each instruction set: LOOP(name) is the
 * name of a function there, and TARGET its attributes. Passes are all alike, so only the barrier
 * makes the compiler repeat them.
 */
#define BARRIER() __asm__ volatile("" : : : "memory")

/* One sum for a row: additions wait for each other, but short rows have little to add. */
TARGET static void LOOP(csr_1)(void *data, uint64_t passes)
{
	const struct tp_spmv_share *s = data;
	const uint32_t *restrict starts = s->layout->starts, *restrict columns = s->layout->columns;
	const double *restrict values = s->layout->values, *restrict x = s->x;
	double *restrict y = s->y;
	for (; passes; passes--) {
		uint32_t k = starts[s->first];
		for (uint32_t i = s->first; i < s->last; i++) {
			const uint32_t to = starts[i + 1];
			double sum = 0;
			for (; k < to; k++)
				sum += values[k] * x[columns[k]];
			y[i] = sum;
		}
		BARRIER();
	}
}

/* Several sums side by side, for rows of some length. */
#define CSR_SUMS(NAME, N)                                                                          \
	TARGET static void NAME(void *data, uint64_t passes)                                       \
	{                                                                                          \
		const struct tp_spmv_share *s = data;                                              \
		const uint32_t *restrict starts = s->layout->starts;                               \
		const uint32_t *restrict columns = s->layout->columns;                             \
		const double *restrict values = s->layout->values, *restrict x = s->x;             \
		double *restrict y = s->y;                                                         \
		for (; passes; passes--) {                                                         \
			uint32_t k = starts[s->first];                                             \
			for (uint32_t i = s->first; i < s->last; i++) {                            \
				const uint32_t to = starts[i + 1];                                 \
				double sums[N] = { 0 }, sum = 0;                                   \
				for (; to - k >= N; k += N)                                        \
					for (unsigned u = 0; u < N; u++)                           \
						sums[u] += values[k + u] * x[columns[k + u]];      \
				for (; k < to; k++)                                                \
					sum += values[k] * x[columns[k]];                          \
				for (unsigned u = 0; u < N; u++)                                   \
					sum += sums[u];                                            \
				y[i] = sum;                                                        \
			}                                                                          \
			BARRIER();                                                                 \
		}                                                                                  \
	}
CSR_SUMS(LOOP(csr_4), 4)
CSR_SUMS(LOOP(csr_8), 8)
#undef CSR_SUMS

/* Entries one by one: y is read and written for each of them. */
TARGET static void LOOP(coo)(void *data, uint64_t passes)
{
	const struct tp_spmv_share *s = data;
	const uint32_t *rows = s->layout->rows, *columns = s->layout->columns;
	const double *values = s->layout->values, *x = s->x;
	double *y = s->y;
	const uint32_t from = s->layout->starts[s->first], to = s->layout->starts[s->last];
	for (; passes; passes--) {
		for (uint32_t i = s->first; i < s->last; i++)
			y[i] = 0;
		for (uint32_t k = from; k < to; k++)
			y[rows[k]] += values[k] * x[columns[k]];
		BARRIER();
	}
}

/* Strips of rows, so that y stays in the nearest cache during the loop over places or diagonals. */
TARGET static void LOOP(ell)(void *data, uint64_t passes)
{
	const struct tp_spmv_share *s = data;
	const struct tp_sparse *l = s->layout;
	const double *restrict x = s->x;
	for (; passes; passes--) {
		for (uint32_t from = s->first; from < s->last; from += STRIP) {
			const uint32_t n = s->last - from < STRIP ? s->last - from : STRIP;
			double *restrict y = s->y + from;
			for (uint32_t i = 0; i < n; i++)
				y[i] = 0;
			for (uint32_t k = 0; k < l->width; k++) {
				const double *restrict values = l->values + k * l->stride + from;
				const uint32_t *restrict columns =
					l->columns + k * l->stride + from;
				for (uint32_t i = 0; i < n; i++)
					y[i] += values[i] * x[columns[i]];
			}
		}
		BARRIER();
	}
}

TARGET static void LOOP(dia)(void *data, uint64_t passes)
{
	const struct tp_spmv_share *s = data;
	const struct tp_sparse *l = s->layout;
	for (; passes; passes--) {
		for (int64_t from = s->first; from < s->last; from += STRIP) {
			const int64_t to = s->last - from < STRIP ? s->last : from + STRIP;
			for (int64_t i = from; i < to; i++)
				s->y[i] = 0;
			for (uint32_t d = 0; d < l->width; d++) {
				const int64_t offset = l->offsets[d];
				const int64_t low = from < -offset ? -offset : from;
				const int64_t high =
					to < l->n_columns - offset ? to : l->n_columns - offset;
				const double *restrict values = l->values + d * l->stride;
				const double *restrict x = s->x;
				double *restrict y = s->y;
				for (int64_t i = low; i < high; i++)
					y[i] += values[i] * x[i + offset];
			}
		}
		BARRIER();
	}
}

/*
 * A block is a vector of R rows for each of its C columns. Sums of its columns are apart, so that
 * few additions wait for each other.
 */
#define BCSR(R, C)                                                                                 \
	TARGET static void LOOP(bcsr_##R##x##C)(void *data, uint64_t passes)                       \
	{                                                                                          \
		const struct tp_spmv_share *s = data;                                              \
		const struct tp_sparse *l = s->layout;                                             \
		const double *restrict x = s->x;                                                   \
		for (; passes; passes--) {                                                         \
			for (uint32_t b = s->first / R; b * R < s->last; b++) {                    \
				const uint32_t to = l->starts[b + 1];                              \
				double *restrict y = s->y + (size_t)b * R;                         \
				double sums[C][R] = { { 0 } };                                     \
				for (uint32_t k = l->starts[b]; k < to; k++) {                     \
					const double *restrict v =                                 \
						l->values + (size_t)k * (R * C);                   \
					const double *restrict at = x + (size_t)l->columns[k] * C; \
					for (unsigned j = 0; j < C; j++)                           \
						for (unsigned i = 0; i < R; i++)                   \
							sums[j][i] += v[j * R + i] * at[j];        \
				}                                                                  \
				for (unsigned i = 0; i < R; i++) {                                 \
					double sum = 0;                                            \
					for (unsigned j = 0; j < C; j++)                           \
						sum += sums[j][i];                                 \
					y[i] = sum;                                                \
				}                                                                  \
			}                                                                          \
			BARRIER();                                                                 \
		}                                                                                  \
	}
TP_BCSR_SHAPES(BCSR)
#undef BCSR
#undef BARRIER
