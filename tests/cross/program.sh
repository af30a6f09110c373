# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# shellcheck disable=SC2154
#
# Tests of the whole cross-built program under the emulator; sourced by run.sh, which gives verdict(), $scratch, $build and
# $TPROF_EMULATOR. Speeds under an emulator mean nothing; nothing here looks at one.

topology='synthetic:pack:1 l3:1(size=33554432) core:4 l2:1(size=1048576) l1:1(size=32768) pu:1'

# emulated ARGUMENT...: tprof, in a separate folder; its output is in $scratch/out and $scratch/err.
emulated() {
	local command status
	read -ra command <<<"$TPROF_EMULATOR"
	rm -rf "$scratch/here" && mkdir "$scratch/here" || return 125
	cp "$scratch/small.yaml" "$scratch/here" || return 125
	(cd "$scratch/here" && timeout --kill-after=10 1200 "${command[@]}" "$build/tprof" "$@") \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	{
		echo "tprof $* ended with status $status"
		cat "$scratch/out" "$scratch/err"
	} >"$scratch/said"
	return $status
}

# expects NAME STATUS FILE PATTERN ARGUMENT...: ends with STATUS, and prints a line that matches into $scratch/FILE.
expects() {
	local name=$1 status=$2 file=$3 pattern=$4 ended
	shift 4
	emulated "$@"
	ended=$?
	[ $ended -eq "$status" ] && grep -qE -e "$pattern" "$scratch/$file"
	verdict "$name" $? "$scratch/said"
}

# What this architecture offers: whether `--list isas` names one.
has_back_end() {
	emulated --list isas && ! grep -q 'no kernels for' "$scratch/out" "$scratch/err"
}

program_tests() { # program_tests ARCHITECTURE PROCESSOR
	local name="$1 $2: tprof"
	cat >"$scratch/small.yaml" <<-'END'
		experiment: roofline
		isa: auto
		threads: 1
		level: [L1, L2]
		stop: {max_time: 20ms, max_samples: 8, min_count: 3}
		window: 20us
		pages: default
		cache_size: {L1: 16KiB, L2: 64KiB, L3: 256KiB}
	END
	expects "$name --version" 0 out '^tprof [0-9]' --version
	expects "$name --list isas" 0 out '^ISA ' --list isas
	expects "$name --list presets" 0 out '^quick ' --list presets
	if ! has_back_end; then
		expects "$name says that it has no kernels" 0 err "no kernels for $1" --list isas
		expects "$name --dry-run says so" 2 err 'no kernels for this architecture' \
			--dry-run quick --topology "$topology"
		expects "$name --batch says so" 2 err 'no kernels for this architecture' --batch quick
		return
	fi
	expects "$name --dry-run quick" 0 out . --dry-run quick --topology "$topology"
	# The engine is the program started by itself: this passes only if that goes through the emulator as well.
	expects "$name measures in an engine process" 0 out '"ev":"done".*"state":"complete"' --batch small.yaml --events
}
