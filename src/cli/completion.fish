# SPDX-License-Identifier: GPL-3.0-or-later
# What the words of the command line mean stands above: the lines "complete", _tprof_keys and _tprof_key are made from the tables of the
# program.

# _tprof_list WHAT...: names that exist now.
function _tprof_list
    set -l program (commandline -opc)[1]
    for what in $argv
        command $program --list $what --names 2>/dev/null </dev/null
    end
end

# _tprof_typed: the value so far, without the option that stands before it in one word.
function _tprof_typed
    string replace -r -- '^(--[a-z-]+=|-[a-z])' '' (commandline -ct)
end

# _tprof_value KIND: values of an option of the command line.
function _tprof_value
    switch $argv[1]
        case 'words:*'
            string split -n ' ' -- (string replace words: '' -- $argv[1])
        case directories
            __fish_complete_directories (_tprof_typed) ''
        case 'files:*'
            __fish_complete_path (_tprof_typed)
        case preset
            _tprof_list presets lessons
            __fish_complete_path (_tprof_typed)
        case model
            echo detected
            _tprof_list machines
            __fish_complete_path (_tprof_typed)
        case run
            echo last
            _tprof_list runs examples
            __fish_complete_path (_tprof_typed)
        case kernel
            set -l isa (string match -r -- '^[^:]*:' (_tprof_typed))
            if test -n "$isa"
                string replace -r -- '^' $isa (_tprof_list kernels)
            else
                string replace -r -- '$' : (_tprof_list isas)
            end
        case assignment
            _tprof_assignment
    end
end

# KEY=VALUE, where VALUE may be a list.
function _tprof_assignment
    set -l typed (_tprof_typed)
    set -l key (string match -r -- '^[^=]*=' $typed)
    if test -z "$key"
        printf '%s=\n' $_tprof_keys
        return
    end
    set -l kind (_tprof_key (string replace = '' -- $key))
    set -l before (string match -r -- '^.*,' $typed)
    if test -z "$before"; or test "$kind[2]" != list
        set before $key
    end
    string replace -r -- '^' $before (_tprof_value $kind[1])
end

# Words that belong to no option: further runs to compare, and the preset whose values are printed.
function _tprof_rest
    set -l words (commandline -opc)
    if string match -qr -- '^(-c|--compare(=.*)?)$' $words
        _tprof_value run
    else if contains -- --print-config $words
        _tprof_value preset
    else if test (count $words) -eq 1
        printf '%s\n' $_tprof_words_alone
    end
end

complete -c tprof -f -a '(_tprof_rest)'
