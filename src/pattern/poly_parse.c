/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One text through isl's parser, and the place where it is wrong. */
#include "pattern/poly_parts.h"

#include <isl/options.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/*
 * isl prints what is wrong with a text, and where, only if it is to warn; it keeps neither. Without
 * a descriptor to hear it, it is silent, and nobody learns the place.
 */
static void listen(struct tp_poly *poly)
{
	int fd = poly->asked->words_fd;
	if (fd < 0 || ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		return;
	isl_options_set_on_error(poly->ctx, ISL_ON_ERROR_WARN);
}

static void stop_listening(struct tp_poly *poly)
{
	isl_options_set_on_error(poly->ctx, ISL_ON_ERROR_CONTINUE);
}

static enum tp_status refuse(struct tp_poly *poly, struct tp_poly_place place)
{
	static const char hint[] =
		"a set is \"[n] -> { S[i,j] : 0 <= i < n and 0 <= j < n }\", a relation "
		"\"{ S[i,j] -> [j,i] }\"; factors and divisors are numbers";
	char words[400];
	int fd = poly->asked->words_fd, at = 0;
	ssize_t len = fd < 0 ? -1 : pread(fd, words, sizeof(words) - 1, 0);
	words[len > 0 ? len : 0] = '\0';
	enum isl_error error = isl_ctx_last_error(poly->ctx);
	if (error == isl_error_quota || error == isl_error_alloc)
		return tp_poly_fail_isl(poly, place);
	if (sscanf(words, "syntax error (%u, %u): %n", &place.line, &place.column, &at) != 2 || !at)
		return len > 0 ? tp_poly_fail_isl(poly, place)
			       : tp_poly_fail(poly, place, hint, "isl cannot read it");
	/* Two lines: "unexpected token", "got ident 'q'". */
	size_t whole = strlen(words);
	while (whole && words[whole - 1] == '\n')
		words[--whole] = '\0';
	char *line = strchr(words, '\n'), *second = line ? line + 1 : NULL;
	if (line) {
		*line = '\0';
		char *third = strchr(second, '\n');
		if (third)
			*third = '\0';
	}
	tp_poly_fail(poly, place, hint, "isl says: %.120s%s%.120s", words + at, second ? ", " : "",
		     second ? second : "");
	tp_clean(poly->found->diag.what, "");
	return TP_USAGE;
}

isl_union_map *tp_poly_parse_map(struct tp_poly *poly, struct tp_poly_place place, const char *text)
{
	listen(poly);
	isl_union_map *map = isl_union_map_read_from_str(poly->ctx, text);
	stop_listening(poly);
	if (!map)
		refuse(poly, place);
	return map;
}

isl_union_set *tp_poly_parse_domain(struct tp_poly *poly)
{
	listen(poly);
	isl_union_set *set = isl_union_set_read_from_str(poly->ctx, poly->asked->input->domain);
	stop_listening(poly);
	if (!set)
		refuse(poly, (struct tp_poly_place){ .text = TP_POLY_TEXT_DOMAIN });
	return set;
}

isl_set *tp_poly_parse_context(struct tp_poly *poly)
{
	const struct tp_poly_place place = { .text = TP_POLY_TEXT_CONTEXT };
	const char *text = poly->asked->input->context;
	listen(poly);
	isl_set *set = isl_set_read_from_str(poly->ctx, text ? text : "{ : }");
	stop_listening(poly);
	if (!set) {
		refuse(poly, place);
		return NULL;
	}
	isl_bool parameters = isl_set_is_params(set);
	if (parameters == isl_bool_true)
		return set;
	if (parameters == isl_bool_false)
		tp_poly_fail(poly, place, "write \"[n] -> { : n >= 3 }\"",
			     "it tells of more than the parameters");
	else
		tp_poly_fail_isl(poly, place);
	return isl_set_free(set);
}
