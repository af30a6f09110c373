/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/self_test.h"
#include "app/app.h"
#include "app/kernel_list.h"
#include "base/file.h"
#include "base/memory.h"
#include "kernels/arch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SUBJECT "tprof-subject"

enum { WAYS_MAX = 8, LIMIT_SECONDS = 300, PASSES = TP_APP_PASSES_MANY - TP_APP_PASSES_FEW };

/* A way of counting in the table of an ISA. */
struct way {
	const struct tp_app_source *source;
	bool counted; /* its subject ran to its end */
	char *ran; /* names of the kernels that it ran, each after a line feed */
	struct tp_app_counts counts;
	unsigned n_ran, n_wrong;
};

struct self_test {
	const struct tp_app_self_test *ask;
	struct tp_cpu cpu;
	char subject[TP_PATH_MAX];
	struct tp_app_kernels kernels; /* of the ISA that is tested */
	struct way ways[WAYS_MAX];
	size_t n_ways;
	unsigned n_exact, n_wrong; /* pairs of a kernel and a way; a run that failed is one */
	struct tp_str *out;
};

/* --- what was counted --- */

static const struct tp_app_region *find_region(const struct tp_app_counts *counts,
					       const struct tp_app_kernel *kernel, unsigned passes)
{
	char name[TP_APP_NAME];
	tp_app_kernel_region(kernel, passes, name, sizeof(name));
	for (size_t i = 0; i < counts->n_regions; i++)
		if (counts->regions[i].thread == TP_APP_ALL &&
		    strcmp(counts->regions[i].name, name) == 0)
			return &counts->regions[i];
	return NULL;
}

/* What the additional passes did; false if one of the regions is missing. */
static bool counted_of(const struct way *way, const struct tp_app_kernel *kernel,
		       uint64_t mix[TP_MIX_N])
{
	const struct tp_app_region *few = find_region(&way->counts, kernel, TP_APP_PASSES_FEW);
	const struct tp_app_region *many = find_region(&way->counts, kernel, TP_APP_PASSES_MANY);
	if (!few || !many)
		return false;
	for (unsigned i = 0; i < TP_MIX_N; i++)
		mix[i] = many->mix[i] - few->mix[i];
	return true;
}

/* A way may run programs on an emulated CPU, which lacks some instructions. */
static bool has_run(const struct way *way, const struct tp_app_kernel *kernel)
{
	char line[TP_APP_KERNEL_NAME + 3];
	snprintf(line, sizeof(line), "\n%s\n", kernel->name);
	return way->counted && strstr(way->ran, line);
}

/* Adds a line for each number that is wrong; their number. */
static unsigned differences(const struct way *way, const struct tp_app_kernel *kernel,
			    const struct tp_app_expected *expected, struct tp_str *words)
{
	uint64_t mix[TP_MIX_N];
	unsigned n = 0;
	if (!counted_of(way, kernel, mix)) {
		tp_str_printf(words, "  %s, %s: its regions were not counted\n", kernel->name,
			      way->source->name);
		return 1;
	}
	for (unsigned i = 0; i < TP_MIX_N; i++) {
		uint64_t want = expected->mix[i] * PASSES;
		if (!expected->known[i] || mix[i] == want)
			continue;
		tp_str_printf(
			words, "  %s, %s: %s is %" PRIu64 " by construction, counted %" PRId64 "\n",
			kernel->name, way->source->name, tp_mix_names[i], want, (int64_t)mix[i]);
		n++;
	}
	return n;
}

/* --- tables --- */

/* Sums of the columns first..last, if all of them are known. */
static void write_number(struct tp_str *out, const struct tp_app_expected *e, unsigned first,
			 unsigned last)
{
	uint64_t n = 0;
	bool known = true;
	for (unsigned i = first; i <= last; i++) {
		n += e->mix[i];
		known = known && e->known[i];
	}
	if (known)
		tp_str_printf(out, " %8" PRIu64, PASSES * n);
	else
		tp_str_printf(out, " %8s", "-");
}

static const struct {
	const char *head;
	enum tp_mix_index first, last;
} columns[] = {
	{ "instr", TP_MIX_INSTRUCTIONS, TP_MIX_INSTRUCTIONS },
	{ "FP instr", TP_MIX_FP_SP_SCALAR, TP_MIX_FP_HALF },
	{ "FLOP", TP_MIX_FLOPS_SP, TP_MIX_FLOPS_X87 },
	{ "loads", TP_MIX_LOADS, TP_MIX_LOADS },
	{ "stores", TP_MIX_STORES, TP_MIX_STORES },
	{ "B loaded", TP_MIX_BYTES_LOADED, TP_MIX_BYTES_LOADED },
	{ "B stored", TP_MIX_BYTES_STORED, TP_MIX_BYTES_STORED },
};

