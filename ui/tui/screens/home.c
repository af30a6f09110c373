/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Home: a program of the user to be put under the roofs of this machine, what else to begin with,
 * the machine and its health, and the last runs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/text.h"
#include "preset/shared_options.h"
#include "record/load.h"
#include "session/hardware.h"
#include "session/learned.h"
#include "ui/tui/app.h"
#include "ui/tui/screen.h"
#include "ui/tui/screens/lessons.h"
#include "ui/tui/screens/machine.h"
#include "ui/tui/screens/setup.h"
#include "ui/tui/screens/stored.h"
#include "ui/tui/shown.h"
#include "ui/tui/widgets/complete.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/picker.h"
#include "ui/tui/widgets/text_field.h"

/* The rows that the cursor moves along; runs come last. X(id, label) */
#define ROW_LIST(X)                                                                                \
	X(PROGRAM, "My program")                                                                   \
	X(MEASURE, "Measure this machine")                                                         \
	X(LESSON, "Take a lesson")                                                                 \
	X(EXAMPLE, "Open an example")                                                              \
	X(MACHINE, "Machine")                                                                      \
	X(HEALTH, "Health")

enum {
#define ROW_ENUM(id, label) ROW_##id,
	ROW_LIST(ROW_ENUM)
#undef ROW_ENUM
		ROW_RUNS,
	ROWS_MAX = ROW_RUNS + 64
};

static const char *const labels[ROW_RUNS] = {
#define ROW_LABEL(id, label) label,
	ROW_LIST(ROW_LABEL)
#undef ROW_LABEL
};

struct home {
	enum { HOME_ROWS, HOME_TYPES, HOME_FILES } mode;
	struct tp_list list;
	struct tp_area places[ROWS_MAX]; /* of the rows, at the last painting */
	/* The program */
	struct tp_text_field field;
	struct tp_diag wrong; /* why it cannot run; `what` is empty if it can */
	struct tp_completion files;
	struct tp_picker picker; /* of the files */
	/* What is read while the screen is shown. */
	bool stale; /* the folder of runs, and the lessons */
	enum tp_live_state live; /* at the last change */
	struct tp_stored stored;
	char lesson[160]; /* title of the next one; "": all are done */
	bool beside; /* there is room for the machine next to the rows: */
	struct tp_doc boxes, caches;
	uint64_t seen; /* what they were made from */
};

static struct home *home_of(const struct tp_app *app)
{
	return app->state[TP_SCREEN_HOME];
}

/* --- the program --- */

enum { COMMAND_BYTES = TP_TEXT_FIELD_BYTES };

/* The last command is stored next to the runs. */
static void remember_command(const char *command)
{
	char path[TP_PATH_MAX];
	if (tp_path_user_data("program", path, NULL) == TP_OK)
		tp_file_write(TP_TYPED_NOTHING, path, command, strlen(command), NULL);
}

static void recall_command(struct tp_text_field *field)
{
	char path[TP_PATH_MAX];
	TP_FREE char *command = NULL;
	size_t len;
	if (tp_path_user_data("program", path, NULL) == TP_OK &&
	    tp_file_read(path, COMMAND_BYTES, &command, &len, NULL) == TP_OK)
		tp_text_field_set(field, command);
}

/* Gives Setup a preset by name, or the defaults (NULL). Of the command line it has the machine. */
static bool set_up(struct tp_app *app, const char *name)
{
	TP_FREE const char **sets = tp_alloc(app->options->overrides.n + 1, sizeof(*sets));
	const struct tp_overrides overrides = tp_app_machine_overrides(app, sets);
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	struct tp_preset preset;
	if (tp_session_preset(&preset, &overrides, name, &diags) != TP_OK) {
		if (diags.n)
			tp_app_say_diag(app, &diags.items[0]);
		return false;
	}
	tp_setup_take(app, &preset);
	return true;
}

