/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both ways of stepping: the listener learns what the code did, and the code does the same as
 * without stepping.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "kernels/arch.h"
#include "kernels/kernel.h"
#include "kernels/step.h"

enum { BUFFER_BYTES = 4096, MAX_STEPS = 64 };

struct tally {
	struct tp_kernel_counts counts;
	uint64_t steps, taken, left;
	unsigned touched[BUFFER_BYTES]; /* how often each byte of the data was */
	const char *data;
	bool wild; /* an access outside the data */
};

static void tally_step(void *context, const struct tp_step *step)
{
	struct tally *t = context;
	const struct tp_instruction *in = step->instruction;
	t->steps++;
	t->taken += step->taken;
	t->left += step->next == SIZE_MAX;
	if (in->branch == TP_BRANCH_RETURN || in->branch == TP_BRANCH_CALL)
		return;
	t->counts.fp += in->fp != TP_FP_KIND_NONE;
	unsigned lanes = in->fp_vector_bytes ? in->fp_vector_bytes / in->fp_element_bytes : 1;
	t->counts.flops += in->fp == TP_FP_KIND_FMA	? 2 * lanes
			   : in->fp == TP_FP_KIND_PLAIN ? lanes
							: 0;
	for (unsigned i = 0; i < in->n_operands; i++) {
		const struct tp_memory_operand *o = &in->operand[i];
		uint64_t at = step->address[i] - (uint64_t)(uintptr_t)t->data;
		t->counts.loads += o->load;
		t->counts.stores += o->store;
		t->counts.loaded_bytes += o->load ? o->bytes : 0;
		t->counts.stored_bytes += o->store ? o->bytes : 0;
		if (at + o->bytes > BUFFER_BYTES)
			t->wild = true;
		for (unsigned b = 0; b < o->bytes && !t->wild; b++)
			t->touched[at + b]++;
	}
}

static bool can_step(void)
{
	return tp_arch_host() && tp_arch_host()->step;
}

/* The state of a test says which way. */
static bool by_traps(void **state)
{
	return *(const bool *)*state;
}

