/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/memory.h"
#include "record/point.h"

static const char *const units[] = {
	"bytes",     "GB/s",	    "ns",	    "us",
	"ms",	     "s",	    "GHz",	    "GFLOP/s",
	"FLOP/byte", "FLOP/cycle",  "bytes/cycle",  "cycles",
	"%",	     "times",	    "instructions", "instructions/cycle",
	"loads",     "stores",	    "lines",	    "lines/cycle",
	"misses",    "pages",	    "threads",	    "cores",
	"elements",  "repetitions", "windows",	    "GLUP/s",
};

const char *tp_lesson_unit(size_t i)
{
	return i < TP_COUNT_OF(units) ? units[i] : NULL;
}

const char *tp_lesson_unit_find(const char *text)
{
	if (!*text)
		return "";
	for (size_t i = 0; i < TP_COUNT_OF(units); i++)
		if (strcmp(units[i], text) == 0)
			return units[i];
	return NULL;
}

/* Three digits; whole numbers whole, very large ones in words. */
static void format_number(char *out, size_t size, double value)
{
	double magnitude = fabs(value);
	if (!isfinite(value))
		snprintf(out, size, "?");
	else if (magnitude >= 1e15 || (magnitude < 1e-3 && magnitude > 0))
		snprintf(out, size, "%.2e", value);
	else if (magnitude >= 999.5e6)
		snprintf(out, size, "%.*f billion", magnitude < 99.95e9 ? 1 : 0, value / 1e9);
	else if (magnitude >= 999.5e3)
		snprintf(out, size, "%.*f million", magnitude < 99.95e6 ? 1 : 0, value / 1e6);
	else if (magnitude >= 99.95 || value == floor(value))
		snprintf(out, size, "%.0f", value);
	else
		snprintf(out, size, "%.3g", value);
}

const char *tp_lesson_format(char *out, size_t size, double value, const char *unit)
{
	char text[64];
	if (strcmp(unit, "bytes") == 0 && value >= 0 && value < 9e15)
		return tp_format_bytes(out, size, (uint64_t)(value + 0.5));
	if (strcmp(unit, "s") == 0 && value >= 0)
		return tp_format_seconds(out, size, value);
	format_number(text, sizeof(text), value);
	/* "1 thread" */
	size_t len = strlen(unit);
	bool one = strcmp(text, "1") == 0 && len > 4 && unit[len - 1] == 's' && !strchr(unit, '/');
	snprintf(out, size, "%s%s%.*s", text, *unit ? " " : "", (int)(len - one), unit);
	return out;
}

/* --- typed answers --- */

/* Other names for a unit, and how many of it they are. The first rows of a unit are shown as hints.
 */
static const struct {
	const char *unit, *name;
	double times;
} names[] = {
	{ "GB/s", "MB/s", 1e-3 },
	{ "GB/s", "TB/s", 1e3 },
	{ "GB/s", "B/s", 1e-9 },
	{ "ns", "us", 1e3 },
	{ "ns", "ms", 1e6 },
	{ "ns", "s", 1e9 },
	{ "ns", "\xc2\xb5s", 1e3 },
	{ "us", "ns", 1e-3 },
	{ "us", "ms", 1e3 },
	{ "us", "s", 1e6 },
	{ "us", "\xc2\xb5s", 1 },
	{ "ms", "us", 1e-3 },
	{ "ms", "s", 1e3 },
	{ "ms", "ns", 1e-6 },
	{ "s", "ms", 1e-3 },
	{ "s", "us", 1e-6 },
	{ "s", "\xc2\xb5s", 1e-6 },
	{ "s", "ns", 1e-9 },
	{ "s", "min", 60 },
	{ "s", "h", 3600 },
	{ "GHz", "MHz", 1e-3 },
	{ "GFLOP/s", "MFLOP/s", 1e-3 },
	{ "GFLOP/s", "TFLOP/s", 1e3 },
	{ "GFLOP/s", "GFLOPS", 1 },
	{ "GFLOP/s", "TFLOPS", 1e3 },
	{ "GFLOP/s", "GFLOPs/s", 1 },
	{ "FLOP/byte", "FLOP/B", 1 },
	{ "FLOP/byte", "FLOPs/byte", 1 },
	{ "bytes/cycle", "B/cycle", 1 },
	{ "bytes/cycle", "byte/cycle", 1 },
	{ "FLOP/cycle", "FLOPs/cycle", 1 },
	{ "%", "percent", 1 },
	{ "times", "x", 1 },
	{ "times", "time", 1 },
	{ "bytes", "byte", 1 },
	{ "bytes", "B", 1 },
};

