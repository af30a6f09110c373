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

enum { WAITING = 16, ANSWERS_MAX = 64 };

/* An abstract name: its first byte is 0, its length counts. */
static socklen_t name_of(unsigned cpu, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	int n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "tprof/%u/cpu/%u",
			 (unsigned)geteuid(), cpu);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static int new_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Anybody may take or call a name. The kernel says who it is. */
static bool is_same_user(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static void drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* True while the owner has not answered the call of earlier. */
static bool is_waiting(int *call)
{
	char word;
	if (*call < 0)
		return false;
	if (recv(*call, &word, sizeof(word), 0) < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	drop(call);
	return false;
}

/* True if another process has the name; else it is ours now, as far as sockets go. */
static bool is_taken(struct tp_claims *claims, unsigned i)
{
	struct sockaddr_un address;
	socklen_t length = name_of(claims->cpus[i], &address);
	if (is_waiting(&claims->calls[i]))
		return true;
	int fd = new_socket();
	if (fd < 0)
		return false;
	if (bind(fd, (struct sockaddr *)&address, length) == 0) {
		claims->sockets[i] = fd;
		listen(fd, WAITING);
		return false;
	}
	if (errno != EADDRINUSE || connect(fd, (struct sockaddr *)&address, length) != 0 ||
	    !is_same_user(fd)) {
		close(fd);
		return false;
	}
	claims->calls[i] = fd;
	return true;
}

/* True if somebody of the same user has called. */
static bool was_called(int socket)
{
	bool called = false;
	for (int n = 0; n < ANSWERS_MAX; n++) {
		int fd = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			break;
		called |= is_same_user(fd);
		close(fd);
	}
	return called;
}

void tp_claims_init(struct tp_claims *claims, const unsigned *cpus, unsigned n)
{
	*claims = (struct tp_claims){ .cpus = calloc(n + 1, sizeof(*claims->cpus)),
				      .sockets = calloc(n + 1, sizeof(*claims->sockets)),
				      .calls = calloc(n + 1, sizeof(*claims->calls)) };
	if (!claims->cpus || !claims->sockets || !claims->calls) {
		tp_claims_release(claims);
		return;
	}
	memcpy(claims->cpus, cpus, n * sizeof(*cpus));
	for (; claims->n < n; claims->n++)
		claims->sockets[claims->n] = claims->calls[claims->n] = -1;
}

void tp_claims_release(struct tp_claims *claims)
{
	for (unsigned i = 0; i < claims->n; i++) {
		drop(&claims->sockets[i]);
		drop(&claims->calls[i]);
	}
	free(claims->cpus);
	free(claims->sockets);
	free(claims->calls);
	*claims = (struct tp_claims){ 0 };
}

bool tp_claims_contested(struct tp_claims *claims)
{
	bool contested = false;
	for (unsigned i = 0; i < claims->n; i++) {
		if (claims->sockets[i] < 0)
			contested |= is_taken(claims, i);
		if (claims->sockets[i] >= 0)
			contested |= was_called(claims->sockets[i]);
	}
	return contested;
}
