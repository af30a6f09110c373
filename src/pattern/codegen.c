/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C source of a configuration. Arrays and statements are macros: a(i, j) is an element, S(i, j)
 * runs a statement. Lines of the document keep their place by #line, so that the compiler's
 * messages name them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "pattern/pattern_parts.h"

/* Whoever changes the code that comes out makes it one more: stored objects are then made anew. */
enum { GENERATOR = 6 };

enum tp_status tp_pattern_key(const struct tp_pattern_config *c, struct tp_str *key)
{
	const struct tp_pattern *p = c->pattern;
	tp_str_printf(key, "tprof pattern code %d\n%s%s%s\n", GENERATOR,
		      tp_pattern_template_name(c->template), c->nowait ? " nowait" : "",
		      *tp_pattern_config_pragma(c) ? "" : " alone");
	for (size_t i = 0; i < p->n_parameters; i++)
		if (!p->parameters[i].runtime)
			tp_str_printf(key, "%s=%" PRId64 "\n", p->parameters[i].name,
				      tp_pattern_config_value(c, i));
	tp_str_add_n(key, p->document, p->document_bytes);
	return key->oom ? TP_NOMEM : TP_OK;
}

/* One thread has nobody to share a loop or to wait with, and a barrier takes as long as a small
 * loop. */
const char *tp_pattern_config_pragma(const struct tp_pattern_config *c)
{
	return c->template == TP_PATTERN_INDEPENDENT || c->threads == 1 ? ""
	       : c->nowait ? "#pragma omp for schedule(static) nowait"
			   : "#pragma omp for schedule(static)";
}

/* --- places --- */

/* The line of the document that the text begins on: behind | and > it is the next one. */
static unsigned first_line(const struct tp_pattern *p, struct tp_place place)
{
	const char *at = p->document;
	for (unsigned line = 1; line < place.line && at; line++) {
		at = strchr(at, '\n');
		at += at != NULL;
	}
	bool block = at && strlen(at) >= place.column && place.column &&
		     (at[place.column - 1] == '|' || at[place.column - 1] == '>');
	return place.line + block;
}

static void add_line(struct tp_str *out, const struct tp_pattern *p, struct tp_place place)
{
	tp_str_printf(out, "#line %u \"", first_line(p, place));
	for (const char *c = p->path; *c; c++) {
		char shown[] = { *c == '"' || *c == '\\' || !isprint((unsigned char)*c) ? '_' : *c,
				 '\0' };
		tp_str_add(out, shown);
	}
	tp_str_add(out, "\"\n");
}

/* Code as the body of a macro: a backslash at the end of each line. */
static void add_macro_text(struct tp_str *out, const char *code)
{
	for (const char *c = code; *c; c++) {
		if (*c == '\n')
			tp_str_add(out, " \\");
		tp_str_add_n(out, c, 1);
		if (c[0] == '\\' && c[1] == '\n')
			tp_str_add_n(out, ++c, 1);
	}
}

/* --- what all functions see --- */

static const char preamble[] =
	"#include <complex.h>\n"
	"#include <math.h>\n"
	"#include <stdint.h>\n"
	"#include <stddef.h>\n"
	"#ifdef _OPENMP\n"
	"#include <omp.h>\n"
	"#endif\n"
	"#undef I\n"
	"#pragma GCC diagnostic ignored \"-Wunused\"\n"
	"struct tp_pattern_arguments {\n"
	"\tvoid *arrays[%d];\n"
	"\tint64_t extents[%d][%d], values[%d], thread, threads, team, inexact;\n"
	"\tstruct { const char *array; int64_t index[%d], n; double found, expected; } wrong;\n"
	"};\n"
	"static void tp_check(struct tp_pattern_arguments *args, const char *array, double found,\n"
	"\tdouble expected, double tolerance, int64_t n, const int64_t *index)\n"
	"{\n"
	"\tdouble scale = fabs(expected) > 1 ? fabs(expected) : 1;\n"
	"\targs->inexact += found != expected;\n"
	"\tif (args->wrong.array || fabs(found - expected) <= tolerance * scale)\n"
	"\t\treturn;\n"
	"\targs->wrong.array = array;\n"
	"\targs->wrong.n = n;\n"
	"\tfor (int64_t k = 0; k < n && k < %d; k++)\n"
	"\t\targs->wrong.index[k] = index[k];\n"
	"\targs->wrong.found = found;\n"
	"\targs->wrong.expected = expected;\n"
	"}\n"
	"#define CHECK(array, value, ...) tp_check(args, #array, (double)(array(__VA_ARGS__)), "
	"(double)(value), \\\n"
	"\t_Generic((array(__VA_ARGS__)), float: 1e-4, default: 1e-9), \\\n"
	"\tsizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ })\n";

