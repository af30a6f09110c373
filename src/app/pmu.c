/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The way of counting by the CPU's own counters: the program runs once for each event. Which events
 * count floating-point operations, loads and stores is listed in "Performance Monitoring Events" of
 * Intel's SDM, volume 3, and in the processor programming references of AMD; the names are those of
 * perf-list(1).
 */
#include "app/pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/str.h"
#include "kernels/arch.h"

#define EVENT(event, mask) ((event) | (mask) << 8)

#define PLAIN(text, event, mask, kind)                                                             \
	{                                                                                          \
		.name = text, .config = EVENT(event, mask), .role = TP_PMU_PLAIN,                  \
		.index = TP_MIX_##kind                                                             \
	}

#define ARITHMETIC(text, mask, kind, precision, n, size, needs)                                    \
	{                                                                                          \
		.name = "FP_ARITH_INST_RETIRED." text, .config = EVENT(0xc7, mask),                \
		.role = TP_PMU_ARITHMETIC, .index = TP_MIX_##kind,                                 \
		.flops = TP_MIX_FLOPS_##precision, .lanes = n, .bytes = size, .feature = needs     \
	}

#define FLOPS(text, mask, precision)                                                               \
	{                                                                                          \
		.name = text, .config = EVENT(0x03, mask), .role = TP_PMU_FLOPS,                   \
		.index = TP_MIX_FLOPS_##precision                                                  \
	}

#define WIDTH(text, mask, size)                                                                    \
	{                                                                                          \
		.name = "fp_ops_retired_by_width." text, .config = EVENT(0x08, mask),              \
		.role = TP_PMU_WIDTH, .bytes = size                                                \
	}

static const struct tp_pmu_event intel[] = {
	ARITHMETIC("SCALAR_DOUBLE", 0x01, FP_DP_SCALAR, DP, 1, 8, NULL),
	ARITHMETIC("SCALAR_SINGLE", 0x02, FP_SP_SCALAR, SP, 1, 4, NULL),
	ARITHMETIC("128B_PACKED_DOUBLE", 0x04, FP_DP_128, DP, 2, 16, NULL),
	ARITHMETIC("128B_PACKED_SINGLE", 0x08, FP_SP_128, SP, 4, 16, NULL),
	ARITHMETIC("256B_PACKED_DOUBLE", 0x10, FP_DP_256, DP, 4, 32, "avx"),
	ARITHMETIC("256B_PACKED_SINGLE", 0x20, FP_SP_256, SP, 8, 32, "avx"),
	ARITHMETIC("512B_PACKED_DOUBLE", 0x40, FP_DP_512, DP, 8, 64, "avx512f"),
	ARITHMETIC("512B_PACKED_SINGLE", 0x80, FP_SP_512, SP, 16, 64, "avx512f"),
	PLAIN("MEM_INST_RETIRED.ALL_LOADS", 0xd0, 0x81, LOADS),
	PLAIN("MEM_INST_RETIRED.ALL_STORES", 0xd0, 0x82, STORES),
	PLAIN("INST_RETIRED.ANY_P", 0xc0, 0x00, INSTRUCTIONS),
};

#define AMD_COMMON                                                                                 \
	PLAIN("ls_dispatch.ld_dispatch + ld_st_dispatch", 0x29, 0x05, LOADS),                      \
		PLAIN("ls_dispatch.store_dispatch + ld_st_dispatch", 0x29, 0x06, STORES),          \
		PLAIN("ex_ret_instr", 0xc0, 0x00, INSTRUCTIONS)

static const struct tp_pmu_event zen1[] = {
	FLOPS("fp_ret_sse_avx_ops.sp_*", 0x0f, SP),
	FLOPS("fp_ret_sse_avx_ops.dp_*", 0xf0, DP),
	AMD_COMMON,
};

static const struct tp_pmu_event zen2[] = {
	FLOPS("fp_ret_sse_avx_ops.all", 0x0f, DP),
	AMD_COMMON,
};

static const struct tp_pmu_event zen4[] = {
	FLOPS("fp_ret_sse_avx_ops.all", 0x0f, DP), WIDTH("scalar_uops_retired", 0x04, 8),
	WIDTH("pack_128_uops_retired", 0x08, 16),  WIDTH("pack_256_uops_retired", 0x10, 32),
	WIDTH("pack_512_uops_retired", 0x20, 64),  AMD_COMMON,
};

