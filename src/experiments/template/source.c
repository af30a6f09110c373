/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/template/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"

#define HEADER "tprof_bench.h"

enum { INCLUDES_MAX = 32 };

/* --- where it lies --- */

static void read_title(const char *path, char *out, size_t size)
{
	char *text = NULL;
	size_t len;
	if (tp_file_read(path, TP_TEMPLATE_SOURCE_MAX, &text, &len, NULL) != TP_OK)
		return;
	/* The first comment that is no licence. */
	const char *at = text;
	while ((at = strstr(at, "/*")) && strncmp(at + 2, " SPDX", 5) == 0)
		at += 2;
	if (at) {
		const char *begin = at + 2;
		size_t n = strcspn(begin, "\n*");
		tp_trim(&begin, &n);
		tp_shown(out, size, begin, n);
	}
	free(text);
}

static const struct tp_named_kind templates = {
	.what = "templates",
	.folders = { { tp_path_user_config, "templates" },
		     { tp_path_user_data, "templates" },
		     { tp_path_data, "presets/templates" } },
	.ending = ".c",
	.name_bytes = TP_TEMPLATE_NAME_BYTES,
	.title_bytes = sizeof(((struct tp_named_file *)0)->title),
	.read_title = read_title,
};

enum tp_status tp_template_list(struct tp_named_file **files, size_t *n, struct tp_diag *diag)
{
	return tp_named_list(&templates, files, n, diag);
}

static bool is_path(const char *wish)
{
	size_t len = strlen(wish);
	return strchr(wish, '/') || (len > 2 && strcmp(wish + len - 2, ".c") == 0);
}

bool tp_template_is_known(const char *wish)
{
	char path[TP_PATH_MAX];
	return !*wish || (!is_path(wish) && tp_named_find(&templates, wish, strlen(wish), path));
}

static enum tp_status locate(const char *wish, char path[TP_PATH_MAX], struct tp_diag *diag)
{
	char near[TP_NAME_MAX], hint[TP_NAME_MAX + 120], shown[80];
	TP_STR all = { 0 };
	if (is_path(wish)) {
		/* Absolute: the engine and the compiler may be elsewhere. */
		char *real = realpath(wish, NULL);
		tp_copy(path, TP_PATH_MAX, real ? real : wish);
		free(real);
		return TP_OK;
	}
	if (tp_named_find(&templates, wish, strlen(wish), path))
		return TP_OK;
	tp_named_guess(&templates, wish, NULL, near, &all);
	snprintf(hint, sizeof(hint),
		 *near ? "did you mean %s? a path ends in .c%s"
		       : "a path that ends in .c%s, or one of these: %s",
		 *near ? near : "", *near ? "" : tp_str_text(&all));
	return tp_fail(diag, TP_NOTFOUND, "template", hint, "there is no template %s",
		       tp_shown(shown, sizeof(shown), wish, strlen(wish)));
}

/* --- what decides it --- */

struct texts {
	const char *folder;
	struct tp_arena *arena;
	const char *seen[INCLUDES_MAX];
	size_t n_seen, bytes;
	uint64_t first, second; /* two hashes of all texts */
};

static void add_text(struct texts *t, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		t->first = tp_hash_step(t->first, (unsigned char)text[i]);
		t->second = tp_hash_step(t->second, (unsigned char)text[i] + UINT64_C(0x9e37));
	}
	t->bytes += len;
}

static void add_includes(struct texts *t, const char *text);

/* A file of the folder that the source includes, once; another one does not matter here. */
static void add_include(struct texts *t, const char *name, size_t len)
{
	char path[TP_PATH_MAX], *text = NULL;
	size_t bytes;
	int n = snprintf(path, sizeof(path), "%s/%.*s", t->folder, (int)len, name);
	if (n < 0 || (size_t)n >= sizeof(path) || t->n_seen == INCLUDES_MAX)
		return;
	for (size_t i = 0; i < t->n_seen; i++)
		if (strcmp(t->seen[i], path) == 0)
			return;
	if (!tp_is_file(path) ||
	    tp_file_read(path, TP_TEMPLATE_SOURCE_MAX, &text, &bytes, NULL) != TP_OK)
		return;
	t->seen[t->n_seen++] = tp_arena_strdup(t->arena, path);
	if (t->seen[t->n_seen - 1]) {
		add_text(t, text, bytes);
		add_includes(t, text);
	} else {
		t->n_seen--;
	}
	free(text);
}

/* Every #include "file". */
static void add_includes(struct texts *t, const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		const char *at = line + strspn(line, " \t");
		if (*at++ != '#')
			continue;
		at += strspn(at, " \t");
		if (strncmp(at, "include", 7) != 0)
			continue;
		at += 7 + strspn(at + 7, " \t");
		size_t len = *at == '"' ? strcspn(at + 1, "\"\n") : 0;
		if (len && at[1 + len] == '"')
			add_include(t, at + 1, len);
	}
}

