/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside the reader of bases: mappings by tables of their keys, and checked values, kept in the basis. What is wrong goes to the report with its
 * place. Running out of memory is noted once in the reader.
 */
#ifndef TPROF_PRESET_BASIS_KEYS_H
#define TPROF_PRESET_BASIS_KEYS_H

#include "preset/basis.h"
#include "preset/reader.h"

enum { TP_BASIS_NAME_BYTES = 96, TP_BASIS_TEXT_BYTES = 4096, TP_BASIS_SHOWN_BYTES = 64 };

struct tp_basis_reader {
	struct tp_basis *basis;
	struct tp_report *report;
	bool whole; /* the file did not break off: what is missing in it is missing indeed */
	bool out_of_memory;
};

struct tp_basis_key {
	const char *name;
	bool required;
	const struct tp_node *value; /* NULL where it is not given, or is nothing */
	bool given;
};

/* Zeroed memory of the basis for `n` items; NULL when out of memory. */
void *tp_basis_room(struct tp_basis_reader *r, size_t n, size_t size_bytes);
/* A copy in the basis, never NULL. */
const char *tp_basis_keep(struct tp_basis_reader *r, const char *text, size_t len);

/* A trimmed text without control characters (a line end is fine with `lines`), shorter than `max_bytes`; NULL if it is none. */
const char *tp_basis_text(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
			  size_t max_bytes, bool lines);
/* A number from `least` to `most`; `bytes` takes sizes like 32KiB too. False if it is none. */
bool tp_basis_number(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
		     bool bytes, double least, double most, double *value);
/* How many children a list has; 0 for what is no list, longer than `most`, or empty. */
size_t tp_basis_list(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
		     size_t most);
size_t tp_basis_children(const struct tp_node *node);

/* Sorts the members of a mapping into `keys` (at most 16); false if it is none. */
bool tp_basis_keys(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
		   struct tp_basis_key *keys, size_t n);
/* The text of a key, or "" where it is not given. */
const char *tp_basis_text_at(struct tp_basis_reader *r, const struct tp_basis_key *key,
			     size_t max_bytes, bool lines);

#endif
