# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: foreign texts in every output.
. "$TPROF_CLI/lib.sh"

# A foreign run or file may hold escape sequences (ESC ] 52 writes to the clipboard), C1 controls and marks that turn the
# direction of writing. None of them reaches the terminal, wherever it stands.

# expect_tame [FILE]: nothing in both streams acts on a terminal, and all is UTF-8. Colours are off, so no escape sequence is ours.
unfit='[\x{1}-\x{8}\x{b}-\x{1f}\x{7f}-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]'
is_unfit() {
	grep -qaP "$unfit" "$@" || grep -qavx '.*' "$@"
}
expect_tame() {
	! is_unfit "$TMP/out" "$TMP/err" || fail "expected no control characters${1+: $1}"
}
poison=$'\e]52;c;aGk=\a\xc2\x9b31m\xe2\x80\xae\xe2\x81\xa6\xd8\x9cx'
for part in $'\e' $'\a' $'\xc2\x9b' $'\x9b' $'\xe2\x80\xae' $'\xe2\x81\xa6' $'\xd8\x9c'; do
	echo "$part" >out
	is_unfit out || fail 'expected the test itself to see control characters'
done

# What is typed, and what is near it.
run --batch "$poison"
expect_exit 2
expect_tame
for command in --show --resume --compare --check --list --dump-asm --classify --completion --dry-run --replay "--$poison" --set --report \
	--machine; do
	run $command "$poison"
	expect_tame
	run --batch quick $command "$poison=$poison"
	expect_tame
done
printf '%s: %s\nisa: %s\n' experimen"$poison" memcurve "$poison" >bad.yaml
run --check bad.yaml
expect_exit 2
expect_tame
cp "$TPROF_SRCDIR/presets/quick.yaml" "$poison.yaml"
run --check "$poison.yaml"
expect_tame
run --dry-run "$poison.yaml"
expect_tame
mkdir -p "$XDG_CONFIG_HOME/tprof/presets" "$XDG_DATA_HOME/tprof/runs"
cp "$poison.yaml" "$XDG_CONFIG_HOME/tprof/presets"
run --list presets
expect_exit 0
expect_tame
run --list presets --names
expect_exit 0
expect_out ']52;c;'
expect_tame
run --batch ']52'
expect_tame

# A stored run with every text spoilt, one kind of text after another.
cp -R "$TPROF_SRCDIR/tests/cli/old-runs/kernels" "$XDG_DATA_HOME/tprof/runs/2020-01-01-000000-$poison"
run --list runs
expect_exit 0
expect_tame
run --list runs --names
expect_exit 0
expect_tame
run --show "$poison"
expect_exit 0
expect_tame
have python3 || exit 0
cat >spoil.py <<'END'
import csv, json, os, shutil, sys

runs, to, poison = sys.argv[1:]
poison = poison * 3


def kinds(value, at=()):
    """Every kind of text, as the keys that lead to it."""
    if isinstance(value, dict):
        return {k for key, part in value.items() for k in kinds(part, at + (key,))}
    if isinstance(value, list):
        return {k for part in value for k in kinds(part, at + ('[]',))}
    return {at} if isinstance(value, str) else set()


def spoil(value, kind, at=()):
    if isinstance(value, dict):
        return {key: spoil(part, kind, at + (key,)) for key, part in value.items()}
    if isinstance(value, list):
        return [spoil(part, kind, at + ('[]',)) for part in value]
    return poison if at == kind else value


n = 0
for run in 'kernels', 'counters', 'search':
    folder = os.path.join(runs, run)
    with open(os.path.join(folder, 'run.json')) as f:
        document = json.load(f)
    for kind in sorted(kinds(document)):
        copy = os.path.join(to, f'{run}-{n}')
        shutil.copytree(folder, copy)
        os.chmod(copy, 0o755)
        os.remove(os.path.join(copy, 'run.json'))
        with open(os.path.join(copy, 'run.json'), 'w') as f:
            json.dump(spoil(document, kind), f)
        n += 1
    for table in 'points.csv', 'readings.csv':
        path = os.path.join(folder, table)
        if not os.path.exists(path):
            continue
        with open(path, newline='') as f:
            rows = list(csv.reader(f))
        for column in range(len(rows[0])):
            with open(os.path.join(to, f'{run}-{n}-{table}'), 'w', newline='') as f:
                csv.writer(f).writerows([r[:column] + [poison] + r[column + 1:] if i else r for i, r in enumerate(rows)])
            n += 1
    with open(os.path.join(folder, 'journal.ndjson')) as f:
        events = [json.loads(line) for line in f]
    for kind in sorted({k for e in events for k in kinds(e)}):
        with open(os.path.join(to, f'{run}-{n}.ndjson'), 'w') as f:
            for e in events:
                f.write(json.dumps(spoil(e, kind)) + '\n')
        n += 1
END
mkdir spoilt
python3 spoil.py "$TPROF_SRCDIR/tests/cli/old-runs" spoilt "$poison" || fail 'expected spoilt runs'
shown=0
for file in spoilt/*; do
	if [[ $file == *readings.csv ]]; then
		run --classify "$file"
	else
		run --show "$file"
	fi
	[ "$status" -eq 0 ] && shown=$((shown + 1))
	[ "$status" -lt 128 ] || fail "expected $file to end in good order"
	expect_tame "$file"
done
[ "$shown" -ge 60 ] || fail "expected most of them to be shown; got: $shown"
for file in spoilt/*; do
	[[ $file != *readings.csv ]] || continue
	of=${file#spoilt/}
	run --compare "$TPROF_SRCDIR/tests/cli/old-runs/${of%%-*}" "$file" --across isa
	expect_tame "$file"
done
mv spoilt/kernels-[0-9] spoilt/kernels-[0-9][0-9] "$XDG_DATA_HOME/tprof/runs"
run --list runs
expect_exit 0
expect_tame
