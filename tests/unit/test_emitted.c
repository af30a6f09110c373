/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of emitted code, held to a listing of their hashes: every architecture, vector length
 * and group of registers, every kind of kernel and every counting row. Other tests say that the
 * code is right. This one says that it is still the same: a change of the emitter that is not meant
 * to change code cannot do so unnoticed. TPROF_GOLDEN_WRITE=1 writes the listing anew.
 *
 * The back ends of aarch64 and riscv64 emit on any host, that of x86-64 only on x86-64.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/emitted.h"
#include "tests/unit/files.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"

static const unsigned ratios[][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 3 } };
static const uint64_t sizes[] = { 64,
				  192,
				  1024,
				  4032,
				  12 * 1024,
				  16 * 1024 - 64,
				  16 * 1024 + 64,
				  UINT64_C(128) << 20,
				  (UINT64_C(5) << 30) + 64 };
static const struct tp_body bodies[] = {
	{ 0 },
	{ .unroll = 64 },
	{ .unroll = 256 },
	{ .unroll = 512, .lanes = 1 },
	{ .unroll = 64, .lanes = 2 },
	{ .unroll = 128, .lanes = 3 },
	{ .unroll = 256, .lanes = 4 },
	{ .unroll = 256, .lanes = 8 },
	{ .unroll = 256, .lanes = 16 },
	{ .unroll = 64, .two_streams = true },
	{ .unroll = 255, .two_streams = true },
	{ .unroll = 4096, .two_streams = true },
};
static const struct tp_body fp_bodies[] = {
	{ 0 },
	{ .unroll = 1 },
	{ .unroll = 101 },
	{ .unroll = 480 },
	{ .unroll = 144, .fma_run = 1, .add_run = 1 },
	{ .unroll = 216, .fma_run = 2, .add_run = 1 },
	{ .unroll = 480, .fma_run = 1, .add_run = 3 },
};
static const unsigned strides[] = { 1, 2, 5, 300, 700 };
static const unsigned mixes[][2] = { { 1, 1 }, { 1, 4 }, { 3, 2 }, { 8, 1 }, { 1, 16 } };
static const enum tp_fp_op fp_ops[] = { TP_FP_ADD, TP_FP_MUL, TP_FP_DIV, TP_FP_FMA, TP_FP_FMA_ADD };

/* --- the listing --- */

struct group {
	char name[80];
	uint64_t hash;
	unsigned items;
};

static struct {
	struct group *group;
	size_t n, capacity;
} found;

static void open_group(const char *name)
{
	if (found.n == found.capacity) {
		found.capacity = 2 * found.capacity + 64;
		found.group = realloc(found.group, found.capacity * sizeof(*found.group));
		assert_non_null(found.group);
	}
	struct group *g = &found.group[found.n++];
	*g = (struct group){ .hash = UINT64_C(0xcbf29ce484222325) };
	tp_copy(g->name, sizeof(g->name), name);
}

