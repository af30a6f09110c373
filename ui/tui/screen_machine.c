/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine: what is there, what it could do at most, what would disturb a measurement. */
#include "ui/tui/screen.h"
#include "ui/tui/control.h"
#include "ui/tui/list.h"
#include "ui/tui/machine_survey.h"
#include "base/units.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 3, GAP = 3, WHEEL_ROWS = 3 };
enum { TWO_COLUMNS_AT = 112, THREE_COLUMNS_AT = 176, PANE_ROWS_MIN = 3 };

/* X(id, title, lines have a cursor, column of three, column of two) */
#define PANE_LIST(X)                                                                               \
	X(TOPOLOGY, "Topology", true, 0, 0)                                                        \
	X(CACHES, "Caches", false, 0, 0)                                                           \
	X(PEAKS, "Theoretical peaks", false, 1, 1)                                                 \
	X(ISAS, "Instruction sets", false, 1, 1)                                                   \
	X(ENVIRONMENT, "Environment", false, 2, 1)                                                 \
	X(MODELS, "Machine models", true, 1, 1)                                                    \
	X(DOCTOR, "Doctor", false, 2, 0)

enum pane_id {
#define PANE_ENUM(id, ...) PANE_##id,
	PANE_LIST(PANE_ENUM)
#undef PANE_ENUM
		PANE_COUNT
};

static const struct {
	const char *title;
	bool cursor;
	int column[COLUMNS_MAX + 1]; /* by number of columns */
} pane_table[PANE_COUNT] = {
#define PANE_ROW(id, title, cursor, three, two) { title, cursor, { 0, 0, two, three } },
	PANE_LIST(PANE_ROW)
#undef PANE_ROW
};

struct pane {
	struct tp_doc doc;
	struct tp_list list;
	struct tp_area
		area; /* where it was painted last, without its title; no rows: folded to the title */
	int title_row;
	bool stale;
};

struct machine_screen {
	struct pane panes[PANE_COUNT];
	enum pane_id focus, last_focus[COLUMNS_MAX];
	int n_columns;
	uint64_t version; /* of the setup that the panes show */
	struct tp_tree_folds folds;
	struct tp_machine_survey survey;
	char shown[48]; /* model whose peaks are shown; "" = the machine's */
};

static void stale_all(struct machine_screen *s)
{
	for (int i = 0; i < PANE_COUNT; i++)
		s->panes[i].stale = true;
}

static void *open_screen(struct tp_app *app)
{
	struct machine_screen *s = calloc(1, sizeof(*s));
	(void)app;
	if (s) {
		s->last_focus[1] = s->last_focus[2] = PANE_COUNT;
		s->version = UINT64_MAX;
		stale_all(s);
	}
	return s;
}

static void close_screen(void *state)
{
	struct machine_screen *s = state;
	for (int i = 0; i < PANE_COUNT; i++)
		tp_doc_release(&s->panes[i].doc);
	tp_machine_survey_release(&s->survey);
	tp_tree_folds_release(&s->folds);
	free(s);
}

static void enter(struct tp_app *app, void *state)
{
	struct machine_screen *s = state;
	(void)app;
	tp_machine_survey_look_again(&s->survey);
	s->panes[PANE_PEAKS].stale = true;
}

static void news(struct tp_app *app, void *state)
{
	struct machine_screen *s = state;
	(void)app;
	s->panes[PANE_PEAKS].stale = s->panes[PANE_CACHES].stale = true;
}

/* What a slice of the survey changes in the panes. */
static double work(struct tp_app *app, void *state)
{
	static const struct {
		unsigned changed;
		enum pane_id pane;
	} rows[] = { { TP_SURVEY_MODELS, PANE_MODELS },
		     { TP_SURVEY_CACHES, PANE_CACHES },
		     { TP_SURVEY_CACHES, PANE_PEAKS },
		     { TP_SURVEY_FINDINGS, PANE_DOCTOR } };
	struct machine_screen *s = state;
	unsigned changed;
	/* Other work on this machine would be measured too. */
	if (tp_app_is_measuring(app))
		return INFINITY;
	double again = tp_machine_survey_go_on(&s->survey, &app->session, &changed);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (changed & rows[i].changed)
			s->panes[rows[i].pane].stale = app->dirty = true;
	return again;
}

/* --- text --- */

