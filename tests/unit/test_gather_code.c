/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code of gathers as Capstone and objdump read it: a pass walks the list of bases once and
 * gathers from each; before each gather its target is cleared and its mask is set from one that
 * nothing changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <capstone/capstone.h>
#include <cmocka.h>

#include "base/str.h"
#include "base/memory.h"
#include "kernels/kernel.h"

enum { GATHERS = 5 * TP_GATHER_GROUP };

struct target {
	const char *isa, *features;
	bool kmasks;
};
static const struct target targets[] = {
	{ "avx2", "sse2 avx avx2 fma", false },
	{ "avx512", "sse2 avx avx2 fma avx512f avx512vl", true },
};

/* What was seen since the gather before. */
struct since {
	bool base, clear, mask;
	unsigned base_reg, clear_reg, mask_reg;
};

/* The number of a vector register, whatever its length; of others it is more than 31. */
static unsigned vector_number(unsigned reg)
{
	if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31)
		return reg - X86_REG_XMM0;
	if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31)
		return reg - X86_REG_YMM0;
	if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31)
		return reg - X86_REG_ZMM0;
	return 1000 + reg;
}

static unsigned register_bytes(unsigned reg)
{
	return reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31   ? 64
	       : reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31 ? 32
							     : 16;
}

static bool is_gather(const cs_insn *i)
{
	return i->id == X86_INS_VGATHERDPS || i->id == X86_INS_VGATHERDPD;
}

/* The operands of a gather: the memory, its target, its mask. */
static void hold_gather(const cs_insn *i, const struct tp_kernel *k, const struct target *t,
			const struct since *since)
{
	const cs_x86 *x = &i->detail->x86;
	const cs_x86_op *memory = NULL;
	unsigned dst = x->operands[0].reg, mask = 0;
	assert_int_equal(x->operands[0].type, X86_OP_REG);
	for (uint8_t o = 1; o < x->op_count; o++) {
		if (x->operands[o].type == X86_OP_MEM)
			memory = &x->operands[o];
		else
			mask = x->operands[o].reg;
	}
	if (!memory)
		fail_msg("%s %s has no memory", i->mnemonic, i->op_str);
	assert_int_equal(i->id, k->element_bytes == 4 ? X86_INS_VGATHERDPS : X86_INS_VGATHERDPD);
	assert_int_equal(register_bytes(dst), k->gather->vector_bytes);
	assert_int_equal(memory->mem.scale, k->element_bytes);
	assert_int_equal(memory->mem.disp, 0);
	/* The base that was loaded for it, the target that was cleared, the mask that was set. */
	assert_true(since->base && since->clear && since->mask);
	assert_int_equal(memory->mem.base, since->base_reg);
	assert_int_equal(vector_number(dst), since->clear_reg);
	assert_int_equal(mask, since->mask_reg);
	assert_true(t->kmasks == (mask >= X86_REG_K1 && mask <= X86_REG_K7));
	/* The instruction is undefined if two of these are one register. */
	unsigned index = vector_number(memory->mem.index);
	assert_true(index < 32 && index != vector_number(dst) && index != vector_number(mask));
	assert_true(vector_number(dst) != vector_number(mask));
}

/* Notes what an instruction of the round before a gather does. */
static void note(const cs_insn *i, struct since *since)
{
	const cs_x86 *x = &i->detail->x86;
	const cs_x86_op *o = x->operands;
	if (i->id == X86_INS_MOV && x->op_count == 2 && o[1].type == X86_OP_MEM) {
		since->base = true;
		since->base_reg = o[0].reg;
	} else if (i->id == X86_INS_VXORPS) {
		assert_true(o[0].reg == o[1].reg && o[1].reg == o[2].reg);
		since->clear = true;
		since->clear_reg = vector_number(o[0].reg);
	} else if (i->id == X86_INS_VMOVAPS || i->id == X86_INS_KMOVW) {
		assert_true(o[1].type == X86_OP_REG && o[0].reg != o[1].reg);
		since->mask = true;
		since->mask_reg = o[0].reg;
	}
}

static void hold(csh capstone, const struct target *t, const struct tp_kernel *k)
{
	struct tp_cpu cpu = { .arch = "x86_64" };
	struct tp_code code;
	struct tp_diag diag = { 0 };
	struct since since = { 0 };
	cs_insn *all;
	unsigned gathers = 0, bases = 0, dec = 0, stores = 0;
	int64_t next_base = 0, rounds = 0, step = 0;
	tp_copy(cpu.features, sizeof(cpu.features), t->features);
	if (tp_kernel_emit(k, &cpu, &code, &diag) != TP_OK)
		fail_msg("%s: %s", t->isa, diag.what);
	size_t n = cs_disasm(capstone, code.map, code.bytes, 0, 0, &all);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++) {
		const cs_insn *at = &all[i];
		const cs_x86_op *o = at->detail->x86.operands;
		bool inside = at->address >= code.loop_begin && at->address < code.loop_end;
		stores += o[0].type == X86_OP_MEM &&
			  (at->id == X86_INS_VMOVAPS || at->id == X86_INS_VMOVAPD);
		if (!inside) {
			assert_false(is_gather(at));
			continue;
		}
		if (at->id == X86_INS_MOV && o[1].type == X86_OP_IMM)
			rounds = o[1].imm;
		if (at->id == X86_INS_ADD)
			step = o[1].imm;
		dec += at->id == X86_INS_DEC;
		if (at->id == X86_INS_MOV && o[1].type == X86_OP_MEM &&
		    o[1].mem.base != X86_REG_RDI) {
			/* Each of the list in turn. */
			assert_int_equal(o[1].mem.disp, next_base);
			next_base += 8;
			bases++;
		}
		if (!is_gather(at)) {
			note(at, &since);
			continue;
		}
		hold_gather(at, k, t, &since);
		since = (struct since){ 0 };
		gathers++;
	}
	assert_int_equal(gathers, TP_GATHER_GROUP);
	assert_int_equal(bases, TP_GATHER_GROUP);
	assert_int_equal(stores, TP_GATHER_GROUP);
	assert_int_equal(step, 8 * TP_GATHER_GROUP);
	assert_int_equal(rounds * gathers, GATHERS);
	assert_int_equal(dec, 2); /* of rounds and of passes */
	struct tp_kernel_counts counts;
	tp_kernel_count(k, &cpu, &counts);
	assert_int_equal(counts.other, rounds * gathers);
	cs_free(all, n);
	tp_code_release(&code);
}

