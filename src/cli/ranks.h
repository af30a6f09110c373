/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --ranks: several processes measure a preset at the same time. Private to this room. */
#ifndef TPROF_CLI_RANKS_H
#define TPROF_CLI_RANKS_H

#include "cli/cli.h"

/*
 * Meets the other ranks, keeps to this one's share of the CPUs, and calls `measure` with what the
 * command line means for this rank. Returns its exit code, or that of a complaint.
 */
int tp_cli_among_ranks(const struct tp_cli *cli, int (*measure)(const struct tp_cli *cli),
		       tp_ranks_goes_on *goes_on);

/*
 * This rank has measured `run`. Rank 0 waits for the others, tells the sums of all, and writes them
 * to ranks.csv in `directory`.
 */
void tp_cli_ranks_end(const struct tp_cli *cli, const struct tp_run *run, const char *directory,
		      tp_ranks_goes_on *goes_on);

#endif
