// marks.test.mjs - lists of marks: order, undo, erasing, and which disk touches which mark.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BACKGROUND, MarkList, OBJECT, box, eachRun, stroke, touches } from '../../../programs/page/marks.js';

const line = (y, label = OBJECT) => stroke(label, 2, [10, y, 50, y]);

/** All pixels of a stroke, point by point: slow, and without a formula for distances to segments. */
function paints(mark, x, y, radius) {
    for (let i = 0; i + 3 < mark.points.length; i += 2)
        for (let t = 0; t <= 1; t += 1 / 512) {
            const px = mark.points[i] + t * (mark.points[i + 2] - mark.points[i]);
            const py = mark.points[i + 1] + t * (mark.points[i + 3] - mark.points[i + 1]);
            if ((x - px) ** 2 + (y - py) ** 2 <= (radius + mark.radius) ** 2) return true;
        }
    return false;
}

test('a list is written as docs/formats.md has it', () => {
    const list = new MarkList(64, 48);
    list.add(stroke(OBJECT, 3, [1.1, 2.0, 3.37, 4]));
    assert.deepEqual(list.dialogue(), {
        format: 's3svm marks', version: 1, width: 64, height: 48,
        steps: [[{ shape: 'stroke', label: 'object', radius: 3, points: [1, 2, 3.25, 4] }]],
    });
});

test('a mark that grows is the last step, and only once', () => {
    const list = new MarkList(64, 48);
    list.add(line(5));
    list.draft = line(9);
    list.draft = line(10, BACKGROUND);
    assert.deepEqual(list.steps, [[line(5)], [line(10, BACKGROUND)]]);
    list.dropDraft();
    assert.deepEqual(list.steps, [[line(5)]]);
    list.draft = line(11);
    list.keepDraft();
    list.undo();
    assert.deepEqual(list.steps, [[line(5)]]);
});

test('random edits, taken back one by one and made again, give the same lists', () => {
    let seed = 7;
    const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
    const list = new MarkList(64, 48);
    const seen = [JSON.stringify(list.steps)];
    for (let i = 0; i < 200; i++) {
        const kind = random();
        let changed = true;
        if (kind < 0.6) list.add(line(Math.floor(48 * random())));
        else if (kind < 0.7) list.add(box(1, 1, 5 + Math.floor(20 * random()), 9));
        else if (kind < 0.95) changed = list.erase(30, 48 * random(), 1) > 0;
        else {
            changed = !list.empty;
            list.clear();
        }
        if (changed) seen.push(JSON.stringify(list.steps));
    }
    for (let i = seen.length - 2; i >= 0; i--) {
        assert.ok(list.undo());
        assert.equal(JSON.stringify(list.steps), seen[i]);
    }
    assert.equal(list.canUndo, false);
    for (let i = 1; i < seen.length; i++) {
        assert.ok(list.redo());
        assert.equal(JSON.stringify(list.steps), seen[i]);
    }
    assert.equal(list.canRedo, false);
});

test('a new mark ends what could be made again', () => {
    const list = new MarkList(64, 48);
    list.add(line(5));
    list.undo();
    list.add(line(6));
    assert.equal(list.redo(), false);
});

test('the eraser takes whole marks, of one gesture by one undo', () => {
    const list = new MarkList(64, 48, [[line(5), line(30)], [line(12, BACKGROUND)]]);
    assert.equal(list.erase(20, 40, 3), 0);
    assert.equal(list.canUndo, false);
    assert.equal(list.erase(20, 6, 3), 1);
    assert.equal(list.erase(20, 11, 3, true), 1);
    assert.deepEqual(list.steps, [[line(30)]]);
    list.undo();
    assert.deepEqual(list.steps, [[line(5), line(30)], [line(12, BACKGROUND)]]);
});

test('a new rectangle replaces the one before, and undo brings that back', () => {
    const list = new MarkList(64, 48);
    list.add(box(1, 1, 20, 20));
    list.add(line(5));
    list.add(box(2, 2, 30, 30));
    assert.deepEqual(list.steps, [[line(5)], [box(2, 2, 30, 30)]]);
    list.undo();
    assert.deepEqual(list.steps, [[box(1, 1, 20, 20)], [line(5)]]);
});

