/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a finished run: facts, verdict, tables, what was wrong with which points. */
#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/rundir.h"
#include "report/facts.h"
#include "doc/html.h"
#include "report/reporter.h"

enum { CPUS_MAX = 4096 };

/* Writes a fact, and clears its text. */
static void add_line(struct tp_page *page, const char *label, struct tp_str *text)
{
	tp_text_labelled(page->doc, label, TP_LABEL_COLUMNS, TP_PAINT_PLAIN, tp_str_text(text));
	tp_str_clear(text);
}

static void first_line(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_STR text = { 0 };
	char count[32], seconds[48], simulated[TP_SIMULATED_BYTES + 16];
	const size_t done = tp_run_n_done(run), all = tp_run_n_needed(run);
	bool whole = strcmp(run->state, "complete") == 0 && done == all;
	tp_str_add(&text, "tprof");
	tp_text_join(&text, page->look, tp_fact_simulated(run, simulated, sizeof(simulated)));
	tp_text_join(&text, page->look, tp_fact_text(run, "name"));
	tp_text_join(&text, page->look, run->state);
	uint64_t nodes = tp_fact_count(run, TP_MERGED_NODES);
	if (nodes)
		tp_str_printf(&text, "%s%s", tp_text_dot(page->look),
			      tp_text_count(count, sizeof(count), nodes, "node"));
	tp_str_add(&text, tp_text_dot(page->look));
	if (done < all)
		tp_str_printf(&text, "%zu of ", done);
	tp_str_add(&text, tp_text_count(count, sizeof(count), all, "point"));
	if (run->wall_seconds > 0)
		tp_str_printf(&text, " in %s",
			      tp_format_seconds(seconds, sizeof(seconds), run->wall_seconds));
	tp_text_wrap(page->doc, whole ? TP_PAINT_TITLE : TP_PAINT_WARN, tp_str_text(&text), 0, 8);
}

static void cpu_lines(struct tp_page *page)
{
	static const char *const names[] = { "", "L1d", "L2", "L3" };
	const struct tp_run *run = page->run;
	TP_STR text = { 0 };
	char count[32], size[32];
	uint64_t sockets = tp_fact_count(run, "machine.packages");
	uint64_t cores = tp_fact_count(run, "machine.cores");
	uint64_t cpus = tp_fact_count(run, "machine.cpus");
	tp_text_clean(&text, tp_fact_text(run, "machine.cpu"), page->look);
	bool known = text.len;
	if (sockets)
		tp_str_printf(&text, "%s%s", text.len ? ", " : "",
			      tp_text_count(count, sizeof(count), sockets, "socket"));
	if (cores)
		tp_str_printf(&text, "%s%s", text.len ? ", " : "",
			      tp_text_count(count, sizeof(count), cores, "core"));
	if (cpus && cpus != cores)
		tp_str_printf(&text, "%s%" PRIu64 " hardware threads", text.len ? ", " : "", cpus);
	if (text.len)
		add_line(page, "CPU", &text);

	for (int level = 1; level <= TP_FACT_LEVELS; level++) {
		uint64_t bytes = tp_fact_cache(run, level, "size_bytes");
		uint64_t sharers = tp_fact_cache(run, level, "sharing_cores");
		if (!bytes)
			continue;
		tp_str_printf(&text, "%s%s %s", text.len ? ", " : "", names[level],
			      tp_format_bytes(size, sizeof(size), bytes));
		if (sharers > 1)
			tp_str_printf(&text, " shared by %" PRIu64 " cores", sharers);
	}
	const char *part = tp_fact_text(run, "machine.part.0");
	if (strncmp(part, "kind:", 5) == 0)
		tp_str_clear(&text); /* each kind has its own */
	if (text.len)
		add_line(page, "Caches", &text);
	for (unsigned i = 0; *part; i++) {
		char key[48];
		tp_text_clean(&text, part, page->look);
		add_line(page, i ? "" : "Parts", &text);
		snprintf(key, sizeof(key), "machine.part.%u", i + 1);
		part = tp_fact_text(run, key);
	}

	TP_STR model = { 0 };
	tp_fact_model(run, &model);
	if (model.len) {
		tp_text_clean(&text, tp_str_text(&model), page->look);
		tp_str_add(&text, ": ");
		tp_text_clean(&text, tp_fact_text(run, "machine.model_title"), page->look);
	} else if (known) {
		tp_str_add(&text, "none known for this CPU: no theoretical roofs");
	}
	if (text.len)
		add_line(page, "Model", &text);
}

