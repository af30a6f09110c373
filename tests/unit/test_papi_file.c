/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics as a file that PAPI reads: its text, and what PAPI makes of it. */
#include "experiments/counters/papi_file.h"
#include "counters/papi.h"
#include "counters/source.h"
#include "base/file.h"
#include "base/memory.h"
#include "experiments/counters/classes.h"
#include "experiments/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_EVENTS = 12, MAX_METRICS = 64 };

/* A class of given events and metrics, as the analysis would leave it. */
struct planted {
	struct tp_class class;
	struct tp_class_event events[MAX_EVENTS];
	unsigned chosen[MAX_EVENTS];
	struct tp_class_metric metrics[MAX_METRICS];
	struct tp_class_term terms[MAX_METRICS][MAX_EVENTS];
};

static void plant(struct planted *p, const char *const *events, size_t n)
{
	*p = (struct planted){ .class = { .family = "planted",
					  .title = "Planted, for a test",
					  .per = "iteration",
					  .source = "papi",
					  .defined_limit = 1e-10 } };
	for (size_t i = 0; i < n; i++) {
		p->events[i] = (struct tp_class_event){ .name = events[i], .order = (int)i };
		p->chosen[i] = (unsigned)i;
	}
	p->class.events = p->events;
	p->class.n_events = n;
	p->class.chosen = p->chosen;
	p->class.n_chosen = n;
	p->class.metrics = p->metrics;
}

/* Adds a metric; coefficients of the first n events. */
static struct tp_class_metric *metric(struct planted *p, const char *name, const char *symbol,
				      const double *coefficients, size_t n)
{
	size_t m = p->class.n_metrics++;
	for (size_t i = 0; i < n; i++)
		p->terms[m][i] =
			(struct tp_class_term){ (unsigned)i, coefficients[i], coefficients[i] };
	p->metrics[m] = (struct tp_class_metric){ .name = name,
						  .symbol = symbol,
						  .unit = "",
						  .error = 1e-16,
						  .rounded_error = 1e-16,
						  .defined = true,
						  .terms = p->terms[m],
						  .n_terms = n };
	return &p->metrics[m];
}

static char *text_of(const struct planted *p, size_t n)
{
	struct tp_str out = { 0 };
	struct tp_class classes[2];
	for (size_t i = 0; i < n; i++)
		classes[i] = p[i].class;
	tp_papi_file_for(classes, n, "zen9 zen10", &out);
	char *text = tp_str_take(&out);
	assert_non_null(text);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in:\n%s", part, text);
}

static const char *const two[] = { "A:ONE", "B" };

static void formulas_are_postfix_without_signs(void **state)
{
	(void)state;
	static struct planted p;
	plant(&p, two, 2);
	metric(&p, "alias", "ALIAS", (double[]){ 1 }, 1);
	metric(&p, "sum", "SUM", (double[]){ 1, 1 }, 2);
	metric(&p, "weighted", "WEIGHTED", (double[]){ 4, 8 }, 2);
	metric(&p, "minus first", "MINUS_FIRST", (double[]){ -2, 3 }, 2);
	metric(&p, "only minus", "ONLY_MINUS", (double[]){ -1, -5 }, 2);
	metric(&p, "half", "HALF", (double[]){ 0.5, 1 }, 2);
	metric(&p, "third", "THIRD", (double[]){ 1.0 / 3, -0.25 }, 2);
	metric(&p, "zero inside", "ZERO_INSIDE", (double[]){ 0, 7 }, 2);
	char *text = text_of(&p, 1);
	has(text, "\nCPU,zen9\nCPU,zen10\n");
	has(text, "\nEVENT,ALIAS,NOT_DERIVED,A:ONE,LDESC,");
	has(text, "\nEVENT,SUM,DERIVED_POSTFIX,N0|N1|+|,A:ONE,B,LDESC,");
	has(text, "\nEVENT,WEIGHTED,DERIVED_POSTFIX,N0|4|*|N1|8|*|+|,A:ONE,B,LDESC,");
	has(text, "\nEVENT,MINUS_FIRST,DERIVED_POSTFIX,N0|3|*|N1|2|*|-|,B,A:ONE,LDESC,");
	has(text, "\nEVENT,ONLY_MINUS,DERIVED_POSTFIX,0|N0|-|N1|5|*|-|,A:ONE,B,LDESC,");
	has(text, "\nEVENT,HALF,DERIVED_POSTFIX,N0|N1|2|*|+|2|/|,A:ONE,B,LDESC,");
	has(text, "\nEVENT,THIRD,DERIVED_POSTFIX,N0|4|*|N1|3|*|-|12|/|,A:ONE,B,LDESC,");
	has(text, "\nEVENT,ZERO_INSIDE,DERIVED_POSTFIX,N0|7|*|,B,LDESC,");
	has(text, "LDESC,\"third: 0.3333333333 x A:ONE - 0.25 x B\",SDESC,\"third\",NOTE,\"");
	free(text);
}

