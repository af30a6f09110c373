/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop around users' instructions, where instructions are words of 32 bits. */
#include "kernels/assembly.h"

#include <string.h>

static unsigned char *put(unsigned char *at, const void *bytes, size_t n)
{
	memcpy(at, bytes, n);
	return at + n;
}

enum tp_status tp_asm_emit_words(const struct tp_assembly *assembly,
				 const struct tp_cpu *cpu __attribute__((unused)),
				 const unsigned char *body, size_t bytes, size_t copies,
				 struct tp_code *code, struct tp_diag *diag)
{
	const struct tp_asm_words *words = assembly->words;
	const size_t enter = words->n_enter * sizeof(uint32_t),
		     end = words->n_end * sizeof(uint32_t),
		     leave = words->n_leave * sizeof(uint32_t),
		     all = enter + bytes * copies + end + sizeof(uint32_t) + leave;
	if (all > words->most_bytes)
		return tp_fail(diag, TP_USAGE, "assembly", "a smaller asm.unroll",
			       "the loop would be longer than a jump of this architecture");
	enum tp_status status = tp_code_init(code, all, diag);
	if (status != TP_OK)
		return status;
	unsigned char *at = put(code->map, words->enter, enter);
	code->loop_begin = enter;
	for (size_t i = 0; i < copies; i++)
		at = put(at, body, bytes);
	code->loop_end = enter + bytes * copies;
	at = put(at, words->end, end);
	const uint32_t jump = words->jump(-(int64_t)(bytes * copies + end));
	at = put(at, &jump, sizeof(jump));
	put(at, words->leave, leave);
	status = tp_code_seal(code, all, diag);
	if (status != TP_OK)
		tp_code_release(code);
	return status;
}

void tp_asm_alike_itself(const struct tp_register_name *name, struct tp_register_set *out)
{
	*out = (struct tp_register_set){ { 0 } };
	tp_registers_add(out, name->reg);
}

enum tp_status tp_asm_look_not(const unsigned char *code __attribute__((unused)),
			       size_t bytes __attribute__((unused)), struct tp_asm_effect *out)
{
	*out = (struct tp_asm_effect){ .base = -1 };
	return TP_UNSUPPORTED;
}

const char *const tp_asm_no_directives[TP_ASM_SYNTAXES] = { "", "" };

bool tp_asm_find_numbered(const struct tp_asm_kind *kinds, size_t n, const char *name, size_t len,
			  struct tp_register_name *out)
{
	for (size_t i = 0; i < n; i++) {
		size_t prefix = strlen(kinds[i].prefix), number = 0;
		if (len <= prefix || len > prefix + 2 ||
		    strncmp(name, kinds[i].prefix, prefix) != 0)
			continue;
		bool digits = true;
		for (size_t k = prefix; k < len; k++) {
			digits &= name[k] >= '0' && name[k] <= '9';
			number = number * 10 + (size_t)(name[k] - '0');
		}
		if (!digits || number >= kinds[i].n || (name[prefix] == '0' && len > prefix + 1))
			continue;
		*out = (struct tp_register_name){ kinds[i].first + (unsigned)number, (unsigned)i };
		return true;
	}
	return false;
}

bool tp_asm_name_numbered(const struct tp_asm_kind *kinds, size_t n,
			  const struct tp_register_name *name, char out[TP_ASM_NAME_BYTES])
{
	if (name->form >= n || name->reg < kinds[name->form].first ||
	    name->reg - kinds[name->form].first >= kinds[name->form].n)
		return false;
	unsigned number = name->reg - kinds[name->form].first;
	size_t at = strlen(kinds[name->form].prefix);
	memcpy(out, kinds[name->form].prefix, at);
	if (number >= 10)
		out[at++] = (char)('0' + number / 10);
	out[at++] = (char)('0' + number % 10);
	out[at] = '\0';
	return true;
}
