/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options. Their rows make the preset reader, `--set`, `--print-config`, `--help`, the Setup form,
 * the completion and the OPTIONS section of tprof-preset(5). An option is defined nowhere else.
 * Each experiment has its own list (src/experiments/NAME/options.h); what they share is in
 * preset/shared_options.h.
 */
#ifndef TPROF_PRESET_OPTIONS_H
#define TPROF_PRESET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/str.h"

enum { TP_OPTIONS_MAX = 256, TP_OPTION_GROUP_MAX = 48 };

enum tp_option_type {
	/*
	 * free text of at most `max` bytes of UTF-8, without control characters; only notes may
	 * have lines
	 */
	TP_TYPE_TEXT,
	/*
	 * one of `words`, or any word when `words` is "" (names from a registry: checked by their
	 * room)
	 */
	TP_TYPE_WORD,
	TP_TYPE_COUNT, /* unsigned integer in [min, max], or one of `words` ("all") */
	TP_TYPE_REAL, /* number in [min, max], or one of `words` ("keep") */
	TP_TYPE_BYTES, /* size in [min, max]: 32KiB */
	TP_TYPE_SECONDS, /* duration in [min, max]: 2, 500ms, 200us */
	TP_TYPE_BOOL, /* true, false (yes, no, on, off, 1, 0) */
	/* loads:stores, each at most `max`, e.g. 2:1, 1:0, 0:1, or the word "best" */
	TP_TYPE_RATIO,
	TP_TYPE_DOT, /* the user's own dot of a roofline: base/own_dot.h */
};

enum tp_form_section { TP_FORM_REST, TP_FORM_WHAT, TP_FORM_WHERE, TP_FORM_HOW_LONG, TP_FORM_STATE };

struct tp_option {
	const char *key;
	enum tp_option_type type;
	bool list;
	double min, max;
	const char *fallback; /* default, as text ("" = none); lists separated by commas */
	/* allowed words, space-separated, or "" (WORD: any; COUNT, RATIO: none but numbers) */
	const char *words;
	const char *help;
	/* The rest may be left out. */
	bool for_all; /* shared options: every experiment uses it */
	/*
	 * Of a list with the key GROUP.X: any other key GROUP.NAME is its item NAME=VALUES, and
	 * replaces such an item from a weaker source.
	 */
	bool collects;
	/* One text that a preset may write as a list, whose items are joined by "; ". */
	bool joins;
	bool command; /* each text is a command, read into words by tp_command_split */
	bool code; /* a value may name code that a run runs: see session/session.h */
	/* values worth offering, space-separated, where `words` has none or not all */
	const char *offers;
	const char *meanings; /* of single words: "WORD TAB MEANING LINE-FEED" each */
	/*
	 * Its place in the Setup form. Options without a section come after the sections, with
	 * their owner's heading, and like those that are not `main` they are shown on request, or
	 * when their value is not the default.
	 */
	enum tp_form_section form_section;
	int form_place; /* order in the section, from 1 */
	bool form_main; /* always shown if the experiment uses the option */
	const char *command_line; /* what only a command line adds to its help; NULL = nothing */
	bool form_tells; /* its note is the meaning of the chosen word */
};

/* The last members of a row: its place in the form, shown at once or on request. */
#define TP_FORM(section, place)                                                                    \
	.form_section = TP_FORM_##section, .form_place = (place), .form_main = true
#define TP_FORM_MORE(section, place) .form_section = TP_FORM_##section, .form_place = (place)

/*
 * An option is a row of its owner's list of options, a macro that is given to the three below:
 * declared in a header, defined in one file, and named in the owner's group. Columns: ID, key,
 * type, is list, min, max, default, words, help, and any further member as .member = value.
 *
 * A key with a dot is a child of a mapping: "stop.error" is written `stop: {error: 1%}` in YAML and
 * --set stop.error=0.01. REAL accepts a trailing % (1% = 0.01). Words are compared without regard
 * to case and stored as the row spells them.
 *
 * The option is then called TP_OPT_ID: tp_config_count(config, TP_OPT_THREADS).
 */
#define TP_OPTION_DECLARE(id, ...) extern const struct tp_option TP_OPT_##id[1];
#define TP_OPTION_DEFINE(id, key_, type_, list_, min_, max_, fallback_, words_, ...)               \
	const struct tp_option TP_OPT_##id[1] = { { .key = key_,                                   \
						    .type = TP_TYPE_##type_,                       \
						    .list = list_,                                 \
						    .min = min_,                                   \
						    .max = max_,                                   \
						    .fallback = fallback_,                         \
						    .words = words_,                               \
						    .help = __VA_ARGS__ } };
#define TP_OPTION_ROW(id, ...) TP_OPT_##id,

/* The options of one owner: an experiment, or preset/shared_options.h. */
struct tp_option_group {
	const char *experiment; /* NULL: shared */
	const char *heading; /* in the form, of options without a place there */
	const char
		*uses; /* keys of the shared options that it uses, space-separated; may be NULL */
	int place; /* groups with a lower place come first in files, --help and completion */
	const struct tp_option *rows[TP_OPTION_GROUP_MAX]; /* up to NULL */
};

