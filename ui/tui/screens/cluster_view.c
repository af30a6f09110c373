/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screen Cluster: painting of runs and nodes, the text on a node, the form of a new run. */
#include "ui/tui/screens/cluster_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/text.h"
#include "doc/text.h"
#include "report/report.h"
#include "session/session.h"
#include "session/keep.h"
#include "ui/tui/app.h"

/* The nodes of view->shot. */
static void cluster_nodes_paint(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	tp_gridview_paint(&s->nodes, area, app->part == TP_CLUSTER_NODES);
	if (!s->nodes.list.n)
		tp_paint_text(area, 2, 0, TP_UI_DIM, "No node matches. Esc shows all again.");
}

/* Painting of the screen Cluster: the list of cluster runs. */

const struct tp_cluster_brief *tp_cluster_chosen(const struct tp_cluster_view *s)
{
	const size_t item = tp_gridview_item(&s->runs);
	return item < s->n_briefs ? &s->briefs[item] : NULL;
}

const struct tp_cluster_shot *tp_cluster_chosen_shot(const struct tp_cluster_view *s)
{
	const struct tp_cluster_brief *brief = tp_cluster_chosen(s);
	/* The user's runs have different names; their folder may have several paths. */
	return brief && s->shot && (strcmp(s->shot->name, brief->directory) == 0) ? s->shot : NULL;
}

const struct tp_cluster_node *tp_cluster_chosen_node(const struct tp_cluster_view *s)
{
	const size_t item = tp_gridview_item(&s->nodes);
	return s->shot && item < s->shot->is.n_nodes ? &s->shot->is.nodes[item] : NULL;
}

bool tp_cluster_is_over(const struct tp_cluster_shot *shot)
{
	return shot->sums.n_ended == shot->sums.n;
}

bool tp_cluster_do(struct tp_app *app, struct tp_cluster_view *s, struct tp_cluster_job *job)
{
	const struct tp_cluster_job *now = s->worker.under_way;
	bool busy = s->worker.next || (now && now->task > TP_CLUSTER_NODE);
	if (busy) {
		tp_app_say(app, TP_UI_WARN, "the last action is still under way");
		tp_cluster_job_free(job);
		return false;
	}
	tp_cluster_worker_do(&s->worker, job);
	return true;
}

/* "12 s", "4 min", "3 h", or the date of what is older than a day. */
static const char *age_of(const char *started, char *out, size_t size)
{
	enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };
	time_t then;
	double age = tp_utc_read(started, &then) ? difftime(time(NULL), then) : INFINITY;
	if (age < 0 || age >= DAY)
		snprintf(out, size, "%.10s", started);
	else if (age >= HOUR)
		snprintf(out, size, "%.0f h", floor(age / HOUR));
	else if (age >= MINUTE)
		snprintf(out, size, "%.0f min", floor(age / MINUTE));
	else
		snprintf(out, size, "%.0f s", age);
	return out;
}

/* "16 done", "12/16 done, 3 running, 1 failed" */
static void states_text(const struct tp_cluster_sums *sums, struct tp_str *out)
{
	static const enum tp_node_state order[] = { TP_NODE_RUNNING, TP_NODE_WAITING,
						    TP_NODE_FAILED,  TP_NODE_UNREACHABLE,
						    TP_NODE_PARTIAL, TP_NODE_CANCELLED };
	size_t n_done = sums->of_state[TP_NODE_DONE];
	if (n_done)
		tp_str_printf(out, n_done < sums->n ? "%zu/%zu done" : "%zu done", n_done, sums->n);
	for (size_t i = 0; i < TP_COUNT_OF(order); i++)
		if (sums->of_state[order[i]])
			tp_str_printf(out, "%s%zu %s", out->len ? ", " : "",
				      sums->of_state[order[i]], tp_node_state_name(order[i]));
}

