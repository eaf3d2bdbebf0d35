// words.test.mjs - numbers as people read them, and the scales of charts.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { niceScale } from '../../../programs/page/chart.js';
import { duration, factsOf, figure, nextWords, percent, plural } from '../../../programs/page/words.js';

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
    const facts = factsOf(answer, { width: 10, height: 10 });
    const value = (name) => facts.find((fact) => fact.name === name).value;
    assert.equal(value('Object'), '50 %');
    assert.equal(value('Energy'), '–');
    assert.equal(value('Proof'), '–');
    assert.equal(value('Time'), '500 ms');
    assert.deepEqual(facts.filter((fact) => !fact.detail).map(({ name }) => name), ['Object', 'Time'], 'what everybody is told');
});

test('what maps propose is said to be a proposal, and assumes nothing', () => {
    const answer = { object: 50, energy: -1, bound: -1, gap: 0, seconds: {}, assumed: { background: true, border: true, object: true } };
    const told = (proposed) => factsOf({ ...answer, proposed }, { width: 10, height: 10 }).map(({ name }) => name);
    assert.ok(told(true).includes('Proposed') && !told(true).includes('Assumed'));
    assert.ok(!told(false).includes('Proposed') && told(false).includes('Assumed'));
});

test('scales cover their values with a few round steps', () => {
    for (const [least, most] of [[0, 1], [3, 3], [0, 0], [-5, 17], [40.2, 120.7], [1e-7, 3e-7], [-3, -1]]) {
        const { from, to, ticks } = niceScale(least, most);
        assert.ok(from <= least && to >= most && to > from, `${least} to ${most}`);
        assert.ok(ticks.length >= 2 && ticks.length <= 7, `${ticks}`);
        ticks.forEach((tick, i) => i && assert.ok(tick > ticks[i - 1]));
    }
});

test('where to look next is said as a question', () => {
    assert.match(nextWords({ found: true, label: 'object' }), /the object\?.*background/);
    assert.match(nextWords({ found: true, label: 'background' }), /background\?.*object/);
    assert.match(nextWords({ found: false }), /Nothing/);
});
