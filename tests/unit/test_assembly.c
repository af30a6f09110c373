/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Users' instructions: their text, which registers they touch, copies, chains, variants, the loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "near.h"

#include "base/memory.h"
#include "compiler/compiler.h"
#include "experiments/asm/body.h"
#include "experiments/asm/asm.h"
#include "kernels/arch.h"

static const struct tp_assembly *assembly;
static struct tp_compiler assembler;

static void need_x86(void)
{
	if (!assembly || strcmp(tp_arch_host()->name, "x86_64") != 0)
		skip();
}

static enum tp_status split(const char *text, struct tp_asm_body *body, struct tp_arena *arena,
			    struct tp_diag *diag)
{
	return tp_asm_split(assembly, text, "auto", arena, body, diag);
}

static void text_becomes_lines(void **state)
{
	struct tp_arena arena = { 0 };
	struct tp_asm_body body;
	struct tp_diag diag;
	char title[48], joined[24];
	(void)state;
	need_x86();
	assert_int_equal(split("  vaddps %xmm0 , %xmm1,\t%xmm2 ;; lock  add $1,(%rdi);", &body,
			       &arena, &diag),
			 TP_OK);
	assert_int_equal(body.n, 2);
	assert_int_equal(body.syntax, TP_ASM_ATT);
	assert_string_equal(body.lines[0], "vaddps %xmm0,%xmm1,%xmm2");
	assert_string_equal(body.lines[1], "lock add $1,(%rdi)");
	assert_string_equal(tp_asm_title(assembly, &body, "", title, sizeof(title)), "vaddps+lock");
	tp_asm_join("one\ntwo\n", joined, sizeof(joined));
	assert_string_equal(joined, "one; two");
	tp_asm_join("a long line that is cut\n", joined, sizeof(joined));
	assert_string_equal(joined, "a long line that is cut");
	tp_asm_join("a longer line that is cut\n", joined, sizeof(joined));
	assert_string_equal(joined, "a longer line that i...");

	assert_int_equal(split("vfmadd231pd zmm0, zmm1, zmm2; vfmadd231pd zmm3,zmm1,zmm2", &body,
			       &arena, &diag),
			 TP_OK);
	assert_int_equal(body.syntax, TP_ASM_INTEL);
	assert_string_equal(tp_asm_title(assembly, &body, "", title, sizeof(title)),
			    "vfmadd231pd zmm");

	static const struct {
		const char *text, *what;
	} bad[] = {
		{ "", "there is no instruction" },
		{ " ; ", "there is no instruction" },
		{ ".incbin \"x\"", "is a directive" },
		{ "here: nop", "is a label" },
		{ "nop # LLVM-MCA-END", "has a character" },
		{ "mov $1,%r15", "uses a register of the loop" },
		{ "mov R14d, 1", "uses a register of the loop" },
		{ "%rax", "does not begin with an instruction" },
		{ "x = 1", "has a character" },
	};
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++) {
		assert_int_equal(split(bad[i].text, &body, &arena, &diag), TP_USAGE);
		assert_non_null(strstr(diag.what, bad[i].what));
	}
	char many[70 * 5];
	for (size_t i = 0; i < 70; i++)
		memcpy(&many[5 * i], "nop; ", 5);
	many[sizeof(many) - 1] = '\0';
	assert_int_equal(split(many, &body, &arena, &diag), TP_USAGE);
	memset(many, 'x', sizeof(many) - 1);
	assert_int_equal(split(many, &body, &arena, &diag), TP_USAGE);
	tp_arena_release(&arena);
}

static enum tp_status take_text(void *context, struct tp_str *out, struct tp_diag *diag)
{
	(void)diag;
	tp_str_add(out, context);
	return TP_OK;
}

