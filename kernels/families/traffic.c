/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/families/traffic.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "kernels/families/families.h"

/*
 * The usual operations as nests of loops over one block of data.
 * Operands come first, results last.
 */

enum { ELEMENT = sizeof(double), APART = 4096 };

/* counting.parameters */
enum { P_RESULTS_AT };

static uint64_t apart(uint64_t bytes)
{
	return (bytes + APART - 1) / APART * APART;
}

/* Row-major; results begin at a page. */
/* c = a . b */
static struct tp_nest nest_dot(uint64_t n, unsigned unroll)
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

/*
 * The same, but only the first `kept` rows of A exist and are used over and over. `kept` divides
 * rows.
 */
static struct tp_nest nest_capped_gemv(uint64_t rows, uint64_t n, uint64_t kept, unsigned unroll)
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

/* c = A b */
static struct tp_nest nest_gemv(uint64_t rows, uint64_t n, unsigned unroll)
{
	return nest_capped_gemv(rows, n, rows, unroll);
}

/* C += A B of order n, `batches` times, each with its own A, B, C side by side; 0 = once. */
static struct tp_nest nest_gemm(uint64_t n, uint64_t batches, unsigned unroll)
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

static uint64_t nest_bytes(const struct tp_nest *nest)
{
	uint64_t batches = nest->batches ? nest->batches : 1;
	uint64_t rows = nest->rows ? nest->rows : 1, columns = nest->columns ? nest->columns : 1;
	uint64_t end = nest->c_at + (batches - 1) * (uint64_t)nest->c.batch +
		       (rows - 1) * (uint64_t)nest->c.row +
		       (columns - 1) * (uint64_t)nest->c.column + ELEMENT;
	return apart(end);
}

/* Operands are in [0, 1) and results begin at 0, so sums never come near an overflow. */
static void fill_nest(const struct tp_counting *counting, void *data, uint64_t seed)
{
	double *x = data;
	size_t n = counting->data_bytes / sizeof(*x);
	size_t results = (size_t)counting->parameters[P_RESULTS_AT] / sizeof(*x);
	for (size_t i = 0; i < n; i++)
		x[i] = i < results ? tp_random_uniform(&seed) : 0;
}

/* Makes the row of this nest: code, data, fill(). Also TP_RESOURCE beyond 2 GiB of data. */
static enum tp_status nest_make(const struct tp_row *row, const struct tp_nest *nest,
				struct tp_counting *out, struct tp_diag *diag)
{
	static const uint64_t most_bytes = INT32_MAX;
	uint64_t data_bytes = nest_bytes(nest), page = tp_row_page_bytes(row);
	if (data_bytes > most_bytes)
		return tp_fail(diag, TP_RESOURCE, row->where, NULL,
			       "needs %llu bytes of data, at most %llu are available",
			       (unsigned long long)data_bytes, (unsigned long long)most_bytes);
	const struct tp_traversal traversal = { .kind = TP_TRAVERSAL_NEST, .nest = *nest };
	out->data_bytes = (data_bytes + page - 1) / page * page;
	/* Results of several matrices lie between operands, so all of them get numbers. */
	out->parameters[P_RESULTS_AT] = nest->batches && nest->accumulate ? data_bytes : nest->c_at;
	out->fill = fill_nest;
	return tp_family_make_traversal(row, &traversal, out, diag);
}

enum { BY_ONE = 100, STEP = 50, LARGEST = 500, BLAS_SIZES = BY_ONE + (LARGEST - BY_ONE) / STEP };

enum { BLAS_DOT, BLAS_GEMV, BLAS_GEMM, BLAS_KERNELS, BLAS_ROWS = BLAS_KERNELS * BLAS_SIZES };

static const char *const blas_kernels[BLAS_KERNELS] = { "dot", "gemv", "gemm" };

/*
 * Simple BLAS: DOT, GEMV y = A x, GEMM C += A B of order N, in double precision, with one
 * multiplication and one addition for each product, never fused. A pass is one call, and counts are
 * per call:
 *
 *            operations  loads         stores  conditional branches
 *     DOT    2 N         2 N           1       N + 1
 *     GEMV   2 N^2       2 N^2         N       N^2 + N + 1
 *     GEMM   2 N^3       2 N^3 + N^2   N^2     N^3 + N^2 + N + 1
 */

static unsigned blas_order(unsigned row)
{
	unsigned i = row % BLAS_SIZES;
	return i < BY_ONE ? i + 1 : BY_ONE + (i - BY_ONE + 1) * STEP;
}

static const char *blas_kernel_name(unsigned kernel, char *out, size_t size)
{
	snprintf(out, size, "%s", blas_kernels[kernel]);
	return out;
}

