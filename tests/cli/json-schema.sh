# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# The JSON Schema of run.json: every run fits it, every key of a run is in it, and what does not fit is refused.
. "$TPROF_CLI/lib.sh"

run --dump-schema
expect_exit 0
expect_no_err
expect_json out
run --dump-schema -o schema.json
expect_exit 0
expect_no_out
# shellcheck disable=SC2016 # a key
for text in '"$schema": "https://json-schema.org/draft/2020-12/schema"' '"unit": "GB/s"' '|not-converged|'; do
	grep -qF -e "$text" schema.json || fail "expected in the schema: $text"
done
run --dump-schema -o /nowhere/schema.json
expect_exit 2

# Runs of today: simulated, of nodes, of a run that goes on, of counts; and all that ship, one of each experiment.
run --batch quick --machine zen4 --simulate --run-dir quick
expect_exit 0
run --cluster local:2 --batch quick --machine zen4 --simulate --run-dir nodes -q
expect_exit 0
run --resume quick
expect_exit 0
cp -R "$TPROF_CLI/old-runs/killed" killed
have python3 || exit 0
cat >check.py <<'END'
"""usage: check.py SCHEMA RUN...: what is wrong with runs, by the words of JSON Schema that the schema uses."""
import json, re, sys

schema = json.load(open(sys.argv[1]))
kinds = {"string": str, "number": (int, float), "integer": int, "boolean": bool, "null": type(None), "object": dict, "array": list}

def is_kind(value, kind):
    return isinstance(value, kinds[kind]) and (kind not in ("number", "integer") or not isinstance(value, bool))

def check(value, s, at, strict):
    if "$ref" in s:
        s = schema["$defs"][s["$ref"].rsplit("/", 1)[1]]
    known = {"$schema", "$defs", "title", "description", "unit", "type", "enum", "const", "pattern", "minimum", "maximum",
             "properties", "items", "required", "additionalProperties"}
    assert set(s) <= known, set(s) - known
    types = s.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_kind(value, kind) for kind in types):
        yield f"{at}: {value!r:.40} is not {types}"
        return
    if "const" in s and value != s["const"] or "enum" in s and value not in s["enum"]:
        yield f"{at}: {value!r:.40} is not allowed"
    if "pattern" in s and isinstance(value, str) and not re.search(s["pattern"], value):
        yield f"{at}: {value!r:.40} does not match"
    if "minimum" in s and value is not None and value < s["minimum"] or "maximum" in s and value is not None and value > s["maximum"]:
        yield f"{at}: {value} is out of range"
    if isinstance(value, dict):
        for key in s.get("required", []):
            if key not in value:
                yield f"{at}: lacks {key}"
        for key, member in value.items():
            if key in s.get("properties", {}):
                yield from check(member, s["properties"][key], f"{at}.{key}", strict)
            elif "additionalProperties" in s:
                yield from check(member, s["additionalProperties"], f"{at}.{key}", strict)
            elif strict:
                yield f"{at}: the schema lacks {key}"
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from check(item, s.get("items", {}), f"{at}[{i}]", strict)

def documented(s, at):
    for key, member in s.get("properties", {}).items():
        if at.endswith(("points", "windows", "roofs", "dots")) and "$ref" not in member and key != "windows":
            assert member.get("description"), (at, key)
        documented(member, at + "." + key)
    for inner in ("items", "additionalProperties"):
        if inner in s:
            documented(s[inner], at)

documented(schema, "run")
wrong = [line for name in sys.argv[2:] for line in check(json.load(open(name)), schema, name, True)]
print("\n".join(wrong))
sys.exit(bool(wrong))
END
runs=(quick/run.json nodes/merged/run.json nodes/nodes/node-1/run.json killed/run.json
	"$TPROF_SRCDIR"/examples/runs/*/run.json "$TPROF_CLI"/old-runs/*/run.json)
python3 check.py schema.json "${runs[@]}" >wrong 2>&1 || fail "$(head -n 5 wrong)"
validator=
if python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
	validator=1
	python3 - schema.json "${runs[@]}" <<'END' >wrong 2>&1 || fail "$(tail -n 3 wrong)"
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
for name in sys.argv[2:]:
    jsonschema.Draft202012Validator(schema).validate(json.load(open(name)))
END
else
	skip 'the Python module jsonschema is not installed'
fi

# What does not fit is refused, by both.
refuses() { # refuses EDIT: a run after that edit with sed
	sed "$1" quick/run.json >edited.json
	! cmp -s quick/run.json edited.json || fail "expected that this changes the run: $1"
	! python3 check.py schema.json edited.json >wrong 2>&1 || fail "expected the schema to refuse: $1"
	[ -z "$validator" ] ||
		! python3 -c 'import json, jsonschema; jsonschema.Draft202012Validator(json.load(open("schema.json"))).validate(json.load(open("edited.json")))' 2>wrong ||
		fail "expected jsonschema to refuse: $1"
}
refuses 's/"version": 1,/"version": 2,/'
refuses 's/"state": "complete"/"state": "over"/'
refuses 's/"threads": 1,/"threads": "one",/'
refuses 's/"threads": 1,/"threads": -1,/'
refuses 's/"quality": "good"/"quality": "fine"/'
refuses 's/"flags": ""/"flags": "no-such-flag"/'
refuses 's/^"points": \[/"poinst": [/'
