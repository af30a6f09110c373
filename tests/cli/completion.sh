# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Typed text is literal, and lists of plain words are split on purpose.
# shellcheck disable=SC2016,SC2046,SC2088,SC1003,SC2094
. "$TPROF_CLI/lib.sh"

# What bash offers after a line: the installed file runs in a real bash with set -u and gets the line as readline
# passes it.
mkdir bin
ln -s "$TPROF" bin/tprof
PATH=$PWD/bin:$PATH
cat >drive.bash <<'END'
set -u
. "$TPROF_SRCDIR/completion/bash/tprof"
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
while IFS= read -r COMP_LINE; do
	COMP_POINT=${#COMP_LINE}
	COMP_WORDS=()
	COMP_CWORD=0
	_tprof || echo 'status'
	printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} END
done
END

# offers LINE: writes the offers to out, one on each line.
offers() {
	ran="completing in bash: $1"
	printf '%s\n' "$1" | bash --norc --noprofile drive.bash 2>err | sed '$d' >out
	expect_no_err
}

expect_offer() { # expect_offer WORD: among those offered
	grep -qxF -e "$1" out || fail "expected to be offered: $1"
}

expect_offers() { # expect_offers LINE WORD...: exactly these, in any order
	local line=$1
	shift
	offers "$line"
	[ "$(sort out)" = "$(printf '%s\n' "$@" | sort)" ] || fail "expected these offers: $*"
}

# --- the script itself ---

run --completion bash
expect_exit 0
expect_no_err
bash -n out || fail 'bash cannot read its script'
! grep -n unknown out || fail 'expected every argument of an option to have a kind in commands.c'
run --completion tcsh
expect_exit 2
expect_err 'bash, zsh or fish'

# --- every option, and every argument of one ---

run --help=all
cp out help
sed -nE 's/^  (-.|   ),? ?(--[a-z-]+).*/\2/p' help | sort >options
[ "$(wc -l <options)" -gt 20 ] || fail 'expected the options of --help'
expect_offers 'tprof -' $(cat options)
expect_offers 'tprof ' doctor hardware $(cat options)
while read -r option; do
	expect_offers "tprof $option" $(grep -e "^$option" options)
done <options
# --help names the words that an option takes.
expect_offers 'tprof --color ' auto always never
expect_offers 'tprof --quiet --report=a' auto always
expect_offers 'tprof --completion ' bash zsh fish
expect_offers 'tprof -l' $(grep -e '^-l' options)
expect_offers 'tprof -l ' machines isas precisions kernels experiments presets patterns lessons regimes runs examples families bases habits events
for what in machines isas precisions kernels experiments presets patterns lessons regimes runs examples families bases habits events; do
	run --list "$what"
	expect_exit 0
done

# --- every preset option, and every word of one ---

sed '1,/^Preset options/d' help | sed -nE 's/^  ([A-Za-z_.0-9]+) .*/\1/p' | sort >keys
[ "$(wc -l <keys)" -gt 30 ] || fail 'expected the preset options of --help'
expect_offers 'tprof --set ' $(sed 's/$/=/' keys)
expect_offers 'tprof -s thread' threads=
while read -r key; do
	run --print-config --set "$key=@"
	allowed=$(sed -n 's/^ *allowed: //p' err)
	offers "tprof --set $key="
	cp out offered
	# The words that the error message allows: those parts of "A, B or C; or a list of them" that are one word.
	sed 's/; or a list of them//; s/, or /, /; s/ or /, /; s/, /\n/g' <<<"$allowed" | grep -vE ' |^$' >words
	while read -r word; do
		grep -qxF -e "$word" offered || fail "expected to be offered: $word"
	done <words
	# Every offer is accepted.
	while read -r word; do
		case $key in experiment | machine | isa | topology) continue ;; esac
		run --print-config --set "$key=$word"
		! grep -q 'allowed:' err || fail "offered and refused: $key=$word"
	done <offered
done <keys

# --- what exists now ---

