/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "schema/yaml.h"
#include "experiments/experiment.h"
#include "preset/preset.h"
#include "tests/unit/files.h"
#include "tests/unit/all_options.h"

static const char *const experiments[] = { "memcurve", "latency", "loaded-latency", "roofline",
					   "mixed",    "spmv",	  "counters",	    "autotune",
					   "gather",   "asm",	  "pattern",	    "program",
					   "template", "app",	  "traffic",	    "profile" };

static const struct tp_preset_layers known = { .experiments = experiments,
					       .n_experiments = TP_COUNT_OF(experiments) };

static enum tp_status parse(struct tp_preset *preset, const char *text,
			    const struct tp_preset_layers *layers, struct tp_diags *diags)
{
	struct tp_preset_layers own = layers ? *layers : known;
	own.experiments = known.experiments;
	own.n_experiments = known.n_experiments;
	return tp_preset_parse(preset, "p.yaml", text, strlen(text), &own, diags);
}

static void parse_good(struct tp_preset *preset, const char *text,
		       const struct tp_preset_layers *layers)
{
	struct tp_diags diags = { 0 };
	if (parse(preset, text, layers, &diags) != TP_OK)
		fail_msg("%s\n%s: %s", text, diags.items[0].where, diags.items[0].what);
	assert_int_equal(diags.n, 0);
}

static void expect(const struct tp_preset *preset, size_t run, const struct tp_option *option,
		   const char *text, enum tp_value_source source, const char *where)
{
	struct tp_str got = { 0 };
	const struct tp_value *value = tp_config_value(&preset->runs[run], option);
	tp_value_text(option, value, &got);
	assert_string_equal(tp_str_text(&got), text);
	assert_int_equal(value->source, source);
	assert_string_equal(value->where, where);
	tp_str_release(&got);
}

/* What is wrong with a file: every diagnosis, "line:column: what", one a line. */
struct bad {
	const char *text, *diagnoses;
};

