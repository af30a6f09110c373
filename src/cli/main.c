/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the requested face of the program. The only file that includes all faces. */
#include "cli/commands.h"
#include "engine/engine.h"
#include "experiments/experiment.h"
#include "routines/worker.h"
#include "ui/tui/app.h"
#include "base/memory.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Faces that tprof starts itself. */
static const struct {
	const char *word;
	int (*main)(void);
} inner[] = {
	{ "--engine", tp_engine_main },
	{ "--worker", tp_worker_main },
};

static int open_screens(const struct tp_cli *cli)
{
	const struct tp_tui_options options = { .overrides = cli->overrides,
						.look = cli->look,
						.no_mouse = cli->no_mouse,
						.allow_code = cli->allow_code,
						.replay = tp_cli_value(cli),
						.speed = cli->speed };
	return tp_tui_main(&options);
}

/*
 * Opens standard streams that were closed before the start (>&-). Otherwise the next file, such as
 * the journal, would get their number and what is meant for standard output. They are opened for
 * reading only, so that writing to them is an error.
 */
static void keep_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			return;
}

int main(int argc, char **argv)
{
	keep_standard_streams();
	/*
	 * With a limit on file size (ulimit -f), writing fails with an error instead of a signal.
	 */
	signal(SIGXFSZ, SIG_IGN);
	tp_experiments_begin();
	for (size_t i = 0; i < TP_COUNT_OF(inner); i++)
		if (argc == 2 && strcmp(argv[1], inner[i].word) == 0)
			return inner[i].main();
	return tp_cli_main(argc, argv, tp_command_table, open_screens);
}
