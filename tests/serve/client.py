"""client.py - a server under test, and requests to it, with the standard library alone."""
import http.client
import json
import os
import signal
import struct
import subprocess
import zlib


def write(path, data):
    """A file, and the folders it is in."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Server:
    """s3svm serve on a free port; ended, or killed, when it is left."""

    def __init__(self, *arguments, memory=None):
        command = [os.environ["S3SVM"], "serve", "--port", "0", "--json", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = ""
        while not said.endswith("}\n"):
            line = self.process.stdout.readline()
            if not line:
                self.errors = self.process.communicate()[1]
                raise RuntimeError("the server did not start: " + self.errors)
            said += line
        self.said = json.loads(said)
        self.port = self.said["port"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()

    def end(self, number=signal.SIGTERM, seconds=60):
        """Ends it by a signal; returns the exit code."""
        self.process.send_signal(number)
        code = self.process.wait(seconds)
        self.errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def kill(self):
        self.end(signal.SIGKILL)

    def resident(self):
        """Bytes of memory that it has."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def ask(self, verb, path, body=None, headers=None, timeout=120):
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        sent = {"X-S3SVM": "1"}
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        try:
            connection.request(verb, path, body, {k: v for k, v in sent.items() if v is not None})
            answer = connection.getresponse()
            return Answer(answer.status, answer.read(), dict(answer.getheaders()))
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask("GET", path, None, headers)

    def post(self, path, body, timeout=120):
        return self.ask("POST", path, body, timeout=timeout)

    def put(self, path, body):
        return self.ask("PUT", path, body)

    def upload(self, picture, path="/api/pictures"):
        return self.ask("POST", path, picture, {"Content-Type": "image/png"})


class Answer:
    def __init__(self, status, bytes_, headers):
        self.status, self.bytes, self.headers = status, bytes_, headers

    @property
    def json(self):
        return json.loads(self.bytes)

    @property
    def code(self):
        return self.json["error"]["code"]

    def __repr__(self):
        return f"{self.status} {self.bytes[:300]!r}"


def png(width, height, pixel, channels=3):
    """A PNG; pixel(x, y) gives its channels."""
    return _png(width, height, b"".join(b"\0" + bytes(v for x in range(width) for v in pixel(x, y)) for y in range(height)), channels)


def _png(width, height, rows, channels):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    kind = {1: 0, 3: 2}[channels]
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b""))


def blank(width, height):
    """A black PNG of few bytes."""
    return _png(width, height, bytes((width + 1) * height), 1)


def disc(x0, width=96, height=72):
    """A disc of one colour on another, both in noise that is the same every time."""
    def pixel(x, y):
        noise = (x * 7919 + y * 104729 + x * y * 31 + x0 * 13) % 17
        inside = disc_at(x, y, x0, height)
        return (200 + noise, 110 + noise, 50 + noise) if inside else (40 + noise, 70 + noise, 130 + noise)
    return png(width, height, pixel)


def disc_at(x, y, x0, height=72):
    """Whether a pixel lies in that disc."""
    return (x - x0) ** 2 + (y - height // 2) ** 2 < (height // 4) ** 2


def npy(width, height, number):
    """An array of float32, height x width."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({height}, {width}), }}".ljust(117) + "\n"
    numbers = [number(x, y) for y in range(height) for x in range(width)]
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(numbers)}f", *numbers)


def marks(width, height, *steps):
    """A list of marks; a step is a list of (label, radius, points)."""
    return {"format": "s3svm marks", "version": 1, "width": width, "height": height,
            "steps": [[{"shape": "stroke", "label": label, "radius": radius, "points": points}
                       for label, radius, points in step] for step in steps]}
