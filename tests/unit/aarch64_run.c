/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/aarch64_run.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SP = 31, ZERO = 32, REGISTERS, INSTRUCTION_BYTES = 4, PREDICATES = 16, VECTORS = 32 };
enum { FIRST_KEPT_VECTOR = 8, LAST_KEPT_VECTOR = 15, FIRST_KEPT = 18 };
#define UNSET UINT64_C(0xdead000000000000)
#define STACK UINT64_C(0x7000)

enum action {
	MOVE,
	KEEP,
	ADD,
	SUBTRACT,
	SUBTRACT_FLAGS,
	AND,
	MULTIPLY,
	SHIFT,
	LOAD,
	LOAD_BYTE,
	LOAD_PAIR,
	LOAD_LANES,
	STORE,
	STORE_PAIR,
	STORE_LANES,
	LANES_BELOW,
	ALL_LANES,
	JUMP,
	IF_EQUAL,
	IF_NOT_EQUAL,
	IF_ZERO,
	IF_NOT_ZERO,
	IF_BIT,
	FP,
	FP_FUSED,
	STREAM,
	STREAM_NO_MORE,
	NOTHING,
	RETURN
};

static const struct {
	const char *name;
	enum action action;
	bool nontemporal;
} mnemonics[] = {
	{ "mov", MOVE, false },
	{ "movk", KEEP, false },
	{ "add", ADD, false },
	{ "sub", SUBTRACT, false },
	{ "subs", SUBTRACT_FLAGS, false },
	{ "and", AND, false },
	{ "mul", MULTIPLY, false },
	{ "lsl", SHIFT, false },
	{ "ldr", LOAD, false },
	{ "ldrb", LOAD_BYTE, false },
	{ "ldp", LOAD_PAIR, false },
	{ "ld1b", LOAD_LANES, false },
	{ "str", STORE, false },
	{ "stp", STORE_PAIR, false },
	{ "stnp", STORE_PAIR, true },
	{ "st1b", STORE_LANES, false },
	{ "stnt1b", STORE_LANES, true },
	{ "stnt1d", STORE_LANES, true },
	{ "stnt1w", STORE_LANES, true },
	{ "whilelo", LANES_BELOW, false },
	{ "ptrue", ALL_LANES, false },
	{ "b", JUMP, false },
	{ "b.eq", IF_EQUAL, false },
	{ "b.ne", IF_NOT_EQUAL, false },
	{ "cbz", IF_ZERO, false },
	{ "cbnz", IF_NOT_ZERO, false },
	{ "tbnz", IF_BIT, false },
	{ "fadd", FP, false },
	{ "fmul", FP, false },
	{ "fdiv", FP, false },
	{ "fmadd", FP_FUSED, false },
	{ "fmla", FP_FUSED, false },
	{ "fmls", FP_FUSED, false },
	{ "fmad", FP_FUSED, false },
	{ "smstart", STREAM, false },
	{ "smstop", STREAM_NO_MORE, false },
	{ "movi", NOTHING, false },
	{ "dsb", NOTHING, false },
	{ "isb", NOTHING, false },
	{ "nop", NOTHING, false },
	{ "ret", RETURN, false },
};

/* --- reading --- */

static struct a64_operand operand_of(const char *word)
{
	struct a64_operand o = { .kind = '#' };
	char *end;
	if (strcmp(word, "sp") == 0)
		return (struct a64_operand){ .kind = 'x', .value = SP };
	if (strcmp(word, "xzr") == 0 || strcmp(word, "wzr") == 0)
		return (struct a64_operand){ .kind = 'x', .value = ZERO };
	if (*word == '#') {
		o.value = (int64_t)strtoll(word + 1, &end, 0);
		if (word[1] != '-')
			o.value = (int64_t)strtoull(word + 1, &end, 0);
	} else if (*word >= '0' && *word <= '9') {
		o.value = (int64_t)strtoull(word, &end, 0);
	} else {
		o.kind = *word == 'w' ? 'x' : *word;
		o.value = (int64_t)strtoull(word + 1, &end, 10);
		if (*end == '.' || *end == '/')
			tp_copy(o.arrangement, sizeof(o.arrangement), end + 1);
	}
	return o;
}

