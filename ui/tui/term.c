/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/term.h"
#include "ui/tui/decode.h"
#include "ui/tui/link.h"
#include "ui/tui/ncurses.h"
#include "base/str.h"
#include "base/now.h"
#include "base/suspend.h"
#include "base/memory.h"
#include "session/document.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

enum {
	CONTROL_C = 3,
	CONTROL_Z = 26,
	RESTORE_BYTES = 256,
	ANSWER_BYTES = sizeof(TP_LINK_ANSWER) - 1
};

/* Reports of buttons, in a form that has room for wide terminals; every kind of report off. */
#define MOUSE_ON  "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1000l\033[?1002l\033[?1003l\033[?1006l"
/* Bracketed paste: the terminal marks where a paste begins and ends, if it can. */
#define PASTE_ON  "\033[?2004h"
#define PASTE_OFF "\033[?2004l"

static struct tp_decoder decoder;

/*
 * Screens are painted into stdscr. What is on the terminal already, or under way to it, is in
 * `sent`, and what stdscr held before the last painting in `before`. ncurses writes to its own
 * descriptor, which is a file in memory while a piece of a screen is made: its bytes count.
 */
static struct {
	struct tp_link link;
	WINDOW *sent, *before;
	FILE *stream;
	int memory;
	int row, column; /* of the cursor */
	bool more; /* stdscr has cells that were not sent */
} output = { .memory = -1 };

/*
 * All that signal handlers can reach: the state in which the terminal is given back, and the pipe
 * that wakes the main loop.
 */
static struct {
	volatile sig_atomic_t taken;
	struct termios before;
	char restore[RESTORE_BYTES]; /* leaves the alternate screen, shows the cursor */
	size_t restore_len;
	int wake[2];
	SCREEN *screen;
	pid_t owner;
} terminal = { .wake = { -1, -1 } };

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
static const int news_signals[] = { SIGWINCH, SIGTSTP, SIGHUP, SIGTERM, SIGINT, SIGCONT };

/* Makes only calls that are safe in a signal handler. */
static void give_back(void)
{
	terminal.taken = 0;
	ssize_t n = write(STDOUT_FILENO, terminal.restore, terminal.restore_len);
	(void)n;
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

static void on_crash(int number)
{
	if (terminal.taken)
		give_back();
	signal(number, SIG_DFL);
	raise(number);
}

static void on_news(int number)
{
	int error = errno;
	unsigned char byte = (unsigned char)number;
	ssize_t n = write(terminal.wake[1], &byte, 1);
	(void)n;
	errno = error;
}

/*
 * The process ran out of memory and ends (memory.h): as after a crash, the terminal is restored
 * first, and the message that the alternate screen has swallowed is printed again. A child is not
 * the owner of the terminal.
 */
static void on_quick_exit(void)
{
	static const char line[] = "tprof: out of memory\n";
	if (!terminal.taken || getpid() != terminal.owner)
		return;
	give_back();
	ssize_t n = write(STDERR_FILENO, line, sizeof(line) - 1);
	(void)n;
}

static void set_handlers(void)
{
	struct sigaction action = { .sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < TP_COUNT_OF(crash_signals); i++)
		sigaction(crash_signals[i], &action, NULL);
	action = (struct sigaction){ .sa_handler = on_news, .sa_flags = SA_RESTART };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < TP_COUNT_OF(news_signals); i++)
		sigaction(news_signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
}

/* What tigetstr gives: NULL and -1 are not a capability. */
static void add_restore(const char *text)
{
	size_t n = text && text != (const char *)-1 ? strlen(text) : 0;
	if (!n || terminal.restore_len + n > sizeof(terminal.restore))
		return;
	memcpy(terminal.restore + terminal.restore_len, text, n);
	terminal.restore_len += n;
}

static void learn_restore(void)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmcup" };
	terminal.restore_len = 0;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		add_restore(tigetstr((NCURSES_CONST char *)names[i]));
	add_restore(MOUSE_OFF PASTE_OFF);
}

static void measure(struct tp_term *term)
{
	struct winsize size = { 0 };
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		if (size.ws_col != COLS || size.ws_row != LINES)
			resizeterm(size.ws_row, size.ws_col);
	}
	term->columns = COLS;
	term->rows = LINES;
}

