/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset/options.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/command.h"
#include "base/own_dot.h"
#include "base/text.h"
#include "base/memory.h"
#include "kernels/isa_names.h"

static const struct tp_option_group *const *groups = &(const struct tp_option_group *){ NULL };

const struct tp_option_group *const *tp_option_groups(void)
{
	return groups;
}

/* By their places; groups of the same place stand in the order of the list. */
static bool is_before(const struct tp_option_group *const *a,
		      const struct tp_option_group *const *b)
{
	return (*a)->place != (*b)->place ? (*a)->place < (*b)->place : a < b;
}

/* The first group after `last` (NULL: of all) in that order; NULL after the last. */
static const struct tp_option_group *const *group_behind(const struct tp_option_group *const *last)
{
	const struct tp_option_group *const *next = NULL;
	for (const struct tp_option_group *const *g = groups; *g; g++)
		if ((!last || is_before(last, g)) && (!next || is_before(g, next)))
			next = g;
	return next;
}

/* All options by the places of their groups: asked for thousands of times. */
static const struct tp_option *options[TP_OPTIONS_MAX];
static size_t n_options;

void tp_preset_use(const struct tp_option_group *const *of_program)
{
	groups = of_program;
	n_options = 0;
	for (const struct tp_option_group *const *g = group_behind(NULL); g; g = group_behind(g))
		for (size_t row = 0; (*g)->rows[row]; row++) {
			assert(n_options < TP_OPTIONS_MAX);
			options[n_options++] = (*g)->rows[row];
		}
}

const struct tp_option *tp_option_at(size_t i)
{
	return i < n_options ? options[i] : NULL;
}

size_t tp_option_count(void)
{
	return n_options;
}

static const struct tp_option_group *group_of(const struct tp_option *option)
{
	for (const struct tp_option_group *const *g = groups; *g; g++)
		for (size_t row = 0; (*g)->rows[row]; row++)
			if ((*g)->rows[row] == option)
				return *g;
	return NULL;
}

void tp_option_text(const struct tp_option *option, struct tp_str *out)
{
	tp_str_printf(out, "%s%s%s", option->help, option->command_line ? " " : "",
		      option->command_line ? option->command_line : "");
}

const char *tp_option_owner(const struct tp_option *option)
{
	return group_of(option)->experiment;
}