/* Bytes by the system's assembler; 0 if it refuses. */
static size_t assemble(const char *lines, enum tp_asm_syntax syntax, unsigned char **code)
{
	struct tp_str text = { 0 };
	struct tp_diag diag;
	size_t bytes = 0;
	tp_str_printf(&text, "%s\n%s\n", assembly->directives[syntax], lines);
	struct tp_object object = {
		.key = text.s, .key_bytes = text.len, .source = take_text, .context = text.s
	};
	assert_int_equal(tp_compile(&assembler, &object, 1, NULL, &diag), TP_OK);
	*code = NULL;
	if (object.status == TP_OK)
		assert_int_equal(
			tp_object_code(object.path, assembly->elf_machine, code, &bytes, &diag),
			TP_OK);
	tp_object_release(&object);
	tp_str_release(&text);
	return bytes;
}

static size_t look(const char *lines, enum tp_asm_syntax syntax, struct tp_asm_effect *effects,
		   size_t most)
{
	unsigned char *code;
	size_t bytes = assemble(lines, syntax, &code), n = 0;
	for (size_t at = 0; at < bytes; at += effects[n++].bytes) {
		assert_true(n < most);
		assert_int_equal(assembly->look(code + at, bytes - at, &effects[n]), TP_OK);
	}
	free(code);
	return n;
}

static void need_assembler(void)
{
	need_x86();
	if (!assembler.program[0])
		skip();
}

/* How many instructions wait for the round before, and each other. */
static void chains_are_recognised(void **state)
{
	static const struct {
		const char *lines;
		double chain;
	} rows[] = {
		{ "vaddps %xmm0,%xmm1,%xmm2", 0 },
		{ "vaddps %xmm2,%xmm1,%xmm2", 1 },
		{ "vfmadd213ps %xmm2,%xmm1,%xmm0", 1 },
		{ "vfmadd231ps %zmm31,%zmm30,%zmm0\nvfmadd231ps %zmm31,%zmm30,%zmm1", 1 },
		{ "vmulps %xmm0,%xmm1,%xmm2\nvaddps %xmm2,%xmm1,%xmm0", 2 },
		{ "add %rax,%rbx\nadd %rbx,%rax", 2 },
		{ "mov (%rdi),%rdi", 1 },
		{ "mov (%rdi),%rax", 0 },
		{ "mov %rax,(%rdi)", 0 },
		{ "mul %rcx", 1 },
		{ "xor %eax,%eax\nadd %rax,%rbx", 1 },
		{ "vpxor %xmm0,%xmm0,%xmm0", 0 },
		{ "adc $0,%rax", 1 },
		{ "cmp %rax,%rbx", 0 },
		{ "mov %al,%bl", 1 },
		{ "mov %eax,%ebx", 0 },
		{ "nop\nnop", 0 },
	};
	struct tp_asm_effect effects[4];
	(void)state;
	need_assembler();
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		size_t n = look(rows[i].lines, TP_ASM_ATT, effects, 4);
		assert_true(n > 0);
		double chain = tp_asm_chain(effects, NULL, n);
		if (chain != rows[i].chain)
			fail_msg("%s: a chain of %g", rows[i].lines, chain);
	}
}

/* The text of copies or of a chain. */
static size_t change(const char *given, bool chained, struct tp_str *out)
{
	struct tp_arena arena = { 0 };
	struct tp_asm_body body;
	struct tp_asm_effect effects[8];
	struct tp_diag diag;
	struct tp_str lines = { 0 };
	size_t copies = 1;
	assert_int_equal(split(given, &body, &arena, &diag), TP_OK);
	tp_asm_add_lines(&body, &lines);
	assert_int_equal(look(lines.s, body.syntax, effects, 8), body.n);
	if (chained)
		tp_asm_chained(assembly, &body, effects, out);
	else
		copies = tp_asm_copies(assembly, &body, effects, out);
	tp_str_release(&lines);
	tp_arena_release(&arena);
	return copies;
}

