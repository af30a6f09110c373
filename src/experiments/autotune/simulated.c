/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Routines on a simulated machine. No library is called: the speed of a configuration is made up,
 * so the best one is known.
 *
 * TRIAD is the kernel of two loads and a store over its arrays. A product takes as long as its
 * multiply-adds in the widest vectors take, divided by
 *
 *     share = n / (n + EDGE t) * m / (m + EDGE) * k / (k + EDGE_K)     edges of the blocks
 *             * (1 - SLOW_LEADING) where a leading dimension (m, k) is a multiple of a page
 *             * (1 - FAR x / (1 + x)), x = bytes of the matrices / all L2
 *             * (1 - LUCK u^1.5)                                       unpredictable part
 *
 * on t threads, with u in [0, 1) drawn from the name of the library and the sizes. Each process is
 * slower or faster as a whole, by SPREAD. The regime of the machine adds its disturbances.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/tally.h"
#include "experiments/autotune/autotune.h"

#define EDGE	     6.0
#define EDGE_K	     4.0
#define SLOW_LEADING 0.06
#define FAR	     0.05
#define LUCK	     0.06
#define SPREAD	     0.002
/* As routines on real machines: a shorter reading is repeated. */
#define READING_SECONDS 200e-6

enum { PAGE_ELEMENTS = 512 };

static double draw(uint64_t state)
{
	tp_splitmix64(&state);
	return tp_random_uniform(&state);
}

static uint64_t hash_sizes(const struct tp_routine_config *c, uint64_t hash)
{
	for (int d = 0; d < TP_ROUTINE_DIMENSIONS; d++)
		hash = tp_hash_step(hash, c->size[d]);
	return hash;
}

static double share_of_peak(const struct tp_simulation *simulation,
			    const struct tp_routine_config *c)
{
	double l2 = (double)tp_simulation_true_capacity_bytes(simulation, 2) * c->n_cpus;
	double far = l2 > 0 ? (double)tp_routine_memory_bytes(c) / l2 : 0;
	double n = (double)c->size[0], m = (double)c->size[1], k = (double)c->size[2];
	bool slow = c->size[1] % PAGE_ELEMENTS == 0 || c->size[2] % PAGE_ELEMENTS == 0;
	uint64_t name = tp_hash_text(TP_HASH_START, c->library);

	return n / (n + EDGE * c->n_cpus) * m / (m + EDGE) * k / (k + EDGE_K) *
	       (slow ? 1 - SLOW_LEADING : 1) * (1 - FAR * far / (1 + far)) *
	       (1 - LUCK * pow(draw(hash_sizes(c, name)), 1.5));
}

void tp_made_up_make(const struct tp_simulation *simulation, const struct tp_routine_config *c,
		     struct tp_made_up *made)
{
	const struct tp_machine *machine = tp_simulation_machine(simulation);
	const char *isa = "";
	struct tp_kernel *k = &made->kernel;
	struct tp_kernel_counts counts;

	tp_autotune_per_cycle(machine, c->id, &isa);
	*k = (struct tp_kernel){ .kind = TP_KERNEL_FP,
				 .isa = tp_isa_find(isa) ? tp_isa_find(isa) : tp_isa_table[0],
				 .element_bytes = c->id == TP_ROUTINE_SGEMM ? 4 : 8,
				 .fp_op = TP_FP_FMA };
	if (c->id == TP_ROUTINE_TRIAD) {
		k->kind = TP_KERNEL_MEMORY;
		k->fp_op = TP_FP_NONE;
		k->loads = 2;
		k->stores = 1;
		k->working_set_bytes =
			(tp_routine_memory_bytes(c) / c->n_cpus / TP_CHASE_LINE_BYTES + 1) *
			TP_CHASE_LINE_BYTES;
	}
	tp_kernel_count(k, &machine->cpu, &counts);
	double work = tp_kernel_work(k, &counts) * c->n_cpus;
	double rate = tp_simulation_body_rate(simulation, k, 0, c->n_cpus, c->pages) * 1e9;

	made->passes = 1;
	made->call_seconds = work / rate;
	if (c->id == TP_ROUTINE_TRIAD)
		return;
	made->passes = tp_routine_flop(c) / work / share_of_peak(simulation, c);
	made->call_seconds *= made->passes;
}

double tp_made_up_slower(uint64_t seed, const struct tp_routine_config *c, unsigned invocation)
{
	uint64_t state = hash_sizes(c, tp_hash_step(seed, invocation));
	double z = 0;

	/* Sum of four even draws: nearly normal, and bounded. */
	for (uint64_t i = 0; i < 4; i++)
		z += draw(state + i) - 0.5;
	return 1 + SPREAD * z * sqrt(3);
}

void tp_made_up_run(struct tp_team *team, const struct tp_made_up *made, double slower,
		    double *seconds, double *width)
{
	double calls = ceil(fmax(1, READING_SECONDS / made->call_seconds));
	struct tp_window window;
	const struct tp_window_work work = {
		.described = &made->kernel,
		.passes = (uint64_t)fmax(1, round(calls * made->passes * slower)),
	};

	tp_team_window(team, &work, &window);
	*seconds = window.seconds / calls;
	*width = window.width;
}