static void say(const char *sequence)
{
	fputs(sequence, stdout);
	fflush(stdout);
}

/* The next show clears the terminal and writes all. */
static void forget_screen(void)
{
	werase(output.sent);
	clearok(output.sent, TRUE);
}

static void set_modes(struct tp_term *term)
{
	raw(); /* Ctrl-C and Ctrl-Z are keys */
	noecho();
	nonl();
	curs_set(0);
	say(PASTE_ON);
	tp_term_set_mouse(term, term->mouse);
}

enum tp_status tp_term_open(struct tp_term *term, bool colour, bool ascii, bool mouse,
			    struct tp_diag *diag)
{
	static const char hint[] = "measure without screens: tprof --batch quick";
	*term = (struct tp_term){ .mouse = mouse, .signals = -1 };
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return tp_fail(diag, TP_USAGE, "screens", hint,
			       "standard input and output are not a terminal");
	if (tcgetattr(STDIN_FILENO, &terminal.before) != 0)
		return tp_fail(diag, TP_IO, "terminal", hint, "%s", strerror(errno));
	if (pipe2(terminal.wake, O_CLOEXEC | O_NONBLOCK) != 0)
		return tp_fail(diag, TP_RESOURCE, "terminal", NULL, "no pipe: %s", strerror(errno));
	set_handlers(); /* before ncurses, which then leaves them in place */
	output.memory = memfd_create("screen", MFD_CLOEXEC);
	output.stream = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), "w");
	if (output.memory < 0 || !output.stream) {
		tp_fail(diag, TP_RESOURCE, "terminal", NULL, "no output: %s", strerror(errno));
		tp_term_close(term);
		return TP_RESOURCE;
	}
	terminal.screen = newterm(NULL, output.stream, stdin);
	if (!terminal.screen) {
		tp_term_close(term);
		const char *name = getenv("TERM");
		return tp_fail(diag, TP_UNSUPPORTED, "terminal",
			       "set TERM, for instance TERM=xterm-256color, or use --batch",
			       "the terminal \"%s\" is not known", name ? name : "");
	}
	set_term(terminal.screen);
	learn_restore();
	terminal.taken = 1;
	terminal.owner = getpid();
	at_quick_exit(on_quick_exit);
	term->signals = terminal.wake[0];
	term->utf8 = !ascii && tp_locale_is_utf8();
	if (colour && has_colors() && start_color() == OK) {
		use_default_colors();
		term->colours = COLORS >= 256 ? 256 : COLORS >= 8 ? 8 : 0;
	}
	output.sent = newwin(0, 0, 0, 0);
	output.before = newwin(0, 0, 0, 0);
	output.link = (struct tp_link){ 0 };
	typeahead(-1);
	set_modes(term);
	measure(term);
	forget_screen();
	return TP_OK;
}

/* What can be read without waiting. */
static void hear(double now)
{
	unsigned char bytes[TP_DECODER_BYTES], *answer;
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	if (poll(&input, 1, 0) <= 0 || !(input.revents & POLLIN))
		return;
	ssize_t n = read(STDIN_FILENO, bytes, tp_decoder_room(&decoder));
	while (n > 0 && (answer = memmem(bytes, (size_t)n, TP_LINK_ANSWER, ANSWER_BYTES))) {
		n -= ANSWER_BYTES;
		memmove(answer, answer + ANSWER_BYTES, (size_t)(bytes + n - answer));
		tp_link_heard(&output.link, now);
	}
	if (n > 0)
		tp_decoder_add(&decoder, bytes, (size_t)n, now);
}

/* The shell that reads the terminal next must not get an answer for the screens. */
static void await_answer(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	double now;
	while (output.link.asked && (now = tp_now_seconds()) < tp_link_due(&output.link)) {
		poll(&input, 1, (int)((tp_link_due(&output.link) - now) * 1e3) + 1);
		if (input.revents & ~POLLIN)
			return;
		decoder = (struct tp_decoder){ 0 };
		hear(tp_now_seconds());
	}
}