static void results_feed_the_next(void **state)
{
	static const struct {
		const char *given, *chained;
	} rows[] = {
		{ "vaddps %xmm2,%xmm1,%xmm0", "vaddps %xmm2,%xmm0,%xmm0\n" },
		{ "vfmadd213ps %xmm2,%xmm1,%xmm0", "vfmadd213ps %xmm2,%xmm1,%xmm0\n" },
		{ "vaddpd ymm0, ymm1, ymm2", "vaddpd ymm0,ymm0,ymm2\n" },
		{ "add %rax,%rbx", "add %rax,%rbx\n" },
		{ "popcnt %rax,%rbx", "popcnt %rbx,%rbx\n" },
		{ "mov (%rdi),%rax", "mov (%rdi),%rdi\n" },
		{ "add (%rdi),%rax", "add (%rdi),%rax\n" },
		{ "lea 1(%rcx),%rax", "lea 1(%rcx),%rcx\n" },
		{ "vmulps %xmm1,%xmm2,%xmm3; vaddps %xmm4,%xmm5,%xmm6",
		  "vmulps %xmm1,%xmm3,%xmm3\nvaddps %xmm4,%xmm3,%xmm3\n" },
		{ "vmovq %xmm1,%rax; vmovq %rbx,%xmm2", "vmovq %xmm2,%rax\nvmovq %rax,%xmm2\n" },
	};
	(void)state;
	need_assembler();
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_str out = { 0 };
		struct tp_asm_effect effects[4];
		change(rows[i].given, true, &out);
		assert_string_equal(out.s, rows[i].chained);
		enum tp_asm_syntax syntax = strchr(out.s, '%') ? TP_ASM_ATT : TP_ASM_INTEL;
		size_t n = look(out.s, syntax, effects, 4);
		assert_true(tp_asm_chain(effects, NULL, n) == (double)n);
		tp_str_release(&out);
	}
}

/* The stack pointer, and what addresses memory whose contents are not an address. */
static void some_registers_stay_in_a_chain(void **state)
{
	static const char *const lines[] = {
		"mov 8(%rsp),%rcx",   "mov -8(%rsp),%rcx",  "lea 16(%rsp),%rax",
		"movzbl (%rdx),%eax", "popcnt (%rdx),%rax", "movsd (%rdx),%xmm0",
	};
	(void)state;
	need_assembler();
	for (size_t i = 0; i < TP_COUNT_OF(lines); i++) {
		TP_STR out = { 0 }, same = { 0 };
		change(lines[i], true, &out);
		tp_str_printf(&same, "%s\n", lines[i]);
		assert_string_equal(out.s, same.s);
	}
}

/* Which general registers address memory, by their numbers: ax 0, cx 1, dx 2, bx 3, bp 5. */
static void registers_that_address_memory(void **state)
{
	static const struct {
		const char *line;
		uint32_t bases, indexes, alone; /* bits */
		bool scatters;
	} rows[] = {
		{ "mov (%rax),%rcx", 1 << 0, 0, 0, false },
		{ "mov %rcx,-8(%rbp)", 1 << 5, 0, 0, false },
		{ "lock xadd %ecx,(%rbx,%rdx,8)", 1 << 3, 1 << 2, 0, false },
		{ "mov 8(,%rdx,4),%rcx", 0, 0, 1 << 2, false },
		{ "lea (%rax,%rbx),%rcx", 0, 0, 0, false },
		{ "add %rax,%rbx", 0, 0, 0, false },
		{ "movsb", 1 << 6 | 1 << 7, 0, 0, false },
		{ "mov (%rax),%rcx\nmov (%rcx,%rbx),%rdx", 1 << 0 | 1 << 1, 1 << 3, 0, false },
		{ "vgatherdps %ymm2,(%rax,%ymm1,4),%ymm0", 1 << 0, 0, 0, true },
	};
	struct tp_asm_effect effects[4];
	(void)state;
	need_assembler();
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_asm_addresses found;
		size_t n = look(rows[i].line, TP_ASM_ATT, effects, 4);
		tp_asm_find_addresses(effects, n, &found);
		for (unsigned r = 0; r < TP_ASM_GENERAL; r++)
			if (found.is_base[r] != (rows[i].bases >> r & 1) ||
			    found.is_index[r] != (rows[i].indexes >> r & 1) ||
			    (found.scale[r] != 0) != (rows[i].alone >> r & 1))
				fail_msg("%s: register %u", rows[i].line, r);
		assert_int_equal(found.scatters, rows[i].scatters);
	}
	struct tp_asm_addresses named;
	tp_asm_find_named(assembly, "mov (%rax),%rcx\nadd %rdx,%rbx\n", &named);
	for (unsigned r = 0; r < TP_ASM_GENERAL; r++)
		assert_int_equal(named.is_base[r], false);
	tp_asm_find_named(assembly, "mov rcx,[rax]\nadd rdx,[rbx+8]\n", &named);
	for (unsigned r = 0; r < TP_ASM_GENERAL; r++)
		assert_int_equal(named.is_base[r], r == 0 || r == 3);
}

