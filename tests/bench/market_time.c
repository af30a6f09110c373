/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a Matrix Market file takes to be read as bytes, to be checked, and to become a matrix:
 * seconds, MB/s, and each time over that of reading. Writes its file into the folder given (default
 * /tmp) and removes it. build/tests/bench/market_time [MB [FOLDER]]; 1000 MB by default.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/now.h"
#include "base/random.h"
#include "matrix/market.h"

enum { ROWS = 1000000, ENTRY_BYTES = 25, DIGITS = 100000000, BLOCK_BYTES = 1 << 16 };

static bool write_matrix(const char *path, unsigned entries)
{
	FILE *file = fopen(path, "w");
	uint64_t state = 1;
	if (!file)
		return false;
	fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %u\n", ROWS, ROWS,
		entries);
	for (unsigned i = 0; i < entries; i++) {
		uint64_t r = tp_splitmix64(&state);
		fprintf(file, "%u %u %.8f\n", (unsigned)((uint64_t)i * ROWS / entries) + 1,
			(unsigned)(r % ROWS) + 1, (double)(r >> 32) / DIGITS);
	}
	return fclose(file) == 0;
}

static size_t read_bytes(const char *path)
{
	static char block[BLOCK_BYTES];
	size_t all = 0;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while ((n = read(fd, block, sizeof(block))) > 0)
		all += (size_t)n;
	close(fd);
	return all;
}

static void print_line(const char *what, double seconds, size_t bytes, double reading)
{
	printf("%-8s %7.2f s  %7.0f MB/s  %6.1f x reading\n", what, seconds,
	       (double)bytes * 1e-6 / seconds, seconds / reading);
}

int main(int argc, char **argv)
{
	char path[TP_PATH_MAX];
	const double megabytes = argc > 1 ? strtod(argv[1], NULL) : 1000;
	struct tp_market market;
	struct tp_matrix matrix;
	struct tp_diag diag = { 0 };
	snprintf(path, sizeof(path), "%.4000s/market_time.mtx", argc > 2 ? argv[2] : "/tmp");
	if (!write_matrix(path, (unsigned)(megabytes * 1e6 / ENTRY_BYTES))) {
		perror(path);
		return 1;
	}
	size_t bytes = read_bytes(path);
	double start = tp_now_seconds(), reading = 0;
	read_bytes(path);
	reading = tp_now_seconds() - start;
	print_line("read", reading, bytes, reading);
	start = tp_now_seconds();
	enum tp_status status = tp_market_read(path, TP_MARKET_CHECK, &market, NULL, &diag);
	print_line("check", tp_now_seconds() - start, bytes, reading);
	if (status == TP_OK) {
		start = tp_now_seconds();
		status = tp_market_read(path, TP_MARKET_MATRIX, &market, &matrix, &diag);
		print_line("matrix", tp_now_seconds() - start, bytes, reading);
		tp_matrix_release(&matrix);
	}
	unlink(path);
	if (status != TP_OK)
		fprintf(stderr, "%s: %s\n", diag.where, diag.what);
	return status != TP_OK;
}
