/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes whole files, and finds the program's own files. */
#ifndef TPROF_BASE_FILE_H
#define TPROF_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "base/str.h"

enum { TP_PATH_MAX = 4096 };

/*
 * Opens a regular file, below the open directory `folder` (AT_FDCWD: the current one). A pipe, a
 * socket, a device and a directory are refused at once, with a message that names the kind
 * (TP_USAGE). `flags` as of open(), with O_NOFOLLOW a symbolic link, too; the descriptor is closed
 * on exec.
 */
enum tp_status tp_file_open(int folder, const char *path, int flags, int *fd, struct tp_diag *diag);

/*
 * Reads a regular file (see tp_file_open) of at most `max_bytes` (TP_USAGE beyond). *text is
 * NUL-terminated heap memory that the caller frees, without a byte order mark of UTF-8.
 */
enum tp_status tp_file_read(const char *path, size_t max_bytes, char **text, size_t *len,
			    struct tp_diag *diag);

/*
 * The same line by line (`number` counts from 1; without the line feed, which the last line may
 * lack: `whole` is false then; nor a byte order mark), so that a long file takes little memory.
 * Ends when `take` returns anything but TP_OK, with that. A line of more than `line_max` bytes
 * comes as NULL. line[len] is NUL.
 */
typedef enum tp_status tp_take_line(void *context, size_t number, const char *line, size_t len,
				    bool whole);

enum tp_status tp_file_lines(const char *path, size_t max_bytes, size_t line_max,
			     tp_take_line *take, void *context, struct tp_diag *diag);

/* The lines of any source: `bytes` reads the next ones, *got = 0 at the end. */
typedef enum tp_status tp_read_bytes(void *source, char *out, size_t size, size_t *got,
				     struct tp_diag *diag);

enum tp_status tp_read_lines(tp_read_bytes *bytes, void *source, size_t line_max,
			     tp_take_line *take, void *context, struct tp_diag *diag);

/* All bytes from an open descriptor of any kind to its end. */
enum tp_status tp_stream_read(int fd, const char *name, size_t max_bytes, char **text, size_t *len,
			      struct tp_diag *diag);

/* The same of a text, such as standard input: without a byte order mark of UTF-8. */
enum tp_status tp_text_read(int fd, const char *name, size_t max_bytes, char **text, size_t *len,
			    struct tp_diag *diag);

/*
 * Writes everything, even when interrupted or where the descriptor does not block. On failure it
 * returns false with errno, and a part may have been written. A socket whose other end is closed
 * gives EPIPE, never a signal; for a pipe the caller handles SIGPIPE.
 */
bool tp_write_all(int fd, const char *text, size_t len);

/*
 * The same while goes_on() returns true; it is called several times a second, also when the reader
 * is slow. errno is ECANCELED if it ended the writing.
 */
bool tp_write_while(int fd, const char *text, size_t len, bool (*goes_on)(void));

/*
 * How much of a path the user typed. Where another user may have filled the folder, a link there
 * could lead to any file of the user.
 */
enum tp_typed {
	TP_TYPED_FILE, /* -o FILE: links are followed, devices and pipes written to */
	TP_TYPED_FOLDER, /* --run-dir: a link, a pipe or a file of several names is replaced */
	TP_TYPED_NOTHING, /* and the folder has to be the user's own, see tp_folder_own */
};

/*
 * Writes a temporary file beside `path`, syncs and renames it: `path` holds the old content or the
 * new one, never half. A file that is there keeps its permissions. A link that the user typed stays
 * a link, and what a new file cannot stand for is written directly: a device, a pipe, a file with
 * several names or of another user. A write-protected file is refused.
 */
enum tp_status tp_file_write(enum tp_typed typed, const char *path, const char *text, size_t len,
			     struct tp_diag *diag);

/*
 * Opens a regular file whose name the user did not type, to write into it: `flags` as of
 * tp_file_open. With O_CREAT what stands in its place is removed as above; without, it is refused.
 */
enum tp_status tp_file_create(enum tp_typed typed, const char *path, int flags, int *fd,
			      struct tp_diag *diag);

/* The same refusals without writing: TP_OK if a try to write makes sense. */
enum tp_status tp_file_can_write(enum tp_typed typed, const char *path, struct tp_diag *diag);

/*
 * True for what the user or root owns and no other user can write. The group may where the user's
 * own umask lets it: then it is the user's alone.
 */
struct stat;
bool tp_is_own(const struct stat *st);
/* TP_OK for such a directory; TP_PERM with the reason otherwise. */
enum tp_status tp_folder_own(const char *path, struct tp_diag *diag);
/*
 * Locks a directory against other processes; waits up to `seconds` for the holder. The caller
 * closes *fd to release the lock; -1 = none. False: another process still holds it. True also if
 * the file system has no locks.
 */
