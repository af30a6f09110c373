/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/decode.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <wchar.h>

#include "base/memory.h"

enum { ESCAPE = 27, BELL = 7, CONTROL_C = 3, CONTROL_H = 8, CONTROL_Z = 26, DELETE = 127 };

/*
 * Silence after which what is there is all there is. After Escape: it is the key. After the first
 * character of a sequence: Escape and that key. Longer pieces are dropped.
 */
#define KEY_SECONDS	 0.05
#define TWO_KEYS_SECONDS 0.5
#define PIECE_SECONDS	 1.0
/* Only Escape or Ctrl-C ends a paste whose end was lost, after this silence. */
#define LOST_SECONDS 1.0

static const char paste_end[] = "\033[201~";
enum { PASTE_END_BYTES = sizeof(paste_end) - 1, MOUSE_BYTES = 6, CONSOLE_BYTES = 4 };
/* Between the keys: key_of's result for the sequence that begins a paste. */
enum { PASTE_BEGIN = TP_KEY_F1 + 12 };

size_t tp_decoder_room(const struct tp_decoder *d)
{
	return sizeof(d->bytes) - d->n;
}

static void drop(struct tp_decoder *d, size_t n)
{
	d->n -= n;
	memmove(d->bytes, d->bytes + n, d->n);
}

/* --- where a sequence ends --- */

/* A control sequence: ESC [ or ESC O, parameters, and a letter. */
static size_t control_end(const unsigned char *b, size_t n)
{
	/* The old report of the mouse, and the function keys of the Linux console. */
	if (n > 2 && b[1] == '[' && (b[2] == 'M' || b[2] == '[')) {
		size_t end = b[2] == 'M' ? MOUSE_BYTES : CONSOLE_BYTES;
		return n < end ? 0 : end;
	}
	for (size_t i = 2; i < n; i++) {
		if (b[i] >= '@' && b[i] < DELETE)
			return i + 1;
		/* Cut off by another sequence, or by a key that works everywhere. */
		if (b[i] == ESCAPE || b[i] == CONTROL_C || b[i] == CONTROL_Z)
			return i;
	}
	return 0;
}

/* A string, up to ESC \\; an operating system command (ESC ]) also up to BEL. */
static size_t string_end(const unsigned char *b, size_t n)
{
	for (size_t i = 2; i < n; i++) {
		if (b[i] == BELL && b[1] == ']')
			return i + 1;
		if (b[i] == CONTROL_C || b[i] == CONTROL_Z)
			return i;
		if (b[i] == ESCAPE && i + 1 < n)
			return i + (b[i + 1] == '\\' ? 2 : 0);
	}
	return 0;
}

/* The bytes of the sequence that begins with Escape; 0 while its end is missing. */
static size_t sequence(const unsigned char *b, size_t n)
{
	if (n < 2)
		return 0;
	switch (b[1]) {
	case '[':
	case 'O':
		return control_end(b, n);
	case ']':
	case 'P':
	case 'X':
	case '^':
	case '_':
		return string_end(b, n);
	default:
		return 1; /* Escape, and then another key */
	}
}

/* --- what it means --- */

