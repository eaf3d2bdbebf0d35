"""kills.py - kills at random moments of training, learning, serving and saving, and what is there afterwards.

    kills.py [--count N] [--seconds S] [--seed N] [--only NAME] [--keep FILE]

A round takes one of the jobs below, kills it again and again at moments that the seed makes, and lets it end at last: the result
must have the same bits as that of a job that nobody killed, what was answered must be on disk, every file is whole, and nothing
temporary stays.  It ends after so many kills, or so many seconds.  --keep FILE: one line of JSON for each round is added to it;
seeds go on after the last one there, and its kills count.  S3SVM names the command."""
import argparse
import base64
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
from client import Server, disc, disc_at, marks, png, read, write  # noqa: E402

COMMAND = os.environ["S3SVM"]
ENOUGH = 20  # kills of one round, after which it may end
until = float("inf")  # by time.monotonic(): the same for all rounds
ALONE = {**os.environ, "OMP_NUM_THREADS": "1"}
TIMES = ('"seconds', '"resumed"', '"command"', '"training_loss"', '"oracle_calls"')


class Wrong(Exception):
    pass


def check(holds, *what):
    if not holds:
        raise Wrong(" ".join(str(part) for part in what))


def plain(path):
    """A model without times, and without what says how it came about."""
    return [line for line in read(path).decode().splitlines() if not any(word in line for word in TIMES)]


def temporary(folder):
    return [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if ".tmp" in name]


