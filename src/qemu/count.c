/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What runs when a block of the program does. */
#include "qemu/plugin.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct tp_qemu_vcpu *tp_qemu_vcpu(unsigned vcpu)
{
	return vcpu < TP_AGENT_THREADS ? tp_qemu.vcpus[vcpu] : NULL;
}

/* The first time since the counters were settled. */
static void __attribute__((noinline))
begin_counting(struct tp_agent_thread *t, struct tp_qemu_vcpu *v, uint32_t counter)
{
	if (!t->units[counter].pc)
		t->units[counter] = tp_qemu.units[counter];
	if (counter >= t->n_counters)
		t->n_counters = counter + 1;
	if (!t->tid)
		t->tid = (uint32_t)syscall(SYS_gettid);
	v->dirty[v->n_dirty++] = counter;
}

static void count(unsigned vcpu, struct tp_qemu_vcpu *v, uint32_t counter, uint64_t times)
{
	struct tp_agent_thread *t = &tp_qemu.shared->threads[vcpu];
	if (t->counts[counter] == t->settled[counter] && times)
		begin_counting(t, v, counter);
	t->counts[counter] += times;
}

void tp_qemu_on_block(unsigned vcpu, void *data)
{
	const struct tp_qemu_block *block = data;
	struct tp_qemu_vcpu *v = tp_qemu_vcpu(vcpu);
	if (!v)
		return;
	/* qemu runs a block for each repetition, and one more to find that none is left. */
	bool goes_on = block->alone && v->repeated == block->pc;
	v->repeated = block->repeated;
	v->watched = 0;
	if (goes_on)
		return;
	if (block->marks) {
		tp_qemu_mark(vcpu);
		return;
	}
	if (block->region)
		tp_qemu_enter(vcpu, block->region);
	else if (!v->n_open && tp_qemu.shared->threads[vcpu].region !=
				       __atomic_load_n(&tp_qemu.region_of_main, __ATOMIC_RELAXED))
		tp_qemu_choose(vcpu);
	count(vcpu, v, block->counter, 1);
}

void tp_qemu_on_watched(unsigned vcpu, void *pc)
{
	struct tp_qemu_vcpu *v = tp_qemu_vcpu(vcpu);
	if (v)
		v->watched = (uint64_t)(uintptr_t)pc;
}

void tp_qemu_on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	const struct tp_qemu_lanes *lanes = data;
	struct tp_qemu_vcpu *v = tp_qemu_vcpu(vcpu);
	(void)address;
	/* A copy does both for each repetition. */
	if (v && v->watched == lanes->pc && qemu_plugin_mem_is_store(info) == lanes->stores)
		count(vcpu, v, lanes->counter, 1);
}

void tp_qemu_on_masked(unsigned vcpu, void *data)
{
	const struct tp_qemu_lanes *lanes = data;
	struct tp_qemu_vcpu *v = tp_qemu_vcpu(vcpu);
	unsigned char mask[32];
	uint64_t active = 0;
	if (!v)
		return;
	if (!tp_qemu_vector(vcpu, lanes->mask, mask)) {
		tp_qemu_say_no_registers();
		count(vcpu, v, lanes->counter, lanes->lanes);
		return;
	}
	for (uint32_t i = 0; i < lanes->lanes; i++)
		active += mask[(i + 1) * lanes->lane_bytes - 1] >> 7;
	count(vcpu, v, lanes->counter, active);
}

void tp_qemu_settle(unsigned vcpu)
{
	struct tp_agent_thread *t = &tp_qemu.shared->threads[vcpu];
	struct tp_qemu_vcpu *v = tp_qemu.vcpus[vcpu];
	uint64_t *mix = t->sums[t->region].mix;
	for (uint32_t i = 0; i < v->n_dirty; i++) {
		uint32_t counter = v->dirty[i];
		uint64_t times = t->counts[counter] - t->settled[counter];
		for (unsigned k = 0; k < TP_MIX_N; k++)
			mix[k] += times * t->units[counter].add[k];
		t->settled[counter] = t->counts[counter];
	}
	v->n_dirty = 0;
}
