/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The knobs of the system: their files, the meaning of values, and how they are set and restored.
 */
#include "machine/knobs.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "base/memory.h"
#include "machine/detect.h"

const struct tp_knob tp_knob_table[TP_KNOB_COUNT] = {
#define TP_KNOB_ROW(id, name, process, title) { TP_KNOB_##id, name, process, title },
	TP_KNOB_LIST(TP_KNOB_ROW)
#undef TP_KNOB_ROW
};

#define CPU_FOLDER "/sys/devices/system/cpu/"

/* The files. A knob with several files is set in all that exist. */
static const struct row {
	enum tp_knob_id knob;
	const char *name; /* in the record of what was changed; never changes its meaning */
	const char *before_cpu, *after_cpu; /* path; after_cpu NULL: no CPU's */
	const char *on,
		*off; /* the kernel's words for on and off; NULL: values are its own words */
} rows[] = {
	{ TP_KNOB_GOVERNOR, "governor", CPU_FOLDER "cpu", "/cpufreq/scaling_governor", NULL, NULL },
	{ TP_KNOB_FREQUENCY, "frequency.min", CPU_FOLDER "cpu", "/cpufreq/scaling_min_freq", NULL,
	  NULL },
	{ TP_KNOB_FREQUENCY, "frequency.max", CPU_FOLDER "cpu", "/cpufreq/scaling_max_freq", NULL,
	  NULL },
	{ TP_KNOB_TURBO, "turbo.no_turbo", CPU_FOLDER "intel_pstate/no_turbo", NULL, "0", "1" },
	{ TP_KNOB_TURBO, "turbo.boost", CPU_FOLDER "cpufreq/boost", NULL, "1", "0" },
	{ TP_KNOB_THP, "thp", "/sys/kernel/mm/transparent_hugepage/enabled", NULL, NULL, NULL },
	{ TP_KNOB_NUMA_BALANCING, "numa_balancing", "/proc/sys/kernel/numa_balancing", NULL, "1",
	  "0" },
};

enum { DID_NOT_TAKE = -1, PATH_BYTES = 128, WORDS_MAX = 4 };

static void row_path(const struct row *row, unsigned cpu, char out[PATH_BYTES])
{
	if (row->after_cpu)
		snprintf(out, PATH_BYTES, "%s%u%s", row->before_cpu, cpu, row->after_cpu);
	else
		snprintf(out, PATH_BYTES, "%s", row->before_cpu);
}

/* Reads the value of a file. */
static bool read_value(const char *root, const char *path, char out[TP_KNOB_VALUE_MAX])
{
	char text[256];
	bool there = tp_environ_text(root, text, sizeof(text), "%s", path) && *text;
	tp_environ_choice(text);
	return tp_copy(out, TP_KNOB_VALUE_MAX, text) && there;
}

