#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Words of texts that users read: README and other pages, the manual, help, messages, presets and lessons. Phrases that never come back,
# spelling where codespell is installed, sentences that are too long, and headings of one form. Writes TAP.
#
# HACKING.md, "Words", has the rules behind the list. A phrase may stand where a line of tests/words.txt allows it, with the reason.
# shellcheck disable=SC2016 # backquotes of Markdown
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${here%/*}" || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0

# result NAME: passes if the last command left nothing in $scratch/reasons.
result() {
	count=$((count + 1))
	if [ -s "$scratch/reasons" ]; then
		failed=$((failed + 1))
		sed 's/^/# /' "$scratch/reasons" | head -n 40
		echo "not ok $count - $1"
	else
		echo "ok $count - $1"
	fi
}
skip() { # skip NAME WHY
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

mapfile -t markdown < <(find . -maxdepth 1 -name '*.md' && find doc examples -name '*.md')
mapfile -t manual < <(find man -name '*.[1-9]' -o -name '*.in')
mapfile -t presets < <(find presets -name '*.yaml')
mapfile -t sources < <(find src ui kernels -name '*.[ch]')

# The strings of C, a line each: adjacent literals are joined, comments are left out.
strings_of() {
	awk '
	function flush() { if (text != "") print file ":" at ": " text; text = "" }
	FNR == 1 { flush(); comment = 0; file = FILENAME }
	{
		n = length($0)
		for (i = 1; i <= n; i++) {
			c = substr($0, i, 1)
			if (comment) { if (substr($0, i, 2) == "*/") { comment = 0; i++ } continue }
			if (quoted) {
				if (c == "\\") { text = text substr($0, i, 2); i++ }
				else if (c == "\"") quoted = 0
				else text = text c
				continue
			}
			if (substr($0, i, 2) == "/*") { comment = 1; i++ }
			else if (substr($0, i, 2) == "//") break
			else if (c == "\"") { if (text == "") at = FNR; quoted = 1 }
			else if (c == "\047") { flush(); i += substr($0, i + 1, 1) == "\\" ? 3 : 2 }
			else if (c !~ /[ \t\\]/) flush()
		}
		if (/^#/) flush()
	}
	END { flush() }' "$@"
}

# All texts with their places. Manual: sentences of mdoc lie on lines; macros stay.
{
	grep -n '' "${markdown[@]}" /dev/null
	grep -n '' "${manual[@]}" /dev/null | grep -v ':\.\\"'
	grep -nE '^ *(#|summary|notes|text|title|question|about|say|- )|[a-z]: ' "${presets[@]}" /dev/null
	strings_of "${sources[@]}"
} >"$scratch/texts"

# --- phrases that never come back ---

