/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/asm/body.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "kernels/arch.h"

/*
 * What instructions of any architecture are written with. Comments, strings and equations are for
 * files; a sign # begins a comment where registers have a mark.
 */
static const char signs[] = " \t%$,()[]*+-.:{}_!#";

const struct tp_assembly *tp_asm_host(struct tp_diag *diag)
{
	const struct tp_arch *arch = tp_arch_host();
	if (arch && arch->assembly)
		return arch->assembly;
	tp_fail(diag, TP_UNSUPPORTED, "asm", NULL,
		"this program cannot run instructions of users on this architecture");
	return NULL;
}

/* --- registers --- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t mnemonic_bytes(const char *line)
{
	return strcspn(line, " ");
}

/*
 * The next register in the operands of a line, from *at on (0 at the beginning); false if there is
 * none. *from and *len give the place of its name, without its mark.
 */
static bool asm_next_register(const struct tp_assembly *assembly, const char *line, size_t *at,
			      struct tp_register_name *name, size_t *from, size_t *len)
{
	if (*at == 0)
		*at = mnemonic_bytes(line);
	while (line[*at]) {
		char word[TP_ASM_NAME_BYTES];
		size_t n = 0, begin = *at;
		if (!is_word(line[begin])) {
			++*at;
			continue;
		}
		while (is_word(line[begin + n]))
			n++;
		*at = begin + n;
		if (n >= sizeof(word))
			continue;
		for (size_t i = 0; i < n; i++)
			word[i] = (char)tolower((unsigned char)line[begin + i]);
		if (tp_asm_find(assembly, word, n, name)) {
			*from = begin;
			*len = n;
			return true;
		}
	}
	return false;
}

void tp_register_map_none(struct tp_register_map *map)
{
	for (size_t i = 0; i < TP_ASM_REGISTERS; i++)
		map->to[i] = -1;
}

/* Registers as the map has them; `addresses`: only those in brackets. */
static void rename_registers(const struct tp_assembly *assembly, const char *line,
			     const struct tp_register_map *map, bool addresses, struct tp_str *out)
{
	struct tp_register_name name;
	size_t at = 0, from, len, done = 0;
	while (asm_next_register(assembly, line, &at, &name, &from, &len)) {
		char text[TP_ASM_NAME_BYTES];
		int to = map->to[name.reg], depth = 0;
		for (size_t i = 0; addresses && i < from; i++)
			depth += (strchr("([", line[i]) != NULL) - (strchr(")]", line[i]) != NULL);
		if (to < 0 || (addresses && depth <= 0))
			continue;
		name.reg = (unsigned)to;
		if (!tp_asm_name(assembly, &name, text))
			continue;
		tp_str_add_n(out, line + done, from - done);
		tp_str_add(out, text);
		done = from + len;
	}
	tp_str_add(out, line + done);
}

void tp_asm_rename(const struct tp_assembly *assembly, const char *line,
		   const struct tp_register_map *map, struct tp_str *out)
{
	rename_registers(assembly, line, map, false, out);
}

/* --- splitting --- */

static enum tp_status refuse(const char *line, size_t len, const char *hint, const char *what,
			     struct tp_diag *diag)
{
	char shown[80];
	return tp_fail(diag, TP_USAGE, "asm.body", hint, "\"%s\" %s",
		       tp_shown(shown, sizeof(shown), line, len), what);
}

static enum tp_status check_line(const struct tp_assembly *assembly, const char *line,
				 struct tp_diag *diag)
{
	size_t len = strlen(line), mnemonic = mnemonic_bytes(line), at = 0, from, n;
	struct tp_register_name name;
	if (line[0] == '.')
		return refuse(line, len, "instructions alone", "is a directive", diag);
	if (mnemonic && line[mnemonic - 1] == ':')
		return refuse(line, len, "a jump may give its distance: jmp .+2", "is a label",
			      diag);
	if (!isalpha((unsigned char)line[0]) && line[0] != '{')
		return refuse(line, len, "such as vaddps %xmm0,%xmm1,%xmm2",
			      "does not begin with an instruction", diag);
	if (strpbrk(line, "<>@"))
		return refuse(line, len,
			      "use registers, numbers and memory that registers point to",
			      "names a symbol that only a linker resolves", diag);
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)line[i]) &&
		    (!memchr(signs, line[i], sizeof(signs) - 1) ||
		     (line[i] == '#' && assembly->mark)))
			return refuse(line, len, NULL, "has a character that no instruction needs",
				      diag);
	while (asm_next_register(assembly, line, &at, &name, &from, &n))
		if (assembly->is_reserved(name.reg)) {
			char hint[64];
			snprintf(hint, sizeof(hint), "all but %s may be used", assembly->reserved);
			return refuse(line, len, hint, "uses a register of the loop", diag);
		}
	return TP_OK;
}