/* errno, or 0. */
static int write_value(const char *root, const char *path, const char *value)
{
	char full[TP_PATH_MAX];
	if (!tp_environ_path(full, root, "%s", path))
		return ENAMETOOLONG;
	int fd = open(full, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return errno;
	ssize_t put = write(fd, value, strlen(value));
	int error = put == (ssize_t)strlen(value) ? 0 : put < 0 ? errno : EIO;
	if (close(fd) != 0 && !error)
		error = errno;
	return error;
}

const char *tp_knobs_sysroot(void)
{
	const char *root = secure_getenv("TPROF_TEST_ROOT");
	return root ? root : "";
}

/* --- planning --- */

/* Frequencies in kHz, as the kernel has them. */
static enum tp_status frequency_value(const char *root, unsigned cpu, const char *wanted,
				      char out[TP_KNOB_VALUE_MAX], struct tp_diag *diag)
{
	static const struct {
		const char *word, *file;
	} words[] = { { "min", "cpuinfo_min_freq" },
		      { "base", "base_frequency" },
		      { "max", "cpuinfo_max_freq" } };
	uint64_t mhz;
	char path[PATH_BYTES], low[TP_KNOB_VALUE_MAX], high[TP_KNOB_VALUE_MAX];
	for (size_t i = 0; i < TP_COUNT_OF(words); i++) {
		if (strcmp(wanted, words[i].word) != 0)
			continue;
		snprintf(path, sizeof(path), CPU_FOLDER "cpu%u/cpufreq/%s", cpu, words[i].file);
		if (read_value(root, path, out))
			return TP_OK;
		return tp_fail(diag, TP_UNSUPPORTED, "knobs.frequency", "give it in MHz",
			       "this kernel does not report the %s frequency of CPU %u", wanted,
			       cpu);
	}
	if (!tp_parse_u64(wanted, &mhz) || mhz > UINT32_MAX)
		return tp_fail(diag, TP_USAGE, "knobs.frequency", "MHz, or min, base or max",
			       "\"%s\" is not a frequency", wanted);
	snprintf(out, TP_KNOB_VALUE_MAX, "%llu", (unsigned long long)mhz * 1000);
	snprintf(path, sizeof(path), CPU_FOLDER "cpu%u/cpufreq/cpuinfo_min_freq", cpu);
	bool bounded = read_value(root, path, low);
	snprintf(path, sizeof(path), CPU_FOLDER "cpu%u/cpufreq/cpuinfo_max_freq", cpu);
	bounded = read_value(root, path, high) && bounded;
	double low_mhz = bounded ? strtod(low, NULL) / 1000 : 0,
	       high_mhz = bounded ? strtod(high, NULL) / 1000 : 0;
	char hint[96];
	snprintf(hint, sizeof(hint), "from %.0f to %.0f MHz", low_mhz, high_mhz);
	if (bounded && ((double)mhz < low_mhz || (double)mhz > high_mhz))
		return tp_fail(diag, TP_USAGE, "knobs.frequency", hint,
			       "CPU %u cannot run at %s MHz", cpu, wanted);
	return TP_OK;
}

static enum tp_status governor_check(const char *root, unsigned cpu, const char *wanted,
				     struct tp_diag *diag)
{
	char available[256], hint[320];
	if (!tp_environ_text(root, available, sizeof(available),
			     CPU_FOLDER "cpu%u/cpufreq/scaling_available_governors", cpu) ||
	    tp_has_word(available, wanted))
		return TP_OK;
	snprintf(hint, sizeof(hint), "there are: %s", available);
	return tp_fail(diag, TP_USAGE, "knobs.governor", hint, "CPU %u has no governor \"%s\"", cpu,
		       wanted);
}

/* The kernel's spelling of `wanted` for this file; "" leaves the file unchanged. */
static enum tp_status wanted_value(const struct row *row, const char *root, unsigned cpu,
				   const char *wanted, char out[TP_KNOB_VALUE_MAX],
				   struct tp_diag *diag)
{
	out[0] = '\0';
	if (!wanted || strcmp(wanted, TP_KNOB_KEEP) == 0)
		return TP_OK;
	if (row->knob == TP_KNOB_FREQUENCY)
		return frequency_value(root, cpu, wanted, out, diag);
	if (row->knob == TP_KNOB_GOVERNOR) {
		enum tp_status status = governor_check(root, cpu, wanted, diag);
		if (status != TP_OK)
			return status;
	}
	if (row->on && strcmp(wanted, "on") == 0)
		wanted = row->on;
	else if (row->off && strcmp(wanted, "off") == 0)
		wanted = row->off;
	if (!*wanted || strpbrk(wanted, " \t\n") || !tp_copy(out, TP_KNOB_VALUE_MAX, wanted))
		return tp_fail(diag, TP_USAGE, tp_knob_table[row->knob].name, NULL,
			       "\"%.40s\" is not one of its values", wanted);
	return TP_OK;
}

static enum tp_status not_there(enum tp_knob_id id, struct tp_diag *diag)
{
	static const char *const hints[TP_KNOB_COUNT] = {
		[TP_KNOB_GOVERNOR] = "in a virtual machine the host decides: set it there; else "
				     "load the CPU's cpufreq driver",
		[TP_KNOB_FREQUENCY] = "in a virtual machine the host decides: set it there; else "
				      "load the CPU's cpufreq driver",
		[TP_KNOB_TURBO] = "in a virtual machine the host decides: set it there; else see "
				  "the firmware's setup",
		[TP_KNOB_THP] = "this kernel is built without them",
		[TP_KNOB_NUMA_BALANCING] = "there is nothing to switch off",
	};
	char where[64];
	snprintf(where, sizeof(where), "knobs.%s", tp_knob_table[id].name);
	return tp_fail(diag, TP_UNSUPPORTED, where, hints[id],
		       "this machine has no control for the %s; it stays as it is",
		       tp_knob_table[id].title);
}

enum tp_status tp_knobs_plan(struct tp_knobs *knobs, enum tp_knob_id id, const char *wanted,
			     const unsigned *cpus, size_t n_cpus, struct tp_diag *diag)
{
	const char *root = knobs->root;
	size_t before = knobs->n;
	/* CPU by CPU, so that all files of one stand together. */
	for (size_t c = 0; c < TP_MAX(n_cpus, (size_t)1); c++) {
		for (unsigned r = 0; r < TP_COUNT_OF(rows); r++) {
			struct tp_knob_setting s = { .row = r };
			char path[PATH_BYTES];
			if (rows[r].knob != id || (!rows[r].after_cpu && c > 0) ||
			    (rows[r].after_cpu && n_cpus == 0))
				continue;
			s.cpu = rows[r].after_cpu ? cpus[c] : 0;
			row_path(&rows[r], s.cpu, path);
			if (!read_value(root, path, s.before) || strchr(s.before, ' '))
				continue;
			tp_copy(s.now, sizeof(s.now), s.before);
			enum tp_status status =
				wanted_value(&rows[r], root, s.cpu, wanted, s.wanted, diag);
			if (status != TP_OK) {
				knobs->n = before;
				return status;
			}
			TP_RESERVE(knobs->items, knobs->cap, knobs->n + 1);
			knobs->items[knobs->n++] = s;
		}
	}
	return knobs->n == before ? not_there(id, diag) : TP_OK;
}

void tp_knobs_again(struct tp_knobs *knobs)
{
	for (size_t i = 0; i < knobs->n; i++) {
		struct tp_knob_setting *s = &knobs->items[i];
		char path[PATH_BYTES];
		row_path(&rows[s->row], s->cpu, path);
		if (read_value(knobs->root, path, s->now))
			tp_copy(s->before, sizeof(s->before), s->now);
	}
}

/* True if nothing has to be written: it is only read, or has its value already. */
static bool is_idle(const struct tp_knob_setting *s)
{
	return !*s->wanted || strcmp(s->before, s->wanted) == 0;
}

bool tp_knobs_any(const struct tp_knobs *knobs)
{
	for (size_t i = 0; i < knobs->n; i++)
		if (*knobs->items[i].wanted)
			return true;
	return false;
}

/* --- setting --- */

void tp_knobs_command(const struct tp_knobs *knobs, enum tp_knob_id id, const char *value,
		      char *out, size_t size)
{
	struct tp_str command = { 0 };
	tp_str_printf(&command, "echo %s | sudo tee", value);
	/* The files of this knob with a star for the CPU. */
	bool named[TP_COUNT_OF(rows)] = { false };
	bool any = false;
	for (size_t i = 0; i < knobs->n; i++)
		if (rows[knobs->items[i].row].knob == id)
			any = named[knobs->items[i].row] = true;
	for (size_t r = 0; r < TP_COUNT_OF(rows); r++)
		if (rows[r].knob == id && (named[r] || !any))
			tp_str_printf(&command, " %s%s%s", rows[r].before_cpu,
				      rows[r].after_cpu ? "*" : "",
				      rows[r].after_cpu ? rows[r].after_cpu : "");
	tp_copy(out, size, tp_str_text(&command));
	tp_str_release(&command);
}

/* Adds one diagnosis for each knob with files that refused. */
static enum tp_status tell_refused(const struct tp_knobs *knobs, bool back, struct tp_diags *diags)
{
	enum tp_status status = TP_OK;
	for (enum tp_knob_id id = 0; id < TP_KNOB_COUNT; id++) {
		const struct tp_knob_setting *first = NULL;
		size_t n = 0;
		for (size_t i = 0; i < knobs->n; i++) {
			const struct tp_knob_setting *s = &knobs->items[i];
			if (rows[s->row].knob != id || !s->error)
				continue;
			first = first ? first : s;
			n++;
		}
		if (!first)
			continue;
		char where[64], path[PATH_BYTES], more[48] = "", hint[384], command[320];
		const char *value = back ? first->before : first->wanted;
		snprintf(where, sizeof(where), "knobs.%s", tp_knob_table[id].name);
		row_path(&rows[first->row], first->cpu, path);
		if (n > 1)
			snprintf(more, sizeof(more), " (and %zu more)", n - 1);
		tp_knobs_command(knobs, id, value, command, sizeof(command));
		/* When restoring, each file has its own value. */
		if (back)
			snprintf(hint, sizeof(hint),
				 "put it back with: sudo tprof doctor --restore");
		else
			snprintf(hint, sizeof(hint), "%s%s",
				 first->error == EROFS
					 ? "read-only in this container; on the host: "
					 : "",
				 command);
		if (first->error == DID_NOT_TAKE)
			tp_diags_note(diags, where, hint, "%s%s was set to %s but stays at %s",
				      path, more, value, first->now);
		else
			tp_diags_note(diags, where, hint, "%s%s cannot be set to %s: %s", path,
				      more, value, strerror(first->error));
		status = TP_PERM;
	}
	return status;
}

static const char *target_of(const struct tp_knob_setting *s, bool back)
{
	return back ? s->before : s->wanted;
}

static enum tp_status bring(struct tp_knobs *knobs, bool back, struct tp_diags *diags)
{
	char path[PATH_BYTES];
	/*
	 * Two passes: the kernel refuses a lower limit above the present upper one, and the
	 * reverse.
	 */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < knobs->n; i++) {
			struct tp_knob_setting *s = &knobs->items[back ? knobs->n - 1 - i : i];
			const char *target = target_of(s, back);
			row_path(&rows[s->row], s->cpu, path);
			s->error = 0;
			if (is_idle(s) ||
			    (read_value(knobs->root, path, s->now) && !strcmp(s->now, target)))
				continue;
			s->error = write_value(knobs->root, path, target);
		}
	for (size_t i = 0; i < knobs->n; i++) {
		struct tp_knob_setting *s = &knobs->items[i];
		row_path(&rows[s->row], s->cpu, path);
		read_value(knobs->root, path, s->now);
		if (is_idle(s) || strcmp(s->now, target_of(s, back)) == 0)
			s->error = 0;
		else if (!s->error)
			s->error = DID_NOT_TAKE;
	}
	return tell_refused(knobs, back, diags);
}

