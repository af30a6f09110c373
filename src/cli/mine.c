/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --mine: what decides a column of a table, or the results of a run. */
#include "cli/cli.h"
#include "mining/mined.h"
#include "mining/options.h"
#include "mining/say.h"
#include "record/load.h"
#include "doc/terminal.h"
#include "machine/machine.h"
#include "session/document.h"
#include "base/now.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mining {
	const struct tp_cli *cli;
	struct tp_preset preset; /* the options that were given */
	struct tp_run run; /* what is mined, unless it is a table */
	struct tp_mined mined;
	struct tp_progress progress;
	const char *step; /* shown last */
	double step_began, told;
	bool chooses; /* no target yet: list the columns */
};

/* JSON of a run is recognised by its first line. */
static bool is_json_of_run(const char *path)
{
	char first[128] = "";
	FILE *file = fopen(path, "r");
	if (!file)
		return true;
	size_t n = fread(first, 1, sizeof(first) - 1, file);
	fclose(file);
	return n == 0 || strstr(first, "\"tprof");
}

/* A file is a table, unless it is one of a run. */
static bool is_table(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0 || S_ISDIR(st.st_mode))
		return tp_ends_with(path, ".csv");
	if (!S_ISREG(st.st_mode) || !tp_ends_with(path, ".json"))
		return !tp_ends_with(path, ".ndjson");
	return !is_json_of_run(path);
}

static struct tp_config *config_of(struct mining *m)
{
	return &m->preset.runs[0];
}

/* How often a step's progress is shown, and from when on its time left is estimated. */
#define TELL_SECONDS  0.1
#define KNOWN_SECONDS 0.3

static void hear(void *context, const char *step, size_t done, size_t all)
{
	struct mining *m = context;
	double now = tp_now_seconds(), spent;
	char left[32];
	TP_STR line = { 0 };
	if (!m->step || strcmp(step, m->step) != 0)
		m->step_began = now;
	else if (now - m->told < TELL_SECONDS)
		return;
	m->step = step;
	m->told = now;
	spent = now - m->step_began;
	tp_str_add(&line, step);
	if (all)
		tp_str_printf(&line, ": %zu of %zu", done, all);
	if (done && spent >= KNOWN_SECONDS)
		tp_str_printf(&line, ", %s left",
			      tp_format_seconds(left, sizeof(left),
						ceil(spent * (double)(all - done) / (double)done)));
	tp_progress_say(&m->progress, tp_str_text(&line));
}

/* The table; of several files one below the other. */
static enum tp_status read_tables(struct mining *m, const struct tp_written_wish *wish,
				  struct tp_diag *diag)
{
	const struct tp_values *files = &m->cli->values;
	if (files->n == 1)
		return tp_frame_read_csv(&m->mined.frame, files->items[0], wish, diag);
	TP_FREE struct tp_frame *parts = tp_alloc(files->n, sizeof(*parts));
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < files->n && status == TP_OK; i++) {
		parts[i].max_bytes = m->mined.frame.max_bytes;
		status = is_table(files->items[i])
				 ? tp_frame_read_csv(&parts[i], files->items[i], wish, diag)
				 : tp_fail(diag, TP_USAGE, files->items[i],
					   "compare runs with --compare",
					   "is a run: only tables can be joined");
	}
	if (status == TP_OK)
		status = tp_frame_join(&m->mined.frame, parts, files->n, diag);
	for (size_t i = 0; i < files->n; i++)
		tp_frame_release(&parts[i]);
	return status;
}

static enum tp_status mine_table(struct mining *m, struct tp_diag *diag)
{
	const struct tp_value *learn = tp_config_value(config_of(m), TP_OPT_MINE_LEARN);
	struct tp_written_wish wish;
	hear(m, "reading the table", 0, 0);
	bool groups = learn->n == 1 && strcmp(learn->items[0].text, "kmeans") == 0;
	enum tp_status status = tp_mine_wish_of_config(&wish, config_of(m), diag);
	/* While rows are added, the table takes twice its size. */
	m->mined.frame.max_bytes = m->mined.max_bytes / 2;
	if (status == TP_OK)
		status = read_tables(m, &wish, diag);
	if (status != TP_OK)
		return status;
	m->mined.max_bytes = tp_memory_left("");
	m->chooses = !*tp_config_text(config_of(m), TP_OPT_MINE_TARGET) && !groups;
	return m->chooses ? TP_OK : tp_mine_frame(&m->mined, config_of(m), diag);
}