static const struct tp_model *shown_model(const struct machine_screen *s, const struct tp_app *app)
{
	for (size_t i = 0; i < s->survey.n_models; i++)
		if (*s->shown && s->survey.models[i].model &&
		    strcmp(s->survey.models[i].name, s->shown) == 0)
			return s->survey.models[i].model;
	return &app->session.machine.model;
}

/* Measured peaks are those of the run that is open, where it has roofs; else of the run with the caches. */
static const struct tp_run *peaks_run(const struct machine_screen *s, const struct tp_app *app,
				      const char **from)
{
	const struct tp_run *open = tp_app_run(app);
	*from = open && open->n_roofs ? tp_app_run_label(app) : s->survey.measured_from;
	return open && open->n_roofs	    ? open
	       : s->survey.measured_from[0] ? &s->survey.measured
					    : NULL;
}

static void make_findings(const struct machine_screen *s, struct tp_doc *doc, int columns)
{
	if (s->survey.examination == TP_EXAMINATION_DONE && !*s->survey.trouble) {
		tp_machine_findings(doc, s->survey.findings, s->survey.n_findings, columns);
		return;
	}
	tp_doc_clear(doc, columns);
	tp_doc_line(doc, -1);
	tp_doc_wrap(doc, 0, *s->survey.trouble ? TP_UI_BAD : TP_UI_DIM,
		    *s->survey.trouble ? s->survey.trouble
		    : s->survey.examination == TP_EXAMINATION_SAMPLING
			    ? "looking what else goes on here"
			    : "looks when nothing is measured");
}

static void make(struct machine_screen *s, const struct tp_app *app, enum pane_id id, int columns)
{
	const struct tp_machine *m = &app->session.machine;
	struct tp_doc *doc = &s->panes[id].doc;
	const struct tp_run *run;
	const char *from;
	bool utf8 = app->term.utf8;
	switch (id) {
	case PANE_TOPOLOGY:
		tp_machine_tree(doc, m, &s->folds, utf8, columns);
		break;
	case PANE_CACHES:
		tp_machine_caches(doc, m, s->survey.measured_from[0] ? &s->survey.measured : NULL,
				  s->survey.measured_from, columns);
		break;
	case PANE_PEAKS:
		run = peaks_run(s, app, &from);
		tp_machine_peaks(doc, shown_model(s, app), run, from, columns);
		break;
	case PANE_ISAS:
		tp_machine_isas(doc, m, &app->session.cpu, utf8, columns);
		break;
	case PANE_MODELS:
		tp_machine_models(doc, s->survey.models, s->survey.n_models, m->model.name,
				  *s->shown ? s->shown : m->model.name, utf8, columns);
		break;
	case PANE_ENVIRONMENT:
		tp_machine_environment(doc, m, columns);
		break;
	default:
		make_findings(s, doc, columns);
		break;
	}
	tp_list_resize(&s->panes[id].list, doc->n);
	s->panes[id].stale = false;
}

/* What a title tells of its pane, also where that has no room. */
static enum tp_role summary(const struct machine_screen *s, const struct tp_app *app,
			    enum pane_id id, char *out, size_t size)
{
	const struct tp_machine *m = &app->session.machine;
	const struct tp_model *model = shown_model(s, app);
	char a[32];
	size_t n = 0;
	out[0] = '\0';
	switch (id) {
	case PANE_TOPOLOGY:
		snprintf(out, size, "%u package%s, %u core%s, %zu CPU%s, %zu usable", m->n_packages,
			 m->n_packages == 1 ? "" : "s", m->n_cores, m->n_cores == 1 ? "" : "s",
			 m->n_pus, m->n_pus == 1 ? "" : "s", m->n_allowed);
		break;
	case PANE_CACHES:
		for (int level = 1; level < TP_CACHE_LEVELS; level++)
			if (m->cache[level].size_bytes && n < size)
				n += (size_t)snprintf(
					out + n, size - n, "%s%s", n ? ", " : "",
					tp_format_bytes(a, sizeof(a), m->cache[level].size_bytes));
		break;
	case PANE_PEAKS:
		tp_copy(out, size, *model->name ? model->name : "no model");
		break;
	case PANE_ENVIRONMENT:
		tp_copy(out, size, m->foreign ? "another machine" : m->kernel);
		break;
	case PANE_DOCTOR:
		if (s->survey.examination == TP_EXAMINATION_DONE && !*s->survey.trouble)
			return tp_machine_findings_summary(s->survey.findings, s->survey.n_findings,
							   out, size);
		break;
	default:
		break;
	}
	return TP_UI_DIM;
}