static bool is_set_up(struct tp_app *app)
{
	return strcmp(tp_form_experiment(&tp_setup_of(app)->form), "app") == 0;
}

/*
 * A typed command counts as the user's consent. Options of an earlier run of a program stay in
 * Setup.
 */
static void run_program(struct tp_app *app)
{
	const char *command = home_of(app)->field.text;
	struct tp_form *form = &tp_setup_of(app)->form;
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	struct tp_diag diag;
	char name[64], **words;
	size_t n;
	if ((!is_set_up(app) && !set_up(app, NULL)) ||
	    tp_command_split(command, &arena, &words, &n, &diag) != TP_OK)
		return;
	tp_copy(name, sizeof(name), tp_path_last(words[0]));
	const struct {
		const char *key, *value;
	} values[] = { { "experiment", "app" }, { "name", name }, { "app.command", command } };
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < TP_COUNT_OF(values) && status == TP_OK; i++) {
		const struct tp_option *option = tp_option_find(values[i].key);
		tp_form_reset(form, option);
		status = tp_form_set(form, option, values[i].value, &diag);
	}
	if (status != TP_OK) {
		tp_app_say_diag(app, &diag);
		return;
	}
	tp_setup_settle(app, tp_setup_of(app));
	form->edited = false;
	if (tp_app_start(app))
		remember_command(command);
}

static void measure_machine(struct tp_app *app)
{
	if (!set_up(app, "quick"))
		return;
	tp_setup_settle(app, tp_setup_of(app));
	tp_app_start(app);
}

static const struct tp_yes_no ask_program = { "Run the program?", "set it up and run",
					      "keep the changes", run_program, NULL },
			      ask_measure = { "Measure this machine?", "load quick and measure",
					      "keep the changes", measure_machine, NULL };

/* Begins a run; what is set up gives way to it. */
static void begin(struct tp_app *app, const struct tp_yes_no *ask, bool replaces)
{
	if (tp_app_is_measuring(app))
		tp_app_say(app, TP_UI_WARN, "a run is under way already; s stops it");
	else if (replaces && tp_setup_of(app)->form.edited)
		tp_app_ask(app, ask, "The changes in Setup are not saved.");
	else
		ask->agreed(app);
}

static void take_command(struct tp_app *app, struct home *s)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	char **words, path[TP_PATH_MAX];
	size_t n;
	s->wrong = (struct tp_diag){ 0 };
	if (tp_command_split(s->field.text, &arena, &words, &n, &s->wrong) == TP_OK &&
	    !tp_program_find(words[0], path))
		tp_fail(&s->wrong, TP_NOTFOUND, "", NULL, "there is no program %s", words[0]);
	if (*s->wrong.what)
		return;
	s->mode = HOME_ROWS;
	begin(app, &ask_program, !is_set_up(app));
}

static void complete(struct home *s)
{
	if (tp_complete(&s->files, &s->field) || s->files.n < 2)
		return;
	tp_picker_release(&s->picker);
	tp_copy(s->picker.title, sizeof(s->picker.title), "Files");
	for (size_t i = 0; i < s->files.n; i++) {
		const struct tp_completion_file *file = &s->files.files[i];
		const char *name = strrchr(file->path, '/');
		/* The last part; a folder's ends in its slash. */
		while (name && name > file->path && (!name[1] || name[-1] != '/'))
			name--;
		tp_picker_add(&s->picker, name && name > file->path ? name : file->path,
			      file->folder    ? "folder"
			      : file->program ? "program"
					      : "");
	}
	s->mode = HOME_FILES;
}

static void take_file(struct home *s, enum tp_picker_event event)
{
	if (event == TP_PICKER_NONE)
		return;
	s->mode = HOME_TYPES;
	if (event == TP_PICKER_TAKEN)
		tp_complete_take(&s->files, tp_picker_at(&s->picker), &s->field);
}

/* --- the rows --- */

static size_t run_of(const struct home *s, size_t row)
{
	return s->stored.shown[row - ROW_RUNS];
}

