// learn.test.mjs - what the page says of learning.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { introduction, othersWords } from '../../../programs/page/learn.js';

test('what was stopped or failed is not said to be learned, and can be resumed', () => {
    const words = (state) => introduction({ state, photographs: 10, message: '' });
    assert.equal(words('done'), 'Learned from 10 photographs.');
    assert.equal(words('stopped'), 'Learning from 10 photographs was stopped; it can go on where it was.');
    assert.equal(words('failed'), 'Learning from 10 photographs could not be finished; it can go on where it was.');
});

test('while other programs keep learning waiting, the page says so', () => {
    assert.match(othersWords({ state: 'running', others: 0.75 }), /^Other programs take 75 %/);
    for (const quiet of [{ state: 'running', others: 0.1 }, { state: 'running', others: -1 }, { state: 'stopped', others: 0.9 }])
        assert.equal(othersWords(quiet), '');
});
