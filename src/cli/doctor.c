/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tprof doctor: tells what on this machine would disturb a measurement, and the command that helps.
 */
#include "cli/cli.h"
#include "base/text.h"
#include "base/memory.h"
#include "kernels/arch.h"
#include "machine/health.h"
#include "machine/knobs_held.h"
#include "doc/terminal.h"
#include "record/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* The space that the results of a long run need. */
#define SPACE_BYTES (100ULL << 20)

enum { SAMPLE_MS = 200, TITLE_COLUMN = 2, TEXT_COLUMN = 27, FINDINGS_MAX = 64 };

/* --- checks of the program's own needs --- */

struct own_check {
	const char *id, *title;
	void (*check)(const struct tp_look *look, struct tp_finding *finding);
};

/* Cuts the path to the nearest directory that exists. */
static void existing_part(char path[TP_PATH_MAX])
{
	while (access(path, F_OK) != 0) {
		char *slash = strrchr(path, '/');
		if (!slash || slash == path) {
			tp_copy(path, TP_PATH_MAX, slash ? "/" : ".");
			return;
		}
		*slash = '\0';
	}
}

static void check_results(const struct tp_look *look, struct tp_finding *f)
{
	char directory[TP_PATH_MAX], there[TP_PATH_MAX], size[32];
	struct statvfs fs;
	struct tp_diag diag;
	(void)look;
	if (tp_path_user_data("runs", directory, &diag) != TP_OK) {
		tp_found(f, TP_PROBLEM, diag.hint, NULL, "%s", diag.what);
		return;
	}
	tp_copy(there, sizeof(there), directory);
	existing_part(there);
	if (access(there, W_OK | X_OK) != 0) {
		tp_found(f, TP_PROBLEM,
			 "runs need another place: --run-dir DIR, or for all of them",
			 "export XDG_DATA_HOME=\"$PWD\"", "%.200s cannot be written: %s", there,
			 strerror(errno));
		return;
	}
	unsigned long long free_bytes =
		statvfs(there, &fs) == 0 ? (unsigned long long)fs.f_bavail * fs.f_frsize : 0;
	bool enough = free_bytes >= SPACE_BYTES;
	tp_found(f, enough ? TP_FINE : TP_WARNING,
		 enough ? NULL : "a long run keeps every window; give it room, or --run-dir DIR",
		 NULL, "%s left in %.200s", tp_format_bytes(size, sizeof(size), free_bytes),
		 directory);
}

static void check_terminal(const struct tp_look *look, struct tp_finding *f)
{
	char size[32] = " (no terminal)";
	if (look->terminal)
		snprintf(size, sizeof(size), ", %u x %u", look->columns, look->rows);
	tp_found(f, look->utf8 ? TP_FINE : TP_NOTE,
		 look->utf8 ? NULL : "plots are drawn with ASCII characters",
		 look->utf8 ? NULL : "export LC_ALL=C.UTF-8", "%s, %s%s",
		 look->utf8 ? "UTF-8" : "plain ASCII", look->colour ? "colours" : "no colours",
		 size);
}

static const struct own_check own_checks[] = {
	{ "results", "Place for results", check_results },
	{ "terminal", "Terminal", check_terminal },
};

/* --- output --- */

struct doctor {
	struct tp_look look;
	struct tp_finding findings[FINDINGS_MAX];
	size_t n;
};

static const enum tp_paint paints[TP_SEVERITY_COUNT] = {
	[TP_FINE] = TP_PAINT_GOOD,
	[TP_NOTE] = TP_PAINT_STRONG,
	[TP_WARNING] = TP_PAINT_WARN,
	[TP_PROBLEM] = TP_PAINT_BAD,
};

static void add_finding(struct tp_text *doc, const struct tp_finding *f)
{
	TP_STR clean = { 0 };
	tp_text_indent(doc, TITLE_COLUMN);
	tp_text_run(doc, f->severity == TP_FINE ? TP_PAINT_PLAIN : TP_PAINT_STRONG, f->title);
	size_t used = TITLE_COLUMN + strlen(f->title);
	size_t gap = used < TEXT_COLUMN ? TEXT_COLUMN - used : 1;
	tp_text_indent(doc, gap);
	tp_text_clean(&clean, f->what, doc->look);
	tp_text_wrap(doc, TP_PAINT_PLAIN, tp_str_text(&clean), used + gap, TEXT_COLUMN);
	if (*f->means) {
		tp_text_indent(doc, TEXT_COLUMN);
		tp_text_wrap(doc, TP_PAINT_DIM, f->means, TEXT_COLUMN, TEXT_COLUMN);
	}
	if (*f->remedy) {
		/* In one line, so that it can be copied. */
		TP_STR line = { 0 };
		tp_str_pad(&line, ' ', TEXT_COLUMN);
		tp_str_add(&line, "$ ");
		tp_text_clean(&line, f->remedy, doc->look);
		tp_str_add(&line, "\n");
		tp_text_verbatim(doc, tp_str_text(&line));
	}
}

