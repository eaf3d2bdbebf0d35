// outline.test.mjs - the border of a mask: around the object and nothing else, smooth, and hardly off.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { borders, outline } from '../../../programs/page/outline.js';

/** Whether a point is inside of closed lines, by the even-odd rule. */
function isInside(lines, x, y) {
    let inside = false;
    for (const points of lines)
        for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
            const [x0, y0, x1, y1] = [points[j], points[j + 1], points[i], points[i + 1]];
            if (y0 > y !== y1 > y && x < x0 + (y - y0) / (y1 - y0) * (x1 - x0)) inside = !inside;
        }
    return inside;
}

/** The sum of the angles by which a closed line turns, in full turns. */
function turning(points) {
    const count = points.length / 2;
    const point = (i) => [points[2 * (i % count)], points[2 * (i % count) + 1]];
    const direction = (i) => Math.atan2(point(i + 1)[1] - point(i)[1], point(i + 1)[0] - point(i)[0]);
    let sum = 0;
    for (let i = 0; i < count; i++) {
        const turn = direction(i + 1) - direction(i);
        sum += Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn)));
    }
    return sum / (2 * Math.PI);
}

const maskOf = (width, height, inside) => Uint8Array.from({ length: width * height }, (_, i) => (inside(i % width, Math.floor(i / width)) ? 1 : 0));

test('borders go around the pixels of the object and around holes, and along the edge of the picture', () => {
    const [width, height] = [9, 7];
    let seed = 3;
    for (let trial = 0; trial < 50; trial++) {
        const labels = maskOf(width, height, () => (seed = seed * 16807 % 2147483647) & 1);
        const before = [...labels];
        const found = borders(labels, width, height);
        assert.deepEqual([...labels], before, 'the mask stays as it was');
        for (let y = 0; y < height; y++)
            for (let x = 0; x < width; x++)
                assert.equal(isInside(found.map(({ points }) => points), x + 0.5, y + 0.5), labels[y * width + x] === 1, `trial ${trial}: ${x}, ${y}`);
        for (const { points, border } of found)
            border.forEach((on, i) => {
                const [x, y] = [points[2 * i], points[2 * i + 1]];
                assert.equal(on, x === 0 || y === 0 || x === width || y === height, `trial ${trial}: a side at ${x}, ${y}`);
            });
    }
});

test('the outline of a disk is round', () => {
    for (const radius of [5, 20, 90]) {
        const size = 2 * radius + 20;
        const { areas, lines } = outline(maskOf(size, size, (x, y) => Math.hypot(x + 0.5 - size / 2, y + 0.5 - size / 2) < radius), size, size);
        assert.equal(areas.length, 1);
        assert.deepEqual(lines, [{ points: areas[0], closed: true }]);
        for (let i = 0; i < areas[0].length; i += 2) {
            const off = Math.hypot(areas[0][i] - size / 2, areas[0][i + 1] - size / 2) - radius;
            assert.ok(Math.abs(off) < 0.6, `radius ${radius}: off by ${off}`);
        }
        assert.ok(turning(areas[0]) < 1.6, `radius ${radius}: ${turning(areas[0])} turns; the sides of pixels make ${4 * radius / 2}`);
    }
});

test('slopes are straight, edges of the picture are not drawn, and single pixels stay', () => {
    const [width, height] = [120, 60];
    for (const slope of [0, 1 / 6, 1 / 3, 1 / 2, 1]) {
        const { areas, lines } = outline(maskOf(width, height, (x, y) => y + 0.5 > 8 + slope * (x + 0.5) / 2.5), width, height);
        assert.equal(areas.length, 1);
        assert.equal(lines.length, 1);
        assert.equal(lines[0].closed, false);
        const { points } = lines[0];
        for (let i = 0; i < points.length; i += 2) {
            if (points[i] < 8 || points[i] > width - 8) continue; // ends run into the edge
            const off = points[i + 1] - 8 - slope * points[i] / 2.5;
            assert.ok(Math.abs(off) < 0.55, `slope ${slope}: off by ${off} at ${points[i]}`);
        }
    }
    const { areas } = outline(maskOf(5, 5, (x, y) => x === 2 && y === 3), 5, 5);
    assert.ok(isInside(areas, 2.5, 3.5));
});
