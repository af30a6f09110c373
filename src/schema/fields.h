/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML from outside as tables of fields. A shape lists the keys of a mapping, the kinds of their
 * values and their places in a struct. One reader fills the struct, and complains about each wrong
 * value with its place, what was found and what is allowed.
 *
 * Documents in JSON are rows of typed tables (table/table.h, table/json.h).
 */
#ifndef TPROF_SCHEMA_FIELDS_H
#define TPROF_SCHEMA_FIELDS_H

#include "base/str.h"
#include "schema/yaml.h"

struct tp_reader {
	struct tp_faults *faults;
	struct tp_arena *arena; /* owns nodes, texts and lists */
	void *document; /* for the kinds of values that only one room has */
	const char *where; /* of `check`: the name of its mapping */
};

struct tp_field;
struct tp_shape;

/* A kind of value. */
struct tp_kind {
	/* Writes the value to `to`; false after a complaint. */
	bool (*read)(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		     void *to);
	/* Adds what is allowed, for hints and the manual: "a number from 0 to 1". May be NULL. */
	void (*allowed)(const struct tp_field *field, struct tp_str *out);
};

/* char[]; `const char *`, trimmed, in the arena: both of at most `most` bytes; bool */
extern const struct tp_kind tp_kind_chars, tp_kind_text, tp_kind_flag;
/* double, also a fraction "1/5"; unsigned or int64_t; uint64_t bytes: from `least` to `most` */
extern const struct tp_kind tp_kind_number, tp_kind_count, tp_kind_size;
/* A mapping of `shape`, into the member that is its struct. */
extern const struct tp_kind tp_kind_mapping;
/*
 * A list, and a mapping from names: `least` to `most` entries, each a struct of `shape`. The member
 * is a pointer to structs in the arena, or an array of `most` structs that is larger than a
 * pointer; `count` is the offset of the size_t that counts them.
 */
extern const struct tp_kind tp_kind_list, tp_kind_names;

struct tp_field {
	const char *key;
	const struct tp_kind *kind;
	size_t offset, size; /* of the member */
	double least, most;
	bool required;
	bool lines; /* the text may have several */
	const struct tp_shape *shape;
	size_t count;
	const char *entries; /* of a list, in words: "names with their extents" */
	const char *hint; /* how to write a list, or a text */
	/* For the manual; NULL: the next key describes both. */
	const char *help;
};

/* A field that is a member of the struct. Further members of tp_field may follow. */
#define TP_FIELD(struct_type, member, name, what, ...)                                             \
	{                                                                                          \
		.key = (name), .kind = &tp_kind_##what, .offset = offsetof(struct_type, member),   \
		.size = sizeof(((struct_type *)0)->member), __VA_ARGS__                            \
	}

struct tp_shape {
	const char *name; /* of the mapping, for messages: "memory"; NULL: the name of the entry */
	const struct tp_field *fields; /* at most TP_YAML_KEYS_MAX, read in this order */
	size_t n;
	const struct tp_yaml_kind *file; /* if it is a whole file */
	/* Of an entry: the bytes of its struct, and what it begins as; NULL: zeros. */
	size_t bytes;
	const void *blank;
	/*
	 * Reads what comes before the fields of an entry: `node` is an item, or a name with its
	 * `value`. False: there is no such entry. May be NULL.
	 */
	bool (*begin)(struct tp_reader *r, const struct tp_node *node, void *out);
	/* The field that is meant where an entry is not a mapping, or has no keys. May be NULL. */
	const struct tp_field *alone;
	/* Judges the fields together; `given` are their keys. May be NULL. */
	void (*check)(struct tp_reader *r, const struct tp_node *node,
		      const struct tp_yaml_key *given, void *out);
};

#define TP_SHAPE(list) .fields = (list), .n = sizeof(list) / sizeof((list)[0])

/* Fills a struct from a whole file, which `name` stands for. TP_USAGE with all that is wrong. */
enum tp_status tp_shape_parse(struct tp_reader *r, const struct tp_shape *shape, const char *name,
			      const char *text, size_t len, void *out, struct tp_diags *diags);

/* For kinds of one room: */

void tp_allow_text(const struct tp_field *field, struct tp_str *out);
void tp_allow_flag(const struct tp_field *field, struct tp_str *out);
void tp_allow_number(const struct tp_field *field, struct tp_str *out);
void tp_allow_count(const struct tp_field *field, struct tp_str *out);

/* The text of a scalar without control characters, but lines where the field has them; else NULL,
 * after a complaint. */
const char *tp_field_scalar(struct tp_reader *r, const struct tp_field *field,
			    const struct tp_node *node);
/* Reports that the value is not allowed, and what is: `hint`, or NULL for the words of the kind. */
bool tp_field_refuse(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		     const char *hint);
/* Reports that a list has the wrong number of entries, or is not a list, unless it is right. */
bool tp_field_entries(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		      enum tp_node_kind kind);

#endif
