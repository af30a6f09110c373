/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point of assembly: its loop is emitted and tried once in a child process, which may crash; then
 * windows are measured as those of any compiled code.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/stats.h"
#include "base/process.h"
#include "base/memory.h"
#include "experiments/asm/plan.h"
#include "experiments/asm/row.h"
#include "experiments/windows/bench.h"
#include "kernels/isa.h"

/* Instructions of a loop, and bytes of code, that are enough not to notice the loop. */
enum { LOOP_INSTRUCTIONS = 512, LOOP_BYTES = 8192, LOOP_BYTES_MAX = 1 << 22 };
/* A pass that takes longer than this does not end. */
#define TRIAL_SECONDS 2.0

/* Where the buffers are looked for: addresses of 32 bits, as loads of 32 bits in a chain need. */
#define LOW_ADDRESS ((void *)(uintptr_t)0x20000000)

struct measuring {
	struct tp_bench *bench;
	const struct tp_asm_plan *plan;
	struct tp_point *point;
	struct tp_code code;
	struct tp_asm_block *blocks; /* one a thread */
	void **data; /* to them */
	struct tp_compiled compiled;
	uint64_t unroll;
};

/* --- buffers --- */

/* What fills a buffer: every element is 1, or every cell holds its own address. */
static void fill(void *data, uint64_t pointers)
{
	const struct tp_asm_block *block = data;
	uint64_t *cells = (uint64_t *)(uintptr_t)block->buffer;
	size_t n = (block->middle - block->buffer) * 2 / sizeof(*cells);
	for (size_t i = 0; i < n; i++)
		cells[i] = pointers ? (uint64_t)(uintptr_t)&cells[i] : block->pattern;
}

/* Elements of 1 in the precision that the instructions work on: 1 stays 1 in a chain of products.
 */
static uint64_t pattern_of(const struct tp_asm_body *body)
{
	const double one = 1;
	const uint64_t singles = UINT64_C(0x3f8000003f800000);
	uint64_t doubles;
	memcpy(&doubles, &one, sizeof(doubles));
	for (size_t i = 0; i < body->n; i++) {
		size_t len = strcspn(body->lines[i], " ");
		const char *line = body->lines[i];
		if (len > 2 && line[len - 1] == 'd' &&
		    (line[len - 2] == 'p' || line[len - 2] == 's'))
			return doubles;
		if (len > 2 && line[len - 1] == 's' &&
		    (line[len - 2] == 'p' || line[len - 2] == 's'))
			return singles;
	}
	return singles;
}

