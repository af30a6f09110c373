/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regions. A function begins with its first instruction and ends with the return that reads the
 * address of its call, wherever it stands: calls and returns tell where their addresses lie on the
 * stack. Marked regions come through tprof_roi_hook (modules.c).
 */
#include "qemu/plugin.h"

#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Addresses that are farther from each other lie on different stacks. */
static const uint64_t STACK_BYTES = 64 << 20;

enum { ROI_BEGINS = 1, ROI_ENDS = 2 };

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A frame at `inner` is given up when the stack is used from `address` on. */
static bool is_left(uint64_t inner, uint64_t address)
{
	return inner <= address && address - inner < STACK_BYTES;
}

/*
 * Counts go to the innermost region from now on. A thread without one counts for that of the main
 * thread, so that a region around a parallel loop has what its workers do.
 */
void tp_qemu_choose(unsigned vcpu)
{
	struct tp_qemu_vcpu *v = tp_qemu.vcpus[vcpu];
	uint32_t region = v->n_open ? v->open[v->n_open - 1].region : 0;
	if (vcpu == 0)
		__atomic_store_n(&tp_qemu.region_of_main, region, __ATOMIC_RELAXED);
	else if (!v->n_open)
		region = __atomic_load_n(&tp_qemu.region_of_main, __ATOMIC_RELAXED);
	if (region == tp_qemu.shared->threads[vcpu].region)
		return;
	tp_qemu_settle(vcpu);
	tp_qemu.shared->threads[vcpu].region = region;
}

/* The clock of the innermost region runs, and all others stand. */
static void time_innermost(unsigned vcpu)
{
	struct tp_qemu_vcpu *v = tp_qemu.vcpus[vcpu];
	struct tp_agent_sum *sums = tp_qemu.shared->threads[vcpu].sums;
	uint32_t timed = v->n_open ? 1 + v->open[v->n_open - 1].region : 0;
	if (timed == v->timed)
		return;
	uint64_t now = now_ns();
	if (v->timed) {
		sums[v->timed - 1].time_ns += now - sums[v->timed - 1].entered_ns;
		sums[v->timed - 1].entered_ns = 0;
	}
	if (timed)
		sums[timed - 1].entered_ns = now;
	v->timed = timed;
}

static void open_region(unsigned vcpu, uint32_t region, uint64_t frame)
{
	struct tp_qemu_vcpu *v = tp_qemu.vcpus[vcpu];
	struct tp_agent_sum *sum = &tp_qemu.shared->threads[vcpu].sums[region];
	sum->entries++;
	/* Deeper ones count where they are, and end with it. */
	if (v->n_open == TP_QEMU_OPEN)
		return;
	sum->open++;
	v->open[v->n_open].region = region;
	v->open[v->n_open++].frame = frame;
	v->n_functions += frame != 0;
	time_innermost(vcpu);
	tp_qemu_choose(vcpu);
}

static void close_region(unsigned vcpu, uint32_t i)
{
	struct tp_qemu_vcpu *v = tp_qemu.vcpus[vcpu];
	uint32_t region = v->open[i].region;
	struct tp_agent_sum *sum = &tp_qemu.shared->threads[vcpu].sums[region];
	v->n_functions -= v->open[i].frame != 0;
	v->n_open--;
	memmove(&v->open[i], &v->open[i + 1], (v->n_open - i) * sizeof(v->open[0]));
	sum->exits++;
	sum->open--;
	time_innermost(vcpu);
}

void tp_qemu_on_call(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *pc)
{
	struct tp_qemu_vcpu *v = tp_qemu_vcpu(vcpu);
	if (!v || v->watched != (uint64_t)(uintptr_t)pc || !qemu_plugin_mem_is_store(info))
		return;
	while (v->n_frames && is_left(v->frames[v->n_frames - 1], address))
		v->n_frames--;
	if (v->n_frames == TP_QEMU_FRAMES) {
		/* The outer half is forgotten; only tail calls need it. */
		v->n_frames /= 2;
		memmove(v->frames, v->frames + v->n_frames, v->n_frames * sizeof(v->frames[0]));
	}
	v->frames[v->n_frames++] = address;
}

