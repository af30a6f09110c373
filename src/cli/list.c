/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --list: prints a table, or with --json data. Each list is a row of `lists`. */
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/named.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cluster/actions.h"
#include "counters/emulated.h"
#include "counters/sources.h"
#include "counters/stepped.h"
#include "kernels/arch.h"
#include "kernels/counting.h"
#include "kernels/kernel.h"
#include "lesson/lesson.h"
#include "pattern/pattern.h"
#include "preset/basis.h"
#include "record/json.h"
#include "doc/terminal.h"
#include "record/load.h"

enum { COLUMNS_MAX = 12, WORD_BYTES = 16 };

/* Where the rows go. All forms are made, one of them is printed. */
struct sink {
	struct tp_look look;
	struct tp_grid grid;
	/* Of each column: its head, its key, and its text in the row under way. */
	struct {
		char head[WORD_BYTES], key[WORD_BYTES];
		struct tp_str text;
		enum tp_paint paint;
	} shown[COLUMNS_MAX];
	bool has_row;
	struct tp_listing *json; /* NULL: print the table */
	bool only_names; /* for scripts: what the command line takes, one a line */
	struct tp_str names;
	struct tp_str remarks; /* below the table */
};

/* Rows of facts with keys: JSON has all of them, the table only those of its columns. */
struct list {
	const char *word;
	/*
	 * The table's columns, separated by blanks: HEAD=KEY, or a word that is both. In front of a
	 * head, ">" aligns to the right, and "~" lets the column go where the terminal is narrow.
	 */
	const char *columns;
	enum tp_status (*fill)(struct sink *sink, struct tp_diag *diag);
};

/* What the table shows under a key, in the place of what JSON has. */
static void __attribute__((format(printf, 4, 5)))
list_shown(struct sink *s, const char *key, enum tp_paint paint, const char *fmt, ...)
{
	va_list ap;
	for (size_t i = 0; i < s->grid.n_columns; i++) {
		if (strcmp(s->shown[i].key, key) != 0)
			continue;
		tp_str_clear(&s->shown[i].text);
		va_start(ap, fmt);
		tp_str_vprintf(&s->shown[i].text, fmt, ap);
		va_end(ap);
		s->shown[i].paint = paint;
	}
}

static void end_row(struct sink *s)
{
	for (size_t i = 0; i < s->grid.n_columns && s->has_row; i++) {
		tp_grid_text(&s->grid, s->shown[i].paint, tp_str_text(&s->shown[i].text));
		tp_str_clear(&s->shown[i].text);
	}
	s->has_row = false;
}

/* Begins a row: its name, and what the command line takes for it. */
static void list_called(struct sink *s, const char *name, const char *taken)
{
	end_row(s);
	s->has_row = true;
	/* A name with a line end cannot be a line of a list. */
	if (!strchr(taken, '\n')) {
		tp_str_add_clean(&s->names, taken, false);
		tp_str_add(&s->names, "\n");
	}
	tp_listing_row(s->json);
	tp_listing_text(s->json, "name", name);
	list_shown(s, "name", TP_PAINT_STRONG, "%s", name);
}

static void list_name(struct sink *s, const char *name)
{
	list_called(s, name, name);
}

static void list_text(struct sink *s, const char *key, const char *text)
{
	list_shown(s, key, TP_PAINT_PLAIN, "%s", text ? text : "");
	tp_listing_text(s->json, key, text);
}

static void list_count(struct sink *s, const char *key, size_t n)
{
	list_shown(s, key, TP_PAINT_PLAIN, "%zu", n);
	tp_listing_count(s->json, key, n);
}

/* Whether something works here. */
static void list_bool(struct sink *s, const char *key, bool works)
{
	list_shown(s, key, works ? TP_PAINT_GOOD : TP_PAINT_WARN, works ? "yes" : "no");
	tp_listing_bool(s->json, key, works);
}

/* The same, with a summary in the table, or the reason why it does not work. */
static void list_supported(struct sink *s, bool works, const char *summary, const char *why)
{
	list_bool(s, "supported", works);
	list_shown(s, "what", TP_PAINT_PLAIN, "%s", works ? summary : why);
	list_text(s, "reason", works ? NULL : why);
}

