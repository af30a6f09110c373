/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files that a program's code lies in, as /proc/self/maps tells: the program's memory is
 * qemu's. With the first code of a file come the regions in it: functions by their symbols, and
 * marked ones by tprof_roi_hook, the pointer of tprof_roi.h. It is made to point to a return
 * instruction that nobody reaches otherwise, and whoever arrives there begins or ends a region.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "qemu/modules.h"

/* An ELF file of 64 bits, mapped; `at` NULL = it is none. Nothing in it is believed. */
struct elf {
	const unsigned char *at;
	size_t bytes;
};

static bool holds(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->bytes && bytes <= elf->bytes - offset;
}

static const Elf64_Ehdr *head_of(const struct elf *elf)
{
	const Elf64_Ehdr *head = (const void *)elf->at;
	if (elf->bytes < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr) ||
	    head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phoff % 8 || head->e_shoff % 8 ||
	    !holds(elf, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)) ||
	    !holds(elf, head->e_phoff, (uint64_t)head->e_phnum * sizeof(Elf64_Phdr)))
		return NULL;
	return head;
}

static void close_elf(struct elf *elf)
{
	munmap((void *)(uintptr_t)elf->at, elf->bytes);
	*elf = (struct elf){ 0 };
}

static struct elf open_elf(const char *path)
{
	struct elf elf = { 0 };
	struct stat about;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return elf;
	if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
		void *at = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED)
			elf = (struct elf){ at, (size_t)about.st_size };
	}
	close(fd);
	if (elf.at && !head_of(&elf))
		close_elf(&elf);
	return elf;
}

/* Code at pc has that offset in the file: *bias is what it was moved by from its address there. */
static bool find_bias(const struct elf *elf, uint64_t pc, uint64_t offset, uint64_t *bias)
{
	const Elf64_Ehdr *head = head_of(elf);
	const Elf64_Phdr *parts = (const void *)(elf->at + head->e_phoff);
	for (unsigned i = 0; i < head->e_phnum; i++) {
		if (parts[i].p_type != PT_LOAD || !(parts[i].p_flags & PF_X) ||
		    offset < parts[i].p_offset || offset - parts[i].p_offset >= parts[i].p_filesz)
			continue;
		*bias = pc - (parts[i].p_vaddr + (offset - parts[i].p_offset));
		return true;
	}
	return false;
}

/* A text of a table of texts; "" if it does not end in there. */
static const char *text_of(const struct elf *elf, const Elf64_Shdr *table, uint64_t at)
{
	if (!holds(elf, table->sh_offset, table->sh_size) || at >= table->sh_size)
		return "";
	const char *text = (const char *)elf->at + table->sh_offset + at;
	return memchr(text, 0, table->sh_size - at) ? text : "";
}

static bool find_symbol(const struct elf *elf, const Elf64_Shdr *table, const Elf64_Shdr *names,
			const char *name, uint64_t *address)
{
	if (!holds(elf, table->sh_offset, table->sh_size) || table->sh_offset % 8)
		return false;
	const Elf64_Sym *symbols = (const void *)(elf->at + table->sh_offset);
	for (uint64_t i = 0; i < table->sh_size / sizeof(*symbols); i++) {
		if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC ||
		    symbols[i].st_shndx == SHN_UNDEF ||
		    strcmp(text_of(elf, names, symbols[i].st_name), name) != 0)
			continue;
		*address = symbols[i].st_value;
		return true;
	}
	return false;
}

/* The address in the file of a function; false = there is no such function. */
static bool find_function(const struct elf *elf, const char *name, uint64_t *address)
{
	const Elf64_Ehdr *head = head_of(elf);
	const Elf64_Shdr *sections = (const void *)(elf->at + head->e_shoff);
	for (unsigned i = 0; i < head->e_shnum; i++)
		if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
		    sections[i].sh_link < head->e_shnum &&
		    find_symbol(elf, &sections[i], &sections[sections[i].sh_link], name, address))
			return true;
	return false;
}

