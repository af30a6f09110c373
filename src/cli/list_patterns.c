/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --list patterns. */
#include "cli/list.h"
#include "pattern/pattern.h"

#include <stdlib.h>

/* Its parameters with the values that they have where nobody says others. */
static void parameters_text(const struct tp_pattern *p, struct tp_str *out)
{
	for (size_t i = 0; i < p->n_parameters; i++) {
		const struct tp_pattern_parameter *parameter = &p->parameters[i];
		tp_str_printf(out, "%s%s=%lld", i ? " " : "", parameter->name,
			      (long long)parameter->values[0]);
		if (parameter->n > 1)
			tp_str_printf(out, "..%lld",
				      (long long)parameter->values[parameter->n - 1]);
	}
}

enum tp_status tp_list_patterns(struct tp_list_sink *s, struct tp_diag *diag)
{
	struct tp_named_file *files = NULL;
	size_t n = 0;
	enum tp_status status = tp_pattern_list(&files, &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		struct tp_pattern *pattern = calloc(1, sizeof(*pattern));
		struct tp_arena arena = { 0 };
		struct tp_str parameters = { 0 };
		struct tp_diags errors = { 0 };
		tp_list_name(s, files[i].name);
		if (!s->only_names && pattern &&
		    tp_pattern_load(pattern, &arena, files[i].name, &errors) == TP_OK)
			parameters_text(pattern, &parameters);
		else if (!s->only_names)
			tp_str_add(&parameters, "cannot be read; --dry-run says why");
		tp_list_text(s, "summary", files[i].title);
		tp_list_text(s, "parameters", tp_str_text(&parameters));
		tp_str_release(&parameters);
		tp_diags_release(&errors);
		tp_arena_release(&arena);
		free(pattern);
	}
	if (status == TP_OK && !n)
		tp_str_add(&s->remarks, "There are no patterns.\n");
	else
		tp_str_add(&s->remarks, "With one of them: tprof --batch pattern-triad --set "
					"pattern=NAME\n");
	free(files);
	return status;
}