/* Rows of a name and a text. */
static void list_words(struct sink *s, const char *(*word)(size_t i, const char **text),
		       const char *key)
{
	const char *name, *text;
	for (size_t i = 0; (name = word(i, &text)); i++) {
		list_name(s, name);
		list_text(s, key, text);
	}
}

static void add_file(struct sink *s, const struct tp_named_file *file)
{
	list_name(s, file->name);
	list_text(s, "title", file->title);
	list_text(s, "path", file->path);
}

/* A row of each file; without files, `none` stands below the table. */
static enum tp_status list_files(struct sink *s,
				 enum tp_status (*entries)(struct tp_named_file **entries,
							   size_t *n, struct tp_diag *diag),
				 void (*add)(struct sink *s, const struct tp_named_file *file),
				 const char *none, struct tp_diag *diag)
{
	TP_FREE struct tp_named_file *files = NULL;
	size_t n = 0;
	enum tp_status status = entries(&files, &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		add(s, &files[i]);
	if (status == TP_OK && n == 0)
		tp_str_add(&s->remarks, none);
	return status;
}

/* --- machines --- */

/* True if the row has a star. */
static bool list_machine(struct sink *s, const struct tp_named_file *entry,
			 const struct tp_machine *machine)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	struct tp_model model;
	enum tp_status status = tp_model_load(&model, entry->path, &diags);
	bool here = status == TP_OK && tp_model_matches(&model, &machine->cpu);
	bool alike = status == TP_OK && machine->model_found == TP_MODEL_LOOKS_LIKE &&
		     strcmp(machine->model.path, model.path) == 0;
	list_name(s, entry->name);
	list_shown(s, "mark", TP_PAINT_GOOD, "%s", here ? "*" : alike ? "~" : "");
	if (status == TP_OK) {
		TP_STR isas = { 0 };
		for (size_t i = 0; i < model.n_isas; i++)
			tp_str_printf(&isas, "%s%s", i ? " " : "", model.isas[i].name);
		list_text(s, "arch", model.arch);
		list_text(s, "title", model.title);
		list_bool(s, "this_machine", here);
		list_bool(s, "looks_like", alike);
		tp_listing_words(s->json, "isas", tp_str_text(&isas));
	} else {
		const char *error = diags.n ? diags.items[0].what : tp_status_name(status);
		list_shown(s, "arch", TP_PAINT_BAD, "broken");
		list_shown(s, "title", TP_PAINT_BAD, "%s", error);
		list_text(s, "error", error);
	}
	list_text(s, "path", entry->path);
	return here;
}

static enum tp_status list_machines(struct sink *s, struct tp_diag *diag)
{
	TP_FREE struct tp_named_file *entries = NULL;
	TP_CLEANUP(tp_machine_release) struct tp_machine machine = { 0 };
	struct tp_cpu cpu;
	size_t n = 0;
	enum tp_status status = tp_model_entries(&entries, &n, diag);
	tp_arch_identify(&cpu);
	/* Names do not depend on the machine. */
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
	return status;
}

/* --- isas --- */

static enum tp_status list_isas(struct sink *s, struct tp_diag *diag)
{
	struct tp_cpu cpu;
	(void)diag;
	tp_arch_identify(&cpu);
	for (size_t i = 0; i < tp_isa_count; i++) {
		const struct tp_isa *isa = tp_isa_table[i];
		struct tp_diag why = { 0 };
		bool ok = tp_isa_supported(isa, &cpu, &why) == TP_OK;
		unsigned vector_bytes = tp_isa_vector_bytes(isa);
		list_name(s, isa->name);
		list_shown(s, "bits", TP_PAINT_PLAIN, vector_bytes ? "%u" : "-", vector_bytes * 8);
		list_text(s, "arch", isa->arch);
		list_count(s, "vector_bytes", vector_bytes);
		list_supported(s, ok, isa->summary, why.what);
		list_text(s, "summary", isa->summary);
		tp_listing_words(s->json, "needs", isa->needs);
	}
	if (!tp_isa_count)
		tp_str_printf(&s->remarks, "This program has no kernels for %s.\n", cpu.arch);
	return TP_OK;
}

/* --- precisions --- */

