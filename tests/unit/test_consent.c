/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything that acts in a document from outside needs the user's word: every option of a preset
 * and every field of the state of a cluster run is either classified here as one that cannot act,
 * or tprof asks for it. A new one fails until somebody has decided.
 */
#include "tests/unit/files.h"

#include <ctype.h>
#include <unistd.h>

#include "base/memory.h"
#include "cluster/actions.h"
#include "cluster/remote.h"
#include "experiments/experiment.h"
#include "session/consent.h"
#include "session/session.h"

static char folder[64];

/* --- options --- */

/*
 * Free texts that start, load, reach, end and write nothing: words about the run; files and runs
 * that are read; words that are checked; what is counted; arithmetic; columns of tables; what is
 * looked for in the output of a program; names of functions and regions.
 */
static const char *const harmless[] = {
	"experiment",
	"name",
	"notes",
	"machine",
	"topology",
	"simulate",
	"matrix",
	"app.input",
	"profile.input",
	"app.formulas",
	"app.roofs",
	"isa",
	"affinity",
	"knobs.governor",
	"asm.needs",
	"asm.mca",
	"template.mca",
	"technique",
	"events",
	"counters.events",
	"counters.habit",
	"traffic.kernels",
	"traffic.reads",
	"traffic.writes",
	"profile.meters",
	"profile.events",
	"profile.papi",
	"where",
	"derived",
	"program.where",
	"pattern.where",
	"pattern.parameters",
	"mine.target",
	"mine.features",
	"mine.without",
	"mine.filter",
	"mine.read",
	"mine.plot",
	"program.read",
	"program.metric",
	"app.regions",
	"profile.regions",
	"template.regions",
	"families",
};

static bool is_harmless(const char *key)
{
	for (size_t i = 0; i < TP_COUNT_OF(harmless); i++)
		if (strcmp(harmless[i], key) == 0)
			return true;
	return false;
}

static void every_free_text_is_classified(void **state)
{
	size_t n = 0;
	(void)state;
	for (size_t i = 0; i < tp_option_count(); i++) {
		const struct tp_option *option = tp_option_at(i);
		bool is_free = option->type == TP_TYPE_TEXT ||
			       (option->type == TP_TYPE_WORD && !*option->words);
		if (option->code && is_harmless(option->key))
			fail_msg("%s is classified twice", option->key);
		if (option->code && !is_free)
			fail_msg("%s: only free texts name code", option->key);
		if (is_free && !option->code && !is_harmless(option->key))
			fail_msg("%s: does its text name a program, code, a host or a path that is "
				 "written? Then it needs .code, else a place in `harmless`",
				 option->key);
		n += option->code;
	}
	for (size_t i = 0; i < TP_COUNT_OF(harmless); i++)
		if (!tp_option_find(harmless[i]))
			fail_msg("%s is not an option", harmless[i]);
	assert_true(n >= 18);
}

/* A text that the option takes, and that nobody knows. */
static const char *text_of(const struct tp_option *option)
{
	return strcmp(option->key, "asm.body") == 0 ? "call evil"
	       : strstr(option->key, "parameters")  ? "flags=-fplugin=/tmp/evil.so"
	       : strcmp(option->key, "app.env") == 0 || strstr(option->key, "environment")
		       ? "LD_PRELOAD=/tmp/evil.so"
		       : "/tmp/evil.c";
}

static size_t acts_of(const struct tp_option *option, const struct tp_overrides *overrides,
		      const char *path)
{
	TP_CLEANUP(tp_preset_release) struct tp_preset preset = { 0 };
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	TP_CLEANUP(tp_consent_release) struct tp_consent consent = { 0 };
	if (tp_session_preset(&preset, overrides, path, &diags) != TP_OK)
		fail_msg("%s: %s", option->key, diags.n ? diags.items[0].what : "?");
	tp_consent_add_preset(&consent, &preset, false);
	assert_int_equal(tp_preset_acts(&preset), consent.n > 0);
	if (consent.n) {
		assert_non_null(strstr(tp_str_text(&consent.acts[0].what), option->key));
		assert_non_null(strstr(tp_str_text(&consent.acts[0].what), text_of(option)));
		assert_non_null(strstr(consent.acts[0].where, "theirs.yaml:2:"));
		assert_false(consent.acts[0].typed);
	}
	return consent.n;
}

