/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --asm: instructions on the command line are a run of the experiment asm. */
#include "cli/cli.h"

#include <stdlib.h>

int tp_cli_asm(const struct tp_cli *cli)
{
	struct tp_cli own = *cli;
	struct tp_str body = { 0 };
	const char **sets = calloc(cli->overrides.n + 2, sizeof(*sets));
	int code = TP_EXIT_RESOURCE;
	tp_str_add(&body, "asm.body=");
	for (size_t i = 0; i < cli->values.n; i++)
		tp_str_printf(&body, "%s%s", i ? "; " : "", cli->values.items[i]);
	if (!sets || body.oom) {
		tp_cli_usage(NULL, "out of memory");
		goto out;
	}
	sets[0] = "experiment=asm";
	sets[1] = tp_str_text(&body);
	for (size_t i = 0; i < cli->overrides.n; i++)
		sets[i + 2] = cli->overrides.sets[i];
	own.overrides = (struct tp_overrides){ sets, cli->overrides.n + 2 };
	own.values = (struct tp_values){ 0 };
	/* Whoever types instructions wants to see what they take. */
	if (own.report == TP_AUTO && !own.json && !own.csv && !own.events)
		own.report = TP_ALWAYS;
	code = tp_cli_batch(&own);
out:
	free(sets);
	tp_str_release(&body);
	return code;
}
