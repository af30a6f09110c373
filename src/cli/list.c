/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --list: prints a table, or with --json data. Each list is a row of `lists`. */
#include "cli/commands.h"
#include "cli/list.h"
#include "kernels/kernel.h"
#include "kernels/arch.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS_MAX = 12, HEAD_BYTES = 16 };

void tp_list_cell(struct tp_list_sink *s, enum tp_paint paint, const char *text)
{
	struct tp_str clean = { 0 };
	tp_text_clean(&clean, text, &s->look);
	tp_grid_text(&s->grid, paint, tp_str_text(&clean));
	tp_str_release(&clean);
}

void tp_list_called(struct tp_list_sink *s, const char *name, const char *taken)
{
	/* A name with a line end cannot be a line of a list. */
	if (!strchr(taken, '\n')) {
		tp_str_add_clean(&s->names, taken, false);
		tp_str_add(&s->names, "\n");
	}
	tp_list_cell(s, TP_PAINT_STRONG, name);
	tp_listing_row(s->json);
	tp_listing_text(s->json, "name", name);
}

void tp_list_name(struct tp_list_sink *s, const char *name)
{
	tp_list_called(s, name, name);
}

void tp_list_text(struct tp_list_sink *s, const char *key, const char *text)
{
	tp_list_cell(s, TP_PAINT_PLAIN, text);
	tp_listing_text(s->json, key, text);
}

void tp_list_here(struct tp_list_sink *s, bool works)
{
	tp_grid_text(&s->grid, works ? TP_PAINT_GOOD : TP_PAINT_WARN, works ? "yes" : "no");
}

enum tp_status tp_list_files(struct tp_list_sink *s,
			     enum tp_status (*entries)(struct tp_named_file **entries, size_t *n,
						       struct tp_diag *diag),
			     bool path_cell, const char *none, struct tp_diag *diag)
{
	struct tp_named_file *files = NULL;
	size_t n = 0;
	enum tp_status status = entries(&files, &n, diag);
	for (size_t i = 0; i < n; i++) {
		tp_list_name(s, files[i].name);
		tp_list_text(s, "title", files[i].title);
		if (path_cell)
			tp_list_cell(s, TP_PAINT_PLAIN, files[i].path);
		tp_listing_text(s->json, "path", files[i].path);
	}
	if (status == TP_OK && n == 0)
		tp_str_add(&s->remarks, none);
	free(files);
	return status;
}

/* --- machines --- */

/* True if the row has a star. */
static bool list_machine(struct tp_list_sink *s, const struct tp_named_file *entry,
			 const struct tp_machine *machine)
{
	struct tp_diags diags = { 0 };
	struct tp_model model;
	enum tp_status status = tp_model_load(&model, entry->path, &diags);
	bool here = status == TP_OK && tp_model_matches(&model, &machine->cpu);
	bool alike = status == TP_OK && machine->model_found == TP_MODEL_LOOKS_LIKE &&
		     strcmp(machine->model.path, model.path) == 0;
	tp_grid_text(&s->grid, TP_PAINT_GOOD, here ? "*" : alike ? "~" : "");
	tp_list_name(s, entry->name);
	if (status == TP_OK) {
		struct tp_str isas = { 0 };
		for (size_t i = 0; i < model.n_isas; i++)
			tp_str_printf(&isas, "%s%s", i ? " " : "", model.isas[i].name);
		tp_list_text(s, "arch", model.arch);
		tp_list_text(s, "title", model.title);
		tp_listing_bool(s->json, "this_machine", here);
		tp_listing_bool(s->json, "looks_like", alike);
		tp_listing_words(s->json, "isas", tp_str_text(&isas));
		tp_str_release(&isas);
	} else {
		const char *error = diags.n ? diags.items[0].what : tp_status_name(status);
		tp_grid_text(&s->grid, TP_PAINT_BAD, "broken");
		tp_list_cell(s, TP_PAINT_BAD, error);
		tp_listing_text(s->json, "error", error);
	}
	tp_listing_text(s->json, "path", entry->path);
	tp_diags_release(&diags);
	return here;
}

static enum tp_status list_machines(struct tp_list_sink *s, struct tp_diag *diag)
{
	struct tp_named_file *entries = NULL;
	struct tp_machine machine = { 0 };
	struct tp_cpu cpu;
	size_t n = 0;
	enum tp_status status = tp_model_entries(&entries, &n, diag);
	tp_arch_identify(&cpu);
	/* The names alone do not depend on the machine. */
	if (status == TP_OK && !s->only_names)
		status = tp_machine_init(&machine, &cpu, NULL, "detected", NULL, diag);
	bool stars = false;
	for (size_t i = 0; i < n && status == TP_OK; i++)
		stars |= list_machine(s, &entries[i], &machine);
	if (machine.model_found == TP_MODEL_LOOKS_LIKE)
		tp_str_add(&s->remarks, "~ this machine looks like it, by features and caches; "
					"\"detected\" takes it\n");
	if (stars)
		tp_str_add(&s->remarks, "* fits this machine; \"detected\" takes it\n");
	tp_machine_release(&machine);
	free(entries);
	return status;
}

