/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/elf.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "agent/sys.h"

enum { LINE_BYTES = 4608 };

static const char *hexadecimal(const char *at, uint64_t *value)
{
	for (*value = 0;; at++) {
		if (*at >= '0' && *at <= '9')
			*value = *value << 4 | (unsigned)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			*value = *value << 4 | (unsigned)(*at - 'a' + 10);
		else
			return at;
	}
}

/* start-end rwxp offset major:minor inode path */
static bool parse(const char *line, struct tp_mapping *m)
{
	*m = (struct tp_mapping){ 0 };
	uint64_t minor = 0;
	const char *at = hexadecimal(line, &m->start);

	at = *at ? hexadecimal(at + 1, &m->end) : at;
	if (*at != ' ' || !at[1] || !at[2] || !at[3] || !at[4] || at[5] != ' ')
		return false;
	m->readable = at[1] == 'r';
	m->writable = at[2] == 'w';
	m->executable = at[3] == 'x';
	m->shared = at[4] == 's';
	at = hexadecimal(at + 6, &m->offset);
	at = *at ? hexadecimal(at + 1, &m->device) : at;
	at = *at ? hexadecimal(at + 1, &minor) : at;
	m->device = m->device << 32 | minor;
	while (*at == ' ')
		at++;
	for (m->inode = 0; *at >= '0' && *at <= '9'; at++)
		m->inode = m->inode * 10 + (unsigned)(*at - '0');
	while (*at == ' ')
		at++;
	m->path = at;
	return true;
}

bool tp_maps_walk(bool (*each)(void *context, const struct tp_mapping *m), void *context)
{
	char line[LINE_BYTES];
	unsigned n = 0;
	bool goes_on = true;
	int64_t got,
		fd = tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t) "/proc/thread-self/maps",
			    O_RDONLY | O_CLOEXEC, 0, 0, 0);

	if (tp_sys_failed(fd))
		return false;
	while (goes_on && (got = tp_sys(SYS_read, (uint64_t)fd, (uint64_t)(line + n),
					sizeof(line) - 1 - n, 0, 0, 0)) > 0) {
		unsigned start = 0, end = n + (unsigned)got;
		struct tp_mapping m;

		for (unsigned i = n; i < end && goes_on; i++) {
			if (line[i] != '\n')
				continue;
			line[i] = '\0';
			if (parse(line + start, &m))
				goes_on = each(context, &m);
			start = i + 1;
		}
		n = end - start;
		for (unsigned i = 0; i < n; i++)
			line[i] = line[start + i];
		if (n == sizeof(line) - 1)
			n = 0; /* longer than any path */
	}
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	return true;
}

enum { SYMBOL_BYTES = 4096 };

static bool within(const struct tp_elf *elf, uint64_t at, uint64_t bytes)
{
	return at <= elf->n_bytes && bytes <= elf->n_bytes - at;
}

bool tp_elf_open(struct tp_elf *elf, int fd)
{
	struct stat about;
	int64_t at;

	if (tp_sys_failed(tp_sys(SYS_fstat, (uint64_t)fd, (uint64_t)&about, 0, 0, 0, 0)) ||
	    !S_ISREG(about.st_mode) || about.st_size < (int64_t)sizeof(*elf->head))
		return false;
	elf->n_bytes = (uint64_t)about.st_size;
	at = tp_sys(SYS_mmap, 0, elf->n_bytes, PROT_READ, MAP_PRIVATE, (uint64_t)fd, 0);
	if (tp_sys_failed(at))
		return false;
	elf->bytes = (const uint8_t *)at;
	elf->head = (const Elf64_Ehdr *)at;
	elf->bias = 0;
	if (elf->bytes[0] == ELFMAG0 && elf->bytes[1] == ELFMAG1 && elf->bytes[2] == ELFMAG2 &&
	    elf->bytes[3] == ELFMAG3 && elf->bytes[EI_CLASS] == ELFCLASS64 &&
	    elf->head->e_machine == EM_X86_64 && elf->head->e_shentsize == sizeof(Elf64_Shdr) &&
	    elf->head->e_phentsize == sizeof(Elf64_Phdr) && elf->head->e_phoff % 8 == 0 &&
	    elf->head->e_shoff % 8 == 0 &&
	    within(elf, elf->head->e_phoff, elf->head->e_phnum * sizeof(Elf64_Phdr)) &&
	    within(elf, elf->head->e_shoff, elf->head->e_shnum * sizeof(Elf64_Shdr)))
		return true;
	tp_elf_close(elf);
	return false;
}

void tp_elf_close(struct tp_elf *elf)
{
	tp_sys(SYS_munmap, (uint64_t)elf->bytes, elf->n_bytes, 0, 0, 0, 0);
}

bool tp_elf_bias(struct tp_elf *elf, uint64_t start, uint64_t file_offset)
{
	const Elf64_Phdr *segment = (const Elf64_Phdr *)(elf->bytes + elf->head->e_phoff);

	for (unsigned i = 0; i < elf->head->e_phnum; i++) {
		uint64_t page = segment[i].p_offset & ~4095ull;

		if (segment[i].p_type != PT_LOAD || !(segment[i].p_flags & PF_X) ||
		    file_offset < page || file_offset >= segment[i].p_offset + segment[i].p_filesz)
			continue;
		elf->bias = start - file_offset + segment[i].p_offset - segment[i].p_vaddr;
		return true;
	}
	return false;
}

static const Elf64_Shdr *section_at(const struct tp_elf *elf, unsigned i)
{
	return (const Elf64_Shdr *)(elf->bytes + elf->head->e_shoff) + i;
}