/* FNV-1a. */
static void add_bytes(const void *bytes, size_t n)
{
	struct group *g = &found.group[found.n - 1];
	for (size_t i = 0; i < n; i++)
		g->hash = (g->hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void add_number(uint64_t n)
{
	for (unsigned i = 0; i < sizeof(n); i++)
		add_bytes(&(unsigned char){ (unsigned char)(n >> 8 * i) }, 1);
}

/* Adds emitted code and releases it, or adds that it was refused. */
static void add_item(enum tp_status status, struct tp_code *code, uint64_t instructions)
{
	found.group[found.n - 1].items++;
	add_number(status);
	if (status != TP_OK)
		return;
	add_number(code->bytes);
	add_number(code->loop_begin);
	add_number(code->loop_end);
	add_number(instructions);
	add_bytes(code->map, code->bytes);
	tp_code_release(code);
}

/* --- kernels --- */

static bool selected(size_t weighted_sum, size_t share)
{
	return weighted_sum % share == 0;
}

static void emit_kernel(const struct emitted_target *target, struct tp_kernel *k)
{
	struct tp_code code;
	k->body.lmul = target->lmul;
	if (tp_kernel_check(k, NULL) == TP_OK)
		add_item(tp_kernel_emit(k, &target->cpu, &code, NULL), &code, 0);
}

static struct tp_kernel memory_kernel(const struct emitted_target *target, size_t ratio,
				      size_t size, size_t body)
{
	return (struct tp_kernel){ .kind = TP_KERNEL_MEMORY,
				   .isa = &target->isa,
				   .element_bytes = 8,
				   .loads = ratios[ratio][0],
				   .stores = ratios[ratio][1],
				   .working_set_bytes = sizes[size],
				   .body = bodies[body] };
}

static void memory_kernels(const struct emitted_target *target, size_t body)
{
	for (size_t r = 0; r < TP_COUNT_OF(ratios); r++)
		for (size_t s = 0; s < TP_COUNT_OF(sizes); s++)
			for (size_t t = 0; t < 4 * TP_COUNT_OF(strides); t++) {
				struct tp_kernel k = memory_kernel(target, r, s, body);
				k.stride = strides[t / 4];
				k.element_bytes = t % 2 ? 4 : 8;
				k.nontemporal = t / 2 % 2;
				if (selected(r + 2 * s + 3 * t + body, 5))
					emit_kernel(target, &k);
			}
}

static void mixed_kernels(const struct emitted_target *target, enum tp_fp_op op)
{
	for (size_t m = 0; m < TP_COUNT_OF(mixes); m++)
		for (size_t r = 0; r < TP_COUNT_OF(ratios); r++)
			for (size_t s = 0; s < TP_COUNT_OF(sizes); s++)
				for (size_t b = 0; b < TP_COUNT_OF(bodies); b++) {
					struct tp_kernel k = memory_kernel(target, r, s, b);
					k.kind = TP_KERNEL_MIXED;
					k.element_bytes = (m + s) % 2 ? 4 : 8;
					k.nontemporal = (r + b) % 3 == 0;
					k.fp_op = op;
					k.fp_count = mixes[m][0];
					k.mem_count = mixes[m][1];
					if (selected(2 * m + 3 * r + 5 * s + 7 * b, 29))
						emit_kernel(target, &k);
				}
}

static void fp_kernels(const struct emitted_target *target)
{
	for (size_t i = 0; i < 2 * TP_COUNT_OF(fp_ops) * TP_COUNT_OF(fp_bodies); i++) {
		struct tp_kernel k = { .kind = TP_KERNEL_FP,
				       .isa = &target->isa,
				       .element_bytes = i % 2 ? 4 : 8,
				       .fp_op = fp_ops[i / 2 % TP_COUNT_OF(fp_ops)],
				       .body = fp_bodies[i / 2 / TP_COUNT_OF(fp_ops)] };
		emit_kernel(target, &k);
	}
}

static void gauges(const struct emitted_target *target)
{
	static const enum tp_kernel_kind kinds[] = { TP_KERNEL_CHASE, TP_KERNEL_CHAIN,
						     TP_KERNEL_WIDTH };
	for (size_t i = 0; i < 2 * TP_COUNT_OF(kinds); i++) {
		struct tp_kernel k = { .kind = kinds[i / 2],
				       .isa = &target->isa,
				       .element_bytes = 8,
				       .body.unroll = i % 2 ? 17 : 0 };
		emit_kernel(target, &k);
	}
}

static void kernels_of(const struct emitted_target *target)
{
	char name[80], body[40];
	for (size_t b = 0; b < TP_COUNT_OF(bodies); b++) {
		snprintf(name, sizeof(name), "%s memory %s", target->name,
			 tp_body_name(&bodies[b], body, sizeof(body)));
		open_group(name);
		memory_kernels(target, b);
	}
	for (size_t o = 0; o < TP_COUNT_OF(fp_ops); o++) {
		snprintf(name, sizeof(name), "%s mixed %s", target->name, tp_fp_op_name(fp_ops[o]));
		open_group(name);
		mixed_kernels(target, fp_ops[o]);
	}
	snprintf(name, sizeof(name), "%s fp", target->name);
	open_group(name);
	fp_kernels(target);
	snprintf(name, sizeof(name), "%s gauges", target->name);
	open_group(name);
	gauges(target);
}

/* --- counting rows --- */

static void rows_of(const struct emitted_counter *counter)
{
	static const struct tp_counting_machine machines[] = {
		{ .cache_bytes = { 0, 32 << 10, 1 << 20, 32 << 20 },
		  .line_bytes = 64,
		  .page_bytes = 4096,
		  .stream_log2 = 5 },
		{ .cache_bytes = { 0, 2048, 16 << 10, 128 << 10 },
		  .line_bytes = 128,
		  .page_bytes = 65536,
		  .stream_log2 = 12 },
	};
	for (size_t f = 0; f < TP_FAMILY_COUNT; f++)
		for (size_t m = 0; m < TP_COUNT_OF(machines); m++) {
			const struct tp_family *family = tp_family_table[f];
			char name[80];
			snprintf(name, sizeof(name), "%s %s %zu", counter->name, family->name, m);
			open_group(name);
			for (unsigned row = 0; row < family->n_rows; row++) {
				struct tp_counting c;
				enum tp_status status = tp_counting_make(family, row, &counter->cpu,
									 &machines[m], &c, NULL);
				add_item(status, &c.code, c.instructions);
			}
		}
}

/* Shapes that no row has: steps and lengths beyond the reach of an offset or a branch. */
static void traversals_of(const struct emitted_counter *counter)
{
	static const struct tp_traversal rows[] = {
		{ .kind = TP_TRAVERSAL_CHASE, .chase = { 1, 8 } },
		{ .kind = TP_TRAVERSAL_CHASE, .chase = { 9, 8 } },
		{ .kind = TP_TRAVERSAL_CHASE, .chase = { 3000, 1200 } },
		{ .kind = TP_TRAVERSAL_SCATTER, .scatter = { 64, 8, 1, 5, 3, 16 } },
		{ .kind = TP_TRAVERSAL_SCATTER, .scatter = { 8, 64, 4, 13, 7, 8 } },
		{ .kind = TP_TRAVERSAL_SCATTER, .scatter = { 128, 1 << 20, 64, 1664525, 99, 16 } },
		{ .kind = TP_TRAVERSAL_LINES, .lines = { 2, 64, true } },
		{ .kind = TP_TRAVERSAL_LINES, .lines = { 2, 64, false } },
		{ .kind = TP_TRAVERSAL_LINES, .lines = { 300, 128, true } },
		{ .kind = TP_TRAVERSAL_LINES, .lines = { 20000, 64, false } },
		{ .kind = TP_TRAVERSAL_NEST,
		  .nest = { .rows = 3,
			    .depth = 8,
			    .unroll = 8,
			    .accumulate = true,
			    .a = { .depth = 8, .row = 64 },
			    .b = { .depth = 4800 },
			    .c = { .row = 8 },
			    .b_at = 1024,
			    .c_at = 1 << 20 } },
		{ .kind = TP_TRAVERSAL_NEST,
		  .nest = { .batches = 2,
			    .columns = 5,
			    .depth = 600,
			    .unroll = 300,
			    .a = { .depth = 8, .batch = 1 << 25 },
			    .b = { .depth = 80000, .column = -8 },
			    .c = { .column = 8 },
			    .b_at = 1 << 24,
			    .c_at = 3 << 24 } },
	};
	char name[80];
	snprintf(name, sizeof(name), "%s traversals", counter->name);
	open_group(name);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_code code;
		uint64_t instructions = 0;
		enum tp_status status = emitted_traversal(counter, &rows[i], &code, &instructions);
		add_item(status, &code, instructions);
	}
}

/* --- against the listing --- */

static void path_of_listing(char *path, size_t size)
{
	snprintf(path, size, "%s/tests/golden/emitted.txt", source_dir());
}

static void write_listing(void)
{
	struct tp_str text = { 0 };
	struct tp_diag diag;
	char path[TP_PATH_MAX];
	path_of_listing(path, sizeof(path));
	for (size_t i = 0; i < found.n; i++)
		tp_str_printf(&text, "%016llx %4u %s\n", (unsigned long long)found.group[i].hash,
			      found.group[i].items, found.group[i].name);
	if (tp_file_write(TP_TYPED_FILE, path, tp_str_text(&text), text.len, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	tp_str_release(&text);
}

static bool emitted_for(const char *arch)
{
	for (size_t i = 0; i < found.n; i++)
		if (strncmp(found.group[i].name, arch, strlen(arch)) == 0)
			return true;
	return false;
}

static int emit_everything(void **state)
{
	(void)state;
	for (size_t i = 0; i < emitted_target_count; i++)
		kernels_of(&emitted_targets[i]);
	for (size_t i = 0; i < emitted_counter_count; i++) {
		emitted_use(&emitted_counters[i]);
		rows_of(&emitted_counters[i]);
		traversals_of(&emitted_counters[i]);
	}
	if (getenv("TPROF_GOLDEN_WRITE")) {
		if (!emitted_for("x86_64 ")) {
			print_error("the listing is written on x86-64, which emits for all\n");
			return -1;
		}
		write_listing();
	}
	return 0;
}

static int forget_everything(void **state)
{
	(void)state;
	free(found.group);
	return 0;
}

static const struct group *find_group(const char *name)
{
	for (size_t i = 0; i < found.n; i++)
		if (strcmp(found.group[i].name, name) == 0)
			return &found.group[i];
	return NULL;
}

/* Compares the emitted code with the lines of the listing that begin with `arch`. */
static void hold_to_listing(const char *arch)
{
	char path[TP_PATH_MAX], line[160], name[80];
	unsigned compared = 0, different = 0, items;
	unsigned long long hash;
	path_of_listing(path, sizeof(path));
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		assert_int_equal(sscanf(line, "%llx %u %79[^\n]", &hash, &items, name), 3);
		if (strncmp(name, arch, strlen(arch)) != 0)
			continue;
		const struct group *g = find_group(name);
		compared++;
		if (!g || g->hash != hash || g->items != items) {
			print_error("%s: %u items of hash %016llx, not %u of %016llx\n", name,
				    g ? g->items : 0, g ? (unsigned long long)g->hash : 0, items,
				    hash);
			different++;
		}
	}
	fclose(file);
	for (size_t i = 0; i < found.n; i++)
		compared -= strncmp(found.group[i].name, arch, strlen(arch)) == 0;
	assert_int_equal(different, 0);
	assert_int_equal(compared, 0); /* every group stands in the listing */
}

static void code_of_aarch64_is_as_listed(void **state)
{
	(void)state;
	hold_to_listing("aarch64 ");
}

static void code_of_riscv64_is_as_listed(void **state)
{
	(void)state;
	hold_to_listing("riscv64 ");
}

static void code_of_x86_64_is_as_listed(void **state)
{
	(void)state;
	if (!emitted_for("x86_64 "))
		skip();
	hold_to_listing("x86_64 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_of_aarch64_is_as_listed),
		cmocka_unit_test(code_of_riscv64_is_as_listed),
		cmocka_unit_test(code_of_x86_64_is_as_listed),
	};
	return cmocka_run_group_tests(tests, emit_everything, forget_everything);
}
