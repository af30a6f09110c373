/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was measured, where, and under which conditions: one fact a line. */
#include "report/facts.h"
#include "report/page.h"
#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/point.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_COLUMNS = 9, CPUS_MAX = 4096 };

static void line(struct tp_page *page, const char *label, struct tp_str *text)
{
	tp_text_labelled(page->out, page->look, label, LABEL_COLUMNS, TP_PAINT_PLAIN,
			 tp_str_text(text));
	tp_str_release(text);
}

static void first_line(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	const struct tp_fact *name = tp_run_fact(run, "name");
	struct tp_str text = { 0 };
	char count[32], seconds[48], simulated[TP_SIMULATED_BYTES + 16];
	size_t done = 0;
	for (size_t i = 0; i < run->n_points; i++)
		done += run->points[i].state == TP_POINT_DONE;
	bool whole = strcmp(run->state, "complete") == 0 && done == run->n_points;
	tp_str_add(&text, "tprof");
	if (*tp_fact_simulated(run, simulated, sizeof(simulated))) {
		tp_str_add(&text, tp_text_dot(page->look));
		tp_text_clean(&text, simulated, page->look);
	}
	if (name && *name->text) {
		tp_str_add(&text, tp_text_dot(page->look));
		tp_text_clean(&text, name->text, page->look);
	}
	if (*run->state) {
		tp_str_add(&text, tp_text_dot(page->look));
		tp_text_clean(&text, run->state, page->look);
	}
	uint64_t nodes = tp_fact_count(run, TP_MERGED_NODES);
	if (nodes)
		tp_str_printf(&text, "%s%s", tp_text_dot(page->look),
			      tp_text_count(count, sizeof(count), nodes, "node"));
	tp_str_add(&text, tp_text_dot(page->look));
	if (done < run->n_points)
		tp_str_printf(&text, "%zu of ", done);
	tp_str_add(&text, tp_text_count(count, sizeof(count), run->n_points, "point"));
	if (run->wall_seconds > 0)
		tp_str_printf(&text, " in %s",
			      tp_format_seconds(seconds, sizeof(seconds), run->wall_seconds));
	/* On a page it is no title: that stands on top. */
	enum tp_paint title = page->look->html ? TP_PAINT_STRONG : TP_PAINT_TITLE;
	tp_text_wrap(page->out, page->look, whole ? title : TP_PAINT_WARN, tp_str_text(&text), 0,
		     8);
	tp_str_release(&text);
}

static void cpu_lines(struct tp_page *page)
{
	static const char *const names[] = { "", "L1d", "L2", "L3" };
	const struct tp_run *run = page->run;
	struct tp_str text = { 0 };
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
		line(page, "CPU", &text);

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
	if (text.len)
		line(page, "Caches", &text);

	struct tp_str model = { 0 };
	tp_fact_model(run, &model);
	if (model.len) {
		tp_text_clean(&text, tp_str_text(&model), page->look);
		tp_str_add(&text, ": ");
		tp_text_clean(&text, tp_fact_text(run, "machine.model_title"), page->look);
	} else if (known) {
		tp_str_add(&text, "none known for this CPU: no theoretical roofs");
	}
	if (text.len)
		line(page, "Model", &text);
	tp_str_release(&model);
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
	struct tp_str text = { 0 };
	bool used[CPUS_MAX] = { false };
	bool any = false;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		bool known = !p->threads;
		mark_cpus(p->cpus, used);
		any |= *p->cpus;
		for (size_t k = 0; k < i && !known; k++)
			known = run->points[k].threads == p->threads;
		if (!known)
			tp_str_printf(&text, "%s%u", text.len ? ", " : "", p->threads);
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
	line(page, "Threads", &text);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void clock_line(struct tp_page *page)
{
	static const char *const turbo[] = { "off", "on" };
	const struct tp_run *run = page->run;
	struct tp_str text = { 0 };
	double *ghz = calloc(run->n_points + 1, sizeof(*ghz));
	size_t n = 0;
	for (size_t i = 0; i < run->n_points && ghz; i++)
		if (run->points[i].state == TP_POINT_DONE && run->points[i].core_ghz > 0 &&
		    isfinite(run->points[i].core_ghz))
			ghz[n++] = run->points[i].core_ghz;
	if (n) {
		qsort(ghz, n, sizeof(*ghz), ascending);
		tp_str_printf(&text, "%.3f GHz measured", ghz[n / 2]);
		if (ghz[n - 1] - ghz[0] > 0.001)
			tp_str_printf(&text, " (%.3f to %.3f between points)", ghz[0], ghz[n - 1]);
	} else {
		tp_str_add(&text, "core frequency not measured");
	}
	if (*tp_fact_text(run, "machine.governor")) {
		tp_str_add(&text, ", governor ");
		tp_text_clean(&text, tp_fact_text(run, "machine.governor"), page->look);
	}
	double has_turbo = tp_fact_number(run, "machine.turbo", -1);
	if (has_turbo >= 0)
		tp_str_printf(&text, ", turbo %s", turbo[has_turbo > 0]);
	line(page, "Clock", &text);
	free(ghz);
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
	struct tp_str text = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(parts); i++) {
		const char *fact = tp_fact_text(page->run, parts[i].key);
		if (!*fact)
			continue;
		tp_str_printf(&text, "%s%s", text.len ? ", " : "", parts[i].before);
		tp_text_clean(&text, fact, page->look);
		tp_str_add(&text, parts[i].behind);
	}
	if (text.len)
		line(page, "System", &text);
}

/* Kinds of pages that were really obtained, with the number of points. */
static void memory_line(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	struct tp_str text = { 0 };
	struct tp_tally pages = { 0 };
	char size[32];
	uint64_t bytes = tp_fact_count(run, "machine.memory_bytes");
	if (bytes)
		tp_str_add(&text, tp_format_bytes(size, sizeof(size), bytes));
	const char *joint = text.len ? "; pages " : "pages ";
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_kernel_row *row = tp_kernel_row(&run->points[i]);
		if (*row->pages && row->working_set_bytes &&
		    tp_tally_add(&pages, row->pages) != TP_OK)
			break;
	}
	for (size_t i = 0; i < pages.n; i++) {
		tp_str_printf(&text, "%s%s (%zu)", joint, pages.texts.s + pages.groups[i].text,
			      pages.groups[i].n);
		joint = ", ";
	}
	tp_tally_release(&pages);
	if (text.len)
		line(page, "Memory", &text);
}

static void quality_line(struct tp_page *page)
{
	char qualities[64];
	struct tp_str text = { 0 };
	tp_str_add(&text, tp_fact_qualities(page->run, NULL, qualities, sizeof(qualities)));
	if (text.len)
		line(page, "Quality", &text);
	else
		tp_str_release(&text);
}

void tp_page_head(struct tp_page *page)
{
	first_line(page);
	cpu_lines(page);
	thread_line(page);
	clock_line(page);
	system_line(page);
	memory_line(page);
	quality_line(page);
}