/* The address in the file of a section of at least `bytes`. */
static bool find_section(const struct elf *elf, const char *name, size_t bytes, uint64_t *address)
{
	const Elf64_Ehdr *head = head_of(elf);
	const Elf64_Shdr *sections = (const void *)(elf->at + head->e_shoff);
	if (head->e_shstrndx >= head->e_shnum)
		return false;
	for (unsigned i = 0; i < head->e_shnum; i++)
		if (sections[i].sh_size >= bytes && (sections[i].sh_flags & SHF_ALLOC) &&
		    strcmp(text_of(elf, &sections[head->e_shstrndx], sections[i].sh_name), name) ==
			    0) {
			*address = sections[i].sh_addr;
			return true;
		}
	return false;
}

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
static uint64_t host_offset; /* of the program's addresses in this process */
static bool maps_changed; /* by the program, since they were read */
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

static void tell(struct tp_agent_shared *shared, const struct piece *piece)
{
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

static void set_hook(const struct elf *elf, uint64_t bias)
{
	uint64_t address;
	if (!hook || !find_section(elf, "tprof_roi", sizeof(hook), &address))
		return;
	struct iovec here = { &hook, sizeof(hook) };
	struct iovec there = { (void *)(uintptr_t)tp_qemu_host(address + bias), sizeof(hook) };
	/* A write that fails leaves the program as it is. */
	if (process_vm_writev(getpid(), &here, 1, &there, 1, 0) != (ssize_t)sizeof(hook))
		return;
}

static void look(struct tp_agent_shared *shared, uint64_t pc, uint64_t host)
{
	struct piece piece;
	uint64_t bias;
	if (!find_piece(host, &piece))
		return;
	if (n_ranges == RANGES)
		n_ranges = 0;
	last_range = n_ranges++;
	ranges[last_range].start = piece.start - host_offset;
	ranges[last_range].end = piece.end - host_offset;
	if (piece.path[0] != '/' || pc < ranges[last_range].start)
		return;
	struct elf elf = open_elf(piece.path);
	if (elf.at) {
		/*
		 * `mov rbx, rax` ends in the byte of a return: nobody jumps into the middle of one,
		 * so who is there comes from the hook. Nearly every file has one.
		 */
		if (!hook) {
			static const unsigned char mov[] = { 0x48, 0x89, 0xc3 };
			const unsigned char *at = memmem((const void *)(uintptr_t)piece.start,
							 piece.end - piece.start, mov, sizeof(mov));

			hook = at ? (uint64_t)(uintptr_t)at + 2 - host_offset : 0;
		}
		/* qemu maps code without the right to execute it, so pieces hold data before it. */
		uint64_t offset = piece.file_offset + pc - ranges[last_range].start;
		if (find_bias(&elf, pc, offset, &bias)) {
			for (uint32_t i = 1; i <= shared->n_functions && i < TP_AGENT_REGIONS;
			     i++) {
				uint64_t address;
				if (n_entries == ENTRIES ||
				    !find_function(&elf, shared->regions[i], &address))
					continue;
				shared->function_found[i] = 1;
				entries[n_entries].pc = address + bias;
				entries[n_entries++].region = i;
			}
			set_hook(&elf, bias);
		}
		close_elf(&elf);
	}
	piece.start = ranges[last_range].start;
	piece.end = ranges[last_range].end;
	tell(shared, &piece);
}

void tp_qemu_module(struct tp_agent_shared *shared, uint64_t pc, const void *host)
{
	if (__atomic_exchange_n(&maps_changed, false, __ATOMIC_RELAXED))
		n_ranges = 0;
	if (last_range < n_ranges && pc >= ranges[last_range].start && pc < ranges[last_range].end)
		return;
	for (unsigned i = 0; i < n_ranges; i++)
		if (pc >= ranges[i].start && pc < ranges[i].end) {
			last_range = i;
			return;
		}
	if (host) {
		host_offset = (uint64_t)(uintptr_t)host - pc;
		look(shared, pc, (uint64_t)(uintptr_t)host);
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

void tp_qemu_maps_changed(void)
{
	__atomic_store_n(&maps_changed, true, __ATOMIC_RELAXED);
}

uint64_t tp_qemu_host(uint64_t address)
{
	return host_offset + address;
}
