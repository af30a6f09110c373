/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions of aarch64 on narrow numbers. Their rows are known on every architecture. */
#ifndef TPROF_KERNELS_AARCH64_NARROW_H
#define TPROF_KERNELS_AARCH64_NARROW_H

#include "kernels/narrow.h"

extern const struct tp_narrow_rows tp_aarch64_narrow;

#endif
