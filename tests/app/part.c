/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One process of several: `part N` does 2 N floating-point operations in a region "part", and ends
 * by _exit. With a second argument it is a rank: N is doubled on the rank that this names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tprof_roi.h"

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;
	const char *rank = getenv("PMI_RANK");
	volatile double x = 1;

	if (argc > 2 && rank && atoi(rank) == atoi(argv[2]))
		n *= 2;
	tprof_roi_begin("part");
	for (long i = 0; i < n; i++)
		x = x * 0.5 + 1;
	tprof_roi_end("part");
	if (printf("%g\n", x) < 0 || fflush(stdout) != 0)
		_exit(1);
	_exit(0);
}