/* What was constructed, and whether each way counted it. */
static void write_row(struct self_test *t, const struct tp_app_kernel *kernel, int name_width,
		      struct tp_str *wrong)
{
	struct tp_app_expected e;
	tp_app_kernel_expect(kernel, &t->cpu, &e);
	tp_str_printf(t->out, "%-*s", name_width, kernel->name);
	for (size_t c = 0; c < TP_COUNT_OF(columns); c++)
		write_number(t->out, &e, columns[c].first, columns[c].last);
	for (size_t w = 0; w < t->n_ways; w++) {
		struct way *way = &t->ways[w];
		bool ran = has_run(way, kernel);
		unsigned n = ran ? differences(way, kernel, &e, wrong) : 0;
		tp_str_printf(t->out, " %7s", !ran ? "-" : n ? "WRONG" : "exact");
		way->n_ran += ran;
		t->n_exact += ran && !n;
		t->n_wrong += ran && n;
		way->n_wrong += ran && n;
	}
	tp_str_add(t->out, "\n");
}

static void write_table(struct self_test *t)
{
	TP_STR wrong = { 0 };
	size_t name_width = 0;
	for (size_t i = 0; i < t->kernels.n; i++)
		name_width = TP_MAX(name_width, strlen(t->kernels.items[i].name));
	tp_str_printf(t->out, "%-*s", (int)name_width, "kernel");
	for (size_t c = 0; c < TP_COUNT_OF(columns); c++)
		tp_str_printf(t->out, " %8s", columns[c].head);
	for (size_t w = 0; w < t->n_ways; w++)
		tp_str_printf(t->out, " %7s", t->ways[w].source->name);
	tp_str_add(t->out, "\n");
	for (size_t i = 0; i < t->kernels.n; i++)
		write_row(t, &t->kernels.items[i], (int)name_width, &wrong);
	if (wrong.len)
		tp_str_printf(t->out, "Differences:\n%s", wrong.s);
}

/* --- runs --- */

/* The subject's output, after a line feed; NULL without memory. */
static char *read_names(int fd)
{
	struct tp_str names = { 0 };
	char part[4096];
	ssize_t n;
	tp_str_add(&names, "\n");
	for (off_t at = 0; (n = pread(fd, part, sizeof(part), at)) > 0; at += n)
		tp_str_add_n(&names, part, (size_t)n);
	return tp_str_take(&names);
}

/* False when it was cancelled. A way that cannot count this ISA gives the reason. */
static bool count_with(struct self_test *t, const char *group, struct way *way)
{
	char name[32];
	int names = memfd_create("tprof-self-test", MFD_CLOEXEC);
	tp_copy(name, sizeof(name), group);
	char *const words[] = { t->subject, name, NULL };
	const struct tp_app_command command = { .words = words,
						.output = names,
						.errors = -1,
						.limit_seconds = LIMIT_SECONDS,
						.go_on = t->ask->go_on,
						.context = t->ask->context };
	struct tp_diag diag = { .what = "" };
	TP_STR end = { 0 };
	enum tp_status status = names < 0 ? tp_fail(&diag, TP_RESOURCE, NULL, NULL,
						    "no file in memory could be made")
					  : way->source->count(&command, &way->counts, &diag);
	if (status == TP_OK)
		way->ran = read_names(names);
	if (names >= 0)
		close(names);
	if (status == TP_CANCELLED)
		return false;
	if (status != TP_OK) {
		tp_str_printf(t->out, "%s cannot count %s: %s\n", way->source->name, group,
			      diag.what);
		t->n_wrong++;
	} else if (way->counts.end.code == TP_EXIT_SKIPPED && !way->counts.end.signal) {
		tp_str_printf(t->out, "%s runs programs on a CPU without %s\n", way->source->name,
			      group);
	} else if (way->counts.end.code || way->counts.end.signal) {
		tp_process_end_text(way->counts.end, &end);
		tp_str_printf(t->out, "%s: the program that runs %s kernels %s\n",
			      way->source->name, group, tp_str_text(&end));
		t->n_wrong++;
	} else {
		way->counted = way->ran;
	}
	/* Each is reported once, not for every ISA. */
	for (size_t i = 0; i < way->counts.notes.n; i++) {
		const struct tp_diag *note = &way->counts.notes.items[i];
		TP_STR line = { 0 };
		tp_str_printf(&line, "%s: %s %s\n", way->source->name, note->where, note->what);
		if (!strstr(tp_str_text(t->out), tp_str_text(&line)))
			tp_str_add(t->out, tp_str_text(&line));
	}
	return true;
}

