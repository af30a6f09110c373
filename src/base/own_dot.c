/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/own_dot.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const double least = 1e-6, most = 1e9;

/* A number of `len` bytes within the limits. */
static bool take_number(const char *text, size_t len, double *value)
{
	char number[TP_OWN_DOT_BYTES];
	tp_trim(&text, &len);
	/* tp_parse_double also takes hexadecimal, nan and infinity. */
	if (!len || len >= sizeof(number) || strspn(text, "0123456789.eE+-") < len)
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	return tp_parse_double(number, value) && *value >= least && *value <= most;
}

const char *tp_own_dot_parse(const char *text, struct tp_own_dot *dot)
{
	const char *colon = strchr(text, ':'), *name = text;
	const char *comma = colon ? strchr(colon, ',') : NULL;
	size_t len = colon ? (size_t)(colon - text) : 0;
	*dot = (struct tp_own_dot){ 0 };
	if (strlen(text) >= TP_OWN_DOT_BYTES)
		return "is too long";
	if (!colon)
		return "has no name followed by :";
	tp_trim(&name, &len);
	if (!len)
		return "has no name before :";
	if (len >= sizeof(dot->name) || memchr(name, ',', len))
		return "has a name that is too long or holds a comma";
	const char *fault = tp_text_fault(name, len, "");
	if (fault)
		return fault;
	memcpy(dot->name, name, len);
	if (!comma)
		return "has no comma between FLOP/byte and GFLOP/s";
	if (!take_number(colon + 1, (size_t)(comma - colon - 1), &dot->ai_flop_per_byte))
		return "has no usable FLOP/byte";
	if (!take_number(comma + 1, strlen(comma + 1), &dot->gflops))
		return "has no usable GFLOP/s";
	return NULL;
}

const char *tp_own_dot_text(const struct tp_own_dot *dot, char out[TP_OWN_DOT_BYTES])
{
	/* 31 bytes of name, twice 14 of numbers, two marks. */
	snprintf(out, TP_OWN_DOT_BYTES, "%s:%.8g,%.8g", dot->name, dot->ai_flop_per_byte,
		 dot->gflops);
	return out;
}
