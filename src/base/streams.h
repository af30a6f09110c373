/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where an engine finds the streams of tprof that a program of the user is to have. Its own
 * standard input and output are /dev/null, so that nothing it loads reads or writes there. The
 * standard error of both is one.
 *
 * Without them, it may find memory there for what such a program prints (base/output.h).
 */
#ifndef TPROF_BASE_STREAMS_H
#define TPROF_BASE_STREAMS_H

enum { TP_STREAM_INPUT_FD = 4, TP_STREAM_OUTPUT_FD = 5, TP_STREAM_KEPT_FD = 6 };

#endif
