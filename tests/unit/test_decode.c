/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a terminal sends becomes the keys that it means and nothing else, in any pieces: no letter
 * of a sequence is a key, and nothing that was pasted is one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "ui/tui/decode.h"

#define ESC	    "\033"
#define PASTE_BEGIN ESC "[200~"
#define PASTE_END   ESC "[201~"

static struct tp_decoder decoder;
static char heard[16384];
static double now;

/* All that there is, in words: characters as they are, text in quotes, keys by name. */
static void note(const struct tp_input *input)
{
	static const struct {
		uint32_t code;
		const char *name;
	} names[] = {
		{ TP_KEY_ESCAPE, "<Esc>" },   { TP_KEY_UP, "<Up>" },
		{ TP_KEY_DOWN, "<Down>" },    { TP_KEY_HOME, "<Home>" },
		{ TP_KEY_END, "<End>" },      { TP_KEY_PAGE_UP, "<PgUp>" },
		{ TP_KEY_DELETE, "<Del>" },   { TP_KEY_BACKTAB, "<S-Tab>" },
		{ TP_KEY_BACKSPACE, "<BS>" }, { TP_KEY_F1, "<F1>" },
		{ TP_KEY_F1 + 4, "<F5>" },    { TP_KEY_F1 + 11, "<F12>" },
		{ TP_KEY_ENTER, "<Enter>" },  { 3, "<^C>" },
	};
	size_t n = strlen(heard);
	char *out = heard + n, bytes[5] = "";
	const size_t room = sizeof(heard) - n;
	if (input->kind == TP_INPUT_MOUSE) {
		snprintf(out, room, "<%c%d,%d>", "+^v-"[input->mouse], input -> row,
			 input -> column);
		return;
	}
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		if (input->kind == TP_INPUT_KEY && input->code == names[i].code) {
			snprintf(out, room, "%s", names[i].name);
			return;
		}
	tp_utf8_encode(bytes, input->code);
	snprintf(out, room, input->kind == TP_INPUT_TEXT ? "'%s'" : "%s", bytes);
}

static void take(void)
{
	struct tp_input input;
	for (;;) {
		tp_decoder_next(&decoder, now, &input);
		if (input.kind == TP_INPUT_NONE)
			return;
		note(&input);
	}
}

static void add(const char *bytes, size_t n)
{
	for (size_t some; n; bytes += some, n -= some) {
		some = TP_MIN(n, tp_decoder_room(&decoder));
		assert_true(some > 0);
		take();
		tp_decoder_add(&decoder, bytes, some, now);
		take();
	}
}

static void pause_for(double seconds)
{
	now += seconds;
	take();
}

static void start(void)
{
	decoder = (struct tp_decoder){ 0 };
	heard[0] = '\0';
	now = 100;
}

/* The same at once, byte by byte, and in two pieces at each place, 20 ms apart. */
static void expect_n(const char *bytes, size_t n, const char *words)
{
	for (size_t cut = 0; cut <= n; cut++) {
		start();
		add(bytes, cut);
		pause_for(0.02);
		add(bytes + cut, n - cut);
		pause_for(2);
		assert_string_equal(heard, words);
		assert_int_equal(decoder.n, 0);
	}
	start();
	for (size_t i = 0; i < n; i++)
		add(bytes + i, 1);
	pause_for(2);
	assert_string_equal(heard, words);
}

static void expect(const char *bytes, const char *words)
{
	expect_n(bytes, strlen(bytes), words);
}

static void keys_are_what_they_mean(void **state)
{
	(void)state;
	expect("aq\r\177\b\003", "aq<Enter><BS><BS><^C>");
	expect("\303\244\342\226\210", "\303\244\342\226\210");
	expect("a\377b", "ab");
	expect(ESC "[A" ESC "OA" ESC "[B" ESC "[5~" ESC "[3~" ESC "[Z",
	       "<Up><Up><Down><PgUp><Del><S-Tab>");
	expect(ESC "[H" ESC "OH" ESC "[1~" ESC "[7~" ESC "[F" ESC "[4~",
	       "<Home><Home><Home><Home><End><End>");
	expect(ESC "OP" ESC "[11~" ESC "[[A" ESC "[15~" ESC "[[E" ESC "[24~",
	       "<F1><F1><F1><F5><F5><F12>");
	expect(ESC "OM", "<Enter>");
	expect(ESC "q" ESC ESC "5", "<Esc>q<Esc><Esc>5");
}

static void the_mouse_is_heard(void **state)
{
	(void)state;
	expect(ESC "[<0;10;5M" ESC "[<0;10;5m" ESC "[<64;1;1M" ESC "[<65;200;99M",
	       "<+4,9><-4,9><^0,0><v98,199>");
	expect(ESC "[M !!" ESC "[M#!!" ESC "[M`!!", "<+0,0><-0,0><^0,0>");
	/* Other buttons, motion, places that are none. */
	expect(ESC "[<1;2;3M" ESC "[<35;2;3M" ESC "[<0;0;3M" ESC "[<0;3M" ESC "[<;;M" ESC
		   "[<0;99999999999;3M" ESC "[<0;1;2;3M",
	       "");
}

static void unknown_sequences_are_swallowed_whole(void **state)
{
	(void)state;
	expect("a" ESC "[97;5ub", "ab");
	expect(ESC "[114;5u" ESC "[1;5A" ESC "[?1;2c" ESC "[27;5;113~" ESC "[99999999999m", "");
	expect(ESC "Oq" ESC "O5r" ESC "[200q" ESC "[201~", "");
	expect(ESC "]0;quit\aa" ESC "]11;rgb:q/r/q" ESC "\\b", "ab");
	expect(ESC "P1$rq" ESC "\\" ESC "_Gq\ar" ESC "\\" ESC "^q" ESC "\\" ESC "Xq" ESC "\\a",
	       "a");
	/* The next one, and a key that works everywhere, cut it off. */
	expect(ESC "[1;" ESC "[A" ESC "]0;q" ESC "[B" ESC "[1\003", "<Up><Down><^C>");
}