static enum tp_status make_blas(const struct tp_row *row, struct tp_counting *out,
				struct tp_diag *diag)
{
	unsigned n = blas_order(row->row), kernel = row->row / BLAS_SIZES;
	struct tp_nest nest = kernel == BLAS_DOT    ? nest_dot(n, 1)
			      : kernel == BLAS_GEMV ? nest_gemv(n, n, 1)
						    : nest_gemm(n, 0, 1);
	out->iterations = 1;
	return nest_make(row, &nest, out, diag);
}

const struct tp_family tp_family_blas = {
	.id = TP_FAMILY_BLAS,
	.name = "blas",
	.title = "DOT, GEMV, GEMM of growing size",
	.method = TP_COUNT_DIFFERENCE,
	.n_rows = BLAS_ROWS,
	.n_kernels = BLAS_KERNELS,
	.kernel_rows = BLAS_SIZES,
	.kernel_name = blas_kernel_name,
	.row_number = blas_order,
	.make = make_blas,
};

/*
 * Memory traffic of operations on more data than the caches hold, per line that is read from memory
 * for a load or a store. Lines read in a pass, as elements over those of a line:
 *
 *     dot            2 N
 *     gemv           N^2 + 2 N
 *     capped-gemv    M N + M + N   M = 2 N rows, of which only min(M, N) exist: y can be large
 *     capped-narrow  M             N is half a line: the matrix stays in L1, and y moves, which is
 *                                  read because it is stored to, and written
 *     gemm           3 N^2         each matrix: N is small, and each of many has its own data, so
 *                                  data that fit are still read, once
 *
 * dot-cached, narrow-cached and gemm-cached are the same on at most half of the last cache, per
 * line of the data: nothing is read. They separate memory traffic from stores and from misses of
 * the level before the last.
 *
 * N makes the data 4 and 8 times as large as the last cache. x of a gemv may stay in a cache, and
 * its y is written: both are 1 / N of the whole and neglected.
 */

enum operation { DOT, GEMV, CAPPED, NARROW, GEMM };

static const struct {
	const char *name;
	enum operation operation;
	bool cached;
} traffic_kernels[] = {
	{ "dot", DOT, false },
	{ "gemv", GEMV, false },
	{ "capped-gemv", CAPPED, false },
	{ "capped-narrow", NARROW, false },
	{ "gemm", GEMM, false },
	{ "dot-cached", DOT, true },
	{ "narrow-cached", NARROW, true },
	{ "gemm-cached", GEMM, true },
};

enum {
	TRAFFIC_KERNELS = sizeof(traffic_kernels) / sizeof(*traffic_kernels),
	TRAFFIC_SIZES = 2,
	TRAFFIC_ROWS = TRAFFIC_KERNELS * TRAFFIC_SIZES
};

static const char *traffic_kernel_name(unsigned kernel, char *out, size_t size)
{
	snprintf(out, size, "%s", traffic_kernels[kernel].name);
	return out;
}

/*
 * Size of the data relative to the last cache. A real cache does not evict by age alone, so its
 * factors are large. If instructions are limited, code is stepped with a model of a cache that
 * does, and little more than its size is enough.
 */
static double size_factor(const struct tp_counting_machine *machine, bool cached, unsigned which)
{
	static const double inside[TRAFFIC_SIZES] = { 0.375, 0.5 };
	static const double stepped[TRAFFIC_SIZES] = { 2, 3 }, real[TRAFFIC_SIZES] = { 4, 8 };
	return cached ? inside[which] : (machine->max_instructions ? stepped : real)[which];
}

static enum tp_status make_traffic(const struct tp_row *row, struct tp_counting *out,
				   struct tp_diag *diag)
{
	uint64_t last = 0;
	for (unsigned level = 1; level <= 3; level++)
		if (row->machine->cache_bytes[level] > last)
			last = row->machine->cache_bytes[level];
	uint64_t line = tp_row_line_bytes(row) / ELEMENT; /* in elements */
	if (!last)
		return tp_fail(diag, TP_UNSUPPORTED, row->where, NULL,
			       "the caches of this machine are not known");
	unsigned which = row->row % TRAFFIC_SIZES;
	bool cached = traffic_kernels[row->row / TRAFFIC_SIZES].cached;
	enum operation operation = traffic_kernels[row->row / TRAFFIC_SIZES].operation;
	double size = (double)last * size_factor(row->machine, cached, which);
	uint64_t elements = (uint64_t)size / ELEMENT, n = elements / 2 / line * line;
	uint64_t matrices = 1;
	unsigned unroll = (unsigned)line;
	if (operation == GEMV || operation == CAPPED) {
		n = (uint64_t)sqrt((double)elements) / line * line;
	} else if (operation == NARROW) {
		n = line / 2;
		unroll = (unsigned)n;
	} else if (operation == GEMM) {
		/* Two orders that are whole lines; the larger one has the smaller batch. */
		n = which && !cached ? 2 * line : line;
		matrices = (uint64_t)(cached || !which ? size : size / 2) / (3 * n * n * ELEMENT);
		matrices += matrices == 0;
	}

