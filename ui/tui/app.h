/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state that all screens share: the terminal, the setup, the live run, the open runs. */
#ifndef TPROF_UI_TUI_APP_H
#define TPROF_UI_TUI_APP_H

#include "base/file.h"
#include "base/tally.h"
#include "preset/preset.h"
#include "session/consent.h"
#include "session/learned.h"
#include "session/live.h"
#include "session/document.h"
#include "session/session.h"
#include "ui/tui/keys.h"
#include "ui/tui/paint.h"
#include "ui/tui/palette.h"
#include "ui/tui/term.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/text_field.h"

enum { TP_APP_RUNS = 4 };

/* Options of the command line for the screens. */
struct tp_tui_options {
	struct tp_overrides overrides;
	struct tp_look_wish look;
	bool no_mouse;
	bool allow_code; /* of files that a preset or a stored run names */
	const char *replay; /* a stored run to replay, NULL = none */
	double speed; /* of the replay: 2 = twice as fast, 0 = at once */
};

struct tp_app;

/* A box over a screen with the texts that had no room there. */
struct tp_whole {
	bool open;
	int columns; /* of the terminal that it was made for */
	struct tp_doc doc;
};

/* A question in a box: its title, what the keys y and n do, and what a yes calls. */
struct tp_yes_no {
	const char *title, *yes, *no;
	void (*agreed)(struct tp_app *app);
	const char *declined; /* the message after a no; NULL = none */
};

/*
 * A line to type in a box, a path or a dot: what it is, and its receiver. A line that is refused
 * stays, with the reason.
 */
struct tp_asked_line {
	const char *title, *note;
	const char *ending; /* shown after it; NULL = nothing */
	enum tp_status (*take)(struct tp_app *app, const char *text, struct tp_diag *diag);
	bool stays; /* what was taken is there the next time, as what was left always is */
};

/* Asking for the user's word before anything acts that a document from outside names. */
struct tp_asking {
	struct tp_consent acts;
	bool agreed; /* while the requested action begins */
	void (*begin)(struct tp_app *app); /* once all acts have the word */
	char run_path[TP_PATH_MAX]; /* of a stored run that is to go on */
};

/* A stored run that is open. */
struct tp_open_run {
	struct tp_run run;
	char path[TP_PATH_MAX];
	char label[64]; /* short name for legends */
};

struct tp_screen; /* ui/tui/screen.h */

struct tp_app {
	const struct tp_tui_options *options;
	struct tp_term term;
	const struct tp_screen *const *screens; /* TP_SCREEN_COUNT */
	enum tp_screen_id screen, before_help;
	enum tp_screen_id last[TP_PLACE_COUNT]; /* the screen that a place opens on */
	void *state[TP_SCREEN_COUNT];
	int part; /* of the shown screen, see tp_screen.parts */

	/*
	 * Preset, machine and plan. Only Setup changes them; `setup_version` grows with each
	 * change.
	 */
	struct tp_session session;
	struct tp_diags problems; /* why the plan cannot be measured; none: it can */
	uint64_t setup_version;

	/*
	 * The screens show the live run if there is one, else runs[0]; runs[1..] are drawn over it.
	 */
	struct tp_live live;
	bool watched; /* it was started here: at its end its results are shown */
	struct tp_open_run runs[TP_APP_RUNS];
	size_t n_runs;

	struct tp_found found; /* what stored runs measured of this machine */

	enum tp_plot_glyphs glyphs;
	bool pasting; /* the character that a text field hears was pasted */
	/* The last press of the mouse, and whether it opened or closed something. */
	struct {
		int row, column;
		double at;
		bool moved;
	} pressed;
	struct tp_cuts cuts; /* the texts that had no room, */
	struct tp_whole whole; /* and a box with them */
	struct tp_palette palette;
	bool dirty;
	double painted, pace; /* when, and how long it stays so at least */
	bool quit;
	int exit_code;

	/* One line above the footer. */
	char message[256];
	enum tp_role message_role;
	double message_until;
	const struct tp_yes_no *question; /* the open one; NULL = none */
	struct {
		struct tp_str words;
		struct tp_doc doc;
		/* Its end has been in sight: before that the user does not agree to it. */
		bool read;
	} asked;
	struct tp_asking asking;
	/* The requested line over the screen, while the box is open. */
	const struct tp_asked_line *line;
	struct tp_path_box line_box;
	char refused[192];
};

/* The area between head and foot, where a screen paints. */
enum { TP_APP_FOOT_ROWS = 2 };
struct tp_area tp_app_body(const struct tp_app *app);
/* How a report looks on the screens. */
struct tp_look tp_app_look(const struct tp_app *app, int columns, int rows);
/* In the middle of a screen: why it shows nothing of the run, or that no run is open. */
void tp_app_paint_empty(const struct tp_app *app, struct tp_area area, const char *why);

