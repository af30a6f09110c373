/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Users' programs: a command as a list of words, run once without a shell; its time and output. */
#ifndef TPROF_BASE_COMMAND_H
#define TPROF_BASE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/file.h"
#include "base/process.h"
#include "base/status.h"
#include "base/str.h"

/*
 * Splits a command at blanks. Double quotes hold blanks together, also within a word: a"b c"d; in
 * them \" is a quote, \\ a backslash and \x1b the byte of that number, except 0. Nothing else is
 * special: there is no shell. *words is an array of the arena that ends with NULL. TP_USAGE: no
 * word, or a quote that does not end.
 */
enum tp_status tp_command_split(const char *text, struct tp_arena *arena, char ***words, size_t *n,
				struct tp_diag *diag);

/*
 * Appends a word, of any bytes, so that tp_command_split reads it back; a blank goes before it if
 * needed. The text is UTF-8 without control characters.
 */
void tp_command_join(struct tp_str *out, const char *word);

/*
 * The path of a program: a name with a slash is made absolute; others are searched in the absolute
 * folders of $PATH. False if there is no such program. Links are not resolved: a wrapper acts by
 * the name it is called.
 */
bool tp_program_find(const char *name, char out[TP_PATH_MAX]);

/* Of a command as text: all that the kernel takes, where each byte is written as a number. */
enum { TP_COMMAND_TEXT_BYTES = 8 << 20 };

/* The part of the output that is kept: its beginning, and its last bytes. */
enum { TP_COMMAND_OUTPUT_BYTES = 1 << 20, TP_COMMAND_LAST_BYTES = 512 };

struct tp_command_line {
	char *const *words; /* up to NULL; the first is the program, see tp_program_find */
	char *const *environment; /* up to NULL; NULL = that of this process */
	const char *folder; /* to run in; NULL = that of this process */
	const unsigned *cpus; /* OS numbers of those it may use */
	unsigned n_cpus; /* 0 = those of this process */
	/*
	 * It has the standard input, the session and the process group of this process. Otherwise
	 * it has its own session without a terminal, and reads `input`.
	 */
	bool inherits;
	const char *input; /* path of a regular file; NULL = an empty one */
	/*
	 * Descriptors of its standard output and error, -1 = they are discarded; NULL = they are
	 * read.
	 */
	const int *streams;
	struct tp_output *kept; /* its output is read and stored there instead; NULL = not */
	/*
	 * Its output is passed there as it comes: 0 is standard output, 1 standard error. `n` 0:
	 * the reader of a stream of `piped` has gone, and no more comes. NULL = it is not passed
	 * on.
	 */
	void (*heard)(void *listener, size_t stream, const char *bytes, size_t n);
	void *listener;
	/*
	 * Bits of `streams` (1 << 0, 1 << 1) that it has as pipes: what comes is kept and heard,
	 * and then written there, unchanged, as fast as it is taken. Where the reader has gone, the
	 * program finds its own pipe closed.
	 */
	unsigned piped;
	bool together; /* both are one pipe, which keeps their order; heard as standard output */
	/* Its number is written there before it is executed; NULL = nowhere. */
	volatile uint32_t *number[2];
	double limit_seconds; /* INFINITY = none */
	/* Between SIGTERM and SIGKILL, if it is ended; 0 = SIGKILL at once. */
	double patience_seconds;
	/* Asked several times a second; false ends the program. NULL = it always goes on. */
	bool (*go_on)(void *context);
	void *context; /* of go_on */
};

/* Release with tp_command_run_release. */
struct tp_command_run {
	struct tp_process_end end;
	bool late; /* it was ended because it took longer than its limit */
	/* from the start of the process to its end; the CPU times have its own children's, too */
	double wall_seconds, user_seconds, system_seconds;
	/*
	 * The largest of its processes. 0 = unknown: below the peak of this process, which the
	 * kernel reports instead.
	 */
	uint64_t max_rss_bytes;
	uint64_t minor_faults, major_faults;
	uint64_t waits, preemptions; /* voluntary and involuntary context switches */
	uint64_t blocks_read, blocks_written; /* of 512 bytes, to and from devices */
	/*
	 * Where they are read and not kept: standard output and error in the order they came; other
	 * control characters as they are.
	 */
	struct tp_str output;
	char last[TP_COMMAND_LAST_BYTES]; /* the end of an output that is not kept whole */
	size_t n_last;
	uint64_t lost_bytes; /* of output that is not in `output` */
};

/*
 * Runs it once. When its first process has ended, all others of its group are killed if it has its
 * own session; else it can read the terminal, Ctrl-C reaches it, and this process ignores SIGINT
 * and SIGQUIT during that time, unless it handles them. TP_OK: it was started and has ended, also
 * by a signal. TP_NOTFOUND: the program does not exist. TP_RESOURCE, TP_PERM: it cannot be started.
 * TP_CANCELLED: go_on returned false, and the program has ended. `run` is to be released in any
 * case.
 */
enum tp_status tp_command_run(const struct tp_command_line *command, struct tp_command_run *run,
			      struct tp_diag *diag);
void tp_command_run_release(struct tp_command_run *run);

/* The last line with something in it that the program printed, cleaned and cut; "" if none. */
const char *tp_command_last_line(const struct tp_command_run *run, char *out, size_t size);

/* Environments of child processes: lists of "NAME=value" up to NULL, themselves NULL if empty. */

/* The value of a variable in a list; NULL = missing. */
const char *tp_environment_value(char *const *list, const char *name);

/*
 * All variables of several lists; where some have the same name, the last list wins. On the heap,
 * with texts of the lists.
 */
char **tp_environment_merge(char *const *const lists[], size_t n);

#endif
