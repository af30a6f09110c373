/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of sweeps, a wish a line: their texts are read again as they were. */
#include <stdlib.h>
#include <string.h>

#include "base/pairs.h"
#include "sweep/sweep.h"
#include "tests/fuzz/promise.h"

/* What tp_sweep_text writes, tp_pairs_next reads. */
static void read_again(const struct tp_sweep *sweep, size_t i)
{
	const struct tp_sweep_at at = { sweep, i, 0 };
	struct tp_str text = { 0 };
	char name[TP_SWEEP_NAME_BYTES], *value = malloc(1 << 16);
	tp_sweep_text(&at, false, &text);
	const char *c = tp_str_text(&text);
	for (size_t p = 0; value && p < sweep->n; p++) {
		must(tp_pairs_next(&c, name, sizeof(name), value, 1 << 16), "as many pairs");
		must(strcmp(name, sweep->parameters[p].name) == 0, "the name");
		must(strcmp(value, tp_sweep_value(&at, p)) == 0, "the value");
	}
	free(value);
	tp_str_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_sweep *sweep = calloc(1, sizeof(*sweep));
	struct tp_arena arena = { 0 };
	char *filled, *text = calloc(size + 1, 1);
	if (!text || !sweep || size > 1 << 15)
		goto out;
	if (size)
		memcpy(text, data, size);
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		/* Options hold no control characters. */
		if (strpbrk(line, "\r\t") || tp_sweep_take(sweep, line, &arena, NULL) != TP_OK)
			tp_sweep_fill(&(struct tp_sweep_at){ sweep, 0, 0 }, line, &arena, &filled,
				      NULL);
	}
	double n = tp_sweep_count(sweep);
	must(n >= 1, "combinations");
	read_again(sweep, 0);
	if (n < 1e9)
		read_again(sweep, (size_t)n - 1);
out:
	tp_arena_release(&arena);
	free(text);
	free(sweep);
	return 0;
}