/* --- output --- */

static void add_text(struct mining *m, struct tp_str *out)
{
	const struct tp_cli *cli = m->cli;
	struct tp_look look;
	TP_TEXT(text, &look);
	tp_look_init(&look, &cli->look, tp_is_stdout(cli->output) ? STDOUT_FILENO : -1);
	look.full = cli->report == TP_FULL;
	if (m->chooses) {
		tp_mine_columns(&m->mined.frame, &text);
	} else {
		tp_pictures_text(tp_mine_pictures, &m->mined.mining, NULL, &text);
		tp_mine_text(&m->mined.mining, &text);
	}
	tp_text_print(&text, out);
}

static enum tp_status write_out(struct mining *m, struct tp_diag *diag)
{
	const struct tp_cli *cli = m->cli;
	TP_STR out = { 0 }, svg = { 0 }, html = { 0 };
	enum tp_status status = TP_OK;
	if (m->chooses && (cli->json || cli->csv || cli->svg || cli->html))
		return tp_fail(diag, TP_USAGE, tp_cli_value(cli),
			       "name one: --target COLUMN; without --json, --csv, --svg and --html "
			       "the columns are listed",
			       "which column is to be explained?");
	if (cli->svg) {
		tp_mine_svg(&m->mined.mining, TP_SVG_AUTO, &svg);
		status = tp_text_write(cli->svg, &svg, diag);
	}
	if (status == TP_OK && cli->html) {
		tp_mine_html(&m->mined.mining, &html);
		status = tp_text_write(cli->html, &html, diag);
	}
	/* Only pictures or the page, if nothing else was requested. */
	if (status == TP_OK &&
	    ((!cli->svg && !cli->html) || cli->json || cli->csv || cli->output)) {
		if (cli->json)
			tp_mine_json(&m->mined.mining, &out);
		else if (cli->csv)
			tp_mine_csv(&m->mined.mining, &m->mined.frame, &out);
		else
			add_text(m, &out);
		status = tp_text_write(cli->output, &out, diag);
	}
	if (status == TP_OK && m->chooses && !cli->quiet)
		tp_say("choose the column to explain: tprof --mine %s --target COLUMN",
		       tp_cli_value(cli));
	return status;
}

static int run(struct mining *m)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	struct tp_diag diag = { .what = "" };
	char path[TP_PATH_MAX];
	enum tp_status status = tp_session_preset(&m->preset, &m->cli->overrides, NULL, &diags);
	tp_complain_all(&diags);
	if (status != TP_OK)
		return (int)tp_status_exit(status);
	struct tp_look look;
	tp_look_init(&look, &m->cli->look, STDERR_FILENO);
	look.terminal &= !m->cli->quiet;
	tp_progress_start(&m->progress, &look);
	m->mined.listener = (struct tp_listener){ hear, m };
	m->mined.max_bytes = tp_memory_left("");
	if (m->cli->values.n > 1 || is_table(tp_cli_value(m->cli)))
		status = mine_table(m, &diag);
	else if ((status = tp_run_find(tp_cli_value(m->cli), path, &diag)) == TP_OK &&
		 (status = tp_run_load(&m->run, path, &diag)) == TP_OK)
		status = tp_mine_run(&m->mined, &m->run, config_of(m), &diag);
	tp_progress_clear(&m->progress);
	if (status == TP_OK)
		status = write_out(m, &diag);
	return status == TP_OK ? TP_EXIT_OK : tp_cli_fail(status, &diag);
}

int tp_cli_mine(const struct tp_cli *cli)
{
	TP_FREE struct mining *m = tp_alloc(1, sizeof(*m));
	m->cli = cli;
	int code = run(m);
	tp_mined_release(&m->mined);
	tp_run_release(&m->run);
	tp_preset_release(&m->preset);
	return code;
}
