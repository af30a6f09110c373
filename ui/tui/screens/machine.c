/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine: its topology, its theoretical peaks, and what would disturb a measurement. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/named.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/text.h"
#include "record/roof.h"
#include "session/doctor.h"
#include "session/hardware.h"
#include "session/learned.h"
#include "session/session.h"
#include "ui/tui/app.h"
#include "ui/tui/screen.h"
#include "ui/tui/screens/machine.h"
#include "ui/tui/screens/setup.h"
#include "ui/tui/widgets/list.h"

enum { TP_SURVEY_MODELS_MAX = 64 };

struct tp_known_model {
	char name[48], title[96];
	struct tp_model *model; /* NULL: unreadable, and `title` has the reason */
	bool matches;
	bool alike; /* the machine looks like it, and none matches */
};

/* What is found out while the screen is shown, a few milliseconds at a time. Zero-initialise. */
struct tp_machine_survey {
	/* Models */
	struct tp_known_model models[TP_SURVEY_MODELS_MAX];
	struct tp_named_file *entries; /* NULL until they were listed */
	size_t n_models, n_entries;
	/* Doctor */
	struct tp_examination examination;
	bool examined; /* or tried, and `trouble` has the reason of the failure */
	double sampled; /* when the first sample was taken */
	char trouble[384];
};

/* --- models --- */

static void load_model(struct tp_machine_survey *s, const struct tp_session *session)
{
	struct tp_known_model *known = &s->models[s->n_models];
	const struct tp_named_file *entry = &s->entries[s->n_models++];
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	*known = (struct tp_known_model){ .model = tp_alloc(1, sizeof(*known->model)) };
	tp_copy(known->name, sizeof(known->name), entry->name);
	tp_copy(known->title, sizeof(known->title), entry->title);
	if (tp_model_load(known->model, entry->path, &diags) == TP_OK) {
		tp_copy(known->title, sizeof(known->title), known->model->title);
		known->matches = tp_model_matches(known->model, &session->cpu);
		known->alike = session->machine.model_found == TP_MODEL_LOOKS_LIKE &&
			       tp_model_looks_like(known->model, &session->machine);
	} else {
		tp_copy(known->title, sizeof(known->title),
			diags.n ? diags.items[0].what : "cannot be read");
		free(known->model);
		known->model = NULL;
	}
}

/* True while there is more to do. */
static bool load_models(struct tp_machine_survey *s, const struct tp_session *session)
{
	if (!s->entries) {
		size_t n = 0;
		if (tp_model_entries(&s->entries, &n, NULL) != TP_OK || !s->entries)
			return false;
		s->n_entries = TP_MIN(n, (size_t)TP_SURVEY_MODELS_MAX);
	}
	if (s->n_models < s->n_entries)
		load_model(s, session);
	return s->n_models < s->n_entries;
}

/* --- the panes --- */

enum { COLUMNS_MAX = 3, GAP = 3 };
enum { TWO_COLUMNS_AT = 112, THREE_COLUMNS_AT = 176, PANE_ROWS_MIN = 3 };

enum pane_id {
	PANE_TOPOLOGY,
	PANE_CACHES,
	PANE_PEAKS,
	PANE_ISAS,
	PANE_ENVIRONMENT,
	PANE_MODELS,
	PANE_DOCTOR,
	PANE_COUNT
};

static const struct {
	const char *title;
	int column[COLUMNS_MAX + 1]; /* by number of columns */
} pane_table[PANE_COUNT] = {
	[PANE_TOPOLOGY] = { "Topology", { 0, 0, 0, 0 } },
	[PANE_CACHES] = { "Caches", { 0, 0, 0, 0 } },
	[PANE_PEAKS] = { "Theoretical peaks", { 0, 0, 1, 1 } },
	[PANE_ISAS] = { "Instruction sets", { 0, 0, 1, 1 } },
	[PANE_ENVIRONMENT] = { "Environment", { 0, 0, 1, 2 } },
	[PANE_MODELS] = { "Machine models", { 0, 0, 1, 1 } },
	[PANE_DOCTOR] = { "Doctor", { 0, 0, 0, 2 } },
};

