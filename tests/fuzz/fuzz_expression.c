/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as an expression: must not crash, must say what is wrong, and has one finite result.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_expression tests/fuzz/corpus/expression
 */
#include <math.h>
#include <string.h>

#include "base/expression.h"
#include "base/str.h"
#include "tests/fuzz/promise.h"

static bool value_of(void *context, const char *name, size_t len, double *value)
{
	(void)context;
	(void)name;
	*value = (double)len - 3;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_expression e;
	struct tp_operand values[TP_EXPRESSION_NAMES_MAX];
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 };
	double value, again;
	size_t name_len;
	bool has_words = false;
	tp_str_add_n(&text, (const char *)data, size);
	const char *shown = tp_str_text(&text);
	enum tp_status status = tp_expression_read(&e, shown, &diag);
	must(status == TP_OK || (status == TP_USAGE && diag.what[0]), "it is read, or refused");
	for (unsigned i = 0; i < e.n_names && status == TP_OK; i++) {
		values[i] = (struct tp_operand){ 0 };
		value_of(NULL, e.names[i].text, e.names[i].len, &values[i].number);
		/* Names that begin with w are words. */
		if (*e.names[i].text == 'w') {
			values[i].word = e.names[i].text;
			values[i].len = e.names[i].len;
			has_words = true;
		}
	}
	if (status == TP_OK) {
		diag = (struct tp_diag){ 0 };
		status = tp_expression_value(&e, values, &value, &diag);
		must(status == TP_OK || diag.what[0],
		     "it has a result, or there are words why not");
		must(status != TP_OK || isfinite(value), "results are finite");
		enum tp_status other = tp_expression_eval(shown, value_of, NULL, &again, &diag);
		if (!has_words)
			must((other == TP_OK) == (status == TP_OK) &&
				     (other != TP_OK || again == value),
			     "both ways compute the same");
	}
	status = tp_definition_read(&e, shown, &name_len, &diag);
	must(status != TP_OK || name_len > 0, "a definition has a name");
	tp_str_release(&text);
	return 0;
}