static void addresses_are_parted_from_results(void **state)
{
	static const struct {
		const char *line, *parted; /* NULL: nothing has to change */
	} rows[] = {
		{ "movzwl 14(%rax),%eax", "movzwl 14(%rcx),%eax" },
		{ "add (%rax),%rax", "add (%rcx),%rax" },
		{ "mov (%rdx,%rax),%eax", "mov (%rdx,%rcx),%eax" },
		{ "divq (%rdx)", "divq (%rcx)" },
		{ "mov (%rax),%rax", NULL },
		{ "mov %rax,(%rax)", NULL },
		{ "mov (%rax),%rcx", NULL },
		{ "add %rax,%rbx", NULL },
		{ "lea (%rax,%rbx),%rax", NULL },
		{ "mov 8(%rsp),%rcx", NULL },
	};
	struct tp_asm_effect effect;
	(void)state;
	need_assembler();
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		TP_STR out = { 0 };
		assert_int_equal(look(rows[i].line, TP_ASM_ATT, &effect, 1), 1);
		bool parted = tp_asm_part(assembly, rows[i].line, &effect, &out);
		if (parted != (rows[i].parted != NULL) ||
		    (parted && strcmp(tp_str_text(&out), rows[i].parted) != 0))
			fail_msg("%s becomes %s", rows[i].line, tp_str_text(&out));
		if (!parted)
			continue;
		/* The effect is that of the new line. */
		struct tp_asm_effect again;
		assert_int_equal(look(rows[i].parted, TP_ASM_ATT, &again, 1), 1);
		assert_memory_equal(&effect.reads, &again.reads, sizeof(effect.reads));
		assert_memory_equal(&effect.bases, &again.bases, sizeof(effect.bases));
		assert_memory_equal(&effect.indexes, &again.indexes, sizeof(effect.indexes));
		assert_int_equal(effect.base, again.base);
		assert_int_equal(effect.index, again.index);
	}
}

