/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lessons without screens. Private to this room. */
#ifndef TPROF_CLI_LESSON_H
#define TPROF_CLI_LESSON_H

#include "base/file.h"
#include "cli/cli.h"

/*
 * True for a file that is a lesson, and for a name ("lessons/03-roofline"): `path` is where it
 * lies. Presets of the same name come first.
 */
bool tp_cli_is_lesson(const char *typed, char path[TP_PATH_MAX]);
/* True after a complaint about a name of a lesson ("lessons/...") that there is none of. */
bool tp_cli_no_lesson(const char *typed);
/* --batch: measures every measurement and prints the lesson. Returns the exit code. */
int tp_cli_lesson(const struct tp_cli *cli, const char *path);
/* --dry-run: the points of every measurement. */
int tp_cli_lesson_plan(const struct tp_cli *cli, const char *path);

#endif
