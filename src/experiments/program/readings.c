/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/program/readings.h"
#include "base/expression.h"
#include "base/text.h"
#include "base/units.h"

#include <string.h>

static const char form[] = "write NAME=PATTERN with one group around the number, such as "
			   "rate=([0-9.]+) MB/s";

static enum tp_status take_one(struct tp_program_reads *reads, const char *wish,
			       struct tp_diag *diag)
{
	size_t len = tp_identifier_length(wish);
	char shown[80], why[160];
	tp_shown(shown, sizeof(shown), wish, strlen(wish));
	if (!len || len >= TP_PROGRAM_NAME_BYTES || wish[len] != '=')
		return tp_fail(diag, TP_USAGE, NULL, form, "\"%s\" is no NAME=PATTERN", shown);
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
	int wrong = regcomp(pattern, wish + len + 1, REG_EXTENDED | REG_NEWLINE);
	if (wrong) {
		regerror(wrong, pattern, why, sizeof(why));
		return tp_fail(diag, TP_USAGE, NULL, form, "\"%s\" is no regular expression: %s",
			       shown, why);
	}
	reads->n++; /* released from now on */
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
	return tp_fail(diag, TP_NOTFOUND, name, "put the group around the digits alone",
		       "\"%s\" is no number, and %s is to be one", shown, name);
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
				       "the output has nothing that the pattern of %s matches",
				       name);
		status = take_number(name, output + match[1].rm_so,
				     (size_t)(match[1].rm_eo - match[1].rm_so), &values[i], diag);
	}
	return status;
}
