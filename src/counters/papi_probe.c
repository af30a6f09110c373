/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists every event of every component, with its qualifiers, and finds those that are available:
 * they can be added, started and stopped. Children do it, because a try may crash.
 */
#include "counters/papi_probe.h"

#include "counters/papi.h"

#include <errno.h>
#include <fcntl.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/memory.h"

/* How long a child that has reported everything may take to end. */
#define END_SECONDS 0.25

struct task {
	void (*tell)(FILE *out, const void *context);
	const void *context;
};

/* The child is silent on the terminal. */
static int tell(int socket, const void *context)
{
	const struct task *task = context;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	FILE *out = fdopen(socket, "w");
	if (!out)
		return TP_SELF_NOT_STARTED;
	task->tell(out, task->context);
	return fflush(out) == 0 ? 0 : 1;
}

/*
 * Runs `tell` in a forked child, which ends when it returns. Lines must end in \n and be flushed.
 * tp_process_line() reads them.
 */
static enum tp_status papi_child_start(struct tp_process *child,
				       void (*telling)(FILE *out, const void *context),
				       const void *context, struct tp_diag *diag)
{
	const struct task task = { telling, context };
	const struct tp_self_child self = {
		.where = "papi", .name = "a child process", .prepare = tell, .context = &task
	};
	return tp_process_start(child, &self, diag);
}

/* Ends it if it still runs. How it ended goes to `words`: "exit status 1", "Segmentation fault". */
static void papi_child_end(struct tp_process *child, char *words, size_t size)
{
	struct tp_process_end end = tp_process_end(child, END_SECONDS);
	if (end.signal)
		snprintf(words, size, "%s", strsignal(end.signal));
	else
		snprintf(words, size, "exit status %d", end.code);
}

/* Cuts a line at tabs in place; missing fields are "". */
static void papi_fields(char *line, char **fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fields[i] = line;
		char *tab = strchr(line, '\t');
		if (!tab || i + 1 == n) {
			line += strlen(line);
			continue;
		}
		*tab = '\0';
		line = tab + 1;
	}
}

static bool is_uncore(const char *component)
{
	return strstr(component, "uncore") != NULL;
}

const char *tp_papi_component_hint(const struct tp_perf_host *host, const char *component,
				   const char *reason)
{
	if (strcmp(component, "perf_event") == 0) {
		/* PAPI checks only the number: capabilities and root do not help against a 3. */
		if (host->paranoid >= 3 || strstr(reason, "paranoid"))
			return "sudo sysctl kernel.perf_event_paranoid=2 (even root needs it: PAPI "
			       "looks at the number, not at CAP_PERFMON)";
		if (host->perf_error == ENOSYS)
			return "the kernel has no perf events, or a filter of the container hides "
			       "them";
		return *host->hypervisor ? "a virtual machine has counters when its hypervisor "
					   "passes on a PMU"
					 : "";
	}
	if (is_uncore(component) && !*host->hypervisor)
		return "sudo sysctl kernel.perf_event_paranoid=0, or the capability CAP_PERFMON";
	if (strcmp(component, "rapl") == 0 || strcmp(component, "powercap") == 0)
		return "root may read its files below /sys/class/powercap and /dev/cpu";
	return "";
}

void tp_papi_refusal(const struct tp_perf_host *host, const char *component, const char *event,
		     int code, const char *words, char *out, size_t size)
{
	bool core = strcmp(component, "perf_event") == 0;
	bool hardware_is_closed = core && host->perf_error != 0 && strstr(event, "_SW_") == NULL;
	bool refused =
		code == PAPI_EPERM ||
		(hardware_is_closed && (host->perf_error == EACCES || host->perf_error == EPERM));
	if (refused && (core || is_uncore(component)))
		tp_perf_not_permitted(host, words, core ? 1 : 0, out, size);
	else if (refused)
		snprintf(out, size, "%s: root may read it", words);
	else if (hardware_is_closed)
		tp_perf_no_hardware(host, words, out, size);
	else
		snprintf(out, size, "%s", words);
}

struct listing {
	const char *const *filters;
	bool skip[TP_PAPI_COMPONENT_MAX]; /* components that crashed an earlier child */
};

/* --- in the child --- */

