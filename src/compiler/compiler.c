/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which compiler, and several of them at once. */
#include "compiler/compiler.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "base/tally.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "compiler/child.h"
#include "compiler/store.h"

enum { JOBS_MAX = 256, ARGUMENTS = 6 }; /* in addition to the flags */

/* Long enough for a caller that got its path to load it. */
static const double young_seconds = 600;

/* A compiler at work. */
struct job {
	struct tp_object *object; /* NULL = idle */
	struct tp_cc_child child;
	struct tp_cc_key key;
	char folder[TP_PATH_MAX]; /* its files, until they are whole; "" = none */
};

struct tp_compiling {
	const struct tp_compiler *compiler;
	struct tp_compile_how how;
	char folder[TP_PATH_MAX]; /* where objects go */
	bool prebuilds;
	struct tp_object *objects;
	size_t n, next, done;
	bool *is_done; /* n of them */
	struct job *jobs;
	size_t n_jobs;
	cpu_set_t *beside; /* where a compiler is left at work; NULL = nowhere */
	bool wrote;
	enum tp_status status; /* not TP_OK: what hinders all, in `diag` */
	struct tp_diag diag;
};

static bool goes_on(const struct tp_compiling *run)
{
	const struct tp_compile_how *how = &run->how;
	bool wanted = !how->watch || how->watch(how->context, run->done, run->n);
	return wanted && !tp_stop_asked;
}

static void settle(struct tp_compiling *run, struct tp_object *object, enum tp_status status)
{
	object->status = status;
	tp_cc_diag_clean(&object->diag);
	if (status != TP_OK)
		object->path[0] = '\0';
	run->is_done[object - run->objects] = true;
	run->done++;
}

/* --- one object --- */

static const struct tp_compiler *compiler_of(const struct tp_compiling *run,
					     const struct tp_object *object)
{
	return object->compiler ? object->compiler : run->compiler;
}

/* The object is found, or it is known why it cannot be. False: it has to be compiled. */
static bool look_up(struct tp_compiling *run, struct tp_object *object)
{
	struct tp_cc_key key;
	const struct tp_compiler *compiler = compiler_of(run, object);
	bool none = !compiler || !compiler->program[0];
	tp_cc_key_make(&key, none ? NULL : compiler, object);
	const char *folder = none ? run->how.prebuilt : run->folder;
	object->was_cached = folder && tp_cc_cached(folder, &key, object->path, &object->messages);
	object->prebuilt = none && object->was_cached;
	tp_str_release(&key.text);
	if (object->was_cached)
		settle(run, object, TP_OK);
	else if (none)
		settle(run, object,
		       tp_fail(&object->diag, TP_NOTFOUND, "compiler",
			       "sudo apt-get install gcc libc6-dev",
			       "there is no compiler, and this was not built with tprof"));
	return none || object->was_cached;
}

static void job_release(struct job *job)
{
	tp_cc_child_release(&job->child);
	tp_str_release(&job->key.text);
	if (job->folder[0])
		tp_cc_remove(job->folder);
	*job = (struct job){ .child = TP_CC_NONE };
}

static const char *source_name(const struct tp_compiler *compiler)
{
	return compiler->assembles ? "source.s" : "source.c";
}

static enum tp_status start_compiler(const struct tp_compiling *run, struct job *job)
{
	const struct tp_compiler *compiler = compiler_of(run, job->object);
	char source[TP_PATH_MAX], output[TP_PATH_MAX];
	size_t n = 0;
	TP_FREE char **arguments = tp_alloc(ARGUMENTS + compiler->n_flags + 1, sizeof(*arguments));
	if (!tp_cc_path(source, "%s/%s", job->folder, source_name(compiler)) ||
	    !tp_cc_path(output, "%s/object.so", job->folder))
		return tp_fail(&job->object->diag, TP_USAGE, job->folder, NULL, "path too long");
	arguments[n++] = (char *)compiler->program;
	if (!compiler->assembles) {
		arguments[n++] = "-shared";
		arguments[n++] = "-fPIC";
	}
	arguments[n++] = "-o";
	arguments[n++] = output;
	/* The source comes first: a linker takes from a library what is missing by then. */
	arguments[n++] = source;
	for (size_t i = 0; i < compiler->n_flags; i++)
		arguments[n++] = compiler->flags[i];
	const struct tp_cc_start start = { .arguments = arguments,
					   .folder = job->folder,
					   .cpus = run->beside ? run->beside : run->how.cpus,
					   .cpus_bytes = run->how.cpus_bytes,
					   .limit_seconds = compiler->limit_seconds };
	return tp_cc_child_start(&job->child, &start, &job->object->diag);
}