static bool same_key(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

const struct tp_option *tp_option_find(const char *key)
{
	const struct tp_option *option;
	for (size_t i = 0; (option = tp_option_at(i)); i++)
		if (same_key(key, option->key))
			break;
	return option;
}

const char *tp_option_nearest(const char *key)
{
	const char *keys[TP_OPTIONS_MAX];
	const struct tp_option *option;
	size_t n = 0;
	for (; n < TP_OPTIONS_MAX && (option = tp_option_at(n)); n++)
		keys[n] = option->key;
	return tp_nearest(key, keys, n);
}

/* True if the experiment of a group uses the option. */
static bool uses(const struct tp_option_group *group, const struct tp_option *option)
{
	return group == group_of(option) || (group->uses && tp_has_word(group->uses, option->key));
}

bool tp_option_belongs(const struct tp_option *option, const char *experiment)
{
	if (option->for_all)
		return true;
	for (const struct tp_option_group *const *g = groups; *g; g++)
		if ((*g)->experiment && strcmp((*g)->experiment, experiment) == 0)
			return uses(*g, option);
	return false;
}

void tp_option_users(const struct tp_option *option, const char *joint, struct tp_str *out)
{
	bool first = true;
	for (const struct tp_option_group *const *g = groups; *g; g++) {
		if (option->for_all || !(*g)->experiment || !uses(*g, option))
			continue;
		tp_str_printf(out, "%s%s", first ? "" : joint, (*g)->experiment);
		first = false;
	}
}

const char *tp_option_offered(const struct tp_option *option, bool *open)
{
	*open = option->offers || (option->type != TP_TYPE_WORD && option->type != TP_TYPE_BOOL);
	if (option->offers)
		return option->offers;
	return option->type == TP_TYPE_BOOL ? "false true" : option->words;
}

const char *tp_option_meaning(const struct tp_option *option, const char *word, char *out,
			      size_t size)
{
	const char *line = option->meanings ? option->meanings : "";
	size_t n = strlen(word);
	while (*line && (strncmp(line, word, n) != 0 || line[n] != '\t'))
		line += strcspn(line, "\n") + 1;
	snprintf(out, size, "%.*s", *line ? (int)strcspn(line + n + 1, "\n") : 0,
		 *line ? line + n + 1 : "");
	return out;
}

/* A limit in the form that a user would write. */
static const char *limit_text(char out[32], enum tp_option_type type, double value)
{
	if (type == TP_TYPE_BYTES)
		tp_format_bytes(out, 32, (uint64_t)value);
	else if (type != TP_TYPE_SECONDS)
		snprintf(out, 32, "%.10g", value);
	else if (value >= 60)
		snprintf(out, 32, "%gmin", value / 60);
	else if (value >= 1)
		snprintf(out, 32, "%gs", value);
	else if (value >= 1e-3)
		snprintf(out, 32, "%gms", value * 1e3);
	else
		snprintf(out, 32, "%gus", value * 1e6);
	return out;
}

/* "add, mul or div" from "add mul div". */
static void words_text(char *out, size_t size, const char *words)
{
	size_t n = 0;
	out[0] = '\0';
	while (*words && n < size) {
		size_t length = strcspn(words, " ");
		const char *next = words + length + strspn(words + length, " ");
		const char *joint = !n ? "" : *next ? ", " : " or ";
		int put = snprintf(out + n, size - n, "%s%.*s", joint, (int)length, words);
		n += put > 0 ? (size_t)put : 0;
		words = next;
	}
}

const char *tp_option_allowed(const struct tp_option *option, char *out, size_t size)
{
	char low[32], high[32], words[160], one[320];
	limit_text(low, option->type, option->min);
	limit_text(high, option->type, option->max);
	words_text(words, sizeof(words), option->words);
	const char *joint = *words ? ", or " : "";
	switch (option->type) {
	case TP_TYPE_TEXT:
		snprintf(one, sizeof(one), "text of at most %s bytes", high);
		break;
	case TP_TYPE_WORD:
		snprintf(one, sizeof(one), "%s",
			 *words			? words
			 : option == TP_OPT_ISA ? "names of --list isas"
						: "a name");
		break;
	case TP_TYPE_COUNT:
		snprintf(one, sizeof(one), "a whole number from %s to %s%s%s", low, high, joint,
			 words);
		break;
	case TP_TYPE_REAL:
		snprintf(one, sizeof(one), "a number from %s to %s%s%s%s", low, high,
			 option->max <= 1 ? " (1% is 0.01)" : "", joint, words);
		break;
	case TP_TYPE_BYTES:
		snprintf(one, sizeof(one), "a size from %s to %s such as 32KiB", low, high);
		break;
	case TP_TYPE_SECONDS:
		snprintf(one, sizeof(one), "a time from %s to %s such as 500ms", low, high);
		break;
	case TP_TYPE_BOOL:
		snprintf(one, sizeof(one), "true or false");
		break;
	case TP_TYPE_RATIO:
		snprintf(one, sizeof(one), "loads:stores such as 2:1, each at most %s%s%s", high,
			 joint, words);
		break;
	case TP_TYPE_DOT:
		snprintf(one, sizeof(one), "%s", TP_OWN_DOT_ALLOWED);
		break;
	}
	snprintf(out, size, "%s%s", one, option->list ? "; or a list of them" : "");
	return out;
}

size_t tp_option_index(const struct tp_option *option)
{
	size_t index = 0;
	while (options[index] != option)
		index++;
	return index;
}

struct tp_value *tp_config_at(struct tp_config *config, const struct tp_option *option)
{
	return &config->values[tp_option_index(option)];
}

const struct tp_value *tp_config_value(const struct tp_config *config,
				       const struct tp_option *option)
{
	return &config->values[tp_option_index(option)];
}

const char *tp_config_text(const struct tp_config *config, const struct tp_option *option)
{
	const struct tp_value *value = tp_config_value(config, option);
	return value->n ? value->items[0].text : "";
}

char **tp_config_words(const struct tp_config *config, const struct tp_option *option)
{
	const struct tp_value *value = tp_config_value(config, option);
	return value->n ? value->items[0].words : NULL;
}

uint64_t tp_config_count(const struct tp_config *config, const struct tp_option *option)
{
	const struct tp_value *value = tp_config_value(config, option);
	return value->n ? value->items[0].count : 0;
}

double tp_config_real(const struct tp_config *config, const struct tp_option *option)
{
	const struct tp_value *value = tp_config_value(config, option);
	return value->n ? value->items[0].real : 0;
}

enum tp_status tp_config_defaults(struct tp_config *config, struct tp_arena *arena,
				  struct tp_diag *diag)
{
	const struct tp_option *option;
	*config = (struct tp_config){ 0 };
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		enum tp_status status =
			tp_option_parse(option, option->fallback, arena, &config->values[i], diag);
		if (status != TP_OK)
			return status;
	}
	return TP_OK;
}

