/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/streams.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/suspend.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char given_file[] = "/proc/self/fd/4";
_Static_assert(TP_STREAM_INPUT_FD == 4, "the name of the file has the number");

void tp_app_streams_init(struct tp_app_streams *streams, const struct tp_bench *bench,
			 const char *input)
{
	struct stat st;
	int bytes = 0;
	*streams = (struct tp_app_streams){ .given = bench->streams,
					    .kept = bench->printed,
					    .input = *input ? input : NULL };
	if (!bench->streams || streams->input || fstat(TP_STREAM_INPUT_FD, &st) != 0)
		return;
	if (S_ISREG(st.st_mode)) {
		streams->kind = TP_APP_INPUT_FILE;
	} else if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
		streams->kind = TP_APP_INPUT_ONCE;
		streams->waits = ioctl(TP_STREAM_INPUT_FD, FIONREAD, &bytes) == 0 && bytes > 0;
	} else if (isatty(TP_STREAM_INPUT_FD)) {
		streams->kind = TP_APP_INPUT_ONCE;
	}
}

void tp_app_streams_pipe(struct tp_app_streams *streams)
{
	static const int outputs[] = { TP_STREAM_OUTPUT_FD, STDERR_FILENO };
	struct stat st[TP_COUNT_OF(outputs)] = { 0 };
	for (unsigned i = 0; i < TP_COUNT_OF(outputs); i++) {
		bool known = streams->given && fstat(outputs[i], &st[i]) == 0;
		bool pipe = !streams->given || (known && !S_ISCHR(st[i].st_mode));
		streams->piped |= (unsigned)pipe << i;
		streams->piped_later |= (unsigned)(pipe || isatty(outputs[i])) << i;
	}
	streams->together = streams->given && streams->piped == 3 && st[0].st_dev == st[1].st_dev &&
			    st[0].st_ino == st[1].st_ino;
}

void tp_app_streams_set(const struct tp_app_streams *streams, bool first,
			struct tp_app_command *command)
{
	bool own = first && streams->given;
	command->output = own ? TP_STREAM_OUTPUT_FD : -1;
	command->errors = own ? STDERR_FILENO : -1;
	command->kept = first && !own ? streams->kept : NULL;
	command->piped = first ? streams->piped : streams->piped_later;
	command->together = streams->together;
	/* A file is opened again, so that each run reads it from the beginning. */
	command->input = streams->input				       ? streams->input
			 : streams->kind == TP_APP_INPUT_FILE	       ? given_file
			 : streams->kind == TP_APP_INPUT_ONCE && first ? NULL
								       : "/dev/null";
}

static const int interrupts[] = { SIGINT, SIGQUIT };
static volatile sig_atomic_t interrupt_seen;

static void on_interrupt(int number __attribute__((unused)))
{
	interrupt_seen = 1;
}

/* What was ignored stays so, here and in the program. A handler does not outlive exec. */
static void catch_interrupts(struct tp_app_streams *streams)
{
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
	sigemptyset(&action.sa_mask);
	interrupt_seen = 0;
	for (size_t i = 0; i < TP_COUNT_OF(interrupts); i++) {
		sigaction(interrupts[i], NULL, &streams->before[i]);
		if (streams->before[i].sa_handler != SIG_IGN)
			sigaction(interrupts[i], &action, NULL);
	}
}

void tp_app_streams_lend(struct tp_app_streams *streams)
{
	if (!streams->given || streams->input || streams->kind != TP_APP_INPUT_ONCE)
		return;
	streams->lent = dup2(TP_STREAM_INPUT_FD, STDIN_FILENO) >= 0;
	if (!isatty(TP_STREAM_INPUT_FD))
		return;
	if (tcgetpgrp(TP_STREAM_INPUT_FD) > 0) {
		streams->terminal = true;
		catch_interrupts(streams);
		tp_suspend_lend(TP_STREAM_INPUT_FD, getpgid(getppid()));
	}
}

void tp_app_streams_back(struct tp_app_streams *streams)
{
	if (streams->terminal) {
		tp_suspend_back();
		for (size_t i = 0; i < TP_COUNT_OF(interrupts); i++)
			sigaction(interrupts[i], &streams->before[i], NULL);
		streams->interrupted |= interrupt_seen != 0;
	}
	streams->terminal = false;
	if (!streams->lent)
		return;
	streams->lent = false;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
}