def problem_make(path):
    lines = ["sosproblem 1\nlabels 2\ngroup reading free 2\ngroup square table 4 patch 2 2"]
    side = 14
    for e in range(8):
        rows = side + e
        truth = [(i // side // 5 + i % side // 6 + e) % 2 for i in range(rows * side)]
        lines.append(f"example {rows * side}\ntruth " + " ".join(map(str, truth)) + "\nfeatures reading")
        lines += [f"feature {i} 0 1 1 {t + 1.6 * ((i * 7919 + e * 104729) % 1009 / 1009 - 0.5):.3f}" for i, t in enumerate(truth)]
        lines += [f"clique square 1 {i} {i + 1} {i + side} {i + side + 1}" for y in range(rows - 1) for i in range(y * side, y * side + side - 1)]
    write(path, ("\n".join(lines) + "\nend\n").encode())


# ---------------------------------------------------------------- jobs of the command


def timed(arguments, folder):
    began = time.monotonic()
    run = subprocess.run(arguments, cwd=folder, env=ALONE, capture_output=True, stdin=subprocess.DEVNULL)
    check(run.returncode == 0, *arguments, "fails:", run.stderr.decode())
    return time.monotonic() - began


def processes_of(session):
    """The processes of a session that run the command, by /proc."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = read(f"/proc/{name}/stat").rpartition(b")")[2].split()
            if int(fields[3]) == session and os.path.realpath(f"/proc/{name}/exe") == os.path.realpath(COMMAND):
                found.append(int(name))
        except (OSError, ValueError):
            pass
    return found


def killed_runs(arguments, folder, r, seconds, one=False):
    """Runs it until it ends by itself, killing it meanwhile; one: one process of a job of several.  Returns how often."""
    kills = 0
    for _ in range(400):
        job = subprocess.Popen(arguments, cwd=folder, env=ALONE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               start_new_session=True)
        try:
            if kills < ENOUGH and time.monotonic() < until:
                while one and job.poll() is None and not processes_of(job.pid):
                    time.sleep(0.01)  # what starts them takes longer than they do
                try:
                    job.wait(r.uniform(0, r.choice((0.1, 0.4, 1)) * seconds))
                except subprocess.TimeoutExpired:
                    ranks = processes_of(job.pid) if one else []
                    if one and ranks:
                        os.kill(r.choice(ranks), signal.SIGKILL)
                    elif not one:
                        job.kill()
                    kills += not one or bool(ranks)
            said = job.communicate(timeout=300)[1]
        except subprocess.TimeoutExpired:
            check(one and not processes_of(job.pid), "it does not end")
            print("mpirun waits for itself, all ranks having ended (Open MPI 4.1, PMIx_server_finalize); it is killed, too", flush=True)
            continue
        finally:
            if job.poll() is None:
                for rank in processes_of(job.pid):
                    os.kill(rank, signal.SIGKILL)
                os.killpg(job.pid, signal.SIGKILL)
                job.wait()
        if job.returncode == 0:
            return kills
        check(one or job.returncode == -signal.SIGKILL, "it ended with", job.returncode, said.decode())
    raise Wrong("it never ends")


class Training:
    """Training with a checkpoint after every round."""

    def __init__(self, name, arguments, launcher=()):
        self.name, self.arguments, self.launcher = name, arguments, launcher

    def begin(self, place):
        self.place = place
        problem_make(place + "/problem.txt")
        subprocess.run([COMMAND, "make-data", "denoising", "drawn", "--count", "2", "--size", "60x40"], cwd=place, check=True, capture_output=True)
        self.wanted = place + "/alone.json"
        self.seconds = timed([COMMAND, *self.arguments, "-o", "alone.json"], place)
        timed([*self.launcher, COMMAND, *self.arguments, "-o", "again.json"], place)

    def round(self, folder, r):
        for name in ("problem.txt", "drawn"):
            os.symlink(os.path.join(self.place, name), os.path.join(folder, name))
        state = ["--checkpoint", "state", "--checkpoint-seconds", "0", "-o", "model.json"]
        kills = killed_runs([*self.launcher, COMMAND, *self.arguments, *state], folder, r, 0.7 * self.seconds, bool(self.launcher))
        check(plain(folder + "/model.json") == plain(self.wanted), "the model is another than without kills")
        check(not temporary(folder), "files are left:", temporary(folder))
        return kills


class Saving:
    """Commands that write over what they have written before."""
    name = "saving"
    STEPS = (["make-data", "denoising", "drawn", "--count", "4", "--size", "200x150", "--force"],
             ["add-noise", "drawn", "-o", "noisy", "--sigma", "0.5", "--force"],
             ["predict", "noisy/shapes-01.png", "noisy/sketch-01.png", "-m", "denoise", "-o", "restored", "--force"])

    def begin(self, place):
        self.seconds = [timed([COMMAND, *step], place) for step in self.STEPS]
        self.wanted = {os.path.relpath(os.path.join(at, name), place): read(os.path.join(at, name))
                       for at, _, names in os.walk(place) for name in names}

    def round(self, folder, r):
        kills = 0
        for step, seconds in zip(self.STEPS, self.seconds):
            for _ in range(4):
                job = subprocess.Popen([COMMAND, *step], cwd=folder, env=ALONE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
                try:
                    job.wait(r.uniform(0, 1.1 * seconds))
                except subprocess.TimeoutExpired:
                    job.kill()
                    kills += 1
                job.wait()
                self.look(folder)
            timed([COMMAND, *step], folder)
        self.look(folder)
        check(not temporary(folder), "files are left:", temporary(folder))
        return kills

    def look(self, folder):
        for at, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(at, name)
                check(".tmp" in name or read(path) == self.wanted[os.path.relpath(path, folder)], path, "is half written")


# ---------------------------------------------------------------- jobs of the server


def album_make(folder, count):
    for i in range(count):
        write(f"{folder}/images/d{i}.png", disc(20 + 6 * i, 60, 48))


def marks_of(i, radius=2):
    return marks(60, 48, [("object", radius, [20 + 6 * i, 24]), ("background", 2, [2, 2, 55, 3])])


class Serving:
    """Marks are saved, and photographs finished, as fast as they are answered."""
    name = "serving"

    def begin(self, place):
        self.place = place

    def round(self, folder, r):
        album_make(folder, 3)
        kills, saved = 0, {}
        for _ in range(6):
            with Server("--data", folder) as server:
                self.restore_check(server, folder, saved)
                killer = threading.Timer(r.uniform(0, 0.6), server.process.kill)
                killer.start()
                self.save(server, r, saved)
                killer.join()
                kills += 1
                server.process.wait()
        with Server("--data", folder) as server:
            self.restore_check(server, folder, saved)
        check(not temporary(folder), "files are left:", temporary(folder))
        return kills

    @staticmethod
    def save(server, r, saved):
        """Until the server is gone; saved: what may be there of each photograph, the last that was answered first."""
        try:
            while True:
                for i, item in enumerate(server.get("/api/folder").json["items"]):
                    wanted = marks_of(i, r.randrange(1, 400) / 100)
                    saved.setdefault(i, [None]).append(wanted)
                    body = {"revision": item["revision"], "marks": wanted}
                    done = r.randrange(2)
                    answer = server.ask("POST" if done else "PUT", f"/api/folder/{item['key']}/{'done' if done else 'marks'}",
                                        {**body, "method": "grabcut"} if done else body)
                    check(answer.status == 200, answer)
                    saved[i] = [wanted]
        except (OSError, EOFError, ValueError, __import__("http.client").client.HTTPException):
            pass

    @staticmethod
    def restore_check(server, folder, saved):
        """What was answered is there, or what was asked after that; of both only the whole."""
        for i, item in enumerate(server.get("/api/folder").json["items"]):
            path = f"{folder}/scribbles/d{i}.json"
            there = json.loads(read(path)) if os.path.exists(path) else None
            allowed = saved.get(i, [None])
            check(any(same_marks(there, wanted) for wanted in allowed), "marks of", i, "are", there, "but", allowed, "were sent")
            if os.path.exists(f"{folder}/labels/d{i}.png"):
                check(read(f"{folder}/labels/d{i}.png").endswith(b"IEND\xaeB`\x82"), "labels of", i, "are half written")
            check(item["state"] in ("new", "marked", "done"), item)


def same_marks(a, b):
    if a is None or b is None:
        return a is b
    return [[(m["label"], round(m["radius"], 6), m["points"]) for m in step] for step in a["steps"]] == \
           [[(m["label"], round(m["radius"], 6), m["points"]) for m in step] for step in b["steps"]]


class Learning:
    """The page learns, is killed and goes on, until a model is there."""
    name = "learning"

    def begin(self, place):
        self.place = place
        self.ready(place + "/album")
        self.seconds, _ = self.learn(place + "/album", None)
        self.wanted = plain(place + "/album/models/learned-1.json")

    @staticmethod
    def ready(folder):
        album_make(folder, 4)
        with Server("--data", folder) as server:
            for i, item in enumerate(server.get("/api/folder").json["items"]):
                answer = server.post(f"/api/folder/{item['key']}/done", {"revision": item["revision"], "marks": marks_of(i), "method": "amn"})
                check(answer.status == 200, answer)

    def learn(self, folder, r):
        began, kills, first = time.monotonic(), 0, True
        while time.monotonic() - began < 600:
            with Server("--data", folder) as server:
                state = server.get("/api/learning").json["state"]
                if state == "stopped" and not first or first:
                    answer = server.post("/api/learning", {"action": "start" if state != "stopped" else "resume"})
                    check(answer.status == 202, state, answer)
                    first = False
                killing = r and kills < 8 and time.monotonic() < until
                moment = time.monotonic() + (r.uniform(0, 0.4 * self.seconds) if killing else 600)
                while time.monotonic() < moment and state != "done":
                    time.sleep(0.05)
                    state = server.get("/api/learning").json["state"]
                    check(state in ("running", "done", "learning"), "learning is", server.get("/api/learning").json)
                if state == "done":
                    return time.monotonic() - began, kills
                server.kill()
                kills += 1
                if not os.path.exists(folder + "/.s3svm/learning.json") and not any("learn" in name for name in os.listdir(folder + "/.s3svm")):
                    first = True  # it had not begun
        raise Wrong("learning does not end")

    def round(self, folder, r):
        self.ready(folder)
        _, kills = self.learn(folder, r)
        check(plain(folder + "/models/learned-1.json") == self.wanted, "the model is another than without kills")
        return kills


# ---------------------------------------------------------------- all of them


def ranks_launcher():
    """mpirun, where one runs here, as root and with more ranks than cores; else nothing."""
    mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if not mpirun or "openmpi" not in subprocess.run([COMMAND, "version"], capture_output=True, text=True, check=True).stdout:
        return None
    for name, value in (("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"), ("OMPI_MCA_plm", "isolated"),
                        ("OMPI_MCA_btl", "tcp,self"), ("OMPI_MCA_btl_tcp_if_include", "lo"), ("OMPI_MCA_oob_tcp_if_include", "lo"),
                        ("OMPI_MCA_rmaps_base_oversubscribe", "1"), ("OMPI_MCA_hwloc_base_binding_policy", "none")):
        os.environ[name] = ALONE[name] = value
    works = subprocess.run([mpirun, "-n", "2", "true"], capture_output=True, check=False).returncode == 0
    return [mpirun, "-n", "2"] if works else None


def jobs_of(only):
    alone = ["train", "--problem", "problem.txt", "--C", "300", "--gap", "1e-4", "--threads", "1"]
    stream = ["train", "denoise", "--data", "drawn", "--noise", "plain", "--sigma", "0.7", "--rounds", "12", "--stream", "--threads", "1"]
    jobs = [Training("alone", alone), Training("stream", stream), Saving(), Serving(), Learning()]
    launcher = ranks_launcher() if only in (None, "ranks") else None
    if launcher:
        jobs.insert(2, Training("ranks", alone, launcher))
    elif only in (None, "ranks"):
        print("no MPI that runs here: without ranks", flush=True)
    return [job for job in jobs if only in (None, job.name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--keep")
    options = parser.parse_args()
    began, results = time.monotonic(), []
    global until
    until = began + options.seconds
    if options.keep and os.path.exists(options.keep):
        with open(options.keep, encoding="utf-8") as file:
            results = [json.loads(line) for line in file]
    os.makedirs(os.path.dirname(os.path.abspath(options.keep or "x")), exist_ok=True)
    kills, failed, seed = sum(line["kills"] for line in results), 0, 1 + max([options.seed - 1] + [line["seed"] for line in results])
    with tempfile.TemporaryDirectory() as place:
        jobs, ready = jobs_of(options.only), set()
        while kills < options.count and time.monotonic() - began < options.seconds:
            job = jobs[seed % len(jobs)]
            home, folder = os.path.join(place, job.name), os.path.join(place, "round")
            line = {"seed": seed, "job": job.name, "kills": 0, "wrong": None, "date": time.strftime("%Y-%m-%d")}
            round_began = time.monotonic()
            os.makedirs(folder)
            try:
                if job.name not in ready:
                    os.makedirs(home, exist_ok=True)
                    job.begin(home)
                    ready.add(job.name)
                line["kills"] = job.round(folder, random.Random(seed))
            except Wrong as wrong:
                line["wrong"] = str(wrong)[:2000]
                failed += 1
            line["seconds"] = round(time.monotonic() - round_began, 1)
            kills += line["kills"]
            shutil.rmtree(folder)
            print(f"{job.name}, seed {seed}: {line['kills']} kills in {line['seconds']} s" +
                  (f"; FAILED: {line['wrong']}" if line["wrong"] else ""), flush=True)
            if options.keep:
                with open(options.keep, "a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            seed += 1
            if failed >= 5:
                break
    print(f"{kills} kills in all, {failed} rounds of this run failed")
    return 1 if failed else 0


try:
    sys.exit(main())
except KeyboardInterrupt:
    print("stopped; the same command goes on")
    sys.exit(130)