static void every_option_that_acts_is_asked_for(void **state)
{
	const struct tp_overrides none = { 0 };
	(void)state;
	for (size_t i = 0; i < tp_option_count(); i++) {
		const struct tp_option *option = tp_option_at(i);
		char text[256], path[TP_PATH_MAX], set[128];
		const char *sets[] = { set };
		if (!option->code)
			continue;
		snprintf(path, sizeof(path), "%s/theirs.yaml", folder);
		snprintf(text, sizeof(text), "experiment: %s\n%s: \"%s\"\n",
			 tp_option_owner(option), option->key, text_of(option));
		put_file(folder, "theirs.yaml", text);
		if (acts_of(option, &none, path) != 1)
			fail_msg("%s of a stranger is not asked for", option->key);
		snprintf(set, sizeof(set), "%s=%s", option->key, text_of(option));
		if (acts_of(option, &(struct tp_overrides){ sets, 1 }, path) != 0)
			fail_msg("%s is asked for, though the user typed it", option->key);
	}
}

/* --- the state of a cluster run --- */

struct field {
	const char *key, *text, *other;
	bool acts;
};

/* Every key of cluster.json, with two values that it may have. */
static const struct field fields[] = {
	{ "format", "\"tprof-cluster\"", NULL, false },
	{ "version", "1", NULL, false },
	{ "launcher", "\"slurm\"", "\"ssh\"", true },
	{ "where", "\"batch\"", "\"theirs\"", true }, /* a partition */
	{ "job", "\"17\"", "\"18\"", true },
	{ "program", "\"tprof\"", "\"/tmp/evil\"", true },
	{ "per", "\"\"", "\"numa\"", true },
	{ "shared", "true", "false", true },
	{ "host", "\"\"", "\"elsewhere\"", false },
	{ "seconds", "1", "2", false },
	{ "time_limit", "\"\"", "\"8:00:00\"", true },
	{ "started", "\"2026-02-01T00:00:00Z\"", "\"2026-02-02T00:00:00Z\"", false },
};

static const struct field node_fields[] = {
	{ "node", "\"n1\"", "\"n2\"", true },
	{ "state", "\"running\"", "\"failed\"", false },
	{ "target", "\"me@far:22\"", "\"me@evil:22\"", true },
	{ "job", "\"17\"", "\"18\"", true },
	{ "points_done", "0", "1", false },
	{ "points_planned", "2", "3", false },
	{ "why", "\"\"", "\"tired\"", false },
	{ "changed", "\"\"", "\"2026-02-02T00:00:00Z\"", false },
};

static void add_fields(struct tp_str *out, const struct field *list, size_t n,
		       const struct field *changed)
{
	for (size_t i = 0; i < n; i++)
		tp_str_printf(out, "%s\"%s\": %s", i ? ", " : "", list[i].key,
			      &list[i] == changed ? list[i].other : list[i].text);
}

static void make_state(struct tp_cluster *cluster, const struct field *changed)
{
	TP_STR text = { 0 };
	struct tp_diag diag = { 0 };
	tp_str_add(&text, "{");
	add_fields(&text, fields, TP_COUNT_OF(fields), changed);
	tp_str_add(&text, ", \"nodes\": [{");
	add_fields(&text, node_fields, TP_COUNT_OF(node_fields), changed);
	tp_str_add(&text, "}]}");
	if (tp_cluster_parse(cluster, "cluster.json", tp_str_text(&text), text.len, &diag) != TP_OK)
		fail_msg("%s: %s", changed ? changed->key : "state", diag.what);
	tp_copy(cluster->directory, sizeof(cluster->directory), folder);
	tp_copy(cluster->name, sizeof(cluster->name), "theirs");
}

/* What the user would have to agree to, for each act. */
static void sums_of(const struct field *changed, uint64_t sums[TP_ACT_COUNT])
{
	TP_CLEANUP(tp_cluster_release) struct tp_cluster cluster = { 0 };
	make_state(&cluster, changed);
	for (int act = 0; act < TP_ACT_COUNT; act++) {
		TP_CLEANUP(tp_consent_release) struct tp_consent consent = { 0 };
		struct tp_diag diag = { 0 };
		sums[act] = tp_cluster_acts(&cluster, act, &consent);
		assert_int_equal(consent.n, sums[act] != 0);
		if (consent.n)
			assert_int_equal(consent.acts[0].sum, sums[act]);
		assert_int_equal(tp_cluster_may(&cluster, act, &diag),
				 sums[act] ? TP_USAGE : TP_OK);
		cluster.agreed = sums[act];
		assert_int_equal(tp_cluster_may(&cluster, act, &diag), TP_OK);
	}
}

