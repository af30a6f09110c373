/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the text of instructions and as their code: must not crash; lines are short and of
 * harmless characters; what is encoded is one instruction that can be read; renaming nothing
 * changes nothing; what is read says of general registers alone that they address memory.
 */
#include <stdlib.h>
#include <string.h>

#include "experiments/asm/body.h"
#include "kernels/arch.h"
#include "tests/fuzz/promise.h"

static void try_line(const struct tp_assembly *assembly, const struct tp_asm_body *body, size_t i)
{
	const char *line = body->lines[i];
	struct tp_register_map map;
	struct tp_str again = { 0 };
	unsigned char code[16];
	size_t bytes;
	must(line[0] && strlen(line) < TP_ASM_LINE_BYTES, "a line is not empty, and short");
	must(!strpbrk(line, ";\n\"'\\@`|&<>="), "without what files are written with");
	tp_register_map_none(&map);
	tp_asm_rename(assembly, line, &map, &again);
	must(strcmp(tp_str_text(&again), line) == 0, "nothing to rename");
	tp_str_release(&again);
	if (!assembly->encode || assembly->encode(line, body->syntax, code, &bytes) != TP_OK)
		return;
	struct tp_asm_effect effect;
	must(bytes && bytes < sizeof(code), "an instruction of some length");
	must(assembly->look(code, bytes, &effect) == TP_OK && effect.bytes == bytes,
	     "that can be read again");
	must(!effect.jumps && !effect.loads && !effect.stores, "and is plain");
}

static void try_code(const struct tp_assembly *assembly, const char *line, const uint8_t *data,
		     size_t size)
{
	struct tp_asm_effect effect;
	struct tp_asm_addresses addresses;
	struct tp_str parted = { 0 };
	if (!assembly->look || assembly->look(data, size, &effect) != TP_OK)
		return;
	must(effect.bytes && effect.bytes <= size, "an instruction ends with its bytes");
	must(effect.base < TP_ASM_REGISTERS && effect.index < TP_ASM_REGISTERS, "registers");
	for (unsigned r = TP_ASM_GENERAL; r < TP_ASM_REGISTERS; r++)
		must(!tp_registers_have(&effect.bases, r) && !tp_registers_have(&effect.indexes, r),
		     "general registers address memory");
	tp_asm_find_addresses(&effect, 1, &addresses);
	tp_asm_part(assembly, line, &effect, &parted);
	tp_str_release(&parted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const syntaxes[] = { "auto", "att", "intel" };
	const struct tp_assembly *assembly = tp_arch_host() ? tp_arch_host()->assembly : NULL;
	struct tp_arena arena = { 0 };
	struct tp_asm_body body;
	struct tp_diag diag = { 0 };
	char title[48], *text = calloc(size + 1, 1);
	if (!assembly || !text || !size) {
		free(text);
		return 0;
	}
	memcpy(text, data, size);
	if (tp_asm_split(assembly, text, syntaxes[data[0] % 3], &arena, &body, &diag) == TP_OK) {
		must(body.n && body.n <= TP_ASM_LINES_MAX, "some instructions");
		for (size_t i = 0; i < body.n; i++)
			try_line(assembly, &body, i);
		for (size_t at = 0; at < size && at < TP_ASM_LINES_MAX; at++)
			try_code(assembly, body.lines[0], data + at, size - at);
		tp_asm_title(assembly, &body, "", title, sizeof(title));
		must(memchr(title, '\0', sizeof(title)) != NULL, "a title that ends");
	} else {
		must(diag.what[0], "a failure has words");
	}
	tp_arena_release(&arena);
	free(text);
	return 0;
}
