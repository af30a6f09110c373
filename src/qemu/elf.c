/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "qemu/plugin.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool holds(const struct tp_qemu_elf *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->bytes && bytes <= elf->bytes - offset;
}

static const Elf64_Ehdr *head_of(const struct tp_qemu_elf *elf)
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

struct tp_qemu_elf tp_qemu_elf_open(const char *path)
{
	struct tp_qemu_elf elf = { 0 };
	struct stat about;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return elf;
	if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
		void *at = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED)
			elf = (struct tp_qemu_elf){ at, (size_t)about.st_size };
	}
	close(fd);
	if (elf.at && !head_of(&elf))
		tp_qemu_elf_close(&elf);
	return elf;
}

void tp_qemu_elf_close(struct tp_qemu_elf *elf)
{
	munmap((void *)(uintptr_t)elf->at, elf->bytes);
	*elf = (struct tp_qemu_elf){ 0 };
}

bool tp_qemu_elf_bias(const struct tp_qemu_elf *elf, uint64_t pc, uint64_t offset, uint64_t *bias)
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
static const char *text_of(const struct tp_qemu_elf *elf, const Elf64_Shdr *table, uint64_t at)
{
	if (!holds(elf, table->sh_offset, table->sh_size) || at >= table->sh_size)
		return "";
	const char *text = (const char *)elf->at + table->sh_offset + at;
	return memchr(text, 0, table->sh_size - at) ? text : "";
}

static bool find_symbol(const struct tp_qemu_elf *elf, const Elf64_Shdr *table,
			const Elf64_Shdr *names, const char *name, uint64_t *address)
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

bool tp_qemu_elf_function(const struct tp_qemu_elf *elf, const char *name, uint64_t *address)
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

bool tp_qemu_elf_section(const struct tp_qemu_elf *elf, const char *name, size_t bytes,
			 uint64_t *address)
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