static enum tp_status list_precisions(struct sink *s, struct tp_diag *diag)
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
		list_name(s, name);
		list_text(s, "isa", row->isa);
		list_text(s, "precision", row->precision);
		list_text(s, "fp_op", tp_fp_op_name(row->op));
		list_supported(s, ok, tp_fp_op_summary(row->op), why.what);
		tp_listing_words(s->json, "needs", row->needs);
	}
	if (tp_narrow_row(cpu.arch, 0))
		tp_str_add(&s->remarks,
			   "Every ISA computes in double and single precision. These are the "
			   "others: tprof --batch matrix-peaks\n");
	else
		tp_str_printf(&s->remarks,
			      "On %s this program supports double and single precision only.\n",
			      cpu.arch);
	return TP_OK;
}

/* --- kernels --- */

static void list_kernel(struct sink *s, const char *name, const char *family, const char *summary)
{
	list_name(s, name);
	list_text(s, "family", family);
	list_text(s, "summary", summary);
}

static enum tp_status list_kernels(struct sink *s, struct tp_diag *diag)
{
	/* Examples of each family; the examples of the family FP come from their registry. */
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

static enum tp_status list_experiments(struct sink *s, struct tp_diag *diag)
{
	TP_CLEANUP(tp_machine_release) struct tp_machine machine = { 0 };
	struct tp_cpu cpu;
	enum tp_status status = TP_OK;
	tp_arch_identify(&cpu);
	/* Names do not depend on the machine, which takes time to detect. */
	if (!s->only_names)
		status = tp_machine_init(&machine, &cpu, NULL, "detected", NULL, diag);
	const struct tp_experiment *e;
	for (size_t i = 0; (e = tp_experiment_at(i)) && status == TP_OK; i++) {
		struct tp_diag why = { 0 };
		list_name(s, e->name);
		if (s->only_names)
			continue;
		TP_STR what = { 0 };
		tp_str_printf(&what, "%s %s", e->question, e->summary);
		bool ok = tp_experiment_supported(e, &machine, &why) == TP_OK;
		list_supported(s, ok, tp_str_text(&what), why.what);
		list_text(s, "question", e->question);
		list_text(s, "summary", e->summary);
	}
	return status;
}

static enum tp_status list_presets(struct sink *s, struct tp_diag *diag)
{
	return list_files(s, tp_preset_entries, add_file, "There are no presets.\n", diag);
}

static enum tp_status list_regimes(struct sink *s, struct tp_diag *diag)
{
	(void)diag;
	list_words(s, tp_regime_word, "summary");
	tp_str_add(&s->remarks, "With one of them: tprof --batch quick --machine zen4 "
				"--simulate REGIME\n");
	return TP_OK;
}

/* --- patterns --- */

static void add_pattern(struct sink *s, const struct tp_named_file *file)
{
	TP_FREE struct tp_pattern *pattern = tp_alloc(1, sizeof(*pattern));
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	TP_STR parameters = { 0 };
	TP_CLEANUP(tp_diags_release) struct tp_diags errors = { 0 };
	list_name(s, file->name);
	if (s->only_names)
		return;
	if (tp_pattern_load(pattern, &arena, file->name, &errors) != TP_OK) {
		tp_str_add(&parameters, "cannot be read; --dry-run gives the reason");
		pattern->n_parameters = 0;
	}
	/* Each with its default, and the last of its values. */
	for (size_t k = 0; k < pattern->n_parameters; k++) {
		const struct tp_pattern_parameter *p = &pattern->parameters[k];
		tp_str_printf(&parameters, "%s%s=%lld", k ? " " : "", p->name,
			      (long long)p->values[0]);
		if (p->n > 1)
			tp_str_printf(&parameters, "..%lld", (long long)p->values[p->n - 1]);
	}
	list_text(s, "summary", file->title);
	list_text(s, "parameters", tp_str_text(&parameters));
}

static enum tp_status list_patterns(struct sink *s, struct tp_diag *diag)
{
	enum tp_status status =
		list_files(s, tp_pattern_list, add_pattern, "There are no patterns.\n", diag);
	if (!s->remarks.len)
		tp_str_add(&s->remarks, "With one of them: tprof --batch pattern-triad --set "
					"pattern=NAME\n");
	return status;
}

/* --- lessons --- */

static void add_lesson(struct sink *s, const struct tp_named_file *file)
{
	struct tp_lesson lesson;
	TP_CLEANUP(tp_diags_release) struct tp_diags errors = { 0 };
	char name[TP_NAME_MAX + 16];
	snprintf(name, sizeof(name), "lessons/%s", file->name);
	list_name(s, name);
	if (s->only_names)
		return;
	bool reads = tp_lesson_load(&lesson, file->path, NULL, &errors) == TP_OK;
	double seconds = 0; /* about what all its measurements take */
	for (size_t i = 0; i < lesson.n_steps; i++)
		seconds += lesson.steps[i].seconds;
	list_text(s, "title", file->title);
	list_text(s, "summary", reads ? lesson.summary : NULL);
	if (reads) {
		list_shown(s, "time", TP_PAINT_PLAIN, "%.1f min", seconds / 60);
		tp_listing_real(s->json, "seconds", seconds);
	} else {
		list_shown(s, "time", TP_PAINT_BAD, "broken");
		list_shown(s, "summary", TP_PAINT_PLAIN, "tprof --check gives the reason");
	}
	list_bool(s, "reads", reads);
	list_text(s, "path", file->path);
	tp_lesson_release(&lesson);
}

static enum tp_status list_lessons(struct sink *s, struct tp_diag *diag)
{
	return list_files(s, tp_lesson_entries, add_lesson, "There are no lessons.\n", diag);
}

/* --- examples: the stored runs that ship with the program --- */

static enum tp_status list_examples(struct sink *s, struct tp_diag *diag)
{
	struct tp_run_entry *entries;
	size_t n;
	enum tp_status status = tp_example_entries(&entries, &n, diag);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		const struct tp_run_entry *e = &entries[i];
		char name[sizeof(TP_EXAMPLE_PREFIX) + sizeof(e->directory)];
		snprintf(name, sizeof(name), "%s%s", TP_EXAMPLE_PREFIX, e->directory);
		list_name(s, name);
		list_text(s, "isas", e->brief.isas);
		list_text(s, "figures", e->brief.figures);
		list_text(s, "title", e->notes);
		list_text(s, "experiments", e->brief.experiments);
		list_text(s, "cpu", e->cpu);
		list_text(s, "simulated", *e->simulated ? e->simulated : NULL);
		list_count(s, "points", e->n_done);
		list_text(s, "path", e->path);
	}
	if (n)
		tp_str_add(&s->remarks, "One of them: tprof --show example/roofline, or --replay, "
					"--compare, --mine\n");
	free(entries);
	return status;
}