void tp_value_text(const struct tp_option *option, const struct tp_value *value, struct tp_str *out)
{
	for (size_t i = 0; i < value->n; i++) {
		const char *text = value->items[i].text;
		if (i)
			tp_str_add(out, ",");
		/* In quotes where it would be read as several items, or as another one. */
		if (option->list && option->type == TP_TYPE_TEXT && strpbrk(text, ",[]\""))
			tp_str_add_quoted(out, text);
		else
			tp_str_add(out, text);
	}
}

bool tp_value_equal(const struct tp_value *a, const struct tp_value *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->items[i].text, b->items[i].text) != 0)
			return false;
	return true;
}

/* Turns text of a user into a checked value of an option. */

enum { SHORT_BYTES = TP_OWN_DOT_BYTES, NAME_BYTES = 512, WORDS_MAX = 32, SHOWN_BYTES = 64 };

/*
 * Complains with the value, what is allowed, and the word that the user may have meant. `problem`
 * follows the quoted value.
 */
static enum tp_status refuse(const struct tp_option *option, const char *text, size_t len,
			     const char *problem, const char *nearest, struct tp_diag *diag)
{
	char allowed[320], hint[400], shown[SHOWN_BYTES];
	tp_option_allowed(option, allowed, sizeof(allowed));
	if (nearest)
		snprintf(hint, sizeof(hint), "did you mean %s? allowed: %s", nearest, allowed);
	else
		snprintf(hint, sizeof(hint), "allowed: %s", allowed);
	if (len == 0)
		return tp_fail(diag, TP_USAGE, option->key, hint, "no value given");
	return tp_fail(diag, TP_USAGE, option->key, hint, "\"%s\" %s",
		       tp_shown(shown, sizeof(shown), text, len), problem);
}

/*
 * The fewest digits that read back as the same number. 15 digits survive a round trip through a
 * double.
 */
static void shortest(char out[40], double value)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(out, 40, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			return;
	}
}

/* Splits the words of an option; the copy lives in `store`. */
static size_t split_words(const char *words, char *store, size_t size, const char *out[WORDS_MAX])
{
	size_t n = 0;
	if (!tp_copy(store, size, words))
		return 0;
	char *rest = NULL;
	for (char *word = strtok_r(store, " ", &rest); word && n < WORDS_MAX;
	     word = strtok_r(NULL, " ", &rest))
		out[n++] = word;
	return n;
}

/*
 * True if `text` is one of the option's words; `canonical` is then its spelling in the row.
 * Otherwise `nearest` is set.
 */
static bool find_word(const struct tp_option *option, const char *text, char canonical[SHORT_BYTES],
		      char nearest[SHORT_BYTES])
{
	char store[256];
	const char *words[WORDS_MAX];
	size_t n = split_words(option->words, store, sizeof(store), words);
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(words[i], text) == 0)
			return tp_copy(canonical, SHORT_BYTES, words[i]);
	const char *near = tp_nearest(text, words, n);
	tp_copy(nearest, SHORT_BYTES, near ? near : "");
	return false;
}

