/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cli.h"

int tp_cli_completion(const struct tp_cli *cli)
{
	(void)cli;
	return TP_EXIT_FAILED;
}
