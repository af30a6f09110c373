# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Regions under the agent: marked ones and functions, nested, on threads, out of balance. Their work is known.
. "$TPROF_CLI/lib.sh"

here=${TPROF_BUILDDIR:-$TPROF_SRCDIR/build}
agent=$here/libtprof-agent.so
runner=$here/tests/agent/run_agent
if [ ! -f "$agent" ] || [ ! -x "$runner" ]; then
	skip_all 'the agent is not built here'
fi

# The agent and sanitizers do not mix.
read -ra cc <<<"${TPROF_TEST_CC:-cc} -fno-sanitize=all -O2 -I$TPROF_SRCDIR/include"
"${cc[@]}" -o regions "$TPROF_SRCDIR/tests/agent/regions.c" -lpthread || fail 'no regions'

# check CASE EXPECTED [function=NAME...]: regions with entries, exits and FLOPs.
check() {
	local case=$1 expected=$2
	shift 2
	timeout 900 "$runner" "$agent" "$@" ./regions "$case" >out 2>&1 9>counts </dev/null || fail "$case: $(cat out)"
	! grep -q '^words .' counts || fail "$case: $(grep '^words' counts)"
	awk '$1 == "region" { print $2, $3, $4, $7 } $1 ~ /^un/ { print }' counts >is
	[ "$(paste -sd, is)" = "$expected" ] || fail "$case: $(paste -sd, is), not $expected"
}

for _ in 1 2 3; do
	check plain '- 0 0 40,a 3000 3000 1200000,b 1 1 4000,unbalanced 0,unended 0'
	check nested '- 0 0 0,outer 200 200 7200,inner 100 100 8000,open 1 0 28,unbalanced 1,unended 1'
	# What the workers do counts for the main thread's region; their own region is theirs.
	check parallel '- 0 0 4000,team 10 10 160000,own 10 10 2000,unbalanced 0,unended 0'
done
check functions "- 0 0 44,caller 50 50 400,leaf 51 51 1200,recursive 31 31 124,thrower 10 10 120,unbalanced 0,unended 0" \
	function=caller function=leaf function=recursive function=thrower
check functions '- 0 0 444,caller 50 50 1200,recursive 31 31 124,thrower 10 10 120,unbalanced 0,unended 0' \
	function=caller function=recursive function=thrower