/* Plain decimal numbers only: strtod would also take hexadecimal, nan and infinity. */
static bool is_decimal(const char *text)
{
	return *text && strspn(text, "0123456789.eE+-") == strlen(text);
}

static const char *parse_count(const struct tp_option *option, char *text, struct tp_scalar *s)
{
	if (!tp_parse_u64(text, &s->count))
		return "is not a whole number";
	s->real = (double)s->count;
	if (s->real < option->min || s->real > option->max)
		return "is out of range";
	snprintf(text, SHORT_BYTES, "%llu", (unsigned long long)s->count);
	return NULL;
}

static const char *parse_real(const struct tp_option *option, char *text, struct tp_scalar *s)
{
	char digits[40];
	size_t n = strlen(text);
	bool percent = n && text[n - 1] == '%';
	if (percent) {
		do
			text[--n] = '\0';
		while (n && text[n - 1] == ' ');
	}
	double value;
	if (!is_decimal(text) || !tp_parse_double(text, &value))
		return "is not a number";
	s->real = percent ? value / 100 : value;
	if (s->real < option->min || s->real > option->max)
		return "is out of range";
	shortest(digits, value);
	snprintf(text, SHORT_BYTES, "%s%s", digits, percent ? "%" : "");
	return NULL;
}

static const char *parse_bytes(const struct tp_option *option, char *text, struct tp_scalar *s)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	if (!tp_parse_bytes(text, &s->count))
		return "is not a size";
	s->real = (double)s->count;
	if (s->real < option->min || s->real > option->max)
		return "is out of range";
	uint64_t value = s->count;
	size_t i = 0;
	for (; value && value % 1024 == 0 && i + 1 < TP_COUNT_OF(unit); i++)
		value /= 1024;
	snprintf(text, SHORT_BYTES, "%llu%s", (unsigned long long)value, unit[i]);
	return NULL;
}

static const char *parse_seconds(const struct tp_option *option, char *text, struct tp_scalar *s)
{
	if (!tp_parse_seconds(text, &s->real))
		return "is not a time";
	if (s->real < option->min || s->real > option->max)
		return "is out of range";
	char digits[40], unit[8], *end;
	shortest(digits, strtod(text, &end));
	tp_copy(unit, sizeof(unit), end + strspn(end, " "));
	snprintf(text, SHORT_BYTES, "%s%s", digits, *unit ? unit : "s");
	return NULL;
}

static const char *parse_bool(const struct tp_option *option __attribute__((unused)), char *text,
			      struct tp_scalar *s)
{
	static const struct {
		const char *word;
		bool value;
	} word[] = { { "true", true }, { "false", false }, { "yes", true }, { "no", false },
		     { "on", true },   { "off", false },   { "1", true },   { "0", false } };
	for (size_t i = 0; i < TP_COUNT_OF(word); i++)
		if (strcasecmp(text, word[i].word) == 0) {
			s->count = word[i].value;
			s->real = word[i].value;
			snprintf(text, SHORT_BYTES, "%s", word[i].value ? "true" : "false");
			return NULL;
		}
	return "is neither true nor false";
}

static const char *parse_ratio(const struct tp_option *option, char *text, struct tp_scalar *s)
{
	char *colon = strchr(text, ':');
	if (!colon)
		return "is not a ratio";
	*colon = '\0';
	uint64_t loads, stores;
	bool good = tp_parse_u64(text, &loads) && tp_parse_u64(colon + 1, &stores);
	*colon = ':';
	if (!good)
		return "is not a ratio";
	if ((double)loads > option->max || (double)stores > option->max)
		return "is out of range";
	if (loads + stores == 0)
		return "moves nothing";
	s->loads = (unsigned)loads;
	s->stores = (unsigned)stores;
	snprintf(text, SHORT_BYTES, "%u:%u", s->loads, s->stores);
	return NULL;
}

