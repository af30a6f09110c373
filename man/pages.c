/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: pages FILE.in: writes the manual page to standard output.
 *
 * The sections of the manual pages that tell what a table of the program holds are made from that
 * table. A page man/NAME.in has a line
 *
 *	@KIND PATTERN...
 *
 * where the rows of a registry belong whose names match these shell patterns. Text that follows, up
 * to the next such line or the end of the list, belongs to the entry of the last row.
 *
 * Every row of a registry that the page uses must have exactly one place on it.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/commands.h"
#include "experiments/experiment.h"
#include "machine/machine.h"
#include "schema/fields.h"
#include "preset/options.h"
#include "record/event.h"
#include "record/point.h"
#include "record/schema.h"
#include "ui/tui/keys.h"

/* --- text --- */

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define OPTION	 "abcdefghijklmnopqrstuvwxyz-"

/*
 * What begins at `text` and is set in a font of its own: an option, or an argument of the row (a
 * word of `arguments`, such as VALUE of "KEY=VALUE"). Its length, 0 for plain text.
 */
static size_t add_marked(struct tp_str *out, const char *text, const char *arguments)
{
	size_t n = strspn(text, CAPITALS);
	if (strncmp(text, "--", 2) == 0 && islower((unsigned char)text[2])) {
		n = 2 + strspn(text + 2, OPTION);
		tp_str_printf(out, "\\fB\\-\\-%.*s\\fR", (int)n - 2, text + 2);
		return n;
	}
	for (const char *at = arguments; n && at && *at; at += strspn(at, CAPITALS)) {
		at += strcspn(at, CAPITALS);
		if (strspn(at, CAPITALS) != n || strncmp(at, text, n) != 0)
			continue;
		tp_str_add(out, "\\fI");
		for (size_t i = 0; i < n; i++)
			tp_str_printf(out, "%c", tolower((unsigned char)text[i]));
		tp_str_add(out, "\\fR");
		return n;
	}
	return 0;
}

/*
 * Text of a table as mdoc(7): sentences with a line each, and a full stop at the end. Options are
 * bold, and words of `arguments`, such as VALUE of "KEY=VALUE", are set as arguments (NULL: none).
 */
static void add_text(struct tp_str *out, const char *text, const char *arguments)
{
	bool word = false; /* inside of one */
	for (const char *at = text; *at;) {
		size_t n = word ? 0 : add_marked(out, at, arguments);
		word = n || isalnum((unsigned char)*at);
		if (n) {
			at += n;
			continue;
		}
		if (strncmp(at, ". ", 2) == 0 && isupper((unsigned char)at[2])) {
			tp_str_add(out, ".\n");
			at += 2;
			continue;
		}
		if (*at == '\\')
			tp_str_add(out, "\\e");
		else
			tp_str_add_n(out, at, 1);
		at++;
	}
	tp_str_add(out, *text && text[strlen(text) - 1] == '.' ? "\n" : ".\n");
}

/* The same for help that begins with a small letter. */
static void add_sentence(struct tp_str *out, const char *text, const char *arguments)
{
	TP_STR sentence = { 0 };
	tp_str_printf(&sentence, "%c%s", toupper((unsigned char)text[0]), text + 1);
	add_text(out, tp_str_text(&sentence), arguments);
}

/* A word that must not look like a mark or a macro to mdoc. */
static void add_item(struct tp_str *out, const char *word, size_t n)
{
	if (n > 1 && word[0] == '^')
		tp_str_printf(out, " \\(ha%.*s", (int)n - 1, word + 1);
	else
		tp_str_printf(out, " %s%.*s", isalnum((unsigned char)word[0]) ? "" : "\\&", (int)n,
			      word);
}

/* --- options of presets --- */

static const char *option_name(size_t i)
{
	return tp_option_at(i) ? tp_option_at(i)->key : NULL;
}

