# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Programs that do unusual things with threads, signals, children and regions, under the agent: each prints what
# it prints natively, ends as it ends natively, and the agent stays in.
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
for source in threads signals processes; do
	"${cc[@]}" -o "$source" "$TPROF_SRCDIR/tests/agent/$source.c" "${libraries[@]}" || fail "no $source"
	./$source >cases
	[ -s cases ] || fail "$source has no cases"
	while read -r name; do
		native=0 status=0
		timeout 900 "./$source" "$name" >expected 2>&1 </dev/null || native=$?
		timeout 900 "$runner" "$agent" "./$source" "$name" >out 2>&1 9>counts </dev/null || status=$?
		[ "$status" -eq "$native" ] || fail "$source $name: status $status, natively $native"
		cmp -s expected out || fail "$source $name: $(diff expected out)"
		# A jump to where nothing is ends in the program's handler, but natively; so does what forbids syscalls.
		case $name in
		faults | restricted) grep -q '^words the program' counts || fail "$source $name: nothing is said" ;;
		*) ! grep -q '^words .' counts || fail "$source $name: $(grep '^words' counts)" ;;
		esac
	done <cases
done

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
