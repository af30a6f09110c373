/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A window on a simulated machine: gauges, kernels, and streams beside a chase. */
#include "measure/simulated/team_parts.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/* Of a window, beside gauges and kernel: waking the team, and how far apart its threads begin. */
#define WINDOW_SECONDS 4e-6
#define SKEW_SECONDS   50e-9
/* Windows of what only the core decides differ by this, of L2 by three times that. */
#define CORE_NOISE   0.001
#define L3_NOISE     0.006
#define MEMORY_NOISE 0.008
/* Flushing a line out of all caches. */
#define FLUSH_LINE_SECONDS 4e-9
/* Of memory's limit, that all streams together reach. */
#define QUEUE_LIMIT 0.98

enum { LINE_BYTES = 64 };

static unsigned width_of(const struct tp_kernel *k)
{
	return k->kind == TP_KERNEL_CHASE || k->kind == TP_KERNEL_CHAIN ||
			       k->kind == TP_KERNEL_WIDTH
		       ? 0
		       : tp_isa_vector_bytes(k->isa);
}

static const struct tp_simulated_place simulated_alone = { 1, 1, 1, 1, 1 };

/* --- gauges --- */

static double piece(struct tp_simulated_team *t, unsigned i, const struct tp_demand *d,
		    struct tp_lived *lived)
{
	struct tp_simulated_cpu *c = tp_simulated_cpu_of(t, i);
	uint64_t begin = tp_simulated_ticks(t->s, c);
	const struct tp_stint stint = { .demand = d,
					.passes = 1,
					.busy_pair = t->members[i].busy_pair };
	tp_live(t->s, c, &stint, lived);
	c->at += t->s->clock.overhead_ticks / t->s->clock.hz;
	return tp_clock_seconds(&t->s->clock, begin, tp_simulated_ticks(t->s, c));
}

static void read_gauge(struct tp_simulated_team *t, unsigned i, struct tp_gauge_reading *reading,
		       struct tp_lived *lived)
{
	const struct tp_demand chain = { .chain_cycles = t->base.chain_additions };
	double additions = t->s->truth.machine->model.additions_per_cycle;
	if (!(additions > 0))
		additions = t->s->truth.figures->issue_width;
	const struct tp_demand width = { .slot_cycles = t->base.width_additions / additions *
							t->places[i].on_core };
	piece(t, i, &chain, lived);
	piece(t, i, &width, lived);
	for (int k = 0; k < TP_GAUGE_PIECES; k++) {
		reading->chain_seconds[k] = piece(t, i, &chain, lived);
		reading->width_seconds[k] = piece(t, i, &width, lived);
	}
}

/* --- kernels --- */

/*
 * What differs from window to window by itself, for all threads together. The median window is that
 * of the truth.
 */
struct noise {
	double core, l3, memory;
};

static struct noise draw_noise(uint64_t *state)
{
	/* Half of all normal numbers are nearer to 0. */
	const double half = 0.6745;
	return (struct noise){
		.core = 1 + CORE_NOISE * (fabs(tp_random_normal(state)) - half),
		.l3 = exp(L3_NOISE * tp_random_normal(state)),
		.memory = exp(MEMORY_NOISE * tp_random_normal(state)),
	};
}

static void add_noise(const struct noise *noise, struct tp_demand *d)
{
	d->slot_cycles *= noise->core;
	d->chain_cycles *= d->dependent ? noise->core : 1 + 3 * (noise->core - 1);
	d->l3_seconds *= noise->l3;
	d->memory_seconds *= noise->memory;
}

/* Beyond L2 a warm chase takes only so much of its time. */
static void cool(struct tp_demand *d, double left)
{
	d->l3_seconds *= left;
	d->memory_seconds *= left;
}

static void tally(struct tp_simulation *s, const struct tp_lived *l, double seconds)
{
	s->tally.window_seconds += seconds;
	s->tally.paused_seconds += l->paused_seconds;
	s->tally.neighbour_seconds += l->neighbour_seconds;
	s->tally.shared_seconds += l->shared_seconds;
	s->tally.ghz_seconds += l->ghz_seconds;
	s->tally.pauses += l->pauses;
}

/* Streams beside a chase: what each does, and how much all ask of what they share. */
struct streams {
	struct tp_demand slice;
	double l3_load, memory_load; /* may be above 1 */
};