/* Worst first. */
static void print_text(const struct doctor *d, struct tp_str *out)
{
	TP_TEXT(text, &d->look);
	for (int severity = TP_SEVERITY_COUNT - 1; severity >= 0; severity--) {
		bool headed = false;
		for (size_t i = 0; i < d->n; i++) {
			if (d->findings[i].severity != (enum tp_severity)severity)
				continue;
			if (!headed) {
				if (text.n)
					tp_text_gap(&text);
				tp_text_wrap(&text, paints[severity],
					     tp_severity_name((enum tp_severity)severity), 0, 0);
			}
			headed = true;
			add_finding(&text, &d->findings[i]);
		}
	}
	tp_text_print(&text, out);
}

static void print_json(const struct doctor *d, struct tp_str *out)
{
	struct tp_listing *json = tp_listing_new();
	for (const struct tp_finding *f = d->findings; f < d->findings + d->n; f++) {
		tp_listing_row(json);
		tp_listing_text(json, "id", f->id);
		tp_listing_text(json, "title", f->title);
		tp_listing_text(json, "severity", tp_severity_name(f->severity));
		tp_listing_text(json, "what", f->what);
		tp_listing_text(json, "means", f->means);
		tp_listing_text(json, "remedy", f->remedy);
	}
	tp_listing_write(json, out);
	tp_listing_free(json);
}

/* --- the examination --- */

static enum tp_status examine(struct doctor *d, const char *root, struct tp_diag *diag)
{
	const struct timespec wait = { .tv_nsec = SAMPLE_MS * 1000000L };
	struct tp_cpu cpu;
	struct tp_machine machine;
	struct tp_health health;
	tp_arch_identify(&cpu);
	enum tp_status status = tp_machine_init(&machine, &cpu, NULL, "detected", NULL, diag);
	if (status != TP_OK)
		return status;
	tp_health_init(&health, &machine, root);
	tp_health_look_first(&health);
	nanosleep(&wait, NULL);
	tp_health_look_again(&health);
	for (size_t i = 0; i < tp_health_count && d->n < FINDINGS_MAX; i++)
		if (tp_health_check(&health, i, &d->findings[d->n]))
			d->n++;
	for (size_t i = 0; i < TP_COUNT_OF(own_checks) && d->n < FINDINGS_MAX; i++) {
		struct tp_finding *f = &d->findings[d->n++];
		*f = (struct tp_finding){ .id = own_checks[i].id, .title = own_checks[i].title };
		own_checks[i].check(&d->look, f);
	}
	tp_health_release(&health);
	tp_machine_release(&machine);
	return TP_OK;
}

/*
 * tprof doctor --restore: puts back what killed runs left changed. Every place that can hold a
 * record is looked at.
 */
static int restore(const struct tp_cli *cli, const char *root)
{
	struct tp_leftover left;
	int code = TP_EXIT_OK;
	size_t restored = 0;
	for (unsigned n = 0; tp_leftover_look(&left, n, root); n++) {
		TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
		if (left.state == TP_LEFTOVER_HELD)
			tp_diags_note(&diags, left.path, "it restores them when it ends",
				      "a tprof that is measuring has set the knobs");
		else if (left.state == TP_LEFTOVER_DOUBTFUL)
			tp_diags_note(&diags, left.path, "look at it, then remove it",
				      "this record was not made by tprof, or by another user: left "
				      "alone");
		if (left.state == TP_LEFTOVER_THERE && tp_leftover_restore(&left, &diags) == TP_OK)
			restored += left.knobs.n;
		else if (left.state != TP_LEFTOVER_NONE)
			code = TP_EXIT_RESOURCE;
		tp_complain_all(&diags);
		tp_knobs_release(&left.knobs);
	}
	if (code == TP_EXIT_OK && !cli->quiet)
		fprintf(stderr,
			restored ? "tprof: %zu settings put back\n"
				 : "tprof: nothing was left changed (%zu settings)\n",
			restored);
	return code;
}

int tp_cli_doctor(const struct tp_cli *cli)
{
	const char *root = tp_knobs_sysroot();
	struct tp_diag diag = { 0 };
	TP_STR out = { 0 };
	if (cli->restore)
		return restore(cli, root);
	TP_FREE struct doctor *d = tp_alloc(1, sizeof(*d));
	tp_look_init(&d->look, &cli->look, STDOUT_FILENO);
	if (!d->look.terminal)
		d->look.columns = 1000; /* for programs: an entry is one line */
	enum tp_status status = examine(d, root, &diag);
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	if (cli->json)
		print_json(d, &out);
	else
		print_text(d, &out);
	fputs(tp_str_text(&out), stdout);
	for (size_t i = 0; cli->strict != TP_STRICT_NOT && i < d->n; i++)
		if (d->findings[i].severity >= TP_WARNING)
			return TP_EXIT_UNSTABLE;
	return TP_EXIT_OK;
}