/* Why some cannot run in a loop, and by how much the stack pointer moves. */
static void bars_are_recognised(void **state)
{
	static const struct {
		const char *line;
		enum tp_asm_bar bar;
		int stack;
	} rows[] = {
		{ "hlt", TP_ASM_PRIVILEGED, 0 },
		{ "rdmsr", TP_ASM_PRIVILEGED, 0 },
		{ "mov %cr0,%rax", TP_ASM_PRIVILEGED, 0 },
		{ "in %dx,%al", TP_ASM_PRIVILEGED, 0 },
		{ "outsb", TP_ASM_PRIVILEGED, 0 },
		{ "cli", TP_ASM_PRIVILEGED, 0 },
		{ "ret", TP_ASM_RETURNS, 8 },
		{ "iretq", TP_ASM_RETURNS, 0 },
		{ "call *%rax", TP_ASM_CALLS, 0 },
		{ "jmp *%rax", TP_ASM_JUMPS_AWAY, 0 },
		{ "jmp *(%rax)", TP_ASM_JUMPS_AWAY, 0 },
		{ "mov 8(%rip),%rax", TP_ASM_OWN_ADDRESS, 0 },
		{ "lea 8(%rip),%rax", TP_ASM_NO_BAR, 0 },
		{ "leave", TP_ASM_MOVES_STACK, 0 },
		{ "mov %rbp,%rsp", TP_ASM_MOVES_STACK, 0 },
		{ "pop %rsp", TP_ASM_MOVES_STACK, 8 },
		{ "push %rax", TP_ASM_NO_BAR, -8 },
		{ "push %ax", TP_ASM_NO_BAR, -2 },
		{ "push $5", TP_ASM_NO_BAR, -8 },
		{ "pop %rbx", TP_ASM_NO_BAR, 8 },
		{ "pushf", TP_ASM_NO_BAR, -8 },
		{ "sub $24,%rsp", TP_ASM_NO_BAR, -24 },
		{ "add $24,%rsp", TP_ASM_NO_BAR, 24 },
		{ "lea -16(%rsp),%rsp", TP_ASM_NO_BAR, -16 },
		{ "and $-16,%rsp", TP_ASM_NO_BAR, 0 },
		{ "jmp .+2", TP_ASM_NO_BAR, 0 },
		{ "syscall", TP_ASM_NO_BAR, 0 },
		{ "mov %rsp,%rbp", TP_ASM_NO_BAR, 0 },
	};
	struct tp_asm_effect e;
	(void)state;
	need_assembler();
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		assert_int_equal(look(rows[i].line, TP_ASM_ATT, &e, 1), 1);
		if (e.bar != rows[i].bar || (!e.bar && e.stack_bytes != rows[i].stack))
			fail_msg("%s: bar %d, %lld bytes", rows[i].line, e.bar,
				 (long long)e.stack_bytes);
	}
	static const struct {
		const char *line;
		unsigned aligned;
	} aligned[] = {
		{ "movaps 8(%rdi),%xmm0", 16 },	    { "vmovdqa (%rdi),%ymm0", 32 },
		{ "addps (%rdi),%xmm0", 16 },	    { "movups (%rdi),%xmm0", 0 },
		{ "vaddps (%rdi),%xmm0,%xmm1", 0 }, { "addss (%rdi),%xmm0", 0 },
		{ "mov (%rdi),%rax", 0 },	    { "cmpxchg16b (%rdi)", 16 },
	};
	for (size_t i = 0; i < TP_COUNT_OF(aligned); i++) {
		assert_int_equal(look(aligned[i].line, TP_ASM_ATT, &e, 1), 1);
		if (e.aligned != aligned[i].aligned)
			fail_msg("%s: a multiple of %u", aligned[i].line, e.aligned);
	}
}

static void copies_write_other_registers(void **state)
{
	static const struct {
		const char *given, *begins;
		size_t copies;
	} rows[] = {
		{ "vaddps %xmm2,%xmm1,%xmm0",
		  "vaddps %xmm2,%xmm1,%xmm0\nvaddps %xmm2,%xmm1,%xmm3\n", 14 },
		{ "vaddps %zmm2,%zmm1,%zmm0",
		  "vaddps %zmm2,%zmm1,%zmm0\nvaddps %zmm2,%zmm1,%zmm3\n", 16 },
		{ "add %rax,%rbx", "add %rax,%rbx\nadd %rax,%rcx\n", 12 },
		{ "add (%rdi),%eax", "add (%rdi),%eax\nadd (%rdi),%ecx\n", 12 },
		{ "vmulps xmm1, xmm0, xmm0; vaddps xmm2, xmm1, xmm0",
		  "vmulps xmm1,xmm0,xmm0\nvaddps xmm2,xmm1,xmm0\nvmulps xmm3,xmm0,xmm0\n"
		  "vaddps xmm4,xmm3,xmm0\n",
		  7 },
		{ "cmp %rax,%rbx", "cmp %rax,%rbx\n", 1 },
		{ "mul %rcx", "mul %rcx\n", 1 },
		{ "shl %cl,%rax", "shl %cl,%rax\nshl %cl,%rdx\n", 12 },
		{ "kandw %k1,%k2,%k3", "kandw %k1,%k2,%k3\nkandw %k1,%k2,%k4\n", 5 },
	};
	(void)state;
	need_assembler();
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_str out = { 0 };
		size_t copies = change(rows[i].given, false, &out);
		if (strncmp(out.s, rows[i].begins, strlen(rows[i].begins)) != 0 ||
		    copies != rows[i].copies)
			fail_msg("%s: %zu copies\n%s", rows[i].given, copies, out.s);
		tp_str_release(&out);
	}
}

