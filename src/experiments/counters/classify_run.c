/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of a run. */
#include "experiments/counters/classify.h"

#include <string.h>

#include "base/memory.h"
#include "experiments/counters/classes.h"
#include "experiments/counters/readings.h"

/* The basis that carries the name of the family: "flops" for "flops#2". */
static enum tp_status find_basis(struct tp_basis *basis, const char *family, struct tp_diags *diags)
{
	char name[sizeof(((struct tp_class *)0)->family)];

	tp_copy(name, sizeof(name), family);
	name[strcspn(name, "#")] = '\0';
	return tp_basis_find(basis, name, diags);
}

/* Where the class goes: the place of one of the same name, if the family was analysed before. */
static struct tp_class *place_of(struct tp_run *run, const char *family)
{
	for (size_t i = 0; i < tp_run_n_classes(run); i++)
		if (strcmp(tp_run_classes(run)[i].family, family) == 0) {
			tp_class_release(&tp_run_classes(run)[i]);
			return &tp_run_classes(run)[i];
		}
	return tp_run_add_row(run, &tp_class_part);
}

enum tp_status tp_classify_into(struct tp_run *run, const struct tp_reading_family *readings,
				const struct tp_basis *basis, const char *source, unsigned index,
				struct tp_diags *diags)
{
	struct tp_basis found = { 0 };
	struct tp_class class = { 0 }, *place;
	struct tp_diag diag;
	enum tp_status status = TP_OK;

	if (!basis) {
		status = find_basis(&found, readings->name, diags);
		if (status)
			return status;
		basis = &found;
	}
	status = tp_classify_family(&class, readings, basis, source, &diag);
	if (status == TP_OK) {
		class.run = index;
		place = place_of(run, class.family);
		if (place) {
			*place = class;
			class = (struct tp_class){ 0 };
		} else {
			status = tp_fail(&diag, TP_NOMEM, readings->name, NULL, "out of memory");
		}
	}
	if (status)
		tp_diags_add(diags, &diag);
	tp_class_release(&class);
	tp_basis_release(&found);
	return status;
}