/* --- isas --- */

static enum tp_status list_isas(struct tp_list_sink *s, struct tp_diag *diag)
{
	struct tp_cpu cpu;
	(void)diag;
	tp_arch_identify(&cpu);
	for (size_t i = 0; i < tp_isa_count; i++) {
		const struct tp_isa *isa = tp_isa_table[i];
		struct tp_diag why = { 0 };
		bool ok = tp_isa_supported(isa, &cpu, &why) == TP_OK;
		unsigned vector_bytes = tp_isa_vector_bytes(isa);
		char bits[16] = "-";
		if (vector_bytes)
			snprintf(bits, sizeof(bits), "%u", vector_bytes * 8);
		tp_list_name(s, isa->name);
		tp_grid_text(&s->grid, TP_PAINT_PLAIN, bits);
		tp_list_here(s, ok);
		tp_list_cell(s, TP_PAINT_PLAIN, ok ? isa->summary : why.what);
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

/* --- precisions --- */

static enum tp_status list_precisions(struct tp_list_sink *s, struct tp_diag *diag)
{
	const struct tp_narrow *row;
	struct tp_cpu cpu;
	(void)diag;
	tp_arch_identify(&cpu);
	for (size_t i = 0; (row = tp_narrow_row(cpu.arch, i)); i++) {
		struct tp_diag why = { 0 };
		char name[64];
		const struct tp_isa *isa = tp_isa_find(row->isa);
		bool ok = isa && tp_isa_supported(isa, &cpu, &why) == TP_OK &&
			  tp_narrow_supported(row, &cpu, &why) == TP_OK;
		snprintf(name, sizeof(name), "%s:%s/%s", row->isa, tp_fp_op_name(row->op),
			 row->precision);
		tp_list_name(s, name);
		tp_list_here(s, ok);
		tp_list_cell(s, TP_PAINT_PLAIN, ok ? tp_fp_op_summary(row->op) : why.what);
		tp_listing_text(s->json, "isa", row->isa);
		tp_listing_text(s->json, "precision", row->precision);
		tp_listing_text(s->json, "fp_op", tp_fp_op_name(row->op));
		tp_listing_bool(s->json, "supported", ok);
		tp_listing_text(s->json, "reason", ok ? NULL : why.what);
		tp_listing_words(s->json, "needs", row->needs);
	}
	if (tp_narrow_row(cpu.arch, 0))
		tp_str_add(&s->remarks,
			   "Every ISA computes in double and single precision. These are the "
			   "others: tprof --batch matrix-peaks\n");
	else
		tp_str_printf(&s->remarks,
			      "On %s this program knows double and single precision only.\n",
			      cpu.arch);
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
	/* Examples of each family; those of the family FP come from their registry. */
	static const char *const rows[][3] = {
		{ "load", "memory", "loads only (ratio 1:0)" },
		{ "store", "memory", "stores only (ratio 0:1)" },
		{ "2ld1st", "memory",
		  "two loads a store; any NldMst with N and M up to 64 (ratio N:M)" },
		{ "2ld1st-nt", "memory",
		  "the same with non-temporal stores, which go past the caches (stores: "
		  "nontemporal)" },
		{ "load-stride4", "memory", "one access in four (stride 4)" },
		{ NULL, "FP", NULL },
		{ "mixed-fma-2ld1st-3:2", "mixed",
		  "three FMAs with every two accesses of 2ld1st; any FP instruction, ratio and "
		  "counts" },
		{ "chase", "latency",
		  "dependent loads along random pointers, one at a time (experiment latency)" },
		{ "chain", "clock",
		  "dependent additions, one a cycle: how the core frequency is measured" },
	};
	(void)diag;
	for (const struct tp_array_kernel *a = tp_array_kernels; a->name; a++)
		list_kernel(s, a->name, "arrays", a->summary);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		if (rows[i][0])
			list_kernel(s, rows[i][0], rows[i][1], rows[i][2]);
		for (int op = TP_FP_NONE + 1; !rows[i][0] && op < TP_FP_OP_COUNT; op++)
			list_kernel(s, tp_fp_op_name((enum tp_fp_op)op), rows[i][1],
				    tp_fp_op_summary((enum tp_fp_op)op));
	}
	tp_str_add(&s->remarks, "Their code: tprof --dump-asm ISA:KERNEL, such as avx2:2ld1st; "
				"with a size, such as "
				"avx2:add:16KiB, add is the kernel over arrays\n");
	return TP_OK;
}

/* --- experiments --- */

static enum tp_status list_experiments(struct tp_list_sink *s, struct tp_diag *diag)
{
	struct tp_machine machine = { 0 };
	struct tp_cpu cpu;
	enum tp_status status = TP_OK;
	tp_arch_identify(&cpu);
	/* The names alone do not depend on the machine, which takes time to detect. */
	if (!s->only_names)
		status = tp_machine_init(&machine, &cpu, NULL, "detected", NULL, diag);
	for (size_t i = 0; i < tp_experiment_count && status == TP_OK; i++) {
		const struct tp_experiment *e = tp_experiment_table[i];
		struct tp_diag why = { 0 };
		tp_list_name(s, e->name);
		if (s->only_names)
			continue;
		bool ok = e->supported(&machine, &why) == TP_OK;
		tp_list_here(s, ok);
		tp_list_cell(s, TP_PAINT_PLAIN, ok ? e->summary : why.what);
		tp_listing_bool(s->json, "supported", ok);
		tp_listing_text(s->json, "reason", ok ? NULL : why.what);
		tp_listing_text(s->json, "summary", e->summary);
	}
	tp_machine_release(&machine);
	return status;
}

static enum tp_status list_presets(struct tp_list_sink *s, struct tp_diag *diag)
{
	return tp_list_files(s, tp_preset_entries, false, "There are no presets.\n", diag);
}

static enum tp_status list_regimes(struct tp_list_sink *s, struct tp_diag *diag)
{
	const char *name, *summary;
	(void)diag;
	for (size_t i = 0; (name = tp_regime_word(i, &summary)); i++) {
		tp_list_name(s, name);
		tp_list_text(s, "summary", summary);
	}
	tp_str_add(&s->remarks, "With one of them: tprof --batch quick --machine zen4 "
				"--simulate REGIME\n");
	return TP_OK;
}

/* --- the lists --- */

static const struct tp_list_row lists[] = {
	{ "machines", "~. model arch machine", list_machines },
	{ "isas", "ISA >bits here .", list_isas },
	{ "precisions", "kernel here .", list_precisions },
	{ "kernels", "kernel family .", list_kernels },
	{ "experiments", "experiment here .", list_experiments },
	{ "presets", "preset .", list_presets },
	{ "patterns", "pattern . ~parameters", tp_list_patterns },
	{ "lessons", "lesson >time title ~.", tp_list_lessons },
	{ "regimes", "regime .", list_regimes },
	{ "runs",
	  "date name ~~~experiment ~~~ISA ~~~threads figures ~~quality state >points ~~~~directory",
	  tp_list_runs },
	{ "examples", "example ~ISA ~~figures .", tp_list_examples },
	{ "families", "family >kernels >rows .", tp_list_families },
	{ "bases", "basis . ~file", tp_list_bases },
	{ "habits", "habit .", tp_list_habits },
	{ "events", "event here component .", tp_list_events },
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
	tp_complain(&diag);
	tp_str_release(&hint);
	return TP_EXIT_USAGE;
}

static size_t columns_of(const char *text, char heads[][HEAD_BYTES], struct tp_grid_column *columns)
{
	size_t n = 0;
	for (size_t length; *text && n < COLUMNS_MAX; n++, text += length + (text[length] == ' ')) {
		struct tp_grid_column *c = &columns[n];
		*c = (struct tp_grid_column){ heads[n], *text == '>' ? TP_RIGHT : TP_LEFT,
					      (unsigned)strspn(text, "~") };
		text += strspn(text, ">~");
		length = strcspn(text, " ");
		snprintf(heads[n], HEAD_BYTES, "%.*s", *text == '.' ? 0 : (int)length, text);
	}
	return n;
}

static enum tp_status print(const struct tp_cli *cli, const struct tp_list_row *list,
			    struct tp_diag *diag)
{
	struct tp_list_sink s = { .only_names = cli->names };
	char heads[COLUMNS_MAX][HEAD_BYTES];
	struct tp_grid_column columns[COLUMNS_MAX];
	struct tp_str out = { 0 };
	enum tp_status status = TP_NOMEM;
	tp_look_init(&s.look, &cli->look, STDOUT_FILENO);
	if (!s.look.terminal)
		s.look.columns = 1000; /* for programs: an entry is one line */
	if (cli->json)
		s.json = tp_listing_new();
	if (cli->json && !s.json)
		goto out;
	size_t n_columns = columns_of(list->columns, heads, columns);
	tp_grid_init(&s.grid, columns, n_columns);
	tp_grid_heads(&s.grid);
	status = list->fill(&s, diag);
	if (status != TP_OK)
		goto out;
	if (s.json)
		status = tp_listing_write(s.json, &out);
	else if (s.only_names)
		tp_str_add(&out, tp_str_text(&s.names));
	else if (s.grid.n > n_columns) /* more than the heads */
		tp_grid_write(&s.grid, &s.look, &out);
	if (out.oom || s.names.oom)
		status = TP_NOMEM;
	if (status == TP_OK)
		fputs(tp_str_text(&out), stdout);
	/* Remarks are not data, so they do not go to standard output. */
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
		if (strcmp(lists[i].word, tp_cli_value(cli)) == 0) {
			enum tp_status status = print(cli, &lists[i], &diag);
			if (status != TP_OK)
				tp_complain(&diag);
			return (int)tp_status_exit(status);
		}
	return unknown_word(tp_cli_value(cli));
}
