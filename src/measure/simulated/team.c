/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/simulated/simulated_parts.h"

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

static enum tp_status simulated_reserve(struct tp_team *base,
					size_t most_bytes __attribute__((unused)),
					enum tp_pages pages,
					struct tp_diag *diag __attribute__((unused)))
{
	struct tp_simulated_team *t = simulated_of(base);
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

static const char *simulated_pages(const struct tp_team *base)
{
	const struct tp_simulated_team *t = simulated_of(base);
	return t->pages == TP_PAGES_HUGETLB ? "hugetlb" : t->huge_pages ? "thp" : "4K";
}

static enum tp_status simulated_contents(struct tp_team *base, unsigned chasers,
					 const struct tp_chase *chase,
					 struct tp_diag *diag __attribute__((unused)))
{
	struct tp_simulated_team *t = simulated_of(base);
	double longest = 0;
	for (unsigned i = 0; i < base->n; i++) {
		struct tp_simulated_member *m = &t->members[i];
		const struct tp_chase wanted = tp_chase_of(chase, chasers, i);
		if (tp_chase_equal(&wanted, &m->chase))
			continue;
		double seconds = (double)m->chase.bytes / FILL_GBPS * 1e-9;
		if (wanted.bytes) {
			double ns = tp_simulation_true_latency_ns(t->s, wanted.bytes, t->pages);
			seconds += (double)wanted.bytes / (double)tp_chase_stride(&wanted) *
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

static bool simulated_evicts(const struct tp_team *base)
{
	return tp_machine_flushes(simulated_of(base)->s->truth.machine);
}

static enum tp_status simulated_emit(const struct tp_kernel *kernel,
				     const struct tp_cpu *cpu __attribute__((unused)),
				     struct tp_code *code, struct tp_diag *diag)
{
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

double tp_simulated_share_bytes(const struct tp_team *team, int level)
{
	const struct tp_simulated_team *t = simulated_of(team);
	double least = INFINITY;
	for (unsigned i = 0; i < team->n; i++) {
		const struct tp_simulated_work here = { .place = t->places[i] };
		least = fmin(least, tp_truth_capacity(&t->s->truth, level, &here));
	}
	return least > 0 || level == 1 ? least : tp_simulated_share_bytes(team, level - 1);
}

static const struct tp_team_kind simulated_kind = {
	.free = simulated_free,
	.reserve = simulated_reserve,
	.touch = simulated_touch,
	.pages = simulated_pages,
	.contents = simulated_contents,
	.evicts = simulated_evicts,
	.emit = simulated_emit,
	.window = tp_simulated_window,
	.now = simulated_now,
	.rest = simulated_rest,
};

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
	/* Its pieces match the real gauge (gauge.c). */
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
	enum tp_status status = place_members(t, cpus, diag);
	if (status != TP_OK) {
		simulated_free(&t->base);
		return status;
	}
	tp_team_learn(&t->base);
	*out = &t->base;
	return TP_OK;
}
