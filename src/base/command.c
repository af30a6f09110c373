/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/command_parts.h"
#include "base/now.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Without a descriptor of the process its end is looked for so often. */
enum { LOOK_MS = 1, ASK_MS = 50, READ_BYTES = 65536, DRAIN_BYTES_MAX = 1 << 22 };

/* --- a running program --- */

struct running {
	const struct tp_command_line *command;
	struct tp_command_run *run;
	struct tp_command_begun begun;
};

static void keep(struct tp_command_run *run, const char *bytes, size_t n)
{
	size_t room = TP_COMMAND_OUTPUT_BYTES - run->output.len, kept = TP_MIN(room, n);
	tp_str_add_n(&run->output, bytes, kept);
	run->lost_bytes += n - kept;
	bytes += kept;
	n -= kept;
	if (n > sizeof(run->last)) {
		bytes += n - sizeof(run->last);
		n = sizeof(run->last);
	}
	size_t old = TP_MIN(run->n_last, sizeof(run->last) - n);
	if (n)
		memmove(run->last, run->last + run->n_last - old, old);
	memcpy(run->last + (n ? old : run->n_last), bytes, n);
	run->n_last = n ? old + n : run->n_last;
}

/* Reads what there is: of an endless output only so much at a time. */
static void hear(struct running *r, size_t stream)
{
	char bytes[READ_BYTES];
	int *said = &r->begun.said[stream];
	for (size_t all = 0; *said >= 0 && all < DRAIN_BYTES_MAX;) {
		ssize_t n = read(*said, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			close(*said);
			*said = -1;
			return;
		}
		if (r->command->heard)
			r->command->heard(r->command->context, stream, bytes, (size_t)n);
		else if (r->command->kept)
			tp_output_add(r->command->kept, stream, bytes, (size_t)n);
		else
			keep(r->run, bytes, (size_t)n);
		all += (size_t)n;
	}
}

static bool has_ended(const struct running *r)
{
	siginfo_t info = { 0 };
	return waitid(P_PID, (id_t)r->begun.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == r->begun.pid;
}

/* Until something happens, at most so long. */
static void look(struct running *r, double left_seconds)
{
	struct pollfd p[] = { { .fd = r->begun.process, .events = POLLIN },
			      { .fd = r->begun.said[0], .events = POLLIN },
			      { .fd = r->begun.said[1], .events = POLLIN } };
	double most_ms = r->begun.process >= 0 ? ASK_MS : LOOK_MS;
	poll(p, TP_COUNT_OF(p), (int)fmax(0, fmin(most_ms, ceil(left_seconds * 1e3))));
	/* The end first: its moment counts. */
	for (size_t i = 0; i < 2 && !(p[0].revents & POLLIN); i++)
		if (p[1 + i].revents)
			hear(r, i);
}

/* Until it has ended, takes too long, or is to be given up; false for the last. */
static bool watch(struct running *r)
{
	const struct tp_command_line *c = r->command;
	for (;;) {
		double lasted = tp_now_seconds() - r->begun.started;
		r->run->wall_seconds = lasted;
		if (has_ended(r))
			return true;
		r->run->late = lasted >= c->limit_seconds;
		if (r->run->late)
			return true;
		if (c->go_on && !c->go_on(c->context))
			return false;
		look(r, c->limit_seconds - lasted);
	}
}

static void send_end(const struct running *r, int signal)
{
	kill(r->command->inherits ? r->begun.pid : -r->begun.pid, signal);
}

/* It may save what it has. A stopped process hears SIGTERM only when it goes on. */
static void end_early(struct running *r)
{
	double until = tp_now_seconds() + r->command->patience_seconds, left;
	if (r->command->patience_seconds > 0) {
		send_end(r, SIGTERM);
		send_end(r, SIGCONT);
	}
	while (!has_ended(r) && (left = until - tp_now_seconds()) > 0)
		look(r, left);
	send_end(r, SIGKILL);
}

/* Its group goes while the zombie still holds its number. */
static void reap(struct running *r, uint64_t own_bytes)
{
	struct tp_command_run *run = r->run;
	struct rusage used = { 0 };
	int status = 0;
	if (!r->command->inherits)
		kill(-r->begun.pid, SIGKILL);
	while (wait4(r->begun.pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	run->end = (struct tp_process_end){ .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
					    .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0 };
	run->user_seconds = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
	run->system_seconds = (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
	uint64_t peak = 1024 * (uint64_t)used.ru_maxrss;
	run->max_rss_bytes = peak > own_bytes ? peak : 0;
	run->minor_faults = (uint64_t)used.ru_minflt;
	run->major_faults = (uint64_t)used.ru_majflt;
	run->waits = (uint64_t)used.ru_nvcsw;
	run->preemptions = (uint64_t)used.ru_nivcsw;
	run->blocks_read = (uint64_t)used.ru_inblock;
	run->blocks_written = (uint64_t)used.ru_oublock;
	hear(r, 0);
	hear(r, 1);
}

/* As system() does: whoever reads the terminal decides what Ctrl-C means. */
static void ignore_interrupts(struct sigaction before[2], bool back)
{
	static const int signals[] = { SIGINT, SIGQUIT };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	for (int i = 0; i < 2; i++) {
		if (back) {
			sigaction(signals[i], &before[i], NULL);
			continue;
		}
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &ignore, NULL);
	}
}

enum tp_status tp_command_run(const struct tp_command_line *command, struct tp_command_run *run,
			      struct tp_diag *diag)
{
	struct running r = { .command = command, .run = run };
	struct sigaction before[2];
	*run = (struct tp_command_run){ 0 };
	uint64_t own_bytes = tp_process_own_peak_bytes();
	if (command->inherits)
		ignore_interrupts(before, false);
	enum tp_status status = tp_command_begin(command, &r.begun, diag);
	if (status == TP_OK) {
		bool goes_on = watch(&r);
		if (!goes_on)
			status = tp_fail(diag, TP_CANCELLED, command->words[0], NULL, "cancelled");
		if (!goes_on || run->late)
			end_early(&r);
		reap(&r, own_bytes);
		if (run->output.oom)
			status = tp_fail(diag, TP_NOMEM, command->words[0], NULL, "out of memory");
		if (r.begun.process >= 0)
			close(r.begun.process);
		for (int i = 0; i < 2; i++)
			if (r.begun.said[i] >= 0)
				close(r.begun.said[i]);
	}
	if (command->inherits)
		ignore_interrupts(before, true);
	return status;
}

void tp_command_run_release(struct tp_command_run *run)
{
	tp_str_release(&run->output);
	*run = (struct tp_command_run){ 0 };
}

const char *tp_command_last_line(const struct tp_command_run *run, char *out, size_t size)
{
	const char *text = run->n_last ? run->last : tp_str_text(&run->output);
	size_t len = run->n_last ? run->n_last : run->output.len;
	return tp_last_line(out, size, text, len);
}
