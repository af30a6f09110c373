/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting kernels of caches, BLAS and memory traffic: what they compute, where they go, and what a simple model of caches sees of it
 * while they are stepped. The models know nothing of the kernels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/vec.h"
#include "kernels/arch.h"
#include "kernels/counting.h"
#include "kernels/described.h"
#include "kernels/step.h"

enum { KIB = 1024, MIB = 1024 * KIB, LINE = 64, PAGE = 4096 };

static const struct tp_counting_machine tiny = { .cache_bytes = { 0, 512, 4 * KIB, 32 * KIB },
						 .line_bytes = LINE,
						 .page_bytes = PAGE };
static const struct tp_counting_machine code_machine = { .cache_bytes = { 0, KIB, 8 * KIB },
							 .line_bytes = LINE,
							 .page_bytes = PAGE };
static const struct tp_counting_machine zen4 = { .cache_bytes = { 0, 32 * KIB, MIB, 32 * MIB },
						 .line_bytes = LINE,
						 .page_bytes = PAGE };

static const struct tp_family *family(enum tp_family_id id)
{
	assert_non_null(tp_family_table[id]);
	return tp_family_table[id];
}

static struct tp_cpu host(const char *without)
{
	struct tp_cpu cpu;
	tp_arch_identify(&cpu);
	if (without && tp_has_word(cpu.features, without))
		snprintf(cpu.features, sizeof(cpu.features), "sse2");
	return cpu;
}

static bool can_emit(void)
{
	return tp_arch_host() && tp_arch_host()->emit_described;
}

static bool can_step(void)
{
	return can_emit() && tp_arch_host()->step;
}

struct made {
	struct tp_counting counting;
	void *data;
};

static enum tp_status try_make(struct made *made, enum tp_family_id id, unsigned row,
			       const struct tp_counting_machine *machine, const char *without,
			       struct tp_diag *diag)
{
	struct tp_cpu cpu = host(without);
	made->data = NULL;
	return tp_counting_make(family(id), row, &cpu, machine, &made->counting, diag);
}

