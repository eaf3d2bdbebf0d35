// words.test.mjs - numbers as people read them, the scales of charts, and the line around a mask.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { niceScale } from '../../../programs/page/chart.js';
import { cracks } from '../../../programs/page/views.js';
import { duration, factsOf, figure, percent, plural } from '../../../programs/page/words.js';

test('numbers have the digits that matter', () => {
    for (const [value, words] of [[0, '0'], [1234.56, '1,235'], [12.345, '12.3'], [0.01234, '0.0123'], [1.5e9, '1.50e9'], [NaN, '–'], [null, '–']])
        assert.equal(figure(value), words);
    assert.equal(percent(0.1234), '12.3 %');
    assert.equal(duration(0.0123), '12 ms');
    assert.equal(duration(12.34), '12.3 s');
    assert.equal(duration(125), '2 min 5 s');
    assert.equal(plural(1, 'photograph'), '1 photograph');
    assert.equal(plural(2, 'photograph'), '2 photographs');
});

test('a result without energy says so', () => {
    const answer = { object: 50, energy: null, bound: null, gap: null, seconds: { look: 0, solve: 0.5, refine: 0 }, assumed: {} };
    const facts = new Map(factsOf(answer, { width: 10, height: 10 }));
    assert.equal(facts.get('Object'), '50 %');
    assert.equal(facts.get('Energy'), '–');
    assert.equal(facts.get('Proof'), '–');
    assert.equal(facts.get('Time'), '500 ms');
});

test('scales cover their values with a few round steps', () => {
    for (const [least, most] of [[0, 1], [3, 3], [0, 0], [-5, 17], [40.2, 120.7], [1e-7, 3e-7], [-3, -1]]) {
        const { from, to, ticks } = niceScale(least, most);
        assert.ok(from <= least && to >= most && to > from, `${least} to ${most}`);
        assert.ok(ticks.length >= 2 && ticks.length <= 7, `${ticks}`);
        ticks.forEach((tick, i) => i && assert.ok(tick > ticks[i - 1]));
    }
});

test('cracks lie between pixels that differ, each once', () => {
    const [width, height] = [9, 7];
    let seed = 3;
    for (let trial = 0; trial < 50; trial++) {
        const labels = Uint8Array.from({ length: width * height }, () => (seed = seed * 16807 % 2147483647) & 1);
        const found = [];
        cracks(labels, width, height, (x0, y0, x1, y1) => {
            for (let i = 0; i < x1 - x0; i++) found.push(`above ${x0 + i},${y0}`);
            for (let i = 0; i < y1 - y0; i++) found.push(`left ${x0},${y0 + i}`);
        });
        const wanted = [];
        for (let y = 0; y < height; y++)
            for (let x = 0; x < width; x++) {
                if (y && labels[y * width + x] !== labels[(y - 1) * width + x]) wanted.push(`above ${x},${y}`);
                if (x && labels[y * width + x] !== labels[y * width + x - 1]) wanted.push(`left ${x},${y}`);
            }
        assert.deepEqual(found.sort(), wanted.sort());
    }
});