/* Marks the CPUs of "0,1,4-7" in `used`. */
static void mark_cpus(const char *list, bool used[CPUS_MAX])
{
	while (*list) {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;
		if (end == list)
			return;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		for (unsigned long cpu = from; cpu <= to && cpu < CPUS_MAX; cpu++)
			used[cpu] = true;
		list = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return;
	}
}

/* "CPU 0", "CPUs 0-3, 8". */
static void add_cpus(const bool used[CPUS_MAX], struct tp_str *text)
{
	const char *joint = " ";
	size_t n = 0;
	for (size_t cpu = 0; cpu < CPUS_MAX; cpu++)
		n += used[cpu];
	tp_str_add(text, n == 1 ? "CPU" : "CPUs");
	for (size_t cpu = 0; cpu < CPUS_MAX; cpu++) {
		size_t from = cpu;
		if (!used[cpu])
			continue;
		while (cpu + 1 < CPUS_MAX && used[cpu + 1])
			cpu++;
		tp_str_printf(text, cpu > from ? "%s%zu-%zu" : "%s%zu", joint, from, cpu);
		joint = ", ";
	}
}

/* Thread counts in the order they come, each once. */
static void thread_line(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_STR text = { 0 };
	bool used[CPUS_MAX] = { false }, known[CPUS_MAX + 1] = { true };
	bool any = false;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const unsigned threads = TP_MIN(p->threads, (unsigned)CPUS_MAX);
		if (i == 0 || strcmp(p->cpus, p[-1].cpus) != 0)
			mark_cpus(p->cpus, used);
		any |= *p->cpus;
		if (!known[threads])
			tp_str_printf(&text, "%s%u", text.len ? ", " : "", p->threads);
		known[threads] = true;
	}
	if (!text.len)
		return;
	if (any) {
		tp_str_add(&text, " on ");
		add_cpus(used, &text);
	}
	uint64_t allowed = tp_fact_count(run, "machine.cpus_allowed");
	if (allowed)
		tp_str_printf(&text, " of %" PRIu64 " usable", allowed);
	add_line(page, "Threads", &text);
}

static void clock_line(struct tp_page *page)
{
	static const char *const turbo[] = { "off", "on" };
	const struct tp_run *run = page->run;
	TP_STR text = { 0 };
	TP_FREE double *ghz = tp_alloc(run->n_points + 1, sizeof(*ghz));
	size_t n = 0;
	TP_EACH_POINT (p, run)
		if (p->state == TP_POINT_DONE && p->core_ghz > 0 && isfinite(p->core_ghz))
			ghz[n++] = p->core_ghz;
	if (n) {
		tp_sort_doubles(ghz, n);
		tp_str_printf(&text, "%.3f GHz measured", ghz[n / 2]);
		if (ghz[n - 1] - ghz[0] > 0.001)
			tp_str_printf(&text, " (%.3f to %.3f between points)", ghz[0], ghz[n - 1]);
	} else if (run->n_points || !run->planned) {
		tp_str_add(&text, "core frequency not measured");
	}
	if (*tp_fact_text(run, "machine.governor")) {
		tp_str_add(&text, text.len ? ", governor " : "governor ");
		tp_text_clean(&text, tp_fact_text(run, "machine.governor"), page->look);
	}
	double has_turbo = tp_fact_number(run, "machine.turbo", -1);
	if (has_turbo >= 0)
		tp_str_printf(&text, "%sturbo %s", text.len ? ", " : "", turbo[has_turbo > 0]);
	if (text.len)
		add_line(page, "Clock", &text);
}

static void system_line(struct tp_page *page)
{
	static const struct {
		const char *key, *before, *behind;
	} parts[] = {
		{ "machine.hostname", "", "" },
		{ "machine.kernel", "", "" },
		{ "machine.hypervisor", "virtual machine (", ")" },
		{ "machine.container", "container (", ")" },
	};
	TP_STR text = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(parts); i++) {
		const char *fact = tp_fact_text(page->run, parts[i].key);
		if (!*fact)
			continue;
		tp_str_printf(&text, "%s%s", text.len ? ", " : "", parts[i].before);
		tp_text_clean(&text, fact, page->look);
		tp_str_add(&text, parts[i].behind);
	}
	if (text.len)
		add_line(page, "System", &text);
}