static const struct bad bad[] = {
	{ "experiment: memcurve\nthraeds: 2\nsize_max: twelve\nprecision: [duble, single]\n",
	  "2:1: unknown option \"thraeds\"\n"
	  "3:11: size_max: \"twelve\" is not a size\n"
	  "4:13: precision: \"duble\" is not known\n" },
	{ "", "1:1: the preset is empty\n" },
	{ "# only words\n", "1:1: the preset is empty\n" },
	{ "{}", "1:1: the preset is empty\n" },
	{ "- a\n", "1:1: options expected, found a list\n" },
	{ "roofline\n", "1:1: options expected, found plain text\n" },
	{ "experiment: linpack\n", "1:1: experiment: \"linpack\" is not known\n" },
	{ "experiment: stream\nruns:\n- experiment: mixed\n- {}\n- {}\n- experiment: hpl\n",
	  "1:1: experiment: \"stream\" is not known\n6:3: experiment: \"hpl\" is not known\n" },
	{ "experiment: [roofline, mixed]\n", "1:13: experiment: takes one name\n" },
	{ "threads: 1\nisa: avx2\nthreads: 2\n",
	  "3:1: threads is written twice; first in line 1\n" },
	{ "points_per_octave: 1\npoints-per-octave: 2\nexperiment: memcurve\n",
	  "2:1: points_per_octave is written twice; first in line 1\n" },
	{ "stop: {error: 2%}\nstop.error: 3%\n",
	  "2:1: stop.error is written twice; first in line 1\n" },
	{ "stop: {error: 2%}\nstop: {basis: mean}\n",
	  "2:1: stop is written twice; first in line 1\n" },
	{ "stop: {eror: 2%, isa: sse, stop.error: 1%}\n",
	  "1:8: unknown option \"eror\" in stop\n"
	  "1:18: unknown option \"isa\" in stop\n"
	  "1:28: unknown option \"stop.error\" in stop\n" },
	{ "stop: 5\n", "1:7: stop: takes options, not a value\n" },
	{ "stride: 2\n", "1:1: stride is not used by roofline\n" },
	{ "runs:\n- experiment: mixed\n  stop: {error: 1%}\n  cache: cold\n- experiment: memcurve\n"
	  "  fp_op: fma\n",
	  "4:3: cache is not used by mixed\n6:3: fp_op is not used by memcurve\n" },
	{ "runs: 3\n", "1:7: runs: takes a list of runs\n" },
	{ "runs: []\n", "1:7: runs: takes a list of runs\n" },
	{ "runs:\n- roofline\n- runs: []\n",
	  "2:3: a run is a set of options\n3:3: runs: cannot stand here\n" },
	{ "isa: &x avx2\nprecision: !!str double\nfp_op: *x\nthreads: 0\n",
	  "1:6: anchors (&name) are not used in presets\n"
	  "2:12: tags (!name) are not used in presets\n"
	  "3:8: aliases (*name) are not used in presets\n" },
	{ "a: &a [*a]\n",
	  "1:1: unknown option \"a\"\n1:4: anchors (&name) are not used in presets\n"
	  "1:8: aliases (*name) are not used in presets\n" },
	{ "<<: {threads: 2}\n", "1:1: unknown option \"<<\"\n" },
	{ "threads: 1\n---\nthreads: 2\n", "2:1: a second YAML document; a preset is one\n" },
	{ "threads: 0\nisa: [avx2\nratio: 2:1\n",
	  "1:10: threads: \"0\" is out of range\n"
	  "3:6: broken YAML: did not find expected ',' or ']', while parsing a flow sequence that "
	  "began in line 2\n" },
	{ "stop:\n\terror: 1%\n",
	  "2:1: broken YAML: found character that cannot start any token, while scanning for the "
	  "next token that began in line 2\n" },
	{ "threads: 1\nname: caf\xe9 au lait\n",
	  "2:10: broken YAML: invalid trailing UTF-8 octet\n" },
	{ "isa: [avx2, [sse], {a: b}]\n", "1:13: isa: a list inside a list\n"
					  "1:20: isa: a mapping inside a list\n" },
	{ "isa: [avx2, avx2, ~]\n",
	  "1:13: isa: \"avx2\" is in the list twice\n1:19: isa: no value given\n" },
	{ "seed: [1, 2]\nname: {a: b}\n", "1:7: seed: takes one value, not a list\n"
					  "2:7: name: takes one value, not a mapping\n" },
	{ "isa:\nseed: ~\n", "1:5: isa: no value given\n2:7: seed: no value given\n" },
	{ "name: \"a\\0b\"\n", "1:7: name: holds a NUL character\n" },
	{ "name: \"\\e[2J\"\n", "1:7: name: \"?[2J\" holds a control character\n" },
	{ "? [a]\n: 1\n", "1:3: a key must be a word\n" },
	{ "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]\n", "1:1: options expected, found a list\n"
						 "1:10: nested too deeply\n" },
	{ "experiment: memcurve\nsize_min: 1GiB\nsize_max: 1MiB\n",
	  "3:11: size_min (1GiB) is above size_max (1MiB)\n" },
};

static void bad_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++) {
		struct tp_preset preset;
		struct tp_diags diags = { 0 };
		struct tp_str got = { 0 };
		assert_int_equal(parse(&preset, bad[i].text, NULL, &diags), TP_USAGE);
		assert_null(preset.runs);
		for (size_t j = 0; j < diags.n; j++) {
			const struct tp_diag *diag = &diags.items[j];
			assert_memory_equal(diag->where, "p.yaml:", 7);
			tp_str_printf(&got, "%s: %s\n", diag->where + 7, diag->what);
		}
		assert_string_equal(tp_str_text(&got), bad[i].diagnoses);
		tp_str_release(&got);
		tp_diags_release(&diags);
	}
}

static void hints_help(void **state)
{
	static const char text[] = "thraeds: 1\nfp-opp: fma\nstop: {isa: sse}\nrun: 1\n";
	static const char *const hint[] = { "did you mean threads?", "did you mean fp_op?",
					    "isa is an option of its own", "did you mean runs?" };
	struct tp_preset preset;
	struct tp_diags diags = { 0 };
	(void)state;
	assert_int_equal(parse(&preset, text, NULL, &diags), TP_USAGE);
	assert_int_equal(diags.n, TP_COUNT_OF(hint));
	for (size_t i = 0; i < TP_COUNT_OF(hint); i++)
		assert_non_null(strstr(diags.items[i].hint, hint[i]));
	tp_diags_release(&diags);
	assert_int_equal(parse(&preset, "experiment: rofline\n", NULL, &diags), TP_USAGE);
	assert_string_equal(diags.items[0].hint, "did you mean roofline? allowed: memcurve, "
						 "latency, loaded-latency, roofline, mixed, spmv, "
						 "counters, autotune, gather, asm, pattern, "
						 "program, template, app, traffic or profile");
	tp_diags_release(&diags);
	assert_int_equal(parse(&preset, "runs:\n- experiment: mixed\n  stride: 2\n", NULL, &diags),
			 TP_USAGE);
	assert_non_null(strstr(diags.items[0].hint, "belongs to memcurve"));
	tp_diags_release(&diags);
}