/* Since Broadwell; Haswell and the small cores have no FP_ARITH_INST_RETIRED. */
static bool is_intel(const struct tp_cpu *cpu)
{
	static const int without[] = { 0x3c, 0x3f, 0x45, 0x46, 0x4a, 0x4c, 0x4d,
				       0x57, 0x5a, 0x5c, 0x5d, 0x5f, 0x65, 0x6e,
				       0x75, 0x7a, 0x85, 0x86, 0x8a, 0x96, 0x9c };
	if (strcmp(cpu->vendor, "GenuineIntel") != 0 || cpu->family != 6 || cpu->model < 0x3d)
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(without); i++)
		if (cpu->model == without[i])
			return false;
	return true;
}

static bool is_amd(const struct tp_cpu *cpu)
{
	return strcmp(cpu->vendor, "AuthenticAMD") == 0;
}

static bool is_zen1(const struct tp_cpu *cpu)
{
	return is_amd(cpu) && cpu->family == 0x17 && cpu->model < 0x30;
}

static bool is_zen2(const struct tp_cpu *cpu)
{
	return is_amd(cpu) && (cpu->family == 0x17 || cpu->family == 0x19);
}

static bool is_zen4(const struct tp_cpu *cpu)
{
	int block = cpu->model / 16;
	return is_amd(cpu) &&
	       (cpu->family == 0x1a ||
		(cpu->family == 0x19 && (block == 1 || block == 6 || block == 7 || block == 10)));
}

static const char one_precision[] =
	"the FLOPs of this CPU's counter are of any precision; they are shown as double precision";

static const struct tp_pmu pmus[] = {
	{ "FP_ARITH_INST_RETIRED", is_intel, intel, TP_COUNT_OF(intel),
	  "the counters count fused multiply-adds twice and among the others of their width" },
	{ "Zen", is_zen1, zen1, TP_COUNT_OF(zen1), NULL },
	{ "Zen 4 and 5", is_zen4, zen4, TP_COUNT_OF(zen4), one_precision },
	{ "Zen 2 and 3", is_zen2, zen2, TP_COUNT_OF(zen2), one_precision },
};

/* NULL: no event is known that counts FLOPs on this CPU. */
static const struct tp_pmu *pmu_of(const struct tp_cpu *cpu)
{
	for (size_t i = 0; i < TP_COUNT_OF(pmus); i++)
		if (pmus[i].is(cpu))
			return &pmus[i];
	return NULL;
}

static bool pmu_has(const struct tp_cpu *cpu, const struct tp_pmu_event *event)
{
	return !event->feature || tp_has_word(cpu->features, event->feature);
}

/*
 * Counters of the kernel, perf_event_open(2). They belong to this thread, but wait for an exec: the
 * program inherits them when it is started, counts from its first instruction on, and adds what its
 * threads and children counted.
 */
