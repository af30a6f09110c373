/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/memory.h"
#include "measure/simulated/simulated_parts.h"

/* Events that a CPU may have slept through before a memoryless process is drawn again. */
#define SLEPT_EVENTS 2000

/* Most that neighbours leave no slots for. */
#define NEIGHBOURS_MAX 0.9

enum { DRIFT_STEPS = 200 };

/* In (0, 1]. */
static double random_unit(uint64_t *state)
{
	return (double)((tp_splitmix64(state) >> 11) + 1) * 0x1p-53;
}

static double random_exponential(uint64_t *state, double mean)
{
	return -mean * log(random_unit(state));
}

static double random_normal(uint64_t *state)
{
	/* Four uniform numbers of 16 bits, centred: near enough, and one step of the generator. */
	uint64_t bits = tp_splitmix64(state);
	double sum = 0;
	for (int i = 0; i < 4; i++)
		sum += (double)(bits >> 16 * i & 0xffff);
	return (sum / 65535 - 2) * sqrt(3);
}

/*
 * least + (most - least) u^k for u uniform in (0, 1], which has the requested mean if
 * k = (most - least) / (mean - least) - 1.
 */
static double pause_seconds(const struct tp_regime_pauses *p, uint64_t *state)
{
	double span = p->most_seconds - p->least_seconds, mean = p->mean_seconds - p->least_seconds;
	if (!(mean > 0) || !(span > mean))
		return p->mean_seconds;
	return p->least_seconds + span * pow(random_unit(state), span / mean - 1);
}

static void step_pauses(const struct tp_regime_pauses *p, struct tp_simulated_process *x, double at)
{
	double gap = fmax(1 / p->per_second - p->mean_seconds, 0.01 * p->mean_seconds);
	if (at - x->until > SLEPT_EVENTS / p->per_second) {
		x->state = 0;
		x->until = at + random_exponential(&x->random, gap);
	}
	while (x->until <= at) {
		x->state = !x->state;
		x->until += x->state ? pause_seconds(p, &x->random)
				     : random_exponential(&x->random, gap);
	}
}

/* On and off in turn, with exponential times; off 0: always on. */
static void step_switch(struct tp_simulated_process *x, double on, double off, double at,
			bool may_jump)
{
	if (!(off > 0)) {
		*x = (struct tp_simulated_process){ .until = INFINITY, .state = 1 };
		return;
	}
	if (may_jump && at - x->until > SLEPT_EVENTS * (on + off)) {
		x->state = random_unit(&x->random) * (on + off) < on;
		x->until = at + random_exponential(&x->random, x->state ? on : off);
	}
	while (x->until <= at) {
		x->state = !x->state;
		x->until += random_exponential(&x->random, x->state ? on : off);
	}
}

/* A new number of 16 bits at each event. */
static void step_level(struct tp_simulated_process *x, double mean_seconds, double at)
{
	while (x->until <= at) {
		x->state = (unsigned)(tp_splitmix64(&x->random) >> 48);
		x->until += random_exponential(&x->random, mean_seconds);
	}
}

static uint64_t seed_of(uint64_t seed, unsigned what, unsigned who)
{
	uint64_t state = seed ^ ((uint64_t)(what + 1) << 32) ^ (who + 1);
	tp_splitmix64(&state);
	return tp_splitmix64(&state);
}

enum what { PAUSES, NEIGHBOURS = 8, TURBO = 16, MEMORY, SHARED, NOISE, LAST };

void tp_disturb_init(uint64_t seed, unsigned cpu, struct tp_simulated_cpu *c)
{
	*c = (struct tp_simulated_cpu){ .noise = seed_of(seed, NOISE, cpu) };
	for (unsigned i = 0; i < TP_REGIME_KINDS; i++) {
		c->pauses[i].random = seed_of(seed, PAUSES + i, cpu);
		c->neighbours[i].random = seed_of(seed, NEIGHBOURS + i, cpu);
	}
	/* The same for all: every CPU follows them with the same numbers. */
	c->turbo.random = seed_of(seed, TURBO, 0);
	c->memory.random = seed_of(seed, MEMORY, 0);
	c->last.random = seed_of(seed, LAST, 0);
	c->shared.random = seed_of(seed, SHARED, cpu / 2);
}

