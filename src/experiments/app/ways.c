/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/str.h"
#include "base/memory.h"
#include "experiments/app/run.h"

#include <string.h>

static const struct tp_app_source *find(const struct tp_app_ways *ways, const char *name)
{
	for (size_t i = 0; i < ways->n; i++)
		if (strcmp(ways->sources[i]->name, name) == 0)
			return ways->sources[i];
	return NULL;
}

static enum tp_status no_source(const struct tp_app_ways *ways, const char *name,
				struct tp_diag *diag)
{
	const char *names[16];
	struct tp_str hint = { 0 };
	size_t n = 0;
	for (; n < ways->n && n < TP_COUNT_OF(names); n++)
		names[n] = ways->sources[n]->name;
	tp_str_add(&hint, n ? "this tprof has: " : "this tprof has none");
	tp_str_list(&hint, names, n, " and ");
	tp_fail(diag, TP_NOTFOUND, "app.source", tp_str_text(&hint),
		"this tprof was built without the way of counting \"%s\"", name);
	tp_str_release(&hint);
	return TP_NOTFOUND;
}

/* The first of `names` that works; the reason is that of the first one that is there. */
static enum tp_status first_of(const struct tp_app_ways *ways, const char *const *names, size_t n,
			       const char *program, const struct tp_app_formulas *formulas,
			       const struct tp_app_source **source, struct tp_diag *diag)
{
	enum tp_status status = TP_NOTFOUND;
	bool told = false;
	for (size_t i = 0; i < n; i++) {
		struct tp_diag why = { 0 };
		*source = find(ways, names[i]);
		if (!*source)
			continue;
		enum tp_status one = (*source)->supported(program, formulas, &why);
		if (one == TP_OK)
			return TP_OK;
		if (!told) {
			*diag = why;
			status = one;
		}
		told = true;
	}
	return told ? status : no_source(ways, names[0], diag);
}

enum tp_status tp_app_choose(const struct tp_app_ways *ways, const char *word, const char *program,
			     const struct tp_app_formulas *formulas,
			     const struct tp_app_source *chosen[TP_APP_CHOSEN_MAX], size_t *n,
			     struct tp_diag *diag)
{
	/* Whatever sees every instruction, then what the CPU counts. */
	static const char *const all[] = { "agent", "qemu", "pmu" };
	enum { INSTRUMENTS = TP_COUNT_OF(all) - 1 };
	const char *const counters = "pmu";
	enum tp_status status;
	*n = 0;
	if (strcmp(word, "auto") == 0)
		status = first_of(ways, all, TP_COUNT_OF(all), program, formulas, &chosen[0], diag);
	else if (strcmp(word, "instrument") == 0 || strcmp(word, "both") == 0)
		status = first_of(ways, all, INSTRUMENTS, program, formulas, &chosen[0], diag);
	else
		status = first_of(ways, &word, 1, program, formulas, &chosen[0], diag);
	*n = status == TP_OK;
	if (status == TP_OK && strcmp(word, "both") == 0) {
		status = first_of(ways, &counters, 1, program, formulas, &chosen[1], diag);
		*n += status == TP_OK;
	}
	return status;
}