/* ESC [ letter or ESC O letter; ESC [ number ~. */
static uint32_t key_of(const unsigned char *b, size_t n)
{
	static const struct {
		char letter;
		uint32_t code;
	} letters[] = {
		{ 'A', TP_KEY_UP },	 { 'B', TP_KEY_DOWN },	 { 'C', TP_KEY_RIGHT },
		{ 'D', TP_KEY_LEFT },	 { 'H', TP_KEY_HOME },	 { 'F', TP_KEY_END },
		{ 'Z', TP_KEY_BACKTAB }, { 'P', TP_KEY_F1 },	 { 'Q', TP_KEY_F1 + 1 },
		{ 'R', TP_KEY_F1 + 2 },	 { 'S', TP_KEY_F1 + 3 },
	};
	static const uint32_t numbers[] = {
		[1] = TP_KEY_HOME,     [3] = TP_KEY_DELETE,    [4] = TP_KEY_END,
		[5] = TP_KEY_PAGE_UP,  [6] = TP_KEY_PAGE_DOWN, [7] = TP_KEY_HOME,
		[8] = TP_KEY_END,      [11] = TP_KEY_F1,       [12] = TP_KEY_F1 + 1,
		[13] = TP_KEY_F1 + 2,  [14] = TP_KEY_F1 + 3,   [15] = TP_KEY_F1 + 4,
		[17] = TP_KEY_F1 + 5,  [18] = TP_KEY_F1 + 6,   [19] = TP_KEY_F1 + 7,
		[20] = TP_KEY_F1 + 8,  [21] = TP_KEY_F1 + 9,   [23] = TP_KEY_F1 + 10,
		[24] = TP_KEY_F1 + 11, [200] = PASTE_BEGIN,
	};
	if (n == 3 && b[1] == 'O' && b[2] == 'M')
		return TP_KEY_ENTER; /* of the numbers' block */
	for (size_t i = 0; n == 3 && i < TP_COUNT_OF(letters); i++)
		if (b[2] == (unsigned char)letters[i].letter)
			return letters[i].code;
	if (n == CONSOLE_BYTES && b[2] == '[' && b[3] >= 'A' && b[3] <= 'E')
		return TP_KEY_F1 + (b[3] - 'A');
	size_t number = 0, i = 2;
	for (; i < n && b[i] >= '0' && b[i] <= '9' && number < TP_COUNT_OF(numbers); i++)
		number = 10 * number + (b[i] - '0');
	return i > 2 && i + 1 == n && b[i] == '~' && number < TP_COUNT_OF(numbers) ? numbers[number]
										   : 0;
}

/* A button, with the keys that are held with it, at a place counted from 1. */
static void take_mouse(unsigned button, long column, long row, bool release, struct tp_input *input)
{
	enum { SHIFT_META_CONTROL = 4 | 8 | 16, WHEEL = 64, NO_BUTTON = 3 };
	struct tp_input found = { .kind = TP_INPUT_MOUSE,
				  .row = (int)row - 1,
				  .column = (int)column - 1 };
	button &= ~(unsigned)SHIFT_META_CONTROL;
	if (row < 1 || column < 1 || row > SHRT_MAX || column > SHRT_MAX)
		return;
	if (button == NO_BUTTON || (!button && release))
		found.mouse = TP_MOUSE_RELEASE;
	else if (!button)
		found.mouse = TP_MOUSE_PRESS;
	else if (button == WHEEL && !release)
		found.mouse = TP_MOUSE_WHEEL_UP;
	else if (button == WHEEL + 1 && !release)
		found.mouse = TP_MOUSE_WHEEL_DOWN;
	else
		return;
	*input = found;
}

/* ESC [ < button ; column ; row M or m. False if it is something else. */
static bool is_mouse(const unsigned char *b, size_t n, struct tp_input *input)
{
	enum { NUMBERS = 3, OLD_OFFSET = 32, MOST_DIGITS = 5 };
	long numbers[NUMBERS] = { 0 };
	size_t at = 0, digits = 0;
	if (n == MOUSE_BYTES && b[1] == '[' && b[2] == 'M') {
		take_mouse((unsigned)b[3] - OLD_OFFSET, b[4] - OLD_OFFSET, b[5] - OLD_OFFSET, false,
			   input);
		return true;
	}
	if (n < 3 || b[1] != '[' || b[2] != '<' || (b[n - 1] != 'M' && b[n - 1] != 'm'))
		return false;
	for (size_t i = 3; i + 1 < n; i++) {
		if (b[i] == ';' && digits && ++at < NUMBERS)
			digits = 0;
		else if (b[i] >= '0' && b[i] <= '9' && at < NUMBERS && digits++ < MOST_DIGITS)
			numbers[at] = 10 * numbers[at] + (b[i] - '0');
		else
			return true;
	}
	if (at == NUMBERS - 1 && digits)
		take_mouse((unsigned)numbers[0], numbers[1], numbers[2], b[n - 1] == 'm', input);
	return true;
}

static void take_sequence(struct tp_decoder *d, size_t n, struct tp_input *input)
{
	uint32_t code = n == 1 ? TP_KEY_ESCAPE : key_of(d->bytes, n);
	if (code == PASTE_BEGIN)
		d->pasting = true;
	else if (code)
		*input = (struct tp_input){ .kind = TP_INPUT_KEY, .code = code };
	else
		is_mouse(d->bytes, n, input);
	drop(d, n);
}

