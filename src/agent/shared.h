/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tprof shares with the agents in a program's processes: a file in memory (memfd)
 * that tprof makes, and whose path (/proc/<pid>/fd/<n>) an agent finds in TPROF_AGENT. Processes
 * that cannot open it share similar files in a folder that TPROF_AGENT names.
 *
 * A file begins with the data of all processes; then come places, one for the counts of each
 * process. A process that executes another program ends one place and begins the next, so a place
 * belongs to one image of one process. tprof adds up the places of processes that have ended, and
 * frees them.
 *
 * An agent maps its place at once, so that no count is lost, whatever the program does to its
 * descriptors and however it dies. Everything is sparse: pages that are not touched take no memory.
 *
 * The program is not trusted: it may write here. Readers check every index and every text.
 */
#ifndef TPROF_AGENT_SHARED_H
#define TPROF_AGENT_SHARED_H

#include <stddef.h>

#include "mix/mix.h"

/* "PATH#NUMBER" or "PATH#NUMBER FOLDER". The number is a random one: another host may have the same
 * path. */
#define TP_AGENT_ENVIRONMENT "TPROF_AGENT"
/* Open MPI sends what this variable lists to other hosts. */
#define TP_AGENT_SENT	      "OMPI_MCA_mca_base_env_list=LD_PRELOAD;" TP_AGENT_ENVIRONMENT
#define TP_AGENT_MACHINE_FILE "/proc/sys/kernel/random/boot_id"
#define TP_AGENT_MAGIC	      0x544e454741505254ull
enum {
	TP_AGENT_VERSION = 5,
	TP_AGENT_PROCESSES = 1024, /* at the same time; a place is freed when its process ends */
	TP_AGENT_THREADS =
		256, /* of a process, at the same time; a slot is freed when its thread ends */
	TP_AGENT_REGIONS = 128, /* region 0 is everything outside other regions */
	TP_AGENT_COUNTERS = 1 << 18, /* of a thread */
	TP_AGENT_NAME = 128,
	TP_AGENT_PATH = 256,
	TP_AGENT_FILE_PATH = 4096 + TP_AGENT_PATH,
	TP_AGENT_MACHINE = 37, /* the content of TP_AGENT_MACHINE_FILE, and a 0 */
	TP_AGENT_PROCESSES_LINK = 32,
	TP_AGENT_LAUNCHERS = 3, /* TP_AGENT_LAUNCHER_LIST */
	TP_AGENT_MODULES = 512,
	TP_AGENT_LEVELS = 5, /* 1..3 caches, 4 memory; [0] is not used */
	TP_AGENT_CALLS = 512, /* system calls by their number; higher ones are left out */
	TP_AGENT_EVENTS = 65536, /* entries and exits of regions that are kept with their times */
};

/*
 * X(rank, ranks, job): the variables in which an MPI launcher passes the rank of a process, the
 * number of ranks, and the job. Everything that tprof starts inherits those of tprof's own job, so
 * these are ignored.
 */
#define TP_AGENT_LAUNCHER_LIST(X)                                                                  \
	X("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE")                        \
	X("PMI_RANK", "PMI_SIZE", "PMI_FD")                                                        \
	X("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID")

/*
 * In function_found: it cannot be timed while the program runs natively; `words` gives the reason.
 */
#define TP_AGENT_NOT_TIMED (1u << 31)

enum tp_agent_mode {
	TP_AGENT_COUNT, /* instrument and count */
	TP_AGENT_TIME, /* run natively; regions are timed */
	TP_AGENT_TRACE, /* count, and feed sampled addresses to the model of the caches */
};

enum tp_agent_state {
	TP_AGENT_ABSENT, /* the place was taken, and nothing has run yet */
	TP_AGENT_RUNNING,
	TP_AGENT_DETACHED, /* it gave up, and the program went on natively; `words` gives the reason
			    */
	TP_AGENT_ENDED, /* the process called exit_group */
};