mkdir -p "$XDG_DATA_HOME/tprof/presets" "$XDG_DATA_HOME/tprof/runs/2026-01-02-030405-mine"
echo 'experiment: roofline' >"$XDG_DATA_HOME/tprof/presets/my own.yaml"
expect_offers 'tprof --batch qui' quick
expect_offers 'tprof --batch lessons/03' lessons/03-roofline
expect_offers 'tprof --batch my' 'my own'
expect_offers 'tprof --batch my\ o' 'my own'
expect_offers 'tprof -n "my o' 'my own'
expect_offers 'tprof --print-config qui' quick
expect_offers 'tprof --show la' last
expect_offers 'tprof --show 20' 2026-01-02-030405-mine
expect_offers 'tprof --show example/ro' example/roofline
expect_offers 'tprof --resume 2026' 2026-01-02-030405-mine
expect_offers 'tprof --compare last 2026' 2026-01-02-030405-mine
expect_offers 'tprof --machine zen' zen2 zen3 zen4 zen5
expect_offers 'tprof --set machine=zen' zen2 zen3 zen4 zen5
offers 'tprof --set experiment='
[ "$(sort out)" = "$("$TPROF" --list experiments --names | sort)" ] || fail 'expected the experiments'
offers 'tprof --set isa='
for isa in auto widest $("$TPROF" --list isas --names); do
	expect_offer "$isa"
done
isas=$("$TPROF" --list isas --names | head -n 1)
if [ -n "$isas" ]; then
	offers 'tprof --dump-asm '
	expect_offer "$isas:"
	expect_offers "tprof --dump-asm $isas:2ld1st-" 2ld1st-nt
fi

# --- lists, quotes, and where bash splits words ---

expect_offers 'tprof --set fp_op=fma,mu' fma,mul
expect_offers 'tprof --set=fp_op=fma,mu' fma,mul
expect_offers 'tprof --set "fp_op=fma,mu' fp_op=fma,mul
expect_offers "tprof --set fp_op='fma,mu" fma,mul
expect_offers 'tprof --set ratio=0:' 1
expect_offers 'tprof --set ratio="0:' 0:1
expect_offers 'tprof --set stop.error-dram=' 0.2% 0.5% 1% 2% 5% 10%
expect_offers 'tprof --batch quick --set shuffle=t' true
expect_offers 'tprof --no-such-option=' ''
expect_offers 'tprof --set nothing=' ''

# --- files with odd names ---

mkdir 'a dir'
for name in 'with blank' "it's" 'say "x"' 'a=b:c' '$HOME' 'back\slash' 'star*' '-dash' 'semi;colon' $'line\nend' 'ümlaut'; do
	: >"./$name.yaml"
done
: >other.txt
expect_offers 'tprof --check with\ b' 'with blank.yaml'
expect_offers "tprof --check 'with b" 'with blank.yaml'
expect_offers 'tprof --check "with b' 'with blank.yaml'
expect_offers 'tprof --check=with\ ' 'with blank.yaml'
expect_offers "tprof --check it\\'" "it's.yaml"
expect_offers 'tprof --check say\ \"' 'say "x".yaml'
expect_offers 'tprof --check a=b:' c.yaml
expect_offers 'tprof --check "a=b:' a=b:c.yaml
expect_offers "tprof --check '\$H" '$HOME.yaml'
expect_offers 'tprof --check "\$H' '$HOME.yaml'
expect_offers 'tprof --check back\\' 'back\slash.yaml'
expect_offers 'tprof --check star\*' 'star*.yaml'
expect_offers 'tprof --check ./-' ./-dash.yaml
expect_offers 'tprof --check semi\;' 'semi;colon.yaml'
expect_offers 'tprof --check ü' ümlaut.yaml
expect_offers 'tprof --check line' $'line\nend.yaml'
expect_offers 'tprof --check oth' other.txt
expect_offers 'tprof --batch oth' ''
expect_offers 'tprof --run-dir a' 'a dir'
expect_offers 'tprof --batch ./a\ d' './a dir'
touch "$HOME/at home.yaml"
expect_offers 'tprof --check ~/at' '~/at home.yaml'

# Completion runs nothing that was typed.
expect_offers 'tprof --check $(touch ran)' ''
expect_offers 'tprof --check `touch ran`' ''
expect_offers 'tprof --set isa=$(touch ran)' ''
[ ! -e ran ] || fail 'expected that completion runs nothing of what was typed'

# --- zsh ---