/* Blanks are collapsed, and removed at the ends and at commas. */
static bool take_line(char out[TP_ASM_LINE_BYTES], const char *text, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len; i++) {
		char c = text[i] == '\t' ? ' ' : text[i];
		bool blank = c == ' ';
		if (blank && (n == 0 || out[n - 1] == ' ' || out[n - 1] == ','))
			continue;
		if (c == ',' && n && out[n - 1] == ' ')
			n--;
		if (n + 1 >= TP_ASM_LINE_BYTES)
			return false;
		out[n++] = c;
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	return true;
}

static enum tp_asm_syntax syntax_of(const struct tp_assembly *assembly, const char *text,
				    const char *word)
{
	if (strcmp(word, "intel") == 0)
		return TP_ASM_INTEL;
	if (strcmp(word, "att") == 0 || !assembly->mark)
		return TP_ASM_ATT;
	return strchr(text, assembly->mark) || strchr(text, '$') ? TP_ASM_ATT : TP_ASM_INTEL;
}

/* A range of numbers, "{0..19}", at `text`; its length, 0 if none. */
static size_t range_at(const char *text, unsigned *from, unsigned *to)
{
	int len = 0;
	if (text[0] != '{' || !isdigit((unsigned char)text[1]) ||
	    sscanf(text, "{%3u..%3u}%n", from, to, &len) != 2)
		return 0;
	return (size_t)len;
}

/* A line with a range stands for one line each number. */
static enum tp_status add_expanded(const struct tp_assembly *assembly, const char *line,
				   struct tp_arena *arena, struct tp_asm_body *body,
				   struct tp_diag *diag)
{
	unsigned from = 0, to = 0;
	const char *range = line;
	size_t len = 0;
	while (*range && !(len = range_at(range, &from, &to)))
		range++;
	if (!len) {
		if (body->n == TP_ASM_LINES_MAX)
			return tp_fail(diag, TP_USAGE, "asm.body", NULL,
				       "more than %d instructions", TP_ASM_LINES_MAX);
		enum tp_status status = check_line(assembly, line, diag);
		if (status != TP_OK)
			return status;
		body->lines[body->n++] = tp_arena_strdup(arena, line);
		return TP_OK;
	}
	if (from > to)
		return refuse(line, strlen(line), "such as %xmm{0..7}", "has an empty range", diag);
	enum tp_status status = TP_OK;
	for (unsigned number = from; number <= to && status == TP_OK; number++) {
		char one[TP_ASM_LINE_BYTES];
		snprintf(one, sizeof(one), "%.*s%u%s", (int)(range - line), line, number,
			 range + len);
		/* What is left may have another range. */
		status = add_expanded(assembly, one, arena, body, diag);
	}
	return status;
}

enum tp_status tp_asm_split(const struct tp_assembly *assembly, const char *text,
			    const char *syntax, struct tp_arena *arena, struct tp_asm_body *body,
			    struct tp_diag *diag)
{
	*body = (struct tp_asm_body){ .syntax = syntax_of(assembly, text, syntax) };
	body->lines = tp_arena_alloc(arena, TP_ASM_LINES_MAX * sizeof(*body->lines));
	while (*text) {
		char line[TP_ASM_LINE_BYTES];
		size_t len = strcspn(text, ";\n");
		if (!take_line(line, text, len))
			return refuse(text, len, NULL, "is too long for an instruction", diag);
		text += len + (text[len] != '\0');
		if (!line[0])
			continue;
		enum tp_status status = add_expanded(assembly, line, arena, body, diag);
		if (status != TP_OK)
			return status;
	}
	if (!body->n)
		return tp_fail(diag, TP_USAGE, "asm.body",
			       "such as asm.body: vaddps %xmm0,%xmm1,%xmm2",
			       "there is no instruction");
	return TP_OK;
}

/* --- a name --- */

/* The kind of vector that the line works on: the letters of its last vector register. */
static void add_width(const struct tp_assembly *assembly, const char *line, struct tp_str *out)
{
	struct tp_register_name name;
	char text[TP_ASM_NAME_BYTES] = "";
	size_t at = 0, from, len;
	while (asm_next_register(assembly, line, &at, &name, &from, &len))
		if (assembly->is_vector(name.reg))
			snprintf(text, sizeof(text), "%.*s", (int)TP_MIN(len, sizeof(text) - 1),
				 line + from);
	size_t letters = strcspn(text, "0123456789");
	if (letters)
		tp_str_printf(out, " %.*s", (int)letters, text);
}