static void take_row(struct tp_app *app, struct home *s)
{
	char path[TP_PATH_MAX];
	switch (s->list.at) {
	case ROW_PROGRAM:
		s->wrong = (struct tp_diag){ 0 };
		s->mode = HOME_TYPES;
		break;
	case ROW_MEASURE:
		begin(app, &ask_measure, true);
		break;
	case ROW_LESSON:
		tp_lessons_take_next(app);
		break;
	case ROW_EXAMPLE:
		tp_palette_open_examples(app);
		break;
	case ROW_MACHINE:
	case ROW_HEALTH:
		tp_machine_go(app, s->list.at == ROW_HEALTH);
		break;
	default:
		tp_app_open_result(app, tp_stored_path(&s->stored, run_of(s, s->list.at), path));
		break;
	}
}

/* --- painting --- */

enum {
	LABEL_COLUMNS = 22,
	BESIDE_FROM = 112,
	BESIDE_PERCENT = 45,
	BESIDE_LEAST = 54,
	GAP = 3,
	ROOMY_ROWS = 21, /* from this many rows on, blank rows separate the groups */
	DATE_COLUMNS = 11
};

enum { RUN_DATE, RUN_NAME, RUN_FIGURES, RUN_QUALITY, RUN_COLUMNS };
static const struct tp_list_column run_columns[RUN_COLUMNS] = {
	[RUN_DATE] = { "", false, 0, DATE_COLUMNS, DATE_COLUMNS },
	[RUN_NAME] = { "", false, 0, 14, 24 },
	[RUN_FIGURES] = { "", false, 0, 18, 40 },
	[RUN_QUALITY] = { "", false, 0, 11, 26 },
};

static const int grows[] = { RUN_FIGURES, RUN_NAME, RUN_QUALITY };

static void draw_run(const struct tp_stored_run *run, const struct tp_columns *c,
		     struct tp_area row, bool utf8, bool here)
{
	char quality[64];
	enum tp_role role;
	tp_stored_quality(run, true, c->widths[RUN_QUALITY], utf8, &role, quality, sizeof(quality));
	tp_columns_cell(c, row, RUN_DATE, here ? TP_UI_SELECTED : TP_UI_DIM,
			strlen(run->date) > DATE_COLUMNS ? run->date + 5 : run->date);
	tp_columns_cell(c, row, RUN_NAME, here ? TP_UI_SELECTED : TP_UI_PLAIN, run->name);
	tp_columns_cell(c, row, RUN_FIGURES, here ? TP_UI_SELECTED : TP_UI_STRONG,
			run->brief.figures);
	tp_columns_cell(c, row, RUN_QUALITY, here ? TP_UI_SELECTED : role, quality);
}

/*
 * "Intel Xeon Gold 6448Y, 64 cores, L1 48 KiB, L2 2 MiB, L3 60 MiB": the name of the CPU, cut to
 * the room that is left; none where it stands above the boxes.
 */
static void machine_words(const struct tp_machine *m, int room, bool named, char *out, size_t size)
{
	char rest[128], bytes[32];
	TP_STR name = { 0 };
	int n = snprintf(rest, sizeof(rest), "%u core%s", m->n_cores, m->n_cores == 1 ? "" : "s");
	for (int level = 1; level < TP_CACHE_LEVELS; level++)
		if (m->cache[level].size_bytes)
			n += snprintf(
				rest + n, sizeof(rest) - (size_t)n, ", L%d %s", level,
				tp_format_bytes(bytes, sizeof(bytes), m->cache[level].size_bytes));
	for (const char *c = m->cpu_name; named && *c;) {
		/* "(R)" and "(TM)" name nothing. */
		size_t skips = *c == '(' ? strcspn(c, ")") : 0;
		if (!skips)
			tp_str_add_n(&name, c, 1);
		c += skips + (c[skips] != '\0');
	}
	snprintf(out, size, "%.*s%s%s", TP_MAX(room - n - 2, 12), tp_str_text(&name),
		 name.len ? ", " : "", rest);
}

