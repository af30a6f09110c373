/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gathers: what the code finds, against the same in C; counts; the places in a buffer, and that all
 * of their lines are evicted; lists of indexes; plans. Times are not looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/memory.h"
#include "experiments/experiment.h"
#include "experiments/gather/row.h"
#include "kernels/arch.h"
#include "kernels/kernel.h"
#include "machine/machine.h"
#include "measure/chase.h"
#include "measure/sampler.h"
#include "session/session.h"
#include "tests/unit/files.h"

enum { PLACES = 64, PAGE = 4096, SEED = 5 };

/* ISAs with gathers, where this program is built for such. */
static const char *const isas[] = { "avx2", "avx512" };
static const unsigned widths[] = { 16, 32, 64 };

static struct tp_kernel kernel_of(const struct tp_isa *isa, unsigned element_bytes,
				  const struct tp_gather *g)
{
	return (struct tp_kernel){
		.kind = TP_KERNEL_GATHER, .isa = isa, .element_bytes = element_bytes, .gather = g
	};
}

/* --- what is found --- */

static void fill(void *memory, size_t bytes, unsigned element_bytes)
{
	for (size_t i = 0; i < bytes / element_bytes; i++)
		if (element_bytes == 4)
			((float *)memory)[i] = (float)i + 1;
		else
			((double *)memory)[i] = (double)i + 1;
}

/* The last round's gathers, lane by lane. */
static void hold(const struct tp_kernel *k, const void *const *bases,
		 const struct tp_gather_data *data)
{
	const struct tp_gather *g = k->gather;
	unsigned lanes = tp_gather_lanes(g, k->element_bytes);
	for (unsigned i = 0; i < TP_GATHER_GROUP; i++) {
		const char *base = bases[g->gathers - TP_GATHER_GROUP + i];
		for (unsigned lane = 0; lane < lanes; lane++) {
			unsigned char expected[8] = { 0 };
			bool on = lane < g->elements || !g->masked;
			uint32_t index = g->index[lane < g->elements ? lane : 0];
			if (on)
				memcpy(expected, base + (size_t)index * k->element_bytes,
				       k->element_bytes);
			if (memcmp(&data->found[i][lane * k->element_bytes], expected,
				   k->element_bytes) != 0)
				fail_msg(
					"%s, %u bytes, %u of %u lanes, mask %d: gather %u, lane %u",
					k->isa->name, k->element_bytes, g->elements, lanes,
					g->masked, i, lane);
		}
	}
}