static void read_operands(struct a64_line *line, char *text)
{
	char *rest = text;
	bool shifts = false;
	for (char *word; (word = strsep(&rest, " ,[]{}"));) {
		if (!*word || strcmp(word, "vl") == 0)
			continue;
		if (strcmp(word, "mul") == 0) {
			line->vector_lengths = true;
		} else if (strcmp(word, "lsl") == 0) {
			shifts = true;
		} else if (shifts) {
			line->shift = (unsigned)operand_of(word).value;
		} else if (line->n < TP_COUNT_OF(line->operand)) {
			line->operand[line->n++] = operand_of(word);
		}
	}
}

/* "   4:<blank>d65f03c0<blank>ret" with blanks of any kind. */
static bool read_line(struct a64_line *line, const char *from, size_t length)
{
	char text[256], mnemonic[16], rest[128] = "", squeezed[160];
	unsigned long long at;
	unsigned word;
	if (length >= sizeof(text))
		return false;
	memcpy(text, from, length);
	text[length] = '\0';
	char *comment = strstr(text, "//");
	if (comment)
		*comment = '\0';
	if (sscanf(text, "%llx: %8x %15s %127[^\n]", &at, &word, mnemonic, rest) < 3)
		return false;
	for (size_t n = strlen(rest); n && (rest[n - 1] == ' ' || rest[n - 1] == '\t'); n--)
		rest[n - 1] = '\0';
	*line = (struct a64_line){ .action = -1 };
	snprintf(squeezed, sizeof(squeezed), "%s%s%s", mnemonic, *rest ? " " : "", rest);
	if (!tp_copy(line->text, sizeof(line->text), squeezed))
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(mnemonics); i++)
		if (strcmp(mnemonics[i].name, mnemonic) == 0)
			line->action = (int)i;
	read_operands(line, rest);
	return true;
}

bool a64_read(struct a64_program *program, const char *listing)
{
	size_t lines = 1;
	for (const char *at = listing; *at; at++)
		lines += *at == '\n';
	*program = (struct a64_program){ .line = calloc(lines, sizeof(*program->line)) };
	if (!program->line)
		return false;
	/*
	 * memchr with a known end: strcspn would look for the end again in each of some 100,000
	 * lines.
	 */
	const char *end = listing + strlen(listing);
	for (const char *at = listing; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		if (read_line(&program->line[program->n], at, (size_t)(stop - at)))
			program->n++;
		at = newline ? newline + 1 : end;
	}
	return true;
}

void a64_release(struct a64_program *program)
{
	free(program->line);
	*program = (struct a64_program){ 0 };
}

/* --- running --- */

struct state {
	struct a64_machine *m;
	const struct a64_line *line;
	uint64_t x[REGISTERS];
	unsigned lanes[PREDICATES]; /* number of active bytes, from the first on */
	uint8_t stack[A64_STACK_BYTES];
	/* Vector registers that were written, and their places on the stack. */
	bool written[VECTORS];
	uint64_t kept_at[VECTORS];
	bool zero;
	bool streaming;
	size_t next;
};

static void __attribute__((format(printf, 2, 3))) stop(struct state *s, const char *fmt, ...)
{
	va_list arguments;
	char what[80];
	if (s->m->error[0])
		return;
	va_start(arguments, fmt);
	vsnprintf(what, sizeof(what), fmt, arguments);
	va_end(arguments);
	snprintf(s->m->error, sizeof(s->m->error), "%s: %s", s->line->text, what);
}

