# SPDX-License-Identifier: GPL-3.0-or-later
# Macros of tprof's configure script.

# TP_NEED_PKG(VARIABLE, MODULE, DEBIAN-PACKAGE)
# A library that the program cannot do without, found by pkg-config. Missing ones are collected in
# $tp_missing, so that one message at the end names them all.
AC_DEFUN([TP_NEED_PKG],
[PKG_CHECK_MODULES([$1], [$2], [], [tp_missing="$tp_missing $3"])])

# TP_WANT_PKG(VARIABLE, MODULE)
# A library that only tests or optional parts use: sets tp_have_VARIABLE to yes or no and
# the automake conditional HAVE_VARIABLE.
AC_DEFUN([TP_WANT_PKG],
[PKG_CHECK_MODULES([$1], [$2], [tp_have_$1=yes], [tp_have_$1=no])
AM_CONDITIONAL([HAVE_$1], [test "$tp_have_$1" = yes])])

# TP_WARNING_FLAGS(VARIABLE, FLAGS)
# Adds to VARIABLE those of FLAGS that the compiler knows.
AC_DEFUN([TP_WARNING_FLAGS],
[for tp_flag in $2; do
	tp_saved_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Werror $tp_flag"
	AC_MSG_CHECKING([whether $CC takes $tp_flag])
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
		[AC_MSG_RESULT([yes])
		$1="$$1 $tp_flag"],
		[AC_MSG_RESULT([no])])
	CFLAGS=$tp_saved_CFLAGS
done])
