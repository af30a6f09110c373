/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C = A * B by any BLAS that is there: C is m x n, A m x k, B k x n, all column-major. */

#include <dlfcn.h>
#include <float.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "base/str.h"
#include "routines/parts.h"

#define BLAS_HINT                                                                                  \
	"install one (Debian package libopenblas0-pthread), or give the path of a library that "   \
	"has the C interface of BLAS"

/*
 * The order in which libraries are tried. An entry with a slash is a pattern of paths, for folders
 * that the loader does not search.
 */
static const char *const known[] = {
	"libopenblas.so.0",
	"libblis.so.4",
	"libblis.so.3",
	"libmkl_rt.so.2",
	"libmkl_rt.so.1",
	"libmkl_rt.so",
	"libopenblasp.so.0",
	"libopenblaso.so.0",
	"libopenblas64.so.0",
	"libopenblas64_.so.0",
	"libblis-mt.so.5",
	"libblis-mt.so.4",
	"libblis-mt.so.3",
	"libarmpl_lp64_mp.so",
	"libnvpl_blas_lp64_gomp.so.0",
	"libflexiblas.so.3",
	"libtatlas.so.3",
	"libatlas.so.3",
	"libcblas.so.3",
	"libblas.so.3",
	/* Debian's alternatives: all installed ones, not only the chosen one. */
	"/usr/lib/*/openblas-pthread/libopenblas.so.0",
	"/usr/lib/*/openblas-openmp/libopenblas.so.0",
	"/usr/lib/*/openblas-serial/libopenblas.so.0",
	"/usr/lib/*/openblas64-*/libopenblas64.so.0",
	"/usr/lib/*/blis-*/libblis.so.[34]",
	"/usr/lib/*/blis-*/libblas.so.3",
	"/usr/lib/*/atlas/libblas.so.3",
	"/usr/lib/*/blas/libblas.so.3",
	"/opt/intel/oneapi/mkl/latest/lib/libmkl_rt.so.2",
	"/opt/intel/oneapi/mkl/latest/lib/intel64/libmkl_rt.so.2",
	"/opt/AMD/aocl/*/lib/libblis-mt.so*",
};

/* The names of one function for both sizes of integers. */
static const struct {
	const char *dgemm, *sgemm;
	bool wide;
} interfaces[] = {
	{ "cblas_dgemm", "cblas_sgemm", false },
	{ "cblas_dgemm64_", "cblas_sgemm64_", true },
	{ "cblas_dgemm_64", "cblas_sgemm_64", true },
};

static const struct {
	const char *name;
	bool wide; /* takes an integer of 64 bits */
} setters[] = {
	{ "openblas_set_num_threads", false },	{ "openblas_set_num_threads64_", false },
	{ "bli_thread_set_num_threads", true }, { "MKL_Set_Num_Threads", false },
	{ "flexiblas_set_num_threads", false }, { "omp_set_num_threads", false },
};

/* What dlsym() finds is cast to these, as POSIX allows. */
typedef char *text_fn(void);

typedef int number_fn(void);

typedef int64_t wide_number_fn(void);

typedef void text_into_fn(char *text, int bytes);

typedef void set_fn(int n);

typedef void set_wide_fn(int64_t n);

static void *symbol(const struct tp_blas_library *library, const char *a, const char *b)
{
	void *found = dlsym(library->handle, a);
	return found || !b ? found : dlsym(library->handle, b);
}

/* The file that holds `address`, so that two names of one library are seen to be one. */
static void file_of(void *address, char out[TP_PATH_MAX])
{
	Dl_info info;
	char real[PATH_MAX];
	out[0] = '\0';
	if (dladdr(address, &info) && info.dli_fname)
		tp_copy(out, TP_PATH_MAX, realpath(info.dli_fname, real) ? real : info.dli_fname);
}

static bool title_of_openblas(struct tp_blas_library *library)
{
	static const char *const threading[] = { "one thread", "pthreads", "OpenMP" };
	void *config = symbol(library, "openblas_get_config", "openblas_get_config64_");
	if (!config)
		return false;
	void *parallel = symbol(library, "openblas_get_parallel", "openblas_get_parallel64_");
	void *core = symbol(library, "openblas_get_corename", "openblas_get_corename64_");
	const char *text = ((text_fn *)config)();
	const char *end = strchr(text, ' ');
	end = end ? strchr(end + 1, ' ') : NULL;
	library->wide |= strstr(text, "USE64BITINT") != NULL;
	TP_STR title = { 0 };
	tp_str_add_n(&title, text, end ? (size_t)(end - text) : strlen(text));
	int kind = parallel ? ((number_fn *)parallel)() : -1;
	if (kind >= 0 && kind < (int)TP_COUNT_OF(threading))
		tp_str_printf(&title, ", %s", threading[kind]);
	if (kind == 0)
		library->set_threads = NULL;
	if (core)
		tp_str_printf(&title, ", %s", ((text_fn *)core)());
	tp_copy(library->name.title, sizeof(library->name.title), tp_str_text(&title));
	file_of(config, library->file);
	return true;
}

