/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/commands.h"
#include "base/text.h"
#include "base/memory.h"
#include "report/pairing.h"

#include <stdlib.h>
#include <string.h>

static const char *const when_words[] = { "auto", "always", "never", NULL };

static const char *when_word(size_t i)
{
	return i < TP_COUNT_OF(when_words) ? when_words[i] : NULL;
}

static bool parse_when(const char *text, void *field)
{
	for (size_t i = 0; when_word(i); i++)
		if (strcmp(text, when_word(i)) == 0) {
			*(enum tp_when *)field = (enum tp_when)i;
			return true;
		}
	return false;
}

static const char *report_word(size_t i)
{
	return i == TP_FULL ? "full" : when_word(i);
}

static bool parse_report(const char *text, void *field)
{
	if (strcmp(text, "full") != 0)
		return parse_when(text, field);
	*(enum tp_when *)field = TP_FULL;
	return true;
}

static const char *const strict_words[] = { "poor", "fair", NULL };

static const char *strict_word(size_t i)
{
	return i < TP_COUNT_OF(strict_words) ? strict_words[i] : NULL;
}

static bool parse_strict(const char *text, void *field)
{
	for (size_t i = 0; strict_word(i); i++)
		if (strcmp(text, strict_word(i)) == 0) {
			*(enum tp_strict *)field = (enum tp_strict)(TP_STRICT_POOR + i);
			return true;
		}
	return false;
}

static const char *csv_word(size_t i)
{
	static const char *const words[] = { "filled", "all" };
	return i < TP_COUNT_OF(words) ? words[i] : NULL;
}

static bool parse_csv(const char *text, void *field)
{
	enum tp_csv *csv = field;
	*csv = strcmp(text, "filled") == 0 ? TP_CSV_FILLED
	       : strcmp(text, "all") == 0  ? TP_CSV_ALL
					   : TP_CSV_NOT;
	return *csv != TP_CSV_NOT;
}

static bool parse_speed(const char *text, void *field)
{
	double *speed = field;
	return tp_parse_double(text, speed) && *speed >= 0 && *speed <= 1e6;
}

static bool parse_bind(const char *text, void *field)
{
	struct tp_domain part;
	*(const char **)field = text;
	return tp_domain_parse(text, &part);
}

static const char *dimension_word(size_t i)
{
	size_t id = i + TP_ACROSS_NONE + 1;
	return id < TP_DIMENSION_COUNT ? tp_dimension_name((enum tp_dimension)id) : NULL;
}

static const char *regime_word(size_t i)
{
	return tp_regime_word(i, NULL);
}

static int open_screens(const struct tp_cli *cli)
{
	return cli->screens(cli);
}

#define AT(field) .at = offsetof(struct tp_cli, field)
#define WHEN	  .parse = parse_when, .wrong = "is unknown", .listed = when_word