/* --- families, bases, habits, events: the input of event classification --- */

static enum tp_status list_families(struct sink *s, struct tp_diag *diag)
{
	(void)diag;
	for (size_t i = 0; i < TP_FAMILY_COUNT; i++) {
		const struct tp_family *f = tp_family_table[i];
		list_name(s, f->name);
		list_text(s, "title", f->title);
		list_count(s, "kernels", f->n_kernels);
		list_count(s, "rows", f->n_rows);
	}
	return TP_OK;
}

static enum tp_status list_bases(struct sink *s, struct tp_diag *diag)
{
	return list_files(s, tp_basis_entries, add_file, "There are no bases.\n", diag);
}

static enum tp_status list_habits(struct sink *s, struct tp_diag *diag)
{
	(void)diag;
	list_words(s, tp_emulated_habit, "title");
	return TP_OK;
}

/* Reasons common to many events are listed once, below the table. */
enum { REASONS_MAX = 32 };

struct reasons {
	const char *text[REASONS_MAX];
	size_t count[REASONS_MAX], n;
};

/* The number of the reason, from 1; 0: there are too many, it is printed with its event. */
static size_t number_of(struct reasons *r, const char *text)
{
	size_t i = 0;
	while (i < r->n && strcmp(r->text[i], text) != 0)
		i++;
	if (i == REASONS_MAX)
		return 0;
	if (i == r->n)
		r->text[r->n++] = text;
	r->count[i]++;
	return i + 1;
}

static void list_event(struct sink *s, const struct tp_count_event *e, struct reasons *reasons)
{
	size_t reason = e->available ? 0 : number_of(reasons, e->reason);
	list_name(s, e->name);
	list_text(s, "component", e->component);
	list_bool(s, "available", e->available);
	if (reason)
		list_shown(s, "what", TP_PAINT_PLAIN, "reason %zu", reason);
	else
		list_shown(s, "what", TP_PAINT_PLAIN, "%s",
			   e->available ? e->description : e->reason);
	list_text(s, "description", e->description);
	list_text(s, "reason", e->available ? NULL : e->reason);
}

