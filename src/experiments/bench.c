/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/bench.h"

#include <stdlib.h>

#include "base/memory.h"

enum tp_status tp_bench_init(struct tp_bench *bench, const struct tp_machine *machine,
			     const struct tp_cpu *cpu, double known_hz,
			     const struct tp_watch *watch, struct tp_diag *diag)
{
	*bench = (struct tp_bench){ .machine = machine, .cpu = cpu, .watch = watch };
	if (machine->foreign)
		return tp_fail(diag, TP_USAGE, "topology",
			       "leave topology out to measure this machine",
			       "%s is another machine: it can be planned for, not measured",
			       machine->source);
	tp_clock_init(&bench->clock, cpu, known_hz);
	return TP_OK;
}

void tp_bench_simulate(struct tp_bench *bench, struct tp_simulation *simulation,
		       const struct tp_watch *watch)
{
	const struct tp_machine *machine = tp_simulation_machine(simulation);
	*bench = (struct tp_bench){ .machine = machine,
				    .cpu = &machine->cpu,
				    .watch = watch,
				    .clock = *tp_simulation_clock(simulation),
				    .simulation = simulation };
}

double tp_bench_now(const struct tp_bench *bench)
{
	return bench->simulation ? tp_simulation_now(bench->simulation) : tp_now_seconds();
}

void tp_bench_release(struct tp_bench *bench)
{
	for (size_t i = 0; i < bench->n_kept; i++) {
		if (bench->kept[i].kind->release)
			bench->kept[i].kind->release(bench->kept[i].own);
		free(bench->kept[i].own);
	}
	free(bench->kept);
	*bench = (struct tp_bench){ 0 };
}

void *tp_bench_own(struct tp_bench *bench, const struct tp_bench_kind *kind)
{
	for (size_t i = 0; i < bench->n_kept; i++)
		if (bench->kept[i].kind == kind)
			return bench->kept[i].own;
	TP_RESERVE(bench->kept, bench->cap_kept, bench->n_kept + 1);
	bench->kept[bench->n_kept].kind = kind;
	bench->kept[bench->n_kept].own = tp_alloc(1, kind->bytes);
	return bench->kept[bench->n_kept++].own;
}

void tp_bench_rest(struct tp_bench *bench)
{
	for (size_t i = 0; i < bench->n_kept; i++)
		if (bench->kept[i].kind->rest)
			bench->kept[i].kind->rest(bench->kept[i].own);
}

void tp_bench_begin_point(struct tp_bench *bench, const struct tp_planned *planned)
{
	for (size_t i = 0; i < bench->n_kept; i++)
		if (bench->kept[i].kind->before)
			bench->kept[i].kind->before(bench->kept[i].own, planned);
}

void tp_bench_end_point(struct tp_point *point, enum tp_status status, const struct tp_diag *diag,
			double seconds)
{
	point->state = status == TP_OK		? TP_POINT_DONE
		       : status == TP_CANCELLED ? TP_POINT_SKIPPED
						: TP_POINT_FAILED;
	if (status != TP_OK && diag)
		point->diag = *diag;
	point->seconds = seconds;
}
