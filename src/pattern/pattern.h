/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pattern: a loop of an application, as a YAML document of tprof-pattern(5). It names arrays, a
 * map from the indices of statements to memory, statements in C, and how they are run: as C loops,
 * or as an isl domain with schedules.
 *
 * A configuration is a pattern with a value for each parameter. Parameters that are `runtime` are
 * arguments of the code, so one shared object serves all their values; the others are constants in
 * it.
 */
#ifndef TPROF_PATTERN_PATTERN_H
#define TPROF_PATTERN_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/file.h"
#include "base/str.h"

enum {
	TP_PATTERN_NAME_BYTES = 48,
	TP_PATTERN_PARAMETERS_MAX = 16,
	TP_PATTERN_VALUES_MAX = 1024, /* of one parameter */
	TP_PATTERN_ARRAYS_MAX = 16,
	TP_PATTERN_STATEMENTS_MAX = 16,
	TP_PATTERN_EXTENTS_MAX = 4,
	TP_PATTERN_FORMALS_MAX = 8,
	TP_PATTERN_RELATIONS_MAX = 8,
	TP_PATTERN_TEXT_MAX = 16384, /* of a statement or a part */
};

/* How threads share the arrays; template is a parameter of every pattern. */
enum tp_pattern_template { TP_PATTERN_UNIFIED, TP_PATTERN_INDEPENDENT, TP_PATTERN_NONAFFINE };
const char *tp_pattern_template_name(enum tp_pattern_template template); /* "unified" */
/* The template with a name of `len` bytes; false if missing. */
bool tp_pattern_template_find(const char *name, size_t len, enum tp_pattern_template *template);

/* X(id, name in the document, C type, bytes) */
#define TP_PATTERN_TYPE_LIST(X)                                                                    \
	X(DOUBLE, "double", "double", 8)                                                           \
	X(FLOAT, "float", "float", 4)                                                              \
	X(INT32, "int32", "int32_t", 4)                                                            \
	X(INT64, "int64", "int64_t", 8)                                                            \
	X(COMPLEX, "complex double", "double _Complex", 16)

enum tp_pattern_type {
#define TP_PATTERN_TYPE_ENUM(id, name, c, bytes) TP_PATTERN_##id,
	TP_PATTERN_TYPE_LIST(TP_PATTERN_TYPE_ENUM)
#undef TP_PATTERN_TYPE_ENUM
};
const char *tp_pattern_type_name(enum tp_pattern_type type);
unsigned tp_pattern_type_bytes(enum tp_pattern_type type);

/* A text of the document with its place. NULL text: not given. */
struct tp_pattern_text {
	const char *text;
	struct tp_place place;
};

struct tp_pattern_parameter {
	const char *name, *help;
	int64_t *values; /* the default values of a run; at least one */
	size_t n;
	bool runtime;
	struct tp_place place;
};

struct tp_pattern_array {
	const char *name;
	enum tp_pattern_type type;
	/* elements in each dimension, expressions in the parameters, threads and t */
	struct tp_pattern_text extents[TP_PATTERN_EXTENTS_MAX];
	size_t n_extents;
	struct tp_pattern_text padding; /* elements after each row of the last dimension */
	struct tp_pattern_text offset; /* elements in front of the first */
	unsigned alignment; /* bytes, of the first element without its offset */
	bool private; /* each thread has its own, in every template */
	bool scratch; /* its contents at the end do not count */
	/* the map: names of the indices, and where they lead: one a dimension, or one for all */
	const char *formals[TP_PATTERN_FORMALS_MAX];
	size_t n_formals;
	struct tp_pattern_text map[TP_PATTERN_EXTENTS_MAX];
	size_t n_map;
	struct tp_place place;
};

struct tp_pattern_statement {
	const char *name;
	const char *formals[TP_PATTERN_FORMALS_MAX];
	size_t n_formals;
	struct tp_pattern_text code;
	/* expressions: FLOP of an instance; instances of a pass (not given: isl counts them) */
	struct tp_pattern_text flops, instances;
	/* accesses of an instance as the author counts them; not given: as the text has them */
	struct tp_pattern_text reads, writes;
	struct tp_place place;
};

/* init, run, validate or reference: C code, or domain and schedules. */
struct tp_pattern_part {
	bool given;
	struct tp_pattern_text c, domain;
	struct tp_pattern_text schedule[TP_PATTERN_RELATIONS_MAX];
	size_t n_schedule;
	unsigned parallel; /* depth of the loop that threads share; UINT_MAX = none */
};

