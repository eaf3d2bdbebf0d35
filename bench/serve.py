#!/usr/bin/env python3
"""serve.py - s3svm serve under load, with the standard library alone.

    bench/serve.py load                 50 clients with 5 strokes each
    bench/serve.py soak --minutes 10    good and bad requests of 8 clients, and how much memory the server has

S3SVM names the command (build/s3svm).  It prints what docs/benchmarks.md records, and fails where a request was answered otherwise than
it should be, or where memory grew by more than a tenth since the first minute."""
import argparse
import json
import os
import random
import socket
import statistics
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "serve"))
os.environ.setdefault("S3SVM", os.path.join(ROOT, "build", "s3svm"))
from client import Server, disc, marks  # noqa: E402


class Count:
    """Answers, and how long they took, by what was asked."""

    def __init__(self):
        self.lock = threading.Lock()
        self.seconds, self.statuses, self.wrong = {}, {}, []

    def note(self, what, seconds, answer, expected):
        with self.lock:
            self.seconds.setdefault(what, []).append(seconds)
            key = (what, answer.status if answer else "none")
            self.statuses[key] = self.statuses.get(key, 0) + 1
            if not answer or answer.status not in expected:
                self.wrong.append((what, answer))

    def show(self):
        for what, seconds in sorted(self.seconds.items()):
            seconds.sort()
            statuses = ", ".join(f"{n} x {s}" for (w, s), n in sorted(self.statuses.items(), key=str) if w == what)
            print(f"  {what:18} {len(seconds):6} requests  median {statistics.median(seconds):7.3f} s  95 % "
                  f"{seconds[int(0.95 * (len(seconds) - 1))]:7.3f} s  most {seconds[-1]:7.3f} s  ({statuses})")
        for what, answer in self.wrong[:10]:
            print(f"  WRONG: {what}: {answer}")


def timed(count, what, expected, ask):
    began = time.monotonic()
    try:
        answer = ask()
    except OSError as why:
        print(f"  {what}: {why}")
        answer = None
    count.note(what, time.monotonic() - began, answer, expected)
    return answer


