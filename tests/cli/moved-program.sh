# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A program that was moved takes presets only from installed places: not from folders around it, where other users may plant some.
mkdir -p around/bin around/presets/machines around/bin/presets/machines presets/machines
cp "$TPROF" around/bin/tprof || skip_all 'the program cannot be copied'
around/bin/tprof --version >out 2>err || skip_all 'the program does not start elsewhere'
for folder in around around/bin .; do
	cp "$TPROF_SRCDIR/presets/quick.yaml" $folder/presets/planted.yaml
done
TPROF=$TMP/around/bin/tprof
run --list presets --names
expect_not_out planted
run --check planted
expect_exit 2
expect_err 'no preset has that name'

# A word of the user counts.
export TPROF_DATADIR=$TMP/around
run --list presets --names
expect_exit 0
expect_out planted
