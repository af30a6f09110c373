# SPDX-License-Identifier: GPL-3.0-or-later
# What the words of the command line mean stands above: _tprof_specs, _tprof_keys and _tprof_key are made from the tables of the program.

# _tprof_list WHAT: names that exist now, into names.
_tprof_list() {
	names=(${(f)"$(_call_program names ${(q)program} --list $1 --names 2>/dev/null </dev/null)"})
}

# _tprof_value KIND: values of an option of the command line.
_tprof_value() {
	local -a names
	case $1 in
	words:*)
		names=(${=1#words:})
		compadd -a names
		;;
	files:*)
		_files
		;;
	directories)
		_files -/
		;;
	preset)
		_tprof_list presets
		compadd -a names
		_tprof_list lessons
		compadd -a names
		_files -g '*.(yaml|yml)'
		;;
	model)
		_tprof_list machines
		compadd detected $names
		_files -g '*.(yaml|yml)'
		;;
	run)
		_tprof_list runs
		compadd last $names
		_tprof_list examples
		compadd -a names
		_files -/ -g '*.(json|ndjson|csv)'
		;;
	kernel)
		if compset -P '*:'; then
			_tprof_list kernels
			compadd -a names
		else
			_tprof_list isas
			compadd -S : -a names
		fi
		;;
	assignment)
		_tprof_assignment
		;;
	esac
	return 0
}

# KEY=VALUE, where VALUE may be a list.
_tprof_assignment() {
	local key=${PREFIX%%=*} kind= list=
	if [[ $PREFIX != *=* ]]; then
		_describe -t keys 'key' _tprof_keys -S =
		return
	fi
	_tprof_key $key
	compset -P 1 '*='
	[[ -n $list ]] && compset -P '*,'
	_tprof_value $kind
}

# Words that belong to no option.
_tprof_rest() {
	if (( ${words[(I)(-c|--compare|--compare=*)]} )); then
		_tprof_value run
	elif (( ${words[(I)--print-config]} )); then
		_tprof_value preset
	elif (( CURRENT == 2 )); then
		compadd -a _tprof_words_alone
	fi
}

_tprof() {
	local program=${words[1]/#\~\//$HOME/} curcontext=$curcontext
	_arguments -s -S : $_tprof_specs '*: :_tprof_rest'
}

(( $+functions[compdef] )) && compdef _tprof tprof
