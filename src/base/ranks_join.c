/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks find each other. */
#include "base/hash.h"
#include "base/now.h"
#include "base/ranks_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { HELLO_BYTES = 1024, ROSTER_BYTES = 40 * TP_RANKS_MAX };

enum tp_status tp_ranks_hello_parse(struct tp_ranks_hello *hello, const char *text,
				    struct tp_diag *diag)
{
	int end = -1;
	*hello = (struct tp_ranks_hello){ 0 };
	int n = sscanf(text,
		       "tprof-ranks 1\nnonce %" SCNx64 "\nsize %u\nhost %63[a-zA-Z0-9.-]\ncpus "
		       "%511[0-9,-]\n%n",
		       &hello->nonce, &hello->size, hello->host, hello->cpus, &end);
	if (n == 4 && end > 0 && !text[end] && text[end - 1] == '\n' && hello->size >= 1 &&
	    hello->size <= TP_RANKS_MAX)
		return TP_OK;
	return tp_fail(diag, TP_USAGE, "ranks", NULL, "a file of a rank is not whole");
}

static void boot_of_host(char out[64])
{
	char *text = NULL;
	size_t len = 0;
	struct tp_diag diag;
	*out = '\0';
	if (tp_file_read("/proc/sys/kernel/random/boot_id", TP_RANKS_WORD_BYTES, &text, &len,
			 &diag) == TP_OK)
		snprintf(out, 64, "%.*s", (int)strcspn(text, "\n"), text);
	else if (gethostname(out, 63) != 0)
		snprintf(out, 64, "unknown");
	free(text);
}

static bool read_hello(const struct tp_ranks *ranks, unsigned rank, struct tp_ranks_hello *hello)
{
	char name[TP_RANKS_WORD_BYTES];
	struct tp_diag diag;
	snprintf(name, sizeof(name), "hello-%u", rank);
	char *text = tp_ranks_read_file(ranks, name, HELLO_BYTES);
	bool good = text && tp_ranks_hello_parse(hello, text, &diag) == TP_OK;
	free(text);
	return good;
}

/* Rank 0: the numbers of all that are here now. The name of the launch follows from them. */
static enum tp_status write_roster(const struct tp_ranks *ranks, struct tp_str *written,
				   struct tp_diag *diag)
{
	struct tp_str roster = { 0 };
	struct tp_ranks_hello hello;
	enum tp_status status = TP_OK;
	tp_str_add(&roster, "tprof-roster 1\n");
	for (unsigned i = 0; i < ranks->size; i++) {
		if (!read_hello(ranks, i, &hello))
			goto out;
		tp_str_printf(&roster, "%016" PRIx64 "\n", hello.nonce);
	}
	tp_str_add(&roster, "end\n");
	if (roster.oom)
		status = tp_fail(diag, TP_NOMEM, "ranks", NULL, "out of memory");
	else if (strcmp(tp_str_text(&roster), tp_str_text(written)) != 0) {
		status = tp_ranks_write_file(ranks, "roster", tp_str_text(&roster), diag);
		tp_str_clear(written);
		tp_str_add(written, tp_str_text(&roster));
	}
out:
	tp_str_release(&roster);
	return status;
}

/* The launch of the roster that is there, if it has the number of this process. */
static bool find_launch(const struct tp_ranks *ranks, char launch[TP_RANKS_LAUNCH_BYTES])
{
	char *text = tp_ranks_read_file(ranks, "roster", ROSTER_BYTES), own[TP_RANKS_WORD_BYTES];
	bool good = false;
	if (!text)
		return false;
	snprintf(own, sizeof(own), "%016" PRIx64 "\n", ranks->nonce);
	const size_t head = strlen("tprof-roster 1\n"), line = strlen(own);
	good = strlen(text) == head + ranks->size * line + strlen("end\n") &&
	       strncmp(text, "tprof-roster 1\n", head) == 0 &&
	       strcmp(text + head + ranks->size * line, "end\n") == 0 &&
	       strncmp(text + head + ranks->rank * line, own, line) == 0;
	snprintf(launch, TP_RANKS_LAUNCH_BYTES, "%016" PRIx64, tp_hash_text(TP_HASH_START, text));
	free(text);
	return good;
}

enum tp_status tp_ranks_hello_make(struct tp_ranks *ranks, struct tp_ranks_hello *hello, char *text,
				   size_t size, struct tp_diag *diag)
{
	enum tp_status status = tp_ranks_cpus(hello->cpus, diag);
	if (status != TP_OK)
		return status;
	if (getrandom(&ranks->nonce, sizeof(ranks->nonce), 0) != sizeof(ranks->nonce))
		return tp_fail(diag, TP_RESOURCE, "ranks", NULL, "no random number to be had");
	hello->nonce = ranks->nonce;
	hello->size = ranks->size;
	boot_of_host(hello->host);
	snprintf(text, size, "tprof-ranks 1\nnonce %016" PRIx64 "\nsize %u\nhost %s\ncpus %s\n",
		 hello->nonce, hello->size, hello->host, hello->cpus);
	return TP_OK;
}