static void make(struct made *made, enum tp_family_id id, unsigned row,
		 const struct tp_counting_machine *machine, uint64_t seed)
{
	struct tp_diag diag = { 0 };
	if (try_make(made, id, row, machine, NULL, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	struct tp_counting *c = &made->counting;
	assert_true(c->iterations >= 1);
	assert_true(c->instructions > 0);
	assert_true(c->passes >= 1);
	assert_int_equal(c->data_bytes % PAGE, 0);
	made->data = mmap(NULL, c->data_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	assert_ptr_not_equal(made->data, MAP_FAILED);
	assert_int_equal(c->fill(c, made->data, seed, &diag), TP_OK);
}

static void release(struct made *made)
{
	if (made->data)
		munmap(made->data, made->counting.data_bytes);
	tp_counting_release(&made->counting);
}

/* --- a model: fully associative, least recently used, each level told of what the one above misses --- */

enum { LEVELS = 3, MODEL_LINES = 2048 };

struct level {
	uint64_t lines[MODEL_LINES];
	bool dirty[MODEL_LINES];
	size_t n, capacity;
};

struct model {
	struct level level[LEVELS + 1]; /* [1..3] */
	uint64_t data, data_bytes, code;
	uint64_t steps, loads, stores, conditionals, taken, fp;
	uint64_t hit[LEVELS + 1], load_misses[LEVELS + 1], store_misses[LEVELS + 1];
	uint64_t written, fetched, fetch_line;
	uint64_t stray; /* accesses outside the data */
	uint64_t *trace; /* offsets in the data, NULL: not wanted */
	size_t n_trace, cap_trace;
};

/* Moves the line to the front; a line that falls out of the last level and is dirty has been written. */
static bool touch(struct level *l, uint64_t line, bool store, uint64_t *written)
{
	size_t i = 0;
	while (i < l->n && l->lines[i] != line)
		i++;
	bool hit = i < l->n, dirty = hit && l->dirty[i];
	if (!hit && l->n < l->capacity)
		i = l->n++;
	else if (!hit)
		i = l->n - 1;
	if (!hit && l->n == l->capacity && l->dirty[i])
		(*written)++;
	memmove(l->lines + 1, l->lines, i * sizeof(*l->lines));
	memmove(l->dirty + 1, l->dirty, i * sizeof(*l->dirty));
	l->lines[0] = line;
	l->dirty[0] = dirty || store;
	return hit;
}

static void access_line(struct model *m, uint64_t line, bool store)
{
	uint64_t upper = 0;
	for (unsigned k = 1; k <= LEVELS; k++) {
		bool hit = touch(&m->level[k], line, store && k == LEVELS,
				 k == LEVELS ? &m->written : &upper);
		if (hit) {
			m->hit[k]++;
			/* Modified lines are known to the last level, however near they are hit. */
			for (size_t i = 0; store && k < LEVELS && i < m->level[LEVELS].n; i++)
				if (m->level[LEVELS].lines[i] == line)
					m->level[LEVELS].dirty[i] = true;
			return;
		}
		(store ? m->store_misses : m->load_misses)[k]++;
	}
}

static void watch(void *context, const struct tp_step *step)
{
	struct model *m = context;
	const struct tp_instruction *in = step->instruction;
	m->steps++;
	m->conditionals += in->branch == TP_BRANCH_CONDITIONAL;
	m->taken += step->taken;
	m->fp += in->fp != TP_FP_KIND_NONE;
	uint64_t fetched = step->code_address / LINE;
	m->fetched += fetched != m->fetch_line;
	m->fetch_line = fetched;
	if (in->branch != TP_BRANCH_NONE)
		return;
	for (unsigned i = 0; i < in->n_operands; i++) {
		uint64_t at = step->address[i] - m->data;
		m->loads += in->operand[i].load;
		m->stores += in->operand[i].store;
		m->stray += at >= m->data_bytes;
		access_line(m, step->address[i] / LINE, in->operand[i].store);
		if (m->trace && m->n_trace < m->cap_trace)
			m->trace[m->n_trace++] = at;
	}
}

static struct model *model_new(const struct made *made, const struct tp_counting_machine *machine)
{
	struct model *m = calloc(1, sizeof(*m));
	assert_non_null(m);
	for (unsigned k = 1; k <= LEVELS; k++) {
		m->level[k].capacity = machine->cache_bytes[k] / LINE;
		assert_true(m->level[k].capacity <= MODEL_LINES);
	}
	m->data = (uint64_t)(uintptr_t)made->data;
	m->data_bytes = made->counting.data_bytes;
	return m;
}

static void forget(struct model *m)
{
	m->steps = m->loads = m->stores = m->conditionals = m->taken = m->fp = 0;
	m->written = m->fetched = m->stray = 0;
	memset(m->hit, 0, sizeof(m->hit));
	memset(m->load_misses, 0, sizeof(m->load_misses));
	memset(m->store_misses, 0, sizeof(m->store_misses));
}

static void step(struct tp_stepper *stepper, struct made *made, uint64_t passes, struct model *m)
{
	struct tp_diag diag = { 0 };
	if (tp_stepper_run(stepper, made->data, passes, watch, m, &diag) != TP_OK)
		fail_msg("stepping: %s", diag.what);
	assert_int_equal(m->stray, 0);
}

static struct tp_stepper *stepper_new(struct made *made)
{
	struct tp_stepper *stepper = NULL;
	struct tp_diag diag = { 0 };
	if (tp_stepper_new(&stepper, &made->counting.code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	return stepper;
}

/* What one pass more adds, exactly. */
struct pass {
	uint64_t steps, loads, stores, conditionals, fp, taken;
};

static struct pass difference(struct made *made)
{
	struct model *one = model_new(made, &tiny), *two = model_new(made, &tiny);
	struct tp_stepper *stepper = stepper_new(made);
	step(stepper, made, 1, one);
	step(stepper, made, 2, two);
	struct pass pass = { two->steps - one->steps,	two->loads - one->loads,
			     two->stores - one->stores, two->conditionals - one->conditionals,
			     two->fp - one->fp,		two->taken - one->taken };
	tp_stepper_free(stepper);
	free(one);
	free(two);
	return pass;
}

/* --- names and sizes --- */

static void families_have_their_rows_by_name(void **state)
{
	(void)state;
	static const struct {
		enum tp_family_id id;
		const char *name;
		unsigned rows, kernels, row;
		const char *row_name, *kernel_name; /* of that row; of the last kernel */
	} cases[] = {
		{ TP_FAMILY_DCACHE_READ, "dcache-read", 48, 6, 0, "stride64 ppb16 L1 1",
		  "stride128 ppb512" },
		{ TP_FAMILY_DCACHE_READ, "dcache-read", 48, 6, 2, "stride64 ppb16 L2 1",
		  "stride128 ppb512" },
		{ TP_FAMILY_DCACHE_WRITE, "dcache-write", 48, 6, 47, "stride128 ppb512 M 2",
		  "stride128 ppb512" },
		{ TP_FAMILY_DCACHE_WRITE, "dcache-write", 48, 6, 13, "stride64 ppb64 L3 2",
		  "stride128 ppb512" },
		{ TP_FAMILY_ICACHE, "icache", 16, 2, 8, "sparse 1", "sparse" },
		{ TP_FAMILY_BLAS, "blas", 324, 3, 0, "dot 1", "gemm" },
		{ TP_FAMILY_BLAS, "blas", 324, 3, 99, "dot 100", "gemm" },
		{ TP_FAMILY_BLAS, "blas", 324, 3, 100, "dot 150", "gemm" },
		{ TP_FAMILY_BLAS, "blas", 324, 3, 323, "gemm 500", "gemm" },
		{ TP_FAMILY_TRAFFIC, "traffic", 16, 8, 7, "capped-narrow 2", "gemm-cached" },
		{ TP_FAMILY_TRAFFIC, "traffic", 16, 8, 10, "dot-cached 1", "gemm-cached" },
	};
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		const struct tp_family *f = family(cases[i].id);
		char name[64];
		assert_string_equal(f->name, cases[i].name);
		assert_ptr_equal(tp_family_find(cases[i].name), f);
		assert_int_equal(f->id, cases[i].id);
		assert_int_equal(f->n_rows, cases[i].rows);
		assert_int_equal(f->n_kernels, cases[i].kernels);
		assert_int_equal(f->first_row(0), 0);
		assert_int_equal(f->first_row(f->n_kernels), f->n_rows);
		assert_string_equal(f->row_name(cases[i].row, name, sizeof(name)),
				    cases[i].row_name);
		assert_string_equal(f->kernel_name(f->n_kernels - 1, name, sizeof(name)),
				    cases[i].kernel_name);
	}
}

/* A buffer is inside a level for certain: its whole span fits, its lines alone exceed the level below. */
static void buffers_lie_safely_inside_their_levels(void **state)
{
	(void)state;
	static const struct {
		uint64_t l1, l2, l3;
		bool no_l2, no_l3;
	} machines[] = {
		{ 32 * KIB, MIB, 32 * MIB, false, false },
		{ 48 * KIB, 2 * MIB, 24 * MIB, false, false },
		{ 32 * KIB, 256 * KIB, 2560 * KIB, false, false },
		{ 32 * KIB, 512 * KIB, 0, false, true },
		{ KIB, 8 * KIB, 64 * KIB, false, false },
		{ 512, 16 * KIB, 512 * KIB, false, false },
		{ 48 * KIB, 2 * MIB, 1920 * KIB, false, true }, /* a share less than L2 */
		{ 64 * KIB, 64 * KIB, MIB, true, false },
	};
	if (!can_emit())
		skip();
	for (size_t i = 0; i < TP_COUNT_OF(machines); i++)
		for (unsigned write = 0; write < 2; write++)
			for (unsigned row = 0; row < 48; row++) {
				const uint64_t caches[4] = { 0, machines[i].l1, machines[i].l2,
							     machines[i].l3 };
				struct tp_counting_machine machine = { .line_bytes = LINE,
								       .page_bytes = PAGE };
				memcpy(machine.cache_bytes, caches, sizeof(caches));
				unsigned stride = row < 24 ? 64 : 128, region = row % 8 / 2 + 1;
				struct made made;
				struct tp_diag diag = { 0 };
				enum tp_status status = try_make(&made,
								 write ? TP_FAMILY_DCACHE_WRITE
								       : TP_FAMILY_DCACHE_READ,
								 row, &machine, NULL, &diag);
				bool none =
					(region == 2 && machines[i].no_l2) ||
					(region == 3 && machines[i].no_l3) ||
					(region == 1 && row % 2 == 0 && caches[1] / 4 < 2 * stride);
				assert_int_equal(status, none ? TP_UNSUPPORTED : TP_OK);
				if (none) {
					assert_true(diag.what[0]);
					continue;
				}
				double elements = made.counting.iterations, lines = elements * LINE,
				       span = elements * stride;
				uint64_t last = caches[3] ? caches[3] : caches[2];
				if (region == 4) {
					assert_true(lines >= 2 * (double)last);
					assert_true(lines <= 8 * (double)last);
				} else {
					assert_true(span <= 0.8 * (double)caches[region]);
				}
				if (region == 2 || region == 3)
					assert_true(lines >= 1.25 * (double)caches[region - 1]);
				assert_true((double)made.counting.data_bytes >= span);
				if (i == 0 && row % 2 == 1) {
					struct made smaller;
					assert_int_equal(try_make(&smaller,
								  write ? TP_FAMILY_DCACHE_WRITE
									: TP_FAMILY_DCACHE_READ,
								  row - 1, &machine, NULL, &diag),
							 TP_OK);
					assert_true(smaller.counting.iterations < elements);
					release(&smaller);
				}
				release(&made);
			}
}

static void what_is_not_there_or_too_large_is_refused_in_words(void **state)
{
	(void)state;
	if (!can_emit())
		skip();
	struct made made;
	struct tp_diag diag = { 0 };
	struct tp_counting_machine machine = zen4;
	machine.cache_bytes[3] = 0;
	assert_int_equal(try_make(&made, TP_FAMILY_DCACHE_READ, 4, &machine, NULL, &diag),
			 TP_UNSUPPORTED);
	assert_string_equal(diag.what, "this machine has no L3");
	assert_string_equal(diag.where, "dcache-read, stride64 ppb16 L3 1");
	machine.max_instructions = 100000;
	assert_int_equal(try_make(&made, TP_FAMILY_BLAS, 323, &machine, NULL, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.what, "100000"));
	assert_int_equal(try_make(&made, TP_FAMILY_BLAS, 0, &machine, NULL, &diag), TP_OK);
	release(&made);
	machine.max_bytes = 64 * KIB;
	assert_int_equal(try_make(&made, TP_FAMILY_DCACHE_WRITE, 7, &machine, NULL, &diag),
			 TP_RESOURCE);
	static const struct tp_counting_machine unknown = { .line_bytes = LINE };
	for (unsigned id = TP_FAMILY_DCACHE_READ; id <= TP_FAMILY_TRAFFIC; id++)
		if (id != TP_FAMILY_INSTRUCTIONS && id != TP_FAMILY_BLAS)
			assert_int_equal(try_make(&made, id, 0, &unknown, NULL, &diag),
					 TP_UNSUPPORTED);
	assert_int_equal(try_make(&made, TP_FAMILY_ICACHE, 16, &zen4, NULL, &diag), TP_USAGE);
}

/* --- data cache --- */

/* Offsets of one trip: every element once, and no block is entered again. */
static void is_a_trip(const uint64_t *trip, size_t n, unsigned stride, uint64_t block_bytes)
{
	bool *seen = calloc(n, sizeof(*seen)), *left = calloc(n, sizeof(*left));
	assert_non_null(seen);
	assert_non_null(left);
	for (size_t i = 0; i < n; i++) {
		uint64_t element = trip[i] / stride, block = trip[i] / block_bytes;
		assert_int_equal(trip[i] % stride, 0);
		assert_true(element < n);
		assert_false(seen[element]);
		assert_false(left[block]);
		seen[element] = true;
		if (i && trip[i - 1] / block_bytes != block)
			left[trip[i - 1] / block_bytes] = true;
	}
	free(seen);
	free(left);
}

/* Pages of 64 bytes make several blocks of small buffers. */
static const struct tp_counting_machine small_pages = {
	.cache_bytes = { 0, KIB, 8 * KIB, 64 * KIB }, .line_bytes = LINE, .page_bytes = 64
};

static uint64_t block_of(unsigned row, const struct tp_counting_machine *machine, uint64_t span)
{
	static const unsigned pages[] = { 16, 64, 512 };
	uint64_t block = pages[row / 8 % 3] * machine->page_bytes;
	return block < span ? block : span;
}

static void a_ring_visits_every_element_block_by_block(void **state)
{
	(void)state;
	if (!can_emit())
		skip();
	for (unsigned row = 0; row < 48; row++)
		for (unsigned pages = 0; pages < 2; pages++) {
			struct tp_counting_machine sizes = small_pages, *machine = &sizes;
			sizes.page_bytes = pages ? 64 : PAGE;
			unsigned stride = row < 24 ? 64 : 128;
			struct tp_cpu cpu = host(NULL);
			struct tp_counting counting;
			struct tp_diag diag = { 0 };
			assert_int_equal(tp_counting_make(family(TP_FAMILY_DCACHE_READ), row, &cpu,
							  machine, &counting, &diag),
					 TP_OK);
			size_t n = (size_t)counting.iterations;
			char *data =
				aligned_alloc(PAGE, (counting.data_bytes + PAGE - 1) / PAGE * PAGE);
			uint64_t *trips[2] = { calloc(n, 8), calloc(n, 8) };
			assert_non_null(data);
			for (unsigned seed = 0; seed < 2; seed++) {
				assert_int_equal(counting.fill(&counting, data, seed + 1, &diag),
						 TP_OK);
				char *at = data;
				for (size_t i = 0; i < n; i++) {
					trips[seed][i] = (uint64_t)(at - data);
					uint64_t next;
					memcpy(&next, at, sizeof(next));
					at = (char *)(uintptr_t)next;
				}
				assert_ptr_equal(at, data);
				is_a_trip(trips[seed], n, stride,
					  block_of(row, machine, n * stride));
			}
			if (n >= 16)
				assert_memory_not_equal(trips[0], trips[1], n * 8);
			/* The code gets as far as it should, and nowhere else. */
			tp_code_function (&counting.code)(data, 3);
			free(trips[0]);
			free(trips[1]);
			free(data);
			tp_counting_release(&counting);
		}
}

static void stores_go_to_every_element_block_by_block(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	for (unsigned row = 0; row < 48; row++) {
		if (row % 8 > 5 || (row % 8 > 3 && row / 8 % 3 == 2))
			continue; /* what is large takes long */
		struct made made;
		struct tp_counting_machine machine = small_pages;
		unsigned stride = row < 24 ? 64 : 128;
		struct tp_cpu cpu = host(NULL);
		struct tp_diag diag = { 0 };
		assert_int_equal(tp_counting_make(family(TP_FAMILY_DCACHE_WRITE), row, &cpu,
						  &machine, &made.counting, &diag),
				 TP_OK);
		size_t n = (size_t)made.counting.iterations;
		made.counting.data_bytes = (made.counting.data_bytes + PAGE - 1) / PAGE * PAGE;
		made.data = aligned_alloc(PAGE, made.counting.data_bytes);
		assert_non_null(made.data);
		struct model *m = model_new(&made, &tiny);
		m->cap_trace = 2 * n;
		m->trace = calloc(2 * n, sizeof(*m->trace));
		assert_non_null(m->trace);
		struct tp_stepper *stepper = stepper_new(&made);
		step(stepper, &made, 2, m);
		assert_int_equal(m->loads, 0);
		assert_int_equal(m->stores, 2 * n);
		is_a_trip(m->trace, n, stride, block_of(row, &machine, n * stride));
		assert_memory_equal(m->trace, m->trace + n, n * sizeof(*m->trace));
		tp_stepper_free(stepper);
		free(m->trace);
		free(m);
		free(made.data);
		made.data = NULL;
		release(&made);
	}
}

/* What the bases say, per access: L1DM L1DH L2DH L3DH. */
static void regions_hit_the_level_they_are_named_after(void **state)
{
	(void)state;
	static const unsigned rows[] = { 0, 1, 2, 3, 4, 5, 6, 26, 27, 44, 45, 46 };
	static const double expected[4][4] = {
		{ 0, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 0, 0, 1 }, { 1, 0, 0, 0 }
	};
	if (!can_step())
		skip();
	for (unsigned write = 0; write < 2; write++)
		for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
			struct made made;
			make(&made, write ? TP_FAMILY_DCACHE_WRITE : TP_FAMILY_DCACHE_READ, rows[i],
			     &tiny, 7);
			struct model *m = model_new(&made, &tiny);
			struct tp_stepper *stepper = stepper_new(&made);
			step(stepper, &made, 1, m);
			forget(m);
			step(stepper, &made, 1, m);
			double n = made.counting.iterations;
			const double *e = expected[rows[i] % 8 / 2];
			uint64_t misses = m->load_misses[1] + m->store_misses[1];
			assert_true((double)misses == e[0] * n);
			assert_true((double)m->hit[1] == e[1] * n);
			assert_true((double)m->hit[2] == e[2] * n);
			assert_true((double)m->hit[3] == e[3] * n);
			assert_true((double)(write ? m->stores : m->loads) == n);
			assert_int_equal(write ? m->loads : m->stores, 0);
			tp_stepper_free(stepper);
			free(m);
			struct pass pass = difference(&made);
			assert_int_equal(pass.steps, made.counting.instructions);
			release(&made);
		}
}

/* --- instruction cache --- */

static void code_is_fetched_line_by_line(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	double before = 0;
	for (unsigned row = 0; row < 16; row++) {
		struct made made;
		make(&made, TP_FAMILY_ICACHE, row, &code_machine, 1);
		struct model *m = model_new(&made, &tiny);
		struct tp_stepper *stepper = stepper_new(&made);
		step(stepper, &made, 1, m);
		uint64_t fetched = m->fetched, conditionals = m->conditionals, taken = m->taken;
		forget(m);
		step(stepper, &made, 2, m);
		uint64_t lines = (uint64_t)made.counting.iterations;
		bool full = row < 8;
		/* The second run comes from the last line to the first instruction again: one entry each. */
		assert_int_equal(m->fetched - fetched, lines);
		assert_int_equal(m->conditionals - conditionals, full ? 2 * lines : lines);
		/* The return is taken, too, and the last loop branch is not: those cancel. */
		assert_int_equal(m->taken - taken, full ? 1 : lines);
		tp_stepper_free(stepper);
		free(m);
		struct pass pass = difference(&made);
		assert_int_equal(pass.steps, made.counting.instructions);
		if (row % 8)
			assert_true(made.counting.iterations > before);
		before = made.counting.iterations;
		double bytes = before * LINE, l1 = KIB, l2 = 8 * KIB;
		assert_true(row % 8 < 2	  ? bytes <= l1 / 2
			    : row % 8 < 6 ? bytes >= 2 * l1 - LINE && bytes <= l2 / 2
					  : bytes >= 2 * l2);
		assert_int_equal(made.counting.code.loop_begin % LINE, 0);
		release(&made);
	}
	for (unsigned row = 0; row < 16; row++) {
		struct made made;
		make(&made, TP_FAMILY_ICACHE, row, &zen4, 1);
		tp_code_function (&made.counting.code)(made.data, 2);
		release(&made);
	}
}

/* --- BLAS --- */

static unsigned blas_row(unsigned kernel, unsigned n)
{
	return kernel * 108 + (n <= 100 ? n - 1 : 99 + (n - 100) / 50);
}

static size_t apart(size_t elements)
{
	return (elements * sizeof(double) + PAGE - 1) / PAGE * PAGE / sizeof(double);
}

static void blas_computes_what_it_says(void **state)
{
	(void)state;
	static const unsigned sizes[] = { 1, 2, 3, 7, 8, 33, 64, 100, 150 };
	if (!can_emit())
		skip();
	for (unsigned kernel = 0; kernel < 3; kernel++)
		for (size_t s = 0; s < TP_COUNT_OF(sizes); s++) {
			size_t n = sizes[s];
			struct made made;
			make(&made, TP_FAMILY_BLAS, blas_row(kernel, sizes[s]), &zen4, 5);
			const double *a = made.data;
			const double *b = kernel == 0 ? a + apart(n) : a + apart(n * n);
			const double *c = b + apart(n);
			if (kernel == 2) {
				b = a + n * n;
				c = b + n * n;
			}
			size_t results = kernel == 0 ? 1 : kernel == 1 ? n : n * n;
			assert_true(a[0] != b[0]);
			for (size_t i = 0; i < results; i++)
				assert_true(c[i] == 0);
			tp_code_function (&made.counting.code)(made.data, 2);
			for (size_t i = 0; i < results; i++) {
				double sum = 0;
				/* GEMM adds in each pass to what is there. */
				for (unsigned pass = 0; pass < (kernel == 2 ? 2 : 1); pass++)
					for (size_t k = 0; k < n; k++) {
						volatile double product =
							kernel == 0   ? a[k] * b[k]
							: kernel == 1 ? a[i * n + k] * b[k]
								      : a[i / n * n + k] *
										b[k * n + i % n];
						sum += product;
					}
				assert_true(c[i] == sum);
			}
			release(&made);
		}
}

/* Operations, loads, stores, conditional branches of presets/bases/blas.yaml, and the kernel's own number of instructions. */
static void blas_counts_are_exact(void **state)
{
	(void)state;
	static const unsigned sizes[] = { 1, 2, 5, 13 };
	if (!can_step())
		skip();
	for (unsigned vex = 0; vex < 2; vex++)
		for (unsigned kernel = 0; kernel < 3; kernel++)
			for (size_t s = 0; s < TP_COUNT_OF(sizes); s++) {
				uint64_t n = sizes[s];
				uint64_t power = kernel == 0 ? n : kernel == 1 ? n * n : n * n * n;
				uint64_t results = kernel == 0 ? 1 : kernel == 1 ? n : n * n;
				struct made made;
				struct tp_diag diag = { 0 };
				assert_int_equal(try_make(&made, TP_FAMILY_BLAS,
							  blas_row(kernel, sizes[s]), &zen4,
							  vex ? NULL : "avx", &diag),
						 TP_OK);
				made.data =
					mmap(NULL, made.counting.data_bytes, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				assert_ptr_not_equal(made.data, MAP_FAILED);
				struct pass pass = difference(&made);
				assert_int_equal(pass.fp, 2 * power);
				assert_int_equal(pass.loads,
						 2 * power + (kernel == 2 ? results : 0));
				assert_int_equal(pass.stores, results);
				assert_int_equal(pass.conditionals,
						 power + 1 + (kernel > 0 ? n : 0) +
							 (kernel > 1 ? n * n : 0));
				assert_int_equal(pass.steps, made.counting.instructions);
				release(&made);
			}
}

/* --- traffic --- */

/* Per line read: those that loads read, those that stores read, those written. */
static void traffic_moves_the_lines_it_says(void **state)
{
	(void)state;
	static const double expected[8][3] = {
		{ 1, 0, 0 },	   { 1, 0, 0 }, { 1, 0, 0 }, { 0, 1, 1 },
		{ 1, 0, 1.0 / 3 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	};
	static const struct tp_counting_machine toy = { .cache_bytes = { 0, KIB, 2 * KIB, 8 * KIB },
							.line_bytes = LINE,
							.page_bytes = PAGE };
	if (!can_step())
		skip();
	/* The second sizes are as the first, but for gemm; they would only take longer. */
	static const unsigned rows[] = { 0, 2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	for (size_t r = 0; r < TP_COUNT_OF(rows); r++) {
		unsigned row = rows[r];
		struct made made;
		make(&made, TP_FAMILY_TRAFFIC, row, &toy, 7);
		struct model *m = model_new(&made, &toy);
		struct tp_stepper *stepper = stepper_new(&made);
		step(stepper, &made, 1, m);
		uint64_t steps = m->steps;
		forget(m);
		step(stepper, &made, 1, m);
		const double lines = made.counting.iterations, *e = expected[row / 2];
		const double seen[3] = { (double)m->load_misses[3], (double)m->store_misses[3],
					 (double)m->written };
		if (row >= 10) /* from the last level, or else it would tell nothing */
			assert_true((double)(m->load_misses[2] + m->store_misses[2]) > 0.9 * lines);
		/* Here N is some 60: 1 / N is neglected, and twice that for what is read and written. */
		for (unsigned i = 0; i < 3; i++)
			if (seen[i] / lines < e[i] - 0.07 || seen[i] / lines > e[i] + 0.07)
				fail_msg("row %u: %u is %g a line", row, i, seen[i] / lines);
		tp_stepper_free(stepper);
		free(m);
		assert_true(made.counting.passes >= 10);
		/* A return is besides the passes, and what fills up a line before them. */
		assert_true(steps >= made.counting.instructions + 1);
		assert_true(steps < made.counting.instructions + 16);
		release(&made);
	}
}

static void repetitions_adapt(void **state)
{
	(void)state;
	if (!can_emit())
		skip();
	struct made made;
	struct tp_diag diag = { 0 };
	/* 32 MiB: a square problem of 4096; 32 KiB: of 128 */
	assert_int_equal(try_make(&made, TP_FAMILY_TRAFFIC, 2, &zen4, NULL, &diag), TP_OK);
	assert_int_equal(made.counting.passes, 10);
	assert_true(made.counting.iterations == (4096.0 * 4096 + 2 * 4096) / 8);
	release(&made);
	assert_int_equal(try_make(&made, TP_FAMILY_TRAFFIC, 2, &tiny, NULL, &diag), TP_OK);
	assert_int_equal(made.counting.passes, 482);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families_have_their_rows_by_name),
		cmocka_unit_test(buffers_lie_safely_inside_their_levels),
		cmocka_unit_test(what_is_not_there_or_too_large_is_refused_in_words),
		cmocka_unit_test(a_ring_visits_every_element_block_by_block),
		cmocka_unit_test(stores_go_to_every_element_block_by_block),
		cmocka_unit_test(regions_hit_the_level_they_are_named_after),
		cmocka_unit_test(code_is_fetched_line_by_line),
		cmocka_unit_test(blas_computes_what_it_says),
		cmocka_unit_test(blas_counts_are_exact),
		cmocka_unit_test(traffic_moves_the_lines_it_says),
		cmocka_unit_test(repetitions_adapt),
	};
	return cmocka_run_group_tests_name("counting kernels of data and code", tests, NULL, NULL);
}
