# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# refused STATUS WORDS... -- ARGUMENT...: the program ends with that status, prints all the words, and leaves no files.
refused() {
	local wanted=$1 words=()
	shift
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	run "$@"
	expect_exit "$wanted"
	expect_no_out
	for word in "${words[@]}"; do
		expect_err "$word"
	done
	[ -z "$(find "$XDG_DATA_HOME" -mindepth 1)" ] || fail 'expected no trace of a run'
}

# Keys, types, ranges: what was found, what is allowed, what is near.
refused 2 --set thredas threads -- --batch quick --set thredas=2
refused 2 '"two"' 'whole number from 1 to 65536' -- --batch quick --set threads=two
refused 2 '"0"' 'out of range' -- --batch quick --set threads=0
refused 2 '"70000"' 'out of range' -- --batch quick --set threads=70000
refused 2 '"quad"' 'double, single, half, bf16 or int8' -- --batch quick --set precision=quad
refused 2 '"200%"' 'out of range' -- --batch quick --set stop.error=200%
refused 2 '"fast"' 'such as 500ms' -- --batch quick --set stop.max_time=fast
refused 2 '"0:0"' 'such as 2:1' -- --batch quick --set ratio=0:0
refused 2 '"bandwidth"' 'roofline, mixed' -- --batch quick --set experiment=bandwidth
refused 2 '"roofine"' 'did you mean roofline?' -- --batch quick --set experiment=roofine
refused 2 'stride is used by no run' memcurve -- --batch quick --set stride=2
refused 2 'write --set key=value' -- --batch quick --set threads
refused 2 'best is for the roofline' -- --batch memcurve --set ratio=best
refused 2 'size_min' -- --batch memcurve --set size_min=1MiB --set size_max=1KiB
refused 2 'leaves no access' -- --batch memcurve --set sizes=2KiB --set stride=4096
refused 2 'no machine model' 'zen4' -- --batch quick --machine zen44
refused 2 'affinity' 'did you mean scatter?' -- --batch quick --set affinity=scattr
refused 2 'affinity' 'listed twice' -- --batch quick --set "affinity=$(one_cpu),$(one_cpu)" --set threads=1
refused 2 'affinity' 'CPU 999999 does not exist' -- --batch quick --set affinity=999999

# ISAs of other architectures, and ones that do not exist.
refused 2 '"neon"' auto -- --batch quick --set isa=neon
refused 2 '"auot"' 'did you mean auto?' -- --batch quick --set isa=auot

# More threads than CPUs, and more memory than there is.
cpus=$(cpus_allowed)
refused 2 "$((cpus + 1)) threads" 'fewer threads' -- --batch quick --set "threads=$((cpus + 1))"
refused 4 sizes 'smaller sizes' -- --batch memcurve --set sizes=512TiB
refused 4 size_max 'smaller sizes' -- --batch memcurve --set size_max=512TiB

# For another machine, tprof plans but does not measure.
elsewhere='synthetic:pack:2 l3:1(size=33554432) core:64 l2:1(size=1048576) l1:1(size=32768) pu:2'
refused 2 'another machine' --dry-run -- --batch quick --topology "$elsewhere"
run --dry-run quick --topology "$elsewhere" --set threads=256
expect_exit 0
expect_out 'L1 '
refused 2 '257 threads' 256 -- --dry-run quick --topology "$elsewhere" --set threads=257
refused 2 nonsense 'synthetic:' -- --dry-run quick --topology synthetic:nonsense
refused 2 no/such.xml -- --dry-run quick --topology no/such.xml
echo 'not XML' >torn.xml
refused 2 torn.xml -- --dry-run quick --topology torn.xml

# Several commands at once, and extra words.
refused 2 exclude -- --batch quick --check quick
refused 2 exclude -- --batch quick --json --csv
refused 2 '-o FILE' -- --batch quick --events --csv
refused 2 '"extra"' -- --batch quick extra
refused 2 '--report' always -- --batch quick --report=sometimes
refused 2 'no value' -- --batch

# A preset that may not be read.
cat >secret.yaml <<'END'
experiment: roofline
END
chmod 000 secret.yaml
if [ -r secret.yaml ]; then
	skip 'a preset without read permission: this user may read everything'
else
	refused 4 secret.yaml -- --batch secret.yaml
fi
refused 2 no-such.yaml -- --batch no-such.yaml

# All errors are reported at once, wherever they are.
cat >wrong.yaml <<'END'
threads: 0
runs:
  - experiment: memcurve
    fp_op: add
  - experiment: mixed
    stride: 2
    intensity: [1, zero]
END
export TPROF_ISA=7 TPROF_THRAEDS=2
echo 'sead: 1' >"$XDG_CONFIG_HOME/tprof.yaml"
mkdir -p "$XDG_CONFIG_HOME/tprof"
mv "$XDG_CONFIG_HOME/tprof.yaml" "$XDG_CONFIG_HOME/tprof/config.yaml"
refused 2 wrong.yaml:1:10 wrong.yaml:4:5 wrong.yaml:6:5 wrong.yaml:7: '"zero"' TPROF_THRAEDS config.yaml:1:1 seed --set pages '"giant"' -- \
	--batch wrong.yaml --set pages=giant
