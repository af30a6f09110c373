#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged copies of every kind of stored file, given to every command that reads it.

usage: tests/bench/fuzz.sh stored [MUTANTS [KIND...]]	(default: 2000 mutants of each kind)

A program that crashes, goes on for more than 5 seconds (twice: a machine may be busy), or takes more than 500 MB is a finding. Each
kind has a line with its mutants, findings, the longest time (of a resumed run that measures: after it
was asked to stop) and the largest memory. Keys drive a replay, so its time says nothing and does not count. What
was found is kept in $MUTANTS_FOUND (default: a folder in /tmp), with the command that shows it.
TPROF names the program (default: build/tprof), MUTANTS_SEED the first of the seeds.
"""
import concurrent.futures
import fcntl
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TPROF = os.path.abspath(os.environ.get("TPROF", TOP + "/build/tprof"))
SECONDS, MEMORY_MB = 5.0, 500
RESUMED_SECONDS = 0.5  # then a resumed run is asked to stop
ANSWER_SECONDS, QUIET_SECONDS = 0.06, 0.015  # after a key: for a first answer, and between parts of it
GRACE_SECONDS = 2.0  # for a run that is asked to stop: measuring may take any time, ending may not
RUNS = TOP + "/tests/cli/old-runs/"
PANES = TOP + "/tests/tui/runs/"

NUMBERS = ["0", "-1", "1", "255", "1000", "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
           "9223372036854775807", "18446744073709551616", "1e308", "-1e308", "1e-320", "1e999", "0.1", "null", "NaN"]
TEXTS = ["", "x" * 300, "\\u001b]52;c;eA==\\u0007", "%s%n", "../../x", "a,b\"c", "\\ud800", "\u00e9" * 80]


def mutate(data, rng):
    """Another text near `data`; several changes at once."""
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        how = rng.randrange(12)
        lines = data.split(b"\n")
        if how <= 4:  # a number becomes an extreme one
            places = [m.span() for m in re.finditer(rb"-?\d+(\.\d+)?(e-?\d+)?", data)]
            if places:
                a, b = rng.choice(places)
                data = data[:a] + rng.choice(NUMBERS).encode() + data[b:]
        elif how == 5:  # a text
            places = [m.span(1) for m in re.finditer(rb'"([^"\n]*)"', data)]
            if places:
                a, b = rng.choice(places)
                data = data[:a] + rng.choice(TEXTS).encode() + data[b:]
        elif how == 6:
            del lines[rng.randrange(len(lines))]
            data = b"\n".join(lines)
        elif how == 7:  # a line many times
            i = rng.randrange(len(lines))
            if len(data) < 4 << 20:
                lines[i:i] = [lines[i]] * rng.choice([1, 2, 50, 5000 if len(lines[i]) < 400 else 50])
            data = b"\n".join(lines)
        elif how == 8 and len(lines) > 1:
            i, k = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[k] = lines[k], lines[i]
            data = b"\n".join(lines)
        elif how == 9 and data:
            data = data[:rng.randrange(len(data))]
        elif how == 10 and data:  # bytes
            a = bytearray(data)
            for _ in range(rng.choice([1, 2, 10])):
                a[rng.randrange(len(a))] = rng.randrange(256)
            data = bytes(a)
        elif data:  # a part moves or goes
            a = rng.randrange(len(data))
            b = min(len(data), a + rng.choice([1, 8, 100, 1000]))
            part, data = data[a:b], data[:a] + data[b:]
            if rng.random() < 0.5:
                at = rng.randrange(len(data) + 1)
                data = data[:at] + part + data[at:]
    return data


def run_in(folder, name):
    return lambda f: shutil.copytree(folder, f + "/run") and f + "/run/" + name


def file_of(path, name):
    return lambda f: shutil.copy(path, f + "/" + name)


SHOWS = [["--show", "run"], ["--show", "run", "--svg", "out.svg", "-o", "out.txt"], ["--show", "run", "--json"],
         ["--compare", "run", "@ORIGINAL@"], ["--list", "runs"], ["--replay", "run", "--speed", "0"], ["--resume", "run"]]
# kind: how a copy is laid into a folder (returns the file to damage), the original, the commands
KINDS = {}
for run in ("counters", "kernels", "search"):
    KINDS["run.json-" + run] = (run_in(RUNS + run, "run.json"), RUNS + run, SHOWS + [["--classify", "run"]])
for run in ("killed", "search"):
    KINDS["journal-" + run] = (run_in(RUNS + run, "journal.ndjson"), RUNS + run,
                               SHOWS + [["--show", "run/journal.ndjson"], ["--classify", "run"]])
# Made by the program itself, see begin().
KINDS.update({kind: None for kind in ("simulated", "cluster.json", "cluster-node", "cluster-journal")})
KINDS["lesson"] = (file_of(TOP + "/presets/lessons/01-working-set.yaml", "l.yaml"), "", [["--check", "./l.yaml"], ["--dry-run", "./l.yaml"]])
KINDS["learner"] = (file_of(TOP + "/tests/fuzz/corpus/progress/whole.json", "progress.json"), "",
                    [["--lesson-report", "progress.json"], ["--lesson-report", "progress.json", "--csv"],
                     ["--lesson-report", "progress.json", "--json"]])
KINDS["run.json-panes"] = (run_in(PANES + "autotune", "run.json"), PANES + "autotune", SHOWS)
KINDS["preset-of-run"] = (run_in(RUNS + "killed", "preset.yaml"), RUNS + "killed", [["--resume", "run"], ["--show", "run"]])
KINDS["points.csv"] = (run_in(RUNS + "kernels", "points.csv"), RUNS + "kernels/points.csv",
                       [["--show", "run/points.csv"], ["--compare", "run/points.csv", "@ORIGINAL@"],
                        ["--show", "run/points.csv", "--svg", "out.svg"]])
KINDS["readings.csv"] = (run_in(RUNS + "counters", "readings.csv"), RUNS + "counters",
                         [["--classify", "run/readings.csv"], ["--classify", "run"], ["--show", "run"]])
KINDS["trials.csv"] = (run_in(RUNS + "search", "trials.csv"), RUNS + "search", [["--show", "run"], ["--resume", "run"]])
for xml in ("skylake-2s-snc2", "thunderx2-2s-smt4", "vm-zen4-2c"):
    KINDS["topology-" + xml] = (file_of(TOP + "/tests/machines/" + xml + ".xml", "t.xml"), "",
                                [["--dry-run", "quick", "--topology", "./t.xml"], ["--check", "quick", "--topology", "./t.xml"]])
KINDS["preset"] = (file_of(TOP + "/presets/quick.yaml", "p.yaml"), "", [["--dry-run", "./p.yaml"], ["--check", "./p.yaml"]])
KINDS["model"] = (file_of(TOP + "/presets/machines/zen4.yaml", "m.yaml"), "", [["--dry-run", "quick", "--machine", "./m.yaml"]])
KINDS["config"] = (file_of(RUNS + "kernels/preset.yaml", "tprof-config.yaml"), "", [["--dry-run", "quick"]])
bases = sorted(os.listdir(TOP + "/presets/bases")) if os.path.isdir(TOP + "/presets/bases") else []
if bases:
    KINDS["basis"] = (file_of(TOP + "/presets/bases/" + bases[0], "b.yaml"), "",
                      [["--classify", RUNS + "counters/readings.csv", "--basis", "./b.yaml"]])


def environment(folder):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("TPROF_", "XDG_", "HWLOC_"))}
    env.update(HOME=folder, XDG_DATA_HOME=folder + "/data", XDG_CONFIG_HOME=folder + "/config", TERM="xterm-256color",
               LC_ALL="C.UTF-8")
    return env


def spawn(argv, folder, terminal):
    """The process, and our end of its terminal where it wants one."""
    if not terminal:
        out = os.open("/dev/null", os.O_RDWR)
        err = os.open(folder + "/stderr", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        p = subprocess.Popen(argv, cwd=folder, env=environment(folder), stdin=out, stdout=out, stderr=err)
        os.close(out)
        os.close(err)
        return p, -1
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    p = subprocess.Popen(argv, cwd=folder, env=environment(folder), stdin=theirs, stdout=theirs, stderr=theirs,
                         start_new_session=True)
    os.close(theirs)
    return p, ours


def screen_changes(fd, seconds):
    """True once the program has painted, or has gone; False when the time is over."""
    if not select.select([fd], [], [], seconds)[0]:
        return False
    try:
        os.read(fd, 65536)
    except OSError:
        time.sleep(0.001)  # gone
    return True


def until_end(pid, seconds):
    """Whether it ends in this time."""
    end = os.pidfd_open(pid)
    try:
        return bool(select.select([end], [], [], max(seconds, 0))[0])
    finally:
        os.close(end)


def ended(pid):
    """What wait4 says of a process that has ended; None for another."""
    found, status, usage = os.wait4(pid, os.WNOHANG)
    return (status, usage) if found else None


def play(pid, fd):
    """Some screens, then out of them: the next key when the screen has answered the last. Seconds that the last key took, and the end."""
    keys = [b"", b"\x1b[B", b"\r", b"\t", b"4", b"5", b"6", b"7"] + [b"q", b"y"] * 8
    for number, key in enumerate(keys):
        since = time.monotonic()
        try:
            os.write(fd, key)
        except OSError:
            pass
        # The first screen may take its time; a key may change nothing.
        wait = SECONDS if number == 0 else ANSWER_SECONDS
        while screen_changes(fd, wait):
            wait = QUIET_SECONDS
            end = ended(pid)
            if end:
                return time.monotonic() - since, end
            if time.monotonic() - since > SECONDS:
                break
    since = time.monotonic()
    while time.monotonic() - since < SECONDS:
        screen_changes(fd, 0.01)
        end = ended(pid)
        if end:
            return time.monotonic() - since, end
    return SECONDS, None


def measure(pid, resumes):
    """Seconds (after it was asked to stop), how it ended (None: not at all), whether it was asked."""
    since = time.monotonic()
    if until_end(pid, RESUMED_SECONDS if resumes else SECONDS):
        return time.monotonic() - since, ended(pid), False
    if not resumes:
        return SECONDS, None, False
    os.kill(pid, signal.SIGINT)
    since = time.monotonic()
    until_end(pid, GRACE_SECONDS + SECONDS)
    return time.monotonic() - since, ended(pid), True


def execute(argv, folder):
    """(words of a finding or None, seconds, MB)"""
    terminal = "--replay" in argv
    p, fd = spawn(argv, folder, terminal)
    p.returncode = 0  # it is waited for here
    asked = False
    try:
        if terminal:
            seconds, end = play(p.pid, fd)
        else:
            seconds, end, asked = measure(p.pid, "--resume" in argv)
        if not end:
            os.kill(p.pid, signal.SIGKILL)
            os.wait4(p.pid, 0)
            return "goes on for more than %.0f s%s" % (SECONDS, ", though it is asked to stop" if asked else ""), seconds, 0
    finally:
        if fd >= 0:
            os.close(fd)
    return judge(*end, folder, terminal, asked), 0 if terminal else seconds, end[1].ru_maxrss // 1024


def judge(status, usage, folder, terminal, asked):
    """Words of a finding, or None, for a program that has ended."""
    if os.WIFSIGNALED(status) and not (asked and os.WTERMSIG(status) == signal.SIGINT):
        return "dies of signal %d" % os.WTERMSIG(status)
    if usage.ru_maxrss > MEMORY_MB * 1024:
        return "takes %d MB" % (usage.ru_maxrss // 1024)
    if not terminal:
        with open(folder + "/stderr", "rb") as f:
            words = f.read(200000)
        if b"AddressSanitizer" in words or b"runtime error:" in words:
            return "is told off by a sanitizer"
        if b"engine died of" in words:
            return "has an engine that crashes"
    return None


class Mutants:
    def __init__(self, kinds, n, seed, found):
        self.kinds, self.n, self.seed, self.found = kinds, n, seed, found
        self.lock = threading.Lock()
        self.findings = {}
        self.slowest, self.largest = (0.0, ""), (0, "")

    def one(self, kind, number):
        layout, original, commands = KINDS[kind]
        rng = random.Random("%s %d" % (kind, number))
        folder = tempfile.mkdtemp(prefix="tprof-mutant-")
        try:
            path = layout(folder)
            with open(path, "rb") as f:
                data = f.read()
            data = mutate(data, rng)
            with open(path, "wb") as f:
                f.write(data)
            os.makedirs(folder + "/data/tprof/runs")
            os.makedirs(folder + "/config/tprof")
            if os.path.isdir(folder + "/run"):
                os.symlink(folder + "/run", folder + "/data/tprof/runs/2026-01-01-000000-x")
            if kind == "config":
                shutil.copy(path, folder + "/config/tprof/config.yaml")
            for words in commands:
                if words[0] == "--resume":
                    with open(path, "wb") as f:
                        f.write(data)  # the commands before may have changed nothing, but be sure
                argv = [TPROF] + [original if w == "@ORIGINAL@" else w for w in words]
                bad, seconds, mb = execute(argv, folder)
                if bad and seconds >= SECONDS:  # was it others that kept the CPUs busy?
                    bad, seconds, mb = execute(argv, folder)
                of = "%s %s-%d" % (words[0], kind, number)
                with self.lock:
                    self.slowest = max(self.slowest, (seconds, of))
                    self.largest = max(self.largest, (mb, of))
                if bad:
                    self.keep(kind, number, words, bad, data, path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def keep(self, kind, number, words, bad, data, path):
        name = "%s-%d" % (kind, number)
        with self.lock:
            self.findings.setdefault(kind, []).append(name)
            os.makedirs(self.found, exist_ok=True)
            with open(self.found + "/" + name, "wb") as f:
                f.write(data)
            print("    %s %s with %s as %s" % (" ".join(["tprof"] + words), bad, self.found + "/" + name,
                                             os.path.basename(path)), flush=True)

    def run(self):
        for kind in self.kinds:
            since = time.monotonic()
            self.slowest, self.largest = (0.0, ""), (0, "")
            with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
                for _ in pool.map(lambda i, k=kind: self.one(k, self.seed + i), range(self.n)):
                    pass
            print("%-28s %6d mutants %6.0f s %3d found; slowest %.2f s (%s), largest %d MB (%s)" %
                  ((kind, self.n, time.monotonic() - since, len(self.findings.get(kind, []))) + self.slowest +
                   self.largest), flush=True)
        return sum(len(f) for f in self.findings.values())


def begin(folder):
    """Runs of this program on a simulated machine: one that was interrupted, which goes on quickly and anywhere, and one of a cluster."""
    with open(folder + "/p.yaml", "w") as f:
        f.write("simulate: quiet\nmachine: zen4\nruns:\n"
                "  - {experiment: memcurve, sizes: [8KiB, 64KiB, 1MiB], isa: avx2, threads: [1, 2], invocations: 2}\n"
                "  - {experiment: latency, sizes: [8KiB, 1MiB]}\n")
    made = subprocess.run([TPROF, "--batch", "p.yaml", "--run-dir", "run"], cwd=folder, env=environment(folder),
                          stdin=subprocess.DEVNULL, capture_output=True)
    if not os.path.exists(folder + "/run/run.json"):
        print("mutants: the simulated run failed: " + made.stderr.decode(errors="replace"), file=sys.stderr)
        sys.exit(2)
    os.remove(folder + "/run/run.json")
    with open(folder + "/run/journal.ndjson", "rb") as f:
        lines = f.read().splitlines(True)
    with open(folder + "/run/journal.ndjson", "wb") as f:
        f.write(b"".join(lines[:len(lines) * 2 // 3]))
    KINDS["simulated"] = (run_in(folder + "/run", "journal.ndjson"), folder + "/run", SHOWS)
    subprocess.run([TPROF, "--cluster", "local:2", "--batch", "p.yaml", "--run-dir", "cluster"], cwd=folder, env=environment(folder),
                   stdin=subprocess.DEVNULL, capture_output=True)
    acts = [["--cluster", verb, "./run"] for verb in ("status", "collect", "cancel")] + [["--resume", "./run"], ["--show", "run"]]
    for kind, name in (("cluster.json", "cluster.json"), ("cluster-node", "nodes/node-1/run.json"),
                       ("cluster-journal", "nodes/node-1/journal.ndjson")):
        KINDS[kind] = (run_in(folder + "/cluster", name), "", acts)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    kinds = sys.argv[2:] or list(KINDS)
    for kind in kinds:
        if kind not in KINDS:
            sys.exit("mutants: there is no kind %s, but %s" % (kind, " ".join(KINDS)))
    own = tempfile.mkdtemp(prefix="tprof-mutants-")
    found = os.environ.get("MUTANTS_FOUND") or own + "/found"
    begin(own)
    total = Mutants(kinds, n, int(os.environ.get("MUTANTS_SEED", "0")), found).run()
    print("mutants: %d kinds, %d mutants each, %d found%s" % (len(kinds), n, total, ", kept in " + found if total else ""))
    if not total:
        shutil.rmtree(own, ignore_errors=True)
    sys.exit(1 if total else 0)


main()