static void run_gather(const struct tp_kernel *k, const struct tp_cpu *cpu, const char *memory,
		       uint64_t passes)
{
	const void *bases[PLACES];
	struct tp_gather_data data;
	struct tp_code code;
	struct tp_diag diag;
	for (unsigned i = 0; i < PLACES; i++)
		bases[i] = memory + (size_t)(i * 7 % PLACES) * 256;
	if (tp_kernel_emit(k, cpu, &code, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	tp_gather_fill(k->gather, k->element_bytes, bases, &data);
	tp_code_function (&code)(&data, passes);
	hold(k, bases, &data);
	tp_code_release(&code);
}

static void gathers_find_what_a_loop_finds(void **state)
{
	enum { BYTES = PLACES * 256 + 64 * 1024 };
	struct tp_cpu cpu;
	unsigned held = 0;
	char *memory = aligned_alloc(64, BYTES);
	(void)state;
	assert_non_null(memory);
	tp_arch_identify(&cpu);
	for (size_t i = 0; i < TP_COUNT_OF(isas); i++)
		for (size_t w = 0; w < TP_COUNT_OF(widths); w++)
			for (unsigned bytes = 4; bytes <= 8; bytes *= 2) {
				const struct tp_isa *isa = tp_isa_find(isas[i]);
				if (!isa ||
				    tp_gather_supported(isa, widths[w], &cpu, NULL) != TP_OK)
					continue;
				fill(memory, BYTES, bytes);
				for (unsigned n = 1; n <= widths[w] / bytes; n++)
					for (int masked = 0; masked < 2; masked++) {
						struct tp_gather g = { .elements = n,
								       .vector_bytes = widths[w],
								       .masked = masked,
								       .gathers = PLACES };
						for (unsigned k = 0; k < n; k++)
							g.index[k] = (k * 37 + n) % 500;
						struct tp_kernel k = kernel_of(isa, bytes, &g);
						run_gather(&k, &cpu, memory, 1);
						run_gather(&k, &cpu, memory, 3);
						held++;
					}
			}
	free(memory);
	if (!held)
		skip(); /* this CPU has no gathers */
}

static void a_pass_counts_elements_and_gathers(void **state)
{
	const struct tp_isa isa = { .name = "wide",
				    .arch = "x86_64",
				    .needs = "",
				    .vector_bytes = 64,
				    .gather_least_bytes = 16,
				    .gather_most_bytes = 64 };
	const struct tp_gather g = { .elements = 5, .vector_bytes = 32, .gathers = 12 };
	struct tp_kernel k = kernel_of(&isa, 4, &g);
	struct tp_kernel_counts counts;
	char name[32];
	(void)state;
	assert_int_equal(tp_kernel_check(&k, NULL), TP_OK);
	tp_kernel_count(&k, &(struct tp_cpu){ .arch = "x86_64" }, &counts);
	assert_int_equal(counts.other, 12);
	assert_int_equal(counts.loads, 60);
	assert_int_equal(counts.loaded_bytes, 240);
	assert_int_equal(counts.stores + counts.fp + counts.flops, 0);
	assert_int_equal(tp_kernel_operand_bytes(&k), 32);
	assert_string_equal(tp_kernel_name(&k, name, sizeof(name)), "gather");
}

static void nonsense_is_refused(void **state)
{
	static const struct tp_gather bad[] = {
		{ .elements = 2, .vector_bytes = 24, .gathers = 4 },
		{ .elements = 0, .vector_bytes = 32, .gathers = 4 },
		{ .elements = 9, .vector_bytes = 32, .gathers = 4 },
		{ .elements = 2, .vector_bytes = 32, .gathers = 0 },
		{ .elements = 2, .vector_bytes = 32, .gathers = 6 },
		{ .elements = 2, .vector_bytes = 32, .gathers = 4, .index = { 0, 1 << 30 } },
	};
	const struct tp_isa isa = { .name = "wide", .needs = "", .vector_bytes = 64 };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++) {
		struct tp_kernel k = kernel_of(&isa, 4, &bad[i]);
		struct tp_diag diag = { 0 };
		assert_int_equal(tp_kernel_check(&k, &diag), TP_USAGE);
		assert_true(diag.what[0]);
	}
	/* No gathers, or none of that width, or not on this CPU. */
	const struct tp_isa some = { .name = "some",
				     .arch = "x86_64",
				     .needs = "",
				     .gather_least_bytes = 16,
				     .gather_most_bytes = 64,
				     .short_gathers_need = "short" };
	struct tp_cpu cpu = { .arch = "x86_64" };
	assert_int_equal(tp_gather_supported(&isa, 32, NULL, NULL), TP_UNSUPPORTED);
	assert_int_equal(tp_gather_supported(&some, 128, NULL, NULL), TP_UNSUPPORTED);
	assert_int_equal(tp_gather_supported(&some, 32, NULL, NULL), TP_OK);
	assert_int_equal(tp_gather_supported(&some, 32, &cpu, NULL), TP_UNSUPPORTED);
	assert_int_equal(tp_gather_supported(&some, 64, &cpu, NULL), TP_OK);
	tp_copy(cpu.features, sizeof(cpu.features), "other short");
	assert_int_equal(tp_gather_supported(&some, 32, &cpu, NULL), TP_OK);
}

/* --- lists --- */

static unsigned lines_by_hand(const uint32_t *index, unsigned n, unsigned bytes)
{
	bool seen[TP_GATHER_LANES * TP_GATHER_LANES] = { false };
	unsigned lines = 0;
	for (unsigned i = 0; i < n; i++) {
		size_t line = (size_t)index[i] * bytes / 64;
		assert_true(line < TP_COUNT_OF(seen));
		lines += !seen[line];
		seen[line] = true;
	}
	return lines;
}

static void lists_are_those_of_the_study(void **state)
{
	size_t all = 0;
	(void)state;
	for (unsigned n = 2; n <= TP_GATHER_ALL_MOST; n++) {
		for (size_t i = 0; i < tp_gather_all_lists(n); i++, all++) {
			struct tp_gather g = { .elements = n, .vector_bytes = 32 }, other = g;
			unsigned apart = 1;
			tp_gather_all_list(n, 4, i, g.index);
			assert_int_equal(g.index[0], 0);
			for (unsigned k = 1; k < n; k++) {
				assert_true(g.index[k] == k || g.index[k] == 7 + k ||
					    g.index[k] == 16 * k);
				apart += g.index[k] == 16 * k;
			}
			/* Of floats exactly the elements apart have lines of their own. */
			assert_int_equal(tp_gather_lines(&g, 4), apart);
			tp_gather_all_list(n, 4, (i + 1) % tp_gather_all_lists(n), other.index);
			assert_memory_not_equal(g.index, other.index, n * sizeof(g.index[0]));
			tp_gather_all_list(n, 8, i, g.index);
			assert_int_equal(tp_gather_lines(&g, 8), lines_by_hand(g.index, n, 8));
		}
	}
	assert_int_equal(all, 3279);
	for (unsigned n = 2; n <= 16; n++)
		for (unsigned lines = 1; lines <= n; lines++) {
			struct tp_gather g = { .elements = n, .vector_bytes = 64 };
			tp_gather_lines_list(n, 4, lines, g.index);
			assert_int_equal(tp_gather_lines(&g, 4), lines);
			assert_int_equal(lines_by_hand(g.index, n, 4), lines);
		}
}

/* --- places, and what is evicted --- */

static struct {
	char *first; /* of the buffer; one mark for each line */
	unsigned char lines[PLACES * PAGE / 64 + 1];
	unsigned calls;
} flushed;

static void note_flush(const void *const *places, size_t n, size_t bytes)
{
	flushed.calls++;
	for (size_t i = 0; i < n; i++)
		for (size_t at = 0; at < bytes; at += 64) {
			size_t line = (size_t)((const char *)places[i] + at - flushed.first) / 64;
			if (line >= TP_COUNT_OF(flushed.lines))
				fail_msg("place %zu is evicted beyond the buffer", i);
			flushed.lines[line]++;
		}
}

static void note_one_flush(const void *p, size_t bytes)
{
	note_flush(&p, 1, bytes);
}

static void places_are_apart_and_evicted(void **state)
{
	const struct tp_arch *host = tp_arch_host();
	const struct tp_isa *isa = tp_isa_find("avx2");
	struct tp_arch arch;
	struct tp_clock clock;
	struct tp_cpu cpu;
	struct tp_team *team;
	struct tp_machine machine;
	struct tp_gather_places places, again;
	struct tp_diag diag;
	struct tp_gather g = { .elements = 8, .vector_bytes = 32, .gathers = PLACES };
	(void)state;
	tp_arch_identify(&cpu);
	if (!host || !isa || tp_gather_supported(isa, 32, &cpu, NULL) != TP_OK)
		skip();
	arch = *host;
	arch.flush = note_one_flush;
	arch.flush_places = note_flush;
	tp_clock_init(&clock, &cpu, 0);
	clock.arch = &arch;
	assert_int_equal(tp_machine_init(&machine, &cpu, NULL, "detected", NULL, &diag), TP_OK);
	unsigned cpus[1];
	assert_int_equal(tp_machine_place(&machine, "compact", 1, cpus, &diag), TP_OK);
	tp_gather_lines_list(8, 4, 5, g.index);
	struct tp_kernel k = kernel_of(isa, 4, &g);
	k.working_set_bytes = PLACES * 5 * 64;
	assert_int_equal(tp_gather_buffer_bytes(&k), PLACES * PAGE);
	assert_int_equal(tp_team_new(&team, &clock, &cpu, cpus, 1, &diag), TP_OK);
	assert_int_equal(
		tp_team_buffers(team, PLACES * PAGE, PLACES * PAGE, TP_PAGES_DEFAULT, NULL, &diag),
		TP_OK);
	flushed.first = tp_team_data(team, 0);

	/* One place a page, on a pair of lines, all in the buffer; the seed decides the order. */
	tp_gather_places_init(&places, team, &k, SEED);
	tp_gather_places_init(&again, team, &k, SEED);
	bool used[PLACES] = { false };
	unsigned in_order = 0;
	for (unsigned i = 0; i < PLACES; i++) {
		size_t at = (size_t)((const char *)places.bases[i] - flushed.first);
		assert_ptr_equal(places.bases[i], again.bases[i]);
		assert_int_equal(at % 128, 0);
		assert_true(at / PAGE < PLACES && !used[at / PAGE]);
		assert_true(at % PAGE + tp_gather_bytes(&g, 4) <= PAGE);
		used[at / PAGE] = true;
		in_order += at / PAGE == i;
	}
	assert_true(in_order < PLACES / 4);
	tp_gather_places_release(&again);
	tp_gather_places_init(&again, team, &k, SEED + 1);
	assert_memory_not_equal(places.bases, again.bases, PLACES * sizeof(*places.bases));
	tp_gather_places_release(&again);

	/* A window with cold caches: every line that a gather touches is evicted, once. */
	const struct tp_candidate candidate = { .kernel = k, .seed = SEED };
	const struct tp_sampling sampling = { .window_seconds = 50e-6,
					      .keep_within = 0.1,
					      .cold = true,
					      .rule = { .max_seconds = 1,
							.max_samples = 3,
							.confidence = 0.99,
							.error = 1e-6,
							.min_count = 3 } };
	struct tp_point point = { .threads = 1, .less_is_better = true };
	union tp_row_room room = { .bytes = { 0 } };
	point.row = &room;
	assert_int_equal(tp_sampler_run(team, &cpu, &candidate, &sampling, NULL, 0, &point, &diag),
			 TP_OK);
	/* More where the machine disturbs them. */
	assert_true(point.n_samples >= 3);
	assert_int_equal(flushed.calls, point.n_samples);
	for (unsigned i = 0; i < PLACES; i++)
		for (unsigned e = 0; e < g.elements; e++) {
			const char *element = (const char *)places.bases[i] + 4 * g.index[e];
			size_t line = (size_t)(element - flushed.first) / 64;
			assert_int_equal(flushed.lines[line], flushed.calls);
		}
	/* Its rate is in gathers, so its time is that of one. */
	for (size_t i = 0; i < point.n_samples; i++) {
		double gathers = point.samples[i].rate * 1e9 * point.samples[i].seconds;
		assert_true(gathers > PLACES - 0.01 && gathers < PLACES + 0.01);
	}
	assert_true(point.median > 0);
	tp_point_release(&point);
	tp_gather_places_release(&places);
	tp_team_free(team);
	tp_machine_release(&machine);
}

/* --- plans --- */

static const char *const topology[] = { "topology=synthetic:pack:1 core:4 pu:1",
					"machine=skylake-x" };

static void open_plan(struct tp_session *session, const char *preset, const char *const *more,
		      size_t n)
{
	const char *sets[8];
	struct tp_diags diags = { 0 };
	size_t n_sets = 0;
	for (size_t i = 0; i < TP_COUNT_OF(topology); i++)
		sets[n_sets++] = topology[i];
	for (size_t i = 0; i < n; i++)
		sets[n_sets++] = more[i];
	const struct tp_overrides overrides = { .sets = sets, .n = n_sets };
	if (tp_session_open(session, &overrides, preset, true, &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	tp_diags_release(&diags);
}

static void the_preset_has_all_lists_once(void **state)
{
	struct tp_session session;
	char path[TP_PATH_MAX];
	size_t runs[2] = { 0 }, of_lines[17] = { 0 };
	(void)state;
	if (!tp_isa_find("avx512"))
		skip();
	snprintf(path, sizeof(path), "%s/presets/gather.yaml", source_dir());
	open_plan(&session, path, NULL, 0);
	assert_true(tp_plan_estimate(&session.plan, &session.machine, NULL, NULL));
	assert_true(session.plan.estimate_seconds < 60);
	for (size_t i = 0; i < session.plan.n; i++) {
		const struct tp_planned *p = &session.plan.items[i];
		const struct tp_gather_row *row = tp_gather_row(&p->point);
		unsigned lanes = row->vector_bits / 32;
		uint32_t index[TP_GATHER_LANES];
		assert_true(p->point.run < 2 && row->elements >= 2 && row->elements <= lanes);
		runs[p->point.run]++;
		assert_true(row->cold);
		assert_string_equal(row->kernel.level, "DRAM");
		assert_true(p->point.estimate_seconds > 0 && p->point.estimate_seconds < 0.02);
		/* The columns tell the list, and its lines follow from it. */
		char *at = (char *)(uintptr_t)row->offsets;
		for (unsigned k = 0; k < row->elements; k++)
			index[k] = (uint32_t)strtoul(at, &at, 10);
		assert_int_equal(*at, 0);
		assert_int_equal(row->lines, lines_by_hand(index, row->elements, 4));
		if (p->point.run == 0) {
			assert_int_equal(row->vector_bits, row->elements <= 4 ? 128 : 256);
			assert_int_equal(row->masked, row->elements < lanes);
			of_lines[row->lines]++;
		}
		assert_string_equal(row->kernel.isa, row->vector_bits == 512 ? "avx512" : "avx2");
	}
	assert_int_equal(runs[0], 3279);
	/*
	 * 128 bits: 9 lists of 2 to 4 elements, of which 5 have lanes to mask; 256: 35 and 27; 512:
	 * 35 and 35, and 16 of 16 elements.
	 */
	assert_int_equal(runs[1], 9 + 5 + 35 + 27 + 35 + 35 + 16);
	assert_int_equal(of_lines[1], 2 + 4 + 8 + 16 + 32 + 64 + 128);
	assert_int_equal(of_lines[8], 1);
	tp_session_close(&session);
}

static void options_choose_widths_and_masks(void **state)
{
	static const char *const sets[] = { "experiment=gather",       "gather.elements=4,16",
					    "gather.lists=lines",      "gather.width=128,512",
					    "precision=double,single", "cache=hot" };
	struct tp_session session;
	size_t n = 0;
	(void)state;
	if (!tp_isa_find("avx512"))
		skip();
	open_plan(&session, NULL, sets, TP_COUNT_OF(sets));
	for (size_t i = 0; i < session.plan.n; i++) {
		const struct tp_gather_row *row = tp_gather_row(&session.plan.items[i].point);
		bool single = strcmp(row->kernel.precision, "single") == 0;
		assert_false(row->cold);
		assert_true(single || row->elements == 4);
		assert_int_equal(row->masked,
				 row->elements < row->vector_bits / (single ? 32u : 64u));
		assert_true(row->vector_bits == 512 || (single && row->elements == 4));
		n++;
	}
	/* Doubles: 4 in 512 bits. Floats: 4 in 128 bits and in 512, 16 in 512. */
	assert_int_equal(n, 4 + 4 + 4 + 16);
	tp_session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gathers_find_what_a_loop_finds),
		cmocka_unit_test(a_pass_counts_elements_and_gathers),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(lists_are_those_of_the_study),
		cmocka_unit_test(places_are_apart_and_evicted),
		cmocka_unit_test(the_preset_has_all_lists_once),
		cmocka_unit_test(options_choose_widths_and_masks),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
