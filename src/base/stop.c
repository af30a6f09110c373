/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/stop.h"

volatile sig_atomic_t tp_stop_asked;

static void on_stop(int number)
{
	(void)number;
	tp_stop_asked = 1;
}

void tp_stop_listen(void)
{
	struct sigaction action = { .sa_handler = on_stop }; /* waits end at once */
	sigemptyset(&action.sa_mask);
	sigaction(SIGTERM, &action, NULL);
}