/* Before the first option is read, once: every group, up to NULL. */
void tp_preset_use(const struct tp_option_group *const *groups);
const struct tp_option_group *const *tp_option_groups(void);

/* The options in the order of places: the i-th, or NULL after the last. */
const struct tp_option *tp_option_at(size_t i);
size_t tp_option_count(void);
size_t tp_option_index(const struct tp_option *option); /* its place in that order */
const struct tp_option *tp_option_find(
	const char *key); /* NULL if there is none; '-' and '_' are equal */
/* The key nearest to a mistyped one, or NULL. */
const char *tp_option_nearest(const char *key);
/* Its help for a command line. Appended. */
void tp_option_text(const struct tp_option *option, struct tp_str *out);
/* The experiment that the option belongs to; NULL: shared. */
const char *tp_option_owner(const struct tp_option *option);
/* True if an experiment uses the option. */
bool tp_option_belongs(const struct tp_option *option, const char *experiment);
/* The experiments that use it, with `joint` between them; nothing if all do. */
void tp_option_users(const struct tp_option *option, const char *joint, struct tp_str *out);

/*
 * The values to offer, separated by blanks, "" for none. *open: other values in the range can be
 * typed. Names from a registry or from the machine are not among them.
 */
const char *tp_option_offered(const struct tp_option *option, bool *open);
/* A short meaning of a word of the option; "" if none. */
const char *tp_option_meaning(const struct tp_option *option, const char *word, char *out,
			      size_t size);

/* One value. Which member holds it follows from the option's type. */
struct tp_scalar {
	const char *text; /* always: as written, canonical ("32KiB", "2:1", "avx2") */
	uint64_t count; /* COUNT, BYTES, BOOL (0/1); COUNT written as "all" is UINT64_MAX */
	double real; /* REAL, SECONDS, and COUNT/BYTES as double */
	unsigned loads, stores; /* RATIO; both 0 means "best" */
	char **words; /* of a command, at least one, up to NULL */
	bool typed; /* by the user in a field of the screens: it is the user's word */
};

/* Where a value came from, weakest first. */
enum tp_value_source {
	TP_FROM_DEFAULT,
	TP_FROM_SYSTEM,
	TP_FROM_USER_CONFIG,
	TP_FROM_PRESET,
	TP_FROM_ENVIRONMENT,
	TP_FROM_COMMAND_LINE
};

struct tp_value {
	struct tp_scalar *items;
	size_t n;
	enum tp_value_source source;
	char where[96]; /* "file.yaml:3:7", "--set", "TPROF_THREADS" */
};

/* Every option of one experiment run, resolved. Lists may be empty only if the default is "". */
struct tp_config {
	struct tp_value values[TP_OPTIONS_MAX]; /* by the order of tp_option_at() */
};

/* Readers; the item 0 forms return the default of the type (0, "", NULL) for an empty value. */
const char *tp_config_text(const struct tp_config *config, const struct tp_option *option);
char **tp_config_words(const struct tp_config *config, const struct tp_option *option);
uint64_t tp_config_count(const struct tp_config *config, const struct tp_option *option);
double tp_config_real(const struct tp_config *config, const struct tp_option *option);
const struct tp_value *tp_config_value(const struct tp_config *config,
				       const struct tp_option *option);
/* The same to be changed. */
struct tp_value *tp_config_at(struct tp_config *config, const struct tp_option *option);

/* Every option at its built-in default. Fails only without memory. */
enum tp_status tp_config_defaults(struct tp_config *config, struct tp_arena *arena,
				  struct tp_diag *diag);

/* The items separated by commas: what tp_option_parse reads. */
void tp_value_text(const struct tp_option *option, const struct tp_value *value,
		   struct tp_str *out);
/* Same items; where they came from does not matter. */
bool tp_value_equal(const struct tp_value *a, const struct tp_value *b);

enum { TP_LIST_MAX = 1024 };

/*
 * Parses `text` (a scalar or, for lists, comma-separated scalars, optionally in [ ]) into `value`
 * after checking type, range and words. On error the diagnosis has the text found, what is allowed
 * and the nearest word, with the key as `where`; `value` is untouched. On success `value` is from
 * TP_FROM_DEFAULT and no place: which the caller fills in. A list holds at most TP_LIST_MAX items,
 * all different. An empty text is a value (of no items) only where the default is "". An item of a
 * list of free texts may stand in double quotes, so that it can hold commas; in them \" is a quote
 * and \\ a backslash.
 */
enum tp_status tp_option_parse(const struct tp_option *option, const char *text,
			       struct tp_arena *arena, struct tp_value *value,
			       struct tp_diag *diag);

/* The same for one item of `len` bytes that need no terminator. */
enum tp_status tp_scalar_parse(const struct tp_option *option, const char *text, size_t len,
			       struct tp_arena *arena, struct tp_scalar *scalar,
			       struct tp_diag *diag);
/* TP_USAGE if the last of `n` items is there already. */
enum tp_status tp_list_check(const struct tp_option *option, const struct tp_scalar *items,
			     size_t n, struct tp_diag *diag);

/* "a number from 1 to 65536, or a list of them", "one of double, single", ... into out. */
const char *tp_option_allowed(const struct tp_option *option, char *out, size_t size);

#include "preset/shared_options.h"

#endif
