"""exports.py - folders as they are, what is made of all that is done, labels tidied, large photographs, and a learning that fails.

Masks are compared pixel by pixel with what simple code here reads back from polygons and run lengths."""
import os
import random
import struct
import sys
import tempfile
import time
import unittest
import zlib

from client import Server, blank, disc, marks, png
from protocol import BACKGROUND, HEIGHT, SANITIZED, WIDTH, files, mask_of, object_at, write


def pixels_of(data):
    """Rows of samples of a PNG of 8 bits."""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8, depth
    channels = {0: 1, 2: 3, 6: 4}[kind]
    at, packed = 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        if name == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, rows, before = zlib.decompress(packed), [], bytes(width * channels)
    for y in range(height):
        line = raw[y * (width * channels + 1):(y + 1) * (width * channels + 1)]
        row = bytearray(line[1:])
        for i in range(len(row)):
            left = row[i - channels] if i >= channels else 0
            corner = before[i - channels] if i >= channels else 0
            guess = left + before[i] - corner
            paeth = min((left, before[i], corner), key=lambda v, g=guess: abs(g - v))
            row[i] = (row[i] + (0, left, before[i], (left + before[i]) // 2, paeth)[line[0]]) % 256
        rows.append(bytes(row))
        before = bytes(row)
    return width, height, channels, rows


def filled(polygons, width, height):
    """The pixels whose middles lie inside of polygons, by the even-odd rule."""
    mask = [[0] * width for _ in range(height)]
    for points in polygons:
        corners = list(zip(points[::2], points[1::2]))
        for y in range(height):
            crossings = sorted(x0 for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1])
                               if min(y0, y1) < y + 0.5 < max(y0, y1))
            for left, right in zip(crossings[::2], crossings[1::2]):
                for x in range(left, right):
                    mask[y][x] ^= 1
    return mask


def unrolled(segmentation):
    """The mask of COCO's run lengths, which go down the columns."""
    height, width = segmentation["size"]
    flat = [i % 2 for i, run in enumerate(segmentation["counts"]) for _ in range(run)]
    assert len(flat) == width * height
    return [[flat[x * height + y] for x in range(width)] for y in range(height)]


def area_of(points):
    corners = list(zip(points[::2], points[1::2]))
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1]))) / 2


