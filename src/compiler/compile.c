/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several compilers at once. */
#include "compiler/compiler_parts.h"
#include "base/process.h"
#include "base/memory.h"

#include <stdlib.h>

enum { JOBS_MAX = 256, ARGUMENTS = 6 }; /* beside the flags */

/* Long enough for whoever was told its path to load it. */
static const double young_seconds = 600;

/* A compiler at work. */
struct job {
	struct tp_object *object; /* NULL = idle */
	struct tp_cc_child child;
	struct tp_cc_key key;
	char folder[TP_PATH_MAX]; /* its files, until they are whole; "" = none */
};

struct run {
	const struct tp_compiler *compiler;
	const struct tp_compile_how *how;
	char folder[TP_PATH_MAX]; /* where objects go */
	bool prebuilds;
	struct tp_object *objects;
	size_t n, next, done;
	bool *is_done; /* n of them */
	struct job *jobs;
	size_t n_jobs;
	bool wrote;
};

static const struct tp_compile_how as_usual;

static bool goes_on(const struct run *run)
{
	const struct tp_compile_how *how = run->how;
	bool wanted = !how->watch || how->watch(how->context, run->done, run->n);
	return wanted && !tp_stop_asked;
}

static size_t jobs_of(const struct tp_compile_how *how, size_t n)
{
	size_t jobs = how->jobs;
	cpu_set_t own;
	if (!jobs && how->cpus)
		jobs = (size_t)CPU_COUNT_S(how->cpus_bytes, how->cpus);
	else if (!jobs && sched_getaffinity(0, sizeof(own), &own) == 0)
		jobs = (size_t)CPU_COUNT(&own);
	return TP_MAX(TP_MIN(TP_MIN(jobs, n), (size_t)JOBS_MAX), 1);
}

static void settle(struct run *run, struct tp_object *object, enum tp_status status)
{
	object->status = status;
	tp_cc_diag_clean(&object->diag);
	if (status != TP_OK)
		object->path[0] = '\0';
	run->is_done[object - run->objects] = true;
	run->done++;
}

/* --- one object --- */

static const struct tp_compiler *compiler_of(const struct run *run, const struct tp_object *object)
{
	return object->compiler ? object->compiler : run->compiler;
}

/* The object is found, or it is known why it cannot be. False: it has to be compiled. */
static bool look_up(struct run *run, struct tp_object *object)
{
	struct tp_cc_key key;
	const struct tp_compiler *compiler = compiler_of(run, object);
	bool none = !compiler || !compiler->program[0];
	enum tp_status status = tp_cc_key_make(&key, none ? NULL : compiler, object, &object->diag);
	if (status != TP_OK) {
		settle(run, object, status);
		return true;
	}
	if (none && run->how->prebuilt)
		object->prebuilt = tp_cc_prebuilt(run->how->prebuilt, &key, object->path);
	else if (!none)
		object->was_cached =
			tp_cc_cached(run->folder, &key, object->path, &object->messages);
	tp_str_release(&key.text);
	object->was_cached |= object->prebuilt;
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

static enum tp_status start_compiler(const struct run *run, struct job *job)
{
	const struct tp_compiler *compiler = compiler_of(run, job->object);
	char source[TP_PATH_MAX], output[TP_PATH_MAX];
	size_t n = 0;
	char **arguments = calloc(ARGUMENTS + compiler->n_flags + 1, sizeof(*arguments));
	if (!arguments)
		return tp_fail(&job->object->diag, TP_NOMEM, "compiler", NULL, "out of memory");
	if (!tp_cc_path(source, "%s/%s", job->folder, source_name(compiler)) ||
	    !tp_cc_path(output, "%s/object.so", job->folder)) {
		free(arguments);
		return tp_fail(&job->object->diag, TP_USAGE, job->folder, NULL, "path too long");
	}
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
					   .cpus = run->how->cpus,
					   .cpus_bytes = run->how->cpus_bytes,
					   .limit_seconds = compiler->limit_seconds };
	enum tp_status status = tp_cc_child_start(&job->child, &start, &job->object->diag);
	free(arguments);
	return status;
}

static enum tp_status job_start(struct run *run, struct job *job)
{
	struct tp_object *object = job->object;
	struct tp_str source = { 0 };
	enum tp_status status = tp_cc_key_make(
		&job->key, run->prebuilds ? NULL : compiler_of(run, object), object, &object->diag);
	if (status == TP_OK)
		status = object->source(object->context, &source, &object->diag);
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
	tp_str_release(&source);
	return status;
}

/* Why there is no object, from how the compiler ended and what it said. */
static enum tp_status explain(const struct run *run, struct job *job, struct tp_process_end end,
			      bool late)
{
	struct tp_object *object = job->object;
	struct tp_str how = { 0 };
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
			"the compiler ended with exit code %d and said nothing", end.code);
	}
	tp_str_release(&how);
	return status;
}

/* Adds the other files and gives the entry its name. */
static enum tp_status keep(struct run *run, struct job *job)
{
	struct tp_object *object = job->object;
	enum tp_status status = TP_OK;
	if (object->messages.len)
		status = tp_cc_put(job->folder, "messages.txt", &object->messages, false,
				   &object->diag);
	if (status == TP_OK)
		status = tp_cc_put(job->folder, "key", &job->key.text, true, &object->diag);
	if (status == TP_OK)
		status = (run->prebuilds ? tp_cc_publish_prebuilt : tp_cc_publish)(
			run->folder, job->folder, &job->key, object->path, &object->diag);
	if (status == TP_OK) {
		job->folder[0] = '\0';
		object->prebuilt = run->prebuilds;
		run->wrote = true;
	}
	return status;
}