static void run_stepped(const struct tp_code *code, void *data, uint64_t passes, bool traps,
			struct tally *t)
{
	struct tp_diag diag = { .what = "" };
	struct tp_stepper *stepper;
	memset(t, 0, sizeof(*t));
	t->data = data;
	if (tp_stepper_new(&stepper, code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	stepper->by_traps = traps;
	if (tp_stepper_run(stepper, data, passes, tally_step, t, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	assert_int_equal(stepper->copy.map != NULL, !traps);
	tp_stepper_free(stepper);
}

/* Some numbers that stay finite in double and single precision. */
static void fill(void *data)
{
	double *numbers = data;
	for (size_t i = 0; i < BUFFER_BYTES / sizeof(*numbers); i++)
		numbers[i] = 1 + 0.001 * (double)i + 1e-9 * (double)(i * i);
}

/* Two more passes must do exactly what the description of the kernel says of two. */
static void hold_to_description(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
				bool traps, void *data)
{
	static struct tally two, four;
	static char stepped[BUFFER_BYTES];
	struct tp_kernel_counts one;
	struct tp_code code;
	assert_int_equal(tp_kernel_emit(kernel, cpu, &code, NULL), TP_OK);
	run_stepped(&code, data, 2, traps, &two);
	fill(data);
	run_stepped(&code, data, 4, traps, &four);
	/* Stepping does not change the results. */
	memcpy(stepped, data, BUFFER_BYTES);
	fill(data);
	tp_code_function (&code)(data, 4);
	if (kernel->kind == TP_KERNEL_FP)
		assert_memory_equal(data, stepped, BUFFER_BYTES);
	tp_kernel_count(kernel, cpu, &one);
	assert_int_equal(four.counts.loads - two.counts.loads, 2 * one.loads);
	assert_int_equal(four.counts.stores - two.counts.stores, 2 * one.stores);
	assert_int_equal(four.counts.loaded_bytes - two.counts.loaded_bytes, 2 * one.loaded_bytes);
	assert_int_equal(four.counts.stored_bytes - two.counts.stored_bytes, 2 * one.stored_bytes);
	assert_int_equal(four.counts.fp - two.counts.fp, 2 * one.fp);
	assert_int_equal(four.counts.flops - two.counts.flops, 2 * one.flops);
	assert_int_equal(two.left, 1);
	assert_false(two.wild || four.wild);
	if (kernel->kind == TP_KERNEL_MEMORY)
		for (size_t b = 0; b < kernel->working_set_bytes; b++)
			assert_int_equal(four.touched[b] - two.touched[b], 2);
	tp_code_release(&code);
}

static void *aligned_buffer(void)
{
	void *data = aligned_alloc(BUFFER_BYTES, BUFFER_BYTES);
	assert_non_null(data);
	memset(data, 0, BUFFER_BYTES);
	return data;
}

static void kernels_do_what_their_descriptions_say(void **state)
{
	struct tp_cpu cpu;
	if (!can_step())
		skip();
	tp_arch_identify(&cpu);
	void *data = aligned_buffer();
	for (size_t i = 0; i < tp_isa_count; i++) {
		struct tp_kernel k = { .isa = tp_isa_table[i], .element_bytes = 8 };
		if (tp_isa_supported(k.isa, &cpu, NULL) != TP_OK)
			continue;
		for (unsigned element = 4; element <= 8; element += 4) {
			k.element_bytes = element;
			k.kind = TP_KERNEL_MEMORY;
			k.loads = 2;
			k.stores = 1;
			k.working_set_bytes = 192 * 8;
			k.fp_op = TP_FP_NONE;
			hold_to_description(&k, &cpu, by_traps(state), data);
			k.kind = TP_KERNEL_FP;
			k.loads = k.stores = 0;
			k.working_set_bytes = 0;
			for (int op = TP_FP_ADD; op < TP_FP_DOT; op++) {
				k.fp_op = (enum tp_fp_op)op;
				hold_to_description(&k, &cpu, by_traps(state), data);
			}
		}
	}
	free(data);
}

/* A ring of pointers through the buffer; the first cell tells where to begin. */
static void make_ring(uint64_t *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cells[1 + i] = (uint64_t)(uintptr_t)&cells[1 + (i + 5) % n];
	cells[0] = (uint64_t)(uintptr_t)&cells[1];
}

static void the_code_really_runs(void **state)
{
	static struct tally t;
	struct tp_cpu cpu;
	struct tp_code code;
	if (!can_step())
		skip();
	tp_arch_identify(&cpu);
	struct tp_kernel k = { .kind = TP_KERNEL_CHASE,
			       .isa = tp_isa_table[0],
			       .element_bytes = 8,
			       .working_set_bytes = 64 * 8,
			       .body.unroll = 16 };
	uint64_t *stepped = aligned_buffer();
	assert_int_equal(tp_kernel_emit(&k, &cpu, &code, NULL), TP_OK);
	make_ring(stepped, 64);
	tp_code_function (&code)(stepped, 3);
	uint64_t native = stepped[0];
	make_ring(stepped, 64);
	run_stepped(&code, stepped, 3, by_traps(state), &t);
	assert_int_equal(stepped[0], native);
	assert_int_not_equal(stepped[0], (uint64_t)(uintptr_t)&stepped[1]);
	tp_code_release(&code);
	free(stepped);
}

struct trace {
	struct tp_step steps[MAX_STEPS];
	size_t n;
};

static void trace_step(void *context, const struct tp_step *step)
{
	struct trace *t = context;
	if (t->n < MAX_STEPS)
		t->steps[t->n++] = *step;
}

static bool is_x86(void)
{
	return can_step() && strcmp(tp_arch_host()->name, "x86_64") == 0;
}

static void seal(struct tp_code *code, const unsigned char *bytes, size_t n)
{
	assert_int_equal(tp_code_init(code, n, NULL), TP_OK);
	memcpy(code->map, bytes, n);
	assert_int_equal(tp_code_seal(code, n, NULL), TP_OK);
}

/* rsi = passes. */
static const unsigned char branches[] = {
	0x48, 0x83, 0xfe, 0x02, /*  0 cmp rsi, 2 */
	0x74, 0x00, /*  4 je 6: to the next instruction */
	0x75, 0x00, /*  6 jne 8: likewise */
	0x7c, 0x02, /*  8 jl 12 */
	0xeb, 0x01, /* 10 jmp 13 */
	0x90, /* 12 nop */
	0xe8, 0x04, 0x00, 0x00, 0x00, /* 13 call 22 */
	0x48, 0xff, 0x07, /* 18 inc qword [rdi] */
	0xc3, /* 21 ret */
	0x0f, 0xae, 0xe8, /* 22 lfence */
	0xc3, /* 25 ret */
};

static void trace_branches(uint64_t passes, bool traps, struct trace *trace, uint64_t *cell)
{
	struct tp_code code;
	struct tp_diag diag = { .what = "" };
	struct tp_stepper *stepper;
	seal(&code, branches, sizeof(branches));
	*trace = (struct trace){ 0 };
	if (tp_stepper_new(&stepper, &code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	stepper->by_traps = traps;
	assert_true(tp_stepper_at(stepper, 22)->serialising);
	assert_null(tp_stepper_at(stepper, 23));
	assert_null(tp_stepper_at(stepper, sizeof(branches)));
	assert_int_equal(tp_stepper_at(stepper, 13)->target, 22);
	assert_int_equal(tp_stepper_instructions(stepper), 11);
	assert_int_equal(tp_stepper_run(stepper, cell, passes, trace_step, trace, &diag), TP_OK);
	/* Decoded instructions die with the stepper, so only numbers are kept for later. */
	tp_stepper_free(stepper);
	tp_code_release(&code);
}

static void directions_are_told_even_without_a_distance(void **state)
{
	if (!is_x86())
		skip();
	static const struct {
		uint64_t passes;
		size_t n;
		struct {
			size_t at, next;
			bool taken;
		} step[10];
	} cases[] = {
		{ 2,
		  10,
		  { { 0, 4, false },
		    { 4, 6, true },
		    { 6, 8, false },
		    { 8, 10, false },
		    { 10, 13, true },
		    { 13, 22, true },
		    { 22, 25, false },
		    { 25, 18, true },
		    { 18, 21, false },
		    { 21, SIZE_MAX, true } } },
		{ 1,
		  10,
		  { { 0, 4, false },
		    { 4, 6, false },
		    { 6, 8, true },
		    { 8, 12, true },
		    { 12, 13, false },
		    { 13, 22, true },
		    { 22, 25, false },
		    { 25, 18, true },
		    { 18, 21, false },
		    { 21, SIZE_MAX, true } } },
	};
	for (size_t c = 0; c < TP_COUNT_OF(cases); c++) {
		struct trace trace;
		uint64_t cell = 41;
		trace_branches(cases[c].passes, by_traps(state), &trace, &cell);
		assert_int_equal(cell, 42);
		assert_int_equal(trace.n, cases[c].n);
		for (size_t i = 0; i < trace.n; i++) {
			assert_int_equal(trace.steps[i].at, cases[c].step[i].at);
			assert_int_equal(trace.steps[i].next, cases[c].step[i].next);
			assert_int_equal(trace.steps[i].taken, cases[c].step[i].taken);
			if (trace.steps[i].at == 18)
				assert_true(trace.steps[i].address[0] ==
					    (uint64_t)(uintptr_t)&cell);
		}
		/* What the call pushed is what its return read. */
		assert_int_equal(trace.steps[5].address[0], trace.steps[7].address[0]);
		assert_int_equal(trace.steps[9].address[0], trace.steps[5].address[0] + 8);
	}
}

static void what_cannot_be_followed_is_refused(void **state)
{
	(void)state;
	if (!is_x86())
		skip();
	static const struct {
		unsigned char bytes[8];
		size_t n;
		const char *word;
	} cases[] = {
		{ { 0xf3, 0xa4, 0xc3 }, 3, "repeated" },
		{ { 0x9d, 0xc3 }, 2, "trap flag" },
		{ { 0xcc, 0xc3 }, 2, "operating system" },
		{ { 0x0f, 0x05, 0xc3 }, 3, "operating system" },
		{ { 0x06, 0xc3 }, 2, "not an instruction" },
		{ { 0x64, 0x48, 0x8b, 0x00, 0xc3 }, 5, "segment" },
		{ { 0xe3, 0x00, 0xc3 }, 3, "condition" }, /* jrcxz to the next */
	};
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_code code;
		struct tp_stepper *stepper;
		struct tp_diag diag = { .what = "" };
		seal(&code, cases[i].bytes, cases[i].n);
		assert_int_equal(tp_stepper_new(&stepper, &code, &diag), TP_UNSUPPORTED);
		assert_null(stepper);
		if (!strstr(diag.what, cases[i].word))
			fail_msg("\"%s\" lacks \"%s\"", diag.what, cases[i].word);
		tp_code_release(&code);
	}
}

static void a_place_without_an_instruction_is_told(void **state)
{
	(void)state;
	if (!is_x86())
		skip();
	/* jmp into the number of mov al, 0xc3, which reads as a return. */
	static const unsigned char bytes[] = { 0xeb, 0x01, 0xb0, 0xc3, 0xc3 };
	struct tp_code code;
	struct tp_stepper *stepper;
	struct tp_diag diag = { .what = "" };
	struct trace trace = { .n = 0 };
	seal(&code, bytes, sizeof(bytes));
	assert_int_equal(tp_stepper_new(&stepper, &code, &diag), TP_OK);
	assert_int_equal(tp_stepper_run(stepper, NULL, 1, trace_step, &trace, &diag), TP_FAILED);
	assert_non_null(strstr(diag.what, "no instruction begins"));
	assert_int_equal(trace.n, 1);
	tp_stepper_free(stepper);
	tp_code_release(&code);
}

/*
 * A call between two instructions could spoil flags across instructions that keep them, the red
 * zone, or addresses relative to the code. Both ways must leave the same memory as running alone.
 */
static void registers_and_flags_are_left_alone(void **state)
{
	(void)state;
	if (!is_x86())
		skip();
	static const unsigned char bytes[] = {
		0x48, 0xb8, 8,	  7,	6,    5,    4,	  3, 2, 1, /* mov rax, 0x0102030405060708 */
		0x48, 0x89, 0x44, 0x24, 0xf8, /* mov [rsp-8], rax */
		0x48, 0x89, 0x44, 0x24, 0x80, /* mov [rsp-128], rax */
		0x48, 0x83, 0xfe, 0x05, /* cmp rsi, 5 */
		0x48, 0x8b, 0x44, 0x24, 0xf8, /* mov rax, [rsp-8] */
		0x48, 0x83, 0xd0, 0x00, /* adc rax, 0 */
		0x48, 0x89, 0x07, /* mov [rdi], rax */
		0x48, 0x8b, 0x44, 0x24, 0x80, /* mov rax, [rsp-128] */
		0x48, 0x89, 0x47, 0x08, /* mov [rdi+8], rax */
		0x48, 0x8d, 0x05, 0xf9, 0xff, 0xff, 0xff, /* lea rax, [rip-7]: itself */
		0x48, 0x89, 0x47, 0x10, /* mov [rdi+16], rax */
		0xc3,
	};
	for (uint64_t passes = 4; passes <= 5; passes++)
		for (int traps = 0; traps < 2; traps++) {
			struct tp_code code;
			struct tp_stepper *stepper;
			struct trace trace = { .n = 0 };
			uint64_t alone[3] = { 0 }, stepped[3] = { 0 };
			seal(&code, bytes, sizeof(bytes));
			tp_code_function (&code)(alone, passes);
			assert_int_equal(tp_stepper_new(&stepper, &code, NULL), TP_OK);
			stepper->by_traps = traps;
			assert_int_equal(
				tp_stepper_run(stepper, stepped, passes, trace_step, &trace, NULL),
				TP_OK);
			assert_int_equal(trace.n, 12);
			assert_memory_equal(alone, stepped, sizeof(alone));
			assert_int_equal(stepped[0], 0x0102030405060708 + (passes < 5));
			tp_stepper_free(stepper);
			tp_code_release(&code);
		}
}

static volatile sig_atomic_t traps_seen;

static void see_trap(int number)
{
	(void)number;
	traps_seen++;
}

static void see_trap_while_stepping(void *context, const struct tp_step *step)
{
	trace_step(context, step);
	if (step->at == 4)
		raise(SIGTRAP); /* delivered when this handler ends */
}

static void the_signal_is_left_as_it_was(void **state)
{
	(void)state;
	if (!is_x86())
		skip();
	struct sigaction ours = { .sa_handler = see_trap }, before, now;
	sigset_t traps, mask;
	struct trace trace = { .n = 0 };
	struct tp_code code;
	struct tp_stepper *stepper;
	uint64_t cell = 0;
	sigemptyset(&traps);
	sigaddset(&traps, SIGTRAP);
	sigaction(SIGTRAP, &ours, &before);
	pthread_sigmask(SIG_BLOCK, &traps, &mask);
	seal(&code, branches, sizeof(branches));
	assert_int_equal(tp_stepper_new(&stepper, &code, NULL), TP_OK);
	stepper->by_traps = true;
	traps_seen = 0;
	assert_int_equal(tp_stepper_run(stepper, &cell, 1, see_trap_while_stepping, &trace, NULL),
			 TP_OK);
	assert_int_equal(trace.n, 10);
	assert_int_equal(traps_seen, 1); /* the foreign one reached its handler */
	assert_int_equal(cell, 1);
	tp_stepper_free(stepper);
	tp_code_release(&code);
	sigset_t after;
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_true(sigismember(&after, SIGTRAP));
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTRAP, &before, &now);
	assert_true(now.sa_handler == see_trap);
}

struct job {
	const struct tp_code *code;
	struct tally tally;
	uint64_t *data;
	bool traps;
	enum tp_status status;
};

static void *step_in_thread(void *context)
{
	struct job *job = context;
	struct tp_stepper *stepper;
	job->tally.data = (const char *)job->data;
	job->status = tp_stepper_new(&stepper, job->code, NULL);
	if (job->status == TP_OK)
		stepper->by_traps = job->traps;
	for (int i = 0; i < 20 && job->status == TP_OK; i++)
		job->status = tp_stepper_run(stepper, job->data, 3, tally_step, &job->tally, NULL);
	tp_stepper_free(stepper);
	return NULL;
}

static void threads_step_side_by_side(void **state)
{
	enum { THREADS = 4 };
	static struct job jobs[THREADS];
	pthread_t threads[THREADS];
	struct tp_cpu cpu;
	struct tp_code code;
	if (!can_step())
		skip();
	tp_arch_identify(&cpu);
	struct tp_kernel k = { .kind = TP_KERNEL_CHASE,
			       .isa = tp_isa_table[0],
			       .element_bytes = 8,
			       .working_set_bytes = 64 * 8,
			       .body.unroll = 16 };
	assert_int_equal(tp_kernel_emit(&k, &cpu, &code, NULL), TP_OK);
	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ .code = &code,
					.traps = by_traps(state),
					.data = aligned_buffer() };
		make_ring(jobs[i].data, 64);
		assert_int_equal(pthread_create(&threads[i], NULL, step_in_thread, &jobs[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(jobs[i].status, TP_OK);
		assert_int_equal(jobs[i].tally.steps, jobs[0].tally.steps);
		assert_int_equal(jobs[i].tally.left, 20);
		assert_false(jobs[i].tally.wild);
		free(jobs[i].data);
	}
	tp_code_release(&code);
}

int main(void)
{
	static bool copy = false, traps = true;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(kernels_do_what_their_descriptions_say, &copy),
		cmocka_unit_test_prestate(kernels_do_what_their_descriptions_say, &traps),
		cmocka_unit_test_prestate(the_code_really_runs, &copy),
		cmocka_unit_test_prestate(the_code_really_runs, &traps),
		cmocka_unit_test_prestate(directions_are_told_even_without_a_distance, &copy),
		cmocka_unit_test_prestate(directions_are_told_even_without_a_distance, &traps),
		cmocka_unit_test(registers_and_flags_are_left_alone),
		cmocka_unit_test(what_cannot_be_followed_is_refused),
		cmocka_unit_test(a_place_without_an_instruction_is_told),
		cmocka_unit_test(the_signal_is_left_as_it_was),
		cmocka_unit_test_prestate(threads_step_side_by_side, &copy),
		cmocka_unit_test_prestate(threads_step_side_by_side, &traps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
