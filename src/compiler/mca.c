/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks llvm-mca: an argument vector, a file of regions, and a limit on time. */
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/process.h"
#include "base/text.h"
#include "base/memory.h"
#include "compiler/compiler_parts.h"
#include "compiler/mca.h"

/* What is said of a piece takes some kB for each of its instructions: few at a time. */
enum { AT_ONCE = 8, SECONDS = 20 };

/* Runs it to its end; `said` is the caller's then. */
static enum tp_status ask(char *const *arguments, const char *folder, struct tp_str *said,
			  bool *good, struct tp_diag *diag)
{
	const struct tp_cc_start start = { .arguments = arguments,
					   .folder = folder,
					   .limit_seconds = SECONDS };
	struct tp_cc_child child;
	struct tp_process_end end = { 0 };
	bool late = false, ended = false;
	enum tp_status status = tp_cc_child_start(&child, &start, diag);
	if (status != TP_OK)
		return status;
	while (!tp_stop_asked && !(ended = tp_cc_child_ended(&child, &end, &late)))
		tp_cc_children_wait((const struct tp_cc_child *[]){ &child }, 1);
	if (!ended)
		status = tp_fail(diag, TP_CANCELLED, "llvm-mca", NULL, "cancelled");
	else if (late)
		status = tp_fail(diag, TP_FAILED, "llvm-mca", NULL,
				 "was stopped: it took more than %d s", SECONDS);
	*good = status == TP_OK && !end.signal && !end.code;
	*said = child.said;
	child.said = (struct tp_str){ 0 };
	tp_cc_child_release(&child);
	return status;
}

/* This CPU, as its --version calls it: "Host CPU: znver3". */
static bool host_cpu(const char *said, char out[32])
{
	static const char label[] = "Host CPU:";
	const char *at = strstr(said, label);
	if (!at)
		return false;
	at += strlen(label);
	size_t len = strcspn(at, "\n");
	tp_trim(&at, &len);
	snprintf(out, 32, "%.*s", (int)TP_MIN(len, (size_t)31), at);
	return len && strcmp(out, "(unknown)") != 0 && strcmp(out, "generic") != 0;
}

static bool is_name(const char *cpu)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_.+";
	size_t len = strlen(cpu);
	return len && len < sizeof(((struct tp_mca *)0)->cpu) && cpu[0] != '-' &&
	       strspn(cpu, letters) == len;
}

enum tp_status tp_mca_find(struct tp_mca *mca, const char *cpu, struct tp_diag *diag)
{
	struct tp_str said = { 0 };
	bool good;
	*mca = (struct tp_mca){ 0 };
	if (strcmp(cpu, TP_MCA_NONE) == 0)
		return tp_fail(diag, TP_NOTFOUND, "llvm-mca", NULL, "no prediction is wished");
	if (cpu[0] && !is_name(cpu))
		return tp_fail(diag, TP_USAGE, "llvm-mca", "a name such as znver3 or skylake",
			       "a CPU is one word");
	if (!tp_program_find("llvm-mca", mca->program))
		return tp_fail(diag, TP_NOTFOUND, "llvm-mca", "sudo apt-get install llvm",
			       "there is no llvm-mca in PATH");
	char *arguments[] = { mca->program, (char *)"--version", NULL };
	enum tp_status status = ask(arguments, NULL, &said, &good, diag);
	if (status == TP_OK && !good)
		status = tp_fail(diag, TP_FAILED, "llvm-mca", NULL, "does not say its version");
	if (status == TP_OK && cpu[0])
		tp_copy(mca->cpu, sizeof(mca->cpu), cpu);
	else if (status == TP_OK && !host_cpu(tp_str_text(&said), mca->cpu))
		status =
			tp_fail(diag, TP_UNSUPPORTED, "llvm-mca",
				"install a newer llvm, or name a CPU that it knows, such as znver3",
				"this llvm-mca has no model of this CPU");
	tp_str_release(&said);
	return status;
}

static enum tp_status predict(const struct tp_mca *mca, const char *folder, unsigned number,
			      const char *const *texts, size_t n, struct tp_mca_result *results,
			      struct tp_diag *diag)
{
	struct tp_str source = { 0 }, said = { 0 };
	char name[32], path[TP_PATH_MAX], cpu[48];
	bool good;
	snprintf(name, sizeof(name), "regions%u.s", number);
	snprintf(cpu, sizeof(cpu), "-mcpu=%s", mca->cpu);
	for (size_t i = 0; i < n; i++)
		tp_str_printf(&source, "# LLVM-MCA-BEGIN %zu\n%s\n# LLVM-MCA-END\n", i, texts[i]);
	enum tp_status status = tp_cc_put(folder, name, &source, false, diag);
	if (status == TP_OK && !tp_cc_path(path, "%s/%s", folder, name))
		status = tp_fail(diag, TP_USAGE, folder, NULL, "path too long");
	char *arguments[] = { (char *)mca->program, cpu, (char *)"-instruction-info=false", path,
			      NULL };
	if (status == TP_OK)
		status = ask(arguments, folder, &said, &good, diag);
	if (status == TP_OK && good)
		tp_mca_read(tp_str_text(&said), results, n);
	tp_str_release(&source);
	tp_str_release(&said);
	return status;
}

enum tp_status tp_mca_predict(const struct tp_mca *mca, const char *const *texts, size_t n,
			      struct tp_mca_result *results, struct tp_diag *diag)
{
	char cache[TP_PATH_MAX], folder[TP_PATH_MAX];
	unsigned number = 0;
	memset(results, 0, n * sizeof(*results));
	enum tp_status status = tp_cc_folder(cache, diag);
	if (status == TP_OK)
		status = tp_cc_temporary(cache, folder, diag);
	if (status != TP_OK)
		return status;
	for (size_t from = 0; from < n && status == TP_OK; from += AT_ONCE) {
		size_t some = TP_MIN(n - from, (size_t)AT_ONCE), known = 0;
		status = predict(mca, folder, number++, &texts[from], some, &results[from], diag);
		for (size_t i = 0; i < some; i++)
			known += results[from + i].known;
		/* One piece that it does not know spoils all: each for itself. */
		for (size_t i = from; i < from + some && known < some && status == TP_OK; i++)
			if (!results[i].known && some > 1)
				status = predict(mca, folder, number++, &texts[i], 1, &results[i],
						 diag);
	}
	tp_cc_remove(folder);
	return status;
}