int tp_pmu_open(const struct tp_pmu_code *code)
{
	struct perf_event_attr attr = { .type = code->type,
					.size = sizeof(attr),
					.config = code->config,
					.config1 = code->config1,
					.config2 = code->config2,
					.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
						       PERF_FORMAT_TOTAL_TIME_RUNNING,
					.disabled = 1,
					.inherit = 1,
					.enable_on_exec = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      (unsigned long)PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

bool tp_pmu_read(int fd, struct tp_pmu_value *value)
{
	uint64_t words[3];
	if (read(fd, words, sizeof(words)) != (ssize_t)sizeof(words))
		return false;
	*value = (struct tp_pmu_value){ words[0], words[1], words[2] };
	return true;
}

static int open_event(void *context __attribute__((unused)), const struct tp_pmu_code *code)
{
	return tp_pmu_open(code);
}

static bool read_event(void *context __attribute__((unused)), int fd, struct tp_pmu_value *value)
{
	return tp_pmu_read(fd, value);
}

static void close_event(void *context __attribute__((unused)), int fd)
{
	close(fd);
}

static enum tp_status run_program(const struct tp_app_command *command, struct tp_command_run *ran,
				  struct tp_diag *diag)
{
	return tp_app_execute(command, NULL, ran, diag);
}

void tp_pmu_host(struct tp_pmu_host *host)
{
	*host = (struct tp_pmu_host){ .encode = tp_pmu_encode,
				      .open = open_event,
				      .read = read_event,
				      .close = close_event,
				      .run = run_program };
	/* Linux has both, in place of "cpu", where the cores differ. */
	host->hybrid = access("/sys/bus/event_source/devices/cpu_core", F_OK) == 0 &&
		       access("/sys/bus/event_source/devices/cpu_atom", F_OK) == 0;
	tp_arch_identify(&host->cpu);
}

/* A count may come out this much below 0 for the differences between runs, of all that it adds. */
#define BELOW_ZERO 0.01

/* No counter holds more. */
#define MOST 0x1p63

/* The formula that gives `what`; NULL = none. */
static const struct tp_app_formula *pmu_formula_of(const struct tp_pmu_plan *plan, unsigned what)
{
	for (size_t i = 0; i < plan->n_formulas; i++)
		if (plan->formulas[i].formula->gives == what)
			return plan->formulas[i].formula;
	return NULL;
}

static bool has_flops(const struct tp_pmu_plan *plan)
{
	return pmu_formula_of(plan, TP_MIX_FLOPS_SP) || pmu_formula_of(plan, TP_MIX_FLOPS_DP);
}

static bool has_widths(const struct tp_pmu_plan *plan)
{
	return pmu_formula_of(plan, TP_APP_FP_SP) && pmu_formula_of(plan, TP_APP_FP_DP) &&
	       pmu_formula_of(plan, TP_MIX_FLOPS_SP) && pmu_formula_of(plan, TP_MIX_FLOPS_DP);
}

/* Why an event cannot be opened, by its errno. */
static enum tp_status pmu_refuse(const struct tp_pmu_host *host, const char *event, int error,
				 struct tp_diag *diag)
{
	char level[16] = "unknown";
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	if (file) {
		if (fscanf(file, "%15s", level) != 1)
			strcpy(level, "unknown");
		fclose(file);
	}
	if (error == EACCES || error == EPERM)
		return tp_fail(diag, TP_PERM, "pmu",
			       "sudo sysctl kernel.perf_event_paranoid=2, or the capability "
			       "CAP_PERFMON; in a container its seccomp profile has to allow "
			       "perf_event_open, too",
			       "counting %.120s is not permitted while kernel.perf_event_paranoid "
			       "is %s",
			       event, level);
	if (host->cpu.hypervisor[0])
		return tp_fail(diag, TP_UNSUPPORTED, "pmu",
			       "its hypervisor would have to pass on a PMU; --app-source "
			       "instrument needs none",
			       "this virtual machine (%s) has no hardware counters: %.120s (%s)",
			       host->cpu.hypervisor, event, strerror(error));
	return tp_fail(diag, TP_UNSUPPORTED, "pmu", "--app-source instrument needs no counters",
		       "the kernel cannot count %.120s: %s", event, strerror(error));
}

/* --- counters --- */

static bool is_same(const struct tp_pmu_code *a, const struct tp_pmu_code *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2;
}

/* The counter of that event, new or not; NULL beyond TP_PMU_COUNTERS. */
static struct tp_pmu_counter *counter_of(struct tp_pmu_plan *plan, const char *name,
					 const struct tp_pmu_code *code)
{
	for (size_t i = 0; i < plan->n; i++)
		if (is_same(&plan->counters[i].code, code))
			return &plan->counters[i];
	if (plan->n == TP_PMU_COUNTERS)
		return NULL;
	plan->counters[plan->n] = (struct tp_pmu_counter){ .name = name, .code = *code };
	return &plan->counters[plan->n++];
}

static enum tp_status try_event(const struct tp_pmu_host *host, const char *name,
				const struct tp_pmu_code *code, struct tp_diag *diag)
{
	int fd = host->open(host->context, code);
	if (fd < 0)
		return pmu_refuse(host, name, -fd, diag);
	host->close(host->context, fd);
	return TP_OK;
}

static enum tp_status add_term(const struct tp_pmu_host *host, struct tp_pmu_plan *plan,
			       const char *event, unsigned *index, struct tp_diag *diag)
{
	struct tp_pmu_code code;
	size_t before = plan->n;
	enum tp_status status = host->encode(event, &code, diag);
	if (status != TP_OK)
		return status;
	struct tp_pmu_counter *counter = counter_of(plan, event, &code);
	if (!counter)
		return tp_fail(diag, TP_RESOURCE, "pmu", NULL, "formulas of more than %d events",
			       TP_PMU_COUNTERS);
	*index = (unsigned)(counter - plan->counters);
	counter->required = true;
	return plan->n > before ? try_event(host, event, &code, diag) : TP_OK;
}

static enum tp_status add_formula(const struct tp_pmu_host *host, struct tp_pmu_plan *plan,
				  const struct tp_app_formula *formula, struct tp_diag *diag)
{
	struct tp_pmu_formula *to = &plan->formulas[plan->n_formulas];
	size_t before = plan->n;
	enum tp_status status = TP_OK;
	*to = (struct tp_pmu_formula){ .formula = formula };
	for (size_t i = 0; i < formula->n && status == TP_OK; i++)
		status = add_term(host, plan, formula->terms[i].event, &to->counters[i], diag);
	if (status == TP_OK)
		plan->n_formulas++;
	else
		plan->n = before;
	return status;
}

/* --- the plan --- */

/* The reason of the first formula of FLOPs that cannot be counted stays in `diag`. */
static enum tp_status add_formulas(const struct tp_pmu_host *host, struct tp_pmu_plan *plan,
				   struct tp_diags *notes, struct tp_diag *diag)
{
	const struct tp_app_formulas *from = plan->from;
	enum tp_status worst = TP_OK;
	struct tp_diag last = { 0 };
	for (size_t i = 0; i < from->n && plan->n_formulas < TP_APP_FORMULAS; i++) {
		const struct tp_app_formula *formula = &from->items[i];
		struct tp_diag why = { 0 };
		enum tp_status status = add_formula(host, plan, formula, &why);
		if (status == TP_OK)
			continue;
		if ((formula->gives == TP_MIX_FLOPS_SP || formula->gives == TP_MIX_FLOPS_DP) &&
		    worst == TP_OK) {
			worst = status;
			*diag = why;
		}
		/* A reason common to all is reported once. */
		if (strcmp(why.what, last.what) != 0)
			tp_diags_note(notes, "pmu", why.hint,
				      "the formula of %.100s for %.40s cannot be used: %.220s",
				      from->run, formula->metric, why.what);
		last = why;
	}
	return worst;
}

/* Counts that formulas give are not counted again. */
static bool is_superfluous(const struct tp_pmu_plan *plan, const struct tp_pmu_event *event)
{
	switch (event->role) {
	case TP_PMU_PLAIN:
		return pmu_formula_of(plan, event->index);
	case TP_PMU_FLOPS: /* of some CPUs, FLOPs of all precisions together */
		return has_flops(plan);
	case TP_PMU_WIDTH:
		return has_widths(plan);
	case TP_PMU_ARITHMETIC:
		break;
	}
	return false;
}

static void add_events(const struct tp_pmu_host *host, struct tp_pmu_plan *plan)
{
	for (size_t i = 0; plan->pmu && i < plan->pmu->n; i++) {
		const struct tp_pmu_event *event = &plan->pmu->events[i];
		const struct tp_pmu_code code = { .type = PERF_TYPE_RAW, .config = event->config };
		if (!pmu_has(&host->cpu, event) || is_superfluous(plan, event))
			continue;
		struct tp_pmu_counter *counter = counter_of(plan, event->name, &code);
		if (!counter)
			return;
		counter->event = event;
		counter->required |=
			event->role == TP_PMU_FLOPS ||
			(event->role == TP_PMU_ARITHMETIC && !pmu_formula_of(plan, event->flops));
	}
}

static bool is_counted(const struct tp_pmu_plan *plan, unsigned index)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_pmu_event *event = plan->counters[i].event;
		if (event &&
		    (event->role == TP_PMU_ARITHMETIC ? event->flops : event->index) == index &&
		    event->role != TP_PMU_WIDTH)
			return true;
	}
	return pmu_formula_of(plan, index);
}