/* Kinds of pages that were really obtained, with the number of points. */
static void memory_line(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_STR text = { 0 };
	TP_CLEANUP(tp_tally_release) struct tp_tally pages = { 0 };
	char size[32];
	uint64_t bytes = tp_fact_count(run, "machine.memory_bytes");
	if (bytes)
		tp_str_add(&text, tp_format_bytes(size, sizeof(size), bytes));
	const char *joint = text.len ? "; pages " : "pages ";
	TP_EACH_POINT (p, run) {
		const struct tp_kernel_row *row = tp_kernel_row(p);
		if (*row->pages && row->working_set_bytes)
			tp_tally_add(&pages, row->pages);
	}
	for (size_t i = 0; i < pages.n; i++) {
		tp_str_printf(&text, "%s%s (%zu)", joint, pages.texts.s + pages.groups[i].text,
			      pages.groups[i].n);
		joint = ", ";
	}
	if (text.len)
		add_line(page, "Memory", &text);
}

static void add_head(struct tp_page *page)
{
	first_line(page);
	cpu_lines(page);
	thread_line(page);
	clock_line(page);
	system_line(page);
	memory_line(page);
	char qualities[64];
	TP_STR text = { 0 };
	tp_str_add(&text, tp_fact_qualities(page->run, NULL, qualities, sizeof(qualities)));
	if (text.len)
		add_line(page, "Quality", &text);
}

static bool same_group(const struct tp_group *a, const struct tp_group *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       strcmp(a->precision, b->precision) == 0;
}

bool tp_groups_has(const struct tp_page *page, const struct tp_grouped *table, size_t i,
		   const struct tp_group *group)
{
	struct tp_group own = table->group_of(page->run, i);
	return same_group(&own, group) && !(table->leave_out && table->leave_out(page->run, i));
}

bool tp_groups_show(struct tp_page *page, const struct tp_grouped *table, size_t n)
{
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		struct tp_group group = table->group_of(page->run, i);
		bool known = !tp_groups_has(page, table, i, &group);
		for (size_t k = 0; k < i && !known; k++)
			known = tp_groups_has(page, table, k, &group);
		if (known)
			continue;
		table->show(page, &group);
		any = true;
	}
	return any;
}

bool tp_page_grid(struct tp_page *page, struct tp_grid *grid)
{
	if (grid->n <= grid->n_columns)
		return false;
	tp_text_gap(page->doc);
	tp_grid_write(grid, page->doc);
	return true;
}

void tp_page_explain(struct tp_page *page, const char *text)
{
	tp_text_say(page->doc, TP_PAINT_DIM, 0, 0, "%s", text);
}

static const struct tp_grid_column point_columns[] = {
	{ "point", TP_RIGHT, 0, TP_POINT(point) },
	{ "experiment", TP_LEFT, 3, TP_POINT(experiment) },
	{ "ISA", TP_LEFT, 0, TP_KERNEL(isa), .paint = TP_PAINT_STRONG },
	{ "precision", TP_LEFT, 2, TP_KERNEL(precision) },
	{ "threads", TP_RIGHT, 1, TP_POINT(threads) },
	{ "level", TP_LEFT, 1, TP_KERNEL(level) },
	{ "kernel", TP_LEFT, 0, TP_POINT(kernel) },
	{ "size", TP_RIGHT, 0, TP_KERNEL(working_set_bytes), .as = TP_AS_SIZE, .positive = true,
	  .none = "" },
	{ "median", TP_RIGHT, 0, TP_POINT(median), .positive = true, .paint = TP_PAINT_STRONG },
	{ "unit", TP_LEFT, 0, TP_POINT(unit) },
	{ "\u00b1%", TP_RIGHT, 2, .cell = tp_page_interval_cell },
	{ "quality", TP_LEFT, 1, .cell = tp_page_quality_cell },
};

static bool is_row(const struct tp_point *p)
{
	const struct tp_reporter *reporter = tp_reporter_find(p->experiment);
	return p->state == TP_POINT_DONE && reporter && reporter->lists_points;
}

/* The tables that reductions make of the points are more informative than the points. */
static bool has_results(const struct tp_run *run)
{
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p))
		if (p->derived && tp_run_rows(run, p)->n)
			return true;
	return false;
}

/* Every finished point. */
static void add_points_table(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_CLEANUP(tp_grid_release) struct tp_grid grid;
	tp_page_table(page, &grid, point_columns, TP_COUNT_OF(point_columns));
	TP_EACH_POINT (p, run)
		if (is_row(p)) {
			tp_grid_row(&grid, p, page);
			tp_grid_about(&grid, p);
		}
	if (grid.n == grid.n_columns)
		return;
	tp_page_title(page, "Points", NULL);
	tp_grid_write(&grid, page->doc);
}

