/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --profile: a program on the command line is a run of the experiment profile. */
#include "cli/wrap.h"
#include "experiments/profile/row.h"

static int judge(const struct tp_run *run, int code)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_profile_row *row = tp_profile_row(&run->points[i]);
		if (row->signal || row->exit_status)
			return tp_cli_program_code(row->signal, row->exit_status, code);
	}
	return code;
}

int tp_cli_profile(const struct tp_cli *cli)
{
	return tp_cli_wrap(cli,
			   &(struct tp_cli_wrapped){ .experiment = "profile", .judge = judge });
}
