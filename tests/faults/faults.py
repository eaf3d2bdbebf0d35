"""faults.py - every operation on files fails in turn, in the command and in the server, by the library of inject.c.

    faults.py [--share S] [--seed N] [--seconds S] [--only NAME] [--keep FILE]

A scenario is a command and what it writes.  It runs once to be counted; then once for each operation and each way to fail
(with --share, for some of them, chosen by the seed).  After each: the command has succeeded, with the same files, or it says why
not and returns 1; what was there before is there still, or what is new is whole; nothing temporary is left; and the same command
succeeds afterwards.  S3SVM names the command, INJECT the library.  --keep FILE: what was tested is kept there, and not done
again, so that a long run can be stopped and goes on."""
import argparse
import hashlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
from client import Server, disc, disc_at, marks, npy, png, write  # noqa: E402

COMMAND, INJECT = os.environ["S3SVM"], os.environ["INJECT"]
WAYS = ("ENOSPC", "EDQUOT", "EIO", "EINTR", "SHORT", "XFSZ")
OLD = b"what was there before\n"


def tree(folder):
    """All files of a folder, with their bytes."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def environment(folder, **more):
    return {**os.environ, "OMP_NUM_THREADS": "1", "LD_PRELOAD": INJECT, "SOS_FAIL_UNDER": folder, **more}


# ---------------------------------------------------------------- scenarios


ENERGY = "sos 1\nvariables 3\ncliques 2\ntables 1\nunary\n0 5\n1 2\n4 0\ntable 2\n0 2 2 0\nclique 0 0 1\nclique 0 1 2\n"
PROBLEM = ("sosproblem 1\nlabels 2\ngroup reading free 1\ngroup agree table 2\n" + "".join(
    "example 6\ntruth 0 0 0 1 1 1\nfeatures reading\n" +
    "".join(f"feature {i} 0 {(-1 if i < 3 else 1) + ((i * 7 + e * 5) % 11 - 5) / 4}\n" for i in range(6)) +
    "".join(f"clique agree 1 {i} {i + 1}\n" for i in range(5)) for e in range(3)) + "end\n")


def files_make(folder):
    write(folder + "/energy.sos", ENERGY)
    write(folder + "/problem.txt", PROBLEM)
    for i in range(3):
        write(f"{folder}/album/images/d{i}.png", disc(14 + 4 * i, 40, 30))
        write(f"{folder}/album/labels/d{i}.png", png(40, 30, lambda x, y, i=i: (255 * disc_at(x, y, 14 + 4 * i, 30),), 1))
        write(f"{folder}/album/maps/d{i}.npy", npy(40, 30, lambda x, y, i=i: 2.0 if disc_at(x, y, 14 + 4 * i, 30) else -2.0))
    write(folder + "/marks.json", json.dumps(marks(40, 30, [("object", 2, [14, 15]), ("background", 2, [35, 3])])))


class Scenario:
    """A command; outputs are the files that it writes, which are there before with other bytes (old) or not."""

    def __init__(self, name, arguments, outputs, old=True, before=None, ignored=()):
        self.name, self.arguments, self.outputs, self.old = name, arguments, outputs, old
        self.before, self.ignored = before, ignored  # a command that is run first; members that may differ

    def plain(self, data):
        """Without times, and without what says whether it was resumed."""
        if not self.ignored:
            return data
        return b"\n".join(line for line in data.split(b"\n") if not any(word in line for word in self.ignored))

    def prepare(self, folder):
        files_make(folder)
        if self.before:
            subprocess.run([COMMAND, *self.before], cwd=folder, check=True, capture_output=True)
        for name in self.outputs if self.old else ():
            write(os.path.join(folder, name), OLD)

    def run(self, folder, more):
        env = environment(folder, **more) if more is not None else {**os.environ, "OMP_NUM_THREADS": "1"}
        return subprocess.run([COMMAND, *self.arguments], cwd=folder, env=env, capture_output=True, stdin=subprocess.DEVNULL)

    def outcome(self, folder):
        return {name: self.plain(data) for name, data in tree(folder).items()}


TIMES = (b'"seconds', b'"resumed"', b'"command"', b'"cpu')

SCENARIOS = [
    Scenario("convert", ["convert", "energy.sos", "out.sosb"], ["out.sosb"]),
    Scenario("convert-text", ["convert", "energy.sos", "out.max"], ["out.max"]),
    Scenario("minimize", ["minimize", "energy.sos", "-o", "labels.txt"], ["labels.txt"]),
    Scenario("make-data", ["make-data", "denoising", "drawn", "--count", "2", "--size", "64x48", "--force"],
             ["drawn/labels/shapes-01.png", "drawn/labels/sketch-01.png"]),
    Scenario("train", ["train", "--problem", "problem.txt", "--C", "10", "-o", "model.json"], ["model.json"], ignored=TIMES),
    Scenario("train-checkpoint", ["train", "--problem", "problem.txt", "--C", "10", "--gap", "1e-3", "--checkpoint", "state",
                                  "--checkpoint-seconds", "0", "--rounds", "6", "-o", "model.json"], ["model.json"], ignored=TIMES),
    Scenario("segment", ["segment", "album/images/d0.png", "--marks", "marks.json", "--method", "amn", "-o", "mask.png", "--cutout",
                         "cut.png", "--overlay", "look.png"], ["mask.png", "cut.png", "look.png"]),
    Scenario("calibrate", ["calibrate", "album", "-o", "calibration.json"],
             ["calibration.json"]),
    Scenario("add-noise", ["add-noise", "album/labels/d0.png", "-o", "noisy", "--sigma", "0.4", "--force"], ["noisy/d0.png"]),
    Scenario("predict", ["predict", "album/labels/d0.png", "-m", "denoise", "-o", "restored", "--force"], ["restored/d0.png"]),
    Scenario("inspect", ["inspect", os.path.join(os.environ["SOURCE_DIR"], "models", "denoise.json"), "-o", "page.html"], ["page.html"]),
    Scenario("stream", ["train", "denoise", "--data", "drawn", "--noise", "plain", "--sigma", "0.5", "--model", "paper", "--rounds", "4",
                        "--stream", "-o", "model.json"], ["model.json"], ignored=TIMES,
             before=["make-data", "denoising", "drawn", "--count", "2", "--size", "64x48"]),
]


# ---------------------------------------------------------------- the command


class Wrong(Exception):
    pass


def check(holds, *what):
    if not holds:
        raise Wrong(" ".join(str(part) for part in what))


def temporary(names):
    return [name for name in names if ".tmp" in name or name.endswith(".lock")]


def fault_check(s, place, at, what, way, before, wanted):
    """One run with one fault; returns whether it was refused."""
    folder = os.path.join(place, "work")
    shutil.copytree(os.path.join(place, "before"), folder)
    run = s.run(folder, {"SOS_FAIL_AT": str(at), "SOS_FAIL_HOW": way})
    found, said = s.outcome(folder), run.stderr.decode(errors="replace")
    check(run.returncode in (0, 1), "it returned", run.returncode, said)
    if what == "flock":
        found.pop("state.lock", None)  # it may be another's
    left = temporary(found)
    check(not left, "files are left:", left, said)
    if run.returncode:
        check("s3svm: " in said and said.strip(), "it says nothing of why it failed:", said)
        for name, data in found.items():
            whole = name in wanted and data == wanted[name] or name in before and data == before[name]
            check(whole or name == "state", name, "is neither what it was nor whole:", data[:60], said)
        for name in before:
            check(name in found, name, "is gone")
    else:
        for name in s.outputs:
            check(found.get(name) == wanted[name], name, "is not what it should be, and nobody said so:", said)
    again = s.run(folder, None)
    found = s.outcome(folder)
    check(again.returncode == 0, "it fails once more, without a fault:", again.stderr.decode())
    for name in s.outputs:
        check(found.get(name) == wanted[name], name, "is another afterwards")
    shutil.rmtree(folder)
    return run.returncode != 0


def operations(s, place):
    """The names of what a run does, one after the other."""
    folder, listed = os.path.join(place, "count"), os.path.join(place, "listed")
    shutil.copytree(os.path.join(place, "before"), folder)
    run = s.run(folder, {"SOS_FAIL_COUNT": listed})
    check(run.returncode == 0, s.name, "does not run:", run.stderr.decode())
    with open(listed, encoding="ascii") as file:
        names = [line.split()[1] for line in file]
    check(len(names) > 2, s.name, "does nothing that is seen")
    wanted = s.outcome(folder)
    check(all(name in wanted for name in s.outputs), s.name, "does not write", s.outputs, "but", list(wanted))
    shutil.rmtree(folder)
    return names, wanted


# ---------------------------------------------------------------- the server


def server_session(folder, more):
    """Photographs are marked, finished, undone; returns what was answered."""
    os.environ.update(environment(folder, **more))
    try:
        server = Server("--data", folder)
    except RuntimeError as wrong:
        check("s3svm: " in str(wrong), "it says nothing of why it does not start:", wrong)
        return None
    finally:
        for name in ("LD_PRELOAD", "SOS_FAIL_UNDER", *more):
            os.environ.pop(name, None)
    answers = []
    with server:
        for number in range(2):
            listed = server.get("/api/folder")
            answers.append(listed)
            if listed.status != 200 or len(listed.json["items"]) <= number:
                continue
            item = listed.json["items"][number]
            key, said = item["key"], {"revision": item["revision"], "marks": marks(40, 30, [("object", 2, [14, 15]), ("background", 2, [35, 3])])}
            for verb, path in (("POST", "open"), ("PUT", "marks"), ("POST", "done"), ("POST", "undone")):
                answer = server.ask(verb, f"/api/folder/{key}/{path}", {} if path == "open" else {**said, "method": "amn"} if path == "done" else
                                    {"revision": said["revision"]} if path == "undone" else said)
                answers.append(answer)
                if answer.status == 200 and "revision" in answer.json:
                    said["revision"] = answer.json["revision"]
                if number == 0 and path == "done":
                    break  # this one stays done
        check(server.get("/api/state").status == 200, "the server is gone")
        check(server.end() == 0, "the server ends badly:", server.errors)
    return answers


def server_fault_check(place, at, way, wanted):
    folder = os.path.join(place, "work")
    shutil.copytree(os.path.join(place, "before"), folder)
    answers = server_session(folder, {"SOS_FAIL_AT": str(at), "SOS_FAIL_HOW": way})
    refused = answers is None
    for answer in answers or ():
        refused = refused or answer.status >= 400
        check(answer.status in (200, 201, 202, 404, 409, 422, 500, 503), answer)
        check(answer.status < 400 or answer.json["error"]["message"], answer)
    for name, data in tree(folder).items():
        if name.startswith(("labels/", "scribbles/")) and name in wanted:
            check(data == wanted[name], name, "is not whole:", data[:80])
        if name.endswith(".json"):
            json.loads(data)
    again = server_session(folder, {})
    check(again is not None and all(answer.status < 500 for answer in again), "it fails once more, without a fault:", again)
    left = [name for name in tree(folder) if name.endswith(".tmp")]
    check(not left, "files are left:", left)
    shutil.rmtree(folder)
    return refused


# ---------------------------------------------------------------- clocks that jump, two hosts on one folder


def clocks_check(place):
    """The clock of the day jumps by days, both ways, all the time: what is learned and answered is the same, and slow clients go."""
    s = next(s for s in SCENARIOS if s.name == "train-checkpoint")
    s.prepare(os.path.join(place, "before"))
    models = []
    for seed in (None, "1", "2"):
        shutil.copytree(os.path.join(place, "before"), f"{place}/{seed}")
        run = s.run(f"{place}/{seed}", None if seed is None else {"SOS_CLOCK_JUMPS": seed})
        check(run.returncode == 0, run.stderr.decode())
        models.append(s.outcome(f"{place}/{seed}"))
    for name in s.outputs:
        check(models[0][name] == models[1][name] == models[2][name], name, "is another where clocks jump")
    shutil.copytree(os.path.join(place, "before", "album", "images"), os.path.join(place, "served", "images"))
    os.environ.update(LD_PRELOAD=INJECT, SOS_CLOCK_JUMPS="3")
    try:
        server = Server("--data", os.path.join(place, "served"))
    finally:
        del os.environ["LD_PRELOAD"], os.environ["SOS_CLOCK_JUMPS"]
    with server, socket.create_connection(("127.0.0.1", server.port), 60) as line:
        picture = server.upload(disc(20, 40, 30)).json
        answer = server.post(f"/api/pictures/{picture['id']}/labels", {"marks": marks(40, 30, [("object", 2, [20, 15])]), "method": "amn"})
        check(answer.status == 200, answer)
        for sent in b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + 40 * b"a":  # a head that comes for ever
            try:
                line.sendall(bytes([sent]))
                line.settimeout(1)
                if not line.recv(1000):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            raise Wrong("a client that sends a byte each second is not cut off")
        check(server.end(seconds=30) == 0, "the server ends badly:", server.errors)
    return "training, serving and ending go on"


def hosts_check(place):
    """Two processes that do not see each other, by namespaces, on one folder: the second is refused, and loses nothing."""
    apart = ["unshare", "--fork", "--pid", "--mount-proc", "--kill-child"]
    if not shutil.which("unshare") or subprocess.run([*apart, "true"], capture_output=True, check=False).returncode:
        return "not tested: no namespaces of processes here"
    s = next(s for s in SCENARIOS if s.name == "train-checkpoint")
    work, served = os.path.join(place, "work"), os.path.join(place, "served")
    s.prepare(work)
    arguments = ["train", "--problem", "problem.txt", "--C", "10", "--gap", "0", "--rounds", "1000000", "--checkpoint", "state",
                 "--checkpoint-seconds", "0", "--json"]
    first = subprocess.Popen([*apart, COMMAND, *arguments, "-o", "first.json"], cwd=work, stdout=subprocess.PIPE)
    first.stdout.readline()
    second = subprocess.run([*apart, COMMAND, *arguments, "-o", "second.json"], cwd=work, capture_output=True, check=False)
    ended = first.poll()
    first.kill()
    first.wait()
    if ended is None:
        check(second.returncode == 1 and b"in use" in second.stderr, "two trainings share a checkpoint:", second.stderr.decode())
    shutil.copytree(os.path.join(work, "album", "images"), os.path.join(served, "images"))
    with Server("--data", served):
        other = subprocess.run([*apart, COMMAND, "serve", "--port", "0", "--data", served], capture_output=True, timeout=60, check=False)
        check(other.returncode == 1 and b"another s3svm serve" in other.stderr, "two servers share a folder:", other.stderr.decode())
    for _ in range(20):  # two that save the same file at the same time: the result is of one of them, whole
        jobs = [subprocess.Popen([*apart, COMMAND, "convert", "energy.sos", "out.sosb"], cwd=work) for _ in range(2)]
        check([job.wait() for job in jobs] == [0, 0], "two that write one file fail")
        check(not [name for name in temporary(tree(work)) if name.startswith("out")], "files are left")
    return "the second is refused" if ended is None else "the second server is refused; training ended too early to tell"


OTHERS = {"clocks": clocks_check, "hosts": hosts_check}


# ---------------------------------------------------------------- all of them


def cases_of(name, names, share, seed):
    """Operations and ways, in an order that the seed makes; those that hit nothing are left out."""
    cases = [(at + 1, way) for at, what in enumerate(names) for way in WAYS if hits(what, way)]
    random.Random(f"{seed}-{name}").shuffle(cases)
    return cases[:max(1, round(share * len(cases)))]


def hits(what, way):
    """As can_fail of inject.c."""
    if way in ("ENOSPC", "EDQUOT"):
        return what in ("write", "create", "rename", "renameat", "mkdir", "mkdirat", "ftruncate")
    if way in ("EINTR", "SHORT"):
        return what in ("read", "pread", "write")
    return what == "write" if way == "XFSZ" else True


def scenario_run(name, place, options, done, keep):
    os.makedirs(place)
    if name in OTHERS:
        print(f"{name}: {OTHERS[name](place)}", flush=True)
        return 0
    server = name == "server"
    s = None if server else next(s for s in SCENARIOS if s.name == name)
    if server:
        files_make(os.path.join(place, "made"))
        shutil.copytree(os.path.join(place, "made", "album", "images"), os.path.join(place, "before", "images"))
        shutil.copytree(os.path.join(place, "before"), os.path.join(place, "count"))
        listed = os.path.join(place, "listed")
        check(server_session(os.path.join(place, "count"), {"SOS_FAIL_COUNT": listed}) is not None, "the server does not start")
        with open(listed, encoding="ascii") as file:
            names = [line.split()[1] for line in file]
        wanted = tree(os.path.join(place, "count"))
    else:
        s.prepare(os.path.join(place, "before"))
        names, wanted = operations(s, place)
        before = s.outcome(os.path.join(place, "before"))
    counts, wrongs = [0, 0], 0
    cases = cases_of(name, names, options.share, options.seed)
    for at, way in cases:
        if time.monotonic() > options.until:
            break
        mark = f"{name} {at} {way}"
        if mark in done:
            continue
        try:
            refused = server_fault_check(place, at, way, wanted) if server else fault_check(s, place, at, names[at - 1], way, before, wanted)
        except Wrong as wrong:
            print(f"FAILED: {name}, operation {at} of {len(names)} ({names[at - 1]}), {way}, seed {options.seed}: {wrong}", flush=True)
            wrongs += 1
            shutil.rmtree(os.path.join(place, "work"), ignore_errors=True)
            continue
        counts[refused] += 1
        if keep:
            keep.write(mark + "\n")
            keep.flush()
    print(f"{name}: {len(names)} operations; of {sum(counts)} faults {counts[1]} were refused, {counts[0]} did no harm, {wrongs} failed", flush=True)
    return wrongs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no new fault after so many")
    parser.add_argument("--only")
    parser.add_argument("--keep")
    options = parser.parse_args()
    options.until = time.monotonic() + options.seconds
    build = hashlib.sha256(open(COMMAND, "rb").read()).hexdigest()[:16]
    done, keep, failed = set(), None, 0
    if options.keep:
        os.makedirs(os.path.dirname(os.path.abspath(options.keep)), exist_ok=True)
        if os.path.exists(options.keep):
            with open(options.keep, encoding="utf-8") as file:
                lines = file.read().splitlines()
            done = set(lines[1:]) if lines and lines[0] == build else set()  # of another build they say nothing
        keep = open(options.keep, "a" if done else "w", encoding="utf-8")
        if not done:
            keep.write(build + "\n")
    with tempfile.TemporaryDirectory() as place:
        place = os.path.realpath(place)
        names = [s.name for s in SCENARIOS] + ["server", *OTHERS]
        random.Random(options.seed).shuffle(names)
        for name in names:
            wanted = options.only == name if options.only else options.share >= 1 or name not in OTHERS
            if not wanted or time.monotonic() > options.until:
                continue
            try:
                failed += scenario_run(name, os.path.join(place, name), options, done, keep)
            except Wrong as wrong:
                print(f"FAILED: {name}: {wrong}", flush=True)
                failed += 1
    return 1 if failed else 0


try:
    sys.exit(main())
except KeyboardInterrupt:
    print("stopped; with --keep the same command goes on")
    sys.exit(130)