void tp_qemu_on_return(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *pc)
{
	struct tp_qemu_vcpu *v = tp_qemu_vcpu(vcpu);
	if (!v || v->watched != (uint64_t)(uintptr_t)pc || qemu_plugin_mem_is_store(info))
		return;
	while (v->n_frames && is_left(v->frames[v->n_frames - 1], address))
		v->n_frames--;
	if (!v->n_functions)
		return;
	for (uint32_t i = v->n_open; i-- > 0;) {
		if (!v->open[i].frame)
			continue;
		if (!is_left(v->open[i].frame, address))
			break;
		close_region(vcpu, i);
	}
	tp_qemu_choose(vcpu);
}

void tp_qemu_enter(unsigned vcpu, uint32_t region)
{
	const struct tp_qemu_vcpu *v = tp_qemu.vcpus[vcpu];
	/* One that nothing called never returns. */
	open_region(vcpu, region, v->n_frames ? v->frames[v->n_frames - 1] : UINT64_MAX);
}

/* --- marked regions --- */

/* A text of the program, which may lie anywhere. */
static bool read_text(uint64_t address, char text[TP_AGENT_NAME])
{
	const size_t page = 4096;
	size_t n = 0;
	memset(text, 0, TP_AGENT_NAME);
	while (n < TP_AGENT_NAME - 1 && !memchr(text, 0, n)) {
		uint64_t at = tp_qemu.host_offset + address + n;
		size_t piece = page - at % page;
		if (piece > TP_AGENT_NAME - 1 - n)
			piece = TP_AGENT_NAME - 1 - n;
		struct iovec here = { text + n, piece };
		struct iovec there = { (void *)(uintptr_t)at, piece };
		if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != (ssize_t)piece)
			return n > 0;
		n += piece;
	}
	return true;
}

/* 0 = there is no room. */
static uint32_t region_of(const char *name)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct tp_agent_shared *shared = tp_qemu.shared;
	uint32_t i;
	pthread_mutex_lock(&lock);
	for (i = 1; i < shared->n_regions && strcmp(shared->regions[i], name) != 0; i++)
		;
	if (i == TP_AGENT_REGIONS) {
		shared->lost_regions++;
		i = 0;
	} else if (i == shared->n_regions) {
		strcpy(shared->regions[i], name);
		shared->n_regions++;
	}
	pthread_mutex_unlock(&lock);
	return i;
}

void tp_qemu_mark(unsigned vcpu)
{
	struct tp_qemu_vcpu *v = tp_qemu.vcpus[vcpu];
	uint64_t what, address;
	char name[TP_AGENT_NAME];
	if (!tp_qemu_general(vcpu, TP_QEMU_RDI, &what) ||
	    !tp_qemu_general(vcpu, TP_QEMU_RSI, &address)) {
		tp_qemu_say_no_registers();
		return;
	}
	if (!read_text(address, name))
		return;
	uint32_t region = region_of(name);
	if (region && (uint32_t)what == ROI_BEGINS) {
		open_region(vcpu, region, 0);
	} else if (region && (uint32_t)what == ROI_ENDS) {
		uint32_t i = v->n_open;
		while (i > 0 && (v->open[i - 1].region != region || v->open[i - 1].frame))
			i--;
		if (i)
			close_region(vcpu, i - 1);
		else
			__atomic_add_fetch(&tp_qemu.shared->unbalanced, 1, __ATOMIC_RELAXED);
		tp_qemu_choose(vcpu);
	}
}

void tp_qemu_end_thread(unsigned vcpu)
{
	struct tp_qemu_vcpu *v = tp_qemu.vcpus[vcpu];
	while (v->n_open) {
		if (!v->open[v->n_open - 1].frame)
			__atomic_add_fetch(&tp_qemu.shared->unended, 1, __ATOMIC_RELAXED);
		close_region(vcpu, v->n_open - 1);
	}
	tp_qemu_choose(vcpu);
	v->n_frames = 0;
	v->repeated = 0;
	v->watched = 0;
}