/* Names that change without another compilation. */
static bool is_runtime_name(const struct tp_pattern *p, const char *name, size_t len)
{
	if ((len == 1 && *name == 't') || (len == 7 && memcmp(name, "threads", 7) == 0))
		return true;
	int parameter = tp_pattern_find_parameter(p, name, len);
	return parameter >= 0 && p->parameters[parameter].runtime;
}

bool tp_pattern_is_constant(const struct tp_pattern *p, const char *text)
{
	while (*text) {
		size_t id = tp_identifier_length(text);
		if (id && is_runtime_name(p, text, id))
			return false;
		text += id ? id : 1;
	}
	return true;
}

/* An index with (i) for each of its names: they are arguments of a macro. */
static void add_index(struct tp_str *out, const struct tp_pattern_array *a, const char *text)
{
	while (*text) {
		size_t id = tp_identifier_length(text);
		bool formal = false;
		for (size_t i = 0; i < a->n_formals && id; i++)
			formal |=
				strlen(a->formals[i]) == id && memcmp(a->formals[i], text, id) == 0;
		tp_str_add(out, formal ? "(" : "");
		/* The macro has one line. */
		tp_str_add_n(out, *text == '\n' ? " " : text, id ? id : 1);
		tp_str_add(out, formal ? ")" : "");
		text += id ? id : 1;
	}
}

/* #define a(i, j) tp_a[((i)) * tp_a_1 + ((j))] */
static void add_array_macro(struct tp_str *out, const struct tp_pattern_array *a)
{
	tp_str_printf(out, "#define %s(", a->name);
	for (size_t i = 0; i < a->n_formals; i++)
		tp_str_printf(out, "%s%s", i ? ", " : "", a->formals[i]);
	tp_str_printf(out, ") tp_%s[", a->name);
	for (size_t i = 1; i < a->n_map; i++)
		tp_str_add(out, "(");
	for (size_t i = 0; i < a->n_map; i++) {
		if (i)
			tp_str_printf(out, ") * tp_%s_%zu + ", a->name, i);
		tp_str_add(out, "(");
		add_index(out, a, a->map[i].text);
		tp_str_add(out, ")");
	}
	tp_str_add(out, "]\n");
}

static enum tp_status add_statement_macro(const struct tp_pattern_config *c,
					  const struct tp_pattern_statement *s, struct tp_str *out,
					  struct tp_diag *diag)
{
	struct tp_str code = { 0 };
	enum tp_status status = tp_pattern_expand(c, &s->code, &code, diag);
	add_line(out, c->pattern, s->code.place);
	tp_str_printf(out, "#define %s(", s->name);
	for (size_t i = 0; i < s->n_formals; i++)
		tp_str_printf(out, "%stp_p%zu", i ? ", " : "", i);
	tp_str_add(out, ") do { ");
	for (size_t i = 0; i < s->n_formals; i++)
		tp_str_printf(out, "const long tp_s%zu = (tp_p%zu); ", i, i);
	tp_str_add(out, "{ ");
	for (size_t i = 0; i < s->n_formals; i++)
		tp_str_printf(out, "const long %s = tp_s%zu; ", s->formals[i], i);
	add_macro_text(out, tp_str_text(&code));
	tp_str_add(out, "; } } while (0)\n");
	tp_str_release(&code);
	return status;
}

/* --- functions --- */

static void add_locals(const struct tp_pattern_config *c, struct tp_str *out)
{
	const struct tp_pattern *p = c->pattern;
	tp_str_add(out, "\tconst long t = args->thread, threads = args->threads;\n"
			"#ifdef _OPENMP\n"
			"\targs->team = omp_get_num_threads();\n"
			"#else\n"
			"\targs->team = 1;\n"
			"#endif\n");
	for (size_t i = 0; i < p->n_parameters; i++) {
		const char *name = p->parameters[i].name;
		if (p->parameters[i].runtime)
			tp_str_printf(out, "\tconst long %s = args->values[%zu];\n", name, i);
		else
			tp_str_printf(out, "\tstatic const long %s = %" PRId64 ";\n", name,
				      tp_pattern_config_value(c, i));
	}
	for (size_t i = 0; i < p->n_arrays; i++) {
		const struct tp_pattern_array *a = &p->arrays[i];
		struct tp_pattern_layout layout;
		bool known = tp_pattern_config_layout(c, a, &layout, NULL) == TP_OK;
		for (size_t d = 1; d < a->n_extents; d++) {
			bool last = d + 1 == a->n_extents && a->padding.text;
			bool constant = known && tp_pattern_is_constant(p, a->extents[d].text) &&
					(!last || tp_pattern_is_constant(p, a->padding.text));
			if (constant)
				tp_str_printf(out, "\tstatic const long tp_%s_%zu = %" PRId64 ";\n",
					      a->name, d, layout.extents[d]);
			else
				tp_str_printf(out,
					      "\tconst long tp_%s_%zu = args->extents[%zu][%zu];\n",
					      a->name, d, i, d);
		}
	}
}