static void variants_are_counted(void **state)
{
	unsigned char at[TP_ASM_LINES_MAX];
	(void)state;
	assert_true(tp_asm_variants("whole", 5) == 1);
	assert_true(tp_asm_variants("each", 5) == 5);
	assert_true(tp_asm_variants("prefixes", 5) == 5);
	assert_true(tp_asm_variants("permutations", 1) == 1);
	assert_true(tp_asm_variants("permutations", 3) == 15);
	assert_true(tp_asm_variants("permutations", 5) == 325);
	assert_true(tp_asm_variants("permutations", 8) == 109600);
	assert_true(tp_asm_variants("permutations", TP_ASM_LINES_MAX) > 1e80);
	assert_int_equal(tp_asm_variant("whole", 3, 0, at), 3);
	assert_memory_equal(at, "\0\1\2", 3);
	assert_int_equal(tp_asm_variant("each", 3, 1, at), 1);
	assert_int_equal(at[0], 1);
	assert_int_equal(tp_asm_variant("prefixes", 3, 1, at), 2);
	assert_memory_equal(at, "\0\1", 2);
	/* Every arrangement once: all are different, and none has an item twice. */
	unsigned seen[325];
	for (size_t i = 0; i < 325; i++) {
		size_t n = tp_asm_variant("permutations", 5, i, at);
		unsigned used = 0;
		seen[i] = 0;
		for (size_t k = 0; k < n; k++) {
			assert_true(at[k] < 5 && !(used >> at[k] & 1));
			used |= 1u << at[k];
			seen[i] = seen[i] * 6 + at[k] + 1;
		}
		for (size_t k = 0; k < i; k++)
			assert_true(seen[k] != seen[i]);
	}
	assert_int_equal(tp_asm_variant("permutations", 3, 3, at), 2);
	assert_memory_equal(at, "\0\1", 2);
	assert_int_equal(tp_asm_variant("permutations", 3, 14, at), 3);
	assert_memory_equal(at, "\2\1\0", 3);
}

/* Without an assembler: the same instruction as with one, or none. */
static void plain_instructions_need_no_assembler(void **state)
{
	static const char *const plain[] = {
		"vfmadd213ps %xmm2,%xmm1,%xmm0",
		"vfmadd231pd %zmm31,%zmm30,%zmm7",
		"vfmadd231ps %ymm31,%ymm30,%ymm7",
		"vfmadd231sd xmm1,xmm2,xmm3",
		"vaddps %ymm0,%ymm1,%ymm2",
		"VMULPD %ymm0,%ymm15,%ymm9",
		"addps %xmm1,%xmm2",
		"sqrtsd xmm3,xmm4",
		"vdivps %xmm1,%xmm2,%xmm3",
		"vshufps $3,%xmm1,%xmm2,%xmm3",
		"vpermilps $27,%zmm1,%zmm2",
		"vpaddd %zmm1,%zmm2,%zmm3",
		"pshufb %xmm1,%xmm2",
		"add %rax,%rbx",
		"addq %rax,%rbx",
		"addl %eax,%r9d",
		"addb %al,%bl",
		"sub $5,%rax",
		"sub rax,-5",
		"mov $0x1000,%ecx",
		"cmp %rax,%rbx",
		"test %eax,%ebx",
		"imul %rcx,%rax",
		"imul $10,%rcx,%rax",
		"mul %rcx",
		"mulq %rcx",
		"popcnt %rax,%rbx",
		"lzcnt eax,ebx",
		"shl $3,%rax",
		"shl %cl,%rax",
		"sarx %rax,%rbx,%rcx",
		"bswap %rax",
		"vmovd %xmm1,%eax",
		"vmovq %rax,%xmm3",
		"kandw %k1,%k2,%k3",
		"nop",
		"xchg %rax,%rbx",
	};
	static const char *const others[] = {
		"mov (%rdi),%rax",
		"mov rax,[rdi]",
		"jmp 5",
		"push %rax",
		"vaddps %xmm0,%xmm1,%xmm2{%k1}",
		"add $0x80000000,%rax",
		"add %eax,%rbx",
		"add ,%rax",
		"add %rax,",
		"addps %ymm0,%ymm1",
		"frobnicate %rax",
		"syscall",
		"add %rip,%rax",
		"mov $,%rax",
		"",
	};
	unsigned char own[16], *theirs;
	size_t bytes;
	(void)state;
	need_x86();
	for (size_t i = 0; i < TP_COUNT_OF(others); i++) {
		enum tp_asm_syntax syntax = strchr(others[i], '%') ? TP_ASM_ATT : TP_ASM_INTEL;
		if (assembly->encode(others[i], syntax, own, &bytes) != TP_UNSUPPORTED)
			fail_msg("%s is not plain", others[i]);
	}
	for (size_t i = 0; i < TP_COUNT_OF(plain); i++) {
		enum tp_asm_syntax syntax = strchr(plain[i], '%') ? TP_ASM_ATT : TP_ASM_INTEL;
		struct tp_str a = { 0 }, b = { 0 };
		if (assembly->encode(plain[i], syntax, own, &bytes) != TP_OK)
			fail_msg("%s is plain", plain[i]);
		if (!assembler.program[0])
			continue;
		size_t their_bytes = assemble(plain[i], syntax, &theirs);
		if (!their_bytes)
			fail_msg("%s is refused by the assembler", plain[i]);
		assert_int_equal(tp_arch_host()->disassemble(own, bytes, &a), TP_OK);
		assert_int_equal(tp_arch_host()->disassemble(theirs, their_bytes, &b), TP_OK);
		assert_string_equal(a.s, b.s);
		free(theirs);
		tp_str_release(&a);
		tp_str_release(&b);
	}
}

