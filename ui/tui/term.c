/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/term.h"
#include "ui/tui/decode.h"
#include "ui/tui/ncurses.h"
#include "base/str.h"
#include "base/now.h"
#include "base/suspend.h"
#include "base/memory.h"
#include "session/document.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { CONTROL_C = 3, CONTROL_Z = 26, RESTORE_BYTES = 256 };

/* Reports of buttons, in a form that has room for wide terminals; every kind of report off. */
#define MOUSE_ON  "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1000l\033[?1002l\033[?1003l\033[?1006l"
/* Bracketed paste: the terminal marks where a paste begins and ends, if it knows how to. */
#define PASTE_ON  "\033[?2004h"
#define PASTE_OFF "\033[?2004l"

static struct tp_decoder decoder;

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
 * The process ran out of memory and ends (memory.h): as after a crash, the terminal is given back
 * first, and the line that the alternate screen has swallowed is said again. A child is not the
 * owner of the terminal.
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

/* What tigetstr gives: NULL and -1 are no capability. */
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
	set_handlers(); /* before ncurses, which then leaves them alone */
	terminal.screen = newterm(NULL, stdout, stdin);
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
	set_modes(term);
	measure(term);
	return TP_OK;
}

void tp_term_close(struct tp_term *term)
{
	if (terminal.screen) {
		tp_term_set_mouse(term, false);
		endwin();
		say(PASTE_OFF);
		delscreen(terminal.screen);
		terminal.screen = NULL;
	}
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
	endwin();
	say(MOUSE_OFF PASTE_OFF);
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
	terminal.taken = 0;
	tp_suspend_now();
	terminal.taken = 1;
	refresh();
	set_modes(term);
	clearok(curscr, TRUE);
	measure(term);
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
		measure(term);
		clearok(curscr, TRUE);
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

/* What can be read without waiting. */
static void hear(double now)
{
	unsigned char bytes[TP_DECODER_BYTES];
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	if (poll(&input, 1, 0) <= 0 || !(input.revents & POLLIN))
		return;
	ssize_t n = read(STDIN_FILENO, bytes, tp_decoder_room(&decoder));
	if (n > 0)
		tp_decoder_add(&decoder, bytes, (size_t)n, now);
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
	return tp_decoder_due(&decoder);
}

void tp_term_show(struct tp_term *term)
{
	(void)term;
	refresh();
}

void tp_term_repaint(struct tp_term *term)
{
	measure(term);
	clearok(curscr, TRUE);
}

void tp_term_cursor(struct tp_term *term, int row, int column)
{
	bool visible = row >= 0 && row < term->rows && column >= 0 && column < term->columns;
	curs_set(visible);
	if (visible)
		move(row, column);
}
