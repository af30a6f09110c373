/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/counting.h"
#include "kernels/families/families.h"

#include <stdio.h>
#include <string.h>

/* One row for each family, whose file is in kernels/families. */
const struct tp_family *const tp_family_table[TP_FAMILY_COUNT] = {
	[TP_FAMILY_FLOPS] = &tp_family_flops,
	[TP_FAMILY_BRANCH] = &tp_family_branch,
	[TP_FAMILY_DCACHE_READ] = &tp_family_dcache_read,
	[TP_FAMILY_DCACHE_WRITE] = &tp_family_dcache_write,
	[TP_FAMILY_ICACHE] = &tp_family_icache,
	[TP_FAMILY_INSTRUCTIONS] = &tp_family_instructions,
	[TP_FAMILY_BLAS] = &tp_family_blas,
	[TP_FAMILY_TRAFFIC] = &tp_family_traffic,
};

const struct tp_family *tp_family_find(const char *name)
{
	for (size_t i = 0; i < TP_FAMILY_COUNT; i++)
		if (tp_family_table[i] && strcmp(tp_family_table[i]->name, name) == 0)
			return tp_family_table[i];
	return NULL;
}

const char *tp_family_row_name(const struct tp_family *family, unsigned row, char *out, size_t size)
{
	char words[16];
	family->kernel_name(row / family->kernel_rows, out, size);
	if (family->kernel_rows == 1)
		return out;
	if (family->row_words)
		family->row_words(row, words, sizeof(words));
	else
		snprintf(words, sizeof(words), "%u",
			 family->row_number ? family->row_number(row)
					    : row % family->kernel_rows + 1);
	size_t len = strlen(out);
	snprintf(out + len, size - len, " %s", words);
	return out;
}

enum tp_status tp_counting_make(const struct tp_family *family, unsigned row,
				const struct tp_cpu *cpu, const struct tp_counting_machine *machine,
				struct tp_counting *out, struct tp_diag *diag)
{
	memset(out, 0, sizeof(*out));
	if (row >= family->n_rows)
		return tp_fail(diag, TP_USAGE, family->name, NULL, "row %u: %s has %u rows", row,
			       family->name, family->n_rows);
	struct tp_row request = { .family = family, .row = row, .cpu = cpu, .machine = machine };
	tp_family_row_name(family, row, request.name, sizeof(request.name));
	snprintf(request.where, sizeof(request.where), "%s, %s", family->name, request.name);
	out->family = family;
	out->row = row;
	enum tp_status status = family->make(&request, out, diag);
	if (status != TP_OK)
		tp_counting_release(out);
	return status;
}