bool tp_folder_lock(const char *path, double seconds, int *fd);

/*
 * tp_is_file: anything that exists except directories, so a device or a pipe too. Links are
 * followed.
 */
bool tp_is_file(const char *path);
bool tp_is_folder(const char *path);

/* A new one, with errno on failure. Other users cannot write into it. */
enum tp_status tp_dir_new(const char *path, struct tp_diag *diag);
/* mkdir -p. */
enum tp_status tp_dir_make(const char *path, struct tp_diag *diag);

/* The last part of a path: all of it without a slash. */
const char *tp_path_last(const char *path);

/*
 * A path of the program's data (`relative` like "presets/quick.yaml"; "presets" names the
 * directory). Searched in order: $TPROF_DATADIR, the source tree of a program that lies in
 * the folder it was built in, the installed package data directory. TP_NOTFOUND if none has it.
 */
enum tp_status tp_path_data(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag);

/*
 * A path of what was compiled with the program: in the folder that it was built in if it lies
 * there, else in the installed package library directory. TP_NOTFOUND if both lack it.
 */
enum tp_status tp_path_library(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag);

/* A path as a user types it: "~" and "~/" are the home directory. False: it is too long. */
bool tp_path_typed(const char *typed, char out[TP_PATH_MAX]);

/*
 * $XDG_DATA_HOME/tprof/<relative> (or ~/.local/share), $XDG_CONFIG_HOME/tprof/<relative> (or
 * ~/.config), $XDG_CACHE_HOME/tprof/<relative> (or ~/.cache). Nothing is created.
 */
enum tp_status tp_path_user_data(const char *relative, char out[TP_PATH_MAX], struct tp_diag *diag);

enum tp_status tp_path_user_config(const char *relative, char out[TP_PATH_MAX],
				   struct tp_diag *diag);

enum tp_status tp_path_user_cache(const char *relative, char out[TP_PATH_MAX],
				  struct tp_diag *diag);

/* Splits a stream of bytes into lines, however the bytes arrive. */

/* Zero-initialise. `limit` may be set first: longer lines are dropped (0 = no limit). */
struct tp_lines {
	struct tp_str text; /* received, not yet dropped */
	size_t at, searched; /* where the next line begins, and how far no line feed was found */
	size_t limit;
	bool dropping; /* in the middle of a line that is too long */
};

/* Adds what was received. */
void tp_lines_add(struct tp_lines *lines, const char *bytes, size_t n);

/*
 * Reads once from a descriptor; an interrupted read is repeated. Returns how many bytes came, 0 at
 * the end of the stream, -1 with errno (EAGAIN where a non-blocking descriptor has nothing).
 */
ssize_t tp_lines_read(struct tp_lines *lines, int fd);

/*
 * The next whole line without its line feed, terminated with NUL, or NULL. The caller may change
 * it; it is valid until the next tp_lines_add or tp_lines_read. `len` may be NULL.
 */
char *tp_lines_next(struct tp_lines *lines, size_t *len);
void tp_lines_release(struct tp_lines *lines);

/*
 * A program's output, up to a limit, in memory that processes share: one of them runs the program
 * and fills it, and the output survives that process.
 */

enum { TP_OUTPUT_STREAMS = 2, TP_OUTPUT_BYTES = 1 << 20 };

struct tp_output {
	struct {
		uint64_t n; /* bytes of `text`; a reader takes no more than TP_OUTPUT_BYTES */
		uint64_t lost; /* bytes that came after them */
		char text[TP_OUTPUT_BYTES];
	} stream[TP_OUTPUT_STREAMS]; /* standard output, standard error */
};

/* A descriptor of an empty one, closed on exec; -1 with errno. */
int tp_output_make(void);

/* NULL if the descriptor is not of one. Unmap it in the end; the descriptor may be closed. */
struct tp_output *tp_output_map(int fd);
void tp_output_unmap(struct tp_output *output);

/* Appends what fits, and counts the rest. */
void tp_output_add(struct tp_output *output, size_t stream, const char *bytes, size_t n);

/*
 * Where an engine finds tprof's streams for a user's program. Its own standard input and output are
 * /dev/null, so that code it loads cannot read or write there. The standard error of both is one.
 *
 * Without them, it may find memory there for what such a program prints (tp_output).
 */
enum { TP_STREAM_INPUT_FD = 4, TP_STREAM_OUTPUT_FD = 5, TP_STREAM_KEPT_FD = 6 };

#endif