struct tp_pattern {
	char name[TP_PATTERN_NAME_BYTES];
	char path[TP_PATH_MAX]; /* for places in messages and in compiled code; "" = none */
	const char *summary;
	struct tp_pattern_parameter parameters[TP_PATTERN_PARAMETERS_MAX];
	size_t n_parameters;
	/* words of the parameters that every pattern has: template and nowait */
	enum tp_pattern_template templates[3];
	size_t n_templates;
	bool nowaits[2];
	size_t n_nowaits;
	struct tp_pattern_array arrays[TP_PATTERN_ARRAYS_MAX];
	size_t n_arrays;
	struct tp_pattern_statement statements[TP_PATTERN_STATEMENTS_MAX];
	size_t n_statements;
	struct tp_pattern_text context; /* what isl may assume of the runtime parameters */
	struct tp_pattern_text declarations; /* C in front of all functions */
	struct tp_pattern_text elements; /* that a pass updates; else instances of statement 1 */
	struct tp_pattern_part init, run, validate;
	/*
	 * validate by another way to the same arrays, on one thread: `plain` if given, else the
	 * first schedule relation of run
	 */
	bool reference;
	struct tp_pattern_part plain;
	bool duplicates; /* the domain has points that repeat each other on purpose */
	struct tp_arena *arena; /* owns all texts */
	const char *document; /* the whole text, which decides what is compiled */
	size_t document_bytes;
};

/*
 * Reads a document; `name` is for messages ("triad.yaml"). Every error is reported; TP_USAGE.
 * Everything that the pattern points to lies in the arena.
 */
enum tp_status tp_pattern_parse(struct tp_pattern *pattern, struct tp_arena *arena,
				const char *name, const char *text, size_t len,
				struct tp_diags *diags);
/*
 * The same from a file: a path (it has a slash or ends in .yaml), or a name in one of the folders
 * of patterns. TP_NOTFOUND with the nearest name.
 */
enum tp_status tp_pattern_load(struct tp_pattern *pattern, struct tp_arena *arena, const char *what,
			       struct tp_diags *diags);

/* The index of the array or parameter with a name of `len` bytes; -1 = none. */
int tp_pattern_find_array(const struct tp_pattern *pattern, const char *name, size_t len);
int tp_pattern_find_parameter(const struct tp_pattern *pattern, const char *name, size_t len);

struct tp_named_file;
/* All patterns that have a name, sorted; heap, the caller frees. */
enum tp_status tp_pattern_list(struct tp_named_file **files, size_t *n, struct tp_diag *diag);
/*
 * True for a name of a pattern that ships with tprof or lies in the user's own folder; false for a
 * path, whose file may be another user's.
 */
bool tp_pattern_is_known(const char *what);

/* --- configurations --- */

/* A pattern with a value for everything. The pattern is borrowed. */
struct tp_pattern_config {
	const struct tp_pattern *pattern;
	enum tp_pattern_template template;
	bool nowait;
	unsigned threads;
	int64_t values[TP_PATTERN_PARAMETERS_MAX]; /* by the pattern's parameters */
};

/* True if all threads work on one array; false if each has its own. */
bool tp_pattern_config_shares(const struct tp_pattern_config *configuration,
			      const struct tp_pattern_array *array);
/*
 * An expression in the parameters, threads, t (the thread) and the first formals of a statement.
 * The diagnosis has the place in the document.
 */
enum tp_status tp_pattern_config_eval(const struct tp_pattern_config *configuration,
				      const struct tp_pattern_text *text, unsigned thread,
				      double *value, struct tp_diag *diag);
/*
 * What an array takes: its elements with padding and offset, in bytes. TP_USAGE for an extent below
 * one, TP_RESOURCE for more than 2^46 bytes.
 */
struct tp_pattern_layout {
	int64_t extents[TP_PATTERN_EXTENTS_MAX]; /* the last one with its padding */
	int64_t offset;
	uint64_t elements; /* without the offset */
	uint64_t bytes; /* of all, with the offset */
};
enum tp_status tp_pattern_config_layout(const struct tp_pattern_config *configuration,
					const struct tp_pattern_array *array,
					struct tp_pattern_layout *layout, struct tp_diag *diag);
