/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quantities as text and back. Sizes are binary (KiB), rates decimal (GB/s = 1e9 bytes per second).
 */
#ifndef TPROF_BASE_UNITS_H
#define TPROF_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "12 KiB", "1.5 MiB", "96 B": at most 4 significant digits; returns `out`. */
const char *tp_format_bytes(char *out, size_t size, uint64_t bytes);
/* "850 us", "1.25 s", "3 min 20 s". */
const char *tp_format_seconds(char *out, size_t size, double seconds);

/*
 * These parsers return true only if all of `text` is a value. Bytes: 4096, 32K, 32KiB, 1.5MiB, 2G
 * (K, M, G, T are binary with or without iB; "KB" is rejected as ambiguous). Seconds: 2, 0.5,
 * 500ms, 200us, 1min, 2h.
 */
bool tp_parse_bytes(const char *text, uint64_t *bytes);
bool tp_parse_seconds(const char *text, double *seconds);
bool tp_parse_u64(const char *text, uint64_t *value);
bool tp_parse_double(const char *text, double *value);

#endif
