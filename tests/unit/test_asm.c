/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of --dump-asm is true: the system assembler makes the emitted instructions of it.
 * Encodings may differ (as prefers short displacements), so Capstone reads both, and the
 * instructions are compared one by one without padding.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/emit_check.h"
#include "base/file.h"
#include "base/str.h"
#include "base/memory.h"
#include "kernels/arch.h"

enum { NO_PROGRAM = 127, FILE_LIMIT = 64 << 20 };

struct fixture {
	csh capstone;
	char folder[64], source[96], object[96];
};

static int run_assembler(const char *const *arguments)
{
	pid_t child = fork();
	if (child == 0) {
		execvp(arguments[0], (char *const *)(uintptr_t)arguments);
		_exit(NO_PROGRAM);
	}
	int status;
	pid_t ended;
	do {
		ended = waitpid(child, &status, 0);
	} while (ended < 0 && errno == EINTR);
	return child > 0 && ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int assemble(const struct fixture *f)
{
	const char *const arguments[] = { "as", "--64",	   "-msyntax=intel", "-mnaked-reg",
					  "-o", f->object, f->source,	     NULL };
	return run_assembler(arguments);
}

static void remove_files(struct fixture *f)
{
	unlink(f->source);
	unlink(f->object);
	rmdir(f->folder);
}

static int open_fixture(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *tmp = getenv("TMPDIR");
	if (!f)
		return -1;
	snprintf(f->folder, sizeof(f->folder), "%.40s/tp-asm-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(f->folder)) {
		free(f);
		return -1;
	}
	snprintf(f->source, sizeof(f->source), "%s/kernel.s", f->folder);
	snprintf(f->object, sizeof(f->object), "%s/kernel.o", f->folder);
	f->capstone = decode_open();
	*state = f;
	return f->capstone ? 0 : -1;
}

static int close_fixture(void **state)
{
	struct fixture *f = *state;
	remove_files(f);
	cs_close(&f->capstone);
	free(f);
	return 0;
}

/* "    40:  jnz 0x40" becomes "L40:  jnz L40". */
static void write_source(const struct fixture *f, const char *listing)
{
	FILE *out = fopen(f->source, "w");
	assert_non_null(out);
	fputs(".text\n", out);
	while (*listing) {
		char *end;
		unsigned long at = strtoul(listing, &end, 16);
		assert_true(end > listing && end[0] == ':');
		const char *text = end + 1 + strspn(end + 1, " ");
		int length = (int)strcspn(text, "\n");
		if (strncmp(text, "jnz ", 4) == 0)
			fprintf(out, "L%lx: jnz L%lx\n", at, strtoul(text + 4, NULL, 16));
		else if (strncmp(text, "nop ", 4) ==
			 0) /* padding; its operands are a matter of dialect */
			fprintf(out, "L%lx: nop\n", at);
		else
			fprintf(out, "L%lx: %.*s\n", at, length, text);
		listing = text + length + (text[length] == '\n');
	}
	assert_int_equal(fclose(out), 0);
}

/* The section .text of an ELF object, as code. */
static struct tp_code text_of(const unsigned char *object, size_t bytes)
{
	Elf64_Ehdr head;
	struct tp_code code = { 0 };
	assert_true(bytes > sizeof(head));
	memcpy(&head, object, sizeof(head));
	assert_memory_equal(head.e_ident, ELFMAG, SELFMAG);
	for (unsigned i = 0; i < head.e_shnum; i++) {
		Elf64_Shdr section;
		size_t at = head.e_shoff + (size_t)i * sizeof(section);
		assert_true(at + sizeof(section) <= bytes);
		memcpy(&section, object + at, sizeof(section));
		if (section.sh_type != SHT_PROGBITS || !(section.sh_flags & SHF_EXECINSTR))
			continue;
		assert_true(section.sh_offset + section.sh_size <= bytes);
		code.map = (void *)(uintptr_t)(object + section.sh_offset);
		code.bytes = section.sh_size;
		break;
	}
	assert_non_null(code.map);
	return code;
}

static size_t skip_padding(const struct program *p, size_t i)
{
	while (i < p->n && p->items[i].class == DECODED_NOP)
		i++;
	return i;
}

/* Number of instructions before index `i` without padding. */
static size_t place(const struct program *p, size_t i)
{
	size_t n = 0;
	for (size_t k = skip_padding(p, 0); k < i; k = skip_padding(p, k + 1))
		n++;
	return n;
}

static void compare(const char *name, const struct program *emitted, const struct program *again)
{
	size_t i = skip_padding(emitted, 0), k = skip_padding(again, 0);
	while (i < emitted->n && k < again->n) {
		const struct decoded *a = &emitted->items[i], *b = &again->items[k];
		bool same = strcmp(a->text, b->text) == 0;
		if (a->class == DECODED_JUMP && b->class == DECODED_JUMP)
			same = place(emitted, a->target) == place(again, b->target);
		if (!same)
			fail_msg("%s: emitted at %zx: %s; assembled from its text: %s", name, a->at,
				 a->text, b->text);
		i = skip_padding(emitted, i + 1);
		k = skip_padding(again, k + 1);
	}
	if (i < emitted->n || k < again->n)
		fail_msg("%s: the text has another number of instructions", name);
}

static void hold(const struct fixture *f, const struct emit_target *target,
		 const struct tp_kernel *kernel)
{
	struct tp_cpu cpu = emit_target_cpu(target);
	struct tp_code code;
	struct tp_diag diag;
	struct tp_str listing = { 0 };
	struct program emitted, again;
	char name[256], why[256];
	emit_describe(target, kernel, name, sizeof(name));
	if (tp_kernel_emit(kernel, &cpu, &code, &diag) != TP_OK)
		fail_msg("%s: %s", name, diag.what);
	assert_int_equal(tp_arch_host()->disassemble(code.map, code.bytes, &listing), TP_OK);
	write_source(f, tp_str_text(&listing));
	int status = assemble(f);
	if (status != 0)
		fail_msg("%s: as ended with %d", name, status);
	char *object;
	size_t object_bytes;
	if (tp_file_read(f->object, FILE_LIMIT, &object, &object_bytes, &diag) != TP_OK)
		fail_msg("%s: %s", name, diag.what);
	struct tp_code assembled = text_of((const unsigned char *)object, object_bytes);
	if (!program_init(&emitted, f->capstone, &code, why) ||
	    !program_init(&again, f->capstone, &assembled, why))
		fail_msg("%s: %s", name, why);
	compare(name, &emitted, &again);
	program_release(&emitted);
	program_release(&again);
	free(object);
	tp_str_release(&listing);
	tp_code_release(&code);
}

static void listings_assemble_to_what_was_emitted(void **state)
{
	static const struct tp_kernel shapes[] = {
		{ .kind = TP_KERNEL_CHAIN },
		{ .kind = TP_KERNEL_CHASE },
		{ .kind = TP_KERNEL_MEMORY, .loads = 1 },
		{ .kind = TP_KERNEL_MEMORY, .loads = 2, .stores = 1 },
		{ .kind = TP_KERNEL_MEMORY, .loads = 2, .stores = 1, .nontemporal = true },
		{ .kind = TP_KERNEL_MEMORY,
		  .loads = 4,
		  .stores = 3,
		  .stride = 3,
		  .body = { .two_streams = true } },
		{ .kind = TP_KERNEL_MEMORY, .stores = 1, .body = { .unroll = 64, .lanes = 8 } },
		{ .kind = TP_KERNEL_FP, .fp_op = TP_FP_ADD },
		{ .kind = TP_KERNEL_FP, .fp_op = TP_FP_MUL },
		{ .kind = TP_KERNEL_FP, .fp_op = TP_FP_DIV },
		{ .kind = TP_KERNEL_FP, .fp_op = TP_FP_FMA },
		{ .kind = TP_KERNEL_FP, .fp_op = TP_FP_FMA_ADD },
		{ .kind = TP_KERNEL_MIXED,
		  .loads = 2,
		  .stores = 1,
		  .fp_op = TP_FP_FMA_ADD,
		  .fp_count = 3,
		  .mem_count = 2 },
	};
	const char *const version[] = { "as", "-o", "/dev/null", "/dev/null", NULL };
	const struct fixture *f = *state;
	if (!tp_arch_host() || strcmp(tp_arch_host()->name, "x86_64") != 0)
		skip();
	if (run_assembler(version) == NO_PROGRAM) {
		print_message("there is no assembler (Debian package binutils)\n");
		skip();
	}
	for (size_t t = 0; t < emit_target_count; t++)
		for (size_t i = 0; i < 2 * TP_COUNT_OF(shapes); i++) {
			struct tp_kernel k = shapes[i / 2];
			k.isa = tp_isa_find(emit_targets[t].isa);
			k.element_bytes = i % 2 && k.kind != TP_KERNEL_CHASE ? 4 : 8;
			if (k.kind == TP_KERNEL_MEMORY || k.kind == TP_KERNEL_MIXED)
				k.working_set_bytes = 16 * 1024;
			hold(f, &emit_targets[t], &k);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listings_assemble_to_what_was_emitted),
	};
	return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
