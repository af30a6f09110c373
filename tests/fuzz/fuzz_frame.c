/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a table of another program: must not crash, must say what is wrong and where, and
 * what is read must be the same when it is written and read again. Behind "=" the first line is an
 * expression, which filters the rows of the table below it and computes a column; behind "@" it
 * says how the table is written (mine.read).
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_frame tests/fuzz/corpus/frame
 */
#include <string.h>

#include "base/text.h"
#include "mining/frame.h"
#include "table/written.h"
#include "tests/fuzz/promise.h"

static void check_words(const struct tp_frame_column *c, size_t n_rows)
{
	size_t missing = 0, seen = 0;
	for (size_t row = 0; row < n_rows; row++) {
		missing += c->codes[row] == TP_FRAME_NO_WORD;
		if (c->codes[row] == TP_FRAME_NO_WORD)
			continue;
		must(c->codes[row] < c->n_words, "codes are those of words");
		must(c->codes[row] <= seen, "words are in the order of their first row");
		seen += c->codes[row] == seen;
	}
	must(seen == c->n_words, "every word is there");
	must(missing == c->n_missing, "missing words are counted");
	for (size_t i = 0; i < c->n_words; i++)
		must(!tp_text_fault(c->words[i], strlen(c->words[i]), ""), "words are printable");
}

static void check(const struct tp_frame *frame)
{
	for (size_t i = 0; i < frame->n_columns; i++) {
		const struct tp_frame_column *c = &frame->columns[i];
		must(*c->name && !tp_text_fault(c->name, strlen(c->name), ""),
		     "names are printable");
		must(tp_frame_find(frame, c->name, NULL) == c, "names are different");
		if (c->is_words) {
			check_words(c, frame->n_rows);
			continue;
		}
		size_t missing = 0;
		for (size_t row = 0; row < frame->n_rows; row++) {
			missing += isnan(c->numbers[row]) ? 1 : 0;
			must(!isinf(c->numbers[row]), "numbers are finite");
		}
		must(missing == c->n_missing, "missing numbers are counted");
	}
	for (size_t i = 0; i < frame->notes.n; i++)
		must(frame->notes.items[i].what[0] != 0, "notes have words");
}

static bool has_note(const struct tp_frame *frame, const char *words)
{
	for (size_t i = 0; i < frame->notes.n; i++)
		if (strstr(frame->notes.items[i].what, words))
			return true;
	return false;
}

static void write_again(const struct tp_frame *frame)
{
	struct tp_frame again = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 }, second = { 0 };
	tp_frame_write_csv(frame, &text);
	/* What is written is plain; a look could take a first row of numbers for data. */
	static const struct tp_written_wish plain = {
		.separator = ',', .decimal = '.', .header = TP_WRITTEN_NAMES, .skips = true
	};
	enum tp_status status =
		tp_frame_read_text(&again, "again", text.s, text.len, &plain, &diag);
	/* Words that are shown alike may read like the names. */
	bool names = status == TP_USAGE && strstr(diag.what, "but no rows");
	must_of(status == TP_OK || names, "and read again", text.s);
	bool repeated = names || has_note(&again, "are repeated");
	must_of((again.n_rows == frame->n_rows || repeated) &&
			(names || again.n_columns == frame->n_columns),
		"with all of it", text.s);
	tp_frame_write_csv(&again, &second);
	must_of(repeated || strcmp(text.s, second.s) == 0, "to the same text", text.s);
	tp_str_release(&text);
	tp_str_release(&second);
	tp_frame_release(&again);
}

static void use_expression(struct tp_frame *frame, const char *text, size_t len)
{
	struct tp_str definition = { 0 };
	struct tp_diag diag = { 0 };
	size_t columns = frame->n_columns, rows = frame->n_rows;
	tp_str_add(&definition, "fresh=");
	tp_str_add_n(&definition, text, len);
	enum tp_status status = tp_frame_derive(frame, definition.s, &diag);
	must(status == TP_OK || (status == TP_USAGE && diag.what[0]), "it is computed or refused");
	must(frame->n_columns == columns + (status == TP_OK), "a column more, or none");
	diag = (struct tp_diag){ 0 };
	status = tp_frame_filter(frame, definition.s + strlen("fresh="), &diag);
	must(status == TP_OK || (status == TP_USAGE && diag.what[0]), "it filters or is refused");
	must(frame->n_rows <= rows && (status == TP_OK || frame->n_rows == rows), "rows only go");
	tp_str_release(&definition);
	check(frame);
}

/* The first line after "@" is an item of mine.read. Returns where the table begins. */
static const char *take_wish(const char *text, size_t size, struct tp_written_wish *wish)
{
	struct tp_diag diag = { 0 };
	if (!size || *text != '@')
		return text;
	const char *end = memchr(text, '\n', size);
	size_t n = (end ? (size_t)(end - text) : size) - 1;
	TP_STR item = { 0 };
	tp_str_add_n(&item, text + 1, n);
	if (tp_written_wish_read(wish, tp_str_text(&item), &diag) != TP_OK)
		*wish = (struct tp_written_wish){ 0 };
	return text + n + 1 + (end != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_written_wish wish = { 0 };
	struct tp_frame frame = { 0 };
	struct tp_diag diag = { 0 };
	const char *text = (const char *)data, *expression = NULL;
	size_t len = 0;
	if (size && *text == '=') {
		const char *end = memchr(text, '\n', size);
		expression = text + 1;
		len = (end ? (size_t)(end - text) : size) - 1;
		text += len + 1 + (end != NULL);
		size -= len + 1 + (end != NULL);
	}
	const char *table = take_wish(text, size, &wish);
	size -= (size_t)(table - text);
	enum tp_status status = tp_frame_read_text(&frame, "input.csv", table, size, &wish, &diag);
	if (status != TP_OK) {
		must(diag.where[0] && diag.what[0], "a failure has a place and words");
		must(!frame.columns && !frame.notes.items, "and leaves nothing");
		return 0;
	}
	must(frame.n_columns > 0 && frame.n_rows > 0, "a frame has rows and columns");
	check(&frame);
	write_again(&frame);
	if (expression)
		use_expression(&frame, expression, len);
	tp_frame_release(&frame);
	return 0;
}