/* The end shows whether there would be more. */
static void copy_cut(char *out, size_t size, const struct tp_str *text)
{
	tp_copy(out, size, tp_str_text(text));
	if (text->len >= size)
		memcpy(out + size - sizeof("..."), "...", sizeof("..."));
}

void tp_asm_add_lines(const struct tp_asm_body *body, struct tp_str *out)
{
	for (size_t i = 0; i < body->n; i++)
		tp_str_printf(out, "%s\n", body->lines[i]);
}

void tp_asm_join(const char *lines, char *out, size_t size)
{
	TP_STR text = { 0 };
	while (*lines) {
		size_t len = strcspn(lines, "\n");
		tp_str_printf(&text, "%s%.*s", text.len ? "; " : "", (int)len, lines);
		lines += len + (lines[len] == '\n');
	}
	copy_cut(out, size, &text);
}

const char *tp_asm_title(const struct tp_assembly *assembly, const struct tp_asm_body *body,
			 const char *order, char *out, size_t size)
{
	TP_STR text = { 0 };
	bool alike = true;
	size_t first = mnemonic_bytes(body->lines[0]);
	for (size_t i = 1; i < body->n; i++)
		alike &= first == mnemonic_bytes(body->lines[i]) &&
			 memcmp(body->lines[0], body->lines[i], first) == 0;
	for (size_t i = 0; i < (alike ? 1 : body->n); i++)
		tp_str_printf(&text, "%s%.*s", i ? "+" : "", (int)mnemonic_bytes(body->lines[i]),
			      body->lines[i]);
	if (alike)
		add_width(assembly, body->lines[0], &text);
	/* The order distinguishes variants, so it is never cut off. */
	size_t room = size - TP_MIN(strlen(order), size - 1);
	copy_cut(out, room, &text);
	snprintf(out + strlen(out), size - strlen(out), "%s", order);
	return out;
}

/* --- registers that address memory --- */

static void note_address(struct tp_asm_addresses *out, int base, int index, unsigned scale)
{
	if (base >= 0 && base < TP_ASM_GENERAL)
		out->is_base[base] = true;
	if (index >= 0 && index < TP_ASM_GENERAL) {
		out->is_index[index] |= base >= 0;
		if (base < 0)
			out->scale[index] = scale;
	}
}

void tp_asm_find_addresses(const struct tp_asm_effect *effects, size_t n,
			   struct tp_asm_addresses *out)
{
	*out = (struct tp_asm_addresses){ 0 };
	for (size_t i = 0; i < n; i++) {
		const struct tp_asm_effect *e = &effects[i];
		for (int r = 0; r < TP_ASM_GENERAL; r++) {
			if (tp_registers_have(&e->bases, (unsigned)r))
				note_address(out, r, -1, 0);
			if (tp_registers_have(&e->indexes, (unsigned)r))
				note_address(out, e->base, r, e->scale);
		}
		out->scatters |= e->scatters;
	}
}

void tp_asm_find_named(const struct tp_assembly *assembly, const char *text,
		       struct tp_asm_addresses *out)
{
	*out = (struct tp_asm_addresses){ 0 };
	while (*text) {
		char line[TP_ASM_LINE_BYTES];
		struct tp_register_name name;
		size_t len = strcspn(text, "\n"), at = 0, from, n;
		snprintf(line, sizeof(line), "%.*s", (int)TP_MIN(len, sizeof(line) - 1), text);
		text += len + (text[len] == '\n');
		while (asm_next_register(assembly, line, &at, &name, &from, &n))
			if (from > 0 && (line[from - 1] == '[' || line[from - 1] == '('))
				note_address(out,
					     assembly->general ? assembly->general(name.reg)
							       : (int)name.reg,
					     -1, 0);
	}
}

/* Takes a free register of the kind; -1 = none left. */
static int take(const struct tp_assembly *assembly, const struct tp_register_name *name,
		struct tp_register_set *used)
{
	struct tp_register_set alike;
	assembly->alike(name, &alike);
	for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
		if (tp_registers_have(&alike, r) && !tp_registers_have(used, r)) {
			tp_registers_add(used, r);
			return (int)r;
		}
	return -1;
}

