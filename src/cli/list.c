/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --list: what there is, as a table or with --json as data. One row of `lists` a kind. */
#include "cli/cli.h"
#include "cli/list.h"
#include "record/entries.h"
#include "kernels/arch.h"
#include "base/vec.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void tp_list_cell(struct tp_list_sink *s, enum tp_paint paint, const char *text)
{
	struct tp_str clean = { 0 };
	tp_text_clean(&clean, text, &s->look);
	tp_grid_text(&s->grid, paint, tp_str_text(&clean));
	tp_str_release(&clean);
}

/* A name, and what the command line takes for it. */
void tp_list_called(struct tp_list_sink *s, const char *name, const char *taken)
{
	/* A line end in a name is not for a list of lines. */
	if (!strchr(taken, '\n'))
		tp_str_printf(&s->names, "%s\n", taken);
	tp_list_cell(s, TP_PAINT_STRONG, name);
	if (s->json) {
		tp_listing_row(s->json);
		tp_listing_text(s->json, "name", name);
	}
}

void tp_list_name(struct tp_list_sink *s, const char *name)
{
	tp_list_called(s, name, name);
}

void tp_list_text(struct tp_list_sink *s, const char *key, const char *text)
{
	tp_list_cell(s, TP_PAINT_PLAIN, text);
	if (s->json)
		tp_listing_text(s->json, key, text);
}

/* --- machines --- */

static void list_machine(struct tp_list_sink *s, const struct tp_named_file *entry,
			 const struct tp_cpu *cpu)
{
	struct tp_diags diags = { 0 };
	struct tp_model model;
	enum tp_status status = tp_model_load(&model, entry->path, &diags);
	bool here = status == TP_OK && tp_model_matches(&model, cpu);
	tp_grid_text(&s->grid, TP_PAINT_GOOD, here ? "*" : "");
	tp_list_name(s, entry->name);
	if (status == TP_OK) {
		struct tp_str isas = { 0 };
		for (size_t i = 0; i < model.n_isas; i++)
			tp_str_printf(&isas, "%s%s", i ? " " : "", model.isas[i].name);
		tp_list_text(s, "arch", model.arch);
		tp_list_text(s, "title", model.title);
		if (s->json) {
			tp_listing_bool(s->json, "this_machine", here);
			tp_listing_words(s->json, "isas", tp_str_text(&isas));
		}
		tp_str_release(&isas);
	} else {
		const struct tp_diag *d = diags.n ? &diags.items[0] : NULL;
		tp_grid_text(&s->grid, TP_PAINT_BAD, "broken");
		tp_list_cell(s, TP_PAINT_BAD, d ? d->what : tp_status_name(status));
		if (s->json)
			tp_listing_text(s->json, "error", d ? d->what : tp_status_name(status));
	}
	if (s->json)
		tp_listing_text(s->json, "path", entry->path);
	tp_diags_release(&diags);
}

static enum tp_status list_machines(struct tp_list_sink *s, struct tp_diag *diag)
{
	static const struct tp_column columns[] = {
		{ "", TP_LEFT, 1 },
		{ "model", TP_LEFT, 0 },
		{ "arch", TP_LEFT, 0 },
		{ "machine", TP_LEFT, 0 },
	};
	struct tp_named_file *entries = NULL;
	struct tp_cpu cpu;
	size_t n = 0;
	enum tp_status status = tp_model_entries(&entries, &n, diag);
	tp_arch_identify(&cpu);
	tp_grid_init(&s->grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&s->grid);
	for (size_t i = 0; i < n; i++)
		list_machine(s, &entries[i], &cpu);
	tp_str_add(&s->remarks, "* fits this machine; it is what \"detected\" takes\n");
	free(entries);
	return status;
}

/* --- isas --- */

