/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source of a template, what a compiler said of it, and its assembly: regions, loops, reports.
 */
#include <stdlib.h>
#include <string.h>

#include "experiments/template/source.h"
#include "tests/fuzz/promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_template_source *source = calloc(1, sizeof(*source));
	struct tp_template_row row = { .steps = 0 };
	struct tp_str piece = { 0 };
	char *text = calloc(size + 1, 1);
	if (!text || !source)
		goto out;
	if (size)
		memcpy(text, data, size);
	source->text = text;
	source->len = strlen(text);
	tp_template_find_regions(source);
	must(source->n_regions <= TP_TEMPLATE_REGIONS, "regions have room");
	for (size_t i = 0; i < source->n_regions; i++) {
		const struct tp_template_region *r = &source->regions[i];
		must(memchr(r->name, '\0', sizeof(r->name)) && *r->name, "a name that ends");
		must(r->first_line > 0, "a line");
		must(tp_template_region_find(source, r->name) == r, "regions have one name each");
		tp_template_read_report(text, r, &row);
	}
	bool cut = tp_template_cut(text, "x", &piece);
	must(!cut || piece.len > 0, "a piece");
out:
	tp_str_release(&piece);
	free(text);
	free(source);
	return 0;
}