static enum tp_role cluster_sums_role(const struct tp_cluster_sums *sums)
{
	if (sums->of_state[TP_NODE_FAILED] || sums->of_state[TP_NODE_UNREACHABLE])
		return TP_UI_BAD;
	if (sums->n_ended < sums->n)
		return TP_UI_CHANGED;
	return sums->of_state[TP_NODE_DONE] == sums->n ? TP_UI_GOOD : TP_UI_WARN;
}

struct list_row {
	const struct tp_cluster_brief *brief;
	const char *name, *states;
	char where[300], age[32];
};

static enum tp_paint paint_of_states(const void *row)
{
	static const enum tp_paint paints[] = { [TP_UI_BAD] = TP_PAINT_BAD,
						[TP_UI_GOOD] = TP_PAINT_GOOD,
						[TP_UI_WARN] = TP_PAINT_WARN,
						[TP_UI_CHANGED] = TP_PAINT_STRONG };
	const struct tp_cluster_brief *brief = ((const struct list_row *)row)->brief;
	return *brief->problem ? TP_PAINT_BAD : paints[cluster_sums_role(&brief->sums)];
}

#define LIST(name) TP_SHOWS(struct list_row, name)
static const struct tp_grid_column list_columns[] = {
	{ "cluster run", TP_LEFT, 0, LIST(name), .least = 12 },
	{ "where", TP_LEFT, 2, LIST(where), .least = 8, .paint = TP_PAINT_DIM },
	{ "nodes", TP_LEFT, 0, LIST(states), .least = 20, .paint_of = paint_of_states },
	{ "begun", TP_RIGHT, 0, LIST(age), .paint = TP_PAINT_DIM },
};

void tp_cluster_show_runs(const struct tp_app *app, struct tp_cluster_view *s)
{
	TP_GRID(grid, list_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < s->n_briefs; i++) {
		struct tp_cluster_brief *brief = &s->briefs[i];
		struct list_row row = { brief, tp_cluster_short_name(brief->directory) };
		TP_STR states = { 0 };
		if (s->shot && strcmp(s->shot->name, brief->directory) == 0)
			brief->sums = s->shot->sums;
		if (!*brief->problem)
			states_text(&brief->sums, &states);
		row.states = *brief->problem ? brief->problem : tp_str_text(&states);
		snprintf(row.where, sizeof(row.where), "%s%s%s", brief->launcher,
			 *brief->where ? ":" : "", brief->where);
		age_of(brief->started, row.age, sizeof(row.age));
		tp_grid_row(&grid, &row, NULL);
	}
	tp_gridview_take(&s->runs, &grid, app->term.utf8);
}

static void cluster_runs_paint(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	tp_paint_format(area, 0, 0, TP_UI_TITLE, "%zu cluster run%s", s->n_briefs,
			s->n_briefs == 1 ? "" : "s");
	tp_gridview_paint(&s->runs, tp_area_rows(area, 1, area.rows - 1),
			  app->part == TP_CLUSTER_RUNS);
}

/* The text over the screen: a node's messages and results, or what a new cluster run would run. */

void tp_cluster_untell(struct tp_cluster_view *s)
{
	tp_cluster_job_free(s->told);
	s->told = NULL;
	tp_doc_release(&s->doc);
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
}

/* --- the words --- */

/* Foreign lines. */
static void say_lines(struct tp_text *text, const char *lines)
{
	for (const char *at = lines; *at; at += strspn(at, "\r\n")) {
		size_t n = strcspn(at, "\r\n"), indent = TP_MIN(strspn(at, " "), n);
		tp_text_indent(text, indent);
		tp_text_say(text, TP_PAINT_PLAIN, indent, indent, "%.*s", (int)(n - indent),
			    at + indent);
		at += n;
	}
}

