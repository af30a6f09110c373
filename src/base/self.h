/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This program starting itself anew, with other arguments. */
#ifndef TPROF_BASE_SELF_H
#define TPROF_BASE_SELF_H

/*
 * Becomes this program with `arguments` (the first is a name, the last NULL); returns only where that failed, with errno. For a child
 * between fork and exec: it allocates nothing and takes no lock.
 *
 * A program of another architecture runs under a user-mode emulator, and what the emulator starts it starts on the machine as it is, which
 * cannot run such a program. The tests of cross builds therefore give the emulator's command in $TPROF_EMULATOR, words parted by spaces
 * (at most 15, 4 KiB in all), and it is put before.
 */
void tp_become_self(char *const *arguments);

#endif