static uint32_t shown_flags(const struct tp_point *p)
{
	return tp_quality_reasons(p->quality, p->flags);
}

/* From this width on the tables have room for the names of flags. */
enum { NAMES_COLUMNS = 100, INDENT = 2 };

/* --- shared by the parts --- */

void tp_page_place(const struct tp_page *page, unsigned run, unsigned threads, struct tp_str *text)
{
	const char *kind = "", *memory = "";
	TP_EACH_POINT (p, page->run) {
		const struct tp_kernel_row *k = tp_kernel_row(p);
		if (p->run != run || p->threads != threads)
			continue;
		kind = *kind ? kind : k->cpu_kind;
		memory = *memory ? memory : k->memory;
	}
	tp_text_join(text, page->look, kind);
	if (*memory) {
		tp_str_printf(text, "%smemory of ", tp_text_dot(page->look));
		tp_text_clean(text, memory, page->look);
	}
}

void tp_page_title(struct tp_page *page, const char *name, const struct tp_group *group)
{
	TP_STR text = { 0 };
	const char *dot = tp_text_dot(page->look);
	char count[32];
	tp_str_add(&text, name);
	if (group) {
		tp_str_printf(&text, "%s%s%s%s", dot, group->precision, dot,
			      tp_text_count(count, sizeof(count), group->threads, "thread"));
		tp_page_place(page, group->run, group->threads, &text);
		if (page->many_runs)
			tp_str_printf(&text, "%srun %u of the preset", dot, group->run + 1);
	}
	tp_text_title(page->doc, tp_str_text(&text));
}

void tp_page_table(const struct tp_page *page, struct tp_grid *grid,
		   const struct tp_grid_column *columns, size_t n)
{
	tp_grid_init(grid, columns, n);
	tp_page_heads(page, grid);
}

void tp_page_heads(const struct tp_page *page, struct tp_grid *grid)
{
	for (size_t c = 0; c < grid->n_columns; c++) {
		const char *head = grid->columns[c].head;
		bool flags = strcmp(head, "quality") == 0 && !page->has_quality;
		tp_grid_head(grid, flags ? "flags" : head);
	}
}

void tp_page_quality_cell(struct tp_grid *grid, const void *point, const void *context)
{
	static const enum tp_paint paints[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = TP_PAINT_WARN,
		[TP_QUALITY_GOOD] = TP_PAINT_PLAIN,
		[TP_QUALITY_FAIR] = TP_PAINT_WARN,
		[TP_QUALITY_POOR] = TP_PAINT_BAD,
	};
	const struct tp_page *page = context;
	const unsigned quality = ((const struct tp_point *)point)->quality;
	const uint32_t flags = shown_flags(point);
	const char *joint = quality == TP_QUALITY_NONE ? "" : page->flag_names ? ": " : " ";
	TP_STR text = { 0 };
	tp_str_add(&text, tp_quality_name((enum tp_quality)quality));
	if (flags)
		tp_str_add(&text, joint);
	for (int i = 0; i < TP_FLAG_COUNT; i++) {
		if (!(flags & 1u << i))
			continue;
		if (page->flag_names)
			tp_str_printf(&text, "%s%s", flags & ((1u << i) - 1) ? " " : "",
				      tp_flag_name((enum tp_flag)i));
		else if (page->mark[i])
			tp_str_add_n(&text, &page->mark[i], 1);
	}
	tp_grid_text(grid, paints[quality], tp_str_text(&text));
}

double tp_page_half_width(double value, double low, double high)
{
	double half = 50 * (high - low) / value;
	return value > 0 && high >= low && high > 0 && isfinite(half) ? half : NAN;
}

const void *tp_page_kernel_of(const void *point)
{
	return tp_kernel_row(point);
}

void tp_page_interval_cell(struct tp_grid *grid, const void *point, const void *page)
{
	const struct tp_point *p = point;
	(void)page;
	if (tp_point_has_one_window(p))
		tp_grid_text(grid, TP_PAINT_WARN, TP_ONE_WINDOW);
	else
		tp_grid_number(grid, TP_PAINT_PLAIN,
			       tp_page_half_width(tp_point_median(p), p->ci_low, p->ci_high), 1);
}

bool tp_level_is_fp(const char *level)
{
	return strcmp(level, "FP") == 0;
}

double tp_roof_theory(const struct tp_roof *roof)
{
	bool own = tp_level_is_fp(roof->level) || strcmp(roof->level, "L1") == 0;
	double model = roof->reachable > 0 ? roof->reachable : roof->model;
	return own && model > 0 && isfinite(model) ? model : 0;
}

