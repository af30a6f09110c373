/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the compiled code of shipped patterns does to lines, instruction by instruction: the stepper
 * of the emulated counters runs it, and a model of caches tells what memory would see.
 */
#include "compiled_pattern.h"

#include <elf.h>
#include <link.h>

#include "counters/emulation.h"
#include "kernels/step.h"

/*
 * Plain instructions that can be followed: no vectors to gather with, no calls of memcpy. Start
 * files have indirect jumps, which the fast way of stepping does not take.
 */
#define FLAGS                                                                                      \
	"-O1 -fno-tree-loop-distribute-patterns -fno-tree-vectorize -fcf-protection=none "         \
	"-nostartfiles"

enum { LINE = 64 };

/*
 * The machine code of the object in a buffer of its own, behind a jump to tp_run. It has no
 * constants in memory, so it runs anywhere.
 */
static void take_code(const struct walked *w, struct tp_code *code)
{
	struct tp_diag diag = { 0 };
	char *file = NULL;
	size_t len, text = 0, text_bytes = 0, address = 0;
	assert_int_equal(tp_file_read(w->path, 1 << 22, &file, &len, &diag), TP_OK);
	const ElfW(Ehdr) *head = (const void *)file;
	const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
	const char *names = file + sections[head->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < head->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, ".text") == 0) {
			text = sections[i].sh_offset;
			text_bytes = sections[i].sh_size;
			address = sections[i].sh_addr;
		}
	assert_true(text_bytes > 0 && text_bytes < 65536);
	Dl_info info;
	void *run;
	memcpy(&run, &w->run, sizeof(run));
	assert_true(dladdr(run, &info) != 0);
	size_t entry = (size_t)((char *)run - (char *)info.dli_fbase) - address;
	const int32_t jump = (int32_t)(entry + 16 - 5);
	assert_int_equal(tp_code_init(code, text_bytes + 16, &diag), TP_OK);
	unsigned char *out = code->map;
	memset(out, 0x90, 16);
	out[0] = 0xe9; /* jmp rel32 */
	memcpy(out + 1, &jump, sizeof(jump));
	memcpy(out + 16, file + text, text_bytes);
	assert_int_equal(tp_code_seal(code, text_bytes + 16, &diag), TP_OK);
	free(file);
}

/* How often each element was touched, and what memory saw. */
struct seen {
	const struct walked *walked;
	uint32_t *touched[TP_PATTERN_ARRAYS_MAX]; /* lines, by accesses */
	uint64_t bytes[TP_PATTERN_ARRAYS_MAX];
	struct tp_hierarchy *caches; /* NULL = none */
	uint64_t from_memory;
};

static void look(void *context, const struct tp_step *step)
{
	struct seen *seen = context;
	const struct tp_instruction *in = step->instruction;
	if (in->branch == TP_BRANCH_RETURN || in->branch == TP_BRANCH_CALL)
		return;
	for (unsigned i = 0; i < in->n_operands; i++)
		for (size_t a = 0; a < seen->walked->pattern.n_arrays; a++) {
			uint64_t at = step->address[i] - (uintptr_t)seen->walked->arrays[a];
			if (at >= seen->bytes[a])
				continue;
			seen->touched[a][at / LINE]++;
			if (seen->caches)
				seen->from_memory +=
					tp_hierarchy_access(seen->caches, step->address[i],
							    in->operand[i].bytes,
							    in->operand[i].store) ==
					TP_HIERARCHY_MEMORY;
		}
}

