/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long tables of 20 columns take to be read, and then one more column and a filter, by rows:
 * the time for a cell must not grow. Writes its files into the folder given (default /tmp) and
 * removes them. build/tests/bench/csv_time [FOLDER]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/now.h"
#include "base/random.h"
#include "mining/frame.h"

enum { COLUMNS = 20, MOST_ROWS = 1000000, WORD_COLUMN = 7 };

static bool write_table(const char *path, unsigned rows)
{
	FILE *file = fopen(path, "w");
	uint64_t state = 1;
	if (!file)
		return false;
	for (unsigned c = 0; c < COLUMNS; c++)
		fprintf(file, "%sc%u", c ? "," : "", c);
	for (unsigned i = 0; i < rows; i++)
		for (unsigned c = 0; c < COLUMNS; c++) {
			uint64_t r = tp_splitmix64(&state);
			fputs(c ? "," : "\n", file);
			if (c == WORD_COLUMN)
				fprintf(file, "word%u", (unsigned)(r % 50));
			else
				fprintf(file, "%.6f", (double)(r >> 11) * 0x1p-53 * (c + 1));
		}
	fputc('\n', file);
	return fclose(file) == 0;
}

int main(int argc, char **argv)
{
	char path[TP_PATH_MAX];
	snprintf(path, sizeof(path), "%s/csv_time.%ld.csv", argc > 1 ? argv[1] : "/tmp",
		 (long)getpid());
	printf("%9s %9s %9s %9s %9s\n", "rows", "read s", "ns/cell", "filter s", "peak MB");
	for (unsigned rows = MOST_ROWS / 100; rows <= MOST_ROWS; rows *= 10) {
		struct tp_frame frame = { 0 };
		struct tp_diag diag = { 0 };
		struct rusage used;
		if (!write_table(path, rows))
			return perror(path), 1;
		double start = tp_now_seconds();
		if (tp_frame_read_csv(&frame, path, NULL, &diag))
			return fprintf(stderr, "%s: %s\n", diag.where, diag.what), 1;
		double read = tp_now_seconds() - start;
		start = tp_now_seconds();
		if (tp_frame_derive(&frame, "n=distinct(floor(c1), floor(c2), floor(c3))", &diag) ||
		    tp_frame_filter(&frame, "c7 == 'word3' or c0 + c1 * 2 < 1 and n > 1", &diag))
			return fprintf(stderr, "%s: %s\n", diag.where, diag.what), 1;
		double filter = tp_now_seconds() - start;
		getrusage(RUSAGE_SELF, &used);
		printf("%9u %9.3f %9.1f %9.3f %9ld\n", rows, read, read * 1e9 / rows / COLUMNS,
		       filter, used.ru_maxrss / 1024);
		tp_frame_release(&frame);
	}
	unlink(path);
	return 0;
}
