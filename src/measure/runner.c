/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/runner.h"

#include <stdlib.h>

/* More than a thread gets from memory: what takes a window's length at this rate needs no second pass. */
#define MUCH_BYTES_PER_SECOND 5e10

/*
 * FP operands: close to 1, so that nothing overflows, vanishes or becomes denormal within a window; not exactly 1, so that no
 * divider or multiplier takes a short cut.
 */
static void fill_operands(const struct tp_runner *r, unsigned threads)
{
	for (unsigned t = 0; t < threads; t++) {
		char *block = (char *)r->operands + (size_t)t * TP_KERNEL_DATA_BYTES;
		for (size_t i = 0; i < TP_KERNEL_DATA_BYTES / r->element_bytes; i++) {
			size_t slot = i * r->element_bytes / r->operand_bytes;
			if (r->element_bytes == 8)
				((double *)(void *)block)[i] = slot == 0   ? 1 + 0x1p-48
							       : slot == 1 ? 0x1p-20
									   : 1.5;
			else
				((float *)(void *)block)[i] = slot == 0	  ? 1 + 0x1p-22f
							      : slot == 1 ? 0x1p-12f
									  : 1.5f;
		}
	}
}

enum tp_status tp_runner_init(struct tp_runner *r, struct tp_team *team, const struct tp_cpu *cpu,
			      const struct tp_candidate *candidate, bool cold, struct tp_diag *diag)
{
	const struct tp_kernel *kernel = &candidate->kernel;
	unsigned threads = tp_team_size(team);
	*r = (struct tp_runner){ .team = team, .passes = 1 };
	enum tp_status status = tp_kernel_emit(kernel, cpu, &r->code, diag);
	if (status != TP_OK)
		return status;
	tp_kernel_count(kernel, cpu, &r->counts);
	r->element_bytes = kernel->element_bytes;
	r->operand_bytes = tp_isa_operand_bytes(kernel->isa, kernel->element_bytes);
	double work = r->counts.flops ? (double)r->counts.flops
				      : (double)(r->counts.loaded_bytes + r->counts.stored_bytes);
	r->work_per_pass = work * threads * 1e-9;
	if (cold)
		r->evict_bytes = kernel->working_set_bytes;
	r->data = calloc(threads, sizeof(*r->data));
	if (r->data && kernel->kind == TP_KERNEL_FP)
		r->operands = aligned_alloc(64, (size_t)threads * TP_KERNEL_DATA_BYTES);
	if (!r->data || (kernel->kind == TP_KERNEL_FP && !r->operands)) {
		tp_runner_release(r);
		return tp_fail(diag, TP_NOMEM, "kernel data", NULL, "out of memory");
	}
	for (unsigned t = 0; t < threads; t++)
		r->data[t] = r->operands ? (char *)r->operands + (size_t)t * TP_KERNEL_DATA_BYTES
					 : tp_team_data(team, t) + candidate->placement_bytes;
	return TP_OK;
}

void tp_runner_release(struct tp_runner *r)
{
	tp_code_release(&r->code);
	free(r->data);
	free(r->operands);
	*r = (struct tp_runner){ 0 };
}

void tp_runner_window(struct tp_runner *r, struct tp_sample *sample)
{
	struct tp_window window;
	struct tp_window_work work = { .kernel = tp_code_function(&r->code),
				       .data = r->data,
				       .passes = r->passes,
				       .alone = r->alone,
				       .evict_bytes = r->evict_bytes };
	if (r->operands)
		fill_operands(r,
			      tp_team_size(r->team)); /* each window starts from the same numbers */
	tp_team_window(r->team, &work, &window);
	r->last_seconds = window.seconds;
	double done = r->work_per_pass * (double)r->passes / (r->alone ? tp_team_size(r->team) : 1);
	*sample = (struct tp_sample){
		.seconds = window.seconds,
		.rate = window.seconds > 0 ? done / window.seconds : 0,
		.core_ghz = window.ghz,
		.flags = window.flags,
	};
}

void tp_runner_calibrate(struct tp_runner *r, double seconds)
{
	enum { ROUNDS = 12 };
	struct tp_sample sample;
	r->passes = 1;
	if (r->evict_bytes)
		return; /* cold: the second pass would be warm */
	tp_runner_window(r, &sample); /* faults code in, warms caches and clocks */
	/* One pass over much memory is long enough; a short pass that seems long was disturbed. */
	double pass_bytes = (double)(r->counts.loaded_bytes + r->counts.stored_bytes);
	if (sample.seconds > 2 * seconds && pass_bytes > MUCH_BYTES_PER_SECOND * seconds)
		return;
	for (int i = 0; i < ROUNDS; i++) {
		double a, b;
		tp_runner_window(r, &sample);
		a = sample.seconds;
		if (a < seconds / 2) { /* a disturbed window must not make all others short */
			tp_runner_window(r, &sample);
			b = sample.seconds;
			a = b < a ? b : a;
		}
		double per_pass = a / (double)r->passes;
		if (a >= seconds / 4 && per_pass > 0) {
			double passes = seconds / per_pass;
			r->passes = passes < 1 ? 1 : (uint64_t)(passes + 0.5);
			return;
		}
		double grow = a > 0 ? 0.6 * seconds / a : 64;
		r->passes = (uint64_t)((double)r->passes * (grow > 64 ? 64 : grow)) + 1;
	}
}

void tp_runner_shorten(struct tp_runner *r, double seconds)
{
	if (!(r->last_seconds > seconds))
		return;
	double passes = (double)r->passes * seconds / r->last_seconds;
	r->passes = passes < 1 ? 1 : (uint64_t)passes;
}
