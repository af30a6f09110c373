/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which compiler, and what it calls itself. */
#include "compiler/compiler_parts.h"
#include "base/command.h"
#include "base/tally.h"
#include "base/now.h"
#include "base/process.h"
#include "base/text.h"
#include "base/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * A remembered version is asked for again after a day: behind a wrapper the compiler may change
 * while the wrapper stays.
 */
enum { VERSION_SECONDS = 10, REMEMBERED_SECONDS = 86400, REMEMBERED_BYTES = 16384 };

/* --- its version --- */

/* What tells whether a remembered version is still that of this program. */
static bool identify(const char *program, struct tp_str *out)
{
	struct stat st;
	if (stat(program, &st) != 0)
		return false;
	tp_str_printf(out, "%s\n%ju %ju %jd.%09ld\n", program, (uintmax_t)st.st_ino,
		      (uintmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return !out->oom;
}

static bool recall(const char *path, const struct tp_str *identity, char version[256])
{
	struct stat st;
	char *text = NULL;
	size_t len = 0;
	if (stat(path, &st) != 0 || st.st_uid != geteuid() ||
	    difftime(time(NULL), st.st_mtime) > REMEMBERED_SECONDS ||
	    tp_file_read(path, REMEMBERED_BYTES, &text, &len, NULL) != TP_OK)
		return false;
	bool good = len > identity->len + 1 && text[len - 1] == '\n' &&
		    memcmp(text, identity->s, identity->len) == 0;
	if (good)
		tp_shown(version, 256, text + identity->len, len - 1 - identity->len);
	free(text);
	return good;
}

static enum tp_status ask(const char *program, char version[256], struct tp_diag *diag)
{
	char *arguments[] = { (char *)program, "--version", NULL };
	const struct tp_cc_start start = { .arguments = arguments,
					   .limit_seconds = VERSION_SECONDS };
	struct tp_cc_child child;
	struct tp_process_end end;
	bool late = false, ended = false;
	enum tp_status status = tp_cc_child_start(&child, &start, diag);
	if (status != TP_OK)
		return status;
	while (!tp_stop_asked && !(ended = tp_cc_child_ended(&child, &end, &late)))
		tp_cc_children_wait((const struct tp_cc_child *[]){ &child }, 1);
	const char *said = tp_str_text(&child.said);
	size_t len = strcspn(said, "\n");
	tp_trim(&said, &len);
	if (!ended)
		status = tp_fail(diag, TP_CANCELLED, program, NULL, "cancelled");
	else if (late)
		status = tp_fail(diag, TP_FAILED, program, "choose another compiler",
				 "does not answer --version within %d s", VERSION_SECONDS);
	else if (end.signal || end.code || !len)
		status = tp_fail(diag, TP_FAILED, program, "choose another compiler",
				 "is no compiler that works: --version gives %s",
				 end.signal ? "a crash"
				 : end.code ? "an error"
					    : "no answer");
	else
		tp_shown(version, 256, said, len);
	tp_cc_child_release(&child);
	return status;
}

/* The cache only saves a process: without one the program is asked each time. */
static enum tp_status find_version(const char *program, char version[256], struct tp_diag *diag)
{
	struct tp_str identity = { 0 };
	char folder[TP_PATH_MAX], path[TP_PATH_MAX];
	enum tp_status status = TP_OK;
	uint64_t hash = tp_hash_text(TP_HASH_START, program);
	bool kept = identify(program, &identity) && tp_cc_folder(folder, NULL) == TP_OK &&
		    tp_cc_path(path, "%s/version.%016" PRIx64, folder, hash);
	if (!kept || !recall(path, &identity, version)) {
		status = ask(program, version, diag);
		if (status == TP_OK && kept) {
			tp_str_printf(&identity, "%s\n", version);
			if (!identity.oom)
				tp_file_write(path, identity.s, identity.len, NULL);
		}
	}
	tp_str_release(&identity);
	return status;
}

/* --- flags --- */

/* What must come out is decided here; what others begin with is refused with it. */
static const char *refused_flag(const char *word)
{
	static const char *const exact[] = { "-c", "-S",       "-E",	       "-r",
					     "-x", "-wrapper", "-fsyntax-only" };
	static const char *const begins[] = { "-o", "-xc", "-M", "-save-temps", "-dump" };
	if (word[0] != '-' || !word[1])
		return "is no flag; flags begin with - and have their value in the same word";
	for (size_t i = 0; i < TP_COUNT_OF(exact); i++)
		if (strcmp(word, exact[i]) == 0)
			return "changes what the compiler makes";
	for (size_t i = 0; i < TP_COUNT_OF(begins); i++)
		if (strncmp(word, begins[i], strlen(begins[i])) == 0)
			return "changes what the compiler makes";
	return NULL;
}

/* `ours`: no user gave them, so none is refused. */
static enum tp_status read_flags(struct tp_compiler *compiler, const char *text, bool ours,
				 struct tp_diag *diag)
{
	static const char blanks[] = " \t\n";
	size_t most = strlen(text) / 2 + 1;
	compiler->flags = calloc(most, sizeof(*compiler->flags));
	if (!compiler->flags)
		return tp_fail(diag, TP_NOMEM, "flags", NULL, "out of memory");
	for (;;) {
		text += strspn(text, blanks);
		size_t len = strcspn(text, blanks);
		if (!len)
			return TP_OK;
		char *word = strndup(text, len), shown[64];
		if (!word)
			return tp_fail(diag, TP_NOMEM, "flags", NULL, "out of memory");
		compiler->flags[compiler->n_flags++] = word;
		const char *why = ours ? NULL : refused_flag(word);
		if (why)
			return tp_fail(diag, TP_USAGE, "flags",
				       "flags such as -O3, -Idir or -DNAME=1", "%s %s",
				       tp_shown(shown, sizeof(shown), word, len), why);
		text += len;
	}
}

/* --- this processor --- */

/* Lines of /proc/cpuinfo that say which instructions a compiler may use, on any architecture. */
static bool names_processor(const char *line)
{
	static const char *const names[] = {
		"vendor_id",
		"cpu family",
		"model",
		"model name",
		"stepping",
		"flags",
		"CPU implementer",
		"CPU variant",
		"CPU part",
		"CPU revision",
		"CPU architecture",
		"Features",
		"isa",
		"hart isa",
		"uarch",
		"mvendorid",
		"marchid",
		"mimpid",
		"cpu",
		"features",
	};
	size_t len = strcspn(line, "\t:");
	while (len && line[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		if (strlen(names[i]) == len && memcmp(line, names[i], len) == 0)
			return true;
	return false;
}

/* The name of the model, and a hash of all that names the first processor. */
static void name_target(char out[128])
{
	char *line = NULL, name[100] = "processor";
	size_t cap = 0;
	uint64_t hash = TP_HASH_START;
	FILE *f = fopen("/proc/cpuinfo", "re");
	while (f && getline(&line, &cap, f) > 1) {
		const char *value = strchr(line, ':');
		if (!names_processor(line) || !value)
			continue;
		hash = tp_hash_text(hash, line);
		size_t len = strlen(++value);
		tp_trim(&value, &len);
		if (strncmp(line, "model name", strlen("model name")) == 0)
			tp_shown(name, sizeof(name), value, len);
	}
	free(line);
	if (f)
		fclose(f);
	snprintf(out, 128, "%s %016" PRIx64, name, hash);
}

/* --- assemblers --- */

/* An assembler by the beginning of its name, and the flag that makes it assemble; NULL = none. */
static const struct {
	const char *name, *flag;
} assemblers[] = { { "as", NULL }, { "clang", "-c" }, { "llvm-mc", "-filetype=obj" } };

/* NULL: the program is none of them. The last part of a name may have more: clang-14. */
static const char *const *assembler_flag(const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
	for (size_t i = 0; i < TP_COUNT_OF(assemblers); i++) {
		size_t len = strlen(assemblers[i].name);
		if (strncmp(name, assemblers[i].name, len) == 0 &&
		    (name[len] == '\0' || name[len] == '-'))
			return &assemblers[i].flag;
	}
	return NULL;
}

static enum tp_status set_assembler(struct tp_compiler *assembler, struct tp_diag *diag)
{
	const char *const *flag = assembler_flag(assembler->program);
	if (!flag)
		return tp_fail(diag, TP_USAGE, "assembler", "as, clang or llvm-mc",
			       "%s is no assembler that tprof knows", assembler->program);
	if (*flag)
		return read_flags(assembler, *flag, true, diag);
	return TP_OK;
}

enum tp_status tp_assembler_find(struct tp_compiler *assembler, const char *wish,
				 struct tp_diag *diag)
{
	*assembler = (struct tp_compiler){ .limit_seconds = TP_COMPILE_SECONDS, .assembles = true };
	bool found = false;
	char shown[96];
	if (wish[0])
		found = tp_program_find(wish, assembler->program);
	for (size_t i = 0; i < TP_COUNT_OF(assemblers) && !wish[0] && !found; i++)
		found = tp_program_find(assemblers[i].name, assembler->program);
	enum tp_status status = TP_OK;
	if (!found && wish[0])
		status = tp_fail(diag, TP_NOTFOUND, "assembler", "as, clang or llvm-mc",
				 "%s is no program",
				 tp_shown(shown, sizeof(shown), wish, strlen(wish)));
	else if (!found)
		status = tp_fail(diag, TP_NOTFOUND, "assembler", "sudo apt-get install binutils",
				 "there is no assembler (as, clang, llvm-mc) in PATH");
	if (status == TP_OK)
		status = set_assembler(assembler, diag);
	if (status == TP_OK)
		status = find_version(assembler->program, assembler->version, diag);
	if (status != TP_OK) {
		assembler->program[0] = '\0';
		tp_cc_diag_clean(diag);
	}
	return status;
}

/* --- all of it --- */

static enum tp_status not_found(const char *wish, struct tp_diag *diag)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.+-";
	char name[96], hint[160];
	if (!wish[0])
		return tp_fail(diag, TP_NOTFOUND, "compiler", "sudo apt-get install gcc libc6-dev",
			       "there is no C compiler (cc, gcc, clang) in PATH");
	tp_shown(name, sizeof(name), wish, strlen(wish));
	if (strchr(wish, '/'))
		return tp_fail(diag, TP_NOTFOUND, "compiler", "give a program, such as gcc",
			       "%s is no program", name);
	bool packaged = strspn(wish, letters) == strlen(wish) &&
			(strncmp(wish, "gcc", 3) == 0 || strncmp(wish, "clang", 5) == 0);
	const char *runtime = strncmp(wish, "clang", 5) == 0 ? "libomp-dev" : "libc6-dev";
	snprintf(hint, sizeof(hint), "sudo apt-get install %s %s", packaged ? name : "gcc",
		 runtime);
	return tp_fail(diag, TP_NOTFOUND, "compiler", hint, "%s is no program in PATH", name);
}

static enum tp_status find_program(struct tp_compiler *compiler, const char *wish,
				   struct tp_diag *diag)
{
	const char *own = getenv("CC");
	const char *names[] = { own, "cc", "gcc", "clang" };
	enum tp_status status = TP_NOTFOUND;
	if (wish[0]) {
		if (!tp_program_find(wish, compiler->program))
			return not_found(wish, diag);
		return find_version(compiler->program, compiler->version, diag);
	}
	not_found(wish, diag);
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		if (!names[i] || !names[i][0] || !tp_program_find(names[i], compiler->program))
			continue;
		status = find_version(compiler->program, compiler->version, diag);
		if (status == TP_OK || status == TP_CANCELLED)
			return status;
	}
	return status;
}

enum tp_status tp_compiler_find(struct tp_compiler *compiler, const char *wish, const char *flags,
				struct tp_diag *diag)
{
	*compiler = (struct tp_compiler){ .limit_seconds = TP_COMPILE_SECONDS };
	if (strcmp(wish, TP_COMPILER_PREBUILT) == 0)
		return TP_OK;
	if (!strchr(wish, '/') && strpbrk(wish, " \t\n"))
		return tp_fail(diag, TP_USAGE, "compiler",
			       "a program such as gcc-12 or /opt/bin/clang; its flags stand apart",
			       "a compiler is one word");
	enum tp_status status =
		read_flags(compiler, flags[0] ? flags : TP_COMPILER_FLAGS, false, diag);
	if (status == TP_OK)
		status = find_program(compiler, wish, diag);
	for (size_t i = 0; status == TP_OK && i < compiler->n_flags; i++) {
		const char *value = strchr(compiler->flags[i], '=');
		if (value && strcmp(value, "=native") == 0)
			name_target(compiler->target);
	}
	if (status != TP_OK) {
		compiler->program[0] = '\0';
		compiler->version[0] = '\0';
		tp_cc_diag_clean(diag);
	}
	return status;
}

enum tp_status tp_compiler_add_flag(struct tp_compiler *compiler, const char *flag,
				    struct tp_diag *diag)
{
	size_t n = compiler->n_flags;
	char **flags = realloc(compiler->flags, (n + 1) * sizeof(*flags));
	char *copy = strdup(flag);
	if (flags)
		compiler->flags = flags;
	if (!flags || !copy) {
		free(copy);
		return tp_fail(diag, TP_NOMEM, "flags", NULL, "out of memory");
	}
	compiler->flags[compiler->n_flags++] = copy;
	return TP_OK;
}

void tp_compiler_release(struct tp_compiler *compiler)
{
	for (size_t i = 0; i < compiler->n_flags; i++)
		free(compiler->flags[i]);
	free(compiler->flags);
	*compiler = (struct tp_compiler){ 0 };
}
