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
static socklen_t name_of(unsigned cpu, unsigned place, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	int n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "tprof/%u/cpu/%u/%u",
			 (unsigned)geteuid(), cpu, place);
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

/* Takes the first free place. */
static void settle(struct tp_claim *claim)
{
	struct sockaddr_un address;
	claim->socket = new_socket();
	for (claim->place = 0; claim->socket >= 0 && claim->place < TP_CLAIM_PLACES;
	     claim->place++) {
		socklen_t length = name_of(claim->cpu, claim->place, &address);
		if (bind(claim->socket, (struct sockaddr *)&address, length) == 0) {
			listen(claim->socket, WAITING);
			return;
		}
	}
	drop(&claim->socket);
}

/* True if another process of the same user has the place. It learns of the call. */
static bool is_taken(struct tp_claim *claim, unsigned place)
{
	struct sockaddr_un address;
	socklen_t length = name_of(claim->cpu, place, &address);
	int *call = &claim->calls[place];
	if (is_waiting(call))
		return true;
	*call = new_socket();
	if (*call >= 0 && connect(*call, (struct sockaddr *)&address, length) == 0 &&
	    is_same_user(*call))
		return true;
	drop(call);
	return false;
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
	*claims = (struct tp_claims){ .items = calloc(n + 1, sizeof(*claims->items)) };
	for (; claims->items && claims->n < n; claims->n++) {
		struct tp_claim *claim = &claims->items[claims->n];
		claim->cpu = cpus[claims->n];
		claim->socket = -1;
		for (unsigned k = 0; k < TP_CLAIM_PLACES; k++)
			claim->calls[k] = -1;
	}
}

void tp_claims_release(struct tp_claims *claims)
{
	for (unsigned i = 0; i < claims->n; i++) {
		drop(&claims->items[i].socket);
		for (unsigned k = 0; k < TP_CLAIM_PLACES; k++)
			drop(&claims->items[i].calls[k]);
	}
	free(claims->items);
	*claims = (struct tp_claims){ 0 };
}

bool tp_claims_contested(struct tp_claims *claims)
{
	bool contested = false;
	for (unsigned i = 0; i < claims->n; i++) {
		struct tp_claim *claim = &claims->items[i];
		if (claim->socket < 0)
			settle(claim);
		for (unsigned k = 0; k < TP_CLAIM_PLACES; k++)
			if (claim->socket < 0 || k != claim->place)
				contested |= is_taken(claim, k);
		if (claim->socket >= 0)
			contested |= was_called(claim->socket);
	}
	return contested;
}