static void good_file(void **state)
{
	static const char text[] =
		"# words\nisa: [avx2, sse]\nthreads: 1, all\nsize-max: 1GiB\n"
		"stop: {error: 2%}\nstop.basis: mean\nnotes: |\n  two\n  lines\n"
		"runs:\n  - experiment: memcurve\n    stride: 2\n    cache_size:\n"
		"      L1: 48KiB\n  - experiment: mixed\n    stop.error: 0.5%\n"
		"    ratio: [2:1, 1:0, best]\n";
	struct tp_preset preset;
	(void)state;
	parse_good(&preset, text, NULL);
	assert_string_equal(preset.path, "p.yaml");
	assert_int_equal(preset.n_runs, 2);
	expect(&preset, 0, TP_OPT_EXPERIMENT, "memcurve", TP_FROM_PRESET, "p.yaml:11:17");
	expect(&preset, 1, TP_OPT_EXPERIMENT, "mixed", TP_FROM_PRESET, "p.yaml:15:17");
	expect(&preset, 1, TP_OPT_ISA, "avx2,sse", TP_FROM_PRESET, "p.yaml:2:6");
	expect(&preset, 0, TP_OPT_THREADS, "1,all", TP_FROM_PRESET, "p.yaml:3:10");
	expect(&preset, 0, TP_OPT_STRIDE, "2", TP_FROM_PRESET, "p.yaml:12:13");
	expect(&preset, 1, TP_OPT_STRIDE, "1", TP_FROM_DEFAULT, "");
	expect(&preset, 0, TP_OPT_CACHE_L1, "48KiB", TP_FROM_PRESET, "p.yaml:14:11");
	expect(&preset, 0, TP_OPT_STOP_ERROR, "2%", TP_FROM_PRESET, "p.yaml:5:15");
	expect(&preset, 1, TP_OPT_STOP_ERROR, "0.5%", TP_FROM_PRESET, "p.yaml:16:17");
	expect(&preset, 1, TP_OPT_STOP_BASIS, "mean", TP_FROM_PRESET, "p.yaml:6:13");
	expect(&preset, 1, TP_OPT_RATIO, "2:1,1:0,best", TP_FROM_PRESET, "p.yaml:17:12");
	expect(&preset, 0, TP_OPT_NOTES, "two\nlines", TP_FROM_PRESET, "p.yaml:7:8");
	expect(&preset, 0, TP_OPT_SIZE_MAX, "1GiB", TP_FROM_PRESET, "p.yaml:4:11");
	tp_preset_release(&preset);
	assert_null(preset.runs);
}

/* Writes a file into a temporary folder that the test removes again. */
static void put(char path[TP_PATH_MAX], const char *folder, const char *name, const char *text)
{
	snprintf(path, TP_PATH_MAX, "%s/%s", folder, name);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, text, strlen(text), NULL), TP_OK);
}

