/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting inside the program, by an agent that the loader loads first; also native runs, which the
 * same agent times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "app/elsewhere.h"
#include "app/run.h"
#include "app/shared_file.h"
#include "app/symbols.h"
#include "app/tree.h"
#include "base/memory.h"
#include "base/text.h"

#define TP_APP_AGENT_FILE "libtprof-agent.so"

/* One cache line of 2^6 is followed with tp_app_trace. */
enum { TP_APP_SAMPLE_SHIFT = 6 };

enum { SCRIPTS_MAX = 4 };

/* --- whether it can --- */

static enum tp_status find_agent(char path[TP_PATH_MAX], struct tp_diag *diag)
{
	struct utsname system;
	if (uname(&system) == 0 && strcmp(system.machine, "x86_64") != 0)
		return tp_fail(diag, TP_UNSUPPORTED, "agent", NULL,
			       "it exists only for x86-64, and this machine is %s", system.machine);
	if (tp_path_library(TP_APP_AGENT_FILE, path, NULL) != TP_OK)
		return tp_fail(diag, TP_NOTFOUND, "agent",
			       "build tprof with Zydis: apt-get install libzydis-dev "
			       "libzycore-dev, then ./configure && make",
			       "%s is missing beside this program", TP_APP_AGENT_FILE);
	/* The loader takes both for the end of a name. */
	if (strpbrk(path, ": "))
		return tp_fail(diag, TP_UNSUPPORTED, "agent",
			       "install tprof into a folder without blanks and colons",
			       "the loader cannot load %s", path);
	return TP_OK;
}

/* TP_OK, or why the agent cannot be loaded into the program at that path. */
static enum tp_status app_agent_takes(const char *path, struct tp_diag *diag)
{
	struct tp_app_file file = { 0 };
	char at[TP_PATH_MAX], loader[TP_APP_INTERPRETER];
	int depth = 0;
	tp_copy(at, sizeof(at), path);
	do {
		/* A user who may not read a program may still be able to execute it. */
		enum tp_status status = tp_app_file_look(at, &file, diag);
		if (status != TP_OK)
			return status;
		if (file.kind == TP_APP_SCRIPT)
			tp_copy(at, sizeof(at), file.interpreter);
	} while (file.kind == TP_APP_SCRIPT && ++depth < SCRIPTS_MAX);
	if (file.kind == TP_APP_FOREIGN)
		return tp_fail(diag, TP_UNSUPPORTED, at, "compile it for this machine: gcc -m64",
			       "is %s", file.machine);
	if (file.kind != TP_APP_ELF)
		return tp_fail(diag, TP_UNSUPPORTED, at, "name the program that runs it first",
			       "is neither an ELF program nor a script");
	if (file.is_static)
		return tp_fail(diag, TP_UNSUPPORTED, at,
			       "link it without -static; app.source=auto takes qemu if it is there",
			       "is linked statically: nothing can be loaded into it");
	if (file.loader[0] && !strstr(file.loader, "ld-linux"))
		return tp_fail(diag, TP_UNSUPPORTED, at,
			       "app.source=auto takes qemu if it is there",
			       "is loaded by %s: the agent needs the loader of glibc",
			       tp_shown(loader, sizeof(loader), file.loader, strlen(file.loader)));
	if (file.privileged)
		return tp_fail(diag, TP_UNSUPPORTED, at,
			       "count a copy without these rights: cp PROGRAM /tmp",
			       "runs with its own rights (setuid, setgid or capabilities): the "
			       "loader loads nothing else into it");
	return TP_OK;
}

static enum tp_status supported(const char *path,
				const struct tp_app_formulas *formulas __attribute__((unused)),
				struct tp_diag *diag)
{
	char agent[TP_PATH_MAX];
	enum tp_status status = find_agent(agent, diag);
	return status == TP_OK && path ? app_agent_takes(path, diag) : status;
}

/* --- a run with it --- */

/* One run of the command with the agent and this file; as tp_app_execute. */
static enum tp_status app_agent_run(const struct tp_app_command *command,
				    struct tp_app_shared *shared, struct tp_command_run *ran,
				    struct tp_diags *notes, struct tp_diag *diag)
{
	char agent[TP_PATH_MAX], path[TP_PATH_MAX];
	char variable[sizeof(TP_AGENT_ENVIRONMENT) + TP_AGENT_FILE_PATH + 1];
	TP_STR preload = { 0 };
	enum tp_status status = find_agent(agent, diag);
	if (status != TP_OK)
		return status;
	const char *others = tp_app_variable(command, "LD_PRELOAD");
	tp_str_printf(&preload, "LD_PRELOAD=%s%s%s", agent, others && *others ? ":" : "",
		      others ? others : "");
	static char sent[] = TP_AGENT_SENT;
	char *variables[] = { preload.s, variable, NULL, NULL, NULL }, **more = variables + 2;
	TP_STR asan = { 0 };
	const bool known = tp_app_program(command->words[0], path, NULL) == TP_OK;
	if (known && tp_app_symbols_mention(path, &(const char *){ "libasan.so" }, 1)) {
		const char *own = tp_app_variable(command, "ASAN_OPTIONS");
		tp_str_printf(&asan, "ASAN_OPTIONS=%s%sverify_asan_link_order=0", own ? own : "",
			      own && *own ? ":" : "");
		*more++ = asan.s;
		tp_diags_note(
			notes, command->words[0], NULL,
			"has the address sanitizer, which must be loaded first: "
			"ASAN_OPTIONS gets verify_asan_link_order=0, as the agent comes before it");
	}
	/* Until its agent is loaded, it counts as a program that is not followed. */
	struct tp_agent_tree *tree = shared->tree;
	tp_copy(tree->executed[0].path, sizeof(tree->executed[0].path), known ? path : "");
	tp_copy(tree->agent_path, sizeof(tree->agent_path), agent);
#define JOB(rank, ranks, job) job,
	static const char *const jobs[] = { TP_AGENT_LAUNCHER_LIST(JOB) };
	for (size_t i = 0; i < TP_COUNT_OF(jobs); i++) {
		const char *job = tp_app_variable(command, jobs[i]);
		tp_copy(tree->jobs[i], sizeof(tree->jobs[i]), job ? job : "");
	}
	tp_app_elsewhere_offer(shared);
	snprintf(variable, sizeof(variable), "%s=%s", TP_AGENT_ENVIRONMENT, tree->file_path);
	if (!tp_app_variable(command, "OMPI_MCA_mca_base_env_list"))
		*more = sent;
	const struct tp_app_added added = { .variables = variables, .pid = &tree->executed[0].pid };
	return tp_app_execute(command, &added, ran, diag);
}