static enum tp_status make_key(struct tp_template_source *s, struct tp_arena *arena,
			       struct tp_diag *diag)
{
	struct texts t = {
		.folder = s->folder, .arena = arena, .first = TP_HASH_START, .second = TP_HASH_START
	};
	char path[TP_PATH_MAX], *header = NULL;
	size_t len;
	enum tp_status status = tp_path_data("include/" HEADER, path, diag);
	if (status == TP_OK)
		status = tp_file_read(path, TP_TEMPLATE_SOURCE_MAX, &header, &len, diag);
	if (status != TP_OK)
		return status;
	add_text(&t, s->text, s->len);
	add_includes(&t, s->text);
	snprintf(s->hash, sizeof(s->hash), "%016" PRIx64, t.first);
	add_text(&t, header, len);
	free(header);
	struct tp_str key = { 0 };
	tp_str_printf(&key, "template 1\n%s\n%016" PRIx64 " %016" PRIx64 " %zu\n", s->path, t.first,
		      t.second, t.bytes);
	s->key = tp_arena_strdup(arena, tp_str_text(&key));
	tp_str_release(&key);
	s->header_folder = tp_arena_strndup(arena, path, (size_t)(strrchr(path, '/') - path));
	return s->key && s->header_folder
		       ? TP_OK
		       : tp_fail(diag, TP_NOMEM, "template", NULL, "out of memory");
}

/* --- its regions --- */

/* Behind a comment or a text that begins at `c`; `c` itself if none does. */
static const char *skip_foreign(const char *c, unsigned *line)
{
	const char *end = c;
	if (c[0] == '/' && c[1] == '*') {
		end = strstr(c + 2, "*/");
		end = end ? end + 2 : c + strlen(c);
	} else if (c[0] == '/' && c[1] == '/') {
		end = c + strcspn(c, "\n");
	} else if (*c == '"' || *c == '\'') {
		for (end = c + 1; *end && *end != *c && *end != '\n'; end++)
			end += *end == '\\' && end[1];
		end += *end != '\0';
	}
	for (; c < end; c++)
		*line += *c == '\n';
	return end;
}

/* NAME( region ): the region, or nothing if it is something else. */
static size_t argument_of(const char *word, size_t len, const char *name, const char **argument)
{
	if (strlen(name) != len || memcmp(word, name, len) != 0)
		return 0;
	const char *at = word + len;
	at += strspn(at, " \t");
	if (*at++ != '(')
		return 0;
	*argument = at + strspn(at, " \t");
	return tp_identifier_length(*argument);
}

static struct tp_template_region *region_of(struct tp_template_source *s, const char *name,
					    size_t len)
{
	for (size_t i = 0; i < s->n_regions; i++)
		if (strlen(s->regions[i].name) == len && memcmp(s->regions[i].name, name, len) == 0)
			return &s->regions[i];
	return NULL;
}

static void take_mark(struct tp_template_source *s, const char *word, size_t len, unsigned line)
{
	const char *name;
	size_t n = argument_of(word, len, "TPROF_BENCH_BEGIN", &name);
	if (n && n < TP_TEMPLATE_NAME_BYTES && !region_of(s, name, n) &&
	    s->n_regions < TP_TEMPLATE_REGIONS) {
		struct tp_template_region *region = &s->regions[s->n_regions++];
		*region = (struct tp_template_region){ .first_line = line };
		memcpy(region->name, name, n);
	}
	n = argument_of(word, len, "TPROF_BENCH_END", &name);
	struct tp_template_region *region = n ? region_of(s, name, n) : NULL;
	if (region)
		region->last_line = line;
}

void tp_template_find_regions(struct tp_template_source *s)
{
	unsigned line = 1;
	for (const char *c = s->text; *c;) {
		const char *behind = skip_foreign(c, &line);
		size_t len = tp_identifier_length(c);
		if (behind > c) {
			c = behind;
			continue;
		}
		if (len)
			take_mark(s, c, len, line);
		line += *c == '\n';
		c += len ? len : 1;
	}
}

const struct tp_template_region *tp_template_region_find(const struct tp_template_source *s,
							 const char *name)
{
	for (size_t i = 0; i < s->n_regions; i++)
		if (strcmp(s->regions[i].name, name) == 0)
			return &s->regions[i];
	return NULL;
}

/* --- all of it --- */

enum tp_status tp_template_source_read(struct tp_template_source *s, const char *wish,
				       struct tp_arena *arena, struct tp_diag *diag)
{
	char path[TP_PATH_MAX], shown[TP_TEMPLATE_NAME_BYTES], *text = NULL;
	*s = (struct tp_template_source){ 0 };
	enum tp_status status = locate(wish, path, diag);
	if (status == TP_OK)
		status = tp_file_read(path, TP_TEMPLATE_SOURCE_MAX, &text, &s->len, diag);
	if (status != TP_OK)
		return status;
	const char *fault = tp_text_fault(text, s->len, "\n\t\r\f");
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t stem = strlen(name) - (strlen(name) > 2 ? 2 : 0);
	s->name = tp_arena_strdup(arena, tp_shown(shown, sizeof(shown), name, stem));
	s->path = tp_arena_strdup(arena, path);
	s->folder = slash ? tp_arena_strndup(arena, path, (size_t)(slash - path)) : ".";
	s->text = tp_arena_strndup(arena, text, s->len);
	free(text);
	if (!s->name || !s->path || !s->folder || !s->text)
		return tp_fail(diag, TP_NOMEM, "template", NULL, "out of memory");
	if (fault)
		return tp_fail(diag, TP_USAGE, s->path, NULL, "the source %s", fault);
	tp_template_find_regions(s);
	return make_key(s, arena, diag);
}