static bool option_head(size_t i, struct tp_str *out)
{
	tp_str_printf(out, ".It Cm %s\n", tp_option_at(i)->key);
	TP_STR text = { 0 };
	tp_option_text(tp_option_at(i), &text);
	add_text(out, tp_str_text(&text), NULL);
	return true;
}

static void option_tail(size_t i, struct tp_str *out)
{
	const struct tp_option *option = tp_option_at(i);
	TP_STR users = { 0 };
	char allowed[320];
	tp_str_printf(out, ".br\nValue: %s\n.br\nDefault: %s\n",
		      tp_option_allowed(option, allowed, sizeof(allowed)),
		      *option->fallback ? option->fallback : "none");
	tp_option_users(option, " ", &users);
	if (users.len)
		tp_str_printf(out, ".br\nUsed by: %s\n", tp_str_text(&users));
}

/* --- commands and options of the command line --- */

static const char *command_name(size_t i)
{
	return tp_command_table[i].name;
}

/* "Ar key Ns = Ns Ar value" of "KEY=VALUE". */
static void add_argument(struct tp_str *out, const char *argument)
{
	for (const char *at = argument; *at;) {
		size_t n = strspn(at, CAPITALS ".");
		if (n) {
			tp_str_add(out, " Ar ");
			while (n--)
				tp_str_printf(out, "%c", tolower((unsigned char)*at++));
		} else if (*at == ' ') {
			at++;
		} else {
			tp_str_printf(out, *at == ':' ? " %c Ns" : " Ns %c Ns", *at);
			at++;
		}
	}
}

static void add_command(struct tp_str *out, const struct tp_command *row)
{
	if (row->word) {
		tp_str_printf(out, " Cm %s", row->name);
		return;
	}
	tp_str_printf(out, " Fl Fl %s", row->name);
	if (row->argument && row->optional)
		tp_str_add(out, " Ns Oo = Ns");
	if (row->argument)
		add_argument(out, row->argument);
	if (row->argument && row->optional)
		tp_str_add(out, " Oc");
}

static bool command_head(size_t i, struct tp_str *out)
{
	const struct tp_command *row = &tp_command_table[i];
	TP_STR help = { 0 };
	tp_str_add(out, ".It");
	if (row->letter)
		tp_str_printf(out, " Fl %c ,", row->letter);
	add_command(out, row);
	tp_str_add(out, "\n");
	tp_command_help(row, &help);
	add_sentence(out, tp_str_text(&help), row->argument);
	return true;
}

/* The synopsis: a line for each command, with the options that belong to it alone. */
static const struct tp_command *nth_command(size_t n)
{
	for (const struct tp_command *row = tp_command_table; row->name; row++)
		if (row->run && n-- == 0)
			return row;
	return NULL;
}

static const char *synopsis_name(size_t i)
{
	return nth_command(i) ? nth_command(i)->name : NULL;
}

static bool synopsis_head(size_t i, struct tp_str *out)
{
	const struct tp_command *command = nth_command(i);
	TP_STR line = { 0 };
	add_command(&line, command);
	tp_str_printf(out, ".Nm\n.%s\n", tp_str_text(&line) + 1);
	for (const struct tp_command *row = tp_command_table; row->name; row++)
		if (row->with && tp_has_word(row->with, command->name)) {
			tp_str_add(out, ".Op");
			add_command(out, row);
			tp_str_add(out, "\n");
		}
	if (!command->answer)
		tp_str_add(out, ".Op Ar option ...\n");
	return true;
}

/* --- screens and their keys --- */

static const char *screen_name(size_t i)
{
	return i < TP_SCREEN_COUNT ? tp_screen_rows[i].title : NULL;
}

