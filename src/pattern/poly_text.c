/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts before isl sees them: what it would take badly is refused here. */
#include "pattern/poly_parts.h"

#include <ctype.h>
#include <string.h>

enum { NESTING_MAX = 24, DIGITS_MAX = 15, PRAGMA_MAX_BYTES = 256 };

/* What isl's notation needs. Its powers, quoted names and comments are not among it. */
static const char text_allowed[] = " \t\n_',;:{}[]()<>=!+-*/%&|";

/* Where in the text `at` is. */
static void locate(struct tp_poly_place *place, const char *text, const char *at)
{
	place->line = place->column = 1;
	for (; text < at; text++) {
		place->column++;
		if (*text == '\n') {
			place->line++;
			place->column = 1;
		}
	}
}

/* isl recurses into brackets, and computes with numbers of any length. */
static const char *unfit(const char *text, const char **what)
{
	int depth = 0, digits = 0;
	const char *end = NULL; /* of the last brace; isl would not read on */
	for (const char *p = text; *p; p++) {
		if (end && !isspace((unsigned char)*p)) {
			*what = "text after the closing brace";
			return p;
		}
		if (!isalnum((unsigned char)*p) && !strchr(text_allowed, *p)) {
			*what = "a character that isl's notation does not need";
			return p;
		}
		depth += strchr("{[(", *p) != NULL;
		depth -= depth && strchr("}])", *p);
		if (!depth && *p == '}')
			end = p;
		digits = isdigit((unsigned char)*p) ? digits + 1 : 0;
		if (depth > NESTING_MAX || digits > DIGITS_MAX) {
			*what = digits > DIGITS_MAX ? "a number of more than 15 digits"
						    : "more than 24 brackets in each other";
			return p;
		}
	}
	return NULL;
}

static enum tp_status check_text(struct tp_poly *poly, enum tp_poly_text which, size_t index,
				 const char *text)
{
	struct tp_poly_place place = { .text = which, .index = index };
	if (!text)
		return tp_poly_fail(poly, place, NULL, "there is no text");
	if (strnlen(text, TP_POLY_TEXT_MAX_BYTES + 1) > TP_POLY_TEXT_MAX_BYTES)
		return tp_poly_fail(poly, place, NULL, "the text has more than %d bytes",
				    TP_POLY_TEXT_MAX_BYTES);
	const char *what = NULL, *at = unfit(text, &what);
	if (!at)
		return TP_OK;
	locate(&place, text, at);
	return tp_poly_fail(poly, place,
			    "letters, digits, blanks and ' _ , ; : { } [ ] ( ) < > = ! + - * / % & "
			    "| are allowed",
			    "%s", what);
}

static enum tp_status check_pragma(struct tp_poly *poly, const char *pragma)
{
	const struct tp_poly_place nowhere = { 0 };
	if (!pragma)
		return TP_OK;
	bool fits = strncmp(pragma, "#pragma ", 8) == 0 &&
		    strnlen(pragma, PRAGMA_MAX_BYTES + 1) <= PRAGMA_MAX_BYTES;
	for (const char *p = pragma; fits && *p; p++)
		fits = isprint((unsigned char)*p) && *p != '\\';
	return fits ? TP_OK
		    : tp_poly_fail(poly, nowhere, "write one line of at most 256 bytes",
				   "the line before the parallel loop is no #pragma");
}

enum tp_status tp_poly_check_input(struct tp_poly *poly)
{
	const struct tp_poly_input *input = poly->asked->input;
	const struct tp_poly_place nowhere = { 0 };
	enum tp_status status = check_text(poly, TP_POLY_TEXT_DOMAIN, 0, input->domain);
	if (status == TP_OK && input->context)
		status = check_text(poly, TP_POLY_TEXT_CONTEXT, 0, input->context);
	if (status == TP_OK && input->n_schedule > TP_POLY_SCHEDULE_MAX)
		return tp_poly_fail(poly, nowhere, NULL, "the schedule has more than %d relations",
				    TP_POLY_SCHEDULE_MAX);
	if (status == TP_OK && input->n_accesses > TP_POLY_ACCESSES_MAX)
		return tp_poly_fail(poly, nowhere, NULL, "there are more than %d accesses",
				    TP_POLY_ACCESSES_MAX);
	for (size_t i = 0; status == TP_OK && i < input->n_schedule; i++)
		status = check_text(poly, TP_POLY_TEXT_SCHEDULE, i, input->schedule[i]);
	for (size_t i = 0; status == TP_OK && i < input->n_accesses; i++)
		status = check_text(poly, TP_POLY_TEXT_ACCESS, i, input->accesses[i].relation);
	return status == TP_OK ? check_pragma(poly, input->parallel_pragma) : status;
}
