/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/stepped.h"
#include "base/now.h"
#include "base/process.h"
#include "base/memory.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_STEPS = 256 }; /* between two looks at the clock */

/* What the child leaves, in shared memory. */
struct left {
	enum tp_status status;
	struct tp_diag diag;
};

struct task {
	const struct tp_stepped *code;
	unsigned most_seconds;
	struct left *left;
};

/* The child stops itself between its parts; these stops do not count as steps. */
static int work_in_child(int socket __attribute__((unused)), const void *context)
{
	const struct task *task = context;
	const struct tp_stepped *code = task->code;
	struct left *left = task->left;
	alarm(task->most_seconds); /* ends code that never ends */
	left->status = code->prepare ? code->prepare(code->context, &left->diag) : TP_OK;
	if (left->status != TP_OK)
		return 1;
	/* Work done only by the first call, such as binding a function, does not count. */
	void (*const parts[])(void *) = { code->less, code->less, code->more };
	/* Volatile: each turn has the same instructions, none is written out by itself. */
	for (volatile size_t i = 0; i < TP_COUNT_OF(parts); i++) {
		parts[i](code->context);
		if (i == 0 && ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
			left->status =
				tp_fail(&left->diag, TP_UNSUPPORTED, "stepping",
					"allow ptrace, as docker run --cap-add SYS_PTRACE does",
					"no process can be stepped here: %s", strerror(errno));
			return 1;
		}
		raise(SIGSTOP);
	}
	return 0;
}

struct stepping {
	pid_t pid;
	double until, most_seconds;
	const struct left *left;
	struct tp_diag *diag;
};

/* The child has ended before it should. */
static enum tp_status tell_end(const struct stepping *s, int state)
{
	if (s->left->status != TP_OK) {
		if (s->diag)
			*s->diag = s->left->diag;
		return s->left->status;
	}
	TP_STR how = { 0 };
	tp_process_end_text(tp_process_end_of(state), &how);
	return tp_fail(s->diag, TP_CRASHED, "stepping", NULL,
		       "the code %.100s while it was stepped", tp_str_text(&how));
}

/* Until the child stops for any reason; false: it has ended. */
static bool wait_for_stop(const struct stepping *s, int *state)
{
	while (waitpid(s->pid, state, 0) < 0 && errno == EINTR)
		;
	return WIFSTOPPED(*state);
}

/* Steps until the child stops itself. */
static enum tp_status step(const struct stepping *s, double *steps)
{
	int state, signal = 0;
	*steps = 0;
	for (unsigned i = 1;; i++) {
		if (ptrace(PTRACE_SINGLESTEP, s->pid, NULL, (void *)(long)signal) != 0)
			return tp_fail(s->diag, TP_UNSUPPORTED, "stepping", NULL,
				       "this kernel or CPU cannot step a process: %s",
				       strerror(errno));
		if (!wait_for_stop(s, &state))
			return tell_end(s, state);
		signal = WSTOPSIG(state);
		if (signal == SIGSTOP)
			return TP_OK;
		if (signal == SIGTRAP) {
			*steps += 1;
			signal = 0;
		}
		if (i % LOOK_STEPS != 0)
			continue;
		if (tp_stop_asked)
			return tp_fail(s->diag, TP_CANCELLED, "stepping", NULL, "cancelled");
		if (tp_now_seconds() > s->until)
			return tp_fail(s->diag, TP_RESOURCE, "stepping", NULL,
				       "there are too many instructions to step in %g s",
				       s->most_seconds);
	}
}

static enum tp_status step_both(const struct stepping *s, double *instructions)
{
	double less, more;
	int state;
	/* It stops for the first time when its data are ready. */
	if (!wait_for_stop(s, &state))
		return tell_end(s, state);
	enum tp_status status = step(s, &less);
	if (status == TP_OK)
		status = step(s, &more);
	*instructions = status == TP_OK ? more - less : 0;
	return status;
}

enum tp_status tp_stepped_count(const struct tp_stepped *code, double most_seconds,
				double *instructions, struct tp_diag *diag)
{
	struct task task = { .code = code, .most_seconds = (unsigned)most_seconds + 2 };
	struct stepping s = { .until = tp_now_seconds() + most_seconds,
			      .most_seconds = most_seconds,
			      .diag = diag };
	int fd, state;
	task.left = mmap(NULL, sizeof(*task.left), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (task.left == MAP_FAILED)
		tp_out_of_memory();
	s.left = task.left;
	const struct tp_self_child child = { .where = "stepping",
					     .name = "a process to step",
					     .prepare = work_in_child,
					     .context = &task };
	enum tp_status status = tp_self_start(&child, &s.pid, &fd, diag);
	if (status == TP_OK) {
		status = step_both(&s, instructions);
		kill(s.pid, SIGKILL);
		while (waitpid(s.pid, &state, 0) >= 0 ? WIFSTOPPED(state) : errno == EINTR)
			;
		close(fd);
	}
	munmap(task.left, sizeof(*task.left));
	return status;
}

static void do_nothing(void *context __attribute__((unused)))
{
}

enum tp_status tp_stepped_supported(struct tp_diag *diag)
{
	const struct tp_stepped nothing = { .less = do_nothing, .more = do_nothing };
	double none;
	return tp_stepped_count(&nothing, 1, &none, diag);
}