static enum tp_status job_start(struct tp_compiling *run, struct job *job)
{
	struct tp_object *object = job->object;
	TP_STR source = { 0 };
	tp_cc_key_make(&job->key, run->prebuilds ? NULL : compiler_of(run, object), object);
	enum tp_status status = object->source(object->context, &source, &object->diag);
	if (status == TP_OK) {
		status = tp_cc_temporary(run->folder, job->folder, &object->diag);
		if (status != TP_OK)
			job->folder[0] = '\0';
	}
	if (status == TP_OK)
		status = tp_cc_put(job->folder, source_name(compiler_of(run, object)), &source,
				   false, &object->diag);
	if (status == TP_OK)
		status = start_compiler(run, job);
	return status;
}

/* Why there is no object, from the compiler's end and messages. */
static enum tp_status explain(const struct tp_compiling *run, struct job *job,
			      struct tp_process_end end, bool late)
{
	struct tp_object *object = job->object;
	TP_STR how = { 0 };
	const struct tp_compiler *compiler = compiler_of(run, object);
	const char *program = compiler->program;
	enum tp_status status = TP_FAILED;
	if (late)
		return tp_fail(&object->diag, TP_FAILED, program,
			       "simplify the source, or lower the optimisation",
			       "the compiler was stopped: it took more than %g s",
			       compiler->limit_seconds);
	if (end.signal) {
		tp_process_end_text(end, &how);
		status = tp_fail(&object->diag, TP_CRASHED, program, NULL, "the compiler %s",
				 tp_str_text(&how));
	} else if (!end.code) {
		tp_fail(&object->diag, TP_FAILED, program, "choose another compiler",
			"the compiler ended without an error, but wrote no whole shared object");
	} else if (!tp_cc_messages_error(tp_str_text(&object->messages), program, &object->diag)) {
		tp_fail(&object->diag, TP_FAILED, program, "choose another compiler",
			"the compiler ended with exit code %d and without a message", end.code);
	}
	return status;
}

/* Adds the other files and gives the entry its name. */
static enum tp_status keep(struct tp_compiling *run, struct job *job)
{
	struct tp_object *object = job->object;
	enum tp_status status = TP_OK;
	if (object->messages.len)
		status = tp_cc_put(job->folder, "messages.txt", &object->messages, false,
				   &object->diag);
	if (status == TP_OK)
		status = tp_cc_put(job->folder, "key", &job->key.text, true, &object->diag);
	if (status == TP_OK)
		status = tp_cc_publish(run->folder, job->folder, &job->key, object->path,
				       &object->diag);
	if (status == TP_OK) {
		job->folder[0] = '\0';
		object->prebuilt = run->prebuilds;
		run->wrote = true;
	}
	return status;
}

static void job_end(struct tp_compiling *run, struct job *job, struct tp_process_end end, bool late)
{
	struct tp_object *object = job->object;
	const struct tp_compiler *compiler = compiler_of(run, object);
	char path[TP_PATH_MAX], prefix[TP_PATH_MAX];
	object->messages = job->child.said;
	job->child.said = (struct tp_str){ 0 };
	/* Messages should show names that last. */
	if (object->messages.len && tp_cc_path(prefix, "%s/", job->folder))
		tp_cc_messages_shorten(&object->messages, prefix);
	bool good =
		!late && !end.signal && !end.code &&
		tp_cc_path(path, "%s/object.so", job->folder) &&
		(compiler->lists ? tp_cc_is_text(path) : tp_cc_is_whole(path, compiler->assembles));
	settle(run, object, good ? keep(run, job) : explain(run, job, end, late));
	job_release(job);
}

