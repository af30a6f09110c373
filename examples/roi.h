/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions for tprof; where its header is not found, the examples build without them. */
#ifndef EXAMPLES_ROI_H
#define EXAMPLES_ROI_H

#if __has_include(<tprof_roi.h>)
#include <tprof_roi.h>
#else
#define tprof_roi_begin(name) ((void)(name))
#define tprof_roi_end(name)   ((void)(name))
#endif

#endif
