/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/hooks.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "agent/sys.h"

#define SECTION	       "tprof_roi"
#define FORTRAN_SYMBOL "tprof_roi_hook_fortran"

enum { OBJECTS = 2048, LINE_BYTES = 4608 };

/* One mapping of a file, as /proc/self/maps tells it. */
struct mapping {
	uint64_t start, end, offset, device, inode;
	bool executable;
	const char *path;
};

struct tp_hooks_object {
	uint64_t start, device, inode;
	bool seen; /* by this walk */
};

/* An object that is looked at: its file in memory, and where it was loaded. */
struct object {
	struct tp_hooks *hooks;
	struct tp_agent_shared *shared;
	const uint8_t *file;
	uint64_t bytes;
	uint64_t bias; /* address in memory - address in the file */
	const Elf64_Ehdr *head;
	const Elf64_Phdr *parts;
	const struct mapping *mapping; /* of its beginning */
	uint64_t code; /* where its code has to be */
	bool asked, loaded; /* whether it is */
};

/* --- texts --- */

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* What follows `with` at the beginning of `text`; NULL = it does not begin so. */
static const char *behind(const char *text, const char *with)
{
	while (*with)
		if (*text++ != *with++)
			return NULL;
	return text;
}

static bool holds(const char *text, const char *part)
{
	for (; *text; text++)
		if (behind(text, part))
			return true;
	return false;
}

/* _Z8spmv_csrPKdi is spmv_csr(double const *, int). */
static const char *behind_mangled(const char *symbol, const char *name)
{
	uint64_t len = 0, told = 0;
	const char *at = behind(symbol, "_Z");

	while (name[len])
		len++;
	while (at && *at >= '0' && *at <= '9' && told < 10000)
		told = told * 10 + (uint64_t)(*at++ - '0');
	return at && told == len && len ? behind(at, name) : NULL;
}

bool tp_hooks_fits(const char *symbol, const char *name, bool *split_off)
{
	const char *rest = behind(symbol, name);

	if (!rest || (*rest && *rest != '.'))
		rest = behind_mangled(symbol, name);
	/* Behind the arguments of C++ the compiler's words stand, too. */
	*split_off = rest && (holds(rest, ".cold") || holds(rest, ".part."));
	return rest != NULL;
}

/* --- /proc/self/maps --- */

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

/* start-end rwxp offset major:minor inode path; false if it is of no file */
static bool parse(const char *line, struct mapping *m)
{
	*m = (struct mapping){ 0 };
	uint64_t minor = 0;
	const char *at = hexadecimal(line, &m->start);

	at = *at ? hexadecimal(at + 1, &m->end) : at;
	if (*at != ' ' || !at[1] || !at[2] || !at[3] || !at[4] || at[5] != ' ')
		return false;
	m->executable = at[3] == 'x';
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
	return *at == '/';
}

/* Calls `each` with every mapping of a file, until it returns false. */
static void walk(bool (*each)(void *context, const struct mapping *m), void *context)
{
	char line[LINE_BYTES];
	unsigned n = 0;
	bool goes_on = true;
	int64_t got, fd = tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t) "/proc/self/maps",
				 O_RDONLY | O_CLOEXEC, 0, 0, 0);

	if (tp_sys_failed(fd))
		return;
	while (goes_on && (got = tp_sys(SYS_read, (uint64_t)fd, (uint64_t)(line + n),
					sizeof(line) - 1 - n, 0, 0, 0)) > 0) {
		unsigned start = 0, end = n + (unsigned)got;
		struct mapping m;

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
			n = 0; /* no path is so long */
	}
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}

/* --- the file of an object --- */

/* A piece of the file; NULL if it is not all there. */
static const void *piece(const struct object *o, uint64_t offset, uint64_t bytes)
{
	return offset <= o->bytes && bytes <= o->bytes - offset ? o->file + offset : NULL;
}