/*
 * Bytes of all arrays of the team: shared ones once, those of independent data spaces and private
 * ones once a thread.
 */
enum tp_status tp_pattern_config_bytes(const struct tp_pattern_config *configuration,
				       uint64_t *bytes, struct tp_diag *diag);
/* What a pass of the whole team does. */
struct tp_pattern_work {
	double flops, reads, writes, bytes; /* reads and writes of elements; bytes of both */
	double elements; /* that were updated: as defined by the pattern, or instances of statement
			    1 */
};
enum tp_status tp_pattern_config_work(const struct tp_pattern_config *configuration,
				      struct tp_pattern_work *work, struct tp_diag *diag);
/* "n=1000 tile_i=32", without what is the same in all; returns out. */
const char *tp_pattern_config_name(const struct tp_pattern_config *configuration, char *out,
				   size_t size);

/* --- accesses of a statement's text --- */

/* A place where a statement names an array: "A(i - 1, j)". */
struct tp_pattern_access {
	const struct tp_pattern_array *array;
	const char *arguments[TP_PATTERN_FORMALS_MAX]; /* in the arena that was given */
	size_t n_arguments;
	bool read, write;
};
enum { TP_PATTERN_ACCESSES_MAX = 64 };
/*
 * All accesses of a statement whose text has been expanded; the same element in the same role
 * counts once. TP_USAGE for an unknown array-like name, or a wrong number of indices.
 */
enum tp_status tp_pattern_accesses(const struct tp_pattern *pattern,
				   const struct tp_pattern_statement *statement, const char *code,
				   struct tp_arena *arena,
				   struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX],
				   size_t *n, struct tp_diag *diag);
/*
 * The text of a statement with REPEAT(name, from, to, text) written out, `to` included: what stands
 * for name is replaced. TP_USAGE, TP_RESOURCE beyond TP_PATTERN_TEXT_MAX times 16.
 */
enum tp_status tp_pattern_expand(const struct tp_pattern_config *configuration,
				 const struct tp_pattern_text *code, struct tp_str *out,
				 struct tp_diag *diag);

/* --- code --- */

/*
 * Bytes that decide the C source of a configuration: two with the same key have the same code. One
 * thread runs other code than several, which share loops.
 * Runtime parameters are not a part of it.
 */
void tp_pattern_key(const struct tp_pattern_config *configuration, struct tp_str *key);
/*
 * The C source: functions tp_init, tp_run, tp_validate and tp_reference, those that exist, of void
 * (struct tp_pattern_arguments *, uint64_t passes). Errors have the place in the document.
 */
enum tp_status tp_pattern_source(const struct tp_pattern_config *configuration, struct tp_str *out,
				 struct tp_diag *diag);
/* Only the generated loops of the part `run`, for readers. */
enum tp_status tp_pattern_loops(const struct tp_pattern_config *configuration, struct tp_str *out,
				struct tp_diag *diag);
/*
 * False with a message if the schedule of `run` breaks a dependence of its first relation, or
 * threads share a loop that carries one. True if unknown: for C code, duplicated points, subscripts
 * that isl cannot handle; `why` then has the reason.
 */
enum tp_status tp_pattern_legal(const struct tp_pattern_config *configuration, bool *legal,
				struct tp_str *why, struct tp_diag *diag);

/* What the generated functions take; the source declares the same. */
struct tp_pattern_arguments {
	void *arrays[TP_PATTERN_ARRAYS_MAX]; /* the first element, after its offset */
	int64_t extents[TP_PATTERN_ARRAYS_MAX][TP_PATTERN_EXTENTS_MAX]; /* as in the layouts */
	int64_t values[TP_PATTERN_PARAMETERS_MAX]; /* as the code sees them */
	int64_t thread, threads;
	int64_t team; /* that the code found itself in, when it ran last */
	int64_t inexact; /* elements that validate found right, but not to the last bit */
	/* the first wrong element that validate found */
	struct {
		const char *array; /* NULL = none */
		int64_t index[TP_PATTERN_FORMALS_MAX], n;
		double found, expected;
	} wrong;
};
/* Everything except the arrays. */
void tp_pattern_arguments_fill(const struct tp_pattern_config *configuration, unsigned thread,
			       const struct tp_pattern_layout layouts[TP_PATTERN_ARRAYS_MAX],
			       struct tp_pattern_arguments *arguments);

#endif
