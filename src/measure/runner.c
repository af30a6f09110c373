/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/runner.h"
#include "base/process.h"
#include "base/memory.h"
#include "measure/team_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longest run of dependent additions in one body; longer pauses repeat it. */
#define PAUSE_ADDITIONS 4096u
/*
 * Before the window of a chase: the time in which streams fill the queues on the way to memory, and
 * lines are fetched that something else pushed out.
 */
#define LEAD_SECONDS 20e-6
#define LEAD_SHARE   8 /* of a window with streams, at least */

/*
 * A slice of a walk: short, so that a window of one still fits between the pauses of a busy
 * hypervisor. Small working sets need none.
 */
#define SLICE_BYTES ((uint64_t)512 << 10)
#define WALK_SLICES 8
/* Of a window, if nothing forbids it: the overhead at its ends is then negligible. */
#define WINDOW_BYTES ((uint64_t)16 << 20)
/* Lanes of a slice lie a page and some lines apart, so they do not meet in the sets of a cache. */
enum { SLICE_LANES = 16, PAGE_BYTES = 4096, LINES_APART = 5, LINE_BYTES = 64 };
/* With slow memory, the caches are left as they are after this time. */
#define SETTLE_SECONDS 0.1

/* What a unit for matrices works before a window. */
#define WAKE_SECONDS 20e-6

/*
 * More than a thread gets from memory: what takes a window's length at this rate needs no second
 * pass.
 */
#define MUCH_BYTES_PER_SECOND 5e10

/* A running thread does more than this on any machine. */
#define LITTLE_BYTES_PER_SECOND 1e8
#define LITTLE_FLOPS_PER_SECOND 1e7

/*
 * FP operands: close to 1, so that nothing overflows, vanishes or becomes denormal within a window;
 * not exactly 1, so that no divider or multiplier takes a short cut.
 */
/*
 * Narrow ones, in words of 4 bytes: a, b and an accumulator, by the same rules. Sums are floats or
 * integers; integers wrap around.
 */
static void fill_narrow(uint32_t *block, const struct tp_kernel *k, size_t operand_bytes,
			size_t bytes)
{
	static const uint32_t half[] = { 0x3c013c01, 0x14001400, 0x3e003e00 },
			      bfloat[] = { 0x3f813f81, 0x39803980, 0x3fc00000 },
			      integer[] = { 0x53535353, 0x35353535, 1 };
	const uint32_t *values = k->format == TP_FORMAT_BFLOAT	  ? bfloat
				 : k->format == TP_FORMAT_INTEGER ? integer
								  : half;
	for (size_t i = 0; i < bytes / sizeof(*block); i++)
		block[i] = values[TP_MIN(i * sizeof(*block) / operand_bytes, (size_t)2)];
}

