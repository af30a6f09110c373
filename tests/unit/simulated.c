/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/simulated.h"
#include "tests/unit/simulated_isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool complain(const char *what, const struct tp_diag *diag)
{
	fprintf(stderr, "%s: %s: %s\n", what, diag->where, diag->what);
	return false;
}

static bool complain_all(const char *what, struct tp_diags *diags)
{
	for (size_t i = 0; i < diags->n; i++)
		complain(what, &diags->items[i]);
	tp_diags_release(diags);
	return false;
}

bool simulated_open(struct simulated *s, const char *topology, const char *model,
		    const char *regime, uint64_t seed)
{
	const struct tp_cpu none = { .family = -1, .model = -1, .stepping = -1 };
	const struct tp_regime *found = tp_regime_find(regime);
	struct tp_diag diag = { 0 };
	char source[200];
	*s = (struct simulated){ .simulation = NULL };
	if (!found) {
		fprintf(stderr, "there is no regime %s\n", regime);
		return false;
	}
	snprintf(source, sizeof(source), "synthetic:%s",
		 topology ? topology : "pack:1 core:2 pu:1");
	if (tp_machine_init(&s->machine, &none, source, model, NULL, &diag) != TP_OK)
		return complain("machine", &diag);
	s->simulation = tp_simulation_new(&s->machine, found, seed);
	tp_bench_simulate(&s->bench, s->simulation, NULL);
	return true;
}

bool simulated_measure(struct simulated *s, const char *text)
{
	struct tp_diags diags = { 0 };
	if (tp_preset_parse(&s->preset, "test", text, strlen(text), NULL, &diags) != TP_OK)
		return complain_all("preset", &diags);
	if (tp_plan_make(&s->plan, &s->machine, &s->machine.cpu, s->preset.runs, s->preset.n_runs,
			 &diags) != TP_OK)
		return complain_all("plan", &diags);
	s->points = calloc(s->plan.n, sizeof(*s->points));
	s->rows = calloc(s->plan.n, sizeof(*s->rows));
	for (size_t i = 0; i < s->plan.n; i++) {
		const struct tp_planned *p = &s->plan.items[i];
		struct tp_diag diag = { 0 };
		s->points[i] = p->point;
		s->points[i].row =
			memcpy(&s->rows[i], p->point.row, p->point.kind->table->row_bytes);
		if ((p->experiment->prepare &&
		     p->experiment->prepare(&s->bench, &p, 1, &diag) != TP_OK) ||
		    p->experiment->run(&s->bench, p, &s->points[i], &diag) != TP_OK)
			return complain("point", &diag);
	}
	return true;
}

void simulated_close(struct simulated *s)
{
	for (size_t i = 0; s->points && i < s->plan.n; i++)
		tp_point_release(&s->points[i]);
	free(s->points);
	free(s->rows);
	tp_bench_release(&s->bench);
	tp_plan_release(&s->plan);
	tp_preset_release(&s->preset);
	tp_simulation_free(s->simulation);
	tp_machine_release(&s->machine);
	*s = (struct simulated){ .simulation = NULL };
}

struct tp_kernel simulated_load(const char *isa, uint64_t bytes)
{
	return (struct tp_kernel){ .kind = TP_KERNEL_MEMORY,
				   .isa = simulated_isa(isa),
				   .element_bytes = 8,
				   .loads = 1,
				   .working_set_bytes = bytes };
}

struct tp_kernel simulated_fp(const char *isa, enum tp_fp_op op)
{
	return (struct tp_kernel){
		.kind = TP_KERNEL_FP, .isa = simulated_isa(isa), .element_bytes = 8, .fp_op = op
	};
}