static void say_node(struct tp_text *text, const struct tp_cluster_node *node,
		     const struct tp_node_row *row)
{
	char words[128];
	snprintf(words, sizeof(words), "%s since %s", tp_node_state_name(node->state),
		 node->changed);
	tp_text_fact(text, "State", TP_PAINT_PLAIN, words);
	tp_text_fact(text, "Why", TP_PAINT_PLAIN, *node->why ? node->why : row->why);
	tp_text_fact(text, "Job", TP_PAINT_PLAIN, node->job);
	snprintf(words, sizeof(words), "%u of %u", node->n_done, node->n_points);
	tp_text_fact(text, "Points", TP_PAINT_PLAIN, words);
	if (isnan(row->speed))
		return;
	snprintf(words, sizeof(words), "%.3f of the median of its group, z %+.1f%s%s", row->speed,
		 row->z, row->outlier ? ": " : "", tp_node_outlier_name(row->outlier));
	tp_text_fact(text, "Speed", TP_PAINT_PLAIN, words);
}

/* What would run, or a node: its facts, tprof's messages there, and the report of its run. */
static void make(const struct tp_app *app, struct tp_cluster_view *s, int columns)
{
	const struct tp_cluster_job *job = s->told;
	struct tp_look look = tp_app_look(app, columns, app->term.rows);
	look.quick = true;
	TP_TEXT(text, &look);
	if (s->over == TP_CLUSTER_PLAN) {
		say_lines(&text, tp_str_text(&job->text));
		tp_doc_report(&s->doc, columns, &text);
		return;
	}
	for (size_t i = 0; s->shot && i < s->shot->is.n_nodes; i++)
		if (strcmp(s->shot->is.nodes[i].name, job->node) == 0)
			say_node(&text, &s->shot->is.nodes[i], &s->shot->rows[i]);
	tp_text_title(&text, "Messages of tprof there");
	say_lines(&text, job->text.len ? tp_str_text(&job->text) : "nothing");
	if (job->has_run) {
		tp_text_gap(&text);
		tp_report_text(&job->run, &text);
	}
	tp_doc_report(&s->doc, columns, &text);
}

/* The text over the screen. */
static void cluster_told_paint(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	char title[TP_CLUSTER_NAME_BYTES + TP_NODE_NAME_BYTES];
	bool plan = s->over == TP_CLUSTER_PLAN;
	if (s->doc.columns != area.columns - 2)
		make(app, s, area.columns - 2);
	if (plan)
		snprintf(title, sizeof(title), "What would run on %zu node%s", s->told->n_nodes,
			 s->told->n_nodes == 1 ? "" : "s");
	else
		snprintf(title, sizeof(title), "%s", s->told->node);
	int at = tp_paint_text(area, 0, 0, TP_UI_TITLE, title);
	tp_paint_text(area, 0, at + 2, TP_UI_DIM,
		      plan ? "Enter submits it, after a question; Esc changes it"
			   : "Enter opens its run; Esc goes back");
	tp_doc_show(&s->doc, tp_area_rows(area, 2, area.rows - 2), false);
}

/*
 * A new cluster run: where the preset of Setup is measured. What would run is shown first, and
 * nothing is submitted without the user's consent.
 */

enum { COLUMNS_MAX = 76, MARGIN = 2, VALUE_AT = 14, CONTROL_C = 3 };

static const struct {
	const char *label, *help;
	unsigned launchers;
} field_rows[TP_CLUSTER_FIELD_COUNT] = {
#define FIELD_ROW(id, label, help, launchers) { label, help, launchers },
	TP_CLUSTER_FIELDS(FIELD_ROW)
#undef FIELD_ROW
};

static const char *launcher_name(const struct tp_cluster_form *form)
{
	return tp_launcher_table[form->launcher]->name;
}

static bool has(const struct tp_cluster_form *form, enum tp_cluster_field field)
{
	const char *name = launcher_name(form);
	unsigned kind = strcmp(name, "local") == 0 ? TP_FIELD_LOCAL
			: strcmp(name, "ssh") == 0 ? TP_FIELD_SSH
						   : TP_FIELD_SCHEDULER;
	return field_rows[field].launchers & kind;
}

/* What was typed; NULL: nothing. */
static const char *typed_of(const struct tp_cluster_form *form, enum tp_cluster_field field,
			    struct tp_arena *arena)
{
	return has(form, field) && form->fields[field].len
		       ? tp_arena_strdup(arena, form->fields[field].text)
		       : NULL;
}