struct pane {
	struct tp_doc doc;
	struct tp_area title; /* of the last painting */
	bool stale;
};

struct machine_screen {
	struct pane panes[PANE_COUNT];
	enum pane_id focus, last_focus[COLUMNS_MAX];
	int n_columns;
	uint64_t version; /* of the setup that the panes show */
	struct tp_machine_survey survey;
	char shown[48]; /* model whose peaks are shown; "" = the machine's */
};

static void stale_all(struct machine_screen *s)
{
	for (int i = 0; i < PANE_COUNT; i++)
		s->panes[i].stale = true;
}

static void open_screen(struct tp_app *app, void *state)
{
	struct machine_screen *s = state;
	(void)app;
	s->last_focus[1] = s->last_focus[2] = PANE_COUNT;
	s->version = UINT64_MAX;
	stale_all(s);
}

static void close_screen(void *state)
{
	struct machine_screen *s = state;
	for (int i = 0; i < PANE_COUNT; i++)
		tp_doc_release(&s->panes[i].doc);
	tp_examination_release(&s->survey.examination);
	for (size_t i = 0; i < s->survey.n_models; i++)
		free(s->survey.models[i].model);
	free(s->survey.entries);
}

/* What stored runs measured is shown in these. */
static void news(struct tp_app *app, void *state)
{
	static const enum pane_id shown_in[] = { PANE_TOPOLOGY, PANE_CACHES, PANE_PEAKS };
	struct machine_screen *s = state;
	(void)app;
	for (size_t i = 0; i < TP_COUNT_OF(shown_in); i++)
		s->panes[shown_in[i]].stale = true;
}

static void enter(struct tp_app *app, void *state)
{
	tp_found_look_again(&app->found);
	news(app, state);
}

/* Seconds until it can go on. */
static double begin_examination(struct tp_machine_survey *s)
{
	struct tp_diag diag = { 0 };
	s->examined = tp_examination_begin(&s->examination, &diag) != TP_OK;
	tp_copy(s->trouble, sizeof(s->trouble), diag.what);
	s->sampled = tp_now_seconds();
	return s->examined ? 0 : TP_EXAMINATION_SECONDS;
}

/* A slice of the survey, and the panes that it changes. */
static struct machine_screen *machine_of(const struct tp_app *app)
{
	return app->state[TP_SCREEN_MACHINE];
}

double tp_machine_survey(struct tp_app *app)
{
	struct machine_screen *screen = machine_of(app);
	struct tp_machine_survey *s = &screen->survey;
	bool found;
	/* A survey during a run would disturb it. */
	if (tp_app_is_measuring(app))
		return INFINITY;
	double rest = s->sampled + TP_EXAMINATION_SECONDS - tp_now_seconds();
	if (s->examination.under_way && rest > 0)
		return rest; /* nothing else during it: the doctor would notice */
	if (!s->examined) {
		screen->panes[PANE_DOCTOR].stale = app->dirty = true;
		if (!s->examination.under_way)
			return begin_examination(s);
		struct tp_look look = tp_app_look(app, app->term.columns, app->term.rows);
		look.terminal = true;
		look.colour = app->term.colours;
		tp_examination_end(&s->examination, &look);
		s->examined = true;
	}
	bool more = tp_found_go_on(&app->found, &app->session.machine, &found);
	if (found) {
		news(app, screen);
		app->dirty = true;
	}
	return more ? 0 : INFINITY;
}

static double work(struct tp_app *app, void *state)
{
	struct machine_screen *screen = state;
	struct tp_machine_survey *s = &screen->survey;
	size_t n_models = s->n_models;
	if (tp_app_is_measuring(app))
		return INFINITY;
	bool more = load_models(s, &app->session);
	if (s->n_models != n_models)
		screen->panes[PANE_MODELS].stale = app->dirty = true;
	return more ? 0 : tp_machine_survey(app);
}

static const enum tp_role severity_roles[TP_SEVERITY_COUNT] = {
	[TP_FINE] = TP_UI_GOOD,
	[TP_NOTE] = TP_UI_TITLE,
	[TP_WARNING] = TP_UI_WARN,
	[TP_PROBLEM] = TP_UI_BAD,
};

