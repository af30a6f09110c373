/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of the command line. The parser, the checks, --help, the completion, the dispatch and
 * the sections of tprof(1) come from it.
 */
#ifndef TPROF_CLI_COMMANDS_H
#define TPROF_CLI_COMMANDS_H

#include "cli/cli.h"

/*
 * A command is an action (`run` is set): at most one is given, and its values go to cli->values.
 * Any other row is an option, whose value goes to the field at `at`.
 */
struct tp_command {
	const char *name;
	char letter; /* 0 = none */
	const char *argument; /* name of its value, NULL = it takes none */
	bool optional; /* the value may be missing */
	bool repeats; /* may be given many times, and every value counts; else the last one counts
		       */
	const char *help; /* %s: the words that `listed` lists */
	const char *
		brief; /* the same in a few words, for the first page of --help; NULL = not there */
	const char *topics; /* pages of --help that have it, space-separated; NULL = only "all" */

	int (*run)(const struct tp_cli *cli); /* returns the exit code */
	bool word; /* a word without dashes */
	bool answer; /* answered at once, whatever else is given */
	bool takes_rest; /* words that follow are values too; of an option where no command is given
			  */

	size_t at; /* field of struct tp_cli; bool without an argument, else as follows: */
	const char *key; /* no field: the value of this preset option */
	const char *bare; /* with `key` and `optional`: the value if none is typed */
	bool (*parse)(
		const char *text,
		void *field); /* NULL: the field is a text, or with `repeats` a struct tp_values */
	const char *wrong; /* the message for a value that `parse` refuses */
	const char *allowed; /* and the hint; NULL: the words that `listed` lists */

	/* only with one of these commands, or with this option (words); NULL = with any */
	const char *with;
	const char *with_names; /* how a message calls them; NULL: --COMMAND */
	const char *excludes; /* name of another option */
	const char *advice; /* hint where `with` or `excludes` is violated */

	/*
	 * Values to complete: the words that this function lists (NULL after the last), or a kind
	 * that the scripts handle (see help.c).
	 */
	const char *(*listed)(size_t i);
	const char *kind;
};

enum { TP_COMMANDS_MAX = 80 };
extern const struct tp_command tp_command_table[]; /* ends with a row without a name */

#endif
