/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machine models from anywhere: whatever the bytes are, the reader returns a usable model or says
 * what is wrong and where.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_model tests/fuzz/corpus/model
 *   presets/machines
 */
#include "machine/machine.h"
#include "base/str.h"
#include "tests/fuzz/promise.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static void check_roofs(const struct tp_model *model)
{
	static const char *const ops[] = { "add", "mul", "div", "fma", "fma+add", "" };
	for (size_t i = 0; i < model->n_isas; i++) {
		const char *isa = model->isas[i].name;
		for (unsigned element = 4; element <= 8; element += 4) {
			double best = tp_model_l1_best(model, isa, element, NULL, NULL);
			must(isfinite(best) && best >= 0, "bytes per cycle are a number");
			for (size_t op = 0; op < sizeof(ops) / sizeof(*ops); op++) {
				double flop = tp_model_flop_per_cycle(model, isa, element, ops[op]);
				must(isfinite(flop) && flop >= 0, "FLOP per cycle are a number");
			}
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tp_model model;
	struct tp_diags diags = { 0 };
	enum tp_status status =
		tp_model_parse(&model, "fuzz.yaml", (const char *)data, size, &diags);
	if (status == TP_OK) {
		must(diags.n == 0, "a sound model has no errors");
		must(strcmp(model.name, "fuzz") == 0, "it is called like its file");
		must(*model.title && *model.arch && model.n_isas > 0, "it says what it is of");
		must(model.n_isas <= TP_MODEL_ISAS && model.n_match_models <= TP_MODEL_MATCHES,
		     "it has no more than there is room for");
		check_roofs(&model);
		struct tp_cpu cpu = { .arch = "x86_64", .family = 25, .model = 17, .stepping = 1 };
		tp_model_matches(&model, &cpu);
	} else {
		must(diags.n > 0, "a failure is told");
		must(!*model.name && model.n_isas == 0, "and leaves nothing");
		for (size_t i = 0; i < diags.n; i++)
			must(strncmp(diags.items[i].where, "fuzz.yaml:", 10) == 0 &&
				     *diags.items[i].what,
			     "with a place and words");
	}
	tp_diags_release(&diags);
	return 0;
}