static uint64_t value(const struct state *s, unsigned index)
{
	const struct a64_operand *o = &s->line->operand[index];
	if (o->kind == '#')
		return (uint64_t)o->value << s->line->shift;
	return o->value == ZERO ? 0 : s->x[o->value];
}

static void set(struct state *s, uint64_t v)
{
	const struct a64_operand *o = &s->line->operand[0];
	if (o->kind != 'x')
		stop(s, "the result is not an integer register");
	else if (o->value != ZERO)
		s->x[o->value] = v;
}

/* base + offset, which is an immediate or a register */
static uint64_t address(struct state *s, unsigned base)
{
	uint64_t offset = base + 1 < s->line->n ? value(s, base + 1) : 0;
	if (s->line->vector_lengths)
		offset *= s->m->vector_bytes;
	return value(s, base) + offset;
}

static unsigned register_bytes(struct state *s, unsigned index)
{
	switch (s->line->operand[index].kind) {
	case 'x':
	case 'd':
		return 8;
	case 's':
		return 4;
	case 'q':
		return 16;
	case 'z':
		return s->m->vector_bytes;
	default:
		stop(s, "operand %u has no width", index);
		return 0;
	}
}

/* Host address of the bytes. Counts them if they are data. */
static uint8_t *touch(struct state *s, uint64_t at, unsigned bytes, bool store)
{
	struct a64_machine *m = s->m;
	if (at - STACK < A64_STACK_BYTES && bytes <= A64_STACK_BYTES - (at - STACK))
		return s->stack + (at - STACK);
	if (at < A64_DATA || at - A64_DATA > m->data_bytes ||
	    bytes > m->data_bytes - (at - A64_DATA)) {
		stop(s, "%u bytes at data %+lld", bytes, (long long)(at - A64_DATA));
		return NULL;
	}
	uint32_t *map = store ? m->stored : m->loaded;
	for (unsigned i = 0; map && i < bytes; i++)
		map[at - A64_DATA + i]++;
	*(store ? &m->counts.stores : &m->counts.loads) += 1;
	*(store ? &m->counts.stored_bytes : &m->counts.loaded_bytes) += bytes;
	return m->data + (at - A64_DATA);
}

static void load(struct state *s, unsigned bytes, unsigned base)
{
	uint64_t v = 0;
	const uint8_t *from = touch(s, address(s, base), bytes, false);
	if (!from || s->line->operand[0].kind != 'x')
		return;
	memcpy(&v, from, bytes);
	set(s, v);
}

static void store(struct state *s, unsigned bytes, unsigned base, bool nontemporal)
{
	uint64_t v = value(s, 0);
	uint8_t *to = touch(s, address(s, base), bytes, true);
	s->m->counts.nontemporal += nontemporal;
	if (to && s->line->operand[0].kind == 'x')
		memcpy(to, &v, bytes);
}

/* Two registers: stored past the caches, or kept on the stack for the caller. */
static void pair(struct state *s, bool stores, bool nontemporal)
{
	const struct a64_operand *o = s->line->operand;
	uint64_t at = address(s, 2);
	if (o[1].kind != o[0].kind || o[1].value != o[0].value + 1)
		stop(s, "not a pair");
	if (nontemporal) {
		store(s, 2 * register_bytes(s, 0), 2, true);
		return;
	}
	uint8_t *memory = at - STACK <= A64_STACK_BYTES - 16 ? touch(s, at, 16, stores) : NULL;
	if (!memory) {
		stop(s, "a pair that is not on the stack");
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		int64_t reg = o[i].value;
		if (o[i].kind == 'x' && stores)
			memcpy(memory + 8 * i, &s->x[reg], 8);
		else if (o[i].kind == 'x')
			memcpy(&s->x[reg], memory + 8 * i, 8);
		else if (stores && !s->written[reg])
			s->kept_at[reg] = at + 8 * i;
		else if (!stores && s->kept_at[reg] == at + 8 * i)
			s->written[reg] = false;
	}
}

