/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a pattern: must not crash, must say what is wrong and where, and what is taken must
 * have sizes, work and code that keep the promises of the header, whatever its parameters are. isl
 * is not asked: fuzz_poly does that.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_pattern tests/fuzz/corpus/pattern
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pattern/pattern.h"
#include "tests/fuzz/promise.h"

enum {
	CONFIGURATIONS = 2, /* a text may become long: more would be slow */
	EXPANDED_MAX = 17 * TP_PATTERN_TEXT_MAX, /* what the last step adds is below a text */
	SOURCE_MAX = (TP_PATTERN_STATEMENTS_MAX + 4) * 2 * EXPANDED_MAX,
};
#define BYTES_MAX 0x1p46

/* A failure has words; those with a text of the document have its place. */
static void must_tell(enum tp_status status, const struct tp_diag *diag)
{
	must(status == TP_USAGE || status == TP_RESOURCE, "a known status");
	must(diag->where[0] && diag->what[0], "a failure has a place and words");
}

/* --- the document --- */

static void check_part(const struct tp_pattern_part *part)
{
	must(!part->c.text != !part->domain.text, "a part has code or a domain");
	must(!part->domain.text || part->n_schedule > 0, "a domain has a schedule");
}

static void check_array(const struct tp_pattern_array *a)
{
	must(a->name[0] != '\0', "arrays have names");
	must(a->n_extents > 0 && a->n_extents <= TP_PATTERN_EXTENTS_MAX, "1 to 4 dimensions");
	must(a->n_map == 1 || a->n_map == a->n_extents, "an index a dimension, or one for all");
	must(a->n_formals > 0 && a->n_formals <= TP_PATTERN_FORMALS_MAX, "1 to 8 indices");
	must(a->alignment >= 16 && (a->alignment & (a->alignment - 1)) == 0, "a power of two");
}

static void check(const struct tp_pattern *p)
{
	must(p->n_statements > 0, "a pattern has statements");
	must(p->n_templates > 0 && p->n_nowaits > 0, "every pattern has these parameters");
	for (size_t i = 0; i < p->n_parameters; i++) {
		must(p->parameters[i].n > 0, "parameters have values");
		for (size_t k = 0; k < p->parameters[i].n; k++)
			must(p->parameters[i].values[k] >= 0, "values are no less than 0");
	}
	for (size_t i = 0; i < p->n_arrays; i++)
		check_array(&p->arrays[i]);
	for (size_t i = 0; i < p->n_statements; i++)
		must(p->statements[i].code.text && p->statements[i].n_formals > 0,
		     "statements have code and indices");
	check_part(&p->init);
	check_part(&p->run);
	must(p->reference != p->validate.given, "results are validated in one way");
	must(!p->plain.given || p->reference, "a reference is used");
	must(!p->reference || p->plain.given || p->run.domain.text, "a reference can be made");
	if (p->plain.given)
		check_part(&p->plain);
}

/* --- configurations --- */

static bool check_sizes(const struct tp_pattern_config *c)
{
	const struct tp_pattern *p = c->pattern;
	struct tp_diag diag = { 0 };
	double sum = 0;
	uint64_t bytes;
	enum tp_status status;
	for (size_t i = 0; i < p->n_arrays; i++) {
		const struct tp_pattern_array *a = &p->arrays[i];
		struct tp_pattern_layout layout;
		status = tp_pattern_config_layout(c, a, &layout, &diag);
		if (status != TP_OK) {
			must_tell(status, &diag);
			must(tp_pattern_config_bytes(c, &bytes, NULL) == status, "one status");
			return false;
		}
		double elements = 1;
		for (size_t d = 0; d < a->n_extents; d++) {
			must(layout.extents[d] > 0, "extents are from 1 on");
			elements *= (double)layout.extents[d];
		}
		must(layout.offset >= 0 && (double)layout.elements == elements, "elements");
		must(layout.bytes == (layout.elements + (uint64_t)layout.offset) *
					     tp_pattern_type_bytes(a->type),
		     "bytes are those of all elements");
		must((double)layout.bytes <= BYTES_MAX, "an array has its limit");
		sum += (double)layout.bytes;
	}
	status = tp_pattern_config_bytes(c, &bytes, &diag);
	if (status != TP_OK) {
		must_tell(status, &diag);
		return false;
	}
	must((double)bytes >= sum && (double)bytes <= BYTES_MAX, "arrays together have a limit");
	return true;
}

static bool is_amount(double x)
{
	return isfinite(x) && x >= 0;
}

static void check_work(const struct tp_pattern_config *c)
{
	struct tp_pattern_work work;
	struct tp_diag diag = { 0 };
	enum tp_status status = tp_pattern_config_work(c, &work, &diag);
	if (status != TP_OK)
		must_tell(status, &diag);
	else
		must(is_amount(work.flops) && is_amount(work.reads) && is_amount(work.writes) &&
			     is_amount(work.bytes) && is_amount(work.elements),
		     "work is finite and not negative");
}

