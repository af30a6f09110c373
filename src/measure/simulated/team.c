/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/simulated/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Building a chase: to draw a line's place, and its share of a load's latency as many overlap. */
#define DRAW_LINE_SECONDS 5e-9
#define OVERLAPPED_SHARE  0.2
#define FILL_GBPS	  5.0

static struct tp_simulated_team *simulated_of(const struct tp_team *team)
{
	return (struct tp_simulated_team *)team; /* base is its first member */
}

/* --- buffers --- */

static void simulated_free(struct tp_team *base)
{
	struct tp_simulated_team *t = simulated_of(base);
	tp_team_parts_release(base);
	free(t->members);
	free(t->places);
	free(t->lived);
	free(t);
}

static enum tp_status simulated_check(struct tp_team *base, struct tp_diag *diag)
{
	(void)base;
	(void)diag;
	return TP_OK;
}

static enum tp_status simulated_reserve(struct tp_team *base, size_t most_bytes,
					enum tp_pages pages, struct tp_diag *diag)
{
	struct tp_simulated_team *t = simulated_of(base);
	(void)most_bytes;
	(void)diag;
	t->huge_pages = tp_simulated_huge_pages(t->s->truth.machine, pages);
	t->pages = pages;
	t->buffer_bytes = 0;
	for (unsigned i = 0; i < base->n; i++)
		t->members[i] =
			(struct tp_simulated_member){ .pu = t->members[i].pu,
						      .busy_pair = t->members[i].busy_pair };
	return TP_OK;
}

static enum tp_status simulated_touch(struct tp_team *base, size_t bytes, struct tp_diag *diag)
{
	struct tp_simulated_team *t = simulated_of(base);
	const struct tp_machine *machine = t->s->truth.machine;
	double all = (double)bytes * base->n;
	if (bytes <= t->buffer_bytes)
		return TP_OK;
	if (machine->available_bytes && all > (double)machine->available_bytes)
		return tp_fail(diag, TP_RESOURCE, "buffer", "use smaller sizes or fewer threads",
			       "no memory for %zu bytes", bytes);
	double grown = (double)(bytes - t->buffer_bytes) * base->n;
	double fresh = fmin(grown, fmax(0, all - t->s->host_bytes));
	t->s->host_bytes = fmax(t->s->host_bytes, all);
	t->s->now += tp_simulated_touch_seconds(t->s, fresh / base->n, (grown - fresh) / base->n);
	t->buffer_bytes = bytes;
	return TP_OK;
}

static char *simulated_data(const struct tp_team *team, unsigned thread)
{
	(void)team;
	(void)thread;
	return NULL;
}

static const char *simulated_pages(const struct tp_team *base)
{
	const struct tp_simulated_team *t = simulated_of(base);
	return t->pages == TP_PAGES_HUGETLB ? "hugetlb" : t->huge_pages ? "thp" : "4K";
}

static enum tp_status simulated_contents(struct tp_team *base, unsigned chasers,
					 const struct tp_chase *chase, struct tp_diag *diag)
{
	struct tp_simulated_team *t = simulated_of(base);
	double longest = 0;
	(void)diag;
	for (unsigned i = 0; i < base->n; i++) {
		struct tp_simulated_member *m = &t->members[i];
		struct tp_chase wanted = { .bytes = 0 };
		if (i < chasers) {
			wanted = *chase;
			wanted.seed += i;
		}
		if (wanted.bytes == m->chase.bytes &&
		    (wanted.bytes == 0 || tp_chase_equal(&wanted, &m->chase)))
			continue;
		double seconds = (double)m->chase.bytes / FILL_GBPS * 1e-9;
		double stride =
			wanted.stride_bytes ? (double)wanted.stride_bytes : TP_CHASE_LINE_BYTES;
		if (wanted.bytes) {
			double ns = tp_simulation_true_latency_ns(t->s, wanted.bytes, t->pages);
			seconds += (double)wanted.bytes / stride *
				   (DRAW_LINE_SECONDS + OVERLAPPED_SHARE * ns * 1e-9);
			m->late_from = fmax(m->late_from, (double)wanted.bytes);
		}
		m->chase = wanted;
		m->chased_loads = 0;
		m->cold_loads = 0;
		m->evicted = false;
		m->walk_bytes = 0;
		longest = fmax(longest, seconds);
	}
	t->s->now += longest;
	return TP_OK;
}