/* The loop runs the body as often as it says, with the registers that it promises. */
static void the_loop_runs(void **state)
{
	unsigned char *code;
	uint64_t memory[16] = { 0 };
	static uint64_t stack[2048] __attribute__((aligned(64)));
	struct tp_asm_block block = { (uintptr_t)memory, (uintptr_t)&memory[8], 0x3ff0000000000000,
				      .stack = (uintptr_t)&stack[1024] };
	struct tp_code loop = { 0 };
	struct tp_diag diag;
	(void)state;
	need_assembler();
	size_t bytes = assemble("incq (%rdi)\nadd %rcx,8(%rdi)\nmov %rdx,16(%rdi)\n"
				"movq %xmm15,(%rsi)\npush %rax\npop %rbx\nmov %rbx,24(%rdi)\n"
				"mov $0x7f80,%eax\nmov %eax,32(%rdi)\nldmxcsr 32(%rdi)\nstd\n"
				"mov $1,%eax",
				TP_ASM_ATT, &code);
	assert_true(bytes > 0);
	memory[2] = 7;
	assert_int_equal(tp_asm_emit(assembly, &(struct tp_cpu){ .features = "sse2" }, code, bytes,
				     3, &loop, &diag),
			 TP_OK);
	tp_asm_fill(assembly, &block);
	tp_code_function (&loop)(&block, 5);
	assert_int_equal(memory[0], 15);
	assert_int_equal(memory[1], 15);
	assert_int_equal(memory[2], 0);
	assert_int_equal(memory[3], 1);
	assert_true(memory[8] == block.pattern);
	/* The mode of arithmetic is as before, or this quotient would be rounded down. */
	volatile double one = 1, three = 3;
	assert_true(one / three == 1.0 / 3.0);
	tp_code_release(&loop);
	free(code);
}

