/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program independent of tprof that counts events by name through PAPI, all in one set, so that a
 * derived event and its natives are read together. Prints "NAME VALUE" for each.
 * PAPI_USER_EVENTS_FILE says which derived events there are.
 *
 * usage: papi_check EVENT...     exit status 77: PAPI or an event is not available
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_EVENTS = 32, PAGES = 37 };

static int refuse(const char *name, int code)
{
	fprintf(stderr, "%s: %s\n", name, PAPI_strerror(code));
	return 77;
}

/* Something to count: a known number of first touches of pages. */
static int touch_pages(void)
{
	size_t bytes = 4096UL * PAGES;
	char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return -1;
	for (size_t i = 0; i < bytes; i += 4096)
		pages[i] = 1;
	return munmap(pages, bytes);
}

int main(int argc, char **argv)
{
	long long values[MAX_EVENTS] = { 0 };
	int set = PAPI_NULL;
	int code = PAPI_library_init(PAPI_VER_CURRENT);
	if (code != PAPI_VER_CURRENT)
		return refuse("PAPI_library_init", code);
	if (argc < 2 || argc > MAX_EVENTS || PAPI_create_eventset(&set) != PAPI_OK)
		return 2;
	for (int i = 1; i < argc; i++)
		if ((code = PAPI_add_named_event(set, argv[i])) != PAPI_OK)
			return refuse(argv[i], code);
	if ((code = PAPI_start(set)) != PAPI_OK)
		return refuse("PAPI_start", code);
	if (touch_pages() != 0)
		return 2;
	if ((code = PAPI_stop(set, values)) != PAPI_OK)
		return refuse("PAPI_stop", code);
	for (int i = 1; i < argc; i++)
		printf("%s %lld\n", argv[i], values[i - 1]);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	PAPI_shutdown();
	return 0;
}