	struct tp_nest nest;
	double read;
	switch (operation) {
	case DOT:
		nest = nest_dot(n, unroll);
		read = 2 * (double)n;
		break;
	case GEMV:
		nest = nest_gemv(n, n, unroll);
		read = (double)n * (double)n + 2 * (double)n;
		break;
	case CAPPED:
		nest = nest_capped_gemv(2 * n, n, n, unroll);
		read = 2 * (double)n * (double)n + 3 * (double)n;
		break;
	case NARROW:
		nest = nest_capped_gemv(elements / n * n, n, n, unroll);
		read = (double)(elements / n * n);
		break;
	default:
		nest = nest_gemm(n, matrices, unroll);
		read = 3 * (double)n * (double)n * (double)matrices;
	}
	out->iterations = read / (double)line;
	enum tp_status status = nest_make(row, &nest, out, diag);
	out->passes = tp_traffic_repetitions(sqrt((double)elements));
	return status;
}

const struct tp_family tp_family_traffic = {
	.id = TP_FAMILY_TRAFFIC,
	.name = "traffic",
	.title = "memory traffic of DOT, GEMV, capped GEMV, GEMM",
	.method = TP_COUNT_STEADY,
	.threads = true,
	.n_rows = TRAFFIC_ROWS,
	.n_kernels = TRAFFIC_KERNELS,
	.kernel_rows = TRAFFIC_SIZES,
	.kernel_name = traffic_kernel_name,
	.make = make_traffic,
};

enum { RESORT_LINES = 9, GEMM_UNROLL = 8 };

/* Operations of any size with known traffic, as nests of loops over a batch of problems. */

static const struct {
	const char *name, *title;
} sized_kernels[TP_TRAFFIC_KERNELS] = {
	[TP_TRAFFIC_DOT] = { "dot", "product of two vectors of N" },
	[TP_TRAFFIC_GEMV] = { "gemv", "y = A x with N rows of N" },
	[TP_TRAFFIC_CAPPED_GEMV] = { "capped-gemv", "y = A x with 2 N rows, of which N exist" },
	[TP_TRAFFIC_GEMM] = { "gemm", "C += A B of order N" },
	[TP_TRAFFIC_RESORT] = { "resort", "rows of N numbers become columns" },
};

const char *tp_traffic_name(enum tp_traffic_kernel kernel)
{
	return kernel < TP_TRAFFIC_KERNELS ? sized_kernels[kernel].name : "";
}

const char *tp_traffic_title(enum tp_traffic_kernel kernel)
{
	return kernel < TP_TRAFFIC_KERNELS ? sized_kernels[kernel].title : "";
}

enum tp_traffic_kernel tp_traffic_find(const char *name)
{
	unsigned k = 0;

	while (k < TP_TRAFFIC_KERNELS && strcmp(sized_kernels[k].name, name) != 0)
		k++;
	return (enum tp_traffic_kernel)k;
}

static uint64_t line_elements(unsigned line_bytes)
{
	return (line_bytes ? line_bytes : 64) / ELEMENT;
}

uint64_t tp_traffic_size(uint64_t n, unsigned line_bytes)
{
	uint64_t line = line_elements(line_bytes);

	return (n / (2 * line) * 2 + 1) * line;
}

uint64_t tp_traffic_bytes(enum tp_traffic_kernel kernel, uint64_t n, unsigned line_bytes)
{
	uint64_t line = line_elements(line_bytes);

	switch (kernel) {
	case TP_TRAFFIC_DOT:
		return (2 * n + line) * ELEMENT;
	case TP_TRAFFIC_GEMV:
		return (n * n + 2 * n) * ELEMENT;
	case TP_TRAFFIC_CAPPED_GEMV:
		return (n * n + 3 * n) * ELEMENT;
	case TP_TRAFFIC_GEMM:
		return 3 * n * n * ELEMENT;
	default:
		return (2 * RESORT_LINES * line * n + line) * ELEMENT;
	}
}

void tp_traffic_band(enum tp_traffic_kernel kernel, uint64_t cache_bytes, unsigned line_bytes,
		     double *low, double *high)
{
	double line = (double)line_elements(line_bytes);

	for (int i = 0; i < 2; i++) {
		double elements = (double)cache_bytes / ELEMENT * (i ? 2 : 0.5);

		*(i ? high : low) = kernel == TP_TRAFFIC_DOT	  ? elements / 2
				    : kernel == TP_TRAFFIC_GEMV	  ? elements
				    : kernel == TP_TRAFFIC_RESORT ? elements / line
								  : sqrt(elements);
	}
}

