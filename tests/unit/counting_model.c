/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/counting_model.h"

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

const struct tp_counting_machine tiny_machine = { .cache_bytes = { 0, 512, 4 * KIB, 32 * KIB },
						  .line_bytes = LINE,
						  .page_bytes = PAGE };

const struct tp_counting_machine zen4_machine = { .cache_bytes = { 0, 32 * KIB, MIB, 32 * MIB },
						  .line_bytes = LINE,
						  .page_bytes = PAGE };

const struct tp_family *counting_family(enum tp_family_id id)
{
	assert_non_null(tp_family_table[id]);
	return tp_family_table[id];
}

struct tp_cpu counting_host(const char *without)
{
	struct tp_cpu cpu;
	tp_arch_identify(&cpu);
	if (without && tp_has_word(cpu.features, without))
		snprintf(cpu.features, sizeof(cpu.features), "sse2");
	return cpu;
}

bool can_emit(void)
{
	return tp_arch_host() && tp_arch_host()->back_end;
}

bool can_step(void)
{
	return can_emit() && tp_arch_host()->step;
}

enum tp_status made_try(struct made *made, enum tp_family_id id, unsigned row,
			const struct tp_counting_machine *machine, const char *without,
			struct tp_diag *diag)
{
	struct tp_cpu cpu = counting_host(without);
	made->data = NULL;
	return tp_counting_make(counting_family(id), row, &cpu, machine, &made->counting, diag);
}

void made_new(struct made *made, enum tp_family_id id, unsigned row,
	      const struct tp_counting_machine *machine, uint64_t seed)
{
	struct tp_diag diag = { 0 };
	if (made_try(made, id, row, machine, NULL, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	struct tp_counting *c = &made->counting;
	assert_true(c->iterations >= 1);
	assert_true(c->instructions > 0);
	assert_true(c->passes >= 1);
	assert_int_equal(c->data_bytes % PAGE, 0);
	made->data = mmap(NULL, c->data_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	assert_ptr_not_equal(made->data, MAP_FAILED);
	c->fill(c, made->data, seed);
}

void made_release(struct made *made)
{
	if (made->data)
		munmap(made->data, made->counting.data_bytes);
	tp_counting_release(&made->counting);
}

/* Moves the line to the front. A dirty line that leaves the last level has been written. */
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
			/* The last level tracks all modified lines, wherever they hit. */
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

struct model *model_new(const struct made *made, const struct tp_counting_machine *machine)
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

void model_forget(struct model *m)
{
	m->steps = m->loads = m->stores = m->conditionals = m->taken = m->fp = 0;
	m->written = m->fetched = m->stray = 0;
	memset(m->hit, 0, sizeof(m->hit));
	memset(m->load_misses, 0, sizeof(m->load_misses));
	memset(m->store_misses, 0, sizeof(m->store_misses));
}

void model_step(struct tp_stepper *stepper, struct made *made, uint64_t passes, struct model *m)
{
	struct tp_diag diag = { 0 };
	if (tp_stepper_run(stepper, made->data, passes, watch, m, &diag) != TP_OK)
		fail_msg("stepping: %s", diag.what);
	assert_int_equal(m->stray, 0);
}

struct tp_stepper *made_stepper(struct made *made)
{
	struct tp_stepper *stepper = NULL;
	struct tp_diag diag = { 0 };
	if (tp_stepper_new(&stepper, &made->counting.code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	return stepper;
}

struct pass made_difference(struct made *made)
{
	struct model *one = model_new(made, &tiny_machine), *two = model_new(made, &tiny_machine);
	struct tp_stepper *stepper = made_stepper(made);
	model_step(stepper, made, 1, one);
	model_step(stepper, made, 2, two);
	struct pass pass = { two->steps - one->steps,	two->loads - one->loads,
			     two->stores - one->stores, two->conditionals - one->conditionals,
			     two->fp - one->fp,		two->taken - one->taken };
	tp_stepper_free(stepper);
	free(one);
	free(two);
	return pass;
}