/* Formulas are used if no event is known, and then all of them must exist. */
static void note_lacking(struct tp_pmu_plan *plan, struct tp_diags *notes)
{
	static const struct {
		unsigned index;
		const char *words;
	} needed[] = { { TP_MIX_FLOPS_SP, "operations in single precision" },
		       { TP_MIX_FLOPS_DP, "operations in double precision" },
		       { TP_MIX_LOADS, "loads" },
		       { TP_MIX_STORES, "stores" } };
	for (size_t i = 0; i < TP_COUNT_OF(needed); i++) {
		if (is_counted(plan, needed[i].index))
			continue;
		tp_diags_note(notes, "pmu", "tprof --batch counters, with events that count them",
			      "%s are not counted: %.100s has no formula for them", needed[i].words,
			      plan->from->run);
		plan->lacks = true;
	}
}

static enum tp_status no_events(const struct tp_cpu *cpu, struct tp_diag *diag)
{
	return tp_fail(
		diag, TP_UNSUPPORTED, "pmu",
		"tprof has those of Intel since Broadwell and of AMD since Zen; on others tprof "
		"--batch counters finds formulas, which are used then; --app-source instrument "
		"needs neither",
		"no events that count FLOPs are known for this CPU (%s, family %d, model %d)",
		cpu->vendor[0] ? cpu->vendor : cpu->arch, cpu->family, cpu->model);
}

