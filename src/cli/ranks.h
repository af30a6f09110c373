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

/* Ranks go on only where all are going to measure the same. Returns the exit code. */
int tp_cli_ranks_agree(const struct tp_cli *cli, const struct tp_session *session,
		       tp_ranks_goes_on *goes_on);

/*
 * This rank has measured `run`. Rank 0 waits for the others and writes the run of all, with the
 * values of each in ranks.csv; *run becomes that. Returns its directory, heap memory that the
 * caller frees; NULL where it cannot be made, for which words say why, and for other ranks, which
 * only tell what they have measured.
 */
char *tp_cli_ranks_end(const struct tp_cli *cli, const struct tp_session *session,
		       struct tp_run *run, tp_ranks_goes_on *goes_on);

/* What waits for other ranks, as a tp_ranks_goes_on; its context. */
struct tp_cli_among {
	tp_ranks_goes_on *goes_on;
};
bool tp_cli_rest(void *context);

/*
 * The run of all ranks (ranks_sum.c): begins as that of the first one, without its windows; the
 * others are added, each with the points that it has finished; `size` is the number of all. A point
 * that one of them lacks is skipped. Roofs and the like are to be made of it then.
 */
enum tp_status tp_ranks_sum_begin(struct tp_run *sum, const struct tp_run *first);
void tp_ranks_sum_add(struct tp_run *sum, unsigned rank, const struct tp_run *run);
void tp_ranks_sum_end(struct tp_run *sum, unsigned size);

#endif