/* A character of the locale; not while a part of it is missing. */
static void take_character(struct tp_decoder *d, struct tp_input *input)
{
	mbstate_t state = { 0 };
	wchar_t character = 0;
	size_t n = mbrtowc(&character, (const char *)d->bytes, d->n, &state);
	if (n == (size_t)-2)
		return;
	bool none = n == (size_t)-1 || n == 0;
	drop(d, none ? 1 : n);
	if (none)
		return;
	*input = (struct tp_input){ .kind = d->pasting ? TP_INPUT_TEXT : TP_INPUT_KEY,
				    .code = (uint32_t)character };
	bool control = input->code < ' ' || input->code == DELETE;
	if (d->pasting)
		input->code = control ? ' ' : input->code; /* as a line end is */
	else if (input->code == '\r')
		input->code = TP_KEY_ENTER;
	else if (input->code == DELETE || input->code == CONTROL_H)
		input->code = TP_KEY_BACKSPACE;
}

/* --- pasted text --- */

/* False: the next byte is text. Escape itself is none. */
static bool take_paste_end(struct tp_decoder *d, double now)
{
	if (*d->bytes == CONTROL_C && d->alone) {
		d->pasting = false;
		return false;
	}
	if (*d->bytes != ESCAPE)
		return false;
	size_t n = TP_MIN(d->n, (size_t)PASTE_END_BYTES);
	bool fits = memcmp(d->bytes, paste_end, n) == 0;
	if (fits && n < PASTE_END_BYTES && now - d->heard < PIECE_SECONDS)
		return true; /* the rest may come */
	if (fits && (n == PASTE_END_BYTES || d->alone))
		d->pasting = false;
	drop(d, fits && n == PASTE_END_BYTES ? n : 1);
	return true;
}

/* --- the whole --- */

void tp_decoder_add(struct tp_decoder *d, const void *bytes, size_t n, double now)
{
	/* A sequence whose Escape arrived separately is swallowed, too. */
	enum { LEAST = 3 };
	const unsigned char *b = bytes;
	bool escaped = d->escaped && !d->n && now - d->heard < PIECE_SECONDS;
	d->alone = n == 1 && !d->n && now - d->heard > LOST_SECONDS;
	d->heard = now;
	d->escaped = false;
	n = TP_MIN(n, tp_decoder_room(d));
	if (escaped && n >= LEAST && n + 1 < sizeof(d->bytes) && b[1] >= '0' && b[1] <= '?') {
		d->bytes[0] = ESCAPE;
		memcpy(d->bytes + 1, b, n);
		if (sequence(d->bytes, n + 1) == n + 1) {
			d->n = n + 1;
			return;
		}
	}
	memcpy(d->bytes + d->n, b, n);
	d->n += n;
}

static double patience(const struct tp_decoder *d)
{
	return *d->bytes != ESCAPE || d->pasting || d->n > 2 ? PIECE_SECONDS
	       : d->n == 1				     ? KEY_SECONDS
							     : TWO_KEYS_SECONDS;
}

/* The bytes that are there begin a sequence or a character that does not end. */
static void give_up(struct tp_decoder *d, double now, struct tp_input *input)
{
	if (d->n == sizeof(d->bytes)) {
		/* No key is that long: keep only how it begins and ends. */
		d->bytes[2] = '?';
		d->bytes[3] = d->bytes[d->n - 1];
		d->n = d->bytes[3] == ESCAPE ? 4 : 3;
	} else if (now - d->heard < patience(d)) {
		return;
	} else if (d->n > 2 || *d->bytes != ESCAPE) {
		drop(d, d->n);
	} else {
		d->escaped = d->n == 1;
		take_sequence(d, 1, input);
	}
}

void tp_decoder_next(struct tp_decoder *d, double now, struct tp_input *input)
{
	*input = (struct tp_input){ .kind = TP_INPUT_NONE };
	while (d->n && input->kind == TP_INPUT_NONE) {
		size_t before = d->n, n;
		if (d->pasting && take_paste_end(d, now))
			;
		else if (*d->bytes != ESCAPE || d->pasting)
			take_character(d, input);
		else if ((n = sequence(d->bytes, d->n)))
			take_sequence(d, n, input);
		if (d->n == before)
			give_up(d, now, input);
		if (d->n == before)
			break;
	}
	d->waits = d->n && input->kind == TP_INPUT_NONE;
}

double tp_decoder_due(const struct tp_decoder *d)
{
	return d->waits ? d->heard + patience(d) : d->n ? 0 : INFINITY;
}
