/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Settings of the machine that affect measurements. The program can read them, set them for the
 * time of a run, check them and restore them. System knobs are files of the kernel; scheduler and
 * priority belong to the measuring process. Every path is relative to a root ("" = the real files),
 * so that tests can show other machines.
 */
#ifndef TPROF_MACHINE_KNOBS_H
#define TPROF_MACHINE_KNOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file.h"
#include "base/status.h"
#include "base/str.h"

/*
 * X(id, name: the option is knobs.<name> and so are the facts, of the measuring process only,
 * title)
 */
#define TP_KNOB_LIST(X)                                                                            \
	X(GOVERNOR, "governor", false, "frequency governor")                                       \
	X(FREQUENCY, "frequency", false, "frequency limits")                                       \
	X(TURBO, "turbo", false, "turbo")                                                          \
	X(THP, "thp", false, "transparent huge pages")                                             \
	X(NUMA_BALANCING, "numa_balancing", false, "automatic NUMA balancing")                     \
	X(SCHEDULER, "scheduler", true, "scheduling class")                                        \
	X(PRIORITY, "priority", true, "priority (nice value)")

enum tp_knob_id {
#define TP_KNOB_ENUM(id, ...) TP_KNOB_##id,
	TP_KNOB_LIST(TP_KNOB_ENUM)
#undef TP_KNOB_ENUM
		TP_KNOB_COUNT
};

struct tp_knob {
	enum tp_knob_id id;
	const char *name;
	bool process;
	const char *title;
};
extern const struct tp_knob tp_knob_table[TP_KNOB_COUNT];

/* The word that leaves a knob unchanged. */
#define TP_KNOB_KEEP "keep"

enum { TP_KNOB_VALUE_MAX = 48 };

/*
 * One file of the kernel. Values are as the kernel spells them: kHz, 0 and 1, the word in brackets.
 */
struct tp_knob_setting {
	unsigned row; /* of the table of files in knobs.c */
	unsigned cpu; /* 0 where the file is not a CPU's */
	char before[TP_KNOB_VALUE_MAX], wanted[TP_KNOB_VALUE_MAX];
	char now[TP_KNOB_VALUE_MAX]; /* as last read back */
	/* of the last write: errno, or 0; -1 = written, but something else was read back */
	int error;
};

/* Zero-initialise, set root; release at the end. */
struct tp_knobs {
	const char *root; /* borrowed; NULL = "" */
	struct tp_knob_setting *items;
	size_t n, cap;
};

/*
 * Reads the present value of a knob, on each of `cpus` if it is a knob of CPUs, and notes the
 * wanted one. `wanted` is a word of its option: governor: a name; frequency: MHz, or min, base,
 * max; turbo and numa_balancing: on, off; thp: always, madvise, never. NULL or TP_KNOB_KEEP only
 * reads. Nothing is written. TP_UNSUPPORTED if the kernel has no such knob, TP_USAGE for an unknown
 * value; the run can continue without it.
 */
enum tp_status tp_knobs_plan(struct tp_knobs *knobs, enum tp_knob_id id, const char *wanted,
			     const unsigned *cpus, size_t n_cpus, struct tp_diag *diag);
/* Reads again the values that are to be restored later. */
void tp_knobs_again(struct tp_knobs *knobs);
/* True if a value is requested for any knob, even if it is set already: it must stay. */
bool tp_knobs_any(const struct tp_knobs *knobs);
/*
 * Sets the wanted values and reads them back. A file that refuses does not stop the others. TP_PERM
 * if any refused, with one diagnosis a knob (where: knobs.<name>) and the command that would set
 * it.
 */
enum tp_status tp_knobs_set(struct tp_knobs *knobs, struct tp_diags *diags);
/* Restores everything planned, whether it was set or not. Errors as for tp_knobs_set. */
enum tp_status tp_knobs_restore(struct tp_knobs *knobs, struct tp_diags *diags);
/*
 * A knob in words, before or now: "performance", "1500-3700 MHz", "off"; where CPUs differ:
 * "performance on 3 CPUs, powersave on 1 CPU". Empty if it was not planned.
 */
void tp_knobs_words(const struct tp_knobs *knobs, enum tp_knob_id id, bool before,
		    struct tp_str *out);
void tp_knobs_release(struct tp_knobs *knobs);

/*
 * One line a setting, "governor 3 powersave performance" (file, CPU, before, wanted), and back.
 * Lines that name no known file are TP_USAGE.
 */
void tp_knobs_write(const struct tp_knobs *knobs, struct tp_str *out);
enum tp_status tp_knobs_parse(struct tp_knobs *knobs, const char *text, struct tp_diag *diag);

/*
 * The command, for a shell, that sets the knob's file on all CPUs: "echo performance | sudo tee
 * /sys/...". `value` as the kernel spells it.
 */
void tp_knobs_command(const struct tp_knobs *knobs, enum tp_knob_id id, const char *value,
		      char *out, size_t size);

/* --- of the calling process; call before it has threads, which inherit it --- */

/*
 * wanted: keep, other, batch or fifo. fifo is SCHED_FIFO of priority 1, and refused while real-time
 * threads may take all of the time (kernel.sched_rt_runtime_us), because a spinning team would then
 * hang the machine.
 */
enum tp_status tp_scheduler_set(const char *root, const char *wanted, struct tp_diag *diag);
/* wanted: keep, or a nice value from -20 to 19. */
enum tp_status tp_priority_set(const char *wanted, struct tp_diag *diag);
/* "fifo 1, at most 95 % of the time", "other"; "0". */
void tp_scheduler_words(const char *root, struct tp_str *out);
void tp_priority_words(struct tp_str *out);
/* Share of the time that real-time threads may take, 0 to 1; -1 when unknown. */
double tp_realtime_share(const char *root);

/*
 * The root of the knobs' paths: "", or TPROF_TEST_ROOT in tests that show other machines. A setuid
 * program ignores that variable.
 */
const char *tp_knobs_sysroot(void);

#endif