static void layers_in_order(void **state)
{
	char folder[] = "/tmp/tprof-test-XXXXXX", system[TP_PATH_MAX], user[TP_PATH_MAX];
	char *environment[] = { "HOME=/nowhere",     "TPROF_STOP_ERROR=5%",
				"TPROF_SEED=5",	     "TPROF_NAME=",
				"TPROF_STRIDE=2",    "TPROF_DATADIR=/x",
				"TPROF_TEST_CC=gcc", NULL };
	const char *sets[] = { "seed=6", "threads=3", "seed = 7" };
	struct tp_preset_layers layers = {
		sets, 3, environment, user, system, experiments, TP_COUNT_OF(experiments)
	};
	struct tp_preset preset;
	(void)state;
	assert_non_null(mkdtemp(folder));
	put(system, folder, "system.yaml",
	    "precision: single\npages: default\ninvocations: 2\nname: s\nstride: 3\n");
	put(user, folder, "config.yaml", "pages: hugetlb\ninvocations: 3\nshuffle: yes\n");
	parse_good(&preset, "invocations: 4\nstop: {error: 4%}\nseed: 4\n", &layers);
	expect(&preset, 0, TP_OPT_AFFINITY, "compact", TP_FROM_DEFAULT, "");
	expect(&preset, 0, TP_OPT_INVOCATIONS, "4", TP_FROM_PRESET, "p.yaml:1:14");
	expect(&preset, 0, TP_OPT_STOP_ERROR, "5%", TP_FROM_ENVIRONMENT, "TPROF_STOP_ERROR");
	expect(&preset, 0, TP_OPT_SEED, "7", TP_FROM_COMMAND_LINE, "--set");
	expect(&preset, 0, TP_OPT_THREADS, "3", TP_FROM_COMMAND_LINE, "--set");
	assert_int_equal(tp_config_value(&preset.runs[0], TP_OPT_PRECISION)->source,
			 TP_FROM_SYSTEM);
	assert_int_equal(tp_config_value(&preset.runs[0], TP_OPT_PAGES)->source,
			 TP_FROM_USER_CONFIG);
	assert_string_equal(tp_config_text(&preset.runs[0], TP_OPT_PAGES), "hugetlb");
	assert_string_equal(tp_config_text(&preset.runs[0], TP_OPT_NAME), "s");
	tp_preset_release(&preset);
	unlink(user); /* a missing file is not an error */
	struct tp_diags diags = { 0 };
	assert_int_equal(tp_preset_load(&preset, NULL, &layers, &diags), TP_OK);
	assert_int_equal(preset.n_runs, 1);
	assert_string_equal(preset.path, "");
	expect(&preset, 0, TP_OPT_INVOCATIONS, "2", TP_FROM_SYSTEM,
	       tp_config_value(&preset.runs[0], TP_OPT_INVOCATIONS)->where);
	tp_preset_release(&preset);
	/* errors name their layer, and all layers are told at once */
	put(user, folder, "config.yaml", "runs: [{}]\nthreads: x\n");
	environment[1] = "TPROF_STOP_EROR=1%";
	environment[2] = "TPROF_SEED=-1";
	sets[0] = "thread=1";
	sets[1] = "isa";
	assert_int_equal(parse(&preset, "seed: x\n", &layers, &diags), TP_USAGE);
	assert_int_equal(diags.n, 6);
	assert_non_null(strstr(diags.items[0].where, "config.yaml:1:1"));
	assert_non_null(strstr(diags.items[1].where, "config.yaml:2:10"));
	assert_string_equal(diags.items[2].where, "p.yaml:1:7");
	assert_string_equal(diags.items[3].where, "TPROF_SEED");
	assert_string_equal(diags.items[4].what, "unknown option \"thread\"");
	assert_string_equal(diags.items[5].what, "\"isa\" has no '='");
	tp_diags_release(&diags);
	/* what is not an option is only noted, such as what modulefiles set */
	environment[3] = "TPROF_ROOT=/opt";
	tp_environment_strangers(environment, &diags);
	assert_int_equal(diags.n, 2);
	assert_string_equal(diags.items[0].where, "TPROF_STOP_EROR");
	assert_string_equal(diags.items[0].hint, "did you mean TPROF_STOP_ERROR?");
	assert_string_equal(diags.items[1].where, "TPROF_ROOT");
	assert_string_equal(diags.items[1].hint, "");
	tp_diags_release(&diags);
	/* --set of what no run uses; the environment may be wider */
	const char *stray[] = { "stride=2" };
	struct tp_preset_layers one = { .sets = stray, .n_sets = 1 };
	assert_int_equal(parse(&preset, "experiment: mixed\n", &one, &diags), TP_USAGE);
	assert_string_equal(diags.items[0].what, "stride is used by no run here");
	assert_string_equal(diags.items[0].hint, "it belongs to memcurve");
	tp_diags_release(&diags);
	unlink(user);
	unlink(system);
	rmdir(folder);
}

static bool same(const struct tp_preset *a, const struct tp_preset *b)
{
	bool equal = a->n_runs == b->n_runs;
	for (size_t run = 0; equal && run < a->n_runs; run++)
		for (size_t i = 0; i < TP_OPTIONS_MAX; i++)
			equal &= tp_value_equal(&a->runs[run].values[i], &b->runs[run].values[i]);
	return equal;
}

