#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A release makes itself again, byte by byte. In make distcheck the build folder lies inside the unpacked release, whose
# tarball lies beside it. Writes TAP.
set -u
export LC_ALL=C.UTF-8

name=tprof-$TPROF_VERSION
given=$TPROF_BUILDDIR/../../../$name.tar.gz
test_name='a release makes itself again, byte by byte'

echo 1..1
if [ ! -f "$given" ] || [ "$(cd "$TPROF_BUILDDIR/../.." && pwd -P)" != "$(cd "$TPROF_SRCDIR" && pwd -P)" ]; then
	echo "ok 1 - $test_name # SKIP make distcheck tests this"
	exit 0
fi

# Another umask, another time zone, and none of the variables of the make that runs this.
if (umask 077 && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL TZ=Asia/Tokyo \
	timeout 1200 make -C "$TPROF_BUILDDIR" dist) 2>&1 | tail -n 20 | sed 's/^/# /' &&
	cmp "$given" "$TPROF_BUILDDIR/$name.tar.gz" 2>&1 | sed 's/^/# /' && [ "${PIPESTATUS[0]}" -eq 0 ]; then
	echo "ok 1 - $test_name"
else
	diff <(tar -tvzf "$given") <(tar -tvzf "$TPROF_BUILDDIR/$name.tar.gz") | head -n 20 | sed 's/^/# /'
	echo "not ok 1 - $test_name"
fi
rm -f "$TPROF_BUILDDIR/$name.tar.gz"
