/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text over the screen: what a node said and measured, or what a new cluster run would run. */
#include "ui/tui/screens/cluster_view.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/point.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 2, FACTS_AT = 12, NUMBER_END = 6, KERNEL_AT = 8, SIZE_END = 44, RESULT_END = 60 };

void tp_cluster_untell(struct tp_cluster_view *s)
{
	tp_cluster_job_free(s->told);
	s->told = NULL;
	tp_doc_release(&s->doc);
	s->doc = (struct tp_doc){ 0 };
}

void tp_cluster_tell(struct tp_cluster_view *s, struct tp_cluster_job *job)
{
	bool plan = job->task == TP_CLUSTER_DESCRIBE;
	/* The user went on to something else. */
	if (s->over != (plan ? TP_CLUSTER_FORM : TP_CLUSTER_BARE)) {
		tp_cluster_job_free(job);
		return;
	}
	tp_cluster_untell(s);
	s->told = job;
	s->over = plan ? TP_CLUSTER_PLAN : TP_CLUSTER_TOLD;
	s->doc_list = (struct tp_list){ 0 };
}

/* --- the words --- */

static void heading(struct tp_doc *doc, const char *text)
{
	if (doc->n)
		tp_doc_line(doc, -1);
	tp_doc_row(doc, 0, TP_UI_TITLE, "%s", text);
}

/* Lines of a stranger: what would move the cursor or change colours is shown as "?". */
static void add_lines(struct tp_doc *doc, const char *text)
{
	for (const char *at = text; *at;) {
		char line[1024];
		size_t n = strcspn(at, "\r\n");
		tp_shown(line, sizeof(line), at, n);
		tp_doc_paragraph(doc, INDENT, TP_UI_PLAIN, line);
		at += n;
		at += strspn(at, "\r\n");
	}
}

static void add_facts(struct tp_doc *doc, const struct tp_shot_node *node)
{
	char text[128];
	snprintf(text, sizeof(text), "%s since %s", tp_node_state_name(node->state), node->changed);
	tp_doc_fact(doc, 0, FACTS_AT, "state", text);
	if (*node->why)
		tp_doc_fact(doc, 0, FACTS_AT, "", node->why);
	if (*node->job)
		tp_doc_fact(doc, 0, FACTS_AT, "job", node->job);
	snprintf(text, sizeof(text), "%u of %u", node->n_done, node->n_points);
	tp_doc_fact(doc, 0, FACTS_AT, "points", text);
	if (isnan(node->speed))
		return;
	snprintf(text, sizeof(text), "%.3f of the median of its group, z %+.1f%s", node->speed,
		 node->z,
		 node->outlier == TP_OUTLIER_SLOW   ? ": slow"
		 : node->outlier == TP_OUTLIER_FAST ? ": fast"
						    : "");
	tp_doc_fact(doc, 0, FACTS_AT, "speed", text);
}

static void add_point(struct tp_doc *doc, const struct tp_point *p)
{
	const struct tp_kernel_row *k = tp_kernel_row(p);
	char size[32] = "", result[64];
	double value = tp_point_median(p);
	if (k->working_set_bytes)
		tp_text_size(size, sizeof(size), k->working_set_bytes);
	if (p->state == TP_POINT_DONE)
		snprintf(result, sizeof(result), "%.4g %s", value, p->unit);
	else
		tp_copy(result, sizeof(result), p->state == TP_POINT_PLANNED ? "-" : "skipped");
	tp_doc_line(doc, -1);
	tp_doc_right(doc, NUMBER_END, TP_UI_DIM, "%u", p->point + 1);
	tp_doc_format(doc, KERNEL_AT, TP_UI_PLAIN, "%.24s %.8s %.8s", p->kernel, k->isa, k->level);
	tp_doc_right(doc, SIZE_END, TP_UI_PLAIN, "%s", size);
	tp_doc_right(doc, RESULT_END, TP_UI_STRONG, "%s", result);
}

static void add_points(struct tp_doc *doc, const struct tp_cluster_job *job)
{
	heading(doc, "Points");
	if (!job->has_run || !job->run.n_points)
		tp_doc_row(doc, INDENT, TP_UI_DIM, "%s", "none yet");
	for (size_t i = 0; job->has_run && i < job->run.n_points; i++)
		add_point(doc, &job->run.points[i]);
}

static void make(struct tp_cluster_view *s, int columns)
{
	const struct tp_cluster_job *job = s->told;
	struct tp_doc *doc = &s->doc;
	tp_doc_clear(doc, columns);
	if (s->over == TP_CLUSTER_PLAN) {
		add_lines(doc, tp_str_text(&job->text));
		return;
	}
	for (size_t i = 0; s->shot && i < s->shot->n_nodes; i++)
		if (strcmp(s->shot->nodes[i].name, job->node) == 0)
			add_facts(doc, &s->shot->nodes[i]);
	heading(doc, "What tprof said there");
	if (job->text.len)
		add_lines(doc, tp_str_text(&job->text));
	else
		tp_doc_row(doc, INDENT, TP_UI_DIM, "%s", "nothing");
	add_points(doc, job);
}

void tp_cluster_told_paint(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	char title[TP_CLUSTER_NAME_BYTES + TP_NODE_NAME_BYTES];
	bool plan = s->over == TP_CLUSTER_PLAN;
	(void)app;
	if (s->doc.columns != area.columns - 2)
		make(s, area.columns - 2);
	if (plan)
		snprintf(title, sizeof(title), "What would run on %zu node%s", s->told->n_nodes,
			 s->told->n_nodes == 1 ? "" : "s");
	else
		snprintf(title, sizeof(title), "%s", s->told->node);
	int at = tp_paint_text(area, 0, 0, TP_UI_TITLE, title);
	tp_paint_text(area, 0, at + 2, TP_UI_DIM,
		      plan ? "Enter submits it, after a question; Esc changes it"
			   : "Enter opens its run; Esc goes back");
	tp_list_resize(&s->doc_list, s->doc.n);
	tp_doc_show(&s->doc, &s->doc_list, tp_area_rows(area, 2, area.rows - 2), false);
}