static const char *why_not(const char *path, struct tp_diag *diag)
{
	return app_agent_takes(path, diag) == TP_OK ? NULL : diag->what;
}

/* One run; `caches` NULL = without a model of them. */
static enum tp_status count_once(const struct tp_app_command *command,
				 const struct tp_app_cache *caches, struct tp_app_counts *counts,
				 struct tp_diag *diag)
{
	struct tp_app_shared shared;
	struct tp_app_tree tree;
	struct tp_command_run ran = { 0 };
	*counts = (struct tp_app_counts){ 0 };
	enum tp_status status = tp_app_shared_make(
		&shared, caches ? TP_AGENT_TRACE : TP_AGENT_COUNT, command, diag);
	if (status != TP_OK)
		return status;
	for (unsigned i = 0; caches && i < 3; i++)
		shared.tree->caches[i] =
			(struct tp_agent_cache){ .bytes = caches[i].bytes,
						 .ways = caches[i].ways,
						 .line_bytes = caches[i].line_bytes,
						 .shared = caches[i].shared };
	if (caches)
		shared.tree->sample_shift = TP_APP_SAMPLE_SHIFT;
	tp_app_tree_init(&tree, command, &shared, NULL);
	status = tp_app_tree_run(&tree, app_agent_run, &ran, &counts->notes, diag);
	if (status == TP_OK)
		tp_app_tree_counts(&tree, counts, why_not);
	counts->end = ran.end;
	counts->wall_seconds = ran.wall_seconds;
	tp_app_tree_release(&tree);
	tp_app_elsewhere_remove(&shared);
	tp_app_shared_release(&shared);
	if (status != TP_OK)
		tp_app_counts_release(counts);
	return status;
}

static enum tp_status count(const struct tp_app_command *command, struct tp_app_counts *counts,
			    struct tp_diag *diag)
{
	return count_once(command, NULL, counts, diag);
}

enum tp_status tp_app_trace(const struct tp_app_command *command,
			    const struct tp_app_cache caches[3], struct tp_app_counts *counts,
			    struct tp_diag *diag)
{
	return count_once(command, caches, counts, diag);
}

const struct tp_app_source tp_app_agent = {
	.name = "agent",
	.summary = "an agent inside the program counts every instruction",
	.supported = supported,
	.count = count,
};

enum tp_status tp_app_time(const struct tp_app_command *command, struct tp_app_time *time,
			   struct tp_diag *diag)
{
	struct tp_app_shared shared;
	struct tp_command_run ran = { 0 };
	struct tp_diag why;
	char path[TP_PATH_MAX];
	*time = (struct tp_app_time){ 0 };
	enum tp_status status = tp_app_program(command->words[0], path, diag);
	if (status != TP_OK)
		return status;
	/* It is not known beforehand whether it marks regions. */
	bool with_agent = tp_app_agent.supported(path, NULL, &why) == TP_OK;
	if (with_agent) {
		struct tp_app_tree tree;
		status = tp_app_shared_make(&shared, TP_AGENT_TIME, command, diag);
		tp_app_tree_init(&tree, command, &shared, time);
		if (status == TP_OK)
			status = tp_app_tree_run(&tree, app_agent_run, &ran, &time->notes, diag);
		if (status == TP_OK)
			tp_app_tree_times(&tree, why_not);
		tp_app_tree_release(&tree);
		tp_app_elsewhere_remove(&shared);
		tp_app_shared_release(&shared);
	} else {
		status = tp_app_execute(command, NULL, &ran, diag);
		if (status == TP_OK) {
			tp_app_note_late(command, &ran, &time->notes);
			/* Only this way of counting times regions. */
			tp_diags_note(&time->notes, why.where, NULL, "regions are not timed: %s",
				      why.what);
		}
	}
	if (status != TP_OK) {
		tp_app_time_release(time);
		return status;
	}
	time->wall_seconds = ran.wall_seconds;
	time->user_seconds = ran.user_seconds;
	time->system_seconds = ran.system_seconds;
	time->max_rss_bytes = ran.max_rss_bytes;
	time->usage = (struct tp_app_usage){ .page_faults = ran.minor_faults + ran.major_faults,
					     .waits = ran.waits,
					     .preemptions = ran.preemptions };
	time->end = ran.end;
	return TP_OK;
}