/* --- what is to be measured --- */

/* False, with a message, if the preset of Setup cannot be measured. */
static bool can_be_measured(struct tp_app *app)
{
	const struct tp_session *session = &app->session;
	if (app->problems.n)
		tp_app_say_diag(app, &app->problems.items[0]);
	else if (!session->plan.n)
		tp_app_say(app, TP_UI_WARN, "no point is set up: choose an experiment in Setup");
	else if (session->machine.foreign && !*session->machine.simulated)
		tp_app_say(app, TP_UI_WARN,
			   "%s is another machine: it can be planned for, not measured",
			   session->machine.source);
	else
		return true;
	return false;
}

void tp_cluster_form_open(struct tp_app *app, struct tp_cluster_view *s)
{
	struct tp_cluster_form *form = &s->form;
	if (!can_be_measured(app))
		return;
	if (!form->fields) {
		form->fields = tp_alloc(TP_CLUSTER_FIELD_COUNT, sizeof(*form->fields));
		tp_text_field_set(&form->fields[TP_CLUSTER_FIELD_NUMBER], "2");
		/* The last one needs only this machine. */
		while (tp_launcher_table[form->launcher + 1])
			form->launcher++;
	}
	tp_keep_name(&app->session.preset, form->preset, sizeof(form->preset));
	form->at = TP_CLUSTER_FIELD_LAUNCHER;
	form->diag = (struct tp_diag){ 0 };
	s->over = TP_CLUSTER_FORM;
}

static void make_job(struct tp_app *app, struct tp_cluster_view *s, enum tp_cluster_task task)
{
	struct tp_cluster_job *job = tp_cluster_job_new(task, "");
	struct tp_arena *arena = &job->arena;
	const struct tp_cluster_form *form = &s->form;
	const char *number = typed_of(form, TP_CLUSTER_FIELD_NUMBER, arena);
	const char *where = number ? number : typed_of(form, TP_CLUSTER_FIELD_HOSTS, arena);
	/* Nodes must be told that the code may run: it was typed, or the user is asked first. */
	TP_CLEANUP(tp_consent_release) struct tp_consent code = { 0 };
	tp_consent_add_preset(&code, &app->session.preset, true);
	job->wish = (struct tp_cluster_wish){
		.launcher = launcher_name(form),
		.where = where ? where : "",
		.nodes = typed_of(form, TP_CLUSTER_FIELD_NODES, arena),
		.partition = typed_of(form, TP_CLUSTER_FIELD_PARTITION, arena),
		.time_limit = typed_of(form, TP_CLUSTER_FIELD_TIME, arena),
		.program = typed_of(form, TP_CLUSTER_FIELD_PROGRAM, arena),
		.allow_code = code.n > 0,
		.seconds = app->session.plan.estimate_seconds,
	};
	tp_copy(job->label, sizeof(job->label), form->preset);
	enum tp_status status = tp_preset_write(&app->session.preset, true, &job->yaml);
	if (status == TP_OK) {
		tp_cluster_do(app, s, job);
		return;
	}
	tp_fail(&s->form.diag, status, "", NULL, "%s", tp_status_name(status));
	tp_cluster_job_free(job);
}

/* --- submitting --- */

static void submit(struct tp_app *app)
{
	struct tp_cluster_view *s = app->state[TP_SCREEN_CLUSTER];
	if (!tp_app_may_run(app, &app->session.preset, submit))
		return;
	make_job(app, s, TP_CLUSTER_SUBMIT);
	tp_cluster_untell(s);
	s->over = TP_CLUSTER_BARE;
	app->part = TP_CLUSTER_RUNS;
	tp_app_say(app, TP_UI_PLAIN, "submitting");
}

