#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Variants of a C template, 500 unless said: how long they take to compile on all CPUs, and to come from the cache; that nothing is compiled twice,
# also by a run that is killed (kill -9) in the middle and resumed. Usage: tests/bench/template_cache.sh [TPROF [VARIANTS]]
# Exit status 0 if nothing was compiled twice and nothing was lost.
set -u
cd "$(dirname "$0")/../.." || exit 2
tprof=$(realpath "${1:-build/tprof}") || exit 2
variants=$((${2:-500} / 20 * 20))
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config

# A compiler that records each call for a source.
mkdir "$scratch/bin"
cat >"$scratch/bin/gcc" <<END
#!/bin/sh
case "\$*" in *source.c*) echo . >>"\$COMPILER_CALLS" ;; esac
exec $(command -v gcc) "\$@"
END
chmod +x "$scratch/bin/gcc"
export PATH=$scratch/bin:$PATH COMPILER_CALLS=$scratch/calls

run() { # run COMMAND...
	"$tprof" "$@" 2>>"$scratch/said"
}
batch=(--batch template-matmul --allow-code --set template.compiler=gcc --set template.N=16 --set "template.ORDER=IJK IKJ JIK JKI KIJ"
	--set "template.TILE=1..$((variants / 20))" --set template.UNROLL=1..4 --set template.mca=none --set stop.max_time=2ms --set measure_again=false
	--set stop.basis=trimmed)
calls() { wc -l <"$COMPILER_CALLS"; }
objects() { # whole ones
	find "$XDG_CACHE_HOME/tprof/objects" -name 'new.*' -prune -o -name object.so -print 2>/dev/null | wc -l
}
compile_seconds() { # from hello to the first point
	awk -F'"t":' '/"ev":"hello"/ && !from { split($2, a, ","); from = a[1] }
		/"ev":"point_begin"/ && !done { split($2, a, ","); printf "%.2f s\n", a[1] - from; done = 1 }'
}
bad=0
expect() { # expect WHAT FOUND WANTED
	[ "$2" -eq "$3" ] && return
	echo "  $1: $2, expected $3"
	bad=1
}

await() { # await CONDITION: at most 5 minutes
	for _ in {1..3000}; do
		"$1" && return
		sleep 0.1
	done
	echo "gave up: $1"
	exit 1
}

echo "$variants variants, CPUs: $(nproc), load $(cut -d' ' -f1 /proc/loadavg)"
export XDG_CACHE_HOME=$scratch/cache
: >"$COMPILER_CALLS"
echo "compiled:       $(run "${batch[@]}" --events | compile_seconds)"
expect 'calls of the compiler' "$(calls)" $variants
expect objects "$(objects)" $variants
for _ in 1 2; do echo "from the cache: $(run "${batch[@]}" --events | compile_seconds)"; done
expect 'calls of the compiler' "$(calls)" $variants

# Killed while it compiles: what was under way then may be compiled again, and nothing else. tests/cli/template.sh kills a run that measures.
export XDG_CACHE_HOME=$scratch/cache2
: >"$COMPILER_CALLS"
"$tprof" "${batch[@]}" --set name=torn --events >"$scratch/events" 2>>"$scratch/said" & # no function: its process would be a shell
victim=$!
# shellcheck disable=SC2317  # called by await
compiles() { [ -d "$XDG_CACHE_HOME/tprof/objects" ] && [ "$(objects)" -ge $((variants / 5)) ]; }
await compiles
kill -9 $victim
wait $victim 2>/dev/null
sleep 1
echo "killed after $(objects) objects, $(calls) calls of the compiler"
lost=$(($(calls) - $(objects)))
[ "$lost" -le "$(nproc)" ] || expect 'objects that were begun and lost' "$lost" "$(nproc)"
run --resume last --allow-code --csv >"$scratch/points.csv"
points=$(($(wc -l <"$scratch/points.csv") - 1))
echo "resumed: $(objects) objects, $(calls) calls of the compiler, $points points"
expect objects "$(objects)" $variants
[ "$points" -ge 0 ] || tail -n 3 "$scratch/said"
[ "$(calls)" -le $((variants + lost)) ] || expect 'calls of the compiler' "$(calls)" $((variants + lost))
expect points "$points" $variants
[ $bad = 0 ] && echo 'nothing was compiled twice, nothing was lost'
exit $bad
