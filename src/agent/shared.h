/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the agent inside of a program and tprof outside share: a file in memory (memfd) that tprof
 * makes and lays out, and whose path (/proc/<pid>/fd/<n>) the agent finds in TPROF_AGENT. The agent
 * maps it at once, so that nothing the program does to its descriptors, nor how it dies, loses a
 * count. Everything in it is sparse: pages that nobody touches take no memory.
 *
 * The program is not trusted: it may write here. Who reads checks every index and every text.
 */
#ifndef TPROF_AGENT_SHARED_H
#define TPROF_AGENT_SHARED_H

#include "mix/mix.h"

#define TP_AGENT_ENVIRONMENT "TPROF_AGENT" /* the path of the shared file */
#define TP_AGENT_MAGIC	     0x544e454741505254ull
enum {
	TP_AGENT_VERSION = 3,
	TP_AGENT_THREADS = 256, /* at the same time; what ends makes room */
	TP_AGENT_REGIONS = 128, /* region 0 is all that is in no other region */
	TP_AGENT_COUNTERS = 1 << 18, /* of a thread */
	TP_AGENT_NAME = 128,
	TP_AGENT_MODULES = 512,
	TP_AGENT_LEVELS = 5, /* 1..3 caches, 4 memory; [0] is not used */
	TP_AGENT_EVENTS = 65536, /* entries and exits of regions that are kept with their times */
};

/* In function_found: it cannot be timed while the program runs natively; `words` say why. */
#define TP_AGENT_NOT_TIMED (1u << 31)

enum tp_agent_mode {
	TP_AGENT_COUNT, /* instrument and count */
	TP_AGENT_TIME, /* run natively; regions are timed */
	TP_AGENT_TRACE, /* count, and feed sampled addresses to the model of the caches */
};

enum tp_agent_state {
	TP_AGENT_ABSENT, /* the agent was never loaded: a static program, or one with privileges */
	TP_AGENT_RUNNING,
	TP_AGENT_DETACHED, /* it gave up, and the program went on by itself; `words` says why */
	TP_AGENT_ENDED, /* the program called exit_group */
	TP_AGENT_REFUSED, /* this file could not be mapped: a limit on addresses (ulimit -v) */
};

/* What one region of one thread did. */
struct tp_agent_sum {
	uint64_t mix[TP_MIX_N];
	uint64_t entries, exits;
	/*
	 * A region inside of another counts and is timed for itself alone: while it is open, the
	 * clock of the outer one stands. CLOCK_MONOTONIC.
	 */
	uint64_t time_ns;
	uint64_t level_bytes[TP_AGENT_LEVELS]; /* that came from there, of whole lines: sampled */
	uint64_t entered_ns; /* since when its clock runs; 0 = it stands */
	uint64_t open; /* entries that have not ended */
};

/* One counter: what happens each time it counts one. */
struct tp_agent_unit {
	uint32_t add[TP_MIX_N];
	uint32_t bytes; /* of code, from pc on */
	uint64_t pc; /* where the block begins; 0 = not in use */
};

struct tp_agent_thread {
	uint32_t tid; /* of the thread that has it now, or had it last; 0 = nobody ever */
	uint32_t region; /* that counts now */
	uint32_t n_counters;
	uint32_t lock; /* while counts are settled */
	uint32_t runs; /* threads that had it, one after the other */
	uint32_t unused;
	uint64_t untold; /* entries and exits beyond TP_AGENT_EVENTS */
	struct tp_agent_sum sums[TP_AGENT_REGIONS];
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
	char path[256];
};

struct tp_agent_cache { /* of level i + 1; bytes 0 = there is none */
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

struct tp_agent_shared {
	/* --- from tprof, before the program starts --- */
	uint64_t magic;
	uint32_t version, bytes_of_mix; /* sizeof(mix) of who made it */
	uint32_t
		pid; /* that is instrumented; written by the child before it executes the program */
	uint32_t mode; /* enum tp_agent_mode */
	uint32_t n_functions; /* --region function=NAME; region i + 1 */
	uint32_t sample_shift; /* trace: one line in 2^shift is followed */
	struct tp_agent_cache caches[3];
	/* Test aid: the agent gives up after this many blocks; 0 = never. */
	uint64_t detach_after;

	/* --- from the agent --- */
	uint32_t state; /* enum tp_agent_state */
	uint32_t n_regions; /* names in use, with region 0 */
	char regions[TP_AGENT_REGIONS][TP_AGENT_NAME];
	uint32_t function_found[TP_AGENT_REGIONS]; /* 0 = no such symbol yet */
	char words[512]; /* why it gave up; "" */
	uint32_t n_threads; /* slots in use */
	uint32_t lost_threads; /* that ran without being counted: no slot was left */
	uint32_t forks, executions; /* children that ran uncounted; images the process replaced */
	uint32_t flushes; /* code that changed, or a full cache */
	uint32_t unbalanced; /* ends without a begin, on that thread */
	uint32_t unended; /* begins without an end when their thread ended */
	uint32_t lost_regions; /* names beyond TP_AGENT_REGIONS; they count in region 0 */
	uint64_t started_ns, ended_ns;
	uint64_t blocks, bytes_of_code; /* made in all */
	/* For images that the process replaces itself by. */
	char agent_path[256]; /* of the agent's own object */
	char file_path[256]; /* of this file: what TPROF_AGENT said */
	uint32_t n_modules, unused;
	struct tp_agent_module modules[TP_AGENT_MODULES];
	/* How many there are; the first of them have room, the others are left out. */
	uint32_t n_events, unused_2;
	struct tp_agent_event events[TP_AGENT_EVENTS];
	struct tp_agent_thread threads[TP_AGENT_THREADS];
};

#endif