/* The register is read besides any address. */
static bool is_read(const struct tp_asm_effect *e, int reg)
{
	if (tp_registers_have(&e->hidden, (unsigned)reg))
		return true;
	for (unsigned k = 0; k < e->n_operands; k++)
		if (e->operands[k].is_register && (int)e->operands[k].reg == reg &&
		    e->operands[k].read)
			return true;
	return false;
}

bool tp_asm_part(const struct tp_assembly *assembly, const char *line, struct tp_asm_effect *e,
		 struct tp_str *out)
{
	TP_STR last = { 0 };
	bool parted = false;
	if (!e->loads && !e->stores)
		return false;
	tp_str_add(&last, line);
	for (int role = 0; role < 2; role++) {
		int *reg = role ? &e->index : &e->base;
		const int old = *reg;
		/* What a plain load brings is the address that stands there. */
		if (old < 0 || old >= TP_ASM_GENERAL || old == assembly->stack ||
		    !tp_registers_have(&e->writes, (unsigned)old) || (!role && e->follows) ||
		    (e->base == e->index && e->base >= 0))
			continue;
		struct tp_register_set used = e->reads;
		for (size_t k = 0; k < TP_COUNT_OF(used.bits); k++)
			used.bits[k] |= e->writes.bits[k];
		const struct tp_register_name name = { (unsigned)old, 3 };
		int to = take(assembly, &name, &used);
		if (to < 0)
			continue;
		TP_STR text = { 0 };
		struct tp_register_map map;
		tp_register_map_none(&map);
		map.to[old] = to;
		rename_registers(assembly, tp_str_text(&last), &map, true, &text);
		tp_str_clear(&last);
		tp_str_add(&last, tp_str_text(&text));
		*reg = to;
		struct tp_register_set *set = role ? &e->indexes : &e->bases;
		set->bits[old / 64] &= ~(UINT64_C(1) << old % 64);
		tp_registers_add(set, (unsigned)to);
		tp_registers_add(&e->reads, (unsigned)to);
		if (!is_read(e, old))
			e->reads.bits[old / 64] &= ~(UINT64_C(1) << old % 64);
		parted = true;
	}
	tp_str_add(out, tp_str_text(&last));
	return parted;
}

/* --- how long the chain is --- */

static double longest(const struct tp_register_set *set, const double *depth)
{
	double most = 0;
	for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
		if (tp_registers_have(set, r))
			most = TP_MAX(most, depth[r]);
	return most;
}

double tp_asm_chain(const struct tp_asm_effect *effects, const double *cycles, size_t n)
{
	enum { ROUNDS = 16 };
	double depth[TP_ASM_REGISTERS] = { 0 }, most = 0, half = 0;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < n; i++) {
			double d = longest(&effects[i].reads, depth) + (cycles ? cycles[i] : 1);
			for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
				if (tp_registers_have(&effects[i].writes, r))
					depth[r] = d;
			most = TP_MAX(most, d);
		}
		if (round == ROUNDS / 2 - 1)
			half = most;
	}
	return (most - half) / (ROUNDS / 2);
}

/* --- copies --- */

/* The form of a register in the text, which names registers of the same width. */
static bool form_of(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		    unsigned reg, struct tp_register_name *name)
{
	for (size_t i = 0; i < body->n; i++) {
		size_t at = 0, from, len;
		while (asm_next_register(assembly, body->lines[i], &at, name, &from, &len))
			if (name->reg == reg)
				return true;
	}
	return false;
}

/* Registers that the body writes and that other ones can replace, in the order of the text. */
static size_t written(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		      const struct tp_asm_effect *effects, struct tp_register_name *out,
		      size_t most)
{
	struct tp_register_set seen = { { 0 } };
	size_t n = 0;
	for (size_t i = 0; i < body->n; i++)
		for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
			if (tp_registers_have(&effects[i].hidden, r))
				tp_registers_add(&seen, r);
	for (size_t i = 0; i < body->n; i++)
		for (unsigned k = 0; k < effects[i].n_operands && n < most; k++) {
			const struct tp_asm_operand *o = &effects[i].operands[k];
			if (!o->is_register || !o->written || tp_registers_have(&seen, o->reg) ||
			    !form_of(assembly, body, o->reg, &out[n]))
				continue;
			tp_registers_add(&seen, o->reg);
			n++;
		}
	return n;
}

