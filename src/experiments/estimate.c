/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a plan will take: its points are measured on a simulation, in its time. */
#include "base/memory.h"
#include "experiments/bench.h"
#include "measure/sampler.h"
#include "record/point.h"

#include <math.h>
#include <string.h>

/* Start of an engine with its calibrations. */
#define START_SECONDS 0.08

/*
 * Bounds of the work: a plan may have thousands of points, and a team hundreds of threads. WORK_MAX
 * is in points of one thread. What is beyond takes as long as the nearest that was simulated.
 */
/* Doublings of the size between the points of a large plan that are simulated. */
#define GRAIN 0.25
enum { POINTS_MAX = 400, THREADS_MAX = 32, WORK_MAX = 1024, REPEATS = 2 };
/*
 * A preset may let a point go on for hours: after this many windows the rest is extrapolated. The
 * work of a whole plan is limited too, in windows of one thread; counted, so that a slow machine
 * estimates the same.
 */
enum { WINDOWS_MAX = 2000, PLAN_WINDOWS_MAX = 400000 };

/* The caller is asked once in this many windows whether to go on. */
enum { ASK_EACH = 32 };

struct estimator {
	struct tp_bench bench;
	size_t measured[POINTS_MAX], n; /* indexes of the points that were simulated */
	size_t work;
	double grain; /* nearer points take the same time */
	double touch_seconds;
	size_t windows; /* that count, of the point that is simulated */
	size_t plan_windows; /* of all points and their races, times threads */
	unsigned threads; /* of the point */
	bool (*goes_on)(void *context); /* may be NULL */
	void *context;
	unsigned asked;
	bool stopped;
};

static bool count_window(void *context, const struct tp_sample *sample)
{
	struct estimator *e = context;
	(void)sample;
	e->windows++;
	return true;
}

static bool is_worth_going_on(void *context)
{
	struct estimator *e = context;
	e->plan_windows += e->threads;
	if (e->goes_on && e->asked++ % ASK_EACH == 0)
		e->stopped |= !e->goes_on(e->context);
	return !e->stopped && e->windows < WINDOWS_MAX && e->plan_windows < PLAN_WINDOWS_MAX;
}

/* Doublings between two numbers; NaN counts as equal. */
static double doublings(uint64_t a, uint64_t b)
{
	return fabs(log2(((double)a + 64) / ((double)b + 64)));
}

static double times_repeated(const struct tp_planned *p)
{
	return tp_config_real(p->config, TP_OPT_INVOCATIONS);
}

/* How little two points have in common; 0: they are the same work. */
static double distance(const struct tp_planned *a, const struct tp_planned *b)
{
	const struct tp_kernel_row *x = tp_kernel_row(&a->point), *y = tp_kernel_row(&b->point);
	return doublings(x->working_set_bytes, y->working_set_bytes) +
	       doublings(x->pause_cycles, y->pause_cycles) +
	       4 * (strcmp(a->point.kernel, b->point.kernel) != 0) +
	       2 * (strcmp(x->level, y->level) != 0) + (strcmp(x->isa, y->isa) != 0) +
	       (strcmp(x->precision, y->precision) != 0) +
	       0.5 * (a->point.threads != b->point.threads) + 0.5 * (a->pages != b->pages) +
	       0.5 * (a->config != b->config) + 16 * (a->experiment != b->experiment);
}

/* The time of the nearest simulated point; the later of equal ones has finished its races. */
static double nearest_seconds(const struct estimator *e, const struct tp_plan *plan,
			      const struct tp_planned *p)
{
	const struct tp_planned *nearest = NULL;
	double least = INFINITY;
	for (size_t i = 0; i < e->n; i++) {
		const struct tp_planned *other = &plan->items[e->measured[i]];
		double d = distance(p, other);
		if (d <= least) {
			least = d;
			nearest = other;
		}
	}
	return nearest ? nearest->point.estimate_seconds / times_repeated(nearest) : 0;
}

static bool is_known(const struct estimator *e, const struct tp_plan *plan,
		     const struct tp_planned *p)
{
	size_t same = 0;
	if (e->n == POINTS_MAX || e->work > WORK_MAX ||
	    (e->n > 0 && e->plan_windows >= PLAN_WINDOWS_MAX))
		return true;
	for (size_t i = 0; i < e->n && same < REPEATS; i++)
		same += distance(p, &plan->items[e->measured[i]]) <= e->grain;
	return same == REPEATS;
}