enum tp_status tp_knobs_set(struct tp_knobs *knobs, struct tp_diags *diags)
{
	return bring(knobs, false, diags);
}

enum tp_status tp_knobs_restore(struct tp_knobs *knobs, struct tp_diags *diags)
{
	return bring(knobs, true, diags);
}

void tp_knobs_release(struct tp_knobs *knobs)
{
	free(knobs->items);
	*knobs = (struct tp_knobs){ 0 };
}

/* --- words --- */

static const char *word_of(const struct tp_knob_setting *s, bool before)
{
	const struct row *row = &rows[s->row];
	const char *value = before ? s->before : s->now;
	if (row->on && strcmp(value, row->on) == 0)
		return "on";
	return row->off && strcmp(value, row->off) == 0 ? "off" : value;
}

/* Describes the values of one CPU, from setting `i` on; returns how many settings that covers. */
static size_t one_state(const struct tp_knobs *knobs, size_t i, bool before,
			char out[2 * TP_KNOB_VALUE_MAX])
{
	const struct tp_knob_setting *s = &knobs->items[i];
	if (rows[s->row].knob != TP_KNOB_FREQUENCY) {
		snprintf(out, 2 * TP_KNOB_VALUE_MAX, "%s", word_of(s, before));
		return 1;
	}
	double low = strtod(before ? s->before : s->now, NULL) / 1000, high = low;
	size_t n = 1;
	if (i + 1 < knobs->n && rows[s[1].row].knob == TP_KNOB_FREQUENCY && s[1].cpu == s->cpu) {
		high = strtod(before ? s[1].before : s[1].now, NULL) / 1000;
		n = 2;
	}
	if (low < high)
		snprintf(out, 2 * TP_KNOB_VALUE_MAX, "%.0f-%.0f MHz", low, high);
	else
		snprintf(out, 2 * TP_KNOB_VALUE_MAX, "%.0f MHz", high);
	return n;
}

