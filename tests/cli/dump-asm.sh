# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Every kernel of every ISA as text: the head describes it, and the system assembler accepts the rest.
run --list isas
expect_exit 0
isas=$(awk 'NR > 1 { print $1 }' out)
[ -n "$isas" ] || skip_all 'no kernels for this architecture'
run --list kernels
expect_exit 0
# dot and tile are there in narrow precisions alone: see below.
kernels="$(awk 'NR > 1 && $1 != "dot" && $1 != "tile" { print $1 }' out) store-nt 1ld3st mixed-add-load-1:4"

# source_text: stdin in the form of the assembler, with labels for jump targets and without padding.
source_text() {
	echo .text
	awk '/^#/ || $2 == "nop" { if ($2 == "nop") print "L" substr($1, 1, length($1) - 1) ": nop"; next }
		{
			at = substr($1, 1, length($1) - 1)
			sub(/^ *[0-9a-f]+: */, "")
			if ($1 == "jnz") {
				to = tolower($2)
				sub(/^0x0*/, "", to)
				$0 = "jnz L" (to == "" ? "0" : to)
			}
			print "L" at ": " $0
		}'
}

assembler=
if [ "$(uname -m)" != x86_64 ]; then
	skip "assembling what is shown: not known for $(uname -m)"
elif have as; then
	assembler='as --64 -msyntax=intel -mnaked-reg'
fi

for isa in $isas; do
	for kernel in $kernels; do
		for precision in '' /single; do
			case $kernel$precision in chain/single | chase/single) continue ;; esac
			run --dump-asm "$isa:$kernel$precision"
			expect_exit 0
			expect_no_err
			expect_out "# $isa $kernel, "
			expect_out_line '.*:  ret'
			[ -z "$assembler" ] && continue
			source_text <out >kernel.s
			$assembler -o kernel.o kernel.s 2>err || fail "the assembler refuses the text of $isa:$kernel$precision"
		done
	done
done

# Narrow precisions, by the names of their list: shown whether this CPU has them or not.
run --list precisions --names
expect_exit 0
mapfile -t narrow <out
for kernel in "${narrow[@]}"; do
	run --dump-asm "$kernel"
	expect_exit 0
	expect_no_err
	expect_out_line "# ${kernel%%:*} .*, ${kernel##*/} precision, [0-9]+-byte operands, body u240"
	expect_out_line '.*:  ret'
	[ -z "$assembler" ] && continue
	# The assembler needs the size of a tile configuration left out.
	source_text <out | sed 's/ldtilecfg zmmword ptr/ldtilecfg/' >kernel.s
	$assembler -o kernel.o kernel.s 2>err || fail "the assembler refuses the text of $kernel"
done

# Sizes: the head counts what a pass does.
run --dump-asm "$isa:load:4KiB"
expect_exit 0
expect_out 'one pass over 4 KiB'
expect_out 'loads (4 KiB)'
run --dump-asm "$isa:2ld1st:3KiB" --dump-asm "$isa:fma"
expect_exit 0
expect_out 'loads (2 KiB)'
expect_out 'stores (1 KiB)'
expect_out "# $isa fma, "

# Impossible requests.
for bad in neon:load "$isa:laod" "$isa:load:100" "$isa:load:0" "$isa:fma:4KiB" "$isa:load/half" "$isa" "$isa:" ":load" "$isa:0ld0st" \
	"$isa:mixed-fma-2ld1st-0:1" "$isa:load:100TiB" "$isa:999ld1st"; do
	run --dump-asm "$bad"
	expect_exit 2
	expect_no_out
	expect_err 'tprof: '
done
run --dump-asm "$isa:laod"
expect_err 'did you mean load?'
