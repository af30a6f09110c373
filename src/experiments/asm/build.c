/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of points: the given instructions become bytes, which tell what they read and write; with
 * that come copies or chains in other registers, and their bytes. All points of a run are assembled
 * together, before the first one is measured.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compiler/compiler.h"
#include "experiments/asm/chain.h"
#include "experiments/asm/options.h"
#include "experiments/asm/plan.h"
#include "experiments/windows/compiled.h"
#include "measure/sampler.h"

/* What is built stays until the bench goes. */
struct builds {
	struct tp_asm_built *first;
};

static void release(void *own)
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

static const struct tp_bench_kind kind = { sizeof(struct builds), release, NULL };

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

static void fail(struct tp_asm_built *built, enum tp_status status, const struct tp_diag *diag)
{
	built->status = status;
	built->diag = *diag;
}

/* --- bytes --- */

/* By tprof's own encoder. False: some instruction is none of those that it knows. */
static bool encode(const struct tp_assembly *assembly, enum tp_asm_syntax syntax,
		   struct tp_asm_built *built)
{
	const char *text = tp_str_text(&built->text);
	unsigned char *code = assembly->encode ? malloc(built->text.len * 16 + 16) : NULL;
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

/* The object is there, or it is said why not. Lines count from the directive on: they help nobody.
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
		fail(built, status, &diag);
}

/* Bytes of the texts of `wanted`, by an assembler. */
static enum tp_status assemble(struct building *b, struct tp_asm_built **wanted, size_t n,
			       enum tp_asm_syntax syntax, struct tp_diag *diag)
{
	struct tp_object *objects = calloc(n + 1, sizeof(*objects));
	struct tp_str *sources = calloc(n + 1, sizeof(*sources));
	enum tp_status status = objects && sources ? TP_OK : TP_NOMEM;
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		tp_str_printf(&sources[i], "%s\n%s", b->assembly->directives[syntax],
			      tp_str_text(&wanted[i]->text));
		if (sources[i].oom)
			status = TP_NOMEM;
		objects[i] = (struct tp_object){ .key = tp_str_text(&sources[i]),
						 .key_bytes = sources[i].len,
						 .source = write_source,
						 .context = sources[i].s };
	}
	const struct tp_compile_how how = { .watch = tp_compiled_watch,
					    .context = (void *)(uintptr_t)b->bench->watch };
	if (status == TP_OK)
		status = tp_compile(&b->assembler, objects, n, &how, diag);
	for (size_t i = 0; i < n && objects && sources; i++) {
		if (status == TP_OK)
			take_object(b->assembly, &objects[i], wanted[i]);
		tp_object_release(&objects[i]);
		tp_str_release(&sources[i]);
	}
	free(objects);
	free(sources);
	return status;
}

/* Bytes of all texts that have none. */
static enum tp_status make_code(struct building *b, struct tp_diag *diag)
{
	struct tp_asm_built **wanted = calloc(b->n + 1, sizeof(struct tp_asm_built *));
	bool own = tp_has_word("auto builtin", tp_config_text(b->config, TP_OPT_ASM_ASSEMBLER));
	enum tp_asm_syntax syntax = tp_asm_plan(b->planned[0])->body->syntax;
	enum tp_status status = wanted ? TP_OK : TP_NOMEM;
	size_t n = 0;
	for (size_t i = 0; i < b->n && status == TP_OK; i++) {
		struct tp_asm_built *built = built_of(b, i);
		if (built->status != TP_OK || built->code ||
		    (own && encode(b->assembly, syntax, built)))
			continue;
		if (b->found == TP_OK)
			wanted[n++] = built;
		else
			fail(built, b->found, &b->missing);
	}
	if (n && status == TP_OK)
		status = assemble(b, wanted, n, syntax, diag);
	free(wanted);
	return status;
}

/* --- what they do --- */

/* Effects of the instructions of a code, `most` at most; 0 if some are not known. */
static size_t look(const struct tp_assembly *assembly, const struct tp_asm_built *built,
		   struct tp_asm_effect *effects, size_t most)
{
	size_t n = 0, at = 0;
	while (at < built->bytes) {
		if (n == most ||
		    assembly->look(built->code + at, built->bytes - at, &effects[n]) != TP_OK)
			return 0;
		at += effects[n++].bytes;
	}
	return n;
}

enum { EFFECTS_MAX = TP_ASM_LINES_MAX * TP_ASM_COPIES_MAX };

/* The text that is to run in place of the body. */
static void change(struct building *b, const struct tp_asm_plan *plan,
		   struct tp_asm_effect *effects)
{
	struct tp_asm_built *built = plan->built;
	struct tp_str text = { 0 };
	if (plan->mode == TP_ASM_WRITTEN || built->status != TP_OK ||
	    look(b->assembly, built, effects, EFFECTS_MAX) != plan->body->n)
		return;
	if (plan->mode == TP_ASM_THROUGHPUT)
		built->copies = tp_asm_copies(b->assembly, plan->body, effects, &text);
	else
		tp_asm_chained(b->assembly, plan->body, effects, &text);
	if (!text.oom && strcmp(tp_str_text(&text), tp_str_text(&built->text)) != 0) {
		free(built->code);
		built->code = NULL;
		tp_str_release(&built->text);
		built->text = text;
		return;
	}
	tp_str_release(&text);
}