/* A string in a string section; NULL = it does not end inside. */
static const char *text_at(const struct tp_elf *elf, const Elf64_Shdr *texts, uint64_t at)
{
	const char *from;

	if (!within(elf, texts->sh_offset, texts->sh_size) || at >= texts->sh_size)
		return NULL;
	from = (const char *)elf->bytes + texts->sh_offset;
	for (uint64_t i = at; i < texts->sh_size && i - at < SYMBOL_BYTES; i++)
		if (!from[i])
			return from + at;
	return NULL;
}

static bool begins(const char *text, const char *with)
{
	while (*with)
		if (*text++ != *with++)
			return false;
	return true;
}

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

bool tp_elf_section(const struct tp_elf *elf, uint64_t *at, uint64_t *bytes)
{
	unsigned n = elf->head->e_shnum;

	if (elf->head->e_shstrndx >= n)
		return false;
	for (unsigned i = 0; i < n; i++) {
		const Elf64_Shdr *section = section_at(elf, i);
		const char *its =
			text_at(elf, section_at(elf, elf->head->e_shstrndx), section->sh_name);

		if (its && same(its, "tprof_roi") && section->sh_flags & SHF_ALLOC &&
		    section->sh_flags & SHF_WRITE && section->sh_size <= 4096) {
			*at = elf->bias + section->sh_addr;
			*bytes = section->sh_size;
			return true;
		}
	}
	return false;
}

/* <number><text>: the length of the text, 0 = malformed; *at moves to it. */
static unsigned source_name(const char **at)
{
	unsigned n = 0;

	while (**at >= '0' && **at <= '9' && n < SYMBOL_BYTES)
		n = n * 10 + (unsigned)(*(*at)++ - '0');
	for (unsigned i = 0; i < n; i++)
		if (!(*at)[i])
			return 0;
	return n;
}

/*
 * _ZN <scope>... <name> E..., _Z <name>...: `wanted` is "scope::name" with all scopes or with the
 * last ones. Template arguments and operators are not understood; the symbol itself always fits.
 */
static bool cxx_is(const char *symbol, const char *wanted)
{
	const char *parts[16], *end = wanted;
	unsigned lengths[16], n = 0, i;

	if (symbol[0] != '_' || symbol[1] != 'Z')
		return false;
	symbol += 2;
	if (*symbol == 'N')
		symbol++;
	while (*symbol == 'K' || *symbol == 'V' || *symbol == 'L')
		symbol++;
	while (n < 16 && *symbol >= '0' && *symbol <= '9') {
		lengths[n] = source_name(&symbol);
		if (!lengths[n])
			return false;
		parts[n] = symbol;
		symbol += lengths[n++];
	}
	while (*end)
		end++;
	for (i = n; i-- > 0;) {
		if ((uint64_t)(end - wanted) < lengths[i])
			return false;
		end -= lengths[i];
		for (unsigned c = 0; c < lengths[i]; c++)
			if (end[c] != parts[i][c])
				return false;
		if (end == wanted)
			return true;
		if (end - wanted < 3 || end[-1] != ':' || end[-2] != ':')
			return false;
		end -= 2;
	}
	return false;
}

bool tp_symbol_is(const char *symbol, const char *wanted)
{
	const char *a = symbol, *b = wanted;

	/* Most symbols can be ruled out at first sight. */
	if (*a != *b && (a[0] != '_' || (a[1] != 'Z' && a[1] != '_')))
		return false;
	while (*a && *a == *b)
		a++, b++;
	if (!*b && (!*a || *a == '.' || (*a == '_' && (!a[1] || a[1] == '.'))))
		return true;
	if (symbol[0] == '_' && symbol[1] == '_') {
		for (a = symbol + 2; *a; a++)
			if (a[0] == '_' && a[1] == 'M' && a[2] == 'O' && a[3] == 'D' && a[4] == '_')
				return same(a + 5, wanted);
	}
	return cxx_is(symbol, wanted);
}

bool tp_symbol_is_part(const char *symbol)
{
	for (; *symbol; symbol++)
		if (begins(symbol, ".cold") || begins(symbol, ".part."))
			return true;
	return false;
}

void tp_elf_symbols(const struct tp_elf *elf,
		    void (*each)(void *context, const Elf64_Sym *symbol, const char *name),
		    void *context)
{
	for (unsigned i = 0; i < elf->head->e_shnum; i++) {
		const Elf64_Shdr *section = section_at(elf, i);
		const Elf64_Sym *symbols;

		if ((section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM) ||
		    section->sh_link >= elf->head->e_shnum || section->sh_offset % 8 ||
		    !within(elf, section->sh_offset, section->sh_size))
			continue;
		symbols = (const Elf64_Sym *)(elf->bytes + section->sh_offset);
		for (uint64_t s = 0; s < section->sh_size / sizeof(*symbols); s++) {
			const char *name = symbols[s].st_shndx == SHN_UNDEF
						   ? NULL
						   : text_at(elf, section_at(elf, section->sh_link),
							     symbols[s].st_name);

			if (name)
				each(context, &symbols[s], name);
		}
	}
}

struct looking {
	const struct tp_elf *elf;
	uint64_t at, bytes; /* what is found */
};

static void take_pointer(void *context, const Elf64_Sym *symbol, const char *name)
{
	struct looking *l = context;

	if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_size == sizeof(void *) &&
	    begins(name, "tprof_roi_hook_fortran")) {
		l->at = l->elf->bias + symbol->st_value;
		l->bytes = symbol->st_size;
	}
}

bool tp_elf_fortran(const struct tp_elf *elf, uint64_t *at, uint64_t *bytes)
{
	struct looking l = { .elf = elf };

	tp_elf_symbols(elf, take_pointer, &l);
	*at = l.at;
	*bytes = l.bytes;
	return l.bytes > 0;
}