static void fill_operands(const struct tp_runner *r, unsigned threads)
{
	size_t bytes = (size_t)(2 + TP_KERNEL_ACCUMULATORS) * r->operand_bytes;
	bytes = TP_MIN(bytes, (size_t)TP_KERNEL_DATA_BYTES);
	for (unsigned t = 0; t < threads; t++) {
		char *block = (char *)r->operands + t * r->block_bytes;
		if (r->element_bytes < TP_LEAST_ELEMENT_BYTES) {
			fill_narrow((uint32_t *)(void *)block, &r->piece, r->operand_bytes, bytes);
			continue;
		}
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

/*
 * The code that streams during a chase: slices, and the pause between them as dependent additions
 * of one cycle each.
 */
static enum tp_status prepare_stream(struct tp_runner *r, const struct tp_stream *stream,
				     uint64_t bytes, bool flushed, const struct tp_cpu *cpu,
				     struct tp_diag *diag)
{
	unsigned cycles = stream->pause_cycles;
	unsigned repeat = (cycles + PAUSE_ADDITIONS - 1) / PAUSE_ADDITIONS;
	enum tp_status status = tp_team_emit(r->team, &stream->kernel, cpu, &r->slice, diag);
	if (status == TP_OK && cycles) {
		struct tp_kernel chain = { .kind = TP_KERNEL_CHAIN,
					   .isa = stream->kernel.isa,
					   .body.unroll = cycles / repeat };
		status = tp_team_emit(r->team, &chain, cpu, &r->pause, diag);
	}
	if (status != TP_OK)
		return status;
	r->stream = (struct tp_window_stream){
		.slice = tp_code_function(&r->slice),
		.pause = cycles ? tp_code_function(&r->pause) : NULL,
		.slice_bytes = stream->kernel.working_set_bytes,
		.bytes = bytes,
		.flushed = flushed,
		.pause_passes = repeat,
		.pause_cycles = cycles,
	};
	return TP_OK;
}

struct tp_kernel tp_sampler_piece(const struct tp_kernel *kernel)
{
	struct tp_kernel piece = *kernel;
	if (kernel->kind != TP_KERNEL_MEMORY && kernel->kind != TP_KERNEL_MIXED)
		return piece;
	unsigned stride = kernel->stride ? kernel->stride : 1;
	uint64_t page = (uint64_t)PAGE_BYTES * stride;
	uint64_t apart = LINES_APART * stride *
			 (uint64_t)TP_MAX(tp_kernel_operand_bytes(kernel), (unsigned)LINE_BYTES);
	uint64_t lane = SLICE_BYTES / SLICE_LANES / (2 * page) * (2 * page) + page + apart;
	if (kernel->working_set_bytes >= WALK_SLICES * SLICE_LANES * lane)
		piece.working_set_bytes = SLICE_LANES * lane;
	return piece;
}

/* Where the walk begins: what was walked last, or by another kernel, is not to be met again soon.
 */
static void begin_walk(struct tp_runner *r)
{
	struct tp_team *team = r->team;
	const struct tp_kernel *kernel = &r->candidate->kernel;
	bool stores = kernel->stores > 0;
	if (kernel->working_set_bytes == 0)
		return; /* the caches stay as they are */
	if (!r->walk.slice_bytes || team->walk.bytes != r->walk.bytes ||
	    team->walk.stores != stores)
		team->walk.settled_bytes = 0;
	team->walk.bytes = r->walk.bytes;
	team->walk.stores = stores;
}

/* Its data are separate: the buffers of the team stay as they are. */
static void init_compiled(struct tp_runner *r)
{
	const struct tp_compiled *compiled = r->candidate->compiled;
	size_t bytes = tp_team_size(r->team) * sizeof(*r->data);
	r->piece = r->candidate->kernel;
	r->function = compiled->function;
	r->work_per_pass = compiled->work_per_pass * 1e-9;
	r->one_thread = compiled->timed;
	r->lead_passes = compiled->lead_passes;
	r->counts.loaded_bytes = r->piece.working_set_bytes;
	r->data = tp_alloc(bytes, 1);
	if (compiled->data)
		memcpy(r->data, compiled->data, bytes);
}

enum tp_status tp_runner_init(struct tp_runner *r, struct tp_team *team, const struct tp_cpu *cpu,
			      const struct tp_candidate *candidate,
			      const struct tp_sampling *sampling, struct tp_diag *diag)
{
	const struct tp_kernel *kernel = &candidate->kernel;
	const bool cold = sampling->cold;
	unsigned threads = tp_team_size(team);
	*r = (struct tp_runner){ .team = team, .candidate = candidate, .passes = 1 };
	if (candidate->compiled) {
		init_compiled(r);
		return TP_OK;
	}
	r->piece = cold ? *kernel : tp_sampler_piece(kernel);
	if (r->piece.working_set_bytes < kernel->working_set_bytes)
		r->walk = (struct tp_window_walk){ .slice_bytes = r->piece.working_set_bytes,
						   .bytes = kernel->working_set_bytes,
						   .flushed = sampling->flushed };
	/* What was flushed is read once. */
	if (r->walk.flushed)
		r->most_passes = r->walk.bytes / r->walk.slice_bytes;
	enum tp_status status = tp_team_emit(team, &r->piece, cpu, &r->code, diag);
	if (status != TP_OK)
		return status;
	r->function = tp_code_function(&r->code);
	begin_walk(r);
	r->chase = kernel->kind == TP_KERNEL_CHASE;
	r->one_thread = r->chase || kernel->kind == TP_KERNEL_GATHER;
	unsigned chasers = !r->chase ? 0 : candidate->chasers ? candidate->chasers : threads;
	if (kernel->working_set_bytes) /* the kernel uses the buffers */
		status = tp_team_contents(team, chasers, &candidate->chase, diag);
	if (status == TP_OK && candidate->stream)
		status = prepare_stream(r, candidate->stream, kernel->working_set_bytes,
					sampling->flushed, cpu, diag);
	if (status != TP_OK) {
		tp_runner_release(r);
		return status;
	}
	r->alone = r->chase && chasers < threads;
	tp_kernel_count(&r->piece, cpu, &r->counts);
	r->element_bytes = kernel->element_bytes;
	r->operand_bytes = tp_kernel_operand_bytes(kernel);
	r->block_bytes = tp_kernel_data_bytes(kernel);
	double work = tp_kernel_work(kernel, &r->counts);
	r->work_per_pass = (r->chase ? (double)r->counts.loads : work * threads) * 1e-9;
	if (kernel->kind == TP_KERNEL_GATHER) {
		r->work_per_pass = (double)r->counts.other * 1e-9;
		tp_gather_places_init(&r->places, team, kernel, candidate->seed);
		r->evict_bytes = cold ? r->places.evict_bytes : 0;
	} else if (cold || (sampling->flushed && !r->walk.flushed))
		r->evict_bytes = kernel->working_set_bytes;
	r->data = tp_alloc(threads, sizeof(*r->data));
	if (kernel->kind == TP_KERNEL_FP)
		r->operands = aligned_alloc(64, threads * r->block_bytes);
	if (kernel->kind == TP_KERNEL_FP && !r->operands)
		tp_out_of_memory();
	for (unsigned t = 0; t < threads; t++)
		r->data[t] = r->operands      ? (char *)r->operands + t * r->block_bytes
			     : r->chase	      ? tp_team_cell(team, t)
			     : r->places.data ? (void *)&r->places.data[t]
			     : tp_team_data(team, t)
				     ? tp_team_data(team, t) + candidate->placement_bytes
				     : NULL;
	return TP_OK;
}

void tp_runner_release(struct tp_runner *r)
{
	tp_code_release(&r->code);
	tp_code_release(&r->slice);
	tp_code_release(&r->pause);
	tp_gather_places_release(&r->places);
	free(r->data);
	free(r->operands);
	*r = (struct tp_runner){ 0 };
}

/* Of a chase: a whole lap is enough, unless streams have to come up. */
static uint64_t lead_passes(const struct tp_runner *r)
{
	const struct tp_chase *chase = &r->candidate->chase;
	uint64_t lap = chase->bytes / tp_chase_stride(chase) / r->counts.loads + 1;
	double seconds = r->lead_seconds > 0 ? r->lead_seconds : LEAD_SECONDS;
	uint64_t usual = r->pass_seconds > 0 ? (uint64_t)(seconds / r->pass_seconds) : 0;
	return r->candidate->stream  ? TP_MAX(r->passes / LEAD_SHARE, usual) + 1
	       : r->lead_seconds > 0 ? usual
				     : TP_MIN(lap, usual);
}

/*
 * A unit for matrices sleeps when idle. After 50 us without work AMX takes twice its time for some
 * 10 us (Granite Rapids), and it is idle between windows: half of a window would show that instead
 * of the peak.
 */
static uint64_t waking_passes(const struct tp_runner *r)
{
	if (r->piece.kind != TP_KERNEL_FP || r->piece.fp_op != TP_FP_TILE || !(r->pass_seconds > 0))
		return r->lead_passes;
	return TP_MAX(r->lead_passes, (uint64_t)(WAKE_SECONDS / r->pass_seconds) + 1);
}

void tp_runner_window(struct tp_runner *r, struct tp_sample *sample)
{
	struct tp_window window;
	if (r->most_passes)
		r->passes = TP_MIN(r->passes, r->most_passes);
	struct tp_window_work work = {
		.kernel = r->function,
		.described = &r->piece,
		.stream_described = r->candidate->stream ? &r->candidate->stream->kernel : NULL,
		.placement_bytes = r->candidate->placement_bytes,
		.data = r->data,
		.passes = r->passes,
		.lead_passes = r->chase ? lead_passes(r) : waking_passes(r),
		.alone = r->alone,
		.stream = r->candidate->stream ? &r->stream : NULL,
		.walk = r->walk,
		.evict_bytes = r->evict_bytes,
		.evict_places = r->places.bases,
		.n_evict_places = r->places.bases ? r->piece.gather->gathers : 0,
		.marks = r->candidate->compiled ? r->candidate->compiled->marks : NULL,
		.pass = r->candidate->compiled ? r->candidate->compiled->pass : NULL,
	};
	work.walk.from = r->team->walk.at;
	if (r->operands)
		fill_operands(r,
			      tp_team_size(r->team)); /* each window starts from the same numbers */
	tp_team_window(r->team, &work, &window);
	/* The team has walked through the slices of a window. */
	struct tp_team *team = r->team;
	size_t slice = r->walk.slice_bytes;
	if (slice) {
		team->walk.settled_bytes += (size_t)r->passes * slice;
		for (uint64_t i = 0; i < r->passes; i++) {
			if (team->walk.at + slice > r->walk.bytes)
				team->walk.at = 0;
			team->walk.at += slice;
		}
	}
	r->last_seconds = window.seconds;
	r->pass_seconds = window.seconds / (double)r->passes;
	double done = r->work_per_pass * (double)r->passes;
	if (r->alone && !r->one_thread)
		done /= tp_team_size(r->team);
	*sample = (struct tp_sample){
		.seconds = window.seconds,
		.rate = window.seconds > 0 ? done / window.seconds : 0,
		.stream_gbps = window.stream_gbps,
		.core_ghz = window.ghz,
		.core_width = isfinite(window.width) ? window.width : 0,
		.flags = window.flags,
	};
}

void tp_runner_settle(struct tp_runner *r, uint64_t bytes)
{
	double until = tp_team_now(r->team) + SETTLE_SECONDS;
	struct tp_sample sample;
	bytes = TP_MIN(bytes, (uint64_t)r->walk.bytes);
	tp_runner_lengthen(r);
	while (r->walk.slice_bytes && !r->walk.flushed && r->team->walk.settled_bytes < bytes &&
	       tp_team_now(r->team) < until && !tp_stop_asked)
		tp_runner_window(r, &sample);
}

void tp_runner_lengthen(struct tp_runner *r)
{
	uint64_t slice = r->walk.slice_bytes;
	if (slice)
		r->passes = TP_MAX(r->passes, TP_MIN(WINDOW_BYTES, r->walk.bytes / 2) / slice + 1);
}

bool tp_runner_is_fixed(const struct tp_runner *r)
{
	return r->candidate->compiled && r->candidate->compiled->passes;
}

static double pass_bytes(const struct tp_runner *r)
{
	return (double)(r->counts.loaded_bytes + r->counts.stored_bytes);
}

/* The threads were off their CPUs for most of a pass that takes so long. */
static bool is_too_slow(const struct tp_runner *r, double pass_seconds)
{
	double bytes = pass_bytes(r), flops = (double)r->counts.flops;
	return !r->chase && !r->candidate->compiled && bytes + flops > 0 &&
	       bytes < LITTLE_BYTES_PER_SECOND * pass_seconds &&
	       flops < LITTLE_FLOPS_PER_SECOND * pass_seconds;
}

void tp_runner_calibrate(struct tp_runner *r, double seconds)
{
	enum { ROUNDS = 12 };
	double slow = 0; /* time of a pass in the round before, if that was too long */
	struct tp_sample sample;
	r->passes = 1;
	if (r->evict_bytes && !r->chase)
		return; /* cold: the second pass would be warm */
	if (tp_runner_is_fixed(r)) {
		r->passes = r->candidate->compiled->passes;
		tp_runner_window(r, &sample);
		return;
	}
	tp_runner_window(r, &sample); /* faults code in, warms caches and clocks */
	/* One pass over much memory is long enough; a short pass that seems long was disturbed. */
	if (sample.seconds > 2 * seconds && pass_bytes(r) > MUCH_BYTES_PER_SECOND * seconds)
		return;
	for (int i = 0; i < ROUNDS && !tp_stop_asked; i++) {
		double a;
		tp_runner_window(r, &sample);
		a = sample.seconds;
		tp_runner_window(r, &sample); /* a disturbed one must not make all others short */
		a = TP_MIN(a, sample.seconds);
		double per_pass = a / (double)r->passes;
		bool long_enough = a >= seconds / 4 && per_pass > 0;
		/* Time spent elsewhere does not grow with the number of passes. */
		if (long_enough && (slow > 0 ? per_pass > slow / 2 : !is_too_slow(r, per_pass))) {
			double passes = seconds / per_pass;
			r->passes = passes < 1 ? 1 : (uint64_t)(passes + 0.5);
			return;
		}
		slow = long_enough ? per_pass : slow;
		double grow = long_enough ? 8 : a > 0 ? 0.6 * seconds / a : 64;
		r->passes = (uint64_t)((double)r->passes * (grow > 64 ? 64 : grow)) + 1;
	}
}

void tp_runner_shorten(struct tp_runner *r, double seconds)
{
	if (!(r->last_seconds > seconds) || tp_runner_is_fixed(r))
		return;
	double passes = (double)r->passes * seconds / r->last_seconds;
	r->passes = passes < 1 ? 1 : (uint64_t)passes;
}