/* --- what it concludes --- */

enum { SENTENCE_MAX = 512 };

void tp_conclusion_release(struct tp_conclusion *c)
{
	tp_str_release(&c->quality);
	tp_str_release(&c->limits);
	tp_str_release(&c->odd);
	tp_str_release(&c->next);
}

void tp_conclude_add(struct tp_str *text, const char *fmt, ...)
{
	char sentence[SENTENCE_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	tp_str_printf(text, "%s%s", text->len ? " " : "", sentence);
}

/* --- commands --- */

void tp_conclude_word(struct tp_str *command, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_./+:,=@%-";
	if (*word && word[strspn(word, plain)] == '\0') {
		tp_str_printf(command, " %s", word);
		return;
	}
	tp_str_add(command, " '");
	for (; *word; word++)
		if (*word == '\'')
			tp_str_add(command, "'\\''");
		else
			tp_str_add_n(command, word, 1);
	tp_str_add(command, "'");
}

static bool ends_with(const char *text, size_t n, const char *end)
{
	return n >= strlen(end) && memcmp(text + n - strlen(end), end, strlen(end)) == 0;
}

/*
 * Presets of a folder that tprof searches, installed or in a build tree, are shown by their names.
 */
static void add_preset(const char *path, struct tp_str *command)
{
	static const char ending[] = ".yaml";
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t before = (size_t)(base - path), n = strlen(base);
	char name[64];
	if (n > strlen(ending) && n < sizeof(name) && ends_with(base, n, ending) &&
	    (ends_with(path, before, "tprof/presets/") ||
	     ends_with(path, before, "/../presets/"))) {
		snprintf(name, sizeof(name), "%.*s", (int)(n - strlen(ending)), base);
		path = name;
	}
	tp_conclude_word(command, path);
}

void tp_conclude_again(const struct tp_run *run, const char *set, struct tp_str *command)
{
	const char *path = tp_fact_text(run, "preset.path");
	if (!*path)
		return;
	tp_str_add(command, "tprof --batch");
	add_preset(path, command);
	if (*tp_fact_text(run, "simulated.regime")) {
		tp_str_add(command, " --machine");
		tp_conclude_word(command, tp_fact_text(run, "simulated.machine"));
		tp_str_add(command, " --simulate");
		tp_conclude_word(command, tp_fact_text(run, "simulated.regime"));
	}
	if (set) {
		tp_str_add(command, " --set");
		tp_conclude_word(command, set);
	}
}

static void of_run(const struct tp_run *run, const char *what, const char *options,
		   struct tp_str *command)
{
	tp_str_add(command, what);
	tp_conclude_word(command, run->called);
	tp_str_add(command, options);
}

/* --- the frame --- */

struct counts {
	size_t done, missing, failed, poor;
};

static void add_quality(const struct tp_run *run, const struct counts *n, struct tp_str *text)
{
	char qualities[64], points[32];
	if (*tp_fact_qualities(run, NULL, qualities, sizeof(qualities)))
		tp_str_printf(text, "%s of %s", qualities,
			      tp_text_count(points, sizeof(points), n->done, "point"));
	else
		tp_str_printf(text, "%s, which are not judged",
			      tp_text_count(points, sizeof(points), n->done, "point"));
	if (n->missing)
		tp_str_printf(text, "; %zu %s not measured", n->missing,
			      n->missing == 1 ? "was" : "were");
	tp_str_add(text, ".");
}

/* What to set for the first poor point. */
static const char *setting_for_poor(const struct tp_run *run)
{
	TP_EACH_POINT (p, run) {
		if (p->state != TP_POINT_DONE || p->quality != TP_QUALITY_POOR)
			continue;
		const struct tp_reporter *r = tp_reporter_find(p->experiment);
		return r && r->again ? r->again : "invocations=3";
	}
	return NULL;
}

/* A simulation gives the same values again unless its seed is another; NULL: it is none. */
static const char *other_seed(const struct tp_run *run, char *out, size_t size)
{
	if (!*tp_fact_text(run, "simulated.regime"))
		return NULL;
	snprintf(out, size, "seed=%" PRIu32, (uint32_t)(tp_fact_count(run, "simulated.seed") + 1));
	return out;
}

static void choose_next(const struct tp_run *run, const struct counts *n, struct tp_str *own,
			struct tp_str *next)
{
	/*
	 * The run was planned to measure more: not for a table by itself, and not for a running
	 * one.
	 */
	bool cut_off = n->missing > n->failed && *run->state;
	/* This machine is not one of the nodes. */
	bool merged = tp_run_fact(run, TP_MERGED_NODES);
	char seed[40];
	if (merged && own->len) {
		tp_str_add(next, tp_str_text(own));
	} else if (merged && *run->called) {
		of_run(run, "tprof --show", " --html nodes.html", next);
	} else if (cut_off && *run->called) {
		of_run(run, "tprof --resume", "", next);
	} else if (2 * n->poor > n->done && !*tp_fact_text(run, "simulated.regime")) {
		tp_str_add(next, "tprof doctor");
	} else {
		if (n->poor)
			tp_conclude_again(run, setting_for_poor(run), next);
		else if (own->len)
			tp_str_add(next, tp_str_text(own));
		if (!next->len && *run->called && n->done) {
			tp_conclude_again(run, other_seed(run, seed, sizeof(seed)), next);
			of_run(run, next->len ? " && tprof --compare" : "tprof --show",
			       next->len ? " last" : " --svg plots.svg", next);
		}
	}
}

void tp_conclude(const struct tp_run *run, struct tp_conclusion *c)
{
	struct counts n = { 0 };
	TP_STR own = { 0 };
	*c = (struct tp_conclusion){ 0 };
	if (!run->n_points)
		return;
	TP_EACH_POINT (p, run) {
		bool done = p->state == TP_POINT_DONE;
		n.done += done;
		/* What failed fails again. */
		n.failed += p->state == TP_POINT_FAILED;
		n.poor += done && p->quality == TP_QUALITY_POOR;
	}
	n.missing = tp_run_n_needed(run) - n.done;
	add_quality(run, &n, &c->quality);
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->conclude)
			r->conclude(run, c);
	own = c->next;
	c->next = (struct tp_str){ 0 };
	if (strcmp(run->state, "running") != 0)
		choose_next(run, &n, &own, &c->next);
}

