/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside the preset room: the steps between the text of a file and the resolved options.
 * yaml.c makes nodes of text, overlay.c makes options of nodes, layers.c of everything that is not YAML, preset.c lays
 * them over each other.
 */
#ifndef TPROF_PRESET_READER_H
#define TPROF_PRESET_READER_H

#include "preset/preset.h"

enum {
	TP_PRESET_MAX_BYTES = 256 * 1024,
	TP_PRESET_MAX_DEPTH = 6, /* file, runs, run, stop, list: one more than needed */
	TP_PRESET_MAX_RUNS = 256,
	TP_PRESET_MAX_ERRORS = 50, /* reported for one file; more are only counted */
};

/* A place in a file; from 1, as editors count. 0 = the file as a whole. */
struct tp_place {
	unsigned line, column;
};

enum tp_node_kind { TP_NODE_SCALAR, TP_NODE_SEQUENCE, TP_NODE_MAPPING };

/* What YAML held. Children of a mapping are its keys, each with its `value` (NULL where the file broke off). */
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

/* The errors of one source, kept in the order of its lines. */
struct tp_report {
	const char *name; /* of the file */
	struct tp_found {
		struct tp_place place;
		struct tp_diag diag;
	} * items;
	size_t n, cap, untold;
	bool of_basis; /* the file is a basis, not a preset: for the words of what YAML is refused */
};

void tp_report_add(struct tp_report *report, struct tp_place place, const char *hint,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A diagnosis of tp_option_parse about `key`, with its place. */
void tp_report_option(struct tp_report *report, struct tp_place place, const char *key,
		      const struct tp_diag *diag);
/* Hands the errors on, and is empty and without memory afterwards. Returns how many there were. */
size_t tp_report_flush(struct tp_report *report, struct tp_diags *diags);

/* "name:3:7", shortened at its front when `size` is too small, fit to be shown. */
const char *tp_place_text(char *out, size_t size, const char *name, struct tp_place place);

/*
 * Reads one YAML document. *root is NULL if the text holds none. Broken YAML is reported and what stands before it is kept,
 * so that its other errors can be told too. Fails only for want of memory.
 */
enum tp_status tp_yaml_read(const char *text, size_t len, struct tp_arena *arena,
			    struct tp_node **root, struct tp_report *report);

/* True for an unquoted ~, null or nothing. */
bool tp_node_is_null(const struct tp_node *node);

/*
 * Reads a file for its title alone: `take` gets its text and the mapping it is (NULL: it is none). It is not called for a file that cannot be
 * read, and other errors are not told: they are when the file is used.
 */
void tp_title_read(const char *path, char *out, size_t size,
		   void (*take)(const char *text, const struct tp_node *root, char *out,
				size_t size));

/* The options that one place has written. */
struct tp_overlay {
	struct tp_value values[TP_OPT_COUNT];
	bool given[TP_OPT_COUNT]; /* set also where the value was wrong */
	struct tp_place keys[TP_OPT_COUNT];
};

/* The overlays of a file: `shared` and one for each entry of `runs:` (none if there is no `runs:`). */
struct tp_sheet {
	struct tp_overlay shared;
	struct tp_overlay *runs;
	size_t n_runs;
	bool has_runs;
	bool whole; /* the text did not break off, so what is missing in it is missing indeed */
};

/* Text of a preset (`may_run`) or of a configuration file into overlays; errors go to the report. Fails only for want of memory. */
enum tp_status tp_sheet_read(const char *text, size_t len, bool may_run,
			     enum tp_value_source source, struct tp_arena *arena,
			     struct tp_sheet *sheet, struct tp_report *report);

/* TPROF_* variables; unknown ones are errors, those of the program itself are not. */
enum tp_status tp_overlay_environment(char *const *environ, struct tp_arena *arena,
				      struct tp_overlay *overlay, struct tp_diags *diags);
/* --set key=value; later wins. */
enum tp_status tp_overlay_sets(const char *const *sets, size_t n, struct tp_arena *arena,
			       struct tp_overlay *overlay, struct tp_diags *diags);

#endif
