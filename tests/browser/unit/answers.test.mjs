// answers.test.mjs - requests that follow the hand: one under way, the newest waits, complete marks cancel what is older.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AnswerQueue } from '../../../programs/page/answers.js';

/** Requests that are answered by hand. */
function recorded(pixels = 0) {
    const asked = [];
    const answered = [];
    const failed = [];
    const queue = new AnswerQueue({
        ask: (job, signal) => new Promise((resolve, reject) => { asked.push({ job, signal, resolve, reject }); }),
        answered: (answer) => answered.push(answer.name),
        failed: (error) => failed.push(error.message),
        changed: () => {},
        pixels,
    });
    const answer = async (i, elapsed = 0.01) => {
        asked[i].resolve({ name: `${asked[i].job.marks}${asked[i].job.quick ? ' quick' : ''}`, elapsed });
        await new Promise((resolve) => { setTimeout(resolve); });
    };
    return { queue, asked, answered, failed, answer };
}

test('a mark that grows lets the request under way finish, then asks for the newest alone', async () => {
    const { queue, asked, answered, answer } = recorded();
    for (const marks of ['a', 'ab', 'abc', 'abcd']) queue.request({ marks, live: true });
    assert.equal(asked.length, 1);
    assert.equal(asked[0].signal.aborted, false);
    await answer(0);
    assert.deepEqual(asked.map(({ job }) => job.marks), ['a', 'abcd']);
    await answer(1);
    assert.deepEqual(answered, ['a', 'abcd']);
    assert.equal(queue.busy, false);
});

test('a complete mark cancels what is under way and what waits; late answers are not used', async () => {
    const { queue, asked, answered, answer } = recorded();
    queue.request({ marks: 'a', live: true });
    queue.request({ marks: 'ab', live: true });
    queue.request({ marks: 'abc', live: false });
    assert.deepEqual(asked.map(({ job }) => job.marks), ['a', 'abc']);
    assert.equal(asked[0].signal.aborted, true);
    await answer(0);
    await answer(1);
    assert.deepEqual(answered, ['abc']);
});

test('a new stroke cancels the answer to the one before', () => {
    const { queue, asked } = recorded();
    queue.request({ marks: 'a', live: false });
    queue.request({ marks: 'b', live: true });
    assert.equal(asked[0].signal.aborted, true);
    assert.equal(asked.length, 2);
});

test('large photographs get quick answers while a mark grows, and the exact one at its end', async () => {
    const { queue, asked, answered, answer } = recorded(12e6);
    queue.request({ marks: 'a', live: true });
    await answer(0);
    assert.equal(queue.busy, false);
    queue.request({ marks: 'ab', live: false });
    await answer(1);
    assert.equal(queue.busy, true);
    await answer(2, 3);
    assert.deepEqual(answered, ['a quick', 'ab quick', 'ab']);
    assert.deepEqual(asked.map(({ job }) => job.quick), [true, true, false]);
});

test('how long exact answers take decides what comes first', async () => {
    const { queue, asked, answer } = recorded();
    queue.request({ marks: 'a', live: false });
    await answer(0, 2);
    queue.request({ marks: 'b', live: false });
    assert.equal(asked[1].job.quick, true);
    await answer(1);
    await answer(2, 0.05);
    queue.request({ marks: 'c', live: false });
    assert.equal(asked[3].job.quick, false);
});

test('a failure ends the request and is told once; the next is asked as usual', async () => {
    const { queue, asked, failed, answered, answer } = recorded();
    queue.request({ marks: 'a', live: false });
    asked[0].reject(new Error('no'));
    await new Promise((resolve) => { setTimeout(resolve); });
    assert.deepEqual(failed, ['no']);
    assert.equal(queue.busy, false);
    queue.request({ marks: 'b', live: false });
    await answer(1);
    assert.deepEqual(answered, ['b']);
});