/* --- layout: in each column the focused pane comes first, the others get what is left, or their title --- */

static int column_of(const struct machine_screen *s, enum pane_id id)
{
	return pane_table[id].column[s->n_columns];
}

static void share_rows(struct machine_screen *s, int column, int rows, int height[PANE_COUNT])
{
	int left = rows, order[PANE_COUNT], n = 0;
	enum pane_id first = s->last_focus[column];
	if (first < PANE_COUNT && column_of(s, first) == column)
		order[n++] = (int)first;
	for (int i = 0; i < PANE_COUNT; i++)
		if (column_of(s, (enum pane_id)i) == column) {
			left--;
			height[i] = 0;
			if (n == 0 || order[0] != i)
				order[n++] = i;
		}
	for (int k = 0; k < n; k++) {
		int i = order[k], want = (int)s->panes[i].doc.n + 1; /* and a blank row */
		int give = TP_MIN(want, left);
		if (give < want && give < PANE_ROWS_MIN)
			give = 0;
		height[i] = give;
		left -= give;
	}
}

static void draw_title(const struct machine_screen *s, const struct tp_app *app, struct tp_area row,
		       enum pane_id id)
{
	const struct pane *pane = &s->panes[id];
	bool on = id == s->focus, cut = (int)pane->list.n > pane->area.rows;
	const char *rule = app->term.utf8 ? "─" : "-";
	char words[160], place[64] = "";
	enum tp_role role = summary(s, app, id, words, sizeof(words));
	int n = (int)strlen(pane_table[id].title);
	for (int c = 0; c < row.columns; c++)
		tp_paint_text(row, 0, c, TP_UI_BORDER, rule);
	tp_paint_format(row, 0, 0, on ? TP_UI_SELECTED : TP_UI_TITLE, on ? " %s " : "%s ",
			pane_table[id].title);
	int at = n + (on ? 3 : 1), end = row.columns;
	tp_paint_text(row, 0, at - 1, TP_UI_PLAIN, " ");
	if (pane->area.rows && cut)
		snprintf(place, sizeof(place), " %zu-%zu of %zu", pane->list.top + 1,
			 TP_MIN(pane->list.top + (size_t)pane->area.rows, pane->list.n),
			 pane->list.n);
	end -= (int)strlen(place);
	tp_paint_right(row, 0, row.columns, TP_UI_DIM, place);
	if (*words && end - at > 12) {
		struct tp_area room = tp_area_columns(row, 0, end - 1);
		int taken = tp_paint_text(room, 0, at, role, words);
		tp_paint_text(room, 0, at + taken, TP_UI_PLAIN, " ");
	}
}

static void draw_pane(struct machine_screen *s, const struct tp_app *app, enum pane_id id,
		      struct tp_area column, int row, int rows)
{
	struct pane *pane = &s->panes[id];
	/* The row behind the text stays blank, unless the text needs it. */
	int text = TP_MIN(rows, (int)pane->doc.n);
	bool cursor = pane_table[id].cursor && id == s->focus;
	pane->title_row = column.row + row;
	pane->area = tp_area_rows(column, row + 1, text);
	if (text)
		tp_list_fit(&pane->list, text);
	draw_title(s, app, tp_area_rows(column, row, 1), id);
	if (!text)
		return;
	tp_doc_paint(&pane->doc, tp_area_columns(pane->area, 0, column.columns - 1), pane->list.top,
		     cursor ? pane->list.at : (size_t)-1);
	tp_list_paint_bar(&pane->list, pane->area);
}

static void prepare(struct machine_screen *s, const struct tp_app *app)
{
	if (s->version == app->setup_version && s->folds.n_pus == app->session.machine.n_pus)
		return;
	if (s->folds.n_pus != app->session.machine.n_pus || !s->folds.folded)
		tp_tree_folds_init(&s->folds, &app->session.machine);
	s->version = app->setup_version;
	s->shown[0] = '\0';
	stale_all(s);
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct machine_screen *s = state;
	int height[PANE_COUNT];
	area = tp_area_columns(area, 1, area.columns - 2);
	s->n_columns = area.columns >= THREE_COLUMNS_AT ? 3
		       : area.columns >= TWO_COLUMNS_AT ? 2
							: 1;
	int columns = (area.columns - (s->n_columns - 1) * GAP) / s->n_columns;
	prepare(s, app);
	for (int i = 0; i < PANE_COUNT; i++)
		if (s->panes[i].stale || s->panes[i].doc.columns != columns - 2)
			make(s, app, (enum pane_id)i, columns - 2);
	s->last_focus[column_of(s, s->focus)] = s->focus;
	for (int c = 0; c < s->n_columns; c++) {
		struct tp_area column = tp_area_columns(area, c * (columns + GAP), columns);
		int row = 0;
		share_rows(s, c, column.rows, height);
		for (int i = 0; i < PANE_COUNT; i++)
			if (column_of(s, (enum pane_id)i) == c) {
				draw_pane(s, app, (enum pane_id)i, column, row, height[i]);
				row += 1 + height[i];
			}
	}
}