/* The section of the page. */
static void add_conclusion(struct tp_page *page)
{
	struct tp_conclusion c;
	tp_conclude(page->run, &c);
	if (c.quality.len)
		tp_page_title(page, "Verdict", NULL);
	tp_text_fact(page->doc, "Quality", TP_PAINT_PLAIN, tp_str_text(&c.quality));
	tp_text_fact(page->doc, "Limits", TP_PAINT_STRONG, tp_str_text(&c.limits));
	tp_text_fact(page->doc, "Odd", TP_PAINT_WARN, tp_str_text(&c.odd));
	/* A command. Screens have keys for what can be done next. */
	if (!page->doc->look->screen)
		tp_text_fact(page->doc, "Next", TP_PAINT_GOOD, tp_str_text(&c.next));
	tp_conclusion_release(&c);
}

void tp_conclusion_line(const struct tp_run *run, struct tp_str *out)
{
	struct tp_conclusion c;
	tp_conclude(run, &c);
	tp_str_add(out, tp_str_text(c.odd.len ? &c.odd : c.limits.len ? &c.limits : &c.quality));
	tp_conclusion_release(&c);
}

/* --- flags in words --- */

struct flag_row {
	char letter[2], points[48], advice[TP_FLAG_ADVICE_BYTES];
	const char *name;
};

#define FLAG(name) TP_SHOWS(struct flag_row, name)
static const struct tp_grid_column flag_columns[] = {
	{ "", TP_LEFT, 1, FLAG(letter), .paint = TP_PAINT_WARN },
	{ "flag", TP_LEFT, 0, FLAG(name), .paint = TP_PAINT_WARN },
	{ "points", TP_RIGHT, 1, FLAG(points) },
	{ "", TP_LEFT, 0, FLAG(advice) },
};

/* Flags are the reasons of points that are not good; flags of good points are left out. */
static void flags_section(struct tp_page *page)
{
	TP_GRID(grid, flag_columns);
	for (int i = 0; i < TP_FLAG_COUNT; i++) {
		struct flag_row row = { .letter = { page->flag_names ? '\0' : page->mark[i] },
					.name = tp_flag_name((enum tp_flag)i) };
		size_t points = 0;
		if (!page->mark[i])
			continue;
		TP_EACH_POINT (p, page->run)
			points += (shown_flags(p) & 1u << i) != 0;
		if (page->run->n_points)
			snprintf(row.points, sizeof(row.points), "%zu of %zu", points,
				 page->run->n_points);
		tp_flag_advice((enum tp_flag)i, row.advice, sizeof(row.advice));
		tp_grid_row(&grid, &row, page);
	}
	if (!grid.n)
		return;
	tp_page_title(page, "Flags", NULL);
	tp_grid_write(&grid, page->doc);
}

