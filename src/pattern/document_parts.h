/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to the reader of patterns: checked values of the document. Each function complains with
 * the place of what is wrong, and returns false or 0 then.
 */
#ifndef TPROF_PATTERN_DOCUMENT_PARTS_H
#define TPROF_PATTERN_DOCUMENT_PARTS_H

#include "base/yaml.h"
#include "pattern/pattern.h"

enum { TP_PATTERN_WORD_BYTES = 32 };

struct tp_pattern_reader {
	struct tp_pattern *pattern;
	struct tp_faults *faults;
	bool out_of_memory;
};

/* A trimmed text of at most `most` bytes, with lines. */
bool tp_pattern_take_text(struct tp_pattern_reader *r, const struct tp_node *node, const char *what,
			  size_t most, struct tp_pattern_text *out);
/* One text, or a list of at most `most`; returns how many. */
size_t tp_pattern_take_texts(struct tp_pattern_reader *r, const struct tp_node *node,
			     const char *what, struct tp_pattern_text *out, size_t most,
			     size_t bytes_most);
/* An expression where the key is given. */
void tp_pattern_take_expression(struct tp_pattern_reader *r, const struct tp_yaml_key *key,
				struct tp_pattern_text *out);
bool tp_pattern_take_bool(struct tp_pattern_reader *r, const struct tp_node *node, const char *what,
			  bool *out);
bool tp_pattern_take_count(struct tp_pattern_reader *r, const struct tp_node *node,
			   const char *what, int64_t most, int64_t *out);
/* An identifier that is no word of C, isl or tprof. */
bool tp_pattern_take_name(struct tp_pattern_reader *r, const struct tp_node *node, const char *text,
			  size_t len, const char *what, const char **out);
/* "NAME(i, j)": the length of the name, and its indices. */
size_t tp_pattern_take_formals(struct tp_pattern_reader *r, const struct tp_node *key,
			       const char *what, const char *formals[TP_PATTERN_FORMALS_MAX],
			       size_t *n);

#endif