/* --- all of them --- */

/* Gives an idle job the next object that needs a compiler. */
static void give_work(struct tp_compiling *run, struct job *job)
{
	for (; run->next < run->n; run->next++) {
		struct tp_object *object = &run->objects[run->next];
		/* It may have been written since: the same may stand earlier in the list. */
		if (run->is_done[run->next] || (!run->prebuilds && look_up(run, object)))
			continue;
		run->next++;
		job->object = object;
		enum tp_status status = job_start(run, job);
		if (status != TP_OK) {
			settle(run, object, status);
			job_release(job);
		}
		return;
	}
}

/* Takes the results of compilers that have ended. Returns an idle job, NULL if all are at work. */
static struct job *look_at_jobs(struct tp_compiling *run,
				const struct tp_cc_child *children[JOBS_MAX], size_t *n)
{
	struct job *idle = NULL;
	*n = 0;
	for (size_t i = 0; i < run->n_jobs; i++) {
		struct job *job = &run->jobs[i];
		struct tp_process_end end;
		bool late;
		if (job->object && tp_cc_child_ended(&job->child, &end, &late))
			job_end(run, job, end, late);
		if (job->object)
			children[(*n)++] = &job->child;
		else
			idle = job;
	}
	return idle;
}

static bool is_ready(const struct tp_compiling *run, size_t wanted)
{
	return run->done == run->n || wanted > run->n || (wanted < run->n && run->is_done[wanted]);
}

enum tp_status tp_compiling_wait(struct tp_compiling *run, size_t wanted, const cpu_set_t *beside,
				 struct tp_diag *diag)
{
	size_t at_work = 0, bytes = run->how.cpus_bytes;
	bool same = beside && run->beside && CPU_EQUAL_S(bytes, beside, run->beside);
	/*
	 * One look at each compiler, and at most one new one: its source may take a while, and the
	 * caller polls.
	 */
	while (run->status == TP_OK) {
		const struct tp_cc_child *children[JOBS_MAX];
		struct job *idle = look_at_jobs(run, children, &at_work);
		bool wanted_on = goes_on(run), ready = is_ready(run, wanted);
		if (ready && (!at_work || same))
			break;
		if (!wanted_on)
			return tp_fail(diag, TP_CANCELLED, "compiler", NULL, "cancelled");
		same = false;
		free(run->beside);
		run->beside = NULL;
		/* A caller that waits for one does not wait for later ones. */
		if (!ready && idle && run->next < TP_MIN(run->n, wanted + run->n_jobs))
			give_work(run, idle);
		else if (at_work)
			tp_cc_children_wait(children, at_work);
	}
	if (!same) {
		free(run->beside);
		run->beside = beside ? memcpy(tp_alloc(1, bytes), beside, bytes) : NULL;
	}
	if (beside && !at_work && run->next < run->n)
		give_work(run, &run->jobs[0]);
	if (run->status != TP_OK && diag)
		*diag = run->diag;
	return run->status;
}

/* For all that `run` has by now; `status` and its diagnosis: what hinders all of them. */
static struct tp_compiling *begin(const struct tp_compiling *wanted, enum tp_status status)
{
	struct tp_compiling *run = tp_alloc(1, sizeof(*run));
	size_t jobs = wanted->how.jobs;
	cpu_set_t own;