class Folder(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.path = self.place.name + "/data"
        os.makedirs(self.path)

    def items(self, server):
        return server.get("/api/folder").json["items"]


class Flat(Folder):
    def test_photographs_that_lie_in_the_folder_itself(self):
        for i in range(2):
            write(f"{self.path}/d{i}.png", disc(30 + 10 * i))
        write(self.path + "/notes.txt", b"no photograph")
        with Server("--data", self.path) as server:
            items = self.items(server)
            self.assertEqual([i["name"] for i in items], ["d0.png", "d1.png"])
            answer = server.post(f"/api/folder/{items[0]['key']}/done", {"revision": items[0]["revision"], "marks": object_at(30, BACKGROUND)})
            self.assertEqual(answer.status, 200, answer)
            self.assertEqual([i["state"] for i in self.items(server)], ["done", "new"])
        self.assertEqual(files(self.path), [".s3svm", "d0.png", "d1.png", "labels", "notes.txt", "scribbles"])
        with Server("--data", self.path) as server:  # labels/ and scribbles/ hold no photographs
            self.assertEqual([(i["name"], i["state"]) for i in self.items(server)], [("d0.png", "done"), ("d1.png", "new")])

    def test_a_folder_without_photographs_stays_as_it_is(self):
        write(self.path + "/notes.txt", b"no photograph")
        with self.assertRaisesRegex(RuntimeError, "no photographs"):
            Server("--data", self.path)
        self.assertEqual(files(self.path), ["notes.txt"])


class Thumbnails(Folder):
    def test_they_are_sharp_and_whole(self):
        def pixel(x, y):  # a portrait whose head is red, one that is wide, and one that is small
            return (220, 30, 30) if y < 90 else (40, 60, 200)
        write(self.path + "/images/a.png", png(600, 900, pixel))
        write(self.path + "/images/b.png", png(1000, 301, pixel))
        write(self.path + "/images/c.png", png(50, 40, pixel))
        with Server("--data", self.path) as server:
            small = [pixels_of(server.get(f"/api/folder/{i['key']}/thumbnail").bytes) for i in self.items(server)]
        self.assertEqual([(w, h) for w, h, _, _ in small], [(267, 400), (400, 120), (50, 40)])
        rows = small[0][3]
        self.assertEqual((rows[0][:3], rows[39][-3:], rows[41][:3]), (bytes((220, 30, 30)), bytes((220, 30, 30)), bytes((40, 60, 200))))


class Exports(Folder):
    def masks(self, seed):
        """Random masks: single pixels, noise, disks with holes that hold disks, pixels that touch at corners only."""
        numbers = random.Random(seed)
        width, height = numbers.randint(1, 24), numbers.randint(1, 20)
        share = numbers.choice((0.1, 0.5, 0.8))
        ring = numbers.random() < 0.4
        x0, y0 = width / 2 - 0.5, height / 2 - 0.5
        mask = [[int(int(((x - x0) ** 2 + (y - y0) ** 2) ** 0.5) // 3 % 2 == 0 if ring else numbers.random() < share)
                 for x in range(width)] for y in range(height)]
        mask[numbers.randrange(height)][numbers.randrange(width)] = 1
        return mask

    def test_coco(self):
        seed = random.randrange(10 ** 6)
        print("seed", seed)
        masks = [self.masks(seed + i) for i in range(40)]
        for i, mask in enumerate(masks):
            height, width = len(mask), len(mask[0])
            write(f"{self.path}/images/m{i:02}.png", blank(width, height))
            write(f"{self.path}/labels/m{i:02}.png", png(width, height, lambda x, y, m=mask: (255 * m[y][x],), 1))
        write(self.path + "/images/undone.png", blank(8, 8))
        with Server("--data", self.path) as server:
            polygons, runs = (server.get(f"/api/folder/coco/{form}").json for form in ("polygons", "rle"))
            self.assertEqual(server.get("/api/folder/coco/voc").status, 404)
        self.assertEqual(polygons["images"], runs["images"])
        self.assertEqual(polygons["categories"], [{"id": 1, "name": "object"}])
        named = {image["id"]: image for image in polygons["images"]}
        self.assertEqual(sorted(i["file_name"] for i in named.values()), [f"m{i:02}.png" for i in range(40)])
        for some in (polygons, runs):
            self.assertEqual(len(some["annotations"]), 40)
        for a, b in zip(polygons["annotations"], runs["annotations"]):
            image = named[a["image_id"]]
            mask = masks[int(image["file_name"][1:3])]
            height, width = len(mask), len(mask[0])
            self.assertEqual((image["width"], image["height"]), (width, height))
            self.assertEqual(unrolled(b["segmentation"]), mask)
            self.assertEqual(filled(a["segmentation"], width, height), mask, (seed, image))
            inside = [(x, y) for y in range(height) for x in range(width) if mask[y][x]]
            self.assertEqual(a["area"], len(inside))
            self.assertEqual(sum(area_of(p) for p in a["segmentation"]), len(inside))
            left, top = (min(p[k] for p in inside) for k in (0, 1))
            self.assertEqual(a["bbox"], [left, top, max(p[0] for p in inside) - left + 1, max(p[1] for p in inside) - top + 1])
            self.assertEqual({k: a[k] for k in ("id", "image_id", "category_id", "iscrowd", "area", "bbox")},
                             {k: b[k] for k in ("id", "image_id", "category_id", "iscrowd", "area", "bbox")})

    def test_cutouts_of_what_is_done(self):
        write(self.path + "/images/a.png", disc(30))
        write(self.path + "/images/b.png", disc(40))
        write(self.path + "/labels/a.png", png(WIDTH, HEIGHT, lambda x, y: (255 if 20 <= x < 40 else 0,), 1))
        with Server("--data", self.path) as server:
            a, b = self.items(server)
            answer = server.get(f"/api/folder/{a['key']}/cutout")
            self.assertEqual(answer.status, 200, answer)
            _, _, channels, rows = pixels_of(answer.bytes)
            self.assertEqual(channels, 4)
            self.assertEqual([rows[10][4 * x + 3] for x in (2, 30, 70)], [0, 255, 0])
            refused = server.get(f"/api/folder/{b['key']}/cutout")
            self.assertEqual((refused.status, refused.code), (409, "undone"))
            write(self.path + "/labels/b.png", png(4, 4, lambda x, y: (255,), 1))
            self.assertEqual(self.items(server)[1]["state"], "done")
            refused = server.get(f"/api/folder/{b['key']}/cutout")
            self.assertEqual((refused.status, refused.code), (422, "refused"), refused)


class Tidied(unittest.TestCase):
    def test_the_connected_part_only(self):
        def pixel(x, y):  # two disks of one colour
            noise = (x * 7919 + y * 104729 + x * y * 31) % 17
            inside = min((x - 25) ** 2, (x - 95) ** 2) + (y - 36) ** 2 < 300
            return (200 + noise, 110 + noise, 50 + noise) if inside else (40 + noise, 70 + noise, 130 + noise)
        with Server() as server:
            picture = server.upload(png(120, 72, pixel)).json
            request = {"method": "grabcut", "marks": marks(120, 72, [("object", 3, [25, 36])], [("background", 2, [2, 2, 117, 2])])}
            path = f"/api/pictures/{picture['id']}/labels"
            for connected, disks in ((False, 2), (True, 1), (False, 2)):
                answer = server.post(path, {**request, "connected": connected})
                self.assertEqual(answer.status, 200, answer)
                rows = pixels_of(mask_of(answer))[3]
                self.assertEqual(sum(rows[36][x] > 0 for x in (25, 95)), disks)
                self.assertEqual(answer.json["object"], sum(v > 0 for row in rows for v in row))
            self.assertEqual(server.post(path, {**request, "connected": 1}).status, 400)


@unittest.skipIf(SANITIZED, "it takes minutes then")
class Large(unittest.TestCase):
    def test_sixty_megapixels(self):
        with Server() as server:
            most = server.get("/api/state").json["limits"]["pixels"]
            width, height = 9504, 6336  # of cameras that one can buy
            if most < width * height:
                self.skipTest(f"this machine has memory for {most} pixels")
            opened = server.upload(blank(width, height))
            self.assertEqual((opened.status, opened.json["width"], opened.json["height"]), (201, width, height), opened)
            request = {"quick": True, "marks": marks(width, height, [("object", 90, [4000, 3000])], [("background", 90, [500, 500])])}
            labels = server.post(f"/api/pictures/{opened.json['id']}/labels", request, timeout=400)
            self.assertEqual(labels.status, 200, labels)
            self.assertGreater(labels.json["object"], 1000)


@unittest.skipIf(SANITIZED, "it learns for minutes then")
class Learning(Folder):
    def wait(self, server, wanted):
        for _ in range(3000):
            state = server.get("/api/learning").json
            if state["state"] in wanted:
                return state
            time.sleep(0.1)
        self.fail(f"learning is {state['state']}: {state['message']}")

    def test_one_that_fails_at_its_end_goes_on(self):
        for i in range(4):
            write(f"{self.path}/images/d{i}.png", disc(20 + 6 * i, 60, 48))
            write(f"{self.path}/labels/d{i}.png", png(60, 48, lambda x, y, m=20 + 6 * i: (255 * ((x - m) ** 2 + (y - 24) ** 2 < 144),), 1))
        write(self.path + "/models", b"in the way")  # as a full disk would be
        with Server("--data", self.path) as server:
            self.assertEqual(server.post("/api/learning", {"action": "start"}).status, 202)
            failed = self.wait(server, ("failed", "done"))
            self.assertEqual(failed["state"], "failed")
            self.assertIn("models", failed["message"])
            self.assertEqual(len(failed["folds"]), 4)
            os.remove(self.path + "/models")
            self.assertEqual(server.post("/api/learning", {"action": "resume"}).status, 202)
            done = self.wait(server, ("failed", "done"))
            self.assertEqual((done["state"], done["rounds"]), ("done", []), "nothing is learned again")
            self.assertEqual(files(self.path + "/models"), ["index.json", "learned-1.json"])
            self.assertGreaterEqual(done["seconds"], failed["seconds"])
        os.rename(self.path + "/models", self.place.name + "/aside")
        write(self.path + "/models", b"in the way")
        with Server("--data", self.path) as server:
            self.assertEqual(server.post("/api/learning", {"action": "start"}).status, 202)
            self.assertEqual(self.wait(server, ("failed", "done"))["state"], "failed")
        os.remove(self.path + "/models")
        with Server("--data", self.path) as server:  # another server knows of it
            self.assertEqual(server.get("/api/learning").json["state"], "failed")
            self.assertEqual(server.post("/api/learning", {"action": "resume"}).status, 202)
            self.assertEqual(self.wait(server, ("failed", "done"))["state"], "done")

    def test_it_has_its_share_of_the_processor(self):
        for i in range(6):
            write(f"{self.path}/images/d{i}.png", disc(20 + 6 * i, 60, 48))
            write(f"{self.path}/labels/d{i}.png", png(60, 48, lambda x, y, m=20 + 6 * i: (255 * ((x - m) ** 2 + (y - 24) ** 2 < 144),), 1))
        with Server("--data", self.path) as server:
            self.assertEqual(server.post("/api/learning", {"action": "start"}).status, 202)
            tasks = f"/proc/{server.process.pid}/task"
            nice = set()
            for _ in range(20):
                for task in os.listdir(tasks):
                    try:
                        with open(f"{tasks}/{task}/stat", encoding="ascii") as file:
                            nice.add(int(file.read().rpartition(")")[2].split()[16]))
                    except OSError:
                        pass  # it has ended
                time.sleep(0.05)
            base = os.nice(0)
            self.assertEqual(max(nice), min(19, base + 5), nice)
            self.assertIn(base, nice)
            state = server.get("/api/learning").json
            self.assertTrue(state["others"] is None or 0 <= state["others"] <= 1, state)


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