static void job_end(struct run *run, struct job *job, struct tp_process_end end, bool late)
{
	struct tp_object *object = job->object;
	const struct tp_compiler *compiler = compiler_of(run, object);
	char path[TP_PATH_MAX], prefix[TP_PATH_MAX];
	object->messages = job->child.said;
	job->child.said = (struct tp_str){ 0 };
	/* People should see names that stay. */
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
static void give_work(struct run *run, struct job *job)
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

/*
 * One look at each compiler, and at most one new one: its source may take a while, and the caller
 * wants to be asked.
 */
static void step(struct run *run)
{
	const struct tp_cc_child *children[JOBS_MAX];
	size_t n = 0;
	struct job *idle = NULL;
	for (size_t i = 0; i < run->n_jobs; i++) {
		struct job *job = &run->jobs[i];
		struct tp_process_end end;
		bool late;
		if (job->object && tp_cc_child_ended(&job->child, &end, &late))
			job_end(run, job, end, late);
		if (job->object)
			children[n++] = &job->child;
		else
			idle = job;
	}
	if (idle && run->next < run->n)
		give_work(run, idle);
	else if (n)
		tp_cc_children_wait(children, n);
}

static void cancel(struct run *run)
{
	for (size_t i = 0; i < run->n; i++)
		if (!run->is_done[i])
			settle(run, &run->objects[i],
			       tp_fail(&run->objects[i].diag, TP_CANCELLED, "compiler", NULL,
				       "cancelled"));
}

static enum tp_status run_all(struct run *run, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	run->n_jobs = jobs_of(run->how, run->n);
	run->is_done = calloc(run->n + 1, sizeof(*run->is_done));
	run->jobs = calloc(run->n_jobs, sizeof(*run->jobs));
	if (!run->is_done || !run->jobs) {
		status = tp_fail(diag, TP_NOMEM, "compiler", NULL, "out of memory");
		goto out;
	}
	for (size_t i = 0; i < run->n_jobs; i++)
		run->jobs[i].child = TP_CC_NONE;
	for (size_t i = 0; i < run->n && !run->prebuilds; i++)
		look_up(run, &run->objects[i]);
	while (goes_on(run) && run->done < run->n)
		step(run);
	for (size_t i = 0; i < run->n_jobs; i++)
		job_release(&run->jobs[i]);
	if (run->done < run->n) {
		cancel(run);
		status = tp_fail(diag, TP_CANCELLED, "compiler", NULL, "cancelled");
	}
	if (run->wrote)
		tp_cc_trim(run->folder, TP_COMPILE_CACHE_MAX, young_seconds);
out:
	free(run->jobs);
	free(run->is_done);
	return status;
}

static void prepare(struct tp_object *objects, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tp_str_release(&objects[i].messages);
		objects[i].status = TP_OK;
		objects[i].diag = (struct tp_diag){ 0 };
		objects[i].path[0] = '\0';
		objects[i].was_cached = objects[i].prebuilt = false;
	}
}

/* Compiles them, unless `status` says what hinders all of them. */
static enum tp_status finish(struct run *run, enum tp_status status, struct tp_diag *own,
			     struct tp_diag *diag)
{
	if (status == TP_OK) {
		status = run_all(run, own);
	} else {
		tp_cc_diag_clean(own);
		for (size_t i = 0; i < run->n; i++) {
			run->objects[i].status = status;
			run->objects[i].diag = *own;
			run->objects[i].path[0] = '\0';
		}
	}
	if (diag && status != TP_OK)
		*diag = *own;
	return status;
}

enum tp_status tp_compile(const struct tp_compiler *compiler, struct tp_object *objects, size_t n,
			  const struct tp_compile_how *how, struct tp_diag *diag)
{
	struct run run = {
		.compiler = compiler, .how = how ? how : &as_usual, .objects = objects, .n = n
	};
	struct tp_diag own = { 0 };
	enum tp_status status = TP_OK;
	prepare(objects, n);
	bool any = compiler && compiler->program[0];
	for (size_t i = 0; i < n; i++)
		any |= objects[i].compiler && objects[i].compiler->program[0];
	if (any)
		status = tp_cc_folder(run.folder, &own);
	return finish(&run, status, &own, diag);
}

enum tp_status tp_compile_prebuilt(const struct tp_compiler *compiler, const char *folder,
				   struct tp_object *objects, size_t n,
				   const struct tp_compile_how *how, struct tp_diag *diag)
{
	struct run run = { .compiler = compiler,
			   .how = how ? how : &as_usual,
			   .prebuilds = true,
			   .objects = objects,
			   .n = n };
	struct tp_diag own = { 0 };
	enum tp_status status = TP_OK;
	prepare(objects, n);
	if (!compiler || !compiler->program[0])
		status = tp_fail(&own, TP_NOTFOUND, "compiler", NULL, "there is none");
	else if (!tp_copy(run.folder, sizeof(run.folder), folder))
		status = tp_fail(&own, TP_USAGE, folder, NULL, "path too long");
	else
		status = tp_dir_make(folder, &own);
	return finish(&run, status, &own, diag);
}

void tp_object_release(struct tp_object *object)
{
	tp_str_release(&object->messages);
	*object = (struct tp_object){ 0 };
}