def strokes(width, height, r, steps):
    made = [[("object", 4, [width // 2 + r.randint(-20, 20), height // 2 + r.randint(-20, 20)])]]
    while len(made) < steps:
        label = r.choice(("object", "background"))
        reach = 40 if label == "object" else width // 2 - 4
        x = width // 2 + r.choice((-1, 1)) * r.randint(reach // 2, reach)
        made.append([(label, 3, [x, r.randint(4, height - 4)])])
    return made


# ---------------------------------------------------------------- load

def client(server, count, number):
    r = random.Random(number)
    picture = timed(count, "open", {201}, lambda: server.post("/api/pictures", {"example": ("fruit", "mug", "toy")[number % 3]}, 600)).json
    made = strokes(picture["width"], picture["height"], r, 5)
    for step in range(1, 6):
        body = {"method": "s3svm", "marks": marks(picture["width"], picture["height"], *made[:step])}
        timed(count, "stroke" if step > 1 else "first stroke", {200}, lambda: server.post(f"/api/pictures/{picture['id']}/labels", body, 600))
    timed(count, "close", {204}, lambda: server.ask("DELETE", f"/api/pictures/{picture['id']}"))


def load(clients):
    count = Count()
    with Server() as server:
        began = time.monotonic()
        threads = [threading.Thread(target=client, args=(server, count, i)) for i in range(clients)]
        for thread in threads:
            thread.start()
        most = 0
        while any(t.is_alive() for t in threads):
            most = max(most, server.resident())
            time.sleep(0.2)
        seconds = time.monotonic() - began
        print(f"{clients} clients with 5 strokes each: {seconds:.1f} s, {clients * 5 / seconds:.1f} strokes a second, "
              f"at most {most >> 20} MiB, {server.resident() >> 20} MiB after them")
        count.show()
        code = server.end()
    return not count.wrong and code == 0


# ---------------------------------------------------------------- soak

def good_picture(server, count, r, filling):
    width, height = 96, 72
    answer = timed(count, "upload", {201}, lambda: server.upload(disc(r.randint(25, 70))))
    if not answer or answer.status != 201:
        return
    path = f"/api/pictures/{answer.json['id']}"
    made = strokes(width, height, r, 4)
    for step in range(1, 5):
        body = {"method": r.choice(("s3svm", "s3svm", "amn", "grabcut")), "marks": marks(width, height, *made[:step]), "quick": r.random() < 0.2}
        timed(count, "labels", {200, 410}, lambda: server.post(path + "/labels", body))
    view = r.choice(("cutout", "overlay", "mask", "marks", "unaries", "prior"))
    timed(count, "view", {200, 410}, lambda: server.post(path + "/view", {"view": view, "method": "s3svm", "marks": marks(width, height, *made)}))
    timed(count, "image", {200, 410}, lambda: server.get(path + "/image"))
    timed(count, "progress", {200, 410}, lambda: server.get(path + "/progress"))
    if not filling and r.random() < 0.7:
        timed(count, "close", {204, 404}, lambda: server.ask("DELETE", path))


def good_folder(server, count, r, _filling):
    listed = timed(count, "folder", {200}, lambda: server.get("/api/folder"))
    item = r.choice(listed.json["items"])
    path = f"/api/folder/{item['key']}"
    timed(count, "thumbnail", {200}, lambda: server.get(path + "/thumbnail"))
    opened = timed(count, "open", {201}, lambda: server.post(path + "/open", {}))
    body = {"revision": opened.json["revision"], "marks": marks(96, 72, *strokes(96, 72, r, r.randint(1, 3)))}
    saved = timed(count, "save", {200, 409}, lambda: server.put(path + "/marks", body))
    body["revision"] = saved.json["revision"]
    if r.random() < 0.3:
        timed(count, "done", {200, 409, 422}, lambda: server.post(path + "/done", {**body, "method": "grabcut"}))
    if r.random() < 0.1:
        timed(count, "undone", {200}, lambda: server.post(path + "/undone", {}))


def bad(server, count, r, _filling):
    kind = r.randrange(9)
    if kind == 0:
        timed(count, "garbage picture", {422}, lambda: server.upload(r.randbytes(r.randint(1, 5000))))
    elif kind == 1:
        whole = disc(40)
        timed(count, "cut picture", {422}, lambda: server.upload(whole[:r.randint(1, len(whole) - 20)]))
    elif kind == 2:
        timed(count, "wrong host", {403}, lambda: server.ask("GET", "/api/state", headers={"Host": "evil.example"}))
    elif kind == 3:
        timed(count, "garbage JSON", {400, 413}, lambda: server.ask("POST", "/api/learning", r.randbytes(200), {"Content-Type": "application/json"}))
    elif kind == 4:
        timed(count, "unknown", {404}, lambda: server.get("/api/pictures/" + "%032x" % r.getrandbits(128) + "/image"))
    elif kind == 5:
        timed(count, "wrong method", {405}, lambda: server.ask("PATCH", "/api/state", b""))
    elif kind == 6:
        timed(count, "wrong type", {415}, lambda: server.ask("POST", "/api/pictures", b"x", {"Content-Type": "text/plain"}))
    elif kind == 7:  # an upload that ends in the middle
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            line.sendall(b"POST /api/pictures HTTP/1.1\r\nHost: localhost\r\nX-S3SVM: 1\r\nContent-Type: image/png\r\n"
                         b"Content-Length: 3000000\r\n\r\n" + r.randbytes(r.randint(0, 200000)))
    else:  # bytes that are no request
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            line.sendall(r.randbytes(r.randint(1, 2000)))


def worker(server, count, number, began, minutes):
    """In the first minute no picture is closed, so that as many are open as may be."""
    r = random.Random(number)
    while (seconds := time.monotonic() - began) < 60 * minutes:
        r.choice((good_picture, good_picture, good_folder, bad, bad, bad))(server, count, r, seconds < 50)


def soak(minutes, clients):
    count = Count()
    with tempfile.TemporaryDirectory() as data:
        os.makedirs(data + "/images")
        for i in range(12):
            with open(f"{data}/images/d{i}.png", "wb") as file:
                file.write(disc(25 + 4 * i))
        with Server("--data", data) as server:
            began = time.monotonic()
            threads = [threading.Thread(target=worker, args=(server, count, i, began, minutes)) for i in range(clients)]
            for thread in threads:
                thread.start()
            sizes = []
            while any(t.is_alive() for t in threads):
                sizes.append((time.monotonic() - began, server.resident()))
                time.sleep(1)
            # memory goes up and down with the pictures that are open: means of a minute are compared
            first = statistics.mean(s for t, s in sizes if 30 <= t < 90 or minutes < 2)
            last = statistics.mean(s for t, s in sizes if t >= 60 * minutes - 60)
            alive = server.get("/api/state").status == 200
            code = server.end()
    total = sum(len(s) for s in count.seconds.values())
    print(f"{minutes:g} minutes, {clients} clients, {total} requests: {first / 2**20:.1f} MiB after the first minute, {last / 2**20:.1f} MiB in the "
          f"last ({100 * (last / first - 1):+.1f} %), at most {max(s for _, s in sizes) / 2**20:.1f} MiB; exit code {code}")
    count.show()
    return alive and code == 0 and not count.wrong and last < 1.1 * first


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("load", "soak"))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int)
    asked = parser.parse_args()
    fine = load(asked.clients or 50) if asked.what == "load" else soak(asked.minutes, asked.clients or 8)
    print(json.dumps({"fine": fine}))
    sys.exit(not fine)


if __name__ == "__main__":
    main()