/* --- points without a result --- */

static void add_indented(struct tp_page *page, enum tp_paint paint, const char *text)
{
	tp_text_indent(page->doc, INDENT);
	tp_text_say(page->doc, paint, INDENT, INDENT, "%s", text);
}

static void add_hint(struct tp_page *page, const char *hint)
{
	hint = page->look->screen ? tp_hint_on_screen(hint) : hint;
	if (*hint)
		add_indented(page, TP_PAINT_DIM, hint);
}

/* One diagnosis with the points it holds for: the first by name, the others by number. */
static void missing_points(struct tp_page *page, const struct tp_tally *words_of,
			   const struct tp_tally_group *group)
{
	enum { NUMBERS_MAX = 12 };
	const struct tp_run *run = page->run;
	const struct tp_point *p = &run->points[group->first];
	TP_STR raw = { 0 };
	size_t others = group->n - 1, told = 0;
	size_t id = group->first;
	char size[32], count[32];
	tp_str_printf(&raw, "point %zu, %s", id, p->experiment);
	if (*tp_kernel_row(p)->isa)
		tp_str_printf(&raw, " %s", tp_kernel_row(p)->isa);
	if (*tp_kernel_row(p)->precision)
		tp_str_printf(&raw, " %s", tp_kernel_row(p)->precision);
	if (*p->kernel)
		tp_str_printf(&raw, " %s", p->kernel);
	if (*tp_kernel_row(p)->level && !tp_level_is_fp(tp_kernel_row(p)->level))
		tp_str_printf(&raw, " %s", tp_kernel_row(p)->level);
	if (tp_kernel_row(p)->working_set_bytes)
		tp_str_printf(
			&raw, " %s",
			tp_format_bytes(size, sizeof(size), tp_kernel_row(p)->working_set_bytes));
	tp_str_printf(&raw, ", %s", tp_text_count(count, sizeof(count), p->threads, "thread"));
	if (others)
		tp_str_printf(&raw, "; also point%s", others == 1 ? "" : "s");
	for (size_t i = words_of->next[group->first]; i != TP_TALLY_END && told < NUMBERS_MAX;
	     i = words_of->next[i])
		tp_str_printf(&raw, "%s %zu", told++ ? "," : "", i);
	if (others > NUMBERS_MAX)
		tp_str_printf(&raw, " and %zu more", others - NUMBERS_MAX);
	tp_text_say(page->doc, TP_PAINT_PLAIN, 0, INDENT, "%s", tp_str_text(&raw));

	bool goes_on = strcmp(run->state, "running") == 0;
	const char *words = *p->diag.what		  ? p->diag.what
			    : p->state == TP_POINT_FAILED ? "no reason was given"
			    : goes_on			  ? "the run goes on"
							  : "the run ended before it";
	add_indented(page, TP_PAINT_WARN, words);
	add_hint(page, p->diag.hint);
}

static void missing_section(struct tp_page *page, const struct tp_tally *words_of,
			    enum tp_point_state state, const char *name)
{
	const struct tp_run *run = page->run;
	TP_STR title = { 0 };
	char count[32];
	size_t n = 0;
	TP_EACH_POINT (p, run)
		n += p->state == state;
	if (!n)
		return;
	tp_str_printf(&title, "%s: %s", name, tp_text_count(count, sizeof(count), n, "point"));
	tp_page_title(page, tp_str_text(&title), NULL);
	for (size_t i = 0; i < words_of->n; i++)
		if (run->points[words_of->groups[i].first].state == state)
			missing_points(page, words_of, &words_of->groups[i]);
}

/* --- warnings of the run --- */

static void warnings_section(struct tp_page *page)
{
	const struct tp_diags *diags = &page->run->diags;
	if (!diags->n)
		return;
	tp_page_title(page, "Remarks", NULL);
	for (size_t i = 0; i < diags->n; i++) {
		const struct tp_diag *d = &diags->items[i];
		tp_text_say(page->doc, TP_PAINT_WARN, 0, INDENT, "%s%s%s", d->where,
			    *d->where ? ": " : "", d->what);
		add_hint(page, d->hint);
	}
}