static void *simulated_cell(struct tp_team *team, unsigned thread)
{
	(void)team;
	(void)thread;
	return NULL;
}

/* Where programs may flush caches. */
static bool simulated_evicts(const struct tp_team *base)
{
	const char *arch = simulated_of(base)->s->truth.machine->cpu.arch;
	return strcmp(arch, "x86_64") == 0 || strcmp(arch, "aarch64") == 0;
}

static enum tp_status simulated_emit(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
				     struct tp_code *code, struct tp_diag *diag)
{
	(void)cpu;
	*code = (struct tp_code){ 0 };
	return tp_kernel_check(kernel, diag);
}

static double simulated_now(const struct tp_team *team)
{
	return simulated_of(team)->s->now;
}

static void simulated_rest(struct tp_team *team, double seconds)
{
	simulated_of(team)->s->now += seconds;
}

static const struct tp_team_kind simulated_kind = {
	.free = simulated_free,
	.check = simulated_check,
	.reserve = simulated_reserve,
	.touch = simulated_touch,
	.data = simulated_data,
	.pages = simulated_pages,
	.contents = simulated_contents,
	.cell = simulated_cell,
	.evicts = simulated_evicts,
	.emit = simulated_emit,
	.window = tp_simulated_window,
	.now = simulated_now,
	.rest = simulated_rest,
};

/* Its pieces are those of the real gauge (gauge.c). */
static void set_gauge(struct tp_simulated_team *t)
{
	const struct tp_figures *f = t->s->truth.figures;
	const struct tp_kernel width = { .kind = TP_KERNEL_WIDTH,
					 .isa = tp_isa_table[0],
					 .element_bytes = 8 };
	struct tp_kernel_counts counts;
	tp_kernel_count(&width, &t->s->truth.machine->cpu, &counts);
	double chain = TP_GAUGE_CHAIN_ADDITIONS;
	double wide = (double)counts.other * TP_GAUGE_WIDTH_PASSES;
	double step = tp_gauge_step_seconds(&t->s->clock), hz = f->ghz * 1e9;
	t->base.chain_additions = chain * tp_gauge_repeats(chain / hz, step);
	t->base.width_additions = wide * tp_gauge_repeats(wide / f->issue_width / hz, step);
}

static enum tp_status place_members(struct tp_simulated_team *t, const unsigned *cpus,
				    struct tp_diag *diag)
{
	const struct tp_machine *machine = t->s->truth.machine;
	for (unsigned i = 0; i < t->base.n; i++) {
		size_t pu = 0;
		while (pu < machine->n_pus && machine->pus[pu].os_index != cpus[i])
			pu++;
		if (pu == machine->n_pus)
			return tp_fail(diag, TP_USAGE, "team", NULL, "there is no CPU %u", cpus[i]);
		t->members[i].pu = (unsigned)pu;
		for (unsigned k = 0; k < i; k++)
			if (t->members[k].pu / 2 == pu / 2)
				t->members[i].busy_pair = t->members[k].busy_pair = true;
	}
	tp_truth_places(machine, cpus, t->base.n, t->places);
	return TP_OK;
}

enum tp_status tp_simulated_team_new(struct tp_team **out, struct tp_simulation *s,
				     const unsigned *cpus, unsigned n, struct tp_diag *diag)
{
	struct tp_simulated_team *t = tp_alloc(1, sizeof(*t));
	tp_team_parts_init(&t->base, &simulated_kind, &s->clock, n);
	t->s = s;
	t->members = tp_alloc(n, sizeof(*t->members));
	t->places = tp_alloc(n, sizeof(*t->places));
	t->lived = tp_alloc(n, sizeof(*t->lived));
	set_gauge(t);
	enum tp_status status = place_members(t, cpus, diag);
	if (status != TP_OK) {
		simulated_free(&t->base);
		return status;
	}
	tp_team_learn(&t->base);
	*out = &t->base;
	return TP_OK;
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

double tp_simulated_first_walk(struct tp_simulated_team *t, unsigned i,
			       const struct tp_window_work *work,
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
	double stride = m->chase.stride_bytes ? (double)m->chase.stride_bytes : TP_CHASE_LINE_BYTES;
	return (double)m->chase.bytes / stride;
}

double tp_simulated_chased(struct tp_simulated_team *t, unsigned i,
			   const struct tp_window_work *work, const struct tp_simulated_work *what,
			   const struct tp_demand *d, double *extra_seconds)
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
