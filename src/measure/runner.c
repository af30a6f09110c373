/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/runner.h"
#include "base/vec.h"

#include <stdlib.h>

/* Longest run of dependent additions in one body; longer pauses repeat it. */
#define PAUSE_ADDITIONS 4096u
/* Of a window, before it: the time in which streams fill the queues on the way to memory. */
#define LEAD_SHARE 8

/* More than a thread gets from memory: what takes a window's length at this rate needs no second pass. */
#define MUCH_BYTES_PER_SECOND 5e10

/*
 * FP operands: close to 1, so that nothing overflows, vanishes or becomes denormal within a window; not exactly 1, so that no
 * divider or multiplier takes a short cut.
 */
static void fill_operands(const struct tp_runner *r, unsigned threads)
{
	size_t bytes = (size_t)(2 + TP_KERNEL_ACCUMULATORS) * r->operand_bytes;
	bytes = TP_MIN(bytes, (size_t)TP_KERNEL_DATA_BYTES);
	for (unsigned t = 0; t < threads; t++) {
		char *block = (char *)r->operands + (size_t)t * TP_KERNEL_DATA_BYTES;
		for (size_t i = 0; i < bytes / r->element_bytes; i++) {
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

/* The code that streams beside a chase: slices, and the pause between them as dependent additions of one cycle each. */
static enum tp_status prepare_stream(struct tp_runner *r, const struct tp_stream *stream,
				     uint64_t bytes, const struct tp_cpu *cpu, struct tp_diag *diag)
{
	unsigned cycles = stream->pause_cycles;
	unsigned repeat = (cycles + PAUSE_ADDITIONS - 1) / PAUSE_ADDITIONS;
	enum tp_status status = tp_kernel_emit(&stream->kernel, cpu, &r->slice, diag);
	if (status == TP_OK && cycles) {
		struct tp_kernel chain = { .kind = TP_KERNEL_CHAIN,
					   .isa = stream->kernel.isa,
					   .body.unroll = cycles / repeat };
		status = tp_kernel_emit(&chain, cpu, &r->pause, diag);
	}
	if (status != TP_OK)
		return status;
	r->stream = (struct tp_window_stream){
		.slice = tp_code_function(&r->slice),
		.pause = cycles ? tp_code_function(&r->pause) : NULL,
		.slice_bytes = stream->kernel.working_set_bytes,
		.bytes = bytes,
		.pause_passes = repeat,
	};
	return TP_OK;
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
	r->chase = kernel->kind == TP_KERNEL_CHASE;
	unsigned chasers = !r->chase ? 0 : candidate->chasers ? candidate->chasers : threads;
	if (kernel->working_set_bytes) /* the kernel uses the buffers */
		status = tp_team_contents(team, chasers, &candidate->chase, diag);
	if (status == TP_OK && candidate->stream)
		status = prepare_stream(r, candidate->stream, kernel->working_set_bytes, cpu, diag);
	if (status != TP_OK) {
		tp_runner_release(r);
		return status;
	}
	r->alone = r->chase && chasers < threads;
	tp_kernel_count(kernel, cpu, &r->counts);
	r->element_bytes = kernel->element_bytes;
	r->operand_bytes = tp_kernel_operand_bytes(kernel);
	double work = r->counts.flops ? (double)r->counts.flops
				      : (double)(r->counts.loaded_bytes + r->counts.stored_bytes);
	r->work_per_pass = (r->chase ? (double)r->counts.loads : work * threads) * 1e-9;
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
			     : r->chase	 ? tp_team_cell(team, t)
					 : tp_team_data(team, t) + candidate->placement_bytes;
	return TP_OK;
}

void tp_runner_release(struct tp_runner *r)
{
	tp_code_release(&r->code);
	tp_code_release(&r->slice);
	tp_code_release(&r->pause);
	free(r->data);
	free(r->operands);
	*r = (struct tp_runner){ 0 };
}

void tp_runner_window(struct tp_runner *r, struct tp_sample *sample)
{
	struct tp_window window;
	r->stream.lead_passes = r->passes / LEAD_SHARE + 1;
	struct tp_window_work work = { .kernel = tp_code_function(&r->code),
				       .data = r->data,
				       .passes = r->passes,
				       .alone = r->alone,
				       .stream = r->stream.slice ? &r->stream : NULL,
				       .evict_bytes = r->evict_bytes };
	if (r->operands)
		fill_operands(r,
			      tp_team_size(r->team)); /* each window starts from the same numbers */
	tp_team_window(r->team, &work, &window);
	r->last_seconds = window.seconds;
	double done = r->work_per_pass * (double)r->passes;
	if (r->alone && !r->chase)
		done /= tp_team_size(r->team);
	*sample = (struct tp_sample){
		.seconds = window.seconds,
		.rate = window.seconds > 0 ? done / window.seconds : 0,
		.stream_gbps = window.stream_gbps,
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