void tp_knobs_words(const struct tp_knobs *knobs, enum tp_knob_id id, bool before,
		    struct tp_str *out)
{
	char words[WORDS_MAX][2 * TP_KNOB_VALUE_MAX], one[2 * TP_KNOB_VALUE_MAX];
	size_t counts[WORDS_MAX] = { 0 }, n = 0, others = 0;
	for (size_t i = 0, took; i < knobs->n; i += took) {
		took = 1;
		if (rows[knobs->items[i].row].knob != id)
			continue;
		took = one_state(knobs, i, before, one);
		size_t k = 0;
		while (k < n && strcmp(words[k], one) != 0)
			k++;
		if (k == n && n < WORDS_MAX)
			tp_copy(words[n++], sizeof(words[0]), one);
		if (k < WORDS_MAX)
			counts[k]++;
		else
			others++;
	}
	for (size_t k = 0; k < n; k++) {
		tp_str_printf(out, "%s%s", k ? ", " : "", words[k]);
		if (n > 1)
			tp_str_printf(out, " on %zu CPU%s", counts[k], counts[k] == 1 ? "" : "s");
	}
	if (others)
		tp_str_printf(out, ", others on %zu CPU%s", others, others == 1 ? "" : "s");
}

/* --- record --- */

void tp_knobs_write(const struct tp_knobs *knobs, struct tp_str *out)
{
	for (size_t i = 0; i < knobs->n; i++) {
		const struct tp_knob_setting *s = &knobs->items[i];
		if (!is_idle(s))
			tp_str_printf(out, "%s %u %s %s\n", rows[s->row].name, s->cpu, s->before,
				      s->wanted);
	}
}

