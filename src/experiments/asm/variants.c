/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which instructions of a list, in which order. */
#include "experiments/asm/plan.h"

#include <string.h>

/* Arrangements of k of n. */
static double arrangements(size_t n, size_t k)
{
	double all = 1;
	for (size_t i = 0; i < k; i++)
		all *= (double)(n - i);
	return all;
}

static double permutations(size_t n)
{
	double all = 0;
	for (size_t k = 1; k <= n; k++)
		all += arrangements(n, k);
	return all;
}

double tp_asm_variants(const char *word, size_t n)
{
	if (strcmp(word, "permutations") == 0)
		return permutations(n);
	return strcmp(word, "whole") == 0 ? 1 : (double)n;
}

/* Arrangements come by their length, then in the order of the indexes. */
static size_t permutation(size_t n, size_t i, unsigned char *indexes)
{
	double rest = (double)i;
	size_t k = 1;
	bool used[TP_ASM_LINES_MAX] = { false };
	while (k < n && rest >= arrangements(n, k))
		rest -= arrangements(n, k++);
	for (size_t at = 0; at < k; at++) {
		double each = arrangements(n - at - 1, k - at - 1);
		size_t skip = (size_t)(rest / each), next = 0;
		rest -= (double)skip * each;
		while (used[next] || skip)
			skip -= !used[next++];
		used[next] = true;
		indexes[at] = (unsigned char)next;
	}
	return k;
}

size_t tp_asm_variant(const char *word, size_t n, size_t i, unsigned char *indexes)
{
	if (strcmp(word, "permutations") == 0)
		return permutation(n, i, indexes);
	if (strcmp(word, "each") == 0) {
		indexes[0] = (unsigned char)i;
		return 1;
	}
	size_t count = strcmp(word, "prefixes") == 0 ? i + 1 : n;
	for (size_t k = 0; k < count; k++)
		indexes[k] = (unsigned char)k;
	return count;
}
