/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/run.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/command.h"
#include "base/memory.h"
#include "base/text.h"

/* --- finding it --- */

enum { NEIGHBOURS = 4096 };

/* The file in the same folder with the nearest name, into `out`; false if none is near. */
static bool nearest_file(const char *path, char out[TP_PATH_MAX])
{
	char folder[TP_PATH_MAX];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	TP_FREE char **names = tp_alloc(NEIGHBOURS, sizeof(*names));
	size_t n = 0, len = slash ? (size_t)(slash + 1 - path) : 0;
	bool found = false;
	snprintf(folder, sizeof(folder), "%.*s", (int)len, path);
	DIR *dir = opendir(len ? folder : ".");
	for (struct dirent *e; dir && n < NEIGHBOURS && (e = readdir(dir));)
		if (e->d_name[0] != '.')
			names[n++] = tp_strdup(e->d_name);
	if (dir)
		closedir(dir);
	const char *near = tp_nearest(name, (const char *const *)names, n);
	if (near) {
		int written = snprintf(out, TP_PATH_MAX, "%s%s", len ? folder : "./", near);
		found = written > 0 && written < TP_PATH_MAX && access(out, X_OK) == 0 &&
			tp_is_file(out);
	}
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	return found;
}

static enum tp_status say_not_found(const char *name, struct tp_diag *diag)
{
	char near[TP_PATH_MAX], shown[128], hint[256];
	if (!strchr(name, '/')) {
		if (tp_is_file(name))
			snprintf(hint, sizeof(hint),
				 "the current folder is not in PATH: write ./%s",
				 tp_shown(shown, sizeof(shown), name, strlen(name)));
		else
			snprintf(hint, sizeof(hint), "install it, or give its path");
		return tp_fail(diag, TP_NOTFOUND, name, hint, "there is no such program in PATH");
	}
	if (nearest_file(name, near))
		snprintf(hint, sizeof(hint), "do you mean %s?",
			 tp_shown(shown, sizeof(shown), near, strlen(near)));
	else
		snprintf(hint, sizeof(hint),
			 "a path without / at the beginning begins in the current folder");
	return tp_fail(diag, TP_NOTFOUND, name, hint, "there is no such program");
}