/* How many of the unit one `name` is; 0 = it is not a unit of that kind. */
static double times_of(const char *unit, const char *name)
{
	size_t len = strlen(unit);
	if (!*name || strcasecmp(name, unit) == 0)
		return 1;
	if (len > 2 && unit[len - 1] == 's' && strlen(name) == len - 1 &&
	    strncasecmp(name, unit, len - 1) == 0)
		return 1;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		if (strcmp(names[i].unit, unit) == 0 && strcasecmp(names[i].name, name) == 0)
			return names[i].times;
	return 0;
}

static enum tp_status refuse_number(const char *typed, const char *unit, const char *what,
				    struct tp_diag *diag)
{
	char shown[64], hint[160];
	const char *other = NULL;
	for (size_t i = 0; i < TP_COUNT_OF(names) && !other; i++)
		if (strcmp(names[i].unit, unit) == 0)
			other = names[i].name;
	if (strcmp(unit, "bytes") == 0)
		snprintf(hint, sizeof(hint), "a size such as 512, 32 KiB or 1.5 MiB");
	else if (!*unit)
		snprintf(hint, sizeof(hint), "a number such as 30, 0.25 or 1/8");
	else
		snprintf(hint, sizeof(hint), "a number such as 30 or 0.25, in %s%s%s", unit,
			 other ? " or with a unit such as " : "", other ? other : "");
	return tp_fail(diag, TP_USAGE, NULL, hint, "\"%s\" %s",
		       tp_shown(shown, sizeof(shown), typed, strlen(typed)), what);
}

/* Digits as strtod takes them, but no hexadecimal, nan and infinity. */
static bool take_digits(const char **at, double *value)
{
	char *end;
	const char *sign = *at + (**at == '-' || **at == '+');
	if (!isdigit((unsigned char)*sign) && (*sign != '.' || !isdigit((unsigned char)sign[1])))
		return false;
	if (sign[0] == '0' && tolower((unsigned char)sign[1]) == 'x')
		return false;
	*value = strtod(*at, &end);
	*at = end;
	return isfinite(*value);
}

enum tp_status tp_lesson_number(const char *text, const char *unit, double *value,
				struct tp_diag *diag)
{
	char typed[96];
	const char *start = text, *at;
	size_t len = strlen(text);
	double per, number;
	uint64_t bytes;
	tp_trim(&start, &len);
	if (len == 0)
		return refuse_number("", unit, "is not a number", diag);
	if (len >= sizeof(typed))
		return refuse_number(text, unit, "is too long", diag);
	typed[0] = '\0';
	strncat(typed, start, len);
	at = typed;
	if (strcmp(unit, "bytes") == 0 && tp_parse_bytes(typed, &bytes)) {
		*value = (double)bytes;
		return TP_OK;
	}
	if (!take_digits(&at, &number))
		return refuse_number(typed, unit, "is not a number", diag);
	if (*at == ',' && isdigit((unsigned char)at[1]))
		return refuse_number(typed, unit, "has a comma: write 1.5 with a point", diag);
	at += strspn(at, " ");
	if (*at == '/') { /* an intensity of 1/8 */
		at += 1 + strspn(at + 1, " ");
		if (!take_digits(&at, &per) || per == 0)
			return refuse_number(typed, unit, "is not a fraction", diag);
		number /= per;
		at += strspn(at, " ");
	}
	double times = times_of(unit, at);
	if (times == 0)
		return refuse_number(typed, unit, "has another unit", diag);
	*value = number * times;
	return isfinite(*value) ? TP_OK : refuse_number(typed, unit, "is too large", diag);
}

static const char points[] = "points";

