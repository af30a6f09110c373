/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A new cluster run: where the preset of Setup is measured. What would run is shown first, and
 * nothing is submitted without a word of the user.
 */
#include "ui/tui/screens/cluster_view.h"
#include "base/text.h"
#include "base/vec.h"
#include "session/code.h"
#include "session/keep.h"
#include "ui/tui/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 76, MARGIN = 2, VALUE_AT = 14, CONTROL_C = 3 };

static const struct {
	const char *label, *help;
	unsigned launchers;
} rows[TP_CLUSTER_FIELD_COUNT] = {
#define FIELD_ROW(id, label, help, launchers) { label, help, launchers },
	TP_CLUSTER_FIELDS(FIELD_ROW)
#undef FIELD_ROW
};

void tp_cluster_form_release(struct tp_cluster_form *form)
{
	free(form->fields);
}

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
	return rows[field].launchers & kind;
}

static const char *text_of(const struct tp_cluster_form *form, enum tp_cluster_field field)
{
	return has(form, field) ? form->fields[field].text : "";
}

/* --- what is to be measured --- */

/* False, and words, where the preset of Setup cannot be measured. */
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
		form->fields = calloc(TP_CLUSTER_FIELD_COUNT, sizeof(*form->fields));
		if (!form->fields)
			return;
		tp_text_field_set(&form->fields[TP_CLUSTER_FIELD_NUMBER], "2");
		/* The last one needs nothing but this machine. */
		while (tp_launcher_table[form->launcher + 1])
			form->launcher++;
	}
	tp_keep_name(&app->session.preset, form->preset, sizeof(form->preset));
	form->at = TP_CLUSTER_FIELD_LAUNCHER;
	form->diag = (struct tp_diag){ 0 };
	s->over = TP_CLUSTER_FORM;
}

static enum tp_status fill_order(const struct tp_app *app, const struct tp_cluster_form *form,
				 struct tp_cluster_order *order)
{
	const struct {
		char *to;
		size_t size;
		enum tp_cluster_field field;
	} texts[] = {
		{ order->where, sizeof(order->where), TP_CLUSTER_FIELD_NUMBER },
		{ order->where, sizeof(order->where), TP_CLUSTER_FIELD_HOSTS },
		{ order->nodes, sizeof(order->nodes), TP_CLUSTER_FIELD_NODES },
		{ order->partition, sizeof(order->partition), TP_CLUSTER_FIELD_PARTITION },
		{ order->time_limit, sizeof(order->time_limit), TP_CLUSTER_FIELD_TIME },
		{ order->program, sizeof(order->program), TP_CLUSTER_FIELD_PROGRAM },
	};
	for (size_t i = 0; i < TP_COUNT_OF(texts); i++)
		if (*text_of(form, texts[i].field) &&
		    !tp_copy(texts[i].to, texts[i].size, text_of(form, texts[i].field)))
			return TP_USAGE;
	tp_copy(order->launcher, sizeof(order->launcher), launcher_name(form));
	tp_copy(order->label, sizeof(order->label), form->preset);
	order->seconds = app->session.plan.estimate_seconds;
	return tp_preset_write(&app->session.preset, true, &order->yaml);
}

/* Whether nodes have to be told that the code may run, which is asked for before they begin. */
static bool names_code(const struct tp_app *app)
{
	struct tp_diags code = { 0 };
	bool any = tp_session_code(&app->session.preset, false, &code) > 0;
	tp_diags_release(&code);
	return any;
}

static void make_job(struct tp_app *app, struct tp_cluster_view *s, enum tp_cluster_task task)
{
	struct tp_cluster_job *job = tp_cluster_job_new(task, "");
	enum tp_status status = job ? fill_order(app, &s->form, &job->order) : TP_NOMEM;
	if (status != TP_OK) {
		tp_fail(&s->form.diag, status, "", NULL,
			status == TP_USAGE ? "a text is too long" : tp_status_name(status));
		tp_cluster_job_free(job);
		return;
	}
	job->order.allow_code = names_code(app);
	tp_cluster_do(app, s, job);
}

/* --- submitting --- */

static void submit(struct tp_app *app)
{
	struct tp_cluster_view *s = app->state[TP_SCREEN_CLUSTER];
	if (!tp_consent_for(app, &app->session.preset, submit))
		return;
	make_job(app, s, TP_CLUSTER_SUBMIT);
	tp_cluster_untell(s);
	s->over = TP_CLUSTER_BARE;
	app->part = TP_CLUSTER_RUNS;
	tp_app_say(app, TP_UI_PLAIN, "submitting");
}

static void answer(struct tp_app *app, bool yes)
{
	if (yes)
		submit(app);
}

void tp_cluster_ask_submit(struct tp_app *app, struct tp_cluster_view *s)
{
	const struct tp_cluster_order *order = &s->told->order;
	if (strcmp(order->launcher, "local") == 0 && tp_app_is_measuring(app)) {
		tp_app_say(app, TP_UI_WARN, "a run is under way here; it would be disturbed");
		return;
	}
	snprintf(s->question, sizeof(s->question), "Measure %.60s on %zu node%s by %s?",
		 *order->label ? order->label : "what is set up", s->told->n_nodes,
		 s->told->n_nodes == 1 ? "" : "s", order->launcher);
	tp_app_ask(app, s->question, answer);
}

/* --- keys --- */

static void step(struct tp_cluster_form *form, bool forward)
{
	size_t n = 0;
	while (tp_launcher_table[n])
		n++;
	form->launcher = (form->launcher + (forward ? 1 : n - 1)) % n;
}

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
	else if (code == TP_KEY_LEFT || code == TP_KEY_RIGHT || code == ' ')
		step(form, code != TP_KEY_LEFT);
	return true;
}

/* --- painting --- */

static void paint_row(const struct tp_app *app, struct tp_cluster_form *form, struct tp_area in,
		      int row, enum tp_cluster_field field)
{
	bool here = form->at == field, utf8 = app->term.utf8;
	int columns = TP_MIN(in.columns - VALUE_AT, 48);
	tp_paint_text(in, row, 0, here ? TP_UI_STRONG : TP_UI_DIM, rows[field].label);
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

void tp_cluster_form_paint(struct tp_app *app, struct tp_cluster_view *s, struct tp_area area)
{
	enum { ROWS = 12 };
	struct tp_cluster_form *form = &s->form;
	char title[128];
	int columns = TP_MIN(area.columns - 2 * MARGIN, (int)COLUMNS_MAX), row = 0;
	struct tp_area frame = tp_area_columns(tp_area_rows(area, (area.rows - ROWS) / 2, ROWS),
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
		snprintf(words, sizeof(words), "%s%s%s", form->diag.what,
			 *form->diag.hint ? "; " : "", form->diag.hint);
		tp_paint_wrapped(tp_area_rows(in, 0, in.rows - 1), row, 0, TP_UI_BAD, words);
	} else {
		tp_paint_wrapped(in, row, 0, TP_UI_DIM, rows[form->at].help);
	}
	tp_paint_key(in, in.rows - 1, 0, "Enter", "shows what would run, and submits nothing yet");
}