/* Tabs and line feeds would end a field or a line. */
static void put_text(FILE *out, const char *text, size_t limit)
{
	for (size_t i = 0; text[i] && i < limit; i++)
		putc((unsigned char)text[i] < ' ' ? ' ' : text[i], out);
}

static void put_event(FILE *out, const struct listing *listing, const char *component, int code)
{
	PAPI_event_info_t info;
	memset(&info, 0, sizeof(info));
	if (PAPI_get_event_info(code, &info) != PAPI_OK || !*info.symbol ||
	    !tp_source_wished(listing->filters, info.symbol))
		return;
	fprintf(out, "event\t%s\t%s\t%d\t", info.symbol, component,
		info.data_type == PAPI_DATATYPE_FP64);
	put_text(out, *info.long_descr ? info.long_descr : info.short_descr, 1500);
	putc('\n', out);
	fflush(out);
}

/*
 * Qualifiers that take a value (":u=0", ":c=0", ":period=0") select how an event is counted, not
 * what; they are listed with an arbitrary value. A filter can ask for one by name.
 */
static bool wants_values(const char *const *filters)
{
	for (; filters && *filters; filters++)
		if (strchr(*filters, '='))
			return true;
	return false;
}

/* Presets and the user's own events are counted by the CPU's component. */
static void put_derived(FILE *out, const struct listing *listing, int mask, int modifier)
{
	int code = mask;
	for (int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST); more == PAPI_OK;
	     more = PAPI_enum_event(&code, modifier))
		if (mask != (int)PAPI_PRESET_MASK || PAPI_query_event(code) == PAPI_OK)
			put_event(out, listing, "perf_event", code);
}

static void put_component(FILE *out, const struct listing *listing, int i)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(i);
	if (!info)
		return;
	fprintf(out, "component\t%d\t%s\n", i, info->name);
	fflush(out);
	if (strcmp(info->name, "perf_event") == 0) {
		fprintf(out, "pmus\t");
		for (int p = 0; p < PAPI_PMU_MAX && info->pmu_names[p]; p++)
			fprintf(out, "%s ", info->pmu_names[p]);
		putc('\n', out);
		fflush(out);
	}
	if (listing->skip[i])
		return;
	/*
	 * Some components start when their events are listed, and only then report why they cannot.
	 */
	if (!info->disabled || info->disabled == PAPI_EDELAY_INIT) {
		int code = PAPI_NATIVE_MASK;
		bool values = wants_values(listing->filters);
		char name[PAPI_HUGE_STR_LEN + 1];

		for (int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, i); more == PAPI_OK;
		     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, i)) {
			put_event(out, listing, info->name, code);
			int mask = code;
			while (PAPI_enum_cmp_event(&mask, PAPI_NTV_ENUM_UMASKS, i) == PAPI_OK) {
				if (PAPI_event_code_to_name(mask, name) == PAPI_OK &&
				    (values || !strchr(name, '=')))
					put_event(out, listing, info->name, mask);
			}
		}
	}
	info = PAPI_get_component_info(i);
	if (info->disabled) {
		fprintf(out, "disabled\t%s\t", info->name);
		put_text(out,
			 *info->disabled_reason ? info->disabled_reason
						: PAPI_strerror(info->disabled),
			 300);
		putc('\n', out);
		fflush(out);
	} else if (i == 0) {
		put_derived(out, listing, (int)PAPI_PRESET_MASK, PAPI_PRESET_ENUM_AVAIL);
		put_derived(out, listing, PAPI_UE_MASK, PAPI_ENUM_EVENTS);
	}
}

static void tell_events(FILE *out, const void *context)
{
	int version = PAPI_library_init(PAPI_VER_CURRENT);
	if (version != PAPI_VER_CURRENT) {
		fprintf(out, "failed\t%s\n",
			version > 0 ? "another version of the library than tprof was built with"
				    : PAPI_strerror(version));
		return;
	}
	int n = PAPI_num_components();
	for (int i = 0; i < n && i < TP_PAPI_COMPONENT_MAX; i++)
		put_component(out, context, i);
	fprintf(out, "end\n");
}

/* --- in the parent --- */

struct list {
	struct tp_source *source;
	size_t cap, cap_real;
	bool *is_real;
	char component[64]; /* the one being listed */
	int index; /* its number, -1 = none yet */
	char *pmus;
	size_t pmus_size;
	bool complete;
};