static enum tp_status list_isas(struct tp_list_sink *s, struct tp_diag *diag)
{
	static const struct tp_column columns[] = {
		{ "ISA", TP_LEFT, 0 },
		{ "bits", TP_RIGHT, 0 },
		{ "here", TP_LEFT, 0 },
		{ "", TP_LEFT, 0 },
	};
	struct tp_cpu cpu;
	(void)diag;
	tp_arch_identify(&cpu);
	tp_grid_init(&s->grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&s->grid);
	for (size_t i = 0; i < tp_isa_count; i++) {
		const struct tp_isa *isa = tp_isa_table[i];
		struct tp_diag why = { 0 };
		bool ok = tp_isa_supported(isa, &cpu, &why) == TP_OK;
		tp_list_name(s, isa->name);
		unsigned vector_bytes = tp_isa_vector_bytes(isa);
		if (vector_bytes)
			tp_grid_printf(&s->grid, TP_PAINT_PLAIN, "%u", vector_bytes * 8);
		else
			tp_grid_text(&s->grid, TP_PAINT_PLAIN, "-");
		tp_grid_text(&s->grid, ok ? TP_PAINT_GOOD : TP_PAINT_WARN, ok ? "yes" : "no");
		tp_list_cell(s, TP_PAINT_PLAIN, ok ? isa->summary : why.what);
		if (!s->json)
			continue;
		tp_listing_text(s->json, "arch", isa->arch);
		tp_listing_count(s->json, "vector_bytes", vector_bytes);
		tp_listing_bool(s->json, "supported", ok);
		tp_listing_text(s->json, "reason", ok ? NULL : why.what);
		tp_listing_text(s->json, "summary", isa->summary);
		tp_listing_words(s->json, "needs", isa->needs);
	}
	if (!tp_isa_count)
		tp_str_printf(&s->remarks, "This program has no kernels for %s.\n", cpu.arch);
	return TP_OK;
}

/* --- kernels --- */

static void list_kernel(struct tp_list_sink *s, const char *name, const char *family,
			const char *summary)
{
	tp_list_name(s, name);
	tp_list_text(s, "family", family);
	tp_list_text(s, "summary", summary);
}

static enum tp_status list_kernels(struct tp_list_sink *s, struct tp_diag *diag)
{
	static const struct tp_column columns[] = {
		{ "kernel", TP_LEFT, 0 },
		{ "family", TP_LEFT, 0 },
		{ "", TP_LEFT, 0 },
	};
	static const struct {
		const char *name, *family, *summary;
	} rows[] = {
		{ "load", "memory", "loads only (ratio 1:0)" },
		{ "store", "memory", "stores only (ratio 0:1)" },
		{ "2ld1st", "memory",
		  "two loads a store; any NldMst with N and M up to 64 (ratio N:M)" },
		{ "2ld1st-nt", "memory",
		  "the same with non-temporal stores, which go past the caches (stores: "
		  "nontemporal)" },
		{ "load-stride4", "memory", "one access in four (stride 4)" },
		{ "mixed-fma-2ld1st-3:2", "mixed",
		  "three FMAs with every two accesses of 2ld1st; any FP instruction, ratio and "
		  "counts" },
		{ "chase", "latency",
		  "dependent loads along random pointers, one at a time (experiment latency)" },
		{ "chain", "clock",
		  "dependent additions, one a cycle: how the core frequency is measured" },
	};
	(void)diag;
	tp_grid_init(&s->grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&s->grid);
	for (size_t i = 0; i < 5; i++)
		list_kernel(s, rows[i].name, rows[i].family, rows[i].summary);
	for (int op = TP_FP_NONE + 1; op < TP_FP_OP_COUNT; op++)
		list_kernel(s, tp_fp_op_name((enum tp_fp_op)op), "FP",
			    tp_fp_op_summary((enum tp_fp_op)op));
	for (size_t i = 5; i < TP_COUNT_OF(rows); i++)
		list_kernel(s, rows[i].name, rows[i].family, rows[i].summary);
	tp_str_add(&s->remarks, "Their code: tprof --dump-asm ISA:KERNEL, such as avx2:2ld1st\n");
	return TP_OK;
}

/* --- experiments --- */

