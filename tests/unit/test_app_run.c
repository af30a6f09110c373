/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Users' programs: finding and running them, with their own streams. */
#include "app/run.h"
#include "base/now.h"
#include "tests/unit/files.h"

#include <elf.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/tprof-app-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
	(void)state;
	return remove_tree(folder);
}

static const char *in_folder(const char *name)
{
	static char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put_program(const char *name, const char *text)
{
	put_file(folder, name, text);
	assert_int_equal(chmod(in_folder(name), 0755), 0);
}

/* A shell that runs `script` with $1 = the test's folder. */
struct shell {
	char *words[6];
	struct tp_app_command command;
};

static void shell_init(struct shell *s, const char *script)
{
	*s = (struct shell){ .words = { "sh", "-c", (char *)script, "sh", folder } };
	s->command = (struct tp_app_command){ .words = s->words,
					      .input = "/dev/null",
					      .output = -1,
					      .errors = -1,
					      .limit_seconds = INFINITY };
}

static struct tp_command_run run(const struct shell *s, const struct tp_app_added *added)
{
	struct tp_command_run ran;
	struct tp_diag diag = { 0 };
	enum tp_status status = tp_app_execute(&s->command, added, &ran, &diag);
	if (status != TP_OK)
		print_message("%s: %s\n", diag.where, diag.what);
	assert_int_equal(status, TP_OK);
	return ran;
}

static const char *text_of(const char *name)
{
	static char out[512];
	char *text;
	size_t len;
	struct tp_diag diag;
	assert_int_equal(tp_file_read(in_folder(name), sizeof(out) - 1, &text, &len, &diag), TP_OK);
	memcpy(out, text, len + 1);
	free(text);
	return out;
}

static void streams_are_its_own(void **state)
{
	struct shell s;
	(void)state;
	put_file(folder, "in", "given");
	char input[256];
	strcpy(input, in_folder("in"));
	int output = open(in_folder("out"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	int errors = open(in_folder("err"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	shell_init(&s, "cat; echo said >&2; ls /proc/self/fd | wc -l >&2; exit 7");
	s.command.input = input;
	s.command.output = output;
	s.command.errors = errors;
	struct tp_command_run ran = run(&s, NULL);
	assert_int_equal(ran.end.code, 7);
	assert_int_equal(ran.end.signal, 0);
	assert_string_equal(text_of("out"), "given");
	/* It has as many descriptors as any child of this test has: nothing of ours is added. */
	char expected[64], usual[512];
	snprintf(usual, sizeof(usual), "ls /proc/self/fd | wc -l >%s/usual", folder);
	assert_int_equal(system(usual), 0);
	snprintf(expected, sizeof(expected), "said\n%s", text_of("usual"));
	assert_string_equal(text_of("err"), expected);
	/* The descriptors of the caller stay open. */
	assert_int_equal(close(output), 0);
	assert_int_equal(close(errors), 0);
}

static void streams_may_be_crossed(void **state)
{
	struct shell s;
	(void)state;
	shell_init(&s, "echo to 1; echo to 2 >&2");
	int kept[] = { dup(1), dup(2) };
	int output = open(in_folder("out2"), O_CREAT | O_WRONLY, 0600);
	int errors = open(in_folder("err2"), O_CREAT | O_WRONLY, 0600);
	/* Descriptor 1 is to become 2, and 2 is to become 1. */
	dup2(errors, 1);
	dup2(output, 2);
	s.command.output = 2;
	s.command.errors = 1;
	struct tp_command_run ran;
	struct tp_diag diag;
	enum tp_status status = tp_app_execute(&s.command, NULL, &ran, &diag);
	dup2(kept[0], 1);
	dup2(kept[1], 2);
	close(kept[0]);
	close(kept[1]);
	close(output);
	close(errors);
	assert_int_equal(status, TP_OK);
	assert_string_equal(text_of("out2"), "to 1\n");
	assert_string_equal(text_of("err2"), "to 2\n");
}

static void ends_are_told(void **state)
{
	struct shell s;
	(void)state;
	shell_init(&s, "kill -SEGV $$");
	assert_int_equal(run(&s, NULL).end.signal, SIGSEGV);
	shell_init(&s, "exit 255");
	assert_int_equal(run(&s, NULL).end.code, 255);
	shell_init(&s, "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done");
	struct tp_command_run ran = run(&s, NULL);
	assert_true(ran.user_seconds > 0);
	assert_true(ran.wall_seconds >= 0);
	assert_false(ran.late);
}

static void variables_replace(void **state)
{
	char *const own[] = { "TPROF_TEST_A=own a", "TPROF_TEST_B=own b", NULL };
	char *const more[] = { "TPROF_TEST_B=added b", NULL };
	/* The child writes it, so it lies in memory that both share. */
	uint32_t *number = mmap(NULL, sizeof(*number), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct tp_app_added added = { .variables = more, .pid = number };
	struct shell s;
	(void)state;
	assert_true(number != MAP_FAILED);
	setenv("TPROF_TEST_A", "inherited a", 1);
	setenv("TPROF_TEST_C", "inherited c", 1);
	shell_init(&s, "echo \"$TPROF_TEST_A, $TPROF_TEST_B, $TPROF_TEST_C\" >$1/env; "
		       "env | grep -c '^TPROF_TEST_[ABC]=' >>$1/env; echo $$ >$1/pid; pwd >$1/pwd");
	s.command.variables = own;
	s.command.folder = "/";
	assert_int_equal(run(&s, &added).end.code, 0);
	assert_string_equal(text_of("env"), "own a, added b, inherited c\n3\n");
	assert_string_equal(text_of("pwd"), "/\n");
	assert_int_equal(atoi(text_of("pid")), *number);
	munmap(number, sizeof(*number));
	assert_string_equal(tp_app_variable(&s.command, "TPROF_TEST_A"), "own a");
	assert_string_equal(tp_app_variable(&s.command, "TPROF_TEST_C"), "inherited c");
	assert_null(tp_app_variable(&s.command, "TPROF_TEST"));
}

static void cpus_are_kept_to(void **state)
{
	cpu_set_t set;
	unsigned first = 0;
	char expected[32];
	struct shell s;
	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	while (!CPU_ISSET(first, &set))
		first++;
	shell_init(&s, "sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status >$1/cpus");
	s.command.cpus = &first;
	s.command.n_cpus = 1;
	assert_int_equal(run(&s, NULL).end.code, 0);
	snprintf(expected, sizeof(expected), "%u\n", first);
	assert_string_equal(text_of("cpus"), expected);
	/* A CPU that there is not. */
	struct tp_command_run ran;
	struct tp_diag diag;
	first = 4000;
	assert_int_equal(tp_app_execute(&s.command, NULL, &ran, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.hint, "CPUs"));
}

static bool no(void *context)
{
	unsigned *asked = context;
	/* Not before it runs: then it has its traps. */
	return ++*asked < 3;
}

/* A process that was killed may be a zombie until its new parent looks. */
static bool is_gone(int pid)
{
	char path[64], text[256] = "";
	for (int i = 0; i < 500; i++) {
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		FILE *f = fopen(path, "re");
		char *name_end = f && fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
		if (f)
			fclose(f);
		if (!name_end || name_end[2] == 'Z' || name_end[2] == 'X')
			return true;
		usleep(10000);
	}
	return false;
}

static void it_can_be_ended(void **state)
{
	unsigned asked = 0;
	struct shell s;
	struct tp_command_run ran;
	struct tp_diag diag;
	(void)state;
	/* It may save what it has, and a program that refuses to end is killed with its children.
	 */
	shell_init(&s, "trap 'echo saved >$1/saved; exit 3' TERM; sleep 60 & wait");
	s.command.go_on = no;
	s.command.context = &asked;
	assert_int_equal(tp_app_execute(&s.command, NULL, &ran, &diag), TP_CANCELLED);
	assert_int_equal(ran.end.code, 3);
	assert_string_equal(text_of("saved"), "saved\n");
	shell_init(&s, "trap '' TERM; sleep 60 & echo $! >$1/stubborn; wait");
	s.command.limit_seconds = 0.3;
	assert_int_equal(tp_app_execute(&s.command, NULL, &ran, &diag), TP_OK);
	assert_true(ran.late);
	assert_int_equal(ran.end.signal, SIGKILL);
	assert_true(is_gone(atoi(text_of("stubborn"))));
	struct tp_diags notes = { 0 };
	tp_app_note_late(&s.command, &ran, &notes);
	assert_int_equal(notes.n, 1);
	assert_non_null(strstr(notes.items[0].what, "0.3 seconds"));
	tp_diags_release(&notes);
}

static void input_decides_on_the_session(void **state)
{
	struct shell s;
	struct sigaction before;
	(void)state;
	sigaction(SIGINT, NULL, &before);
	assert_true(before.sa_handler == SIG_DFL);
	/* What Ctrl-C does: the whole group of the terminal gets it, and we go on. */
	shell_init(
		&s,
		"cut -d' ' -f5 /proc/$$/stat >$1/group; kill -INT $PPID; kill -INT $$; sleep 60");
	s.command.input = NULL;
	struct tp_command_run ran = run(&s, NULL);
	assert_int_equal(ran.end.signal, SIGINT);
	assert_int_equal(atoi(text_of("group")), getpgrp());
	sigaction(SIGINT, NULL, &before);
	assert_true(before.sa_handler == SIG_DFL);
	shell_init(&s, "cut -d' ' -f5 /proc/$$/stat >$1/group; echo $$ >$1/pid");
	run(&s, NULL);
	char pid[32];
	strcpy(pid, text_of("pid"));
	assert_int_equal(atoi(text_of("group")), atoi(pid));
}

static void refused(const char *name, enum tp_status expected, const char *what, const char *hint)
{
	char path[TP_PATH_MAX];
	struct tp_diag diag = { 0 };
	assert_int_equal(tp_app_program(name, path, &diag), expected);
	if (!strstr(diag.what, what) || !strstr(diag.hint, hint))
		fail_msg("%s: %s; %s", name, diag.what, diag.hint);
}

static void missing_programs_get_words(void **state)
{
	char here[TP_PATH_MAX], path[TP_PATH_MAX];
	struct tp_diag diag;
	(void)state;
	put_program("solver", "x");
	put_file(folder, "data", "x");
	refused("", TP_USAGE, "empty", "--");
	refused("no-such-program-of-tprof", TP_NOTFOUND, "in PATH", "install");
	refused(in_folder("solvre"), TP_NOTFOUND, "no such program", "solver");
	refused(in_folder("zzzzzzzzz"), TP_NOTFOUND, "no such program", "current folder");
	refused(in_folder("no/folder"), TP_NOTFOUND, "no such program", "current folder");
	refused(folder, TP_NOTFOUND, "folder", "in it");
	refused(in_folder("data"), TP_PERM, "not executable", "chmod");
	refused("/dev/null", TP_NOTFOUND, "not a plain file", "program");
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(folder), 0);
	refused("solver", TP_NOTFOUND, "in PATH", "write ./solver");
	assert_int_equal(tp_app_program("./solver", path, &diag), TP_OK);
	assert_int_equal(path[0], '/');
	assert_int_equal(chdir(here), 0);
}

static void what_cannot_be_executed_gets_words(void **state)
{
	struct tp_command_run ran;
	struct tp_diag diag;
	struct shell s;
	char program[256];
	(void)state;
	put_program("noformat", "neither this nor that");
	put_program("nointerpreter", "#!/no/such/interpreter\n");
	shell_init(&s, "");
	strcpy(program, in_folder("noformat"));
	s.words[0] = program;
	assert_int_equal(tp_app_execute(&s.command, NULL, &ran, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.hint, "interpreter"));
	strcpy(program, in_folder("nointerpreter"));
	assert_int_equal(tp_app_execute(&s.command, NULL, &ran, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.hint, "interpreter"));
	shell_init(&s, "");
	s.command.input = folder;
	assert_int_not_equal(tp_app_execute(&s.command, NULL, &ran, &diag), TP_OK);
	s.command.input = in_folder("no-such-input");
	assert_int_not_equal(tp_app_execute(&s.command, NULL, &ran, &diag), TP_OK);
}

static unsigned own_machine(void)
{
	struct utsname u;
	uname(&u);
	return strcmp(u.machine, "x86_64") == 0	   ? EM_X86_64
	       : strcmp(u.machine, "aarch64") == 0 ? EM_AARCH64
						   : EM_RISCV;
}

static struct tp_app_file parsed(unsigned char bits, unsigned machine, unsigned n_parts,
				 unsigned part_type)
{
	unsigned char head[sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr)] = ELFMAG;
	Elf64_Ehdr *elf = (Elf64_Ehdr *)head;
	Elf64_Phdr part = { .p_type = part_type };
	struct tp_app_file file;
	elf->e_ident[EI_CLASS] = bits == 64 ? ELFCLASS64 : ELFCLASS32;
	elf->e_ident[EI_DATA] = ELFDATA2LSB;
	elf->e_type = ET_DYN;
	elf->e_machine = (Elf64_Half)machine;
	elf->e_phoff = sizeof(*elf);
	elf->e_phentsize = sizeof(part);
	elf->e_phnum = (Elf64_Half)n_parts;
	memcpy(head + sizeof(*elf), &part, sizeof(part));
	tp_app_file_parse(head, sizeof(head), &file);
	return file;
}

static void files_are_told_apart(void **state)
{
	static const char script[] = "#! /usr/bin/env python3\n", text[] = "echo", empty[] = "#!\n";
	struct tp_app_file file = parsed(64, own_machine(), 1, PT_INTERP);
	(void)state;
	assert_int_equal(file.kind, TP_APP_ELF);
	assert_false(file.is_static);
	file = parsed(64, own_machine(), 1, PT_LOAD);
	assert_int_equal(file.kind, TP_APP_ELF);
	assert_true(file.is_static);
	/* A count that the file does not have. */
	file = parsed(64, own_machine(), 60000, PT_LOAD);
	assert_int_equal(file.kind, TP_APP_ELF);
	file = parsed(32, EM_386, 1, PT_INTERP);
	assert_int_equal(file.kind, TP_APP_FOREIGN);
	assert_string_equal(file.machine, "a program of 32 bits for x86 machines");
	file = parsed(64, EM_S390, 1, PT_INTERP);
	assert_int_equal(file.kind, TP_APP_FOREIGN);
	tp_app_file_parse((const unsigned char *)script, strlen(script), &file);
	assert_int_equal(file.kind, TP_APP_SCRIPT);
	assert_string_equal(file.interpreter, "/usr/bin/env");
	tp_app_file_parse((const unsigned char *)text, strlen(text), &file);
	assert_int_equal(file.kind, TP_APP_UNKNOWN);
	tp_app_file_parse((const unsigned char *)empty, strlen(empty), &file);
	assert_int_equal(file.kind, TP_APP_UNKNOWN);
	tp_app_file_parse((const unsigned char *)ELFMAG, SELFMAG, &file);
	assert_int_equal(file.kind, TP_APP_UNKNOWN);
}

static void rights_are_seen(void **state)
{
	struct tp_app_file file;
	struct tp_diag diag;
	char copy[600], self[256];
	(void)state;
	if (getenv("TPROF_EMULATOR")) {
		print_message("an emulator: the programs of this machine are foreign ones\n");
		skip();
	}
	strcpy(self, in_folder("copy"));
	snprintf(copy, sizeof(copy), "cp /bin/cat %s", self);
	assert_int_equal(system(copy), 0);
	assert_int_equal(tp_app_file_look(self, &file, &diag), TP_OK);
	assert_int_equal(file.kind, TP_APP_ELF);
	assert_false(file.privileged);
	/* Set to the user who is already this one: the loader goes on as usual. */
	assert_int_equal(chmod(self, 04755), 0);
	assert_int_equal(tp_app_file_look(self, &file, &diag), TP_OK);
	assert_false(file.privileged);
	if (geteuid() != 0 || chown(self, 65534, 0) != 0) {
		print_message("only root can give a file to another user\n");
		skip();
	}
	assert_int_equal(chmod(self, 04755), 0);
	assert_int_equal(tp_app_file_look(self, &file, &diag), TP_OK);
	assert_true(file.privileged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_its_own),
		cmocka_unit_test(streams_may_be_crossed),
		cmocka_unit_test(ends_are_told),
		cmocka_unit_test(variables_replace),
		cmocka_unit_test(cpus_are_kept_to),
		cmocka_unit_test(it_can_be_ended),
		cmocka_unit_test(input_decides_on_the_session),
		cmocka_unit_test(missing_programs_get_words),
		cmocka_unit_test(what_cannot_be_executed_gets_words),
		cmocka_unit_test(files_are_told_apart),
		cmocka_unit_test(rights_are_seen),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