/* A place that has several screens is named with each of them. */
static bool screen_head(size_t i, struct tp_str *out)
{
	const struct tp_place_row *place = &tp_place_rows[tp_screen_rows[i].place];
	bool alone = strcmp(place->title, tp_screen_rows[i].title) == 0;
	tp_str_printf(out, ".It Em %s Pq Cm %s%s%s\n", tp_screen_rows[i].title, place->key,
		      alone ? "" : " No ", alone ? "" : place->title);
	return true;
}

static const char *key_name(size_t i)
{
	return i + 1 < TP_ACTION_COUNT ? tp_action_table[i + 1].keys : NULL;
}

static bool key_head(size_t i, struct tp_str *out)
{
	const struct tp_action_row *row = &tp_action_table[i + 1];
	const char *before = ".Pq Em ";
	tp_str_add(out, ".It Cm");
	for (const char *at = row->keys; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		add_item(out, at, n);
		at += n;
	}
	tp_str_add(out, "\n");
	add_sentence(out, row->help, NULL);
	for (int s = 0; row->screens != TP_EVERYWHERE && s < TP_SCREEN_COUNT; s++)
		if (row->screens >> s & 1u) {
			tp_str_printf(out, "%s%s", before, tp_screen_rows[s].title);
			before = " , ";
		}
	tp_str_add(out, row->screens == TP_EVERYWHERE ? "" : "\n");
	return true;
}

/* --- tprof-results(5): columns --- */

enum { COLUMN_ENTRIES_MAX = 512 };

/* Columns of a table that share a help; the name is "TABLE.COLUMN" of the first. */
struct column_entry {
	char name[96], items[256];
	const char *help;
};

struct column_entries {
	struct column_entry at[COLUMN_ENTRIES_MAX];
	size_t n;
};

static void add_column(struct column_entries *entries, const char *table,
		       const struct tp_column *column)
{
	struct column_entry *entry = entries->n ? &entries->at[entries->n - 1] : NULL;
	size_t len = strlen(table);
	bool shares = entry && !entry->help && strncmp(entry->name, table, len) == 0 &&
		      entry->name[len] == '.';
	if (!shares) {
		if (entries->n == COLUMN_ENTRIES_MAX)
			return;
		entry = &entries->at[entries->n++];
		snprintf(entry->name, sizeof(entry->name), "%s.%s", table, column->name);
	}
	len = strlen(entry->items);
	snprintf(entry->items + len, sizeof(entry->items) - len, "%s%s", len ? " , " : "",
		 column->name);
	entry->help = column->help;
}

static void add_table(struct column_entries *entries, const char *name,
		      const struct tp_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		add_column(entries, name, &table->columns[i]);
}

/* The columns of points, first those of points.csv, which the page lists separately. */
static void add_points(struct column_entries *entries, const struct tp_point_layout *layout,
		       bool csv)
{
	for (size_t i = 0; i < layout->n; i++)
		if (!(layout->at[i].column->where & TP_IN_CSV) != csv)
			add_column(entries, csv ? "points.csv" : "points", layout->at[i].column);
}

static const struct column_entries *column_entries(void)
{
	static struct column_entries all;
	const struct tp_point_layout *layout = tp_point_layout_of_kind(tp_point_kind_find(""));
	if (all.n)
		return &all;
	add_points(&all, layout, true);
	add_points(&all, layout, false);
	add_table(&all, "windows", &tp_sample_table);
	for (const struct tp_part *p = tp_part_next(NULL); p; p = tp_part_next(p))
		if (p->table->name)
			add_table(&all, p->table->name, p->table);
	return &all;
}

static const char *column_name(size_t i)
{
	return i < column_entries()->n ? column_entries()->at[i].name : NULL;
}

static bool column_head(size_t i, struct tp_str *out)
{
	const struct column_entry *entry = &column_entries()->at[i];
	tp_str_printf(out, ".It Va %s\n", entry->items);
	if (entry->help)
		add_text(out, entry->help, NULL);
	return entry->help;
}

/* --- columns that every CSV has, as a sentence --- */

