/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of the points of assembly: text becomes bytes, registers are changed such that instructions
 * wait for each other or do not, and what cannot run in a loop is found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compiler/compiler.h"
#include "experiments/asm/asm.h"
#include "experiments/asm/body.h"
#include "experiments/asm/row.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/compiled.h"

/* Built code stays until the bench is released. */
struct builds {
	struct tp_asm_built *first;
};

static void release_builds(void *own)
{
	struct builds *builds = own;
	while (builds->first) {
		struct tp_asm_built *next = builds->first->next;
		tp_str_release(&builds->first->text);
		free(builds->first->code);
		free(builds->first);
		builds->first = next;
	}
}

static const struct tp_bench_kind builds_kind = { .bytes = sizeof(struct builds),
						  .release = release_builds };

/* All points of a run that are to be built, and what they are built with. */
struct building {
	struct tp_bench *bench;
	const struct tp_assembly *assembly;
	const struct tp_config *config;
	struct tp_compiler assembler;
	enum tp_status found; /* of the assembler */
	struct tp_diag missing;
	const struct tp_planned *const *planned;
	size_t n;
};

static struct tp_asm_built *built_of(const struct building *b, size_t i)
{
	return tp_asm_plan(b->planned[i])->built;
}

static void fail_built(struct tp_asm_built *built, enum tp_status status,
		       const struct tp_diag *diag)
{
	built->status = status;
	built->diag = *diag;
}

/*
 * --- bytes: the given instructions become code, whose effects give copies or chains in other
 * registers; all points of a run are assembled together, before the first one is measured ---
 */

/* By tprof's own encoder. False: it cannot encode one of the instructions. */
static bool encode_text(const struct tp_assembly *assembly, enum tp_asm_syntax syntax,
			struct tp_asm_built *built)
{
	const char *text = tp_str_text(&built->text);
	unsigned char *code = assembly->encode ? tp_alloc(built->text.len + 1, 16) : NULL;
	size_t n = 0;
	while (code && *text) {
		char line[TP_ASM_LINE_BYTES];
		size_t len = strcspn(text, "\n"), bytes;
		if (len >= sizeof(line))
			break;
		memcpy(line, text, len);
		line[len] = '\0';
		if (assembly->encode(line, syntax, code + n, &bytes) != TP_OK)
			break;
		n += bytes;
		text += len + (text[len] == '\n');
	}
	if (!code || *text) {
		free(code);
		return false;
	}
	built->code = code;
	built->bytes = n;
	return true;
}

static enum tp_status write_source(void *context, struct tp_str *out, struct tp_diag *diag)
{
	(void)diag;
	tp_str_add(out, context);
	return TP_OK;
}

/* The object is there, or the reason why not. Lines count from the directive: they are left out.
 */
static void take_object(const struct tp_assembly *assembly, const struct tp_object *object,
			struct tp_asm_built *built)
{
	struct tp_diag diag;
	enum tp_status status = object->status;
	if (status == TP_OK)
		status = tp_object_code(object->path, assembly->elf_machine, &built->code,
					&built->bytes, &diag);
	else
		tp_fail(&diag, status, "asm", object->diag.hint, "%s", object->diag.what);
	if (status != TP_OK)
		fail_built(built, status, &diag);
}

/* Bytes of the texts of `wanted`, by an assembler. */
static enum tp_status assemble(struct building *b, struct tp_asm_built **wanted, size_t n,
			       enum tp_asm_syntax syntax, struct tp_diag *diag)
{
	TP_FREE struct tp_object *objects = tp_alloc(n + 1, sizeof(*objects));
	TP_FREE struct tp_str *sources = tp_alloc(n + 1, sizeof(*sources));
	for (size_t i = 0; i < n; i++) {
		tp_str_printf(&sources[i], "%s\n%s", b->assembly->directives[syntax],
			      tp_str_text(&wanted[i]->text));
		objects[i] = (struct tp_object){ .key = tp_str_text(&sources[i]),
						 .key_bytes = sources[i].len,
						 .source = write_source,
						 .context = sources[i].s };
	}
	const struct tp_compile_how how = { .watch = tp_compiled_watch,
					    .context = (void *)(uintptr_t)b->bench->watch };
	enum tp_status status = tp_compile(&b->assembler, objects, n, &how, diag);
	for (size_t i = 0; i < n; i++) {
		if (status == TP_OK)
			take_object(b->assembly, &objects[i], wanted[i]);
		tp_object_release(&objects[i]);
		tp_str_release(&sources[i]);
	}
	return status;
}

