/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/hooks.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "agent/elf.h"
#include "agent/maps.h"
#include "agent/parts.h"
#include "agent/sys.h"

enum { OBJECTS = 2048, DYNAMIC_MAX = 256 };

struct tp_hooks_object {
	uint64_t base, device, inode; /* base: where the file would begin */
	bool seen; /* by this walk */
};

struct search {
	struct tp_hooks *hooks;
	struct tp_agent_shared *shared;
	const struct tp_elf *elf; /* that is looked at */
	uint64_t base;
};

static void mark(const struct search *s, uint64_t at, uint64_t bytes)
{
	for (uint64_t i = 0; i + sizeof(s->hooks->hook) <= bytes; i += sizeof(s->hooks->hook))
		tp_copy_out(at + i, &s->hooks->hook, sizeof(s->hooks->hook));
}

static void take_function(void *context, const Elf64_Sym *symbol, const char *name)
{
	const struct search *s = context;
	struct tp_hooks *hooks = s->hooks;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
		return;
	if (!hooks->execve && tp_symbol_is(name, "execve")) {
		hooks->execve = symbol->st_value + s->elf->bias;
		hooks->execve_end = hooks->execve + symbol->st_size;
	}
	for (unsigned r = 1; r <= s->shared->n_functions && r < TP_AGENT_REGIONS; r++) {
		struct tp_hook_function f = { .start = symbol->st_value + s->elf->bias,
					      .base = s->base,
					      .region = r };
		bool known = hooks->n_functions == TP_HOOK_FUNCTIONS;

		if (!tp_symbol_is(name, s->shared->regions[r]))
			continue;
		f.end = f.start + symbol->st_size;
		f.split_off = tp_symbol_is_part(name);
		if (!s->shared->function_found[r])
			s->shared->function_found[r] = 1;
		/* There may be other names for the same place. */
		for (unsigned i = 0; i < hooks->n_functions && !known; i++)
			known = hooks->functions[i].start == f.start;
		if (!known)
			hooks->functions[hooks->n_functions++] = f;
	}
}

/* The dynamic linker leaves its address in the section .dynamic of the program alone. */
static void look_for_linker(const struct search *s)
{
	const struct tp_elf *elf = s->elf;
	const Elf64_Phdr *parts = (const Elf64_Phdr *)(elf->bytes + elf->head->e_phoff);

	for (unsigned i = 0; i < elf->head->e_phnum && !s->hooks->changed; i++) {
		uint64_t at = parts[i].p_vaddr + elf->bias;
		Elf64_Dyn dynamic;
		struct r_debug debug;

		if (parts[i].p_type != PT_DYNAMIC)
			continue;
		for (unsigned k = 0; k < DYNAMIC_MAX; k++) {
			if (!tp_copy_in(&dynamic, at + k * sizeof(dynamic), sizeof(dynamic)) ||
			    dynamic.d_tag == DT_NULL)
				break;
			if (dynamic.d_tag == DT_DEBUG && dynamic.d_un.d_ptr &&
			    tp_copy_in(&debug, dynamic.d_un.d_ptr, sizeof(debug)))
				s->hooks->changed = debug.r_brk;
		}
	}
}

static void look_at(struct search *s, const struct tp_mapping *m)
{
	struct tp_elf elf;
	struct stat st;
	uint64_t at, bytes;
	int64_t fd = tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)m->path, O_RDONLY | O_CLOEXEC,
			    0, 0, 0);

	if (tp_sys_failed(fd))
		return;
	/* The file of that name may be another one meanwhile. */
	if (!tp_sys_failed(tp_sys(SYS_fstat, (uint64_t)fd, (uint64_t)&st, 0, 0, 0, 0)) &&
	    st.st_ino == m->inode && tp_elf_open(&elf, (int)fd)) {
		s->elf = &elf;
		if (tp_elf_bias(&elf, m->start, m->offset)) {
			if (tp_elf_section(&elf, "tprof_roi", &at, &bytes))
				mark(s, at, bytes);
			if (tp_elf_fortran(&elf, &at, &bytes))
				mark(s, at, bytes);
			tp_elf_symbols(&elf, take_function, s);
			look_for_linker(s);
		}
		tp_elf_close(&elf);
	}
	tp_sys(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}

/* --- all objects --- */

/* A mapping falls into pieces where it is patched. */
static bool is_known(struct tp_hooks *hooks, const struct tp_mapping *m)
{
	for (unsigned i = 0; i < hooks->n_objects; i++) {
		struct tp_hooks_object *o = &hooks->objects[i];

		if (o->base == m->start - m->offset && o->inode == m->inode &&
		    o->device == m->device)
			return o->seen = true;
	}
	return false;
}

/* A file that is mapped just to be read is no object of the program. */
static bool is_object(const struct tp_mapping *m)
{
	return m->executable && m->path[0] == '/' && !tp_agent_code(m->start);
}

static bool look_for_known(void *context, const struct tp_mapping *m)
{
	const struct search *s = context;

	if (is_object(m))
		is_known(s->hooks, m);
	return true;
}

static bool take(void *context, const struct tp_mapping *m)
{
	struct search *s = context;
	struct tp_hooks *hooks = s->hooks;

	if (!is_object(m) || is_known(hooks, m))
		return true;
	s->base = m->start - m->offset;
	if (hooks->n_objects < OBJECTS)
		hooks->objects[hooks->n_objects++] =
			(struct tp_hooks_object){ .base = m->start - m->offset,
						  .device = m->device,
						  .inode = m->inode,
						  .seen = true };
	look_at(s, m);
	return true;
}

static bool is_gone(const struct tp_hooks *hooks, uint64_t base)
{
	for (unsigned i = 0; i < hooks->n_objects; i++)
		if (hooks->objects[i].base == base)
			return false;
	return true;
}

/*
 * What is not mapped any more may come back at the same place, with pointers that are 0 and
 * functions that are not patched.
 */
static void forget_unseen(struct tp_hooks *hooks)
{
	unsigned n = 0;

	for (unsigned i = 0; i < hooks->n_objects; i++)
		if (hooks->objects[i].seen)
			hooks->objects[n++] = hooks->objects[i];
	hooks->n_objects = n;
	n = 0;
	for (unsigned i = 0; i < hooks->n_functions; i++)
		if (!is_gone(hooks, hooks->functions[i].base))
			hooks->functions[n++] = hooks->functions[i];
	hooks->n_functions = n;
}

unsigned tp_hooks_find(struct tp_hooks *hooks, struct tp_agent_shared *shared)
{
	struct search search = { .hooks = hooks, .shared = shared };
	unsigned first;

	if (!hooks->objects)
		hooks->objects = tp_memory_map(0, OBJECTS * sizeof(*hooks->objects),
					       PROT_READ | PROT_WRITE, 0);
	if (!hooks->objects)
		return 0;
	for (unsigned i = 0; i < hooks->n_objects; i++)
		hooks->objects[i].seen = false;
	tp_maps_walk(look_for_known, &search);
	forget_unseen(hooks);
	first = hooks->n_functions;
	tp_maps_walk(take, &search);
	return first;
}
