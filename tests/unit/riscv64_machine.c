/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/riscv64_machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

/* --- dictionary --- */

static int by_word(const void *a, const void *b)
{
	uint32_t x = ((const struct machine_meaning *)a)->word;
	uint32_t y = ((const struct machine_meaning *)b)->word;
	return x < y ? -1 : x > y;
}

static void sort_out(struct machine_dictionary *d)
{
	size_t n = 0;
	if (d->n == 0)
		return;
	qsort(d->meanings, d->n, sizeof(*d->meanings), by_word);
	for (size_t i = 0; i < d->n; i++)
		if (i == 0 || d->meanings[i].word != d->meanings[n - 1].word)
			d->meanings[n++] = d->meanings[i];
	d->n = n;
}

void machine_learn(struct machine_dictionary *d, const struct tp_code *code)
{
	size_t words = code->bytes / sizeof(uint32_t);
	if (d->n + words > d->capacity) {
		sort_out(d);
		d->capacity = 2 * (d->n + words);
		d->meanings = realloc(d->meanings, d->capacity * sizeof(*d->meanings));
		if (!d->meanings)
			abort();
	}
	for (size_t i = 0; i < words; i++)
		memcpy(&d->meanings[d->n++].word, (const char *)code->map + i * sizeof(uint32_t),
		       sizeof(uint32_t));
}

const struct machine_meaning *machine_find(const struct machine_dictionary *d, uint32_t word)
{
	const struct machine_meaning key = { .word = word };
	return bsearch(&key, d->meanings, d->n, sizeof(key), by_word);
}

void machine_forget(struct machine_dictionary *d)
{
	free(d->meanings);
	*d = (struct machine_dictionary){ 0 };
}

/*
 * " 4: 00d077d7 vsetvli a5,zero,e16,mf8,tu,mu" and "... bne a1,zero,80 <.text+0x80>"
 */
static bool take_line(struct machine_dictionary *d, const char *line)
{
	unsigned long at, word;
	char mnemonic[24], operands[64] = "";
	int n = sscanf(line, " %lx: %lx %23s %63[^<\n]", &at, &word, mnemonic, operands);
	if (n < 3 || strchr(line, ':') == NULL)
		return false;
	size_t index = at / sizeof(uint32_t);
	if (at % sizeof(uint32_t) || index >= d->n || d->meanings[index].word != word)
		return false;
	struct machine_meaning *m = &d->meanings[index];
	operands[strcspn(operands, " #")] = '\0';
	if (mnemonic[0] == 'b' || strcmp(mnemonic, "jal") == 0) {
		char *comma = strrchr(operands, ',');
		long target = (long)strtoull(comma ? comma + 1 : operands, NULL, 16);
		if (comma)
			snprintf(comma + 1, sizeof(operands) - (size_t)(comma + 1 - operands),
				 "%ld", target - (long)at);
	}
	int written = snprintf(m->text, sizeof(m->text), "%s%s%s", mnemonic, *operands ? " " : "",
			       operands);
	return written > 0 && (size_t)written < sizeof(m->text);
}

bool machine_ask(struct machine_dictionary *d)
{
	char folder[] = "/tmp/tprof-riscv64-XXXXXX", command[512], line[256];
	bool written = false;
	sort_out(d);
	if (!mkdtemp(folder))
		return false;
	snprintf(command, sizeof(command), "%s/words.s", folder);
	FILE *file = fopen(command, "w");
	if (file) {
		for (size_t i = 0; i < d->n; i++)
			fprintf(file, "\t.4byte 0x%08" PRIx32 "\n", d->meanings[i].word);
		written = fclose(file) == 0;
	}
	snprintf(command, sizeof(command),
		 "riscv64-linux-gnu-as -march=rv64gcv -o %s/words.o %s/words.s 2>/dev/null && "
		 "riscv64-linux-gnu-objdump -D -z -j .text -M no-aliases %s/words.o 2>/dev/null; "
		 "rm -rf %s",
		 folder, folder, folder, folder);
	FILE *pipe = written ? popen(command, "r") : NULL;
	size_t taken = 0;
	while (pipe && fgets(line, sizeof(line), pipe))
		taken += take_line(d, line);
	if (pipe)
		pclose(pipe);
	d->known = taken == d->n && d->n > 0;
	return taken > 0;
}

