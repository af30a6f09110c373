/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of an ELF file, by their places in it. */
#ifndef TPROF_APP_SYMBOLS_H
#define TPROF_APP_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct tp_app_symbol {
	uint64_t start,
		end; /* offsets in the file; `end` is the next symbol's start if the size is 0 */
	const char *name; /* as in the file: mangled, and any bytes except 0 */
};

/* Zero-initialise; release with tp_app_symbols_release. */
struct tp_app_symbols {
	struct tp_app_symbol *items; /* by start; no two begin at the same place */
	size_t n;
	char *names;
};

/*
 * Reads .symtab, or .dynsym if that is missing. TP_NOTFOUND: the file has neither. TP_UNSUPPORTED:
 * not an ELF file of 64 bits, or a damaged one. TP_IO.
 */
enum tp_status tp_app_symbols_read(struct tp_app_symbols *symbols, int fd, const char *path,
				   struct tp_diag *diag);
/* The function around that place of the file; NULL = none. */
const struct tp_app_symbol *tp_app_symbols_at(const struct tp_app_symbols *symbols,
					      uint64_t offset);
void tp_app_symbols_release(struct tp_app_symbols *symbols);

/*
 * True if one of the words begins the name of a shared library that the ELF file is linked with, or
 * of a symbol that it imports or exports.
 */
bool tp_app_symbols_mention(const char *path, const char *const *words, size_t n);

#endif
