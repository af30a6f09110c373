/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/text.h"
#include "kernels/arch.h"
#include "machine/knobs_held.h"
#include "preset/preset.h"

/* The space that the results of a long run need. */
#define SPACE_BYTES (100ULL << 20)

/* --- what the program needs of the system --- */

/* Frames hold paths and rows, and the agent works on the stack of the program that it counts. */
static const rlim_t stack_needed_bytes = 512 * 1024;

static enum tp_status raise_stack(struct tp_diag *diag)
{
	struct rlimit stack;
	if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= stack_needed_bytes)
		return TP_OK;
	const rlim_t was = stack.rlim_cur;
	stack.rlim_cur = stack_needed_bytes;
	stack.rlim_max = TP_MAX(stack.rlim_max, stack_needed_bytes);
	if (setrlimit(RLIMIT_STACK, &stack) == 0)
		return TP_OK;
	return tp_fail(diag, TP_RESOURCE, "stack", "raise it with ulimit -s 8192",
		       "it is limited to %llu KiB, and tprof needs %llu KiB",
		       (unsigned long long)was / 1024,
		       (unsigned long long)stack_needed_bytes / 1024);
}

enum tp_status tp_system_check(struct tp_diag *diag)
{
	if (access("/proc/self/exe", F_OK) != 0)
		return tp_fail(diag, TP_RESOURCE, "/proc", "mount -t proc proc /proc",
			       "it is not mounted: it describes the memory, the CPUs that may be "
			       "used and the programs that run");
	if (access("/dev/null", R_OK | W_OK) != 0)
		return tp_fail(
			diag, TP_RESOURCE, "/dev/null",
			"create it as root: character device 1, 3; or give the container a /dev",
			"%s: programs that tprof starts read and write it", strerror(errno));
	return raise_stack(diag);
}

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

static void check_system(const struct tp_look *look, struct tp_finding *f)
{
	struct tp_diag diag = { 0 };
	char means[sizeof(diag.hint) + 40];
	(void)look;
	if (tp_system_check(&diag) == TP_OK) {
		tp_found(f, TP_FINE, NULL, NULL, "/proc, /dev/null and the stack are usable");
		return;
	}
	snprintf(means, sizeof(means), "other commands are refused: %s", diag.hint);
	tp_found(f, TP_PROBLEM, means, NULL, "%s: %s", diag.where, diag.what);
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

static void check_environment(const struct tp_look *look, struct tp_finding *f)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags strangers = { 0 };
	TP_STR names = { 0 };
	const char *hint = "a modulefile may set them";
	(void)look;
	tp_environment_strangers(environ, &strangers);
	for (size_t i = 0; i < strangers.n; i++) {
		tp_str_printf(&names, "%s%s", i ? ", " : "", strangers.items[i].where);
		if (strangers.items[i].hint[0])
			hint = strangers.items[i].hint;
	}
	if (strangers.n)
		tp_found(f, TP_WARNING, hint, NULL, "ignored, because no option has this name: %s",
			 tp_str_text(&names));
	else
		tp_found(f, TP_FINE, NULL, NULL, "each TPROF_ variable is an option");
}

static const struct own_check own_checks[] = {
	{ "system", "System", check_system },
	{ "environment", "Environment", check_environment },
	{ "results", "Place for results", check_results },
	{ "terminal", "Terminal", check_terminal },
};

/* --- the examination --- */

enum tp_status tp_examination_begin(struct tp_examination *e, struct tp_diag *diag)
{
	struct tp_cpu cpu;
	tp_examination_release(e);
	tp_arch_identify(&cpu);
	enum tp_status status = tp_machine_init(&e->machine, &cpu, NULL, "detected", NULL, diag);
	if (status != TP_OK)
		return status;
	tp_health_init(&e->health, &e->machine, tp_knobs_sysroot());
	tp_health_look_first(&e->health);
	e->under_way = true;
	return TP_OK;
}

void tp_examination_end(struct tp_examination *e, const struct tp_look *look)
{
	tp_health_look_again(&e->health);
	for (size_t i = 0; i < tp_health_count && e->n < TP_FINDINGS_MAX; i++)
		if (tp_health_check(&e->health, i, &e->findings[e->n]))
			e->n++;
	for (size_t i = 0; i < TP_COUNT_OF(own_checks) && e->n < TP_FINDINGS_MAX; i++) {
		struct tp_finding *f = &e->findings[e->n++];
		*f = (struct tp_finding){ .id = own_checks[i].id, .title = own_checks[i].title };
		own_checks[i].check(look, f);
	}
	tp_health_release(&e->health);
	tp_machine_release(&e->machine);
	e->under_way = false;
}

void tp_examination_release(struct tp_examination *e)
{
	if (e->under_way) {
		tp_health_release(&e->health);
		tp_machine_release(&e->machine);
	}
	*e = (struct tp_examination){ 0 };
}

/* --- the findings in words --- */

enum { TITLE_COLUMN = 2, TEXT_COLUMN = 27, NARROW_COLUMN = 4 };

static const enum tp_paint paints[TP_SEVERITY_COUNT] = {
	[TP_FINE] = TP_PAINT_GOOD,
	[TP_NOTE] = TP_PAINT_STRONG,
	[TP_WARNING] = TP_PAINT_WARN,
	[TP_PROBLEM] = TP_PAINT_BAD,
};

/* The text is next to the title; below it if narrow. */
static void say_finding(struct tp_text *doc, const struct tp_finding *f)
{
	const bool narrow = doc->look->columns < TP_COLUMNS_MIN && f->severity != TP_FINE;
	const size_t column = narrow ? NARROW_COLUMN : TEXT_COLUMN;
	size_t used = TITLE_COLUMN + strlen(f->title);
	TP_STR remedy = { 0 };
	tp_text_indent(doc, TITLE_COLUMN);
	tp_text_run(doc, f->severity == TP_FINE ? TP_PAINT_PLAIN : TP_PAINT_STRONG, f->title);
	if (narrow) {
		tp_text_wrap(doc, TP_PAINT_PLAIN, "", 0, 0);
		used = 0;
	}
	const size_t gap = used < column ? column - used : 1;
	tp_text_indent(doc, gap);
	tp_text_say(doc, TP_PAINT_PLAIN, used + gap, column, "%s", f->what);
	if (*f->means) {
		tp_text_indent(doc, column);
		tp_text_wrap(doc, TP_PAINT_DIM, f->means, column, column);
	}
	if (!*f->remedy)
		return;
	tp_str_add(&remedy, "$ ");
	tp_text_clean(&remedy, f->remedy, doc->look);
	tp_text_indent(doc, column);
	if (!narrow)
		tp_text_run(doc, TP_PAINT_GOOD, tp_str_text(&remedy)); /* one line, to copy */
	tp_text_wrap(doc, TP_PAINT_GOOD, narrow ? tp_str_text(&remedy) : "", column, column + 2);
}

void tp_findings_say(const struct tp_finding *findings, size_t n, struct tp_text *text)
{
	for (int severity = TP_SEVERITY_COUNT - 1; severity >= 0; severity--) {
		bool headed = false;
		for (size_t i = 0; i < n; i++) {
			if (findings[i].severity != (enum tp_severity)severity)
				continue;
			if (!headed && text->n)
				tp_text_gap(text);
			if (!headed)
				tp_text_wrap(text, paints[severity],
					     tp_severity_name((enum tp_severity)severity), 0, 0);
			headed = true;
			say_finding(text, &findings[i]);
		}
	}
}
