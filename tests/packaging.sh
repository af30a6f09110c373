#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What can be checked of the packages' data without making packages; tests/bench/package.sh makes them. Writes TAP.
set -u
export LC_ALL=C.UTF-8

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0
cd "$TPROF_SRCDIR" || exit 1

# expect NAME WANTED GOT
expect() {
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		printf 'expected: %s\ngot: %s\n' "$2" "$3" | sed 's/^/# /'
		echo "not ok $count - $1"
	fi
}
skip() { # skip NAME WHY
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

expect 'the Debian package has the version of tprof' "tprof ($TPROF_VERSION)" \
	"$(sed -n '1s/).*/)/p' debian/changelog)"
expect 'the notes begin with this version' "$TPROF_VERSION" "$(sed -n 's/^\([0-9.]*\) (.*/\1/p' NEWS | head -n 1)"
expect 'the recipe for Spack has the version of tprof' "version(\"$TPROF_VERSION\")" \
	"$(grep -oF "version(\"$TPROF_VERSION\")" packaging/spack/packages/tprof/package.py)"

expect 'the spec of the RPM has the version of tprof' "$TPROF_VERSION" "$(sed -n 's/^Version: *//p' packaging/rpm/tprof.spec)"
expect 'the RPM needs what INSTALL.md names for Fedora' \
	"$(sed -n '/^| Fedora/,/^| optional/p' INSTALL.md | cut -d '|' -f 3 | tr ' ' '\n' | grep -vE '^$|^auto|^openblas$' | sort)" \
	"$(sed -n 's/^BuildRequires: *//p' packaging/rpm/tprof.spec | sort)"
expect 'the citation has the version of tprof' "version: $TPROF_VERSION" "$(grep '^version: ' CITATION.cff)"

# The packages of bootstrap, as INSTALL.md has them for Debian.
mapfile -t packages < <(sed -n '/^build_packages=(/,/^)/p; /build_packages+=/p; /^wanted_packages=/p' bootstrap |
	grep -v '^build_packages=($' | sed -E 's/.*(build|wanted)_packages\+?=\(//; s/\)//' | tr -s ' \t' '\n' | grep -E '^[a-z]')
missing=()
for package in "${packages[@]}"; do
	[ "$package" = libc6-dev ] || grep -qwF -e "$package" INSTALL.md || missing+=("$package")
done
expect 'INSTALL.md names what bootstrap installs' "0 of ${#packages[@]}:" "${#missing[@]} of ${#packages[@]}:${missing[*]:+ ${missing[*]}}"

# Commands of INSTALL.md that name files of this checkout, and the words that bootstrap takes.
expect 'INSTALL.md names files that exist' '' "$(grep -oE 'packaging/[a-zA-Z./]+|tests/[a-z/_]+\.sh' INSTALL.md | sort -u |
	while read -r file; do [ -e "${file%.}" ] || [ "${file#tests/bench}" != "$file" ] || echo "$file"; done)"
for word in 'run [--prefix DIR]' 'install [DIR]'; do
	expect "bootstrap takes $word" 1 "$(./bootstrap help | grep -cF -e "$word")"
done
expect 'both recipes of containers run the same step' 'cd /src && ./bootstrap install /opt/tprof' \
	"$(sed -nE 's/^(RUN|   ) (cd \/src.*)/\2/p' packaging/container/Dockerfile packaging/container/tprof.def | sort -u)"

expect 'the configuration of the system lies where configure says' "\"$(sed -n 's/^sysconfdir = //p' "$TPROF_BUILDDIR/Makefile")/tprof/config.yaml\"" \
	"$(sed -n 's/^#define TP_SYSTEM_CONFIG //p' "$TPROF_BUILDDIR/config.h")"

name='recipes for Spack are Python'
if command -v python3 >/dev/null; then
	expect "$name" '' "$(for recipe in packaging/spack/packages/*/package.py; do
		python3 -c 'import sys; compile(open(sys.argv[1]).read(), sys.argv[1], "exec")' "$recipe" 2>&1
	done)"
else
	skip "$name" 'python3 is not installed'
fi

# The commands of a modulefile, which write what they were told.
name='the modulefile sets the paths of its version'
if command -v tclsh >/dev/null; then
	cat >"$scratch/module.tcl" <<'END'
proc module-info {what} { return tprof/1.2.3 }
proc module-whatis {text} {}
proc conflict {name} {}
proc prepend-path {variable folder} { puts "$variable=$folder" }
source $argv
END
	expect "$name" 'PATH=/opt/tprof/1.2.3/bin PKG_CONFIG_PATH=/opt/tprof/1.2.3/share/pkgconfig CPATH=/opt/tprof/1.2.3/include' \
		"$(tclsh "$scratch/module.tcl" packaging/modulefiles/tprof 2>&1 | paste -sd ' ')"
else
	skip "$name" 'tclsh is not installed'
fi

name='a program with regions compiles with what pkg-config says'
if command -v pkg-config >/dev/null; then
	printf '%s\n' '#include <tprof_roi.h>' 'int main(void) { tprof_roi_begin("all"); tprof_roi_end("all"); return 0; }' >"$scratch/marked.c"
	read -ra flags < <(PKG_CONFIG_PATH=$TPROF_BUILDDIR/packaging \
		pkg-config --define-variable=includedir="$TPROF_SRCDIR/include" --cflags tprof 2>&1)
	# TPROF_TEST_CC is a command and its arguments.
	# shellcheck disable=SC2086
	expect "$name" '' "$($TPROF_TEST_CC -Wall -Werror "${flags[@]}" -fsyntax-only "$scratch/marked.c" 2>&1)"
else
	skip "$name" 'pkg-config is not installed'
fi

echo "1..$count"
[ $failed -eq 0 ]
