/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan as text: one line for each point. */
#include "session/session.h"
#include "report/text.h"
#include "base/units.h"
#include "base/vec.h"
#include "record/kernel_row.h"

#include <string.h>

enum { WIDE = 1000 };

static const struct tp_grid_column columns[] = {
	{ "point", TP_RIGHT, 0 },	{ "experiment", TP_LEFT, 0 }, { "ISA", TP_LEFT, 0 },
	{ "precision", TP_LEFT, 0 },	{ "threads", TP_RIGHT, 0 },   { "level", TP_LEFT, 1 },
	{ "kernel", TP_LEFT, 0 },	{ "scope", TP_LEFT, 1 },      { "technique", TP_LEFT, 1 },
	{ "size/thread", TP_RIGHT, 1 }, { "FLOP/byte", TP_RIGHT, 1 }, { "estimate", TP_RIGHT, 0 },
	{ "CPUs", TP_LEFT, 1 },
};

static void word_cell(struct tp_grid *grid, const struct tp_point *p, const char *column)
{
	const char *word = tp_point_word(p, column);
	tp_grid_text(grid, TP_PAINT_PLAIN, *word ? word : "-");
}

static void point_row(struct tp_grid *grid, const struct tp_planned *planned)
{
	const struct tp_point *p = &planned->point;
	char text[48];
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->point);
	tp_grid_text(grid, TP_PAINT_PLAIN, p->experiment);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_kernel_row(p)->isa);
	tp_grid_text(grid, TP_PAINT_PLAIN, tp_kernel_row(p)->precision);
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%u", p->threads);
	word_cell(grid, p, "level");
	tp_grid_text(grid, TP_PAINT_PLAIN, p->kernel);
	word_cell(grid, p, "scope");
	word_cell(grid, p, "technique");
	tp_grid_text(
		grid, TP_PAINT_PLAIN,
		tp_kernel_row(p)->working_set_bytes
			? tp_format_bytes(text, sizeof(text), tp_kernel_row(p)->working_set_bytes)
			: "-");
	if (tp_kernel_row(p)->ai_flop_per_byte > 0)
		tp_grid_number(grid, TP_PAINT_PLAIN, tp_kernel_row(p)->ai_flop_per_byte,
			       TP_DECIMALS);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
	tp_grid_text(grid, TP_PAINT_PLAIN,
		     p->estimate_seconds > 0
			     ? tp_format_seconds(text, sizeof(text), p->estimate_seconds)
			     : "-");
	tp_grid_text(grid, TP_PAINT_PLAIN, p->cpus);
}

/* Tells what experiments say about their points. Neighbours with the same words share a line. */
static void descriptions(const struct tp_plan *plan, struct tp_str *out)
{
	struct tp_str last = { 0 }, one = { 0 };
	unsigned first = 0, end = 0;
	for (size_t i = 0; i <= plan->n; i++) {
		tp_str_clear(&one);
		if (i < plan->n && plan->items[i].experiment->describe)
			plan->items[i].experiment->describe(&plan->items[i], &one);
		if (strcmp(tp_str_text(&one), tp_str_text(&last)) != 0) {
			if (last.len && end > first)
				tp_str_printf(out, "points %u-%u: %s\n", first, end,
					      tp_str_text(&last));
			else if (last.len)
				tp_str_printf(out, "point %u: %s\n", first, tp_str_text(&last));
			tp_str_clear(&last);
			tp_str_add(&last, tp_str_text(&one));
			first = (unsigned)i;
		}
		end = (unsigned)i;
	}
	tp_str_release(&last);
	tp_str_release(&one);
}

/* Where the estimate comes from, if not from a simulation alone. */
static void learned(const struct tp_plan *plan, struct tp_str *out)
{
	char runs[32];
	if (!plan->n_learned)
		return;
	tp_str_add(out, " (");
	if (plan->n_learned < plan->n)
		tp_str_printf(out, "%zu points ", plan->n_learned);
	tp_str_printf(out, "learned from %s of this machine)",
		      tp_text_count(runs, sizeof(runs), plan->learned_runs, "run"));
}

void tp_session_plan_text(const struct tp_plan *plan, const struct tp_machine *machine,
			  struct tp_str *out)
{
	/* For people and programs: plain ASCII, and a point is one line, however long. */
	const struct tp_look plain = { .columns = WIDE };
	struct tp_grid grid;
	uint64_t most_bytes = 0;
	char count[32], seconds[48], bytes[32];
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_planned *p = &plan->items[i];
		point_row(&grid, p);
		most_bytes = TP_MAX(most_bytes, tp_planned_memory_bytes(p));
	}
	tp_grid_write(&grid, &plain, out);
	tp_grid_release(&grid);
	descriptions(plan, out);
	tp_str_printf(out, "\n%s, about %s", tp_text_count(count, sizeof(count), plan->n, "point"),
		      tp_format_seconds(seconds, sizeof(seconds), plan->estimate_seconds));
	learned(plan, out);
	if (most_bytes)
		tp_str_printf(out, ", up to %s", tp_format_bytes(bytes, sizeof(bytes), most_bytes));
	tp_str_add(out, "\n");
	struct tp_str model = { 0 };
	tp_model_named(machine, &model);
	tp_str_printf(out, "model: %s\n",
		      model.len ? tp_str_text(&model) : "none, so no theoretical roofs");
	tp_str_release(&model);
	if (machine->foreign) {
		struct tp_str source = { 0 };
		tp_text_clean(&source, machine->source, &plain);
		tp_str_printf(out,
			      *machine->simulated ? "simulated: %s, %s\n"
						  : "planned for %s; --simulate tries it\n",
			      tp_str_text(&source), machine->simulated);
		tp_str_release(&source);
	}
}