/* The counts of one region on one thread. */
struct tp_agent_sum {
	uint64_t mix[TP_MIX_N];
	uint64_t entries, exits;
	/*
	 * A nested region counts and is timed separately: while it is open, the clock of the outer
	 * one stands still. CLOCK_MONOTONIC.
	 */
	uint64_t time_ns;
	uint64_t level_bytes[TP_AGENT_LEVELS]; /* that came from there, in whole lines: sampled */
	uint64_t accesses; /* that were looked at for writers of the same line */
	uint64_t contested; /* of these: another thread wrote that line at about the same time */
	uint64_t entered_ns; /* since when its clock runs; 0 = it stands still */
	uint64_t open; /* entries that have not ended */
};

/* A system call, by its number. */
struct tp_agent_call {
	uint64_t n, time_ns;
};

/* One counter: what one count of it stands for. */
struct tp_agent_unit {
	uint32_t add[TP_MIX_N];
	uint32_t bytes; /* of code, from pc on */
	uint64_t pc; /* where the block begins; 0 = not in use */
};

struct tp_agent_thread {
	uint32_t tid; /* of the thread that has it now, or had it last; 0 = never used */
	uint32_t region; /* that counts now */
	uint32_t n_counters;
	uint32_t lock; /* while counts are settled */
	uint32_t runs; /* threads that used it, one after the other */
	uint32_t unused;
	uint64_t untold; /* entries and exits beyond TP_AGENT_EVENTS */
	struct tp_agent_sum sums[TP_AGENT_REGIONS];
	struct tp_agent_call calls[TP_AGENT_CALLS];
	/*
	 * counts[i] grows with each execution of block i. Up to settled[i] it is in `sums`; the
	 * rest belongs to `region`.
	 */
	uint64_t counts[TP_AGENT_COUNTERS];
	uint64_t settled[TP_AGENT_COUNTERS];
	struct tp_agent_unit units[TP_AGENT_COUNTERS];
};

struct tp_agent_module {
	uint64_t start, end; /* of its executable mapping */
	uint64_t file_offset; /* of start */
	char path[TP_AGENT_PATH];
};

struct tp_agent_cache { /* of level i + 1; bytes 0 = no such level */
	uint64_t bytes;
	uint32_t ways, line_bytes;
	uint32_t shared; /* 0 = one for each thread; else one for all */
	uint32_t unused;
};

/* An outermost entry into a region, or the exit from it; in mode TIME alone. */
struct tp_agent_event {
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0 = it was never written to its end */
	uint16_t thread, region;
	uint32_t is_end;
};

#define TP_AGENT_OTHER_NUMBER (1u << 31)

/* A program that a process has executed, and into which no agent has been loaded so far. */
struct tp_agent_execution {
	/* 0 = free; with TP_AGENT_OTHER_NUMBER, if its number is not the one that tprof sees */
	uint32_t pid;
	uint64_t user_ns, system_ns; /* on CPUs, of earlier images of this process */
	char path[TP_AGENT_PATH];
};

/* The beginning of the file. */
struct tp_agent_tree {
	/* --- from tprof, before the program starts --- */
	uint64_t magic;
	uint32_t version, bytes_of_mix; /* sizeof(mix) in the program that made it */
	uint32_t mode; /* enum tp_agent_mode */
	uint32_t n_functions; /* --region function=NAME; region i + 1 */
	uint32_t sample_shift; /* trace: one line in 2^shift is followed */
	uint32_t unused;
	struct tp_agent_cache caches[3];
	/* Test aid: the agent gives up after this many blocks; 0 = never. */
	uint64_t detach_after;
	char functions[TP_AGENT_REGIONS][TP_AGENT_NAME];
	/* For images that are executed: the agent's object, and the value of TPROF_AGENT. */
	char agent_path[4096], file_path[TP_AGENT_FILE_PATH];
	/* The MPI job that tprof itself belongs to, by launcher; "" = none. */
	char jobs[TP_AGENT_LAUNCHERS][TP_AGENT_NAME];
	/*
	 * The processes that use this file: their machine, and what /proc/self/ns/pid links to.
	 * Where both are equal, process ids mean the same.
	 */
	char machine[TP_AGENT_MACHINE], processes[TP_AGENT_PROCESSES_LINK];

