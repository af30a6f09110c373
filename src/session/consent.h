/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The user's consent to what documents from outside do: presets, lessons, stored runs, cluster
 * runs. Any of them may be foreign. Everything in them that acts, with all rights of the user, is
 * on one list: programs that start, code that is loaded, hosts that are reached, processes and jobs
 * that end. Nothing on it happens before the user, who has seen it, agrees: by --allow-code or by
 * an answer.
 */
#ifndef TPROF_SESSION_CONSENT_H
#define TPROF_SESSION_CONSENT_H

#include "base/str.h"
#include "preset/preset.h"

enum { TP_ACTS_MAX = 50 };

struct tp_act {
	char where[192]; /* "theirs.yaml:3:7", the name of a cluster run */
	struct tp_str what; /* "this starts ./evil by ssh on node1, node2" */
	uint64_t sum; /* of what it is made of and `what` does not show; 0 = all is shown */
	bool typed; /* by the user, who need not be asked */
	bool cut; /* more than `what` would happen, and consent covers only what is shown */
};

/* Zero-initialise; release. */
struct tp_consent {
	struct tp_act acts[TP_ACTS_MAX];
	size_t n;
};

/* Adds an act unless it is there. Control characters are shown, not printed. */
struct tp_act *tp_consent_add(struct tp_consent *consent, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Adds the code that a preset names (tp_option.code): the path of a library, a source and the
 * compiler and flags for it, a command. Typed is what stands on the command line, in the
 * environment, or in a configuration file that only the user or root can write, and what was typed
 * in a field of the screens; it is added with `all`. What ships with tprof and names of known
 * libraries are left out.
 */
void tp_consent_add_preset(struct tp_consent *consent, const struct tp_preset *preset, bool all);
bool tp_preset_acts(const struct tp_preset *preset); /* true if it needs the user's consent */
bool tp_consent_same(const struct tp_consent *a, const struct tp_consent *b);
void tp_consent_release(struct tp_consent *consent);

/* Prints on standard error what acts, and how to agree. */
void tp_consent_say(const struct tp_consent *consent);
/*
 * The question of batch mode: true if nothing acts, if it is `allowed`, or if the user, who is
 * shown the list, agrees at a terminal.
 */
bool tp_consent_given(const struct tp_consent *consent, bool allowed);
/*
 * The list for the question of the screens: where each act stands, and what it is. False where not
 * all of it is there.
 */
bool tp_consent_words(const struct tp_consent *consent, struct tp_str *out);

#endif
