/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/aarch64/aarch64.h"
#include "kernels/riscv64/riscv64.h"

enum { MOST_INSTRUCTIONS = 1 << 24 };

static bool is_aarch64(const struct foreign_core *core)
{
	return core->architecture == FOREIGN_AARCH64;
}

const struct tp_back_end *foreign_back_end(const struct foreign_core *core)
{
	return is_aarch64(core) ? &tp_aarch64_back_end : &tp_riscv_back_end;
}

uint64_t foreign_data_at(const struct foreign_core *core)
{
	return is_aarch64(core) ? A64_DATA : MACHINE_DATA_AT;
}

static void read_aarch64(struct foreign *f)
{
	struct tp_str listing = { 0 };
	if (!a64_objdump(f->code.map, f->code.bytes, &listing)) {
		tp_str_clear(&listing);
		assert_int_equal(tp_aarch64_disassemble(f->code.map, f->code.bytes, &listing),
				 TP_OK);
	}
	assert_true(a64_read(&f->program, tp_str_text(&listing)));
	tp_str_release(&listing);
	f->loaded = calloc(f->data_bytes, sizeof(*f->loaded));
	f->stored = calloc(f->data_bytes, sizeof(*f->stored));
	assert_true(f->loaded && f->stored);
}

void foreign_open(struct foreign *f, const struct foreign_core *core, size_t data_bytes)
{
	f->core = core;
	f->data_bytes = data_bytes;
	f->data = calloc(1, data_bytes);
	assert_non_null(f->data);
	if (is_aarch64(core)) {
		read_aarch64(f);
		return;
	}
	machine_learn(&f->dictionary, &f->code);
	if (!machine_ask(&f->dictionary)) {
		foreign_close(f);
		skip();
	}
	assert_true(f->dictionary.known);
}

void foreign_close(struct foreign *f)
{
	a64_release(&f->program);
	machine_forget(&f->dictionary);
	tp_code_release(&f->code);
	free(f->data);
	free(f->loaded);
	free(f->stored);
}

static struct foreign_counts run_aarch64(struct foreign *f, uint64_t passes)
{
	struct a64_machine m = { .program = &f->program,
				 .vector_bytes = f->core->vector_bytes,
				 .data = f->data,
				 .data_bytes = f->data_bytes,
				 .loaded = f->loaded,
				 .stored = f->stored,
				 .limit = MOST_INSTRUCTIONS };
	if (!a64_call(&m, 0, passes))
		fail_msg("%s", m.error);
	const struct a64_counts *c = &m.counts;
	return (struct foreign_counts){ .executed = c->executed,
					.loads = c->loads,
					.stores = c->stores,
					.fp = c->fp,
					.flops = c->flops,
					.conditionals = c->conditionals,
					.taken = c->taken,
					.jumps = c->jumps };
}

static struct foreign_counts run_riscv64(struct foreign *f, uint64_t passes)
{
	const struct machine m = { .dictionary = &f->dictionary,
				   .vector_bytes = f->core->vector_bytes,
				   .old = f->core->old,
				   .data = f->data,
				   .data_bytes = f->data_bytes,
				   .max_instructions = MOST_INSTRUCTIONS };
	struct machine_counts c;
	char why[MACHINE_WHY_BYTES];
	if (!machine_run(&m, &f->code, passes, &c, why))
		fail_msg("%s", why);
	return (struct foreign_counts){ .executed = c.instructions,
					.loads = c.loads + c.integer_loads,
					.stores = c.stores + c.integer_stores,
					.fp = c.fp,
					.flops = c.flops,
					.conditionals = c.conditionals,
					.taken = c.taken,
					.jumps = c.jumps,
					.fp_loads = c.loads,
					.fp_stores = c.stores,
					.integer = c.integer };
}

struct foreign_counts foreign_pass(struct foreign *f)
{
	struct foreign_counts (*run)(struct foreign *, uint64_t) =
		is_aarch64(f->core) ? run_aarch64 : run_riscv64;
	struct foreign_counts two = run(f, 2), three = run(f, 3);
	uint64_t *of_two = (uint64_t *)&two;
	const uint64_t *of_three = (const uint64_t *)&three;
	for (size_t i = 0; i < sizeof(two) / sizeof(*of_two); i++)
		of_two[i] = of_three[i] - of_two[i];
	return two;
}