enum tp_role tp_machine_findings_summary(const struct tp_finding *findings, size_t n, char *out,
					 size_t size)
{
	size_t count[TP_SEVERITY_COUNT] = { 0 };
	enum tp_role role = TP_UI_GOOD;
	size_t at = 0;
	out[0] = '\0';
	for (size_t i = 0; i < n; i++)
		count[findings[i].severity]++;
	for (int s = TP_SEVERITY_COUNT - 1; s > TP_FINE; s--) {
		if (!count[s] || at >= size)
			continue;
		if (!at)
			role = severity_roles[s];
		at += (size_t)snprintf(out + at, size - at, "%s%zu %s%s", at ? ", " : "", count[s],
				       tp_severity_name((enum tp_severity)s),
				       count[s] == 1 ? "" : "s");
	}
	if (!at)
		snprintf(out, size, "all in order");
	return role;
}

enum tp_role tp_machine_health(const struct tp_app *app, char *out, size_t size)
{
	const struct tp_machine_survey *s = &machine_of(app)->survey;
	const struct tp_finding *worst = NULL;
	out[0] = '\0';
	if (!s->examined || *s->trouble) {
		tp_copy(out, size,
			*s->trouble		   ? s->trouble
			: s->examination.under_way ? "looking for other programs that run"
						   : "waits for the measurement to end");
		return *s->trouble ? TP_UI_BAD : TP_UI_DIM;
	}
	enum tp_role role =
		tp_machine_findings_summary(s->examination.findings, s->examination.n, out, size);
	for (size_t i = 0; i < s->examination.n; i++)
		if (!worst || s->examination.findings[i].severity > worst->severity)
			worst = &s->examination.findings[i];
	size_t n = strlen(out);
	if (worst && worst->severity > TP_FINE)
		snprintf(out + n, size - n, ": %s", worst->what);
	return role;
}

void tp_machine_go(struct tp_app *app, bool doctor)
{
	machine_of(app)->focus = doctor ? PANE_DOCTOR : PANE_TOPOLOGY;
	tp_app_go(app, TP_SCREEN_MACHINE);
}

/* --- text --- */

void tp_machine_caches(struct tp_doc *doc, const struct tp_session *session,
		       const struct tp_found *found, const struct tp_look *look)
{
	struct tp_offer offers[TP_OFFERS_MAX];
	char key[16];
	TP_TEXT(text, look);
	tp_hardware_caches(&session->machine, found, &text);
	tp_doc_report(doc, (int)look->columns, &text);
	/* The difference, and the key that uses it. */
	size_t n =
		tp_offers(session, session->machine.foreign ? NULL : tp_found_run(found), offers);
	for (size_t i = 0; i < n; i++) {
		tp_doc_row(doc, 0, TP_UI_CHANGED, "%s", offers[i].words);
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_PLAIN, ": ");
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_KEY,
			    tp_keys_name(TP_ACTION_ADOPT, key, sizeof(key)));
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_PLAIN, " uses it");
	}
}

static void list_models(struct tp_doc *doc, const struct tp_known_model *models, size_t n,
			const char *used, const char *shown, bool utf8, int columns)
{
	tp_doc_clear(doc, columns);
	for (size_t i = 0; i < n; i++) {
		const struct tp_known_model *m = &models[i];
		bool is_used = strcmp(m->name, used) == 0, is_shown = strcmp(m->name, shown) == 0;
		tp_doc_line(doc, (int)i);
		if (is_shown)
			tp_doc_text(doc, 0, TP_UI_TITLE, utf8 ? "▸" : ">");
		tp_doc_text(doc, 2, is_used ? TP_UI_STRONG : TP_UI_PLAIN, m->name);
		tp_doc_text(doc, 18,
			    !m->model		     ? TP_UI_BAD
			    : m->matches || m->alike ? TP_UI_GOOD
						     : TP_UI_DIM,
			    !m->model	 ? "broken"
			    : m->matches ? "fits"
			    : m->alike	 ? "alike"
					 : "");
		tp_doc_text(doc, 25, TP_UI_DIM, m->title);
	}
	if (!n)
		tp_doc_row(doc, 0, TP_UI_DIM, "%s", utf8 ? "…" : "...");
}

