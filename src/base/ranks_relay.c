/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that meet through PMIx: each asks its relay (ranks_pmix.c), over a socket of its own. */
#include "base/hash.h"
#include "base/now.h"
#include "base/ranks_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "pmix-"
/* A relay ends at once after its last answer. */
#define END_SECONDS 2.0

enum { HELLO_BYTES = 1024, REPLY_BYTES = 1 << 28, LISTEN = 4 };

static const char hint_dir[] =
	"let the ranks meet in a directory that all of them see: --ranks-dir";

bool tp_relay_is(const struct tp_ranks *ranks)
{
	return strncmp(ranks->launch, PREFIX, strlen(PREFIX)) == 0;
}

/* A name that no file has, so that nothing is left of it; the relay looks at who asks. */
static socklen_t address_of(const struct tp_ranks *ranks, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	tp_copy(address->sun_path + 1, sizeof(address->sun_path) - 1, ranks->directory);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(ranks->directory));
}

/* The relay has said how it went; *body is what follows that line. */
static enum tp_status judge(struct tp_ranks *ranks, const char *reply, const char **body,
			    struct tp_diag *diag)
{
	unsigned rank;
	size_t n = strcspn(reply, "\n");
	*body = reply + n + (reply[n] == '\n');
	if (strncmp(reply, "ok\n", 3) == 0)
		return TP_OK;
	if (sscanf(reply, "out %u", &rank) == 1)
		return tp_fail(diag, TP_FAILED, "ranks", "see what that rank says of the point",
			       "rank %u does not measure this point", rank);
	if (sscanf(reply, "left %u", &rank) == 1)
		return tp_fail(diag, TP_FAILED, "ranks", NULL, "rank %u ended before the others",
			       rank);
	ranks->lost = true;
	if (strncmp(reply, "failed ", 7) == 0)
		return tp_fail(diag, TP_FAILED, "ranks", hint_dir, "%.*s", (int)(n - 7), reply + 7);
	return tp_fail(diag, TP_FAILED, "ranks", hint_dir, "what connects the ranks has ended");
}

static enum tp_status hear(struct tp_ranks *ranks, int fd, const char *where,
			   tp_ranks_goes_on *goes_on, void *context, struct tp_str *reply,
			   struct tp_diag *diag)
{
	struct tp_ranks_wait w = { tp_now_seconds() + ranks->seconds, 0, goes_on, context };
	enum tp_status status = TP_OK;
	char text[4096];
	for (;;) {
		ssize_t n = recv(fd, text, sizeof(text), MSG_DONTWAIT);
		if (n > 0 && reply->len < REPLY_BYTES) {
			tp_str_add_n(reply, text, (size_t)n);
			continue;
		}
		if (n >= 0 || (errno != EAGAIN && errno != EINTR))
			return TP_OK;
		if (tp_ranks_wait_on(&w, &status, diag))
			continue;
		ranks->lost = true;
		if (status == TP_RESOURCE)
			tp_fail(diag, status, "ranks", "start all ranks with the same preset",
				"not all of the %u ranks have come to %s within %.0f s",
				ranks->size, where, ranks->seconds);
		return status;
	}
}

/* One request and its answer; `reply` is the caller's to release. */
static enum tp_status ask(struct tp_ranks *ranks, const char *request, const char *where,
			  tp_ranks_goes_on *goes_on, void *context, struct tp_str *reply,
			  const char **body, struct tp_diag *diag)
{
	const struct timeval limit = { .tv_sec = (time_t)ranks->seconds + 1 };
	struct sockaddr_un address;
	if (ranks->lost)
		return tp_ranks_are_lost(diag);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	enum tp_status status = TP_OK;
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	socklen_t size = address_of(ranks, &address);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, size) != 0 ||
	    !tp_write_all(fd, request, strlen(request)) || shutdown(fd, SHUT_WR) != 0)
		status = judge(ranks, "", body, diag);
	else
		status = hear(ranks, fd, where, goes_on, context, reply, diag);
	if (fd >= 0)
		close(fd);
	if (status == TP_OK && reply->oom)
		status = tp_fail(diag, TP_NOMEM, "ranks", NULL, "out of memory");
	return status == TP_OK ? judge(ranks, tp_str_text(reply), body, diag) : status;
}

char *tp_relay_text(const char **at)
{
	char *end, *text = NULL;
	unsigned long n = strtoul(*at, &end, 10);
	if (end == *at || *end != '\n' || n > strlen(end + 1) || !(text = malloc(n + 1)))
		return NULL;
	memcpy(text, end + 1, n);
	text[n] = '\0';
	*at = end + 1 + n;
	return text;
}

enum tp_status tp_relay_share(struct tp_ranks *ranks, const char *word, const char *text,
			      tp_ranks_goes_on *goes_on, void *context, struct tp_str *reply,
			      const char **texts, struct tp_diag *diag)
{
	struct tp_str request = { 0 };
	tp_str_printf(&request, "share %s\n%s", word, text);
	enum tp_status status = request.oom
					? tp_fail(diag, TP_NOMEM, "ranks", NULL, "out of memory")
					: ask(ranks, tp_str_text(&request), word, goes_on, context,
					      reply, texts, diag);
	tp_str_release(&request);
	return status;
}

enum tp_status tp_relay_meet(struct tp_ranks *ranks, unsigned long point, enum tp_ranks_stage stage,
			     tp_ranks_goes_on *goes_on, void *context, struct tp_diag *diag)
{
	char request[TP_RANKS_WORD_BYTES], where[TP_RANKS_WORD_BYTES];
	const char *body;
	struct tp_str reply = { 0 };
	if (stage == TP_RANKS_OUT)
		snprintf(request, sizeof(request), "out %lu\n", point);
	else
		snprintf(request, sizeof(request), "meet %lu %d\n", point, (int)stage);
	snprintf(where, sizeof(where), "a stage of point %lu", point);
	enum tp_status status = ask(ranks, request, where, goes_on, context, &reply, &body, diag);
	tp_str_release(&reply);
	return status;
}