static enum tp_status add_body(const struct tp_pattern_config *c,
			       const struct tp_pattern_part *part, bool first_only,
			       struct tp_str *out, struct tp_diag *diag)
{
	if (part->domain.text)
		return tp_pattern_part_loops(c, part, first_only, out, diag);
	struct tp_str code = { 0 };
	enum tp_status status = tp_pattern_expand(c, &part->c, &code, diag);
	add_line(out, c->pattern, part->c.place);
	tp_str_add(out, tp_str_text(&code));
	tp_str_add(out, "\n");
	tp_str_release(&code);
	return status;
}

static enum tp_status add_function(const struct tp_pattern_config *c, const char *name,
				   const struct tp_pattern_part *part, bool first_only,
				   struct tp_str *out, struct tp_diag *diag)
{
	/* Compilers believe `restrict` of parameters, and not of every local pointer. */
	const struct tp_pattern *p = c->pattern;
	tp_str_printf(out,
		      "static __attribute__((noinline)) void %s_arrays(struct tp_pattern_arguments "
		      "*args, uint64_t passes",
		      name);
	for (size_t i = 0; i < p->n_arrays; i++)
		tp_str_printf(out, ",\n\t%s *restrict const tp_%s",
			      tp_pattern_type_c(p->arrays[i].type), p->arrays[i].name);
	tp_str_add(out, ")\n{\n");
	add_locals(c, out);
	tp_str_add(out, "\tfor (uint64_t pass = 0; pass < passes; pass++) {\n");
	enum tp_status status = add_body(c, part, first_only, out, diag);
	tp_str_add(out, "\t__asm__ volatile(\"\" ::: \"memory\");\n\t}\n}\n");
	tp_str_printf(out,
		      "void %s(struct tp_pattern_arguments *args, uint64_t passes)\n{\n"
		      "\t%s_arrays(args, passes",
		      name, name);
	for (size_t i = 0; i < p->n_arrays; i++)
		tp_str_printf(out, ", args->arrays[%zu]", i);
	tp_str_add(out, ");\n}\n");
	return status;
}

enum tp_status tp_pattern_source(const struct tp_pattern_config *c, struct tp_str *out,
				 struct tp_diag *diag)
{
	const struct tp_pattern *p = c->pattern;
	enum tp_status status = TP_OK;
	tp_str_printf(out, preamble, TP_PATTERN_ARRAYS_MAX, TP_PATTERN_ARRAYS_MAX,
		      TP_PATTERN_EXTENTS_MAX, TP_PATTERN_PARAMETERS_MAX, TP_PATTERN_FORMALS_MAX,
		      TP_PATTERN_FORMALS_MAX);
	/* PARALLEL shares a loop; PARALLEL_SIMD also says that its iterations touch different data.
	 */
	bool shared = *tp_pattern_config_pragma(c) != '\0';
	const char *nowait = shared && c->nowait ? " nowait" : "";
	tp_str_printf(out,
		      shared ? "#define PARALLEL _Pragma(\"omp for schedule(static)%s\")\n"
			     : "#define PARALLEL%s\n",
		      nowait);
	tp_str_printf(out, "#define PARALLEL_SIMD _Pragma(\"omp %s%s\")\n",
		      shared ? "for simd schedule(static)" : "simd", nowait);
	for (size_t i = 0; i < p->n_arrays; i++)
		add_array_macro(out, &p->arrays[i]);
	if (p->declarations.text) {
		add_line(out, p, p->declarations.place);
		tp_str_printf(out, "%s\n", p->declarations.text);
	}
	for (size_t i = 0; i < p->n_statements && status == TP_OK; i++)
		status = add_statement_macro(c, &p->statements[i], out, diag);
	if (status == TP_OK)
		status = add_function(c, "tp_init", &p->init, false, out, diag);
	if (status == TP_OK)
		status = add_function(c, "tp_run", &p->run, false, out, diag);
	if (status == TP_OK && p->validate.given)
		status = add_function(c, "tp_validate", &p->validate, false, out, diag);
	if (status == TP_OK && p->reference)
		status = add_function(c, "tp_reference", p->plain.given ? &p->plain : &p->run, true,
				      out, diag);
	return out->oom ? TP_NOMEM : status;
}

enum tp_status tp_pattern_loops(const struct tp_pattern_config *c, struct tp_str *out,
				struct tp_diag *diag)
{
	return add_body(c, &c->pattern->run, false, out, diag);
}