static enum tp_role note_of(const struct tp_app *app, const struct home *s, size_t row, int room,
			    char *out, size_t size)
{
	switch (row) {
	case ROW_MEASURE:
		tp_copy(out, size, "a first roofline, in a few seconds");
		break;
	case ROW_LESSON:
		tp_copy(out, size, *s->lesson ? s->lesson : s->stale ? "" : "all are done");
		break;
	case ROW_EXAMPLE:
		tp_copy(out, size, "one run of each experiment");
		break;
	case ROW_MACHINE:
		machine_words(&app->session.machine, room, !s->beside, out, size);
		return TP_UI_PLAIN;
	default:
		return tp_machine_health(app, out, size);
	}
	return TP_UI_DIM;
}

/* A row with its look, where a press finds it. */
static struct tp_area place_row(struct home *s, struct tp_area area, int row, size_t i)
{
	s->places[i] = tp_area_rows(area, row, 1);
	if (s->list.at == i)
		tp_paint_clear(s->places[i], TP_UI_SELECTED);
	return tp_area_columns(s->places[i], 1, area.columns - 2);
}

static void draw_row(const struct tp_app *app, struct home *s, struct tp_area area, int row,
		     size_t i)
{
	char note[512];
	struct tp_area line = place_row(s, area, row, i);
	bool here = s->list.at == i;
	int room = line.columns - LABEL_COLUMNS;
	enum tp_role role = note_of(app, s, i, room, note, sizeof(note));
	tp_paint_text(line, 0, 0, here ? TP_UI_SELECTED : TP_UI_STRONG, labels[i]);
	tp_paint_text(line, 0, LABEL_COLUMNS, here ? TP_UI_SELECTED : role, note);
}

/* The field and a line about it. */
static void draw_program(struct tp_app *app, struct home *s, struct tp_area area, int row)
{
	struct tp_area line = place_row(s, area, row, ROW_PROGRAM);
	bool here = s->list.at == ROW_PROGRAM, types = s->mode == HOME_TYPES;
	int room = line.columns - LABEL_COLUMNS;
	tp_paint_text(line, 0, 0, here ? TP_UI_SELECTED : TP_UI_STRONG, labels[ROW_PROGRAM]);
	if (types) {
		int at = tp_text_field_paint(&s->field, line, 0, LABEL_COLUMNS, room);
		tp_term_cursor(&app->term, line.row, line.column + at);
	} else {
		tp_paint_text(line, 0, LABEL_COLUMNS, here ? TP_UI_SELECTED : TP_UI_FIELD,
			      s->field.len ? s->field.text : "./a.out ...");
	}
	line = tp_area_columns(tp_area_rows(area, row + 1, 1), 1 + LABEL_COLUMNS, room);
	if (*s->wrong.what)
		tp_paint_text(line, 0, 0, TP_UI_BAD, s->wrong.what);
	else
		tp_paint_text(line, 0, 0, TP_UI_DIM,
			      types  ? "Enter runs it, Tab completes paths"
			      : here ? "Enter to type it, Enter to run it"
				     : "its place under this machine's roofs");
}

/* The last runs, as many as have room. */
static void draw_runs(const struct tp_app *app, struct home *s, struct tp_area area, int row)
{
	const struct tp_columns c = tp_columns_lay_out(run_columns, RUN_COLUMNS, grows,
						       TP_COUNT_OF(grows), 0, area.columns - 2);
	size_t room = (size_t)TP_MAX(area.rows - row - 1, 0), n = s->stored.n_shown;
	n = TP_MIN(TP_MIN(n, room), (size_t)(ROWS_MAX - ROW_RUNS));
	tp_paint_rule(tp_area_columns(area, 1, area.columns - 2), row, "Last runs");
	s->list.n = ROW_RUNS + n;
	s->list.at = TP_MIN(s->list.at, s->list.n - 1);
	for (size_t i = ROW_RUNS; i < s->list.n; i++) {
		row++;
		draw_run(&s->stored.all[run_of(s, i)], &c, place_row(s, area, row, i),
			 app->term.utf8, i == s->list.at);
	}
	if (!n && !s->stale)
		tp_paint_wrapped(tp_area_columns(area, 1, area.columns - 2), row + 1, 0, TP_UI_DIM,
				 "No runs yet. Measure this machine first, or run a program: the "
				 "results are kept and listed here.");
}