/* Bytes of all texts that have none. */
static enum tp_status make_code(struct building *b, struct tp_diag *diag)
{
	TP_FREE struct tp_asm_built **wanted = tp_alloc(b->n + 1, sizeof(*wanted));
	bool own = tp_has_word("auto builtin", tp_config_text(b->config, TP_OPT_ASM_ASSEMBLER));
	enum tp_asm_syntax syntax = tp_asm_plan(b->planned[0])->body->syntax;
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++) {
		struct tp_asm_built *built = built_of(b, i);
		if (built->status != TP_OK || built->code ||
		    (own && encode_text(b->assembly, syntax, built)))
			continue;
		if (b->found == TP_OK)
			wanted[n++] = built;
		else
			fail_built(built, b->found, &b->missing);
	}
	return n ? assemble(b, wanted, n, syntax, diag) : TP_OK;
}

/* --- what they do --- */

size_t tp_asm_look(const struct tp_assembly *assembly, const struct tp_asm_built *built,
		   struct tp_asm_effect *effects, size_t most)
{
	size_t n = 0, at = 0;
	while (at < built->bytes) {
		if (n == most || !assembly->look ||
		    assembly->look(built->code + at, built->bytes - at, &effects[n]) != TP_OK)
			return 0;
		at += effects[n++].bytes;
	}
	return n;
}

const char *tp_asm_line_at(const struct tp_asm_built *built, size_t i, char out[TP_ASM_LINE_BYTES])
{
	const char *text = tp_str_text(&built->text);
	for (; i && *text; i--) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	snprintf(out, TP_ASM_LINE_BYTES, "%.*s", (int)strcspn(text, "\n"), text);
	return out;
}

/* Where a relative jump would leave the instructions. */
static bool jumps_out(const struct tp_asm_built *built, const struct tp_asm_effect *effect,
		      size_t end)
{
	int64_t to = (int64_t)end + effect->jump_bytes;
	return effect->jumps && effect->bar == TP_ASM_NO_BAR &&
	       (to < 0 || to > (int64_t)built->bytes);
}

/* TP_FAILED, and why, if an instruction cannot run again and again in a loop. */
static enum tp_status find_bar(const struct tp_asm_built *built,
			       const struct tp_asm_effect *effects, size_t n, struct tp_diag *diag)
{
	static const struct {
		const char *what, *hint;
	} bars[] = {
		[TP_ASM_PRIVILEGED] = { "is privileged: only the kernel may use it", NULL },
		[TP_ASM_RETURNS] = { "returns: it would leave the loop",
				     "leave it out; a call and its return are not measured" },
		[TP_ASM_CALLS] = { "calls a function: it would leave the loop",
				   "leave it out, or measure a template: tprof-sweep(5)" },
		[TP_ASM_JUMPS_AWAY] = { "jumps to an address that is not known",
					"a jump may give its distance: jmp .+2" },
		[TP_ASM_OWN_ADDRESS] = { "addresses memory by its own place (rip)",
					 "address memory by a general register: (%rdi), [rdi]" },
		[TP_ASM_MOVES_STACK] = { "changes the stack pointer by an amount that is not known",
					 "leave it out" },
	};
	char line[TP_ASM_LINE_BYTES];
	int64_t stack = 0;
	size_t at = 0, moves = 0;
	for (size_t i = 0; i < n; i++) {
		at += effects[i].bytes;
		if (effects[i].bar)
			return tp_fail(diag, TP_FAILED, "asm", bars[effects[i].bar].hint,
				       "\"%s\" %s", tp_asm_line_at(built, i, line),
				       bars[effects[i].bar].what);
		if (jumps_out(built, &effects[i], at))
			return tp_fail(diag, TP_FAILED, "asm",
				       "a jump may go to another instruction of the list, or after "
				       "the last one",
				       "\"%s\" jumps out of the instructions",
				       tp_asm_line_at(built, i, line));
		if (effects[i].stack_bytes && !stack)
			moves = i;
		stack += effects[i].stack_bytes;
	}
	if (stack)
		return tp_fail(diag, TP_FAILED, "asm",
			       "put the stack pointer back at the end: push with pop, sub with add",
			       "\"%s\" moves the stack pointer, by %lld bytes in all",
			       tp_asm_line_at(built, moves, line), (long long)stack);
	return TP_OK;
}

/* False, and the point fails, where the instructions cannot run in a loop. */
static bool may_loop(struct tp_asm_built *built, const struct tp_asm_effect *effects, size_t n)
{
	struct tp_diag diag;
	enum tp_status status = find_bar(built, effects, n, &diag);
	if (status != TP_OK)
		fail_built(built, status, &diag);
	return status == TP_OK;
}

