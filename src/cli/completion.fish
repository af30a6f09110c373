# SPDX-License-Identifier: GPL-3.0-or-later
# What the words of the command line mean stands above: the options, and __tprof_keys and __tprof_key, are made from the tables of the
# program. Nothing here evaluates what the user typed.

# __tprof_list WHAT: names that exist now.
function __tprof_list
	set -l program (string replace -r '^~/' "$HOME/" -- (commandline -opc)[1])
	$program --list $argv[1] --names 2>/dev/null </dev/null
end

# What was typed of the value, without quotes and backslashes.
function __tprof_typed
	set -l typed (commandline -ct | string replace -r '^--[a-z-]+=' '')
	string unescape -- $typed; or echo $typed
end

# __tprof_paths TYPED SUFFIX...: files that end so, and directories.
function __tprof_paths
	set -l typed (string replace -r '^~/' "$HOME/" -- $argv[1])
	for path in "$typed"*
		if test -d $path
			echo $path/
			continue
		end
		for suffix in $argv[2..]
			string match -q "*$suffix" -- $path; and echo $path
		end
	end
end

# __tprof_value KIND [TYPED]: values of an option of the command line.
function __tprof_value
	set -l typed $argv[2]
	set -q argv[2]; or set typed (__tprof_typed)
	switch $argv[1]
		case 'words:*'
			string split ' ' -- (string sub -s 7 -- $argv[1])
		case 'files:*'
			__tprof_paths "$typed" (string sub -s 8 -- $argv[1] | string trim -c '*')
		case directories
			__tprof_paths "$typed"
		case preset
			__tprof_list presets
			__tprof_list lessons
			__tprof_paths "$typed" .yaml .yml
		case model
			echo detected
			__tprof_list machines
			__tprof_paths "$typed" .yaml .yml
		case run
			echo last
			__tprof_list runs
			__tprof_list examples
			__tprof_paths "$typed" .json .ndjson .csv
		case kernel
			if string match -q '*:*' -- $typed
				set -l isa (string split -m 1 : -- $typed)[1]
				printf "$isa:%s\n" (__tprof_list kernels)
			else
				printf '%s:\n' (__tprof_list isas)
			end
		case assignment
			__tprof_assignment
	end
end

# KEY=VALUE, where VALUE may be a list.
function __tprof_assignment
	set -l typed (__tprof_typed)
	if not string match -q '*=*' -- $typed
		__tprof_keys
		return
	end
	set -l parts (string split -m 1 = -- $typed)
	set -l kept $parts[1]=
	set -l known (__tprof_key (string replace -a - _ -- $parts[1]))
	if test "$known[2]" = list
		set kept $kept(string match -r '^.*,' -- $parts[2]; or echo '')
	end
	for value in (__tprof_value $known[1] (string replace -- $kept '' $typed))
		echo $kept$value
	end
end

# True behind --compare, which takes any number of runs.
function __tprof_compares
	string match -qr -- '^(-c|--compare(=.*)?)$' (commandline -opc)
end

function __tprof_prints_config
	string match -q -- --print-config (commandline -opc)
end

function __tprof_begins
	test (count (commandline -opc)) -eq 1
end

complete -c tprof -n __tprof_compares -a '(__tprof_value run)'
complete -c tprof -n __tprof_prints_config -a '(__tprof_value preset)'