/* The first CPUs of a team by their place in the machine: threads that share a core stay together.
 */
static unsigned choose_cpus(const struct tp_machine *machine, const struct tp_planned *p,
			    unsigned cpus[THREADS_MAX])
{
	unsigned n = 0;
	for (size_t i = 0; i < machine->n_pus && n < THREADS_MAX; i++)
		for (unsigned k = 0; k < p->point.threads; k++)
			if (p->cpus[k] == machine->pus[i].os_index) {
				cpus[n++] = p->cpus[k];
				break;
			}
	return n;
}

/* Seconds of one point without the first touch, which is added up. */
static double simulate(struct estimator *e, const struct tp_planned *p)
{
	union tp_row_room room;
	struct tp_diag diag;
	struct tp_planned planned = *p;
	unsigned cpus[THREADS_MAX];
	if (p->point.threads > THREADS_MAX) {
		planned.cpus = cpus;
		planned.point.threads = choose_cpus(e->bench.machine, p, cpus);
	}
	TP_CLEANUP(tp_point_release) struct tp_point point = planned.point;
	point.row = memcpy(&room, p->point.row, p->point.kind->table->row_bytes);
	e->work += point.threads;
	double begun = tp_bench_now(&e->bench);
	e->windows = 0;
	e->threads = point.threads;
	enum tp_status status = p->experiment->run(&e->bench, &planned, &point, &diag);
	double seconds = tp_bench_now(&e->bench) - begun - point.touch_seconds;
	/* Cut short: it goes on at that pace until a limit ends it. */
	if (status == TP_CANCELLED && e->windows > 0) {
		double most = tp_config_real(p->config, TP_OPT_STOP_MAX_SAMPLES);
		seconds = fmin(seconds * most / (double)e->windows,
			       fmax(seconds, tp_config_real(p->config, TP_OPT_STOP_MAX_TIME)));
	}
	e->touch_seconds += point.touch_seconds;
	return seconds;
}

static void estimate_point(struct estimator *e, struct tp_plan *plan, size_t i)
{
	struct tp_planned *p = &plan->items[i];
	bool known = is_known(e, plan, p);
	double seconds = known ? nearest_seconds(e, plan, p) : simulate(e, p);
	if (!known)
		e->measured[e->n++] = i;
	p->point.estimate_seconds = seconds * times_repeated(p);
}

/*
 * The disturbances: those of the simulated machine, or on a virtual machine those of a busy host.
 * Before measuring, nothing else is known.
 */
static const struct tp_regime *regime_of(const struct tp_machine *machine)
{
	const struct tp_regime *own = tp_regime_find(machine->simulated);
	bool is_virtual = !machine->foreign && *machine->cpu.hypervisor;
	return own ? own : tp_regime_find(is_virtual ? "gnr-vm" : "quiet");
}

bool tp_plan_estimate(struct tp_plan *plan, const struct tp_machine *machine,
		      bool (*goes_on)(void *context), void *context)
{
	struct tp_simulation *simulation = tp_simulation_new(machine, regime_of(machine), 0);
	struct estimator e = { .goes_on = goes_on, .context = context };
	e.grain = plan->n > POINTS_MAX ? GRAIN : 0;
	plan->estimate_seconds = *machine->simulated ? 0 : START_SECONDS;
	const struct tp_watch watch = { .context = &e,
					.sample = count_window,
					.go_on = is_worth_going_on };
	tp_bench_simulate(&e.bench, simulation, &watch);
	for (size_t i = 0; i < plan->n && !e.stopped; i++) {
		const struct tp_experiment *of = plan->items[i].experiment;
		if (!of->not_simulated && !of->estimates)
			estimate_point(&e, plan, i);
		plan->items[i].model_seconds = plan->items[i].point.estimate_seconds;
		plan->estimate_seconds += plan->items[i].model_seconds;
	}
	plan->estimate_seconds += e.touch_seconds;
	tp_bench_release(&e.bench);
	tp_simulation_free(simulation);
	return !e.stopped;
}
