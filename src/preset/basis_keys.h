/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to the reader of bases: reads mappings by tables of their keys, and checked values into
 * the memory of the basis. Errors are noted with their place. The reader notes once when memory
 * runs out.
 */
#ifndef TPROF_PRESET_BASIS_KEYS_H
#define TPROF_PRESET_BASIS_KEYS_H

#include "preset/basis.h"
#include "base/yaml.h"

enum { TP_BASIS_NAME_BYTES = 96, TP_BASIS_TEXT_BYTES = 4096, TP_BASIS_SHOWN_BYTES = 64 };

extern const struct tp_yaml_kind tp_basis_yaml;

struct tp_basis_reader {
	struct tp_basis *basis;
	struct tp_faults *faults;
	bool out_of_memory;
};

/* Zeroed memory of the basis for `n` items; NULL when out of memory. */
void *tp_basis_room(struct tp_basis_reader *r, size_t n, size_t size_bytes);
/* A copy in the basis, never NULL. */
const char *tp_basis_keep(struct tp_basis_reader *r, const char *text, size_t len);

/*
 * A trimmed text without control characters (`lines` allows line feeds), shorter than `max_bytes`;
 * NULL after a complaint.
 */
const char *tp_basis_text(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
			  size_t max_bytes, bool lines);
/*
 * A number from `least` to `most`; `bytes` also allows sizes like 32KiB. False after a complaint.
 */
bool tp_basis_number(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
		     bool bytes, double least, double most, double *value);
/*
 * The number of items of a list. Complains and returns 0 if the node is no list, is empty, or has
 * more than `most` items.
 */
size_t tp_basis_list(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
		     size_t most);

/* The text of a key, or "" where it is not given. */
const char *tp_basis_text_at(struct tp_basis_reader *r, const struct tp_yaml_key *key,
			     size_t max_bytes, bool lines);

#endif
