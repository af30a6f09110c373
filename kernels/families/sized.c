/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations of any size with known traffic, as nests of loops over a batch of problems. */
#include "kernels/traffic.h"
#include "kernels/families/families.h"
#include "kernels/families/nest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENT = sizeof(double), RESORT_LINES = 9, GEMM_UNROLL = 8 };

static const struct {
	const char *name, *title;
} kernels[TP_TRAFFIC_KERNELS] = {
	[TP_TRAFFIC_DOT] = { "dot", "product of two vectors of N" },
	[TP_TRAFFIC_GEMV] = { "gemv", "y = A x with N rows of N" },
	[TP_TRAFFIC_CAPPED_GEMV] = { "capped-gemv", "y = A x with 2 N rows, of which N exist" },
	[TP_TRAFFIC_GEMM] = { "gemm", "C += A B of order N" },
	[TP_TRAFFIC_RESORT] = { "resort", "rows of N numbers become columns" },
};

const char *tp_traffic_name(enum tp_traffic_kernel kernel)
{
	return kernel < TP_TRAFFIC_KERNELS ? kernels[kernel].name : "";
}

const char *tp_traffic_title(enum tp_traffic_kernel kernel)
{
	return kernel < TP_TRAFFIC_KERNELS ? kernels[kernel].title : "";
}

enum tp_traffic_kernel tp_traffic_find(const char *name)
{
	unsigned k = 0;

	while (k < TP_TRAFFIC_KERNELS && strcmp(kernels[k].name, name) != 0)
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

/* Problems lie one behind the other, each with all of its data together. */
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
		nest = tp_nest_gemm(n, copies, GEMM_UNROLL);
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
	enum tp_status status = tp_nest_make(&row, &nest, out, diag);
	if (status != TP_OK)
		tp_counting_release(out);
	return status;
}