static enum tp_status say_hello(struct tp_ranks *ranks, struct tp_ranks_hello *hello,
				struct tp_diag *diag)
{
	char name[TP_RANKS_WORD_BYTES], text[HELLO_BYTES];
	enum tp_status status = tp_ranks_hello_make(ranks, hello, text, sizeof(text), diag);
	if (status == TP_OK)
		status = tp_dir_make(ranks->directory, diag);
	snprintf(name, sizeof(name), "hello-%u", ranks->rank);
	return status == TP_OK ? tp_ranks_write_file(ranks, name, text, diag) : status;
}

/* After too long a wait: what is wrong with those that are here. */
static enum tp_status why_not(const struct tp_ranks *ranks, struct tp_diag *diag)
{
	struct tp_ranks_hello hello;
	unsigned n = 0, lost = 0;
	for (unsigned i = 0; i < ranks->size; i++) {
		if (!read_hello(ranks, i, &hello)) {
			lost = lost ? lost : i + 1;
			continue;
		}
		n++;
		if (i == ranks->rank && hello.nonce != ranks->nonce)
			return tp_fail(diag, TP_USAGE, "ranks",
				       "give each process a rank of its own, or each launch a "
				       "directory of its own (--ranks-dir)",
				       "another process says that it is rank %u, too", i);
		if (hello.size != ranks->size)
			return tp_fail(diag, TP_USAGE, "ranks",
				       "give all of them the same number of ranks",
				       "rank %u says that there are %u ranks, not %u", i,
				       hello.size, ranks->size);
	}
	return tp_fail(diag, TP_RESOURCE, "ranks",
		       "start all ranks together, with a directory that all of them see "
		       "(--ranks-dir)",
		       lost ? "rank %u of %u has not come within %.0f s; %u of them are here"
			    : "rank %u of %u has not joined within %.0f s; %u of them are here",
		       lost ? lost - 1 : !ranks->rank, ranks->size, ranks->seconds, n);
}

void tp_ranks_count(struct tp_ranks *ranks, const struct tp_ranks_hello *own, unsigned rank,
		    const struct tp_ranks_hello *other)
{
	if (strcmp(other->host, own->host) != 0)
		return;
	ranks->on_host++;
	if (strcmp(other->cpus, own->cpus) != 0)
		return;
	ranks->host_rank += rank < ranks->rank;
	ranks->host_size++;
}

static enum tp_status find_neighbours(struct tp_ranks *ranks, const struct tp_ranks_hello *own,
				      struct tp_diag *diag)
{
	struct tp_ranks_hello hello;
	ranks->host_rank = ranks->host_size = ranks->on_host = 0;
	for (unsigned i = 0; i < ranks->size; i++) {
		if (!read_hello(ranks, i, &hello))
			return tp_fail(diag, TP_IO, ranks->directory, NULL,
				       "hello-%u cannot be read any more", i);
		tp_ranks_count(ranks, own, i, &hello);
	}
	return TP_OK;
}

enum tp_status tp_ranks_join(struct tp_ranks *ranks, tp_ranks_goes_on *goes_on, void *context,
			     struct tp_diag *diag)
{
	char launch[TP_RANKS_LAUNCH_BYTES], old[TP_RANKS_WORD_BYTES];
	struct tp_ranks_hello own;
	if (!*ranks->directory)
		return tp_relay_join(ranks, goes_on, context, diag);
	struct tp_ranks_wait w = { tp_now_seconds() + ranks->seconds, 0, goes_on, context };
	struct tp_ranks_present present = { .here = calloc(ranks->size, 1) };
	struct tp_str roster = { 0 };
	enum tp_status status = present.here
					? say_hello(ranks, &own, diag)
					: tp_fail(diag, TP_NOMEM, "ranks", NULL, "out of memory");
	bool joined = false;
	while (status == TP_OK && !joined) {
		if (ranks->rank == 0)
			status = write_roster(ranks, &roster, diag);
		if (status == TP_OK && find_launch(ranks, launch)) {
			/* A roster with numbers of before is replaced when their ranks come. */
			if (strcmp(launch, ranks->launch) != 0) {
				snprintf(old, sizeof(old), "%s.joined.%u", ranks->launch,
					 ranks->rank);
				if (*ranks->launch)
					tp_ranks_remove_file(ranks, old);
				snprintf(ranks->launch, sizeof(ranks->launch), "%s", launch);
				status = tp_ranks_say_word(ranks, "joined", "", diag);
			}
			tp_ranks_look(ranks, "joined", &present);
			joined = present.n == ranks->size;
		}
		if (status == TP_OK && !joined && !tp_ranks_wait_on(&w, &status, diag)) {
			if (status == TP_RESOURCE)
				status = why_not(ranks, diag);
			break;
		}
	}
	if (status == TP_OK)
		status = find_neighbours(ranks, &own, diag);
	if (status != TP_OK)
		ranks->launch[0] = '\0';
	tp_str_release(&roster);
	free(present.here);
	return status;
}