enum tp_status tp_relay_leave(struct tp_ranks *ranks, const char *text, tp_ranks_goes_on *goes_on,
			      void *context, struct tp_diag *diag)
{
	struct tp_str request = { 0 }, reply = { 0 };
	const char *body;
	tp_str_printf(&request, "leave\n%s", text);
	enum tp_status status = request.oom
					? tp_fail(diag, TP_NOMEM, "ranks", NULL, "out of memory")
					: ask(ranks, tp_str_text(&request), "their end", goes_on,
					      context, &reply, &body, diag);
	free(ranks->told);
	ranks->told = status == TP_OK ? strdup(body) : NULL;
	tp_str_release(&request);
	tp_str_release(&reply);
	return status;
}

enum tp_status tp_relay_left(const struct tp_ranks *ranks, unsigned rank, char **text,
			     struct tp_diag *diag)
{
	const char *at = ranks->told ? ranks->told : "";
	*text = NULL;
	for (unsigned i = 0; i <= rank; i++) {
		free(*text);
		*text = tp_relay_text(&at);
		if (!*text)
			break;
	}
	return *text ? TP_OK
		     : tp_fail(diag, TP_FAILED, "ranks", NULL, "rank %u has left nothing", rank);
}

/* --- the beginning --- */

/* The child that is the relay; it ends when this process does. */
static enum tp_status start(struct tp_ranks *ranks, struct tp_diag *diag)
{
	struct sockaddr_un address;
	uint64_t name = 0;
	if (getrandom(&name, sizeof(name), 0) != sizeof(name))
		return tp_fail(diag, TP_RESOURCE, "ranks", NULL, "no random number to be had");
	snprintf(ranks->directory, sizeof(ranks->directory), "tprof-ranks-%016" PRIx64, name);
	snprintf(ranks->launch, sizeof(ranks->launch), PREFIX);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = address_of(ranks, &address);
	bool listens = fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0 &&
		       listen(fd, LISTEN) == 0;
	ranks->relay = listens ? fork() : -1;
	if (ranks->relay == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		signal(SIGPIPE, SIG_IGN);
		_exit(tp_pmix_serve(fd));
	}
	int error = errno;
	if (fd >= 0)
		close(fd);
	return ranks->relay > 0
		       ? TP_OK
		       : tp_fail(diag, TP_RESOURCE, "ranks", hint_dir,
				 "cannot start what connects the ranks: %s", strerror(error));
}

/* The same name for all of them, and the neighbours. */
static enum tp_status take_hellos(struct tp_ranks *ranks, const char *at,
				  const struct tp_ranks_hello *own, struct tp_diag *diag)
{
	uint64_t hash = TP_HASH_START;
	enum tp_status status = TP_OK;
	ranks->host_rank = ranks->host_size = ranks->on_host = 0;
	for (unsigned i = 0; i < ranks->size && status == TP_OK; i++) {
		struct tp_ranks_hello hello;
		char *text = tp_relay_text(&at);
		status = tp_ranks_hello_parse(&hello, text ? text : "", diag);
		free(text);
		hash = tp_hash_step(hash, hello.nonce);
		if (status == TP_OK)
			tp_ranks_count(ranks, own, i, &hello);
	}
	snprintf(ranks->launch, sizeof(ranks->launch), PREFIX "%012" PRIx64, hash >> 16);
	return status;
}

enum tp_status tp_relay_join(struct tp_ranks *ranks, tp_ranks_goes_on *goes_on, void *context,
			     struct tp_diag *diag)
{
	struct tp_ranks_hello own;
	struct tp_str reply = { 0 };
	const char *body;
	char text[HELLO_BYTES];
	enum tp_status status = start(ranks, diag);
	if (status == TP_OK)
		status = ask(ranks, "join\n", "the beginning", goes_on, context, &reply, &body,
			     diag);
	if (status == TP_OK &&
	    (sscanf(body, "%u %u", &ranks->rank, &ranks->size) != 2 || ranks->size < 1 ||
	     ranks->size > TP_RANKS_MAX || ranks->rank >= ranks->size))
		status = tp_fail(diag, TP_USAGE, "--ranks", "give them as --ranks=R/N",
				 "PMIx gives no rank and number of ranks up to %d", TP_RANKS_MAX);
	if (status == TP_OK)
		status = tp_ranks_hello_make(ranks, &own, text, sizeof(text), diag);
	tp_str_clear(&reply);
	if (status == TP_OK)
		status =
			tp_relay_share(ranks, "hello", text, goes_on, context, &reply, &body, diag);
	if (status == TP_OK)
		status = take_hellos(ranks, body, &own, diag);
	tp_str_release(&reply);
	return status;
}

void tp_relay_close(struct tp_ranks *ranks, tp_ranks_goes_on *goes_on, void *context)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	double until = tp_now_seconds() + END_SECONDS;
	struct tp_str reply = { 0 };
	struct tp_diag unsaid;
	const char *body;
	if (ranks->relay <= 0)
		return;
	if (!ranks->left ||
	    ask(ranks, "end\n", "their end", goes_on, context, &reply, &body, &unsaid) != TP_OK)
		kill(ranks->relay, SIGKILL);
	tp_str_release(&reply);
	while (waitpid(ranks->relay, NULL, WNOHANG) == 0) {
		if (tp_now_seconds() > until)
			kill(ranks->relay, SIGKILL);
		nanosleep(&pause, NULL);
	}
	ranks->relay = 0;
	free(ranks->told);
	ranks->told = NULL;
}