/* --- the core --- */

enum effect {
	PLUS,
	TIMES,
	BITWISE_AND,
	PLUS_WORD,
	SHIFT_LEFT,
	SHIFT_RIGHT,
	UPPER,
	UPPER_PC,
	LOAD_BYTE,
	LOAD,
	STORE,
	IF_EQUAL,
	IF_UNEQUAL,
	JUMP,
	JUMP_REGISTER,
	NOTHING,
	FP_LOAD,
	FP_STORE,
	FP_MOVE,
	FP,
	SET_LENGTH,
	VECTOR_LOAD,
	VECTOR_STORE,
	VECTOR_MOVE,
	VECTOR_FP
};

/*
 * Operands: x, f, v registers; i immediate; m offset(x); p (x). `amount`: bytes of an access,
 * operations on an element.
 */
static const struct {
	const char *name, *operands;
	enum effect effect;
	unsigned amount;
} known[] = {
	{ "add", "xxx", PLUS, 0 },
	{ "addi", "xxi", PLUS, 0 },
	{ "addiw", "xxi", PLUS_WORD, 0 },
	{ "mul", "xxx", TIMES, 0 },
	{ "and", "xxx", BITWISE_AND, 0 },
	{ "andi", "xxi", BITWISE_AND, 0 },
	{ "slli", "xxi", SHIFT_LEFT, 0 },
	{ "srli", "xxi", SHIFT_RIGHT, 0 },
	{ "lui", "xi", UPPER, 0 },
	{ "auipc", "xi", UPPER_PC, 0 },
	{ "lbu", "xm", LOAD_BYTE, 1 },
	{ "ld", "xm", LOAD, 8 },
	{ "sd", "xm", STORE, 8 },
	{ "beq", "xxi", IF_EQUAL, 0 },
	{ "bne", "xxi", IF_UNEQUAL, 0 },
	{ "jal", "xi", JUMP, 0 },
	{ "jalr", "xm", JUMP_REGISTER, 0 },
	{ "fence.i", "", NOTHING, 0 },
	{ "flw", "fm", FP_LOAD, 4 },
	{ "fld", "fm", FP_LOAD, 8 },
	{ "fsw", "fm", FP_STORE, 4 },
	{ "fsd", "fm", FP_STORE, 8 },
	{ "fmv.w.x", "fx", FP_MOVE, 0 },
	{ "fmv.d.x", "fx", FP_MOVE, 0 },
	{ "fadd.s", "fff", FP, 1 },
	{ "fadd.d", "fff", FP, 1 },
	{ "fmul.s", "fff", FP, 1 },
	{ "fmul.d", "fff", FP, 1 },
	{ "fdiv.s", "fff", FP, 1 },
	{ "fdiv.d", "fff", FP, 1 },
	{ "fmadd.s", "ffff", FP, 2 },
	{ "fmadd.d", "ffff", FP, 2 },
	{ "vsetvli", "xx", SET_LENGTH, 0 },
	{ "vle32.v", "vp", VECTOR_LOAD, 4 },
	{ "vle64.v", "vp", VECTOR_LOAD, 8 },
	{ "vse32.v", "vp", VECTOR_STORE, 4 },
	{ "vse64.v", "vp", VECTOR_STORE, 8 },
	{ "vmv.v.i", "vi", VECTOR_MOVE, 0 },
	{ "vfadd.vv", "vvv", VECTOR_FP, 1 },
	{ "vfmul.vv", "vvv", VECTOR_FP, 1 },
	{ "vfdiv.vv", "vvv", VECTOR_FP, 1 },
	{ "vfmacc.vv", "vvv", VECTOR_FP, 2 },
	{ "vfmadd.vv", "vvv", VECTOR_FP, 2 },
};

struct decoded {
	uint32_t word;
	enum effect effect;
	unsigned amount, n;
	int64_t operand[4]; /* registers and immediates in the order of the text; of m the base is
			       next */
	bool immediate; /* the last operand is one */
};

struct core {
	const struct machine *m;
	const struct tp_code *code;
	struct decoded *program;
	struct machine_counts *counts;
	char *why;
	int64_t x[32];
	unsigned char stack[256];
	size_t pc; /* bytes */
	size_t inside_from, inside_to; /* the passes */
	unsigned element_bits, lmul, length;
};

