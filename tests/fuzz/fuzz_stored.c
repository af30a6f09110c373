/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the files of a stored run (see folder.h): must not crash, must report why it cannot
 * be loaded or resumed. What is loaded can be shown and written; to plan the rest of it changes
 * none of its files, and what its preset starts is on the list that the user sees.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "record/load.h"
#include "report/report.h"
#include "session/consent.h"
#include "session/measure.h"
#include "tests/fuzz/folder.h"
#include "tests/unit/printed.h"

enum { POINTS_SHOWN = 300 };

static const char *const files[] = { "run.json",    "journal.ndjson", "points.csv",
				     "profile.csv", "preset.yaml",    "output.txt" };
static char path[] = "/tmp/tprof-fuzz-stored-XXXXXX";
static const struct fuzz_folder folder = { path, files, TP_COUNT_OF(files) };

static void clean_up(void)
{
	folder_clear(&folder);
	rmdir(path);
}

static void set_up(void)
{
	tp_experiments_begin();
	must(mkdtemp(path), "there is a folder");
	must(setenv("XDG_DATA_HOME", path, 1) == 0 && setenv("XDG_CONFIG_HOME", path, 1) == 0,
	     "which the user has");
	atexit(clean_up);
}

static void show(const struct tp_run *run)
{
	struct tp_look look = { .columns = 80 };
	TP_STR text = { 0 }, told = { 0 };
	TP_CLEANUP(tp_run_release) struct tp_run again = { 0 };
	struct tp_diag diag = { 0 };
	/* The number of a point makes all before it. */
	if (run->n_points > POINTS_SHOWN)
		return;
	tp_run_json(run, &text);
	must(tp_run_parse(&again, "again", text.s, text.len, &diag) == TP_OK, "it is read again");
	must(again.n_points == run->n_points, "with all points");
	PRINTED(&look, &told, tp_report_text(run, doc));
	PRINTED(&look, &told, tp_report_plots(run, doc));
	must(told.len > 0, "and shown");
}

static void list(void)
{
	TP_FREE struct tp_run_entry *entry = tp_alloc(1, sizeof(*entry));
	char json[TP_PATH_MAX];
	if (tp_run_entry_head(folder_path(&folder, 0, json), entry))
		must(entry->n_done <= TP_RUN_POINTS_MAX, "a run has no more points than fit");
}

/* What a file is, so that a change of it shows. */
static void look_at(struct stat found[TP_COUNT_OF(files)])
{
	char file[TP_PATH_MAX];
	for (size_t i = 0; i < TP_COUNT_OF(files); i++)
		if (lstat(folder_path(&folder, i, file), &found[i]) != 0)
			found[i] = (struct stat){ .st_size = -1 };
}

static void go_on(void)
{
	TP_FREE struct tp_session *session = tp_alloc(1, sizeof(*session));
	TP_CLEANUP(tp_run_release) struct tp_run earlier = { 0 };
	TP_CLEANUP(tp_keep_close) struct tp_keep keep = { .journal = -1 };
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	TP_CLEANUP(tp_consent_release) struct tp_consent consent = { .n = 0 };
	struct stat before[TP_COUNT_OF(files)], after[TP_COUNT_OF(files)];
	look_at(before);
	enum tp_status status = tp_session_continue(session, &keep, &earlier, path, &diags);
	look_at(after);
	for (size_t i = 0; i < TP_COUNT_OF(files); i++)
		must(before[i].st_size == after[i].st_size && before[i].st_ino == after[i].st_ino &&
			     before[i].st_mtim.tv_sec == after[i].st_mtim.tv_sec &&
			     before[i].st_mtim.tv_nsec == after[i].st_mtim.tv_nsec,
		     "a plan changes no file");
	if (status != TP_OK)
		must(diags.n > 0 && diags.items[0].what[0], "what cannot go on has words");
	else
		must(session->plan.n > 0, "what goes on has a plan");
	if (status == TP_OK && tp_preset_acts(&session->preset)) {
		tp_consent_add_preset(&consent, &session->preset, true);
		must(consent.n > 0, "what acts is on the list");
	}
	tp_session_close(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool begun;
	TP_CLEANUP(tp_run_release) struct tp_run run = { 0 };
	struct tp_diag diag = { 0 };
	if (!begun)
		set_up();
	begun = true;
	folder_fill(&folder, (const char *)data, size);
	list();
	if (tp_run_load(&run, path, &diag) == TP_OK)
		show(&run);
	else
		must(diag.where[0] && diag.what[0], "a failure has a place and words");
	go_on();
	return 0;
}
