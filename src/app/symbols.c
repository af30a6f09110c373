/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/symbols.h"
#include "base/file.h"
#include "base/memory.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More of one file is not read: it would take longer than the run. */
enum { PARTS_MAX = 1024, SECTIONS_MAX = 1 << 16, TABLE_BYTES_MAX = 1 << 27 };

struct elf {
	int fd;
	const char *path;
	struct tp_diag *diag;
	Elf64_Ehdr head;
	Elf64_Phdr *parts; /* head.e_phnum */
	Elf64_Shdr *sections; /* head.e_shnum */
};

static enum tp_status say_damaged(const struct elf *e)
{
	return tp_fail(
		e->diag, TP_UNSUPPORTED, e->path, NULL,
		"its functions cannot be named: it is not an ELF file of 64 bits, or a damaged "
		"one");
}

static enum tp_status get(const struct elf *e, void *to, size_t bytes, uint64_t offset)
{
	char *at = to;
	if (offset > INT64_MAX - bytes)
		return say_damaged(e);
	while (bytes > 0) {
		ssize_t n = pread(e->fd, at, bytes, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tp_fail(e->diag, TP_IO, e->path, NULL, "cannot be read: %s",
				       strerror(errno));
		if (n == 0)
			return say_damaged(e);
		at += n;
		bytes -= (size_t)n;
		offset += (uint64_t)n;
	}
	return TP_OK;
}

/* A table of the file on the heap, with a 0 byte after it. */
static enum tp_status get_table(const struct elf *e, void **table, uint64_t bytes, uint64_t offset)
{
	if (bytes > TABLE_BYTES_MAX)
		return say_damaged(e);
	*table = tp_alloc(1, bytes + 1);
	return get(e, *table, bytes, offset);
}

static enum tp_status open_elf(struct elf *e)
{
	enum tp_status status = get(e, &e->head, sizeof(e->head), 0);
	const Elf64_Ehdr *h = &e->head;
	if (status != TP_OK)
		return status;
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_phentsize != sizeof(*e->parts) ||
	    h->e_phnum > PARTS_MAX || (h->e_shnum && h->e_shentsize != sizeof(*e->sections)))
		return say_damaged(e);
	status = get_table(e, (void **)&e->parts, h->e_phnum * sizeof(*e->parts), h->e_phoff);
	if (status == TP_OK)
		status = get_table(e, (void **)&e->sections, h->e_shnum * sizeof(*e->sections),
				   h->e_shoff);
	return status;
}

/* The place in the file of what is loaded at `address`; false if it is not of the file. */
static bool place_of(const struct elf *e, uint64_t address, uint64_t *offset)
{
	for (unsigned i = 0; i < e->head.e_phnum; i++) {
		const Elf64_Phdr *p = &e->parts[i];
		if (p->p_type == PT_LOAD && address >= p->p_vaddr &&
		    address - p->p_vaddr < p->p_filesz) {
			*offset = address - p->p_vaddr + p->p_offset;
			return true;
		}
	}
	return false;
}

/* Of several names for one place the plain one: memcpy before __memcpy_avx_unaligned. */
static bool is_better(const struct tp_app_symbol *a, const struct tp_app_symbol *b)
{
	size_t dashes_a = strspn(a->name, "_"), dashes_b = strspn(b->name, "_");
	if (dashes_a != dashes_b)
		return dashes_a < dashes_b;
	size_t len_a = strlen(a->name), len_b = strlen(b->name);
	return len_a != len_b ? len_a < len_b : strcmp(a->name, b->name) < 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct tp_app_symbol *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return is_better(x, y) ? -1 : is_better(y, x);
}

