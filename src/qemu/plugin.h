/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plug-in for qemu-user that counts what an x86-64 program does, into the file that tprof shares
 * with its agent (agent/shared.h). It needs nothing inside of the program, so it counts static
 * programs, too. Private to src/qemu.
 *
 * Exactness. qemu translates block by block, and all instructions of a block execute or none does:
 * it looks for signals and for other threads before the callback of a block. So a block is one
 * counter. What repeats or depends on data has counters of its own, moved by the accesses that qemu
 * reports one by one: repetitions of string instructions, lanes of gathers and of masked stores.
 * Masked loads are read as a whole by qemu, so their lanes are counted by their mask. A block that
 * a fault ends (SIGSEGV, SIGFPE) counts as a whole, and again from the fault on if a handler
 * returns there.
 *
 * Each thread of the program is a virtual CPU with counters of its own. Translation is done by one
 * thread at a time (qemu holds its lock of memory maps), so what it fills needs no lock.
 */
#ifndef TPROF_QEMU_PLUGIN_H
#define TPROF_QEMU_PLUGIN_H

#include "agent/shared.h"
#include "qemu/qemu_api.h"

/*
 * A block, or the rest of one that begins where a region does. Never freed: translated code keeps
 * pointers to it.
 */
struct tp_qemu_block {
	uint64_t pc;
	uint64_t key; /* of its bytes */
	uint64_t repeated; /* address of the string instruction that ends it; 0 = none does */
	uint32_t counter;
	uint32_t region; /* that begins with it; 0 = none does */
	bool alone; /* that string instruction is all of it */
	bool marks; /* it is where tprof_roi_hook points to */
};

/* What is counted besides, for each access or each active lane. */
struct tp_qemu_lanes {
	uint64_t pc;
	uint32_t counter;
	uint32_t lanes, lane_bytes, mask; /* masked loads: of vector register `mask` */
	bool stores; /* its stores are counted, else its loads */
};

enum { TP_QEMU_FRAMES = 1 << 14, TP_QEMU_OPEN = 1 << 12 };

/* Of a virtual CPU: what tprof need not see. */
struct tp_qemu_vcpu {
	uint64_t repeated; /* of the block before */
	/*
	 * The last instruction that began and whose accesses are watched. qemu 7.2 goes on
	 * reporting accesses for an instruction that ended a block, when later ones use a helper.
	 */
	uint64_t watched;
	uint32_t n_dirty, n_frames, n_open,
		n_functions; /* open regions; those that are functions */
	uint32_t timed; /* 1 + the region whose clock runs; 0 = none */
	uint32_t dirty[TP_AGENT_COUNTERS]; /* counters that moved since they were settled */
	uint64_t frames[TP_QEMU_FRAMES]; /* where the return addresses lie, the innermost last */
	struct {
		uint32_t region;
		uint64_t frame; /* it ends when that return address is used; 0 = it is marked */
	} open[TP_QEMU_OPEN];
};

/* One for the process. */
struct tp_qemu {
	struct tp_agent_shared *shared;
	struct tp_qemu_vcpu *vcpus[TP_AGENT_THREADS];
	uint32_t n_counters;
	struct tp_agent_unit *units; /* TP_AGENT_COUNTERS of them */
	uint32_t region_of_main;
	bool maps_changed; /* by the program, since they were read */
	uint64_t host_offset; /* of the program's addresses in this process */
};
extern struct tp_qemu tp_qemu;

/* --- translate.c --- */

void tp_qemu_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

/* --- count.c --- */

struct tp_qemu_vcpu *tp_qemu_vcpu(unsigned vcpu); /* NULL = it is not counted */
void tp_qemu_on_block(unsigned vcpu, void *block);
void tp_qemu_on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *lanes);
void tp_qemu_on_watched(unsigned vcpu, void *pc); /* before an instruction with accesses */
void tp_qemu_on_masked(unsigned vcpu, void *lanes); /* before a masked load */
void tp_qemu_settle(unsigned vcpu);

/* --- regions.c --- */

void tp_qemu_on_call(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *pc);
void tp_qemu_on_return(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *pc);
void tp_qemu_choose(unsigned vcpu); /* where its counts go from now on */
void tp_qemu_enter(unsigned vcpu, uint32_t region);
void tp_qemu_mark(unsigned vcpu); /* a call of tprof_roi_hook */
void tp_qemu_end_thread(unsigned vcpu);

/* --- modules.c --- */

/* Finds the file that holds the code at pc, and where regions begin in it. */
void tp_qemu_module(uint64_t pc, const void *host);
uint32_t tp_qemu_region_at(uint64_t pc); /* 0 = none begins there */
bool tp_qemu_is_hook(uint64_t pc);

/* --- elf.c --- */

/* An ELF file of 64 bits, mapped; `at` NULL = it is none. Nothing in it is believed. */
struct tp_qemu_elf {
	const unsigned char *at;
	size_t bytes;
};
struct tp_qemu_elf tp_qemu_elf_open(const char *path);
void tp_qemu_elf_close(struct tp_qemu_elf *elf);
/* Code at pc has that offset in the file: *bias is what it was moved by from its address there. */
bool tp_qemu_elf_bias(const struct tp_qemu_elf *elf, uint64_t pc, uint64_t offset, uint64_t *bias);
/* The address in the file of a function; false = there is no such function. */
bool tp_qemu_elf_function(const struct tp_qemu_elf *elf, const char *name, uint64_t *address);
/* The address in the file of a section of at least `bytes`. */
bool tp_qemu_elf_section(const struct tp_qemu_elf *elf, const char *name, size_t bytes,
			 uint64_t *address);

/* --- registers.c --- */

void tp_qemu_say_no_registers(void); /* what that does to the counts */

/*
 * What version 1 of the interface does not offer, through functions that Debian's qemu exports all
 * the same. False: this qemu has none of them. General registers are right at the beginning of a
 * block, vector registers always.
 */
enum { TP_QEMU_RSI = 4, TP_QEMU_RDI = 5 };
bool tp_qemu_general(unsigned vcpu, unsigned number, uint64_t *value);
bool tp_qemu_vector(unsigned vcpu, unsigned number, unsigned char bytes[32]);

#endif