/* True if an experiment of the preset has this row of the schema. */
static bool is_of(const struct tp_preset *preset, const struct tp_schema_row *row)
{
	if (!preset || !preset->n_runs)
		return true;
	for (size_t i = 0; i < preset->n_runs; i++)
		if (strcmp(tp_config_text(&preset->runs[i], TP_OPT_EXPERIMENT),
			   row->points.experiment) == 0)
			return true;
	return false;
}

static bool has_part(const struct tp_preset *preset, const struct tp_part *part)
{
	for (size_t i = 0; i < tp_schema()->n; i++)
		for (size_t k = 0; k < tp_schema()->rows[i]->n_parts; k++)
			if (tp_schema()->rows[i]->parts[k] == part &&
			    is_of(preset, tp_schema()->rows[i]))
				return true;
	return false;
}

static const struct tp_part *next_part(const struct tp_preset *preset, const struct tp_part *part)
{
	do
		part = tp_part_next(part);
	while (part && (!part->table || !part->table->name || !has_part(preset, part)));
	return part;
}

const char *tp_lesson_table_name(const struct tp_preset *preset, size_t i)
{
	const struct tp_part *part = NULL;
	if (i == 0)
		return points;
	while (i-- && (part = next_part(preset, part)))
		;
	return part ? part->table->name : NULL;
}

bool tp_lesson_table_find(const struct tp_preset *preset, const char *name,
			  struct tp_lesson_table *table)
{
	*table = (struct tp_lesson_table){ .name = points };
	if (strcmp(name, points) == 0)
		return true;
	const struct tp_part *part = NULL;
	while ((part = next_part(preset, part)) && strcmp(part->table->name, name) != 0)
		;
	if (part)
		*table = (struct tp_lesson_table){ part->table->name, part };
	return part != NULL;
}

/* The tables whose columns a row has, one after another: NULL after the last. */
static const struct tp_table *table_at(const struct tp_preset *preset,
				       const struct tp_lesson_table *table, size_t i)
{
	if (table->part)
		return i == 0 ? table->part->table : NULL;
	if (i == 0)
		return &tp_point_table;
	for (size_t k = 0; k < tp_schema()->n; k++)
		if (tp_schema()->rows[k]->points.table && is_of(preset, tp_schema()->rows[k]) &&
		    --i == 0)
			return tp_schema()->rows[k]->points.table;
	return NULL;
}

const struct tp_column *tp_lesson_column(const struct tp_preset *preset,
					 const struct tp_lesson_table *table, const char *name)
{
	const struct tp_table *t;
	for (size_t i = 0; (t = table_at(preset, table, i)); i++) {
		const struct tp_column *column = tp_column_find(t, name);
		/* A phrase is text for readers, which expressions cannot use. */
		if (column && column->type != TP_COLUMN_PHRASE)
			return column;
	}
	return NULL;
}

const char *tp_lesson_column_name(const struct tp_preset *preset,
				  const struct tp_lesson_table *table, size_t i)
{
	const struct tp_table *t;
	for (size_t k = 0; (t = table_at(preset, table, k)); k++)
		for (; t; t = t->base) {
			if (i < t->n)
				return t->columns[i].name;
			i -= t->n;
		}
	return NULL;
}

/* Columns without a unit have it in their names. */
static const struct {
	const char *ending, *unit;
} endings[] = {
	{ "bytes_per_cycle", "bytes/cycle" },
	{ "flop_per_cycle", "FLOP/cycle" },
	{ "flop_per_byte", "FLOP/byte" },
	{ "_gbps", "GB/s" },
	{ "_gflops", "GFLOP/s" },
	{ "_ghz", "GHz" },
	{ "_ns", "ns" },
	{ "_bytes", "bytes" },
	{ "_cycles", "cycles" },
	{ "seconds", "s" },
};

const char *tp_lesson_column_unit(const struct tp_column *column)
{
	size_t len = strlen(column->name);
	if (!tp_column_is_number(column))
		return "";
	if (column->unit && strcmp(column->unit, "B") == 0)
		return "bytes";
	if (column->unit && strcmp(column->unit, "FLOP/B") == 0)
		return "FLOP/byte";
	const char *unit = column->unit ? tp_lesson_unit_find(column->unit) : NULL;
	for (size_t i = 0; i < TP_COUNT_OF(endings) && !unit; i++) {
		size_t n = strlen(endings[i].ending);
		if (len >= n && strcmp(column->name + len - n, endings[i].ending) == 0)
			unit = endings[i].unit;
	}
	return unit ? unit : "";
}