static enum tp_status list_experiments(struct tp_list_sink *s, struct tp_diag *diag)
{
	static const struct tp_column columns[] = {
		{ "experiment", TP_LEFT, 0 },
		{ "here", TP_LEFT, 0 },
		{ "", TP_LEFT, 0 },
	};
	struct tp_machine machine = { 0 };
	struct tp_cpu cpu;
	tp_arch_identify(&cpu);
	if (s->only_names) { /* the machine takes time and has no say in them */
		for (size_t i = 0; i < tp_experiment_count; i++)
			tp_list_name(s, tp_experiment_table[i]->name);
		return TP_OK;
	}
	enum tp_status status = tp_machine_init(&machine, &cpu, NULL, "detected", NULL, diag);
	if (status != TP_OK)
		return status;
	tp_grid_init(&s->grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&s->grid);
	for (size_t i = 0; i < tp_experiment_count; i++) {
		const struct tp_experiment *e = tp_experiment_table[i];
		struct tp_diag why = { 0 };
		bool ok = e->supported(&machine, &why) == TP_OK;
		tp_list_name(s, e->name);
		tp_grid_text(&s->grid, ok ? TP_PAINT_GOOD : TP_PAINT_WARN, ok ? "yes" : "no");
		tp_list_cell(s, TP_PAINT_PLAIN, ok ? e->summary : why.what);
		if (!s->json)
			continue;
		tp_listing_bool(s->json, "supported", ok);
		tp_listing_text(s->json, "reason", ok ? NULL : why.what);
		tp_listing_text(s->json, "summary", e->summary);
	}
	tp_machine_release(&machine);
	return TP_OK;
}

/* --- presets --- */

static enum tp_status list_presets(struct tp_list_sink *s, struct tp_diag *diag)
{
	static const struct tp_column columns[] = {
		{ "preset", TP_LEFT, 0 },
		{ "", TP_LEFT, 0 },
	};
	struct tp_named_file *entries = NULL;
	size_t n = 0;
	enum tp_status status = tp_preset_entries(&entries, &n, diag);
	tp_grid_init(&s->grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&s->grid);
	for (size_t i = 0; i < n; i++) {
		tp_list_name(s, entries[i].name);
		tp_list_text(s, "title", entries[i].title);
		if (s->json)
			tp_listing_text(s->json, "path", entries[i].path);
	}
	if (n == 0)
		tp_str_add(&s->remarks, "There are no presets.\n");
	free(entries);
	return status;
}

/* --- runs --- */

static int is_run_name(const struct dirent *file)
{
	return file->d_name[0] != '.' &&
	       (file->d_type == DT_DIR || file->d_type == DT_LNK || file->d_type == DT_UNKNOWN);
}

/* Without opening one of them: there may be thousands, and a shell waits. */
static void name_runs(struct tp_list_sink *s, const char *directory)
{
	struct dirent **files;
	int n = scandir(directory, &files, is_run_name, alphasort);
	for (int i = 0; i < n; i++) {
		tp_list_called(s, files[i]->d_name, files[i]->d_name);
		free(files[i]);
	}
	if (n >= 0)
		free(files);
}

static enum tp_status list_runs(struct tp_list_sink *s, struct tp_diag *diag)
{
	static const struct tp_column columns[] = {
		{ "date", TP_LEFT, 0 },	   { "name", TP_LEFT, 0 },	{ "state", TP_LEFT, 0 },
		{ "points", TP_RIGHT, 0 }, { "directory", TP_LEFT, 1 },
	};
	char directory[TP_PATH_MAX];
	struct tp_run_entry *entries = NULL;
	size_t n = 0;
	enum tp_status status = tp_path_user_data("runs", directory, diag);
	if (status == TP_OK && s->only_names) {
		name_runs(s, directory);
		return TP_OK;
	}
	if (status == TP_OK)
		status = tp_run_entries(directory, &entries, &n, diag);
	if (status != TP_OK)
		return status;
	tp_grid_init(&s->grid, columns, TP_COUNT_OF(columns));
	if (n)
		tp_grid_heads(&s->grid);
	for (size_t i = 0; i < n; i++) {
		const struct tp_run_entry *e = &entries[i];
		bool whole = strcmp(e->state, "complete") == 0;
		tp_list_cell(s, TP_PAINT_PLAIN, e->date);
		tp_list_called(s, e->name, e->directory);
		tp_list_cell(s, whole ? TP_PAINT_PLAIN : TP_PAINT_WARN, e->state);
		if (e->n_planned > e->n_done)
			tp_grid_printf(&s->grid, TP_PAINT_PLAIN, "%zu/%zu", e->n_done,
				       e->n_planned);
		else
			tp_grid_printf(&s->grid, TP_PAINT_PLAIN, "%zu", e->n_done);
		tp_list_cell(s, TP_PAINT_DIM, e->directory);
		if (!s->json)
			continue;
		tp_listing_text(s->json, "date", e->date);
		tp_listing_text(s->json, "state", e->state);
		tp_listing_count(s->json, "points", e->n_done);
		tp_listing_count(s->json, "points_planned", e->n_planned);
		tp_listing_text(s->json, "cpu", e->cpu);
		tp_listing_text(s->json, "hostname", e->hostname);
		tp_listing_text(s->json, "path", e->path);
	}
	struct tp_str clean = { 0 };
	tp_text_clean(&clean, directory, &s->look);
	tp_str_printf(&s->remarks, n ? "in %s\n" : "There are no runs in %s yet.\n",
		      tp_str_text(&clean));
	tp_str_release(&clean);
	free(entries);
	return TP_OK;
}