void tp_page_begin(struct tp_page *page, const struct tp_run *run, struct tp_text *doc)
{
	*page = (struct tp_page){ .run = run,
				  .look = doc->look,
				  .doc = doc,
				  .flag_names = tp_look_columns(doc->look) >= NAMES_COLUMNS };
	uint32_t all = 0;
	char letter = 'a';
	TP_EACH_POINT (p, run) {
		page->many_runs |= p->run != run->points[0].run;
		page->has_quality |= p->quality != TP_QUALITY_NONE;
		all |= shown_flags(p);
	}
	TP_EACH_ROW (tp_roof, roof, run, roofs) {
		page->has_quality |= roof->quality != TP_QUALITY_NONE;
		all |= tp_quality_reasons(roof->quality, roof->flags);
	}
	for (int i = 0; i < TP_FLAG_COUNT; i++)
		if (all & 1u << i)
			page->mark[i] = letter++;
}

static void add_leads(struct tp_page *page)
{
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->lead)
			r->lead(page);
}

void tp_report_experiment(const struct tp_run *run, const char *experiment, struct tp_text *doc)
{
	const struct tp_reporter *r = tp_reporter_find(experiment);
	struct tp_page page;
	tp_page_begin(&page, run, doc);
	if (r->lead)
		r->lead(&page);
	if (r->page)
		r->page(&page);
}

void tp_report_points(const struct tp_run *run, struct tp_text *doc)
{
	struct tp_page page;
	tp_page_begin(&page, run, doc);
	add_points_table(&page);
}

static void add_tables(struct tp_page *page)
{
	for (const struct tp_reporter *r = tp_reporter_next(NULL); r; r = tp_reporter_next(r))
		if (r->page)
			r->page(page);
	if (!has_results(page->run))
		add_points_table(page);
	flags_section(page);
	TP_CLEANUP(tp_tally_release) struct tp_tally words_of = { 0 };
	/* The points by state and by diagnosis. */
	TP_STR key = { 0 };
	for (size_t i = 0; i < page->run->n_points; i++) {
		const struct tp_point *p = &page->run->points[i];
		tp_str_clear(&key);
		tp_str_printf(&key, "%d\x1f%s\x1f%s", p->state, p->diag.what, p->diag.hint);
		tp_tally_add(&words_of, tp_str_text(&key));
	}
	missing_section(page, &words_of, TP_POINT_FAILED, "Failed");
	missing_section(page, &words_of, TP_POINT_SKIPPED, "Skipped");
	missing_section(page, &words_of, TP_POINT_PLANNED, "Not measured");
	/* Where to find what programs of the user printed. */
	TP_STR text = { 0 };
	if (tp_run_printed_text(page->run, NULL, &text)) {
		tp_page_title(page, "Output", NULL);
		tp_text_wrap(page->doc, TP_PAINT_PLAIN, tp_str_text(&text), 0, 0);
	}
	warnings_section(page);
}

void tp_report_text(const struct tp_run *run, struct tp_text *doc)
{
	struct tp_page page;
	tp_page_begin(&page, run, doc);
	add_leads(&page);
	add_head(&page);
	add_tables(&page);
	add_conclusion(&page);
}

void tp_report_conclusion(const struct tp_run *run, struct tp_text *doc)
{
	struct tp_page page;
	tp_page_begin(&page, run, doc);
	add_conclusion(&page);
	flags_section(&page);
}

/* On a page that is read from its top the result comes first. */
static void body_of_run(const struct tp_run *run, struct tp_text *body)
{
	struct tp_page page;
	tp_page_begin(&page, run, body);
	add_conclusion(&page);
	add_leads(&page);
	tp_page_title(&page, "Pictures", NULL);
	size_t before = body->n;
	tp_report_plots(run, body);
	if (body->n == before)
		tp_text_wrap(body, TP_PAINT_DIM, "No point that a picture shows was measured.", 0,
			     0);
	tp_page_title(&page, "Machine and run", NULL);
	add_head(&page);
	add_tables(&page);
}

void tp_report_html(const struct tp_run *run, struct tp_str *out)
{
	TP_TEXT(body, &tp_html_look);
	TP_STR title = { 0 }, where = { 0 };
	char name[TP_RUN_NAME_BYTES], simulated[TP_SIMULATED_BYTES + 16];
	tp_str_add(&title, tp_fact_name(run, name, sizeof(name)));
	if (*tp_fact_simulated(run, simulated, sizeof(simulated)))
		tp_str_printf(&title, " \u00b7 %s", simulated);
	tp_fact_when_where(run, &where);
	body_of_run(run, &body);
	const struct tp_html_page page = { tp_str_text(&title), tp_str_text(&where),
					   "A run of tprof: what limits, roofs, curves, tables.",
					   true };
	tp_html_page_make(&page, &body, out);
}