/* The machine as boxes, and its caches below them. */
static void draw_machine(const struct tp_app *app, struct home *s, struct tp_area area)
{
	const struct tp_look look = tp_app_look(app, area.columns, area.rows);
	uint64_t seen = TP_SEEN_START;
	tp_seen_mix(&seen, app->setup_version);
	tp_seen_text(&seen, app->found.from);
	tp_seen_mix(&seen, (uint64_t)area.columns);
	if (seen != s->seen) {
		TP_TEXT(boxes, &look);
		tp_hardware_topology(&app->session.machine, tp_found_run(&app->found), &boxes);
		tp_doc_report(&s->boxes, area.columns, &boxes);
		tp_machine_caches(&s->caches, &app->session, &app->found, &look);
		s->seen = seen;
	}
	tp_paint_rule(area, 0, app->session.machine.cpu_name);
	int caches = TP_MIN((int)s->caches.n, area.rows - 2);
	int boxes = TP_MIN((int)s->boxes.n, area.rows - 3 - caches);
	tp_doc_paint(&s->boxes, tp_area_rows(area, 2, boxes), 0, (size_t)-1);
	tp_doc_paint(&s->caches, tp_area_rows(area, 3 + boxes, caches), 0, (size_t)-1);
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct home *s = state;
	struct tp_offer offers[TP_OFFERS_MAX];
	char words[256], key[16];
	struct tp_area whole = area;
	s->beside = area.columns >= BESIDE_FROM;
	if (s->beside) {
		int columns = TP_MAX(area.columns * BESIDE_PERCENT / 100, (int)BESIDE_LEAST);
		area = tp_area_columns(area, 0, area.columns - columns - GAP);
		draw_machine(app, s, tp_area_columns(whole, area.columns + GAP, columns - 1));
	}
	int gap = area.rows >= ROOMY_ROWS, row = gap;
	draw_program(app, s, area, row);
	row += 2 + gap;
	for (size_t i = ROW_MEASURE; i < ROW_RUNS; i++) {
		row += i == ROW_MACHINE ? gap : 0;
		draw_row(app, s, area, row++, i);
	}
	size_t n = tp_offers(&app->session, tp_found_run(&app->found), offers);
	if (n && !s->beside) /* otherwise they are below the caches */
		tp_paint_format(tp_area_columns(area, 1, area.columns - 2), row++, LABEL_COLUMNS,
				TP_UI_CHANGED, "%s uses: %s",
				tp_keys_name(TP_ACTION_ADOPT, key, sizeof(key)),
				tp_offers_words(words, sizeof(words), offers, n));
	draw_runs(app, s, area, row + gap);
	if (s->mode == HOME_FILES)
		tp_picker_paint(&s->picker, whole);
}

/* --- keys and mouse --- */

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct home *s = state;
	if (tp_list_act(&s->list, action))
		return true;
	switch (action) {
	case TP_ACTION_DO:
		take_row(app, s);
		return true;
	case TP_ACTION_ADOPT:
		tp_adopt_offers(app);
		return true;
	default:
		return false;
	}
}

