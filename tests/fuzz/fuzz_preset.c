/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a preset: must not crash, must say why it fails, and what loads must survive writing
 * and loading again, and the trip through the flat form that the engine gets.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_preset tests/fuzz/corpus/preset presets
 */
#include "base/memory.h"
#include "experiments/experiment.h"
#include "preset/preset.h"
#include "tests/fuzz/promise.h"

static const char *const experiments[] = { "memcurve", "roofline", "mixed" };

static enum tp_status parse(struct tp_preset *preset, const char *text, size_t len,
			    struct tp_diags *diags)
{
	static const struct tp_preset_layers layers = { .experiments = experiments,
							.n_experiments = TP_COUNT_OF(experiments) };
	return tp_preset_parse(preset, "input", text, len, &layers, diags);
}

static bool same(const struct tp_config *a, const struct tp_config *b)
{
	for (size_t i = 0; i < TP_OPTIONS_MAX; i++)
		if (!tp_value_equal(&a->values[i], &b->values[i]))
			return false;
	return true;
}

static void write_and_load(const struct tp_preset *preset, bool all)
{
	struct tp_str text = { 0 };
	struct tp_diags diags = { 0 };
	struct tp_preset again;
	must(tp_preset_write(preset, all, &text) == TP_OK, "a preset can be written");
	enum tp_status status = parse(&again, tp_str_text(&text), text.len, &diags);
	if (status != TP_OK)
		must_of(false, diags.n ? diags.items[0].what : "no words", tp_str_text(&text));
	must_of(again.n_runs == preset->n_runs, "as many runs", tp_str_text(&text));
	for (size_t i = 0; i < again.n_runs; i++)
		must_of(same(&preset->runs[i], &again.runs[i]), "the same values",
			tp_str_text(&text));
	tp_preset_release(&again);
	tp_diags_release(&diags);
	tp_str_release(&text);
}

static void flatten_and_back(const struct tp_config *config)
{
	struct tp_str text = { 0 };
	struct tp_config again;
	struct tp_arena arena = { 0 };
	struct tp_diag diag;
	tp_config_flatten(config, &text);
	must_of(tp_config_unflatten(&again, tp_str_text(&text), &arena, &diag) == TP_OK,
		"the flat form is readable", tp_str_text(&text));
	must_of(same(config, &again), "the flat form holds all", tp_str_text(&text));
	tp_arena_release(&arena);
	tp_str_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	struct tp_preset preset;
	struct tp_diags diags = { 0 };
	enum tp_status status = parse(&preset, (const char *)data, size, &diags);
	must((status == TP_OK) == (diags.n == 0), "a failure has words, a success has none");
	for (size_t i = 0; i < diags.n; i++)
		must((*diags.items[i].where || i == TP_DIAGS_MAX) && *diags.items[i].what,
		     "a diagnosis has a place");
	if (status == TP_OK) {
		write_and_load(&preset, false);
		write_and_load(&preset, true);
		for (size_t i = 0; i < preset.n_runs; i++)
			flatten_and_back(&preset.runs[i]);
	}
	tp_preset_release(&preset);
	tp_diags_release(&diags);
	return 0;
}