enum { STACK_AT = 0x20000000, RETURN_TO = 0x7ff0000 };

static bool fail_at(const struct core *c, const char *what)
{
	const struct machine_meaning *meaning =
		machine_find(c->m->dictionary, c->program[c->pc / 4].word);
	snprintf(c->why, MACHINE_WHY_BYTES, "%s at %zx: %s", what, c->pc,
		 meaning ? meaning->text : "?");
	return false;
}

static int64_t integer_register(const char *name)
{
	static const char *const names[32] = { "zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
					       "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
					       "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
					       "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6" };
	for (int i = 0; i < 32; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -1;
}

static bool fp_is_free(const char *name)
{
	return strncmp(name, "ft", 2) == 0 || strncmp(name, "fa", 2) == 0;
}

static bool decode_operand(struct decoded *d, char kind, char *text)
{
	char *bracket = strchr(text, '(');
	switch (kind) {
	case 'x':
		return (d->operand[d->n++] = integer_register(text)) >= 0;
	case 'f': /* any address that is not the caller's will do */
		d->operand[d->n++] = 0;
		return fp_is_free(text);
	case 'v':
		d->operand[d->n++] = strtol(text + 1, NULL, 10);
		return text[0] == 'v';
	case 'i':
		d->immediate = true;
		d->operand[d->n++] = strtoll(text, NULL, 0);
		return true;
	default: /* m and p */
		if (!bracket || (kind == 'p') != (bracket == text))
			return false;
		bracket[strlen(bracket) - 1] = '\0';
		d->operand[d->n++] = kind == 'm' ? strtoll(text, NULL, 0) : 0;
		return (d->operand[d->n++] = integer_register(bracket + 1)) >= 0;
	}
}

static bool decode(const struct machine *m, uint32_t word, struct decoded *d)
{
	const struct machine_meaning *meaning = machine_find(m->dictionary, word);
	char text[sizeof(meaning->text)];
	if (!meaning)
		return false;
	memcpy(text, meaning->text, sizeof(text));
	char *rest = text, *name = strsep(&rest, " ");
	*d = (struct decoded){ .word = word };
	for (size_t i = 0; i < TP_COUNT_OF(known); i++) {
		if (strcmp(known[i].name, name) != 0)
			continue;
		d->effect = known[i].effect;
		d->amount = known[i].amount;
		for (const char *kind = known[i].operands; *kind; kind++) {
			char *operand = strsep(&rest, ",");
			if (!operand || !decode_operand(d, *kind, operand))
				return false;
		}
		return d->effect == SET_LENGTH || !rest;
	}
	return false;
}

static unsigned char *memory(struct core *c, int64_t address, size_t bytes)
{
	const struct machine *m = c->m;
	if (address >= MACHINE_DATA_AT &&
	    address + (int64_t)bytes <= MACHINE_DATA_AT + (int64_t)m->data_bytes)
		return m->data + (address - MACHINE_DATA_AT);
	if (address >= STACK_AT && address + (int64_t)bytes <= STACK_AT + (int64_t)sizeof(c->stack))
		return c->stack + (address - STACK_AT);
	return NULL;
}

static bool is_inside(const struct core *c)
{
	return c->pc >= c->inside_from && c->pc <= c->inside_to;
}

/* An access of FP or vector registers. */
static bool access_data(struct core *c, int64_t address, size_t bytes, bool store)
{
	if (!memory(c, address, bytes))
		return fail_at(c, "access outside the data");
	if (!is_inside(c))
		return true;
	++*(store ? &c->counts->stores : &c->counts->loads);
	*(store ? &c->counts->stored_bytes : &c->counts->loaded_bytes) += bytes;
	for (size_t i = 0; i < bytes && c->m->touched; i++)
		c->m->touched[(size_t)(address - MACHINE_DATA_AT) + i]++;
	return true;
}

static bool access_integer(struct core *c, const struct decoded *d)
{
	int64_t address = c->x[d->operand[2]] + d->operand[1];
	unsigned char *at = memory(c, address, d->amount);
	if (!at)
		return fail_at(c, "access outside the data");
	if (is_inside(c))
		++*(d->effect == STORE ? &c->counts->integer_stores : &c->counts->integer_loads);
	if (d->effect == STORE)
		memcpy(at, &c->x[d->operand[0]], d->amount);
	else
		memcpy(&c->x[d->operand[0]], at, d->amount);
	if (d->effect == LOAD_BYTE)
		c->x[d->operand[0]] &= 0xff;
	return true;
}

static bool set_length(struct core *c, const struct decoded *d)
{
	/* The text is that of version 1.0; the fields of the older version lie elsewhere. */
	unsigned type = d->word >> 20 & 0x7ff, width = c->m->old ? type >> 2 : type >> 3;
	c->lmul = 1u << (type & 3);
	c->element_bits = 8u << (width & 7);
	if (c->m->old ? type & ~0xfu : (type & 0xc4) != 0xc0)
		return fail_at(c, "vector type");
	unsigned longest = c->m->vector_bytes * 8 / c->element_bits * c->lmul;
	uint64_t wanted = (uint64_t)c->x[d->operand[1]];
	if (d->operand[1] == 0) {
		if (d->operand[0] == 0)
			return fail_at(c, "length that stays as it is");
		c->length = longest;
	} else {
		c->length = wanted < longest ? (unsigned)wanted : longest;
	}
	c->x[d->operand[0]] = c->length;
	return true;
}

static bool vector(struct core *c, const struct decoded *d)
{
	bool access = d->effect == VECTOR_LOAD || d->effect == VECTOR_STORE;
	if (c->lmul == 0)
		return fail_at(c, "vectors without a length");
	for (unsigned i = 0; i < d->n; i++)
		if ((d->effect == VECTOR_FP || i == 0) &&
		    (d->operand[i] % c->lmul || d->operand[i] < 0 || d->operand[i] >= 32))
			return fail_at(c, "no group of registers");
	if (access && !c->m->old && d->amount * 8 != c->element_bits)
		return fail_at(c, "elements of another width");
	/* The text says 64 bits; the older version takes the width from its type. */
	if (access && c->m->old && d->amount != 8)
		return fail_at(c, "not an access of version 0.7");
	if (access)
		return access_data(c, c->x[d->operand[2]], c->length * c->element_bits / 8,
				   d->effect == VECTOR_STORE);
	if (d->effect == VECTOR_FP && is_inside(c)) {
		c->counts->fp++;
		c->counts->flops += (uint64_t)c->length * d->amount;
	}
	return true;
}

static void compute(struct core *c, const struct decoded *d)
{
	uint64_t a = (uint64_t)c->x[d->operand[1]];
	uint64_t b = d->immediate ? (uint64_t)d->operand[2] : (uint64_t)c->x[d->operand[2]];
	uint64_t result = 0;
	switch (d->effect) {
	case PLUS:
		result = a + b;
		break;
	case PLUS_WORD:
		result = (uint64_t)(int64_t)(int32_t)(uint32_t)(a + b);
		break;
	case TIMES:
		result = a * b;
		break;
	case BITWISE_AND:
		result = a & b;
		break;
	case SHIFT_LEFT:
		result = a << b;
		break;
	default:
		result = a >> b;
	}
	c->x[d->operand[0]] = (int64_t)result;
	if (is_inside(c))
		c->counts->integer++;
}

static void upper(struct core *c, const struct decoded *d)
{
	int64_t value = (int32_t)((uint32_t)d->operand[1] << 12);
	c->x[d->operand[0]] = value + (d->effect == UPPER_PC ? (int64_t)c->pc : 0);
}

static void branch(struct core *c, const struct decoded *d, size_t *next)
{
	bool equal = c->x[d->operand[0]] == c->x[d->operand[1]];
	bool taken = equal == (d->effect == IF_EQUAL);
	if (taken)
		*next = c->pc + (size_t)d->operand[2];
	if (!is_inside(c))
		return;
	c->counts->conditionals++;
	c->counts->taken += taken;
}

static bool step(struct core *c)
{
	const struct decoded *d = &c->program[c->pc / 4];
	size_t next = c->pc + 4;
	bool ok = true;
	if (is_inside(c))
		c->counts->instructions++;
	switch (d->effect) {
	case UPPER:
	case UPPER_PC:
		upper(c, d);
		break;
	case LOAD:
	case LOAD_BYTE:
	case STORE:
		ok = access_integer(c, d);
		break;
	case IF_EQUAL:
	case IF_UNEQUAL:
		branch(c, d, &next);
		break;
	case JUMP:
		next = c->pc + (size_t)d->operand[1];
		c->counts->jumps += is_inside(c);
		break;
	case JUMP_REGISTER:
		next = (size_t)(c->x[d->operand[2]] + d->operand[1]);
		break;
	case FP_LOAD:
	case FP_STORE:
		ok = access_data(c, c->x[d->operand[2]] + d->operand[1], d->amount,
				 d->effect == FP_STORE);
		break;
	case FP:
		c->counts->fp += is_inside(c);
		c->counts->flops += is_inside(c) ? d->amount : 0;
		break;
	case SET_LENGTH:
		ok = set_length(c, d);
		break;
	case VECTOR_LOAD:
	case VECTOR_STORE:
	case VECTOR_MOVE:
	case VECTOR_FP:
		ok = vector(c, d);
		break;
	case NOTHING:
	case FP_MOVE:
		break;
	default:
		compute(c, d);
	}
	c->x[0] = 0;
	c->pc = next;
	return ok;
}

/*
 * Decodes everything and finds the passes: the first target of a jump back, and the last such
 * jump.
 */
static bool decode_all(struct core *c)
{
	size_t n = c->code->bytes / 4;
	c->inside_from = SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		uint32_t word;
		memcpy(&word, (const char *)c->code->map + 4 * i, sizeof(word));
		c->pc = 4 * i;
		c->program[i].word = word;
		if (!decode(c->m, word, &c->program[i])) {
			c->program[i].word = word;
			return fail_at(c, "not understood");
		}
		const struct decoded *d = &c->program[i];
		bool jumps = d->effect == IF_EQUAL || d->effect == IF_UNEQUAL || d->effect == JUMP;
		int64_t distance = jumps ? d->operand[d->n - 1] : 0;
		if (jumps && distance < 0) {
			size_t target = c->pc + (size_t)distance;
			c->inside_from = target < c->inside_from ? target : c->inside_from;
			c->inside_to = c->pc;
		}
		/*
		 * A jump by register, unless it is the return, goes to the start of the passes.
		 */
		if (d->effect == JUMP_REGISTER && i + 1 < n)
			c->inside_from = c->code->loop_begin, c->inside_to = c->pc;
	}
	return true;
}