static const char *core_name(size_t i)
{
	const struct tp_point_layout *layout = tp_point_layout_of_kind(tp_point_kind_find(""));
	for (size_t c = 0; c < layout->n; c++)
		if (layout->at[c].column->where & TP_IN_CORE && i-- == 0)
			return layout->at[c].column->name;
	return NULL;
}

static bool core_head(size_t i, struct tp_str *out)
{
	tp_str_printf(out, "%s.Va %s %s\n", i && !core_name(i + 1) ? "and\n" : "", core_name(i),
		      core_name(i + 1) ? "," : ".");
	return true;
}

/* --- flags --- */

static const char *flag_name(size_t i)
{
	return i < TP_FLAG_COUNT ? tp_flag_name((enum tp_flag)i) : NULL;
}

static bool flag_head(size_t i, struct tp_str *out)
{
	tp_str_printf(out, ".It Cm %s\n", flag_name(i));
	add_sentence(out, tp_flag_help((enum tp_flag)i), NULL);
	return true;
}

static void flag_tail(size_t i, struct tp_str *out)
{
	TP_STR text = { 0 };
	tp_str_printf(&text, "What to do: %s", tp_flag_remedy((enum tp_flag)i));
	tp_str_add(out, ".br\n");
	add_sentence(out, tp_str_text(&text), NULL);
}

/* --- events --- */

/* The i-th event: one of every run, or after those one that carries a row of an experiment. */
static bool nth_event(size_t i, enum tp_event_kind *kind, const struct tp_row_event **row)
{
	*row = NULL;
	*kind = (enum tp_event_kind)(i < TP_EVENT_ROW ? i : i + 1);
	if (*kind < TP_EVENT_COUNT)
		return true;
	i = *kind - TP_EVENT_COUNT;
	*kind = TP_EVENT_ROW;
	for (size_t k = 0; k < tp_schema()->n; k++) {
		if (i < tp_schema()->rows[k]->n_events) {
			*row = tp_schema()->rows[k]->events[i];
			return true;
		}
		i -= tp_schema()->rows[k]->n_events;
	}
	return false;
}

static const char *event_name(size_t i)
{
	static const char *const names[] = {
#define EVENT_NAME(id, name) name,
		TP_EVENT_LIST(EVENT_NAME)
#undef EVENT_NAME
	};
	const struct tp_row_event *row;
	enum tp_event_kind kind;
	if (!nth_event(i, &kind, &row))
		return NULL;
	return row ? row->name : names[kind];
}

static bool event_head(size_t i, struct tp_str *out)
{
	tp_str_printf(out, ".It Cm %s\n", event_name(i));
	return true;
}

static bool is_column(const char *key)
{
	char word[80], items[sizeof(((struct column_entry *)0)->items) + 2];
	snprintf(word, sizeof(word), " %s ", key);
	for (size_t i = 0; i < column_entries()->n; i++) {
		const struct column_entry *entry = &column_entries()->at[i];
		snprintf(items, sizeof(items), " %s ", entry->items);
		if (strncmp(entry->name, "points.csv.", 11) == 0 && strstr(items, word))
			return true;
	}
	return false;
}

/* The keys of an event as it is written, without those of every event. */
static void event_tail(size_t i, struct tp_str *out)
{
	static const union tp_row_room zeros;
	struct tp_event event = { .point.diag = { "a", "b", "c" }, .row = &zeros };
	TP_STR line = { 0 };
	TP_STR keys = { 0 };
	unsigned depth = 0;
	nth_event(i, &event.kind, &event.row_event);
	bool point = event.kind == TP_EVENT_POINT_BEGIN || event.kind == TP_EVENT_POINT_END;
	tp_event_write(&event, &line);
	for (const char *at = tp_str_text(&line); *at; at++) {
		char word[64];
		size_t n = *at == '"' ? strcspn(at + 1, "\"") : 0;
		if (*at == '{')
			depth++;
		else if (*at == '}')
			depth--;
		if (*at != '"')
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)n, at + 1);
		at += n + 1;
		if (at[1] != ':' || depth != 1 || tp_has_word("v ev t", word) ||
		    (point && is_column(word)))
			continue;
		tp_str_printf(&keys, "%s %s", keys.len ? " ," : "", word);
	}
	tp_str_printf(out, ".br\nKeys:%s%s\n",
		      point ? " the columns of points.csv that are known" : "",
		      point && keys.len ? ", and" : "");
	if (keys.len)
		tp_str_printf(out, ".Va%s\n", tp_str_text(&keys));
}