static void describe_work(const struct tp_simulated_team *t, unsigned i,
			  const struct tp_window_work *work, const struct streams *streams,
			  struct tp_simulated_work *what)
{
	const struct tp_simulated_member *m = &t->members[i];
	bool alone = work->alone && !work->stream;
	*what = (struct tp_simulated_work){
		.kernel = work->described,
		.walk_bytes = TP_MAX(work->described->working_set_bytes, work->walk.bytes),
		.placement_bytes = work->placement_bytes,
		.huge_pages = t->huge_pages,
		.cold = work->evict_bytes > 0 && work->described->kind != TP_KERNEL_CHASE,
		.chase = m->chase.bytes ? &m->chase : NULL,
		.place = alone ? simulated_alone : t->places[i],
		.l3_load = fmin(1, streams->l3_load),
		.memory_load = fmin(1, streams->memory_load),
	};
}

/* What neighbours leave of the core's own caches. */
static double caches_left(const struct tp_regime *r)
{
	double most = 0;
	for (int i = 0; i < TP_REGIME_KINDS; i++)
		most = fmax(most, r->neighbours[i].share > 0 ? r->neighbours[i].caches : 0);
	return 1 - most;
}

static void run_kernel(struct tp_simulated_team *t, unsigned i, const struct tp_window_work *work,
		       const struct streams *streams, const struct noise *noise,
		       struct tp_window_reading *reading, struct tp_lived *all)
{
	struct tp_simulated_cpu *c = tp_simulated_cpu_of(t, i);
	struct tp_simulated_member *m = &t->members[i];
	const struct tp_kernel *k = work->described;
	struct tp_lived lived = { 0 };
	struct tp_demand d, beside;
	struct tp_simulated_work what;
	describe_work(t, i, work, streams, &what);
	tp_truth_demand(&t->s->truth, &what, &d);
	double extra = 0, warmth = 1;
	if (k->kind == TP_KERNEL_MEMORY || k->kind == TP_KERNEL_MIXED)
		extra = tp_simulated_first_walk(t, i, work, &what, &d, &reading->faults);
	else if (k->kind == TP_KERNEL_CHASE)
		warmth = tp_simulated_chased(t, i, work, &what, &d, &extra);
	/* All wait for each other after it: none of them begins later for a pause in it. */
	double lead_seconds =
		(double)work->lead_passes * tp_truth_seconds(&d, t->s->truth.figures->ghz);
	const struct tp_demand first = { .memory_seconds = extra };
	double left = caches_left(t->s->regime);
	struct tp_stint stint = { .demand = &d,
				  .beside = left < 1 ? &beside : NULL,
				  .passes = (double)work->passes,
				  .vector_bytes = width_of(k),
				  .busy_pair = m->busy_pair && !work->alone };
	what.core_caches = left;
	if (stint.beside)
		tp_truth_demand(&t->s->truth, &what, &beside);
	add_noise(noise, &d);
	if (stint.beside)
		add_noise(noise, &beside);
	cool(&d, warmth);
	if (stint.beside)
		cool(&beside, warmth);
	c->at += lead_seconds;
	double from = c->at;
	lived = (struct tp_lived){ 0 };
	reading->begin = tp_simulated_ticks(t->s, c);
	if (extra > 0)
		tp_live(t->s, c,
			&(struct tp_stint){
				.demand = &first, .passes = 1, .busy_pair = stint.busy_pair },
			&lived);
	tp_live(t->s, c, &stint, &lived);
	tally(t->s, &lived, c->at - from);
	all->switches += lived.switches;
	c->at += t->s->clock.overhead_ticks / t->s->clock.hz;
	reading->end = tp_simulated_ticks(t->s, c);
}

/* --- streams beside a chase --- */

/*
 * Each stream as if nobody else asked for L3 and memory, and the shares of their limits that all
 * ask for together.
 */
static void ask_streams(const struct tp_simulated_team *t, const struct tp_window_work *work,
			struct streams *out)
{
	const struct tp_truth *truth = &t->s->truth;
	struct tp_simulated_work slice = { .kernel = work->stream_described,
					   .walk_bytes = work->stream->bytes,
					   .huge_pages = t->huge_pages,
					   .place = t->places[t->base.n - 1] };
	slice.place.on_package = 1;
	tp_truth_demand(truth, &slice, &out->slice);
	struct tp_demand *d = &out->slice;
	d->chain_cycles += (double)work->stream->pause_cycles;
	double seconds = tp_truth_seconds(d, truth->figures->ghz), streams = t->base.n - 1;
	/* The bytes of a level are its time at its rate. */
	out->l3_load = streams * d->l3_seconds / seconds / truth->figures->l3_scale;
	out->memory_load = streams * d->memory_seconds / seconds * truth->figures->memory_gbps /
			   truth->memory_gbps;
}

