/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --dump-asm prints the code of a kernel as it would be timed. */
#include "cli/cli.h"
#include "kernels/arch.h"
#include "kernels/kernel.h"
#include "base/text.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIZE_BYTES UINT64_C(16384)
#define SIZE_BYTES_MAX	   (UINT64_C(1) << 30)

enum { PART_MAX = 64, NAMES_MAX = 16 };

static const char form[] =
	"ISA:KERNEL[/PRECISION][:SIZE], such as avx2:2ld1st:16KiB or sse:fma/single";
static const char memory_names[] = "load, store, store-nt, 2ld1st, 2ld1st-nt";

/* What the text is cut into. */
struct parts {
	char isa[PART_MAX], kernel[PART_MAX], precision[PART_MAX], size[PART_MAX];
};

static bool copy_part(char out[PART_MAX], const char *text, size_t n)
{
	if (n >= PART_MAX)
		return false;
	memcpy(out, text, n);
	out[n] = '\0';
	return true;
}

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static enum tp_status cut(const char *text, struct parts *parts, struct tp_diag *diag)
{
	size_t n = strcspn(text, ":");
	*parts = (struct parts){ 0 };
	if (n == 0 || !text[n] || !text[n + 1] || !copy_part(parts->isa, text, n))
		return tp_fail(diag, TP_USAGE, "--dump-asm", form, "\"%.80s\" is not ISA:KERNEL",
			       text);
	text += n + 1;
	n = strcspn(text, ":/");
	/* The name of a mixed kernel contains a colon. */
	if (starts(text, "mixed-") && text[n] == ':')
		n += 1 + strcspn(text + n + 1, ":/");
	bool ok = copy_part(parts->kernel, text, n);
	text += n;
	if (ok && *text == '/') {
		n = strcspn(++text, ":");
		ok = copy_part(parts->precision, text, n);
		text += n;
	}
	if (ok && *text == ':')
		ok = text[1] && copy_part(parts->size, text + 1, strlen(text + 1));
	if (!ok)
		return tp_fail(diag, TP_USAGE, "--dump-asm", form,
			       "this is not ISA:KERNEL[/PRECISION][:SIZE]");
	return TP_OK;
}

static enum tp_status find_isa(const char *name, const struct tp_isa **isa, struct tp_diag *diag)
{
	const char *names[NAMES_MAX];
	TP_STR hint = { 0 };
	size_t n = TP_MIN(tp_isa_count, (size_t)NAMES_MAX);
	*isa = tp_isa_find(name);
	if (*isa)
		return TP_OK;
	for (size_t i = 0; i < n; i++)
		names[i] = tp_isa_table[i]->name;
	tp_str_suggest(&hint, name, "one of ", names, n, " or ");
	return tp_fail(diag, TP_USAGE, "--dump-asm", n ? tp_str_text(&hint) : NULL,
		       "this program has no kernels for an ISA \"%s\"", name);
}

/* Takes a decimal number off the front of *text. */
static bool take_number(const char **text, unsigned *value)
{
	size_t n = strspn(*text, "0123456789");
	char digits[4]; /* three digits are enough for every kernel */
	if (n == 0 || n >= sizeof(digits))
		return false;
	memcpy(digits, *text, n);
	digits[n] = '\0';
	*value = (unsigned)strtoul(digits, NULL, 10);
	*text += n;
	return true;
}

static bool take_word(const char **text, const char *word)
{
	if (!starts(*text, word))
		return false;
	*text += strlen(word);
	return true;
}

/* load, store, store-nt, 2ld1st, 2ld1st-nt off the front of *text. */
static bool take_ratio(const char **text, struct tp_kernel *kernel)
{
	const char *at = *text;
	if (take_word(&at, "load")) {
		kernel->loads = 1;
	} else if (take_word(&at, "store")) {
		kernel->stores = 1;
	} else if (!take_number(&at, &kernel->loads) || !take_word(&at, "ld") ||
		   !take_number(&at, &kernel->stores) || !take_word(&at, "st")) {
		return false;
	}
	if (kernel->stores)
		kernel->nontemporal = take_word(&at, "-nt");
	*text = at;
	return true;
}

static bool parse_memory(const char *name, struct tp_kernel *kernel)
{
	kernel->kind = TP_KERNEL_MEMORY;
	return take_ratio(&name, kernel) &&
	       (!take_word(&name, "-stride") ||
		(take_number(&name, &kernel->stride) && kernel->stride)) &&
	       !*name;
}

/* mixed-OP-RATIO-FP:MEMORY */
static bool parse_mixed(const char *name, struct tp_kernel *kernel)
{
	char op[PART_MAX];
	kernel->kind = TP_KERNEL_MIXED;
	if (!take_word(&name, "mixed-"))
		return false;
	size_t n = strcspn(name, "-");
	if (!copy_part(op, name, n))
		return false;
	kernel->fp_op = tp_fp_op_find(op);
	name += n;
	return kernel->fp_op != TP_FP_NONE && take_word(&name, "-") && take_ratio(&name, kernel) &&
	       take_word(&name, "-") && take_number(&name, &kernel->fp_count) &&
	       take_word(&name, ":") && take_number(&name, &kernel->mem_count) && !*name;
}