/*
 * Values of the kernel use only these characters. A forged record must not make us write anything
 * else.
 */
static bool is_value(const char *text)
{
	return *text &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
		       strlen(text);
}

enum tp_status tp_knobs_parse(struct tp_knobs *knobs, const char *text, struct tp_diag *diag)
{
	for (unsigned line = 1; *text; line++) {
		struct tp_knob_setting s = { 0 };
		char name[TP_KNOB_VALUE_MAX];
		size_t len = strcspn(text, "\n");
		char copy[4 * TP_KNOB_VALUE_MAX];
		bool good = len < sizeof(copy);
		if (good) {
			memcpy(copy, text, len);
			copy[len] = '\0';
			good = sscanf(copy, "%47s %u %47s %47s", name, &s.cpu, s.before,
				      s.wanted) == 4 &&
			       is_value(s.before) && is_value(s.wanted);
		}
		while (good && s.row < TP_COUNT_OF(rows) && strcmp(rows[s.row].name, name) != 0)
			s.row++;
		if (!good || s.row == TP_COUNT_OF(rows))
			return tp_fail(diag, TP_USAGE, "record of changed knobs", NULL,
				       "line %u names no known knob", line);
		TP_RESERVE(knobs->items, knobs->cap, knobs->n + 1);
		knobs->items[knobs->n++] = s;
		text += len + (text[len] == '\n');
	}
	return TP_OK;
}

/* --- scheduling class and priority of the calling process; its threads inherit both --- */

/*
 * The lowest priority of real-time: above every ordinary thread, below the real-time threads of the
 * kernel.
 */
enum { FIFO_PRIORITY = 1 };

static const struct {
	const char *word;
	int policy;
} policies[] = {
	{ "other", SCHED_OTHER }, { "batch", SCHED_BATCH }, { "fifo", SCHED_FIFO },
	{ "rr", SCHED_RR },	  { "idle", SCHED_IDLE },
};
enum { N_SETTABLE = 3 };