void tp_traffic_expect(enum tp_traffic_kernel kernel, uint64_t size, unsigned line_bytes, bool fits,
		       double *read, double *written)
{
	double n = (double)size, line = (double)line_elements(line_bytes), r = 0, w = 0;

	switch (kernel) {
	case TP_TRAFFIC_DOT:
		r = 2 * n + line;
		w = line;
		break;
	case TP_TRAFFIC_GEMV:
		r = n * n + (fits ? 2 * n : n * n + n);
		w = n;
		break;
	case TP_TRAFFIC_CAPPED_GEMV:
		r = (fits ? 1 : 2) * n * n + 3 * n;
		w = 2 * n;
		break;
	case TP_TRAFFIC_GEMM:
		r = fits ? 3 * n * n : n * n * n + 2 * n * n;
		w = n * n;
		break;
	default: {
		double all = RESORT_LINES * line * n;

		r = all + (fits ? all : all * line);
		w = fits ? all : all * line;
	}
	}
	*read = r * ELEMENT;
	*written = w * ELEMENT;
}

uint64_t tp_traffic_repetitions(double n)
{
	return n < 2048 ? (uint64_t)floor(514 - 0.246 * n) : 10;
}

/* --- code --- */

/* Problems are stored one after another, each with all of its data together. */
static struct tp_nest nest_of(enum tp_traffic_kernel kernel, uint64_t n, uint64_t copies,
			      unsigned line_bytes)
{
	const uint64_t line = line_elements(line_bytes);
	const int64_t row = (int64_t)n * ELEMENT, all = RESORT_LINES * (int64_t)line;
	const int64_t apart = (int64_t)tp_traffic_bytes(kernel, n, line_bytes);
	struct tp_nest nest = {
		.batches = copies,
		.depth = n,
		.unroll = (unsigned)line,
		.a = { .depth = ELEMENT, .row = row, .batch = apart },
		.b = { .depth = ELEMENT, .batch = apart },
		.c = { .row = ELEMENT, .batch = apart },
	};

	switch (kernel) {
	case TP_TRAFFIC_DOT:
		nest.a.row = nest.c.row = 0;
		nest.b_at = (uint64_t)row;
		nest.c_at = 2 * (uint64_t)row;
		break;
	case TP_TRAFFIC_GEMV:
		nest.rows = n;
		nest.b_at = n * (uint64_t)row;
		nest.c_at = nest.b_at + (uint64_t)row;
		break;
	case TP_TRAFFIC_CAPPED_GEMV:
		/* Twice the same columns of the nest, which are the rows of A. */
		nest.rows = 2;
		nest.columns = n;
		nest.a = (struct tp_nest_steps){ .depth = ELEMENT, .column = row, .batch = apart };
		nest.c = (struct tp_nest_steps){ .column = ELEMENT, .row = row, .batch = apart };
		nest.b_at = n * (uint64_t)row;
		nest.c_at = nest.b_at + (uint64_t)row;
		break;
	case TP_TRAFFIC_GEMM:
		nest = nest_gemm(n, copies, GEMM_UNROLL);
		break;
	default:
		/* A product with the one number between them; the depth is a single element. */
		nest.rows = (uint64_t)all;
		nest.columns = n;
		nest.depth = nest.unroll = 1;
		nest.a = (struct tp_nest_steps){ .column = ELEMENT, .row = row, .batch = apart };
		nest.b = (struct tp_nest_steps){ .batch = apart };
		nest.c = (struct tp_nest_steps){ .column = all * ELEMENT,
						 .row = ELEMENT,
						 .batch = apart };
		nest.b_at = (uint64_t)(all * row);
		nest.c_at = nest.b_at + line * ELEMENT;
	}
	return nest;
}

enum tp_status tp_traffic_make(enum tp_traffic_kernel kernel, uint64_t n, uint64_t copies,
			       const struct tp_cpu *cpu, const struct tp_counting_machine *machine,
			       struct tp_counting *out, struct tp_diag *diag)
{
	const struct tp_nest nest = nest_of(kernel, n, copies, machine->line_bytes);
	struct tp_row row = { .family = &tp_family_traffic, .cpu = cpu, .machine = machine };

	snprintf(row.name, sizeof(row.name), "%s %llu", tp_traffic_name(kernel),
		 (unsigned long long)n);
	snprintf(row.where, sizeof(row.where), "traffic, %s", row.name);
	*out = (struct tp_counting){ .family = &tp_family_traffic, .iterations = (double)copies };
	enum tp_status status = nest_make(&row, &nest, out, diag);
	if (status != TP_OK)
		tp_counting_release(out);
	return status;
}