static void find_clock(const struct tp_regime *r, struct tp_simulated_cpu *c,
		       struct tp_conditions *now)
{
	unsigned n = 0;
	while (n < TP_REGIME_STATES && r->turbo.factors[n] > 0)
		n++;
	if (n > 1) {
		step_level(&c->turbo, r->turbo.seconds, c->at);
		now->until = fmin(now->until, c->turbo.until);
	}
	if (n)
		now->clock_factor = r->turbo.factors[n > 1 ? c->turbo.state * n >> 16 : 0];
	if (r->drift.depth > 0) {
		double slot = r->drift.period_seconds / DRIFT_STEPS, at = floor(c->at / slot);
		double angle = 2 * M_PI * at / DRIFT_STEPS;
		now->clock_factor *= 1 - r->drift.depth * (1 - cos(angle)) / 2;
		/* Rounding must not leave an event that has passed. */
		double until = (at + 1) * slot;
		now->until = fmin(now->until, until > c->at ? until : c->at + slot);
	}
}

/* What holds at c->at. */
static const struct tp_conditions *disturb_now(const struct tp_regime *r,
					       struct tp_simulated_cpu *c)
{
	struct tp_conditions *now = &c->now;
	if (c->at < now->until)
		return now;
	*now = (struct tp_conditions){
		.until = INFINITY,
		.clock_factor = 1,
		.memory_share = 1,
		.memory_latency = 1,
	};
	for (int i = 0; i < TP_REGIME_KINDS; i++) {
		const struct tp_regime_neighbour *n = &r->neighbours[i];
		if (r->pauses[i].per_second > 0) {
			step_pauses(&r->pauses[i], &c->pauses[i], c->at);
			now->paused |= c->pauses[i].state;
			now->switches |= c->pauses[i].state && r->pauses[i].switches;
			now->until = fmin(now->until, c->pauses[i].until);
		}
		if (n->share > 0) {
			step_switch(&c->neighbours[i], n->on_seconds, n->off_seconds, c->at, true);
			now->neighbour += c->neighbours[i].state ? n->share : 0;
			now->until = fmin(now->until, c->neighbours[i].until);
		}
	}
	now->neighbour = fmin(now->neighbour, NEIGHBOURS_MAX);
	if (r->shared_cores.on_seconds > 0) {
		step_switch(&c->shared, r->shared_cores.on_seconds, r->shared_cores.off_seconds,
			    c->at, false);
		now->shared = c->shared.state;
		now->until = fmin(now->until, c->shared.until);
	}
	find_clock(r, c, now);
	if (r->memory.share > 0) {
		step_level(&c->memory, r->memory.seconds, c->at);
		now->until = fmin(now->until, c->memory.until);
		double taken =
			r->memory.share + r->memory.spread * (2.0 * c->memory.state / 65536 - 1);
		taken = fmin(fmax(taken, 0), NEIGHBOURS_MAX);
		now->memory_share = 1 - taken;
		now->memory_latency = 1 + r->memory.latency * taken / r->memory.share;
	}
	return now;
}

/* What of the last level's capacity is left at c->at, where that moves; else 1. */
static double last_share_left(const struct tp_regime *r, struct tp_simulated_cpu *c)
{
	if (!(r->last_level.least > 0))
		return 1;
	step_level(&c->last, r->last_level.seconds, c->at);
	return pow(r->last_level.least / r->last_level.share, c->last.state / 65536.0);
}

/* A dependent chain hardly notices what else the core does. */
#define CHAIN_LOSS   0.02
#define SHARED_CHAIN 1.05
#define SHARED_SLOTS 2

/* Cycle counters; x86 counts near its nominal clock, others in ns. */
#define X86_COUNTER_HZ 2.6e9
#define COUNTER_HZ     1e9
#define READ_SECONDS   12e-9

void tp_simulated_clock(struct tp_simulation *s)
{
	double step = s->regime->clock.step_seconds;
	bool x86 = strcmp(s->truth.machine->cpu.arch, "x86_64") == 0;
	double hz = step > 0 ? 1 / step : x86 ? X86_COUNTER_HZ : COUNTER_HZ;
	s->clock = (struct tp_clock){
		.hz = hz,
		.overhead_ticks = step > 0 ? 0 : floor(READ_SECONDS * hz),
		.resolution_seconds = fmax(step, READ_SECONDS),
	};
}

static uint64_t simulated_ticks(const struct tp_simulation *s, struct tp_simulated_cpu *c)
{
	double at = c->at;
	if (s->regime->clock.jitter_seconds > 0)
		at += s->regime->clock.jitter_seconds * random_normal(&c->noise);
	/* Never before its beginning. */
	return at > 0 ? (uint64_t)(at * s->clock.hz) : 0;
}