/* What the sources of `events` have on this machine; each event was tried. */
static enum tp_status list_events(struct sink *s, struct tp_diag *diag)
{
	struct tp_source sources[TP_WANTED_SOURCES] = { 0 };
	struct tp_source_wish wish = { 0 };
	struct reasons reasons = { .n = 0 };
	struct tp_diag why = { 0 }, unstepped = { 0 };
	size_t available = 0, n = 1;
	char count[32];
	(void)diag;
	for (size_t k = 0; k < tp_wanted_n_kinds; k++) {
		struct tp_source *source = &sources[k];
		if (tp_source_open(source, tp_wanted_kinds[k], &wish, &why) != TP_OK)
			tp_diags_add(&source->notes, &why);
		for (size_t i = 0; i < source->n_events; i++) {
			list_event(s, &source->events[i], &reasons);
			available += source->events[i].available;
		}
		n += source->n_events;
	}
	/* Any code can be stepped where one process can. */
	const struct tp_count_event stepped = { .name = TP_STEPPED_EVENT,
						.component = "stepping",
						.description = "instructions, counted by stepping",
						.available =
							tp_stepped_supported(&unstepped) == TP_OK,
						.reason = unstepped.what };
	list_event(s, &stepped, &reasons);
	available += stepped.available;
	for (size_t i = 0; i < reasons.n; i++) {
		tp_str_printf(&s->remarks, "reason %zu (%s): ", i + 1,
			      tp_text_count(count, sizeof(count), reasons.count[i], "event"));
		tp_text_clean(&s->remarks, reasons.text[i], &s->look);
		tp_str_add(&s->remarks, "\n");
	}
	tp_str_printf(&s->remarks, "%zu of %zu events can be counted here.\n", available, n);
	for (size_t k = 0; k < tp_wanted_n_kinds; k++) {
		for (size_t i = 0; i < sources[k].notes.n; i++) {
			const struct tp_diag *note = &sources[k].notes.items[i];
			tp_str_printf(&s->remarks, "%s: %s%s%s\n", note->where, note->what,
				      note->hint[0] ? "; " : "", note->hint);
		}
		tp_source_close(&sources[k]);
	}
	return TP_OK;
}

/* --- runs and cluster runs of the user, by date --- */

static int is_run_name(const struct dirent *file)
{
	return file->d_name[0] != '.' &&
	       (file->d_type == DT_DIR || file->d_type == DT_LNK || file->d_type == DT_UNKNOWN);
}

/* Does not open runs: there may be thousands, and a shell waits. */
static void name_runs(struct sink *s, const char *directory)
{
	struct dirent **files = NULL;
	int n = scandir(directory, &files, is_run_name, alphasort);
	for (int i = 0; i < n; i++) {
		list_name(s, files[i]->d_name);
		free(files[i]);
	}
	free(files);
}

/* The cells of a list for the nodes of a cluster run; empty for other runs. */
struct nodes {
	size_t n, n_done;
	char text[64];
};

/*
 * As far as known without asking a scheduler. The merged run shows what was measured. False: not a
 * cluster run.
 */
static bool read_cluster(struct tp_run_entry *entry, struct nodes *nodes)
{
	struct tp_cluster cluster;
	struct tp_cluster_sums sums;
	struct tp_run_entry merged;
	struct tp_diag diag;
	enum tp_status status = tp_cluster_load(&cluster, entry->path, &diag);
	if (status == TP_NOTFOUND)
		return false;
	tp_copy(entry->state, sizeof(entry->state), "unreadable");
	if (status == TP_OK) {
		tp_cluster_look(&cluster);
		tp_cluster_add_up(&cluster, &sums);
		nodes->n = sums.n;
		nodes->n_done = sums.of_state[TP_NODE_DONE];
		entry->n_done = sums.n_done;
		entry->n_planned = sums.n_points;
		tp_copy(entry->state, sizeof(entry->state),
			nodes->n_done == sums.n ? "complete"
			: sums.n_ended < sums.n ? "running"
			: sums.n_done		? "interrupted"
						: "failed");
		if (nodes->n_done == sums.n)
			snprintf(nodes->text, sizeof(nodes->text), ", %zu node%s", sums.n,
				 sums.n == 1 ? "" : "s");
		else
			snprintf(nodes->text, sizeof(nodes->text), ", %zu of %zu nodes done",
				 nodes->n_done, sums.n);
	}
	tp_cluster_release(&cluster);
	if (tp_run_entry_read(entry->path, "merged", &merged)) {
		entry->brief = merged.brief;
		tp_copy(entry->cpu, sizeof(entry->cpu), merged.cpu);
		tp_copy(entry->simulated, sizeof(entry->simulated), merged.simulated);
	}
	return true;
}

