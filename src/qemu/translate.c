/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What qemu translates, instrumented: which counters each block moves. */
#include "qemu/plugin.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks by their first address; those of the same address follow each other. */
static struct tp_qemu_block **blocks;
static size_t n_blocks, n_places; /* a power of two */

static uint64_t mixed(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return x ^ x >> 29;
}

static bool grow(void)
{
	size_t n = n_places ? n_places * 2 : 4096;
	struct tp_qemu_block **places = calloc(n, sizeof(struct tp_qemu_block *));
	if (!places)
		return false;
	for (size_t i = 0; i < n_places; i++) {
		if (!blocks[i])
			continue;
		size_t at = mixed(blocks[i]->pc) & (n - 1);
		while (places[at])
			at = (at + 1) & (n - 1);
		places[at] = blocks[i];
	}
	free(blocks);
	blocks = places;
	n_places = n;
	return true;
}

/* The block with these bytes, if need be a new one, whose counter is 0. NULL = no memory. */
static struct tp_qemu_block *block_of(uint64_t pc, uint64_t key)
{
	if (n_blocks * 2 >= n_places && !grow())
		return NULL;
	size_t at = mixed(pc) & (n_places - 1);
	for (; blocks[at]; at = (at + 1) & (n_places - 1))
		if (blocks[at]->pc == pc && blocks[at]->key == key)
			return blocks[at];
	struct tp_qemu_block *block = calloc(1, sizeof(*block));
	if (!block)
		return NULL;
	block->pc = pc;
	block->key = key;
	blocks[at] = block;
	n_blocks++;
	return block;
}

/* What has no room is not counted, and said. */
static uint32_t new_counter(const uint32_t add[TP_MIX_N], uint64_t pc, uint32_t bytes)
{
	if (tp_qemu.n_counters == TP_AGENT_COUNTERS) {
		snprintf(tp_qemu.shared->words, sizeof(tp_qemu.shared->words),
			 "it has more than %d blocks of code: some were not counted",
			 TP_AGENT_COUNTERS);
		return 0;
	}
	struct tp_agent_unit *unit = &tp_qemu.units[tp_qemu.n_counters];
	memcpy(unit->add, add, sizeof(unit->add));
	unit->pc = pc;
	unit->bytes = bytes;
	return tp_qemu.n_counters++;
}

struct instruction {
	struct qemu_plugin_insn *insn;
	uint64_t pc;
	uint32_t bytes;
	bool decoded;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	struct tp_mix_instruction mix;
};

/* False: qemu took the last instruction back because it goes on in the next page. */
static bool decode(struct qemu_plugin_insn *insn, struct instruction *out)
{
	ZydisDecoder decoder;
	const void *data = qemu_plugin_insn_data(insn);
	size_t bytes = qemu_plugin_insn_size(insn);
	out->insn = insn;
	out->pc = qemu_plugin_insn_vaddr(insn);
	out->bytes = (uint32_t)bytes;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZyanStatus status = ZydisDecoderDecodeFull(&decoder, data, bytes, &out->in, out->operands);
	out->decoded = ZYAN_SUCCESS(status);
	if (out->decoded) {
		tp_mix_x86(&out->in, out->operands, &out->mix);
		return true;
	}
	out->mix = (struct tp_mix_instruction){ .times = TP_MIX_NEVER };
	out->mix.once[TP_MIX_INSTRUCTIONS] = 1;
	out->mix.once[TP_MIX_OTHER] = 1;
	out->mix.once[TP_MIX_ISA_OTHER] = 1;
	return status != ZYDIS_STATUS_NO_MORE_DATA;
}

/* --- what repeats, or depends on a mask --- */

static struct tp_qemu_lanes *lanes_of(const struct instruction *i, uint32_t accesses)
{
	struct tp_qemu_lanes *lanes = calloc(1, sizeof(*lanes));
	uint32_t add[TP_MIX_N];
	if (!lanes)
		return NULL;
	for (unsigned k = 0; k < TP_MIX_N; k++)
		add[k] = i->mix.each[k] / accesses;
	lanes->pc = i->pc;
	lanes->counter = new_counter(add, i->pc, i->bytes);
	lanes->lanes = i->mix.lanes;
	lanes->lane_bytes = i->mix.lane_bytes;
	lanes->mask = i->mix.mask;
	lanes->stores = i->mix.each[TP_MIX_BYTES_STORED] > 0;
	return lanes;
}