/*
 * Formulas first; the events of the CPU's family give what these do not. A formula that cannot be
 * counted leaves a note; if it gives FLOPs, and is demanded or all there is, its reason is
 * returned. TP_UNSUPPORTED: nothing counts FLOPs here, and no run is named.
 */
static enum tp_status pmu_plan(const struct tp_pmu_host *host,
			       const struct tp_app_formulas *formulas, struct tp_pmu_plan *plan,
			       struct tp_diags *notes, struct tp_diag *diag)
{
	*plan = (struct tp_pmu_plan){ .pmu = pmu_of(&host->cpu), .from = formulas };
	enum tp_status status = TP_OK;
	if (host->hybrid)
		return tp_fail(diag, TP_UNSUPPORTED, "pmu",
			       "--app-source instrument needs no counters",
			       "this CPU has two kinds of cores with separate counters (cpu_core, "
			       "cpu_atom): a program that moves between them is not "
			       "counted as a whole");
	if (formulas)
		status = add_formulas(host, plan, notes, diag);
	if (status != TP_OK && (formulas->demanded || !plan->pmu))
		return status;
	/* A user who names a run gets what it has, and notes about the rest. */
	bool named = formulas && formulas->demanded && plan->n_formulas;
	if (!plan->pmu && !has_flops(plan) && !named)
		return no_events(&host->cpu, diag);
	add_events(host, plan);
	if (has_flops(plan) || (named && !plan->pmu))
		note_lacking(plan, notes);
	return TP_OK;
}

/* --- what it means --- */

static double value_of(const struct tp_pmu_plan *plan, const struct tp_pmu_formula *formula,
		       double *sum)
{
	double value = 0;
	*sum = 0;
	for (size_t i = 0; i < formula->formula->n; i++) {
		double part = formula->formula->terms[i].coefficient *
			      (double)plan->counters[formula->counters[i]].value;
		value += part;
		*sum += fabs(part);
	}
	return value;
}

/* Values of all formulas, by what they give. */
static void evaluate(const struct tp_pmu_plan *plan, double given[TP_APP_GIVEN_N], bool *sound,
		     struct tp_diags *notes)
{
	for (size_t i = 0; i < plan->n_formulas; i++) {
		const struct tp_app_formula *formula = plan->formulas[i].formula;
		double sum, value = value_of(plan, &plan->formulas[i], &sum);
		given[formula->gives] = fmax(value, 0);
		if (value >= -BELOW_ZERO * sum)
			continue;
		*sound = false;
		tp_diags_note(
			notes, "pmu",
			"classify the counters of this machine again: tprof --batch counters",
			"the formula of %.100s for %.40s gives %.4g, which is not a count: it "
			"is taken as 0",
			plan->from->run, formula->metric, value);
	}
}

