"""soak.py - s3svm serve for hours: 50 clients, good and bad, on this machine alone; memory, processes and files must be steady.

    soak.py [--seconds S] [--clients N] [--seed N] [--keep FILE]

Of five clients two open pictures, mark, look and close; one saves photographs of a folder; two send what no good client would.
Good ones must be answered rightly, or told to wait; the same marks must give the same mask.  Bad ones must be refused.  At the end
the memory of the last third must not be more than that of the first by a quarter and 64 MiB, and no descriptor, process or
temporary file may stay.  It can be stopped at any time (Ctrl-C) and then says what was seen so far.  --keep FILE: a line of JSON for
each run is added.  S3SVM names the command."""
import argparse
import http.client
import json
import os
import random
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
from client import Server, disc, marks, png  # noqa: E402

CLIENTS_MAX, SECONDS_MAX = 200, 24 * 3600
BUSY = (409, 410, 503)  # a newer request, a picture that was let go, too much at once: told, and allowed


class Soak:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.stop, self.lock = threading.Event(), threading.Lock()
        self.counts, self.wrong, self.masks = {}, [], {}
        self.pictures = {x: disc(x) for x in (30, 40, 50, 60)}

    def note(self, what, answer=None):
        name = f"{what} {answer.status}" if answer else what
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + 1

    def check(self, holds, *what):
        if holds:
            return
        with self.lock:
            if len(self.wrong) < 20:
                self.wrong.append(" ".join(str(part) for part in what))
        self.stop.set()

    # ---- clients; each does one thing, and is called again

    def good(self, server, r):
        x = r.choice(list(self.pictures))
        opened = server.upload(self.pictures[x])
        self.note("open", opened)
        self.check(opened.status in (201, *BUSY), opened)
        if opened.status != 201:
            return
        path = f"/api/pictures/{opened.json['id']}"
        for _ in range(r.randrange(1, 4)):
            y = r.choice((30, 36, 42))
            wanted = marks(96, 72, [("object", 3, [x, y]), ("background", 2, [2, 2, 90, 3])])
            method = r.choice(("amn", "amn", "s3svm", "grabcut"))
            answer = server.post(path + "/labels", {"marks": wanted, "method": method, "quick": r.random() < 0.2})
            self.note("labels", answer)
            self.check(answer.status in (200, *BUSY), answer)
            if answer.status == 200 and not answer.json["quick"]:
                with self.lock:
                    before = self.masks.setdefault((x, y, method), answer.json["mask"])
                self.check(before == answer.json["mask"], "another mask for the same marks:", x, y, method)
            view = server.post(path + "/view", {"marks": wanted, "method": method, "view": r.choice(("cutout", "overlay", "mask"))})
            self.note("view", view)
            self.check(view.status in (200, *BUSY), view)
        if r.random() < 0.8:
            closed = server.ask("DELETE", path)
            self.note("close", closed)
            self.check(closed.status in (204, 404), closed)

    def saving(self, server, r):
        listed = server.get("/api/folder")
        self.check(listed.status in (200, 503), listed)
        if listed.status != 200:
            return
        item = r.choice(listed.json["items"])
        wanted = marks(96, 72, [("object", r.randrange(2, 6), [40, 36]), ("background", 2, [2, 2, 90, 3])])
        done = r.random() < 0.5
        answer = server.ask("POST" if done else "PUT", f"/api/folder/{item['key']}/{'done' if done else 'marks'}",
                            {"revision": item["revision"], "marks": wanted, **({"method": "amn"} if done else {})})
        self.note("done" if done else "marks", answer)
        self.check(answer.status in (200, 409, 503), answer)
        thumbnail = server.get(f"/api/folder/{item['key']}/thumbnail")
        self.check(thumbnail.status in (200, 503), thumbnail)

    def bad(self, server, r):
        kind = r.choice((self.bad_bytes, self.bad_request, self.bad_picture, self.early, self.slow))
        kind(server, r)

    def refused(self, what, answer):
        self.note(what, answer)
        self.check(400 <= answer.status < 500 or answer.status == 503, what, answer)

    def bad_request(self, server, r):
        path = r.choice(("/api/pictures/" + 32 * "0" + "/labels", "/api/folder/" + 16 * "0" + "/marks", "/../../etc/passwd", "/api/tracers/.x"))
        body = r.choice((b"{", b"[" * 100000, b'{"marks": ' + b"9" * 1000, bytes(r.randrange(256) for _ in range(300)), b"{}"))
        headers = r.choice(({}, {"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"X-S3SVM": "0"}, {"Content-Type": "text/html"}))
        self.refused("bad request", server.ask(r.choice(("POST", "PUT", "DELETE", "GET")), path, body,
                                               {"Content-Type": "application/json", **headers}))

    def bad_picture(self, server, r):
        data = bytearray(self.pictures[r.choice(list(self.pictures))])
        for _ in range(r.randrange(1, 40)):
            data[r.randrange(len(data))] = r.randrange(256)
        answer = server.upload(bytes(data[:r.randrange(1, len(data) + 1)]))
        self.note("damaged picture", answer)
        self.check(answer.status in (201, 413, 422, 503), answer)  # what is hit may not matter
        if answer.status == 201:
            server.ask("DELETE", f"/api/pictures/{answer.json['id']}")

    def bad_bytes(self, server, r):
        data = r.choice((bytes(r.randrange(256) for _ in range(r.randrange(1, 2000))), b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                         b"GET /" + 60000 * b"a" + b" HTTP/1.1\r\n\r\n", b"POST /api/pictures HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"))
        with socket.create_connection(("127.0.0.1", server.port), 20) as line:
            line.sendall(data)
            line.shutdown(socket.SHUT_WR)
            line.settimeout(20)
            try:
                said = line.recv(100)
            except OSError:
                said = b""
        self.note("bad bytes")
        self.check(not said.startswith(b"HTTP/1.1 2"), data[:80], said)

    def early(self, server, r):
        """Goes before all is sent, or before the answer is read."""
        body = self.pictures[40]
        head = b"POST /api/pictures HTTP/1.1\r\nHost: localhost\r\nX-S3SVM: 1\r\nContent-Type: image/png\r\nContent-Length: %d\r\n\r\n" % len(body)
        with socket.create_connection(("127.0.0.1", server.port), 20) as line:
            line.sendall((head + body)[:r.randrange(1, len(head + body) + 1)])
        self.note("gone early")

    def slow(self, server, r):
        with socket.create_connection(("127.0.0.1", server.port), 20) as line:
            try:
                for byte in b"GET /api/state HTTP/1.1\r\nHost: localhost\r\nX-Slow: aaaaaaaaaaaaaaaaaaaa":
                    line.sendall(bytes([byte]))
                    if self.stop.wait(r.uniform(0, 0.1)):
                        return
            except OSError:
                pass
        self.note("slow")

    # ---- all of them

    def client(self, server, number):
        r = random.Random(self.options.seed * 1000 + number)
        act = (self.good, self.good, self.saving, self.bad, self.bad)[number % 5]
        while not self.stop.is_set():
            try:
                act(server, r)
            except (OSError, http.client.HTTPException) as wrong:
                if server.process.poll() is not None:
                    self.check(False, "the server is gone:", server.process.returncode)
                elif act != self.bad:
                    self.check(isinstance(wrong, (ConnectionResetError, TimeoutError)) or self.stop.is_set(), "a good client:", repr(wrong))
                self.note("cut off")

    def run(self, server):
        """Returns the samples: resident bytes, processes that decode, descriptors."""
        threads = [threading.Thread(target=self.client, args=(server, i), daemon=True) for i in range(self.options.clients)]
        for thread in threads:
            thread.start()
        began, samples = time.monotonic(), []
        try:
            while time.monotonic() - began < self.options.seconds and not self.stop.wait(0.5):
                samples.append((server.resident(), len(os.listdir(f"/proc/{server.process.pid}/fd"))))
        except (KeyboardInterrupt, FileNotFoundError):
            print("stopped")
        self.stop.set()
        for thread in threads:
            thread.join(60)
        return samples, time.monotonic() - began

    def judge(self, server, samples, idle):
        third = max(1, len(samples) // 3)
        first, last = max(s[0] for s in samples[:third]), max(s[0] for s in samples[-third:])
        if len(samples) > 60:  # within half a minute nothing can be said
            self.check(last <= 1.25 * first + (64 << 20), f"memory rises from {first >> 20} to {last >> 20} MiB")
        for _ in range(400):  # connections of clients that have gone are closed soon
            files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
            if files <= idle + 2:
                break
            time.sleep(0.1)
        self.check(files <= idle + 2, f"{files} files are open, {idle} were before")
        self.check(server.get("/api/state").status == 200, "no answer at the end")
        self.check(server.end() == 0, "it ends badly:", server.errors)
        left = [name for _, _, names in os.walk(self.folder) for name in names if ".tmp" in name]
        self.check(not left, "files are left:", left)
        return first, last


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep")
    options = parser.parse_args()
    options.seconds, options.clients = min(options.seconds, SECONDS_MAX), min(options.clients, CLIENTS_MAX)
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder + "/images")
        for i in range(6):
            with open(f"{folder}/images/d{i}.png", "wb") as file:
                file.write(disc(36 + i))
        soak = Soak(options, folder)
        with Server("--data", folder) as server:
            server.get("/api/state")
            idle = len(os.listdir(f"/proc/{server.process.pid}/fd"))
            samples, seconds = soak.run(server)
            first, last = soak.judge(server, samples, idle)
    requests = sum(soak.counts.values())
    line = {"date": time.strftime("%Y-%m-%d"), "seconds": round(seconds, 1), "clients": options.clients, "seed": options.seed,
            "requests": requests, "mib_first_third": first >> 20, "mib_last_third": last >> 20,
            "files_most": max(s[1] for s in samples), "counts": dict(sorted(soak.counts.items())), "wrong": soak.wrong}
    print(json.dumps(line, indent=1))
    print(f"{requests} requests of {options.clients} clients in {line['seconds']} s; at most {first >> 20} MiB in the first third, "
          f"{last >> 20} in the last; {len(soak.wrong)} wrong")
    if options.keep:
        os.makedirs(os.path.dirname(os.path.abspath(options.keep)), exist_ok=True)
        with open(options.keep, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return 1 if soak.wrong else 0


sys.exit(main())
