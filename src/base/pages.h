/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pages a buffer asks for. src/measure/buffer.h gets them. */
#ifndef TPROF_BASE_PAGES_H
#define TPROF_BASE_PAGES_H

enum tp_pages { TP_PAGES_DEFAULT, TP_PAGES_THP, TP_PAGES_HUGETLB, TP_PAGES_SMALL };

#endif