static const char *const trips[] = {
	"experiment: roofline\n",
	"experiment: memcurve\nsizes: [1KiB, 1MiB]\nstop: {error: 3%, max_time: 200ms}\n",
	"notes: \"# a: \\\"b\\\" \\\\ \\n- c\\u2028\\ufeff \\U0001F600\"\nname: ~x\nmachine: 'a "
	"b.yaml'\n",
	"name: 'null'\naffinity: 0,2-5\ntopology: \"synthetic:pack:2 core:4 pu:2\"\n",
	"stride: 7\nruns:\n- experiment: mixed\n- experiment: memcurve\n- {}\n",
	"stride: 7\nisa: sse\nruns:\n- experiment: memcurve\n  stride: 1\n  sizes: []\n"
	"- experiment: memcurve\n  isa: [avx2]\n  cache_size.L3: 4MiB\n",
	"stride: 7\nruns:\n- experiment: roofline\n",
	"sizes: [1KiB]\nruns:\n- experiment: memcurve\n  sizes: []\n  size_min: 1KiB\n",
};

static void written_and_read_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * TP_COUNT_OF(trips); i++) {
		struct tp_preset preset, again;
		struct tp_str text = { 0 };
		parse_good(&preset, trips[i / 2], NULL);
		assert_int_equal(tp_preset_write(&preset, i % 2, &text), TP_OK);
		parse_good(&again, tp_str_text(&text), NULL);
		if (!same(&preset, &again))
			fail_msg("%s\nbecame\n%s", trips[i / 2], tp_str_text(&text));
		for (size_t run = 0; run < preset.n_runs; run++) {
			struct tp_config *config = &again.runs[run];
			tp_str_clear(&text);
			tp_config_flatten(&preset.runs[run], &text);
			assert_int_equal(
				tp_config_unflatten(config, tp_str_text(&text), &again.arena, NULL),
				TP_OK);
		}
		assert_true(same(&preset, &again));
		tp_preset_release(&preset);
		tp_preset_release(&again);
		tp_str_release(&text);
	}
}

static void written_text(void **state)
{
	struct tp_preset preset;
	struct tp_str text = { 0 };
	(void)state;
	parse_good(&preset, "notes: Hallo Welt\nratio: best\nstop.error: 2%\nthreads: [1,2]\n",
		   NULL);
	assert_int_equal(tp_preset_write(&preset, false, &text), TP_OK);
	assert_string_equal(tp_str_text(&text),
			    "experiment: roofline\nnotes: \"Hallo Welt\"\n"
			    "threads: [1, 2]\nratio: best\nstop:\n  error: 2%\n");
	tp_str_clear(&text);
	assert_int_equal(tp_preset_write(&preset, true, &text), TP_OK);
	const char *all = tp_str_text(&text);
	assert_non_null(strstr(all, "threads: [1, 2]                         # p.yaml:4:10\n"));
	assert_non_null(strstr(all, "isa: auto                               # default\n"));
	assert_non_null(strstr(
		all, "\n# stride: 1                             # default; used by memcurve\n"));
	assert_non_null(strstr(all, "\n  error: 2%                             # p.yaml:3:13\n"));
	tp_preset_release(&preset);
	tp_str_release(&text);
}

static void flat_form_is_checked(void **state)
{
	static const char *const lines[] = { "threads=x\n", "thread=1\n", "threads\n", "=\n" };
	struct tp_config config;
	struct tp_arena arena = { 0 };
	struct tp_diag diag;
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(lines); i++)
		assert_int_equal(tp_config_unflatten(&config, lines[i], &arena, &diag), TP_USAGE);
	assert_int_equal(tp_config_unflatten(&config, "notes=a\\nb\\\\n\nthreads=2", &arena, &diag),
			 TP_OK);
	assert_string_equal(tp_config_text(&config, TP_OPT_NOTES), "a\nb\\n");
	assert_int_equal(tp_config_count(&config, TP_OPT_THREADS), 2);
	tp_arena_release(&arena);
}