double tp_realtime_share(const char *root)
{
	char runtime[32], period[32];
	if (!tp_environ_text(root, runtime, sizeof(runtime),
			     "/proc/sys/kernel/sched_rt_runtime_us") ||
	    !tp_environ_text(root, period, sizeof(period), "/proc/sys/kernel/sched_rt_period_us"))
		return -1;
	double share = strtod(runtime, NULL), whole = strtod(period, NULL);
	return share < 0 || whole <= 0 ? 1 : TP_MIN(share / whole, 1);
}

enum tp_status tp_scheduler_set(const char *root, const char *wanted, struct tp_diag *diag)
{
	static const char where[] = "knobs.scheduler";
	size_t i = 0;
	if (strcmp(wanted, TP_KNOB_KEEP) == 0)
		return TP_OK;
	while (i < N_SETTABLE && strcmp(policies[i].word, wanted) != 0)
		i++;
	if (i == N_SETTABLE)
		return tp_fail(diag, TP_USAGE, where, "keep, other, batch or fifo",
			       "\"%.40s\" is not a scheduling class", wanted);
	bool fifo = policies[i].policy == SCHED_FIFO;
	if (fifo && tp_realtime_share(root) >= 1)
		return tp_fail(diag, TP_PERM, where,
			       "sudo sysctl kernel.sched_rt_runtime_us=950000",
			       "fifo is left out: real-time threads may take all of the time here, "
			       "so a spinning team would hang the machine");
	struct sched_param param = { .sched_priority = fifo ? FIFO_PRIORITY : 0 };
	if (sched_setscheduler(0, policies[i].policy, &param) != 0) {
		int error = errno;
		return tp_fail(diag, TP_PERM, where,
			       fifo ? "ulimit -r 1 where the limit allows it; else: sudo setcap "
				      "cap_sys_nice=ep \"$(command -v tprof)\""
				    : NULL,
			       "%s is refused: %s; measured without it", wanted, strerror(error));
	}
	if (sched_getscheduler(0) != policies[i].policy)
		return tp_fail(diag, TP_PERM, where, NULL, "%s had no effect", wanted);
	return TP_OK;
}

void tp_scheduler_words(const char *root, struct tp_str *out)
{
	struct sched_param param = { 0 };
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	const char *word = "unknown";
	for (size_t i = 0; i < TP_COUNT_OF(policies); i++)
		if (policies[i].policy == policy)
			word = policies[i].word;
	tp_str_add(out, word);
	if (policy != SCHED_FIFO && policy != SCHED_RR)
		return;
	sched_getparam(0, &param);
	tp_str_printf(out, " %d", param.sched_priority);
	double share = tp_realtime_share(root);
	if (share >= 0)
		tp_str_printf(out, ", at most %.3g %% of the time", share * 100);
}

enum tp_status tp_priority_set(const char *wanted, struct tp_diag *diag)
{
	static const char where[] = "knobs.priority";
	double value;
	if (strcmp(wanted, TP_KNOB_KEEP) == 0)
		return TP_OK;
	if (!tp_parse_double(wanted, &value) || !(value >= -20 && value <= 19))
		return tp_fail(diag, TP_USAGE, where, "keep, or -20 to 19",
			       "\"%.40s\" is not a nice value", wanted);
	int nice_value = (int)value;
	if (setpriority(PRIO_PROCESS, 0, nice_value) != 0) {
		int error = errno;
		return tp_fail(
			diag, TP_PERM, where, "sudo setcap cap_sys_nice=ep \"$(command -v tprof)\"",
			"%d is refused: %s; measured without it", nice_value, strerror(error));
	}
	if (getpriority(PRIO_PROCESS, 0) != nice_value)
		return tp_fail(diag, TP_PERM, where, NULL, "%d had no effect", nice_value);
	return TP_OK;
}

void tp_priority_words(struct tp_str *out)
{
	tp_str_printf(out, "%d", getpriority(PRIO_PROCESS, 0));
}
