/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A CPU that does not exist, with counters that a test sets. */
#ifndef TPROF_TESTS_FAKE_PMU_H
#define TPROF_TESTS_FAKE_PMU_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/pmu.h"

static struct {
	uint64_t config, value;
} values[16];
static unsigned opened, closed, ran, quiet;
static int refused; /* errno of the event `refused_config` */
static uint64_t refused_config;
static uint64_t running_ns;
static int codes[64];

static int fake_open(void *context, const struct tp_pmu_code *code)
{
	(void)context;
	if (refused && code->config == refused_config)
		return -refused;
	opened++;
	return (int)code->config;
}

/* Its events are called by their numbers: "0x01c7". */
static enum tp_status fake_encode(const char *name, struct tp_pmu_code *code, struct tp_diag *diag)
{
	unsigned config;
	if (sscanf(name, "0x%x", &config) != 1)
		return tp_fail(diag, TP_NOTFOUND, "pmu", NULL, "no event %s", name);
	*code = (struct tp_pmu_code){ .type = 4, .config = config };
	return TP_OK;
}

static bool fake_read(void *context, int fd, struct tp_pmu_value *value)
{
	(void)context;
	*value = (struct tp_pmu_value){ 0, 1000, running_ns };
	for (unsigned i = 0; i < 16; i++)
		if (values[i].config == (uint64_t)fd)
			value->value = values[i].value;
	return true;
}

static void fake_close(void *context, int fd)
{
	(void)context;
	(void)fd;
	closed++;
}

static enum tp_status fake_run(const struct tp_app_command *command, struct tp_command_run *out,
			       struct tp_diag *diag)
{
	(void)diag;
	quiet += command->output < 0;
	*out = (struct tp_command_run){ .end = { .code = codes[ran] }, .wall_seconds = 1.5 };
	ran++;
	return TP_OK;
}

static inline struct tp_pmu_host fake(const char *vendor, int family, int model,
				      const char *features)
{
	struct tp_pmu_host host = { .encode = fake_encode,
				    .open = fake_open,
				    .read = fake_read,
				    .close = fake_close,
				    .run = fake_run };
	strcpy(host.cpu.vendor, vendor);
	strcpy(host.cpu.features, features);
	host.cpu.family = family;
	host.cpu.model = model;
	memset(values, 0, sizeof(values));
	memset(codes, 0, sizeof(codes));
	opened = closed = ran = quiet = 0;
	refused = 0;
	running_ns = 1000;
	return host;
}

static inline struct tp_pmu_host sapphire_rapids(void)
{
	return fake("GenuineIntel", 6, 0x8f, "sse2 avx avx2 avx512f avx512bw");
}

static char *fake_words[] = { "program", NULL };
static const struct tp_app_command command = { .words = fake_words, .output = 1, .errors = 2 };

static inline bool noted(const struct tp_app_counts *counts, const char *text)
{
	for (size_t i = 0; i < counts->notes.n; i++)
		if (strstr(counts->notes.items[i].what, text))
			return true;
	return false;
}

#endif
