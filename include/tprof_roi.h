/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regions of interest of a program: what tprof counts and times by name. See tprof-app(1).
 *
 *	#include <tprof_roi.h>
 *
 *	tprof_roi_begin("assemble");
 *	...
 *	tprof_roi_end("assemble");
 *
 * Regions nest, and a region may be entered as often as you like, on any thread; it ends on the
 * thread that it began on. What a thread does in the innermost region that is open counts for that
 * region. Names have at most 127 bytes, and a program has at most 127 of them.
 *
 * Nothing is linked. Without tprof a call loads one pointer and compares it to 0, which takes about
 * a nanosecond: the calls may stay in a release. For C99, C++98 and later, with gcc or clang; other
 * compilers, and systems without ELF, get functions that do nothing.
 *
 * How it works: each executable and each library that includes this file has a pointer in a section
 * of its own. tprof finds the section by its name and stores the address of a function there.
 */
#ifndef TPROF_ROI_H
#define TPROF_ROI_H

#if defined(__GNUC__) && defined(__ELF__)

#ifdef __cplusplus
extern "C" {
#endif

/* Messages to tprof: 1 = a region begins, 2 = it ends. */
typedef void (*tprof_roi_function)(int what, const char *name);

/*
 * One for all sources of an executable or a library. It is volatile because no code of the program
 * writes it, so that a compiler that sees the whole program would take it for a constant.
 */
__attribute__((weak, visibility("hidden"), used, section("tprof_roi")))
tprof_roi_function volatile tprof_roi_hook = 0;

#ifdef __cplusplus
}
#endif

static __inline__ __attribute__((unused, always_inline)) void tprof_roi_begin(const char *name)
{
	tprof_roi_function hook = tprof_roi_hook;
	if (__builtin_expect(hook != 0, 0))
		hook(1, name);
}

static __inline__ __attribute__((unused, always_inline)) void tprof_roi_end(const char *name)
{
	tprof_roi_function hook = tprof_roi_hook;
	if (__builtin_expect(hook != 0, 0))
		hook(2, name);
}

#else

#define tprof_roi_begin(name) ((void)(name))
#define tprof_roi_end(name)   ((void)(name))

#endif

#endif