test('disks touch strokes where points along them are near', () => {
    const mark = stroke(OBJECT, 2, [10, 10, 40, 25, 12, 30]);
    for (let y = 0; y < 48; y++)
        for (let x = 0; x < 64; x++) {
            if (paints(mark, x, y, 2.9)) assert.ok(touches(mark, 64, x, y, 3), `${x}, ${y}`);
            if (!paints(mark, x, y, 3.1)) assert.ok(!touches(mark, 64, x, y, 3), `${x}, ${y}`);
        }
});

test('a click, the line of a rectangle and of an outline, and pixels are touched', () => {
    const click = stroke(OBJECT, 2, [10, 10]);
    assert.ok(touches(click, 64, 14, 10, 2));
    assert.ok(!touches(click, 64, 14.1, 10, 2));
    assert.ok(touches(box(10, 10, 30, 30), 64, 20, 11, 1));
    assert.ok(!touches(box(10, 10, 30, 30), 64, 20, 20, 5));
    const outline = { shape: 'outline', points: [0, 0, 20, 0, 20, 20, 0, 20] };
    assert.ok(touches(outline, 64, 1, 10, 1));
    assert.ok(!touches(outline, 64, 10, 10, 5));
    const pixels = { shape: 'pixels', runs: [62, 0, 4, 1, 64 * 48 - 66, 0] }; // the end of row 0, the start of row 1
    for (const [x, y, hit] of [[63, 0, true], [0, 1, true], [1, 1, true], [2, 1, false], [61, 0, false]])
        assert.equal(touches(pixels, 64, x, y, 0.5), hit, `${x}, ${y}`);
});

test('runs of pixels are cut at the ends of rows', () => {
    const runs = [];
    eachRun({ runs: [3, 0, 6, 2, 3, 1] }, 4, (...run) => runs.push(run));
    assert.deepEqual(runs, [[3, 0, 1, 2], [0, 1, 4, 2], [0, 2, 1, 2], [1, 2, 3, 1]]);
});

test('a list that is read can be taken back step by step', () => {
    const steps = [1, 2, 3].map((x) => [stroke('object', 2, [x, x])]);
    const list = MarkList.from({ steps }, 20, 20);
    assert.equal(list.canUndo, true);
    for (const left of [2, 1, 0]) {
        assert.ok(list.undo());
        assert.deepEqual(list.steps, steps.slice(0, left));
    }
    assert.equal(list.undo(), false);
    assert.equal(list.canRedo, true);
    assert.equal(MarkList.from(null, 20, 20).canUndo, false);
});

test('a history that was kept undoes and redoes as before', () => {
    let seed = 11;
    const random = (count) => (seed = seed * 16807 % 2147483647) % count;
    for (let trial = 0; trial < 40; trial++) {
        const list = new MarkList(50, 50);
        for (let edit = 0; edit < 25; edit++) {
            const [x, y] = [random(50), random(50)];
            const edits = [() => list.add(stroke('object', 3, [x, y])), () => list.add(stroke('background', 2, [x, y, y, x])),
                () => list.add(box(x, y, 49, 49)), () => list.erase(x, y, 8), () => list.undo(), () => list.redo(), () => random(9) || list.clear()];
            edits[random(edits.length)]();
        }
        const copy = MarkList.restored(JSON.parse(JSON.stringify(list.history())), 50, 50);
        const walk = (each) => {
            const seen = [each.steps];
            while (each.undo()) seen.push(each.steps);
            while (each.redo()) seen.push(each.steps);
            return seen;
        };
        assert.deepEqual(walk(copy), walk(list), `trial ${trial}`);
    }
});

test('a history takes little more room than the marks', () => {
    const list = new MarkList(1000, 1000);
    for (let i = 0; i < 300; i++) list.add(stroke('object', 3, [i, i]));
    const all = JSON.stringify(list.dialogue()).length;
    assert.ok(JSON.stringify(list.history()).length < 2 * all);
    list.erase(150, 150, 1);
    assert.ok(JSON.stringify(list.history()).length < 3 * all);
});
