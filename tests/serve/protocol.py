"""protocol.py - every route and every refusal of s3svm serve, from a client's side: docs/api.md is what is tested."""
import base64
import concurrent.futures
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib

from client import Server, blank, disc, disc_at, marks, npy, png, read, write

COMMAND, SOURCE = os.environ["S3SVM"], os.environ["SOURCE_DIR"]
SANITIZED = os.environ.get("SANITIZED") == "1"
WIDTH, HEIGHT = 96, 72


def object_at(x, *more):
    return marks(WIDTH, HEIGHT, [("object", 3, [x, 36])], *more)


BACKGROUND = [("background", 2, [2, 2, 90, 3])]


def mask_of(answer):
    head, data = answer.json["mask"].split(",")
    assert head == "data:image/png;base64"
    return base64.b64decode(data)


def raw(port, data, seconds=10):
    """What the server says to these bytes, to the end of the connection or of the time."""
    with socket.create_connection(("127.0.0.1", port), seconds) as line:
        line.sendall(data)
        said = b""
        try:
            while part := line.recv(65536):
                said += part
                if b"\r\n\r\n" in said:
                    break
        except OSError:
            pass
        return said


def files(path):
    return sorted(os.listdir(path)) if os.path.isdir(path) else []


class Running(unittest.TestCase):
    """One server without a folder for all tests of a class; it must be alive after each, and end well."""
    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.arguments)

    @classmethod
    def tearDownClass(cls):
        code = cls.server.end()
        assert code == 0, (code, cls.server.errors)

    def tearDown(self):
        self.assertEqual(self.server.get("/api/state").status, 200)

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), answer)
        self.assertTrue(answer.json["error"]["message"])
        self.assertEqual(answer.headers["Content-Type"], "application/json")

    def opened(self, picture=None):
        answer = self.server.upload(picture or disc(40))
        self.assertEqual(answer.status, 201, answer)
        return answer.json


