/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several processes that an MPI launcher, srun or a shell has started, each a rank, meet in a
 * directory that all of them see: they go through the points of a run in step, and load what they
 * share at the same time. There is no server, and no library of MPI: a rank says what it has come
 * to with a file of its own, written under another name and renamed.
 *
 *   hello-R         of rank R: a number that it has drawn, the number of ranks, its host, its CPUs
 *   roster          of rank 0: everybody's numbers, and the name of the launch made from them
 *   LAUNCH.joined.R         rank R has found its number in this roster
 *   LAUNCH.plan.R           what rank R is going to measure
 *   LAUNCH.POINT-STAGE.R    rank R has come to a stage of a point
 *   LAUNCH.left.R           rank R has ended; what it leaves behind stands in it
 *
 * Under a launcher that has PMIx, and where no directory is given, ranks meet through it instead: a
 * child of each rank, the relay, is its PMIx client (ranks_relay.c).
 *
 * Files of an earlier launch in the same directory mean nothing: they lack the numbers of this one.
 * Directories are read from their beginning each time, so that NFS looks at the server.
 */
#ifndef TPROF_BASE_RANKS_H
#define TPROF_BASE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/file.h"
#include "base/str.h"

/* Most ranks, bytes of a launch's name, and seconds that a rank waits for others. */
enum { TP_RANKS_MAX = 4096, TP_RANKS_LAUNCH_BYTES = 20, TP_RANKS_CPUS_BYTES = 512 };
#define TP_RANKS_SECONDS 60.0
/* The longest text that a rank leaves for the others. */
enum { TP_RANKS_LEFT_BYTES = 1 << 26 };

enum tp_ranks_stage {
	TP_RANKS_BEGIN, /* it is going to prepare the point */
	TP_RANKS_LOAD, /* it is prepared, and loads the machine from now on */
	TP_RANKS_END, /* it has what it needs, and goes on loading the machine */
	TP_RANKS_OUT, /* it does not measure this point, or has not finished it */
	TP_RANKS_STAGE_COUNT
};

struct tp_ranks {
	unsigned rank, size; /* size 0 = there are no ranks */
	char directory[TP_PATH_MAX]; /* where they meet; through PMIx the name of the relay */
	char launch[TP_RANKS_LAUNCH_BYTES]; /* "" = not joined yet */
	uint64_t nonce; /* what this process has drawn */
	double seconds; /* to wait for others */
	unsigned host_rank, host_size; /* among those with the same host and the same CPUs */
	unsigned on_host; /* of the same host, whatever their CPUs */
	bool left; /* it has said that it has ended */
	bool lost; /* the others did not come in time, or PMIx has failed */
	pid_t relay; /* the child that is the PMIx client; 0 = none, or that of another process */
	char *told; /* what the ranks have left, as the relay tells it; heap */
	unsigned long points[2]; /* the last ones that it came to, plus 1; 0 = none */
};

/* What a rank says of itself in hello-R. */
struct tp_ranks_hello {
	uint64_t nonce;
	unsigned size;
	char host[64]; /* of the boot: containers of one host have the same */
	char cpus[TP_RANKS_CPUS_BYTES]; /* that it may run on, "0-3,8" */
};
/* TP_USAGE: it is not whole, or not ours. */
enum tp_status tp_ranks_hello_parse(struct tp_ranks_hello *hello, const char *text,
				    struct tp_diag *diag);

/* "R/N": rank R of N, from 0. */
bool tp_ranks_parse(const char *text, unsigned *rank, unsigned *size);
/*
 * Rank and size as the launcher has told them (Open MPI, MVAPICH, PMI, Slurm), and a name of the
 * launch, "" where it tells none. TP_NOTFOUND: no launcher has started this process.
 */
enum tp_status tp_ranks_environment(struct tp_ranks *ranks, char *name, size_t size,
				    struct tp_diag *diag);

/* A launcher with PMIx has started this process, and its library is here. */
bool tp_pmix_is_here(void);

/* False ends a wait as cancelled; it may rest or work for some milliseconds. */
typedef bool tp_ranks_goes_on(void *context);

/*
 * Waits until every rank is here, and makes ranks->launch. `ranks` has rank, size, directory and
 * seconds; without a directory they meet through PMIx, which tells rank and size. TP_RESOURCE says
 * who is missing. Close in any case.
 */
enum tp_status tp_ranks_join(struct tp_ranks *ranks, tp_ranks_goes_on *goes_on, void *context,
			     struct tp_diag *diag);

/* What a rank is going to do, which all have to do alike. */
struct tp_ranks_plan {
	char version[32]; /* of the program, a word */
	uint64_t options; /* hash of what was asked for */
	uint64_t points; /* hash of what the points are */
	unsigned n_points;
};
/* TP_USAGE: it is not whole, or not ours. */
enum tp_status tp_ranks_plan_parse(struct tp_ranks_plan *plan, const char *text,
				   struct tp_diag *diag);
/*
 * Tells the others the plan, and waits until it has all of theirs. TP_USAGE says how the first one
 * that differs from that of rank 0 does. Else as tp_ranks_meet.
 */
enum tp_status tp_ranks_agree(struct tp_ranks *ranks, const struct tp_ranks_plan *plan,
			      tp_ranks_goes_on *goes_on, void *context, struct tp_diag *diag);

/* Says that this rank has come to a stage. TP_IO where the directory cannot be written. */
enum tp_status tp_ranks_say(struct tp_ranks *ranks, unsigned long point, enum tp_ranks_stage stage,
			    struct tp_diag *diag);
/*
 * Says it, and waits until all have said it; between looks it calls goes_on, which may keep the
 * machine loaded. TP_FAILED: another rank does not measure this point, or has ended. TP_RESOURCE
 * after ranks->seconds, with the missing rank.
 */
enum tp_status tp_ranks_meet(struct tp_ranks *ranks, unsigned long point, enum tp_ranks_stage stage,
			     tp_ranks_goes_on *goes_on, void *context, struct tp_diag *diag);

/* Says that this rank has ended, with a text for the others. Through PMIx it waits for them. */
enum tp_status tp_ranks_leave(struct tp_ranks *ranks, const char *text, tp_ranks_goes_on *goes_on,
			      void *context, struct tp_diag *diag);
/*
 * Waits until rank `rank` has left, and reads what it has left behind: heap memory that the caller
 * frees.
 */
enum tp_status tp_ranks_left(struct tp_ranks *ranks, unsigned rank, tp_ranks_goes_on *goes_on,
			     void *context, char **text, struct tp_diag *diag);
/* Removes what the launch has left in the directory, and the directory if nothing else is there. */
void tp_ranks_tidy(const struct tp_ranks *ranks);
/*
 * The end of what tp_ranks_join began. A launcher kills the other ranks when one ends with a
 * failure, so a rank that has left waits until the first one has tidied up.
 */
void tp_ranks_close(struct tp_ranks *ranks, tp_ranks_goes_on *goes_on, void *context);

/*
 * Where several ranks of a host may run on the same CPUs, this one keeps its share of them, whole
 * cores as far as that is possible. TP_RESOURCE: there are more ranks than CPUs.
 */
enum tp_status tp_ranks_take_share(const struct tp_ranks *ranks, struct tp_diag *diag);
/* The CPUs that this thread may run on, as "0-3,8". */
enum tp_status tp_ranks_cpus(char out[TP_RANKS_CPUS_BYTES], struct tp_diag *diag);

#endif
