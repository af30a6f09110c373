/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/families/nest.h"
#include "kernels/families/random.h"

#include <stddef.h>

enum { ELEMENT = sizeof(double), APART = 4096 };

/* counting.parameters */
enum { P_RESULTS_AT };

static uint64_t apart(uint64_t bytes)
{
	return (bytes + APART - 1) / APART * APART;
}

struct tp_nest tp_nest_dot(uint64_t n, unsigned unroll)
{
	return (struct tp_nest){
		.depth = n,
		.unroll = unroll,
		.a = { .depth = ELEMENT },
		.b = { .depth = ELEMENT },
		.b_at = apart(n * ELEMENT),
		.c_at = 2 * apart(n * ELEMENT),
	};
}

struct tp_nest tp_nest_capped_gemv(uint64_t rows, uint64_t n, uint64_t kept, unsigned unroll)
{
	struct tp_nest nest = {
		.batches = kept < rows ? rows / kept : 0,
		.rows = kept,
		.depth = n,
		.unroll = unroll,
		.a = { .depth = ELEMENT, .row = (int64_t)n * ELEMENT },
		.b = { .depth = ELEMENT },
		.c = { .row = ELEMENT, .batch = (int64_t)kept * ELEMENT },
		.b_at = apart(kept * n * ELEMENT),
	};
	nest.c_at = nest.b_at + apart(n * ELEMENT);
	return nest;
}

struct tp_nest tp_nest_gemv(uint64_t rows, uint64_t n, unsigned unroll)
{
	return tp_nest_capped_gemv(rows, n, rows, unroll);
}

struct tp_nest tp_nest_gemm(uint64_t n, uint64_t batches, unsigned unroll)
{
	int64_t row = (int64_t)n * ELEMENT, matrix = (int64_t)n * row;
	return (struct tp_nest){
		.batches = batches,
		.rows = n,
		.columns = n,
		.depth = n,
		.unroll = unroll,
		.a = { .depth = ELEMENT, .row = row, .batch = 3 * matrix },
		.b = { .depth = row, .column = ELEMENT, .batch = 3 * matrix },
		.c = { .column = ELEMENT, .row = row, .batch = 3 * matrix },
		.b_at = (uint64_t)matrix,
		.c_at = 2 * (uint64_t)matrix,
		.accumulate = true,
	};
}

static uint64_t bytes_of(const struct tp_nest *nest)
{
	uint64_t batches = nest->batches ? nest->batches : 1;
	uint64_t rows = nest->rows ? nest->rows : 1, columns = nest->columns ? nest->columns : 1;
	uint64_t end = nest->c_at + (batches - 1) * (uint64_t)nest->c.batch +
		       (rows - 1) * (uint64_t)nest->c.row +
		       (columns - 1) * (uint64_t)nest->c.column + ELEMENT;
	return apart(end);
}

/* Operands are in [0, 1) and results begin at 0, so sums never come near an overflow. */
static enum tp_status fill(const struct tp_counting *counting, void *data, uint64_t seed,
			   struct tp_diag *diag)
{
	(void)diag;
	double *x = data;
	size_t n = counting->data_bytes / sizeof(*x);
	size_t results = (size_t)counting->parameters[P_RESULTS_AT] / sizeof(*x);
	struct tp_random random;
	tp_random_init(&random, seed);
	for (size_t i = 0; i < n; i++)
		x[i] = i < results ? tp_random_unit(&random) : 0;
	return TP_OK;
}

enum tp_status tp_nest_make(const struct tp_row *row, const struct tp_nest *nest,
			    struct tp_counting *out, struct tp_diag *diag)
{
	static const uint64_t most_bytes = INT32_MAX;
	uint64_t data_bytes = bytes_of(nest), page = tp_row_page_bytes(row);
	if (data_bytes > most_bytes)
		return tp_fail(diag, TP_RESOURCE, row->where, NULL,
			       "needs %llu bytes of data, at most %llu can be had",
			       (unsigned long long)data_bytes, (unsigned long long)most_bytes);
	const struct tp_traversal traversal = { .kind = TP_TRAVERSAL_NEST, .nest = *nest };
	out->data_bytes = (data_bytes + page - 1) / page * page;
	/* Results of several matrices lie between operands, so all of them get numbers. */
	out->parameters[P_RESULTS_AT] = nest->batches && nest->accumulate ? data_bytes : nest->c_at;
	out->fill = fill;
	return tp_family_make_traversal(row, &traversal, out, diag);
}
