/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point of assembly: its loop is emitted and tried once in a child process, which may crash; then
 * windows are measured as for any compiled code.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/stats.h"
#include "base/now.h"
#include "base/process.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiments/asm/asm.h"
#include "experiments/asm/body.h"
#include "experiments/asm/row.h"
#include "experiments/windows/bench.h"
#include "kernels/isa.h"
#include "measure/sampler.h"

/* --- the clock --- */

enum { WINDOWS = 30, ADDITIONS = 1024, PASSES = 400 };

/* A correction beyond this is not an error of the clock: something else disturbed the windows. */
#define CORRECTION_MOST 0.08

static double measure_correction(struct tp_team *team, const struct tp_code *code, double additions)
{
	double found[WINDOWS];
	void *none[1] = { NULL };
	size_t n = 0;
	const struct tp_window_work work = {
		.kernel = tp_code_function(code), .data = none, .passes = PASSES, .alone = true
	};
	for (int i = 0; i < WINDOWS && !tp_stop_asked; i++) {
		struct tp_window window;
		tp_team_window(team, &work, &window);
		if (!window.flags && window.ghz > 0 && window.seconds > 0)
			found[n++] = additions * PASSES / (window.seconds * 1e9 * window.ghz);
	}
	tp_sort_doubles(found, n);
	double correction = n ? tp_median_sorted(found, n) : 1;
	return fabs(correction - 1) < CORRECTION_MOST ? correction : 1;
}

/*
 * The current factor for the clock of windows on this team: close to 1; 1 if nothing was measured.
 * The clock comes from short pieces of dependent additions, whose overhead is known to a few
 * percent at worst. In windows of only such additions each takes a cycle. Each point begins with
 * some, because neighbours of the core change what a piece costs.
 */
static double clock_correction(struct tp_bench *bench, struct tp_team *team)
{
	struct tp_kernel chain = { .kind = TP_KERNEL_CHAIN,
				   .element_bytes = 8,
				   .body.unroll = ADDITIONS };
	struct tp_kernel_counts counts;
	TP_CLEANUP(tp_code_release) struct tp_code code = { 0 };
	struct tp_diag diag;
	for (size_t i = 0; i < tp_isa_count && !chain.isa; i++)
		if (tp_isa_supported(tp_isa_table[i], bench->cpu, NULL) == TP_OK)
			chain.isa = tp_isa_table[i];
	if (!chain.isa || tp_team_emit(team, &chain, bench->cpu, &code, &diag) != TP_OK)
		return 1;
	tp_kernel_count(&chain, bench->cpu, &counts);
	double correction = measure_correction(team, &code, (double)counts.other);
	return correction;
}

/* Instructions of a loop, and bytes of code, that are enough not to notice the loop. */
enum { LOOP_INSTRUCTIONS = 512, LOOP_BYTES = 8192, LOOP_BYTES_MAX = 1 << 22 };
/* A pass that takes longer than this does not end. */
#define TRIAL_SECONDS 2.0

/* Where the buffers are looked for: addresses of 32 bits, as loads of 32 bits in a chain need. */
#define LOW_ADDRESS 0x20000000

/*
 * Displacements may lead out of the buffer by this many bytes on both sides. Beyond them lies the
 * stack, whose pointer is in its middle; signals write below that.
 */
enum { MARGIN_BYTES = 1 << 16, STACK_BYTES = 1 << 18 };

static size_t mapped_bytes(uint64_t buffer_bytes)
{
	const size_t page = 4096;
	return (buffer_bytes + page - 1) / page * page + 2 * MARGIN_BYTES + STACK_BYTES;
}

struct measuring {
	struct tp_bench *bench;
	const struct tp_asm_plan *plan;
	struct tp_point *point;
	struct tp_code code;
	struct tp_asm_block *blocks; /* one a thread */
	void **data; /* to them */
	uint64_t unroll;
};

/* --- buffers --- */

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

/* What the general registers hold at the beginning. */
static void fill_registers(const struct measuring *m, struct tp_asm_block *block)
{
	const struct tp_assembly *assembly = tp_asm_host(NULL);
	const struct tp_asm_addresses *a = &m->plan->built->addresses;
	tp_asm_fill(assembly, block);
	for (int r = 0; r < TP_ASM_GENERAL; r++) {
		if (a->is_base[r])
			block->general[r] = r == assembly->middle ? block->middle : block->buffer;
		else if (a->is_index[r])
			block->general[r] = 0;
		else if (a->scale[r])
			block->general[r] = block->buffer / a->scale[r];
	}
}