static bool run(struct core *c)
{
	int64_t before[32];
	memcpy(before, c->x, sizeof(before));
	uint64_t n = 0;
	for (c->pc = 0; c->pc != RETURN_TO; n++) {
		if (c->pc >= c->code->bytes || c->pc % 4) {
			snprintf(c->why, MACHINE_WHY_BYTES, "went astray to %zx", c->pc);
			return false;
		}
		if (n >= c->m->max_instructions) {
			snprintf(c->why, MACHINE_WHY_BYTES, "does not end");
			return false;
		}
		if (!step(c))
			return false;
	}
	for (int i = 0; i < 32; i++) {
		bool kept = i == 2 || i == 3 || i == 4 || i == 8 || i == 9 || (i >= 18 && i <= 27);
		if (kept && c->x[i] != before[i]) {
			snprintf(c->why, MACHINE_WHY_BYTES, "x%d is not what it was", i);
			return false;
		}
	}
	return true;
}

bool machine_run(const struct machine *m, const struct tp_code *code, uint64_t passes,
		 struct machine_counts *counts, char *why)
{
	struct core c = { .m = m, .code = code, .counts = counts, .why = why };
	*counts = (struct machine_counts){ 0 };
	c.program = calloc(code->bytes / 4 + 1, sizeof(*c.program));
	if (!c.program)
		abort();
	for (int i = 1; i < 32; i++)
		c.x[i] = 0x5500000000 + i;
	c.x[1] = RETURN_TO;
	c.x[2] = STACK_AT + (int64_t)sizeof(c.stack);
	c.x[10] = MACHINE_DATA_AT;
	c.x[11] = (int64_t)passes;
	bool ok = decode_all(&c) && run(&c);
	free(c.program);
	return ok;
}