size_t tp_asm_copies(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		     const struct tp_asm_effect *effects, struct tp_str *out)
{
	struct tp_register_name names[TP_ASM_LINES_MAX];
	struct tp_register_set used = { { 0 } }; /* all that are mentioned */
	struct tp_register_map map;
	size_t n = written(assembly, body, effects, names, TP_COUNT_OF(names)), copies = 0;
	for (size_t i = 0; i < body->n; i++)
		for (size_t k = 0; k < TP_COUNT_OF(used.bits); k++)
			used.bits[k] |= effects[i].reads.bits[k] | effects[i].writes.bits[k];
	tp_register_map_none(&map);
	for (;;) {
		for (size_t i = 0; i < body->n; i++) {
			tp_asm_rename(assembly, body->lines[i], &map, out);
			tp_str_add(out, "\n");
		}
		copies++;
		if (n == 0 || copies == TP_ASM_COPIES_MAX)
			return copies;
		for (size_t i = 0; i < n; i++) {
			map.to[names[i].reg] = take(assembly, &names[i], &used);
			if (map.to[names[i].reg] < 0)
				return copies;
		}
	}
}

/* --- chains --- */

/* Registers of one kind have the same first register that is alike. */
static int kind_of(const struct tp_assembly *assembly, unsigned reg)
{
	const struct tp_register_name name = { reg, 0 };
	struct tp_register_set alike;
	assembly->alike(&name, &alike);
	for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
		if (tp_registers_have(&alike, r))
			return (int)r;
	return -1;
}

static const struct tp_asm_operand *result(const struct tp_assembly *assembly,
					   const struct tp_asm_effect *effect)
{
	for (unsigned k = 0; k < effect->n_operands; k++)
		if (effect->operands[k].is_register && effect->operands[k].written &&
		    (int)effect->operands[k].reg != assembly->stack &&
		    !tp_registers_have(&effect->hidden, effect->operands[k].reg))
			return &effect->operands[k];
	return NULL;
}

/*
 * The register of that kind through which the instruction can take a result: -1 = none. It may be
 * the one that addresses memory, if the loaded value is an address again.
 */
static int source(const struct tp_assembly *assembly, const struct tp_asm_effect *effect, int kind)
{
	int found = -1;
	for (unsigned k = 0; k < effect->n_operands; k++) {
		const struct tp_asm_operand *o = &effect->operands[k];
		if (!o->is_register || !o->read || (int)o->reg == assembly->stack ||
		    kind_of(assembly, o->reg) != kind)
			continue;
		if (o->written)
			return (int)o->reg;
		if (found < 0 && !tp_registers_have(&effect->hidden, o->reg))
			found = (int)o->reg;
	}
	bool carries = !effect->loads || effect->follows;
	if (found < 0 && carries && effect->base >= 0 && effect->base != assembly->stack &&
	    kind_of(assembly, (unsigned)effect->base) == kind)
		return effect->base;
	return found;
}

void tp_asm_chained(const struct tp_assembly *assembly, const struct tp_asm_body *body,
		    const struct tp_asm_effect *effects, struct tp_str *out)
{
	int link[TP_ASM_REGISTERS]; /* by kind: the register that carries the chain */
	for (size_t i = 0; i < TP_ASM_REGISTERS; i++)
		link[i] = -1;
	/* A pointer stays where it is; else the first result carries. */
	for (size_t i = 0; i < body->n; i++) {
		int base = effects[i].base;
		int kind = base >= 0 ? kind_of(assembly, (unsigned)base) : -1;
		if (kind >= 0 && link[kind] < 0 && result(assembly, &effects[i]) &&
		    source(assembly, &effects[i], kind) == base)
			link[kind] = base;
	}
	for (size_t i = 0; i < body->n; i++) {
		const struct tp_asm_operand *o = result(assembly, &effects[i]);
		int kind = o ? kind_of(assembly, o->reg) : -1;
		if (kind >= 0 && link[kind] < 0)
			link[kind] = (int)o->reg;
	}
	for (size_t i = 0; i < body->n; i++) {
		const struct tp_asm_operand *before =
			result(assembly, &effects[(i + body->n - 1) % body->n]);
		const struct tp_asm_operand *o = result(assembly, &effects[i]);
		struct tp_register_map map;
		tp_register_map_none(&map);
		int kind = before ? kind_of(assembly, before->reg) : -1;
		int from = kind >= 0 ? source(assembly, &effects[i], kind) : -1;
		if (from >= 0)
			map.to[from] = link[kind];
		if (o && kind_of(assembly, o->reg) >= 0)
			map.to[o->reg] = link[kind_of(assembly, o->reg)];
		tp_asm_rename(assembly, body->lines[i], &map, out);
		tp_str_add(out, "\n");
	}
}