enum { CONTROL_C = 3 };

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct home *s = state;
	if (code == CONTROL_C)
		return false;
	if (s->mode == HOME_FILES) {
		take_file(s, tp_picker_key(&s->picker, code));
		return true;
	}
	/* What is pasted onto the program is meant for it. */
	if (s->mode == HOME_ROWS && app->pasting && s->list.at == ROW_PROGRAM)
		s->mode = HOME_TYPES;
	if (s->mode != HOME_TYPES)
		return false;
	if (code == TP_KEY_TAB) {
		complete(s);
		return true;
	}
	switch (tp_text_field_key(&s->field, code)) {
	case TP_TEXT_FIELD_TAKEN:
		take_command(app, s);
		break;
	case TP_TEXT_FIELD_LEFT:
		s->mode = HOME_ROWS;
		break;
	default:
		break;
	}
	return true;
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct home *s = state;
	if (s->mode == HOME_FILES) {
		take_file(s, tp_picker_mouse(&s->picker, tp_app_body(app), input));
		return;
	}
	if (input->mouse != TP_MOUSE_PRESS) {
		tp_list_move(&s->list, input->mouse == TP_MOUSE_WHEEL_UP ? -1 : 1);
		return;
	}
	for (size_t i = 0; i < s->list.n; i++) {
		if (!tp_area_holds(s->places[i], input->row, input->column))
			continue;
		s->mode = HOME_ROWS;
		s->list.at = i;
		if (input->twice)
			take_row(app, s);
	}
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct home *s = state;
	(void)app;
	return s->mode == HOME_ROWS    ? TP_OVER_NOTHING
	       : s->mode == HOME_TYPES ? TP_OVER_FIELD
				       : TP_OVER_BOX;
}

/* --- the screen --- */

static void open_screen(struct tp_app *app, void *state)
{
	struct home *s = state;
	(void)app;
	s->list.n = ROW_RUNS;
	recall_command(&s->field);
}

static void close_screen(void *state)
{
	struct home *s = state;
	tp_completion_release(&s->files);
	tp_picker_release(&s->picker);
	tp_stored_release(&s->stored);
	tp_doc_release(&s->boxes);
	tp_doc_release(&s->caches);
}

static void enter(struct tp_app *app, void *state)
{
	struct home *s = state;
	tp_found_look_again(&app->found);
	s->mode = HOME_ROWS;
	s->stale = true;
}

static void news(struct tp_app *app, void *state)
{
	struct home *s = state;
	s->stale |= app->live.state != s->live;
	s->live = app->live.state;
}

#define SLICE_SECONDS 0.008

static void scan(struct tp_app *app, struct home *s)
{
	char folder[TP_PATH_MAX];
	const struct tp_filter all = { 0 };
	struct tp_diag diag = { 0 };
	s->stale = false;
	if (tp_path_user_data("runs", folder, &diag) != TP_OK ||
	    tp_stored_scan(&s->stored, folder, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	tp_stored_choose(&s->stored, &all, TP_STORED_DATE);
	const char *lesson = tp_lessons_next(app);
	tp_copy(s->lesson, sizeof(s->lesson), lesson ? lesson : "");
	app->dirty = true;
}

/* Reads the runs in sight, then examines the machine. */
static double work(struct tp_app *app, void *state)
{
	struct home *s = state;
	const struct tp_filter all = { 0 };
	double until = tp_now_seconds() + SLICE_SECONDS;
	char path[TP_PATH_MAX];
	bool known = false;
	if (s->stale) {
		scan(app, s);
		return 0;
	}
	for (size_t i = ROW_RUNS; i < s->list.n && tp_now_seconds() < until; i++) {
		if (i - ROW_RUNS >= s->stored.n_shown)
			break;
		tp_stored_path(&s->stored, run_of(s, i), path);
		known |= !tp_app_measures(app, path) && tp_stored_know(&s->stored, run_of(s, i));
	}
	if (!known)
		return tp_machine_survey(app);
	tp_stored_choose(&s->stored, &all, TP_STORED_DATE); /* without deleted ones */
	app->dirty = true;
	return 0;
}

const struct tp_screen tp_screen_home = {
	.state_bytes = sizeof(struct home),
	.open = open_screen,
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.news = news,
	.over = over,
	.work = work,
};
