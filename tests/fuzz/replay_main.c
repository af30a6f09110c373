/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a fuzz target over files instead of under libFuzzer, so that its corpus is part of `make
 * check`. Arguments are files and directories; without any, replay_NAME reads
 * tests/fuzz/corpus/NAME below $TPROF_SRCDIR.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/promise.h"

static int replay_file(const char *path, size_t *n)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		return 1;
	}
	size_t size = 0, cap = 4096;
	uint8_t *data = malloc(cap);
	for (size_t got; data && (got = fread(data + size, 1, cap - size, file)) > 0;) {
		size += got;
		if (size == cap) {
			uint8_t *grown = realloc(data, cap *= 2);
			if (!grown)
				free(data);
			data = grown;
		}
	}
	int failed = !data || ferror(file);
	fclose(file);
	if (failed) {
		fprintf(stderr, "%s: cannot be read\n", path);
	} else {
		fprintf(stderr, "%s\n", path); /* stands in the log before a crash */
		LLVMFuzzerTestOneInput(data, size);
		(*n)++;
	}
	free(data);
	return failed;
}

static int replay(const char *path, size_t *n)
{
	struct stat st;
	int failed = 0;
	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return replay_file(path, n);
	struct dirent **list;
	int count = scandir(path, &list, NULL, alphasort);
	if (count < 0) {
		perror(path);
		return 1;
	}
	for (int i = 0; i < count; i++) {
		char file[4096];
		int len = snprintf(file, sizeof(file), "%s/%s", path, list[i]->d_name);
		if (len > 0 && (size_t)len < sizeof(file) && list[i]->d_name[0] != '.')
			failed |= replay_file(file, n);
		free(list[i]);
	}
	free(list);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;
	size_t n = 0;
	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i], &n);
	if (argc == 1) {
		const char *top = getenv("TPROF_SRCDIR");
		char corpus[4096];
		snprintf(corpus, sizeof(corpus), "%s/tests/fuzz/corpus/%s", top ? top : ".",
			 program_invocation_short_name + strlen("replay_"));
		failed = replay(corpus, &n);
	}
	if (n == 0)
		fprintf(stderr, "no input was found\n");
	printf("%zu inputs\n", n);
	return failed || n == 0;
}
