/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Presets: YAML files of options. `runs:` is a list of mappings, one experiment each; keys above it
 * are defaults for all. Without `runs:` the file is one run. Layers, strongest first: command line
 * (--set) > TPROF_* environment > preset > user config.yaml > system config > built in. A preset
 * without any key is an error, a configuration file may be empty; configuration files have no
 * `runs:`. Anchors, aliases, tags and further YAML documents are refused.
 */
#ifndef TPROF_PRESET_PRESET_H
#define TPROF_PRESET_PRESET_H

#include <stdio.h>

#include "base/named.h"
#include "base/str.h"
#include "preset/options.h"

struct tp_preset {
	char path[TP_PATH_MAX]; /* file it came from, or empty */
	struct tp_config *runs; /* at least one after a successful load */
	size_t n_runs;
	struct tp_arena arena; /* owns every value */
};

/* The layers over and under a preset file. */
struct tp_preset_layers {
	const char *const *sets; /* "key=value" from --set, in order; later wins */
	size_t n_sets;
	/*
	 * TPROF_<KEY> variables, dots and dashes as '_' (TPROF_STOP_ERROR); empty ones count as
	 * unset; NULL: none
	 */
	char *const *environ;
	const char *user_config; /* path or NULL; a missing file is not an error */
	const char *system_config;
	/*
	 * Names from the registry of experiments, which this room must not include; without any,
	 * every name is accepted.
	 */
	const char *const *experiments;
	size_t n_experiments;
};

/*
 * Reads `path` (NULL: built-in defaults, one run) with its layers. All errors go to `diags`, with
 * file:line:column ("preset.yaml:3:7") or the layer's name in `where`; TP_USAGE if there was any.
 *
 * Errors are: unknown and duplicate keys, wrong types, values out of range, options written in a
 * run whose experiment does not use them (above runs: they are allowed), broken YAML, deep nesting,
 * a file that is too large, an unknown experiment, --set of an option that no run uses, and
 * size_min above size_max.
 *
 * Other statuses come from reading the file. On success the caller owns `preset`; on failure it is
 * empty.
 */
enum tp_status tp_preset_load(struct tp_preset *preset, const char *path,
			      const struct tp_preset_layers *layers, struct tp_diags *diags);

/* The same from memory; `name` stands for the path in diagnoses. This is what the fuzzer calls. */
enum tp_status tp_preset_parse(struct tp_preset *preset, const char *name, const char *text,
			       size_t len, const struct tp_preset_layers *layers,
			       struct tp_diags *diags);

/*
 * A preset inside another file, as the mapping `node`. Its errors go to the `faults` of that file,
 * those of the other layers to `diags`. A --set of an option that no run uses is not an error here:
 * the file may hold several presets, and tp_preset_check_sets() asks whether one of them uses it.
 * `preset` keeps nothing of the node.
 */
struct tp_node;
struct tp_faults;

enum tp_status tp_preset_take_node(struct tp_preset *preset, const struct tp_node *node,
				   const struct tp_preset_layers *layers, struct tp_faults *faults,
				   struct tp_diags *diags);

/*
 * A note for each TPROF_ variable that is neither an option nor one of the program's own. The hint
 * is the nearest option's variable, or empty.
 */
void tp_environment_strangers(char *const *environ, struct tp_diags *diags);

/* Complains about each --set of an option that no run of these presets uses. */
void tp_preset_check_sets(const struct tp_preset *const *presets, size_t n, const char *const *sets,
			  size_t n_sets, struct tp_diags *diags);
void tp_preset_release(struct tp_preset *preset);

/* The same values, from the same places, in its own memory. */
void tp_preset_copy(struct tp_preset *to, const struct tp_preset *from);

/*
 * Finds a preset by what the user typed: an existing path, or the name of a preset ("quick" ->
 * presets/quick.yaml). The user's own presets (presets/ in the user's configuration or data
 * directory) come before the shipped ones. TP_NOTFOUND names the nearest.
 */
enum tp_status tp_preset_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag);

/*
 * Writes YAML that loads to the same preset without other layers. Without `all` it holds the
 * experiment and the values that differ from the defaults or were given; with `all` (--print-
 * config) every option, with its source as a comment. Values of options that an experiment does not
 * use are written above `runs:`, where they are allowed. Comments of the original file are lost.
 */
enum tp_status tp_preset_write(const struct tp_preset *preset, bool all, struct tp_str *out);

/*
 * A config as text for the engine: lines "key=value" with values for tp_option_parse. A line feed
 * in a value is written \n, a backslash \\. Options at their default are left out; the others are
 * marked as coming from a preset when read back.
 */
void tp_config_flatten(const struct tp_config *config, struct tp_str *out);

enum tp_status tp_config_unflatten(struct tp_config *config, const char *text,
				   struct tp_arena *arena, struct tp_diag *diag);

/*
 * The shipped presets and the user's own, for --list presets. The title is `notes` or the first
 * comment line. Heap array sorted by name; the caller frees it. Directories that cannot be read are
 * skipped.
 */
enum tp_status tp_preset_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag);

#endif