static enum tp_status make_buffers(struct measuring *m, struct tp_diag *diag)
{
	size_t bytes = m->plan->buffer_bytes, mapped = mapped_bytes(bytes);
	for (unsigned t = 0; t < m->point->threads; t++) {
		void *low = (void *)(LOW_ADDRESS + t * (uintptr_t)mapped);
		char *memory = mmap(low, mapped, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return tp_fail(diag, TP_NOMEM, "asm", "a smaller asm.buffer",
				       "no memory for the buffer");
		const uintptr_t buffer = (uintptr_t)memory + MARGIN_BYTES;
		m->blocks[t] = (struct tp_asm_block){
			.buffer = buffer,
			.middle = buffer + bytes / 2 / 64 * 64,
			.pattern =
				m->plan->built->addresses.scatters ? 0 : pattern_of(m->plan->body),
			.stack = (uintptr_t)memory + mapped - STACK_BYTES / 2,
		};
		m->data[t] = &m->blocks[t];
		fill_registers(m, &m->blocks[t]);
	}
	return TP_OK;
}

/*
 * What fills the memory around the addresses: every element is 1, or every cell holds the address
 * of the buffer. Pointers are numbers that arithmetic of vectors would take for denormal ones, and
 * divisors whose quotients would not fit.
 */
static uint64_t cell_of(const struct measuring *m, const struct tp_asm_block *block)
{
	const struct tp_asm_built *built = m->plan->built;
	uint64_t ones = 0;
	if (built->vectors)
		return pattern_of(m->plan->body);
	for (unsigned at = 0; at < 8 && built->divisor_bytes; at += built->divisor_bytes)
		ones |= UINT64_C(1) << 8 * at;
	return ones ? ones : block->buffer;
}

static void fill_memory(const struct measuring *m, const struct tp_asm_block *block)
{
	const uint64_t cell = cell_of(m, block);
	uint64_t *cells = (uint64_t *)(uintptr_t)(block->buffer - MARGIN_BYTES);
	const size_t n = mapped_bytes(m->plan->buffer_bytes) / sizeof(*cells);
	for (size_t i = 0; i < n; i++)
		cells[i] = cell;
}

/* --- a try --- */

enum { SIGNAL_STACK_BYTES = 1 << 16 };
/* The last call of a try takes so long, so that a pointer that walks leaves the memory. */
#define TRY_SECONDS 4e-3

static const int faults[] = { SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGSYS };

/* How the process of a try ended, in memory that both share. */
struct trial {
	int signal, code; /* 0 = none came */
	struct tp_asm_place place;
	char stack[SIGNAL_STACK_BYTES]; /* the instructions may have lost theirs */
};

/* Of the process that tries instructions, for its handler. */
static struct trial *trying;

static void note_fault(int number, siginfo_t *info, void *context)
{
	trying->code = info->si_code;
	tp_asm_host(NULL)->place(context, &trying->place);
	trying->signal = number;
	/* It ends the process once this handler returns. */
	signal(number, SIG_DFL);
	raise(number);
}

/* Signals keep their default effect and are noted first: they may end only this process. */
static void __attribute__((noreturn))
be_tried(const struct measuring *m, pid_t parent, struct trial *trial)
{
	const bool notes = tp_asm_host(NULL)->place;
	stack_t stack = { .ss_sp = trial->stack, .ss_size = sizeof(trial->stack) };
	sigset_t none;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	if (getppid() != parent)
		_exit(TP_EXIT_FAILED);
	trying = trial;
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < TP_COUNT_OF(faults); i++) {
		struct sigaction noted = { .sa_sigaction = note_fault,
					   .sa_flags = SA_SIGINFO | SA_ONSTACK };
		if (notes)
			sigaction(faults[i], &noted, NULL);
		else
			signal(faults[i], SIG_DFL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	double took = 0;
	for (uint64_t passes = 1; took < TRY_SECONDS; passes *= 4) {
		const double start = tp_now_seconds();
		tp_code_function (&m->code)(m->data[0], passes);
		took = tp_now_seconds() - start;
	}
	_exit(0);
}

/* The instruction at which the signal came; false if that is not known. */
static bool instruction_at(const struct measuring *m, const struct trial *trial,
			   struct tp_asm_effect *effect, size_t *index)
{
	const struct tp_asm_built *built = m->plan->built;
	const uint64_t begin = (uintptr_t)m->code.map + m->code.loop_begin;
	if (!built->known || trial->place.pc < begin ||
	    trial->place.pc >= begin + m->unroll * built->bytes)
		return false;
	/* A trap is reported after its instruction. */
	const uint64_t pc = trial->place.pc - (trial->signal == SIGTRAP);
	size_t wanted = (pc - begin) % built->bytes, at = 0;
	for (*index = 0; at < built->bytes; ++*index) {
		if (tp_asm_host(NULL)->look(built->code + at, built->bytes - at, effect) != TP_OK)
			return false;
		at += effect->bytes;
		if (at > wanted)
			return true;
	}
	return false;
}

/* Why an access of memory failed, by the registers that address it. */
static enum tp_status say_access(const struct measuring *m, const struct trial *trial,
				 const struct tp_asm_effect *e, const char *line,
				 struct tp_diag *diag)
{
	const struct tp_assembly *assembly = tp_asm_host(NULL);
	const struct tp_asm_addresses *a = &m->plan->built->addresses;
	const uint64_t *now = trial->place.general, *first = m->blocks[0].general;
	uint64_t address = (uint64_t)e->displacement;
	char name[TP_ASM_NAME_BYTES];
	bool by_register = false;
	for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
		by_register |= tp_registers_have(&e->bases, r) || tp_registers_have(&e->indexes, r);
	if (!by_register)
		return tp_fail(diag, TP_FAILED, "asm",
			       "address memory by a general register: (%rdi), [rdi]",
			       "\"%s\" accesses a fixed address, where this process has no memory",
			       line);
	for (unsigned r = 0; r < TP_ASM_GENERAL; r++) {
		const struct tp_register_name whole = { r, 3 };
		bool addresses =
			tp_registers_have(&e->bases, r) || tp_registers_have(&e->indexes, r);
		if (!addresses || (int)r == assembly->stack || !tp_asm_name(assembly, &whole, name))
			continue;
		if (a->is_base[r] && (a->is_index[r] || a->scale[r]))
			return tp_fail(
				diag, TP_FAILED, "asm", "take another register for one of them",
				"\"%s\": %s is a base here and an index as well", line, name);
		if (now[r] != first[r])
			return tp_fail(diag, TP_FAILED, "asm",
				       "put it back before it is used again, or address memory by "
				       "a register that no instruction changes",
				       "\"%s\" leaves the buffer: the instructions change %s, "
				       "by which it addresses memory",
				       line, name);
	}
	address += e->base >= 0 && e->base < TP_ASM_GENERAL ? now[e->base] : 0;
	address += e->index >= 0 && e->index < TP_ASM_GENERAL ? now[e->index] * e->scale : 0;
	if (e->aligned && address % e->aligned)
		return tp_fail(
			diag, TP_FAILED, "asm",
			"change the displacement, or take the unaligned form, such as movups",
			"\"%s\" is a misaligned access: it needs a multiple of %u bytes, and "
			"its address is %u past one",
			line, e->aligned, (unsigned)(address % e->aligned));
	char bytes[32];
	return tp_fail(diag, TP_FAILED, "asm", "a smaller displacement, or a larger asm.buffer",
		       "\"%s\" leaves the buffer of %s: its displacement is %lld", line,
		       tp_format_bytes(bytes, sizeof(bytes), m->plan->buffer_bytes),
		       (long long)e->displacement);
}

static enum tp_status say_fault(const struct measuring *m, const struct trial *trial,
				const struct tp_process_end *end, struct tp_diag *diag)
{
	TP_STR how = { 0 };
	struct tp_asm_effect effect;
	char line[TP_ASM_LINE_BYTES] = "";
	size_t index;
	bool known = trial->signal && instruction_at(m, trial, &effect, &index);
	tp_process_end_text(*end, &how);
	if (known)
		tp_asm_line_at(m->plan->built, index, line);
	if (known && (end->signal == SIGSEGV || end->signal == SIGBUS) &&
	    (effect.loads || effect.stores))
		return say_access(m, trial, &effect, line, diag);
	return tp_fail(
		diag, TP_CRASHED, "asm",
		end->signal == SIGILL ? "this CPU lacks an instruction, or forbids it to programs"
		: end->signal == SIGFPE
			? "a divisor is 0, or a quotient too large: set the registers before it"
		: end->signal == SIGTRAP ? "it is a breakpoint: leave it out"
		: end->signal == SIGSEGV || end->signal == SIGBUS
			? "the CPU refuses it to programs, or with these registers"
			: NULL,
		"%s%s%s %s", known ? "\"" : "", known ? line : "the instructions",
		known ? "\"" : "", tp_str_text(&how));
}

static enum tp_status try_once(const struct measuring *m, struct tp_diag *diag)
{
	struct trial *trial = mmap(NULL, sizeof(*trial), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (trial == MAP_FAILED)
		return tp_fail(diag, TP_NOMEM, "asm", NULL, "no memory for a try");
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid == 0)
		be_tried(m, parent, trial);
	enum tp_status status = TP_OK;
	if (pid < 0) {
		status =
			tp_fail(diag, TP_RESOURCE, "asm",
				"raise the limit on processes (ulimit -u)", "no process for a try");
	} else {
		const struct tp_process_end end =
			tp_process_end_of(tp_process_reap(pid, INFINITY, TRIAL_SECONDS));
		if (end.signal == SIGKILL)
			status = tp_fail(diag, TP_FAILED, "asm",
					 "jumps must reach the end of the instructions",
					 "the instructions did not end within %g s", TRIAL_SECONDS);
		else if (end.signal || end.code)
			status = say_fault(m, trial, &end, diag);
	}
	munmap(trial, sizeof(*trial));
	return status;
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

static enum tp_status prepare_windows(void *context, struct tp_team *team,
				      struct tp_compiled *compiled, struct tp_diag *diag)
{
	struct measuring *m = context;
	const struct tp_asm_built *built = m->plan->built;
	enum tp_status status = make_buffers(m, diag);
	if (status != TP_OK)
		return status;
	for (unsigned t = 0; t < m->point->threads; t++)
		fill_memory(m, m->data[t]);
	status = try_once(m, diag);
	if (status != TP_OK)
		return status;
	((struct tp_asm_row *)m->point->row)->clock_correction = clock_correction(m->bench, team);
	*compiled = (struct tp_compiled){
		.function = tp_code_function(&m->code),
		.data = m->data,
		.work_per_pass = (double)(built->instructions * m->unroll),
		.timed = true,
		.lead_passes = m->plan->warmup,
	};
	return TP_OK;
}

/* The longer of both: what the ports need, or the longest chain. */
static enum tp_status describe_windows(void *context,
				       const double caches[TP_CACHE_LEVELS] __attribute__((unused)),
				       struct tp_window_pass *pass, struct tp_compiled *compiled,
				       struct tp_diag *diag)
{
	struct measuring *m = context;
	const struct tp_asm_built *built = m->plan->built;
	TP_FREE struct tp_asm_effect *effects = tp_alloc(TP_ASM_EFFECTS_MAX, sizeof(*effects));
	TP_FREE double *cycles = tp_alloc(TP_ASM_EFFECTS_MAX, sizeof(*cycles));
	size_t n = tp_asm_look(tp_asm_host(NULL), built, effects, TP_ASM_EFFECTS_MAX);
	if (n == 0)
		return tp_fail(
			diag, TP_UNSUPPORTED, "asm", NULL,
			"what the instructions do is not known, so they cannot be simulated");
	double ports = tp_simulation_port_cycles(m->bench->simulation, effects, n, cycles, diag);
	double chain = tp_asm_chain(effects, cycles, n);
	if (!(ports > 0))
		return TP_UNSUPPORTED;
	for (size_t i = 0; i < n; i++)
		pass->vector_bytes = TP_MAX(pass->vector_bytes, effects[i].vector_bytes);
	*(chain > ports ? &pass->chain_cycles : &pass->fp_cycles) =
		fmax(chain, ports) * (double)m->unroll;
	compiled->work_per_pass = (double)(built->instructions * m->unroll);
	compiled->timed = true;
	return TP_OK;
}

static enum tp_status emit_loop(struct measuring *m, struct tp_diag *diag)
{
	const struct tp_asm_built *built = m->plan->built;
	if (!built)
		return tp_fail(diag, TP_INTERNAL, "asm", NULL, "the point was not prepared");
	if (built->status != TP_OK) {
		*diag = built->diag;
		return built->status;
	}
	m->unroll = unroll_of(m->plan);
	if (m->bench->simulation)
		return TP_OK;
	const struct tp_assembly *assembly = tp_asm_host(diag);
	return tp_asm_emit(assembly, m->bench->cpu, built->code, built->bytes, m->unroll, &m->code,
			   diag);
}

/* --- results --- */

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

static void note_built(const struct measuring *m)
{
	const struct tp_asm_built *built = m->plan->built;
	struct tp_asm_row *row = m->point->row;
	double n = (double)built->instructions;
	row->copies = (unsigned)built->copies;
	row->unroll = (unsigned)m->unroll;
	row->chain = built->known ? built->chain : -1;
	row->model_ipc = model_ipc(m);
	TP_STR given = { 0 };
	tp_asm_add_lines(m->plan->body, &given);
	if (strcmp(tp_str_text(&given), tp_str_text(&built->text)) != 0)
		tp_asm_join(tp_str_text(&built->text), row->ran, sizeof(row->ran));
	tp_copy(row->mca_cpu, sizeof(row->mca_cpu), built->mca.cpu);
	row->mca_cycles = built->mca.cycles / n;
	row->mca_uops = built->mca.uops / n;
	row->mca_rthroughput = built->mca.rthroughput / n;
	tp_copy(row->mca_pressure, sizeof(row->mca_pressure), built->mca.pressure);
}

/* Cycles of an instruction over the windows that count; 0 = the clock of all windows is unknown. */
static double cycles_of(const struct tp_point *point, double *scratch)
{
	size_t n = 0;
	for (int dropped = 0; dropped < 2 && n == 0; dropped++)
		for (size_t i = 0; i < point->n_samples; i++) {
			const struct tp_sample *s = &point->samples[i];
			if (s->core_ghz > 0 && s->rate > 0 && (dropped || !s->flags))
				scratch[n++] = s->core_ghz / s->rate;
		}
	return tp_median(scratch, n);
}

enum tp_status tp_asm_derive(struct tp_point *point, struct tp_diag *diag)
{
	struct tp_asm_row *row = point->row;
	TP_FREE double *scratch = tp_alloc(point->n_samples + 1, sizeof(*scratch));
	row->cycles =
		cycles_of(point, scratch) * (row->clock_correction > 0 ? row->clock_correction : 1);
	if (!(row->cycles > 0) || !(row->kernel.median_ns > 0))
		return tp_fail(diag, TP_FAILED, "asm", "measure longer: stop.max_time",
			       "no window has the clock of the core, so there are no cycles");
	double scale = row->cycles / row->kernel.median_ns;
	double instructions = (double)row->count * row->copies;
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
		.prepare = prepare_windows,
		.describe = describe_windows,
		.context = &m,
		.counting = { .counts = row->counts, .counts_bytes = sizeof(row->counts) },
	};
	size_t bytes = point->threads * sizeof(*m.blocks);
	m.blocks = aligned_alloc(_Alignof(struct tp_asm_block), bytes);
	if (!m.blocks)
		tp_out_of_memory();
	memset(m.blocks, 0, bytes);
	m.data = tp_alloc(point->threads, sizeof(*m.data));
	enum tp_status status = emit_loop(&m, diag);
	if (status == TP_OK) {
		note_built(&m);
		code.counting.elements =
			(double)(m.plan->built->instructions * m.unroll * point->threads);
		status = tp_window_run_code(bench, planned, &code, point, diag);
		if (status == TP_OK)
			status = tp_asm_derive(point, diag);
	}
	for (unsigned t = 0; t < point->threads; t++)
		if (m.blocks[t].buffer)
			munmap((void *)(uintptr_t)(m.blocks[t].buffer - MARGIN_BYTES),
			       mapped_bytes(m.plan->buffer_bytes));
	tp_code_release(&m.code);
	free(m.blocks);
	free(m.data);
	return status;
}