static bool title_of_blis(struct tp_blas_library *library)
{
	void *version = symbol(library, "bli_info_get_version_str", NULL);
	void *width = symbol(library, "bli_info_get_blas_int_type_size", NULL);
	if (!version)
		return false;
	/* Some builds return "0.9.0", others add words around it. */
	const char *text = ((text_fn *)version)();
	snprintf(library->name.title, sizeof(library->name.title), "%s%s",
		 strstr(text, "BLIS") ? "" : "BLIS ", text);
	library->wide |= width && ((wide_number_fn *)width)() == 64;
	file_of(version, library->file);
	return true;
}

static bool title_of_mkl(struct tp_blas_library *library)
{
	void *version = symbol(library, "MKL_Get_Version_String", "mkl_get_version_string");
	char text[200] = "";
	if (!version)
		return false;
	((text_into_fn *)version)(text, (int)sizeof(text) - 1);
	text[strcspn(text, "\n")] = '\0';
	for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	tp_copy(library->name.title, sizeof(library->name.title), text);
	file_of(version, library->file);
	return true;
}

/* Debian's reference implementation: its version is only in the name of its file. */
static bool title_of_netlib(struct tp_blas_library *library)
{
	static const char folder[] = "/blas/";
	file_of(library->dgemm ? library->dgemm : library->sgemm, library->file);
	const char *name = strrchr(library->file, '/');
	if (!name || (size_t)(name - library->file) < strlen(folder) ||
	    strncmp(name + 1 - strlen(folder), folder, strlen(folder)) != 0)
		return false;
	snprintf(library->name.title, sizeof(library->name.title), "netlib reference BLAS (%.60s)",
		 name + 1);
	return true;
}

/*
 * A library without a name is called by its file and folder; in Debian the folder is more
 * informative.
 */
static void title_of_unknown(struct tp_blas_library *library)
{
	file_of(library->dgemm ? library->dgemm : library->sgemm, library->file);
	const char *from = library->file + strlen(library->file);
	for (unsigned slashes = 0; from > library->file; from--)
		if (from[-1] == '/' && ++slashes == 2)
			break;
	snprintf(library->name.title, sizeof(library->name.title), "BLAS %.80s", from);
}

/* Loads `path`; TP_NOTFOUND with the reason. */
static enum tp_status load(struct tp_blas_library *library, const char *path, struct tp_diag *diag)
{
	*library = (struct tp_blas_library){ 0 };
	tp_copy(library->name.path, sizeof(library->name.path), path);
	library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library->handle) {
		const char *why = dlerror();
		return tp_fail(diag, TP_NOTFOUND, path, BLAS_HINT, "cannot be loaded: %s",
			       why ? why : "no reason given");
	}
	for (size_t i = 0; i < TP_COUNT_OF(interfaces) && !library->dgemm; i++) {
		library->dgemm = symbol(library, interfaces[i].dgemm, NULL);
		library->sgemm = symbol(library, interfaces[i].sgemm, NULL);
		library->wide = interfaces[i].wide;
	}
	if (!library->dgemm && !library->sgemm) {
		dlclose(library->handle);
		library->handle = NULL;
		return tp_fail(diag, TP_NOTFOUND, path, BLAS_HINT, "has no cblas_dgemm");
	}
	for (size_t i = 0; i < TP_COUNT_OF(setters) && !library->set_threads; i++) {
		library->set_threads = symbol(library, setters[i].name, NULL);
		library->set_threads_wide = setters[i].wide;
	}
	if (!title_of_openblas(library) && !title_of_blis(library) && !title_of_mkl(library) &&
	    !title_of_netlib(library))
		title_of_unknown(library);
	return TP_OK;
}

/* The search ends when visit() returns true. */
typedef bool visit_fn(void *context, struct tp_blas_library *library);

