/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the program has mapped, and ELF files among it, as far as regions need them. */
#ifndef TPROF_AGENT_ELF_H
#define TPROF_AGENT_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* Nothing in the file is trusted: it may be damaged, or not an ELF file at all. */
struct tp_elf {
	const uint8_t *bytes;
	uint64_t n_bytes;
	const Elf64_Ehdr *head;
	uint64_t bias; /* address minus p_vaddr */
};

/* Maps the file of a descriptor; false = not an ELF file of x86-64. */
bool tp_elf_open(struct tp_elf *elf, int fd);
void tp_elf_close(struct tp_elf *elf);
/* The address from which an executable part of the file was mapped. */
bool tp_elf_bias(struct tp_elf *elf, uint64_t start, uint64_t file_offset);
/* Where the section "tprof_roi" lies in memory. */
bool tp_elf_section(const struct tp_elf *elf, uint64_t *at, uint64_t *bytes);
/* Every symbol that the file defines. */
void tp_elf_symbols(const struct tp_elf *elf,
		    void (*each)(void *context, const Elf64_Sym *symbol, const char *name),
		    void *context);
/* Where the pointer of tprof_roi.f90 lies; false = there is none. */
bool tp_elf_fortran(const struct tp_elf *elf, uint64_t *at, uint64_t *bytes);

/*
 * Whether a symbol is the function that the user calls `wanted`: the symbol itself; the same in
 * Fortran (one underscore more, or in a module); in C++, without its arguments, with or without the
 * scopes around it. Suffixes after a dot (a copy for some arguments, the body of a parallel loop)
 * match, too.
 */
bool tp_symbol_is(const char *symbol, const char *wanted);
/* Whether the compiler split this part off: it is not a function itself. */
bool tp_symbol_is_part(const char *symbol);

/* What is mapped: /proc/self/maps. */

struct tp_mapping {
	uint64_t start, end, offset, device, inode;
	bool readable, writable, executable, shared;
	const char *path; /* or [vdso], or "" */
};

/* Calls `each` with every mapping, until it returns false. False: the list cannot be read. */
bool tp_maps_walk(bool (*each)(void *context, const struct tp_mapping *m), void *context);

#endif