	*run = *wanted;
	run->status = status;
	tp_cc_diag_clean(&run->diag);
	if (!jobs && run->how.cpus)
		jobs = (size_t)CPU_COUNT_S(run->how.cpus_bytes, run->how.cpus);
	else if (!jobs && sched_getaffinity(0, sizeof(own), &own) == 0)
		jobs = (size_t)CPU_COUNT(&own);
	run->n_jobs = TP_MAX(TP_MIN(TP_MIN(jobs, run->n), (size_t)JOBS_MAX), 1);
	run->is_done = tp_alloc(run->n + 1, sizeof(*run->is_done));
	run->jobs = tp_alloc(run->n_jobs, sizeof(*run->jobs));
	for (size_t i = 0; i < run->n_jobs; i++)
		run->jobs[i].child = TP_CC_NONE;
	for (size_t i = 0; i < run->n; i++) {
		struct tp_object *object = &run->objects[i];
		tp_str_release(&object->messages);
		object->diag = run->diag;
		object->path[0] = '\0';
		object->was_cached = object->prebuilt = false;
		if (status != TP_OK)
			settle(run, object, status);
		else if (!run->prebuilds)
			look_up(run, object);
	}
	return run;
}

void tp_compiling_end(struct tp_compiling *run)
{
	if (!run)
		return;
	for (size_t i = 0; i < run->n_jobs; i++)
		job_release(&run->jobs[i]);
	for (size_t i = 0; i < run->n; i++)
		if (!run->is_done[i])
			settle(run, &run->objects[i],
			       tp_fail(&run->objects[i].diag, TP_CANCELLED, "compiler", NULL,
				       "cancelled"));
	if (run->wrote)
		tp_cc_trim(run->folder, TP_COMPILE_CACHE_MAX, young_seconds);
	free(run->jobs);
	free(run->is_done);
	free(run->beside);
	free(run);
}

struct tp_compiling *tp_compiling_begin(const struct tp_compiler *compiler,
					struct tp_object *objects, size_t n,
					const struct tp_compile_how *how)
{
	struct tp_compiling run = { .compiler = compiler, .objects = objects, .n = n };
	enum tp_status status = TP_OK;
	if (how)
		run.how = *how;
	bool any = compiler && compiler->program[0];
	for (size_t i = 0; i < n; i++)
		any |= objects[i].compiler && objects[i].compiler->program[0];
	if (any)
		status = tp_cc_folder(run.folder, &run.diag);
	return begin(&run, status);
}

static enum tp_status finish(struct tp_compiling *run, struct tp_diag *diag)
{
	enum tp_status status = tp_compiling_wait(run, run->n, NULL, diag);
	tp_compiling_end(run);
	return status;
}

enum tp_status tp_compile(const struct tp_compiler *compiler, struct tp_object *objects, size_t n,
			  const struct tp_compile_how *how, struct tp_diag *diag)
{
	return finish(tp_compiling_begin(compiler, objects, n, how), diag);
}

enum tp_status tp_compile_prebuilt(const struct tp_compiler *compiler, const char *folder,
				   struct tp_object *objects, size_t n, struct tp_diag *diag)
{
	struct tp_compiling run = {
		.compiler = compiler, .prebuilds = true, .objects = objects, .n = n
	};
	enum tp_status status = TP_OK;
	if (!compiler || !compiler->program[0])
		status = tp_fail(&run.diag, TP_NOTFOUND, "compiler", NULL, "there is none");
	else if (!tp_copy(run.folder, sizeof(run.folder), folder))
		status = tp_fail(&run.diag, TP_USAGE, folder, NULL, "path too long");
	else
		status = tp_dir_make(folder, &run.diag);
	return finish(begin(&run, status), diag);
}

void tp_object_release(struct tp_object *object)
{
	tp_str_release(&object->messages);
	*object = (struct tp_object){ 0 };
}

/*
 * A remembered version is asked for again after a day: a wrapper's compiler may change while the
 * wrapper stays.
 */
enum { VERSION_SECONDS = 10, REMEMBERED_SECONDS = 86400, REMEMBERED_BYTES = 16384 };

/* --- its version --- */