static enum tp_status make_buffers(struct measuring *m, struct tp_diag *diag)
{
	size_t bytes = m->plan->buffer_bytes;
	for (unsigned t = 0; t < m->point->threads; t++) {
		void *memory = mmap(LOW_ADDRESS, bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return tp_fail(diag, TP_NOMEM, "asm", "a smaller asm.buffer",
				       "no memory for the buffer");
		m->blocks[t] = (struct tp_asm_block){
			.buffer = (uintptr_t)memory,
			.middle = (uintptr_t)memory + bytes / 2 / 64 * 64,
			.pattern = pattern_of(m->plan->body),
		};
		m->data[t] = &m->blocks[t];
	}
	return TP_OK;
}

static void release_buffers(struct measuring *m)
{
	for (unsigned t = 0; t < m->point->threads && m->blocks; t++)
		if (m->blocks[t].buffer)
			munmap((void *)(uintptr_t)m->blocks[t].buffer, m->plan->buffer_bytes);
}

/* --- a try --- */

/* Signals have their usual effect again: it is this process that the instructions may end. */
static void __attribute__((noreturn)) be_tried(const struct measuring *m, pid_t parent)
{
	static const int faults[] = { SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGSYS };
	sigset_t none;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	if (getppid() != parent)
		_exit(TP_EXIT_FAILED);
	for (size_t i = 0; i < TP_COUNT_OF(faults); i++)
		signal(faults[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	tp_code_function (&m->code)(m->data[0], 1);
	_exit(0);
}

static enum tp_status try_once(const struct measuring *m, struct tp_diag *diag)
{
	struct tp_str how = { 0 };
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid == 0)
		be_tried(m, parent);
	if (pid < 0)
		return tp_fail(diag, TP_RESOURCE, "asm", "raise the limit on processes (ulimit -u)",
			       "no process for a try");
	int status = tp_process_reap(pid, INFINITY, TRIAL_SECONDS);
	struct tp_process_end end = { .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
				      .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0 };
	if (!end.signal && !end.code)
		return TP_OK;
	if (end.signal == SIGKILL)
		return tp_fail(diag, TP_FAILED, "asm", "jumps must leave the instructions behind",
			       "the instructions did not end within %g s", TRIAL_SECONDS);
	tp_process_end_text(end, &how);
	tp_fail(diag, TP_CRASHED, "asm",
		end.signal == SIGILL ? "this CPU lacks an instruction, or forbids it to programs"
		: end.signal == SIGSEGV || end.signal == SIGBUS
			? "memory operands point into the buffer: asm.buffer is its size"
			: NULL,
		"the instructions %s", tp_str_text(&how));
	tp_str_release(&how);
	return TP_CRASHED;
}

/* --- windows --- */

static uint64_t unroll_of(const struct tp_asm_plan *plan)
{
	const struct tp_asm_built *built = plan->built;
	uint64_t wanted = plan->unroll;
	if (!wanted)
		wanted = TP_MIN(LOOP_INSTRUCTIONS / built->instructions, LOOP_BYTES / built->bytes);
	return TP_MAX(TP_MIN(wanted, LOOP_BYTES_MAX / built->bytes), 1);
}

static enum tp_status prepare(void *context, struct tp_team *team, struct tp_compiled *compiled,
			      struct tp_diag *diag)
{
	struct measuring *m = context;
	const struct tp_asm_built *built = m->plan->built;
	enum tp_status status = make_buffers(m, diag);
	if (status != TP_OK)
		return status;
	/* Pointers are numbers that arithmetic of vectors would take for denormal ones. */
	for (unsigned t = 0; t < m->point->threads; t++)
		fill(m->data[t], !built->vectors);
	status = try_once(m, diag);
	if (status != TP_OK)
		return status;
	((struct tp_asm_row *)m->point->row)->clock_correction =
		tp_asm_clock_correction(m->bench, team);
	m->compiled = (struct tp_compiled){
		.function = tp_code_function(&m->code),
		.data = m->data,
		.work_per_pass = (double)(built->instructions * m->unroll),
		.timed = true,
		.lead_passes = m->plan->warmup,
	};
	*compiled = m->compiled;
	return TP_OK;
}

static enum tp_status emit(struct measuring *m, struct tp_diag *diag)
{
	const struct tp_asm_built *built = m->plan->built;
	if (!built)
		return tp_fail(diag, TP_INTERNAL, "asm", NULL, "the point was not prepared");
	if (built->status != TP_OK) {
		*diag = built->diag;
		return built->status;
	}
	m->unroll = unroll_of(m->plan);
	return tp_asm_host(diag)->emit(m->bench->cpu, built->code, built->bytes, m->unroll,
				       &m->code, diag);
}

/* --- what it tells --- */

/* Fused multiply-adds in a cycle by the machine model, if all instructions are such. */
static double model_ipc(const struct measuring *m)
{
	unsigned element = m->plan->built->fma_element_bytes,
		 vector = m->plan->built->fma_vector_bytes;
	for (size_t i = 0; i < tp_isa_count && element; i++)
		if (tp_isa_table[i]->vector_bytes == vector &&
		    strcmp(tp_isa_table[i]->arch, m->bench->cpu->arch) == 0)
			return tp_model_peak_flop_per_cycle(
				       &m->bench->machine->model, tp_isa_table[i]->name,
				       element == 4 ? "single" : "double", "fma") /
			       (2. * TP_MAX(vector / element, 1U));
	return 0;
}

static void tell(const struct measuring *m)
{
	const struct tp_asm_built *built = m->plan->built;
	struct tp_asm_row *row = m->point->row;
	double n = (double)built->instructions;
	row->copies = (unsigned)built->copies;
	row->unroll = (unsigned)m->unroll;
	row->chain = built->known ? built->chain : -1;
	row->model_ipc = model_ipc(m);
	struct tp_str given = { 0 };
	tp_asm_add_lines(m->plan->body, &given);
	if (strcmp(tp_str_text(&given), tp_str_text(&built->text)) != 0)
		tp_asm_join(tp_str_text(&built->text), row->ran, sizeof(row->ran));
	tp_str_release(&given);
	tp_copy(row->mca_cpu, sizeof(row->mca_cpu), built->mca_cpu);
	row->mca_cycles = built->mca.cycles / n;
	row->mca_uops = built->mca.uops / n;
	row->mca_rthroughput = built->mca.rthroughput / n;
	tp_copy(row->mca_pressure, sizeof(row->mca_pressure), built->mca.pressure);
}

/* Cycles of an instruction over the windows that count; 0 = no window tells its clock. */
static double cycles_of(const struct tp_point *point, double *scratch)
{
	size_t n = 0;
	for (int dropped = 0; dropped < 2 && n == 0; dropped++)
		for (size_t i = 0; i < point->n_samples; i++) {
			const struct tp_sample *s = &point->samples[i];
			if (s->core_ghz > 0 && s->rate > 0 && (dropped || !s->flags))
				scratch[n++] = s->core_ghz / s->rate;
		}
	tp_sort_doubles(scratch, n);
	return n ? tp_median_sorted(scratch, n) : 0;
}

enum tp_status tp_asm_derive(const struct tp_planned *planned, struct tp_point *point,
			     struct tp_diag *diag)
{
	struct tp_asm_row *row = point->row;
	double *scratch = calloc(point->n_samples + 1, sizeof(*scratch));
	if (!scratch)
		return tp_fail(diag, TP_NOMEM, "asm", NULL, "out of memory");
	row->cycles =
		cycles_of(point, scratch) * (row->clock_correction > 0 ? row->clock_correction : 1);
	free(scratch);
	if (!(row->cycles > 0) || !(row->kernel.median_ns > 0))
		return tp_fail(diag, TP_FAILED, "asm", "measure longer: stop.max_time",
			       "no window tells the clock of the core, so there are no cycles");
	double scale = row->cycles / row->kernel.median_ns;
	double instructions = (double)row->count * row->copies;
	(void)planned;
	row->body_cycles = row->cycles * row->count;
	row->ipc = 1 / row->cycles;
	bool chained = row->chain >= instructions;
	row->latency = chained ? row->cycles : 0;
	bool waits_not =
		row->chain == 0 || (row->chain > 0 && strcmp(row->mode, "throughput") == 0);
	row->rthroughput = waits_not && !chained ? row->cycles : 0;
	point->median = row->cycles;
	point->best *= scale;
	point->ci_low *= scale;
	point->ci_high *= scale;
	point->mean *= scale;
	point->stddev *= scale;
	point->mad *= scale;
	strcpy(point->unit, "cycles");
	return TP_OK;
}

enum tp_status tp_asm_run(struct tp_bench *bench, const struct tp_planned *planned,
			  struct tp_point *point, struct tp_diag *diag)
{
	struct measuring m = { .bench = bench, .plan = tp_asm_plan(planned), .point = point };
	struct tp_asm_row *row = point->row;
	struct tp_window_code code = {
		.prepare = prepare,
		.context = &m,
		.counting = { .counts = row->counts, .counts_bytes = sizeof(row->counts) },
	};
	size_t bytes = point->threads * sizeof(*m.blocks);
	m.blocks = aligned_alloc(_Alignof(struct tp_asm_block), bytes);
	m.data = calloc(point->threads, sizeof(*m.data));
	enum tp_status status = TP_OK;
	if (!m.blocks || !m.data)
		status = tp_fail(diag, TP_NOMEM, "asm", NULL, "out of memory");
	if (m.blocks)
		memset(m.blocks, 0, bytes);
	if (status == TP_OK)
		status = emit(&m, diag);
	if (status == TP_OK) {
		tell(&m);
		code.counting.elements =
			(double)(m.plan->built->instructions * m.unroll * point->threads);
		status = tp_window_run_code(bench, planned, &code, point, diag);
		if (status == TP_OK)
			status = tp_asm_derive(planned, point, diag);
	}
	if (status != TP_OK && status != TP_CANCELLED) {
		point->state = TP_POINT_FAILED;
		point->diag = *diag;
	}
	release_buffers(&m);
	tp_code_release(&m.code);
	free(m.blocks);
	free(m.data);
	return status;
}
