#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# app_agree.sh [NAME...]: do the agent and the plug-in for qemu count the same? Each program runs under both, and the counts of its own files' code are compared, number by number: all of the mix, of the program and of each of its libraries. Left out are the
# loader, the C library, its mathematics, the run-time libraries of compilers and the kernel's page of clocks: they ask the processor
# which instructions there are, and the processor of qemu is another one; and the agent's own libraries. Prints a line for each program; ends with 1 if one differs.
# (GNU grep is not among them: what it does depends on where its memory lies, and differs from run to run.)
set -u
export LC_ALL=C PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$here/build}
count=$build/tests/bench/app_count
if [ ! -x "$count" ] || ! command -v qemu-x86_64 >/dev/null; then
	echo "app_agree: make tests/bench/app_count first; qemu-x86_64 is in Debian's qemu-user" >&2
	exit 2
fi
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2

seq 1 40000 | awk '{ print ($1 * 7919) % 40009, $1, "some words of text" }' >text
cat >sort.cc <<'END'
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
int main() {
	std::vector<unsigned> v(50000);
	std::map<std::string, int> words;
	unsigned x = 1, caught = 0;
	for (auto &e : v) e = x = x * 1664525u + 1013904223u;
	std::sort(v.begin(), v.end());
	for (unsigned i = 0; i < 2000; i++) words[std::to_string(v[i] % 97)]++;
	for (int i = 0; i < 100; i++) try { if (i % 3) throw std::runtime_error("x"); } catch (const std::exception &) { caught++; }
	return caught == 66 && words.size() == 97 ? 0 : 1;
}
END
cat >matmul.f90 <<'END'
program matmul
	integer, parameter :: n = 120
	real(8) :: a(n, n), b(n, n), c(n, n)
	integer :: i, j, k
	a = 1.5d0; b = 2.5d0; c = 0
	do j = 1, n; do k = 1, n; do i = 1, n
		c(i, j) = c(i, j) + a(i, k) * b(k, j)
	end do; end do; end do
	if (abs(c(n, n) - n * 3.75d0) > 1e-9) stop 1
end program
END
cat >query.sql <<'END'
create table t(a integer, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into t select i * 7919 % 5003, 'row ' || i from n;
create index x on t(a);
select count(*), sum(a), max(b) from t where a % 7 = 3;
END
cc -O2 -fno-tree-vectorize -pthread -I"$here/include" -o kernels "$here/tests/app/agree.c" || exit 2
c++ -O2 -o sort_cc sort.cc
gfortran -O3 -mavx2 -mfma -o matmul matmul.f90 2>/dev/null

declare -A commands=(
	[kernels]="./kernels" [sort_cc]="./sort_cc" [matmul]="./matmul"
	[gzip]="gzip -9 -c text" [bzip2]="bzip2 -c text" [xz]="xz -T1 -2 -c text"
	[sort]="sort --parallel=1 -S 8M text" [sqlite3]="sqlite3 -init query.sql :memory: .quit"
	[perl]="perl -ne \$h{\$_%97}+=length;END{print\$h{5}} text" [sed]="sed -E s/(some).(words)/\\2-\\1/g text"
	[awk]="mawk {s+=\$1*\$2}END{print(s)} text" [od]="od -A n -t x4 text"
)
[ $# -gt 0 ] || set -- kernels sort_cc matmul gzip bzip2 xz sort sqlite3 perl sed awk od
other='module (-|\[vdso\]|libZy(dis|core).*|ld-linux.*|libc\.so.*|libm\.so.*|libgcc_s.*|libstdc\+\+.*|libgfortran.*|libquadmath.*|libpthread.*|libtprof.*) '
agreed=0 told=0
printf '%-10s %14s %10s %10s %s\n' program instructions agent/s qemu/s result
for name; do
	read -ra words <<<"${commands[$name]:-$name}"
	if ! command -v "${words[0]}" >/dev/null; then
		printf '%-10s not installed\n' "$name"
		continue
	fi
	TIMEFORMAT=%R
	for way in agent qemu; do
		t=$({ time timeout 250 "$count" "$way" "${words[@]}" >found 2>/dev/null; } 2>&1)
		printf -v "${way}_seconds" %s "$t"
		grep '^module ' found | grep -vE "^$other" | sort >"$way.counts"
	done
	n=$(awk '$3 == "instructions" { n += $4 } END { printf "%d", n }' agent.counts)
	told=$((told + 1)) result=equal
	if [ "$n" -eq 0 ] || ! cmp -s agent.counts qemu.counts; then
		result="DIFFERENT: $(diff agent.counts qemu.counts | grep '^[<>]' | head -n 4 | tr '\n' ';')"
	else
		agreed=$((agreed + 1))
	fi
	# shellcheck disable=SC2154 # printf -v above
	printf '%-10s %14s %10s %10s %s\n' "$name" "$n" "$agent_seconds" "$qemu_seconds" "$result"
done
echo "$agreed of $told agree"
[ "$agreed" -eq "$told" ]