/* Opens every known library whose name holds `word`. */
static void each_known(const char *word, visit_fn *visit, void *context)
{
	bool done = false;
	TP_FREE struct tp_blas_library *library = tp_alloc(1, sizeof(*library));
	for (size_t i = 0; i < TP_COUNT_OF(known) && !done; i++) {
		glob_t paths = { 0 };
		const char *base = strrchr(known[i], '/');
		if (!strstr(base ? base : known[i], word))
			continue;
		if (!base) {
			done = load(library, known[i], NULL) == TP_OK && visit(context, library);
			continue;
		}
		if (glob(known[i], 0, NULL, &paths) == 0)
			for (size_t p = 0; p < paths.gl_pathc && !done; p++)
				done = load(library, paths.gl_pathv[p], NULL) == TP_OK &&
				       visit(context, library);
		globfree(&paths);
	}
}

static bool take_first(void *context, struct tp_blas_library *library)
{
	*(struct tp_blas_library *)context = *library;
	return true;
}

static bool is_path(const char *wish)
{
	return strchr(wish, '/') || strstr(wish, ".so");
}

bool tp_blas_is_known(const char *wish)
{
	for (size_t i = 0; i < TP_COUNT_OF(known); i++)
		if (!strchr(known[i], '/') && strcmp(known[i], wish) == 0)
			return true;
	return !is_path(wish);
}

/* `wish` as in struct tp_routine_config. TP_NOTFOUND as in tp_routine_new. */
static enum tp_status blas_open(struct tp_blas_library *library, const char *wish,
				struct tp_diag *diag)
{
	*library = (struct tp_blas_library){ 0 };
	if (is_path(wish))
		return load(library, wish, diag);
	each_known(wish, take_first, library);
	if (library->handle)
		return TP_OK;
	return tp_fail(diag, TP_NOTFOUND, wish[0] ? wish : "BLAS", BLAS_HINT,
		       wish[0] ? "there is no library with that name"
			       : "no BLAS library is installed");
}

struct found {
	struct tp_blas *items;
	char (*files)[TP_PATH_MAX];
	size_t n, cap, files_cap;
};

static bool add_found(void *context, struct tp_blas_library *library)
{
	struct found *f = context;
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->files[i], library->file) == 0)
			return false;
	TP_RESERVE(f->items, f->cap, f->n + 1);
	TP_RESERVE(f->files, f->files_cap, f->n + 1);
	f->items[f->n] = library->name;
	memcpy(f->files[f->n], library->file, TP_PATH_MAX);
	f->n++;
	return false;
}

enum tp_status tp_blas_find_here(struct tp_blas **libraries, size_t *n, struct tp_diag *diag)
{
	struct found f = { 0 };
	each_known("", add_found, &f);
	free(f.files);
	*libraries = f.items;
	*n = f.n;
	return f.n ? TP_OK
		   : tp_fail(diag, TP_NOTFOUND, "BLAS", BLAS_HINT, "no BLAS library is installed");
}

/* The constants of the C interface. */
enum { COLUMN_MAJOR = 102, NO_TRANSPOSE = 111 };

#define GEMM_TYPE(name, integer, real)                                                             \
	typedef void name(int, int, int, integer, integer, integer, real, const real *, integer,   \
			  const real *, integer, real, real *, integer)

GEMM_TYPE(dgemm_fn, int, double);
GEMM_TYPE(sgemm_fn, int, float);
GEMM_TYPE(dgemm_wide_fn, int64_t, double);
GEMM_TYPE(sgemm_wide_fn, int64_t, float);

/* Leading dimensions are the sizes: A is m x k, B is k x n, C is m x n. */
#define CALL(type, integer, function)                                                              \
	((type *)(function))(COLUMN_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, (integer)c->m,              \
			     (integer)c->n, (integer)c->k, 1, c->a, (integer)c->m, c->b,           \
			     (integer)c->k, 0, c->c, (integer)c->m)

static void blas_gemm(const struct tp_blas_library *library, const struct tp_gemm_call *c)
{
	if (library->wide && c->single)
		CALL(sgemm_wide_fn, int64_t, library->sgemm);
	else if (library->wide)
		CALL(dgemm_wide_fn, int64_t, library->dgemm);
	else if (c->single)
		CALL(sgemm_fn, int, library->sgemm);
	else
		CALL(dgemm_fn, int, library->dgemm);
}

/* Entries of C that are computed again. */
enum { CHECKS = 24, FILL_PERIOD = 4093 /* not a divisor of usual sizes */ };

/* Matrices as large as a huge page get the requested pages. */
enum { LARGE_BYTES = 2 << 20 };