void tp_cluster_ask_submit(struct tp_app *app, struct tp_cluster_view *s)
{
	static const struct tp_yes_no ask = { "Measure on nodes?", "submit it", "not now", submit,
					      NULL };
	const char *launcher = s->told->wish.launcher;
	if (strcmp(launcher, "local") == 0 && tp_app_is_measuring(app)) {
		tp_app_say(app, TP_UI_WARN, "a run is under way here; it would be disturbed");
		return;
	}
	tp_app_ask(app, &ask, "%s\non %zu node%s by %s",
		   *s->told->label ? s->told->label : "What is set up", s->told->n_nodes,
		   s->told->n_nodes == 1 ? "" : "s", launcher);
}

/* --- keys --- */

static void move(struct tp_cluster_form *form, bool down)
{
	int at = (int)form->at;
	do
		at += down ? 1 : -1;
	while (at >= 0 && at < TP_CLUSTER_FIELD_COUNT && !has(form, (enum tp_cluster_field)at));
	if (at >= 0 && at < TP_CLUSTER_FIELD_COUNT)
		form->at = (enum tp_cluster_field)at;
}

bool tp_cluster_form_key(struct tp_app *app, struct tp_cluster_view *s, uint32_t code)
{
	struct tp_cluster_form *form = &s->form;
	bool text = form->at != TP_CLUSTER_FIELD_LAUNCHER;
	switch (code) {
	case CONTROL_C:
		return false;
	case TP_KEY_ESCAPE:
		s->over = TP_CLUSTER_BARE;
		return true;
	case TP_KEY_ENTER:
		form->diag = (struct tp_diag){ 0 };
		make_job(app, s, TP_CLUSTER_DESCRIBE);
		return true;
	case TP_KEY_UP:
	case TP_KEY_BACKTAB:
	case TP_KEY_DOWN:
	case TP_KEY_TAB:
		move(form, code == TP_KEY_DOWN || code == TP_KEY_TAB);
		return true;
	default:
		break;
	}
	form->diag = (struct tp_diag){ 0 };
	if (text)
		tp_text_field_key(&form->fields[form->at], code);
	else if (code == TP_KEY_LEFT || code == TP_KEY_RIGHT || code == ' ') {
		bool forward = code != TP_KEY_LEFT;
		size_t n = 0;

		while (tp_launcher_table[n])
			n++;
		form->launcher = (form->launcher + (forward ? 1 : n - 1)) % n;
	}
	return true;
}

/* --- painting --- */

static void paint_row(const struct tp_app *app, struct tp_cluster_form *form, struct tp_area in,
		      int row, enum tp_cluster_field field)
{
	bool here = form->at == field, utf8 = app->term.utf8;
	int columns = TP_MIN(in.columns - VALUE_AT, 48);
	tp_paint_text(in, row, 0, here ? TP_UI_STRONG : TP_UI_DIM, field_rows[field].label);
	if (field == TP_CLUSTER_FIELD_LAUNCHER) {
		const struct tp_launcher *launcher = tp_launcher_table[form->launcher];
		int at = VALUE_AT;
		at += tp_paint_format(in, row, at, here ? TP_UI_SELECTED : TP_UI_CHANGED,
				      "%s %s %s", utf8 ? "◂" : "<", launcher->name,
				      utf8 ? "▸" : ">");
		tp_paint_text(in, row, at + 2, TP_UI_DIM, launcher->summary);
		return;
	}
	int at = tp_text_field_paint(&form->fields[field], in, row, VALUE_AT, columns);
	if (here)
		tp_term_cursor((struct tp_term *)(uintptr_t)in.term, in.row + row, in.column + at);
}

/* Painting of the screen Cluster: where its parts are, and how far the nodes of a run are. */

enum {
	BESIDE_AT_COLUMNS = 110,
	LIST_PERCENT = 40,
	LIST_COLUMNS_MAX = 72,
	SPLIT_GAP = 2,
	RUNS_HEAD_ROWS = 2,
	LIST_ROWS_MAX = 6 /* above the nodes */
};

/* --- places --- */

/* Parts that have no room have no rows. */
struct places {
	struct tp_area list, run;
};