void tp_term_close(struct tp_term *term)
{
	if (terminal.screen) {
		await_answer();
		tp_term_set_mouse(term, false);
		endwin();
		say(PASTE_OFF);
		delscreen(terminal.screen);
		terminal.screen = NULL;
	}
	if (output.stream)
		fclose(output.stream);
	output.stream = NULL;
	if (output.memory >= 0)
		close(output.memory);
	output.memory = -1;
	if (terminal.taken)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
	terminal.taken = 0;
	for (size_t i = 0; i < TP_COUNT_OF(crash_signals); i++)
		signal(crash_signals[i], SIG_DFL);
	for (size_t i = 0; i < TP_COUNT_OF(news_signals); i++)
		signal(news_signals[i], SIG_DFL);
	for (int i = 0; i < 2; i++) {
		if (terminal.wake[i] >= 0)
			close(terminal.wake[i]);
		terminal.wake[i] = -1;
	}
	term->signals = -1;
}

void tp_term_set_mouse(struct tp_term *term, bool on)
{
	term->mouse = on;
	say(on ? MOUSE_ON : MOUSE_OFF);
}

/* Gives the terminal back, stops the process, and takes the terminal again when it continues. */
static void suspend(struct tp_term *term)
{
	await_answer();
	endwin();
	say(MOUSE_OFF PASTE_OFF);
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
	terminal.taken = 0;
	tp_suspend_now();
	terminal.taken = 1;
	doupdate();
	set_modes(term);
	tp_term_repaint(term);
}

static bool take_signal(struct tp_term *term, struct tp_input *input)
{
	unsigned char number;
	if (terminal.wake[0] < 0 || read(terminal.wake[0], &number, 1) != 1)
		return false;
	switch (number) {
	case SIGTSTP:
		suspend(term);
		input->kind = TP_INPUT_RESIZE;
		return true;
	case SIGWINCH:
	case SIGCONT:
		tp_term_repaint(term);
		input->kind = TP_INPUT_RESIZE;
		return true;
	case SIGINT:
		input->kind = TP_INPUT_KEY;
		input->code = CONTROL_C;
		return true;
	default:
		input->kind = TP_INPUT_HANGUP;
		return true;
	}
}

void tp_term_input(struct tp_term *term, struct tp_input *input)
{
	double now = tp_now_seconds();
	*input = (struct tp_input){ .kind = TP_INPUT_NONE };
	if (take_signal(term, input))
		return;
	tp_decoder_next(&decoder, now, input);
	if (input->kind == TP_INPUT_NONE) {
		hear(now);
		tp_decoder_next(&decoder, now, input);
	}
	if (input->kind == TP_INPUT_KEY && input->code == CONTROL_Z) {
		suspend(term);
		input->kind = TP_INPUT_RESIZE;
	}
}

bool tp_term_has_input(const struct tp_term *term)
{
	struct pollfd fds[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
				 { .fd = term->signals, .events = POLLIN } };
	return poll(fds, 2, 0) > 0 || tp_term_due() <= tp_now_seconds();
}

double tp_term_due(void)
{
	return fmin(tp_decoder_due(&decoder), tp_link_due(&output.link));
}

bool tp_term_is_busy(void)
{
	return output.more || output.link.asked;
}

void tp_term_begin(struct tp_term *term)
{
	copywin(stdscr, output.before, 0, 0, 0, 0, LINES - 1, COLS - 1, FALSE);
	tp_term_cursor(term, -1, 0);
	output.more = true;
}

/* At most what ncurses writes for a cell that differs, after `last`, the one before. */
static size_t cell_bytes(const cchar_t *cell, const cchar_t *last, bool beside)
{
	enum { MOVE_BYTES = 8, LOOK_BYTES = 36, ASCII_END = 0x80, UTF8_BYTES = 3 };
	wchar_t text[CCHARW_MAX];
	attr_t look, last_look;
	short pair, last_pair;
	getcchar(last, text, &last_look, &last_pair, NULL);
	getcchar(cell, text, &look, &pair, NULL);
	size_t bytes = *text < ASCII_END ? 1 : UTF8_BYTES;
	if (!beside)
		bytes += MOVE_BYTES;
	if (look != last_look || pair != last_pair)
		bytes += LOOK_BYTES;
	return bytes;
}

