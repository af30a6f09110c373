/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulated machine: it runs teams in virtual time, without threads, memory or machine code. A
 * whole roofline takes milliseconds, and a seed gives the same readings every time. So rules about
 * samples can be tried on other machines, and against a known truth.
 *
 * The truth comes from a machine description (machine/machine.h). Rates of L1 and of FP units come
 * from the ports of its model. Other figures (latencies, rates of L2, L3 and memory) come from one
 * table in simulated/truth.c, with a row for each model. A pass over W bytes costs
 *
 *     seconds = W * sum over levels i of f_i / rate_i,    f_i = H_i - H_(i-1)
 *
 * where H_i is the share of W that level i and those nearer to the core hold. With x = W / C_i:
 *
 *     walks     H = 1 / (1 + x^p)             a cliff, as of LRU: p = 12 private, 8 shared
 *     chases    H = (1 + x^8)^(-1.5 / 8)      gentle: random loads find what is left
 *
 * so rates and latencies change over about an octave around the capacity C_i. A regime can make the
 * last level smaller than the machine reports, and its edge a slope. A chase adds its TLB misses.
 * Kernels that mix arithmetic and memory take the longer of both times, rounded off at the ridge.
 * Several threads share L3 and memory; rates of both have a limit for all together.
 *
 * A regime defines the disturbances. Its processes are seeded, and constant between events; work is
 * integrated from event to event on every CPU, so a short window really fits between two pauses.
 */
#ifndef TPROF_MEASURE_SIMULATION_H
#define TPROF_MEASURE_SIMULATION_H

#include "kernels/assembly.h"
#include "kernels/kernel.h"
#include "machine/machine.h"
#include "measure/team.h"

/* Times at which a CPU stands still. All lengths lie between least and most. */
struct tp_regime_pauses {
	double per_second; /* on each CPU; 0 = none */
	double least_seconds, mean_seconds, most_seconds;
	/* the kernel of the machine took the CPU away: a context switch is counted */
	bool switches;
};

/* Work on the other hardware thread of each core. Times on and off are exponential. */
struct tp_regime_neighbour {
	double share; /* of the issue slots, while it is on; 0 = none */
	double on_seconds, off_seconds; /* means; off 0 = always on */
	double caches; /* share of L1 and L2 that it takes, while it is on */
};

enum { TP_REGIME_STATES = 4, TP_REGIME_KINDS = 2 };

struct tp_regime {
	const char *name, *summary;
	struct tp_regime_pauses pauses[TP_REGIME_KINDS];
	struct tp_regime_neighbour neighbours[TP_REGIME_KINDS];
	/* Clock states of all cores: factors of the model's clock, equally likely; 0 ends. */
	struct {
		double factors[TP_REGIME_STATES], seconds; /* mean stay in a state */
	} turbo;
	/* Wide vectors lower the clock of their core, until so long after the last of them. */
	struct {
		double factor_256, factor_512, hold_seconds; /* factor 0 = 1 */
	} licence;
	/* The clock falls by this share and comes back, once a period. */
	struct {
		double depth, period_seconds;
	} drift;
	/* First touch of memory, per GiB: that the host never gave before, and that it did. */
	struct {
		double cold_seconds, warm_seconds; /* in addition to the time of writing it */
		/* share of the pages that are only fetched when a window comes to them */
		double late_share;
	} page_in;
	/* CPUs 2 k and 2 k + 1, by their order in the machine, sit on one core. */
	struct {
		double on_seconds, off_seconds; /* means; on 0 = never, off 0 = always */
	} shared_cores;
	struct {
		double step_seconds; /* of the clock; 0 = a cycle counter */
		double jitter_seconds; /* of a reading: standard deviation */
	} clock;
	/*
	 * A chase beyond L2 right after building: faster by this factor, fading over this many
	 * laps.
	 */
	struct {
		double factor, laps;
	} warm_chase;
	/* Others that use L3 and memory: their share varies from stay to stay. */
	struct {
		double share, spread; /* of the rate: mean, and largest difference from it */
		double latency; /* relative, added to a load's time there at mean share */
		double seconds; /* mean stay */
	} memory;
	struct {
		double share; /* that one gets of what the machine reports; 0 = all */
		double least, seconds; /* it moves from there to share: mean stay; 0 = it stays */
		double slope; /* exponent of its edge instead of 8; 0 = 8 */
	} last_level;
};