static void limits_hold(void **state)
{
	struct tp_preset preset;
	struct tp_diags diags = { 0 };
	struct tp_str text = { 0 };
	(void)state;
	for (int i = 0; i < 300; i++)
		tp_str_printf(&text, "key%d: 1\n", i);
	assert_int_equal(parse(&preset, tp_str_text(&text), NULL, &diags), TP_USAGE);
	assert_int_equal(diags.n, 51);
	assert_string_equal(diags.items[50].what, "and 250 more");
	tp_diags_release(&diags);
	tp_str_clear(&text);
	tp_str_pad(&text, '#', TP_YAML_MAX_BYTES + 1);
	assert_int_equal(parse(&preset, tp_str_text(&text), NULL, &diags), TP_USAGE);
	assert_non_null(strstr(diags.items[0].what, "longer than"));
	tp_diags_release(&diags);
	tp_str_clear(&text);
	tp_str_add(&text, "runs:\n");
	for (int i = 0; i < 257; i++)
		tp_str_add(&text, "- experiment: mixed\n");
	assert_int_equal(parse(&preset, tp_str_text(&text), NULL, &diags), TP_USAGE);
	assert_string_equal(diags.items[0].what, "257 runs are more than the 256 allowed");
	tp_diags_release(&diags);
	tp_str_release(&text);
}

static void shipped_presets(void **state)
{
	char folder[] = "/tmp/tprof-test-XXXXXX", own[TP_PATH_MAX], path[TP_PATH_MAX];
	struct tp_named_file *entries = NULL;
	struct tp_diag diag;
	struct tp_diags diags = { 0 };
	size_t n = 0;
	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("TPROF_DATADIR", source_dir(), 1);
	setenv("XDG_CONFIG_HOME", folder, 1);
	setenv("XDG_DATA_HOME", folder, 1);
	assert_int_equal(tp_preset_entries(&entries, &n, &diag), TP_OK);
	assert_true(n >= 8);
	for (size_t i = 0; i < n; i++) {
		struct tp_preset preset;
		if (tp_preset_load(&preset, entries[i].path, &known, &diags) != TP_OK)
			fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
		assert_string_equal(entries[i].title,
				    tp_config_text(&preset.runs[0], TP_OPT_NOTES));
		assert_true(i == 0 || strcmp(entries[i - 1].name, entries[i].name) < 0);
		tp_preset_release(&preset);
	}
	free(entries);
	assert_int_equal(tp_preset_find("quick", path, &diag), TP_OK);
	assert_non_null(strstr(path, "/presets/quick.yaml"));
	assert_int_equal(tp_preset_find("quikc", path, &diag), TP_NOTFOUND);
	assert_non_null(strstr(diag.hint, "did you mean quick?"));
	assert_int_equal(tp_preset_find("../quick", path, &diag), TP_NOTFOUND);
	assert_int_equal(tp_preset_find("/tmp", path, &diag), TP_NOTFOUND);
	/* the user's own comes first, and its first comment is its title */
	snprintf(own, sizeof(own), "%s/tprof/presets", folder);
	assert_int_equal(tp_dir_make(own, &diag), TP_OK);
	put(path, own, "quick.yaml", "# My own.\nthreads: 1\n");
	assert_int_equal(tp_preset_entries(&entries, &n, &diag), TP_OK);
	for (size_t i = 0; i < n; i++)
		if (strcmp(entries[i].name, "quick") == 0)
			assert_string_equal(entries[i].title, "My own.");
	free(entries);
	assert_int_equal(tp_preset_find("quick", own, &diag), TP_OK);
	assert_string_equal(own, path);
	assert_int_equal(tp_preset_find(path, own, &diag), TP_OK);
	unlink(path);
	for (int i = 0; i < 3; i++) {
		*strrchr(path, '/') = '\0';
		assert_int_equal(rmdir(path), 0);
	}
}

static void missing_file(void **state)
{
	struct tp_preset preset;
	struct tp_diags diags = { 0 };
	(void)state;
	assert_int_equal(tp_preset_load(&preset, "/no/such.yaml", &known, &diags), TP_NOTFOUND);
	assert_int_equal(diags.n, 1);
	assert_string_equal(diags.items[0].where, "/no/such.yaml");
	tp_diags_release(&diags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_files),
		cmocka_unit_test(hints_help),
		cmocka_unit_test(good_file),
		cmocka_unit_test(layers_in_order),
		cmocka_unit_test(written_and_read_again),
		cmocka_unit_test(written_text),
		cmocka_unit_test(flat_form_is_checked),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(shipped_presets),
		cmocka_unit_test(missing_file),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
