/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machine code out of a relocatable object (ELF). The assembler wrote the file, but anybody could
 * have: every offset is checked.
 */
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compiler/compiler_parts.h"

struct object {
	const char *bytes;
	size_t n;
	ElfW(Ehdr) head;
};

static bool has(const struct object *o, uint64_t at, uint64_t bytes)
{
	return at <= o->n && bytes <= o->n - at;
}

static bool section(const struct object *o, size_t i, ElfW(Shdr) * out)
{
	uint64_t at = o->head.e_shoff + (uint64_t)i * sizeof(*out);
	if (i >= o->head.e_shnum || !has(o, at, sizeof(*out)))
		return false;
	memcpy(out, o->bytes + at, sizeof(*out));
	return true;
}

static bool is_named(const struct object *o, const ElfW(Shdr) * names, const ElfW(Shdr) * s,
		     const char *name)
{
	size_t len = strlen(name) + 1;
	return s->sh_name <= names->sh_size && len <= names->sh_size - s->sh_name &&
	       has(o, names->sh_offset, names->sh_size) &&
	       memcmp(o->bytes + names->sh_offset + s->sh_name, name, len) == 0;
}

static bool open_object(struct object *o)
{
	if (!has(o, 0, sizeof(o->head)))
		return false;
	memcpy(&o->head, o->bytes, sizeof(o->head));
	return memcmp(o->head.e_ident, ELFMAG, SELFMAG) == 0 && o->head.e_type == ET_REL &&
	       o->head.e_shentsize == sizeof(ElfW(Shdr)) && has(o, o->head.e_shoff, 0);
}

/* What a linker would have to fill in: of `text`, the section of that number. */
static bool is_complete(const struct object *o, size_t text)
{
	ElfW(Shdr) s;
	for (size_t i = 0; section(o, i, &s); i++)
		if ((s.sh_type == SHT_REL || s.sh_type == SHT_RELA) && s.sh_info == text &&
		    s.sh_size)
			return false;
	return true;
}

static bool find_text(const struct object *o, ElfW(Shdr) * text, size_t *at)
{
	ElfW(Shdr) names;
	if (!section(o, o->head.e_shstrndx, &names))
		return false;
	for (*at = 0; section(o, *at, text); ++*at)
		if (text->sh_type == SHT_PROGBITS && is_named(o, &names, text, ".text"))
			return has(o, text->sh_offset, text->sh_size);
	return false;
}

enum tp_status tp_object_code(const char *path, unsigned machine, unsigned char **code,
			      size_t *bytes, struct tp_diag *diag)
{
	struct object o = { 0 };
	ElfW(Shdr) text;
	size_t at;
	char *file = NULL;
	*code = NULL;
	*bytes = 0;
	enum tp_status status = tp_file_read(path, 4 * TP_OBJECT_CODE_MAX, &file, &o.n, diag);
	if (status != TP_OK)
		return status;
	o.bytes = file;
	if (open_object(&o) && machine && o.head.e_machine != machine)
		status = tp_fail(diag, TP_FAILED, "assembler", "name another one",
				 "the assembler is for another architecture");
	else if (!open_object(&o) || !find_text(&o, &text, &at))
		status = tp_fail(diag, TP_FAILED, "assembler", NULL,
				 "what it wrote is no object with code");
	else if (text.sh_size == 0 || text.sh_size > TP_OBJECT_CODE_MAX)
		status = tp_fail(diag, TP_FAILED, "assembler", NULL,
				 text.sh_size ? "the instructions are too long"
					      : "there is no instruction");
	else if (!is_complete(&o, at))
		status = tp_fail(diag, TP_FAILED, "assembler",
				 "use registers, numbers and memory that registers point to",
				 "the instructions name a symbol that only a linker would know");
	if (status == TP_OK && !(*code = malloc(text.sh_size)))
		status = tp_fail(diag, TP_NOMEM, "assembler", NULL, "out of memory");
	if (status == TP_OK) {
		*bytes = text.sh_size;
		memcpy(*code, o.bytes + text.sh_offset, *bytes);
	}
	free(file);
	return status;
}
