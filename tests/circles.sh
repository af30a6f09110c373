#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Circles of files: by the symbols of the objects, a file uses what another defines, and that one, directly or through others, uses what
# the first defines. Such files are one module in pieces, and none of them can be read alone. tests/circles.txt allows those that are
# there, a line each; the list has to be exact, so it gets shorter with each circle that goes. Writes TAP.
#
# Environment, as `make check` gives it: TPROF_SRCDIR, TPROF_BUILDDIR, TPROF_TEST_CC. TPROF_CIRCLES_WRITE=1 writes the list.
set -u
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=${TPROF_SRCDIR:-${here%/*}}
if [ -z "${TPROF_BUILDDIR-}" ] || [ -z "${TPROF_TEST_CC-}" ]; then
	echo 'ok 1 - circles of files # SKIP run by make check, which says where the objects are'
	echo 1..1
	exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk_differs=$scratch/awk-differs
# shellcheck source=tests/awk.sh
. "$here/awk.sh"

# symbols SOURCE-DIR BUILD-DIR: "file symbol" of each source file that defines it, and "file < symbol" of each that uses it. An object
# is called like its source, or PROGRAM-FILE.o, and may be there for several programs; one without a source is left from an earlier build.
symbols() {
	(cd "$2" && find src ui kernels -name '*.o' -type f -exec nm -A -g -P {} + 2>/dev/null) |
		(cd "$1" && find src ui kernels -name '*.[cS]' -type f; echo '//'; cat) |
		awk '
		$1 == "//" { in_objects = 1; next }
		!in_objects {
			file = $1
			sub(/\.[cS]$/, "", file)
			source[file] = $1
			next
		}
		{
			object = $1
			sub(/\.o:$/, "", object)
			if (!(object in source)) {
				folder = name = object
				sub(/[^\/]*$/, "", folder)
				sub(/^.*\//, "", name)
				sub(/^[A-Za-z0-9_]*-/, "", name)
				object = folder name
			}
			if (object in source)
				print source[object], $3 ~ /[Uwv]/ ? "< " $2 : $2
		}' | sort -u
}

# circles: of such lines, the files of each circle on a line. Two walks along the uses, the second against their direction and in the
# order in which the first left the files: what one step of the second reaches is a circle.
circles() {
	awk '
	!known[$1]++ { file[++n_files] = $1 }
	NF == 2 { defines[$2] = defines[$2] " " $1 }
	NF == 3 { n_uses++; user[n_uses] = $1; symbol[n_uses] = $3 }
	function walk(start, forward,    depth, at, next_file) {
		depth = 1
		stack[1] = start
		seen[start] = forward
		place[1] = 0
		while (depth) {
			at = stack[depth]
			place[depth]++
			if (forward ? place[depth] > n_to[at] : place[depth] > n_from[at]) {
				depth--
				if (forward)
					left[++n_left] = at
				else
					print start, at
				continue
			}
			next_file = forward ? to[at, place[depth]] : from[at, place[depth]]
			if ((next_file in seen) && seen[next_file] == forward)
				continue
			seen[next_file] = forward
			stack[++depth] = next_file
			place[depth] = 0
		}
	}
	END {
		for (i = 1; i <= n_uses; i++) {
			n = split(defines[symbol[i]], definer, " ")
			for (d = 1; d <= n; d++) {
				if (definer[d] == user[i] || ((user[i], definer[d]) in edge))
					continue
				edge[user[i], definer[d]] = 1
				to[user[i], ++n_to[user[i]]] = definer[d]
				from[definer[d], ++n_from[definer[d]]] = user[i]
			}
		}
		for (i = 1; i <= n_files; i++)
			if (!(file[i] in seen))
				walk(file[i], 1)
		for (i = n_left; i; i--)
			if (seen[left[i]] == 1)
				walk(left[i], 0)
	}' | sort | awk '
	function tell() {
		if (n > 1)
			print line
	}
	$1 != start { tell(); start = $1; line = n = 0 }
	{ line = n++ ? line " " $2 : $2 }
	END { tell() }' | sort
}

# judge FOUND ALLOWED: what is wrong, a line each.
judge() {
	comm -23 "$1" "$2" | while IFS= read -r circle; do
		while IFS= read -r allowed; do
			[ -z "$(comm -23 <(tr ' ' '\n' <<<"$circle") <(tr ' ' '\n' <<<"$allowed"))" ] || continue
			echo "a circle has become smaller; write into tests/circles.txt: $circle"
			continue 2
		done <"$2"
		echo "a circle that is not allowed: $circle"
	done
	comm -13 "$1" "$2" | sed 's/^/a circle is gone as it was; remove from tests\/circles.txt: /'
}

count=0
failed=0
report() { # report NAME WANTED GOT
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		printf 'expected: %s\ngot: %s\n' "$2" "$3" | sed 's/^/# /'
		echo "not ok $count - $1"
	fi
}

# Planted: two files that use each other, one of them through a third, in objects with and without the name of a program; one that only
# uses; and the object of a file that is no more.
mkdir -p "$scratch/src/room" "$scratch/ui" "$scratch/kernels"
echo 'int two(void); int one(void) { return two(); }' >"$scratch/src/room/one.c"
echo 'int three(void); int two(void) { return three(); }' >"$scratch/src/room/two.c"
echo 'int one(void); int three(void) { return one(); }' >"$scratch/ui/three.c"
echo 'int one(void); int four(void) { return one(); }' >"$scratch/ui/four.c"
echo 'int four(void); int one(void) { return four(); }' >"$scratch/old.c"
compile() { # compile SOURCE OBJECT
	# shellcheck disable=SC2086 # the compiler and its options
	(cd "$scratch" && $TPROF_TEST_CC -c -o "$2" "$1")
}
compile src/room/one.c src/room/one.o
compile src/room/two.c src/room/libtp_room_a-two.o
compile ui/three.c ui/libtp_ui_a-three.o
compile ui/four.c ui/four.o
compile old.c ui/libtp_ui_a-old.o
planted='src/room/one.c src/room/two.c ui/three.c'
symbols "$scratch" "$scratch" | circles >"$scratch/planted"
report 'planted: a circle of three files is found' "$planted" "$(cat "$scratch/planted")"
verdict() { # verdict ALLOWED...: what judge says of the planted circle then
	printf '%s\n' "$@" | grep . | sort >"$scratch/allowed"
	judge "$scratch/planted" "$scratch/allowed" | paste -sd '|'
}
report 'planted: a circle that is not allowed' "a circle that is not allowed: $planted" "$(verdict '')"
report 'planted: a circle that is allowed' '' "$(verdict "$planted")"
report 'planted: a circle that is gone' 'a circle is gone as it was; remove from tests/circles.txt: a.c b.c' "$(verdict 'a.c b.c' "$planted")"
report 'planted: a circle that has become smaller' \
	"a circle has become smaller; write into tests/circles.txt: $planted|a circle is gone as it was; remove from tests/circles.txt: $planted ui/z.c" \
	"$(verdict "$planted ui/z.c")"
report 'every awk finds the same' '' "$(cat "$awk_differs" 2>/dev/null)"
unset -f awk

symbols "$source_dir" "$TPROF_BUILDDIR" >"$scratch/symbols"
# The agent is compiled as a whole, with its own flags; here each of its files is.
if [ -e "$TPROF_BUILDDIR/libtprof-agent.so" ]; then
	flags=$(sed -n '/^AGENT_CFLAGS/,/[^\\]$/p' "$source_dir/src/agent/local.mk" | sed 's/^AGENT_CFLAGS = //; s/\\$//' | paste -sd ' ')
	mkdir -p "$scratch/agent/src/agent" "$scratch/agent/ui" "$scratch/agent/kernels"
	for file in "$source_dir"/src/agent/*.c; do
		# shellcheck disable=SC2086 # lists of options
		$TPROF_TEST_CC -std=gnu11 -w -include "$TPROF_BUILDDIR/config.h" -I"$source_dir/src" -I"$source_dir" -I"$TPROF_BUILDDIR/src" $flags -O0 \
			-c -o "$scratch/agent/src/agent/$(basename "$file" .c).o" "$file" || echo "$file" >>"$scratch/uncompiled"
	done
	symbols "$source_dir" "$scratch/agent" >>"$scratch/symbols"
	report 'the files of the agent compile one by one' '' "$(cat "$scratch/uncompiled" 2>/dev/null)"
fi
circles <"$scratch/symbols" >"$scratch/found"
sort "$source_dir/tests/circles.txt" >"$scratch/allowed"
report 'objects with symbols were found' yes "$([ "$(wc -l <"$scratch/symbols")" -gt 1000 ] && echo yes)"
report 'no file is in a circle with others, but for those that are allowed' '' "$(judge "$scratch/found" "$scratch/allowed")"
[ -z "${TPROF_CIRCLES_WRITE-}" ] || cp "$scratch/found" "$source_dir/tests/circles.txt"

echo "1..$count"
[ "$failed" -eq 0 ]