/* The row of the cursor and a text field have a background. */
static bool is_lit(const cchar_t *cell)
{
	wchar_t text[CCHARW_MAX];
	attr_t look;
	short pair, colour, background = -1;
	getcchar(cell, text, &look, &pair, NULL);
	if (pair)
		pair_content(pair, &colour, &background);
	return background >= 0 || look & A_REVERSE;
}

/* In what order cells are shown: first what a key has chosen, then all else that it changed. */
enum turn { CHOSEN_CELLS, NEWEST_CELLS, ALL_CELLS, TURNS };
/* Places and screens stand in the rows at the top. */
enum { HEAD_ROWS = 2 };

static bool same_cell(const cchar_t *a, const cchar_t *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Copies cells that are not on the terminal into `sent` while there is room; returns the bytes. */
static size_t copy_cells(enum turn turn, size_t room)
{
	size_t width = (size_t)COLS + 1, bytes = 0;
	TP_FREE cchar_t *painted = tp_alloc(3 * width, sizeof(cchar_t));
	cchar_t *sent = painted + width, *before = sent + width, last = { 0 };
	for (int row = 0; row < LINES && !output.more; row++) {
		mvwin_wchnstr(stdscr, row, 0, painted, COLS);
		mvwin_wchnstr(output.sent, row, 0, sent, COLS);
		mvwin_wchnstr(output.before, row, 0, before, COLS);
		for (int c = 0, from = 0; c <= COLS && !output.more; c++) {
			bool counts =
				c < COLS && !same_cell(&painted[c], &sent[c]) &&
				(turn == ALL_CELLS || !same_cell(&painted[c], &before[c])) &&
				(turn != CHOSEN_CELLS || row < HEAD_ROWS || is_lit(&painted[c]));
			output.more = counts && bytes >= room;
			if (counts && !output.more) {
				bytes += cell_bytes(&painted[c], &last, c > from);
				last = painted[c];
				continue;
			}
			if (c > from)
				copywin(stdscr, output.sent, row, from, row, from, row, c - 1,
					FALSE);
			from = c + 1;
		}
	}
	return bytes;
}

/* Has ncurses write a piece of at most about `room` bytes into memory; returns its end there. */
static size_t make_piece(const struct tp_term *term, size_t room)
{
	bool cursor = output.row >= 0 && output.row < term->rows && output.column >= 0 &&
		      output.column < term->columns;
	size_t bytes = 0;
	output.more = false;
	for (enum turn turn = CHOSEN_CELLS; turn < TURNS && !output.more; turn++)
		bytes += copy_cells(turn, room - TP_MIN(bytes, room));
	leaveok(output.sent, !cursor);
	if (cursor)
		wmove(output.sent, output.row, output.column);
	wnoutrefresh(output.sent);
	dup3(output.memory, fileno(output.stream), O_CLOEXEC);
	curs_set(cursor);
	doupdate();
	dup3(STDOUT_FILENO, fileno(output.stream), O_CLOEXEC);
	return (size_t)lseek(output.memory, 0, SEEK_CUR);
}

void tp_term_show(struct tp_term *term)
{
	double now = tp_now_seconds();
	size_t room = tp_link_room(&output.link, now), bytes = 0;
	if (!output.more || !room)
		return;
	lseek(output.memory, 0, SEEK_SET);
	do
		bytes = make_piece(term, room - bytes);
	while (output.more && bytes < room / 2);
	TP_FREE char *piece = tp_alloc(bytes + 1, 1);
	ssize_t n = pread(output.memory, piece, bytes, 0);
	fwrite(piece, 1, n > 0 ? (size_t)n : 0, stdout);
	say(bytes && tp_link_wrote(&output.link, bytes, now) ? TP_LINK_QUERY : "");
}

void tp_term_repaint(struct tp_term *term)
{
	measure(term);
	forget_screen();
}

void tp_term_cursor(struct tp_term *term, int row, int column)
{
	(void)term;
	output.row = row;
	output.column = column;
}
