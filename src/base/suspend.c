/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/suspend.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"

/* --- in the process that the shell started --- */

/* An engine stops between two instructions. */
enum { WAIT_MS = 5, WAITS = 200 };

static volatile sig_atomic_t is_asked;
static struct sigaction before;
static bool is_watching;
static pid_t engine; /* that is under way, 0 = none */
static double suspended_seconds; /* not yet returned by tp_suspend_with */

static void on_asked(int number __attribute__((unused)))
{
	is_asked = 1;
}

void tp_suspend_watch(void)
{
	struct sigaction action = { .sa_handler = on_asked }; /* waits end at once */
	sigemptyset(&action.sa_mask);
	sigaction(SIGTSTP, NULL, &before);
	is_watching = before.sa_handler == SIG_DFL;
	if (is_watching)
		sigaction(SIGTSTP, &action, NULL);
}

void tp_suspend_unwatch(void)
{
	if (is_watching)
		sigaction(SIGTSTP, &before, NULL);
	is_watching = false;
}

static bool is_stopped(pid_t pid)
{
	siginfo_t info = { 0 };
	return waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == pid;
}

void tp_suspend_now(void)
{
	struct sigaction own;
	double from = tp_now_seconds();
	is_asked = 0;
	if (engine)
		kill(-engine, SIGTSTP);
	for (int i = 0; engine && i < WAITS && !is_stopped(engine); i++)
		poll(NULL, 0, WAIT_MS);
	/* It may be about to start a program that has stopped: that goes on with it. */
	bool stopped = engine && is_stopped(engine);
	if (engine && !stopped)
		kill(-engine, SIGSTOP);
	/* The whole job, as the shell expects. If no shell could continue it, nothing happens. */
	sigaction(SIGTSTP, &(struct sigaction){ .sa_handler = SIG_DFL }, &own);
	kill(0, SIGTSTP);
	sigaction(SIGTSTP, &own, NULL);
	if (engine)
		kill(stopped ? engine : -engine, SIGCONT);
	suspended_seconds += tp_now_seconds() - from;
}

double tp_suspend_with(pid_t pid)
{
	engine = pid;
	if (is_asked)
		tp_suspend_now();
	double seconds = suspended_seconds;
	suspended_seconds = 0;
	return seconds;
}

/* --- in an engine --- */

volatile double tp_suspended_seconds;

static volatile pid_t program_group;
static volatile pid_t terminal_owner; /* 0 = no terminal is lent */
static volatile int lent_terminal;

/* Everything called below is safe in handlers. */
static void set_foreground(pid_t group)
{
	sigset_t block, old;
	sigemptyset(&block);
	sigaddset(&block, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &block, &old);
	(void)!tcsetpgrp(lent_terminal, group);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Never from a shell that took it, or gives it to another job. */
static void move_terminal(pid_t from, pid_t to)
{
	if (tcgetpgrp(lent_terminal) == from)
		set_foreground(to);
}

static void stop_here(void)
{
	double from = tp_now_seconds();
	kill(0, SIGSTOP);
	tp_suspended_seconds += tp_now_seconds() - from;
}

static void on_suspend(int number __attribute__((unused)))
{
	int error = errno;
	pid_t group = program_group;
	if (terminal_owner)
		return;
	if (group)
		kill(-group, SIGSTOP);
	stop_here();
	if (group)
		kill(-group, SIGCONT);
	/* SIGCONT came only to this process. */
	kill(0, SIGCONT);
	errno = error;
}

/* For a terminal that the program wants and does not have: the whole group is signalled. */
static void on_other(int number __attribute__((unused)))
{
}

void tp_suspend_listen(void)
{
	struct sigaction action = { .sa_handler = on_suspend, .sa_flags = SA_RESTART };
	sigemptyset(&action.sa_mask);
	sigaction(SIGTSTP, &action, NULL);
	action.sa_handler = on_other;
	sigaction(SIGTTIN, &action, NULL);
	sigaction(SIGTTOU, &action, NULL);
}

void tp_suspend_group(pid_t group)
{
	program_group = group;
}

void tp_suspend_lend(int terminal, pid_t owner)
{
	lent_terminal = terminal;
	terminal_owner = owner;
	move_terminal(owner, getpgrp());
}

void tp_suspend_back(void)
{
	if (terminal_owner)
		move_terminal(getpgrp(), terminal_owner);
	terminal_owner = 0;
}

bool tp_suspend_all(void)
{
	if (!terminal_owner)
		return false;
	move_terminal(getpgrp(), terminal_owner);
	kill(getppid(), SIGTSTP);
	stop_here();
	/* With bg it goes on without, and stops again when it reads. */
	move_terminal(terminal_owner, getpgrp());
	kill(0, SIGCONT);
	return true;
}