static void describe(const struct building *b, const struct tp_asm_plan *plan,
		     struct tp_asm_effect *effects)
{
	struct tp_asm_built *built = plan->built;
	built->instructions = plan->body->n * built->copies;
	if (built->status != TP_OK)
		return;
	size_t n = look(b->assembly, built, effects, EFFECTS_MAX);
	built->known = n == built->instructions;
	if (!built->known)
		return;
	built->chain = tp_asm_chain(effects, n);
	built->fma_element_bytes = effects[0].fma_element_bytes;
	built->fma_vector_bytes = effects[0].fma_vector_bytes;
	for (size_t i = 0; i < n; i++) {
		built->memory |= effects[i].memory;
		if (effects[i].fma_element_bytes != built->fma_element_bytes ||
		    effects[i].fma_vector_bytes != built->fma_vector_bytes)
			built->fma_element_bytes = 0;
		for (unsigned r = 0; r < TP_ASM_REGISTERS; r++)
			built->vectors |= b->assembly->is_vector(r) &&
					  (tp_registers_have(&effects[i].reads, r) ||
					   tp_registers_have(&effects[i].writes, r));
	}
}

/* --- what llvm-mca says --- */

static enum tp_status predict(struct building *b, struct tp_diag *diag)
{
	struct tp_mca mca;
	const char *cpu = tp_config_text(b->config, TP_OPT_ASM_MCA);
	enum tp_status status = tp_mca_find(&mca, strcmp(cpu, "auto") == 0 ? "" : cpu, diag);
	/* Without it the columns stay empty. */
	if (status != TP_OK)
		return status == TP_CANCELLED ? status : TP_OK;
	enum tp_asm_syntax syntax = tp_asm_plan(b->planned[0])->body->syntax;
	struct tp_str *sources = calloc(b->n + 1, sizeof(*sources));
	const char **texts = calloc(b->n + 1, sizeof(*texts));
	struct tp_mca_result *results = calloc(b->n + 1, sizeof(*results));
	status = sources && texts && results ? TP_OK : TP_NOMEM;
	for (size_t i = 0; i < b->n && status == TP_OK; i++) {
		tp_str_printf(&sources[i], "%s\n%s", b->assembly->directives[syntax],
			      tp_str_text(&built_of(b, i)->text));
		texts[i] = tp_str_text(&sources[i]);
	}
	if (status == TP_OK)
		status = tp_mca_predict(&mca, texts, b->n, results, diag);
	for (size_t i = 0; i < b->n && status == TP_OK; i++) {
		built_of(b, i)->mca = results[i];
		if (results[i].known)
			tp_copy(built_of(b, i)->mca_cpu, sizeof(mca.cpu), mca.cpu);
	}
	for (size_t i = 0; i < b->n && sources; i++)
		tp_str_release(&sources[i]);
	free(sources);
	free(texts);
	free(results);
	return status == TP_CANCELLED || status == TP_NOMEM ? status : TP_OK;
}

/* --- all of it --- */

static enum tp_status begin(struct building *b)
{
	struct builds *builds = tp_bench_own(b->bench, &kind);
	for (size_t i = 0; i < b->n; i++) {
		struct tp_asm_plan *plan = tp_asm_plan(b->planned[i]);
		struct tp_asm_built *built = builds ? calloc(1, sizeof(*built)) : NULL;
		if (!built)
			return TP_NOMEM;
		built->next = builds->first;
		builds->first = built;
		plan->built = built;
		built->copies = 1;
		tp_asm_add_lines(plan->body, &built->text);
	}
	return TP_OK;
}

static void find_assembler(struct building *b)
{
	const char *wish = tp_config_text(b->config, TP_OPT_ASM_ASSEMBLER);
	if (strcmp(wish, "builtin") == 0) {
		b->found = tp_fail(&b->missing, TP_NOTFOUND, "asm", "asm.assembler: auto",
				   "this is no plain instruction that the encoder of tprof knows, "
				   "and no other assembler is wished");
		return;
	}
	b->found = tp_assembler_find(&b->assembler, strcmp(wish, "auto") == 0 ? "" : wish,
				     &b->missing);
}

/* Points of one run. */
static enum tp_status build(struct building *b, struct tp_diag *diag)
{
	struct tp_asm_effect *effects = calloc(EFFECTS_MAX, sizeof(*effects));
	b->assembly = tp_asm_host(diag);
	enum tp_status status = !b->assembly ? TP_UNSUPPORTED : effects ? begin(b) : TP_NOMEM;
	if (status == TP_OK) {
		find_assembler(b);
		status = b->found == TP_CANCELLED ? TP_CANCELLED : make_code(b, diag);
	}
	for (size_t i = 0; i < b->n && status == TP_OK; i++)
		change(b, tp_asm_plan(b->planned[i]), effects);
	if (status == TP_OK)
		status = make_code(b, diag);
	for (size_t i = 0; i < b->n && status == TP_OK; i++)
		describe(b, tp_asm_plan(b->planned[i]), effects);
	if (status == TP_OK)
		status = predict(b, diag);
	tp_compiler_release(&b->assembler);
	free(effects);
	return status;
}

enum tp_status tp_asm_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
			      size_t n, struct tp_diag *diag)
{
	for (size_t i = 0; i < n;) {
		struct building b = { .bench = bench,
				      .config = planned[i]->config,
				      .planned = &planned[i] };
		/* Runs of a preset may want another assembler each, and another syntax. */
		while (i < n && planned[i]->config == b.config) {
			b.n++;
			i++;
		}
		enum tp_status status = build(&b, diag);
		if (status == TP_CANCELLED || status == TP_NOMEM)
			return status;
		for (size_t k = 0; k < b.n && status != TP_OK; k++)
			if (built_of(&b, k))
				fail(built_of(&b, k), status, diag);
	}
	return TP_OK;
}