static void noisy_coefficients_keep_their_decimals(void **state)
{
	(void)state;
	static struct planted p;
	plant(&p, two, 2);
	p.class.defined_limit = 0.1;
	/* The rounded ones are good enough by the limit of the family. */
	struct tp_class_metric *m =
		metric(&p, "rounded", "ROUNDED", (double[]){ 1.00213, 2.9871 }, 2);
	p.terms[0][0].rounded = 1;
	p.terms[0][1].rounded = 3;
	m->rounded_error = 0.01;
	/* These are not. */
	m = metric(&p, "raw", "RAW", (double[]){ 1.0021312347, 2.98712345 }, 2);
	p.terms[1][0].rounded = 1;
	p.terms[1][1].rounded = 3;
	m->error = 0.001;
	m->rounded_error = 0.5;
	char *text = text_of(&p, 1);
	has(text, "EVENT,ROUNDED,DERIVED_POSTFIX,N0|N1|3|*|+|,");
	has(text, "EVENT,RAW,DERIVED_POSTFIX,N0|100213123|*|N1|298712345|*|+|100000000|/|,");
	free(text);
}

static void what_papi_cannot_say_is_a_comment(void **state)
{
	(void)state;
	static struct planted p;
	static const char *const nine[] = { "E0", "E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8" };
	static const char *const odd[] = { "sde:::lib::X", "A,B", "perf_event:::C" };
	plant(&p, nine, 9);
	metric(&p, "too many", "TOO_MANY", (double[]){ 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 9);
	metric(&p, "just enough", "ENOUGH", (double[]){ 1, 1, 1, 1, 1, 1, 1, 1 }, 8);
	metric(&p, "huge", "HUGE", (double[]){ 3e9 }, 1);
	metric(&p, "nothing", "NOTHING", (double[]){ 0 }, 1);
	struct tp_class_metric *m = metric(&p, "not, defined", "UNDEFINED", (double[]){ 1 }, 1);
	m->defined = false;
	m->error = 0.347;
	char *text = text_of(&p, 1);
	has(text, "\n# planted: too many (error 1e-16): it has 9 terms; and PAPI takes 8\n");
	has(text, "\nEVENT,ENOUGH,DERIVED_POSTFIX,N0|N1|+|N2|+|N3|+|N4|+|N5|+|N6|+|N7|+|,E0,E1,");
	has(text, "\n# planted: huge (error 1e-16): a coefficient is beyond");
	has(text, "\n# planted: nothing (error 1e-16): it has no term");
	has(text, "\n# planted: not; defined (error 0.347): these events cannot count it\n");
	lacks(text, "UNDEFINED");
	free(text);
	plant(&p, odd, 3);
	metric(&p, "other component", "OTHER", (double[]){ 1 }, 1);
	metric(&p, "comma", "COMMA", (double[]){ 0, 1 }, 2);
	metric(&p, "own component", "OWN", (double[]){ 0, 0, 1 }, 3);
	text = text_of(&p, 1);
	has(text, "# planted: other component (error 1e-16): sde:::lib::X: it belongs to another");
	has(text, "# planted: comma (error 1e-16): A;B: its name holds");
	has(text, "EVENT,OWN,NOT_DERIVED,perf_event:::C,");
	free(text);
}

static void symbols_are_valid_and_unique(void **state)
{
	(void)state;
	static struct planted p[2];
	static const char *const clash[] = { "TAKEN", "B" };
	char longest[301];
	memset(longest, 'x', 300);
	longest[300] = '\0';
	for (size_t c = 0; c < 2; c++) {
		plant(&p[c], clash, 2);
		metric(&p[c], "same", "SAME", (double[]){ 1, 1 }, 2);
		metric(&p[c], "own name, 2nd", NULL, (double[]){ 1, 2 }, 2);
	}
	metric(&p[0], "a native's", "TAKEN", (double[]){ 1, 3 }, 2);
	metric(&p[0], "a preset's", "PAPI_PAPI_X", (double[]){ 1, 4 }, 2);
	metric(&p[0], "a digit", "3D", (double[]){ 1, 5 }, 2);
	metric(&p[0], longest, longest, (double[]){ 1, 6 }, 2);
	metric(&p[0], longest, longest, (double[]){ 1, 7 }, 2);
	char *text = text_of(p, 2);
	has(text, "EVENT,SAME,");
	has(text, "EVENT,SAME_2,");
	has(text, "EVENT,OWN_NAME__2ND,");
	has(text, "EVENT,OWN_NAME__2ND_2,");
	has(text, "EVENT,TAKEN_2,");
	has(text, "EVENT,M_PAPI_PAPI_X,");
	has(text, "EVENT,M_3D,");
	has(text, "XXX_2,DERIVED_POSTFIX,N0|N1|7|*|+|");
	free(text);
}

static void there_is_room_for_fifty_and_for_short_lines(void **state)
{
	(void)state;
	static struct planted p;
	static char names[52][8];
	plant(&p, two, 2);
	for (size_t i = 0; i < 52; i++) {
		snprintf(names[i], sizeof(names[i]), "M%zu", i);
		metric(&p, names[i], names[i], (double[]){ 1, (double)i + 1 }, 2);
	}
	char *text = text_of(&p, 1);
	has(text, "EVENT,M49,");
	has(text, "# planted: M50 (error 1e-16): PAPI takes no more than 50 events\n");
	lacks(text, "EVENT,M50,");
	free(text);

	static char wide[3000];
	memset(wide, 'w', sizeof(wide) - 1);
	plant(&p, two, 2);
	metric(&p, wide, "WIDE", (double[]){ 1, 1 }, 2);
	text = text_of(&p, 1);
	has(text, "its line is longer than PAPI reads");
	lacks(text, "EVENT,WIDE");
	free(text);
}

static void emulated_events_are_no_machines(void **state)
{
	(void)state;
	static struct planted p[2];
	for (size_t c = 0; c < 2; c++) {
		plant(&p[c], two, 2);
		metric(&p[c], "m", "M", (double[]){ 1, 2 }, 2);
	}
	p[1].class.source = "emulated";
	char *text = text_of(p, 2);
	const char *emulated = strstr(text, "\nCPU,emulated\n");
	assert_non_null(emulated);
	const char *real = strstr(emulated, "\nCPU,zen9\n");
	assert_non_null(real);
	has(real, "EVENT,M_2,");
	free(text);
}

static void pmus_come_from_the_names_of_events(void **state)
{
	(void)state;
	static struct planted p;
	static const char *const names[] = { "skx::INST", "perf::X", "skx::LOADS:ALL" };
	struct tp_str out = { 0 };
	plant(&p, names, 3);
	metric(&p, "m", "M", (double[]){ 1, 2, 3 }, 3);
	tp_papi_file(&p.class, 1, &out);
	has(tp_str_text(&out), "\nCPU,skx\n# Planted");
	lacks(tp_str_text(&out), "CPU,perf");
	tp_str_release(&out);
	tp_papi_file_for(&p.class, 1, "", &out);
	has(tp_str_text(&out), "# CPU,<name>\n");
	tp_str_release(&out);
}

#ifdef HAVE_PAPI
/* --- PAPI reads it --- */

static int check(const char *file, char *const *arguments, char *out, size_t size)
{
	char program[TP_PATH_MAX];
	const char *build = getenv("TPROF_BUILDDIR");
	int ends[2], status = -1;
	size_t n = 0;
	snprintf(program, sizeof(program), "%s/tests/unit/papi_check", build ? build : ".");
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		setenv("PAPI_USER_EVENTS_FILE", file, 1);
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		execv(program, arguments);
		_exit(126);
	}
	close(ends[1]);
	for (ssize_t got = 1; got > 0 && n + 1 < size; n += (size_t)got)
		if ((got = read(ends[0], out + n, size - 1 - n)) < 0)
			got = 0;
	out[n] = '\0';
	close(ends[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static long long value(const char *out, const char *name)
{
	char line[128];
	snprintf(line, sizeof(line), "%s ", name);
	const char *at = strstr(out, line);
	while (at && at != out && at[-1] != '\n')
		at = strstr(at + 1, line);
	if (!at)
		fail_msg("no %s in:\n%s", name, out);
	return strtoll(at + strlen(line), NULL, 10);
}

static void papi_computes_the_same(void **state)
{
	(void)state;
	static struct planted p;
	static const char *const natives[] = { "perf::PAGE-FAULTS", "perf::MINOR-FAULTS",
					       "perf::MAJOR-FAULTS", "perf::TASK-CLOCK" };
	static const struct {
		const char *symbol;
		double c[4];
	} metrics[] = {
		{ "TP_ALIAS", { 1 } },
		{ "TP_SUM", { 1, 1 } },
		{ "TP_WEIGHTED", { 8, 4, 16, 0 } },
		{ "TP_MINUS_FIRST", { -2, 5 } },
		{ "TP_NEGATIVE", { -3, -1 } },
		{ "TP_HALVES", { 0.5, 1.5, 0, 2 } },
		{ "TP_REAL", { 1.00213123, 0, 0, 0.75 } },
		{ "TP_LARGE", { 2147483647, 0, 0, 1 } },
	};
	char *arguments[TP_COUNT_OF(metrics) + 6] = { "papi_check" };
	char pmus[256], file[] = "/tmp/tprof-test-papi-XXXXXX", out[4096];
	struct tp_str text = { 0 };
	struct tp_diag diag = { 0 };
	if (!tp_papi_pmus(pmus, sizeof(pmus))) {
		print_message("SKIPPED: PAPI names no PMU here\n");
		skip();
	}
	plant(&p, natives, 4);
	size_t n = 1;
	for (size_t i = 0; i < 4; i++)
		arguments[n++] = (char *)(uintptr_t)natives[i];
	for (size_t i = 0; i < TP_COUNT_OF(metrics); i++) {
		metric(&p, metrics[i].symbol, metrics[i].symbol, metrics[i].c, 4);
		arguments[n++] = (char *)(uintptr_t)metrics[i].symbol;
	}
	tp_papi_file(&p.class, 1, &text);
	int fd = mkstemp(file);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, file, tp_str_text(&text), text.len, &diag),
			 TP_OK);
	char *natives_only[] = { "papi_check", arguments[1], arguments[2],
				 arguments[3], arguments[4], NULL };
	int code = check("/dev/null", natives_only, out, sizeof(out));
	if (code == 77) {
		unlink(file);
		tp_str_release(&text);
		print_message("SKIPPED: the software events of the kernel do not count here\n");
		skip();
	}
	assert_int_equal(code, 0);
	code = check(file, arguments, out, sizeof(out));
	unlink(file);
	if (code != 0)
		fail_msg("papi_check ended with %d on:\n%s", code, tp_str_text(&text));
	tp_str_release(&text);
	assert_true(value(out, natives[0]) >= 37);
	assert_true(value(out, natives[3]) > 0);
	for (size_t m = 0; m < TP_COUNT_OF(metrics); m++) {
		double sum = 0;
		for (size_t i = 0; i < 4; i++)
			sum += metrics[m].c[i] * (double)value(out, natives[i]);
		long long got = value(out, metrics[m].symbol);
		if (strcmp(metrics[m].symbol, "TP_REAL") == 0)
			assert_true((double)got > sum - 1.001 && (double)got < sum + 0.001);
		else if (got != (long long)sum)
			fail_msg("%s is %lld, not %.17g, in:\n%s", metrics[m].symbol, got, sum,
				 out);
	}
}
#else
static void papi_computes_the_same(void **state)
{
	(void)state;
	print_message("SKIPPED: built without PAPI\n");
	skip();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formulas_are_postfix_without_signs),
		cmocka_unit_test(noisy_coefficients_keep_their_decimals),
		cmocka_unit_test(what_papi_cannot_say_is_a_comment),
		cmocka_unit_test(symbols_are_valid_and_unique),
		cmocka_unit_test(there_is_room_for_fifty_and_for_short_lines),
		cmocka_unit_test(emulated_events_are_no_machines),
		cmocka_unit_test(pmus_come_from_the_names_of_events),
		cmocka_unit_test(papi_computes_the_same),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
