/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ctrl-Z. This program, the engine and the program that an engine runs are three jobs, of which the
 * shell started only the first: they stop and go on together. Windows that the engine measures
 * across a stop do not count.
 */
#ifndef TPROF_BASE_SUSPEND_H
#define TPROF_BASE_SUSPEND_H

#include <stdbool.h>
#include <sys/types.h>

/* --- in the process that the shell started --- */

/* Notes Ctrl-Z from now on, unless it is ignored or has a handler. */
void tp_suspend_watch(void);
void tp_suspend_unwatch(void);
/*
 * Stops the engine and what it runs, then the group of this process, and lets the engine go on when
 * that goes on. For a process with its own handler for Ctrl-Z.
 */
void tp_suspend_now(void);
/*
 * Sets the engine under way, 0 = none, and suspends where Ctrl-Z was noted. Returns the seconds
 * that this process was suspended since the last call.
 */
double tp_suspend_with(pid_t engine);

/* --- in an engine --- */

/* The seconds for which this process has been stopped so far. */
extern volatile double tp_suspended_seconds;

/* SIGTSTP stops this process, its group, and the program below. */
void tp_suspend_listen(void);
/* The group of a program that has its own; 0 = the program has ended. */
void tp_suspend_group(pid_t group);

/*
 * Makes the own group the foreground of a terminal: only its processes may read that. `owner` is
 * the group of our parent, which gets it back when the program in it has ended, and while it is
 * stopped. Until then that program handles Ctrl-Z.
 */
void tp_suspend_lend(int terminal, pid_t owner);
void tp_suspend_back(void);
/*
 * The program that has the terminal was stopped, so stop our parent and this process. False: no
 * program has it.
 */
bool tp_suspend_all(void);

#endif
