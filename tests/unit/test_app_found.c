/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas for programs, found in made-up runs of counter classification. */
#include "experiments/experiment.h"
#include "tests/unit/files.h"

#include "base/text.h"
#include "experiments/app/run.h"
#include "machine/machine.h"

static char home[] = "/tmp/tprof-found-XXXXXX";
static struct tp_machine machine = { .cpu_name = "Imagined 9000" };

/* What stands between @ in tests/app/classified.json, in its order there. */
struct blanks {
	const char *cpu, *source, *dp, *loads;
};
static const struct blanks good = { "Imagined 9000", "papi", "DP_OPS", "perf::PAGE-FAULTS" };

static void put_run(const char *name, const struct blanks *b)
{
	const struct {
		const char *mark, *text;
	} replaced[] = { { "@CPU@", b->cpu },
			 { "@SOURCE@", b->source },
			 { "@DP@", b->dp },
			 { "@LOADS@", b->loads } };
	char path[TP_PATH_MAX], relative[256], *text;
	struct tp_str out = { 0 };
	struct tp_diag diag;
	size_t len;
	snprintf(path, sizeof(path), "%s/tests/app/classified.json", source_dir());
	assert_int_equal(tp_file_read(path, 1 << 20, &text, &len, &diag), TP_OK);
	for (const char *at = text; *at;) {
		size_t i = 0, n = 4;
		while (i < n && strncmp(at, replaced[i].mark, strlen(replaced[i].mark)) != 0)
			i++;
		if (i < n) {
			tp_str_add(&out, replaced[i].text);
			at += strlen(replaced[i].mark);
		} else {
			tp_str_add_n(&out, at++, 1);
		}
	}
	snprintf(relative, sizeof(relative), "tprof/runs/%s/run.json", name);
	put_file(home, relative, tp_str_text(&out));
	tp_str_release(&out);
	free(text);
}

static enum tp_status find(const char *wish, struct tp_app_found *found, struct tp_diag *diag)
{
	*diag = (struct tp_diag){ 0 };
	return tp_app_formulas_find(&machine, wish, found, diag);
}

static const struct tp_app_formula *formula_of(const struct tp_app_found *found, unsigned gives)
{
	for (size_t i = 0; i < found->formulas.n; i++)
		if (found->formulas.items[i].gives == gives)
			return &found->formulas.items[i];
	return NULL;
}

static void test_formulas_of_a_run(void **state)
{
	struct tp_app_found found;
	struct tp_diag diag;
	(void)state;
	put_run("2026-01-01-000000-counters", &good);
	assert_int_equal(find("auto", &found, &diag), TP_OK);
	assert_string_equal(found.formulas.run, "2026-01-01-000000-counters");
	assert_false(found.formulas.demanded);
	/* Those that are defined, and that a program can be counted by. */
	assert_int_equal(found.formulas.n, 3);
	const struct tp_app_formula *sp = formula_of(&found, TP_MIX_FLOPS_SP);
	assert_non_null(sp);
	assert_string_equal(sp->metric, "SP operations");
	assert_string_equal(sp->words, "3 x perf::MINOR-FAULTS + 300 x perf::MAJOR-FAULTS");
	assert_int_equal(sp->n, 2);
	assert_string_equal(sp->terms[1].event, "perf::MAJOR-FAULTS");
	assert_true(sp->terms[1].coefficient == 300);
	/* Rounded it would be another metric: its coefficients stay as they were found. */
	const struct tp_app_formula *dp = formula_of(&found, TP_MIX_FLOPS_DP);
	assert_non_null(dp);
	assert_true(dp->terms[0].coefficient == 2.5);
	assert_non_null(formula_of(&found, TP_MIX_LOADS));
	assert_null(formula_of(&found, TP_APP_FP_DP));
	tp_app_found_release(&found);

	assert_int_equal(find("off", &found, &diag), TP_OK);
	assert_int_equal(found.formulas.n, 0);
	tp_app_found_release(&found);
}

/* The newest of this CPU, of hardware, that came to its end; whatever else lies there. */
static void test_newest_is_chosen(void **state)
{
	struct blanks emulated = good, elsewhere = good, other = good;
	struct tp_app_found found;
	struct tp_diag diag;
	(void)state;
	emulated.source = "emulated";
	elsewhere.cpu = "Imagined 9001";
	other.loads = "perf::MAJOR-FAULTS";
	put_run("2026-01-02-000000-newer", &other);
	put_run("2026-01-03-000000-emulated", &emulated);
	put_run("2026-01-04-000000-elsewhere", &elsewhere);
	put_file(home, "tprof/runs/2026-01-05-000000-broken/run.json", "{\"format\": 1");
	put_file(home, "tprof/runs/2026-01-06-000000-empty/notes", "");
	assert_int_equal(find("auto", &found, &diag), TP_OK);
	assert_string_equal(found.formulas.run, "2026-01-02-000000-newer");
	assert_string_equal(formula_of(&found, TP_MIX_LOADS)->terms[0].event, "perf::MAJOR-FAULTS");
	tp_app_found_release(&found);

	strcpy(machine.cpu_name, "Imagined 10000");
	assert_int_equal(find("auto", &found, &diag), TP_OK);
	assert_int_equal(found.formulas.n, 0);
	strcpy(machine.cpu_name, good.cpu);
	tp_app_found_release(&found);
}

static void test_run_by_its_name(void **state)
{
	struct blanks undefined = good;
	struct tp_app_found found;
	struct tp_diag diag;
	(void)state;
	assert_int_equal(find("2026-01-01-000000-counters", &found, &diag), TP_OK);
	assert_true(found.formulas.demanded && found.formulas.n == 3);
	tp_app_found_release(&found);

	assert_int_equal(find("emulated", &found, &diag), TP_NOTFOUND);
	assert_non_null(strstr(diag.what, "not hardware events (emulated)"));
	assert_int_equal(find("elsewhere", &found, &diag), TP_UNSUPPORTED);
	assert_non_null(strstr(diag.what, "Imagined 9001"));
	assert_int_equal(find("no-such-run", &found, &diag), TP_NOTFOUND);
	undefined.source = "papi";
	undefined.dp = "DP_OTHER";
	put_run("2026-01-07-000000-single", &undefined);
	assert_int_equal(find("single", &found, &diag), TP_OK);
	assert_null(formula_of(&found, TP_MIX_FLOPS_DP));
	tp_app_found_release(&found);
	put_file(home, "tprof/runs/2026-01-08-000000-none/run.json",
		 "{\"format\": \"tprof-run\", \"version\": 1, \"state\": \"complete\",\n"
		 "\"machine\": {\"cpu\": \"Imagined 9000\"}, \"points\": []}");
	assert_int_equal(find("none", &found, &diag), TP_NOTFOUND);
	assert_non_null(strstr(diag.what, "no events of floating-point"));
	assert_non_null(strstr(diag.hint, "families=flops"));
}

static int make_home(void **state)
{
	(void)state;
	return !mkdtemp(home) || setenv("XDG_DATA_HOME", home, 1);
}

static int remove_home(void **state)
{
	(void)state;
	return remove_tree(home);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formulas_of_a_run),
		cmocka_unit_test(test_newest_is_chosen),
		cmocka_unit_test(test_run_by_its_name),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, make_home, remove_home);
}