enum tp_status tp_app_program(const char *name, char path[TP_PATH_MAX], struct tp_diag *diag)
{
	struct stat st;
	if (!*name)
		return tp_fail(diag, TP_USAGE, "program", "name one after --", "its name is empty");
	if (tp_program_find(name, path))
		return TP_OK;
	if (!strchr(name, '/'))
		return say_not_found(name, diag);
	if (stat(name, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
		return say_not_found(name, diag);
	if (stat(name, &st) != 0)
		return tp_fail(diag, TP_PERM, name, "look at the rights of its folder",
			       "cannot be looked at: %s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return tp_fail(diag, TP_NOTFOUND, name, "name a program in it", "is a folder");
	if (!S_ISREG(st.st_mode))
		return tp_fail(diag, TP_NOTFOUND, name, "name a program",
			       "is not a plain file, so it is not a program");
	return tp_fail(diag, TP_PERM, name, "chmod +x FILE, if it is a program",
		       "is not executable");
}

/* --- what it is --- */

/* Of this machine; 0 = one that is not listed here, so nothing is compared. */
static unsigned own_machine(void)
{
	static const struct {
		const char *name;
		unsigned machine;
	} known[] = { { "x86_64", EM_X86_64 }, { "aarch64", EM_AARCH64 }, { "riscv64", EM_RISCV } };
	struct utsname system;
	if (uname(&system) == 0)
		for (size_t i = 0; i < TP_COUNT_OF(known); i++)
			if (strcmp(known[i].name, system.machine) == 0)
				return known[i].machine;
	return 0;
}

static const char *machine_name(unsigned machine)
{
	static const struct {
		unsigned machine;
		const char *name;
	} names[] = { { EM_386, "x86" },
		      { EM_X86_64, "x86-64" },
		      { EM_ARM, "Arm" },
		      { EM_AARCH64, "AArch64" },
		      { EM_RISCV, "RISC-V" },
		      { EM_PPC64, "PowerPC" },
		      { EM_S390, "z/Architecture" } };
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "unknown";
}

static void parse_elf(const unsigned char *head, size_t size, struct tp_app_file *file)
{
	Elf64_Ehdr elf;
	/* e_machine is at the same place in both classes. */
	unsigned machine = size >= 20 ? head[18] | (unsigned)head[19] << 8 : 0;
	unsigned bits = head[EI_CLASS] == ELFCLASS64 ? 64 : 32, own = own_machine();
	snprintf(file->machine, sizeof(file->machine), "a program of %u bits for %s machines", bits,
		 machine_name(machine));
	file->kind = TP_APP_FOREIGN;
	if (bits != 64 || head[EI_DATA] != ELFDATA2LSB || (own && machine != own))
		return;
	file->kind = TP_APP_UNKNOWN;
	if (size < sizeof(elf))
		return;
	memcpy(&elf, head, sizeof(elf));
	if (elf.e_type != ET_EXEC && elf.e_type != ET_DYN)
		return;
	file->kind = TP_APP_ELF;
	file->is_static = true;
	for (unsigned i = 0; i < elf.e_phnum; i++) {
		Elf64_Phdr part;
		if (elf.e_phoff > size || elf.e_phentsize < sizeof(part) ||
		    (size - elf.e_phoff) / elf.e_phentsize <= i)
			break;
		memcpy(&part, head + elf.e_phoff + (size_t)i * elf.e_phentsize, sizeof(part));
		if (part.p_type != PT_INTERP)
			continue;
		file->is_static = false;
		/* It is never beyond the head; if it were, it would stay unknown. */
		if (part.p_offset < size && part.p_filesz <= size - part.p_offset)
			snprintf(file->loader, sizeof(file->loader), "%.*s",
				 (int)TP_MIN(part.p_filesz, sizeof(file->loader)),
				 (const char *)head + part.p_offset);
	}
}

void tp_app_file_parse(const unsigned char *head, size_t size, struct tp_app_file *file)
{
	*file = (struct tp_app_file){ .kind = TP_APP_UNKNOWN };
	if (size >= EI_NIDENT && memcmp(head, ELFMAG, SELFMAG) == 0) {
		parse_elf(head, size, file);
	} else if (size >= 3 && head[0] == '#' && head[1] == '!') {
		const char *text = (const char *)head + 2;
		size_t len = 0;
		while (len < size - 2 && text[len] != '\n' && text[len])
			len++;
		tp_trim(&text, &len);
		size_t word = 0;
		while (word < len && text[word] != ' ' && text[word] != '\t')
			word++;
		if (word == 0 || word >= sizeof(file->interpreter))
			return;
		memcpy(file->interpreter, text, word);
		file->kind = TP_APP_SCRIPT;
	}
}

/* By the rules of the kernel (security/commoncap.c) for AT_SECURE. */
static bool is_privileged(const char *path, int fd)
{
	char capabilities[64];
	struct stat st;
	struct statvfs system;
	if (fstat(fd, &st) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	    (fstatvfs(fd, &system) == 0 && (system.f_flag & ST_NOSUID)))
		return false;
	bool other_user = (st.st_mode & S_ISUID) && st.st_uid != getuid();
	bool other_group =
		(st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid();
	return other_user || other_group ||
	       (getuid() != 0 &&
		getxattr(path, "security.capability", capabilities, sizeof(capabilities)) > 0);
}

enum tp_status tp_app_file_look(const char *path, struct tp_app_file *file, struct tp_diag *diag)
{
	unsigned char head[TP_APP_HEAD_BYTES];
	int fd;
	enum tp_status status = tp_file_open(AT_FDCWD, path, O_RDONLY, &fd, diag);
	*file = (struct tp_app_file){ .kind = TP_APP_UNKNOWN };
	if (status != TP_OK)
		return status;
	size_t size = 0;
	for (ssize_t n; size < sizeof(head); size += (size_t)n) {
		n = pread(fd, head + size, sizeof(head) - size, (off_t)size);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			break;
	}
	tp_app_file_parse(head, size, file);
	/* The kernel ignores the rights of a script. */
	file->privileged = file->kind == TP_APP_ELF && is_privileged(path, fd);
	close(fd);
	return TP_OK;
}

/* Between SIGTERM and SIGKILL. */
#define PATIENCE_SECONDS 1.0

const char *tp_app_variable(const struct tp_app_command *command, const char *name)
{
	const char *value = tp_environment_value(command->variables, name);
	return value ? value : tp_environment_value(environ, name);
}

enum tp_status tp_app_execute(const struct tp_app_command *command,
			      const struct tp_app_added *added, struct tp_command_run *ran,
			      struct tp_diag *diag)
{
	char *const *const lists[] = { environ, command->variables,
				       added ? added->variables : NULL };
	const int streams[] = { command->output, command->errors };
	char program[TP_PATH_MAX];
	*ran = (struct tp_command_run){ 0 };
	enum tp_status status = tp_app_program(command->words[0], program, diag);
	if (status != TP_OK)
		return status;
	TP_FREE char **environment = tp_environment_merge(lists, TP_COUNT_OF(lists));
	const struct tp_command_line line = { .words = command->words,
					      .environment = environment,
					      .folder = command->folder,
					      .cpus = command->cpus,
					      .n_cpus = command->n_cpus,
					      .inherits = !command->input,
					      .input = command->input,
					      .streams = command->kept ? NULL : streams,
					      .kept = command->kept,
					      .heard = command->heard,
					      .listener = command->listener,
					      .piped = command->piped,
					      .together = command->together,
					      .number = { added ? added->pid : NULL, command->pid },
					      .limit_seconds = command->limit_seconds,
					      .patience_seconds = PATIENCE_SECONDS,
					      .go_on = command->go_on,
					      .context = command->context };
	return tp_command_run(&line, ran, diag);
}

void tp_app_note_late(const struct tp_app_command *command, const struct tp_command_run *ran,
		      struct tp_diags *notes)
{
	if (ran->late)
		tp_diags_note(notes, command->words[0], "give it more time, or less to do",
			      "was ended after %.3g seconds, its limit", command->limit_seconds);
}