class Basics(Running):
    def test_page(self):
        answer = self.server.get("/")
        self.assertEqual(answer.status, 200)
        self.assertIn("text/html", answer.headers["Content-Type"])
        policy = answer.headers["Content-Security-Policy"]
        self.assertTrue(policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';"), policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        again = self.server.get("/", **{"If-None-Match": answer.headers["ETag"]})
        self.assertEqual((again.status, again.bytes), (304, b""))
        self.assertEqual(self.server.get("/page/main.js").headers["Content-Type"], "text/javascript; charset=utf-8")
        self.refused(self.server.get("/page/nothing.js"), 404, "unknown")
        head = self.server.ask("HEAD", "/")
        self.assertEqual((head.status, head.bytes), (200, b""))

    def test_every_file_of_the_page_is_inside(self):
        for name in files(os.path.join(SOURCE, "programs", "page")):
            answer = self.server.get("/page/" + name)
            self.assertEqual((answer.status, answer.bytes), (200, read(os.path.join(SOURCE, "programs", "page", name))), name)
            self.assertNotEqual(answer.headers["Content-Type"], "application/octet-stream", name)

    def test_state(self):
        state = self.server.get("/api/state").json
        self.assertEqual([m["name"] for m in state["methods"]], ["s3svm", "amn", "grabcut"])
        self.assertEqual(state["method"], "s3svm")
        self.assertEqual([e["name"] for e in state["examples"]], ["fruit", "mug", "toy"])
        self.assertIsNone(state["folder"])
        self.assertFalse(state["learning"]["available"])

    def test_paths(self):
        for path in ("/api", "/api/", "/api/pictures/", "/page/", "/page/..%2findex.html", "/../etc/passwd", "/page/.",
                     "/api/pictures/" + 31 * "a" + "/image", "/api/pictures/" + 32 * "A" + "/image", "/api/folder/x/open"):
            self.refused(self.server.get(path), 404, "unknown")
        for path in ("/api/pictures/" + 32 * "a" + "/image", "/api/drawings/" + 32 * "0" + "/image"):
            self.refused(self.server.get(path), 404, "unknown")
        self.refused(self.server.get("/api/folder"), 404, "unknown")
        self.refused(self.server.get("/api/learning"), 404, "unknown")
        self.refused(self.server.post("/api/learning", {"action": "start"}), 404, "unknown")

    def test_methods(self):
        for verb, path, allow in (("POST", "/", "GET, HEAD"), ("GET", "/api/pictures", "POST"), ("OPTIONS", "/api/state", "GET, HEAD"),
                                  ("DELETE", "/api/learning", "GET, HEAD, POST"), ("PATCH", "/api/state", "GET, HEAD")):
            answer = self.server.ask(verb, path, b"")
            self.refused(answer, 405, "method")
            self.assertEqual(answer.headers["Allow"], allow)

    def test_who_asks(self):
        ask, port = self.server.ask, self.server.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]", "",
                     "127.0.0.1:80x", "192.168.1.1"):
            self.refused(ask("GET", "/api/state", headers={"Host": host}), 403, "host")
            self.refused(ask("GET", "/", headers={"Host": host}), 403, "host")
        for host in (f"localhost:{port}", "LOCALHOST", "127.0.0.1:9000", "[::1]:9000"):
            self.assertEqual(ask("GET", "/api/state", headers={"Host": host}).status, 200)
        for origin in ("http://evil.example", "null", "https://127.0.0.1:%d" % port, "http://127.0.0.1:1", f"http://localhost:{port}"):
            self.refused(ask("GET", "/api/state", headers={"Origin": origin}), 403, "origin")
        self.assertEqual(ask("GET", "/api/state", headers={"Origin": f"http://127.0.0.1:{port}"}).status, 200)
        for site in ("cross-site", "same-site"):
            self.refused(ask("GET", "/api/state", headers={"Sec-Fetch-Site": site}), 403, "origin")
            self.assertEqual(ask("GET", "/", headers={"Sec-Fetch-Site": site}).status, 200)
        for mark in (None, "0", "yes"):
            answer = ask("POST", "/api/pictures", {"example": "fruit"}, {"X-S3SVM": mark})
            self.refused(answer, 403, "mark")

    def test_bytes_that_are_no_request(self):
        for data in (b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
                     b"POST /api/pictures HTTP/1.1\r\nHost: localhost\r\nX-S3SVM: 1\r\nContent-Type: image/png\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                     b"GET /" + 100000 * b"a" + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + 100000 * b"a" + b"\r\n\r\n"):
            said = raw(self.server.port, data, 2)
            self.assertFalse(said.startswith(b"HTTP/1.1 200"), (data[:60], said[:60]))


    def test_headers_of_every_kind_of_answer(self):
        safe = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
                "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"}
        ask, page = self.server.ask, self.server.get("/")
        picture = self.opened()
        path = f"/api/pictures/{picture['id']}"
        answers = {
            "page": page, "file": self.server.get("/page/main.js"), "state": self.server.get("/api/state"),
            "known": self.server.get("/", **{"If-None-Match": page.headers["ETag"]}), "head": ask("HEAD", "/"),
            "image": self.server.get(path + "/image"), "labels": self.server.post(path + "/labels", {"marks": object_at(40)}),
            "no path": self.server.get("/nothing"), "no verb": ask("PATCH", "/"), "host": ask("GET", "/", headers={"Host": "a.example"}),
            "type": ask("POST", "/api/pictures", b"x", {"Content-Type": "text/plain"}),
            "no mark": ask("DELETE", path, headers={"X-S3SVM": None}), "closed": ask("DELETE", path)}
        self.assertEqual([a.status for a in answers.values()], [200, 200, 200, 304, 200, 200, 200, 404, 405, 403, 415, 403, 204])
        for name, answer in answers.items():
            for header, value in safe.items():
                self.assertEqual(answer.headers.get(header), value, (name, header))
            policy = answer.headers.get("Content-Security-Policy", "")
            for part in ("default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
                self.assertIn(part, policy, name)
            self.assertNotIn("unsafe", policy, name)
            self.assertNotIn("*", policy, name)
            self.assertIn(answer.headers.get("Cache-Control"), ("no-store", "no-cache"), name)
            for header in ("Access-Control-Allow-Origin", "Access-Control-Allow-Headers", "Server", "Set-Cookie"):
                self.assertNotIn(header, answer.headers, name)
            if answer.status not in (204, 304):
                self.assertIn("Content-Type", answer.headers, name)

    def test_headers_that_stand_twice(self):
        for header, values in (("Host", ("localhost", "localhost")), ("Host", ("localhost", "evil.example")),
                               ("hOST", ("evil.example", "localhost")), ("Origin", ("http://localhost", "http://evil.example")),
                               ("X-S3SVM", ("1", "0")), ("Sec-Fetch-Site", ("none", "cross-site")),
                               ("Authorization", ("Bearer a", "Bearer b")), ("Content-Type", ("image/png", "text/plain"))):
            lines = ([] if header.lower() == "host" else ["Host: localhost"]) + [f"{header}: {value}" for value in values]
            said = raw(self.server.port, ("GET /api/state HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode())
            self.assertTrue(said.startswith(b"HTTP/1.1 400"), (header, values, said[:200]))
        said = raw(self.server.port, b"GET /api/state HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\nCookie: c=d\r\n\r\n")
        self.assertTrue(said.startswith(b"HTTP/1.1 200"), said[:200])


class Decoding(Running):
    """Pictures are decoded in processes that one process forks; what becomes of these costs an answer at most."""

    @staticmethod
    def children(process):
        """The processes that a process has forked, by their parent in /proc."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                if int(read(f"/proc/{name}/stat").rpartition(b")")[2].split()[1]) == process:
                    found.append(int(name))
            except (FileNotFoundError, ProcessLookupError):
                pass
        return found

    def keeper(self):
        found = self.children(self.server.process.pid)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def decode(self, seen):
        """Opens a large picture; seen is called with the process that decodes it."""
        picture = blank(8000, 4000)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            answer = pool.submit(self.server.upload, picture)
            while not answer.done():
                for child in self.children(self.keeper()):
                    if seen(child):
                        return answer.result()
            return answer.result()

    def has_ended(self, process):
        """Whether a process has closed its files, within some seconds: it may wait for whom it belongs to."""
        for _ in range(500):
            try:
                if read(f"/proc/{process}/stat").rpartition(b") ")[2][:1] in b"ZX":
                    return True
            except (FileNotFoundError, ProcessLookupError):
                return True
            time.sleep(0.01)
        return False

    def test_what_decodes_has_limits(self):
        limits = {}

        def look(child):
            try:
                text = read(f"/proc/{child}/limits").decode()
            except (FileNotFoundError, ProcessLookupError):
                return False
            limits.update({line[:26].strip(): line[26:].split()[0] for line in text.splitlines()[1:]})
            return limits.get("Max cpu time") == "60" and (SANITIZED or limits["Max open files"] == "0")

        self.assertEqual(self.decode(look).status, 201)
        self.assertEqual((limits["Max cpu time"], limits["Max file size"], limits["Max core file size"]), ("60", "0", "0"), limits)
        if not SANITIZED:
            self.assertLess(int(limits["Max address space"]), 8 << 30)
            self.assertEqual(limits["Max open files"], "0")

    def test_one_that_is_killed_costs_an_answer(self):
        def kill(child):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                return False
            return True

        answer = self.decode(kill)
        self.refused(answer, 422, "picture")
        self.assertIn("decoder", answer.json["error"]["message"])
        self.opened()

    def test_without_the_one_that_forks_them(self):
        with Server() as server:
            keeper = self.children(server.process.pid)[0]
            os.kill(keeper, signal.SIGKILL)
            self.assertTrue(self.has_ended(keeper))
            answer = server.upload(disc(40))
            self.refused(answer, 500, "file")
            self.assertEqual(server.get("/api/state").status, 200)
            self.assertEqual(server.end(), 0)

    def test_none_is_left(self):
        with Server() as server:
            keeper = self.children(server.process.pid)[0]
            server.kill()
        self.assertTrue(self.has_ended(keeper))


class Hasty(Running):
    arguments = ("--seconds", "0")

    def test_time_of_a_request(self):
        picture = self.opened()
        answer = self.server.post(f"/api/pictures/{picture['id']}/labels", {"marks": object_at(40, BACKGROUND)})
        self.refused(answer, 503, "time")


class Pictures(Running):
    def test_kinds(self):
        for example in ("fruit", "mug", "toy"):
            picture = self.server.post("/api/pictures", {"example": example}).json
            self.assertEqual((picture["width"], picture["height"], picture["name"]), (640, 480, example))
            image = self.server.get(f"/api/pictures/{picture['id']}/image")
            self.assertEqual(image.headers["Content-Type"], "image/jpeg")
            self.assertEqual(self.server.get(f"/api/pictures/{picture['id']}/image", **{"If-None-Match": image.headers["ETag"]}).status,
                             304)
        picture = self.opened(b"P6 2 1 255 abcdef")
        self.assertEqual((picture["width"], picture["height"]), (2, 1))
        self.assertTrue(self.server.get(f"/api/pictures/{picture['id']}/image").bytes.startswith(b"\x89PNG"))
        self.refused(self.server.post("/api/pictures", {"example": "../fruit"}), 404, "unknown")

    def test_a_turned_photograph(self):
        jpeg = read(os.path.join(SOURCE, "docs/segmentation/images/mug.jpg"))
        for turn, size in ((1, (640, 480)), (6, (480, 640)), (3, (640, 480))):
            note = b"Exif\0\0MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHH", 0x112, 3, 1, turn, 0) + b"\0\0\0\0"
            picture = self.opened(jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(note) + 2) + note + jpeg[2:])
            self.assertEqual((picture["width"], picture["height"]), size)
            image = self.server.get(f"/api/pictures/{picture['id']}/image")
            self.assertEqual(image.headers["Content-Type"], "image/jpeg" if turn == 1 else "image/png")
            self.assertNotIn(b"Exif", image.bytes)

    def test_what_is_no_picture(self):
        whole = disc(30)
        for data in (b"", b"hello", b"GIF89a", whole[:60], whole[:-40], b"\xff\xd8\xff\xe0", b"P6 10 10 255 abc"):
            self.refused(self.server.upload(data), 422, "picture")
        for kind in (None, "text/plain", "application/octet-stream", "multipart/form-data; boundary=x"):
            self.refused(self.server.ask("POST", "/api/pictures", whole, {"Content-Type": kind}), 415, "type")
        self.refused(self.server.ask("POST", "/api/drawings", {"example": "fruit"}), 415, "type")

    def test_too_large(self):
        head = b"IHDR" + struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
        bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head)) + bytes(1000) + b"IDAT"
        self.assertIn(self.server.upload(bomb).status, (413, 422))
        limits = self.server.get("/api/state").json["limits"]
        self.refused(self.server.upload(blank(10000, limits["pixels"] // 10000 + 1)), 413, "large")
        self.refused(self.server.upload(blank(3000, 2000), "/api/drawings"), 413, "large")
        for length in (limits["bytes"] + 1, 10 ** 11):
            said = raw(self.server.port, b"POST /api/pictures HTTP/1.1\r\nHost: localhost\r\nX-S3SVM: 1\r\nContent-Type: image/png\r\n"
                       b"Content-Length: %d\r\n\r\n" % length)
            self.assertTrue(said.startswith(b"HTTP/1.1 413"), said[:80])

    def test_uploads_that_end_early(self):
        head = (b"POST /api/pictures HTTP/1.1\r\nHost: localhost\r\nX-S3SVM: 1\r\nContent-Type: image/png\r\n"
                b"Content-Length: 1000000\r\n\r\n")
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", self.server.port)) as line:
                line.sendall(head + disc(30)[:500])

    def test_closing(self):
        picture = self.opened()
        path = f"/api/pictures/{picture['id']}"
        self.refused(self.server.ask("DELETE", path, headers={"X-S3SVM": None}), 403, "mark")
        self.assertEqual(self.server.ask("DELETE", path).status, 204)
        self.refused(self.server.ask("DELETE", path), 404, "unknown")
        self.refused(self.server.get(path + "/image"), 410, "gone")
        self.refused(self.server.post(path + "/labels", {"marks": object_at(40)}), 410, "gone")

    def test_the_least_recently_used_go(self):
        first, most = self.opened(), self.server.get("/api/state").json["limits"]["pictures"]
        second = self.opened()
        for _ in range(most - 2):
            self.opened(b"P5 1 1 255 a")
        self.assertEqual(self.server.get(f"/api/pictures/{first['id']}/image").status, 200)
        self.opened(b"P5 1 1 255 a")
        self.refused(self.server.get(f"/api/pictures/{second['id']}/image"), 410, "gone")
        self.assertEqual(self.server.get(f"/api/pictures/{first['id']}/image").status, 200)


class Labels(Running):
    def labels(self, picture, marks_, **more):
        return self.server.post(f"/api/pictures/{picture['id']}/labels", {"marks": marks_, **more})

    def test_what_the_command_writes(self):
        picture = self.opened()
        steps = [object_at(40, BACKGROUND), object_at(40, BACKGROUND, [("object", 2, [40, 50]), ("background", 1, [80, 60])])]
        with tempfile.TemporaryDirectory() as folder:
            write(folder + "/d.png", disc(40))
            for method in ("amn",) if SANITIZED else ("s3svm", "amn", "grabcut"):
                for marks_ in steps + steps[:1]:
                    answer = self.labels(picture, marks_, method=method)
                    self.assertEqual(answer.status, 200, answer)
                    write(folder + "/marks.json", json.dumps(marks_).encode())
                    subprocess.run([COMMAND, "segment", folder + "/d.png", "--marks", folder + "/marks.json", "--method", method,
                                    "-o", folder + "/mask.png"], check=True, capture_output=True)
                    self.assertEqual(mask_of(answer), read(folder + "/mask.png"), method)
                    result = answer.json
                    if method == "grabcut":
                        self.assertIsNone(result["energy"])
                    else:
                        self.assertLessEqual(result["bound"], result["energy"])
                        self.assertLess(result["gap"], 1e-6)
                    view = self.server.post(f"/api/pictures/{picture['id']}/view",
                                            {"marks": marks_, "method": method, "view": "mask"})
                    self.assertEqual(view.bytes, mask_of(answer))

    def test_marks_as_a_file_say_the_same(self):
        picture = self.opened()
        box = marks(WIDTH, HEIGHT)
        box["steps"] = [[{"shape": "box", "points": [15, 10, 65, 62]}]]
        with tempfile.TemporaryDirectory() as folder:
            write(folder + "/d.png", disc(40))
            for marks_ in (object_at(40, BACKGROUND), box):
                view = self.server.post(f"/api/pictures/{picture['id']}/view", {"marks": marks_, "method": "grabcut", "view": "marks"})
                write(folder + "/scribbles.png", view.bytes)
                run = subprocess.run([COMMAND, "segment", folder + "/d.png", "--scribbles", folder + "/scribbles.png", "--method",
                                      "grabcut", "-o", folder + "/mask.png"], capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(mask_of(self.labels(picture, marks_, method="grabcut")), read(folder + "/mask.png"))

    def test_nothing_marked(self):
        answer = self.labels(self.opened(), marks(WIDTH, HEIGHT))
        self.assertEqual((answer.status, answer.json["object"], answer.json["energy"]), (200, 0, None))
        self.assertFalse(answer.json["proposed"])

    def test_quick(self):
        picture = self.server.post("/api/pictures", {"example": "fruit"}).json
        marks_ = marks(640, 480, [("object", 5, [320, 240, 340, 250])], [("background", 5, [20, 20, 600, 30])])
        quick = self.labels(picture, marks_, method="amn", quick=True)
        self.assertEqual((quick.status, quick.json["quick"], quick.json["reduction"], quick.json["seconds"]["refine"] < 0.05),
                         (200, True, 2, True))
        self.assertFalse(self.labels(picture, marks_, method="amn").json["quick"])

    def test_views(self):
        picture = self.opened()
        path = f"/api/pictures/{picture['id']}/view"
        marks_ = object_at(40, BACKGROUND)
        seen = set()
        for view in ("cutout", "overlay", "mask", "marks", "unaries", "prior", "confidence"):
            answer = self.server.post(path, {"view": view, "method": "s3svm", "marks": marks_})
            self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "image/png"), answer)
            self.assertEqual(struct.unpack(">II", answer.bytes[16:24]), (WIDTH, HEIGHT))
            seen.add(answer.bytes)
            if view == "cutout":
                self.assertEqual(answer.bytes[25], 6)  # red, green, blue and opacity
        self.assertEqual(len(seen), 7)
        self.refused(self.server.post(path, {"view": "nothing", "marks": marks_}), 422, "view")
        self.refused(self.server.post(path, {"view": "unaries", "method": "grabcut", "marks": marks_}), 422, "refused")

    def test_next(self):
        picture = self.opened()
        path = f"/api/pictures/{picture['id']}/next"
        marks_ = object_at(40, BACKGROUND)
        answer = self.server.post(path, {"method": "s3svm", "marks": marks_})
        self.assertEqual((answer.status, answer.json["found"]), (200, True), answer)
        place = answer.json
        self.assertTrue(0 <= place["x"] < WIDTH and 0 <= place["y"] < HEIGHT and place["confidence"] >= 0, place)
        self.assertIn(place["label"], ("object", "background"))
        again = self.server.post(path, {"method": "s3svm", "marks": marks_}).json
        self.assertEqual({**again, "seconds": 0}, {**place, "seconds": 0})
        self.assertFalse(self.server.post(path, {"method": "s3svm", "marks": marks(WIDTH, HEIGHT)}).json["found"])
        self.refused(self.server.post(path, {"method": "grabcut", "marks": marks_}), 422, "refused")
        self.refused(self.server.post(path, {"marks": marks_, "view": "mask"}), 400, "json")
        self.refused(self.server.post("/api/pictures/" + 32 * "0" + "/next", {"marks": marks_}), 404, "unknown")

    def test_garbage(self):
        picture = self.opened()
        path = f"/api/pictures/{picture['id']}/labels"

        def sent(text):
            return self.server.ask("POST", path, text if isinstance(text, bytes) else text.encode(), {"Content-Type": "application/json"})

        fine = json.dumps(object_at(40))
        for text in ("", "x", "[]", "null", "{", '{"marks": ' + fine, '{"marks": %s} x' % fine, '{"marks": %s, "other": 1}' % fine,
                     '{"marks": %s, "marks": %s}' % (fine, fine), '{"quick": 1}', '{"method": 3, "marks": %s}' % fine,
                     '{"method": "%s"}' % (100 * "m"), "{}", '{"marks": null}', b'{"method": "\xff"}', b'{"marks": \0}', 2000 * "[",
                     '{"m\\u0061rks": %s}' % fine):
            self.refused(sent(text), 400, "json")
        self.refused(sent("[" + 30000 * "[]," + "[]]"), 413, "large")
        self.refused(sent(b" " * ((8 << 20) + 1)), 413, "large")
        self.refused(self.server.ask("POST", path, fine.encode(), {"Content-Type": "text/plain"}), 415, "type")
        for marks_ in (3, [], {}, {**object_at(40), "version": 2}, marks(WIDTH + 1, HEIGHT), marks(WIDTH, HEIGHT, []),
                       marks(WIDTH, HEIGHT, [("object", -1, [3, 3])]), marks(WIDTH, HEIGHT, [("object", 3, [1e30, 3])]),
                       marks(WIDTH, HEIGHT, [("object", 3, [3])]), marks(WIDTH, HEIGHT, [("cat", 3, [3, 3])]),
                       marks(WIDTH, HEIGHT, [("object", 3, [500, 500])]), marks(WIDTH, HEIGHT, *(1001 * [[("object", 1, [3, 3])]]))):
            self.refused(self.labels(picture, marks_), 422, "marks")
        self.assertEqual(self.labels(picture, object_at(40, [("object", 3, [500, 500])])).status, 200)  # a part of it is seen
        for method in ("nothing", "learned", "S3SVM"):
            self.refused(self.labels(picture, object_at(40), method=method), 422, "method")

    @unittest.skipIf(SANITIZED, "it takes minutes then")
    def test_the_newest_wins(self):
        picture = self.server.post("/api/pictures", {"example": "mug"}).json
        path = f"/api/pictures/{picture['id']}"
        many = [marks(640, 480, *([("object", 3, [300 + i + 5 * k, 250])] for k in range(8))) for i in range(5)]
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            older = []
            for marks_ in many:
                older.append(threads.submit(self.labels, picture, marks_, method="amn"))
                time.sleep(0.15)
            progress = self.server.get(path + "/progress").json
            answers = [o.result() for o in older]
        self.assertEqual(answers[-1].status, 200, answers[-1])
        self.assertTrue({a.status for a in answers} <= {200, 409}, answers)
        replaced = [a for a in answers if a.status == 409]
        self.assertGreaterEqual(len(replaced), 2)
        for answer in replaced:
            self.refused(answer, 409, "superseded")
        self.assertTrue(progress["busy"] and progress["what"])
        self.assertEqual(self.server.get(path + "/progress").json, {"busy": False, "share": None, "what": ""})
        alone = self.server.post("/api/pictures", {"example": "mug"}).json
        self.assertEqual(mask_of(self.labels(alone, many[-1], method="amn")), mask_of(answers[-1]))

    def test_a_picture_that_is_closed_while_it_is_worked_on(self):
        picture = self.server.post("/api/pictures", {"example": "toy"}).json
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            answer = threads.submit(self.labels, picture, marks(640, 480, [("object", 5, [320, 240])]))
            time.sleep(0.1)
            self.assertEqual(self.server.ask("DELETE", f"/api/pictures/{picture['id']}").status, 204)
            self.assertIn(answer.result().status, (200, 409, 410))


class Drawings(Running):
    def test_restored(self):
        def noisy(x, y):
            ink = 20 < x < 30 or 20 < y < 26
            flip = (x * 7919 + y * 104729 + x * y * 31) % 10 == 0
            return (0 if ink != flip else 255,)
        drawing = self.server.upload(png(64, 48, noisy, 1), "/api/drawings").json
        self.assertEqual((drawing["width"], drawing["height"]), (64, 48))
        path = f"/api/drawings/{drawing['id']}"
        self.assertTrue(self.server.get(path + "/image").bytes.startswith(b"\x89PNG"))
        restored = self.server.post(path + "/restored", {"model": None})
        self.assertEqual((restored.status, restored.headers["Content-Type"]), (200, "image/png"))
        self.assertEqual(restored.bytes, self.server.post(path + "/restored", {}).bytes)
        with tempfile.TemporaryDirectory() as folder:
            write(folder + "/in/d.png", png(64, 48, noisy, 1))
            subprocess.run([COMMAND, "predict", folder + "/in", "-m", "denoise", "-o", folder + "/out"], check=True, capture_output=True)
            self.assertEqual(restored.bytes, read(folder + "/out/d.png"))
        self.refused(self.server.post(path + "/restored", {"model": "other"}), 422, "model")
        self.refused(self.server.get(f"/api/pictures/{drawing['id']}/image"), 404, "unknown")
        self.assertEqual(self.server.ask("DELETE", path).status, 204)


def lined(seed, labels=False, width=64, height=48):
    """Two dark lines on a noisy ground, or their labels."""
    def pixel(x, y):
        near = abs(x + seed * 5 % 23 - y - 12) < 2 or abs(y - 8 - seed * 7 % 30) < 2
        noise = (x * 7919 + y * 104729 + x * y * 31 + seed * 37) % 29
        grey = 150 + noise - (60 if near else 0)
        return (255 if near else 0,) if labels else (grey, grey - 10, grey + 10)
    return png(width, height, pixel, 1 if labels else 3)


class Tracing(Running):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.data = cls.folder.name + "/data"
        cls.model = cls.data + "/model.json"
        for i in range(1, 5):
            write(f"{cls.data}/images/{i}.png", lined(i))
            write(f"{cls.data}/labels/{i}.png", lined(i, True))
        subprocess.run([COMMAND, "train", "trace", "--data", cls.data, "--model", "pairs", "--samples", "6000", "--gap", "0.1",
                        "-o", cls.model], check=True, capture_output=True)
        subprocess.run([COMMAND, "predict", cls.data + "/images", "-m", cls.model, "-o", cls.data + "/out"], check=True,
                       capture_output=True)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def give(self, name, text):
        return self.server.ask("PUT", f"/api/tracers/{name}", text, {"Content-Type": "application/json"})

    def test_what_predict_writes(self):
        names = self.give("lines.json", read(self.model)).json["tracers"]
        self.assertEqual(names[-1], "lines.json")
        self.assertEqual(self.server.get("/api/state").json["tracers"], names)
        for i in (1, 2):
            picture = self.opened(lined(i))
            for asked in ({"model": "lines.json"}, {"model": None}, {}):
                answer = self.server.post(f"/api/pictures/{picture['id']}/trace", asked)
                self.assertEqual(answer.status, 200, answer)
                said = answer.json
                self.assertEqual(mask_of(answer), read(f"{self.data}/out/{i}.png"))
                self.assertEqual(said["svg"].encode(), read(f"{self.data}/out/{i}.svg"))
                self.assertEqual(said["geojson"].encode(), read(f"{self.data}/out/{i}.geojson"))
                self.assertEqual(said["model"], "lines.json")
                self.assertGreater(said["structure"], 100)
                self.assertGreater(said["seconds"], 0)

    def test_refusals(self):
        picture = self.opened(lined(1))
        path = f"/api/pictures/{picture['id']}/trace"
        self.refused(self.server.post(path, {"model": "unknown"}), 422, "model")
        self.refused(self.server.post(path, {"models": "unknown"}), 400, "json")
        self.refused(self.server.post(f"/api/pictures/{'0' * 32}/trace", {}), 404, "unknown")
        self.refused(self.server.get(path), 405, "method")
        drawing = self.server.upload(png(64, 48, lambda x, y: (x,), 1), "/api/drawings").json
        self.refused(self.server.post(f"/api/drawings/{drawing['id']}/trace", {}), 404, "unknown")
        for wrong in (b"{}", b"nothing", b'{"format": "s3svm model"}', read(self.model)[:1000]):
            self.refused(self.give("wrong.json", wrong), 422, "model")
        self.refused(self.give(".hidden", read(self.model)), 404, "unknown")
        self.refused(self.server.ask("PUT", "/api/tracers/a", read(self.model), {"Content-Type": "image/png"}), 415, "type")
        self.refused(self.server.ask("PUT", "/api/tracers/a", read(self.model), {"X-S3SVM": None, "Content-Type": "application/json"}), 403, "mark")
        self.give("lines.json", read(self.model))
        large = self.server.upload(blank(2001, 2000)).json
        self.refused(self.server.post(f"/api/pictures/{large['id']}/trace", {"model": "lines.json"}), 413, "large")

    def test_too_many(self):
        for i in range(10):
            self.assertEqual(self.give(f"m{i}", read(self.model)).status, 200)
        names = self.server.get("/api/state").json["tracers"]
        self.assertEqual(names, [f"m{i}" for i in range(2, 10)])
        self.assertEqual(self.give("m5", read(self.model)).json["tracers"], [n for n in names if n != "m5"] + ["m5"])

    def test_a_model_of_the_command_line_stays(self):
        with Server("--trace", self.model) as server:
            for i in range(9):
                server.ask("PUT", f"/api/tracers/m{i}", read(self.model), {"Content-Type": "application/json"})
            self.assertEqual(server.get("/api/state").json["tracers"], ["model.json"] + [f"m{i}" for i in range(2, 9)])
        with self.assertRaisesRegex(RuntimeError, "nowhere"):
            Server("--trace", "nowhere/model.json")


class Crowds(Running):
    def test_a_thousand_at_once(self):
        picture = self.opened()
        body = json.dumps({"marks": object_at(40), "method": "amn"}).encode()
        state = b"GET /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        labels = (b"POST /api/pictures/%s/labels HTTP/1.1\r\nHost: localhost\r\nX-S3SVM: 1\r\nContent-Type: application/json\r\n"
                  b"Connection: close\r\nContent-Length: %d\r\n\r\n" % (picture["id"].encode(), len(body))) + body
        garbage = b"POST /api/pictures HTTP/1.1\r\nHost: localhost\r\nX-S3SVM: 1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
        lines = [socket.create_connection(("127.0.0.1", self.server.port), 60) for _ in range(1000)]
        for i, line in enumerate(lines):
            line.sendall((state, labels, garbage)[i % 3])
        statuses = [{}, {}, {}]
        for i, line in enumerate(lines):
            said = b""
            while part := line.recv(65536):
                said += part
            line.close()
            status = int(said.split(b" ", 2)[1])
            statuses[i % 3][status] = statuses[i % 3].get(status, 0) + 1
        self.assertTrue(set(statuses[0]) <= {200, 503}, statuses)
        self.assertTrue(set(statuses[1]) <= {200, 409, 503}, statuses)
        self.assertEqual(set(statuses[2]), {415}, statuses)
        self.assertGreaterEqual(statuses[0].get(200, 0), 50, statuses)
        self.assertGreaterEqual(statuses[1].get(200, 0), 1, statuses)


class Open(Running):
    arguments = ("--host", "0.0.0.0")

    def test_token(self):
        token = self.server.said["token"]
        self.assertEqual(len(token), 32)
        self.assertTrue(self.server.said["address"].endswith("/?token=" + token))
        for headers in ({}, {"Authorization": "Bearer " + 32 * "0"}, {"Cookie": f"s3svm-{self.server.port}={32 * '0'}"},
                        {"Cookie": f"s3svm-1={token}"}, {"Authorization": "Bearer " + token[:-1]}):
            self.refused(self.server.ask("GET", "/api/state", headers=headers), 403, "token")
            self.refused(self.server.ask("GET", "/", headers=headers), 403, "token")
        self.refused(self.server.get("/?token=" + 32 * "0"), 403, "token")
        first = self.server.get("/?token=" + token)
        self.assertEqual((first.status, first.headers["Location"]), (303, "/"))
        cookie = first.headers["Set-Cookie"]
        self.assertIn("SameSite=Strict", cookie)
        self.assertIn("HttpOnly", cookie)
        self.assertEqual(self.server.get("/", Cookie="a=b; " + cookie.split(";")[0]).status, 200)
        right = {"Authorization": "Bearer " + token}
        self.assertEqual(self.server.ask("POST", "/api/pictures", {"example": "fruit"}, right).status, 201)
        self.assertEqual(self.server.ask("GET", "/api/state", headers={**right, "Host": "192.168.1.7:80"}).status, 200)
        self.refused(self.server.ask("GET", "/api/state", headers={**right, "Host": "evil.example"}), 403, "host")
        self.refused(self.server.ask("GET", "/api/state", headers={**right, "Origin": "http://evil.example"}), 403, "origin")

    def tearDown(self):
        right = {"Authorization": "Bearer " + self.server.said["token"]}
        self.assertEqual(self.server.ask("GET", "/api/state", headers=right).status, 200)


class Folders(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.path = self.place.name + "/data"
        for i in range(3):
            write(f"{self.path}/images/d{i}.png", disc(30 + 10 * i))

    def tearDown(self):
        self.place.cleanup()

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), answer)

    def items(self, server):
        return server.get("/api/folder").json["items"]

    def test_the_list_of_the_unsure(self):
        with Server("--data", self.path) as server:
            self.assertFalse(any("unsure" in i for i in self.items(server)))
            write(f"{self.path}/unsure.csv", b'name,unsure,object\n"d2",0.250000,0.1\n"d0",0.125,0.2\n"other",0.1,0\nd1,0.5,0\n"d1",x\n"d1\n"')
            self.assertEqual([i.get("unsure") for i in self.items(server)], [0.125, None, 0.25])
            write(f"{self.path}/images/a \"b\".png", disc(20))
            write(f"{self.path}/unsure.csv", b'"a ""b""",0.5,0\n')
            self.assertEqual([i.get("unsure") for i in self.items(server)], [0.5, None, None, None])

    def test_states(self):
        with Server("--data", self.path) as server:
            self.assertEqual(server.get("/api/state").json["folder"], {"title": "data", "count": 3, "done": 0, "marked": 0})
            listed = server.get("/api/folder?from=1&count=1").json
            self.assertEqual((listed["count"], [i["name"] for i in listed["items"]]), (3, ["d1.png"]))
            keys = [i["key"] for i in self.items(server)]
            thumbnail = server.get(f"/api/folder/{keys[0]}/thumbnail")
            self.assertEqual((thumbnail.status, struct.unpack(">II", thumbnail.bytes[16:24])), (200, (WIDTH, HEIGHT)))
            self.assertEqual(server.get(f"/api/folder/{keys[0]}/thumbnail", **{"If-None-Match": thumbnail.headers["ETag"]}).status, 304)
            opened = server.post(f"/api/folder/{keys[1]}/open", {}).json
            self.assertEqual((opened["state"], opened["marks"], opened["previous"], opened["next"]), ("new", None, keys[0], keys[2]))
            again = server.post(f"/api/folder/{keys[1]}/open", {}).json
            self.assertNotEqual(again["id"], opened["id"])
            marks_ = object_at(40)
            saved = server.put(f"/api/folder/{keys[1]}/marks", {"revision": opened["revision"], "marks": marks_}).json
            self.assertEqual(saved["state"], "marked")
            self.assertEqual(json.loads(read(self.path + "/scribbles/d1.json")), marks_)
            done = server.post(f"/api/folder/{keys[1]}/done", {"revision": saved["revision"], "marks": object_at(40, BACKGROUND)}).json
            self.assertEqual(done["state"], "done")
            labels = server.post(f"/api/pictures/{opened['id']}/labels", {"marks": object_at(40, BACKGROUND)})
            self.assertEqual(read(self.path + "/labels/d1.png"), mask_of(labels))
            reopened = server.post(f"/api/folder/{keys[1]}/open", {}).json
            self.assertEqual((reopened["state"], reopened["revision"], reopened["marks"]),
                             ("done", done["revision"], object_at(40, BACKGROUND)))
            before = server.end()
            self.assertEqual(before, 0)
        with Server("--data", self.path) as server:
            self.assertEqual([(i["key"], i["state"]) for i in self.items(server)], list(zip(keys, ["new", "done", "new"])))
            undone = server.post(f"/api/folder/{keys[1]}/undone", {}).json
            self.assertEqual((undone["state"], files(self.path + "/labels")), ("marked", []))
            self.assertEqual(len(files(self.path + "/.s3svm/aside")), 1)

    def test_training_reads_what_is_done(self):
        with Server("--data", self.path) as server:
            for i, item in enumerate(self.items(server)[:2]):
                answer = server.post(f"/api/folder/{item['key']}/done",
                                     {"revision": item["revision"], "marks": object_at(30 + 10 * i, BACKGROUND), "method": "grabcut"})
                self.assertEqual(answer.status, 200, answer)
            item = self.items(server)[2]
            server.put(f"/api/folder/{item['key']}/marks", {"revision": item["revision"], "marks": object_at(50)})
        run = subprocess.run([COMMAND, "evaluate", "--data", self.path, "--json"], check=True, capture_output=True, text=True)
        self.assertEqual([i["name"] for i in json.loads(run.stdout)["images"]], ["d0", "d1"])
        if SANITIZED:
            return
        subprocess.run([COMMAND, "train", "segment", "--data", self.path, "--features", "paper", "--method", "amn", "--rounds", "3", "-o",
                        self.place.name + "/model.json"], check=True, capture_output=True)

    def test_refusals(self):
        with Server("--data", self.path) as server:
            key, revision = (self.items(server)[0][k] for k in ("key", "revision"))
            path = f"/api/folder/{key}/"
            for verb, what in (("PUT", "marks"), ("POST", "done")):
                def ask(**body):
                    return server.ask(verb, path + what, body)
                self.refused(ask(revision=revision, marks=marks(WIDTH, HEIGHT + 1)), 422, "marks")
                self.refused(ask(revision=revision), 400, "json")
                self.refused(ask(revision=3, marks=object_at(30)), 400, "json")
                answer = ask(revision="0" * 16, marks=object_at(30))
                self.refused(answer, 409, "changed")
                self.assertEqual((answer.json["revision"], answer.json["marks"], answer.json["state"]), (revision, None, "new"))
            self.refused(server.post(path + "done", {"revision": revision, "marks": marks(WIDTH, HEIGHT)}), 422, "labels")
            self.refused(server.post(f"/api/folder/{16 * '0'}/open", {}), 404, "unknown")
            self.refused(server.post(path + "undone", {"revision": "0" * 16}), 409, "changed")
            self.assertEqual(files(self.path + "/scribbles"), [])

    def test_nothing_outside(self):
        write(self.place.name + "/secret/x.png", disc(33))
        write(self.place.name + "/secret/marks.json", b"{}")
        os.symlink(self.place.name + "/secret/x.png", self.path + "/images/link.png")
        os.symlink(self.place.name + "/secret", self.path + "/images/folder.png")
        os.mkfifo(self.path + "/images/pipe.png")
        os.makedirs(self.path + "/scribbles")
        os.symlink(self.place.name + "/secret/marks.json", self.path + "/scribbles/d0.json")
        with Server("--data", self.path) as server:
            items = self.items(server)
            self.assertEqual([(i["name"], i["state"]) for i in items], [("d0.png", "new"), ("d1.png", "new"), ("d2.png", "new")])
            saved = server.put(f"/api/folder/{items[0]['key']}/marks", {"revision": items[0]["revision"], "marks": object_at(30)})
            self.assertEqual(saved.status, 200, saved)
            self.assertEqual(read(self.place.name + "/secret/marks.json"), b"{}")
            self.assertFalse(os.path.islink(self.path + "/scribbles/d0.json"))
        os.rename(self.path + "/scribbles", self.place.name + "/elsewhere")
        os.symlink(self.place.name + "/elsewhere", self.path + "/scribbles")
        with Server("--data", self.path) as server:
            item = self.items(server)[0]
            self.assertEqual(item["state"], "new")
            self.refused(server.put(f"/api/folder/{item['key']}/marks", {"revision": item["revision"], "marks": object_at(31)}), 500, "file")
        self.assertEqual(json.loads(read(self.place.name + "/elsewhere/d0.json")), object_at(30))
        os.rename(self.path + "/images", self.place.name + "/pictures")
        os.symlink(self.place.name + "/pictures", self.path + "/images")
        with self.assertRaisesRegex(RuntimeError, "must be no link"):
            Server("--data", self.path)

    def test_scribbles_of_others(self):
        write(self.path + "/scribbles/d0.png", png(WIDTH, HEIGHT, lambda x, y: (1 if 25 < x < 35 and 30 < y < 40 else 2 if y < 4 else 0,), 1))
        write(self.path + "/labels/d0.pgm", b"P5 96 72 255 " + bytes(255 if i % 96 > 50 else 0 for i in range(96 * 72)))
        with Server("--data", self.path) as server:
            item = self.items(server)[0]
            self.assertEqual(item["state"], "done")
            opened = server.post(f"/api/folder/{item['key']}/open", {}).json
            self.assertEqual(opened["marks"]["steps"][0][0]["shape"], "pixels")
            answer = server.post(f"/api/folder/{item['key']}/done", {"revision": opened["revision"], "marks": opened["marks"]})
            self.assertEqual(answer.status, 200, answer)
        self.assertEqual((files(self.path + "/scribbles"), files(self.path + "/labels")), (["d0.json"], ["d0.png"]))
        self.assertEqual(len(files(self.path + "/.s3svm/aside")), 2)

    def test_two_pages(self):
        """Each adds a step to what it saw: no step that was said to be saved is lost."""
        saved = []
        with Server("--data", self.path) as server:
            key = self.items(server)[0]["key"]

            def page(number):
                seen = server.post(f"/api/folder/{key}/open", {}).json
                state = {"revision": seen["revision"], "steps": (seen["marks"] or {"steps": []})["steps"]}
                for turn in range(8):
                    mark = {"shape": "stroke", "label": "object", "radius": 1, "points": [number, turn]}
                    marks_ = {**marks(WIDTH, HEIGHT), "steps": state["steps"] + [[mark]]}
                    answer = server.put(f"/api/folder/{key}/marks", {"revision": state["revision"], "marks": marks_})
                    body = answer.json
                    if answer.status == 200:
                        state = {"revision": body["revision"], "steps": marks_["steps"]}
                        saved.append((number, turn))
                    else:
                        self.assertEqual((answer.status, answer.code), (409, "changed"))
                        state = {"revision": body["revision"], "steps": (body["marks"] or {"steps": []})["steps"]}

            with concurrent.futures.ThreadPoolExecutor(4) as threads:
                for done in [threads.submit(page, n) for n in range(4)]:
                    done.result()
        steps = json.loads(read(self.path + "/scribbles/d0.json"))["steps"]
        there = [tuple(step[0]["points"]) for step in steps]
        self.assertEqual(sorted(there), sorted(saved))
        self.assertGreaterEqual(len(saved), 8)

    def test_killed_while_it_writes(self):
        said = []

        def kill_later(server, answers, seconds):
            for _ in range(6000):
                if len(said) >= answers:
                    break
                time.sleep(0.01)
            time.sleep(seconds)  # into the middle of another request
            server.kill()

        for life in range(2 if SANITIZED else 4):
            with Server("--data", self.path) as server:
                item = self.items(server)[0]
                path = f"/api/folder/{item['key']}/"
                if said:
                    there = json.loads(read(self.path + "/scribbles/d0.json"))["steps"][-1][0]["points"]
                    self.assertIn(there, (said[-1], sent))  # the last that was answered, or the one on its way
                killer = threading.Thread(target=kill_later, args=(server, len(said) + 2 + life, 0.004 * life))
                killer.start()
                revision = item["revision"]
                try:
                    for turn in range(10000):
                        sent = [life, turn]
                        what, marks_ = ("done", object_at(30, BACKGROUND, [("object", 1, sent)])) if turn % 2 else \
                            ("marks", object_at(30, [("object", 1, sent)]))
                        answer = server.ask("POST" if turn % 2 else "PUT", path + what,
                                            {"revision": revision, "marks": marks_, **({"method": "grabcut"} if turn % 2 else {})})
                        self.assertEqual(answer.status, 200, answer)
                        revision = answer.json["revision"]
                        said.append(sent)
                except (OSError, EOFError):
                    pass
                except Exception as why:  # the connection broke in the middle of an answer
                    self.assertNotIsInstance(why, AssertionError)
                killer.join()
            self.assertTrue(all(name in ("d0.json", "d0.png") or name.startswith(".s3svm-")
                                for folder in ("scribbles", "labels") for name in files(f"{self.path}/{folder}")))
        with Server("--data", self.path) as server:
            self.assertEqual(files(self.path + "/scribbles"), ["d0.json"])
            self.assertTrue(files(self.path + "/labels") in ([], ["d0.png"]))
            opened = server.post(f"/api/folder/{item['key']}/open", {})
            self.assertEqual(opened.status, 201, opened)
        self.assertGreaterEqual(len(said), 5)

    def test_one_server_for_a_folder(self):
        with Server("--data", self.path):
            with self.assertRaisesRegex(RuntimeError, "another s3svm serve"):
                Server("--data", self.path)
        Server("--data", self.path).end()


@unittest.skipIf(SANITIZED, "it learns for minutes then")
def odds(x0, most=3):
    """What a network says that is right but for single pixels, and for a corner that it takes for the object."""
    def number(x, y):
        right = disc_at(x, y, x0) or (x > 85 and y < 8)
        return (most if right else -most) + (x * 31 + y * 17) % 5 - 2
    return npy(WIDTH, HEIGHT, number)


class Evidence(unittest.TestCase):
    """A folder with maps, and a model that has learned to see what they say."""
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.model, learn = cls.place.name + "/model.json", cls.place.name + "/learn"
        for i in range(6):
            x0 = 26 + 8 * i
            write(f"{learn}/images/d{i}.png", disc(x0))
            write(f"{learn}/labels/d{i}.png", png(WIDTH, HEIGHT, lambda x, y, x0=x0: (255 * disc_at(x, y, x0),), 1))
            write(f"{learn}/maps/d{i}.npy", odds(x0))
        subprocess.run([COMMAND, "train", "segment", "--data", learn, "--dialogues", "--evidence", "--method", "amn", "--samples", "300",
                        "--C", "100", "--gap", "0.3", "-o", cls.model], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def setUp(self):
        self.path = tempfile.mkdtemp(dir=self.place.name)
        for i in range(3):
            write(f"{self.path}/images/d{i}.png", disc(30 + 10 * i))

    def opened(self, server, number):
        key = server.get("/api/folder").json["items"][number]["key"]
        answer = server.post(f"/api/folder/{key}/open", {})
        self.assertEqual(answer.status, 201, answer)
        return key, answer.json

    def labels(self, server, picture, marks_, **more):
        answer = server.post(f"/api/pictures/{picture['id']}/labels", {"marks": marks_, **more})
        self.assertEqual(answer.status, 200, answer)
        return answer

    def command(self, number, *arguments):
        """The mask that the command writes."""
        out = self.path + "/mask.png"
        subprocess.run([COMMAND, "segment", f"{self.path}/images/d{number}.png", "-m", self.model, "-o", out, *arguments], check=True,
                       capture_output=True)
        return read(out)

    def test_what_is_proposed(self):
        maps = self.path + "/maps/"
        write(maps + "d0.npy", odds(30))
        write(maps + "d1.png", png(WIDTH, HEIGHT, lambda x, y: (230 if disc_at(x, y, 40) else 20,), 1))
        nothing, marked = marks(WIDTH, HEIGHT), marks(WIDTH, HEIGHT, [("background", 3, [90, 3])])
        write(self.path + "/marks.json", json.dumps(marked).encode())
        with Server("--data", self.path, "-m", self.model) as server:
            for number, name in enumerate(("d0.npy", "d1.png")):
                key, picture = self.opened(server, number)
                self.assertEqual((picture["maps"], picture["note"]), (True, None))
                first = self.labels(server, picture, nothing)
                self.assertTrue(first.json["proposed"])
                self.assertEqual(mask_of(first), self.command(number, "--maps", maps + name))
                wanted = sum(disc_at(x, y, 30 + 10 * number) for y in range(HEIGHT) for x in range(WIDTH))
                self.assertAlmostEqual(first.json["object"] / wanted, 1, delta=0.2)
                second = self.labels(server, picture, marked)
                self.assertFalse(second.json["proposed"])
                self.assertEqual(mask_of(second), self.command(number, "--maps", maps + name, "--marks", self.path + "/marks.json"))
                again = self.labels(server, picture, nothing)
                self.assertEqual((again.json["proposed"], again.json["mask"]), (True, first.json["mask"]))
                view = server.post(f"/api/pictures/{picture['id']}/view", {"view": "mask", "marks": nothing})
                self.assertEqual(view.bytes, mask_of(first))
                for view in ("cutout", "unaries", "prior"):
                    self.assertEqual(server.post(f"/api/pictures/{picture['id']}/view", {"view": view, "marks": nothing}).status, 200)
                doubt = server.post(f"/api/pictures/{picture['id']}/next", {"marks": nothing})
                self.assertEqual((doubt.status, doubt.json["found"]), (200, True), doubt)
                blind = self.labels(server, picture, nothing, method="grabcut").json
                self.assertEqual((blind["proposed"], blind["object"]), (False, 0))
                done = server.post(f"/api/folder/{key}/done", {"revision": picture["revision"], "marks": nothing})
                self.assertEqual((done.status, done.json["state"]), (200, "done"), done)
                self.assertEqual(read(f"{self.path}/labels/d{number}.png"), mask_of(first))
                self.assertEqual(json.loads(read(f"{self.path}/scribbles/d{number}.json"))["steps"], [])
            key, picture = self.opened(server, 2)
            self.assertEqual((picture["maps"], picture["note"]), (False, None))
            self.assertFalse(self.labels(server, picture, nothing).json["proposed"])
            self.assertFalse(server.post(f"/api/pictures/{picture['id']}/next", {"marks": nothing}).json["found"])
            refused = server.post(f"/api/folder/{key}/done", {"revision": picture["revision"], "marks": nothing})
            self.assertEqual((refused.status, refused.code), (422, "labels"))

    def test_a_method_that_sees_none(self):
        write(self.path + "/maps/d0.npy", odds(30))
        marked = object_at(30, BACKGROUND)
        with Server("--data", self.path, "-m", self.model) as server:
            picture = self.opened(server, 0)[1]
            with_maps = self.labels(server, picture, marked, method="grabcut").json["mask"]
            bare = server.upload(disc(30)).json
            self.assertEqual(self.labels(server, bare, marked, method="grabcut").json["mask"], with_maps)
            self.assertFalse(self.labels(server, bare, marks(WIDTH, HEIGHT)).json["proposed"])

    def test_calibration(self):
        maps = self.path + "/maps/"
        write(maps + "d0.npy", odds(30, most=1))
        turned = {"format": "s3svm calibration", "version": 1, "numbers": "odds", "scale": -4, "offset": 0}
        with Server("--data", self.path, "-m", self.model) as server:
            def alone():
                """What pixels say by themselves, whatever becomes of it."""
                view = server.post(f"/api/pictures/{self.opened(server, 0)[1]['id']}/view", {"view": "unaries", "marks": marks(WIDTH, HEIGHT)})
                self.assertEqual(view.status, 200)
                return view.bytes

            usual = alone()
            self.assertEqual(usual, alone())
            write(maps + "calibration.json", json.dumps(turned).encode())
            self.assertNotEqual(usual, alone())
            other = mask_of(self.labels(server, self.opened(server, 0)[1], marks(WIDTH, HEIGHT)))
            self.assertEqual(other, self.command(0, "--maps", maps + "d0.npy", "--calibration", maps + "calibration.json"))
            for text in (b"{}", b"", b"{", json.dumps({**turned, "scale": "x"}).encode(), json.dumps({**turned, "numbers": "bytes"}).encode()):
                write(maps + "calibration.json", text)
                picture = self.opened(server, 0)[1]
                self.assertFalse(picture["maps"], text)
                self.assertTrue(picture["note"].startswith("the maps are not used: "), picture["note"])

    def test_maps_that_cannot_be_used(self):
        whole, head = odds(30), b"IHDR" + struct.pack(">IIBBBBB", 60000, 60000, 8, 0, 0, 0, 0)
        bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head)) + bytes(1000) + b"IDAT"
        cases = [("npy", npy(WIDTH - 1, HEIGHT, lambda x, y: 1), "95 by 72"), ("npy", whole[:-1], "bytes of numbers"), ("npy", b"", "not a NumPy"),
                 ("npy", b"hello", "not a NumPy"), ("npy", npy(WIDTH, HEIGHT, lambda x, y: float("nan")), "nan"),
                 ("npy", npy(WIDTH, 2 * HEIGHT, lambda x, y: 1).replace(b"(144, 96), ", b"(72,96,2), "), "2 channels"),
                 ("png", png(8, 6, lambda x, y: (9,), 1), "8 by 6"), ("png", bomb, ""), ("png", b"\x89PNG", "")]
        with Server("--data", self.path, "-m", self.model) as server:
            for ending, data, words in cases:
                write(f"{self.path}/maps/d0.{ending}", data)
                picture = self.opened(server, 0)[1]
                self.assertFalse(picture["maps"], data[:40])
                self.assertIn(words, picture["note"])
                self.assertIn(f"d0.{ending}", picture["note"])
                self.assertFalse(self.labels(server, picture, marks(WIDTH, HEIGHT)).json["proposed"])
                self.assertGreater(self.labels(server, picture, object_at(30, BACKGROUND)).json["object"], 0)
                os.remove(f"{self.path}/maps/d0.{ending}")
            write(self.path + "/elsewhere.npy", whole)
            os.symlink(self.path + "/elsewhere.npy", self.path + "/maps/d0.npy")
            self.assertEqual([self.opened(server, 0)[1][member] for member in ("maps", "note")], [False, None])
            os.rename(self.path + "/maps", self.path + "/other")
            os.symlink(self.path + "/other", self.path + "/maps")
            self.assertIn("no link", self.opened(server, 0)[1]["note"])


class Learning(unittest.TestCase):
    def wait(self, server, wanted, seconds=120):
        for _ in range(10 * seconds):
            state = server.get("/api/learning").json
            if state["state"] in wanted:
                return state
            time.sleep(0.1)
        self.fail(f"learning is {state['state']}, not {wanted}: {state['message']}")

    def test_learning(self):
        with tempfile.TemporaryDirectory() as place:
            path = place + "/data"
            for i in range(4):
                write(f"{path}/images/d{i}.png", disc(20 + 6 * i, 60, 48))
            with Server("--data", path) as server:
                self.assertEqual(server.post("/api/learning", {"action": "start"}).code, "learning")
                for verb in ("stop", "resume"):
                    self.assertEqual(server.post("/api/learning", {"action": verb}).status, 409)
                self.assertEqual(server.post("/api/learning", {"action": "fly"}).status, 400)
                for i, item in enumerate(server.get("/api/folder").json["items"]):
                    marks_ = marks(60, 48, [("object", 2, [20 + 6 * i, 24]), ("background", 2, [2, 2, 55, 3])])
                    answer = server.post(f"/api/folder/{item['key']}/done", {"revision": item["revision"], "marks": marks_})
                    self.assertEqual(answer.status, 200, answer)
                self.assertTrue(server.get("/api/state").json["learning"]["available"])
                self.assertEqual(server.post("/api/learning", {"action": "start"}).status, 202)
                self.assertEqual(server.post("/api/learning", {"action": "start"}).status, 409)
                while not (running := server.get("/api/learning").json)["folds"]:
                    time.sleep(0.05)
                self.assertTrue(running["rounds"] and all(r["bound"] is not None for r in running["rounds"]))
                server.kill()
            with Server("--data", path) as server:
                self.assertEqual(self.wait(server, ("stopped",))["models"][0]["current"], True)
                self.assertEqual(server.post("/api/learning", {"action": "resume"}).status, 202)
                self.assertEqual(server.post("/api/learning", {"action": "stop"}).status, 202)
                self.wait(server, ("stopped",))
                self.assertEqual(server.post("/api/learning", {"action": "resume"}).status, 202)
                began = time.monotonic()
                self.assertEqual(server.end(signal.SIGINT), 0)  # what is running is stopped, and kept
                self.assertLess(time.monotonic() - began, 20)
            with Server("--data", path) as server:
                self.wait(server, ("stopped",))
                self.assertEqual(server.post("/api/learning", {"action": "resume"}).status, 202)
                done = self.wait(server, ("done", "failed"))
                self.assertEqual((done["state"], done["photographs"], len(done["folds"])), ("done", 4, 4), done["message"])
                self.assertTrue(all(r["bound"] is not None for r in done["rounds"]))  # none, where all weights stay
                self.assertEqual([m["name"] for m in done["models"]], ["inside", "learned-1"])
                self.assertEqual(done["models"][1]["current"], done["result"]["better"])
                self.assertEqual(server.post("/api/learning/use", {"model": "learned-2"}).status, 404)
                self.assertEqual(server.post("/api/learning/use", {"model": "learned-1"}).status, 200)
                state = server.get("/api/state").json
                self.assertEqual((state["method"], state["methods"][-1]["name"]), ("learned", "learned"))
            with Server("--data", path) as server:
                self.assertEqual(server.get("/api/state").json["method"], "learned")
                picture = server.upload(disc(30)).json
                labels = server.post(f"/api/pictures/{picture['id']}/labels", {"method": "learned", "marks": object_at(30, BACKGROUND)})
                self.assertEqual(labels.status, 200, labels)
                write(place + "/d.png", disc(30))
                write(place + "/marks.json", json.dumps(object_at(30, BACKGROUND)).encode())
                subprocess.run([COMMAND, "segment", place + "/d.png", "--marks", place + "/marks.json", "-m", path + "/models/learned-1.json",
                                "-o", place + "/mask.png"], check=True, capture_output=True)
                self.assertEqual(mask_of(labels), read(place + "/mask.png"))
                self.assertEqual(server.post("/api/learning/use", {"model": "inside"}).status, 200)
                state = server.get("/api/state").json
                self.assertEqual((state["method"], state["methods"][-1]["name"]), ("s3svm", "grabcut"))
                self.assertEqual(server.post("/api/learning/use", {"model": "learned-1"}).status, 200)
            self.assertEqual(files(path + "/.s3svm/cache"), [])
            os.remove(path + "/models/learned-1.json")
            with Server("--data", path) as server:
                self.assertEqual(server.get("/api/state").json["method"], "s3svm")
                self.assertEqual(server.post("/api/learning/use", {"model": "learned-1"}).status, 500)


class Ends(unittest.TestCase):
    def test_signals(self):
        for number in (signal.SIGINT,) if SANITIZED else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with Server() as server:
                picture = server.post("/api/pictures", {"example": "fruit"}).json
                marks_ = marks(640, 480, *([("object", 3, [300 + 5 * k, 250])] for k in range(100)))
                with concurrent.futures.ThreadPoolExecutor(1) as threads:
                    answer = threads.submit(server.post, f"/api/pictures/{picture['id']}/labels", {"marks": marks_})
                    time.sleep(0.3)
                    began = time.monotonic()
                    self.assertEqual(server.end(number), 0, server.errors)
                    self.assertLess(time.monotonic() - began, 60 if SANITIZED else 15)
                    self.assertEqual((answer.result().status, answer.result().code), (503, "ending"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