static const struct tp_model *shown_model(const struct machine_screen *s, const struct tp_app *app)
{
	for (size_t i = 0; i < s->survey.n_models; i++)
		if (*s->shown && s->survey.models[i].model &&
		    strcmp(s->survey.models[i].name, s->shown) == 0)
			return s->survey.models[i].model;
	return &app->session.machine.model;
}

static void make(struct machine_screen *s, const struct tp_app *app, enum pane_id id, int columns)
{
	const struct tp_machine *m = &app->session.machine;
	struct tp_doc *doc = &s->panes[id].doc;
	const struct tp_machine_survey *survey = &s->survey;
	char health[384];
	const struct tp_run *run = tp_app_run(app);
	bool own = run && tp_run_n_roofs(run);
	struct tp_look look = tp_app_look(app, columns, app->term.rows);
	TP_TEXT(text, &look);
	s->panes[id].stale = false;
	switch (id) {
	case PANE_TOPOLOGY:
		tp_hardware_topology(m, tp_found_run(&app->found), &text);
		break;
	case PANE_CACHES:
		tp_machine_caches(doc, &app->session, &app->found, &look);
		return;
	case PANE_PEAKS:
		/* The measured ones come from the open run if it has roofs, else from the run with
		 * the caches. */
		tp_hardware_peaks(shown_model(s, app), own ? run : tp_found_run(&app->found),
				  own ? tp_app_run_label(app) : app->found.from, &text);
		break;
	case PANE_ISAS:
		tp_hardware_isas(m, &text);
		break;
	case PANE_MODELS:
		list_models(doc, s->survey.models, s->survey.n_models, m->model.name,
			    *s->shown ? s->shown : m->model.name, app->term.utf8, columns);
		return;
	case PANE_ENVIRONMENT:
		tp_hardware_environment(m, &text);
		break;
	default:
		look.columns = TP_MIN(look.columns, TP_COLUMNS_MIN - 1u); /* of a pane */
		if (!survey->examined || *survey->trouble) {
			tp_machine_health(app, health, sizeof(health));
			tp_text_wrap(&text, *survey->trouble ? TP_PAINT_BAD : TP_PAINT_DIM, health,
				     0, 0);
		}
		tp_findings_say(survey->examination.findings, survey->examination.n, &text);
		break;
	}
	tp_doc_report(doc, columns, &text);
}

/* A few words about a pane in its title, seen even if the pane has no room. */
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
	case PANE_MODELS:
		if (m->model_found == TP_MODEL_LOOKS_LIKE)
			snprintf(out, size, "looks like %s: u takes it", m->model.name);
		break;
	case PANE_DOCTOR:
		if (s->survey.examined && !*s->survey.trouble)
			return tp_machine_findings_summary(s->survey.examination.findings,
							   s->survey.examination.n, out, size);
		break;
	default:
		break;
	}
	return TP_UI_DIM;
}

/*
 * --- layout: in each column the focused pane gets its rows first; others get the rest, at least a
 * title ---
 */

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
		int i = order[k], want = (int)s->panes[i].doc.n + 1; /* with a blank row */
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
	bool on = id == s->focus;
	char words[160], place[64] = "";
	enum tp_role role = summary(s, app, id, words, sizeof(words));
	int n = (int)strlen(pane_table[id].title);
	tp_paint_rule(row, 0, "");
	tp_paint_format(row, 0, 0, on ? TP_UI_SELECTED : TP_UI_TITLE, on ? " %s " : "%s ",
			pane_table[id].title);
	int at = n + (on ? 3 : 1), end = row.columns;
	tp_paint_text(row, 0, at - 1, TP_UI_PLAIN, " ");
	size_t rows = (size_t)pane->doc.list.area.rows;
	if (rows && pane->doc.list.n > rows)
		snprintf(place, sizeof(place), " %zu-%zu of %zu", pane->doc.list.top + 1,
			 TP_MIN(pane->doc.list.top + rows, pane->doc.list.n), pane->doc.list.n);
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
	/* The last row stays blank unless the text needs it. */
	struct tp_area text = tp_area_rows(column, row + 1, TP_MIN(rows, (int)pane->doc.n));
	bool cursor = id == PANE_MODELS && id == s->focus;
	pane->title = tp_area_rows(column, row, 1);
	pane->doc.list.area = text;
	if (text.rows)
		tp_doc_show(&pane->doc, text, cursor);
	draw_title(s, app, pane->title, id);
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
	if (s->version != app->setup_version) {
		s->version = app->setup_version;
		s->shown[0] = '\0';
		stale_all(s);
	}
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

