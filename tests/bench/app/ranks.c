/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ranks N [SLOW [FACTOR]]: an iterative solver's pattern. Each rank does 10 rounds of N sweeps over
 * 4096 doubles, 2 FLOPs for each, and a sum over all ranks; rank SLOW does FACTOR times as many
 * sweeps (2).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "tprof_roi.h"

enum { ROUNDS = 10, CELLS = 4096 };

int main(int argc, char **argv)
{
	static double cells[CELLS];
	double sum = 0, all = 0;
	int rank, ranks, sweeps = argc > 1 ? atoi(argv[1]) : 100,
			 slow = argc > 2 ? atoi(argv[2]) : -1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank == slow)
		sweeps *= argc > 3 ? atoi(argv[3]) : 2;
	for (int i = 0; i < CELLS; i++)
		cells[i] = i;
	for (int round = 0; round < ROUNDS; round++) {
		tprof_roi_begin("work");
		for (int s = 0; s < sweeps; s++)
			for (int i = 0; i < CELLS; i++)
				cells[i] = cells[i] * 0.999 + 0.5;
		tprof_roi_end("work");
		sum += cells[round];
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	if (!rank)
		printf("%d ranks, %.6g\n", ranks, all);
	MPI_Finalize();
	return 0;
}
