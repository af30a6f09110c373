/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where tprof is built without isl. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "pattern/poly.h"

static enum tp_status no_isl(struct tp_poly_place *place, struct tp_diag *diag)
{
	if (place)
		*place = (struct tp_poly_place){ 0 };
	return tp_fail(
		diag, TP_UNSUPPORTED, "isl",
		"install the Debian package libisl-dev, run configure and build again, or "
		"write the loops by hand under \"c:\"",
		"this tprof was built without isl, which makes loops of domain and schedule");
}

enum tp_status tp_poly_examine(const struct tp_poly_input *input, unsigned questions,
			       struct tp_poly_answers *answers, struct tp_poly_place *place,
			       struct tp_diag *diag)
{
	return no_isl(place, diag);
}

enum tp_status tp_poly_count(const struct tp_poly_input *input, const struct tp_poly_value *values,
			     size_t n_values, uint64_t *instances, uint64_t *runs,
			     struct tp_poly_place *place, struct tp_diag *diag)
{
	*instances = *runs = 0;
	return no_isl(place, diag);
}

void tp_poly_answers_release(struct tp_poly_answers *answers)
{
	*answers = (struct tp_poly_answers){ 0 };
}