static double licence(const struct tp_simulation *s, struct tp_simulated_cpu *c,
		      unsigned vector_bytes, double *until)
{
	const double factors[] = { s->regime->licence.factor_256, s->regime->licence.factor_512 };
	const unsigned widths[] = { 32, 64 };
	double factor = 1;
	for (int i = 0; i < 2; i++) {
		bool uses = vector_bytes >= widths[i];
		if (!(factors[i] > 0) || (!uses && c->at >= c->licence_until[i]))
			continue;
		factor = fmin(factor, factors[i]);
		if (!uses)
			*until = fmin(*until, c->licence_until[i]);
	}
	return factor;
}

static double seconds_of_pass(const struct tp_demand *d, const struct tp_conditions *now,
			      double ghz, bool shared)
{
	double slots = d->slot_cycles / (1 - now->neighbour),
	       chain = d->chain_cycles * (1 + CHAIN_LOSS * now->neighbour);
	if (shared) {
		slots *= SHARED_SLOTS;
		chain *= SHARED_CHAIN;
	}
	double far = d->l3_seconds + d->memory_seconds;
	far = d->dependent ? far * now->memory_latency : far / now->memory_share;
	return (slots + chain) / ghz * 1e-9 + far;
}

double tp_live(struct tp_simulation *s, struct tp_simulated_cpu *c, const struct tp_stint *stint,
	       struct tp_lived *lived)
{
	double left = stint->passes, until = stint->until > 0 ? stint->until : INFINITY;
	bool was_paused = false;
	while (left > 0 && c->at < until) {
		const struct tp_conditions *now = disturb_now(s->regime, c);
		double end = fmin(now->until, until), from = c->at;
		if (now->paused) {
			lived->pauses += !was_paused;
			lived->switches += !was_paused && now->switches;
			was_paused = true;
			c->at = end;
			lived->paused_seconds += c->at - from;
			continue;
		}
		was_paused = false;
		bool shared = stint->busy_pair && now->shared;
		const struct tp_demand *d =
			now->neighbour > 0 && stint->beside ? stint->beside : stint->demand;
		double ghz = s->truth.figures->ghz * now->clock_factor *
			     licence(s, c, stint->vector_bytes, &end);
		double one = seconds_of_pass(d, now, ghz, shared), all = left * one;
		if (c->at + all <= end || !(one > 0)) {
			c->at += all;
			left = 0;
		} else {
			left -= (end - c->at) / one;
			c->at = end;
		}
		double spent = c->at - from;
		lived->ghz_seconds += spent * ghz;
		lived->neighbour_seconds += now->neighbour > 0 ? spent : 0;
		lived->shared_seconds += shared ? spent : 0;
	}
	for (int i = 0; i < 2; i++)
		if (stint->vector_bytes >= (i ? 64u : 32u))
			c->licence_until[i] = c->at + s->regime->licence.hold_seconds;
	return stint->passes - fmax(left, 0);
}

/*
 * Of a window, besides gauges and kernel: waking the team, and the spread of its threads' starts.
 */
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

