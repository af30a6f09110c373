/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/team_parts.h"

#ifdef _OPENMP
#include <omp.h>

unsigned tp_openmp_each(unsigned n, void (*each)(void *context, unsigned i), void *context)
{
	unsigned got = 0;
	/* Otherwise OpenMP may give fewer threads than requested when the machine is busy. */
	omp_set_dynamic(0);
#pragma omp parallel num_threads((int)n)
	{
#pragma omp single
		got = (unsigned)omp_get_num_threads();
		if (got == n)
			each(context, (unsigned)omp_get_thread_num());
	}
	return got;
}

void tp_openmp_alone(tp_kernel_function function, void *data, uint64_t passes)
{
#pragma omp parallel num_threads(1)
	function(data, passes);
}
#else
unsigned tp_openmp_each(unsigned n __attribute__((unused)),
			void (*each)(void *context, unsigned i) __attribute__((unused)),
			void *context __attribute__((unused)))
{
	return 0;
}

void tp_openmp_alone(tp_kernel_function function, void *data, uint64_t passes)
{
	function(data, passes);
}
#endif