/* The text that is to run in place of the body. */
static void change_registers(struct building *b, const struct tp_asm_plan *plan,
			     struct tp_asm_effect *effects)
{
	struct tp_asm_built *built = plan->built;
	TP_STR text = { 0 }, parted = { 0 };
	if (built->status != TP_OK ||
	    tp_asm_look(b->assembly, built, effects, TP_ASM_EFFECTS_MAX) != plan->body->n ||
	    !may_loop(built, effects, plan->body->n) || plan->mode == TP_ASM_WRITTEN)
		return;
	/* What several instructions put into a register may be an address on purpose. */
	struct tp_asm_body body = *plan->body;
	const char *line;
	if (body.n == 1 && tp_asm_part(b->assembly, body.lines[0], &effects[0], &parted)) {
		line = tp_str_text(&parted);
		body.lines = &line;
	}
	if (plan->mode == TP_ASM_THROUGHPUT)
		built->copies = tp_asm_copies(b->assembly, &body, effects, &text);
	else
		tp_asm_chained(b->assembly, &body, effects, &text);
	if (strcmp(tp_str_text(&text), tp_str_text(&built->text)) != 0) {
		struct tp_str old = built->text;
		free(built->code);
		built->code = NULL;
		built->text = text;
		text = old;
	}
}

/* An instruction may not allow other registers than the given ones: it runs as written. */
static void give_back(const struct tp_asm_plan *plan)
{
	struct tp_asm_built *built = plan->built;
	TP_STR given = { 0 };
	tp_asm_add_lines(plan->body, &given);
	if (built->status == TP_OK || built->code ||
	    strcmp(tp_str_text(&given), tp_str_text(&built->text)) == 0)
		return;
	struct tp_str other = built->text;
	built->text = given;
	given = other;
	built->status = TP_OK;
	built->copies = 1;
}

static void note_effects(const struct building *b, const struct tp_asm_plan *plan,
			 struct tp_asm_effect *effects)
{
	struct tp_asm_built *built = plan->built;
	built->instructions = plan->body->n * built->copies;
	if (built->status != TP_OK)
		return;
	size_t n = tp_asm_look(b->assembly, built, effects, TP_ASM_EFFECTS_MAX);
	built->known = n == built->instructions;
	if (!built->known) {
		tp_asm_find_named(b->assembly, tp_str_text(&built->text), &built->addresses);
		return;
	}
	tp_asm_find_addresses(effects, n, &built->addresses);
	built->chain = tp_asm_chain(effects, NULL, n);
	built->fma_element_bytes = effects[0].element_bytes;
	built->fma_vector_bytes = effects[0].vector_bytes;
	for (size_t i = 0; i < n; i++) {
		if (effects[i].op != TP_FP_FMA ||
		    effects[i].element_bytes != built->fma_element_bytes ||
		    effects[i].vector_bytes != built->fma_vector_bytes)
			built->fma_element_bytes = 0;
		built->divisor_bytes = TP_MAX(built->divisor_bytes, effects[i].divisor_bytes);
		for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
			built->vectors |= b->assembly->is_vector(r) &&
					  (tp_registers_have(&effects[i].reads, r) ||
					   tp_registers_have(&effects[i].writes, r));
	}
}

/* --- predictions of llvm-mca --- */

static bool write_piece(void *context, size_t i, struct tp_str *out)
{
	const struct building *b = context;
	enum tp_asm_syntax syntax = tp_asm_plan(b->planned[i])->body->syntax;
	tp_str_printf(out, "%s\n%s", b->assembly->directives[syntax],
		      tp_str_text(&built_of(b, i)->text));
	return true;
}

static enum tp_status predict_all(struct building *b, struct tp_diag *diag)
{
	const char *cpu = tp_config_text(b->config, TP_OPT_ASM_MCA);
	/* A simulated machine is not this CPU. */
	if (b->bench->simulation && strcmp(cpu, TP_MCA_HERE) == 0)
		return TP_OK;
	TP_FREE struct tp_mca_result *results = tp_alloc(b->n + 1, sizeof(*results));
	enum tp_status status = tp_mca_predict(cpu, b->n, write_piece, b, results, diag);
	for (size_t i = 0; i < b->n && status == TP_OK; i++)
		built_of(b, i)->mca = results[i];
	return status;
}

/* --- all of it --- */

static enum tp_status find_assembler(const struct tp_config *config, struct tp_compiler *assembler,
				     struct tp_diag *diag)
{
	const char *wish = tp_config_text(config, TP_OPT_ASM_ASSEMBLER);
	if (strcmp(wish, "builtin") == 0)
		return tp_fail(diag, TP_NOTFOUND, "asm", "asm.assembler: auto",
			       "the encoder of tprof lacks this instruction, and asm.assembler: "
			       "builtin allows no other one");
	return tp_assembler_find(assembler, strcmp(wish, "auto") == 0 ? "" : wish, diag);
}

/* One line as a source: TP_USAGE where the assembler refuses it. */
struct line_source {
	struct tp_str text;
	const char *line;
};

