/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files that a program's code lies in, as /proc/self/maps tells: the program's memory is
 * qemu's. With the first code of a file come the regions in it: functions by their symbols, and
 * marked ones by tprof_roi_hook, the pointer of tprof_roi.h. It is made to point to a return
 * instruction that nobody reaches otherwise, and whoever arrives there begins or ends a region.
 */
#include "qemu/plugin.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { RANGES = 1024, ENTRIES = 1024 };

/* Mapped pieces that were looked at; those of no file, too. */
static struct {
	uint64_t start, end;
} ranges[RANGES];
static unsigned n_ranges, last_range;

static struct {
	uint64_t pc;
	uint32_t region;
} entries[ENTRIES];
static unsigned n_entries;
static uint64_t hook; /* what tprof_roi_hook points to; 0 = nothing yet */

struct piece {
	uint64_t start, end, file_offset;
	char path[256];
};

static bool find_piece(uint64_t host, struct piece *piece)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	bool found = false;
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		unsigned long start, end, offset;
		int path = 0;
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &start, &end, &offset, &path) < 3 ||
		    host < start || host >= end)
			continue;
		found = true;
		*piece = (struct piece){ start, end, offset, "" };
		size_t len = path ? strcspn(line + path, "\n") : 0;
		if (len < sizeof(piece->path))
			memcpy(piece->path, line + path, len);
	}
	if (maps)
		fclose(maps);
	return found;
}

static void tell(const struct piece *piece)
{
	struct tp_agent_shared *shared = tp_qemu.shared;
	for (unsigned i = 0; i < shared->n_modules; i++) {
		const struct tp_agent_module *m = &shared->modules[i];
		if (m->start == piece->start && m->end == piece->end &&
		    strcmp(m->path, piece->path) == 0)
			return;
	}
	if (shared->n_modules == TP_AGENT_MODULES)
		return;
	struct tp_agent_module *m = &shared->modules[shared->n_modules];
	*m = (struct tp_agent_module){ .start = piece->start,
				       .end = piece->end,
				       .file_offset = piece->file_offset };
	memcpy(m->path, piece->path, sizeof(piece->path));
	shared->n_modules++;
}

static void find_functions(const struct tp_qemu_elf *elf, uint64_t bias)
{
	struct tp_agent_shared *shared = tp_qemu.shared;
	for (uint32_t i = 1; i <= shared->n_functions && i < TP_AGENT_REGIONS; i++) {
		uint64_t address;
		if (n_entries == ENTRIES ||
		    !tp_qemu_elf_function(elf, shared->regions[i], &address))
			continue;
		shared->function_found[i] = 1;
		entries[n_entries].pc = address + bias;
		entries[n_entries++].region = i;
	}
}

/*
 * `mov rbx, rax` ends in the byte of a return: nobody jumps into the middle of one, so who is there
 * comes from the hook. Nearly every file has one.
 */
static uint64_t find_return(const struct piece *piece)
{
	static const unsigned char mov[] = { 0x48, 0x89, 0xc3 };
	const unsigned char *at = memmem((const void *)(uintptr_t)piece->start,
					 piece->end - piece->start, mov, sizeof(mov));
	return at ? (uint64_t)(uintptr_t)at + 2 - tp_qemu.host_offset : 0;
}

static void set_hook(const struct tp_qemu_elf *elf, uint64_t bias)
{
	uint64_t address;
	if (!hook || !tp_qemu_elf_section(elf, "tprof_roi", sizeof(hook), &address))
		return;
	struct iovec here = { &hook, sizeof(hook) };
	struct iovec there = { (void *)(uintptr_t)(address + bias + tp_qemu.host_offset),
			       sizeof(hook) };
	/* A write that fails leaves the program as it is. */
	if (process_vm_writev(getpid(), &here, 1, &there, 1, 0) != (ssize_t)sizeof(hook))
		return;
}

static void look(uint64_t pc, uint64_t host)
{
	struct piece piece;
	uint64_t bias;
	if (!find_piece(host, &piece))
		return;
	if (n_ranges == RANGES)
		n_ranges = 0;
	last_range = n_ranges++;
	ranges[last_range].start = piece.start - tp_qemu.host_offset;
	ranges[last_range].end = piece.end - tp_qemu.host_offset;
	if (piece.path[0] != '/' || pc < ranges[last_range].start)
		return;
	struct tp_qemu_elf elf = tp_qemu_elf_open(piece.path);
	if (elf.at) {
		if (!hook)
			hook = find_return(&piece);
		/* qemu maps code without the right to execute it, so pieces hold data before it. */
		uint64_t offset = piece.file_offset + pc - ranges[last_range].start;
		if (tp_qemu_elf_bias(&elf, pc, offset, &bias)) {
			find_functions(&elf, bias);
			set_hook(&elf, bias);
		}
		tp_qemu_elf_close(&elf);
	}
	piece.start = ranges[last_range].start;
	piece.end = ranges[last_range].end;
	tell(&piece);
}

void tp_qemu_module(uint64_t pc, const void *host)
{
	if (__atomic_exchange_n(&tp_qemu.maps_changed, false, __ATOMIC_RELAXED))
		n_ranges = 0;
	if (last_range < n_ranges && pc >= ranges[last_range].start && pc < ranges[last_range].end)
		return;
	for (unsigned i = 0; i < n_ranges; i++)
		if (pc >= ranges[i].start && pc < ranges[i].end) {
			last_range = i;
			return;
		}
	if (host) {
		tp_qemu.host_offset = (uint64_t)(uintptr_t)host - pc;
		look(pc, (uint64_t)(uintptr_t)host);
	}
}

uint32_t tp_qemu_region_at(uint64_t pc)
{
	/* The latest file that was mapped there. */
	for (unsigned i = n_entries; i > 0; i--)
		if (entries[i - 1].pc == pc)
			return entries[i - 1].region;
	return 0;
}

bool tp_qemu_is_hook(uint64_t pc)
{
	return pc == hook && hook != 0;
}