static void watch_accesses(const struct instruction *i)
{
	/* A string instruction may read two operands for each repetition. */
	bool compares =
		i->mix.times == TP_MIX_REPEATS && i->in.meta.category == ZYDIS_CATEGORY_STRINGOP &&
		(i->in.mnemonic == ZYDIS_MNEMONIC_CMPSB || i->in.mnemonic == ZYDIS_MNEMONIC_CMPSW ||
		 i->in.mnemonic == ZYDIS_MNEMONIC_CMPSD || i->in.mnemonic == ZYDIS_MNEMONIC_CMPSQ);
	struct tp_qemu_lanes *lanes = lanes_of(i, compares ? 2 : 1);
	if (!lanes)
		return;
	bool is_gather = i->mix.once[TP_MIX_GATHERS] > 0;
	if (i->mix.times == TP_MIX_SIGNS && !is_gather && !lanes->stores) {
		qemu_plugin_register_vcpu_insn_exec_cb(i->insn, tp_qemu_on_masked,
						       QEMU_PLUGIN_CB_NO_REGS, lanes);
		return;
	}
	qemu_plugin_register_vcpu_insn_exec_cb(i->insn, tp_qemu_on_watched, QEMU_PLUGIN_CB_NO_REGS,
					       (void *)(uintptr_t)i->pc);
	qemu_plugin_register_vcpu_mem_cb(i->insn, tp_qemu_on_access, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_RW, lanes);
}

static void watch_calls(const struct instruction *i)
{
	qemu_plugin_vcpu_mem_cb_t cb = i->in.meta.category == ZYDIS_CATEGORY_CALL ? tp_qemu_on_call
				       : i->in.meta.category == ZYDIS_CATEGORY_RET
					       ? tp_qemu_on_return
					       : NULL;
	if (!cb)
		return;
	qemu_plugin_register_vcpu_insn_exec_cb(i->insn, tp_qemu_on_watched, QEMU_PLUGIN_CB_NO_REGS,
					       (void *)(uintptr_t)i->pc);
	qemu_plugin_register_vcpu_mem_cb(i->insn, cb, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
					 (void *)(uintptr_t)i->pc);
}

/* --- blocks --- */

/* A part of a block whose instructions execute together. */
struct part {
	struct qemu_plugin_tb *tb; /* NULL = it begins in the middle of a block */
	struct qemu_plugin_insn *first;
	uint64_t pc, key, repeated;
	uint32_t bytes, n;
	uint32_t add[TP_MIX_N];
};

static void end_part(struct part *part)
{
	struct tp_qemu_block *block = part->n ? block_of(part->pc, part->key) : NULL;
	if (!block)
		return;
	if (!block->counter)
		block->counter = new_counter(part->add, part->pc, part->bytes);
	block->repeated = part->repeated;
	block->alone = part->n == 1 && part->repeated;
	block->region = tp_qemu_region_at(part->pc);
	block->marks = tp_qemu_is_hook(part->pc);
	if (part->tb)
		qemu_plugin_register_vcpu_tb_exec_cb(part->tb, tp_qemu_on_block,
						     QEMU_PLUGIN_CB_NO_REGS, block);
	else
		qemu_plugin_register_vcpu_insn_exec_cb(part->first, tp_qemu_on_block,
						       QEMU_PLUGIN_CB_NO_REGS, block);
}

static void add_instruction(struct part *part, const struct instruction *i)
{
	const unsigned char *data = qemu_plugin_insn_data(i->insn);
	if (!part->n) {
		part->first = i->insn;
		part->pc = i->pc;
	}
	part->n++;
	part->bytes += i->bytes;
	for (unsigned k = 0; k < TP_MIX_N; k++)
		part->add[k] += i->mix.once[k];
	for (uint32_t k = 0; k < i->bytes; k++)
		part->key = mixed(part->key + data[k] + 1);
	part->repeated = i->mix.times == TP_MIX_REPEATS ? i->pc : 0;
}

void tp_qemu_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct part part = { .tb = tb };
	size_t n = qemu_plugin_tb_n_insns(tb);
	(void)id;
	for (size_t i = 0; i < n; i++) {
		struct instruction one;
		if (!decode(qemu_plugin_tb_get_insn(tb, i), &one) && i > 0 && i + 1 == n)
			break;
		if (i == 0)
			tp_qemu_module(one.pc, qemu_plugin_insn_haddr(one.insn));
		if (part.n && tp_qemu_region_at(one.pc)) {
			end_part(&part);
			part = (struct part){ 0 };
		}
		add_instruction(&part, &one);
		if (one.mix.times != TP_MIX_NEVER)
			watch_accesses(&one);
		if (one.decoded && tp_qemu.shared->n_functions)
			watch_calls(&one);
	}
	end_part(&part);
	tp_qemu.shared->blocks++;
}