static enum tp_status unknown_kernel(const char *name, struct tp_diag *diag)
{
	const char *names[NAMES_MAX + TP_FP_OP_COUNT + 8] = { "load",	"store",  "store-nt",
							      "2ld1st", "1ld1st", "2ld1st-nt",
							      "chase",	"chain" };
	size_t n = 8;
	for (size_t i = 0; tp_array_kernels[i].name && i < NAMES_MAX; i++)
		names[n++] = tp_array_kernels[i].name;
	const size_t fp = n;
	TP_STR hint = { 0 };
	for (int op = TP_FP_NONE + 1; op < TP_FP_OP_COUNT; op++)
		names[n++] = tp_fp_op_name((enum tp_fp_op)op);
	const char *near = tp_nearest(name, names, n);
	if (starts(name, "mixed")) {
		tp_str_add(&hint, "mixed-OP-RATIO-FP:MEMORY, such as mixed-fma-2ld1st-3:2");
	} else {
		if (near)
			tp_str_printf(&hint, "did you mean %s? ", near);
		tp_str_printf(&hint, "memory: %s, ", memory_names);
		tp_str_list(&hint, names + 8, fp - 8, " or ");
		tp_str_add(&hint, "; FP: ");
		tp_str_list(&hint, names + fp, n - fp, " or ");
		tp_str_add(&hint, "; mixed-fma-2ld1st-3:2; chase; chain");
	}
	return tp_fail(diag, TP_USAGE, "--dump-asm", tp_str_text(&hint),
		       "there is no kernel \"%s\"", name);
}

/* This CPU with the features that the ISA needs: the code is shown, not run. */
static struct tp_cpu able_cpu(const struct tp_kernel *kernel, const struct tp_cpu *cpu)
{
	struct tp_cpu able = *cpu;
	size_t n = strlen(able.features);
	tp_copy(able.arch, sizeof(able.arch), kernel->isa->arch);
	const struct tp_narrow *narrow = tp_narrow_of(kernel);
	snprintf(able.features + n, sizeof(able.features) - n, "%s%s %s", n ? " " : "",
		 kernel->isa->needs, narrow ? narrow->needs : "");
	return able;
}

/*
 * True if the name means a kernel over arrays: "add" is the FP instruction unless a working set
 * follows, which an FP kernel lacks; "dot" is the instruction in the precisions that have it.
 */
static bool means_arrays(const char *name, const char *size, const char *precision)
{
	const struct tp_precision *p = tp_precision_find(precision);
	enum tp_fp_op op = tp_fp_op_find(name);
	return tp_array_kernel_find(name) &&
	       (*size || op == TP_FP_NONE ||
		(op == TP_FP_DOT && !(p && tp_precision_is_narrow(p))));
}

static enum tp_status parse_kernel(const char *name, const char *size, const char *precision,
				   struct tp_kernel *kernel, struct tp_diag *diag)
{
	const struct tp_kernel blank = *kernel;
	if (strcmp(name, "chain") == 0) {
		kernel->kind = TP_KERNEL_CHAIN;
	} else if (strcmp(name, "chase") == 0) {
		kernel->kind = TP_KERNEL_CHASE;
	} else if (means_arrays(name, size, precision)) {
		struct tp_cpu cpu, able;
		tp_arch_identify(&cpu);
		able = able_cpu(kernel, &cpu);
		tp_array_kernel_set(tp_array_kernel_find(name), &able, kernel);
	} else if (*name && (kernel->fp_op = tp_fp_op_find(name)) != TP_FP_NONE) {
		kernel->kind = TP_KERNEL_FP;
	} else if (!parse_memory(name, kernel)) {
		*kernel = blank;
		return parse_mixed(name, kernel) ? TP_OK : unknown_kernel(name, diag);
	}
	return TP_OK;
}

static enum tp_status parse_size(const char *text, struct tp_kernel *kernel, struct tp_diag *diag)
{
	bool memory = kernel->kind == TP_KERNEL_MEMORY || kernel->kind == TP_KERNEL_MIXED;
	kernel->working_set_bytes = memory ? DEFAULT_SIZE_BYTES : 0;
	if (!*text)
		return TP_OK;
	if (!memory)
		return tp_fail(diag, TP_USAGE, "--dump-asm", "leave the size out",
			       "the code of this kernel does not depend on a working set such as "
			       "\":%s\"",
			       text);
	if (!tp_parse_bytes(text, &kernel->working_set_bytes) || !kernel->working_set_bytes ||
	    kernel->working_set_bytes % 64 || kernel->working_set_bytes > SIZE_BYTES_MAX)
		return tp_fail(diag, TP_USAGE, "--dump-asm",
			       "a multiple of 64 bytes up to 1GiB, such as 4096, 16KiB or 1.5MiB",
			       "\"%s\" is not a working set", text);
	return TP_OK;
}

