#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Real programs under the agent: whether each prints and ends as it does natively, whether the agent stayed in, and
# how much longer it took. Programs that are not installed are named. Status 1 if one behaves differently.
#
# usage: agent_survive.sh [NAME...]	(default: all)
#
# Environment: TPROF_BUILDDIR (default: build beside this source tree).
# shellcheck disable=SC2016 # programs of others expand them
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
failed=0 ran=0 detached=0 missing=0

cd "$work" || exit 2
home=$HOME
export HOME=$work OPENBLAS_NUM_THREADS=2
seq 1 120000 >numbers
awk '{ print $1 % 97, $1 % 1013, "word" $1 % 11 }' numbers >columns
cat >hello.c <<'EOF'
#include <stdio.h>
int main(void) { printf("hello %d\n", 42); return 0; }
EOF
cat >sums.f90 <<'EOF'
program sums
 integer :: i
 real(8) :: s
 s = 0
 do i = 1, 50000000
  s = s + sqrt(dble(i))
 end do
 write(*,'(f18.3)') s
end program
EOF
cat >throws.cc <<'EOF'
#include <cstdio>
#include <stdexcept>
#include <vector>
static int f(int n) { if (!n) throw std::runtime_error("deep"); std::vector<int> v(n); return f(n - 1) + v.size(); }
int main() { int n = 0; for (int i = 0; i < 20000; i++) try { f(i % 20); } catch (const std::exception &) { n++; } std::printf("%d\n", n); return 3; }
EOF
cat >openmp.c <<'EOF'
#include <math.h>
#include <stdio.h>
int main(void)
{
	static double a[1 << 20];
	long n = 0;
	for (int k = 0; k < 20; k++) {
#pragma omp parallel for reduction(+ : n)
		for (int i = 0; i < 1 << 20; i++) { a[i] = sin(a[i] + i); n += a[i] > 0.5; }
	}
	printf("%ld\n", n);
	return 0;
}
EOF
cat >blas.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static double a[512 * 512], b[512 * 512], c[512 * 512], work[512 * 64];
int main(int argc, char **argv)
{
	int n = 512, pivots[512], info, words = 512 * 64;
	double one = 1, zero = 0;
	void *blas = dlopen(argv[1], RTLD_NOW);
	void (*dgemm)() = (void (*)())dlsym(blas, "dgemm_"), (*dgetrf)() = (void (*)())dlsym(blas, "dgetrf_");
	void (*dgetri)() = (void (*)())dlsym(blas, "dgetri_");
	if (argc < 2 || !dgemm || !dgetrf || !dgetri) return 2;
	for (int i = 0; i < n * n; i++) { a[i] = (i * 7 % 13) - 6 + (i % 513 == 0) * 40; b[i] = i % 11; }
	for (int k = 0; k < 10; k++) dgemm("N", "T", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
	dgetrf(&n, &n, a, &n, pivots, &info);
	dgetri(&n, a, &n, pivots, work, &words, &info);
	printf("%.6g %.9f %d\n", c[5 * n + 7], a[3 * n + 4], info);
	return 0;
}
EOF
cat >fft.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static double in[1 << 20], out[1 << 21];
int main(void)
{
	void *fftw = dlopen("libfftw3.so.3", RTLD_NOW);
	void *(*plan)(int, double *, double *, unsigned) = fftw ? (void *(*)())dlsym(fftw, "fftw_plan_dft_r2c_1d") : NULL;
	void (*execute)(void *) = fftw ? (void (*)())dlsym(fftw, "fftw_execute") : NULL;
	if (!plan || !execute) return 2;
	for (int i = 0; i < 1 << 20; i++) in[i] = i % 17 - i % 5;
	void *p = plan(1 << 20, in, out, 1 << 6);
	for (int k = 0; k < 20; k++) execute(p);
	printf("%.5f %.5f\n", out[2 * 4099], out[2 * 61681 + 1]);
	return 0;
}
EOF
cat >threads.cc <<'EOF'
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <vector>
int main() {
	std::map<int, long> m; std::mutex lock; std::vector<std::thread> t; std::atomic<long> n{0};
	for (int k = 0; k < 4; k++) t.emplace_back([&, k] { for (int i = 0; i < 200000; i++) { n += i; std::lock_guard<std::mutex> g(lock); m[i % 1000] += k; } });
	for (auto &x : t) x.join();
	std::printf("%ld %zu %ld\n", n.load(), m.size(), m[7]);
}
EOF
cat >hello.go <<'EOF'
package main

import (
	"fmt"
	"sync"
)

func main() {
	var w sync.WaitGroup
	c := make(chan int, 10)
	for k := 0; k < 50; k++ {
		w.Add(1)
		go func(k int) { defer w.Done(); s := 0; for i := 0; i < 100000; i++ { s += i % (k + 1) }; c <- s }(k)
	}
	go func() { w.Wait(); close(c) }()
	s := 0
	for x := range c { s += x }
	fmt.Println(s)
}
EOF
cat >Hello.java <<'EOF'
public class Hello {
	public static void main(String[] a) {
		long s = 0;
		java.util.HashMap<Integer, Long> m = new java.util.HashMap<>();
		for (int i = 0; i < Integer.parseInt(a[0]); i++) { s += i * 31L ^ s >> 3; m.merge(i % 1000, s, Long::sum); }
		System.out.println(s + " " + m.get(7));
	}
}
EOF
echo 'let rec f n = if n < 2 then n else f (n - 1) + f (n - 2);; print_int (f 27);; print_newline ();;' >fib.ml
printf '(define (f n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2)))))\n(display (f 24))\n(newline)\n(exit 0)\n' >fib.scm
printf '(defun f (n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2)))))\n(format t "~a~%%" (f 22))\n' >fib.lisp
printf 'echo "hello"\nvar s = 0\nfor i in 0 .. 100000: s += i mod 7\necho s\n' >hello.nim
printf 'begin writeln(42) end.\n' >hello.pas
printf 'set s 0\nfor {set i 0} {$i < 100000} {incr i} {incr s [expr {$i %% 7}]}\nputs $s\n' >sum.tcl
printf 'fn main() { let v: Vec<u64> = (0..100000).map(|x| x * x %% 7).collect(); println!("{}", v.iter().sum::<u64>()); }\n' >hello.rs
printf 'section .text\nglobal f\nf: mov eax, 42\nret\n' >hello.asm
printf '%%%%\n[0-9]+ { return 1; }\n%%%%\n' >scan.l
printf '%%%%\na: %%%%empty | a "x";\n%%%%\n' >parse.y
printf 'rule c\n command = cp $in $out\nbuild copy: c numbers\n' >build.ninja
printf '.sp\nhello, world\n.br\n%s\n' $(seq 500) >page.roff
printf 'p cnf 3 3\n1 2 0\n-1 3 0\n-2 -3 0\n' >small.cnf
printf 'var x >= 0; var y >= 0; maximize z: 3 * x + 2 * y; s.t. a: x + y <= 4; s.t. b: x + 3 * y <= 6; solve; display x, y; end;\n' >small.mod
printf '(declare-const x Int)(declare-const y Int)(assert (= (+ (* x x) (* y y)) 65))(assert (< 0 x y))(check-sat)(get-value (x y))\n' >small.smt
printf 'digraph { %s }\n' "$(awk 'NR < 60 { print $1 " -> " ($1 * 7) % 31 ";" }' numbers)" >graph.dot
{ echo '<r>'; awk 'NR < 5000 { print "<a b=\"" $1 "\">" $1 % 7 "</a>" }' numbers; echo '</r>'; } >data.xml
echo '<x:stylesheet version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform"><x:output method="text"/><x:template match="/"><x:value-of select="sum(//a)"/></x:template></x:stylesheet>' >sum.xsl
printf 'P5\n320 240\n255\n' >picture.pgm && head -c 76800 <(cat numbers numbers) >>picture.pgm
printf '%%!PS\n/Helvetica findfont 20 scalefont setfont 50 50 moveto (hello) show 100 100 200 200 rectstroke showpage\n' >page.ps
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%c", 97 + (i * i) % 23 }' >sound.raw
# Programs that others make.
built() { command -v "$1" >/dev/null && "$@" >/dev/null 2>&1; }
built gfortran -O2 -o sums sums.f90
built g++ -O2 -o throws throws.cc
built g++ -O2 -o threads threads.cc -lpthread
built gcc -O2 -fopenmp -o openmp openmp.c -lm
built gcc -O1 -w -o blas blas.c -ldl
built gcc -O1 -w -o fft fft.c -ldl
built gcc -O2 -static -o static hello.c
built gcc -g -O0 -o debugged hello.c
built gcc -c -o hello.o hello.c
built gcc -E -P -o hello.i hello.c
built g++ -E -P -o throws.ii throws.cc
built env HOME="$home" GOFLAGS=-mod=mod GOCACHE="$work/go" go build -o hello-go hello.go
built env HOME="$home" GOFLAGS=-mod=mod GOCACHE="$work/go" CGO_ENABLED=1 go build -ldflags=-linkmode=external -o hello-cgo hello.go
built env HOME="$home" rustc -O -o hello-rust hello.rs
built ocamlopt -o fib-ocaml fib.ml
built ocamlc -o fib-bytes fib.ml
built nim c --nimcache:nim -o:hello-nim hello.nim
built fpc hello.pas
built javac Hello.java
built gs -q -dBATCH -dNOPAUSE -sDEVICE=pdfwrite -sOutputFile=page.pdf page.ps
built convert picture.pgm picture.png
built sox -t u8 -r 8000 -c 1 sound.raw sound.wav
built cjpeg -outfile picture.jpg picture.pgm

seconds() { # seconds COMMAND...: its time in $took
	local from=$EPOCHREALTIME
	"$@"
	local status=$?
	took=$(awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')
	return $status
}

native() { timeout 120 "$@" >"$work/native.out" 2>"$work/native.err" <"$work/numbers"; }
counted() { timeout 300 "$runner" "$agent" "$@" >"$work/agent.out" 2>"$work/agent.err" 9>"$work/counts" <"$work/numbers"; }

# is_static PROGRAM: the kernel loads no agent into it.
is_static() { ! readelf -lW "$(command -v "$1")" 2>/dev/null | grep -q INTERP && readelf -h "$(command -v "$1")" >/dev/null 2>&1; }

# compare BAR NAME PROGRAM ARGUMENT...: standard output and status are compared. BAR: how many times as long it may take.
compare() {
	local bar=$1 name=$2 a=0 b=0 before words verdict=same
	shift 2
	[ "$wanted" = '  ' ] || [[ $wanted == *" $name "* ]] || return 0
	if ! command -v "$1" >/dev/null; then
		printf '%-12s not installed\n' "$name"
		missing=$((missing + 1))
		return 0
	fi
	seconds native "$@" || a=$?
	before=$took
	seconds counted "$@" || b=$?
	words=$(sed -n 's/^words //p' counts | head -1)
	! is_static "$1" || words='it is static'
	ran=$((ran + 1))
	[ -z "$words" ] || detached=$((detached + 1))
	if [ $a -ne $b ] || ! cmp -s native.out agent.out; then
		verdict="OTHERWISE (status $b, natively $a)"
		failed=$((failed + 1))
		others="$others $name"
	elif ! grep -q '^instructions [1-9]' counts && [ -z "$words" ]; then
		verdict='NOT COUNTED'
		failed=$((failed + 1))
		others="$others $name"
	fi
	[ $a -eq 0 ] || verdict="$verdict (status $a)"
	printf '%-12s %s  %s s, natively %s s, %s instructions%s\n' "$name" "$verdict" "$took" "$before" \
		"$(sed -n 's/^instructions //p' counts)" "${words:+; detached: $words}"
	[ -n "$words" ] || echo "$name $bar $before $took" >>took
}
run() { compare 20 "$@"; }
numeric() { compare 5 "$@"; }

: >took
others=
# --- numeric ---
blas=$(printf '%s\n' /usr/lib/*/openblas-pthread/liblapack.so.3 /usr/lib/*/liblapack.so.3 | while read -r f; do [ -e "$f" ] && echo "$f" && break; done)
numeric fortran ./sums
numeric openmp ./openmp
numeric lapack ./blas "$blas"
numeric fftw ./fft
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
	numeric numpy /usr/bin/python3 -c 'import numpy as np
a = np.arange(1000000.).reshape(1000, 1000) % 17; print((a @ a).sum(), np.linalg.norm(a), np.sort(a.ravel())[:3], np.fft.fft(a).real.sum().round(3))'
fi
if /usr/bin/python3 -c 'import scipy' 2>/dev/null; then
	numeric scipy /usr/bin/python3 -c 'import numpy as np, scipy.linalg as l, scipy.integrate as q, scipy.sparse as s, scipy.sparse.linalg as sl
a = np.arange(160000.).reshape(400, 400) % 23 + 50 * np.eye(400); print(np.round(l.det(a[:9, :9]), 3), np.round(l.svdvals(a)[:3], 6), q.quad(np.sin, 0, 1)[0])
m = s.diags([-1, 4, -1], [-1, 0, 1], shape=(20000, 20000), format="csc"); print(np.round(sl.spsolve(m, np.ones(20000)).sum(), 6))'
fi
numeric gsl gsl-randist 1 200000 gaussian 1
numeric speed sh -c 'exec openssl speed -seconds 1 -bytes 1024 aes-128-cbc >/dev/null'
numeric ffmpeg ffmpeg -v error -f lavfi -i testsrc=duration=2:size=320x240:rate=25 -threads 2 -c:v mpeg4 -bitexact -f avi -
numeric ffmpeg-h264 ffmpeg -v error -f lavfi -i testsrc=duration=1:size=320x240:rate=25 -threads 1 -c:v libx264 -bitexact -f h264 -
numeric convert convert picture.pgm -blur 0x3 -resize 200% -rotate 30 pgm:-
numeric sox sox -R sound.wav -t raw - reverb 50 pitch 300
numeric flac flac -s -c --best sound.wav
numeric oggenc oggenc -Q --serial 1 -o - sound.wav
numeric lame lame --quiet -q 2 sound.wav -
numeric cjpeg cjpeg -quality 90 picture.pgm
numeric djpeg djpeg picture.jpg
numeric cwebp cwebp -quiet -m 6 picture.png -o -
# --- compilers ---
run gcc gcc -O2 -S -o - hello.c
run cc1 "$(gcc -print-prog-name=cc1)" -quiet -O2 -o - hello.i
run g++ g++ -O1 -S -o - throws.cc
run cc1plus "$(g++ -print-prog-name=cc1plus 2>/dev/null)" -quiet -O2 -o - throws.ii
run f951 "$(gfortran -print-prog-name=f951 2>/dev/null)" -quiet -O2 -o - sums.f90
run gnat gnat --version
run clang clang -fintegrated-cc1 -O2 -S -o - hello.c
run clang++ clang++ -O2 -S -emit-llvm -o - throws.cc
run opt opt --version
run tcc tcc -run hello.c
run cpp cpp -P hello.c
run as as -o /dev/null /dev/null
run ld ld.bfd -r -o /dev/null hello.o
run gold ld.gold -r -o /dev/null hello.o
run lld ld.lld -r -o linked.o hello.o
run objdump objdump -d hello.o
run readelf readelf -aW debugged
run nasm nasm -f elf64 -l /dev/stdout -o hello-asm.o hello.asm
run flex flex -t scan.l
run bison bison -o /dev/stdout parse.y
run go go version
run rustc env HOME="$home" rustc --version
run ocamlopt ocamlopt -dlambda -o fib2 fib.ml
run nim nim c --nimcache:nim2 -c --verbosity:0 --hints:off hello.nim
run fpc fpc -v0 -oother hello.pas
run javac javac -d classes Hello.java
run make make -n -C "$build" -o Makefile libtprof-agent.so
run ninja ninja -n
run cmake cmake --version
run m4 m4 -DX=3 -P /dev/null
run gettext msgfmt --version
# --- what they make ---
run throws ./throws
run threads ./threads
run static ./static
run go-static ./hello-go
run go-linked ./hello-cgo
run rust ./hello-rust
run ocaml-bin ./fib-ocaml
run ocamlrun ocamlrun fib-bytes
run nim-bin ./hello-nim
run pascal ./hello
# --- interpreters and JITs ---
run octave octave-cli -qf --eval 'a = reshape(mod(1:250000, 17), 500, 500); printf("%.6f %.6f\n", sum((a * a)(:)), norm(a)); s = 0; for i = 1:100000 s += sqrt(i); end; printf("%.6f\n", s)'
run R Rscript -e 'a <- matrix((1:90000) %% 17, 300); cat(sum(a %*% a), det(a[1:9,1:9] + diag(9)), sum(sapply(1:50000, sqrt)), "\n")'
run gnuplot gnuplot -e 'set terminal svg; set samples 20000; plot sin(x) / x'
run gp gp -q -f --default nbthreads=1 /dev/stdin
run maxima maxima --very-quiet --batch-string='integrate(1/(x^4+1),x); factor(x^30-1);'
run glpsol glpsol --math small.mod
run python python3 -c 'import json,re,hashlib,threading,subprocess
ts = [threading.Thread(target=lambda: sum(range(10000))) for i in range(10)]
[t.start() for t in ts]; [t.join() for t in ts]
print(subprocess.check_output(["echo", "hi"]), hashlib.sha256(b"x").hexdigest(), re.sub("a+", "b", "caat"))'
run ctypes python3 -c 'import ctypes
f = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
a = (ctypes.c_int * 200)(*[i * 37 % 199 for i in range(200)])
ctypes.CDLL(None).qsort(a, 200, 4, f(lambda x, y: ctypes.c_int.from_address(x).value - ctypes.c_int.from_address(y).value)); print(list(a)[:5])'
run pools python3 -c 'import multiprocessing, concurrent.futures as c
with multiprocessing.Pool(3) as p: print(sum(p.map(abs, range(-1000, 1000))))
with c.ThreadPoolExecutor(4) as e: print(sum(e.map(abs, range(-1000, 1000))))'
run asyncio python3 -c 'import asyncio
async def f(i): await asyncio.sleep(i / 1000); return i
async def main(): print(sum(await asyncio.gather(*map(f, range(50)))))
asyncio.run(main())'
run pypy3 pypy3 -c 'print(sum(i * i % 7 for i in range(1000000)))'
run perl perl -e 'my %h; $h{$_ % 97} += $_ for 1 .. 100000; print join(",", map { $h{$_} } sort { $a <=> $b } keys %h), "\n";
$SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 1; 1 while 1 }; print $@'
run ruby ruby -e 'puts (1..100000).map { |x| x * x }.sum; puts 20.times.map { |i| Thread.new { i * i } }.map(&:value).sum'
run ruby-jit ruby --jit -e 's = 0; 300000.times { |i| s += i % 7 }; puts s'
run lua lua5.4 -e 'local s = 0 for i = 1, 1e6 do s = s + i end print(s)'
run luajit luajit -e 'local s = 0 for i = 1, 1e8 do s = s + i end print(s) local t = {} for i = 1, 1e5 do t[i] = tostring(i):rep(2) end print(#table.concat(t))'
run luajit-ffi luajit -e 'local f = require "ffi" f.cdef "int abs(int); void qsort(void *, size_t, size_t, int (*)(const int *, const int *));" local a = f.new("int[100]") for i = 0, 99 do a[i] = i * 37 % 101 end f.C.qsort(a, 100, 4, function(x, y) return x[0] - y[0] end) print(a[0], a[99], f.C.abs(-3))'
run node node -e 'let s = 0; for (let i = 0; i < 1e7; i++) s += i % 7; console.log(s)'
run node-int node --jitless -e 'let s = 0; for (let i = 0; i < 1e5; i++) s += i % 7; console.log(s)'
run java java -cp . Hello 3000000
run java-int java -Xint -cp . Hello 200000
run java-version java -version
run guile guile --no-auto-compile fib.scm
run guile-int env GUILE_JIT_THRESHOLD=-1 guile --no-auto-compile fib.scm
run sbcl sbcl --script fib.lisp
run ecl ecl --shell fib.lisp
run clisp clisp -q fib.lisp
run gambit gsi fib.scm
run chez chezscheme --script fib.scm
run erl erl -noshell -eval 'io:format("~p~n", [lists:sum([X * X rem 7 || X <- lists:seq(1, 200000)])]), halt().'
run elixir elixir -e 'IO.puts(Enum.sum(1..100_000))'
run ocaml ocaml fib.ml
run swipl swipl -g 'numlist(1, 100000, L), sum_list(L, S), print(S), nl' -t halt
run gforth gforth -e ': f dup 2 < if else dup 1- recurse swap 2 - recurse + then ; 25 f . cr bye'
run php php -r '$s = 0; for ($i = 0; $i < 1000000; $i++) $s += $i % 7; echo "$s\n";'
run picolisp picolisp -'prinl (apply + (range 1 10000))' -bye
run mono mono --version
run tclsh tclsh sum.tcl
run awk awk '{ s += $1 * $1 } END { printf "%.0f\n", s }' numbers
run gawk gawk '{ a[$3] += $1 * $2 } END { n = asorti(a, b); for (i = 1; i <= n; i++) print b[i], a[b[i]] }' columns
run mawk mawk '{ a[$1] += $2 } END { for (i = 0; i < 97; i++) print a[i] }' columns
run bc bc -l -q /dev/stdin
run dc dc -e '2 3000 ^ p'
run jq jq -n '[range(100000)] | map(. * .) | add'
# --- shells ---
run bash bash -c 'for i in 1 2 3; do (echo $i); done; trap "echo usr" USR1; kill -USR1 $$; x=$(seq 100 | wc -l); echo $x; exec echo done'
run sh sh -c 'i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done; echo $i; ls | wc -l'
run zsh zsh -fc 'for i in {1..20000}; do (( s += i * i % 7 )); done; print $s; print -l *.c'
run ksh ksh -c 'integer s=0; for ((i = 0; i < 20000; i++)); do ((s += i % 7)); done; print $s; print $(seq 3)'
run fish fish -N -c 'for i in (seq 300); math $i x 2; end | tail -1'
run busybox busybox sh -c 'seq 1000 | wc -l; busybox awk "{ s += \$1 } END { print s }" numbers'
# --- data ---
run sqlite3 sqlite3 :memory: 'create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<200000) insert into t select x,x*x from c; select sum(b),count(*) from t where a%7=3;'
run openssl openssl dgst -sha512 numbers
run rsa sh -c 'openssl genrsa 1024 2>/dev/null | openssl rsa -noout -check 2>&1'
run gpg gpg --homedir "$work" --batch --print-md SHA256 numbers
run gzip gzip -nc numbers
run pigz pigz -nc -p2 numbers
run bzip2 bzip2 -c numbers
run xz xz -T2 -c numbers
run zstd zstd -T2 -q -c numbers
run brotli brotli -c -q 6 numbers
run lz4 lz4 -q -c numbers
run lzop lzop -9 -c numbers
run zip zip -X -q - numbers
run 7z 7z a -si -so -txz -mmt=2 x
run tar tar -cf - --mtime=@0 numbers hello.c
run cpio sh -c 'echo numbers | exec cpio -o --quiet -H newc --reproducible'
run sort sort --parallel=2 -S 1M -rn numbers
run sed sed -n 's/1\(2*\)3/<\1>/p' numbers
run grep grep -cE '(12|34)+5' numbers
run find find /usr/include -maxdepth 2 -name '*.h'
run xargs xargs -n 20000 echo
run diff diff hello.c throws.cc
run cmp cmp numbers columns
run md5sum md5sum numbers
run b2sum b2sum numbers
run factor factor 1000000016000000063 123456789012345678901234567
run join join columns columns
run uniq uniq -c columns
run base64 base64 numbers
run od od -tx8 numbers
run xxd xxd numbers
run dd dd if=numbers bs=7 count=20000 status=none
run ls ls -lR /usr/share/perl
run tree tree -L 2 /usr/include
run split split -n l/3/4 numbers
run numfmt numfmt --to=iec
run datamash datamash sum 1 mean 1 pstdev 1
run ed ed -s hello.c
run vim vim -es -c ':put =range(5)' -c ':%p' -c ':q!'
run file file /bin/ls hello.c numbers
run xmllint xmllint --xpath 'count(//a[.=3])' data.xml
run xsltproc xsltproc sum.xsl data.xml
run git git -C "$source_folder" log --oneline -20
run rsync rsync -n -av --no-times numbers copy
run curl curl -s "file://$work/numbers"
run ssh ssh -V
run man man -l "$source_folder/man/tprof-app.1"
run groff groff -Tascii page.roff
run dot dot -Tplain graph.dot
run gs gs -q -dBATCH -dNOPAUSE -sDEVICE=pgmraw -r72 -sOutputFile=- page.ps
run pdftotext pdftotext page.pdf -
run qpdf qpdf --check page.pdf
run optipng optipng -simulate -quiet picture.png
run netpbm pnmscale 2 picture.pgm
run units units -t '3 feet' cm
run minisat minisat -verb=0 small.cnf
run z3 z3 small.smt
# --- what looks into other programs, or is one ---
run gdb gdb -nx -batch -ex 'break main' -ex run -ex 'print 6 * 7' -ex 'info symbol $pc' -ex delete -ex next ./debugged
run strace strace -qq -e trace=none ./debugged
run valgrind valgrind -q ./debugged
run qemu qemu-x86_64 ./debugged
run timeout timeout 1 sleep 5

# Times of a twentieth of a second natively and more: below it is starting that takes them.
awk '$3 >= 0.05 { printf "%.2f %s %s\n", $4 / $3, $1, $2 }' took | sort -n >slower
awk '$1 > $3 { print "slower than " $3 " times: " $2 ", " $1 " times" }' slower
echo "$ran programs ran, $missing are not installed: $failed behave otherwise or are not counted$others," \
	"$detached went on natively; slowdown $(awk '{ all[NR] = $1 } END { printf "%s median, %s worst", all[int((NR + 1) / 2)], all[NR] }' slower)"
[ $failed -eq 0 ]