static void add_run(struct sink *s, const struct tp_run_entry *e, const struct nodes *nodes)
{
	bool whole = strcmp(e->state, "complete") == 0;
	char quality[64];
	list_called(s, e->name, e->directory);
	list_text(s, "date", e->date);
	list_text(s, "experiments", e->brief.experiments);
	list_text(s, "isas", e->brief.isas);
	list_text(s, "threads", e->brief.threads);
	list_text(s, "figures", e->brief.figures);
	for (int q = TP_QUALITY_GOOD; q < TP_QUALITY_COUNT; q++)
		list_count(s, tp_quality_name((enum tp_quality)q), e->brief.quality[q]);
	list_shown(s, "quality", TP_PAINT_PLAIN, "%s",
		   tp_brief_quality(&e->brief, quality, sizeof(quality)));
	list_text(s, "state", e->state);
	list_shown(s, "state", whole && !*e->simulated ? TP_PAINT_PLAIN : TP_PAINT_WARN, "%s%s%s%s",
		   e->state, nodes->text, *e->simulated ? ", simulated: " : "", e->simulated);
	if (nodes->n) {
		list_count(s, "nodes", nodes->n);
		list_count(s, "nodes_done", nodes->n_done);
	}
	list_count(s, "points", e->n_done);
	if (e->n_planned > e->n_done)
		list_shown(s, "points", TP_PAINT_PLAIN, "%zu/%zu", e->n_done, e->n_planned);
	list_count(s, "points_planned", e->n_planned);
	list_shown(s, "directory", TP_PAINT_DIM, "%s", e->directory);
	list_text(s, "cpu", e->cpu);
	list_text(s, "hostname", e->hostname);
	list_text(s, "simulated", *e->simulated ? e->simulated : NULL);
	list_text(s, "path", e->path);
}

static enum tp_status list_runs(struct sink *s, struct tp_diag *diag)
{
	char directory[TP_PATH_MAX], **names;
	size_t n = 0, n_rows = 0;
	enum tp_status status = tp_path_user_data("runs", directory, diag);
	if (status == TP_OK && s->only_names) {
		name_runs(s, directory);
		return TP_OK;
	}
	if (status == TP_OK)
		status = tp_run_names(directory, &names, &n, diag);
	if (status != TP_OK)
		return status;
	TP_FREE struct tp_run_entry *entry = tp_alloc(1, sizeof(*entry));
	for (size_t i = 0; i < n; i++) {
		struct nodes nodes = { 0 };
		if (tp_run_entry_read(directory, names[i], entry) || read_cluster(entry, &nodes)) {
			add_run(s, entry, &nodes);
			n_rows++;
		}
	}
	tp_str_add(&s->remarks, n_rows ? "in " : "There are no runs in ");
	tp_text_clean(&s->remarks, directory, &s->look);
	tp_str_add(&s->remarks, n_rows ? "\n" : " yet.\n");
	tp_run_names_free(names, n);
	return TP_OK;
}

/* --- the lists --- */