static void step_once(struct walked *w, const struct tp_code *code, struct seen *seen)
{
	struct tp_stepper *stepper = NULL;
	struct tp_diag diag = { .what = "" };
	seen->walked = w;
	for (size_t a = 0; a < w->pattern.n_arrays; a++) {
		size_t lines = (seen->bytes[a] + LINE - 1) / LINE;
		seen->touched[a] = calloc(lines, sizeof(**seen->touched));
		assert_non_null(seen->touched[a]);
	}
	if (tp_stepper_new(&stepper, code, &diag) != TP_OK ||
	    tp_stepper_run(stepper, &w->arguments, 1, look, seen, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	tp_stepper_free(stepper);
}

static void forget(struct walked *w, struct seen *seen)
{
	for (size_t a = 0; a < w->pattern.n_arrays; a++)
		free(seen->touched[a]);
}

static void skip_without_stepper(void)
{
#ifdef __x86_64__
	if (tp_stepper_supported(NULL) == TP_OK)
		return;
#endif
	skip();
}

/* The lines that an access of a pass touches: all lines of the array, each `times`. */
static void expect_lines(const struct walked *w, const struct seen *seen, size_t a, uint32_t times)
{
	uint64_t lines = (seen->bytes[a] + LINE - 1) / LINE, rest = seen->bytes[a] % LINE;
	for (uint64_t line = 0; line < lines; line++) {
		bool cut = rest && line == lines - 1;
		if (seen->touched[a][line] != (cut ? times * (uint32_t)rest / LINE : times))
			fail_msg("f=%d g=%d h=%d S=%d: line %d of array %zu: %u accesses",
				 (int)w->config.values[1], (int)w->config.values[2],
				 (int)w->config.values[3], (int)w->config.values[4], (int)line, a,
				 seen->touched[a][line]);
	}
}

/*
 * Every version of strides, f, g and h in sequence, strided and random: each line of a, b and c has
 * 8 accesses, each of the orders 16, and a machine whose caches hold a fraction of the arrays reads
 * every line once, 3 + 3/16 in a step. So only the order differs.
 */
static void test_lines_of_strides(void **state)
{
	enum { DATA = 3, LINES = 4000, WAYS = 27 };
	static const struct tp_emulated_machine machine = {
		.data = { { 0 }, { 4096, LINE, 8 }, { 32768, LINE, 8 }, { 0 } },
		.code = { 4096, LINE, 8 },
	};
	static const int64_t strides[] = { 1, 2, 64, 8192 };
	struct walked w = { 0 };
	struct tp_code code;
	(void)state;
	skip_without_stepper();
	load(&w, "strides");
	compile(&w, FLAGS);
	take_code(&w, &code);
	set(&w, "n", LINES);
	for (int way = 0; way < WAYS; way++)
		for (size_t s = 0; s < TP_COUNT_OF(strides); s++) {
			const int f = way % 3, g = way / 3 % 3, h = way / 9;
			struct tp_hierarchy caches;
			struct seen seen = { .caches = &caches };
			if (s > 0 && f != 1 && g != 1 && h != 1)
				continue;
			set(&w, "f", f);
			set(&w, "g", g);
			set(&w, "h", h);
			set(&w, "S", strides[s]);
			open_arrays(&w);
			for (size_t a = 0; a < 2 * DATA; a++)
				seen.bytes[a] = w.elements[a] * (a < DATA ? sizeof(double) : 4);
			tp_hierarchy_init(&caches, &machine);
			step_once(&w, &code, &seen);
			for (size_t a = 0; a < 2 * DATA; a++)
				expect_lines(&w, &seen, a, a < DATA ? 8 : 16);
			assert_int_equal(seen.from_memory, DATA * LINES + DATA * LINES / 16);
			forget(&w, &seen);
			close_arrays(&w);
			tp_hierarchy_release(&caches);
		}
	tp_code_release(&code);
}

/*
 * Memory traffic of the loops of an FFT, in lines of 4 elements. Loops in order: one read of a, one
 * read of b before it is written, one write. The strided one, whose n * n open lines do not fit:
 * each element reads and writes a whole line of b.
 */
static void test_lines_of_resorting(void **state)
{
	enum { EDGE = 36, SMALLER = 12 };
	static const struct tp_emulated_machine machine = {
		.data = { { 0 }, { 4096, LINE, 8 }, { 32768, LINE, 8 }, { 0 } },
		.code = { 4096, LINE, 8 },
	};
	(void)state;
	skip_without_stepper();
	for (int loop = 1; loop <= 4; loop++)
		for (int fits = 0; fits <= 1; fits++) {
			struct walked w = { 0 };
			struct tp_code code;
			struct tp_hierarchy caches;
			struct seen seen = { .caches = &caches };
			load(&w, "resort");
			set(&w, "loop", loop);
			set(&w, "n", fits ? SMALLER : EDGE);
			compile(&w, FLAGS);
			take_code(&w, &code);
			open_arrays(&w);
			for (size_t a = 0; a < w.pattern.n_arrays; a++)
				seen.bytes[a] = w.elements[a] * 16;
			tp_hierarchy_init(&caches, &machine);
			step_once(&w, &code, &seen);
			double reads = (double)seen.from_memory / (double)w.lines;
			double writes = (double)caches.writebacks / (double)w.lines;
			bool apart = loop == 2 && !fits;
			/* Some lines of b are still in the caches at the end; few sets are full. */
			double kept = 32768.0 / LINE / (double)w.lines;
			if (reads < (apart ? 1.15 : 0.49) || reads > (apart ? 1.26 : 0.55) ||
			    writes < (apart ? 1 : 0.25) - kept || writes > (apart ? 1.01 : 0.3))
				fail_msg("loop %d, edge %d: %g lines read, %g written an element",
					 loop, fits ? SMALLER : EDGE, reads, writes);
			forget(&w, &seen);
			close_arrays(&w);
			tp_hierarchy_release(&caches);
			tp_code_release(&code);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_strides),
		cmocka_unit_test(test_lines_of_resorting),
	};
	return cmocka_run_group_tests(tests, make_top, remove_top);
}
