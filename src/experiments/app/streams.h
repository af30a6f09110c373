/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the standard streams of a program come from and go to. The first run has those of tprof
 * itself, where the engine was given them (base/file.h), else what it prints is kept; what later
 * runs print is thrown away. Where their output is compared with that of the first, all have pipes.
 */
#ifndef TPROF_EXPERIMENTS_APP_STREAMS_H
#define TPROF_EXPERIMENTS_APP_STREAMS_H

#include "app/app.h"
#include "experiments/bench.h"

#include <signal.h>

struct tp_app_streams {
	const char *input; /* for every run: a file of the user; NULL = see `kind` */
	bool given; /* the engine has the streams of tprof */
	struct tp_output *kept; /* takes the first run's output; NULL = it is not kept */
	enum { TP_APP_INPUT_NONE, TP_APP_INPUT_FILE, TP_APP_INPUT_ONCE } kind; /* of that input */
	bool waits; /* what can be read only once has something to read */
	/* Bits of outputs that are pipes, in the first run and later: see tp_command_line. */
	unsigned piped, piped_later;
	bool together; /* both are one */
	/* While the first run has them: */
	bool lent;
	bool terminal; /* it is one, of our session */
	struct sigaction before[2]; /* what SIGINT and SIGQUIT did before it was lent */
	bool interrupted; /* Ctrl-C was pressed while it was lent; stays when it is back */
};

/* `input`: app.input, "" for none. */
void tp_app_streams_init(struct tp_app_streams *streams, const struct tp_bench *bench,
			 const char *input);
/*
 * Makes pipes of outputs that do not change for the program: of files, pipes, and of what is kept.
 * A terminal stays one in the first run; later ones have a pipe, which programs take for more of
 * an output than /dev/null.
 */
void tp_app_streams_pipe(struct tp_app_streams *streams);
/* Sets the streams of a command: for the first run, or for a later one. */
void tp_app_streams_set(const struct tp_app_streams *streams, bool first,
			struct tp_app_command *command);
/*
 * Around the first run: its input becomes that of this process, and the terminal its own. Ctrl-C
 * then reaches only this group, so `interrupted` informs the processes that wait for it outside.
 */
void tp_app_streams_lend(struct tp_app_streams *streams);
void tp_app_streams_back(struct tp_app_streams *streams);

#endif
