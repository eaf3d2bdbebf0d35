// viewport.test.mjs - from the picture to the screen and back, zoom and limits.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Viewport } from '../../../programs/page/viewport.js';

function opened(width, height) {
    const viewport = new Viewport();
    viewport.resize(800, 600);
    viewport.show({ width, height });
    return viewport;
}

const near = (a, b) => a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) < 1e-9, `${a} is not ${b}`));

test('a picture fits, in the middle', () => {
    const viewport = opened(1600, 600);
    assert.equal(viewport.scale, 0.5);
    near(viewport.toScreen(-0.5, -0.5), [0, 150]);
    near(viewport.toScreen(1599.5, 599.5), [800, 450]);
});

test('there and back is the same point', () => {
    const viewport = opened(640, 480);
    viewport.zoom(2.7, 100, 130);
    viewport.move(-31, 12);
    near(viewport.toPicture(...viewport.toScreen(12.25, 300)), [12.25, 300]);
});

test('what is under the pointer stays there', () => {
    const viewport = opened(640, 480);
    for (const factor of [1.3, 5, 0.7, 0.9]) {
        const before = viewport.toPicture(320, 222);
        viewport.zoom(factor, 320, 222);
        near(viewport.toPicture(320, 222), before);
    }
});

test('zoom has ends, and the picture stays in sight however it is moved', () => {
    const viewport = opened(640, 480);
    for (let i = 0; i < 50; i++) viewport.zoom(2);
    assert.equal(viewport.scale, 32);
    for (let i = 0; i < 50; i++) viewport.zoom(0.5);
    assert.ok(viewport.scale >= 0.5);
    for (const [dx, dy] of [[9999, 0], [-99999, 0], [0, 9999], [0, -99999]]) {
        viewport.move(dx, dy);
        const [left, top] = viewport.toScreen(-0.5, -0.5);
        const [right, bottom] = viewport.toScreen(639.5, 479.5);
        assert.ok(left < 800 && right > 0 && top < 600 && bottom > 0);
    }
});

test('a screen of another size fits anew, unless somebody zoomed', () => {
    const viewport = opened(400, 300);
    viewport.resize(400, 300);
    assert.equal(viewport.scale, 1);
    viewport.zoom(3);
    viewport.resize(800, 600);
    assert.equal(viewport.scale, 3);
});

test('a point is revealed by the least move', () => {
    const viewport = opened(640, 480);
    viewport.zoom(8);
    viewport.reveal(3, 3);
    const [x, y] = viewport.toScreen(3, 3);
    assert.ok(x >= 0 && x <= 800 && y >= 0 && y <= 600);
    const { x: left, y: top } = viewport;
    viewport.reveal(10, 10);
    assert.deepEqual([viewport.x, viewport.y], [left, top]);
});