/*
 * The next pane on the screen: down a column, then the next column. False: it was the last one, and
 * the first one has the focus again.
 */
static bool move_focus(struct machine_screen *s, int by)
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
	return at + by >= 0 && at + by < n;
}

static int parts(const struct tp_app *app, const void *state)
{
	(void)app;
	(void)state;
	return PANE_COUNT;
}

/* `take`: the runs take a model; else its figures are shown. */
static void choose_model(struct tp_app *app, struct machine_screen *s, bool take)
{
	struct pane *pane = &s->panes[PANE_MODELS];
	const size_t at = pane->doc.list.at;
	if (s->focus != PANE_MODELS || at >= s->survey.n_models || !s->survey.models[at].model)
		return;
	tp_copy(s->shown, sizeof(s->shown), s->survey.models[at].name);
	s->panes[PANE_PEAKS].stale = pane->stale = true;
	if (take)
		tp_adopt(app, TP_OPT_MACHINE, s->survey.models[at].name);
	else if (strcmp(s->shown, app->session.machine.model.name) != 0)
		tp_app_say(app, TP_UI_PLAIN, "peaks of %s are shown; Enter takes it for runs",
			   s->shown);
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct machine_screen *s = state;
	struct pane *pane = &s->panes[s->focus];
	switch (action) {
	case TP_ACTION_LEFT:
	case TP_ACTION_RIGHT:
		move_focus(s, action == TP_ACTION_RIGHT ? 1 : -1);
		return true;
	case TP_ACTION_NEXT_PART:
	case TP_ACTION_PREVIOUS_PART:
		return move_focus(s, action == TP_ACTION_NEXT_PART ? 1 : -1);
	case TP_ACTION_TAKE:
	case TP_ACTION_FOLD:
		choose_model(app, s, action == TP_ACTION_TAKE);
		return true;
	case TP_ACTION_ADOPT:
		tp_adopt_offers(app);
		return true;
	case TP_ACTION_EXAMINE:
		if (tp_app_is_measuring(app)) {
			tp_app_say(app, TP_UI_WARN,
				   "not while a run is under way: it would disturb the run");
			return true;
		}
		tp_examination_release(&s->survey.examination);
		s->survey.examined = false;
		s->focus = PANE_DOCTOR;
		s->panes[PANE_DOCTOR].stale = true;
		return true;
	default:
		return s->focus == PANE_MODELS ? tp_list_act(&pane->doc.list, action)
					       : tp_list_scroll(&pane->doc.list, action);
	}
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct machine_screen *s = state;
	for (int i = 0; i < PANE_COUNT; i++) {
		struct pane *pane = &s->panes[i];
		bool on_title = tp_area_holds(pane->title, input->row, input->column);
		if (!on_title && !tp_area_holds(pane->doc.list.area, input->row, input->column))
			continue;
		size_t at = pane->doc.list.at;
		enum tp_list_event event = tp_list_mouse(&pane->doc.list, input);
		if (event == TP_LIST_WHEELED)
			return;
		s->focus = (enum pane_id)i;
		if (i != PANE_MODELS)
			pane->doc.list.at = at;
		if (event == TP_LIST_OPENED)
			choose_model(app, s, true);
		return;
	}
}

const struct tp_screen tp_screen_machine = {
	.state_bytes = sizeof(struct machine_screen),
	.open = open_screen,
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.mouse = mouse,
	.news = news,
	.parts = parts,
	.work = work,
};
