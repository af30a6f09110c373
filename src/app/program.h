/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What kind of file a program is, as far as it decides how the program can be counted. Private to
 * src/app.
 */
#ifndef TPROF_APP_PROGRAM_H
#define TPROF_APP_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum tp_app_kind {
	TP_APP_ELF, /* of this machine, 64 bits */
	TP_APP_SCRIPT, /* the kernel runs `interpreter` instead */
	TP_APP_FOREIGN, /* ELF of another machine or of 32 bits: `machine` names it */
	TP_APP_UNKNOWN, /* the kernel asks binfmt_misc, or refuses it */
};

enum { TP_APP_INTERPRETER = 256 };

struct tp_app_file {
	enum tp_app_kind kind;
	bool is_static; /* ELF: no loader runs, so nothing can be preloaded */
	/* It gets other rights than its caller's, so the loader ignores LD_PRELOAD. */
	bool privileged;
	char interpreter[TP_APP_INTERPRETER]; /* of a script */
	char loader[TP_APP_INTERPRETER]; /* of an ELF program that is not static */
	char machine[64]; /* "a program of 32 bits for x86 machines", ... */
};

/* Kind and machine from the first bytes of a file, `size` of them; `file` is cleared first. */
enum { TP_APP_HEAD_BYTES = 4096 };
void tp_app_file_parse(const unsigned char *head, size_t size, struct tp_app_file *file);
/* The same of a path, with its rights. TP_PERM if it cannot be read, although it may run. */
enum tp_status tp_app_file_look(const char *path, struct tp_app_file *file, struct tp_diag *diag);

#endif