static const struct list lists[] = {
	{ "machines", "~=mark model=name arch machine=title", list_machines },
	{ "isas", "ISA=name >bits here=supported =what", list_isas },
	{ "precisions", "kernel=name here=supported =what", list_precisions },
	{ "kernels", "kernel=name family =summary", list_kernels },
	{ "experiments", "experiment=name here=supported =what", list_experiments },
	{ "presets", "preset=name =title", list_presets },
	{ "patterns", "pattern=name =summary ~parameters", list_patterns },
	{ "lessons", "lesson=name >time title ~=summary", list_lessons },
	{ "regimes", "regime=name =summary", list_regimes },
	{ "runs",
	  "date name ~~~experiment=experiments ~~~ISA=isas ~~~threads figures ~~quality state "
	  ">points ~~~~directory",
	  list_runs },
	{ "examples", "example=name ~ISA=isas ~~figures =title", list_examples },
	{ "families", "family=name >kernels >rows =title", list_families },
	{ "bases", "basis=name =title ~file=path", list_bases },
	{ "habits", "habit=name =title", list_habits },
	{ "events", "event=name here=available component =what", list_events },
};

const char *tp_cli_list_word(size_t i)
{
	return i < TP_COUNT_OF(lists) ? lists[i].word : NULL;
}

static int unknown_word(const char *word)
{
	const char *words[TP_COUNT_OF(lists)];
	TP_STR hint = { 0 };
	struct tp_diag diag;
	for (size_t i = 0; i < TP_COUNT_OF(lists); i++)
		words[i] = lists[i].word;
	tp_str_suggest(&hint, word, "one of ", words, TP_COUNT_OF(words), " or ");
	return tp_cli_fail(tp_fail(&diag, TP_USAGE, "--list", tp_str_text(&hint),
				   "there is no list of \"%.80s\"", word),
			   &diag);
}

static size_t read_columns(struct sink *s, const char *text, struct tp_grid_column *columns)
{
	size_t n = 0;
	for (size_t length; *text && n < COLUMNS_MAX; n++, text += length + (text[length] == ' ')) {
		columns[n] = (struct tp_grid_column){ s->shown[n].head,
						      *text == '>' ? TP_RIGHT : TP_LEFT,
						      (unsigned)strspn(text, "~") };
		text += strspn(text, ">~");
		length = strcspn(text, " ");
		size_t head = strcspn(text, "= "), key = text[head] == '=' ? head + 1 : 0;
		snprintf(s->shown[n].head, WORD_BYTES, "%.*s", (int)head, text);
		snprintf(s->shown[n].key, WORD_BYTES, "%.*s", (int)(length - key), text + key);
	}
	return n;
}

static void release_sink(struct sink *s)
{
	tp_grid_release(&s->grid);
	for (size_t i = 0; i < COLUMNS_MAX; i++)
		tp_str_release(&s->shown[i].text);
	tp_listing_free(s->json);
	tp_str_release(&s->remarks);
	tp_str_release(&s->names);
}

static enum tp_status print(const struct tp_cli *cli, const struct list *list, struct tp_diag *diag)
{
	TP_CLEANUP(release_sink)
	struct sink s = { .only_names = cli->names };
	struct tp_grid_column columns[COLUMNS_MAX];
	TP_STR out = { 0 };
	tp_look_init(&s.look, &cli->look, STDOUT_FILENO);
	if (!s.look.terminal)
		s.look.columns = 1000; /* for programs: an entry is one line */
	if (cli->json)
		s.json = tp_listing_new();
	size_t n_columns = read_columns(&s, list->columns, columns);
	tp_grid_init(&s.grid, columns, n_columns);
	tp_grid_heads(&s.grid);
	enum tp_status status = list->fill(&s, diag);
	end_row(&s);
	if (status != TP_OK)
		return status;
	if (s.json)
		tp_listing_write(s.json, &out);
	else if (s.only_names)
		tp_str_add(&out, tp_str_text(&s.names));
	else if (s.grid.n > n_columns) { /* more than the heads */
		TP_TEXT(text, &s.look);
		tp_grid_write(&s.grid, &text);
		tp_text_print(&text, &out);
	}
	fputs(tp_str_text(&out), stdout);
	/* Remarks are not data, so they do not go to standard output. */
	if (!cli->quiet && !s.json && !s.only_names) {
		fflush(stdout);
		fputs(tp_str_text(&s.remarks), stderr);
	}
	return TP_OK;
}

int tp_cli_list(const struct tp_cli *cli)
{
	struct tp_diag diag = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(lists); i++)
		if (strcmp(lists[i].word, tp_cli_value(cli)) == 0) {
			enum tp_status status = print(cli, &lists[i], &diag);
			return status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, &diag);
		}
	return unknown_word(tp_cli_value(cli));
}