static const struct list {
	const char *word;
	enum tp_status (*fill)(struct tp_list_sink *sink, struct tp_diag *diag);
} lists[] = {
	{ "machines", list_machines },	  { "isas", list_isas },
	{ "kernels", list_kernels },	  { "experiments", list_experiments },
	{ "presets", list_presets },	  { "runs", list_runs },
	{ "families", tp_list_families }, { "bases", tp_list_bases },
	{ "habits", tp_list_habits },	  { "events", tp_list_events },
};

const char *tp_cli_list_word(size_t i)
{
	return i < TP_COUNT_OF(lists) ? lists[i].word : NULL;
}

static int unknown_word(const char *word)
{
	const char *words[TP_COUNT_OF(lists)];
	struct tp_str hint = { 0 };
	struct tp_diag diag;
	for (size_t i = 0; i < TP_COUNT_OF(lists); i++)
		words[i] = lists[i].word;
	const char *near = tp_nearest(word, words, TP_COUNT_OF(words));
	if (near)
		tp_str_printf(&hint, "did you mean %s? ", near);
	tp_str_add(&hint, "one of ");
	tp_str_list(&hint, words, TP_COUNT_OF(words), " or ");
	tp_fail(&diag, TP_USAGE, "--list", tp_str_text(&hint), "there is no list of \"%.80s\"",
		word);
	tp_cli_complain(&diag);
	tp_str_release(&hint);
	return TP_EXIT_USAGE;
}

static enum tp_status print(const struct tp_cli *cli, const struct list *list, struct tp_diag *diag)
{
	struct tp_list_sink s = { .only_names = cli->names };
	struct tp_str out = { 0 };
	enum tp_status status = TP_NOMEM;
	tp_look_init(&s.look, cli, STDOUT_FILENO);
	if (!s.look.terminal)
		s.look.columns = 1000; /* one line an entry for whoever reads it by program */
	if (cli->json)
		s.json = tp_listing_new();
	if (cli->json && !s.json)
		goto out;
	status = list->fill(&s, diag);
	if (status != TP_OK)
		goto out;
	if (s.json)
		status = tp_listing_write(s.json, &out);
	else if (s.only_names)
		tp_str_add(&out, tp_str_text(&s.names));
	else
		tp_grid_write(&s.grid, &s.look, &out);
	if (out.oom || s.names.oom)
		status = TP_NOMEM;
	if (status == TP_OK)
		fputs(tp_str_text(&out), stdout);
	/* Not data, so not for standard output. */
	if (status == TP_OK && !cli->quiet && !s.json && !s.only_names) {
		fflush(stdout);
		fputs(tp_str_text(&s.remarks), stderr);
	}
out:
	if (status == TP_NOMEM)
		tp_fail(diag, status, "--list", NULL, "%s", tp_status_name(status));
	tp_grid_release(&s.grid);
	tp_listing_free(s.json);
	tp_str_release(&s.remarks);
	tp_str_release(&s.names);
	tp_str_release(&out);
	return status;
}

int tp_cli_list(const struct tp_cli *cli)
{
	struct tp_diag diag = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(lists); i++)
		if (strcmp(lists[i].word, cli->list) == 0) {
			enum tp_status status = print(cli, &lists[i], &diag);
			if (status != TP_OK)
				tp_cli_complain(&diag);
			return (int)tp_status_exit(status);
		}
	return unknown_word(cli->list);
}
