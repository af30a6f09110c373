/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a program: what kind of file it is, and which functions it has.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_app_elf tests/fuzz/corpus/app_elf
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/run.h"
#include "app/symbols.h"
#include "tests/fuzz/promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_app_symbols symbols;
	struct tp_app_file file;
	struct tp_diag diag = { 0 };
	tp_app_file_parse(data, size < TP_APP_HEAD_BYTES ? size : TP_APP_HEAD_BYTES, &file);
	must((file.kind == TP_APP_SCRIPT) == (file.interpreter[0] != '\0'),
	     "a script has an interpreter");
	must(file.kind != TP_APP_FOREIGN || file.machine[0], "a foreign program has a machine");
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "there is a file");
	enum tp_status status = tp_app_symbols_read(&symbols, fd, "input", &diag);
	close(fd);
	must(status == TP_OK || diag.what[0], "every failure is told");
	must(symbols.n <= size / 24, "there are no more functions than entries");
	for (size_t i = 0; i < symbols.n; i++) {
		const struct tp_app_symbol *s = &symbols.items[i];
		must(s->end > s->start, "a function has a length");
		must(i == 0 || s[-1].start < s->start, "they are sorted");
		must(strlen(s->name) < size, "a name ends");
		must(tp_app_symbols_at(&symbols, s->start) == s, "they are found");
	}
	tp_app_symbols_release(&symbols);
	return 0;
}