/* Coefficients come from a file, and any value must fit. */
static uint64_t whole_of(double value)
{
	return value < MOST ? (uint64_t)(value + 0.5) : (uint64_t)MOST;
}

/*
 * What was counted, as a mix. Bytes are loads and stores times the mean width of floating-point
 * operations, which is returned; 8 bytes and *known = false if widths are unknown. Negative results
 * of formulas leave a note and *sound = false.
 */
static double pmu_mix(const struct tp_pmu_plan *plan, uint64_t mix[TP_MIX_N], bool *known,
		      bool *sound, struct tp_diags *notes)
{
	double given[TP_APP_GIVEN_N] = { 0 }, operations = 0, bytes = 0, mean = sizeof(double);
	memset(mix, 0, TP_MIX_N * sizeof(*mix));
	*sound = true;
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_pmu_event *e = plan->counters[i].event;
		uint64_t value = plan->counters[i].value;
		if (!e || !plan->counters[i].counted)
			continue;
		if (e->role == TP_PMU_ARITHMETIC || e->role == TP_PMU_WIDTH) {
			operations += (double)value;
			bytes += (double)value * e->bytes;
		}
		if (e->role == TP_PMU_ARITHMETIC)
			mix[e->flops] += value * e->lanes;
		if (e->role != TP_PMU_WIDTH)
			mix[e->index] += value;
	}
	evaluate(plan, given, sound, notes);
	for (unsigned i = 0; i < TP_MIX_N; i++)
		if (pmu_formula_of(plan, i))
			mix[i] = whole_of(given[i]);
	if (has_widths(plan)) {
		operations = given[TP_APP_FP_SP] + given[TP_APP_FP_DP];
		bytes = given[TP_MIX_FLOPS_SP] * sizeof(float) +
			given[TP_MIX_FLOPS_DP] * sizeof(double);
	}
	*known = operations > 0;
	if (*known)
		mean = bytes / operations;
	mix[TP_MIX_BYTES_LOADED] = whole_of(mean * (double)mix[TP_MIX_LOADS]);
	mix[TP_MIX_BYTES_STORED] = whole_of(mean * (double)mix[TP_MIX_STORES]);
	return mean;
}

/* --- whether it can --- */

/* Formulas have been tried; of the CPU's own events one is, and it stands for all. */
static enum tp_status try_first(const struct tp_pmu_host *host, const struct tp_pmu_plan *plan,
				struct tp_diag *diag)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_pmu_counter *counter = &plan->counters[i];
		if (counter->required && counter->event)
			return try_event(host, counter->name, &counter->code, diag);
	}
	return TP_OK;
}

enum tp_status tp_pmu_supported(const struct tp_pmu_host *host,
				const struct tp_app_formulas *formulas, struct tp_diag *diag)
{
	struct tp_pmu_plan plan;
	struct tp_diags untold = { 0 };
	enum tp_status status = pmu_plan(host, formulas, &plan, &untold, diag);
	tp_diags_release(&untold);
	return status == TP_OK ? try_first(host, &plan, diag) : status;
}

/* --- counting --- */

/* What the runs have in common. */
struct counting {
	const struct tp_pmu_host *host;
	struct tp_app_command command;
	struct tp_app_counts *counts;
	struct tp_pmu_plan plan;
	unsigned runs;
	struct tp_str lacking; /* events that cannot be counted, and why */
};

static enum tp_status run_with(struct counting *c, struct tp_diag *diag)
{
	struct tp_app_counts *counts = c->counts;
	struct tp_command_run ran = { 0 };
	enum tp_status status = c->host->run(&c->command, &ran, diag);
	if (status != TP_OK)
		return status;
	if (c->runs++ == 0) {
		counts->end = ran.end;
		counts->wall_seconds = ran.wall_seconds;
		tp_app_note_late(&c->command, &ran, &counts->notes);
		/* Only the first one speaks. */
		c->command.output = c->command.errors = -1;
		c->command.kept = NULL;
		c->command.heard = NULL;
	} else if (ran.end.signal != counts->end.signal || ran.end.code != counts->end.code) {
		if (counts->complete)
			tp_diags_note(&counts->notes, c->command.words[0],
				      "use --app-source instrument, which needs only one run",
				      "does not end the same way in each run, and each event is "
				      "counted in a separate run");
		counts->complete = false;
	}
	return TP_OK;
}

