# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Examples for monitoring: metrics for Prometheus, and a check for ReFrame.
. "$TPROF_CLI/lib.sh"

mkdir bin
ln -s "$TPROF" bin/tprof
export PATH=$PWD/bin:$PATH
run --batch quick --machine zen4 --simulate --run-dir run
expect_exit 0

# --- Prometheus ---

textfile=$TPROF_SRCDIR/packaging/prometheus/tprof-textfile
metrics() { # metrics RUN: into out
	ran="tprof-textfile $1" status=0
	sh "$textfile" "$1" >out 2>err || status=$?
	expect_exit 0
	expect_no_err
	# The text format: HELP and TYPE, then samples of that metric; no two with the same labels.
	awk '
		/^# HELP / { if (($3 in helped) || NF < 4) exit 1; helped[$3] = 1; next }
		/^# TYPE / { if (!($3 in helped) || $4 != "gauge" || NF != 4) exit 1; metric = $3; next }
		{
			labels = "([a-z_]+=\"([^\"\\\\]|\\\\[\"\\\\n])*\",)*[a-z_]+=\"([^\"\\\\]|\\\\[\"\\\\n])*\""
			if ($0 !~ "^[a-z_]+[{]" labels "[}] -?[0-9][0-9.]*(e[-+]?[0-9]+)?$") exit 1
			if (substr($0, 1, length(metric) + 1) != metric "{") exit 1
			sample = $0
			sub(/ [^ ]*$/, "", sample)
			if (sample in seen) exit 1
			seen[sample] = 1
			n++
		}
		END { if (!n) exit 1 }' out || fail "not the text format of Prometheus"
}
metrics run
for figures in gbps:speed_gbps gflops:speed_gflops; do
	column "median_${figures%:*}" run/points.csv | grep . >wanted
	sed -n "s/^tprof_${figures#*:}{.* //p" out >got
	diff wanted got >differs || fail "the metrics are not the medians of points.csv: $(cat differs)"
done
expect_out_line 'tprof_points\{quality="good"\} 6'
expect_out 'level="DRAM"'
run --list examples --names
cp out names
while read -r name; do
	metrics "$name"
done <names
metrics example/latency
expect_out '# TYPE tprof_latency_ns gauge'
metrics example/asm
expect_out 'experiment="asm"'

# A file is replaced in one step, and stays where there is no such run.
sh "$textfile" run tprof.prom 2>err || fail 'no file was written'
metrics run
cmp -s out tprof.prom || fail 'expected the same in the file'
! sh "$textfile" nosuchrun tprof.prom 2>err || fail 'expected a failure'
expect_err 'nosuchrun'
cmp -s out tprof.prom || fail 'expected the file to stay'
[ "$(echo tprof.prom*)" = tprof.prom ] || fail 'expected no other file'

# --- ReFrame ---

check=$TPROF_SRCDIR/packaging/reframe/tprof_check.py
column median_gbps run/points.csv | grep . >wanted
column median_gflops run/points.csv | grep . >>wanted
if have reframe; then
	ran='reframe -r' status=0
	TPROF_MACHINE=zen4 TPROF_SIMULATE=quiet reframe --prefix "$PWD/reframe" -c "$check" -r --performance-report >out 2>err || status=$?
	expect_exit 0
	sed -n 's/^P: .*: \([0-9.]*\) G.*/\1/p' out >got
	diff wanted got >differs || fail "ReFrame reports other values: $(cat differs)"
elif have python3; then
	# As far as it goes without ReFrame: what the check would run, and the values that it reads.
	mkdir -p stub/reframe/core stub/reframe/utility
	cat >stub/reframe/__init__.py <<-'END'
		class RunOnlyRegressionTest:
		    pass
		def simple_test(check):
		    return check
	END
	cat >stub/reframe/core/builtins.py <<-'END'
		def run_before(stage):
		    return lambda method: method
		def sanity_function(method):
		    return method
		def variable(kind, value):
		    return value
	END
	cat >stub/reframe/utility/sanity.py <<-'END'
		def defer(value):
		    return value
		def make_performance_function(value, unit):
		    return value, unit
	END
	touch stub/reframe/core/__init__.py stub/reframe/utility/__init__.py
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=stub:${check%/*} python3 - >got 2>err <<-'END' || fail 'the check for ReFrame fails'
		import tprof_check
		check = tprof_check.TprofCheck()
		check.stagedir = "."
		check.set_options()
		assert check.executable_opts[:2] == ["--batch", "quick"], check.executable_opts
		check.set_variables()
		assert check.perf_variables["avx512_DRAM_2ld1st_double_1t"][1] == "GB/s", check.perf_variables
		for value, unit in sorted(check.perf_variables.values(), key=lambda v: v[1] != "GB/s"):
		    print(f"{value:.10g}")
	END
	diff wanted got >differs || fail "the check reads other values: $(cat differs)"
fi