static void gathers_are_set_up_one_by_one(void **state)
{
	csh capstone;
	unsigned held = 0;
	(void)state;
	if (!tp_isa_find("avx2"))
		skip();
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &capstone), CS_ERR_OK);
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	for (size_t t = 0; t < TP_COUNT_OF(targets); t++)
		for (unsigned bits = 128; bits <= 512; bits *= 2)
			for (unsigned bytes = 4; bytes <= 8; bytes *= 2) {
				const struct tp_gather g = { .elements = 2,
							     .vector_bytes = bits / 8,
							     .gathers = GATHERS };
				struct tp_kernel k = { .kind = TP_KERNEL_GATHER,
						       .isa = tp_isa_find(targets[t].isa),
						       .element_bytes = bytes,
						       .gather = &g };
				/* Capstone 4 does not know the short gathers of AVX-512. */
				if ((bits == 512) != targets[t].kmasks)
					continue;
				hold(capstone, &targets[t], &k);
				held++;
			}
	assert_int_equal(held, 6);
	cs_close(&capstone);
}

/* --- the same as objdump reads it, all widths --- */

static const char *vector_word(unsigned bytes)
{
	return bytes == 64 ? "zmm" : bytes == 32 ? "ymm" : "xmm";
}

/* What objdump says of the code, without blanks; false if there is no objdump. */
static bool listing_of(const struct tp_code *code, struct tp_str *out)
{
	char path[] = "/tmp/tprof-gather-XXXXXX", command[160], line[512];
	int file = mkstemp(path);
	assert_true(file >= 0);
	assert_int_equal(write(file, code->map, code->bytes), code->bytes);
	close(file);
	snprintf(command, sizeof(command),
		 "objdump -D -z -b binary -m i386:x86-64 -M intel %s 2>/dev/null", path);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe))
		for (const char *c = line; *c; c++)
			if (*c != ' ' && *c != '\t')
				tp_str_add_n(out, c, 1);
	unlink(path);
	return pclose(pipe) == 0 && out->len > 0;
}

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;
	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static void hold_listing(const struct target *t, const struct tp_kernel *k, const char *listing)
{
	unsigned bytes = k->gather->vector_bytes, index_bytes = bytes / k->element_bytes * 4;
	bool single = k->element_bytes == 4;
	char expected[96];
	index_bytes = index_bytes < 16 ? 16 : index_bytes;
	assert_int_equal(count(listing, "vgather"), TP_GATHER_GROUP);
	for (unsigned i = 0; i < TP_GATHER_GROUP; i++) {
		const char *word = vector_word(bytes);
		char last[16] = "", mask[16] = "{k1}";
		if (!t->kmasks) {
			mask[0] = '\0';
			snprintf(last, sizeof(last), ",%s%u", word, TP_GATHER_GROUP + i);
		}
		snprintf(expected, sizeof(expected), "vgather%s%s%u%s,%sWORDPTR[rdx+%s8*%u]%s\n",
			 single ? "dps" : "dpd", word, i, mask, single ? "D" : "Q",
			 vector_word(index_bytes), k->element_bytes, last);
		if (count(listing, expected) != 1)
			fail_msg("not once in the code: %s%s", expected, listing);
	}
	if (t->kmasks) {
		assert_int_equal(count(listing, "kmovwk1,k2\n"), TP_GATHER_GROUP);
		assert_int_equal(count(listing, "kmovwk2,WORDPTR[rdi+0x8]\n"), 1);
	}
}

static void objdump_reads_the_same_gathers(void **state)
{
	unsigned held = 0;
	(void)state;
	if (!tp_isa_find("avx2"))
		skip();
	for (size_t t = 0; t < TP_COUNT_OF(targets); t++)
		for (unsigned i = 0; i < 6; i++) {
			const struct tp_gather g = { .elements = 2,
						     .vector_bytes = 16u << i / 2,
						     .gathers = GATHERS };
			struct tp_kernel k = { .kind = TP_KERNEL_GATHER,
					       .isa = tp_isa_find(targets[t].isa),
					       .element_bytes = i % 2 ? 4 : 8,
					       .gather = &g };
			struct tp_cpu cpu = { .arch = "x86_64" };
			struct tp_str listing = { 0 };
			struct tp_code code;
			tp_copy(cpu.features, sizeof(cpu.features), targets[t].features);
			if (tp_gather_supported(k.isa, g.vector_bytes, &cpu, NULL) != TP_OK)
				continue;
			assert_int_equal(tp_kernel_emit(&k, &cpu, &code, NULL), TP_OK);
			bool read = listing_of(&code, &listing);
			if (read)
				hold_listing(&targets[t], &k, tp_str_text(&listing));
			tp_str_release(&listing);
			tp_code_release(&code);
			if (!read) {
				print_message("SKIPPED: no objdump of x86-64\n");
				skip();
			}
			held++;
		}
	assert_int_equal(held, 4 + 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gathers_are_set_up_one_by_one),
		cmocka_unit_test(objdump_reads_the_same_gathers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
