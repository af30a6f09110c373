/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the manual pages say of the rows of each table. */
#include "man/pages.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "preset/options.h"
#include "ui/tui/keys.h"

/* --- text --- */

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define OPTION	 "abcdefghijklmnopqrstuvwxyz-"

/*
 * What begins at `text` and is set in a special font: an option, or an argument of the row (a
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

void page_text(struct tp_str *out, const char *text, const char *arguments)
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

void page_sentence(struct tp_str *out, const char *text, const char *arguments)
{
	struct tp_str sentence = { 0 };
	tp_str_printf(&sentence, "%c%s", toupper((unsigned char)text[0]), text + 1);
	page_text(out, tp_str_text(&sentence), arguments);
	tp_str_release(&sentence);
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
	page_text(out, tp_option_at(i)->help, NULL);
	return true;
}

static void option_tail(size_t i, struct tp_str *out)
{
	const struct tp_option *option = tp_option_at(i);
	struct tp_str users = { 0 };
	char allowed[320];
	tp_str_printf(out, ".br\nValue: %s\n.br\nDefault: %s\n",
		      tp_option_allowed(option, allowed, sizeof(allowed)),
		      *option->fallback ? option->fallback : "none");
	tp_option_users(option, " ", &users);
	if (users.len)
		tp_str_printf(out, ".br\nUsed by: %s\n", tp_str_text(&users));
	tp_str_release(&users);
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
	struct tp_str help = { 0 };
	tp_str_add(out, ".It");
	if (row->letter)
		tp_str_printf(out, " Fl %c ,", row->letter);
	add_command(out, row);
	tp_str_add(out, "\n");
	tp_command_help(row, &help);
	page_sentence(out, tp_str_text(&help), row->argument);
	tp_str_release(&help);
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
	struct tp_str line = { 0 };
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
	tp_str_release(&line);
	return true;
}

/* --- keys of the screens --- */

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
	page_sentence(out, row->help, NULL);
	for (int s = 0; row->screens != TP_EVERYWHERE && s < TP_SCREEN_COUNT; s++)
		if (row->screens >> s & 1u) {
			tp_str_printf(out, "%s%s", before, tp_screen_rows[s].title);
			before = " , ";
		}
	tp_str_add(out, row->screens == TP_EVERYWHERE ? "" : "\n");
	return true;
}

const struct page_registry page_registries[] = {
	{ "options", option_name, option_head, option_tail },
	{ "commands", command_name, command_head, NULL },
	{ "synopsis", synopsis_name, synopsis_head, NULL },
	{ "keys", key_name, key_head, NULL },
	{ "columns", page_column_name, page_column_head, NULL },
	{ "flags", page_flag_name, page_flag_head, page_flag_tail },
	{ "models", page_model_name, page_model_head, page_model_tail },
	{ "events", page_event_name, page_event_head, page_event_tail },
	{ NULL, NULL, NULL, NULL },
};
