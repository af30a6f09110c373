/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/frame_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/csv.h"

void tp_frame_release(struct tp_frame *frame)
{
	tp_diags_release(&frame->notes);
	tp_arena_release(&frame->arena);
	*frame = (struct tp_frame){ 0 };
}

const struct tp_frame_column *tp_frame_find(const struct tp_frame *frame, const char *name,
					    const char **nearest)
{
	if (nearest)
		*nearest = NULL;
	for (size_t i = 0; i < frame->n_columns; i++)
		if (strcmp(frame->columns[i].name, name) == 0)
			return &frame->columns[i];
	const char **names = nearest ? malloc((frame->n_columns + 1) * sizeof(*names)) : NULL;
	if (!names)
		return NULL;
	for (size_t i = 0; i < frame->n_columns; i++)
		names[i] = frame->columns[i].name;
	*nearest = tp_nearest(name, names, frame->n_columns);
	free(names);
	return NULL;
}

const char *tp_frame_cell(const struct tp_frame_column *column, size_t row, char *out, size_t size)
{
	out[0] = '\0';
	if (column->is_words) {
		if (column->codes[row] != TP_FRAME_NO_WORD)
			tp_copy(out, size, column->words[column->codes[row]]);
	} else if (isfinite(column->numbers[row])) {
		snprintf(out, size, "%.10g", column->numbers[row]);
	}
	return out;
}

/* So that no reader takes a part of it for something else. */
static void add_text(struct tp_str *out, const char *text)
{
	size_t len = strlen(text);
	bool edges = len && (strchr(" #", text[0]) || text[len - 1] == ' ' ||
			     strncmp(text, "\xef\xbb\xbf", 3) == 0); /* a byte order mark */
	if (len && !edges && !strpbrk(text, ";\t")) {
		tp_cell_text(out, text);
		return;
	}
	tp_str_add(out, "\"");
	for (; *text; text++)
		tp_str_printf(out, "%s%c", *text == '"' ? "\"" : "", *text);
	tp_str_add(out, "\"");
}

/* The fewest digits that give the same number again. */
static void add_number(struct tp_str *out, double value)
{
	char text[40];
	snprintf(text, sizeof(text), "%.15g", value);
	if (strtod(text, NULL) != value)
		snprintf(text, sizeof(text), "%.17g", value);
	tp_str_add(out, text);
}

enum tp_status tp_frame_write_csv(const struct tp_frame *frame, struct tp_str *out)
{
	for (size_t i = 0; i < frame->n_columns; i++) {
		tp_str_add(out, i ? "," : "");
		add_text(out, frame->columns[i].name);
	}
	tp_str_add(out, "\n");
	for (size_t row = 0; row < frame->n_rows && !out->oom; row++) {
		for (size_t i = 0; i < frame->n_columns; i++) {
			const struct tp_frame_column *column = &frame->columns[i];
			uint32_t code = column->is_words ? column->codes[row] : 0;
			tp_str_add(out, i ? "," : "");
			if (column->is_words && code != TP_FRAME_NO_WORD)
				add_text(out, column->words[code]);
			else if (!column->is_words && isfinite(column->numbers[row]))
				add_number(out, column->numbers[row]);
			else if (frame->n_columns == 1)
				tp_str_add(out, "\"\""); /* an empty line would be no row */
		}
		tp_str_add(out, "\n");
	}
	return out->oom ? TP_NOMEM : TP_OK;
}

/* Words that no row has any more go, and the others are in the order of their first row again. */
static void renumber(struct tp_frame_column *column, size_t n_rows)
{
	uint32_t n = 0, *place = malloc((column->n_words + 1) * sizeof(*place));
	const char **words = malloc((column->n_words + 1) * sizeof(*words));
	for (size_t w = 0; place && w < column->n_words; w++)
		place[w] = TP_FRAME_NO_WORD;
	/* Without memory, words stay that no row has. */
	for (size_t i = 0; place && words && i < n_rows; i++) {
		uint32_t *code = &column->codes[i];
		if (*code == TP_FRAME_NO_WORD)
			continue;
		if (place[*code] == TP_FRAME_NO_WORD) {
			words[n] = column->words[*code];
			place[*code] = n++;
		}
		*code = place[*code];
	}
	if (place && words) {
		memcpy(column->words, words, n * sizeof(*words));
		column->n_words = n;
	}
	free(place);
	free(words);
}

void tp_frame_keep(struct tp_frame *frame, const bool *keep)
{
	size_t n = 0;
	for (size_t row = 0; row < frame->n_rows; row++)
		n += keep[row] ? 1 : 0;
	for (size_t i = 0; i < frame->n_columns && n < frame->n_rows; i++) {
		struct tp_frame_column *column = &frame->columns[i];
		column->n_missing = 0;
		for (size_t row = 0, to = 0; row < frame->n_rows; row++) {
			if (!keep[row])
				continue;
			if (column->is_words) {
				column->codes[to] = column->codes[row];
				column->n_missing += column->codes[to++] == TP_FRAME_NO_WORD;
			} else {
				column->numbers[to] = column->numbers[row];
				column->n_missing += isnan(column->numbers[to++]) ? 1 : 0;
			}
		}
		if (column->is_words)
			renumber(column, n);
	}
	frame->n_rows = n;
}