static void take_functions(struct tp_app_symbols *s, const struct elf *e, const Elf64_Sym *table,
			   size_t n, size_t names_bytes)
{
	size_t cap = 0;
	for (size_t i = 0; i < n; i++) {
		const Elf64_Sym *symbol = &table[i];
		unsigned type = ELF64_ST_TYPE(symbol->st_info);
		uint64_t at;
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
		    symbol->st_name >= names_bytes || !s->names[symbol->st_name] ||
		    !place_of(e, symbol->st_value, &at))
			continue;
		TP_RESERVE(s->items, cap, s->n + 1);
		uint64_t end = at;
		if (__builtin_add_overflow(at, symbol->st_size, &end))
			end = at;
		s->items[s->n++] = (struct tp_app_symbol){ .start = at,
							   .end = end,
							   .name = s->names + symbol->st_name };
	}
	/* Sorted, one for each place, each with an end. */
	size_t kept = 0;
	if (s->n)
		qsort(s->items, s->n, sizeof(*s->items), compare_places);
	for (size_t i = 0; i < s->n; i++) {
		struct tp_app_symbol *last = kept ? &s->items[kept - 1] : NULL;
		if (last && last->start == s->items[i].start)
			last->end = TP_MAX(last->end, s->items[i].end);
		else
			s->items[kept++] = s->items[i];
	}
	s->n = kept;
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].end <= s->items[i].start)
			s->items[i].end =
				i + 1 < s->n ? s->items[i + 1].start : s->items[i].start + 1;
}

static const Elf64_Shdr *section_of(const struct elf *e, unsigned type)
{
	for (unsigned i = 0; i < e->head.e_shnum; i++)
		if (e->sections[i].sh_type == type)
			return &e->sections[i];
	return NULL;
}

enum tp_status tp_app_symbols_read(struct tp_app_symbols *symbols, int fd, const char *path,
				   struct tp_diag *diag)
{
	struct elf e = { .fd = fd, .path = path, .diag = diag };
	TP_FREE Elf64_Sym *table = NULL;
	enum tp_status status = open_elf(&e);
	const Elf64_Shdr *section = NULL;
	*symbols = (struct tp_app_symbols){ 0 };
	if (status == TP_OK && !(section = section_of(&e, SHT_SYMTAB)) &&
	    !(section = section_of(&e, SHT_DYNSYM)))
		status = tp_fail(diag, TP_NOTFOUND, path, "link it without -s",
				 "has no table of symbols");
	if (status == TP_OK && section->sh_link >= e.head.e_shnum)
		status = say_damaged(&e);
	if (status == TP_OK)
		status = get_table(&e, (void **)&table, section->sh_size, section->sh_offset);
	if (status == TP_OK) {
		const Elf64_Shdr *names = &e.sections[section->sh_link];
		status = get_table(&e, (void **)&symbols->names, names->sh_size, names->sh_offset);
		if (status == TP_OK)
			take_functions(symbols, &e, table, section->sh_size / sizeof(*table),
				       names->sh_size);
	}
	free(e.parts);
	free(e.sections);
	if (status != TP_OK)
		tp_app_symbols_release(symbols);
	return status;
}

const struct tp_app_symbol *tp_app_symbols_at(const struct tp_app_symbols *symbols, uint64_t offset)
{
	size_t low = 0, high = symbols->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symbols->items[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && offset < symbols->items[low - 1].end ? &symbols->items[low - 1] : NULL;
}

bool tp_app_symbols_mention(const char *path, const char *const *words, size_t n)
{
	struct elf e = { .path = path };
	TP_FREE char *texts = NULL;
	bool found = false;
	if (tp_file_open(AT_FDCWD, path, O_RDONLY, &e.fd, NULL) != TP_OK)
		return false;
	const Elf64_Shdr *dynamic = open_elf(&e) == TP_OK ? section_of(&e, SHT_DYNAMIC) : NULL;
	const Elf64_Shdr *section =
		dynamic && dynamic->sh_link < e.head.e_shnum ? &e.sections[dynamic->sh_link] : NULL;
	if (section &&
	    get_table(&e, (void **)&texts, section->sh_size, section->sh_offset) == TP_OK)
		for (size_t at = 0; at < section->sh_size && !found; at += strlen(&texts[at]) + 1)
			for (size_t i = 0; i < n && !found; i++)
				found = strncmp(&texts[at], words[i], strlen(words[i])) == 0;
	free(e.parts);
	free(e.sections);
	close(e.fd);
	return found;
}

void tp_app_symbols_release(struct tp_app_symbols *symbols)
{
	free(symbols->items);
	free(symbols->names);
	*symbols = (struct tp_app_symbols){ 0 };
}