static void note(struct tp_source *source, const char *component, const char *hint,
		 const char *what)
{
	char where[192];
	snprintf(where, sizeof(where), "papi component %.160s", component);
	tp_diags_note(&source->notes, where, hint, "%s", what);
}

static enum tp_status take_listed(struct list *list, const struct tp_perf_host *host, char *line,
				  struct tp_diag *diag)
{
	char *fields[5];
	papi_fields(line, fields, TP_COUNT_OF(fields));
	const char *kind = fields[0];
	if (strcmp(kind, "event") == 0) {
		struct tp_source *source = list->source;
		struct tp_arena *arena = &source->arena;

		TP_RESERVE(source->events, list->cap, source->n_events + 1);
		TP_RESERVE(list->is_real, list->cap_real, source->n_events + 1);
		struct tp_count_event *event = &source->events[source->n_events];
		/* Events of one component follow each other, and share its name. */
		const char *component =
			source->n_events && strcmp(event[-1].component, fields[2]) == 0
				? event[-1].component
				: tp_arena_strdup(arena, fields[2]);
		*event = (struct tp_count_event){ .name = tp_arena_strdup(arena, fields[1]),
						  .component = component,
						  .description = tp_arena_strdup(arena, fields[4]),
						  .reason = "not tried",
						  .group = -1 };
		list->is_real[source->n_events++] = strcmp(fields[3], "1") == 0;
	} else if (strcmp(kind, "component") == 0) {
		list->index = atoi(fields[1]);
		tp_copy(list->component, sizeof(list->component), fields[2]);
	} else if (strcmp(kind, "disabled") == 0) {
		note(list->source, fields[1], tp_papi_component_hint(host, fields[1], fields[2]),
		     fields[2]);
	} else if (strcmp(kind, "pmus") == 0) {
		char *rest = NULL;

		/* PMUs of the core, without those that the kernel synthesises. */
		list->pmus[0] = '\0';
		for (char *w = strtok_r(fields[1], " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
			size_t len = strlen(list->pmus);
			if (strcmp(w, "perf") != 0 && strcmp(w, "perf_raw") != 0 &&
			    strcmp(w, "ix86arch") != 0 && len + strlen(w) + 2 < list->pmus_size)
				snprintf(list->pmus + len, list->pmus_size - len, "%s%s",
					 len ? " " : "", w);
		}
	} else if (strcmp(kind, "failed") == 0) {
		return tp_fail(diag, TP_UNSUPPORTED, "papi", "install the libpapi of this system",
			       "PAPI does not start: %s", fields[1]);
	} else if (strcmp(kind, "end") == 0) {
		list->complete = true;
	}
	return TP_OK;
}

/* Listens to one child. */
static enum tp_status hear_list(struct list *list, const struct listing *listing,
				const struct tp_perf_host *host, double silence_seconds, char *end,
				size_t size, struct tp_diag *diag)
{
	struct tp_process child;
	enum tp_process_news heard = TP_PROCESS_GONE;
	char *line;
	enum tp_status status = papi_child_start(&child, tell_events, listing, diag);
	while (status == TP_OK && !list->complete &&
	       (heard = tp_process_line(&child, silence_seconds, &line, NULL)) == TP_PROCESS_LINE)
		status = take_listed(list, host, line, diag);
	papi_child_end(&child, end, size);
	if (status == TP_OK && heard == TP_PROCESS_QUIET)
		snprintf(end, size, "it was silent for %g seconds", silence_seconds);
	return status;
}

enum tp_status tp_papi_enumerate(struct tp_source *source, const char *const *filters,
				 double silence_seconds, bool **is_real, char *pmus, size_t size,
				 struct tp_diag *diag)
{
	struct listing listing = { .filters = filters };
	struct list list = { .source = source, .index = -1, .pmus = pmus, .pmus_size = size };
	struct tp_perf_host host;
	struct tp_diags fallen = { 0 };
	enum tp_status status = TP_OK;
	*pmus = '\0';
	tp_perf_host_read(&host);
	while (status == TP_OK && !list.complete) {
		char end[96];
		source->n_events = 0;
		tp_diags_release(&source->notes);
		list.index = -1;
		status = hear_list(&list, &listing, &host, silence_seconds, end, sizeof(end), diag);
		if (status != TP_OK || list.complete)
			break;
		if (list.index < 0 || list.index >= TP_PAPI_COMPONENT_MAX ||
		    listing.skip[list.index]) {
			status = tp_fail(
				diag, TP_CRASHED, "papi",
				"see whether papi_component_avail (Debian package papi-tools) ends",
				"PAPI does not start: %s", end);
			break;
		}
		listing.skip[list.index] = true;
		tp_diags_note(&fallen, list.component, NULL,
			      "PAPI crashed or hung on listing its events (%s); they are left out",
			      end);
	}
	for (size_t i = 0; i < fallen.n; i++)
		note(source, fallen.items[i].where, NULL, fallen.items[i].what);
	tp_diags_release(&fallen);
	/* The list belongs to the arena like its texts. */
	struct tp_count_event *events = source->events;
	source->events = NULL;
	if (status == TP_OK && source->n_events) {
		size_t bytes = source->n_events * sizeof(*events);
		source->events = tp_arena_alloc(&source->arena, bytes);
		memcpy(source->events, events, bytes);
	}
	free(events);
	if (status != TP_OK)
		source->n_events = 0;
	*is_real = list.is_real;
	return status;
}

bool tp_papi_pmus(char *pmus, size_t size)
{
	struct tp_source nowhere = { 0 };
	struct listing listing = { 0 };
	struct list list = { .source = &nowhere, .index = -1, .pmus = pmus, .pmus_size = size };
	struct tp_perf_host host;
	char end[96];
	for (size_t i = 0; i < TP_PAPI_COMPONENT_MAX; i++)
		listing.skip[i] = true;
	*pmus = '\0';
	tp_perf_host_read(&host);
	hear_list(&list, &listing, &host, TP_PAPI_SILENCE_SECONDS, end, sizeof(end), NULL);
	free(nowhere.events);
	free(list.is_real);
	tp_diags_release(&nowhere.notes);
	tp_arena_release(&nowhere.arena);
	return *pmus;
}

struct probing {
	const struct tp_source *source;
	size_t from; /* earlier children tried the events before it */
	int group; /* number of the first new group */
	bool several; /* in a group */
};

/* --- in the child --- */

struct open_set {
	int set; /* PAPI_NULL = none */
	int n, group;
	const char *component;
};

static void drop(struct open_set *open)
{
	if (open->set != PAPI_NULL) {
		PAPI_cleanup_eventset(open->set);
		PAPI_destroy_eventset(&open->set);
	}
	open->set = PAPI_NULL;
	open->n = 0;
}

static int start_and_stop(int set)
{
	long long values[TP_PAPI_GROUP_MAX] = { 0 };
	int code = PAPI_start(set);
	return code == PAPI_OK ? PAPI_stop(set, values) : code;
}

/* Adds an event to the open set, which stays unchanged on failure. */
static int join(struct open_set *open, int event)
{
	int code = PAPI_add_event(open->set, event);
	if (code != PAPI_OK)
		return code;
	code = start_and_stop(open->set);
	if (code != PAPI_OK)
		PAPI_remove_event(open->set, event);
	else
		open->n++;
	return code;
}

static int try_event(const struct probing *probing, struct open_set *open,
		     const struct tp_count_event *event)
{
	int papi_event;
	int code = PAPI_event_name_to_code(event->name, &papi_event);
	if (code != PAPI_OK)
		return code;
	bool fits = probing->several && open->set != PAPI_NULL && open->n < TP_PAPI_GROUP_MAX &&
		    strcmp(open->component, event->component) == 0;
	if (fits && join(open, papi_event) == PAPI_OK)
		return PAPI_OK;
	drop(open);
	code = PAPI_create_eventset(&open->set);
	if (code != PAPI_OK)
		return code;
	code = join(open, papi_event);
	if (code == PAPI_OK) {
		open->component = event->component;
		open->group++;
	} else {
		drop(open);
	}
	return code;
}

static void tell_availability(FILE *out, const void *context)
{
	const struct probing *probing = context;
	const struct tp_source *source = probing->source;
	struct open_set open = { .set = PAPI_NULL, .group = probing->group - 1 };
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return;
	fprintf(out, "begin\n");
	for (size_t i = probing->from; i < source->n_events; i++) {
		fprintf(out, "trying\t%zu\n", i);
		fflush(out);
		int code = try_event(probing, &open, &source->events[i]);
		if (code == PAPI_OK)
			fprintf(out, "ok\t%zu\t%d\n", i, open.group);
		else
			fprintf(out, "refused\t%zu\t%d\t%s\n", i, code, PAPI_strerror(code));
	}
	fprintf(out, "end\n");
}

/* --- in the parent --- */

struct account {
	struct tp_perf_host host;
	bool begun, complete;
	size_t trying; /* the last event announced, SIZE_MAX = none */
	int n_groups;
};

static void take_try(struct account *account, struct tp_source *source, char *line)
{
	char *fields[4];
	papi_fields(line, fields, TP_COUNT_OF(fields));
	if (strcmp(fields[0], "begin") == 0)
		account->begun = true;
	else if (strcmp(fields[0], "end") == 0)
		account->complete = true;
	size_t i = strtoul(fields[1], NULL, 10);
	if (i >= source->n_events)
		return;
	struct tp_count_event *event = &source->events[i];
	if (strcmp(fields[0], "trying") == 0) {
		account->trying = i;
	} else if (strcmp(fields[0], "ok") == 0) {
		event->available = true;
		event->reason = "";
		event->group = atoi(fields[2]);
		account->n_groups = TP_MAX(account->n_groups, event->group + 1);
	} else if (strcmp(fields[0], "refused") == 0) {
		char reason[384];
		tp_papi_refusal(&account->host, event->component, event->name, atoi(fields[2]),
				fields[3], reason, sizeof(reason));
		event->reason = tp_arena_strdup(&source->arena, reason);
	}
}

static enum tp_status hear_tries(struct account *account, struct tp_source *source,
				 const struct probing *probing, double silence_seconds, char *end,
				 size_t size, struct tp_diag *diag)
{
	struct tp_process child;
	enum tp_process_news heard = TP_PROCESS_GONE;
	char *line;
	enum tp_status status = papi_child_start(&child, tell_availability, probing, diag);
	while (status == TP_OK && !account->complete &&
	       (heard = tp_process_line(&child, silence_seconds, &line, NULL)) == TP_PROCESS_LINE)
		take_try(account, source, line);
	char how[64];
	papi_child_end(&child, how, sizeof(how));
	if (heard == TP_PROCESS_QUIET)
		snprintf(end, size, "PAPI hung on it: nothing happened for %g seconds",
			 silence_seconds);
	else
		snprintf(end, size, "PAPI crashed on it: %s", how);
	return status;
}

static void make_groups(struct tp_source *source, int n)
{
	struct tp_arena *arena = &source->arena;
	source->groups = tp_arena_alloc(arena, (size_t)n * sizeof(*source->groups) + 1);
	source->n_groups = (size_t)n;
	for (size_t i = 0; i < source->n_events; i++)
		if (source->events[i].available)
			source->groups[source->events[i].group].n++;
	for (size_t g = 0; g < source->n_groups; g++) {
		struct tp_source_group *group = &source->groups[g];
		group->events = tp_arena_alloc(arena, (group->n + 1) * sizeof(*group->events));
		group->n = 0;
	}
	for (size_t i = 0; i < source->n_events; i++) {
		if (!source->events[i].available)
			continue;
		struct tp_source_group *group = &source->groups[source->events[i].group];
		group->events[group->n++] = i;
	}
}

enum tp_status tp_papi_probe(struct tp_source *source, bool group, double silence_seconds,
			     struct tp_diag *diag)
{
	struct account account = { 0 };
	struct probing probing = { .source = source, .several = group };
	enum tp_status status = TP_OK;
	tp_perf_host_read(&account.host);
	while (status == TP_OK && probing.from < source->n_events && !account.complete) {
		char end[128];
		account.begun = false;
		account.trying = SIZE_MAX;
		status = hear_tries(&account, source, &probing, silence_seconds, end, sizeof(end),
				    diag);
		if (status != TP_OK || account.complete)
			break;
		if (account.trying == SIZE_MAX)
			status = tp_fail(diag, TP_CRASHED, "papi", NULL, "PAPI does not start: %s",
					 end);
		else {
			source->events[account.trying].available = false;
			source->events[account.trying].group = -1;
			source->events[account.trying].reason =
				tp_arena_strdup(&source->arena, end);
			probing.from = account.trying + 1;
			probing.group = account.n_groups;
		}
	}
	if (status == TP_OK)
		make_groups(source, account.n_groups);
	return status;
}