while IFS=$'\t' read -r pattern instead; do
	case $pattern$instead in
	'' | '#'* | *allow:*) continue ;;
	esac
	grep -P -e "$pattern" "$scratch/texts" >"$scratch/found" || continue
	# Lines "PATTERN<TAB>allow: FILE: WORDS" name places.
	while IFS=$'\t' read -r allowed place; do
		if [ "$allowed" != "$pattern" ] || [ "${place#allow: }" = "$place" ]; then
			continue
		fi
		place=${place#allow: }
		place=${place%% *}
		grep -vF -e "$place" "$scratch/found" >"$scratch/kept"
		mv "$scratch/kept" "$scratch/found"
	done <tests/words.txt
	sed -E "s|^(.{0,160}).*|\1|; s|\$|   <- write: $instead|" "$scratch/found"
done <tests/words.txt >"$scratch/reasons"
result 'phrases of tests/words.txt do not come back'

# --- sentences ---

# Sentences of more than 35 words in Markdown and in the manual. Tables, code and lists of words are not sentences.
{
	for page in "${markdown[@]}"; do
		awk -v page="$page" '
		/^```/ { code = !code; next }
		code || /^    / || /^\|/ || /^!\[/ { print ""; next }
		/^#/ || /^$/ || /^ *([-*]|[0-9]+\.) / { print "" }
		{ gsub(/\]\([^)]*\)/, "]"); print }' "$page" | awk -v page="$page" -v RS= '{ gsub(/\n/, " "); print page ": " $0 }'
	done
	for page in "${manual[@]}"; do
		awk '
		/^\.Bd/ { code = 1 } /^\.Ed/ { code = 0; print ""; next }
		code || /^\.\\"/ || /^@/ || /^\.(Dl|D1|Bl|El|It|Pp|br|Sh|Ss|Rs|Re|%|Dd|Dt|Os|Nd|Op|Oo|Oc)/ { print ""; next }
		/^\.Em [A-Z].* \.$/ { print ""; next }
		/^\.(Fl|Cm|Ar|Pa|Ev|Va|Xr|Sx|Em|Ql|Pq|Li|Dq|Nm|No|Ic|Dv|Po|Pc|Ns|Sq)/ { sub(/^\.[A-Z][a-z] ?/, "") ; gsub(/ (Fl|Cm|Ar|Pa|Ns|No|Em|Li|Xr|Va) /, " "); gsub(/ \. *$/, "."); gsub(/ ,/, ",") }
		{ print }' "$page" | awk -v page="$page" -v RS= '{ gsub(/\n/, " "); print page ": " $0 }'
	done
} | awk '{
	place = $1
	sub(/^[^ ]* /, "")
	n = split($0, sentence, /[.?!:;]( |$)/)
	for (i = 1; i <= n; i++) {
		words = split(sentence[i], word, /[ \t]+/)
		commas = gsub(/,/, ",", sentence[i])
		# A list of names, such as columns, has a comma at every second word.
		if (words > 35 && commas * 3 < words) print place " " words " words: " substr(sentence[i], 1, 120)
	}
}' >"$scratch/reasons"
result 'sentences have at most 35 words'

# --- headings ---

# A heading of Markdown begins with a capital and ends without a full stop; the name of the program may begin one.
for page in "${markdown[@]}"; do
	awk -v page="$page" '/^```/ { code = !code } !code && /^#+ / && (/^#+ [a-z]/ || /[.:]$/) && !/^# tprof/ { print page ":" FNR ": " $0 }' "$page"
done >"$scratch/reasons"
result 'headings of Markdown begin with a capital and end without a full stop'
grep -nE '^\.Sh ' "${manual[@]}" | grep -E '\.Sh .*[a-z]' | grep -vE '\.Sh [A-Z.]+$' >"$scratch/reasons"
result 'sections of the manual are in capitals'
grep -nE '^\.Ss [^A-Za-z]|^\.Ss .*[.:]$' "${manual[@]}" >"$scratch/reasons"
result 'parts of sections of the manual are words'

# --- spelling ---

if command -v codespell >/dev/null; then
	codespell --ignore-words-list="$(grep -v '^#' tests/spelling.txt | paste -sd,)" "${markdown[@]}" "${manual[@]}" "${presets[@]}" "${sources[@]}" \
		>"$scratch/reasons" 2>&1
	result 'codespell finds nothing'
else
	skip 'codespell finds nothing' 'codespell is not installed'
fi
if command -v aspell >/dev/null; then
	grep -v '^#' tests/spelling.txt >"$scratch/dictionary"
	cat "${markdown[@]}" | sed '/^```/,/^```/d; /^    /d; s/`[^`]*`//g; s/](\([^)]*\))//g' | aspell list --lang=en_GB 2>/dev/null | sort -u |
		grep -vE '[A-Z]' | grep -vxFf "$scratch/dictionary" >"$scratch/reasons"
	result 'aspell knows the words of Markdown'
else
	skip 'aspell knows the words of Markdown' 'aspell is not installed'
fi

echo "1..$count"
[ "$failed" -eq 0 ]
