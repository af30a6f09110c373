/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What machine models do not say. The figures are plausible ones of a typical system, rounded; they
 * are no claim about any machine. Sources: the two machines of our own probes (zen4,
 * granite-rapids); else optimization guides of the makers and published latency and bandwidth
 * tests. What a model itself calls typical goes before them.
 */
#include "measure/simulated/simulated_parts.h"
#include "base/vec.h"

#include <string.h>

/* clang-format off */
static const struct tp_figures figures[] = {
	/* model             GHz  width  L1  L2  L3   mem   L2   L3  mem   scales   TLBs        walk */
	{ "",                3.0,  4,    4,  14, 25, 100,   32,  25,  14,  20, 6,   64, 1536,  7,  15 },
	{ "zen4",            3.694, 4,   4,  14, 12.1, 125, 32, 101,  36.9, 8, 9,   72, 3072,  7,  12 },
	{ "zen5",            4.0,  6,    4,  14, 12, 120,   64, 110,  40,   8, 10,  96, 4096,  7,  12 },
	{ "zen3",            3.5,  4,    4,  12, 13, 105,   32,  85,  24,   8, 7,   64, 2048,  7,  12 },
	{ "zen2",            3.3,  4,    4,  12, 12, 105,   32,  75,  22,   4, 7,   64, 2048,  7,  14 },
	{ "granite-rapids",  3.792, 6,   5,  16, 135, 185,  43,  27.5, 16.2, 20, 12, 96, 2048,  7,  18 },
	{ "emerald-rapids",  3.5,  6,    5,  15, 70, 125,   46,  20,  14,  24, 14,  96, 2048,  7,  15 },
	{ "sapphire-rapids", 3.5,  6,    5,  15, 70, 120,   46,  18,  13,  24, 14,  96, 2048,  7,  15 },
	{ "ice-lake",        3.3,  4,    5,  14, 24, 95,    44,  19,  13,  20, 12,  64, 2048,  7,  14 },
	{ "cascade-lake",    3.1,  4,    5,  14, 22, 90,    42,  17,  12.5, 18, 9,  64, 1536,  9,  15 },
	{ "skylake-x",       3.1,  4,    5,  14, 21, 88,    42,  17,  12.5, 18, 9,  64, 1536,  9,  15 },
	{ "neoverse-n1",     3.0,  3,    4,  11, 32, 105,   32,  22,  16,  20, 10,  48, 1280,  5,  20 },
	{ "neoverse-n2",     3.0,  4,    4,  13, 35, 110,   40,  26,  20,  20, 8,   48, 1280,  5,  20 },
	{ "neoverse-v1",     2.6,  4,    4,  13, 38, 115,   40,  26,  24,  24, 9,   48, 2048,  5,  20 },
	{ "neoverse",        2.8,  6,    4,  13, 40, 115,   48,  30,  28,  24, 10,  48, 2048,  5,  20 },
	{ "graviton",        2.8,  6,    4,  13, 38, 115,   48,  30,  28,  24, 10,  48, 2048,  5,  20 },
	{ "thunderx2",       2.5,  4,    4,  12, 28, 115,   20,  14,  12,  20, 9,   64, 2048,  8,  20 },
	{ "a64fx",           2.2,  2,    5,  37, 60, 135,   48,  40,  36,  12, 6,   16, 1024,  10, 25 },
	{ "apple",           3.2,  6,    3,  16, 20, 100,   64,  60,  50,   4, 2,   160, 3072, 7,  15 },
	{ "c920",            2.0,  3,    3,  20, 40, 135,   16,  10,   5,  20, 8,   32, 1024,  8,  30 },
	{ "spacemit-k1",     1.6,  2,    3,  20, 40, 160,    8,   6,   3.5, 4, 2.5, 32, 512,   8,  40 },
};
/* clang-format on */

static const struct tp_figures *figures_find(const char *model)
{
	const struct tp_figures *best = &figures[0];
	for (size_t i = 0; i < TP_COUNT_OF(figures); i++) {
		size_t n = strlen(figures[i].model);
		if (strncmp(model, figures[i].model, n) == 0 && n > strlen(best->model))
			best = &figures[i];
	}
	return best;
}

void tp_figures_take(struct tp_figures *taken, const struct tp_model *model)
{
	*taken = *figures_find(model->name);
	const struct {
		double *to, from;
	} typical[] = {
		{ &taken->ghz, model->typical.ghz },
		{ &taken->l1_cycles, model->typical.l1_cycles },
		{ &taken->l2_cycles, model->typical.l2_cycles },
		{ &taken->l3_ns, model->typical.l3_ns },
		{ &taken->memory_ns, model->typical.memory_ns },
		{ &taken->l2_bytes_per_cycle, model->typical.l2_bytes_per_cycle },
		{ &taken->l3_gbps, model->typical.l3_gbps },
		{ &taken->memory_gbps, model->typical.memory_gbps },
	};
	for (size_t i = 0; i < TP_COUNT_OF(typical); i++)
		if (typical[i].from > 0)
			*typical[i].to = typical[i].from;
}
