# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: pages of every kind of run.
. "$TPROF_CLI/lib.sh"

# --html: pages of runs, comparisons and mined tables are well-formed, stand alone, and contain foreign texts as text.

# What goes together on the command line.
old=$TPROF_SRCDIR/tests/cli/old-runs
run --show "$old/kernels" --html -
expect_exit 0
expect_no_err
expect_out '<!DOCTYPE html>'
cp out plain.html
run --show "$old/kernels" --html page.html
expect_exit 0
expect_no_out
cmp -s page.html plain.html || fail 'expected the same page in a file'
run --show "$old/kernels" --html page.html --csv
expect_exit 0
expect_out 'point,'
run --show "$old/kernels" --html - --json
expect_exit 2
expect_err 'a page and data would mix on standard output'
run --show "$old/kernels" --html - --svg -
expect_exit 2
expect_err 'a page and pictures would mix on standard output'
run --show "$old/kernels" --html missing/page.html
expect_exit 2

# A run that is measured writes it at once, and the result stands before the first table.
run --batch quick --machine zen4 --simulate --run-dir quick --html quick.html --quiet
expect_exit 0
verdict=$(grep -n '^<h2.*>Verdict<' quick.html | cut -d: -f1)
table=$(grep -n -m 1 '<table>' quick.html | cut -d: -f1)
[ "${table:-0}" -gt "${verdict:-999999}" ] || fail "expected the verdict before the tables: $verdict, $table"
grep -q '<h1>quick · simulated: zen4, quiet</h1>' quick.html || fail 'expected a title'
run --batch quick --html missing/page.html
expect_exit 2
expect_err 'nothing was measured'

have python3 || exit 0
cat >spoil.py <<'END'
"""Copies of old runs, each with one kind of text replaced by markup."""
import json, os, shutil, sys

runs, to, poison = sys.argv[1:]


def kinds(value, at=()):
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


seen = set()
for run in 'kernels', 'counters', 'search':
    with open(os.path.join(runs, run, 'run.json')) as f:
        document = json.load(f)
    for n, kind in enumerate(sorted(kinds(document) - seen)):
        folder = os.path.join(to, f'{run}-{n}')
        os.mkdir(folder)
        with open(os.path.join(folder, 'run.json'), 'w') as f:
            json.dump(spoil(document, kind), f)
    seen |= kinds(document)
END
cat >check.py <<'END'
"""Says what is wrong with pages."""
import base64, collections, hashlib, html.parser, re, sys, xml.etree.ElementTree as xml

ELEMENTS = set('''html head meta link title style body header h1 h2 h3 p nav details summary ol ul li a main section div table caption
    thead tbody tr th td span figure figcaption footer script svg g path rect circle text'''.split())
ATTRIBUTES = set('''lang charset http-equiv content name rel href class id scope role tabindex aria-label aria-labelledby aria-hidden
    width height viewBox d x y cx cy r rx fill transform text-anchor'''.split())
NS = re.compile(r'\{(http://www\.w3\.org/(1999/xhtml|2000/svg))\}')


class Reader(html.parser.HTMLParser):
    """What a browser sees; it knows no XML."""

    def __init__(self):
        super().__init__()
        self.tags = collections.Counter()

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1


def check(path):
    with open(path, 'rb') as f:
        data = f.read()
    text = data.decode('utf-8')
    assert len(data) < 1 << 20, 'larger than 1 MiB'
    root = xml.fromstring(data)
    reader = Reader()
    reader.feed(text)
    tags, ids, level, links = collections.Counter(), set(), 0, []
    for e in root.iter():
        tag = NS.sub('', e.tag)
        tags[tag.lower()] += 1
        assert tag in ELEMENTS, f'element {tag}'
        for key, value in e.attrib.items():
            assert key in ATTRIBUTES, f'attribute {key} of {tag}'
            assert not re.match(r'\s*(javascript|https?):', value, re.I), f'{key} of {tag}: {value}'
        if 'href' in e.attrib:
            links.append(e.attrib['href'])
        if 'id' in e.attrib:
            assert e.attrib['id'] not in ids, f'two ids {e.attrib["id"]}'
            ids.add(e.attrib['id'])
        if re.fullmatch('h[1-6]', tag):
            assert int(tag[1]) <= level + 1, f'{tag} behind h{level}'
            level = int(tag[1])
        if tag == 'table':
            names = [NS.sub('', part.tag) for part in e]
            assert names[0] == 'caption' and ''.join(e[0].itertext()).strip(), 'a table without a caption'
            widths = {len(row) for row in e.iter('{http://www.w3.org/1999/xhtml}tr')}
            assert len(widths) == 1, f'rows of different width: {widths}'
        if tag == 'th':
            assert e.attrib.get('scope') in ('col', 'row'), 'th without scope'
    assert tags == reader.tags, f'XML and HTML differ: {tags - reader.tags} {reader.tags - tags}'
    assert tags['h1'] == tags['main'] == tags['script'] == tags['style'] == 1, 'one of each'
    assert root.attrib.get('lang') == 'en'
    for link in links:
        assert link == 'data:,' or link.startswith('#') and link[1:] in ids, f'link {link}'
    script = next(e for e in root.iter() if e.tag.endswith('}script')).text
    digest = 'sha256-' + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src '{digest}'" in text, f'TP_HTML_SCRIPT_HASH has to be {digest}'
    assert not re.search(r'url\s*\(|@import', text.split('</style>')[0]), 'something from elsewhere'
    return sum('alert(1)' in part for part in root.itertext()) + \
        sum('alert(1)' in value for e in root.iter() for value in e.attrib.values())


spoilt = 0
for path in sys.argv[1:]:
    try:
        spoilt += check(path) > 0
    except Exception as e:
        sys.exit(f'{path}: {type(e).__name__}: {e}')
print(spoilt)
END
poison=$'</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>"\'><b onload="alert(1)" ]]>&lt;&<!-- --><!['
mkdir spoilt
python3 spoil.py "$old" spoilt "$poison"$'\x01\x7f\xe2\x80\xae' || fail 'expected spoilt runs'
for folder in spoilt/*; do
	run --show "$folder" --html "$folder.html"
	[ "$status" -lt 128 ] || fail "expected $folder to end in good order"
done
shown=$(python3 check.py spoilt/*.html 2>&1) || fail "expected good pages: $shown"
[ "$shown" -ge 12 ] || fail "expected most texts to be on their page; got: $shown"

# Names of runs that are compared, columns and words of a table; bytes that are not UTF-8.
name="${poison//\//|}"$'\xff'.csv
cp quick/points.csv "$name"
run --compare "$name" quick/points.csv --html compared.html
expect_exit 0
awk -v p="${poison//\\/}" 'BEGIN { gsub(/"/, "\"\"", p); q = "\"" p "\377\""
	print "lines," q ",time"
	for (i = 0; i < 120; i++) print i % 6 + 1 "," (i % 2 ? q : "plain") "," (i % 6 < 2 ? 50 : i % 2 ? 200 : 500) + i / 100
}' >words.csv
run --mine words.csv --target time --html mined.html
expect_exit 0
expect_no_out
run --mine words.csv --html none.html
expect_exit 2
named=$(python3 check.py compared.html mined.html 2>&1) || fail "expected good pages: $named"
[ "$named" -eq 2 ] || fail "expected the names on their pages; got: $named"
named=$(python3 check.py quick.html plain.html 2>&1) || fail "expected good pages: $named"
