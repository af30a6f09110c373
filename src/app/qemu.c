/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting without anything inside the program: qemu runs it, and our plug-in (src/qemu) counts. It
 * leaves the same file as the agent.
 */
#include "app/run.h"
#include "app/tree.h"
#include "base/command.h"
#include "base/memory.h"
#include "base/str.h"

#include <string.h>

#define QEMU	     "qemu-x86_64"
#define QEMU_PLUG_IN "libtprof-qemu.so"
/* The most that qemu's processor can; the default of qemu has no AVX. */
#define QEMU_CPU "max"

/* --- whether it can --- */

static enum tp_status find_qemu(char qemu[TP_PATH_MAX], char plug_in[TP_PATH_MAX],
				struct tp_diag *diag)
{
	if (tp_path_library(QEMU_PLUG_IN, plug_in, NULL) != TP_OK)
		return tp_fail(diag, TP_NOTFOUND, "qemu",
			       "build tprof with Zydis: apt-get install libzydis-dev "
			       "libzycore-dev, then ./configure && make",
			       "%s is missing beside this program", QEMU_PLUG_IN);
	if (!tp_program_find(QEMU, qemu))
		return tp_fail(diag, TP_NOTFOUND, "qemu", "apt-get install qemu-user",
			       "there is no %s in $PATH", QEMU);
	return TP_OK;
}

static enum tp_status takes(const char *path, struct tp_diag *diag)
{
	struct tp_app_file file;
	enum tp_status status = tp_app_file_look(path, &file, diag);
	if (status != TP_OK)
		return status;
	if (file.kind == TP_APP_SCRIPT)
		return tp_fail(diag, TP_UNSUPPORTED, path,
			       "write its interpreter before it, such as: sh FILE",
			       "is a script: qemu runs only programs");
	if (file.kind == TP_APP_FOREIGN)
		return tp_fail(diag, TP_UNSUPPORTED, path, "compile it for x86-64: gcc -m64",
			       "is %s; the plug-in counts only x86-64", file.machine);
	if (file.kind != TP_APP_ELF)
		return tp_fail(diag, TP_UNSUPPORTED, path, "name the program that runs it first",
			       "is not an ELF program");
	return TP_OK;
}

static enum tp_status supported(const char *path,
				const struct tp_app_formulas *formulas __attribute__((unused)),
				struct tp_diag *diag)
{
	char qemu[TP_PATH_MAX], plug_in[TP_PATH_MAX];
	enum tp_status status = find_qemu(qemu, plug_in, diag);
	return status == TP_OK && path ? takes(path, diag) : status;
}

/* --- a run with it --- */

static enum tp_status run(const struct tp_app_command *command, struct tp_app_shared *shared,
			  struct tp_command_run *ran,
			  struct tp_diags *notes __attribute__((unused)), struct tp_diag *diag)
{
	char qemu[TP_PATH_MAX], plug_in[TP_PATH_MAX], path[TP_PATH_MAX];
	TP_STR option = { 0 };
	enum tp_status status = find_qemu(qemu, plug_in, diag);
	if (status == TP_OK)
		status = tp_app_program(command->words[0], path, diag);
	if (status == TP_OK)
		status = takes(path, diag);
	if (status != TP_OK)
		return status;
	/* A comma in a value is written twice. */
	for (const char *at = plug_in; *at; at++)
		tp_str_printf(&option, "%c%s", *at, *at == ',' ? "," : "");
	tp_str_printf(&option, ",shared=%s", shared->path);
	/* `qemu-x86_64 -cpu max -plugin FILE,shared=PATH -0 NAME PROGRAM ARGUMENT...` */
	static const char *const first[] = { QEMU, "-cpu", QEMU_CPU, "-plugin" };
	size_t n = TP_COUNT_OF(first), n_own = 0;
	while (command->words[n_own])
		n_own++;
	TP_FREE char **words = tp_alloc(n + n_own + 5, sizeof(*words));
	for (size_t i = 0; i < n; i++)
		words[i] = (char *)first[i];
	words[n++] = (char *)option.s;
	words[n++] = "-0";
	words[n++] = command->words[0];
	words[n++] = (char *)path;
	for (size_t i = 1; i < n_own; i++)
		words[n++] = command->words[i];
	tp_copy(shared->tree->executed[0].path, sizeof(shared->tree->executed[0].path), path);
	const struct tp_app_added added = { .pid = &shared->tree->executed[0].pid };
	struct tp_app_command emulated = *command;
	emulated.words = words;
	return tp_app_execute(&emulated, &added, ran, diag);
}

static const char *why_not(const char *path __attribute__((unused)),
			   struct tp_diag *diag __attribute__((unused)))
{
	return "was executed, and qemu counts the program and its forks";
}

/* Remarks for the reader of the counts. */
static void note_qemu(const struct tp_app_command *command, const struct tp_app_tree *tree,
		      struct tp_app_counts *counts)
{
	struct tp_app_file file = { 0 };
	char path[TP_PATH_MAX];
	struct tp_diag why;
	bool known = tp_app_program(command->words[0], path, NULL) == TP_OK &&
		     tp_app_file_look(path, &file, NULL) == TP_OK;
	bool agent = known && tp_app_agent.supported(path, NULL, &why) == TP_OK;
	tp_diags_note(&counts->notes, command->words[0],
		      agent ? "--app-source agent counts what it does on this machine's processor"
		      : file.is_static
			      ? "link it without -static: then the agent can count what it does on "
				"this machine's processor"
			      : NULL,
		      "ran on qemu's processor \"%s\", which has SSE up to 4.2, AVX, AVX2 and FMA, "
		      "but no AVX-512: a program that asks which instructions there are may take "
		      "another path here than natively",
		      QEMU_CPU);
	if (file.privileged)
		tp_diags_note(
			&counts->notes, command->words[0], NULL,
			"has its own rights (setuid, setgid or capabilities); it ran without them");
	if (tree->words[0]) {
		tp_diags_note(&counts->notes, command->words[0],
			      agent ? "use --app-source agent" : NULL, "%s", tree->words);
		counts->complete = false;
	}
}

static enum tp_status count(const struct tp_app_command *command, struct tp_app_counts *counts,
			    struct tp_diag *diag)
{
	struct tp_app_shared shared;
	struct tp_app_tree tree;
	struct tp_command_run ran = { 0 };
	*counts = (struct tp_app_counts){ 0 };
	enum tp_status status = tp_app_shared_make(&shared, TP_AGENT_COUNT, command, diag);
	if (status != TP_OK)
		return status;
	tp_app_tree_init(&tree, command, &shared, NULL);
	status = tp_app_tree_run(&tree, run, &ran, &counts->notes, diag);
	counts->end = ran.end;
	counts->wall_seconds = ran.wall_seconds;
	if (status == TP_OK && !tree.ran)
		status = tp_fail(diag, TP_FAILED, "qemu",
				 "try `qemu-x86_64 -cpu max PROGRAM`; Debian 12 has qemu 7.2",
				 "qemu could not run the program with the plug-in (exit %d)",
				 ran.end.code);
	if (status == TP_OK) {
		tp_app_tree_counts(&tree, counts, why_not);
		note_qemu(command, &tree, counts);
	}
	tp_app_tree_release(&tree);
	tp_app_shared_release(&shared);
	if (status != TP_OK)
		tp_app_counts_release(counts);
	return status;
}

const struct tp_app_source tp_app_qemu = {
	.name = "qemu",
	.summary = "qemu runs the program and a plug-in counts: static programs, too, but slower",
	.supported = supported,
	.count = count,
};