static const char *parse_dot(const struct tp_option *option __attribute__((unused)), char *text,
			     struct tp_scalar *s __attribute__((unused)))
{
	struct tp_own_dot dot;
	const char *wrong = tp_own_dot_parse(text, &dot);
	if (!wrong)
		tp_own_dot_text(&dot, text);
	return wrong;
}

/* What is wrong with free text, or NULL. */
static const char *check_text(const struct tp_option *option, const char *text, size_t len)
{
	if (option->type == TP_TYPE_TEXT && (double)len > option->max)
		return "is too long";
	return tp_text_fault(text, len, option == TP_OPT_NOTES ? "\n\t" : "");
}

/*
 * Checks the characters of a name: names from registries, events with attributes, shell patterns of
 * events, and paths may stand in a list.
 */
static bool is_name(const char *text, size_t len)
{
	static const char others[] = "_.+-/*?:=";
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) &&
		    !memchr(others, text[i], sizeof(others) - 1))
			return false;
	return len < NAME_BYTES;
}

/* What is wrong with the name of an ISA, or NULL. `nearest` is set as find_word does. */
static const char *check_isa(const char *text, size_t len, char nearest[SHORT_BYTES])
{
	const char *names[TP_COUNT_OF(tp_isa_names) + 2] = { "auto", "widest" };
	char word[SHORT_BYTES];
	size_t n = 2;
	for (size_t i = 0; i < TP_COUNT_OF(tp_isa_names); i++)
		names[n++] = tp_isa_names[i].name;
	tp_shown(word, sizeof(word), text, len);
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == len && memcmp(names[i], text, len) == 0)
			return NULL;
	const char *near = tp_nearest(word, names, n);
	tp_copy(nearest, SHORT_BYTES, near ? near : "");
	return "is not an ISA";
}

enum tp_status tp_scalar_parse(const struct tp_option *option, const char *text, size_t len,
			       struct tp_arena *arena, struct tp_scalar *scalar,
			       struct tp_diag *diag)
{
	static const char *(*const parse[])(const struct tp_option *, char *,
					    struct tp_scalar *) = {
		[TP_TYPE_COUNT] = parse_count, [TP_TYPE_REAL] = parse_real,
		[TP_TYPE_BYTES] = parse_bytes, [TP_TYPE_SECONDS] = parse_seconds,
		[TP_TYPE_BOOL] = parse_bool,   [TP_TYPE_RATIO] = parse_ratio,
		[TP_TYPE_DOT] = parse_dot,
	};
	tp_trim(&text, &len);
	bool named = option->type == TP_TYPE_WORD && !*option->words;
	const char *problem = NULL;
	char nearest[SHORT_BYTES] = "";
	struct tp_scalar found = { 0 };
	if (len == 0)
		return refuse(option, text, len, "", NULL, diag);
	if (option->type == TP_TYPE_TEXT || named) {
		problem = check_text(option, text, len);
		if (!problem && named && option->list && !is_name(text, len))
			problem = "is not a name";
		if (!problem && named && len >= 4096)
			problem = "is too long";
		if (!problem && option == TP_OPT_ISA)
			problem = check_isa(text, len, nearest);
		if (problem)
			return refuse(option, text, len, problem, *nearest ? nearest : NULL, diag);
		found.text = tp_arena_strndup(arena, text, len);
		struct tp_diag why;
		size_t n;
		if (option->command &&
		    tp_command_split(found.text, arena, &found.words, &n, &why) != TP_OK)
			return tp_fail(diag, TP_USAGE, option->key, why.hint, "%s", why.what);
	} else {
		char value[SHORT_BYTES] = "", word[SHORT_BYTES];
		if (len >= sizeof(value) || memchr(text, '\0', len))
			return refuse(option, text, len, "is too long", NULL, diag);
		memcpy(value, text, len);
		if (find_word(option, value, word, nearest)) {
			tp_copy(value, sizeof(value), word);
			found.count = option->type == TP_TYPE_COUNT ? UINT64_MAX : 0;
			found.real = (double)found.count;
		} else if (option->type == TP_TYPE_WORD) {
			problem = "is not known";
		} else {
			problem = parse[option->type](option, value, &found);
		}
		if (problem)
			return refuse(option, text, len, problem, *nearest ? nearest : NULL, diag);
		found.text = tp_arena_strdup(arena, value);
	}
	*scalar = found;
	return TP_OK;
}