static void write_sum(struct self_test *t, const struct way *way, const char *group)
{
	tp_str_printf(t->out, "%s: %u of %u kernels of %s are exact", way->source->name,
		      way->n_ran - way->n_wrong, way->n_ran, group);
	if (way->n_ran < t->kernels.n)
		tp_str_printf(t->out, "; it skipped %zu whose instructions this CPU lacks",
			      t->kernels.n - way->n_ran);
	tp_str_add(t->out, "\n");
}

/* The kernels of an ISA; NULL = the counting rows. False when it was cancelled. */
static bool test_isa(struct self_test *t, const struct tp_isa *isa)
{
	const char *group = isa ? isa->name : TP_APP_COUNTING;
	bool go_on = true, counted = false;
	tp_app_kernels_list(isa, &t->cpu, &t->kernels);
	for (size_t w = 0; w < t->n_ways; w++) {
		t->ways[w] = (struct way){ .source = t->ways[w].source };
		go_on = go_on && count_with(t, group, &t->ways[w]);
		counted = counted || t->ways[w].counted;
	}
	if (go_on && counted)
		write_table(t);
	for (size_t w = 0; w < t->n_ways; w++) {
		if (go_on && t->ways[w].counted)
			write_sum(t, &t->ways[w], group);
		tp_app_counts_release(&t->ways[w].counts);
		free(t->ways[w].ran);
	}
	tp_str_add(t->out, "\n");
	return go_on;
}

static enum tp_status find_ways(struct self_test *t, struct tp_diag *diag)
{
	if (t->ask->source && !tp_app_source_find(t->ask->source))
		return tp_fail(diag, TP_USAGE, "--app-source", "one of --list app-sources",
			       "there is no way of counting called %s", t->ask->source);
	for (size_t i = 0; i < tp_app_source_count && t->n_ways < WAYS_MAX; i++) {
		const struct tp_app_source *source = tp_app_source_table[i];
		struct tp_diag why = { .what = "" };
		if (t->ask->source && strcmp(source->name, t->ask->source) != 0)
			continue;
		enum tp_status status = source->supported(t->subject, NULL, &why);
		if (status == TP_OK)
			t->ways[t->n_ways++].source = source;
		else
			tp_str_printf(t->out, "%s is left out: %s%s%s\n", source->name,
				      why.where[0] == '/' ? why.where : "",
				      why.where[0] == '/' ? " " : "", why.what);
	}
	if (t->n_ways)
		return TP_OK;
	return tp_fail(diag, TP_UNSUPPORTED, "self-test", NULL, "no way of counting works here");
}

enum tp_status tp_app_self_test(const struct tp_app_self_test *ask, struct tp_str *out,
				struct tp_diag *diag)
{
	bool go_on = true;
	if (ask->isa && !tp_isa_find(ask->isa))
		return tp_fail(diag, TP_USAGE, "self-test", "one of --list isas",
			       "there is no ISA called %s", ask->isa);
	struct self_test *t = tp_alloc(1, sizeof(*t));
	t->ask = ask;
	t->out = out;
	tp_arch_identify(&t->cpu);
	enum tp_status status = tp_path_library(SUBJECT, t->subject, diag);
	if (status == TP_OK)
		status = find_ways(t, diag);
	for (size_t i = 0; status == TP_OK && go_on && i < tp_isa_count; i++) {
		const struct tp_isa *isa = tp_isa_table[i];
		struct tp_diag lacks;
		if (ask->isa && strcmp(isa->name, ask->isa) != 0)
			continue;
		if (tp_isa_supported(isa, &t->cpu, &lacks) != TP_OK)
			tp_str_printf(out, "%s is left out: %s\n\n", isa->name, lacks.what);
		else
			go_on = test_isa(t, isa);
	}
	if (status == TP_OK && go_on && !ask->isa && tp_isa_count > 0)
		go_on = test_isa(t, NULL);
	if (status == TP_OK && !go_on)
		status = tp_fail(diag, TP_CANCELLED, "self-test", NULL, "cancelled");
	else if (status == TP_OK && t->n_wrong)
		status = tp_fail(diag, TP_FAILED, "self-test", NULL,
				 "%u results are wrong or missing, %u are exact", t->n_wrong,
				 t->n_exact);
	else if (status == TP_OK && !t->n_exact)
		status = tp_fail(diag, TP_UNSUPPORTED, "self-test", NULL, "nothing was counted");
	free(t);
	return status;
}
