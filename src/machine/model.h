/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of a machine model, their kinds and ranges: for their reader and for
 * tprof-machine(5).
 */
#ifndef TPROF_MACHINE_MODEL_H
#define TPROF_MACHINE_MODEL_H

#include "base/yaml.h"
#include "machine/machine.h"

enum tp_model_kind {
	TP_MODEL_TEXT, /* char[] */
	TP_MODEL_NUMBER, /* double; also a fraction "1/5" */
	TP_MODEL_COUNT, /* unsigned */
	TP_MODEL_SIZE, /* uint64_t bytes */
	TP_MODEL_INT, /* int */
	TP_MODEL_RANGE, /* match_stepping_min and _max: "4" or "0-4" */
	TP_MODEL_LIST, /* numbers and ranges: match_models */
	TP_MODEL_WORD_LIST, /* struct tp_model_words; one word needs no list */
	TP_MODEL_MAP, /* a mapping with its own table */
	TP_MODEL_ISA_MAP, /* the mapping from ISA names to their figures */
};

struct tp_model_table;
struct tp_model_field {
	const char *key;
	enum tp_model_kind kind;
	size_t offset, size; /* in struct tp_model, or in struct tp_model_isa */
	double min, max;
	bool required;
	const struct tp_model_table *map;
	/* for tprof-machine(5): what it means; NULL: the next key says it for both */
	const char *help;
};
enum { TP_MODEL_FIELDS_MAX = TP_YAML_KEYS_MAX }; /* in one table */
struct tp_model_table {
	const char *name; /* where its keys stand, for messages */
	const struct tp_model_field *fields;
	size_t n;
};
extern const struct tp_model_table tp_model_table; /* the whole file */

#endif
