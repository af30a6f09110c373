#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Real programs under the agent: whether each prints and ends as it does natively, whether the agent stayed in, and
# how much longer it took. Programs that are not installed are named. Status 1 if one behaves otherwise.
#
# usage: agent_survive.sh [NAME...]	(default: all)
#
# Environment: TPROF_BUILDDIR (default: build beside this source tree).
set -u
export LC_ALL=C.UTF-8

source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${TPROF_BUILDDIR:-$source_folder/build}
agent=$build/libtprof-agent.so
runner=$build/tests/agent/run_agent
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s -C "$build" libtprof-agent.so tests/agent/run_agent || exit 2
wanted=" $* "
failed=0 ran=0 detached=0

cd "$work" || exit 2
seq 1 120000 >numbers
cat >hello.c <<'EOF'
#include <stdio.h>
int main(void) { printf("hello %d\n", 42); return 0; }
EOF
cat >sums.f90 <<'EOF'
program sums
 integer :: i
 real(8) :: s
 s = 0
 do i = 1, 1000000
  s = s + sqrt(dble(i))
 end do
 write(*,'(f14.3)') s
end program
EOF
cat >throws.cc <<'EOF'
#include <cstdio>
#include <stdexcept>
#include <vector>
static int f(int n) { if (!n) throw std::runtime_error("deep"); std::vector<int> v(n); return f(n - 1) + v.size(); }
int main() { int n = 0; for (int i = 0; i < 500; i++) try { f(i % 20); } catch (const std::exception &) { n++; } std::printf("%d\n", n); return 3; }
EOF
command -v gfortran >/dev/null && gfortran -O2 -o sums sums.f90
command -v g++ >/dev/null && g++ -O2 -o throws throws.cc

seconds() { # seconds COMMAND...: its time in $took
	local from=$EPOCHREALTIME
	"$@"
	local status=$?
	took=$(awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')
	return $status
}

native() { timeout 120 "$@" >"$work/native.out" 2>"$work/native.err" <"$work/numbers"; }
counted() { timeout 300 "$runner" "$agent" "$@" >"$work/agent.out" 2>"$work/agent.err" 9>"$work/counts" <"$work/numbers"; }

# run NAME PROGRAM ARGUMENT...: standard output and status are compared.
run() {
	local name=$1 a=0 b=0 before words verdict=same
	shift
	[ "$wanted" = '  ' ] || [[ $wanted == *" $name "* ]] || return 0
	if ! command -v "$1" >/dev/null; then
		printf '%-12s not installed\n' "$name"
		return 0
	fi
	seconds native "$@" || a=$?
	before=$took
	seconds counted "$@" || b=$?
	words=$(sed -n 's/^words //p' counts | head -1)
	ran=$((ran + 1))
	[ -z "$words" ] || detached=$((detached + 1))
	if [ $a -ne $b ] || ! cmp -s native.out agent.out; then
		verdict="OTHERWISE (status $b, natively $a)"
		failed=$((failed + 1))
	elif ! grep -q '^instructions [1-9]' counts; then
		verdict='NOT COUNTED'
		failed=$((failed + 1))
	fi
	printf '%-12s %s  %s s, natively %s s, %s instructions%s\n' "$name" "$verdict" "$took" "$before" \
		"$(sed -n 's/^instructions //p' counts)" "${words:+; detached: $words}"
}

run python python3 -c 'import json,re,hashlib,threading,subprocess
ts = [threading.Thread(target=lambda: sum(range(10000))) for i in range(10)]
[t.start() for t in ts]; [t.join() for t in ts]
print(subprocess.check_output(["echo", "hi"]), hashlib.sha256(b"x").hexdigest(), re.sub("a+", "b", "caat"))'
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
	run numpy /usr/bin/python3 -c 'import numpy as np
a = np.arange(90000.).reshape(300, 300); print((a @ a).sum(), np.linalg.norm(a), np.sort(a.ravel())[:3])'
fi
run gcc gcc -O2 -S -o - hello.c
run g++ g++ -O1 -S -o - throws.cc
run sqlite3 sqlite3 :memory: 'create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<20000) insert into t select x,x*x from c; select sum(b),count(*) from t where a%7=3;'
# shellcheck disable=SC2016
run perl perl -e 'my %h; $h{$_ % 97} += $_ for 1 .. 100000; print join(",", map { $h{$_} } sort { $a <=> $b } keys %h), "\n";
$SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 1; 1 while 1 }; print $@'
run openssl openssl dgst -sha512 numbers
run speed sh -c 'exec openssl speed -seconds 1 -bytes 1024 aes-128-cbc >/dev/null'
run xz xz -T2 -c numbers
run gzip gzip -nc numbers
run bzip2 bzip2 -c numbers
run zstd zstd -T2 -q -c numbers
run tar tar -cf - --mtime=@0 numbers hello.c
run sort sort --parallel=2 -S 1M -rn numbers
run awk awk '{ s += $1 * $1 } END { printf "%.0f\n", s }' numbers
run sed sed -n 's/1\(2*\)3/<\1>/p' numbers
run grep grep -cE '(12|34)+5' numbers
run find find /usr/include -maxdepth 2 -name '*.h'
run git git -C "$source_folder" log --oneline -20
run bc bc -l -q /dev/stdin
run make make -n -C "$build" -o Makefile libtprof-agent.so
run ssh ssh -V
run curl curl --version
run file file /bin/ls hello.c numbers
run diff diff hello.c throws.cc
run md5sum md5sum numbers
run jq jq -n '[range(1000)] | add'
# shellcheck disable=SC2016
run bash bash -c 'for i in 1 2 3; do (echo $i); done; trap "echo usr" USR1; kill -USR1 $$; x=$(seq 100 | wc -l); echo $x; exec echo done'
# shellcheck disable=SC2016
run sh sh -c 'i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done; echo $i; ls | wc -l'
run vim vim -es -c ':put =range(5)' -c ':%p' -c ':q!'
run ed ed -s hello.c
run tclsh tclsh hello.c
run ruby ruby -e 'puts (1..1000).map { |x| x * x }.sum'
run lua lua5.4 -e 'local s = 0 for i = 1, 1e5 do s = s + i end print(s)'
run luajit luajit -e 'local s = 0 for i = 1, 1e6 do s = s + i end print(s)'
run node node -e 'let s = 0; for (let i = 0; i < 1e6; i++) s += i; console.log(s)'
run java java -version
run gdb gdb --version
run cmake cmake --version
run timeout timeout 1 sleep 5
run fortran ./sums
run throws ./throws

echo "$ran programs: $failed behave otherwise or are not counted, $detached went on natively"
[ $failed -eq 0 ]
