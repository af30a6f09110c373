/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/functions.h"
#include "app/app.h"
#include "base/text.h"

#include <string.h>

static enum tp_status no_memory(struct tp_plan_context *context, const struct tp_option *option,
				struct tp_diags *diags)
{
	return tp_planner_refuse(context, diags, TP_NOMEM, option, NULL, "out of memory");
}

enum tp_status tp_planner_functions(struct tp_plan_context *context, const struct tp_option *option,
				    struct tp_arena *arena, char ***functions,
				    struct tp_diags *diags)
{
	static const char prefix[] = "function=";
	const struct tp_value *regions = tp_config_value(context->config, option);
	char **names = tp_arena_alloc(arena, (regions->n + 1) * sizeof(*names));
	*functions = names;
	if (!names)
		return no_memory(context, option, diags);
	for (size_t i = 0; i < regions->n; i++) {
		const char *text = regions->items[i].text;
		const char *name = text + sizeof(prefix) - 1;
		char shown[80];
		if (strncmp(text, prefix, sizeof(prefix) - 1) != 0 || !*name)
			return tp_planner_refuse(
				context, diags, TP_USAGE, option,
				"--region function=NAME; regions that the source marks by "
				"tprof_roi.h need no option",
				"\"%s\" is no region",
				tp_shown(shown, sizeof(shown), text, strlen(text)));
		if (strlen(name) >= TP_APP_NAME)
			return tp_planner_refuse(context, diags, TP_USAGE, option,
						 "names of fewer than 128 bytes",
						 "the name of a function is too long");
		names[i] = tp_arena_strdup(arena, name);
		if (!names[i])
			return no_memory(context, option, diags);
	}
	names[regions->n] = NULL;
	return TP_OK;
}
