/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks llvm-mca and reads what it prints: its summary, and the pressure on ports. */
#include "compiler/mca.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/text.h"
#include "base/memory.h"
#include "compiler/child.h"
#include "compiler/store.h"

enum { PORTS_MAX = 64, PORT_BYTES = 16 };

struct port {
	char mark[8]; /* "12.0", as the table of pressures heads its columns */
	char name[PORT_BYTES];
	double cycles;
};

/* A region while it is read. */
struct reading {
	struct tp_mca_result *result;
	double rounds;
	struct port ports[PORTS_MAX];
	size_t n_ports;
	int table; /* lines of the table of pressures that are still to come: heads, values */
};

static const struct {
	const char *label;
	size_t offset;
	bool of_all; /* a sum over all rounds */
} figures[] = {
	{ "Instructions:", offsetof(struct tp_mca_result, instructions), true },
	{ "Total Cycles:", offsetof(struct tp_mca_result, cycles), true },
	{ "Total uOps:", offsetof(struct tp_mca_result, uops), true },
	{ "IPC:", offsetof(struct tp_mca_result, ipc), false },
	{ "Block RThroughput:", offsetof(struct tp_mca_result, rthroughput), false },
};

/* A number of 0 or more that follows a label. */
static bool number_behind(const char *line, const char *label, double *value)
{
	size_t len = strlen(label);
	char *end;
	if (strncmp(line, label, len) != 0)
		return false;
	double found = strtod(line + len, &end);
	if (end == line + len || !isfinite(found) || found < 0 || found > 1e9)
		return false;
	*value = found;
	return true;
}

static void read_figure(struct reading *r, const char *line)
{
	double value;
	if (number_behind(line, "Iterations:", &value))
		r->rounds = value;
	for (size_t i = 0; i < TP_COUNT_OF(figures); i++)
		if (number_behind(line, figures[i].label, &value)) {
			double *at = (double *)(void *)((char *)r->result + figures[i].offset);
			*at = !figures[i].of_all ? value : r->rounds > 0 ? value / r->rounds : 0;
			r->result->known |= r->result->cycles > 0;
		}
}

/* "[12.0] - Zn3FPP45" */
static void read_port(struct reading *r, const char *line)
{
	char mark[8], name[64];
	int end = 0;
	if (r->n_ports == PORTS_MAX ||
	    sscanf(line, "[%7[0-9.]] - %63[A-Za-z0-9_.]%n", mark, name, &end) != 2 || !end)
		return;
	struct port *p = &r->ports[r->n_ports++];
	tp_copy(p->mark, sizeof(p->mark), mark);
	snprintf(p->name, sizeof(p->name), "%.*s", PORT_BYTES - 1, name);
}

static const char *next_word(const char **text, size_t *len)
{
	*text += strspn(*text, " \t");
	const char *word = *text;
	*len = strcspn(word, " \t");
	*text += *len;
	return *len ? word : NULL;
}

/* The values stand in the order of the ports. */
static void read_pressures(struct reading *r, const char *line)
{
	size_t len, at = 0;
	for (const char *word; at < r->n_ports && (word = next_word(&line, &len)); at++) {
		double value = strtod(word, NULL);
		r->ports[at].cycles = isfinite(value) && value > 0 && value < 1e9 ? value : 0;
	}
}

static int by_cycles(const void *a, const void *b)
{
	double x = ((const struct port *)a)->cycles, y = ((const struct port *)b)->cycles;
	return (x < y) - (x > y);
}

static void tell_pressure(struct reading *r)
{
	struct tp_mca_result *out = r->result;
	size_t used = 0;
	qsort(r->ports, r->n_ports, sizeof(r->ports[0]), by_cycles);
	for (size_t i = 0; i < r->n_ports && r->ports[i].cycles > 0; i++) {
		char one[PORT_BYTES + 24];
		int n = snprintf(one, sizeof(one), "%s%s %.2f", i ? " " : "", r->ports[i].name,
				 r->ports[i].cycles);
		if (used + (size_t)n >= sizeof(out->pressure))
			break;
		memcpy(out->pressure + used, one, (size_t)n + 1);
		used += (size_t)n;
	}
}

static void read_line(struct reading *r, const char *line)
{
	enum { LINES = 2 };
	if (strncmp(line, "Resource pressure per iteration:", 32) == 0) {
		r->table = LINES;
	} else if (r->table) {
		if (--r->table == 0) {
			read_pressures(r, line);
			tell_pressure(r);
		}
	} else if (line[0] == '[') {
		read_port(r, line);
	} else {
		read_figure(r, line);
	}
}

/* "[0] Code Region - 7": the number that tp_mca_predict gave it; other texts are not ours. */
static bool begins_region(const char *line, size_t *at)
{
	static const char words[] = "] Code Region - ";
	const char *name = strstr(line, words);
	if (line[0] != '[' || !name)
		return false;
	name += strlen(words);
	size_t digits = strspn(name, "0123456789");
	*at = digits && digits < 6 && !name[digits] ? strtoul(name, NULL, 10) : SIZE_MAX;
	return true;
}

size_t tp_mca_read(const char *said, struct tp_mca_result *results, size_t n)
{
	struct reading reading = { 0 };
	size_t at, known = 0;
	char line[1024];
	while (*said) {
		size_t len = strcspn(said, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)TP_MIN(len, sizeof(line) - 1), said);
		said += len + (said[len] == '\n');
		if (begins_region(line, &at))
			reading = (struct reading){ .result = at < n ? &results[at] : NULL };
		else if (reading.result)
			read_line(&reading, line);
	}
	for (size_t i = 0; i < n; i++)
		known += results[i].known;
	return known;
}