/* --- tprof-machine(5): keys of a model file --- */

enum { MODEL_ENTRIES_MAX = 64 };

/* Keys that share a help; the name is "TABLE.KEY" of the first, or its key at the top level. */
struct model_entry {
	char name[64], items[512];
	const struct tp_field *field; /* the last of them */
};

struct model_entries {
	struct model_entry at[MODEL_ENTRIES_MAX];
	size_t n;
};

static void add_model_keys(struct model_entries *entries, const char *prefix,
			   const struct tp_shape *shape)
{
	struct model_entry *open = NULL;
	for (size_t i = 0; i < shape->n && entries->n < MODEL_ENTRIES_MAX; i++) {
		const struct tp_field *field = &shape->fields[i];
		if (!open) {
			open = &entries->at[entries->n++];
			snprintf(open->name, sizeof(open->name), "%s%s", prefix, field->key);
		}
		size_t len = strlen(open->items);
		snprintf(open->items + len, sizeof(open->items) - len, "%s%s", len ? " , " : "",
			 field->key);
		open->field = field;
		if (field->help)
			open = NULL;
	}
	for (size_t i = 0; i < shape->n; i++) {
		const struct tp_field *field = &shape->fields[i];
		char inner[64];
		snprintf(inner, sizeof(inner), "%s.", field->key);
		if (field->shape)
			add_model_keys(entries, inner, field->shape);
	}
}

static const struct model_entries *model_entries(void)
{
	static struct model_entries all;
	if (!all.n)
		add_model_keys(&all, "", &tp_model_shape);
	return &all;
}

static const char *model_name(size_t i)
{
	return i < model_entries()->n ? model_entries()->at[i].name : NULL;
}

static bool model_head(size_t i, struct tp_str *out)
{
	const struct model_entry *entry = &model_entries()->at[i];
	tp_str_printf(out, ".It Cm %s\n", entry->items);
	if (entry->field->help)
		add_text(out, entry->field->help, NULL);
	return entry->field->help;
}

static void model_tail(size_t i, struct tp_str *out)
{
	const struct tp_field *field = model_entries()->at[i].field;
	tp_str_add(out, ".br\nValue: ");
	field->kind->allowed(field, out);
	tp_str_add(out, field->required ? "; required\n" : "\n");
}

/* --- pages --- */

static const struct registry {
	const char *kind; /* "option" of @option */
	const char *(*name)(size_t i); /* of the i-th row; NULL after the last */
	/* The begin of its entry, as mdoc(7); false if the table lacks what the page needs. */
	bool (*head)(size_t i, struct tp_str *out);
	void (*tail)(size_t i, struct tp_str *out); /* after the text of the page; NULL: none */
} registries[] = {
	{ "options", option_name, option_head, option_tail },
	{ "commands", command_name, command_head, NULL },
	{ "synopsis", synopsis_name, synopsis_head, NULL },
	{ "screens", screen_name, screen_head, NULL },
	{ "keys", key_name, key_head, NULL },
	{ "columns", column_name, column_head, NULL },
	{ "core", core_name, core_head, NULL },
	{ "flags", flag_name, flag_head, flag_tail },
	{ "models", model_name, model_head, model_tail },
	{ "events", event_name, event_head, event_tail },
	{ NULL, NULL, NULL, NULL },
};