	/* --- from the agents --- */
	/*
	 * 0 in tprof's own file. Otherwise tprof reads this one after the program has ended, and
	 * frees no place before; TP_AGENT_OTHER_MACHINE: it belongs to another machine than
	 * tprof's.
	 */
	uint32_t elsewhere;
	int64_t clock_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC on that machine; set in files for
			     other processes */
	uint32_t taken[TP_AGENT_PROCESSES]; /* the process that has place i; 0 = it is free */
	/*
	 * Processes that ran uncounted: their place could not be mapped (ulimit -v), no place was
	 * left, or they use the memory of another one.
	 */
	uint32_t refused, lost, unfollowed;
	struct tp_agent_execution executed[TP_AGENT_PROCESSES];
};

/* The bytes that tprof fills in. */
#define TP_AGENT_TREE_GIVEN offsetof(struct tp_agent_tree, elsewhere)

enum { TP_AGENT_OTHER_MACHINE = 2 };

/* The counts of one image of one process. */
struct tp_agent_shared {
	uint32_t pid, unused_3; /* pid 0 = its process id is not valid in this file's namespace */
	uint32_t mode, n_functions; /* these four as in the tree */
	uint32_t sample_shift;
	uint32_t state; /* enum tp_agent_state */
	struct tp_agent_cache caches[3];
	uint64_t detach_after;
	uint32_t rank, ranks; /* of an MPI job; ranks 0 = of none */
	uint32_t n_regions; /* names in use, with region 0 */
	uint16_t forked, executes; /* it began as a copy of its parent; it became another image */
	char regions[TP_AGENT_REGIONS][TP_AGENT_NAME];
	uint32_t function_found[TP_AGENT_REGIONS]; /* 0 = no such symbol yet */
	char words[512]; /* why it gave up; "" */
	uint32_t n_threads; /* slots in use */
	uint32_t lost_threads; /* that ran without being counted: no slot was left */
	uint32_t flushes; /* code that changed, or a full cache */
	uint32_t unbalanced; /* ends without a begin, on that thread */
	uint32_t unended; /* begins without an end when their thread ended */
	uint32_t lost_regions; /* names beyond TP_AGENT_REGIONS; they count in region 0 */
	uint64_t started_ns, ended_ns; /* CLOCK_MONOTONIC; 0 = it was killed */
	uint64_t user_ns, system_ns; /* on CPUs up to ended_ns */
	uint64_t user_before_ns,
		system_before_ns; /* of earlier images; they are in the times above */
	/* When MPI_Init returned; in functions of MPI since then, of the thread that spent most
	 * time there. */
	uint64_t mpi_ready_ns, mpi_ns;
	uint64_t blocks, bytes_of_code; /* made in total */
	char program[TP_AGENT_PATH]; /* its file */
	uint32_t n_modules, unused;
	struct tp_agent_module modules[TP_AGENT_MODULES];
	/* Total count; the first of them are stored, the others are dropped. */
	uint32_t n_events, unused_2;
	struct tp_agent_event events[TP_AGENT_EVENTS];
	struct tp_agent_thread threads[TP_AGENT_THREADS];
} __attribute__((aligned(4096)));

/* Where place i lies in the file, and how large the file is. */
#define TP_AGENT_PLACE_AT(i)                                                                       \
	((sizeof(struct tp_agent_tree) + 4095) / 4096 * 4096 +                                     \
	 (uint64_t)(i) * sizeof(struct tp_agent_shared))
#define TP_AGENT_FILE_BYTES TP_AGENT_PLACE_AT(TP_AGENT_PROCESSES)

#endif