static void check_accesses(const struct tp_pattern_config *c, const struct tp_pattern_statement *s)
{
	struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX];
	struct tp_arena arena = { 0 };
	struct tp_str code = { 0 };
	struct tp_diag diag = { 0 };
	size_t n = 0;
	enum tp_status status = tp_pattern_expand(c, &s->code, &code, &diag);
	must(code.len <= EXPANDED_MAX, "repetitions have a limit");
	if (status == TP_OK)
		status = tp_pattern_accesses(c->pattern, s, tp_str_text(&code), &arena, accesses,
					     &n, &diag);
	if (status != TP_OK)
		must_tell(status, &diag);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		must(accesses[i].n_arguments == accesses[i].array->n_formals, "indices as mapped");
		must(accesses[i].read || accesses[i].write, "an access reads or writes");
	}
	tp_arena_release(&arena);
	tp_str_release(&code);
}

/* False: there is no code, for reasons that were told. */
static bool source_of(const struct tp_pattern_config *c, struct tp_str *out)
{
	struct tp_diag diag = { 0 };
	enum tp_status status = tp_pattern_source(c, out, &diag);
	must(out->len <= SOURCE_MAX, "the code has a limit");
	if (status != TP_OK) {
		must_tell(status, &diag);
		return false;
	}
	must(strstr(tp_str_text(out), "void tp_init(") && strstr(tp_str_text(out), "void tp_run("),
	     "the code has its functions");
	return true;
}

/* Code is stored by its key, so a key stands for one code. */
static void check_code(const struct tp_pattern_config *a, const struct tp_pattern_config *b)
{
	struct tp_str keys[2] = { 0 }, sources[2] = { 0 };
	tp_pattern_key(a, &keys[0]);
	tp_pattern_key(b, &keys[1]);
	bool same = keys[0].len == keys[1].len &&
		    memcmp(tp_str_text(&keys[0]), tp_str_text(&keys[1]), keys[0].len) == 0;
	bool there = source_of(a, &sources[0]);
	if (same && there)
		must(source_of(b, &sources[1]) &&
			     strcmp(tp_str_text(&sources[0]), tp_str_text(&sources[1])) == 0,
		     "one key, one code");
	for (size_t i = 0; i < 2; i++) {
		tp_str_release(&keys[i]);
		tp_str_release(&sources[i]);
	}
}

/* --- all of it --- */

static struct tp_pattern_config configure(const struct tp_pattern *p, size_t i)
{
	struct tp_pattern_config c = { .pattern = p,
				       .template = p->templates[i % p->n_templates],
				       .nowait = p->nowaits[i % p->n_nowaits],
				       .threads = (unsigned)i + 1 };
	for (size_t k = 0; k < p->n_parameters; k++)
		c.values[k] = p->parameters[k].values[i % p->parameters[k].n];
	return c;
}

static void check_configuration(const struct tp_pattern *p, size_t i)
{
	struct tp_pattern_config c = configure(p, i), other = c;
	bool counted = true;
	char name[64];
	must(strlen(tp_pattern_config_name(&c, name, sizeof(name))) < sizeof(name), "a name");
	for (size_t s = 0; s < p->n_statements; s++) {
		if (i == 0)
			check_accesses(&c, &p->statements[s]);
		/* Else isl would count them. */
		counted &= !p->run.domain.text || p->statements[s].instances.text;
	}
	if (counted)
		check_work(&c);
	if (!check_sizes(&c) || p->init.domain.text || p->run.domain.text ||
	    p->validate.domain.text || p->plain.domain.text)
		return;
	for (size_t k = 0; k < p->n_parameters; k++)
		if (p->parameters[k].runtime)
			other.values[k] = c.values[k] / 2 + 1;
	other.threads += 2;
	check_code(&c, check_sizes(&other) ? &other : &c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tp_pattern pattern;
	struct tp_arena arena = { 0 };
	struct tp_diags diags = { 0 };
	enum tp_status status =
		tp_pattern_parse(&pattern, &arena, "input.yaml", (const char *)data, size, &diags);
	must(status == TP_OK || status == TP_USAGE, "a known status");
	must((status == TP_OK) == (diags.n == 0), "a failure has words, a success has none");
	for (size_t i = 0; i < diags.n; i++)
		must(*diags.items[i].what && (*diags.items[i].where || i == TP_DIAGS_MAX),
		     "a diagnosis has a place; behind the last they are counted");
	if (status == TP_OK) {
		check(&pattern);
		for (size_t i = 0; i < CONFIGURATIONS; i++)
			check_configuration(&pattern, i);
	}
	tp_diags_release(&diags);
	tp_arena_release(&arena);
	return 0;
}
