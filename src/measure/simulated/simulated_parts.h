/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/measure/simulated: truth, disturbances and time of a simulated machine. */
#ifndef TPROF_MEASURE_SIMULATED_PARTS_H
#define TPROF_MEASURE_SIMULATED_PARTS_H

#include "measure/team_parts.h"
#include "measure/simulation.h"

/* --- figures that are not in models --- */

struct tp_figures {
	const char *model; /* the longest row that the model's name begins with; "" = any */
	double ghz; /* of one busy core */
	double issue_width; /* independent additions a cycle */
	double l1_cycles, l2_cycles, l3_ns, memory_ns; /* of a load in a chase */
	double l2_bytes_per_cycle, l3_gbps, memory_gbps; /* that one core loads */
	double l3_scale, memory_scale; /* all cores of an instance or package, in units of one */
	unsigned tlb1_entries, tlb2_entries;
	double tlb2_cycles, walk_ns; /* of a miss of the first, and of both */
	double add_cycles, mul_cycles, fma_cycles; /* from an operand to the result */
};

/* --- truth --- */

/* How many share each resource with a thread, itself included. */
struct tp_simulated_place {
	unsigned on_core, on_l1, on_l2, on_l3, on_package;
};

/* A thread's work, as the truth needs it. */
struct tp_simulated_work {
	const struct tp_kernel *kernel;
	const struct tp_window_pass *pass; /* NULL: as the kernel */
	uint64_t walk_bytes; /* that it comes through before it is where it was */
	size_t placement_bytes;
	bool best_body, huge_pages, cold;
	bool flushed; /* cold, and what is stored has not left the caches when a window ends */
	const struct tp_chase *chase; /* of a chase, or NULL: at random through all of walk_bytes */
	struct tp_simulated_place place;
	/* shares of the limits of L3 and memory used by streams during a chase */
	double l3_load, memory_load;
	double core_caches; /* share of L1 and L2 that a neighbour leaves; 0 = all */
	double last_share; /* of the last level, where its capacity moves; 0 = all */
};

/* Time of a pass on one core, by what it waits for. */
struct tp_demand {
	double slot_cycles; /* issue slots and ports: what a neighbour takes */
	double chain_cycles; /* one after the other: a neighbour hardly matters */
	double l3_seconds, memory_seconds;
	bool dependent; /* a chase: others add to its latency, not to its rate */
};

struct tp_truth {
	const struct tp_machine *machine;
	struct tp_figures own_figures;
	const struct tp_figures *figures; /* own_figures */
	double capacity_bytes[TP_CACHE_LEVELS]; /* of one instance; 0 = none */
	unsigned sharing_cores[TP_CACHE_LEVELS];
	double last_slope;
	double memory_gbps; /* of a package */
	double clock_factor; /* mean of the regime's states */
};
void tp_truth_init(struct tp_truth *truth, const struct tp_machine *machine,
		   const struct tp_regime *regime);
/* Capacity of a level that a thread gets at its place. */
double tp_truth_capacity(const struct tp_truth *truth, int level,
			 const struct tp_simulated_work *work);
void tp_truth_demand(const struct tp_truth *truth, const struct tp_simulated_work *work,
		     struct tp_demand *demand);
void tp_truth_chase(const struct tp_truth *truth, const struct tp_simulated_work *work,
		    struct tp_demand *demand);
/* Time of a pass with nothing disturbed. */
double tp_truth_seconds(const struct tp_demand *demand, double ghz);
/* Places of `n` threads on CPUs by their OS numbers. */
void tp_truth_places(const struct tp_machine *machine, const unsigned *cpus, unsigned n,
		     struct tp_simulated_place *places);

/* --- disturbances --- */

/* Something that is on and off in turn; times are drawn when they come. */
struct tp_simulated_process {
	uint64_t random;
	double until; /* of what it is now */
	unsigned state;
};

/* What holds on a CPU until the next event. */
struct tp_conditions {
	double until;
	bool paused, switches;
	double clock_factor; /* without licences */
	double neighbour; /* share of the slots taken */
	bool shared; /* its pair sits on the same core now */
	double memory_share, memory_latency; /* rate left of L3 and memory, and factor of latency */
};

struct tp_simulated_cpu {
	struct tp_simulated_process pauses[TP_REGIME_KINDS], neighbours[TP_REGIME_KINDS];
	struct tp_simulated_process turbo, memory, shared, last;
	struct tp_conditions now;
	double licence_until[2]; /* of vectors of 32 and of 64 bytes */
	uint64_t noise; /* random state of what is not a process */
	double at; /* its own time */
};

/* CPUs 2 k and 2 k + 1 are a pair. */
void tp_disturb_init(uint64_t seed, unsigned cpu, struct tp_simulated_cpu *c);

/* --- time --- */

struct tp_simulation {
	struct tp_truth truth;
	const struct tp_regime *regime;
	uint64_t seed;
	struct tp_clock clock;
	double now;
	double host_bytes; /* memory that the host gave at some time */
	struct tp_simulated_cpu *cpus; /* one for each PU of the machine */
	struct tp_simulation_tally tally;
};

/* What happened to a CPU while it worked. */
struct tp_lived {
	unsigned pauses, switches;
	double paused_seconds, neighbour_seconds, shared_seconds, ghz_seconds;
};

struct tp_stint {
	const struct tp_demand *demand;
	const struct tp_demand
		*beside; /* while a neighbour takes caches as well; NULL = as in demand */
	double passes;
	double until; /* no longer than to that moment; 0 = however long it takes */
	unsigned vector_bytes;
	bool busy_pair; /* the other CPU of its pair runs too */
};
/* Lets a CPU work; returns the passes that it did. */
double tp_live(struct tp_simulation *s, struct tp_simulated_cpu *c, const struct tp_stint *stint,
	       struct tp_lived *lived);
/* The clock's reading at c->at. */
void tp_simulated_clock(struct tp_simulation *s);
bool tp_simulated_huge_pages(const struct tp_machine *machine, enum tp_pages pages);
/* Touching memory that is new to the host, and memory that it has seen. */
double tp_simulated_touch_seconds(const struct tp_simulation *s, double fresh_bytes,
				  double known_bytes);

struct tp_simulated_member {
	unsigned pu; /* index into the simulation's CPUs */
	bool busy_pair; /* the other CPU of its pair is in the team too */
	struct tp_chase chase; /* that the buffer holds; 0 bytes: numbers only */
	double chased_loads; /* since it was built */
	double cold_loads; /* that still miss, since it was evicted */
	bool evicted;
	double late_from; /* bytes of the buffer from here on have not been walked yet */
	double walk_bytes, walked_bytes; /* length of the last walk, and how far it has come */
};

struct tp_simulated_team {
	struct tp_team base;
	struct tp_simulation *s;
	struct tp_simulated_member *members;
	struct tp_lived *lived; /* of each thread, in the last window */
	struct tp_simulated_place *places; /* of each thread while all run */
	size_t buffer_bytes; /* touched */
	enum tp_pages pages;
	bool huge_pages;
};

static inline struct tp_simulated_cpu *tp_simulated_cpu_of(const struct tp_simulated_team *t,
							   unsigned i)
{
	return &t->s->cpus[t->members[i].pu];
}

void tp_simulated_window(struct tp_team *team, const struct tp_window_work *work);

#endif
