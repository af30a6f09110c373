/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all screens share: the terminal, what is set up, the run under way, the runs that are open. */
#ifndef TPROF_TUI_APP_H
#define TPROF_TUI_APP_H

#include "cli/cli.h"
#include "ui/tui/keys.h"
#include "ui/tui/live.h"
#include "ui/tui/term.h"
#include "ui/tui/theme.h"

enum { TP_APP_RUNS = 4 };

/* A stored run that is looked at. */
struct tp_open_run {
	struct tp_run run;
	char path[TP_PATH_MAX];
	char label[64]; /* short name for legends */
};

struct tp_app {
	const struct tp_cli *cli;
	struct tp_term term;
	enum tp_screen_id screen, before_help;
	void *state[TP_SCREEN_COUNT];

	/* What is set up: preset, machine, plan. Changed by Setup only; `setup_version` grows with each change. */
	struct tp_session session;
	struct tp_diags problems; /* why the plan cannot be measured; empty = it can */
	uint64_t setup_version;

	/* The run that is shown: the live one while there is one that was not put aside, else runs[0]. runs[1..] are drawn over it. */
	struct tp_live live;
	struct tp_open_run runs[TP_APP_RUNS];
	size_t n_runs;

	enum tp_plot_glyphs glyphs;
	bool pasting; /* what comes is pasted text: for open text fields alone, never keys */
	double pasted_at;
	bool dirty; /* something to paint */
	bool quit;
	int exit_code;

	/* One line above the footer. */
	char message[256];
	enum tp_role message_role;
	double message_until;
	/* A yes/no question, answered by a key; NULL = none. */
	const char *question;
	void (*answer)(struct tp_app *app, bool yes);
};

/* Opens the screens; returns the exit code. cli->replay: a run to replay. */
int tp_tui_main(const struct tp_cli *cli);

/* The run to show, or NULL: live before opened. */
const struct tp_run *tp_app_run(const struct tp_app *app);
/* Bytes of path shown as the title of the shown run. */
const char *tp_app_run_label(const struct tp_app *app);
/* Opens a stored run as the shown one (`over` false) or over it. */
enum tp_status tp_app_open_run(struct tp_app *app, const char *path, bool over);
void tp_app_close_runs(struct tp_app *app);
void tp_app_go(struct tp_app *app, enum tp_screen_id screen);
/* Words for the line above the footer, for a few seconds. */
void tp_app_say(struct tp_app *app, enum tp_role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void tp_app_say_diag(struct tp_app *app, const struct tp_diag *diag);
/* Asks; `answer` is called with what was said. */
void tp_app_ask(struct tp_app *app, const char *question,
		void (*answer)(struct tp_app *app, bool yes));

#endif
