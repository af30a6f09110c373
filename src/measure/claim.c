/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/claim.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* An abstract name: its first byte is 0, its length counts. */
static socklen_t name_of(unsigned cpu, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	int n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "tprof/cpu/%u", cpu);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static int new_socket(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* True if another process has the name; else it is ours now, as far as sockets go. */
static bool is_taken(struct tp_claims *claims, unsigned i)
{
	struct sockaddr_un address;
	socklen_t length = name_of(claims->cpus[i], &address);
	int fd = new_socket();
	if (fd < 0)
		return false;
	if (bind(fd, (struct sockaddr *)&address, length) == 0) {
		claims->sockets[i] = fd;
		return false;
	}
	bool taken = errno == EADDRINUSE;
	if (taken) /* a full queue means that the owner has been told */
		sendto(fd, "", 1, MSG_NOSIGNAL, (struct sockaddr *)&address, length);
	close(fd);
	return taken;
}

void tp_claims_init(struct tp_claims *claims, const unsigned *cpus, unsigned n)
{
	*claims = (struct tp_claims){ .cpus = calloc(n + 1, sizeof(*claims->cpus)),
				      .sockets = calloc(n + 1, sizeof(*claims->sockets)) };
	if (!claims->cpus || !claims->sockets) {
		tp_claims_release(claims);
		return;
	}
	memcpy(claims->cpus, cpus, n * sizeof(*cpus));
	for (; claims->n < n; claims->n++)
		claims->sockets[claims->n] = -1;
}

void tp_claims_release(struct tp_claims *claims)
{
	for (unsigned i = 0; i < claims->n; i++)
		if (claims->sockets[i] >= 0)
			close(claims->sockets[i]);
	free(claims->cpus);
	free(claims->sockets);
	*claims = (struct tp_claims){ 0 };
}

bool tp_claims_contested(struct tp_claims *claims)
{
	bool contested = false;
	for (unsigned i = 0; i < claims->n; i++) {
		char word[8];
		if (claims->sockets[i] < 0)
			contested |= is_taken(claims, i);
		while (claims->sockets[i] >= 0 &&
		       recv(claims->sockets[i], word, sizeof(word), 0) >= 0)
			contested = true;
	}
	return contested;
}
