/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/program/readings.h"
#include "base/expression.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer patterns, including those made longer by repetitions, are refused. */
enum { PATTERN_BYTES = 1000, PARTS_MAX = 5000, IN_A_ROW_MAX = 3 };

static const char form[] = "write NAME=PATTERN with one group around the number, such as "
			   "rate=([0-9.]+) MB/s";

/* The position after a set of characters that begins at `c`. */
static const char *behind_set(const char *c)
{
	c += c[1] == '^' ? 2 : 1;
	for (c += *c == ']'; *c && *c != ']'; c++) {
		const char *end = NULL;
		if (*c == '[' && (c[1] == ':' || c[1] == '.' || c[1] == '=')) {
			const char close[] = { c[1], ']', '\0' };
			end = strstr(c + 2, close);
		}
		c = end ? end + 1 : c;
	}
	return c + (*c == ']');
}

/* The larger number of {2,5}, or one more than the number of {2,}; 0 if these are not numbers. */
static double most_times(const char *c)
{
	char *end;
	double least = strtod(c, &end);
	if (!isdigit((unsigned char)*c))
		return 0;
	return *end != ','			? least
	       : isdigit((unsigned char)end[1]) ? strtod(end + 1, NULL)
						: least + 1;
}

/*
 * The cost of compiling a pattern: nested repetitions multiply, possibly to gigabytes. NULL:
 * acceptable. References to groups, which are not in POSIX, are tried in every way.
 */
static const char *too_costly(const char *pattern)
{
	/* Parts of each group that is open, and of what a repetition would repeat. */
	double parts[PATTERN_BYTES + 1] = { 0 }, last[PATTERN_BYTES + 1] = { 0 };
	size_t depth = 0, in_a_row = 0; /* repetitions of repetitions */
	if (strlen(pattern) > PATTERN_BYTES)
		return "it is too long";
	for (const char *c = pattern; *c; c++) {
		double times = *c == '+' ? 2 : *c == '{' ? most_times(c + 1) : 0;
		double before = last[depth];
		in_a_row = times > 0 || *c == '*' || *c == '?' ? in_a_row + 1 : 0;
		if (in_a_row > IN_A_ROW_MAX)
			return "it repeats repetitions";
		if (*c == '\\' && isdigit((unsigned char)c[1]))
			return "it refers to a group";
		if (*c == '(') {
			depth++;
			parts[depth] = last[depth] = 0;
			continue;
		}
		if (*c == ')' && depth > 0) {
			depth--;
			last[depth] = parts[depth + 1] + 1;
			before = 0;
		} else if (times > 0) {
			last[depth] = fmax(before, 1) * times;
			c += *c == '{' ? strcspn(c, "}") : 0;
			c -= !*c; /* it does not end, and is not an expression */
		} else if (*c == '*' || *c == '?') {
			last[depth]++;
		} else {
			if (*c == '[')
				c = behind_set(c) - 1;
			c += *c == '\\' && c[1];
			last[depth] = 1;
			before = 0;
		}
		parts[depth] += last[depth] - before;
		if (parts[depth] > PARTS_MAX)
			return "its repetitions make it too long";
	}
	return NULL;
}

static enum tp_status take_one(struct tp_program_reads *reads, const char *wish,
			       struct tp_diag *diag)
{
	size_t len = tp_identifier_length(wish);
	char shown[80], why[160];
	tp_shown(shown, sizeof(shown), wish, strlen(wish));
	if (!len || len >= TP_PROGRAM_NAME_BYTES || wish[len] != '=')
		return tp_fail(diag, TP_USAGE, NULL, form, "\"%s\" is not a NAME=PATTERN", shown);
	if (reads->n == TP_PROGRAM_READS_MAX)
		return tp_fail(diag, TP_USAGE, NULL, NULL, "more than %d numbers",
			       TP_PROGRAM_READS_MAX);
	char *name = reads->items[reads->n].name;
	memcpy(name, wish, len);
	name[len] = '\0';
	if (tp_program_reads_find(reads, name) >= 0)
		return tp_fail(diag, TP_USAGE, NULL, NULL, "two numbers have the name \"%s\"",
			       name);
	regex_t *pattern = &reads->items[reads->n].pattern;
	const char *costly = too_costly(wish + len + 1);
	if (costly)
		return tp_fail(diag, TP_USAGE, NULL, "write a simpler pattern",
			       "\"%s\" is too costly: %s", shown, costly);
	int wrong = regcomp(pattern, wish + len + 1, REG_EXTENDED | REG_NEWLINE);
	if (wrong) {
		regerror(wrong, pattern, why, sizeof(why));
		return tp_fail(diag, TP_USAGE, NULL, form, "\"%s\" is not a regular expression: %s",
			       shown, why);
	}
	reads->n++; /* released with the others from here */
	if (pattern->re_nsub == 0)
		return tp_fail(diag, TP_USAGE, NULL, form,
			       "the pattern of \"%s\" has no group in parentheses", shown);
	return TP_OK;
}

enum tp_status tp_program_reads_make(struct tp_program_reads *reads, const struct tp_value *wishes,
				     struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	*reads = (struct tp_program_reads){ 0 };
	for (size_t i = 0; i < wishes->n && status == TP_OK; i++)
		status = take_one(reads, wishes->items[i].text, diag);
	return status;
}

void tp_program_reads_release(struct tp_program_reads *reads)
{
	for (size_t i = 0; i < reads->n; i++)
		regfree(&reads->items[i].pattern);
	*reads = (struct tp_program_reads){ 0 };
}

int tp_program_reads_find(const struct tp_program_reads *reads, const char *name)
{
	for (size_t i = 0; i < reads->n; i++)
		if (strcmp(reads->items[i].name, name) == 0)
			return (int)i;
	return -1;
}

static enum tp_status take_number(const char *name, const char *text, size_t len, double *value,
				  struct tp_diag *diag)
{
	char number[48], shown[48];
	tp_trim(&text, &len);
	tp_shown(shown, sizeof(shown), text, len);
	if (len < sizeof(number)) {
		memcpy(number, text, len);
		number[len] = '\0';
		if (tp_parse_double(number, value))
			return TP_OK;
	}
	return tp_fail(diag, TP_NOTFOUND, name, "put the group around only the digits",
		       "\"%s\" is not a number, and %s is to be one", shown, name);
}

enum tp_status tp_program_reads_take(const struct tp_program_reads *reads, const char *output,
				     double *values, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < reads->n && status == TP_OK; i++) {
		const char *name = reads->items[i].name;
		regmatch_t match[2];
		if (regexec(&reads->items[i].pattern, output, 2, match, 0) != 0 ||
		    match[1].rm_so < 0)
			return tp_fail(diag, TP_NOTFOUND, name,
				       "look at the output of the program, and at program.read",
				       "the pattern of %s does not match the output", name);
		status = take_number(name, output + match[1].rm_so,
				     (size_t)(match[1].rm_eo - match[1].rm_so), &values[i], diag);
	}
	return status;
}