static enum tp_status count_event(struct counting *c, struct tp_pmu_counter *counter,
				  struct tp_diag *diag)
{
	const struct tp_pmu_host *host = c->host;
	struct tp_pmu_value value = { 0 };
	int fd = host->open(host->context, &counter->code);
	if (fd < 0 && counter->required)
		return pmu_refuse(host, counter->name, -fd, diag);
	if (fd < 0) {
		tp_str_printf(&c->lacking, "%s%s (%s)", c->lacking.len ? ", " : "", counter->name,
			      strerror(-fd));
		c->counts->complete = false;
		return TP_OK;
	}
	enum tp_status status = run_with(c, diag);
	bool whole = status == TP_OK && host->read(host->context, fd, &value);
	host->close(host->context, fd);
	if (status != TP_OK)
		return status;
	if (!whole)
		return tp_fail(diag, TP_IO, "pmu", NULL, "the counter of %.120s cannot be read",
			       counter->name);
	/* The kernel would scale what it saw for a part of the time. */
	if (value.running_ns < value.enabled_ns || !value.enabled_ns)
		return tp_fail(diag, TP_RESOURCE, "pmu",
			       "end other programs that count; sudo sysctl kernel.nmi_watchdog=0 "
			       "frees one counter",
			       "%.120s was counted for %.0f %% of the run only: something else "
			       "uses the counters",
			       counter->name,
			       value.enabled_ns
				       ? 100.0 * (double)value.running_ns / (double)value.enabled_ns
				       : 0.0);
	counter->value = value.value;
	counter->counted = true;
	return TP_OK;
}

enum { WORDS_MAX = 230 };

static bool counts_arithmetic(const struct tp_pmu_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_pmu_event *event = plan->counters[i].event;
		if (event && (event->role == TP_PMU_ARITHMETIC || event->role == TP_PMU_FLOPS))
			return true;
	}
	return false;
}

static void note_meaning(const struct counting *c, double mean, bool known)
{
	struct tp_app_counts *counts = c->counts;
	if (known)
		tp_diags_note(&counts->notes, "pmu",
			      "--app-source instrument counts them one by one",
			      "bytes are an assumption: loads and stores times %.3g bytes, the "
			      "mean width of the floating-point operations",
			      mean);
	else
		tp_diags_note(&counts->notes, "pmu",
			      "--app-source instrument counts them one by one",
			      "bytes are an assumption: loads and stores times 8 bytes; no counter "
			      "has their width");
	/* Reports which formulas of which run are used. */
	for (size_t i = 0; i < c->plan.n_formulas; i++) {
		const struct tp_app_formula *formula = c->plan.formulas[i].formula;
		bool cut = strlen(formula->words) > WORDS_MAX;
		const char *hint =
			cut ? "tprof --show with the name of that run shows the whole formula"
			: i ? NULL
			    : "--set app.formulas=off takes the events that tprof has built in";
		tp_diags_note(&counts->notes, "pmu", hint, "%.40s by the formula of %.80s: %.*s%s",
			      formula->metric, c->plan.from->run, cut ? WORDS_MAX - 4 : WORDS_MAX,
			      formula->words, cut ? " ..." : "");
	}
	if (c->plan.pmu && c->plan.pmu->meaning && counts_arithmetic(&c->plan))
		tp_diags_note(&counts->notes, "pmu", NULL, "%s", c->plan.pmu->meaning);
	tp_diags_note(&counts->notes, "pmu", NULL,
		      "each event was counted in a separate run, in user mode, with all threads "
		      "and children");
	if (c->command.functions && c->command.functions[0])
		tp_diags_note(&counts->notes, "pmu", "--app-source instrument counts regions",
			      "counters see the program as a whole: regions are left out");
}

