/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options from the nodes of a file, from the environment and from --set, in layers. */
#ifndef TPROF_PRESET_READER_H
#define TPROF_PRESET_READER_H

#include "schema/yaml.h"
#include "preset/preset.h"

enum {
	TP_PRESET_MAX_RUNS = 256,
};

extern const struct tp_yaml_kind tp_preset_yaml;

/* The options that one place has written. */
struct tp_layer {
	struct tp_value values[TP_OPTIONS_MAX]; /* by tp_option_index() */
	bool given[TP_OPTIONS_MAX]; /* set also where the value was wrong */
	bool collected[TP_OPTIONS_MAX]; /* it has only items that were collected one by one */
	struct tp_place keys[TP_OPTIONS_MAX];
};

/* A file: its shared layer, and a layer for each entry of `runs:`. */
struct tp_sheet {
	struct tp_layer shared;
	struct tp_layer *runs;
	size_t n_runs;
	bool has_runs;
	bool whole; /* the text did not break off, so a missing key is really missing */
};

/* Text of a preset (`may_run`) or of a configuration file into layers; errors go to `faults`. */
void tp_sheet_read(const char *text, size_t len, bool may_run, enum tp_value_source source,
		   struct tp_arena *arena, struct tp_sheet *sheet, struct tp_faults *faults);

/* The same of a node of another file. */
void tp_sheet_take(const struct tp_node *root, bool may_run, enum tp_value_source source,
		   struct tp_arena *arena, struct tp_sheet *sheet, struct tp_faults *faults);

/* TPROF_* variables. Those without an option are ignored: modulefiles set some, such as TPROF_ROOT.
 */
void tp_layer_environment(char *const *environ, struct tp_arena *arena, struct tp_layer *layer,
			  struct tp_diags *diags);

/* --set key=value; later wins. */
void tp_layer_sets(const char *const *sets, size_t n, struct tp_arena *arena,
		   struct tp_layer *layer, struct tp_diags *diags);

/* Merges collected items over the existing ones. */
void tp_value_lay(struct tp_value *value, const struct tp_value *above, struct tp_arena *arena);

#endif