static const struct tp_lesson_fact facts[] = {
	{ "cpu", "machine.cpu", "", true },
	{ "arch", "machine.arch", "", true },
	{ "vendor", "machine.vendor", "", true },
	{ "hypervisor", "machine.hypervisor", "", true },
	{ "model", "machine.model", "", true },
	{ "thp", "machine.thp", "", true },
	{ "governor", "machine.governor", "", true },
	{ "turbo", "machine.turbo", "", false },
	{ "packages", "machine.packages", "", false },
	{ "cores", "machine.cores", "", false },
	{ "numa_nodes", "machine.numa_nodes", "", false },
	{ "cpus", "machine.cpus", "", false },
	{ "cpus_allowed", "machine.cpus_allowed", "", false },
	{ "threads", "machine.cpus_allowed", "", false },
	{ "memory_bytes", "machine.memory_bytes", "bytes", false },
	{ "available_bytes", "machine.available_bytes", "bytes", false },
	{ "page_bytes", "machine.page_bytes", "bytes", false },
	{ "huge_page_bytes", "machine.huge_page_bytes", "bytes", false },
	{ "l1_bytes", "machine.cache.L1.size_bytes", "bytes", false },
	{ "l2_bytes", "machine.cache.L2.size_bytes", "bytes", false },
	{ "l3_bytes", "machine.cache.L3.size_bytes", "bytes", false },
	{ "line_bytes", "machine.cache.L1.line_bytes", "bytes", false },
	{ "virtual", NULL, "", false },
	{ "vector_bytes", NULL, "bytes", false },
};

const struct tp_lesson_fact *tp_lesson_fact(size_t i)
{
	return i < TP_COUNT_OF(facts) ? &facts[i] : NULL;
}

static const char *const measured[] = {
	[TP_MEASURED_POINTS] = "points", [TP_MEASURED_GOOD] = "good",
	[TP_MEASURED_FAIR] = "fair",	 [TP_MEASURED_POOR] = "poor",
	[TP_MEASURED_NOISY] = "noisy",	 [TP_MEASURED_SIMULATED] = "simulated",
};

static const char *const answered[] = {
	[TP_ANSWERED_GIVEN] = "given",
	[TP_ANSWERED_TRUTH] = "truth",
	[TP_ANSWERED_FACTOR] = "factor",
	[TP_ANSWERED_RIGHT] = "right",
};

static bool is_name(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && memcmp(name, text, len) == 0;
}

/* The nearest of some names to a part of a name that is none. */
struct guess {
	const char **names;
	size_t n, cap;
};

static void add_guess(struct guess *guess, const char *name)
{
	if (!name || !*name)
		return;
	TP_RESERVE(guess->names, guess->cap, guess->n + 1);
	guess->names[guess->n++] = name;
}

static bool end_guess(struct guess *guess, bool member, const char *text, size_t len,
		      struct tp_lesson_no_name *why)
{
	char typed[TP_NAME_MAX];
	if (why) {
		typed[0] = '\0';
		strncat(typed, text, TP_MIN(len, sizeof(typed) - 1));
		const char *near = tp_nearest(typed, guess->names, guess->n);
		why->member = member;
		tp_copy(why->nearest, sizeof(why->nearest), near ? near : "");
	}
	free(guess->names);
	return false;
}

static bool word_member(const char *const *words, size_t n, const char *text, size_t len,
			struct tp_lesson_name *name, struct tp_lesson_no_name *why)
{
	struct guess guess = { 0 };
	for (size_t i = 0; i < n; i++)
		if (is_name(words[i], text, len)) {
			name->index = i;
			return true;
		}
	for (size_t i = 0; i < n && why; i++)
		add_guess(&guess, words[i]);
	return end_guess(&guess, true, text, len, why);
}

