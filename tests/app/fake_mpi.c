/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * As much of MPI as the agent looks at, for hosts without one: built as libmpi.so, its functions
 * wait as long as their argument says; built with -DPROGRAM, a rank that calls them.
 */
#include <stdlib.h>
#include <time.h>

void MPI_Init(int *argc, char ***argv);
int MPI_Barrier(long a, long b, long c, long d, long e, long f, long g);
double MPI_Wtime(void);

#ifndef PROGRAM
static void wait_ms(long ms)
{
	const struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
}

void MPI_Init(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	wait_ms(40);
	MPI_Barrier(40, 0, 0, 0, 0, 0, 7); /* a nested call is in the time of the outer one */
}

/* More arguments than there are registers for them. */
int MPI_Barrier(long a, long b, long c, long d, long e, long f, long g)
{
	wait_ms(a);
	return b + c + d + e + f == 0 && g == 7 ? 1234567 : 0;
}

double MPI_Wtime(void)
{
	wait_ms(20);
	return 0.5;
}
#else
int main(int argc, char **argv)
{
	const struct timespec work = { 0, 30000000 };
	const char *rank = getenv("PMI_RANK");
	int good;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < (rank && *rank == '1' ? 8 : 1); i++)
		nanosleep(&work, NULL);
	good = MPI_Barrier(50, 0, 0, 0, 0, 0, 7) == 1234567;
	good = MPI_Barrier(50, 0, 0, 0, 0, 0, 7) == 1234567 && good;
	return !(good && MPI_Wtime() == 0.5);
}
#endif
