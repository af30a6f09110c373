# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: zsh -f completion.zsh FILE LINE...: what zsh offers behind each line, as "LINE -> A|B". An interactive zsh on a terminal of its
# own finds the file that is installed, which asks the tprof in $PATH, and gets a tab behind each line; FILE and files beside it are for
# it to write.
zmodload zsh/zpty || exit 1
out=$1
shift
: >$out
cat >$out.rc <<END
fpath=(${(q)TPROF_SRCDIR}/completion/zsh \$fpath)
autoload -Uz compinit && compinit -u -d $out.dump
compadd() {
	local -a hits
	if (( ! \${@[(I)-[OAD]]} )); then
		builtin compadd -A hits "\$@"
		(( \$#hits )) && print -rl -- \$hits >>$out
	fi
	builtin compadd "\$@"
}
tell() {
	zle complete-word
	print END >>$out
	zle kill-whole-line
}
zle -N tell
bindkey '^I' tell
print READY >>$out
END

wait_for() {
	local i chunk
	for ((i = 0; i < 2400; i++)); do
		zpty -rt shell chunk 2>/dev/null # it would wait for a reader
		[[ $(<$out) == *$1 ]] && return
		sleep 0.025
	done
	print -u2 "zsh did not answer: $1"
	exit 1
}

zpty shell zsh -f -i
zpty -w shell "source $out.rc"
wait_for READY
for line; do
	: >$out
	zpty -w -n shell "$line"$'\t'
	wait_for END
	print -r -- "$line -> ${(j:|:)${(f)"$(<$out)"}[1,-2]}"
done
zpty -d shell
