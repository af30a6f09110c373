/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way of counting of Intel's emulator, where somebody has installed it. */
#include "app/program.h"
#include "app/run.h"
#include "app/sde_text.h"
#include "app/sources.h"
#include "base/command.h"
#include "base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SDE "sde64"
enum { FILE_MAX = 1 << 30, LINE_MAX_BYTES = 4096 };

static enum tp_status supported(const char *path, const struct tp_app_formulas *formulas,
				struct tp_diag *diag)
{
	char sde[TP_PATH_MAX];
	struct tp_app_file file;
	(void)formulas;
	if (!tp_program_find(SDE, sde))
		return tp_fail(
			diag, TP_NOTFOUND, "sde",
			"Intel Software Development Emulator is a download of intel.com; put "
			"its folder into $PATH. --app-source agent or qemu need none",
			"there is no %s in $PATH", SDE);
	enum tp_status status = path ? tp_app_file_look(path, &file, diag) : TP_OK;
	if (status == TP_OK && path && file.kind != TP_APP_ELF)
		return tp_fail(diag, TP_UNSUPPORTED, path,
			       "write the interpreter of a script before it, such as: sh FILE",
			       "is not a program for x86-64");
	return status;
}

static enum tp_status take_line(void *context, size_t number, const char *line, size_t len,
				bool whole)
{
	(void)number;
	(void)whole;
	tp_sde_line(context, line, len);
	return TP_OK;
}

static enum tp_status read_counts(const struct tp_app_command *command, const char *path,
				  struct tp_app_counts *counts, struct tp_diag *diag)
{
	struct tp_sde_mix sde = { 0 };
	enum tp_status status =
		tp_file_lines(path, FILE_MAX, LINE_MAX_BYTES, take_line, &sde, diag);
	if (status != TP_OK || !sde.found)
		return tp_fail(diag, TP_FAILED, "sde", "try: sde64 -mix -- PROGRAM",
			       "it left no counts of the program as a whole (exit %d)",
			       counts->end.code);
	tp_sde_end(&sde);
	counts->regions = calloc(1, sizeof(*counts->regions));
	if (!counts->regions)
		return tp_fail(diag, TP_NOMEM, "sde", NULL, "out of memory");
	counts->n_regions = 1;
	counts->regions[0].thread = TP_APP_ALL;
	counts->regions[0].seconds = counts->wall_seconds;
	memcpy(counts->regions[0].mix, sde.mix, sizeof(sde.mix));
	counts->complete = sde.ended && !sde.damaged;
	if (!counts->complete)
		tp_diags_note(&counts->notes, command->words[0], NULL,
			      "the counts that SDE left are damaged or cut");
	if (sde.mix[TP_MIX_MASKED])
		tp_diags_note(&counts->notes, command->words[0],
			      "--app-source agent counts active lanes",
			      "SDE's mix counts all lanes of masked instructions");
	if (command->functions && command->functions[0])
		tp_diags_note(&counts->notes, command->words[0],
			      "--app-source agent counts regions",
			      "SDE counts the program as a whole: regions are left out");
	return TP_OK;
}

/* `sde64 -mix -iform -omix FILE -- PROGRAM ARGUMENT...` */
static enum tp_status run(const struct tp_app_command *command, const char *path, const char *mix,
			  struct tp_command_run *ran, struct tp_diag *diag)
{
	const char *const first[] = { SDE, "-mix", "-iform", "-omix", mix, "--", path };
	struct tp_app_command emulated = *command;
	size_t n = TP_COUNT_OF(first), n_own = 0;
	while (command->words[n_own])
		n_own++;
	char **words = calloc(n + n_own, sizeof(*words));
	if (!words)
		return tp_fail(diag, TP_NOMEM, "sde", NULL, "out of memory");
	for (size_t i = 0; i < n; i++)
		words[i] = (char *)first[i];
	for (size_t i = 1; i < n_own; i++)
		words[n++] = command->words[i];
	emulated.words = words;
	enum tp_status status = tp_app_execute(&emulated, NULL, ran, diag);
	free(words);
	return status;
}

static enum tp_status count(const struct tp_app_command *command, struct tp_app_counts *counts,
			    struct tp_diag *diag)
{
	char folder[] = "/tmp/tprof-sde-XXXXXX", mix[sizeof(folder) + 8], path[TP_PATH_MAX];
	struct tp_command_run ran = { 0 };
	*counts = (struct tp_app_counts){ 0 };
	enum tp_status status = tp_app_program(command->words[0], path, diag);
	if (status == TP_OK)
		status = supported(path, NULL, diag);
	if (status != TP_OK)
		return status;
	if (!mkdtemp(folder))
		return tp_fail(diag, TP_RESOURCE, "/tmp", NULL,
			       "SDE's counts have no place there: %s", strerror(errno));
	snprintf(mix, sizeof(mix), "%s/mix", folder);
	status = run(command, path, mix, &ran, diag);
	counts->end = ran.end;
	counts->wall_seconds = ran.wall_seconds;
	if (status == TP_OK) {
		tp_app_note_late(command, &ran, &counts->notes);
		status = read_counts(command, mix, counts, diag);
	}
	unlink(mix);
	rmdir(folder);
	if (status != TP_OK)
		tp_app_counts_release(counts);
	return status;
}

const struct tp_app_source tp_app_sde = {
	.name = "sde",
	.summary = "Intel SDE counts, where it is installed; it emulates AVX-512 and AMX, too",
	.supported = supported,
	.count = count,
};
