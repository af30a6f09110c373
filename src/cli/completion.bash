# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the words of the command line mean stands above: _tprof_long, _tprof_option, _tprof_keys and _tprof_key are made from the
# tables of the program. Nothing here evaluates what the user typed.

# _tprof_list WHAT: names that exist now, into names.
_tprof_list() {
	mapfile -t names < <("$program" --list "$1" --names 2>/dev/null </dev/null)
}

# _tprof_offer WORD...: those that begin with what was typed, without the part that stays.
_tprof_offer() {
	local word
	for word in "$@"; do
		[[ $word == "$typed"* ]] && COMPREPLY+=("${kept}$word")
	done
}

# _tprof_files PATTERN...: files that end so, and directories. Without a pattern: directories only.
_tprof_files() {
	local path=$typed file pattern wanted
	local -a found
	# shellcheck disable=SC2088 # a tilde that was typed and stays one
	[[ $path == '~/'* ]] && path=$HOME/${path#'~/'}
	mapfile -d '' -t found < <(
		shopt -u failglob
		shopt -s nullglob
		set +f
		IFS=
		for file in "$path"*; do
			printf '%s\0' "$file"
		done
	)
	for file in ${found[@]+"${found[@]}"}; do
		wanted=
		[[ -d $file ]] && wanted=1
		for pattern in "$@"; do
			# shellcheck disable=SC2053 # a pattern it is
			[[ $file == $pattern ]] && wanted=1
		done
		[[ $wanted ]] && COMPREPLY+=("${kept}$typed${file#"$path"}")
	done
	compopt -o filenames 2>/dev/null
}

# _tprof_value KIND: values of an option of the command line.
_tprof_value() {
	local -a names=()
	case $1 in
	words:*)
		# shellcheck disable=SC2086 # a list of plain words from the program's tables
		_tprof_offer ${1#words:}
		;;
	files:*)
		_tprof_files "${1#files:}"
		;;
	directories)
		_tprof_files
		;;
	preset)
		_tprof_list presets
		_tprof_offer ${names[@]+"${names[@]}"}
		_tprof_list lessons
		_tprof_offer ${names[@]+"${names[@]}"}
		_tprof_files '*.yaml' '*.yml'
		;;
	model)
		_tprof_list machines
		_tprof_offer detected ${names[@]+"${names[@]}"}
		_tprof_files '*.yaml' '*.yml'
		;;
	run)
		_tprof_list runs
		_tprof_offer last ${names[@]+"${names[@]}"}
		_tprof_list examples
		_tprof_offer ${names[@]+"${names[@]}"}
		_tprof_files '*.json' '*.ndjson' '*.csv'
		;;
	kernel)
		if [[ $typed == *:* ]]; then
			kept=$kept${typed%%:*}:
			typed=${typed#*:}
			_tprof_list kernels
		else
			_tprof_list isas
			names=(${names[@]+"${names[@]/%/:}"})
			compopt -o nospace 2>/dev/null
		fi
		_tprof_offer ${names[@]+"${names[@]}"}
		;;
	assignment)
		_tprof_assignment
		;;
	esac
}

# KEY=VALUE, where VALUE may be a list.
_tprof_assignment() {
	local kind list=
	if [[ $typed != *=* ]]; then
		# shellcheck disable=SC2154 # made from the program's tables
		_tprof_offer "${_tprof_keys[@]/%/=}"
		compopt -o nospace 2>/dev/null
		return
	fi
	_tprof_key "${typed%%=*}"
	kept=$kept${typed%%=*}=
	typed=${typed#*=}
	if [[ $list ]]; then
		while [[ $typed == *,* ]]; do
			kept=$kept${typed%%,*},
			typed=${typed#*,}
		done
	fi
	_tprof_value "$kind"
}

# The words up to the cursor as the program will see them, into words. Bash has split them at = and : as well, and leaves quotes and
# backslashes in. A quote that is not closed goes to the end; before_quote is what the last word has before it.
_tprof_words() {
	local line=${COMP_LINE:0:COMP_POINT} character quote='' word='' begun=
	local -i i
	words=()
	for ((i = 0; i < ${#line}; i++)); do
		character=${line:i:1}
		if [[ $quote == "'" && $character != "'" ]]; then
			word+=$character
		elif [[ $quote && $character == "$quote" ]]; then
			quote=
		elif [[ $character == \\ && ( ! $quote || ${line:i+1:1} == [\"\\\$\`] ) ]]; then
			i+=1
			begun=1
			word+=${line:i:1}
		elif [[ ! $quote && $character == [\'\"] ]]; then
			quote=$character
			before_quote=$word
			begun=1
		elif [[ ! $quote && $character == [[:space:]] ]]; then
			[[ $begun ]] && words+=("$word")
			word=
			begun=
		else
			begun=1
			word+=$character
		fi
	done
	words+=("$word")
	quoted=$quote
}

_tprof() {
	local program word typed before='' kept='' quoted='' before_quote='' kind='' runs='' config='' action='' cut='' i
	local -a words
	COMPREPLY=()
	_tprof_words
	program=${words[0]}
	# shellcheck disable=SC2088 # a tilde that was typed
	[[ $program == '~/'* ]] && program=$HOME/${program#'~/'}
	typed=${words[${#words[@]} - 1]}
	((${#words[@]} > 1)) || return 0
	# What stands before decides what comes: the value of an option, or one more run.
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		word=${words[i]}
		if [[ $before ]]; then
			before=
			continue
		fi
		case $word in
		--) break ;;
		--compare | --compare=* | -c) runs=1 ;;
		--print-config) config=1 ;;
		esac
		case $word in
		-*)
			action=1
			kind=
			[[ $word == --*=* ]] || _tprof_option "$word"
			[[ $kind && $kind != optional:* ]] && before=$word
			;;
		*) action=1 ;;
		esac
	done
	kind=
	if [[ $before ]]; then
		_tprof_option "$before"
		_tprof_value "$kind"
	elif [[ $typed == --*=* ]]; then
		_tprof_option "${typed%%=*}"
		kept=${typed%%=*}=
		typed=${typed#*=}
		_tprof_value "${kind#optional:}"
	elif [[ $typed == -* ]]; then
		# shellcheck disable=SC2154 # made from the program's tables
		_tprof_offer "${_tprof_long[@]}"
	elif [[ $runs ]]; then
		_tprof_value run
	elif [[ $config ]]; then
		_tprof_value preset
	else
		# shellcheck disable=SC2154
		[[ $action ]] || _tprof_offer "${_tprof_words_alone[@]}"
		_tprof_offer "${_tprof_long[@]}"
	fi
	# Bash puts the answer behind the quote that is open, else behind the last = or : of the word.
	word=${words[${#words[@]} - 1]}
	if [[ $quoted ]]; then
		cut=$before_quote
	else
		for i in = :; do
			[[ ${COMP_WORDBREAKS-} == *"$i"* && $word == *"$i"* ]] || continue
			kept=${word%"$i"*}$i
			((${#kept} > ${#cut})) && cut=$kept
		done
	fi
	for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
		COMPREPLY[i]=${COMPREPLY[i]#"$cut"}
	done
	return 0
}

complete -F _tprof tprof