run --completion zsh
expect_exit 0
expect_no_err
! grep -n unknown out || fail 'expected every argument of an option to have a kind in commands.c'
if have zsh; then
	zsh -fn out || fail 'zsh cannot read its script'
	zsh -f "$TPROF_CLI/completion.zsh" "$TMP/zsh" 'tprof --list ' 'tprof --se' 'tprof --set thr' 'tprof --set precision=s' \
		'tprof --set fp_op=fma,mu' 'tprof -l pres' 'tprof --list=pres' 'tprof --machine zen' 'tprof --compare last 2026' \
		'tprof --check with' 'tprof --print-config qui' 'tprof --color=n' 'tprof ' 'tprof --bat' >out 2>err ||
		fail 'zsh ended with an error'
	expect_no_err
	expect_out_line '.*--list  -> machines\|isas\|precisions\|kernels\|experiments\|presets\|patterns\|lessons\|regimes\|runs\|examples\|families\|bases\|habits\|events'
	expect_out_line '.*--se -> --self-test\|--set'
	expect_out_line '.*--set thr -> threads\|throttle|.*--set thr -> threads'
	expect_out_line '.*precision=s -> single'
	expect_out_line '.*fp_op=fma,mu -> mul'
	expect_out_line '.*-l pres -> presets'
	expect_out_line '.*--list=pres -> presets'
	expect_out_line '.*--machine zen -> zen2\|zen3\|zen4\|zen5'
	expect_out_line '.*last 2026 -> 2026-01-02-030405-mine'
	expect_out_line '.*--check with -> with\\ blank.yaml'
	expect_out_line '.*--print-config qui -> quick'
	expect_out_line '.*--color=n -> never'
	expect_out_line 'tprof  -> doctor\|hardware'
	expect_out_line '.*--bat -> --batch'
fi

# --- fish ---

run --completion fish
expect_exit 0
expect_no_err
! grep -n unknown out || fail 'expected every argument of an option to have a kind in commands.c'
[ "$(grep -cE '^complete -c tprof( -s .)? -l ' out)" = "$(wc -l <options)" ] || fail 'expected every option in the script for fish'
[ "$(sed -n '/^function __tprof_keys/,/^end/p' out | grep -c printf)" = "$(wc -l <keys)" ] || fail 'expected every preset option in the script for fish'
if have fish; then
	fish_offers() { # fish_offers LINE WORD...: exactly these, in any order
		local line=$1
		shift
		ran="completing in fish: $line"
		fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$TPROF_SRCDIR/completion/fish/tprof.fish" "$line" 2>err |
			cut -f 1 | sed 's/^\(--[a-z-]*\)=$/\1/' | sort -u >out # --csv and --csv= are one option
		expect_no_err
		[ "$(cat out)" = "$([ $# -eq 0 ] || printf '%s\n' "$@" | sort)" ] || fail "expected these offers: $*"
	}
	fish_offers 'tprof --' $(cat options)
	fish_offers 'tprof d' doctor
	fish_offers 'tprof --quiet d'
	fish_offers 'tprof --list ' $("$TPROF" --completion bash | sed -n "s/.*--list) kind='words:\(.*\)' ;;/\1/p")
	fish_offers 'tprof -l pres' presets
	fish_offers 'tprof --list=pres' --list=presets
	fish_offers 'tprof --color=n' --color=never
	fish_offers 'tprof --set thread' threads=
	fish_offers 'tprof --set precision=s' precision=single
	fish_offers 'tprof --set stop.error-dram=5' stop.error-dram=5%
	fish_offers 'tprof --set fp_op=fma,mu' fp_op=fma,mul
	fish_offers 'tprof --set=fp_op=fma,mu' --set=fp_op=fma,mul
	fish_offers 'tprof --set nothing='
	fish_offers 'tprof --machine zen' zen2 zen3 zen4 zen5
	fish_offers 'tprof --set machine=zen' machine=zen2 machine=zen3 machine=zen4 machine=zen5
	fish_offers 'tprof --batch lessons/03' lessons/03-roofline
	fish_offers 'tprof --print-config qui' quick
	fish_offers 'tprof --show la' last
	fish_offers 'tprof --compare last 2026' 2026-01-02-030405-mine
	[ -z "$isas" ] || fish_offers "tprof --dump-asm $isas:2ld1st-" "$isas:2ld1st-nt"
	fish_offers 'tprof --check with' 'with blank.yaml'
	fish_offers 'tprof --batch ./with' './with blank.yaml'
	fish_offers 'tprof --batch ./with\ b' './with blank.yaml'
	fish_offers 'tprof --set machine=./with' 'machine=./with blank.yaml'
	fish_offers 'tprof --run-dir a' 'a dir/'
	fish_offers 'tprof --batch ./oth'
	fish_offers 'tprof --check $(touch ran)'
	fish_offers 'tprof --set isa=$(touch ran)'
	[ ! -e ran ] || fail 'expected that completion runs nothing of what was typed'
fi

# --- plain lists ---

for what in machines isas precisions kernels experiments presets patterns lessons regimes runs examples families bases habits events; do
	run --list "$what" --names
	expect_exit 0
	expect_no_err
done
run --list kernels --names
! grep -q ' ' out || fail 'expected names only'
expect_out_line 2ld1st-nt
run --list runs --names
[ "$(cat out)" = 2026-01-02-030405-mine ] || fail 'expected the name of the run directory'
run --list presets --names --json
expect_exit 2
