/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as what a rank says of itself in a shared directory: must not crash, must say why it
 * fails, and gives only what can be a file's words.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_ranks tests/fuzz/corpus/ranks
 */
#include <stdlib.h>
#include <string.h>

#include "base/ranks.h"
#include "tests/fuzz/promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_ranks_hello hello;
	struct tp_ranks_plan plan;
	struct tp_diag diag = { 0 };
	unsigned rank, ranks;
	struct tp_str text = { 0 };
	tp_str_add_n(&text, (const char *)data, size);
	if (tp_ranks_hello_parse(&hello, tp_str_text(&text), &diag) == TP_OK) {
		must(hello.size >= 1 && hello.size <= TP_RANKS_MAX, "there are ranks");
		must(!strpbrk(hello.host, "/ \n"), "a host is a word");
		must(strspn(hello.cpus, "0123456789,-") == strlen(hello.cpus), "CPUs are numbers");
	} else {
		must(diag.what[0], "a failure has words");
	}
	diag.what[0] = '\0';
	if (tp_ranks_plan_parse(&plan, tp_str_text(&text), &diag) == TP_OK)
		must(*plan.version && !strpbrk(plan.version, "\n \x1b"), "a version is a word");
	else
		must(diag.what[0], "a failure has words");
	if (tp_ranks_parse(tp_str_text(&text), &rank, &ranks))
		must(rank < ranks && ranks <= TP_RANKS_MAX, "a rank is one of them");
	tp_str_release(&text);
	return 0;
}