static void branch(struct state *s, bool taken)
{
	s->m->counts.conditionals++;
	s->m->counts.taken += taken;
	if (taken)
		s->next = (size_t)s->line->operand[s->line->n - 1].value / INSTRUCTION_BYTES;
}

static void arithmetic(struct state *s, bool fused)
{
	const struct a64_operand *o = &s->line->operand[0];
	const char *a = o->arrangement;
	unsigned element = o->kind == 'd' || strchr(a, 'd') ? 8 : 4;
	unsigned bytes = o->kind == 'z' ? s->m->vector_bytes : o->kind == 'v' ? 16 : element;
	if (o->kind == 'v' && (unsigned)(*a - '0') * element != bytes)
		stop(s, "not the whole register");
	if (o->kind == 'z' && !s->m->vector_bytes)
		stop(s, "there is no SVE");
	for (unsigned i = 1; i < s->line->n; i++)
		if (s->line->operand[i].kind == 'p' &&
		    s->lanes[s->line->operand[i].value] != s->m->vector_bytes)
			stop(s, "not all lanes are on");
	s->m->counts.fp++;
	s->m->counts.flops += bytes / element * (fused ? 2 : 1);
}

/* Registers of vectors and predicates have other contents at the beginning and at the end. */
static void switch_mode(struct state *s, bool streaming)
{
	if (s->streaming == streaming)
		stop(s, "is so already");
	s->streaming = streaming;
	for (size_t i = 0; i < VECTORS; i++)
		s->written[i] = true;
	memset(s->lanes, 0, sizeof(s->lanes));
}

/* Streaming mode has no instructions on the vectors of Neon, and ends before the code does. */
static void hold_mode(struct state *s)
{
	const struct a64_line *l = s->line;
	enum action action = mnemonics[l->action].action;
	if (s->streaming && l->n && l->operand[0].kind == 'v')
		stop(s, "is none of streaming mode");
	if (s->m->streams && !s->streaming && l->n && l->operand[0].kind == 'z')
		stop(s, "is one of streaming mode");
	if (s->streaming && action == RETURN)
		stop(s, "comes in streaming mode");
}

/* False at the end. */
static bool execute(struct state *s)
{
	const struct a64_line *l = s->line;
	if (l->action < 0) {
		stop(s, "is not known");
		return false;
	}
	bool nontemporal = mnemonics[l->action].nontemporal;
	enum action action = mnemonics[l->action].action;
	hold_mode(s);
	switch (action) {
	case MOVE:
		if (l->operand[0].kind != 'z')
			set(s, value(s, 1));
		break;
	case KEEP:
		set(s, (value(s, 0) & ~(UINT64_C(0xffff) << l->shift)) | value(s, 1));
		break;
	case ADD:
		set(s, value(s, 1) + value(s, 2));
		break;
	case SUBTRACT:
	case SUBTRACT_FLAGS:
		if (action == SUBTRACT_FLAGS)
			s->zero = value(s, 1) == value(s, 2);
		set(s, value(s, 1) - value(s, 2));
		break;
	case AND:
		set(s, value(s, 1) & value(s, 2));
		break;
	case MULTIPLY:
		set(s, value(s, 1) * value(s, 2));
		break;
	case SHIFT:
		set(s, value(s, 1) << (value(s, 2) & 63));
		break;
	case LOAD:
		load(s, register_bytes(s, 0), 1);
		break;
	case LOAD_BYTE:
		load(s, 1, 1);
		break;
	case LOAD_PAIR:
	case STORE_PAIR:
		pair(s, action == STORE_PAIR, nontemporal);
		break;
	case LOAD_LANES:
		load(s, s->lanes[l->operand[1].value], 2);
		break;
	case STORE:
		store(s, register_bytes(s, 0), 1, false);
		break;
	case STORE_LANES:
		store(s, s->lanes[l->operand[1].value], 2, nontemporal);
		break;
	case LANES_BELOW:
		if (value(s, 1) != 0 || value(s, 2) >= s->m->vector_bytes)
			stop(s, "lanes from %llu to %llu", (unsigned long long)value(s, 1),
			     (unsigned long long)value(s, 2));
		s->lanes[l->operand[0].value] = (unsigned)value(s, 2);
		break;
	case ALL_LANES:
		s->lanes[l->operand[0].value] = s->m->vector_bytes;
		break;
	case JUMP:
		s->m->counts.jumps++;
		s->next = (size_t)l->operand[0].value / INSTRUCTION_BYTES;
		break;
	case IF_EQUAL:
		branch(s, s->zero);
		break;
	case IF_NOT_EQUAL:
		branch(s, !s->zero);
		break;
	case IF_ZERO:
		branch(s, value(s, 0) == 0);
		break;
	case IF_NOT_ZERO:
		branch(s, value(s, 0) != 0);
		break;
	case IF_BIT:
		branch(s, value(s, 0) >> value(s, 1) & 1);
		break;
	case FP:
	case FP_FUSED:
		arithmetic(s, action == FP_FUSED);
		break;
	case STREAM:
	case STREAM_NO_MORE:
		switch_mode(s, action == STREAM);
		break;
	case NOTHING:
		break;
	case RETURN:
		return false;
	}
	if (l->n && strchr("sdqvz", l->operand[0].kind) && action != STORE &&
	    action != STORE_LANES && action != STORE_PAIR && action != LOAD_PAIR)
		s->written[l->operand[0].value] = true;
	return true;
}