enum tp_status tp_pmu_count(const struct tp_pmu_host *host, const struct tp_app_command *command,
			    struct tp_app_counts *counts, struct tp_diag *diag)
{
	struct counting c = { .host = host, .command = *command, .counts = counts };
	bool known, sound;
	*counts = (struct tp_app_counts){ .complete = true };
	enum tp_status status = pmu_plan(host, command->formulas, &c.plan, &counts->notes, diag);
	if (status == TP_OK)
		status = try_first(host, &c.plan, diag);
	for (size_t i = 0; status == TP_OK && i < c.plan.n; i++)
		status = count_event(&c, &c.plan.counters[i], diag);
	if (status == TP_OK && c.lacking.len)
		tp_diags_note(&counts->notes, "pmu", NULL, "what cannot be counted here: %s",
			      tp_str_text(&c.lacking));
	tp_str_release(&c.lacking);
	if (status != TP_OK) {
		tp_app_counts_release(counts);
		return status;
	}
	counts->regions = tp_alloc(1, sizeof(*counts->regions));
	counts->n_regions = 1;
	counts->regions[0].thread = TP_APP_ALL;
	counts->regions[0].seconds = counts->wall_seconds;
	double mean = pmu_mix(&c.plan, counts->regions[0].mix, &known, &sound, &counts->notes);
	counts->complete &= sound && !c.plan.lacks;
	note_meaning(&c, mean, known);
	return TP_OK;
}

/* --- the row --- */

static enum tp_status supported(const char *path __attribute__((unused)),
				const struct tp_app_formulas *formulas, struct tp_diag *diag)
{
	struct tp_pmu_host host;
	tp_pmu_host(&host);
	return tp_pmu_supported(&host, formulas, diag);
}

static enum tp_status count(const struct tp_app_command *command, struct tp_app_counts *counts,
			    struct tp_diag *diag)
{
	struct tp_pmu_host host;
	tp_pmu_host(&host);
	return tp_pmu_count(&host, command, counts, diag);
}

const struct tp_app_source tp_app_pmu = {
	.name = "pmu",
	.summary =
		"the CPU's own counters, one run for each event: full speed, bytes by assumption",
	.supported = supported,
	.count = count,
};

/*
 * Hardware events have their names from libpfm4, as in PAPI: a name means the same event as in
 * counter classification.
 */
#ifdef HAVE_PFM

#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

static enum tp_status no_such_event(const char *name, int error, struct tp_diag *diag)
{
	/* The only ones that PAPI makes itself. */
	if (strncmp(name, "PAPI_", 5) == 0)
		return tp_fail(diag, TP_NOTFOUND, "pmu", NULL,
			       "%.120s is a preset of PAPI, not an event of the CPU", name);
	return tp_fail(diag, TP_NOTFOUND, "pmu", "showevtinfo of libpfm4 lists its events",
		       "libpfm4 finds no event %.120s on this CPU: %s", name, pfm_strerror(error));
}

enum tp_status tp_pmu_encode(const char *name, struct tp_pmu_code *code, struct tp_diag *diag)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t wish = { .attr = &attr, .size = sizeof(wish) };
	static const char component[] = "perf_event:::"; /* PAPI's own word */
	size_t skip = strncmp(name, component, sizeof(component) - 1) ? 0 : sizeof(component) - 1;
	int error = pfm_initialize();
	if (error == PFM_SUCCESS)
		error = pfm_get_os_event_encoding(name + skip, PFM_PLM3, PFM_OS_PERF_EVENT, &wish);
	if (error != PFM_SUCCESS)
		return no_such_event(name, error, diag);
	if (attr.exclude_user || !attr.exclude_kernel)
		return tp_fail(diag, TP_UNSUPPORTED, "pmu", NULL,
			       "%.120s counts the kernel, and programs are counted in user mode",
			       name);
	*code = (struct tp_pmu_code){ attr.type, attr.config, attr.config1, attr.config2 };
	return TP_OK;
}

#else

enum tp_status tp_pmu_encode(const char *name __attribute__((unused)),
			     struct tp_pmu_code *code __attribute__((unused)), struct tp_diag *diag)
{
	return tp_fail(diag, TP_UNSUPPORTED, "pmu",
		       "install the Debian package libpfm4-dev, and build tprof again",
		       "this tprof was built without libpfm4, which finds events by name");
}

#endif