static struct places lay_out(const struct tp_app *app, const struct tp_cluster_view *s,
			     struct tp_area area)
{
	struct places p;
	area = tp_area_columns(area, 1, area.columns - 1);
	p.list = p.run = area;
	if (area.columns >= BESIDE_AT_COLUMNS) {
		int columns = TP_MIN(area.columns * LIST_PERCENT / 100, (int)LIST_COLUMNS_MAX);
		p.list = tp_area_columns(area, 0, columns);
		p.run = tp_area_columns(area, columns + SPLIT_GAP,
					area.columns - columns - SPLIT_GAP);
		return p;
	}
	int rows =
		app->part == TP_CLUSTER_NODES
			? 0
			: RUNS_HEAD_ROWS + TP_MIN((int)TP_MIN(s->n_briefs, (size_t)LIST_ROWS_MAX),
						  area.rows / 3);
	p.list = tp_area_rows(area, 0, rows);
	p.run = tp_area_rows(area, rows, area.rows - rows);
	return p;
}

int tp_cluster_parts(const struct tp_app *app, const void *state)
{
	const struct tp_cluster_view *s = state;
	(void)app;
	return s->over == TP_CLUSTER_BARE && tp_cluster_chosen_shot(s) ? TP_CLUSTER_PARTS : 1;
}

/* --- how far they are --- */

/* How the nodes differ, or how to find out. */
static void draw_differences(const struct tp_cluster_view *s, struct tp_area line)
{
	const struct tp_cluster_shot *shot = s->shot;
	const char *merged = shot->grown ? "merged before the last points" : "merged";
	if (*s->trouble.what)
		tp_paint_format(line, 0, 0, TP_UI_BAD, "%s%s%s", s->trouble.where,
				*s->trouble.where ? ": " : "", s->trouble.what);
	else if (!shot->n_groups && shot->sums.n_done)
		tp_paint_text(
			line, 0, 0, TP_UI_DIM,
			"c merges what the nodes have so far: their speeds, and which differ");
	else if (!shot->n_groups)
		return;
	else if (shot->is.n_nodes < TP_OUTLIER_NODES_MIN)
		tp_paint_format(line, 0, 0, TP_UI_DIM,
				"%s; with fewer than %d nodes the one that differs cannot be named",
				merged, TP_OUTLIER_NODES_MIN);
	else if (!shot->n_slow && !shot->n_fast)
		tp_paint_format(line, 0, 0, TP_UI_GOOD, "%s; no node differs from the others",
				merged);
	else
		tp_paint_format(line, 0, 0, shot->n_slow ? TP_UI_BAD : TP_UI_WARN,
				"%s; %zu slow, %zu fast, by more than chance", merged, shot->n_slow,
				shot->n_fast);
}

static void draw_run(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	if (tp_cluster_chosen_shot(s)) {
		static const char *const orders[TP_NODE_ORDER_COUNT] = { "", "by state",
									 "by points", "by speed" };
		const struct tp_cluster_shot *shot = s->shot;
		const struct tp_cluster_sums *sums = &shot->sums;
		char title[TP_CLUSTER_NAME_BYTES + 300], points[64];
		TP_STR words = { 0 };

		snprintf(title, sizeof(title), "%s, %s%s%s", tp_cluster_short_name(shot->name),
			 shot->is.launcher, *shot->is.where ? ":" : "", shot->is.where);
		tp_paint_rule(area, 0, title);
		tp_cluster_say(sums, shot->seconds_left, &words);
		int row = 1 + tp_paint_wrapped(tp_area_rows(area, 0, 3), 1, 0, TP_UI_STRONG,
					       tp_str_text(&words));
		int n = snprintf(points, sizeof(points), "%lu of %lu points", sums->n_done,
				 sums->n_points);
		double share = sums->n_points ? (double)sums->n_done / (double)sums->n_points : 0;
		tp_paint_bar(area, row, 0, area.columns - n - 3, share, cluster_sums_role(sums));
		tp_paint_right(area, row, area.columns - 1, TP_UI_PLAIN, points);
		draw_differences(s, tp_area_rows(area, row + 1, 1));
		tp_filter_paint(&s->filter, area, row + 2, s->nodes.list.n, shot->is.n_nodes);
		if (s->order)
			tp_paint_right(area, row + 2, area.columns - 1, TP_UI_CHANGED,
				       orders[s->order]);
		cluster_nodes_paint(app, s, tp_area_rows(area, row + 3, area.rows - row - 3));
	} else if (s->troubled) {
		tp_paint_wrapped(area, 1, 0, TP_UI_BAD, s->trouble.what);
	} else {
		tp_paint_text(area, 1, 0, TP_UI_DIM, app->term.utf8 ? "…" : "...");
	}
}

