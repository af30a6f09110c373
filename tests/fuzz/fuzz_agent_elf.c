/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a file that the program has mapped: the agent reads it inside of the program, and a
 * fault there would be the program's. x86-64 alone has an agent.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_agent_elf tests/fuzz/corpus/agent_elf
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/promise.h"

#if defined(__x86_64__)
#include "agent/elf.c" /* it is part of no library */

static void check_symbol(void *context, const Elf64_Sym *symbol, const char *name)
{
	const struct tp_elf *elf = context;

	must(symbol->st_shndx != SHN_UNDEF, "undefined symbols are left out");
	must((const uint8_t *)name >= elf->bytes &&
		     (const uint8_t *)name + strlen(name) < elf->bytes + elf->n_bytes,
	     "a name lies in the file");
	must(tp_symbol_is(name, name), "a symbol is what it is called");
	if (tp_symbol_is_part(name) && tp_symbol_is(name, "main"))
		must(strlen(name) > strlen("main"), "a part has more of a name");
	tp_symbol_is(name, "f");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint64_t at, bytes;
	struct tp_elf elf;

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "there is a file");
	if (tp_elf_open(&elf, fd)) {
		tp_elf_bias(&elf, 0x10000000, 0x1000);
		tp_elf_symbols(&elf, check_symbol, &elf);
		if (tp_elf_section(&elf, &at, &bytes))
			must(bytes <= 4096, "few pointers are set");
		if (tp_elf_fortran(&elf, &at, &bytes))
			must(bytes == sizeof(void *), "it is one pointer");
		tp_elf_close(&elf);
	}
	close(fd);
	return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}
#endif