/* Opens the screens (tui.c); returns the exit code. */
int tp_tui_main(const struct tp_tui_options *options);

/* The run to show, NULL for none. */
const struct tp_run *tp_app_run(const struct tp_app *app);
/*
 * The shown run and those over it, from 0; a live run comes before the opened ones. Labels are
 * their names.
 */
size_t tp_app_n_shown(const struct tp_app *app);
const struct tp_run *tp_app_shown(const struct tp_app *app, size_t i);
const char *tp_app_shown_label(const struct tp_app *app, size_t i);
/* Puts a user's dot on the shown run, as long as it is shown; see record/own_dots.h. */
enum tp_status tp_app_add_dot(struct tp_app *app, const char *text, struct tp_diag *diag);
/* The name of the shown run: the last part of its path. */
const char *tp_app_run_label(const struct tp_app *app);
/* Opens a stored run; `over` draws it over the shown one instead of replacing it. */
enum tp_status tp_app_open_run(struct tp_app *app, const char *path, bool over);
/* Opens a stored run, and the screen that shows its results. */
void tp_app_open_result(struct tp_app *app, const char *path);
/* The run or the opened runs changed: all screens hear of it. */
void tp_app_tell_news(struct tp_app *app);

void tp_app_go(struct tp_app *app, enum tp_screen_id screen);
/* To the screen of a place that was shown last, or to the first one with something to show. */
void tp_app_go_place(struct tp_app *app, enum tp_place_id place);
/* To the screen that shows the results of the opened run. */
void tp_app_go_result(struct tp_app *app);
/* To the next screen of the place, or to the one before. */
void tp_app_next(struct tp_app *app, bool forward);
/* Whether a screen has something to show: one of results what the run has. */
bool tp_app_offers(const struct tp_app *app, enum tp_screen_id screen);
/* Shows a message in the line above the footer for a few seconds. */
void tp_app_say(struct tp_app *app, enum tp_role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void tp_app_say_diag(struct tp_app *app, const struct tp_diag *diag);
/* Asks a question, of a constant kind; its words may have several lines. */
void tp_app_ask(struct tp_app *app, const struct tp_yes_no *question, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Asks for a line. It is `text`; "": what was left, NULL: what was left or the current folder. */
void tp_app_ask_line(struct tp_app *app, const struct tp_asked_line *line, const char *text);

/*
 * True if everything on the list may happen; the app owns it then. False: the user is asked, who
 * sees all of it, and `begin` is called on consent; or the list is too long.
 */
bool tp_app_may(struct tp_app *app, const struct tp_consent *acts,
		void (*begin)(struct tp_app *app));
bool tp_app_may_run(struct tp_app *app, const struct tp_preset *preset,
		    void (*begin)(struct tp_app *app));

/* --- starting and resuming runs, and the keys that a run under way obeys on every screen --- */

/*
 * Of what the command line sets: the machine that is measured. The rest is for what is set up on
 * Setup. `sets` has room for all of them.
 */
struct tp_overrides tp_app_machine_overrides(const struct tp_app *app, const char **sets);

/* True while a run (not a replay) is being measured. */
bool tp_app_is_measuring(const struct tp_app *app);
/* The run at that path is under way: to read its growing journal would disturb it. */
bool tp_app_measures(const struct tp_app *app, const char *path);
/* Measures the setup and shows the run; reports why if it cannot. */
bool tp_app_start(struct tp_app *app);
/*
 * Takes over a session to measure it; stays on the shown screen. False: it reports why it cannot,
 * or asks for consent first and then calls `again`.
 */
bool tp_app_measure_session(struct tp_app *app, struct tp_session *session,
			    void (*again)(struct tp_app *app));
/* Goes on with an interrupted run and shows it; reports why if it cannot. */
bool tp_app_resume(struct tp_app *app, const char *run_path);
/* Start, pause, skip, stop, faster, slower; false for other actions. */
bool tp_control_act(struct tp_app *app, enum tp_action action);

/* Prints where the measured run is, and how to resume it if it was interrupted. */
void tp_control_tell_end(const struct tp_app *app);

/*
 * --- what a view was made from, in one number (FNV-1a) ---
 *
 * While it stays the same, the view and its borrowed data are valid.
 */

/* The shown run and those over it: which ones, their finished points, their results. */
uint64_t tp_seen_runs(const struct tp_app *app);

/* For views that depend on less. */
#define TP_SEEN_START TP_HASH_START
void tp_seen_mix(uint64_t *seen, uint64_t value);
void tp_seen_text(uint64_t *seen, const char *text);

#endif
