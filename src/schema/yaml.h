/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader of YAML. It makes a small tree of nodes with their places in the file, and refuses
 * what our files do not use. The room that owns a kind of file gives keys and values their meaning.
 */
#ifndef TPROF_SCHEMA_YAML_H
#define TPROF_SCHEMA_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/status.h"

enum {
	TP_YAML_MAX_BYTES = 16 << 20, /* a preset may hold a long command */
	/* of a lesson: file, steps, step, preset, runs, run, stop, list; and one more */
	TP_YAML_MAX_DEPTH = 9,
};

/* A kind of files: what they are called in messages, and the hints that help. */
struct tp_yaml_kind {
	const char *files, *one; /* "presets", "a preset" */
	/* for an anchor, a tag, a second document, broken YAML, a file that is too long */
	const char *share, *type, *several, *form, *too_long;
	bool anchors; /* anchors and aliases are allowed */
};

enum tp_node_kind { TP_NODE_SCALAR, TP_NODE_SEQUENCE, TP_NODE_MAPPING };

/* Children of a mapping are its keys, each with its `value` (NULL where the file broke off). */
struct tp_node {
	enum tp_node_kind kind;
	struct tp_place place;
	const char *text; /* scalar: bytes in UTF-8, terminated, may hold NUL characters */
	size_t len;
	bool plain; /* scalar without quotes */
	bool closed; /* collection: read to its end, so the file did not break off inside */
	struct tp_node *value;
	struct tp_node *first, *last, *next;
};

/*
 * Reads one YAML document. *root is NULL if the text holds none. Broken YAML is an error, but the
 * nodes before it are kept, so their errors can be shown too.
 */
void tp_yaml_read(const char *text, size_t len, const struct tp_yaml_kind *kind,
		  struct tp_arena *arena, struct tp_node **root, struct tp_faults *faults);

/*
 * Reads only the title of a file: the first line of the key `name`, or what `without` (may be NULL)
 * finds in the text. It is not called for a file that cannot be read. Errors are not shown here but
 * when the file is used.
 */
void tp_yaml_title(const char *path, const struct tp_yaml_kind *kind, const char *name,
		   void (*without)(const char *text, char *out, size_t size), char *out,
		   size_t size);

/* True for an unquoted ~, null or nothing. */
bool tp_node_is_null(const struct tp_node *node);
/* True for a scalar of just that text. */
bool tp_node_is(const struct tp_node *node, const char *text);
size_t tp_node_count(const struct tp_node *node); /* of its children */
/* The value of a key; NULL if the node is not a mapping, or has no such key. */
const struct tp_node *tp_node_value(const struct tp_node *node, const char *name);

/* A key that a mapping may have. `where` in the functions names the mapping in messages. */
struct tp_yaml_key {
	const char *name;
	bool required;
	const struct tp_node *value; /* NULL where the key or its value is missing */
	bool given;
};
enum { TP_YAML_KEYS_MAX = 24 };

/*
 * Assigns the members of a mapping to `keys` (at most TP_YAML_KEYS_MAX). Complains about unknown
 * keys with the nearest or with all, and about keys that are repeated, empty or missing. False
 * after a complaint if the node is not a mapping.
 */
bool tp_yaml_keys(struct tp_faults *faults, const struct tp_node *node, const char *where,
		  struct tp_yaml_key *keys, size_t n);
/* True after a complaint if the key stands in the mapping above already. */
bool tp_yaml_twice(struct tp_faults *faults, const struct tp_node *mapping,
		   const struct tp_node *key);

#endif