static bool column_member(const struct tp_lesson *lesson, const char *text, size_t len,
			  struct tp_lesson_name *name, struct tp_lesson_no_name *why)
{
	const struct tp_lesson_step *step = &lesson->steps[name->step];
	struct tp_lesson_table table;
	struct guess guess = { 0 };
	char column[TP_NAME_MAX];
	if (is_name("found", text, len))
		return true;
	column[0] = '\0';
	strncat(column, text, TP_MIN(len, sizeof(column) - 1));
	/* A result whose table does not exist has been complained about. */
	if (!tp_lesson_table_find(step->preset, step->results[name->index].table, &table))
		return true;
	name->column = len < sizeof(column) ? tp_lesson_column(step->preset, &table, column) : NULL;
	if (name->column)
		return true;
	const char *other = "found";
	for (size_t i = 0; other && why; i++) {
		add_guess(&guess, other);
		other = tp_lesson_column_name(step->preset, &table, i);
	}
	return end_guess(&guess, true, text, len, why);
}

bool tp_lesson_name_find(const struct tp_lesson *lesson, const char *text, size_t len,
			 struct tp_lesson_name *name, struct tp_lesson_no_name *why)
{
	const char *dot = memchr(text, '.', len);
	size_t head = dot ? (size_t)(dot - text) : len;
	const char *member = dot ? dot + 1 : "";
	size_t member_len = dot ? len - head - 1 : 0;
	*name = (struct tp_lesson_name){ .kind = TP_NAME_VALUE };
	for (; name->index < lesson->n_values && !dot; name->index++)
		if (is_name(lesson->values[name->index].name, text, len))
			return true;
	if (is_name("machine", text, head)) {
		const char *words[TP_COUNT_OF(facts)];

		for (size_t i = 0; i < TP_COUNT_OF(facts); i++)
			words[i] = facts[i].name;
		name->kind = TP_NAME_MACHINE;
		return word_member(words, TP_COUNT_OF(facts), member, member_len, name, why);
	}
	for (name->step = 0; name->step < lesson->n_steps; name->step++) {
		const struct tp_lesson_step *step = &lesson->steps[name->step];
		if (is_name(step->name, text, head) && step->question) {
			name->kind = TP_NAME_QUESTION;
			return word_member(answered, TP_COUNT_OF(answered), member, member_len,
					   name, why);
		}
		if (is_name(step->name, text, head)) {
			name->kind = TP_NAME_STEP;
			return word_member(measured, TP_COUNT_OF(measured), member, member_len,
					   name, why);
		}
		name->kind = TP_NAME_RESULT;
		for (name->index = 0; name->index < step->n_results; name->index++)
			if (is_name(step->results[name->index].name, text, head))
				return column_member(lesson, member, member_len, name, why);
	}
	struct guess guess = { 0 };
	for (size_t i = 0; i < lesson->n_values && why; i++)
		add_guess(&guess, lesson->values[i].name);
	for (size_t i = 0; i < lesson->n_steps && why; i++) {
		add_guess(&guess, lesson->steps[i].name);
		for (size_t k = 0; k < lesson->steps[i].n_results; k++)
			add_guess(&guess, lesson->steps[i].results[k].name);
	}
	if (why)
		add_guess(&guess, "machine");
	return end_guess(&guess, false, text, head, why);
}

const char *tp_lesson_name_unit(const struct tp_lesson *lesson, const struct tp_lesson_name *name)
{
	const struct tp_question *question;
	switch (name->kind) {
	case TP_NAME_VALUE:
		return lesson->values[name->index].unit;
	case TP_NAME_RESULT:
		return name->column ? tp_lesson_column_unit(name->column) : "";
	case TP_NAME_QUESTION:
		question = lesson->steps[name->step].question;
		return question->kind == TP_ASK_NUMBER && name->index <= TP_ANSWERED_TRUTH
			       ? question->unit
			       : "";
	case TP_NAME_MACHINE:
		return facts[name->index].unit;
	case TP_NAME_STEP:
		break;
	}
	return "";
}

bool tp_lesson_name_is_word(const struct tp_lesson_name *name)
{
	return (name->kind == TP_NAME_RESULT && name->column &&
		!tp_column_is_number(name->column) && name->column->type != TP_COLUMN_BOOL) ||
	       (name->kind == TP_NAME_MACHINE && facts[name->index].word);
}
