/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the texts that meters read: those of processes, of the network, of disks, mappings,
 * lists of numbers, and events of PMUs. The first line is an event, the second a format.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/processes.h"
#include "tests/fuzz/promise.h"

static void hold_mappings(const char *text)
{
	const char *at = text, *end = text + strlen(text);
	struct tp_proc_mapping m;
	while (tp_proc_mapping_next(&at, &m)) {
		must(at >= text && at <= end, "the next line is in the text");
		must(m.start < m.end, "a mapping has a length");
		must(m.path >= text && m.path + m.path_len <= end, "its path is in the text");
	}
}

static void hold_event(const char *line, const char *format)
{
	struct tp_sysfs_event event = { { 0 } };
	char name[32];
	uint64_t value;
	const char *at = line;
	while (*at && tp_pmu_term_next(&at, name, &value)) {
		must(*name && strlen(name) < sizeof(name), "a field has a name");
		must(at > line && at <= line + strlen(line), "the next field is in the text");
		(void)tp_pmu_format_put(format, value, &event);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_proc_stat stat;
	struct tp_proc_bytes bytes;
	struct tp_proc_switches switches;
	unsigned numbers[8];
	char *text = calloc(size + 1, 1);
	if (!text || size > 65536) {
		free(text);
		return 0;
	}
	if (size)
		memcpy(text, data, size);
	(void)tp_proc_stat_parse(text, &stat);
	(void)tp_proc_io_parse(text, &bytes);
	(void)tp_proc_switches_parse(text, &switches);
	(void)tp_proc_net_parse(text, &bytes);
	(void)tp_proc_disks_parse(text, &bytes);
	size_t n = tp_proc_numbers_parse(text, numbers, 8);
	must(n <= 8, "no more numbers than there is room for");
	for (size_t i = 0; i < n; i++)
		must(numbers[i] > 0 && numbers[i] <= INT32_MAX, "a number of a process");
	hold_mappings(text);
	char *format = text + strcspn(text, "\n");
	if (*format)
		*format++ = '\0';
	format[strcspn(format, "\n")] = '\0';
	hold_event(text, format);
	free(text);
	return 0;
}