/* Whoever has pressed Escape need not wait long, and a sequence that never ends blocks nothing. */
static void silence_ends_what_has_no_end(void **state)
{
	static const char tail[] = "[97;5u";
	(void)state;
	start();
	assert_true(isinf(tp_decoder_due(&decoder)));
	add(ESC, 1);
	assert_string_equal(heard, "");
	assert_true(tp_decoder_due(&decoder) <= now + 0.05);
	pause_for(0.06);
	assert_string_equal(heard, "<Esc>");
	assert_true(isinf(tp_decoder_due(&decoder)));
	/* What comes late in one piece is not typed. */
	add(tail, strlen(tail));
	assert_string_equal(heard, "<Esc>");
	add("[", 1);
	add("9", 1);
	assert_string_equal(heard, "<Esc>[9");
	start();
	add(ESC "[", 2);
	pause_for(0.6);
	assert_string_equal(heard, "<Esc>[");
	start();
	add(ESC "[1;5", 5);
	pause_for(0.9);
	add("A", 1);
	add(ESC "]0;q", 5);
	pause_for(1.1);
	add("q", 1);
	assert_string_equal(heard, "q");
}

static void pasted_text_is_text(void **state)
{
	(void)state;
	expect(PASTE_BEGIN "qr\r\t\303\244" PASTE_END "x", "'q''r'' '' ''\303\244'x");
	/* No key is made of what is in it, and only its end ends it. */
	expect(PASTE_BEGIN "a\003q" ESC "r" ESC "[A" ESC "[200~\177" PASTE_END "x",
	       "'a'' ''q''r''[''A''[''2''0''0''~'' 'x");
	/* A slow line. */
	start();
	add(PASTE_BEGIN "a", 7);
	pause_for(30);
	add("q", 1);
	pause_for(30);
	add("\003r" ESC "[20", 6);
	pause_for(0.9);
	add("1~x", 3);
	assert_string_equal(heard, "'a''q'' ''r'x");
	/* An end that is lost: Escape alone, or Ctrl-C alone, after silence. */
	start();
	add(PASTE_BEGIN "a", 7);
	pause_for(2);
	add(ESC, 1);
	pause_for(2);
	add("q", 1);
	add(PASTE_BEGIN "a", 7);
	pause_for(2);
	add("\003", 1);
	add("q", 1);
	assert_string_equal(heard, "'a'q'a'<^C>q");
}

static void strings_may_be_longer_than_the_room(void **state)
{
	(void)state;
	start();
	add(ESC "]52;c;", 7);
	for (int i = 0; i < 3 * TP_DECODER_BYTES; i++)
		add("q", 1);
	add(ESC "\\x", 3);
	add(ESC "[", 2);
	for (int i = 0; i < TP_DECODER_BYTES; i++)
		add("2", 1);
	add("00~y", 4);
	for (int i = 0; i < TP_DECODER_BYTES; i++)
		add("k", 1);
	assert_memory_equal(heard, "xykkk", 5);
	assert_int_equal(strlen(heard), 2 + TP_DECODER_BYTES);
}

/* --- sequences at random --- */

static uint64_t random_state;

static unsigned random_below(unsigned n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % n;
}

/* A well-formed sequence without a meaning. */
static size_t make(char *out)
{
	static const char introducers[] = "[O]P_^X", letters[] = "qrdyYnwWaeckmptu";
	static const char inside[] = "0123456789;:<=>? !$qrdy";
	const char kind = introducers[random_below(sizeof(introducers) - 1)];
	const bool control = kind == '[' || kind == 'O';
	size_t n = 0, most = 1 + random_below(kind == '[' ? 12 : 40);
	out[n++] = '\033';
	out[n++] = kind;
	for (size_t i = 0; i < most && kind != 'O'; i++)
		out[n++] = inside[random_below(control ? 16 : sizeof(inside) - 1)];
	if (control) {
		out[n++] = letters[random_below(sizeof(letters) - 1)];
	} else if (kind == ']' && random_below(2)) {
		out[n++] = '\a';
	} else {
		out[n++] = '\033';
		out[n++] = '\\';
	}
	return n;
}

static void no_sequence_at_random_is_a_key(void **state)
{
	enum { ROUNDS = 20000 };
	(void)state;
	random_state = 33;
	start();
	for (int i = 0; i < ROUNDS; i++) {
		char bytes[64];
		size_t n = make(bytes), cut = 1 + random_below((unsigned)n - 1);
		add(bytes, cut);
		/* From behind Escape on it may stay away for longer. */
		pause_for(cut > 2 ? 0.9 : cut == 2 ? 0.4 : 0.04);
		add(bytes + cut, n - cut);
		if (*heard)
			fail_msg("round %d: ESC%.*s is heard as %s", i, (int)n - 1, bytes + 1,
				 heard);
	}
	add("z", 1);
	assert_string_equal(heard, "z");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_what_they_mean),
		cmocka_unit_test(the_mouse_is_heard),
		cmocka_unit_test(unknown_sequences_are_swallowed_whole),
		cmocka_unit_test(silence_ends_what_has_no_end),
		cmocka_unit_test(pasted_text_is_text),
		cmocka_unit_test(strings_may_be_longer_than_the_room),
		cmocka_unit_test(no_sequence_at_random_is_a_key),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