struct gemm {
	struct tp_routine_config config;
	struct tp_blas_library library;
	struct tp_gemm_call call;
	struct tp_buffer a, b, c;
	bool each; /* its threads live on after a call, so each gets its own CPU */
};

/* --- data --- */

struct filler {
	struct gemm *gemm;
	unsigned index;
	pthread_t thread;
	bool started;
};

/* The next of a sequence, as a number in [-0.5, 0.5). */
static double random_number(uint64_t *state)
{
	return tp_random_uniform(state) - 0.5;
}

/* `nan`: entries that the library does not write cannot be mistaken for results. */
static void fill_part(const struct filler *f, struct tp_buffer *block, uint64_t elements, bool nan)
{
	unsigned n = f->gemm->config.n_cpus;
	uint64_t from = tp_part_begin(elements, f->index, n),
		 to = tp_part_begin(elements, f->index + 1, n),
		 state = from + (uint64_t)(uintptr_t)block->data % 4093;
	double *doubles = (double *)(void *)block->data;
	float *floats = (float *)(void *)block->data;
	/* Repeating a page of numbers is much faster and works as well. */
	for (uint64_t i = from; i < to; i++) {
		if (i >= from + FILL_PERIOD) {
			if (f->gemm->call.single)
				floats[i] = floats[i - FILL_PERIOD];
			else
				doubles[i] = doubles[i - FILL_PERIOD];
			continue;
		}
		double value = nan ? (double)NAN : random_number(&state);
		if (f->gemm->call.single)
			floats[i] = (float)value;
		else
			doubles[i] = value;
	}
}

static void *fill(void *context)
{
	struct filler *f = context;
	const struct tp_gemm_call *call = &f->gemm->call;
	(void)tp_process_bind(0, &f->gemm->config.cpus[f->index], 1);
	fill_part(f, &f->gemm->a, call->m * call->k, false);
	fill_part(f, &f->gemm->b, call->k * call->n, false);
	fill_part(f, &f->gemm->c, call->m * call->n, true);
	return NULL;
}

static double entry(const struct gemm *g, const void *matrix, uint64_t at)
{
	return g->call.single ? (double)((const float *)matrix)[at] : ((const double *)matrix)[at];
}

/* Corners and scattered entries against the plain sum. */
static enum tp_status check(const struct gemm *g, struct tp_diag *diag)
{
	const struct tp_gemm_call *c = &g->call;
	uint64_t state = 1;
	/* k products of at most 1/4, each rounded at most k times in any order. */
	double epsilon = c->single ? (double)FLT_EPSILON : DBL_EPSILON;
	double tolerance = fmin(epsilon * (double)c->k * (0.25 * (double)c->k + 1), 0.01);
	for (unsigned i = 0; i < CHECKS; i++) {
		uint64_t row = i & 1 ? c->m - 1 : 0, column = i & 2 ? c->n - 1 : 0;
		if (i >= 4) {
			row = (uint64_t)((random_number(&state) + 0.5) * (double)c->m);
			column = (uint64_t)((random_number(&state) + 0.5) * (double)c->n);
		}
		double sum = 0, got = entry(g, c->c, row + column * c->m);
		for (uint64_t l = 0; l < c->k; l++)
			sum += entry(g, c->a, row + l * c->m) * entry(g, c->b, l + column * c->k);
		if (!(fabs(got - sum) <= tolerance))
			return tp_fail(diag, TP_FAILED, g->library.name.path,
				       "do not trust this library on this machine",
				       "wrong result: C(%llu, %llu) is %g and should be %g",
				       (unsigned long long)row + 1, (unsigned long long)column + 1,
				       got, sum);
	}
	return TP_OK;
}

/* --- opening --- */

static enum tp_status choose_library(struct gemm *g, struct tp_diag *diag)
{
	const struct tp_routine_config *config = &g->config;
	enum tp_status status = blas_open(&g->library, config->library, diag);
	if (status != TP_OK)
		return status;
	const char *path = g->library.name.path;
	if (g->call.single ? !g->library.sgemm : !g->library.dgemm)
		return tp_fail(diag, TP_NOTFOUND, path, "choose another library", "has no %s",
			       tp_routine_name(config->id));
	for (unsigned i = 0; i < TP_ROUTINE_DIMENSIONS; i++)
		if (!g->library.wide && config->size[i] > INT_MAX)
			return tp_fail(diag, TP_USAGE, path,
				       "choose smaller sizes, or a library with 64-bit integers",
				       "the size %c does not fit into its integers", "nmk"[i]);
	if (!g->library.set_threads && config->n_cpus > 1)
		return tp_fail(diag, TP_UNSUPPORTED, path,
			       "use one thread, or a library with threads, such as Debian's "
			       "libopenblas0-pthread",
			       "it cannot be set to %u threads", config->n_cpus);
	return TP_OK;
}