/* --- all of it --- */

static void draw_nothing(const struct tp_app *app, const struct tp_cluster_view *s,
			 struct tp_area area)
{
	static const char *const lines[] = {
		"A cluster run measures the preset of Setup on many nodes at once, names slow "
		"nodes, and draws the roofline of the nodes.",
		"r begins one: here, over ssh, or as a job of Slurm. It is shown before anything "
		"runs.",
		"Runs started from a shell appear here, too.",
	};
	int row = 1;
	area = tp_area_columns(area, 1, area.columns - 2);
	if (*s->problem.what)
		tp_paint_wrapped(area, row, 0, TP_UI_BAD, s->problem.what);
	else if (!s->listed)
		tp_paint_text(area, row, 0, TP_UI_DIM, app->term.utf8 ? "…" : "...");
	else
		for (size_t i = 0; i < TP_COUNT_OF(lines); i++)
			row += 1 + tp_paint_wrapped(area, row, 0, TP_UI_PLAIN, lines[i]);
}

void tp_cluster_paint(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_cluster_view *s = state;
	s->runs.list.area.rows = s->nodes.list.area.rows = 0;
	if (s->over == TP_CLUSTER_PLAN || s->over == TP_CLUSTER_TOLD) {
		cluster_told_paint(app, s, tp_area_columns(area, 1, area.columns - 1));
		return;
	}
	if (s->n_briefs) {
		struct places p = lay_out(app, s, area);
		if (p.list.rows)
			cluster_runs_paint(app, s, p.list);
		draw_run(app, s, p.run);
	} else {
		draw_nothing(app, s, area);
	}
	if (s->over == TP_CLUSTER_FORM) {
		enum { ROWS = 12 };
		struct tp_cluster_form *form = &s->form;
		char title[128];
		int columns = TP_MIN(area.columns - 2 * MARGIN, (int)COLUMNS_MAX), row = 0;
		struct tp_area frame =
			tp_area_columns(tp_area_rows(area, (area.rows - ROWS) / 2, ROWS),
					(area.columns - columns) / 2, columns);
		tp_paint_clear(frame, TP_UI_PLAIN);
		snprintf(title, sizeof(title), "Measure %.60s on many nodes",
			 *form->preset ? form->preset : "what is set up");
		struct tp_area in = tp_paint_frame(frame, title);
		for (int f = 0; f < TP_CLUSTER_FIELD_COUNT; f++)
			if (has(form, (enum tp_cluster_field)f))
				paint_row(app, form, in, row++, (enum tp_cluster_field)f);
		row++;
		if (*form->diag.what) {
			char words[sizeof(form->diag.what) + sizeof(form->diag.hint) + 8];
			const char *hint = tp_hint_on_screen(form->diag.hint);
			snprintf(words, sizeof(words), "%s%s%s", form->diag.what, *hint ? "; " : "",
				 hint);
			tp_paint_wrapped(tp_area_rows(in, 0, in.rows - 1), row, 0, TP_UI_BAD,
					 words);
		} else {
			tp_paint_wrapped(in, row, 0, TP_UI_DIM, field_rows[form->at].help);
		}
		tp_paint_key(in, in.rows - 1, 0, "Enter",
			     "shows what would run, and submits nothing yet");
	}
}