extern const struct tp_regime tp_regime_table[];
extern const size_t tp_regime_count;
const struct tp_regime *tp_regime_find(const char *name); /* NULL if there is none */

struct tp_simulation;

/*
 * `machine` and `regime` are borrowed for the life of the simulation. Capacities are the reported
 * ones (or the model's), regardless of measured or given ones.
 */
struct tp_simulation *tp_simulation_new(const struct tp_machine *machine,
					const struct tp_regime *regime, uint64_t seed);
void tp_simulation_free(struct tp_simulation *simulation);

double tp_simulation_now(const struct tp_simulation *simulation); /* seconds since it began */
/* Of virtual time. Only its hz, overhead and resolution are of use: it cannot be read. */
const struct tp_clock *tp_simulation_clock(const struct tp_simulation *simulation);
const struct tp_machine *tp_simulation_machine(const struct tp_simulation *simulation);

/*
 * A team like tp_team_new's: tp_team_free, windows, buffers and all the rest work on it, but it has
 * no buffers (tp_team_data gives NULL) and its code is empty. tp_window_work.described describes
 * the work of a window. Several teams may follow each other; two must not run in turn.
 */
enum tp_status tp_simulated_team_new(struct tp_team **team, struct tp_simulation *simulation,
				     const unsigned *cpus, unsigned n, struct tp_diag *diag);
/* Least share of a cache for each thread of such a team; for a missing level, the previous one's */
double tp_simulated_share_bytes(const struct tp_team *team, int level);

/* --- the truth: of the machine when nothing disturbs it --- */

/*
 * Cycles that the busiest kind of port needs for the instructions, by the rates of the model; what
 * neither calculates with floating point nor accesses memory counts as an integer addition. And
 * cycles[n] from the operands of each to its result: of floating point as the table says, where a
 * division also waits for the divider; of a load from L1; 1 of all others. 0 and a message if the
 * model lacks an instruction.
 */
double tp_simulation_port_cycles(const struct tp_simulation *simulation,
				 const struct tp_asm_effect *effects, size_t n, double *cycles,
				 struct tp_diag *diag);

/*
 * Rate of a team of this many threads, placed compactly: GFLOP/s of FP and mixed kernels, GB/s of
 * memory kernels, with the best body; loads per ns of one thread of a chase. `pages`: as requested.
 * The capacity of the last level is a thread's real share, and the clock is the mean of its states.
 */
double tp_simulation_true_rate(const struct tp_simulation *simulation,
			       const struct tp_kernel *kernel, unsigned threads,
			       enum tp_pages pages);
/* As tp_simulation_true_rate with the kernel's own body at that place. */
double tp_simulation_body_rate(const struct tp_simulation *simulation,
			       const struct tp_kernel *kernel, size_t placement_bytes,
			       unsigned threads, enum tp_pages pages);
double tp_simulation_true_latency_ns(const struct tp_simulation *simulation, uint64_t bytes,
				     enum tp_pages pages);
/* Of a kernel of operands so wide (licences); 0 = scalar. */
double tp_simulation_true_ghz(const struct tp_simulation *simulation, unsigned vector_bytes);
/* A thread's part of a level; 0 = no such level. */
uint64_t tp_simulation_true_capacity_bytes(const struct tp_simulation *simulation, int level);

/* What happened on all CPUs inside windows since the simulation began. */
struct tp_simulation_tally {
	double window_seconds; /* between begin and end, over all threads */
	double paused_seconds, neighbour_seconds, shared_seconds; /* parts of it */
	/*
	 * The clock, times the seconds that were not paused. A stepping or drifting clock is not a
	 * disturbance: a point should show the truth at the clock of its windows.
	 */
	double ghz_seconds;
	uint64_t pauses, switches, faults, windows;
};
const struct tp_simulation_tally *tp_simulation_tally(const struct tp_simulation *simulation);

#endif