/* Its output for a piece takes some kB for each instruction: few at a time. */
enum { AT_ONCE = 8, SECONDS = 20 };

/* Runs it to its end. */
static enum tp_status ask(char *const *arguments, const char *folder, struct tp_str *said,
			  bool *good, struct tp_diag *diag)
{
	const struct tp_cc_start start = { .arguments = arguments,
					   .folder = folder,
					   .limit_seconds = SECONDS };
	struct tp_process_end end;
	bool late;
	enum tp_status status = tp_cc_run(&start, said, &end, &late, diag);
	if (status == TP_CANCELLED)
		return tp_fail(diag, TP_CANCELLED, "llvm-mca", NULL, "cancelled");
	if (status == TP_OK && late)
		return tp_fail(diag, TP_FAILED, "llvm-mca", NULL,
			       "was stopped: it took more than %d s", SECONDS);
	*good = status == TP_OK && !end.signal && !end.code;
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
	TP_STR said = { 0 };
	bool good;
	*mca = (struct tp_mca){ 0 };
	if (strcmp(cpu, TP_MCA_NONE) == 0)
		return tp_fail(diag, TP_NOTFOUND, "llvm-mca", NULL, "no prediction is requested");
	bool here = strcmp(cpu, TP_MCA_HERE) == 0;
	if (!here && !is_name(cpu))
		return tp_fail(diag, TP_USAGE, "llvm-mca", "a name such as znver3 or skylake",
			       "a CPU is one word");
	if (!tp_program_find("llvm-mca", mca->program))
		return tp_fail(diag, TP_NOTFOUND, "llvm-mca", "sudo apt-get install llvm",
			       "there is no llvm-mca in PATH");
	char *arguments[] = { mca->program, (char *)"--version", NULL };
	enum tp_status status = ask(arguments, NULL, &said, &good, diag);
	if (status == TP_OK && !good)
		status = tp_fail(diag, TP_FAILED, "llvm-mca", NULL, "has no version");
	if (status == TP_OK && !here)
		tp_copy(mca->cpu, sizeof(mca->cpu), cpu);
	else if (status == TP_OK && !host_cpu(tp_str_text(&said), mca->cpu))
		status = tp_fail(
			diag, TP_UNSUPPORTED, "llvm-mca",
			"install a newer llvm, or name a CPU that it supports, such as znver3",
			"this llvm-mca has no model of this CPU");
	return status;
}

/* Asks for pieces, whose numbers come back as the names of regions. */
static enum tp_status predict(const struct tp_mca *mca, const char *folder, unsigned number,
			      const struct tp_str *pieces, size_t n, struct tp_mca_result *results,
			      struct tp_diag *diag)
{
	TP_STR source = { 0 }, said = { 0 };
	char name[32], path[TP_PATH_MAX], cpu[48];
	bool good;
	snprintf(name, sizeof(name), "regions%u.s", number);
	snprintf(cpu, sizeof(cpu), "-mcpu=%s", mca->cpu);
	for (size_t i = 0; i < n; i++)
		if (pieces[i].len)
			tp_str_printf(&source, "# LLVM-MCA-BEGIN %zu\n%s\n# LLVM-MCA-END\n", i,
				      pieces[i].s);
	if (!source.len)
		return TP_OK;
	enum tp_status status = tp_cc_put(folder, name, &source, false, diag);
	if (status == TP_OK && !tp_cc_path(path, "%s/%s", folder, name))
		status = tp_fail(diag, TP_USAGE, folder, NULL, "path too long");
	char *arguments[] = { (char *)mca->program, cpu, (char *)"-instruction-info=false", path,
			      NULL };
	if (status == TP_OK)
		status = ask(arguments, folder, &said, &good, diag);
	if (status == TP_OK && good)
		tp_mca_read(tp_str_text(&said), results, n);
	return status;
}

enum tp_status tp_mca_predict(const char *cpu, size_t n,
			      bool (*text)(void *context, size_t i, struct tp_str *out),
			      void *context, struct tp_mca_result *results, struct tp_diag *diag)
{
	struct tp_mca mca;
	char cache[TP_PATH_MAX], folder[TP_PATH_MAX];
	unsigned number = 0;
	memset(results, 0, n * sizeof(*results));
	enum tp_status status = tp_mca_find(&mca, cpu, diag);
	if (status == TP_OK)
		status = tp_cc_folder(cache, diag);
	if (status == TP_OK)
		status = tp_cc_temporary(cache, folder, diag);
	if (status != TP_OK)
		return status == TP_CANCELLED ? status : TP_OK;
	for (size_t from = 0; from < n && status == TP_OK; from += AT_ONCE) {
		size_t some = TP_MIN(n - from, (size_t)AT_ONCE);
		struct tp_mca_result *found = &results[from];
		struct tp_str pieces[AT_ONCE] = { 0 };
		for (size_t i = 0; i < some; i++)
			if (!text(context, from + i, &pieces[i]))
				tp_str_clear(&pieces[i]);
		status = predict(&mca, folder, number++, pieces, some, found, diag);
		/* One unknown piece spoils all: each is run separately. */
		for (size_t i = 0; i < some && status == TP_OK; i++)
			if (!found[i].known && some > 1)
				status = predict(&mca, folder, number++, &pieces[i], 1, &found[i],
						 diag);
		for (size_t i = 0; i < some; i++) {
			tp_str_release(&pieces[i]);
			if (found[i].known)
				snprintf(found[i].cpu, sizeof(found[i].cpu), "%.15s", mca.cpu);
		}
	}
	tp_cc_remove(folder);
	return status == TP_CANCELLED ? status : TP_OK;
}
