/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/narrow.h"
#include "kernels/aarch64/narrow.h"
#include "kernels/x86/narrow.h"
#include "base/str.h"
#include "base/memory.h"

#include <string.h>

/* Of all architectures: a simulated machine may have another one than this host. */
static const struct tp_narrow_rows *const architectures[] = { &tp_x86_narrow, &tp_aarch64_narrow };

const struct tp_narrow *tp_narrow_row(const char *arch, size_t i)
{
	for (size_t a = 0; a < TP_COUNT_OF(architectures); a++)
		if (strcmp(architectures[a]->arch, arch) == 0 && i < architectures[a]->n)
			return &architectures[a]->rows[i];
	return NULL;
}

const struct tp_narrow *tp_narrow_find(const struct tp_isa *isa,
				       const struct tp_precision *precision, enum tp_fp_op op)
{
	const struct tp_narrow *row;
	for (size_t i = 0; (row = tp_narrow_row(isa->arch, i)); i++)
		if (row->op == op && strcmp(row->isa, isa->name) == 0 &&
		    strcmp(row->precision, precision->name) == 0)
			return row;
	return NULL;
}

const struct tp_narrow *tp_narrow_of(const struct tp_kernel *k)
{
	if (k->kind != TP_KERNEL_FP)
		return NULL;
	return tp_narrow_find(k->isa, tp_precision_of(k->element_bytes, k->format), k->fp_op);
}

enum tp_status tp_narrow_supported(const struct tp_narrow *row, const struct tp_cpu *cpu,
				   struct tp_diag *diag)
{
	char needs[64];
	tp_copy(needs, sizeof(needs), row->needs);
	char *rest = needs;
	for (char *word; (word = strsep(&rest, " "));)
		if (*word && !tp_has_word(cpu->features, word))
			return tp_fail(diag, TP_UNSUPPORTED, row->isa, "leave it out",
				       "%s %s in %s needs %s, which this CPU or kernel does not "
				       "offer",
				       row->isa, tp_fp_op_name(row->op), row->precision, word);
	return TP_OK;
}