static unsigned width_of(const struct tp_kernel *k, const struct tp_window_pass *pass)
{
	return pass ? pass->vector_bytes
	       : k->kind == TP_KERNEL_CHASE || k->kind == TP_KERNEL_CHAIN ||
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
	uint64_t begin = simulated_ticks(t->s, c);
	const struct tp_stint stint = { .demand = d,
					.passes = 1,
					.busy_pair = t->members[i].busy_pair };
	tp_live(t->s, c, &stint, lived);
	c->at += t->s->clock.overhead_ticks / t->s->clock.hz;
	return tp_clock_seconds(&t->s->clock, begin, simulated_ticks(t->s, c));
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
 * Random variation from window to window, for all threads together. The median window is the
 * truth's.
 */
struct noise {
	double core, l3, memory;
};

static struct noise draw_noise(uint64_t *state)
{
	/* Half of all normal numbers are nearer to 0. */
	const double half = 0.6745;
	return (struct noise){
		.core = 1 + CORE_NOISE * (fabs(random_normal(state)) - half),
		.l3 = exp(L3_NOISE * random_normal(state)),
		.memory = exp(MEMORY_NOISE * random_normal(state)),
	};
}

static void add_noise(const struct noise *noise, struct tp_demand *d)
{
	d->slot_cycles *= noise->core;
	d->chain_cycles *= d->dependent ? noise->core : 1 + 3 * (noise->core - 1);
	d->l3_seconds *= noise->l3;
	d->memory_seconds *= noise->memory;
}

/* Beyond L2 a warm chase takes only this share of its time. */
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

/* Streams during a chase: each one's work, and their total demand on shared resources. */
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
		.pass = work->pass,
		.walk_bytes = TP_MAX(work->described->working_set_bytes, work->walk.bytes),
		.placement_bytes = work->placement_bytes,
		.huge_pages = t->huge_pages,
		.flushed = work->walk.flushed,
		.cold = work->walk.flushed ||
			(work->evict_bytes > 0 && work->described->kind != TP_KERNEL_CHASE),
		.chase = m->chase.bytes ? &m->chase : NULL,
		.place = alone ? simulated_alone : t->places[i],
		.l3_load = fmin(1, streams->l3_load),
		.memory_load = fmin(1, streams->memory_load),
		.last_share = last_share_left(t->s->regime, tp_simulated_cpu_of(t, i)),
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

/* A page fault that fetches a small or a huge page from the host. */
#define SMALL_PAGE_SECONDS 15e-6
#define HUGE_PAGE_SECONDS  100e-6

enum { SMALL_PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* Pages that only come from the host now that a walk reaches them; returns seconds. */
static double late_pages(struct tp_simulated_team *t, unsigned i, double reached_bytes,
			 long *faults)
{
	struct tp_simulated_member *m = &t->members[i];
	double fresh = reached_bytes - m->late_from;
	double page = t->huge_pages ? HUGE_PAGE : SMALL_PAGE;
	if (!(fresh > 0) || !(t->s->regime->page_in.late_share > 0))
		return 0;
	m->late_from = reached_bytes;
	double pages = ceil(fresh / page * t->s->regime->page_in.late_share);
	*faults += (long)pages;
	return pages * (t->huge_pages ? HUGE_PAGE_SECONDS : SMALL_PAGE_SECONDS);
}

/*
 * How much longer the first walk takes that finds other data in the caches. What the lead goes
 * through is not timed.
 */
static double cold_seconds(struct tp_simulated_team *t, unsigned i,
			   const struct tp_simulated_work *work, const struct tp_demand *warm,
			   double lead_bytes, double bytes)
{
	struct tp_simulated_member *m = &t->members[i];
	double walk = (double)work->walk_bytes, ghz = t->s->truth.figures->ghz;
	if (walk != m->walk_bytes)
		m->walked_bytes = 0;
	m->walk_bytes = walk;
	double cold_bytes = fmin(bytes, walk - m->walked_bytes - lead_bytes);
	m->walked_bytes += lead_bytes + bytes;
	if (!(cold_bytes > 0))
		return 0;
	struct tp_simulated_work from_memory = *work;
	struct tp_demand cold;
	from_memory.cold = true;
	tp_truth_demand(&t->s->truth, &from_memory, &cold);
	return cold_bytes / (double)work->kernel->working_set_bytes *
	       fmax(0, tp_truth_seconds(&cold, ghz) - tp_truth_seconds(warm, ghz));
}

/* How much longer a window takes whose walk finds new pages, or caches that hold other data. */
static double walk_first(struct tp_simulated_team *t, unsigned i, const struct tp_window_work *work,
			 const struct tp_simulated_work *what, const struct tp_demand *d,
			 long *faults)
{
	double bytes = (double)work->passes * (double)what->kernel->working_set_bytes;
	double from = work->walk.slice_bytes ? (double)work->walk.from : 0;
	double seconds = late_pages(t, i, fmin((double)what->walk_bytes, from + bytes), faults);
	if (!what->cold)
		seconds += cold_seconds(
			t, i, what, d,
			(double)work->lead_passes * (double)what->kernel->working_set_bytes, bytes);
	return seconds;
}

static double lap_loads(const struct tp_simulated_member *m)
{
	double stride = (double)tp_chase_stride(&m->chase);
	return (double)m->chase.bytes / stride;
}

/*
 * A window of a chase. One that was just built is still warm and fades as it goes round: returns
 * the share of the time beyond L2 that the loads of this window take. The first lap out of empty
 * caches takes longer.
 */
static double chase_on(struct tp_simulated_team *t, unsigned i, const struct tp_window_work *work,
		       const struct tp_simulated_work *what, const struct tp_demand *d,
		       double *extra_seconds)
{
	struct tp_simulated_member *m = &t->members[i];
	double ghz = t->s->truth.figures->ghz, factor = t->s->regime->warm_chase.factor;
	double loads_per_pass = TP_MAX(tp_kernel_unroll(what->kernel), 1u);
	double loads = (double)work->passes * loads_per_pass, left = 1;
	*extra_seconds = 0;
	if (!(m->chase.bytes > 0))
		return left;
	if (work->evict_bytes) {
		m->cold_loads = lap_loads(m);
		m->evicted = true;
	}
	if (m->cold_loads > 0) {
		struct tp_simulated_work from_memory = *what;
		struct tp_demand cold;
		from_memory.cold = true;
		tp_truth_demand(&t->s->truth, &from_memory, &cold);
		*extra_seconds = fmin(loads, m->cold_loads) / loads_per_pass *
				 (tp_truth_seconds(&cold, ghz) - tp_truth_seconds(d, ghz));
		m->cold_loads -= loads;
	}
	if (factor > 1 && !m->evicted) {
		double laps = (m->chased_loads + loads / 2) / lap_loads(m);
		double warm = 1 / (1 + pow(laps / t->s->regime->warm_chase.laps, 4));
		left = 1 - warm * (1 - 1 / factor);
	}
	m->chased_loads += loads;
	return left;
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
		extra = walk_first(t, i, work, &what, &d, &reading->faults);
	else if (k->kind == TP_KERNEL_CHASE)
		warmth = chase_on(t, i, work, &what, &d, &extra);
	/* All wait for each other after it, so a pause in it does not delay the others' start. */
	double lead_seconds =
		(double)work->lead_passes * tp_truth_seconds(&d, t->s->truth.figures->ghz);
	const struct tp_demand first = { .memory_seconds = extra };
	double left = caches_left(t->s->regime);
	struct tp_stint stint = { .demand = &d,
				  .beside = left < 1 ? &beside : NULL,
				  .passes = (double)work->passes,
				  .vector_bytes = width_of(k, work->pass),
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
	reading->begin = simulated_ticks(t->s, c);
	if (extra > 0)
		tp_live(t->s, c,
			&(struct tp_stint){
				.demand = &first, .passes = 1, .busy_pair = stint.busy_pair },
			&lived);
	tp_live(t->s, c, &stint, &lived);
	tally(t->s, &lived, c->at - from);
	all->switches += lived.switches;
	c->at += t->s->clock.overhead_ticks / t->s->clock.hz;
	reading->end = simulated_ticks(t->s, c);
}

/* --- streams during a chase --- */

/*
 * Each stream as if it had L3 and memory to itself, and the total demand as shares of their limits.
 */
static void ask_streams(const struct tp_simulated_team *t, const struct tp_window_work *work,
			struct streams *out)
{
	const struct tp_truth *truth = &t->s->truth;
	struct tp_simulated_work slice = { .kernel = work->stream_described,
					   .walk_bytes = work->stream->bytes,
					   .cold = work->stream->flushed,
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
		t->base.readings[i].begin = simulated_ticks(t->s, c);
		const struct tp_stint stint = { .demand = &d,
						.passes = 1e15,
						.until = end,
						.vector_bytes =
							width_of(work->stream_described, NULL),
						.busy_pair = t->members[i].busy_pair };
		double slices = tp_live(t->s, c, &stint, &lived);
		c->at += t->s->clock.overhead_ticks / t->s->clock.hz;
		t->base.readings[i].end = simulated_ticks(t->s, c);
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
		c->at = begin + SKEW_SECONDS * random_unit(&c->noise);
		if (work->described && (i == 0 || !work->alone)) {
			run_kernel(t, i, work, &asked, &noise, &readings[i], &lived[i]);
			continue;
		}
		readings[i].begin = simulated_ticks(t->s, c);
		c->at += t->s->clock.overhead_ticks / t->s->clock.hz;
		readings[i].end = simulated_ticks(t->s, c);
	}
	if (streams)
		run_streams(t, work, &asked, &noise, begin, tp_simulated_cpu_of(t, 0)->at);
}

void tp_simulated_window(struct tp_team *base, const struct tp_window_work *work)
{
	struct tp_simulated_team *t = (struct tp_simulated_team *)base;
	struct tp_simulation *s = t->s;
	struct tp_lived *lived = t->lived;
	uint64_t flushed_bytes =
		work->walk.flushed ? work->passes * work->walk.slice_bytes
				   : work->evict_bytes * TP_MAX(work->n_evict_places, (size_t)1);
	memset(lived, 0, base->n * sizeof(*lived));
	for (unsigned i = 0; i < base->n; i++) {
		struct tp_simulated_cpu *c = tp_simulated_cpu_of(t, i);
		memset(&base->readings[i], 0, sizeof(base->readings[i]));
		c->at = s->now + WINDOW_SECONDS +
			(double)flushed_bytes / LINE_BYTES * FLUSH_LINE_SECONDS;
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
