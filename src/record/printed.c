/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/printed.h"
#include "base/units.h"

#include <stdio.h>

static const char *const names[TP_PRINTED_FILES] = { "output", "errors" };

enum { KEY_BYTES = 48 };

static const char *key_of(char out[KEY_BYTES], size_t stream, const char *what)
{
	snprintf(out, KEY_BYTES, "program.%s.%s", names[stream], what);
	return out;
}

static uint64_t number(const struct tp_run *run, size_t stream, const char *what)
{
	char key[KEY_BYTES];
	const struct tp_fact *fact = tp_run_fact(run, key_of(key, stream, what));
	/* No file of a run is that long. */
	return fact && fact->number > 0 && fact->number < 0x1p62 ? (uint64_t)fact->number : 0;
}

const char *tp_printed_file(size_t stream)
{
	static const char *const files[TP_PRINTED_FILES] = { "output.txt", "errors.txt" };
	return files[stream];
}

enum tp_status tp_run_printed_set(struct tp_run *run, size_t stream, uint64_t bytes, uint64_t cut)
{
	char key[KEY_BYTES];
	enum tp_status status =
		tp_run_fact_number(run, key_of(key, stream, "bytes"), (double)bytes);
	if (status == TP_OK && cut)
		status = tp_run_fact_number(run, key_of(key, stream, "cut_bytes"), (double)cut);
	return status;
}

uint64_t tp_run_printed_cut(const struct tp_run *run, size_t stream)
{
	return number(run, stream, "cut_bytes");
}

bool tp_run_printed_text(const struct tp_run *run, const char *directory, struct tp_str *out)
{
	const char *join = "What the program printed is in ";
	char bytes[32];
	bool any = false;
	for (size_t i = 0; i < TP_PRINTED_FILES; i++) {
		if (!number(run, i, "bytes"))
			continue;
		tp_str_printf(out, "%s%s", join, tp_printed_file(i));
		join = " and ";
		any = true;
	}
	if (!any)
		return false;
	tp_str_printf(out, " of %s", directory ? directory : "the run's directory");
	for (size_t i = 0; i < TP_PRINTED_FILES; i++)
		if (tp_run_printed_cut(run, i))
			tp_str_printf(
				out, "; the last %s of %s are cut off",
				tp_format_bytes(bytes, sizeof(bytes), tp_run_printed_cut(run, i)),
				tp_printed_file(i));
	tp_str_add(out, ".");
	return true;
}
