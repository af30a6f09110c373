#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Our trees, forests, k-means and regression against those of scikit-learn, on eight data sets: four that come with it, two planted ones,
# and two runs that are measured here (gather and memcurve, half a minute). Prints a table with a verdict; exits with 1 if one differs.
# `make check` holds the learners to stored results of this comparison (tests/mining).
#
# usage: tests/bench/sklearn.sh [FOLDER]	(keeps the data sets and what scikit-learn learned from them there)
#
# BUILD is the build folder (default: build), PYTHON a python3 with scikit-learn (default: /usr/bin/python3, for Debian's python3-sklearn).
set -u
export LC_ALL=C.UTF-8 OMP_NUM_THREADS="${OMP_NUM_THREADS:-2}"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=${here%/*/*}
build=${BUILD:-$top/build}
python=${PYTHON:-/usr/bin/python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${1:-$scratch}

"$python" -c 'import sklearn' 2>/dev/null || {
	echo "sklearn: $python has no scikit-learn; apt-get install python3-sklearn, or name one in PYTHON" >&2
	exit 2
}
make -s -C "$build" tprof tests/bench/learn_compare || exit 2
mkdir -p "$folder" || exit 2

own=()
for preset in gather memcurve; do
	"$build/tprof" --quiet --run-dir "$scratch/$preset" --batch "$preset"
	own+=("$preset=$scratch/$preset/points.csv")
done
"$python" "$here/learn_reference.py" "$folder" "${own[@]}" || exit 2
"$python" -c 'import sklearn; print("scikit-learn", sklearn.__version__)'
"$build/tests/bench/learn_compare" "$folder" iris wine cancer digits planted-rules planted-steps gather memcurve
