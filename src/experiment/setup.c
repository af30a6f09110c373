/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/experiment.h"

enum tp_status tp_machine_for_config(struct tp_machine *machine, const struct tp_cpu *cpu,
				     const struct tp_config *config, struct tp_diag *diag)
{
	const uint64_t given[TP_CACHE_LEVELS] = {
		0,
		tp_config_count(config, TP_OPT_CACHE_L1),
		tp_config_count(config, TP_OPT_CACHE_L2),
		tp_config_count(config, TP_OPT_CACHE_L3),
	};
	return tp_machine_init(machine, cpu, tp_config_text(config, TP_OPT_TOPOLOGY),
			       tp_config_text(config, TP_OPT_MACHINE), given, diag);
}