static const Elf64_Shdr *section(const struct object *o, unsigned i)
{
	if (o->head->e_shentsize != sizeof(Elf64_Shdr) || i >= o->head->e_shnum)
		return NULL;
	return piece(o, o->head->e_shoff + (uint64_t)i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

/* A text of a section of texts; NULL if it does not end there. */
static const char *text_of(const struct object *o, const Elf64_Shdr *texts, uint64_t at)
{
	const char *text = texts ? piece(o, texts->sh_offset, texts->sh_size) : NULL;

	if (!text || at >= texts->sh_size)
		return NULL;
	for (uint64_t i = at; i < texts->sh_size; i++)
		if (!text[i])
			return text + at;
	return NULL;
}

/* Whether these addresses of the file were loaded to memory that is written. */
static bool is_data(const struct object *o, uint64_t address, uint64_t bytes)
{
	for (unsigned i = 0; i < o->head->e_phnum; i++) {
		const Elf64_Phdr *p = &o->parts[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_W) && address >= p->p_vaddr &&
		    address - p->p_vaddr <= p->p_memsz &&
		    bytes <= p->p_memsz - (address - p->p_vaddr))
			return true;
	}
	return false;
}

/*
 * Whether the object is there as the dynamic linker loads it: a file may also be mapped just to be
 * read, and then something else lies where its data would.
 */
static bool is_its_code(void *context, const struct mapping *m)
{
	struct object *o = context;

	o->loaded = m->executable && m->inode == o->mapping->inode &&
		    m->device == o->mapping->device && o->code >= m->start && o->code < m->end;
	return !o->loaded;
}

static bool is_loaded(struct object *o)
{
	for (unsigned i = 0; i < o->head->e_phnum && !o->asked; i++)
		if (o->parts[i].p_type == PT_LOAD && (o->parts[i].p_flags & PF_X)) {
			o->code = o->parts[i].p_vaddr + o->bias;
			o->asked = true;
			walk(is_its_code, o);
		}
	return o->loaded;
}

/* --- what is looked for --- */

static void mark(struct object *o, uint64_t address, uint64_t bytes)
{
	tp_hook *volatile *at = (tp_hook *volatile *)(address + o->bias);

	if (address % sizeof(*at) || !is_data(o, address, bytes) || !is_loaded(o))
		return;
	for (uint64_t i = 0; i < bytes / sizeof(*at); i++)
		at[i] = o->hooks->hook;
}

static void take_function(struct object *o, const Elf64_Sym *symbol, const char *name)
{
	struct tp_hooks *hooks = o->hooks;
	bool split_off;

	for (unsigned r = 1; r <= o->shared->n_functions && r < TP_AGENT_REGIONS; r++) {
		struct tp_hook_function f = { .start = symbol->st_value + o->bias, .region = r };

		if (!tp_hooks_fits(name, o->shared->regions[r], &split_off))
			continue;
		f.end = f.start + symbol->st_size;
		f.split_off = split_off;
		for (unsigned i = 0; i < hooks->n_functions && f.start; i++)
			if (hooks->functions[i].start == f.start)
				f.start = 0; /* another name for the same place */
		if (!f.start || hooks->n_functions == TP_HOOK_FUNCTIONS || !is_loaded(o))
			continue;
		hooks->functions[hooks->n_functions++] = f;
		o->shared->function_found[r] = 1;
	}
}

static void look_at_symbols(struct object *o, const Elf64_Shdr *table)
{
	const Elf64_Shdr *texts = section(o, table->sh_link);
	const Elf64_Sym *symbols = piece(o, table->sh_offset, table->sh_size);
	const char *text = texts ? piece(o, texts->sh_offset, texts->sh_size) : NULL;
	uint64_t n = symbols ? table->sh_size / sizeof(*symbols) : 0;

	/* The last byte ends all of them. */
	if (!text || !texts->sh_size || text[texts->sh_size - 1])
		return;
	for (uint64_t i = 0; i < n; i++) {
		unsigned type = ELF64_ST_TYPE(symbols[i].st_info);
		const char *name = text + symbols[i].st_name;

		if (symbols[i].st_name >= texts->sh_size || symbols[i].st_shndx == SHN_UNDEF)
			continue;
		if (type == STT_OBJECT && symbols[i].st_size == sizeof(tp_hook *) &&
		    behind(name, FORTRAN_SYMBOL))
			mark(o, symbols[i].st_value, symbols[i].st_size);
		else if (type == STT_FUNC && o->shared->n_functions)
			take_function(o, &symbols[i], name);
	}
}

static void look_at_sections(struct object *o)
{
	const Elf64_Shdr *names = section(o, o->head->e_shstrndx), *symbols = NULL;

	for (unsigned i = 0; i < o->head->e_shnum; i++) {
		const Elf64_Shdr *s = section(o, i);
		const char *name = s ? text_of(o, names, s->sh_name) : NULL;

		if (s && (s->sh_type == SHT_SYMTAB || (s->sh_type == SHT_DYNSYM && !symbols)))
			symbols = s;
		if (name && s->sh_type == SHT_PROGBITS && same(name, SECTION))
			mark(o, s->sh_addr, s->sh_size);
	}
	if (symbols)
		look_at_symbols(o, symbols);
}

/* The dynamic linker leaves the address in the section .dynamic of the program alone. */
static void look_for_linker(struct object *o)
{
	for (unsigned i = 0; i < o->head->e_phnum && !o->hooks->changed; i++) {
		const Elf64_Phdr *p = &o->parts[i];
		const Elf64_Dyn *dynamic = (const Elf64_Dyn *)(p->p_vaddr + o->bias);

		if (p->p_type != PT_DYNAMIC || !is_data(o, p->p_vaddr, p->p_memsz) || !is_loaded(o))
			continue;
		for (uint64_t k = 0; k < p->p_memsz / sizeof(*dynamic) && dynamic[k].d_tag; k++)
			if (dynamic[k].d_tag == DT_DEBUG && dynamic[k].d_un.d_ptr)
				o->hooks->changed =
					((const struct r_debug *)dynamic[k].d_un.d_ptr)->r_brk;
	}
}

static bool is_elf(struct object *o)
{
	o->head = piece(o, 0, sizeof(*o->head));
	if (!o->head || o->head->e_ident[0] != 0x7f || o->head->e_ident[1] != 'E' ||
	    o->head->e_ident[2] != 'L' || o->head->e_ident[3] != 'F' ||
	    o->head->e_ident[EI_CLASS] != ELFCLASS64 || o->head->e_phentsize != sizeof(*o->parts))
		return false;
	o->parts = piece(o, o->head->e_phoff, (uint64_t)o->head->e_phnum * sizeof(*o->parts));
	return o->parts != NULL;
}

/* `m` maps the beginning of the file. False: it has what is looked for, and is not loaded yet. */
static bool look_at(struct tp_hooks *hooks, struct tp_agent_shared *shared, const struct mapping *m)
{
	struct object o = { .hooks = hooks, .shared = shared, .mapping = m };
	struct stat st;
	int64_t fd = tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)m->path, O_RDONLY | O_CLOEXEC,
			    0, 0, 0);
	int64_t at = -1;

	if (tp_sys_failed(fd))
		return true;
	/* The file of that name may be another one meanwhile. */
	if (!tp_sys_failed(tp_sys(SYS_fstat, (uint64_t)fd, (uint64_t)&st, 0, 0, 0, 0)) &&
	    S_ISREG(st.st_mode) && st.st_ino == m->inode && st.st_size > 0) {
		o.bytes = (uint64_t)st.st_size;
		at = tp_sys(SYS_mmap, 0, o.bytes, PROT_READ, MAP_PRIVATE, (uint64_t)fd, 0);
	}
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	if (tp_sys_failed(at))
		return true;
	o.file = (const uint8_t *)at;
	if (is_elf(&o)) {
		/* The first loaded part begins where the file does. */
		for (unsigned i = 0; i < o.head->e_phnum; i++)
			if (o.parts[i].p_type == PT_LOAD && o.parts[i].p_offset < 4096) {
				o.bias = m->start - (o.parts[i].p_vaddr & ~4095ull);
				look_at_sections(&o);
				look_for_linker(&o);
				break;
			}
	}
	tp_sys(SYS_munmap, (uint64_t)at, o.bytes, 0, 0, 0, 0);
	return !o.asked || o.loaded;
}

