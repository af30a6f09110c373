#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# html.sh [FOLDER [RUN...]]: pages of --html in a real browser: size, time to load, what axe-core finds, errors on the console, requests to
# elsewhere (there is no network for the browser), scrolling sideways on a phone, size and contrast of words in pictures, sorting, and what is
# missing without script; each at 360 and 1280 px, light and dark. Makes pages of simulated runs of this build, of two of them compared and of
# one mined, and of the stored RUNs. Screenshots and PDFs stay in FOLDER, if one is named.
#
# Needs chromium, node and npm; installs axe-core and playwright-core into a separate folder. BUILD names the build, CHROMIUM the browser.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
tprof=${BUILD:-$here/build}/tprof
chromium=${CHROMIUM:-$(command -v chromium || command -v google-chrome || echo)}
for program in "$chromium" node npm; do
	command -v "$program" >/dev/null || { echo "html.sh: ${program:-chromium} is not installed"; exit 77; }
done
temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT
folder=${1:-$temporary/shots}
shift $(($# > 0))
mkdir -p "$folder" "$temporary/pages" "$temporary/runs" || exit 1
(cd "$temporary" && timeout 300 npm install --no-audit --no-fund --silent axe-core@4 playwright-core@1 >&2) || { echo 'html.sh: npm cannot install axe-core'; exit 77; }
export XDG_DATA_HOME=$temporary/data
for preset in quick roofline memcurve latency loaded-latency mixed-all simulated; do
	timeout 120 "$tprof" --batch "$preset" --machine zen4 --simulate --run-dir "$temporary/runs/$preset" --quiet \
		--html "$temporary/pages/$preset.html" || exit 1
done
"$tprof" --compare "$temporary/runs/memcurve" "$temporary/runs/simulated" --html "$temporary/pages/compared.html" --quiet
"$tprof" --mine "$temporary/runs/memcurve" --target median_gbps --html "$temporary/pages/mined.html" --quiet
for run in "$@"; do
	"$tprof" --show "$run" --html "$temporary/pages/$(basename "$run").html" || exit 1
done
cp "$here/tests/bench/html_browser.js" "$temporary" && cd "$temporary" || exit 1
timeout 1200 nice node html_browser.js "$chromium" "$folder" pages/*.html
