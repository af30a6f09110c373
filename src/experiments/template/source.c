/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source of a template: where it lies, what decides its code, its regions, the C of a variant,
 * and what a compiler made of it.
 */
#include "experiments/template/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"

#define HEADER "tprof_bench.h"

enum { INCLUDES_MAX = 32 };

/* --- where it lies --- */

static void read_title(const char *path, char *out, size_t size)
{
	char *text = NULL;
	size_t len;
	if (tp_file_read(path, TP_TEMPLATE_SOURCE_MAX, &text, &len, NULL) != TP_OK)
		return;
	/* The first comment that is not a licence. */
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
	.one = "template",
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

bool tp_template_is_known(const char *wish)
{
	return !*wish || tp_named_is_known(&templates, wish);
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
	add_text(t, text, bytes);
	add_includes(t, text);
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
	TP_STR key = { 0 };
	tp_str_printf(&key, "template 1\n%s\n%016" PRIx64 " %016" PRIx64 " %zu\n", s->path, t.first,
		      t.second, t.bytes);
	s->key = tp_arena_strdup(arena, tp_str_text(&key));
	s->header_folder = tp_arena_strndup(arena, path, (size_t)(strrchr(path, '/') - path));
	return TP_OK;
}

/* --- its regions --- */

/* The position after a comment or a string that begins at `c`; `c` itself if none does. */
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

enum tp_status tp_template_source_read(struct tp_template_source *s, const char *wish,
				       struct tp_arena *arena, struct tp_diag *diag)
{
	char path[TP_PATH_MAX], shown[TP_TEMPLATE_NAME_BYTES], *text = NULL;
	*s = (struct tp_template_source){ 0 };
	enum tp_status status = tp_named_locate(&templates, wish, path, diag);
	/* Absolute: the engine and the compiler may be elsewhere. */
	char *real = status == TP_OK ? realpath(path, NULL) : NULL;
	if (real)
		tp_copy(path, sizeof(path), real);
	free(real);
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
	if (fault)
		return tp_fail(diag, TP_USAGE, s->path, NULL, "the source %s", fault);
	tp_template_find_regions(s);
	return make_key(s, arena, diag);
}

/* --- the piece of a compiler's assembly that stands for a region --- */

/* Regions with more lines have no loop that a prediction would mean something for. */
enum { LINES_MAX = 20000 };

struct line {
	const char *text;
	size_t len;
	enum { OTHER, LABEL, INSTRUCTION } kind;
	size_t name; /* length of a label's name */
};

struct lines {
	struct line *items;
	size_t n, cap;
};

/* A line "# LLVM-MCA-BEGIN region", from `at` on; NULL = none. */
static const char *find_mark(const char *at, const char *mark, const char *region)
{
	size_t len = strlen(mark), name = strlen(region);
	while ((at = strstr(at, mark))) {
		at += len;
		if (strncmp(at, region, name) == 0 && (!at[name] || strchr(" \t\r\n", at[name])))
			return at + name;
	}
	return NULL;
}

static struct line assembly_line(const char *text, size_t len)
{
	while (len && strchr(" \t", *text)) {
		text++;
		len--;
	}
	struct line line = { text, len, OTHER, 0 };
	size_t name = 0;
	while (name < len && text[name] != ':' && !strchr(" \t\"", text[name]))
		name++;
	if (len == 0 || *text == '#' || (len > 1 && text[0] == '/' && text[1] == '/'))
		return line;
	if (name && name < len && text[name] == ':') {
		line.kind = LABEL;
		line.name = name;
	} else if (*text != '.') {
		line.kind = INSTRUCTION;
	}
	return line;
}

static bool split_lines(const char *begin, const char *end, struct lines *lines)
{
	while (begin < end) {
		const char *stop = memchr(begin, '\n', (size_t)(end - begin));
		stop = stop ? stop : end;
		if (lines->n == LINES_MAX)
			return false;
		TP_RESERVE(lines->items, lines->cap, lines->n + 1);
		lines->items[lines->n++] = assembly_line(begin, (size_t)(stop - begin));
		begin = stop + 1;
	}
	return true;
}

/* The last word of an instruction: where a jump goes. */
static size_t target_of(const struct line *line, const char **target)
{
	size_t end = line->len, begin;
	while (end && strchr(" \t\r", line->text[end - 1]))
		end--;
	for (begin = end; begin && !strchr(" \t,", line->text[begin - 1]);)
		begin--;
	*target = line->text + begin;
	return begin ? end - begin : 0;
}

/* The label before line i that this instruction jumps back to; -1 = it does not. */
static long jump_of(const struct lines *lines, size_t i)
{
	const char *target;
	size_t len = lines->items[i].kind == INSTRUCTION ? target_of(&lines->items[i], &target) : 0;
	for (size_t k = i; len && k-- > 0;)
		if (lines->items[k].kind == LABEL && lines->items[k].name == len &&
		    memcmp(lines->items[k].text, target, len) == 0)
			return (long)k;
	return -1;
}

static size_t count_instructions(const struct lines *lines, size_t from, size_t to)
{
	size_t n = 0;
	for (size_t i = from; i <= to; i++)
		n += lines->items[i].kind == INSTRUCTION;
	return n;
}

/* The longest loop without a nested one; false if none. */
static bool find_loop(const struct lines *lines, size_t *from, size_t *to)
{
	size_t most = 0;
	long last = -1; /* where the loop before began: one around it is not an innermost one */
	for (size_t i = 0; i < lines->n; i++) {
		long label = jump_of(lines, i);
		if (label < 0)
			continue;
		bool innermost = label > last;
		last = last > label ? last : label;
		size_t n = innermost ? count_instructions(lines, (size_t)label, i) : 0;
		if (n > most) {
			most = n;
			*from = (size_t)label;
			*to = i;
		}
	}
	return most > 0;
}

bool tp_template_cut(const char *assembly, const char *region, struct tp_str *out)
{
	const char *begin = find_mark(assembly, "LLVM-MCA-BEGIN ", region);
	const char *end = begin ? find_mark(begin, "LLVM-MCA-END ", region) : NULL;
	struct lines lines = { 0 };
	bool good = end && split_lines(begin, end, &lines);
	size_t from = 0, to = lines.n ? lines.n - 1 : 0;
	if (good)
		find_loop(&lines, &from, &to);
	good = good && lines.n && count_instructions(&lines, from, to);
	/* Labels and directives do not affect the prediction. */
	for (size_t i = from; good && i <= to; i++)
		if (lines.items[i].kind == INSTRUCTION) {
			tp_str_add(out, "\t");
			tp_str_add_n(out, lines.items[i].text, lines.items[i].len);
			tp_str_add(out, "\n");
		}
	free(lines.items);
	return good;
}

/* --- a combination of parameters as C, and the compiler's messages on it --- */

static const char *special_of(const struct tp_sweep_at *at, const char *name)
{
	int p = tp_sweep_find(at->sweep, name, strlen(name));
	return p < 0 ? "" : tp_sweep_value(at, (size_t)p);
}

const char *tp_template_compiler(const struct tp_sweep_at *at)
{
	return special_of(at, "compiler");
}

const char *tp_template_flags(const struct tp_sweep_at *at)
{
	return special_of(at, "flags");
}

void tp_template_macros(const struct tp_sweep_at *at, struct tp_str *out)
{
	for (size_t p = 0; p < at->sweep->n; p++)
		/* The compiler and its flags are not macros. */
		if (!tp_has_word("compiler flags", at->sweep->parameters[p].name))
			tp_str_printf(out, "#define %s %s\n", at->sweep->parameters[p].name,
				      tp_sweep_value(at, p));
}

void tp_template_write(const struct tp_template_source *source, const struct tp_sweep_at *at,
		       struct tp_str *out)
{
	tp_template_macros(at, out);
	/* So messages name the user's lines. */
	tp_str_add(out, "#line 1 ");
	tp_str_add_quoted(out, source->path);
	tp_str_add(out, "\n");
	tp_str_add_n(out, source->text, source->len);
	tp_str_add(out, "\n");
}

/* FILE:LINE: of a message; 0 = it has no place. */
static unsigned line_of(const char *message, size_t len)
{
	for (const char *c = message; (c = memchr(c, ':', len - (size_t)(c - message))); c++) {
		char *end;
		unsigned long line = strtoul(c + 1, &end, 10);
		if (end > c + 1 && *end == ':')
			return (unsigned)line;
	}
	return 0;
}

void tp_template_read_report(const char *said, const struct tp_template_region *region,
			     struct tp_template_row *row)
{
	for (size_t len; *said; said += len + (said[len] == '\n')) {
		len = strcspn(said, "\n");
		row->warnings += memmem(said, len, "warning:", sizeof("warning:") - 1) != NULL;
		unsigned line = line_of(said, len);
		if (!region || line < region->first_line || line > region->last_line)
			continue;
		/* gcc: "loop vectorized using 32 byte vectors"; clang: "vectorized loop (...)" */
		const char *gcc = memmem(said, len, "loop vectorized using ",
					 sizeof("loop vectorized using ") - 1);
		if (!gcc && !memmem(said, len, "vectorized loop", sizeof("vectorized loop") - 1))
			continue;
		row->vector_loops++;
		unsigned bytes = gcc ? (unsigned)strtoul(gcc + 22, NULL, 10) : 0;
		row->vector_bytes = TP_MAX(row->vector_bytes, bytes);
	}
}