/* Elsewhere: one is added to the first cell of the buffer. */
static void loops_of_words_run(void **state)
{
	static const struct {
		const char *arch, *reserved, *free;
		uint32_t body[3];
	} rows[] = {
		{ "aarch64", "w28", "v31", { 0xf9400002, 0x91000442, 0xf9000002 } },
		{ "riscv64", "x27", "fa7", { 0x00053283, 0x00128293, 0x00553023 } },
	};
	uint64_t memory[16] = { 0 };
	static uint64_t stack[2048] __attribute__((aligned(64)));
	struct tp_asm_block block = { (uintptr_t)memory, (uintptr_t)&memory[8], 0x3ff0000000000000,
				      .stack = (uintptr_t)&stack[1024] };
	struct tp_code loop = { 0 };
	struct tp_diag diag;
	size_t ran = 0;
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows) && assembly; i++) {
		struct tp_register_name name;
		char text[TP_ASM_NAME_BYTES];
		if (strcmp(tp_arch_host()->name, rows[i].arch) != 0)
			continue;
		assert_true(tp_asm_find(assembly, rows[i].reserved, 3, &name));
		assert_true(assembly->is_reserved(name.reg));
		assert_true(tp_asm_find(assembly, rows[i].free, 3, &name));
		assert_false(assembly->is_reserved(name.reg));
		assert_true(tp_asm_name(assembly, &name, text));
		assert_string_equal(text, rows[i].free);
		assert_false(tp_asm_find(assembly, "q99", 3, &name));
		assert_int_equal(tp_asm_emit(assembly, &(struct tp_cpu){ .features = "" },
					     (const unsigned char *)rows[i].body,
					     sizeof(rows[i].body), 3, &loop, &diag),
				 TP_OK);
		tp_asm_fill(assembly, &block);
		tp_code_function (&loop)(&block, 5);
		assert_int_equal(memory[0], 15);
		tp_code_release(&loop);
		ran++;
	}
	if (!ran)
		skip();
}

static int setup(void **state)
{
	(void)state;
	assembly = tp_arch_host() ? tp_arch_host()->assembly : NULL;
	if (tp_assembler_find(&assembler, "", NULL) != TP_OK)
		assembler.program[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tp_compiler_release(&assembler);
	return 0;
}

static void ranges_stand_for_lines(void **state)
{
	struct tp_arena arena = { 0 };
	struct tp_asm_body body;
	struct tp_diag diag;
	(void)state;
	need_x86();
	assert_int_equal(split("vmulps %xmm9,%xmm8,%xmm{6..7}; nop", &body, &arena, &diag), TP_OK);
	assert_int_equal(body.n, 3);
	assert_string_equal(body.lines[0], "vmulps %xmm9,%xmm8,%xmm6");
	assert_string_equal(body.lines[1], "vmulps %xmm9,%xmm8,%xmm7");
	assert_string_equal(body.lines[2], "nop");
	assert_int_equal(split("vmulps xmm{0..1},xmm{2..4},xmm5", &body, &arena, &diag), TP_OK);
	assert_int_equal(body.n, 6);
	assert_string_equal(body.lines[4], "vmulps xmm1,xmm3,xmm5");
	/* A mask is not a range. */
	assert_int_equal(split("vaddps %zmm0,%zmm1,%zmm2{%k1}{z}", &body, &arena, &diag), TP_OK);
	assert_int_equal(body.n, 1);
	assert_int_equal(split("vmulps %xmm9,%xmm8,%xmm{7..6}", &body, &arena, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "has an empty range"));
	assert_int_equal(split("vpaddd %xmm{0..9},%xmm{0..9},%xmm1", &body, &arena, &diag),
			 TP_USAGE);
	assert_non_null(strstr(diag.what, "more than 64 instructions"));
	tp_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_becomes_lines),
		cmocka_unit_test(ranges_stand_for_lines),
		cmocka_unit_test(chains_are_recognised),
		cmocka_unit_test(results_feed_the_next),
		cmocka_unit_test(some_registers_stay_in_a_chain),
		cmocka_unit_test(registers_that_address_memory),
		cmocka_unit_test(addresses_are_parted_from_results),
		cmocka_unit_test(bars_are_recognised),
		cmocka_unit_test(copies_write_other_registers),
		cmocka_unit_test(variants_are_counted),
		cmocka_unit_test(plain_instructions_need_no_assembler),
		cmocka_unit_test(the_loop_runs),
		cmocka_unit_test(loops_of_words_run),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, setup, teardown);
}