enum { PAGE_BYTES_MAX = 1 << 20, ROWS_MAX = 1024, REGISTRIES_MAX = 64 };

struct page {
	const char *file;
	unsigned long line;
	struct tp_str out;
	bool used[REGISTRIES_MAX], placed[REGISTRIES_MAX][ROWS_MAX];
	const struct registry *open; /* of the entry that the text belongs to; NULL: none */
	size_t open_row;
};

static bool complain(const struct page *page, const char *what, const char *word)
{
	fprintf(stderr, "%s:%lu: %s: %s\n", page->file, page->line, what, word);
	return false;
}

static void close_entry(struct page *page)
{
	if (page->open && page->open->tail)
		page->open->tail(page->open_row, &page->out);
	page->open = NULL;
}

/* The rows that match and have no place yet. */
static bool place_rows(struct page *page, size_t kind, const char *pattern)
{
	const struct registry *registry = &registries[kind];
	bool any = false;
	for (size_t i = 0; registry->name(i); i++) {
		if (i == ROWS_MAX)
			return complain(page, "more rows than this program holds", registry->kind);
		if (page->placed[kind][i] || fnmatch(pattern, registry->name(i), 0) != 0)
			continue;
		page->placed[kind][i] = any = true;
		close_entry(page);
		if (!registry->head(i, &page->out))
			return complain(page, "its table does not describe it",
					registry->name(i));
		page->open = registry;
		page->open_row = i;
	}
	return any || complain(page, "no such row, or it has a place already", pattern);
}

/* "@KIND PATTERN..." */
static bool expand(struct page *page, char *line)
{
	char *rest = NULL, *word = strtok_r(line + 1, " ", &rest);
	bool good = true;
	size_t kind = 0;
	while (word && registries[kind].kind && strcmp(registries[kind].kind, word) != 0)
		kind++;
	if (!word || !registries[kind].kind)
		return complain(page, "no such registry", word ? word : "");
	page->used[kind] = true;
	while ((word = strtok_r(NULL, " ", &rest)))
		good = place_rows(page, kind, word) && good;
	return good;
}

static bool is_end_of_entry(const char *line)
{
	return strcmp(line, ".El") == 0 || strncmp(line, ".Sh ", 4) == 0 ||
	       strncmp(line, ".Ss ", 4) == 0;
}

static bool every_row_has_a_place(struct page *page)
{
	bool good = true;
	for (size_t kind = 0; registries[kind].kind; kind++)
		for (size_t i = 0; page->used[kind] && registries[kind].name(i); i++)
			if (!page->placed[kind][i])
				good = complain(page, registries[kind].kind,
						registries[kind].name(i));
	if (!good)
		fprintf(stderr, "%s: these have no place on the page\n", page->file);
	return good;
}

static bool make(struct page *page, char *text)
{
	bool good = true;
	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		page->line++;
		if (line[0] == '@') {
			good = expand(page, line) && good;
			continue;
		}
		if (is_end_of_entry(line))
			close_entry(page);
		tp_str_printf(&page->out, "%s\n", line);
	}
	return every_row_has_a_place(page) && good;
}

int main(int argc, char **argv)
{
	tp_experiments_begin();
	static struct page page;
	struct tp_diag diag;
	TP_FREE char *text = NULL;
	size_t len;
	if (argc != 2) {
		fputs("usage: pages FILE.in\n", stderr);
		return 2;
	}
	page.file = argv[1];
	if (tp_file_read(argv[1], PAGE_BYTES_MAX, &text, &len, &diag) != TP_OK) {
		fprintf(stderr, "%s: %s\n", diag.where, diag.what);
		return 1;
	}
	bool good = make(&page, text);
	good = fputs(tp_str_text(&page.out), stdout) >= 0 && fflush(stdout) == 0 && good;
	tp_str_release(&page.out);
	return good ? 0 : 1;
}