bool a64_call(struct a64_machine *m, size_t at, uint64_t passes)
{
	struct state s = { .m = m, .next = at / INSTRUCTION_BYTES };
	m->error[0] = '\0';
	for (size_t i = 2; i < SP; i++)
		s.x[i] = UNSET + i; /* code must not rely on these values */
	s.x[0] = A64_DATA;
	s.x[1] = passes;
	s.x[SP] = STACK + A64_STACK_BYTES;
	for (uint64_t n = 0; n < m->limit; n++) {
		if (s.next >= m->program->n) {
			snprintf(m->error, sizeof(m->error), "runs out of the code");
			return false;
		}
		s.line = &m->program->line[s.next++];
		m->counts.executed++;
		bool goes_on = execute(&s);
		if (m->error[0])
			return false;
		if (goes_on)
			continue;
		for (size_t i = FIRST_KEPT; i < SP; i++)
			if (s.x[i] != UNSET + i)
				snprintf(m->error, sizeof(m->error), "x%zu is not kept", i);
		for (size_t i = FIRST_KEPT_VECTOR; i <= LAST_KEPT_VECTOR; i++)
			if (s.written[i])
				snprintf(m->error, sizeof(m->error), "d%zu is not kept", i);
		if (s.x[SP] != STACK + A64_STACK_BYTES)
			snprintf(m->error, sizeof(m->error), "the stack is not as it was");
		return !m->error[0];
	}
	snprintf(m->error, sizeof(m->error), "does not end");
	return false;
}

bool a64_objdump(const void *code, size_t bytes, struct tp_str *listing)
{
	char path[96], command[200], buffer[4096];
	const char *tmp = getenv("TMPDIR");
	snprintf(path, sizeof(path), "%.60s/tp-a64-XXXXXX", tmp ? tmp : "/tmp");
	int file = mkstemp(path);
	if (file < 0)
		return false;
	bool ok = write(file, code, bytes) == (ssize_t)bytes;
	close(file);
	snprintf(command, sizeof(command),
		 "aarch64-linux-gnu-objdump -D -z -b binary -m aarch64 %s 2>/dev/null", path);
	FILE *pipe = ok ? popen(command, "r") : NULL;
	size_t n;
	while (pipe && (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0)
		tp_str_add_n(listing, buffer, n);
	ok = pipe && pclose(pipe) == 0;
	unlink(path);
	return ok;
}
