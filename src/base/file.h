/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes whole files, and finds the program's own files. */
#ifndef TPROF_BASE_FILE_H
#define TPROF_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { TP_PATH_MAX = 4096 };

/*
 * Opens a regular file, below the open directory `folder` (AT_FDCWD: the current one). A pipe, a
 * socket, a device and a directory are refused at once, with words that say what it is (TP_USAGE).
 * `flags` as of open(), with O_NOFOLLOW a symbolic link, too; the descriptor is closed on exec.
 */
enum tp_status tp_file_open(int folder, const char *path, int flags, int *fd, struct tp_diag *diag);

/*
 * Reads a regular file (see tp_file_open) of at most `max_bytes` (TP_USAGE beyond). *text is
 * NUL-terminated heap memory that the caller frees.
 */
enum tp_status tp_file_read(const char *path, size_t max_bytes, char **text, size_t *len,
			    struct tp_diag *diag);
/*
 * The same line by line (`number` counts from 1; without the line feed, which the last line may
 * lack: `whole` is false then), so that a long file takes little memory. Ends when `take` returns
 * anything but TP_OK, with that. A line of more than `line_max` bytes comes as NULL.
 */
typedef enum tp_status tp_take_line(void *context, size_t number, const char *line, size_t len,
				    bool whole);
enum tp_status tp_file_lines(const char *path, size_t max_bytes, size_t line_max,
			     tp_take_line *take, void *context, struct tp_diag *diag);
/* The whole text from an open descriptor of any kind, such as standard input, to its end. */
enum tp_status tp_stream_read(int fd, const char *name, size_t max_bytes, char **text, size_t *len,
			      struct tp_diag *diag);

/*
 * Writes everything, even when interrupted or where the descriptor does not block. On failure it
 * returns false with errno, and a part may have been written. A socket whose other end is closed
 * gives EPIPE, never a signal; for a pipe the caller handles SIGPIPE.
 */
bool tp_write_all(int fd, const char *text, size_t len);
/*
 * The same while goes_on() says so, which is asked several times a second, however slowly somebody
 * reads. errno is ECANCELED where it ended the writing.
 */
bool tp_write_while(int fd, const char *text, size_t len, bool (*goes_on)(void *context),
		    void *context);

/*
 * Writes a temporary file beside `path`, syncs and renames it: `path` holds the old content or the
 * new one, never half. A file that is there keeps its permissions, and a link stays a link. What a
 * new file cannot stand for is written directly: a device, a pipe, a file with several names or of
 * another user. A write-protected file is refused.
 */
enum tp_status tp_file_write(const char *path, const char *text, size_t len, struct tp_diag *diag);

/*
 * Before tp_file_write in a folder that a stranger may have filled: a link, a pipe or whatever else
 * has that name goes, so that nothing is written through it. A plain file stays.
 */
void tp_file_make_way(const char *path);

/* The same refusals without writing: TP_OK if a try to write makes sense. */
enum tp_status tp_file_can_write(const char *path, struct tp_diag *diag);

/*
 * tp_is_file: anything that exists and is no directory, so a device or a pipe too. Links are
 * followed.
 */
bool tp_is_file(const char *path);
bool tp_is_folder(const char *path);

/* mkdir -p. */
enum tp_status tp_dir_make(const char *path, struct tp_diag *diag);

/*
 * A path of the program's data (`relative` like "presets/quick.yaml"; "presets" names the
 * directory). Searched in order: $TPROF_DATADIR, the source tree of a program that lies in
 * the folder it was built in, the installed package data directory. TP_NOTFOUND if none has it.
 */
enum tp_status tp_path_data(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag);

/*
 * A path of what was compiled with the program: in the folder that it was built in if it lies
 * there, else in the installed package library directory. TP_NOTFOUND if there is none.
 */
enum tp_status tp_path_library(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag);

/*
 * $XDG_DATA_HOME/tprof/<relative> (or ~/.local/share), $XDG_CONFIG_HOME/tprof/<relative> (or
 * ~/.config), $XDG_CACHE_HOME/tprof/<relative> (or ~/.cache). Nothing is created.
 */
enum tp_status tp_path_user_data(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag);
enum tp_status tp_path_user_config(const char *relative, char out[TP_PATH_MAX],
				   struct tp_diag *diag);
enum tp_status tp_path_user_cache(const char *relative, char out[TP_PATH_MAX],
				  struct tp_diag *diag);

#endif
