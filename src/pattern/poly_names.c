/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that become C: of statements and parameters. Names of arrays only stand in sentences. */
#include "pattern/poly_parts.h"

#include <ctype.h>
#include <isl/space.h>
#include <string.h>

static const char keywords[] =
	"asm auto break case char const continue default do double else enum extern float for goto "
	"if inline int long register restrict return short signed sizeof static struct switch "
	"typedef typeof union unsigned void volatile while _Alignas _Alignof _Atomic _Bool "
	"_Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local";

/* NULL, or why C or the loops around it do not take this name. */
static const char *unfit(const char *name)
{
	if (!name || !*name)
		return "has no name";
	if (strlen(name) > 63)
		return "has a name of more than 63 characters";
	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ||
	    isdigit((unsigned char)name[0]))
		return "has a name that C does not take";
	if (tp_has_word(keywords, name))
		return "has the name of a keyword of C";
	if (name[0] == 'c' && name[1] && !name[1 + strspn(name + 1, "0123456789")])
		return "has the name of an iterator of the loops (c0, c1, ...)";
	if (strncmp(name, "tp_", 3) == 0)
		return "has a name that begins with tp_";
	return NULL;
}

struct check {
	struct tp_poly *poly;
	struct tp_poly_place place;
	bool statements;
};

static isl_stat check_set(isl_set *set, void *user)
{
	struct check *check = user;
	const char *kind = check->statements ? "statement" : "array";
	const char *name = NULL, *fault = NULL;
	isl_bool nested = isl_set_is_wrapping(set);
	isl_size dims = isl_set_dim(set, isl_dim_set);
	if (nested == isl_bool_false && isl_set_has_tuple_name(set) == isl_bool_true)
		name = isl_set_get_tuple_name(set);
	if (nested == isl_bool_error || dims < 0)
		tp_poly_fail_isl(check->poly, check->place);
	else if (nested == isl_bool_true)
		tp_poly_fail(check->poly, check->place, NULL, "there is a map inside a tuple");
	else if (dims > TP_POLY_DIMS_MAX)
		tp_poly_fail(check->poly, check->place, NULL, "a tuple has more than %d dimensions",
			     TP_POLY_DIMS_MAX);
	else if ((fault = unfit(name)))
		tp_poly_fail(check->poly, check->place, "letters, digits and _ make a name: S[i,j]",
			     "%s \"%.64s\" %s", kind, name ? name : "", fault);
	isl_set_free(set);
	return check->poly->found->status == TP_OK ? isl_stat_ok : isl_stat_error;
}

static enum tp_status check_parameters(struct tp_poly *poly, struct tp_poly_place place,
				       isl_space *space)
{
	isl_size n = isl_space_dim(space, isl_dim_param);
	if (n < 0)
		return tp_poly_fail_isl(poly, place);
	if (n > TP_POLY_PARAMETERS_MAX)
		return tp_poly_fail(poly, place, NULL, "there are more than %d parameters",
				    TP_POLY_PARAMETERS_MAX);
	for (isl_size i = 0; i < n; i++) {
		const char *name = isl_space_get_dim_name(space, isl_dim_param, (unsigned)i);
		const char *fault = unfit(name);
		if (fault)
			return tp_poly_fail(poly, place, NULL, "parameter \"%.64s\" %s",
					    name ? name : "", fault);
	}
	return TP_OK;
}

enum tp_status tp_poly_check_names(struct tp_poly *poly, struct tp_poly_place place,
				   isl_union_set *set, bool statements)
{
	struct check check = { poly, place, statements };
	isl_space *space = isl_union_set_get_space(set);
	isl_size n = isl_union_set_n_set(set);
	enum tp_status status = check_parameters(poly, place, space);
	isl_space_free(space);
	if (status != TP_OK)
		return status;
	if (n < 0)
		return tp_poly_fail_isl(poly, place);
	if (n > TP_POLY_STATEMENTS_MAX)
		return tp_poly_fail(poly, place, NULL, "there are more than %d %s",
				    TP_POLY_STATEMENTS_MAX, statements ? "statements" : "arrays");
	if (isl_union_set_foreach_set(set, check_set, &check) != isl_stat_ok)
		return poly->found->status != TP_OK ? poly->found->status
						    : tp_poly_fail_isl(poly, place);
	return TP_OK;
}