static void run_streams(struct tp_simulated_team *t, const struct tp_window_work *work,
			const struct streams *streams, const struct noise *noise, double begin,
			double end)
{
	double ask = fmax(streams->l3_load, streams->memory_load);
	for (unsigned i = 1; i < t->base.n; i++) {
		struct tp_simulated_cpu *c = tp_simulated_cpu_of(t, i);
		struct tp_lived lived = { 0 };
		struct tp_demand d = streams->slice;
		/* More than there is: all wait. */
		if (ask > QUEUE_LIMIT)
			d.memory_seconds += tp_truth_seconds(&d, t->s->truth.figures->ghz) *
					    (ask / QUEUE_LIMIT - 1);
		add_noise(noise, &d);
		c->at = begin;
		t->base.readings[i].begin = tp_simulated_ticks(t->s, c);
		const struct tp_stint stint = { .demand = &d,
						.passes = 1e15,
						.until = end,
						.vector_bytes = width_of(work->stream_described),
						.busy_pair = t->members[i].busy_pair };
		double slices = tp_live(t->s, c, &stint, &lived);
		c->at += t->s->clock.overhead_ticks / t->s->clock.hz;
		t->base.readings[i].end = tp_simulated_ticks(t->s, c);
		t->base.readings[i].slices = (uint64_t)(slices + 0.5);
	}
}

/* --- all of it --- */

static double latest(struct tp_simulated_team *t)
{
	double at = 0;
	for (unsigned i = 0; i < t->base.n; i++)
		at = fmax(at, tp_simulated_cpu_of(t, i)->at);
	return at;
}

static void run_team(struct tp_simulated_team *t, const struct tp_window_work *work,
		     struct tp_lived *lived)
{
	struct tp_window_reading *readings = t->base.readings;
	double begin = latest(t);
	const struct noise noise = draw_noise(&tp_simulated_cpu_of(t, 0)->noise);
	struct streams asked = { 0 };
	bool streams = work->stream && work->stream_described;
	if (streams)
		ask_streams(t, work, &asked);
	for (unsigned i = 0; i < t->base.n; i++) {
		struct tp_simulated_cpu *c = tp_simulated_cpu_of(t, i);
		c->at = begin + SKEW_SECONDS * tp_random_unit(&c->noise);
		if (work->described && (i == 0 || !work->alone)) {
			run_kernel(t, i, work, &asked, &noise, &readings[i], &lived[i]);
			continue;
		}
		readings[i].begin = tp_simulated_ticks(t->s, c);
		c->at += t->s->clock.overhead_ticks / t->s->clock.hz;
		readings[i].end = tp_simulated_ticks(t->s, c);
	}
	if (streams)
		run_streams(t, work, &asked, &noise, begin, tp_simulated_cpu_of(t, 0)->at);
}

void tp_simulated_window(struct tp_team *base, const struct tp_window_work *work)
{
	struct tp_simulated_team *t = (struct tp_simulated_team *)base;
	struct tp_simulation *s = t->s;
	struct tp_lived *lived = t->lived;
	memset(lived, 0, base->n * sizeof(*lived));
	for (unsigned i = 0; i < base->n; i++) {
		struct tp_simulated_cpu *c = tp_simulated_cpu_of(t, i);
		memset(&base->readings[i], 0, sizeof(base->readings[i]));
		c->at = s->now + WINDOW_SECONDS +
			(double)work->evict_bytes / LINE_BYTES * FLUSH_LINE_SECONDS;
		read_gauge(t, i, &base->readings[i].before, &lived[i]);
	}
	run_team(t, work, lived);
	double end = latest(t);
	for (unsigned i = 0; i < base->n; i++) {
		tp_simulated_cpu_of(t, i)->at = end;
		read_gauge(t, i, &base->readings[i].after, &lived[i]);
		base->readings[i].switches = lived[i].switches;
		s->tally.switches += lived[i].switches;
		s->tally.faults += (uint64_t)base->readings[i].faults;
	}
	s->tally.windows += work->described != NULL;
	s->now = latest(t);
}