static void walk(const struct field *list, size_t n, const uint64_t *before)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t sums[TP_ACT_COUNT];
		bool differs = false;
		if (!list[i].other)
			continue;
		sums_of(&list[i], sums);
		for (int act = 0; act < TP_ACT_COUNT; act++)
			differs |= sums[act] && before[act] && sums[act] != before[act];
		if (differs != list[i].acts)
			fail_msg("%s: another value %s", list[i].key,
				 list[i].acts ? "needs no new word of the user"
					      : "needs a word, though it does not act");
	}
}

static void every_field_of_a_state_is_classified(void **state)
{
	TP_CLEANUP(tp_cluster_release) struct tp_cluster cluster = { 0 };
	TP_STR text = { 0 };
	uint64_t sums[TP_ACT_COUNT];
	(void)state;
	put_file(folder, "nodes/n1" TP_REMOTE_THERE, "");
	put_file(folder, "nodes/n2" TP_REMOTE_THERE, "");
	sums_of(NULL, sums);
	assert_true(sums[TP_ACT_RESUME] && sums[TP_ACT_CANCEL]);
	walk(fields, TP_COUNT_OF(fields), sums);
	walk(node_fields, TP_COUNT_OF(node_fields), sums);
	/* What is written has no other key. */
	make_state(&cluster, NULL);
	tp_cluster_text(&cluster, &text);
	for (const char *at = tp_str_text(&text); (at = strchr(at, '"')); at++) {
		size_t len = strcspn(at + 1, "\"");
		bool known = len == 5 && memcmp(at + 1, "nodes", len) == 0;
		const bool is_key = at[len + 2] == ':';
		for (size_t i = 0; i < TP_COUNT_OF(fields) + TP_COUNT_OF(node_fields); i++) {
			const struct field *f = i < TP_COUNT_OF(fields)
							? &fields[i]
							: &node_fields[i - TP_COUNT_OF(fields)];
			known |= strlen(f->key) == len && memcmp(at + 1, f->key, len) == 0;
		}
		if (is_key && !known)
			fail_msg("%.*s: does it start, reach, end or write anything? Then "
				 "tp_cluster_acts has to show it",
				 (int)len, at + 1);
		at += len + 1;
	}
}

/* --- the list --- */

static void lists_are_whole_or_say_so(void **state)
{
	TP_CLEANUP(tp_consent_release) struct tp_consent consent = { 0 }, other = { 0 };
	TP_STR words = { 0 };
	(void)state;
	tp_consent_add(&consent, "a.yaml:1:2", "this starts %s", "ev\x1b[31mil");
	tp_consent_add(&consent, "a.yaml:1:2", "this starts %s", "ev\x1b[31mil");
	assert_int_equal(consent.n, 1);
	assert_null(strchr(tp_str_text(&consent.acts[0].what), '\x1b'));
	assert_false(tp_consent_same(&consent, &other));
	tp_consent_add(&other, "a.yaml:1:2", "this starts %s", "ev\x1b[31mil");
	assert_true(tp_consent_same(&consent, &other));
	other.acts[0].sum = 1;
	assert_false(tp_consent_same(&consent, &other));
	tp_consent_add(&consent, "b.yaml", "this starts more");
	assert_true(tp_consent_words(&consent, &words));
	assert_memory_equal(tp_str_text(&words), "a.yaml:1:2:\nthis starts ev", 26);
	assert_non_null(strstr(tp_str_text(&words), "il\n\nb.yaml:\nthis starts more"));
	for (int i = 0; i < 2 * TP_ACTS_MAX; i++)
		tp_consent_add(&consent, "b.yaml", "this starts %d", i);
	assert_int_equal(consent.n, TP_ACTS_MAX);
	assert_false(tp_consent_words(&consent, &words));
	assert_true(tp_consent_given(&consent, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_free_text_is_classified),
		cmocka_unit_test(every_option_that_acts_is_asked_for),
		cmocka_unit_test(every_field_of_a_state_is_classified),
		cmocka_unit_test(lists_are_whole_or_say_so),
	};
	tp_experiments_begin();
	snprintf(folder, sizeof(folder), "/tmp/tprof-consent-XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	setenv("XDG_CONFIG_HOME", folder, 1);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	remove_tree(folder);
	return failed;
}