/* Identifies the file that a remembered version belongs to. */
static bool identify(const char *program, struct tp_str *out)
{
	struct stat st;
	if (stat(program, &st) != 0)
		return false;
	tp_str_printf(out, "%s\n%ju %ju %jd.%09ld\n", program, (uintmax_t)st.st_ino,
		      (uintmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return true;
}

static bool recall(const char *path, const struct tp_str *identity, char version[256])
{
	struct stat st;
	TP_FREE char *text = NULL;
	size_t len = 0;
	if (stat(path, &st) != 0 || st.st_uid != geteuid() ||
	    difftime(time(NULL), st.st_mtime) > REMEMBERED_SECONDS ||
	    tp_file_read(path, REMEMBERED_BYTES, &text, &len, NULL) != TP_OK)
		return false;
	bool good = len > identity->len + 1 && text[len - 1] == '\n' &&
		    memcmp(text, identity->s, identity->len) == 0;
	if (good)
		tp_shown(version, 256, text + identity->len, len - 1 - identity->len);
	return good;
}

static enum tp_status ask_version(const char *program, char version[256], struct tp_diag *diag)
{
	char *arguments[] = { (char *)program, "--version", NULL };
	const struct tp_cc_start start = { .arguments = arguments,
					   .limit_seconds = VERSION_SECONDS };
	struct tp_process_end end;
	bool late;
	TP_STR said = { 0 };
	enum tp_status status = tp_cc_run(&start, &said, &end, &late, diag);
	if (status != TP_OK)
		return status;
	const char *line = tp_str_text(&said);
	size_t len = strcspn(line, "\n");
	tp_trim(&line, &len);
	if (late)
		return tp_fail(diag, TP_FAILED, program, "choose another compiler",
			       "does not answer --version within %d s", VERSION_SECONDS);
	if (end.signal || end.code || !len)
		return tp_fail(diag, TP_FAILED, program, "choose another compiler",
			       "is not a compiler that works: --version gives %s",
			       end.signal ? "a crash"
			       : end.code ? "an error"
					  : "no answer");
	tp_shown(version, 256, line, len);
	return TP_OK;
}

/* The cache only saves a process: without it the program runs each time. */
static enum tp_status find_version(const char *program, char version[256], struct tp_diag *diag)
{
	TP_STR identity = { 0 };
	char folder[TP_PATH_MAX], path[TP_PATH_MAX];
	enum tp_status status = TP_OK;
	uint64_t hash = tp_hash_text(TP_HASH_START, program);
	bool kept = identify(program, &identity) && tp_cc_folder(folder, NULL) == TP_OK &&
		    tp_cc_path(path, "%s/version.%016" PRIx64, folder, hash);
	if (!kept || !recall(path, &identity, version)) {
		status = ask_version(program, version, diag);
		if (status == TP_OK && kept) {
			tp_str_printf(&identity, "%s\n", version);
			tp_file_write(TP_TYPED_NOTHING, path, identity.s, identity.len, NULL);
		}
	}
	return status;
}

/* --- flags --- */

void tp_compiler_add_flag(struct tp_compiler *compiler, const char *flag)
{
	size_t n = compiler->n_flags++;
	compiler->flags = tp_realloc(compiler->flags, n + 1, sizeof(*compiler->flags));
	compiler->flags[n] = tp_strdup(flag);
}

/* The kind of the output is decided here; flags with these prefixes are refused. */
static const char *refused_flag(const char *word)
{
	static const char *const exact[] = { "-c", "-S",       "-E",	       "-r",
					     "-x", "-wrapper", "-fsyntax-only" };
	static const char *const begins[] = { "-o", "-xc", "-M", "-save-temps", "-dump" };
	if (word[0] != '-' || !word[1])
		return "is not a flag; flags begin with - and have their value in the same word";
	for (size_t i = 0; i < TP_COUNT_OF(exact); i++)
		if (strcmp(word, exact[i]) == 0)
			return "changes what the compiler makes";
	for (size_t i = 0; i < TP_COUNT_OF(begins); i++)
		if (strncmp(word, begins[i], strlen(begins[i])) == 0)
			return "changes what the compiler makes";
	return NULL;
}

/* Reads words as those of a command; refused ones are reported. */
static enum tp_status read_flags(struct tp_compiler *compiler, const char *text,
				 struct tp_diag *diag)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	char **words, shown[64];
	size_t n = 0;
	if (text[strspn(text, " \t\n")] &&
	    tp_command_split(text, &arena, &words, &n, diag) != TP_OK)
		return tp_fail(diag, TP_USAGE, "flags",
			       "a flag with blanks stands in double quotes: \"-DNAME=a b\"",
			       "a double quote does not end");
	for (size_t i = 0; i < n; i++) {
		const char *why = refused_flag(words[i]);
		if (why)
			return tp_fail(diag, TP_USAGE, "flags",
				       "flags such as -O3, -Idir or -DNAME=1", "%s %s",
				       tp_shown(shown, sizeof(shown), words[i], strlen(words[i])),
				       why);
		tp_compiler_add_flag(compiler, words[i]);
	}
	return TP_OK;
}

/* --- this processor --- */

/* Lines of /proc/cpuinfo that show which instructions a compiler may use, on any architecture. */
static bool names_processor(const char *line)
{
	static const char *const names[] = {
		"vendor_id",
		"cpu family",
		"model",
		"model name",
		"stepping",
		"flags",
		"CPU implementer",
		"CPU variant",
		"CPU part",
		"CPU revision",
		"CPU architecture",
		"Features",
		"isa",
		"hart isa",
		"uarch",
		"mvendorid",
		"marchid",
		"mimpid",
		"cpu",
		"features",
	};
	size_t len = strcspn(line, "\t:");
	while (len && line[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		if (strlen(names[i]) == len && memcmp(line, names[i], len) == 0)
			return true;
	return false;
}

/* The name of the model, and a hash of all that names the first processor. */
static void name_target(char out[128])
{
	char *line = NULL, name[100] = "processor";
	size_t cap = 0;
	uint64_t hash = TP_HASH_START;
	FILE *f = fopen("/proc/cpuinfo", "re");
	while (f && getline(&line, &cap, f) > 1) {
		const char *value = strchr(line, ':');
		if (!names_processor(line) || !value)
			continue;
		hash = tp_hash_text(hash, line);
		size_t len = strlen(++value);
		tp_trim(&value, &len);
		if (strncmp(line, "model name", strlen("model name")) == 0)
			tp_shown(name, sizeof(name), value, len);
	}
	free(line);
	if (f)
		fclose(f);
	snprintf(out, 128, "%s %016" PRIx64, name, hash);
}

/* --- assemblers --- */

/* An assembler by the beginning of its name, and the flag that makes it assemble; NULL = none. */
static const struct {
	const char *name, *flag;
} assemblers[] = { { "as", NULL }, { "clang", "-c" }, { "llvm-mc", "-filetype=obj" } };

/* NULL: an unknown program. The last part of a name may have a suffix: clang-14. */
static const char *const *assembler_flag(const char *program)
{
	const char *name = tp_path_last(program);
	for (size_t i = 0; i < TP_COUNT_OF(assemblers); i++) {
		size_t len = strlen(assemblers[i].name);
		if (strncmp(name, assemblers[i].name, len) == 0 &&
		    (name[len] == '\0' || name[len] == '-'))
			return &assemblers[i].flag;
	}
	return NULL;
}

static enum tp_status set_assembler(struct tp_compiler *assembler, struct tp_diag *diag)
{
	const char *const *flag = assembler_flag(assembler->program);
	if (!flag)
		return tp_fail(diag, TP_USAGE, "assembler", "as, clang or llvm-mc",
			       "%s is not an assembler that tprof supports", assembler->program);
	if (*flag)
		tp_compiler_add_flag(assembler, *flag);
	return TP_OK;
}

enum tp_status tp_assembler_find(struct tp_compiler *assembler, const char *wish,
				 struct tp_diag *diag)
{
	*assembler = (struct tp_compiler){ .limit_seconds = TP_COMPILE_SECONDS, .assembles = true };
	bool found = false;
	char shown[96];
	if (wish[0])
		found = tp_program_find(wish, assembler->program);
	for (size_t i = 0; i < TP_COUNT_OF(assemblers) && !wish[0] && !found; i++)
		found = tp_program_find(assemblers[i].name, assembler->program);
	enum tp_status status = TP_OK;
	if (!found && wish[0])
		status = tp_fail(diag, TP_NOTFOUND, "assembler", "as, clang or llvm-mc",
				 "%s is not a program",
				 tp_shown(shown, sizeof(shown), wish, strlen(wish)));
	else if (!found)
		status = tp_fail(diag, TP_NOTFOUND, "assembler", "sudo apt-get install binutils",
				 "there is no assembler (as, clang, llvm-mc) in PATH");
	if (status == TP_OK)
		status = set_assembler(assembler, diag);
	if (status == TP_OK)
		status = find_version(assembler->program, assembler->version, diag);
	if (status != TP_OK) {
		assembler->program[0] = '\0';
		tp_cc_diag_clean(diag);
	}
	return status;
}

/* --- all of it --- */

static enum tp_status not_found(const char *wish, struct tp_diag *diag)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.+-";
	char name[96], hint[160];
	if (!wish[0])
		return tp_fail(diag, TP_NOTFOUND, "compiler", "sudo apt-get install gcc libc6-dev",
			       "there is no C compiler (cc, gcc, clang) in PATH");
	tp_shown(name, sizeof(name), wish, strlen(wish));
	if (strchr(wish, '/'))
		return tp_fail(diag, TP_NOTFOUND, "compiler", "give a program, such as gcc",
			       "%s is not a program", name);
	bool packaged = strspn(wish, letters) == strlen(wish) &&
			(strncmp(wish, "gcc", 3) == 0 || strncmp(wish, "clang", 5) == 0);
	const char *runtime = strncmp(wish, "clang", 5) == 0 ? "libomp-dev" : "libc6-dev";
	snprintf(hint, sizeof(hint), "sudo apt-get install %s %s", packaged ? name : "gcc",
		 runtime);
	return tp_fail(diag, TP_NOTFOUND, "compiler", hint, "%s is not a program in PATH", name);
}

static enum tp_status find_program(struct tp_compiler *compiler, const char *wish,
				   struct tp_diag *diag)
{
	const char *own = getenv("CC");
	const char *names[] = { own, "cc", "gcc", "clang" };
	enum tp_status status = TP_NOTFOUND;
	if (wish[0]) {
		if (!tp_program_find(wish, compiler->program))
			return not_found(wish, diag);
		return find_version(compiler->program, compiler->version, diag);
	}
	not_found(wish, diag);
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		if (!names[i] || !names[i][0] || !tp_program_find(names[i], compiler->program))
			continue;
		status = find_version(compiler->program, compiler->version, diag);
		if (status == TP_OK || status == TP_CANCELLED)
			return status;
	}
	return status;
}

enum tp_status tp_compiler_find(struct tp_compiler *compiler, const char *wish, const char *flags,
				struct tp_diag *diag)
{
	*compiler = (struct tp_compiler){ .limit_seconds = TP_COMPILE_SECONDS };
	if (strcmp(wish, TP_COMPILER_PREBUILT) == 0)
		return TP_OK;
	if (!strchr(wish, '/') && strpbrk(wish, " \t\n"))
		return tp_fail(diag, TP_USAGE, "compiler",
			       "a program such as gcc-12 or /opt/bin/clang; its flags stand apart",
			       "a compiler is one word");
	enum tp_status status = read_flags(compiler, flags[0] ? flags : TP_COMPILER_FLAGS, diag);
	if (status == TP_OK)
		status = find_program(compiler, wish, diag);
	for (size_t i = 0; status == TP_OK && i < compiler->n_flags; i++) {
		const char *value = strchr(compiler->flags[i], '=');
		if (value && strcmp(value, "=native") == 0)
			name_target(compiler->target);
	}
	if (status != TP_OK) {
		compiler->program[0] = '\0';
		compiler->version[0] = '\0';
		tp_cc_diag_clean(diag);
	}
	return status;
}

void tp_compiler_release(struct tp_compiler *compiler)
{
	for (size_t i = 0; i < compiler->n_flags; i++)
		free(compiler->flags[i]);
	free(compiler->flags);
	*compiler = (struct tp_compiler){ 0 };
}

/*
 * Machine code out of a relocatable object (ELF). The assembler should have written the file, but
 * may not have: every offset is checked.
 */
struct object {
	const char *bytes;
	size_t n;
	ElfW(Ehdr) head;
};

static bool has(const struct object *o, uint64_t at, uint64_t bytes)
{
	return at <= o->n && bytes <= o->n - at;
}

static bool read_section(const struct object *o, size_t i, ElfW(Shdr) * out)
{
	uint64_t at = o->head.e_shoff + (uint64_t)i * sizeof(*out);
	if (i >= o->head.e_shnum || !has(o, at, sizeof(*out)))
		return false;
	memcpy(out, o->bytes + at, sizeof(*out));
	return true;
}

static bool is_named(const struct object *o, const ElfW(Shdr) * names, const ElfW(Shdr) * s,
		     const char *name)
{
	size_t len = strlen(name) + 1;
	return s->sh_name <= names->sh_size && len <= names->sh_size - s->sh_name &&
	       has(o, names->sh_offset, names->sh_size) &&
	       memcmp(o->bytes + names->sh_offset + s->sh_name, name, len) == 0;
}

static bool open_object(struct object *o)
{
	if (!has(o, 0, sizeof(o->head)))
		return false;
	memcpy(&o->head, o->bytes, sizeof(o->head));
	return memcmp(o->head.e_ident, ELFMAG, SELFMAG) == 0 && o->head.e_type == ET_REL &&
	       o->head.e_shentsize == sizeof(ElfW(Shdr)) && has(o, o->head.e_shoff, 0);
}

/* What a linker would have to fill in: of `text`, the section of that number. */
static bool is_complete(const struct object *o, size_t text)
{
	ElfW(Shdr) s;
	for (size_t i = 0; read_section(o, i, &s); i++)
		if ((s.sh_type == SHT_REL || s.sh_type == SHT_RELA) && s.sh_info == text &&
		    s.sh_size)
			return false;
	return true;
}

static bool find_text(const struct object *o, ElfW(Shdr) * text, size_t *at)
{
	ElfW(Shdr) names;
	if (!read_section(o, o->head.e_shstrndx, &names))
		return false;
	for (*at = 0; read_section(o, *at, text); ++*at)
		if (text->sh_type == SHT_PROGBITS && is_named(o, &names, text, ".text"))
			return has(o, text->sh_offset, text->sh_size);
	return false;
}

enum tp_status tp_object_code(const char *path, unsigned machine, unsigned char **code,
			      size_t *bytes, struct tp_diag *diag)
{
	struct object o = { 0 };
	ElfW(Shdr) text;
	size_t at;
	TP_FREE char *file = NULL;
	*code = NULL;
	*bytes = 0;
	enum tp_status status = tp_file_read(path, 4 * TP_OBJECT_CODE_MAX, &file, &o.n, diag);
	if (status != TP_OK)
		return status;
	o.bytes = file;
	if (open_object(&o) && machine && o.head.e_machine != machine)
		status = tp_fail(diag, TP_FAILED, "assembler", "name another one",
				 "the assembler is for another architecture");
	else if (!open_object(&o) || !find_text(&o, &text, &at))
		status = tp_fail(diag, TP_FAILED, "assembler", NULL,
				 "what it wrote is not an object with code");
	else if (text.sh_size == 0 || text.sh_size > TP_OBJECT_CODE_MAX)
		status = tp_fail(diag, TP_FAILED, "assembler", NULL,
				 text.sh_size ? "the instructions are too long"
					      : "there is no instruction");
	else if (!is_complete(&o, at))
		status = tp_fail(diag, TP_FAILED, "assembler",
				 "use registers, numbers and memory that registers point to",
				 "the instructions name a symbol that only a linker resolves");
	if (status == TP_OK) {
		*bytes = text.sh_size;
		*code = tp_alloc(*bytes, 1);
		memcpy(*code, o.bytes + text.sh_offset, *bytes);
	}
	return status;
}