enum tp_status tp_dump_parse(const char *text, struct tp_kernel *kernel, struct tp_diag *diag)
{
	struct parts parts;
	*kernel = (struct tp_kernel){ .element_bytes = 8 };
	enum tp_status status = cut(text, &parts, diag);
	if (status == TP_OK)
		status = find_isa(parts.isa, &kernel->isa, diag);
	if (status == TP_OK)
		status = parse_kernel(parts.kernel, parts.size, parts.precision, kernel, diag);
	if (status != TP_OK)
		return status;
	const struct tp_precision *precision = tp_precision_find(parts.precision);
	if (strchr(text, '/') && !precision)
		return tp_fail(diag, TP_USAGE, "--dump-asm",
			       "/double, /single, /half, /bf16 or /int8",
			       "\"/%s\" is not a precision", parts.precision);
	if (precision) {
		kernel->element_bytes = precision->element_bytes;
		kernel->format = precision->format;
	}
	status = parse_size(parts.size, kernel, diag);
	if (status == TP_OK)
		status = tp_kernel_check(kernel, diag);
	if (status == TP_USAGE && !diag->hint[0])
		tp_copy(diag->hint, sizeof(diag->hint), form);
	return status;
}

static void count_line(struct tp_str *out, uint64_t n, const char *what, uint64_t bytes)
{
	char size[32];
	if (!n)
		return;
	tp_str_printf(out, ", %" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
	if (bytes)
		tp_str_printf(out, " (%s)", tp_format_bytes(size, sizeof(size), bytes));
}

static void header(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
		   const struct tp_cpu *able, const struct tp_code *code, struct tp_str *out)
{
	struct tp_kernel_counts counts;
	struct tp_diag why;
	char name[PART_MAX], body[48], size[32];
	struct tp_body shown = kernel->body;
	shown.unroll = tp_kernel_unroll(kernel);
	tp_kernel_count(kernel, able, &counts);
	tp_kernel_name(kernel, name, sizeof(name));
	tp_body_name(&shown, body, sizeof(body));

	tp_str_printf(out, "# %s %s", kernel->isa->name, name);
	if (kernel->kind != TP_KERNEL_CHAIN && kernel->kind != TP_KERNEL_CHASE)
		tp_str_printf(out, ", %s precision, %u-byte operands",
			      tp_precision_of(kernel->element_bytes, kernel->format)->name,
			      tp_kernel_operand_bytes(kernel));
	tp_str_printf(out, ", body %s\n", body);
	tp_str_add(out, "# one pass");
	if (kernel->working_set_bytes)
		tp_str_printf(out, " over %s",
			      tp_format_bytes(size, sizeof(size), kernel->working_set_bytes));
	count_line(out, counts.loads, "load", counts.loaded_bytes);
	count_line(out, counts.stores, "store", counts.stored_bytes);
	count_line(out, counts.fp, "FP instruction", 0);
	count_line(out, counts.flops, "FLOP", 0);
	count_line(out, counts.other, "dependent addition", 0);
	tp_str_printf(out, "\n# %zu bytes of code", code->bytes);
	if (code->loop_end > code->loop_begin)
		tp_str_printf(out, ", inner loop from %zx to %zx", code->loop_begin,
			      code->loop_end);
	tp_str_add(out, "; arguments: data, passes\n");
	const struct tp_narrow *narrow = tp_narrow_of(kernel);
	if (tp_isa_supported(kernel->isa, cpu, &why) != TP_OK ||
	    (narrow && tp_narrow_supported(narrow, cpu, &why) != TP_OK))
		tp_str_printf(out, "# not for this machine: %s\n", why.what);
}

enum tp_status tp_dump_kernel(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
			      struct tp_str *out, struct tp_diag *diag)
{
	const struct tp_arch *arch = tp_arch_host();
	struct tp_cpu able = able_cpu(kernel, cpu);
	TP_CLEANUP(tp_code_release) struct tp_code code = { 0 };
	if (!arch || !arch->disassemble || strcmp(arch->name, kernel->isa->arch) != 0)
		return tp_fail(diag, TP_UNSUPPORTED, "--dump-asm", NULL,
			       "this program cannot show code of %s", kernel->isa->arch);
	enum tp_status status = tp_kernel_emit(kernel, &able, &code, diag);
	if (status != TP_OK)
		return status;
	header(kernel, cpu, &able, &code, out);
	status = arch->disassemble(code.map, code.bytes, out);
	if (status != TP_OK)
		tp_fail(diag, status, "--dump-asm", NULL, "the code could not be shown: %s",
			tp_status_name(status));
	return status;
}

int tp_cli_dump_asm(const struct tp_cli *cli)
{
	struct tp_cpu cpu;
	enum tp_status status = TP_OK;
	tp_arch_identify(&cpu);
	for (size_t i = 0; i < cli->values.n && status == TP_OK; i++) {
		struct tp_kernel kernel;
		TP_STR out = { 0 };
		struct tp_diag diag = { 0 };
		status = tp_dump_parse(cli->values.items[i], &kernel, &diag);
		if (status == TP_OK)
			status = tp_dump_kernel(&kernel, &cpu, &out, &diag);
		if (status != TP_OK)
			tp_complain(&diag);
		else
			printf("%s%s", i ? "\n" : "", tp_str_text(&out));
	}
	return (int)tp_status_exit(status);
}