static enum tp_status check_object(const struct tp_assembly *assembly,
				   const struct tp_object *object, struct tp_diag *diag)
{
	TP_FREE unsigned char *code = NULL;
	size_t bytes;
	*diag = object->diag;
	if (object->status == TP_OK)
		return tp_object_code(object->path, assembly->elf_machine, &code, &bytes, diag) ==
				       TP_FAILED
			       ? TP_USAGE
			       : TP_OK;
	/* A failure of the assembler itself is reported by the points. */
	return object->status == TP_FAILED ? TP_USAGE : TP_OK;
}

enum tp_status tp_asm_check(struct tp_plan_context *context, const struct tp_asm_body *body,
			    struct tp_diags *diags)
{
	const struct tp_assembly *assembly = tp_asm_host(NULL);
	const char *wish = tp_config_text(context->config, TP_OPT_ASM_ASSEMBLER);
	struct line_source sources[TP_ASM_LINES_MAX] = { 0 };
	TP_FREE struct tp_object *objects = tp_alloc(TP_ASM_LINES_MAX, sizeof(*objects));
	TP_CLEANUP(tp_compiler_release) struct tp_compiler assembler = { 0 };
	struct tp_diag diag;
	enum tp_status status = TP_OK;
	size_t n = 0;
	for (size_t i = 0; i < body->n; i++) {
		unsigned char code[16];
		size_t bytes;
		if (tp_has_word("auto builtin", wish) && assembly->encode &&
		    assembly->encode(body->lines[i], body->syntax, code, &bytes) == TP_OK)
			continue;
		struct line_source *s = &sources[n];
		s->line = body->lines[i];
		tp_str_printf(&s->text, "%s\n%s\n", assembly->directives[body->syntax], s->line);
		objects[n++] = (struct tp_object){ .key = tp_str_text(&s->text),
						   .key_bytes = s->text.len,
						   .source = write_source,
						   .context = s->text.s };
	}
	if (n && find_assembler(context->config, &assembler, &diag) == TP_OK &&
	    tp_compile(&assembler, objects, n, NULL, &diag) == TP_OK)
		for (size_t i = 0; i < n; i++)
			if (check_object(assembly, &objects[i], &diag) != TP_OK)
				status = tp_planner_refuse(context, diags, TP_USAGE,
							   TP_OPT_ASM_BODY, diag.hint, "\"%s\": %s",
							   sources[i].line, diag.what);
	for (size_t i = 0; i < n; i++) {
		tp_object_release(&objects[i]);
		tp_str_release(&sources[i].text);
	}
	return status;
}

/* Points of one run. */
static enum tp_status build_points(struct building *b, struct tp_diag *diag)
{
	TP_FREE struct tp_asm_effect *effects = tp_alloc(TP_ASM_EFFECTS_MAX, sizeof(*effects));
	b->assembly = tp_asm_host(diag);
	if (!b->assembly)
		return TP_UNSUPPORTED;
	struct builds *builds = tp_bench_own(b->bench, &builds_kind);
	for (size_t i = 0; i < b->n; i++) {
		struct tp_asm_plan *plan = tp_asm_plan(b->planned[i]);
		struct tp_asm_built *built = tp_alloc(1, sizeof(*built));
		built->next = builds->first;
		builds->first = built;
		plan->built = built;
		built->copies = 1;
		tp_asm_add_lines(plan->body, &built->text);
	}
	b->found = find_assembler(b->config, &b->assembler, &b->missing);
	enum tp_status status = b->found == TP_CANCELLED ? TP_CANCELLED : make_code(b, diag);
	for (size_t i = 0; i < b->n && status == TP_OK; i++)
		change_registers(b, tp_asm_plan(b->planned[i]), effects);
	if (status == TP_OK)
		status = make_code(b, diag);
	for (size_t i = 0; i < b->n && status == TP_OK; i++)
		give_back(tp_asm_plan(b->planned[i]));
	if (status == TP_OK)
		status = make_code(b, diag);
	for (size_t i = 0; i < b->n && status == TP_OK; i++)
		note_effects(b, tp_asm_plan(b->planned[i]), effects);
	if (status == TP_OK)
		status = predict_all(b, diag);
	tp_compiler_release(&b->assembler);
	return status;
}

enum tp_status tp_asm_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
			      size_t n, struct tp_diag *diag)
{
	for (size_t i = 0; i < n;) {
		struct building b = { .bench = bench,
				      .config = planned[i]->config,
				      .planned = &planned[i] };
		/* Each run of a preset may have another assembler and another syntax. */
		while (i < n && planned[i]->config == b.config) {
			b.n++;
			i++;
		}
		enum tp_status status = build_points(&b, diag);
		if (status == TP_CANCELLED || status == TP_NOMEM)
			return status;
		for (size_t k = 0; k < b.n && status != TP_OK; k++)
			if (built_of(&b, k))
				fail_built(built_of(&b, k), status, diag);
	}
	return TP_OK;
}