enum tp_status tp_list_check(const struct tp_option *option, const struct tp_scalar *items,
			     size_t n, struct tp_diag *diag)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (strcmp(items[i].text, items[n - 1].text) == 0)
			return tp_fail(diag, TP_USAGE, option->key, "write each value once",
				       "\"%s\" is in the list twice", items[i].text);
	return TP_OK;
}

/* The first comma that is not between brackets: arguments of a function belong together. */
static const char *outer_comma(const char *text, size_t len)
{
	int depth = 0;
	for (size_t i = 0; i < len; i++) {
		depth += (text[i] == '(') - (text[i] == ')');
		if (text[i] == ',' && depth <= 0)
			return text + i;
	}
	return NULL;
}

/*
 * Bytes of the first item of `text`, which may be the last one: items of a list end at a comma,
 * dots at their second one.
 */
static size_t item_bytes(const struct tp_option *option, const char *text, size_t len)
{
	const char *comma = !option->list		   ? NULL
			    : option->type == TP_TYPE_TEXT ? outer_comma(text, len)
							   : memchr(text, ',', len);
	if (comma && option->type == TP_TYPE_DOT)
		comma = memchr(comma + 1, ',', len - (size_t)(comma + 1 - text));
	return comma ? (size_t)(comma - text) : len;
}

/*
 * Takes an item in double quotes out of them, into `plain`. Returns how many bytes it takes with
 * the blanks around it; 0: no such item begins here.
 */
static size_t quoted_bytes(const struct tp_option *option, const char *text, size_t len,
			   struct tp_str *plain)
{
	size_t i = 0;
	while (i < len && text[i] == ' ')
		i++;
	if (!option->list || option->type != TP_TYPE_TEXT || i == len || text[i] != '"')
		return 0;
	for (i++; i < len && text[i] != '"'; i++) {
		if (text[i] == '\\' && i + 1 < len)
			i++;
		tp_str_add_n(plain, &text[i], 1);
	}
	if (i == len)
		return 0;
	for (i++; i < len && text[i] == ' ';)
		i++;
	return i == len || text[i] == ',' ? i : 0;
}

enum tp_status tp_option_parse(const struct tp_option *option, const char *text,
			       struct tp_arena *arena, struct tp_value *value, struct tp_diag *diag)
{
	size_t len = strlen(text);
	struct tp_value found = { 0 };
	tp_trim(&text, &len);
	if (option->list && len >= 2 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
		tp_trim(&text, &len);
	}
	if (len == 0 && !*option->fallback) {
		*value = found;
		return TP_OK;
	}
	size_t n = 1;
	for (size_t i = 0; option->list && i < len; i++)
		n += text[i] == ',';
	if (n > TP_LIST_MAX)
		return tp_fail(diag, TP_USAGE, option->key, NULL, "a list of more than %d values",
			       TP_LIST_MAX);
	found.items = tp_arena_alloc(arena, n * sizeof(*found.items));
	bool more = true;
	for (const char *at = text; more; found.n++) {
		TP_STR plain = { 0 };
		size_t quoted = quoted_bytes(option, at, len, &plain);
		size_t width = quoted ? quoted : item_bytes(option, at, len);
		enum tp_status status = tp_scalar_parse(option, quoted ? tp_str_text(&plain) : at,
							quoted ? plain.len : width, arena,
							&found.items[found.n], diag);
		if (status == TP_OK)
			status = tp_list_check(option, found.items, found.n + 1, diag);
		if (status != TP_OK)
			return status;
		more = width < len;
		at += width + more;
		len -= width + more;
	}
	*value = found;
	return TP_OK;
}
