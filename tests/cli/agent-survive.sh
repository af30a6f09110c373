# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Programs that do unusual things with threads, signals, children, regions and code that changes, under the agent:
# each prints what it prints natively, ends as it ends natively, and the agent stays in, or gives the reason why not.
. "$TPROF_CLI/lib.sh"

here=${TPROF_BUILDDIR:-$TPROF_SRCDIR/build}
agent=$here/libtprof-agent.so
runner=$here/tests/agent/run_agent
if [ ! -f "$agent" ] || [ ! -x "$runner" ]; then
	skip_all 'the agent is not built here'
fi

# The agent and sanitizers do not mix.
read -ra cc <<<"${TPROF_TEST_CC:-cc} -fno-sanitize=all -O2 -D_GNU_SOURCE -I$TPROF_SRCDIR/include"
libraries=(-lm -lpthread -ldl)
for module in 0 1 2; do
	"${cc[@]}" -fPIC -shared -DMODULE=$module -o module$module.so "$TPROF_SRCDIR/tests/agent/changes.c" || fail 'no module'
done
for source in threads signals processes changes; do
	"${cc[@]}" -o "$source" "$TPROF_SRCDIR/tests/agent/$source.c" "${libraries[@]}" || fail "no $source"
	./$source >cases
	[ -s cases ] || fail "$source has no cases"
	while read -r name; do
		native=0 status=0
		timeout 900 "./$source" "$name" >expected 2>&1 </dev/null || native=$?
		timeout 900 "$runner" "$agent" "./$source" "$name" >out 2>&1 9>counts </dev/null || status=$?
		[ "$status" -eq "$native" ] || fail "$source $name: status $status, natively $native"
		cmp -s expected out || fail "$source $name: $(diff expected out)"
		# A jump to where nothing is ends in the program's handler, but natively; so does what forbids syscalls, what
		# the agent could not see change, and what would see the agent.
		case $name in
		faults | restricted | private_file | private_and_shared | through_file | trap_* | traced)
			grep -q '^words the program' counts || fail "$source $name: no words" ;;
		*) ! grep -q '^words .' counts || fail "$source $name: $(grep '^words' counts)" ;;
		esac
	done <cases
done

# Not a count is lost when modules go: what is hot counts the same each time.
for times in 5 100; do
	"$runner" "$agent" ./changes modules $times >out 2>&1 9>counts || fail "modules $times"
	read -r _ _ entries _ _ instructions _ <<<"$(grep '^region hot' counts)"
	[ "$entries" -eq $times ] || fail "modules: $entries entries of $times"
	echo $((instructions / times)) $((instructions % times))
done | uniq | wc -l >lines
[ "$(cat lines)" -eq 1 ] || fail 'modules: counts differ'

# Nor of code that may be changed: 100 times 5 * 1000 + 3 instructions, and those of the loop that calls it.
"$runner" "$agent" ./changes looped >out 2>&1 9>counts || fail 'looped'
read -r _ _ _ _ _ instructions _ <<<"$(grep '^region looped' counts)"
if [ "$instructions" -lt 500400 ] || [ "$instructions" -gt 502300 ]; then
	fail "looped: $instructions instructions"
fi

# Exceptions, if there is a C++ compiler.
if have c++; then
	c++ -O2 -fnon-call-exceptions -o exceptions "$TPROF_SRCDIR/tests/agent/exceptions.cc" -lpthread || fail 'no exceptions'
	native=0 status=0
	./exceptions >expected 2>&1 || native=$?
	timeout 900 "$runner" "$agent" ./exceptions >out 2>&1 9>counts || status=$?
	[ "$status" -eq "$native" ] || fail "exceptions: status $status, natively $native"
	cmp -s expected out || fail "exceptions: $(diff expected out)"
	! grep -q '^words .' counts || fail "exceptions: $(grep '^words' counts)"
fi
