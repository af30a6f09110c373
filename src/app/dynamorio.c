/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DynamoRIO has the machinery, but none of the tools that come with it tells what is needed here:
 * its basic_counts gives instructions, loads and stores, its opcode_mix gives names of opcodes, and
 * vaddpd is one name for 2, 4 and 8 lanes. The row stands here to say so.
 */
#include "app/sources.h"
#include "base/command.h"

static enum tp_status supported(const char *path, const struct tp_app_formulas *formulas,
				struct tp_diag *diag)
{
	char found[TP_PATH_MAX];
	(void)path;
	(void)formulas;
	return tp_fail(diag, TP_UNSUPPORTED, "dynamorio",
		       "--app-source agent and qemu count them; sde does, too, where Intel SDE is "
		       "installed",
		       "no tool that comes with DynamoRIO counts bytes and lanes of vectors "
		       "(opcode_mix counts names of opcodes alone)%s",
		       tp_program_find("drrun", found) ? "; drrun is installed here" : "");
}

static enum tp_status count(const struct tp_app_command *command, struct tp_app_counts *counts,
			    struct tp_diag *diag)
{
	(void)command;
	*counts = (struct tp_app_counts){ 0 };
	return supported(NULL, NULL, diag);
}

const struct tp_app_source tp_app_dynamorio = {
	.name = "dynamorio",
	.summary = "DynamoRIO: its own tools count no bytes and no widths, so it cannot be used",
	.supported = supported,
	.count = count,
};
