/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Presets: YAML files of options. `runs:` is a list of mappings, one experiment each; keys above it are defaults for all.
 * Without `runs:` the file is one run. Layers, strongest first: command line (--set) > TPROF_* environment > preset >
 * user config.yaml > system config > built in. A preset without any key is an error, a configuration file may be empty;
 * configuration files have no `runs:`. Anchors, aliases, tags and further YAML documents are refused.
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

/* What is laid over and under a preset file. */
struct tp_preset_layers {
	const char *const *sets; /* "key=value" from --set, in order; later wins */
	size_t n_sets;
	char *const *
		environ; /* TPROF_<KEY> variables, dots and dashes as '_' (TPROF_STOP_ERROR); empty ones count as unset; NULL: none */
	const char *user_config; /* path or NULL; a missing file is no error */
	const char *system_config;
};

/*
 * Reads `path` (NULL: built-in defaults only, one run) with its layers. All errors of all layers go to `diags`
 * with file:line:column ("preset.yaml:3:7") or the layer's name in `where`; TP_USAGE if there was any. Unknown keys, duplicate
 * keys, wrong types, values out of range, options that do not belong to the run's experiment (only when written in the same
 * run: shared defaults may be wider), broken YAML, aliases to nowhere, nesting and files too large are errors. `experiment`
 * is checked against `experiments` (n names from the experiment registry; this room does not know them).
 * Errors too: TPROF_ variables that are no options (but the few of the program and its tests, see layers.c), --set of an option that no
 * run uses, and size_min above size_max. With no names given (n_experiments 0) any experiment is taken. Other statuses: that of
 * reading the file, TP_NOMEM.
 * On success the caller owns `preset`; on failure it is empty.
 */
enum tp_status tp_preset_load(struct tp_preset *preset, const char *path,
			      const struct tp_preset_layers *layers, const char *const *experiments,
			      size_t n_experiments, struct tp_diags *diags);

/* The same from memory; `name` stands for the path in diagnoses. This is what the fuzzer calls. */
enum tp_status tp_preset_parse(struct tp_preset *preset, const char *name, const char *text,
			       size_t len, const struct tp_preset_layers *layers,
			       const char *const *experiments, size_t n_experiments,
			       struct tp_diags *diags);

void tp_preset_release(struct tp_preset *preset);

/*
 * Finds a preset by what the user typed: an existing path, else the name of a preset ("quick" -> presets/quick.yaml) among the
 * user's own (presets/ in the user's configuration or data directory of tprof) or the shipped ones, in that order. TP_NOTFOUND names the nearest.
 */
enum tp_status tp_preset_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag);

/*
 * Writes YAML that loads to the same preset (without other layers). `all` false: the experiment, and values that differ from
 * the defaults or were given explicitly; true (--print-config): every option, with its source as a comment. Values of options
 * that an experiment does not use stand above `runs:`, where they are allowed; comments of the read file are not kept.
 */
enum tp_status tp_preset_write(const struct tp_preset *preset, bool all, struct tp_str *out);

/*
 * One config as a flat text form, "key=value\n" lines with values for tp_option_parse, used to hand it to the engine. In values a
 * line end is \n and a backslash \\. Options at their default are left out and get it again; the others come back as from a preset.
 */
void tp_config_flatten(const struct tp_config *config, struct tp_str *out);
enum tp_status tp_config_unflatten(struct tp_config *config, const char *text,
				   struct tp_arena *arena, struct tp_diag *diag);

/*
 * Shipped presets and the user's own, for --list presets; the title is `notes` or the first comment line. Heap array sorted by name; caller
 * frees. A directory that cannot be read is left out.
 */
enum tp_status tp_preset_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag);

#endif
