/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files read whole and written whole, and where the program's files live. */
#ifndef TPROF_BASE_FILE_H
#define TPROF_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { TP_PATH_MAX = 4096 };

/* Reads at most `max_bytes` (TP_USAGE beyond); *text is NUL-terminated heap memory, caller frees. Directories and devices are refused. */
enum tp_status tp_file_read(const char *path, size_t max_bytes, char **text, size_t *len,
			    struct tp_diag *diag);

/*
 * Writes all of it to a descriptor that waits, however often interrupted. False with errno; then a part of it may have been written. Whoever
 * listened at a socket and has gone is an error (EPIPE), never a signal; at a pipe that is up to the caller.
 */
bool tp_write_all(int fd, const char *text, size_t len);

/*
 * Writes to a temporary beside `path`, syncs, renames: the old content or the new one, never half. A device or a pipe that is there is
 * written to as it is.
 */
enum tp_status tp_file_write(const char *path, const char *text, size_t len, struct tp_diag *diag);

/* What is there and no folder, so a device or a pipe too. Links are followed. */
bool tp_is_file(const char *path);
bool tp_is_folder(const char *path);

/* mkdir -p. */
enum tp_status tp_dir_make(const char *path, struct tp_diag *diag);

/*
 * Program data (`relative` like "presets/quick.yaml"; "presets" names the directory itself). Tried in order:
 * $TPROF_DATADIR, the source tree around a not yet installed program, the installed package data directory.
 * TP_NOTFOUND if none holds it.
 */
enum tp_status tp_path_data(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag);

/* $XDG_DATA_HOME/tprof/<relative> (or ~/.local/share), $XDG_CONFIG_HOME/tprof/<relative> (or ~/.config). Nothing is created. */
enum tp_status tp_path_user_data(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag);
enum tp_status tp_path_user_config(const char *relative, char out[TP_PATH_MAX],
				   struct tp_diag *diag);

#endif
