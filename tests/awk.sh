# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Makes awk a function of the script that reads this file: it runs every awk that is installed on the same input and notes in the file
# $awk_differs where one of them prints something else or ends with another status than the first. So each test that calls awk is also
# a test that any POSIX awk can do it. Programs that the script starts find the awk of the machine.
awks=()
for awk_name in mawk gawk original-awk busybox; do
	command -v "$awk_name" >/dev/null && awks+=("$(command -v "$awk_name")")
done
: "${awk_differs:=$TMP/awk-differs}"

awk() (
	folder=$(mktemp -d)
	# A pipe can be read once.
	if [ -p "${*: -1}" ]; then
		cat "${*: -1}" >"$folder/file"
		set -- "${@:1:$#-1}" "$folder/file"
	fi
	# What is in a file does not come from standard input, which may be that of a loop around the call.
	[ -f "${*: -1}" ] && exec </dev/null
	cat >"$folder/in"
	for i in "${!awks[@]}"; do
		word=''
		[ "${awks[i]##*/}" = busybox ] && word='awk'
		status=0
		"${awks[i]}" ${word:+"$word"} "$@" <"$folder/in" >"$folder/out.$i" 2>"$folder/err.$i" || status=$?
		cat "$folder/err.$i" >&2
		echo "$status" >"$folder/status.$i"
		cat "$folder/out.$i" "$folder/err.$i" "$folder/status.$i" >"$folder/all.$i"
		cmp -s "$folder/all.0" "$folder/all.$i" && continue
		{
			echo "${awks[0]} and ${awks[i]} differ (status $(paste -sd ' ' "$folder/status.0" "$folder/status.$i")): awk $*"
			diff "$folder/out.0" "$folder/out.$i" | head -n 5
			cat "$folder/err.$i"
		} >>"$awk_differs"
	done
	status=$(cat "$folder/status.0")
	cat "$folder/out.0"
	rm -r "$folder"
	exit "$status"
)
[ ${#awks[@]} -gt 1 ] || unset -f awk