/* --- keys and mouse --- */

/* The next pane as they stand on the screen: down a column, then the next one. */
static void move_focus(struct machine_screen *s, int by)
{
	enum pane_id order[PANE_COUNT];
	int n = 0, at = 0;
	for (int c = 0; c < TP_MAX(s->n_columns, 1); c++)
		for (int i = 0; i < PANE_COUNT; i++)
			if (column_of(s, (enum pane_id)i) == c)
				order[n++] = (enum pane_id)i;
	for (int i = 0; i < n; i++)
		if (order[i] == s->focus)
			at = i;
	if (n)
		s->focus = order[(at + by + n) % n];
}

static void fold(struct tp_app *app, struct machine_screen *s)
{
	struct pane *pane = &s->panes[s->focus];
	int item = pane->list.at < pane->doc.n ? pane->doc.lines[pane->list.at].item : -1;
	if (item < 0)
		return;
	if (s->focus == PANE_TOPOLOGY) {
		tp_tree_fold(&s->folds, item);
		pane->stale = true;
	} else if (s->focus == PANE_MODELS && s->survey.models[item].model) {
		tp_copy(s->shown, sizeof(s->shown), s->survey.models[item].name);
		s->panes[PANE_PEAKS].stale = pane->stale = true;
		if (strcmp(s->shown, app->session.machine.model.name) != 0)
			tp_app_say(app, TP_UI_PLAIN,
				   "peaks of %s are shown; runs take the model of the option "
				   "machine in Setup",
				   s->shown);
	}
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct machine_screen *s = state;
	struct pane *pane = &s->panes[s->focus];
	switch (action) {
	case TP_ACTION_LEFT:
		move_focus(s, -1);
		return true;
	case TP_ACTION_RIGHT:
		move_focus(s, 1);
		return true;
	case TP_ACTION_FOLD:
		fold(app, s);
		return true;
	case TP_ACTION_FOLD_ALL:
		tp_tree_fold_all(&s->folds);
		s->panes[PANE_TOPOLOGY].stale = true;
		return true;
	case TP_ACTION_EXAMINE:
		if (tp_app_is_measuring(app)) {
			tp_app_say(app, TP_UI_WARN,
				   "not while a run is under way: it would be measured too");
			return true;
		}
		tp_machine_survey_examine(&s->survey);
		s->focus = PANE_DOCTOR;
		s->panes[PANE_DOCTOR].stale = true;
		return true;
	default:
		return pane_table[s->focus].cursor ? tp_list_act(&pane->list, action)
						   : tp_list_scroll(&pane->list, action);
	}
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct machine_screen *s = state;
	(void)area;
	for (int i = 0; i < PANE_COUNT; i++) {
		struct pane *pane = &s->panes[i];
		struct tp_area title = pane->area;
		title.row = pane->title_row;
		title.rows = 1;
		bool on_title = tp_area_holds(title, input->row, input->column);
		if (!on_title && !tp_area_holds(pane->area, input->row, input->column))
			continue;
		if (input->mouse != TP_MOUSE_PRESS) {
			tp_list_wheel(&pane->list,
				      input->mouse == TP_MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
			return;
		}
		size_t hit = tp_list_hit(&pane->list, input->row - pane->area.row);
		bool again = s->focus == (enum pane_id)i;
		s->focus = (enum pane_id)i;
		if (on_title || hit >= pane->list.n || !pane_table[i].cursor)
			return;
		again &= pane->list.at == hit;
		pane->list.at = hit;
		if (again)
			fold(app, s);
		return;
	}
}

const struct tp_screen tp_screen_machine = {
	.name = "Machine",
	.open = open_screen,
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.mouse = mouse,
	.news = news,
	.work = work,
};
