/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/now.h"

static const char utc[] = "%Y-%m-%dT%H:%M:%SZ";

double tp_now_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void tp_now_utc(char out[32])
{
	time_t now = time(NULL);
	struct tm broken;
	strftime(out, 32, utc, gmtime_r(&now, &broken));
}

bool tp_utc_read(const char *text, time_t *seconds)
{
	struct tm broken = { 0 };
	const char *end = strptime(text, utc, &broken);
	*seconds = timegm(&broken);
	return end && !*end;
}
