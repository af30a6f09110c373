/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/counters/cat_file.h"
#include "experiments/counters/readings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts are 64-bit integers in PAPI; what is beyond comes from an overflow. */
#define COUNT_MAX 9223372036854775808.0

bool tp_cat_next(struct tp_cat_file *file)
{
	while (file->at < file->end) {
		const char *stop = memchr(file->at, '\n', (size_t)(file->end - file->at));
		size_t n = (size_t)((stop ? stop : file->end) - file->at);
		const char *line = file->at;

		file->at = stop ? stop + 1 : file->end;
		file->line++;
		if (n && line[n - 1] == '\r')
			n--;
		if (n >= sizeof(file->text)) {
			tp_cat_note(file, file->line, NULL, "a line of %zu bytes is left out", n);
			continue;
		}
		memcpy(file->text, line, n);
		file->text[n] = '\0';
		if (strlen(file->text) < n)
			tp_cat_note(file, file->line, "is this a text file?",
				    "the line holds a zero byte and is left out");
		else if (file->text[strspn(file->text, " \t")])
			return true;
	}
	return false;
}

static void add_note(struct tp_cat_file *file, unsigned line, const char *hint, const char *fmt,
		     va_list args)
{
	struct tp_diag diag = { .what = "" };
	char what[sizeof(diag.what)], where[sizeof(diag.where)];

	if (line)
		snprintf(where, sizeof(where), "%.150s:%u", file->name, line);
	else
		snprintf(where, sizeof(where), "%.150s", file->name);
	vsnprintf(what, sizeof(what), fmt, args);
	tp_fail(&diag, TP_USAGE, where, hint, "%s", what);
	tp_diags_add(&file->cat->notes, &diag);
}

void tp_cat_note(struct tp_cat_file *file, unsigned line, const char *hint, const char *fmt, ...)
{
	va_list args;

	file->cat->n_errors++;
	va_start(args, fmt);
	add_note(file, line, hint, fmt, args);
	va_end(args);
}

void tp_cat_note_once(struct tp_cat_file *file, unsigned what, const char *hint, const char *fmt,
		      ...)
{
	va_list args;

	if (file->cat->told & what)
		return;
	file->cat->told |= what;
	va_start(args, fmt);
	add_note(file, 0, hint, fmt, args);
	va_end(args);
}

size_t tp_cat_numbers(struct tp_cat_file *file, double *numbers, size_t max)
{
	size_t n = 0;

	for (char *p = file->text + strspn(file->text, " \t"); *p; p += strspn(p, " \t")) {
		char *end;
		double value = strtod(p, &end);

		if (end == p || (*end && *end != ' ' && *end != '\t')) {
			tp_cat_note(file, file->line, NULL, "\"%.40s\" is no number", p);
			return SIZE_MAX;
		}
		if (n == max) {
			tp_cat_note(file, file->line, NULL, "more than %zu numbers in a line", max);
			return SIZE_MAX;
		}
		numbers[n++] = value;
		p = end;
	}
	return n;
}

bool tp_cat_count(struct tp_cat_file *file, double count)
{
	static const char hint[] = "the reading is left out; the event lacks this row";

	if (isnan(count))
		tp_cat_note(file, file->line, hint, "the count is no number (NaN)");
	else if (count < 0)
		tp_cat_note(file, file->line, hint,
			    "the count %g is negative: PAPI could not count, or the counter was "
			    "corrupted",
			    count);
	else if (!(count < COUNT_MAX))
		tp_cat_note(file, file->line, hint,
			    "the count %g is beyond 2^63: the counter overflowed", count);
	else
		return true;
	return false;
}

enum tp_status tp_cat_add(struct tp_cat_file *file, const char *family, size_t row, double count,
			  double iterations, struct tp_diag *diag)
{
	/* "-0.00" is what rounding leaves of a count of nothing. */
	const struct tp_reading reading = {
		family, file->event, row, file->cat->repetition, count == 0 ? 0 : count, iterations
	};
	enum tp_status status = tp_readings_add(&file->cat->readings, &reading, diag);

	if (status == TP_OK)
		file->n_kept++;
	return status;
}
