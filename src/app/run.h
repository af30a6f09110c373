/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of a user's program, with its own streams. */
#ifndef TPROF_APP_RUN_H
#define TPROF_APP_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "app/app.h"
#include "base/command.h"
#include "base/status.h"

/* What a way of counting adds to a command. */
struct tp_app_added {
	/* "NAME=value" up to NULL, in place of the command's own; NULL = none */
	char *const *variables;
	/* The program's number is written there before it is executed; NULL = nowhere. */
	volatile uint32_t *pid;
};

/*
 * The path of a program, as tp_program_find finds it; TP_NOTFOUND or TP_PERM with the reason: it is
 * missing, a folder, or not executable.
 */
enum tp_status tp_app_program(const char *name, char path[TP_PATH_MAX], struct tp_diag *diag);

/*
 * Runs it once, by tp_command_run: a program that has the standard input of this process inherits
 * its group, too. TP_OK: it was started and has ended in any way. TP_CANCELLED: go_on returned
 * false, and it has been ended by SIGTERM, or else SIGKILL. Other errors: it never ran. Nothing in
 * `ran` needs a release.
 */
enum tp_status tp_app_execute(const struct tp_app_command *command,
			      const struct tp_app_added *added, struct tp_command_run *ran,
			      struct tp_diag *diag);

/* The value that the program would find for a variable; NULL = none. */
const char *tp_app_variable(const struct tp_app_command *command, const char *name);

/* A note on a run that was ended at its limit; nothing otherwise. */
void tp_app_note_late(const struct tp_app_command *command, const struct tp_command_run *ran,
		      struct tp_diags *notes);

/*
 * What kind of file a program is, as far as it decides how the program can be counted. Private to
 * src/app.
 */

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
