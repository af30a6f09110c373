#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Checks of form: layout of C, shell scripts, licence lines, struct tags, and
# words that mean "not finished". Writes TAP. A check whose tool is not installed is skipped.
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${here%/*}" || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0

# result NAME: passes if the last command left nothing in $scratch/reasons.
result() {
	count=$((count + 1))
	if [ -s "$scratch/reasons" ]; then
		failed=$((failed + 1))
		sed 's/^/# /' "$scratch/reasons"
		echo "not ok $count - $1"
	else
		echo "ok $count - $1"
	fi
}
skip() { # skip NAME WHY
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

mapfile -t c_files < <(find src kernels ui man tests examples -name '*.[ch]' -type f | sort)
mapfile -t scripts < <(echo bootstrap && find .ci/run tests completion src/cli debian/tests -type f \
	\( -name '*.sh' -o -name run -o -path 'completion/bash/*' -o -name '*.bash' -o -path 'debian/tests/[!c]*' \) | sort)
mapfile -t pages < <(find man \( -name '*.[1-9]' -o -name '*.in' \) -type f | sort)
mapfile -t fragments < <(find src kernels ui packaging -name '*.mk' -type f | sort)

# Other versions of clang-format lay out some lines differently.
format_version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
if [ "$format_version" = 14 ]; then
	clang-format --dry-run --Werror "${c_files[@]}" >"$scratch/reasons" 2>&1
	result 'C is laid out as .clang-format says'
else
	skip 'C is laid out as .clang-format says' "clang-format 14 is not installed (found: ${format_version:-none})"
fi

if command -v shellcheck >/dev/null; then
	shellcheck "${scripts[@]}" >"$scratch/reasons" 2>&1
	result 'shellcheck finds nothing in the scripts'
else
	skip 'shellcheck finds nothing in the scripts' 'shellcheck is not installed'
fi

grep -rhoE '^struct tp_[a-z0-9_]+ \{' src kernels ui --include='*.[ch]' | sort | uniq -d |
	sed 's/.*/two different things are called &/' >"$scratch/reasons"
result 'a struct tag has one meaning'

# A terminal that cannot show them gets an error of the command line.
grep -rnE '"[^"]*(tprof --|--set |--batch )' ui/tui --include='*.[ch]' | grep -v '^ui/tui/term.c:' >"$scratch/reasons"
result 'screens show no words of the command line'

grep -ohE 'tests/[a-z/-]+\.sh' bootstrap .ci/run HACKING.md README.md | sort -u | while read -r script; do
	[ -e "$script" ] || echo "$script is named, and not there"
done >"$scratch/reasons"
result 'scripts that are named exist'

: >"$scratch/reasons"
for file in "${c_files[@]}" "${scripts[@]}" "${fragments[@]}" "${pages[@]}" configure.ac Makefile.am m4/tprof.m4; do
	head -n 3 "$file" | grep -qF 'SPDX-License-Identifier: GPL-3.0-or-later' ||
		echo "no licence line in $file" >>"$scratch/reasons"
done
result 'every source file names its licence'

# Files without a line of their own have that of debian/copyright.
name='every file has a copyright holder and a licence'
if [ ! -e .git ]; then
	skip "$name" 'the checkout has this test: it reads all files, and a build beside them adds and deletes some'
elif command -v reuse >/dev/null; then
	reuse lint >"$scratch/reasons" 2>&1 && : >"$scratch/reasons"
	result "$name"
else
	skip "$name" 'reuse is not installed'
fi

# The pattern is written so that it does not find itself.
grep -nwE 'TO[D]O|FIX[M]E|HA[C]K|X[X]X' "${c_files[@]}" "${scripts[@]}" "${fragments[@]}" "${pages[@]}" \
	configure.ac Makefile.am README.md HACKING.md >"$scratch/reasons"
result 'nothing is marked as unfinished'

echo "1..$count"
[ "$failed" -eq 0 ]