/* --- all objects --- */

static bool is_known(struct tp_hooks *hooks, const struct mapping *m)
{
	for (unsigned i = 0; i < hooks->n_objects; i++) {
		struct tp_hooks_object *o = &hooks->objects[i];

		if (o->start == m->start && o->inode == m->inode && o->device == m->device)
			return o->seen = true;
	}
	return false;
}

struct search {
	struct tp_hooks *hooks;
	struct tp_agent_shared *shared;
};

static bool take(void *context, const struct mapping *m)
{
	const struct search *s = context;
	struct tp_hooks *hooks = s->hooks;

	if (m->offset || is_known(hooks, m))
		return true;
	if (look_at(hooks, s->shared, m) && hooks->n_objects < OBJECTS)
		hooks->objects[hooks->n_objects++] = (struct tp_hooks_object){
			.start = m->start, .device = m->device, .inode = m->inode, .seen = true
		};
	return true;
}

/* What is not mapped any more may come back at the same place, with pointers that are 0. */
static void forget_unseen(struct tp_hooks *hooks)
{
	unsigned n = 0;

	for (unsigned i = 0; i < hooks->n_objects; i++)
		if (hooks->objects[i].seen)
			hooks->objects[n++] = hooks->objects[i];
	hooks->n_objects = n;
}

void tp_hooks_find(struct tp_hooks *hooks, struct tp_agent_shared *shared)
{
	struct search search = { hooks, shared };

	if (!hooks->objects)
		hooks->objects = tp_memory_map(0, OBJECTS * sizeof(*hooks->objects),
					       PROT_READ | PROT_WRITE, 0);
	if (!hooks->objects)
		return;
	for (unsigned i = 0; i < hooks->n_objects; i++)
		hooks->objects[i].seen = false;
	walk(take, &search);
	forget_unseen(hooks);
}