const struct tp_command tp_command_table[] = {
	{ "batch", 'b', "PRESET", .run = tp_cli_batch, .kind = "preset",
	  .brief = "measure the points of a preset", .topics = "run",
	  .help = "measure the points of a preset: PRESET is a file or a name of --list presets" },
	{ "asm", 0, "INSTRUCTIONS", .repeats = true, .run = tp_cli_asm, .kind = "none",
	  .brief = "the cycles of instructions", .topics = "run",
	  .help = "measure your instructions, in AT&T or Intel syntax, with semicolons between "
		  "them; may be repeated; --set asm.KEY=VALUE sets options" },
	{ "app", 0, "PROGRAM", .optional = true, .takes_rest = true, .run = tp_cli_app,
	  .kind = "files:*", .brief = "your program under the roofs of this machine",
	  .topics = "run app",
	  .help = "count and time a program, and name the roof that limits it: tprof --app "
		  "[options] -- ./program arguments; see tprof-app(1)" },
	{ "app-source", 0, "SOURCE", .key = "app.source",
	  .kind = "words:auto instrument agent qemu pmu both", .with = "app",
	  .advice = "tprof --app --app-source both -- ./program", .topics = "app",
	  .help = "with --app: how to count: every instruction (instrument), counters of the CPU "
		  "(pmu), or both" },
	{ "region", 0, "REGION", .repeats = true, AT(regions), .kind = "none",
	  .with = "app profile", .with_names = "--app and --profile",
	  .advice = "tprof --app --region function=spmv_csr -- ./program", .topics = "app",
	  .help = "with --app or --profile: a region that the source does not mark, "
		  "function=NAME; may be repeated" },
	{ "levels", .key = "app.levels", .bare = "true", .with = "app",
	  .advice = "tprof --app --levels -- ./program", .topics = "app",
	  .help = "with --app: from which level of the caches the bytes come" },
	{ "self-test", AT(self_test), .with = "app", .advice = "tprof --app --self-test",
	  .topics = "app",
	  .help = "with --app: check the counting: count kernels of tprof whose numbers are known, "
		  "in each way that works here" },
	{ "profile", 0, "PROGRAM", .optional = true, .takes_rest = true, .run = tp_cli_profile,
	  .kind = "files:*", .brief = "your program over time, with its phases",
	  .topics = "run app",
	  .help = "meters of a program over time, with its phases: tprof --profile [options] -- "
		  "./program arguments; see tprof-profile(1)" },
	{ "interval", 0, "TIME", .key = "profile.interval", .kind = "words:1ms 10ms 100ms 1s",
	  .with = "profile", .advice = "tprof --profile --interval 10ms -- ./program",
	  .topics = "app", .help = "with --profile: time between two samples, such as 10ms" },
	{ "blank", AT(blank), .with = "batch",
	  .advice = "tprof --batch lessons/03-roofline --blank --html handout.html",
	  .topics = "presets",
	  .help = "with --batch LESSON: a handout without answers, with room to write; measures "
		  "nothing" },
	{ "lesson-report", 0, "FILE FILE...", .run = tp_cli_lesson_report, .takes_rest = true,
	  .kind = "files:*", .topics = "presets",
	  .help = "the progress of many learners on one page: guesses against what was measured, "
		  "and who has finished; FILE is a progress.json or a folder that holds one" },
	{ "resume", 'r', "RUN", .run = tp_cli_resume, .kind = "run",
	  .brief = "go on with an interrupted run", .topics = "run",
	  .help = "go on with a run that was interrupted or killed: measures only what is "
		  "missing" },
	{ "show", 0, "RUN", .run = tp_cli_show, .kind = "run",
	  .brief = "report, plots or data of a stored run", .topics = "show",
	  .help = "report, plots, data or pictures of a stored run; RUN is a name of --list runs, "
		  "last, or a path" },
	{ "import", 0, "FILE", .run = tp_cli_import, .kind = "files:*",
	  .brief = "results of other tools as dots or roofs", .topics = "show compare",
	  .help = "print results of LIKWID, Intel Advisor or the CARM Tool: programs as dots "
		  "NAME:AI,GFLOPS, rooflines as a table of points" },
	{ "compare", 'c', "RUN RUN...", .run = tp_cli_compare, .takes_rest = true, .kind = "run",
	  .brief = "which differences between runs are real", .topics = "compare",
	  .help = "the same points of several runs side by side: which differences are real" },
	{ "across", 0, "DIMENSION", AT(across), .listed = dimension_word, .with = "compare",
	  .advice = "tprof --compare RUN RUN --across isa", .topics = "compare",
	  .help = "with --compare: pair points that differ in this, such as isa, precision, "
		  "threads or kernel; also within one run" },
	{ "tolerance", 0, "SIZE", AT(tolerance), .kind = "words:1% 2% 5%", .with = "compare",
	  .advice = "tprof --compare RUN RUN --across isa", .topics = "compare",
	  .help = "with --compare: relative difference that does not matter, such as 2%" },
	{ "classify", 0, "PATH", .run = tp_cli_classify, .kind = "files:*",
	  .brief = "what hardware events count", .topics = "classify",
	  .help = "what do hardware events count? Analyses readings.csv, an output folder of "
		  "PAPI's Counter Analysis Toolkit, or a run of the experiment counters" },
	{ "basis", 0, "FILE", .repeats = true, AT(bases), .kind = "files:*", .with = "classify",
	  .advice = "tprof --classify readings.csv --explain chosen", .topics = "classify",
	  .help = "with --classify: the basis of a family, instead of the shipped one; may be "
		  "repeated" },
	{ "explain", 0, "EVENT", AT(explain), .kind = "words:chosen", .with = "classify",
	  .advice = "tprof --classify readings.csv --explain chosen", .topics = "classify",
	  .help = "with --classify: how the decision about an event was made; EVENT is a "
		  "shell pattern, or chosen" },
	{ "mine", 0, "FILE", .run = tp_cli_mine, .takes_rest = true, .kind = "run",
	  .brief = "what decides a column of a table or a run", .topics = "mine",
	  .help = "learn what decides a column: FILE is a table such as CSV (several are joined), "
		  "or a run (a name of --list runs, last, or a path); see tprof-mine(7)" },
	{ "target", 0, "COLUMN", .key = "mine.target", .kind = "none",
	  .with = "mine batch dry-run print-config", .with_names = "--mine and --batch",
	  .advice = "tprof --mine results.csv --target time", .topics = "mine run",
	  .help = "the column to explain; same as --set mine.target=COLUMN" },
	{ "papi-file", 0, "FILE", AT(papi_file), .kind = "files:*", .with = "classify batch resume",
	  .with_names = "--classify or a run",
	  .advice = "tprof --classify readings.csv --papi-file metrics.csv",
	  .topics = "classify run",
	  .help = "with --classify or a run: write the defined metrics as derived events of PAPI" },
	{ "cluster", 0, "WHERE", .repeats = true, .takes_rest = true, AT(cluster),
	  .kind = "words:local:2 slurm ssh: status collect cancel", .topics = "cluster",
	  .help = "with --batch or --dry-run: measure the preset on many nodes, of slurm, of the "
		  "hosts in a file (ssh:FILE), or N engines here (local:N); alone: status, "
		  "collect or cancel of an earlier one, the last or the one that is named; see "
		  "tprof-cluster(1)" },
	{ "nodes", 0, "NODES", AT(nodes), .kind = "none", .with = "cluster",
	  .advice = "tprof --cluster slurm --nodes 4 --batch quick", .topics = "cluster",
	  .help = "with --cluster: how many nodes, or a list of them" },
	{ "partition", 0, "PARTITION", AT(partition), .kind = "none", .with = "cluster",
	  .advice = "tprof --cluster slurm --partition P --batch quick", .topics = "cluster",
	  .help = "with --cluster slurm: the partition" },
	{ "time-limit", 0, "TIME", AT(time_limit), .kind = "none", .with = "cluster resume",
	  .with_names = "--cluster, and --resume of a cluster run",
	  .advice = "tprof --cluster slurm --time-limit 30 --batch quick", .topics = "cluster",
	  .help = "with --cluster slurm: the time limit of the job, as sbatch takes it; otherwise "
		  "twice the estimate and five minutes" },
	{ "program", 0, "PATH", AT(node_program), .kind = "files:*", .with = "cluster",
	  .advice = "tprof --cluster ssh:hosts.txt --program /opt/tprof/bin/tprof --batch quick",
	  .topics = "cluster", .help = "with --cluster: tprof as the nodes call it" },
	{ "per", 0, "PART", AT(per), .kind = "words:node socket numa:2", .with = "cluster",
	  .advice = "tprof --cluster slurm --per socket --batch quick", .topics = "cluster",
	  .help = "with --cluster: one tprof for each node, socket or numa (NUMA node) of a node; "
		  "numa:4 gives their number if the scheduler has none" },
	{ "no-shared", AT(no_shared), .with = "cluster",
	  .advice = "tprof --cluster slurm --no-shared --batch quick", .topics = "cluster",
	  .help = "with --cluster slurm: the nodes do not see the directory of the run; results "
		  "come back through srun" },
	{ "bind", 0, "PART", AT(bind), .parse = parse_bind, .wrong = "is not a part of a machine",
	  .allowed = "socket:I/N or numa:I/N, such as numa:0/2: the first of two NUMA nodes",
	  .kind = "none", .with = "batch resume", .with_names = "--batch and --resume",
	  .advice = "tprof --batch quick --bind numa:0/2", .topics = "run",
	  .help = "keep to the CPUs and the memory of one of N sockets or NUMA nodes, socket:I/N "
		  "or numa:I/N, while others measure the others" },
	{ "set", 's', "KEY=VALUE", .repeats = true, AT(sets), .kind = "assignment",
	  .topics = "run presets", .help = "override a value of the preset; may be repeated" },
	{ "dot", 0, "DOT", .repeats = true, AT(dots), .kind = "words:spmv:0.17,3.2",
	  .with = "batch show dry-run print-config", .with_names = "--batch and --show",
	  .advice = "tprof --show last --dot spmv:0.17,3.2", .topics = "run show",
	  .help = "an own dot on the rooflines: DOT is name:FLOP/byte,GFLOP/s, such as "
		  "spmv:0.17,3.2; the report names the roof above it; may be repeated" },
	{ "dry-run", 'n', "PRESET", .run = tp_cli_dry_run, .kind = "preset",
	  .brief = "the points of a preset and their time", .topics = "presets run",
	  .help = "print every point with its size and estimated time, measure nothing" },
	{ "check", 0, "FILE", .run = tp_cli_check, .kind = "files:*",
	  .brief = "the errors of a preset or a lesson", .topics = "presets",
	  .help = "check a preset or a lesson: every error with file:line:column" },
	{ "show-code", 0, "PRESET", .run = tp_cli_show_code, .kind = "preset", .topics = "presets",
	  .help = "print the C code that the points of a preset run, for each configuration" },
	{ "print-config", 0, "PRESET", .optional = true, .run = tp_cli_print_config,
	  .kind = "preset", .brief = "every option with its value", .topics = "presets",
	  .help = "print every option with its value and where it comes from, as a preset" },
	{ "list", 'l', "WHAT", .run = tp_cli_list, .listed = tp_cli_list_word,
	  .brief = "machines, presets, kernels, runs, events and more", .topics = "machine presets",
	  .help = "list %s" },
	{ "dump-asm", 0, "ISA:KERNEL", .repeats = true, .run = tp_cli_dump_asm, .kind = "kernel",
	  .brief = "the assembly of a kernel", .topics = "machine",
	  .help = "print the assembly of a kernel, for instance avx2:2ld1st or sse:fma/single" },
	{ "dump-schema", .run = tp_cli_dump_schema, .topics = "show",
	  .help = "print the JSON Schema of run.json" },
	{ "machine", 'm', "MODEL", .key = "machine", .kind = "model", .topics = "machine",
	  .help = "same as --set machine=MODEL" },
	{ "topology", 't', "DESCRIPTION", .key = "topology", .kind = "files:*.xml",
	  .topics = "machine",
	  .help = "plan for another machine: an hwloc XML file or synthetic:DESCRIPTION" },
	{ "simulate", 0, "REGIME", .optional = true, .key = "simulate", .bare = "quiet",
	  .listed = regime_word, .topics = "machine run",
	  .help = "simulate the machine instead of measuring it; any --machine or --topology can "
		  "be "
		  "simulated" },
	{ "json", AT(json), .topics = "run show compare classify mine machine",
	  .help = "print the results as JSON" },
	{ "csv", 0, "COLUMNS", .optional = true, .bare = "filled", AT(csv), .parse = parse_csv,
	  .wrong = "is unknown", .listed = csv_word, .excludes = "json",
	  .advice = "run.json and points.csv are both in the run's directory",
	  .topics = "run show compare classify mine",
	  .help = "print the results as CSV, one row a point; --csv=all: also with the columns "
		  "that are empty in the whole run" },
	{ "names", AT(names), .excludes = "json",
	  .advice = "--list WHAT --json holds the names, too", .topics = "machine presets",
	  .help = "with --list: the names only, one a line, for scripts" },
	{ "restore", AT(restore), .with = "doctor", .advice = "tprof doctor --restore",
	  .topics = "machine",
	  .help = "with doctor: put back what a killed run left changed in the machine" },
	{ "output", 'o', "FILE", AT(output), .kind = "files:*",
	  .topics = "run show compare classify mine",
	  .help = "write --json or --csv to FILE instead of standard output (-)" },
	{ "svg", 0, "FILE", AT(svg), .kind = "files:*", .topics = "run show compare mine",
	  .help = "write the pictures to FILE as SVG (- is standard output)" },
	{ "html", 0, "FILE", AT(html), .kind = "files:*",
	  .topics = "run show compare classify mine",
	  .help = "write everything to FILE as one page for a browser (- is standard output)" },
	{ "events", AT(events), .topics = "run",
	  .help = "print the events of the run as they happen, one JSON object a line" },
	{ "control", AT(control), .topics = "run",
	  .help = "obey lines on standard input: stop, skip, pause, go; the run stops when the "
		  "input ends" },
	{ "replay", 0, "RUN", .run = open_screens, .kind = "run",
	  .brief = "a stored run on the screens", .topics = "screens",
	  .help = "show a stored run on the screens as if it were live" },
	{ "speed", 0, "N", AT(speed), .parse = parse_speed, .wrong = "is not a speed",
	  .allowed = "a number from 0 (at once) on, such as 10", .kind = "words:0 1 10 100",
	  .topics = "screens",
	  .help = "with --replay: N times as fast as it was measured; 0 is at once" },
	{ "no-mouse", AT(no_mouse), .topics = "screens",
	  .help = "screens: leave the mouse to the terminal" },
	{ "run-dir", 0, "DIR", AT(run_dir), .kind = "directories", .topics = "run",
	  .help = "directory of the results; new or empty" },
	{ "report", 0, "WHEN", AT(report), .parse = parse_report, .wrong = "is unknown",
	  .listed = report_word, .topics = "run",
	  .help = "report and plots of a run on standard error: auto (on a terminal), always, "
		  "never, or full: with every table and picture, also with --show, --mine and "
		  "--classify" },
	{ "strict", 0, "LEVEL", .optional = true, .bare = "poor", AT(strict), .parse = parse_strict,
	  .wrong = "is not a level", .listed = strict_word, .topics = "run compare machine",
	  .help = "exit with 5 when a point is poor; --strict=fair: also when one is fair, or is "
		  "a count or a search with a flag" },
	{ "allow-code", AT(allow_code), .topics = "run",
	  .help = "run the code that a preset or a stored run names: libraries, sources with their "
		  "compilers, commands; let a stored cluster run start, reach and end what it "
		  "names" },
	{ "ascii", AT(look.ascii), .topics = "screens show",
	  .help = "plots and reports in pure ASCII" },
	{ "color", 0, "WHEN", AT(look.colour), WHEN, .topics = "screens show",
	  .help = "colours: %s; NO_COLOR is respected" },
	{ "quiet", 'q', AT(quiet), .topics = "run compare", .help = "print errors only" },
	{ "completion", 0, "SHELL", .run = tp_cli_completion, .listed = tp_cli_shell_word,
	  .brief = "the completion script for %s", .topics = "machine",
	  .help = "print the completion script for %s" },
	{ "version", 'V', .run = tp_cli_version, .answer = true, .brief = "the version",
	  .help = "print the version and what it was built with: + has, - lacks" },
	{ "help", 'h', "TOPIC", .optional = true, .run = tp_cli_help, .answer = true, AT(topic),
	  .listed = tp_cli_help_word, .help = "print a page of help; topics: %s" },
	{ "doctor", .run = tp_cli_doctor, .word = true,
	  .brief = "noise sources on this machine, with fixes", .topics = "machine",
	  .help = "noise sources on this machine, each with the command that fixes it" },
	{ "hardware", .run = tp_cli_hardware, .word = true,
	  .brief = "CPUs, caches, instruction sets and theoretical peaks", .topics = "machine",
	  .help = "the parts of a machine: topology, caches, instruction sets, "
		  "theoretical peaks; with --machine or --topology another one" },
	{ NULL },
};
_Static_assert(TP_COUNT_OF(tp_command_table) <= TP_COMMANDS_MAX, "too many commands");
