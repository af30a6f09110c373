/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/self.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum { EMULATOR_BYTES = 4096, EMULATOR_WORDS = 15, ARGUMENTS = 64 };

/* The own file by name: to the emulator /proc/self/exe is the emulator when it is started, and this program when it is asked. */
static void become_emulated(const char *emulator, char *const *arguments)
{
	char words[EMULATOR_BYTES], self[TP_PATH_MAX], *all[EMULATOR_WORDS + 1 + ARGUMENTS + 1];
	size_t n = 0;
	if (strlen(emulator) >= sizeof(words)) {
		errno = E2BIG;
		return;
	}
	strcpy(words, emulator);
	char *rest = words;
	for (char *word; (word = strsep(&rest, " "));) {
		if (!*word)
			continue;
		if (n == EMULATOR_WORDS) {
			errno = E2BIG;
			return;
		}
		all[n++] = word;
	}
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len < 0)
		return;
	self[len] = '\0';
	all[n++] = self;
	for (size_t i = 1; arguments[0] && arguments[i]; i++) {
		if (i > ARGUMENTS) {
			errno = E2BIG;
			return;
		}
		all[n++] = arguments[i];
	}
	all[n] = NULL;
	execvp(all[0], all);
}

void tp_become_self(char *const *arguments)
{
	const char *emulator = getenv("TPROF_EMULATOR");
	if (emulator && *emulator)
		become_emulated(emulator, arguments);
	else
		execv("/proc/self/exe", arguments);
}