static enum tp_status map_all(struct gemm *g, struct tp_diag *diag)
{
	const char *where = tp_routine_name(g->config.id);
	size_t element = g->call.single ? sizeof(float) : sizeof(double);
	uint64_t bytes = tp_routine_memory_bytes(&g->config);
	struct {
		struct tp_buffer *block;
		uint64_t bytes;
	} blocks[] = { { &g->a, g->call.m * g->call.k * element },
		       { &g->b, g->call.k * g->call.n * element },
		       { &g->c, g->call.m * g->call.n * element } };
	/* Only the total shows whether it fits. */
	enum tp_status status = tp_routine_fits(bytes, where, diag);
	for (size_t i = 0; i < TP_COUNT_OF(blocks) && status == TP_OK; i++)
		status = tp_routine_map(
			blocks[i].block, blocks[i].bytes,
			blocks[i].bytes >= LARGE_BYTES ? g->config.pages : TP_PAGES_SMALL, diag);
	g->call.a = g->a.data;
	g->call.b = g->b.data;
	g->call.c = g->c.data;
	return status;
}

/* True if the library's threads still exist a moment after a call. */
static bool threads_stay(unsigned wanted)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	if (wanted == 0 || tp_bind_others() != wanted)
		return false;
	nanosleep(&moment, NULL);
	return tp_bind_others() == wanted;
}

static void settle(void *state)
{
	struct gemm *g = state;
	tp_bind_all(&g->config, g->each);
	if (g->library.set_threads && g->library.set_threads_wide)
		((set_wide_fn *)g->library.set_threads)((int64_t)g->config.n_cpus);
	else if (g->library.set_threads)
		((set_fn *)g->library.set_threads)((int)g->config.n_cpus);
}

static double run(void *state, uint64_t calls)
{
	struct gemm *g = state;
	double start = tp_routine_now_seconds();
	for (uint64_t i = 0; i < calls; i++)
		blas_gemm(&g->library, &g->call);
	return tp_routine_now_seconds() - start;
}

static enum tp_status open_gemm(void **state, const struct tp_routine_config *config,
				double *first_seconds, struct tp_diag *diag)
{
	struct gemm *g = *state = tp_alloc(1, sizeof(*g));
	g->config = *config;
	g->call = (struct tp_gemm_call){ .n = config->size[0],
					 .m = config->size[1],
					 .k = config->size[2],
					 .single = config->id == TP_ROUTINE_SGEMM };
	enum tp_status status = map_all(g, diag);
	if (status == TP_OK)
		status = tp_bind_self(config, diag);
	if (status == TP_OK)
		status = choose_library(g, diag);
	/* Each part is touched first on one of the CPUs, so it lies in the memory near that CPU. */
	if (status == TP_OK) {
		unsigned n = g->config.n_cpus;
		TP_FREE struct filler *fillers = tp_alloc(n, sizeof(*fillers));

		for (unsigned i = 0; i < n; i++) {
			fillers[i] = (struct filler){ .gemm = g, .index = i };
			fillers[i].started =
				pthread_create(&fillers[i].thread, NULL, fill, &fillers[i]) == 0;
		}
		bool all = true;
		for (unsigned i = 0; i < n; i++) {
			all &= fillers[i].started;
			if (fillers[i].started)
				pthread_join(fillers[i].thread, NULL);
		}
		status = all ? TP_OK
			     : tp_fail(diag, TP_RESOURCE, "gemm",
				       "raise the limit on processes (ulimit -u)",
				       "cannot make %u threads", n);
	}
	if (status != TP_OK)
		return status;
	settle(g);
	*first_seconds = run(g, 1);
	status = check(g, diag);
	g->each = threads_stay(config->n_cpus - 1);
	settle(g);
	return status;
}

static void free_gemm(void *state)
{
	struct gemm *g = state;
	tp_buffer_release(&g->a);
	tp_buffer_release(&g->b);
	tp_buffer_release(&g->c);
	free(g);
}

const struct tp_routine_kind tp_routine_gemm = {
	.open = open_gemm,
	.settle = settle,
	.run = run,
	.free = free_gemm,
};
